"""Group commit: one COMMIT for all, one error for one unit, no guess about what is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import sqlalchemy as sa

from storage.errors import (
    CommitUnknownError,
    StorageBusyError,
    StorageIllError,
    UnitMisuseError,
)
from storage.group_commit import GroupCommit, Work
from storage.sqlite import sync_engine
from tests.storage.notes import add, breaks_the_commit, loses_the_transaction, make, stored, texts


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "notes.db"
    make(file)
    return file


@pytest.fixture
def engine(path: Path) -> Iterator[sa.Engine]:
    made = sync_engine(path, busy_timeout_s=0)
    yield made
    made.dispose()


@pytest.fixture
def commits(engine: sa.Engine) -> Iterator[GroupCommit]:
    made = GroupCommit(engine.connect, busy_tries=3)
    yield made
    made.close()


@pytest.fixture
def log(engine: sa.Engine) -> list[str]:
    """What happened to transactions, in order."""
    seen: list[str] = []

    @sa.event.listens_for(engine, "before_cursor_execute")
    def statement(_: object, __: object, sql: str, *___: object) -> None:
        if sql.startswith("BEGIN"):
            seen.append("begin")

    @sa.event.listens_for(engine, "commit")
    def commit(_: object) -> None:
        seen.append("commit")

    return seen


def work(*units: Callable[[sa.Connection], object]) -> list[Work]:
    def silent(unit: Callable[[sa.Connection], object]) -> Callable[[sa.Connection], None]:
        def run(conn: sa.Connection) -> None:
            unit(conn)

        return run

    return [Work(unit=silent(unit)) for unit in units]


def fail(_: sa.Connection) -> None:
    raise KeyError("mine")


def test_batch_shares_one_transaction(commits: GroupCommit, path: Path, log: list[str]) -> None:
    commits.run(work(add("a"), add("b"), add("c")))
    assert stored(path) == ["a", "b", "c"]
    assert log == ["begin", "commit"]


def test_unit_that_fails_takes_back_its_own_work_only(commits: GroupCommit, path: Path) -> None:
    def half(conn: sa.Connection) -> None:
        add("half")(conn)
        fail(conn)

    batch = work(add("a"), half, add("c"))
    commits.run(batch)
    assert stored(path) == ["a", "c"]
    assert [type(one.error) for one in batch] == [type(None), KeyError, type(None)]


def test_unit_that_fails_alone_takes_back_its_work(commits: GroupCommit, path: Path) -> None:
    def half(conn: sa.Connection) -> None:
        add("half")(conn)
        fail(conn)

    commits.run(work(half))
    commits.run(work(add("after")))
    assert stored(path) == ["after"]


@pytest.mark.parametrize("fault", [SystemExit, KeyboardInterrupt, GeneratorExit, StopIteration])
def test_fault_that_is_no_exception_is_its_units_own(
    commits: GroupCommit, path: Path, fault: type[BaseException]
) -> None:
    def dies(conn: sa.Connection) -> None:
        add("half")(conn)
        raise fault

    batch = work(add("a"), dies, add("c"))
    commits.run(batch)
    assert stored(path) == ["a", "c"]
    assert isinstance(batch[1].error, fault)


def test_broken_key_reaches_its_caller_as_it_was_raised(commits: GroupCommit, path: Path) -> None:
    batch = work(add("a", number=1), add("b", number=1), add("c"))
    commits.run(batch)
    assert isinstance(batch[1].error, sa.exc.IntegrityError)
    assert stored(path) == ["a", "c"]


def test_lost_transaction_is_run_again_one_by_one(
    commits: GroupCommit, path: Path, log: list[str]
) -> None:
    batch = work(add("a"), loses_the_transaction, add("c"))
    commits.run(batch)
    assert stored(path) == ["a", "c"]
    assert [type(one.error) for one in batch] == [type(None), sa.exc.IntegrityError, type(None)]
    assert log.count("begin") == 4


def test_unit_that_loses_its_transaction_alone_does_not_harm_the_next(
    commits: GroupCommit, path: Path
) -> None:
    commits.run(work(loses_the_transaction))
    commits.run(work(add("after")))
    assert stored(path) == ["after"]


@pytest.mark.parametrize("others", [(), (add("a"),)])
def test_unit_that_hides_the_loss_of_its_transaction_is_not_told_that_it_is_stored(
    commits: GroupCommit, path: Path, others: tuple[Callable[[sa.Connection], object], ...]
) -> None:
    def hides(conn: sa.Connection) -> None:
        add("lost")(conn)
        with suppress(sa.exc.IntegrityError):
            loses_the_transaction(conn)

    batch = work(*others, hides)
    commits.run(batch)
    assert isinstance(batch[-1].error, UnitMisuseError)
    assert stored(path) == ["a"][: len(others)]


def test_error_from_commit_is_unknown_to_every_unit(commits: GroupCommit, path: Path) -> None:
    batch = work(add("a"), breaks_the_commit, add("c"))
    commits.run(batch)
    assert [type(one.error) for one in batch] == [CommitUnknownError] * 3
    assert stored(path) == []


def test_unit_that_failed_before_the_commit_failed_keeps_its_own_error(
    commits: GroupCommit,
) -> None:
    batch = work(fail, breaks_the_commit)
    commits.run(batch)
    assert [type(one.error) for one in batch] == [KeyError, CommitUnknownError]


def test_nothing_of_a_failed_commit_follows_with_the_next(commits: GroupCommit, path: Path) -> None:
    commits.run(work(add("a"), breaks_the_commit))
    commits.run(work(add("next")))
    assert stored(path) == ["next"]


def test_error_from_commit_says_to_read_first(commits: GroupCommit) -> None:
    batch = work(breaks_the_commit)
    commits.run(batch)
    assert "read it again first" in str(batch[0].error)
    assert batch[0].error is not None
    assert isinstance(batch[0].error.__cause__, sa.exc.IntegrityError)


@pytest.mark.parametrize("others", [(), (add("before"),)])
def test_unit_may_not_commit(
    commits: GroupCommit, path: Path, others: tuple[Callable[[sa.Connection], object], ...]
) -> None:
    def commits_itself(conn: sa.Connection) -> None:
        add("half")(conn)
        conn.commit()

    batch = work(*others, commits_itself)
    commits.run(batch)
    assert isinstance(batch[-1].error, UnitMisuseError)
    assert stored(path) == ["before"][: len(others)]


@pytest.mark.parametrize("others", [(), (add("before"),)])
def test_unit_may_not_roll_back(
    commits: GroupCommit, path: Path, others: tuple[Callable[[sa.Connection], object], ...]
) -> None:
    batch = work(*others, lambda conn: conn.rollback())
    commits.run(batch)
    assert isinstance(batch[-1].error, UnitMisuseError)
    assert stored(path) == ["before"][: len(others)]


def test_unit_may_not_leave_a_savepoint_open(commits: GroupCommit, path: Path) -> None:
    def forgets(conn: sa.Connection) -> None:
        conn.begin_nested()
        add("half")(conn)

    batch = work(add("a"), forgets, add("c"))
    commits.run(batch)
    assert isinstance(batch[1].error, UnitMisuseError)
    assert stored(path) == ["a", "c"]


def test_unit_may_use_savepoints_of_its_own(commits: GroupCommit, path: Path) -> None:
    def careful(conn: sa.Connection) -> None:
        savepoint = conn.begin_nested()
        add("half")(conn)
        savepoint.rollback()
        add("whole")(conn)

    commits.run(work(add("a"), careful))
    assert stored(path) == ["a", "whole"]


def test_hook_runs_when_the_work_can_be_seen_by_others(commits: GroupCommit, path: Path) -> None:
    seen: list[list[str]] = []
    batch = work(add("a"), add("b"))
    batch[0].committed = lambda: seen.append(stored(path))
    commits.run(batch)
    assert seen == [["a", "b"]]


def test_hook_that_fails_replaces_its_own_answer_only(commits: GroupCommit, path: Path) -> None:
    def broken() -> None:
        raise SystemExit(3)

    batch = work(add("a"), add("b"))
    batch[0].committed = broken
    commits.run(batch)
    assert isinstance(batch[0].error, SystemExit)
    assert batch[1].error is None
    assert stored(path) == ["a", "b"]


def test_hook_of_a_unit_that_failed_does_not_run(commits: GroupCommit) -> None:
    seen: list[str] = []
    batch = work(fail, add("b"))
    batch[0].committed = lambda: seen.append("ran")
    commits.run(batch)
    assert seen == []


def test_database_that_stays_busy_is_tried_so_often_and_no_more(
    commits: GroupCommit, path: Path, log: list[str]
) -> None:
    other = sync_engine(path)
    with other.begin():
        batch = work(add("a"), add("b"))
        commits.run(batch)
    other.dispose()
    assert log == ["begin"] * 3
    assert [type(one.error) for one in batch] == [StorageBusyError] * 2


def test_database_that_is_free_again_is_written(
    commits: GroupCommit, engine: sa.Engine, path: Path, log: list[str]
) -> None:
    other = sync_engine(path)
    holder = other.connect()
    held = holder.begin()

    @sa.event.listens_for(engine, "before_cursor_execute")
    def free_it(_: object, __: object, sql: str, *___: object) -> None:
        if sql.startswith("BEGIN") and log == ["begin", "begin"]:
            held.rollback()

    commits.run(work(add("a")))
    holder.close()
    other.dispose()
    assert stored(path) == ["a"]
    assert log == ["begin", "begin", "commit"]


def test_writer_goes_on_after_the_database_was_busy(commits: GroupCommit, path: Path) -> None:
    other = sync_engine(path)
    with other.begin():
        commits.run(work(add("a")))
    other.dispose()
    commits.run(work(add("b")))
    assert stored(path) == ["b"]


def test_connection_that_cannot_be_opened_is_told_to_every_unit(path: Path) -> None:
    path.unlink()
    engine = sync_engine(path, mode="rw")
    commits = GroupCommit(engine.connect)
    batch = work(add("a"), add("b"))
    commits.run(batch)
    commits.close()
    engine.dispose()
    assert [type(one.error) for one in batch] == [StorageIllError] * 2


def test_unit_sees_the_work_of_units_before_it(commits: GroupCommit) -> None:
    seen: list[list[str]] = []
    commits.run(work(add("a"), lambda conn: seen.append(texts(conn))))
    assert seen == [["a"]]
