"""What was not sent when a working connection is closed, or its process dies, is never sent.

The peer does not read, so the kernel holds octets back. Without SO_LINGER it would still deliver
them after the end; with it the peer sees a reset and less than the whole.
"""

from __future__ import annotations

import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
from pathlib import Path

import anyio
import pytest
from anyio import CapacityLimiter

from providers.imap.login import Server, log_in
from providers.imap.wire import LostError, Progress, Stage
from tests.imap.acts import server_of
from tests.imap.fake import Connection, FakeServer
from tests.support.dovecot import make_certificate

SIZE = 16_000_000


class Withholding:
    """Lets an APPEND begin, does not read on, and later counts what came all the same."""

    def __init__(self, fake: FakeServer) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.done = threading.Event()
        self.received = 0
        self.ended_by = ""
        fake.answers[b"APPEND"] = self._append

    def _append(self, connection: Connection, tag: bytes, rest: bytes) -> None:
        connection.line(b"+ go ahead")
        self.begun.set()
        assert self.go_on.wait(60)
        # Below TLS, where a reset can be told from an orderly end.
        with socket.socket(fileno=os.dup(connection.socket.fileno())) as raw:
            try:
                while octets := raw.recv(1 << 20):
                    self.received += len(octets)
                self.ended_by = "end of file"
            except OSError as error:
                self.ended_by = type(error).__name__
        self.done.set()
        raise OSError


def secured(tmp_path: Path) -> tuple[FakeServer, ssl.SSLContext]:
    certificate = make_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_suffix(".key"))
    return FakeServer(tls=context), ssl.create_default_context(cafile=str(certificate))


async def cut_off(server: Server, held: Withholding) -> Stage:
    """Append, give up while the server does not read, and let it read on."""
    made = await log_in(server, CapacityLimiter(1), writes=True)
    progress = Progress()
    with pytest.raises(LostError):
        await made.wire.append(b'"Drafts"', b"x" * SIZE, progress, before_s=1, limit_s=1)
    held.go_on.set()
    await anyio.to_thread.run_sync(held.done.wait, 20)
    return progress.stage


@pytest.mark.parametrize("security", ["none", "tls"])
async def test_what_was_not_sent_at_the_end_is_discarded(security: str, tmp_path: Path) -> None:
    fake, trusts = secured(tmp_path) if security == "tls" else (FakeServer(), None)
    held = Withholding(fake)
    stage = await cut_off(server_of(fake, security=security, trusts=trusts), held)
    fake.close()
    assert stage is Stage.PART
    assert held.received < SIZE
    assert held.ended_by == "ConnectionResetError"


PROGRAM = """
import sys, anyio
from anyio import CapacityLimiter
from providers.imap.login import Server, log_in
from providers.imap.wire import Progress
import ssl
port, security, trusts = int(sys.argv[1]), sys.argv[2], sys.argv[3]
server = Server(host="localhost" if security == "tls" else "127.0.0.1", port=port, username="robin",
    security=security, password=lambda: "fake-secret",
    tls=ssl.create_default_context(cafile=trusts) if security == "tls" else None)
async def run():
    made = await log_in(server, CapacityLimiter(1), writes=True)
    await made.wire.append(b'"Drafts"', b"x" * 16_000_000, Progress(), before_s=60, limit_s=60)
anyio.run(run)
"""


@pytest.mark.crash
@pytest.mark.parametrize("security", ["none", "tls"])
def test_what_a_killed_process_had_not_sent_is_discarded(security: str, tmp_path: Path) -> None:
    fake = secured(tmp_path)[0] if security == "tls" else FakeServer()
    held = Withholding(fake)
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(fake.port), security, str(tmp_path / "server.pem")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert held.begun.wait(20)
    _until_full(child.pid)
    child.send_signal(signal.SIGKILL)
    child.wait()
    held.go_on.set()
    assert held.done.wait(20)
    fake.close()
    assert held.received < SIZE
    assert held.ended_by == "ConnectionResetError"


def _until_full(pid: int) -> None:
    """Wait until the process sleeps because its socket takes no more."""
    quiet, last = 0, -1
    while quiet < 5:
        spent = sum(map(int, Path(f"/proc/{pid}/stat").read_text().split()[13:15]))
        quiet, last = (quiet + 1, last) if spent == last else (0, spent)
        threading.Event().wait(0.1)
