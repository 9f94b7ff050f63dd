"""What is wrong with a configuration, said so that a person can mend it.

Every fault names the file, the line where there is one, the key and the remedy. Values only: how a
fault is found lies in ``config.explain`` and ``config.load``. A fault never carries the value of a
secret nor the output of a command.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from typing_extensions import override

from storage.words import UserName


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong.

    ``file``: the file, or None for the environment. ``line``: 1-based, None where there is none.
    ``key``: dotted, ``mailboxes[1].host``; empty for the file as a whole. ``remedy``: what to do.
    """

    file: Path | None
    line: int | None
    key: str
    message: str
    remedy: str

    @override
    def __str__(self) -> str:
        where = "environment" if self.file is None else str(self.file)
        if self.line is not None:
            where = f"{where}, line {self.line}"
        what = f"{self.key}: {self.message}" if self.key else self.message
        return f"{where}: {what}; {self.remedy}"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserFault:
    """Why one user's file is not in force as it stands."""

    user: UserName
    faults: tuple[Fault, ...]

    @override
    def __str__(self) -> str:
        return "\n".join(str(fault) for fault in self.faults)


class ConfigError(Exception):
    """The configuration can't be used as it is; ``faults`` say what to change, and where."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = tuple(faults)


def dotted(path: Sequence[str | int]) -> str:
    """A path into a file as people write it: ``("mailboxes", 1, "host")`` is ``mailboxes[1].host``.

    Positions count from 1, as a reader of the file counts.
    """
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            text += f".{part}" if text else part
    return text
