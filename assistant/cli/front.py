"""The way in: ``fencepost --help`` answered from a file, everything else by the command line.

Importing click takes longer than all that ``--help`` says. So its own text for a usual terminal
lies beside this module, as it came from click; a test holds the two together and says how to renew
it. Where click would say it otherwise (a narrow terminal, completion by the shell, anything beside
that one word) click says it.
"""

import os
import sys

HELP_FILE = "help.txt"
WIDE = 80
"""Columns from which on click lays its text out in the same way."""


def main() -> None:
    """Entry point of the ``fencepost`` command."""
    text = _kept() if sys.argv[1:] == ["--help"] else None
    if text is None:
        from assistant.cli.main import main as whole

        whole()
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has enough.
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        sys.stderr.write(f"fencepost: the output can't be written ({error.strerror})\n")
        sys.exit(1)


def _kept() -> str | None:
    """The text that click would print now; None where only click knows it."""
    if "_FENCEPOST_COMPLETE" in os.environ or _columns() < WIDE:
        return None
    try:
        with open(os.path.join(os.path.dirname(__file__), HELP_FILE), encoding="utf-8") as file:
            return file.read()
    except OSError:
        return None


def _columns() -> int:
    """The width that click would use: COLUMNS, else that of the terminal, else 80."""
    try:
        asked = int(os.environ.get("COLUMNS", "0"))
    except ValueError:
        asked = 0
    if asked > 0 or sys.__stdout__ is None:
        return asked or WIDE
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or WIDE
    except (ValueError, OSError):
        return WIDE
