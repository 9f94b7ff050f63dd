"""Ordinary tests on a real server as something that can be run again against changed code.

Only what they ask for by the name of an argument is given to them: a store or a database of their
own, a folder, pytest's patches. What a failing test leaves open is closed here.
"""

from __future__ import annotations

import gc
import importlib
import inspect
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import asyncpg
import pytest

from storage.postgres import LOCK_TIMEOUT_S
from tests.seeded.cases import BadBugError, parameters
from tests.seeded.server_bugs import POOLED
from tests.support.postgres import new_database, opened

MODULES = (
    "tests.storage.test_contract",
    "tests.storage.test_postgres",
    "tests.storage.test_postgres_locks",
    "tests.storage.test_postgres_server",
    "tests.epochs.test_beginning",
    "tests.epochs.test_migrated_beneath",
    "tests.epochs.test_moving_on",
    "tests.fleet.test_listening",
)
BOUND_S = 30.0
"""How long a test may take; one that waits for ever has found something."""


@dataclass(frozen=True, slots=True)
class ServerCase:
    """One test with its parameters; ``takes`` are the other names of its arguments."""

    name: str
    test: Callable[..., Awaitable[None] | None]
    values: dict[str, object]
    takes: frozenset[str]
    lock_timeout_s: float

    async def finds(self, path: Path, way: str) -> str | None:
        """What it finds wrong on this *way* to the server, or None."""
        with _closing(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                with anyio.fail_after(BOUND_S):
                    await self._run(path, way)
            except (NameError, SyntaxError, AttributeError, TypeError) as error:
                raise BadBugError(f"the planted code does not run: {error}") from error
            except (Exception, BaseExceptionGroup, pytest.fail.Exception) as error:  # noqa: BLE001
                return f"{self.name}: {type(error).__name__}: {error}"
            finally:
                gc.collect()
        return None

    async def _run(self, path: Path, way: str) -> None:
        given = dict(self.values)
        with ExitStack() as stack:
            async with AsyncExitStack() as later:
                name = stack.enter_context(new_database())
                given |= {one: name for one in ("name", "database") if one in self.takes}
                if "store" in self.takes:
                    store = await opened(
                        name, pooled=way == POOLED, lock_timeout_s=self.lock_timeout_s
                    )
                    later.push_async_callback(store.close)
                    given["store"] = store
                if "tmp_path" in self.takes:
                    given["tmp_path"] = path
                if "monkeypatch" in self.takes:
                    given["monkeypatch"] = stack.enter_context(pytest.MonkeyPatch.context())
                done = self.test(**given)
                if done is not None:
                    await done


@cache
def server_cases() -> tuple[ServerCase, ...]:
    """All that can be run here."""
    return tuple(case for name in MODULES for case in _cases(importlib.import_module(name)))


def _cases(module: ModuleType) -> Iterator[ServerCase]:
    # As the fixture of that module opens its store.
    lock_timeout_s = getattr(module, "IMPATIENT_S", LOCK_TIMEOUT_S)
    for name, test in vars(module).items():
        if not name.startswith("test_"):
            continue
        for label, values in parameters(test):
            takes = frozenset(inspect.signature(test).parameters) - values.keys()
            if takes <= GIVEN:
                yield ServerCase(name + label, test, values, takes, lock_timeout_s)


GIVEN = frozenset({"name", "database", "store", "tmp_path", "monkeypatch"})


@contextmanager
def _closing() -> Iterator[None]:
    """Close every connection that was made meanwhile and is left."""
    made: list[Any] = []
    connect = asyncpg.connect

    async def connecting(*args: Any, **options: Any) -> Any:
        made.append(await connect(*args, **options))
        return made[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncpg, "connect", connecting)
        try:
            yield
        finally:
            for one in made:
                if not one.is_closed():
                    one.terminate()
