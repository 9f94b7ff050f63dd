"""A store as ``tests.support.database``, without what SQLAlchemy does around each statement.

Schedules run thousands of small statements, and most of their time would go into SQLAlchemy's
execution of them. Here SQLAlchemy writes the SQL (each statement once) and its types turn values
into columns and back; binding, running and fetching are done here, and many rows at once are as
many statements. Only what the house uses of SQLAlchemy's connection is there: anything else raises,
instead of doing something else.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, cast
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.engine.result import IteratorResult, SimpleResultMetaData
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.schema import ScalarElementColumnDefault
from typing_extensions import override

from tests.support.database import InlineDatabase

Change = Callable[[object], object]
Values = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Bind:
    """Where the value of one ``?`` comes from.

    ``names``: of the parameter; ``index``: its place among the literals of the statement;
    ``default``: what the table says; ``many``: a list, one ``?`` for each of its elements.
    """

    names: tuple[str, str]
    index: int | None
    change: Change | None
    many: bool
    is_required: bool
    default: object


@dataclass(slots=True)
class _Plan:
    """One statement, compiled for one set of parameter names."""

    compiled: SQLCompiler
    binds: list[_Bind]
    rows: SimpleResultMetaData | None
    changes: list[tuple[int, Change]]
    sizes: dict[tuple[int, ...], str] = field(default_factory=dict)


class QuickResult(IteratorResult[tuple[object, ...]]):
    """SQLAlchemy's own result, over rows that have been fetched already."""

    def __init__(self, rows: SimpleResultMetaData, found: list[object], count: int) -> None:
        super().__init__(rows, iter(found))
        self.rowcount = count


_NO_ROWS: Final = SimpleResultMetaData([])
_PLANS: dict[object, _Plan] = {}
_KNOWN: WeakKeyDictionary[object, tuple[tuple[str, ...], _Plan]] = WeakKeyDictionary()
"""Plans of statements that are there for good, without a look at what they are made of."""


class QuickConnection:
    """What a unit of work uses of a SQLAlchemy connection; see the module's text."""

    def __init__(self, raw: sqlite3.Connection, dialect: Dialect) -> None:
        self.dialect = dialect
        self._raw = raw
        self._savepoints = 0

    def execute(
        self,
        statement: sa.ClauseElement,
        parameters: Values | Sequence[Values] | None = None,
    ) -> QuickResult:
        """Run a statement; with a list of parameters once for each."""
        if parameters is None or isinstance(parameters, Mapping):
            plan, cursor = self._run(statement, parameters or {})
            return QuickResult(plan.rows or _NO_ROWS, _fetched(plan, cursor), cursor.rowcount)
        found: list[object] = []
        count = 0
        rows = _NO_ROWS
        for one in parameters:
            plan, cursor = self._run(statement, one)
            rows = plan.rows or _NO_ROWS
            found += _fetched(plan, cursor)
            count += cursor.rowcount
        return QuickResult(rows, found, count)

    def scalar(self, statement: sa.ClauseElement, parameters: Values | None = None) -> object:
        """The first column of the first row, or None."""
        plan, cursor = self._run(statement, parameters or {})
        row = cursor.fetchone()
        cursor.close()
        if row is None:
            return None
        value: object = row[0]
        for index, change in plan.changes:
            if index == 0:
                value = change(value)
        return value

    def scalars(
        self, statement: sa.ClauseElement, parameters: Values | None = None
    ) -> sa.ScalarResult[object]:
        """The first column of every row."""
        return cast("sa.ScalarResult[object]", self.execute(statement, parameters).scalars())

    def exec_driver_sql(self, sql: str) -> QuickResult:
        """Run plain SQL."""
        with _explained(sql):
            cursor = self._raw.execute(sql)
        names = [column[0] for column in cursor.description or ()]
        return QuickResult(SimpleResultMetaData(names), cursor.fetchall(), cursor.rowcount)

    @contextmanager
    def begin_nested(self) -> Iterator[None]:
        """A savepoint."""
        self._savepoints += 1
        name = f"sa{self._savepoints}"
        self._raw.execute(f"SAVEPOINT {name}")
        try:
            yield
        except BaseException:
            self._raw.execute(f"ROLLBACK TO {name}")
            self._raw.execute(f"RELEASE {name}")
            raise
        self._raw.execute(f"RELEASE {name}")

    def begin(self) -> QuickConnection:
        """Begin as the store does; this is the transaction as well."""
        self._raw.execute("BEGIN IMMEDIATE")
        return self

    def commit(self) -> None:
        """Keep what was done."""
        self._raw.execute("COMMIT")

    def rollback(self) -> None:
        """Drop what was done."""
        self._raw.execute("ROLLBACK")

    def close(self) -> None:
        """Nothing to give back."""

    def _run(self, statement: sa.ClauseElement, values: Values) -> tuple[_Plan, sqlite3.Cursor]:
        plan, literals = _planned(statement, tuple(values), self.dialect)
        bound, sizes = _bound(plan, literals, values)
        sql = plan.sizes.get(sizes)
        if sql is None:
            sql = plan.sizes[sizes] = _sized(plan, literals, values)
        with _explained(sql):
            return plan, self._raw.execute(sql, bound)


class QuickDatabase(InlineDatabase):
    """The store of a schedule; see the module's text."""

    @override
    def _connect(self) -> Connection:
        return cast("Connection", QuickConnection(self._raw, self._engine.dialect))


def _planned(
    statement: sa.ClauseElement, names: tuple[str, ...], dialect: Dialect
) -> tuple[_Plan, Sequence[sa.BindParameter[object]]]:
    """The plan of a statement, and the literals that stand in this one."""
    key = statement._generate_cache_key()
    if key is None:
        raise NotImplementedError("a statement that SQLAlchemy cannot cache")
    known = _KNOWN.get(statement)
    if known is not None and known[0] == names:
        return known[1], key.bindparams
    place = (key.key, names)
    plan = _PLANS.get(place)
    if plan is None:
        compiled = statement.compile(dialect=dialect, cache_key=key, column_keys=list(names))
        plan = _PLANS[place] = _plan(cast("SQLCompiler", compiled), dialect)
    _KNOWN[statement] = (names, plan)
    return plan, key.bindparams


def _plan(compiled: SQLCompiler, dialect: Dialect) -> _Plan:
    if compiled.literal_execute_params or compiled.update_prefetch:
        raise NotImplementedError(f"parameters of a kind that is not known here: {compiled}")
    assert compiled.cache_key is not None
    assert compiled._cache_key_bind_match is not None
    places = {
        bind: index
        for index, literal in enumerate(compiled.cache_key.bindparams)
        for bind in compiled._cache_key_bind_match[0][literal]
    }
    defaults = _defaults(compiled)
    binds = []
    for name in compiled.positiontup or ():
        bind = compiled.binds[name]
        change = compiled._bind_processors.get(name)
        binds.append(
            _Bind(
                names=(bind.key, name),
                index=places.get(bind),
                change=cast("Change | None", change),
                many=bind in compiled.post_compile_params,
                is_required=bind.required and name not in defaults,
                default=defaults.get(name, bind.effective_value),
            )
        )
    columns = compiled._result_columns
    changes: list[tuple[int, Change]] = []
    for index, column in enumerate(columns):
        change = column.type._cached_result_processor(dialect, None)
        if change is not None:
            changes.append((index, change))
    rows = SimpleResultMetaData([column.keyname for column in columns]) if columns else None
    return _Plan(compiled, binds, rows, changes)


def _defaults(compiled: SQLCompiler) -> dict[str, object]:
    """What the table gives a column that an INSERT does not name; plain values only."""
    found: dict[str, object] = {}
    for column in compiled.insert_prefetch:
        if not isinstance(column.default, ScalarElementColumnDefault):
            raise NotImplementedError(f"the default of {column} is no plain value")
        found[compiled._within_exec_param_key_getter(column)] = column.default.arg
    return found


def _bound(
    plan: _Plan, literals: Sequence[sa.BindParameter[object]], values: Values
) -> tuple[list[object], tuple[int, ...]]:
    """What stands for each ``?``, and how long each list is."""
    bound: list[object] = []
    sizes: tuple[int, ...] = ()
    for bind in plan.binds:
        value = _value(bind, literals, values)
        change = bind.change
        if not bind.many:
            bound.append(value if change is None else change(value))
            continue
        elements = list(cast("Sequence[object]", value))
        sizes = (*sizes, len(elements))
        bound += elements if change is None else [change(one) for one in elements]
    return bound, sizes


def _value(bind: _Bind, literals: Sequence[sa.BindParameter[object]], values: Values) -> object:
    for name in bind.names:
        if name in values:
            return values[name]
    if bind.is_required:
        raise LookupError(f"no value for {bind.names[0]}")
    return bind.default if bind.index is None else literals[bind.index].effective_value


def _sized(plan: _Plan, literals: Sequence[sa.BindParameter[object]], values: Values) -> str:
    """The SQL for lists of this length."""
    compiled = plan.compiled
    if not compiled.post_compile_params:
        return compiled.string
    named = {bind.names[1]: _value(bind, literals, values) for bind in plan.binds}
    return compiled._process_parameters_for_postcompile(named).statement


def _fetched(plan: _Plan, cursor: sqlite3.Cursor) -> list[object]:
    if plan.rows is None:
        return []
    found = cursor.fetchall()
    return [_changed(row, plan.changes) for row in found] if plan.changes else found


def _changed(row: Sequence[object], changes: Sequence[tuple[int, Change]]) -> tuple[object, ...]:
    made = list(row)
    for index, change in changes:
        made[index] = change(made[index])
    return tuple(made)


@contextmanager
def _explained(sql: str) -> Iterator[None]:
    """Errors as SQLAlchemy tells them."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise sa.exc.IntegrityError(sql, None, error) from error
    except sqlite3.Error as error:
        raise sa.exc.OperationalError(sql, None, error) from error
