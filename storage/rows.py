"""Statements over many rows that are given when they run, each made once for both engines.

A statement costs most of its time on its way, so whoever works on several threads at once asks for
all of them in one. The rows travel as one array for each column (PostgreSQL) or as one JSON text
(SQLite) and are joined to the tables like a table of their own.

Nothing is decided here. A statement over several rows locks them in an order of the planner's, so
one that changes lease rows selects them for update first, in order (``locking``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

if TYPE_CHECKING:
    from sqlalchemy import Connection, CursorResult, RowMapping
    from sqlalchemy.sql.compiler import SQLCompiler

    Grouped = dict[tuple[str, str], list[RowMapping]]

_NO_TEXT: Final = re.compile("[\0\ud800-\udfff]")
Kind = sa.types.TypeEngine[object]
TEXT: Final = cast("Kind", sa.Text())
NUMBER: Final = cast("Kind", sa.BigInteger())
Columns = Mapping[str, Kind]
Place = tuple[str, str]
"""A mailbox and a thread in it."""
Given = Mapping[str, "sa.ColumnElement[object]"]
"""The columns of the given rows, by name, as expressions of a statement."""
Build = Callable[[Given, "sa.FromClause"], "sa.Executable"]


class ForEach:
    """One statement over given rows; ``run`` gives the rows and runs it."""

    def __init__(
        self,
        columns: Columns,
        build: Build,
        *,
        locking: Callable[[Given, sa.FromClause], sa.Select[tuple[object, ...]]] | None = None,
    ) -> None:
        """*build* makes the statement out of the given columns and what they come FROM.

        *locking* selects FOR UPDATE what is to be changed, in the one order of all who lock it:
        PostgreSQL then does so within the statement (SQLite has one writer, who needs no locks).
        """
        self._names: Final = tuple(columns)
        self._statements: Final = {
            "sqlite": build(*_from_json(columns)),
            "postgresql": build(*_locked(columns, *_from_arrays(columns), locking)),
        }

    def run(
        self, conn: Connection, rows: Sequence[Mapping[str, object]]
    ) -> CursorResult[tuple[object, ...]]:
        """Run it over *rows*, one at least; each has a value for every column."""
        name = conn.dialect.name
        values: dict[str, object]
        if name == "sqlite":
            values = {"given": _as_json([[row[at] for at in self._names] for row in rows])}
        else:
            values = {f"given_{at}": [row[at] for row in rows] for at in self._names}
        return conn.execute(self._statements[name], values)


def as_text(text: str) -> str:
    """*text* as every store holds it: NUL and lone surrogates become U+FFFD."""
    return _NO_TEXT.sub("\N{REPLACEMENT CHARACTER}", text)


def _as_json(rows: Sequence[Sequence[object]]) -> str:
    text = json.dumps(rows)
    if "\\u0000" not in text and "\\ud" not in text:
        return text
    # SQLite would cut a string at its NUL, and store lone surrogates so that nobody can read them.
    fit = [[as_text(one) if isinstance(one, str) else one for one in row] for row in rows]
    return json.dumps(fit)


def _from_arrays(columns: Columns) -> tuple[Given, sa.FromClause]:
    # Behind a SELECT the planner sees no length: one plan serves every number of rows, and is kept.
    arrays = [
        sa.select(
            sa.bindparam(f"given_{name}", type_=postgresql.ARRAY(kind, dimensions=1))
        ).scalar_subquery()
        for name, kind in columns.items()
    ]
    each = [sa.column(name, kind) for name, kind in columns.items()]
    source = sa.func.unnest(*arrays).table_valued(*each, name="given").render_derived()
    return {name: source.c[name] for name in columns}, source


def _locked(
    columns: Columns,
    given: Given,
    source: sa.FromClause,
    locking: Callable[[Given, sa.FromClause], sa.Select[tuple[object, ...]]] | None,
) -> tuple[Given, sa.FromClause]:
    if locking is None:
        return given, source
    locks = locking(given, source).add_columns(*(given[name].label(name) for name in columns))
    rows = locks.cte("locked")
    return {name: rows.c[name] for name in columns}, rows


def _from_json(columns: Columns) -> tuple[Given, sa.FromClause]:
    rows = sa.func.json_each(sa.bindparam("given", type_=sa.Text))
    source = rows.table_valued(sa.column("value", sa.Text), name="given")
    return {
        name: sa.func.json_extract(source.c.value, sa.literal_column(f"'$[{at}]'"), type_=kind)
        for at, (name, kind) in enumerate(columns.items())
    }, source


class ByBytes(FunctionElement[str]):
    """A text to order by as Python sorts it, whatever collation the database has."""

    name = "by_bytes"
    type = sa.Text()
    inherit_cache = True


@compiles(ByBytes)
def _by_bytes(element: ByBytes, compiler: SQLCompiler, **options: object) -> str:
    collate = ' COLLATE "C"' if compiler.dialect.name == "postgresql" else ""
    return f"{compiler.process(element.clauses, **options)}{collate}"


def rows_of_threads(table: sa.Table, *order: sa.ColumnElement[object]) -> ForEach:
    """All rows of *table* that belong to the given threads (``i`` and ``t``), in this order."""

    def build(given: Given, source: sa.FromClause) -> sa.Executable:
        here = sa.and_(table.c.integration == given["i"], table.c.thread == given["t"])
        return sa.select(table).join_from(source, table, here).order_by(*order)

    return ForEach({"i": TEXT, "t": TEXT}, build)


def grouped(conn: Connection, rows: ForEach, places: Collection[Place]) -> Grouped:
    """What a statement of ``rows_of_threads`` finds, by thread; none twice in *places*."""
    found: Grouped = {place: [] for place in places}
    given = [{"i": integration, "t": thread} for integration, thread in places]
    for row in rows.run(conn, given).mappings() if given else ():
        found[str(row["integration"]), str(row["thread"])].append(row)
    return found
