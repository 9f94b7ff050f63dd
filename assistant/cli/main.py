"""The command line: ``fencepost COMMAND``.

Each command lives in a module that is imported when it runs, so that ``--help`` stays quick. Exit
status: 0 done, 1 failed or refused, 2 wrong use or configuration, 3 something is unknown or waits
for review (only with ``--strict``). With ``--json`` there is one JSON document on stdout and
nothing else; logs go to stderr.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from typing_extensions import override
else:

    def override(method: Callable[..., object]) -> Callable[..., object]:
        """What typing_extensions has, which takes as long to import as everything else here."""
        return method


VERSION = "0.1.0"

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("demo", "Show the whole way on a sample mailbox, offline."),
    "try": ("trial", "Run the whole way over a copy of your own mail files."),
    "read": ("reading", "Show what Fencepost sees in mail files."),
    "init": ("init", "Ask a few questions and write the configuration."),
    "login": ("login", "Log in to a Gmail mailbox in your browser."),
    "check": ("check", "Check the configuration and every mailbox."),
    "once": ("once", "Make one pass over every mailbox, then end."),
    "run": ("run", "Run the daemon."),
    "status": ("status", "Show mailboxes, open calls and the review queue."),
    "threads": ("threads", "List threads with category, reason and draft."),
    "review": ("review", "Show and decide what waits for you."),
    "pause": ("pause", "Stop every call into a mailbox, or into all."),
    "resume": ("resume", "Lift a pause."),
    "rebind": ("rebind", "Give a renamed mailbox its history back."),
    "intents": ("intents", "List every side effect with its evidence."),
    "explain": ("explain", "Tell one thread's story."),
    "workflows": ("workflows", "Show what each kind of side effect promises."),
    "schema": ("schema", "Print the JSON Schema of the configuration files."),
    "migrate": ("migrate", "Bring the database to this release's tables."),
}
"""Every command: the module in ``assistant.cli`` that has it, and its line in ``--help``."""


class Lazy(click.Group):
    """A group whose commands are imported when they are called."""

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order in which one meets them."""
        return list(COMMANDS)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"assistant.cli.{COMMANDS[cmd_name][0]}")
        found = module.command
        if not isinstance(found, click.Command):
            raise TypeError(f"assistant.cli.{COMMANDS[cmd_name][0]} has no command")
        return found

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.command(cls=Lazy)
@click.option(
    "--config",
    "config_dir",
    type=click.Path(),
    help="Folder of fencepost.toml and users/ (else FENCEPOST_CONFIG, else the platform's).",
)
@click.version_option(VERSION, prog_name="fencepost")
def cli(config_dir: str | None) -> None:
    """Drafts each reply once, sends nothing by itself, and says when it does not know."""


def main() -> None:
    """Entry point of the ``fencepost`` command."""
    run: Callable[[], object] = partial(cli, prog_name="fencepost", standalone_mode=True)
    try:
        run()
    except BrokenPipeError:
        # Whoever read our output has enough.
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        # A full disk behind a redirection, say.
        sys.stderr.write(f"fencepost: the output can't be written ({error.strerror})\n")
        sys.exit(1)
