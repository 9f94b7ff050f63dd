"""``fencepost --help`` says what click says, and does not import it for that."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.conftest import environment

RENEW = (
    'renew it: COLUMNS=80 python -c "from assistant.cli.main import main; main()" --help '
    "> assistant/cli/help.txt"
)


def by_click(columns: str) -> str:
    return said(columns, "-c", "from assistant.cli.main import main; main()", "--help")


def by_front(columns: str, *words: str) -> str:
    return said(columns, "-m", "assistant.cli", *words)


def said(columns: str, *words: str) -> str:
    return subprocess.run(
        [sys.executable, *words],
        env={**environment(), "COLUMNS": columns},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


@pytest.mark.parametrize("columns", ["40", "79", "80", "200", "0", "wide"])
def test_the_help_is_clicks_at_every_width(columns: str) -> None:
    assert by_front(columns, "--help") == by_click(columns), RENEW


def test_the_help_is_shown_without_importing_click() -> None:
    probe = (
        "import sys; sys.argv = ['fencepost', '--help']\n"
        "from assistant.cli.front import main; main()\n"
        "sys.exit('click' in sys.modules)"
    )
    subprocess.run(
        [sys.executable, "-c", probe],
        env={**environment(), "COLUMNS": "80"},
        check=True,
        stdout=subprocess.DEVNULL,
    )


def test_everything_beside_the_bare_help_is_clicks() -> None:
    assert "--since" in by_front("80", "once", "--help")
    assert by_front("80", "--config", "x", "--help") == by_click("80")
    assert by_front("80", "--version").startswith("fencepost, version")
