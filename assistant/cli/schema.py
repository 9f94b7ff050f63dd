"""``fencepost schema``: the JSON Schema of the configuration files, for editors."""

from __future__ import annotations

import click

from assistant.cli import common


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of the configuration files."""
    from config.schema import json_schema

    common.print_json(json_schema())
