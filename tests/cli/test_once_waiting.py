"""``once`` on a terminal says in words what it waits for."""

from __future__ import annotations

import io

import pytest
from typing_extensions import override

from assistant.cli import once


class Terminal(io.StringIO):
    """A stderr that a person watches."""

    @override
    def isatty(self) -> bool:
        return True


def test_a_person_is_told_which_mailbox_is_waited_for_and_how_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("COLUMNS", "160")
    progress = once.watched()
    assert progress is not None
    assert progress.waits is not None
    progress.waits("robin/[local]", 75.0)  # type: ignore[arg-type]
    said = screen.getvalue()
    assert "robin/[local]: whoever watched it may have been killed just now" in said
    assert "75 s at most" in said


def test_without_a_terminal_nothing_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert once.watched() is None
