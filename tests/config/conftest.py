"""What the tests of the configuration share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.config.folder import Folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """An empty configuration folder, out of reach of this machine's own settings."""
    for name in list(os.environ):
        if name.upper().startswith("FENCEPOST_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return Folder(tmp_path / "config")
