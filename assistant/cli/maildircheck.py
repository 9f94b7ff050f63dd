"""What ``fencepost check`` says of writing drafts into a Maildir, without writing one.

A Maildir can often be read where its drafts can't be written; the first draft would meet that.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from providers.maildir.files import explain
from providers.maildir.places import Places
from providers.ports import ProviderError


def unwritable(path: Path) -> ProviderError | None:
    """What a draft would meet in the Maildir at *path*; None where it could be written. Blocks."""
    try:
        home = Places(path).home().path
        parts = [home / part for part in ("cur", "new", "tmp")] if home.is_dir() else [path]
        # What is missing is made, in the folder above.
        for folder in dict.fromkeys(one if one.is_dir() else one.parent for one in parts):
            if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
                sealed = os.statvfs(folder).f_flag & os.ST_RDONLY
                code = errno.EROFS if sealed else errno.EACCES
                return explain(OSError(code, os.strerror(code), str(folder)), path, "write a draft")
    except OSError as error:
        return explain(error, path, "write a draft")
    return None
