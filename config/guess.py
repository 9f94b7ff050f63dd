"""Where the data may lie when ``fencepost.toml`` can't be used.

A daemon that runs goes on with what it read before, and answers on a socket in its data folder. A
command that finds the file broken has only guesses at that folder: what the environment says, what
looks like it in the file, the default. They are guesses: whoever answers there must say that it
serves this very configuration before anything is asked of it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from config.environment import variable
from config.load import DAEMON_FILE, defaults

_LINE: Final = re.compile(
    r"""^[ \t]*data_dir[ \t]*=[ \t]*(?:"([^"\\\n]+)"|'([^'\n]+)')""", re.MULTILINE
)


def data_dirs(config_dir: Path) -> list[Path]:
    """Where the data of *config_dir* may lie, likeliest first. Blocks, never raises."""
    named = [os.environ.get(variable(("storage", "data_dir")), "")]
    try:
        text = (config_dir / DAEMON_FILE).read_text("utf-8", "replace")
    except OSError:
        text = ""
    named += [double or single for double, single in _LINE.findall(text)]
    found = [config_dir / os.path.expanduser(each) for each in named if each]
    return list(dict.fromkeys([*found, defaults(config_dir).storage.data_dir]))
