"""A configuration folder for tests, and users in it."""

from __future__ import annotations

from pathlib import Path

from config.faults import Fault
from config.load import load
from config.loaded import Loaded
from storage.words import UserName

ROBIN = """\
name = "Robin Vale"
addresses = ["robin@example.com"]
[[mailboxes]]
id = "local"
provider = "maildir"
path = "{path}"
"""


class Folder:
    """A configuration folder below a temporary one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "users").mkdir(parents=True)

    def daemon(self, text: str | bytes) -> Path:
        """Write ``fencepost.toml``."""
        return self._write(self.path / "fencepost.toml", text)

    def user(self, text: str | bytes, name: str = "robin") -> Path:
        """Write a user's file."""
        return self._write(self.path / "users" / f"{name}.toml", text)

    def good_user(self, name: str = "robin", path: str = "Mail") -> Path:
        """Write a user's file in which nothing is wrong."""
        return self.user(ROBIN.format(path=path), name)

    def load(self) -> Loaded:
        """Read the folder."""
        return load(self.path)

    def faults(self, text: str | bytes) -> tuple[Fault, ...]:
        """The faults of a user's file with this content, which is not in force."""
        self.user(text)
        loaded = self.load()
        assert loaded.users == {}
        (of_robin,) = loaded.faults
        assert of_robin.user == UserName("robin")
        return of_robin.faults

    def fault(self, text: str | bytes) -> Fault:
        """The one fault of a user's file with this content."""
        (fault,) = self.faults(text)
        return fault

    @staticmethod
    def _write(path: Path, text: str | bytes) -> Path:
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path
