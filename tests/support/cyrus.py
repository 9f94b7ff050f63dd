"""A private Cyrus for tests: started once a run, any number of users, gone at the end.

Debian's cyrus-imapd conflicts with Dovecot as a package, so its imapd and idled come unpacked from
the package (``.ci/servers`` does that) and the rest from cyrus-common. Needs root, because Cyrus
gives up root itself. Where it is missing a test is skipped with the reason; under CI it fails.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.support.dovecot import (
    PASSWORD,
    free_port,
    log_in,
    missing,
    short_folder,
    wait_for_port,
    wait_until,
)

UNPACKED = Path(os.environ.get("FENCEPOST_TEST_CYRUS", "/var/cache/fencepost-ci/cyrus"))
"""Where ``.ci/servers`` unpacks imapd and idled."""
_BIN = Path("/usr/lib/cyrus/bin")


class CyrusServer:
    """A running Cyrus on a port of its own."""

    def __init__(self, binaries: Path) -> None:
        self.base = Path(tempfile.mkdtemp(prefix="fp-cyr-", dir=short_folder()))
        self.base.chmod(0o755)
        self.port = free_port()
        self._binaries = binaries
        self._users: set[str] = set()
        for name in ("conf", "part", "search"):
            (self.base / name).mkdir()
        (self.base / "conf" / "socket").mkdir()
        (self.base / "conf" / "db").mkdir()
        (self.base / "imapd.conf").write_text(self._imapd())
        (self.base / "cyrus.conf").write_text(self._master())
        self.add_user("cyrus")
        subprocess.run(["chown", "-R", "cyrus:mail", str(self.base)], check=True)
        with (self.base / "master.log").open("w") as log:
            self._master_process = subprocess.Popen(
                [
                    str(_BIN / "master"), "-C", str(self.base / "imapd.conf"),
                    "-M", str(self.base / "cyrus.conf"), "-p", str(self.base / "pid"), "-D",
                ],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        atexit.register(self.remove)
        wait_for_port(self.port)

    def add_user(self, user: str) -> None:
        """Let *user* log in; the folders are made at the first login."""
        if user in self._users:
            return
        self._users.add(user)
        base = str(self.base / "sasldb2")
        command = ["saslpasswd2", "-p", "-c", "-f", base, "-u", "example.com", user]
        subprocess.run(command, input=PASSWORD.encode(), check=True, timeout=20)
        subprocess.run(["chown", "cyrus:mail", base], check=True)

    def set_quota(self, user: str, kib: int) -> None:
        """Bound the mailbox of *user*."""
        client = log_in(self.port, "cyrus")
        client.setquota(f'"user/{user}"', f"(STORAGE {kib})")
        client.logout()

    def processes(self) -> list[int]:
        """The imapd processes of this server."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    words = (entry / "cmdline").read_bytes()
                except OSError:
                    continue
                if str(self.base).encode() in words and b"imapd" in words.split(b"\0", 1)[0]:
                    found.append(int(entry.name))
        return found

    def remove(self) -> None:
        """Stop it and remove its folder."""
        self._master_process.terminate()
        try:
            self._master_process.wait(10)
        except subprocess.TimeoutExpired:
            self._master_process.kill()
            self._master_process.wait(10)
        wait_until(lambda: not self.processes(), 10)
        shutil.rmtree(self.base, ignore_errors=True)

    def _imapd(self) -> str:
        base = self.base
        return f"""
configdirectory: {base}/conf
partition-default: {base}/part
defaultpartition: default
defaultsearchtier: t1
t1searchpartition-default: {base}/search
admins: cyrus
allowplaintext: yes
sasl_pwcheck_method: auxprop
sasl_auxprop_plugin: sasldb
sasl_sasldb_path: {base}/sasldb2
sasl_mech_list: PLAIN LOGIN
unixhierarchysep: yes
altnamespace: yes
virtdomains: userid
defaultdomain: example.com
servername: example.com
conversations: yes
specialuse_protect: \\Junk
autocreate_quota: 0
autocreate_inbox_folders: Drafts|Sent|Trash
autocreate_subscribe_folders: Drafts|Sent|Trash
xlist-drafts: Drafts
xlist-sent: Sent
xlist-trash: Trash
lmtpsocket: {base}/conf/socket/lmtp
idlesocket: {base}/conf/socket/idle
notifysocket: {base}/conf/socket/notify
"""

    def _master(self) -> str:
        base, unpacked = self.base, self._binaries
        return f"""
START {{
  recover cmd="{_BIN}/ctl_cyrusdb -C {base}/imapd.conf -r"
  idled cmd="{unpacked}/idled -C {base}/imapd.conf"
}}
SERVICES {{
  imap cmd="{unpacked}/imapd -C {base}/imapd.conf -U 30" listen="127.0.0.1:{self.port}" prefork=0
}}
EVENTS {{
  checkpoint cmd="{_BIN}/ctl_cyrusdb -C {base}/imapd.conf -c" period=30
}}
"""


@functools.cache
def cyrus() -> CyrusServer:
    """The Cyrus of this run; skips (fails under CI) where there is none."""
    places = [UNPACKED / "usr/lib/cyrus/bin", _BIN]
    binaries = next((p for p in places if (p / "imapd").exists() and (p / "idled").exists()), None)
    if binaries is None or not (_BIN / "master").exists() or shutil.which("saslpasswd2") is None:
        missing("Cyrus is not installed: run .ci/servers as root")
    if os.geteuid() != 0:
        missing("Cyrus is started as root only")
    assert binaries is not None
    return CyrusServer(binaries)
