"""A private Dovecot for tests: started once a run, any number of users, gone at the end.

Users are made by logging in; the part behind the @ of a name is the user's quota
(``0``: none) and names are in lower case.
Where Dovecot is missing a test is skipped with the reason; under CI it fails.
"""

from __future__ import annotations

import atexit
import functools
import getpass
import imaplib
import os
import pwd
import random
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

PASSWORD = "correct-horse"
"""The password of every user."""


class DovecotServer:
    """A running Dovecot on ports of its own."""

    def __init__(self) -> None:
        self.base = Path(tempfile.mkdtemp(prefix="fp-dove-", dir=short_folder()))
        self.base.chmod(0o755)
        self.port, self.tls_port = free_port(), free_port()
        self.certificate = make_certificate(self.base)
        self._user = "mail" if os.geteuid() == 0 else getpass.getuser()
        for name in ("run", "state", "mail"):
            (self.base / name).mkdir()
        if os.geteuid() == 0:
            shutil.chown(self.base / "mail", self._user, self._user)
        self.conf = self.base / "dovecot.conf"
        self.conf.write_text(self._configuration())
        self.start()
        atexit.register(self.remove)

    def start(self) -> None:
        """Start it and wait until it answers."""
        log = (self.base / "start.log").open("w")
        with log:
            subprocess.run(
                ["dovecot", "-c", str(self.conf)], stdout=log, stderr=log, check=True, timeout=20
            )
        wait_for_port(self.port)

    def stop(self) -> None:
        """Stop it and wait until it is gone."""
        pid_file = self.base / "run" / "master.pid"
        if pid_file.exists():
            pid = int(pid_file.read_text())
            subprocess.run(["kill", str(pid)], check=False)
            wait_until(lambda: not Path(f"/proc/{pid}").exists(), 10)

    def remove(self) -> None:
        """Stop it and remove its folder."""
        self.stop()
        shutil.rmtree(self.base, ignore_errors=True)

    def maildir(self, user: str) -> Path:
        """The Maildir of a user, for what no server would take over the wire."""
        return self.base / "mail" / user / "Maildir"

    def deliver_file(self, user: str, raw: bytes, name: str) -> None:
        """Put a file into the inbox as a delivery agent does."""
        folder = self.maildir(user)
        for sub in ("cur", "new", "tmp"):
            (folder / sub).mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            for path in (folder.parent, folder, *folder.iterdir()):
                shutil.chown(path, self._user, self._user)
        tmp, target = folder / "tmp" / name, folder / "new" / name
        tmp.write_bytes(raw)
        if os.geteuid() == 0:
            shutil.chown(tmp, self._user, self._user)
        tmp.rename(target)

    def processes(self, user: str) -> list[int]:
        """The server's processes that serve *user* now."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    words = (entry / "cmdline").read_bytes()
                except OSError:
                    continue
                if words.startswith(b"dovecot/imap") and b"imap-login" not in words:
                    environ = (entry / "environ").read_bytes().split(b"\0")
                    if f"USER={user}".encode() in environ or user.encode() in words:
                        found.append(int(entry.name))
        return found

    def _configuration(self) -> str:
        base, user = self.base, self._user
        root = os.geteuid() == 0
        internal = "dovecot" if root else user
        login = "dovenull" if root else user
        group = "dovecot" if root else pwd.getpwnam(user).pw_name
        folders = "\n".join(
            f"  mailbox {name} {{\n    auto = subscribe\n    special_use = \\{name}\n  }}"
            for name in ("Drafts", "Sent", "Trash")
        )
        return f"""
protocols = imap
listen = 127.0.0.1
base_dir = {base}/run
state_dir = {base}/state
log_path = {base}/dovecot.log
ssl = yes
ssl_cert = <{self.certificate}
ssl_key = <{self.certificate.with_suffix(".key")}
disable_plaintext_auth = no
default_internal_user = {internal}
default_login_user = {login}
default_internal_group = {group}
first_valid_uid = 1
mail_uid = {user}
mail_gid = {user}
mail_home = {base}/mail/%u
mail_location = maildir:~/Maildir
mail_plugins = quota
verbose_proctitle = yes
mail_max_userip_connections = 500
default_client_limit = 2000
default_process_limit = 1000
protocol imap {{
  mail_plugins = quota imap_quota
  imap_idle_notify_interval = 10 mins
}}
plugin {{
  quota = maildir:User quota
}}
passdb {{
  driver = static
  args = password={PASSWORD}
}}
userdb {{
  driver = static
  args = uid={user} gid={user} home={base}/mail/%u quota_rule=*:storage=%d
}}
namespace inbox {{
  inbox = yes
  separator = /
{folders}
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    address = 127.0.0.1
    port = {self.port}
  }}
  inet_listener imaps {{
    address = 127.0.0.1
    port = {self.tls_port}
    ssl = yes
  }}
  process_min_avail = 1
  service_count = 0
  client_limit = 1000
}}
service imap {{
  process_limit = 1000
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
"""


@functools.cache
def dovecot() -> DovecotServer:
    """The Dovecot of this run; skips (fails under CI) where there is none."""
    if shutil.which("dovecot") is None:
        missing("Dovecot is not installed: run .ci/servers as root")
    return DovecotServer()


def log_in(server_port: int, user: str, password: str = PASSWORD) -> imaplib.IMAP4:
    """A session of the independent reader."""
    client = imaplib.IMAP4("127.0.0.1", server_port, timeout=20)
    client.login(f'"{user}"', password)
    return client


def missing(reason: str) -> None:
    """Skip the test; under CI a missing server is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def short_folder() -> str:
    """Where a server's folder goes: in memory if that can be had, and with a short name."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else "/tmp"


def free_port() -> int:
    """A port that nobody listens on now, below those that the system gives to connections."""
    while True:
        port = random.randrange(15_000, 32_000)
        with socket.socket() as held, suppress(OSError):
            held.bind(("127.0.0.1", port))
            return port


def wait_for_port(port: int, seconds: float = 15) -> None:
    """Return when somebody listens there."""

    def listens() -> bool:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            return False
        return True

    wait_until(listens, seconds)


def wait_until(true: object, seconds: float) -> None:
    """Return when *true* says so; fails after *seconds*. Real servers cannot be waited for else."""
    assert callable(true)
    end_s = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end_s:
            raise AssertionError("it did not come about in time")
        time.sleep(0.02)


def make_certificate(folder: Path, name: str = "localhost") -> Path:
    """A self-signed certificate for localhost; the key lies beside it."""
    certificate, key = folder / "server.pem", folder / "server.key"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-nodes", "-days", "2", "-subj", f"/CN={name}",
            "-addext", f"subjectAltName=DNS:{name}", "-keyout", str(key), "-out", str(certificate),
        ],
        check=True, capture_output=True, timeout=30,
    )  # fmt: skip
    return certificate
