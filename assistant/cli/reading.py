"""``fencepost read``: what Fencepost sees in mail files, for fault reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common

if TYPE_CHECKING:
    from providers.mime.message import Owner


@click.command("read")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--user", metavar="NAME", help="Whose answer to show: a user of the configuration.")
@common.json_option
@common.config_option
def command(
    config_dir: Path | None, paths: tuple[Path, ...], user: str | None, as_json: bool
) -> None:
    """Show text, new text, recipients of a reply and why a mail is automated.

    PATHS are .eml files, mbox files, Maildirs or folders.
    """
    from assistant.cli.read import read_paths, render

    entries = read_paths(paths, _owner(config_dir, user))
    if as_json:
        common.print_json(list(entries))
    else:
        render(entries, common.console())
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        common.give_up(f"there is nothing at {', '.join(missing)}")


def _owner(config_dir: Path | None, user: str | None) -> Owner | None:
    if user is None:
        return None
    from assistant.wiring import owner_of
    from storage.words import UserName

    loaded = common.load_config(config_dir)
    found = loaded.users.get(UserName(user))
    if found is None:
        names = ", ".join(loaded.users) or "none"
        common.give_up(f"there is no user {user}; there are: {names}", common.WRONG_USE)
    return owner_of(found)
