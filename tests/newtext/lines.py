"""Lines that mail programs write by themselves: inputs of the tests of new text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

_GIVEN: Final = json.loads((Path(__file__).parent / "lines.json").read_text("utf-8"))

INTRODUCTIONS: Final[list[tuple[str, str]]] = [
    (code, line) for code, line in _GIVEN["introductions"]
]
"""Introductions as Gmail, Apple Mail, Thunderbird, Yahoo and others word them: language, line."""

PHONES: Final[list[str]] = _GIVEN["phones"]
"""Footers of phones and mail programs."""

ORIGINALS: Final[list[str]] = _GIVEN["originals"]
"""Markers above the message that is answered."""

HEADERS: Final[list[tuple[str, str]]] = [(code, block) for code, block in _GIVEN["headers"]]
"""Header blocks as Outlook quotes them: language, block."""

FORWARDS: Final[list[str]] = _GIVEN["forwards"]
"""Markers above a message that is passed on."""
