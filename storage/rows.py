"""Statements over many rows that are given when they run, each made once for both engines.

A statement costs most of its time on its way, so whoever works on several threads at once asks for
all of them in one. The rows travel as one array for each column (PostgreSQL) or as one JSON text
(SQLite) and are joined to the tables like a table of their own.

Statements that need nothing of one another go at once: on PostgreSQL they are one statement, whose
parts all see what was there before it (``at_once``).

Nothing is decided here. A statement over several rows locks them in an order of the planner's, so
one that changes lease rows selects them for update first, in order (``locking``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
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
Rows = Sequence[Mapping[str, object]]
Part = tuple["ForEach", Rows]


class ForEach:
    """One statement over given rows; ``run`` gives the rows and runs it."""

    def __init__(
        self,
        columns: Columns,
        build: Build,
        *,
        on_sqlite: Build | None = None,
        locking: Callable[[Given, sa.FromClause], sa.Select[tuple[object, ...]]] | None = None,
    ) -> None:
        """*build* makes the statement out of the given columns and what they come FROM.

        *on_sqlite* makes it for SQLite, where that is another one. *locking* selects FOR UPDATE
        what is to be changed, in the one order of all who lock it: PostgreSQL then does so within
        the statement (SQLite has one writer, who needs no locks).
        """
        self._columns: Final = columns
        self._build: Final = build
        self._locks: Final = locking is not None
        self._statements: Final = {
            "sqlite": (on_sqlite or build)(*_from_json(columns)),
            "postgresql": build(*_locked(columns, *_from_arrays(columns), locking)),
        }

    def run(self, conn: Connection, rows: Rows) -> CursorResult[tuple[object, ...]]:
        """Run it over *rows*, one at least; each has a value for every column."""
        name = conn.dialect.name
        if name == "sqlite":
            given = _as_json([[row[at] for at in self._columns] for row in rows])
            return conn.execute(self._statements[name], {"given": given})
        return conn.execute(self._statements[name], self.arrays(rows))

    def arrays(self, rows: Rows, *, of: str = "given") -> dict[str, object]:
        """The parameters of PostgreSQL's statement: an array for each column."""
        return {f"{of}_{at}": [row[at] for row in rows] for at in self._columns}

    def part(self, of: str) -> sa.Executable:
        """PostgreSQL's statement as one of several whose parameters are kept apart by *of*.

        Raises ValueError for one that locks, which has to come first and alone.
        """
        if self._locks:
            raise ValueError("a statement that locks rows is run by itself")
        return self._build(*_from_arrays(self._columns, of=of))


def inserting(
    table: sa.Table, names: Sequence[str], insert: Callable[[sa.Table], sa.Insert] = sa.insert
) -> Build:
    """Builds the INSERT of these columns of *table*, for each of the given rows."""

    def build(given: Given, source: sa.FromClause) -> sa.Executable:
        # Without a WHERE, SQLite takes the ON of an ON CONFLICT that follows for that of a join.
        rows = sa.select(*(given[name] for name in names)).select_from(source).where(sa.true())
        # Every column without a default of the database's must be named: none is filled in here.
        return insert(table).from_select(list(names), rows, include_defaults=False)

    return build


def columns_of(table: sa.Table, *names: str) -> Columns:
    """These columns of *table* with their types."""
    return {name: cast("Kind", table.c[name].type) for name in names}


def at_once(conn: Connection, parts: Sequence[Part]) -> CursorResult[tuple[object, ...]] | None:
    """Run statements that need nothing of one another; gives what the last one found.

    Each of *parts* is one that locks nothing by itself, and the rows for it; a part without rows is
    left out (None: there was none at all).
    """
    wanted = [(each, rows) for each, rows in parts if rows]
    if conn.dialect.name == "sqlite" or len(wanted) < 2:
        found = [each.run(conn, rows) for each, rows in wanted]
        return found[-1] if found else None
    values: dict[str, object] = {}
    for at, (each, rows) in enumerate(wanted):
        values |= each.arrays(rows, of=f"part{at}")
    return conn.execute(_as_one(tuple(each for each, _ in wanted)), values)


@cache
def _as_one(statements: tuple[ForEach, ...]) -> sa.Executable:
    """All but the last beside the last, which is a statement that can have others beside it."""
    *beside, last = (each.part(f"part{at}") for at, each in enumerate(statements))
    ctes = [cast("sa.Insert", one).cte(f"part{at}") for at, one in enumerate(beside)]
    return cast("sa.Insert", last).add_cte(*ctes)


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


def _from_arrays(columns: Columns, *, of: str = "given") -> tuple[Given, sa.FromClause]:
    # Behind a SELECT the planner sees no length: one plan serves every number of rows, and is kept.
    arrays = [
        sa.select(
            sa.bindparam(f"{of}_{name}", type_=postgresql.ARRAY(kind, dimensions=1))
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
