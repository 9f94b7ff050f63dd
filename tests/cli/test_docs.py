"""The pages name every command, and every section of the file that ``init`` writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assistant.cli.main import COMMANDS
from config import initial

ROOT = Path(__file__).resolve().parents[2]
PAGES = " ".join(
    file.read_text("utf-8") for file in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
)
SECTIONS = re.findall(r"^\[(\w+)\]$", Path(initial.__file__).read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_named_in_the_pages(name: str) -> None:
    assert re.search(rf"`(fencepost )?{name}\b|/fencepost {name}\b", PAGES)


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_that_init_writes_is_named_in_the_pages(name: str) -> None:
    assert f"[{name}]" in PAGES


def test_every_section_is_looked_at() -> None:
    assert "web" in SECTIONS
    assert "storage" in SECTIONS
