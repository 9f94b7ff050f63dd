"""Alembic's entry point: runs revisions on the connection that storage.migrate hands over.

The transaction is the caller's: nothing here begins, commits or sets a connection up. Without a
connection the same revisions are written out as SQL for the dialect that was asked for.
"""

from alembic import context

from storage.tables import metadata

connection = context.config.attributes.get("connection")
if connection is None:
    context.configure(
        dialect_name=context.config.attributes["dialect"],
        target_metadata=metadata,
        literal_binds=True,
        render_as_batch=context.config.attributes["dialect"] == "sqlite",
    )
else:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        compare_type=True,
        render_as_batch=connection.dialect.name == "sqlite",
    )
with context.begin_transaction():
    context.run_migrations()
