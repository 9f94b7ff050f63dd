"""What watching mailboxes over IMAP costs, and how soon a draft follows a mail.

Run it with ``python -m tests.bench.bench_imap [many] [large] [soon]`` where a Dovecot is installed:

* ``many``: 200 mailboxes watched by one daemon: memory for each, threads, idle processor time;
* ``large``: the first pass over 20,000 mails: header blocks read, octets received, memory, time;
* ``soon``: from the server's notice of a mail to its draft, beside a FETCH and an APPEND by hand.

Times depend on the machine and are compared within one run. Ends with 1 when a figure is over its
limit.
"""

from __future__ import annotations

import imaplib
import os
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import anyio
from anyio import CapacityLimiter

from assistant.timing import SystemClock
from providers.imap import ImapMailbox, Server
from providers.imap.login import log_in
from providers.imap.session import Session
from providers.imap.wire import LostError
from storage.words import Ref
from tests.contracts.mails import mail
from tests.imap.test_product import Site
from tests.support.dovecot import PASSWORD, DovecotServer, dovecot
from tests.support.dovecot import log_in as reader_at

MAILBOXES: Final = 200
MAILS: Final = 20_000
TIMES: Final = 100
IDLE_S: Final = 60.0
KIB_A_MAILBOX: Final = 512
"""How much memory one more watched mailbox may take."""
IDLE_SHARE: Final = 0.10
"""How much of one processor two hundred idle mailboxes may take, polls included."""
RATIO: Final = 100.0
"""How many times a FETCH and an APPEND by hand the way from notice to draft may take."""


async def nothing_known(refs: Sequence[Ref]) -> frozenset[Ref]:
    """A store without a note."""
    return frozenset()


def server_for(real: DovecotServer, user: str) -> Server:
    return Server(
        host="127.0.0.1",
        port=real.port,
        username=user,
        security="none",
        password=lambda: PASSWORD,
    )


def site(root: Path, real: DovecotServer, users: Sequence[str], runtime: str) -> Site:
    """An installation with a mailbox for each of *users*, a hundred in a file."""
    made = Site(root, real.port, users[0])
    (made.config / "fencepost.toml").write_text(
        f'[storage]\ndata_dir = "{root / "data"}"\n[runtime]\n{runtime}'
    )
    for at in range(0, len(users), 100):
        boxes = "".join(
            f'[[mailboxes]]\nid = "m{number}"\nprovider = "imap"\nhost = "127.0.0.1"\n'
            f'port = {real.port}\nsecurity = "none"\nusername = "{user}"\n'
            'password = { env = "TEST_IMAP_PASSWORD" }\n'
            for number, user in enumerate(users[at : at + 100])
        )
        name = "robin" if at == 0 else f"robin{at}"
        head = f'name = "Robin Vale"\naddresses = ["robin{at or ""}@example.com"]\n'
        (made.config / "users" / f"{name}.toml").write_text(head + boxes)
    return made


def status(pid: int, name: str) -> int:
    """A number of /proc/PID/status."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1])


def processor_s(pid: int) -> float:
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def passes(made: Site) -> int:
    """How many mailboxes have had their first pass."""
    try:
        store = sqlite3.connect(f"file:{made.database}?mode=ro", uri=True)
        try:
            row = store.execute("SELECT count(*) FROM mailboxes WHERE cursor IS NOT NULL")
            return int(row.fetchone()[0])
        finally:
            store.close()
    except sqlite3.OperationalError:
        return 0


def watched(root: Path, real: DovecotServer, count: int) -> tuple[int, int, float]:
    """KiB of memory, threads and idle processor share of a daemon with *count* mailboxes."""
    users = [f"many{number}@0" for number in range(count)]
    made = site(root, real, users, 'poll = "30s"\n')
    daemon = made.run()
    try:
        end_s = time.monotonic() + 300
        while passes(made) < count:
            if daemon.poll() is not None or time.monotonic() > end_s:
                raise SystemExit(made.log.read_text()[-2000:])
            time.sleep(0.5)
        time.sleep(10)
        before, began = processor_s(daemon.pid), time.monotonic()
        time.sleep(IDLE_S)
        share = (processor_s(daemon.pid) - before) / (time.monotonic() - began)
        return status(daemon.pid, "VmRSS:"), status(daemon.pid, "Threads:"), share
    finally:
        daemon.terminate()
        daemon.wait(60)


def many(root: Path, real: DovecotServer) -> bool:
    one, _, _ = watched(root / "one", real, 1)
    all_, threads, share = watched(root / "all", real, MAILBOXES)
    each = (all_ - one) / (MAILBOXES - 1)
    print(f"{MAILBOXES} mailboxes: {all_ / 1024:.0f} MiB in all, {each:.0f} KiB for each more")
    print(
        f"  threads: {threads}; idle: {share:.1%} of a processor, {share / MAILBOXES:.3%} for each"
    )
    return each <= KIB_A_MAILBOX and share <= IDLE_SHARE


def fill(real: DovecotServer, user: str, recent: int) -> None:
    """MAILS mails in the inbox, of which the last *recent* came within the look-back."""
    reader_at(real.port, user).logout()
    folder = real.maildir(user) / "cur"
    folder.mkdir(parents=True, exist_ok=True)
    now = int(time.time())
    for number in range(MAILS):
        at = now - 60 * (MAILS - number) if number >= MAILS - recent else now - 10**7 + number
        path = folder / f"{at}.M{number:06}P1.example:2,"
        path.write_bytes(mail(f"<{number}@example.org>", body="x" * 2000))
        os.utime(path, (at, at))
    subprocess.run(["chown", "-R", "mail:mail", str(real.maildir(user).parent)], check=False)


def large(root: Path, real: DovecotServer) -> bool:
    recent = 200
    fill(real, "large@0", recent)
    read: list[int] = []
    items = Session.items

    async def counted(self: Session, uids: Sequence[int], *, header: bool) -> object:
        read.extend(uids if header else ())
        return await items(self, uids, header=header)

    Session.items = counted  # type: ignore[method-assign, assignment]

    async def run() -> tuple[float, int]:
        box = ImapMailbox(server_for(real, "large@0"), clock=SystemClock())
        await box.account()
        began = time.perf_counter()
        since = datetime.now(UTC) - timedelta(days=3)
        changes = await box.changes(None, since=since, known=nothing_known)
        spent = time.perf_counter() - began
        await box.close()
        return spent, len(changes.seen)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    spent, seen = anyio.run(run)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    Session.items = items  # type: ignore[method-assign]
    print(f"first pass over {MAILS:,} mails: {spent:.2f} s, {seen} within the look-back")
    print(f"  header blocks read: {len(read)}; memory grew by {grown / 1024:.1f} MiB")
    return seen == recent and len(read) == recent and grown < 32 * 1024


def newest_change_s(folder: Path) -> tuple[int, float]:
    """How many files lie in a folder, and when the last came (the kernel's time)."""
    times = [path.stat().st_ctime_ns for sub in ("cur", "new") for path in (folder / sub).glob("*")]
    return len(times), max(times, default=0) / 1e9


class Notices:
    """An independent IDLE on the inbox: when the server told of each new mail."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.at: list[float] = []
        self.ready = threading.Event()
        self._thread = threading.Thread(target=self._begin, daemon=True)
        self._thread.start()
        self.ready.wait(20)

    def _begin(self) -> None:
        with suppress(LostError):
            anyio.run(self._run)

    async def _run(self) -> None:
        made = await log_in(self._server, CapacityLimiter(1), writes=False)
        await made.wire.ok("EXAMINE", b'EXAMINE "INBOX"', limit_s=10)
        async with made.wire.idling(10) as news:
            self.ready.set()
            while True:
                if (await news()).name == b"EXISTS":
                    self.at.append(time.time())


def by_hand(real: DovecotServer, user: str) -> list[float]:
    """Seconds of one FETCH and one APPEND after a notice, by the plainest client."""
    client = reader_at(real.port, user)
    spent = []
    raw = mail("<draft@example.com>", body="x" * 500).replace(b"\n", b"\r\n")
    for _ in range(TIMES):
        began = time.perf_counter()
        client.select("INBOX", readonly=True)
        client.fetch("1", "(BODY.PEEK[])")
        client.append("Trash", "", imaplib.Time2Internaldate(time.time()), raw)
        spent.append(time.perf_counter() - began)
    client.logout()
    return spent


def soon(root: Path, real: DovecotServer) -> bool:
    user = "soon@0"
    made = site(root, real, [user], 'poll = "30s"\nsettle = "0s"\n')
    reader_at(real.port, user).logout()
    for sub in ("cur", "new", "tmp"):
        (real.maildir(user) / ".Drafts" / sub).mkdir(parents=True, exist_ok=True)
    real.deliver_file(user, mail("<first@example.org>"), f"{int(time.time())}.M0P1.example")
    subprocess.run(["chown", "-R", "mail:mail", str(real.maildir(user).parent)], check=False)
    notices = Notices(server_for(real, user))
    daemon = made.run()
    spent: list[float] = []
    try:
        drafts = real.maildir(user) / ".Drafts"
        while newest_change_s(drafts)[0] < 1:
            time.sleep(0.1)
        for number in range(TIMES):
            told = len(notices.at)
            raw = mail(f"<n{number}@example.org>", sender=f"n{number}@example.org")
            real.deliver_file(user, raw, f"{int(time.time())}.M{number + 1}P1.example")
            while newest_change_s(drafts)[0] < number + 2 or len(notices.at) <= told:
                time.sleep(0.005)
            spent.append(newest_change_s(drafts)[1] - notices.at[told])
    finally:
        daemon.terminate()
        daemon.wait(60)
    hand = statistics.median(by_hand(real, user))
    middle, worst = statistics.median(spent), max(spent)
    print(f"notice to draft: median {middle * 1000:.0f} ms, worst of {TIMES} {worst * 1000:.0f} ms")
    print(f"  FETCH and APPEND by hand {hand * 1000:.1f} ms: {middle / hand:.1f} times, ", end="")
    print(f"worst {worst / hand:.1f} times")
    return middle / hand <= RATIO


def main(names: Sequence[str]) -> bool:
    parts = {"many": many, "large": large, "soon": soon}
    root = Path(tempfile.mkdtemp(prefix="fp-bench-"))
    try:
        done = [parts[name](root / name, dovecot()) for name in names or parts]
        return all(done)
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
