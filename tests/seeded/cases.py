"""Every row of the matrix as something that can be run against changed code, case by case."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from tests.support.invariants import broken
from tests.support.world import World
from tests.support.worlds import MEMORY, UNSTAGED, Make

MODULES = (
    "tests.effects.test_claim",
    "tests.effects.test_shared",
    "tests.effects.test_shared_ends",
    "tests.effects.test_shared_text",
    "tests.failures.test_matrix_races",
    "tests.failures.test_matrix_answers",
    "tests.failures.test_matrix_store",
    "tests.failures.test_matrix_leases",
    "tests.failures.test_matrix_looks",
    "tests.failures.test_matrix_words",
    "tests.failures.test_matrix_plain",
    "tests.failures.test_points",
)


@dataclass(frozen=True, slots=True)
class Case:
    """One test with its parameters, in one kind of world."""

    name: str
    kind: str
    run: Callable[[Make], Awaitable[None]]
    is_whole: bool

    async def finds(self, path: Path) -> str | None:
        """What this case finds wrong, or None."""
        worlds: list[World] = []
        try:
            await self.run(Make(self.kind, path, worlds.append))
            found = [one for world in worlds[-1:] for one in self._broken(world)]
        except pytest.skip.Exception:
            return None
        except (NameError, SyntaxError, AttributeError, TypeError) as error:
            raise BadBugError(f"the planted code does not run: {error}") from error
        except (Exception, BaseExceptionGroup, pytest.fail.Exception) as error:  # noqa: BLE001
            found = [f"{type(error).__name__}: {error}"]
        return f"{self.name} [{self.kind}]: {found[0]}" if found else None

    def _broken(self, world: World) -> list[str]:
        """What is broken at its end; a test of one unit leaves no whole world behind."""
        return broken(world) if self.is_whole else world.db.watch.broken


class BadBugError(AssertionError):
    """What was planted is no bug of a rule, only code that cannot run."""


def cases() -> list[Case]:
    """All of them, the quick ones first."""
    return [
        Case(name, kind, run, module.startswith("tests.failures"))
        for module in MODULES
        for name, run in _tests(module)
        for kind in (MEMORY, UNSTAGED)
    ]


def _tests(module: str) -> Iterator[tuple[str, Callable[[Make], Awaitable[None]]]]:
    for name, test in vars(importlib.import_module(module)).items():
        if name.startswith("test_") and inspect.iscoroutinefunction(test):
            for label, values in parameters(test):
                yield name + label, _bound(test, values)


def _bound(
    test: Callable[..., Awaitable[None]], values: dict[str, object]
) -> Callable[[Make], Awaitable[None]]:
    async def run(make: Make) -> None:
        await test(make, **values)

    return run


def parameters(test: Callable[..., object]) -> Iterator[tuple[str, dict[str, object]]]:
    """A label and the values of each run that a test is parametrized to."""
    axes = []
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize":
            named = mark.args[0].split(",") if isinstance(mark.args[0], str) else mark.args[0]
            names = [one.strip() for one in named]
            axes.append([dict(zip(names, _row(row, names), strict=True)) for row in mark.args[1]])
    for chosen in product(*axes):
        values = {name: value for one in chosen for name, value in one.items()}
        label = "-".join(str(value)[:20] for value in values.values())
        yield (f"[{label}]" if label else "", values)


def _row(row: object, names: list[str]) -> tuple[object, ...]:
    return tuple(row) if len(names) > 1 and isinstance(row, tuple) else (row,)
