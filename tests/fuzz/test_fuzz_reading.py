"""A bounded run of the coverage-guided fuzzer, where it is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def test_a_thousand_guided_mutations_find_no_error(tmp_path: Path) -> None:
    pytest.importorskip("atheris")
    command = [sys.executable, "-m", "tests.fuzz.fuzz_reading", str(tmp_path / "corpus")]
    options = ["-runs=1000", "-seed=1", f"-artifact_prefix={tmp_path}/"]
    done = subprocess.run(
        [*command, *options], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
