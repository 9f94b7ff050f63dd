"""Every kind of side effect has a contract, and the docs show them as the code has them."""

from __future__ import annotations

from pathlib import Path

from assistant import views
from assistant.effects.contracts import CONTRACTS
from storage.words import Kind

DOCS = Path(__file__).resolve().parents[2] / "docs" / "workflows.md"


def test_no_kind_lacks_a_contract() -> None:
    assert set(CONTRACTS) == set(Kind)


def test_every_contract_is_complete() -> None:
    assert all(all(value or value is False for value in row.values()) for row in views.workflows())


def test_the_docs_show_the_contracts_as_they_are() -> None:
    assert DOCS.read_text("utf-8") == as_page()


def as_page() -> str:
    """docs/workflows.md as it must read."""
    parts = ["# What each kind of side effect promises\n\nAs `fencepost workflows` prints it.\n"]
    for row in views.workflows():
        lines = [f"\n## {row['kind']}\n"]
        lines += [
            f"* **{name.replace('_', ' ')}**: {row[name]}"
            for name in ("key", "commit_point", "replay", "uncertainty", "recovery")
        ]
        lines.append(
            f"* **blocks its thread while open**: {'yes' if row['blocks_thread'] else 'no'}"
        )
        parts.append("\n".join(lines) + "\n")
    return "".join(parts)
