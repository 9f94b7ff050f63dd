"""Bugs planted on purpose, one for each rule: each must be found.

A bug is a piece of one function's source and what stands there instead. ``planted`` compiles the
changed function in its own module and puts it in the place of the sound one, wherever that was
imported to.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType

from tests.seeded.bug import Bug
from tests.seeded.claim_bugs import CLAIM_BUGS
from tests.seeded.look_bugs import LOOK_BUGS
from tests.seeded.set_bugs import SET_BUGS
from tests.seeded.word_bugs import WORD_BUGS

HOUSE = ("assistant", "leases", "storage", "providers", "tests")


BUGS = (*CLAIM_BUGS, *SET_BUGS, *LOOK_BUGS, *WORD_BUGS)
"""Not here: what only PostgreSQL has, such as the EXISTS fence, for which SQLite's one writer at a
time leaves no room; see ``tests.seeded.server_bugs``."""


class NotFoundError(AssertionError):
    """The sound code does not read as the bug says: the bug must follow it."""


@dataclass(frozen=True, slots=True)
class _Sound:
    """A function of the house as it was when this module was imported."""

    owner: object
    name: str
    found: object
    plain: FunctionType
    source: str


def _sound(where: str) -> _Sound:
    module_name, _, path = where.partition(":")
    owner_name, _, name = path.rpartition(".")
    module = importlib.import_module(module_name)
    owner = getattr(module, owner_name) if owner_name else module
    found = inspect.getattr_static(owner, name)
    plain = found.fget if isinstance(found, property) else found
    assert isinstance(plain, FunctionType)
    source = textwrap.dedent(inspect.getsource(plain))
    if source.startswith("@"):
        source = source.partition("\n")[2]
    return _Sound(owner, name, found, plain, source)


_SOUND: dict[str, _Sound] = {}


def read_sound(bugs: Iterable[Bug]) -> None:
    """Read at once: a file that is edited while the tests run no longer fits what was imported."""
    _SOUND.update((bug.where, _sound(bug.where)) for bug in bugs if bug.where not in _SOUND)


read_sound(BUGS)


@contextmanager
def planted(bug: Bug) -> Iterator[None]:
    """The house with this bug in it."""
    sound = _SOUND[bug.where]
    changed = _compiled(sound, bug)
    kept = property(changed) if isinstance(sound.found, property) else changed
    setattr(sound.owner, sound.name, kept)
    places = _places(sound.plain)
    for place, key in places:
        place[key] = changed
    try:
        yield
    finally:
        setattr(sound.owner, sound.name, sound.found)
        for place, key in places:
            place[key] = sound.plain


def _compiled(sound: _Sound, bug: Bug) -> FunctionType:
    if bug.sound not in sound.source:
        raise NotFoundError(f"{bug.where} has no {bug.sound!r}: let the bug follow the code")
    tree = ast.parse(sound.source.replace(bug.sound, bug.broken, 1))
    scope = dict(sound.plain.__globals__)
    # As under "from __future__ import annotations".
    exec(compile(tree, f"<{bug.name}>", "exec", flags=0x1000000), scope)  # noqa: S102
    made = scope[sound.name]
    assert isinstance(made, FunctionType)
    # The module's own globals, so that what else is patched there counts.
    changed = FunctionType(
        made.__code__,
        sound.plain.__globals__,
        sound.name,
        made.__defaults__,
        sound.plain.__closure__,
    )
    changed.__kwdefaults__ = sound.plain.__kwdefaults__
    return changed


def _places(sound: FunctionType) -> list[tuple[dict[object, object], object]]:
    """Every name under which a module knows the function, and every table that lists it."""
    tables: list[dict[object, object]] = []
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in HOUSE:
            tables.append(module.__dict__)
            tables += [value for value in vars(module).values() if type(value) is dict]
    return [(table, key) for table in tables for key, value in table.items() if value is sound]
