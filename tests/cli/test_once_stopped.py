"""``once`` as a process of its own that a signal ends."""

from __future__ import annotations

import signal
import subprocess
from functools import partial

import pytest

from tests.cli.conftest import Place, environment
from tests.support import waiting

until = partial(waiting.until, bound_s=40.0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_pass_in_order_and_no_lease_is_left(place: Place, number: int) -> None:
    file = place.config / "fencepost.toml"
    file.write_text(file.read_text().replace('settle = "0s"', 'settle = "9s"'))
    place.run("once")
    place.deliver(1)
    log = place.root / "once.log"
    with (
        log.open("wb") as stream,
        subprocess.Popen(
            place.command("once", "-v"), stderr=stream, stdout=subprocess.PIPE, env=environment()
        ) as once,
    ):
        until(lambda: due(place) == 1, once, log)
        once.send_signal(number)
        said, _ = once.communicate(timeout=40.0)
    assert once.returncode == 1
    assert b"robin/local" in said
    assert "stopping: calls in flight end first" in log.read_text()
    assert "stopped before the pass was over" in log.read_text()
    status = place.json("status")
    assert isinstance(status, dict)
    assert status["workers"] == []


def due(place: Place) -> object:
    status = place.json("status")
    assert isinstance(status, dict)
    return status["mailboxes"][0]["due"]
