"""The command line on PostgreSQL: only ``[storage] url`` differs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from functools import partial

import anyio
import pytest
from sqlalchemy import Connection

from assistant.opening import open_database
from config.load import load
from storage.dbtime import database_now_ms
from storage.migrate import downgrade_postgres
from storage.words import OwnerId
from storage.workers import seen
from tests.cli.conftest import Place, environment
from tests.support.postgres import PASSWORD, cluster, new_database

Items = Callable[[object], list[dict[str, object]]]


@pytest.fixture(params=["direct", "pooled"])
def shared(
    request: pytest.FixtureRequest, place: Place, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Place]:
    """The installation, with its record in an empty database."""
    server = cluster()
    port = server.bouncer.port if request.param == "pooled" else server.port
    with new_database(empty=True) as database:
        use(place, server.url(database, port=port))
        monkeypatch.setenv("FENCEPOST_TEST_PASSWORD", PASSWORD)
        yield place


def use(place: Place, url: str) -> None:
    """Write the address of the store into the configuration."""
    file = place.config / "fencepost.toml"
    lines = [line for line in file.read_text().splitlines() if not line.startswith(("url", "pass"))]
    at = lines.index("[storage]") + 1
    lines[at:at] = [f'url = "{url}"', 'password = { env = "FENCEPOST_TEST_PASSWORD" }']
    file.write_text("\n".join(lines) + "\n")


def name_of(place: Place) -> str:
    """The database that the configuration names."""
    text = (place.config / "fencepost.toml").read_text()
    return text.partition("127.0.0.1:")[2].partition("/")[2].partition('"')[0]


def test_a_mail_becomes_one_reviewed_draft(shared: Place, items: Items) -> None:
    shared.deliver(1)
    shared.run("once")
    shared.run("once")
    assert len(shared.drafts()) == 1
    (item,) = items(shared.json("review", "list"))
    assert item["kind"] == "draft_ready"
    shared.run("review", "show", str(item["id"]))
    done = shared.json("review", "do", str(item["id"]), "keep", "--key", "k1")
    assert isinstance(done, dict)
    assert done["replayed"] is False
    again = shared.json("review", "do", str(item["id"]), "keep", "--key", "k1")
    assert isinstance(again, dict)
    assert again["replayed"] is True
    assert items(shared.json("review", "list")) == []


def test_every_reading_command_answers(shared: Place, items: Items) -> None:
    shared.deliver(1)
    shared.run("once")
    status = shared.json("status")
    assert isinstance(status, dict)
    assert status["intents"] == {"accepted": 1}
    (intent,) = items(shared.json("intents"))
    assert intent["state"] == "accepted"
    (thread,) = items(shared.json("threads"))
    shared.run("explain", str(thread["mailbox"]), str(thread["thread"]))


def test_check_says_what_a_start_would_meet(shared: Place, items: Items) -> None:
    says = {row["what"]: row for row in items(shared.json("check", status=1))}
    assert "empty" in str(says["database"]["says"])
    assert says["installation key"]["says"] == "none yet: the first start makes it"
    shared.run("once")
    document = items(shared.json("check", status=1))
    # The server of the tests does not flush.
    assert [row["says"] for row in document if not row["works"]] == [
        "fsync is off: a power cut loses what was stored"
    ]
    says = {row["what"]: row for row in document}
    assert "the one written last" in str(says["database"]["says"])
    assert "belongs to the database" in str(says["installation key"]["says"])


def key_of(place: Place, items: Items) -> str:
    document = items(place.json("check", status=1))
    return str({row["what"]: row for row in document}["installation key"]["says"])


def test_check_says_that_a_new_database_will_be_bound_to_the_key_at_hand(
    shared: Place, items: Items
) -> None:
    key = shared.config / "installation.key"
    key.write_text("ab" * 32)
    key.chmod(0o600)
    assert "the database is new, and the first start binds it to this key" in key_of(shared, items)
    shared.run("once")
    assert key_of(shared, items) == "belongs to the database"


def test_check_says_that_an_older_database_is_not_asked_for_its_key_yet(
    shared: Place, items: Items
) -> None:
    shared.run("once")
    anyio.run(partial(downgrade_postgres, cluster().place(name_of(shared)), "0003"))
    assert "compared with the database's once that is migrated" in key_of(shared, items)
    (shared.config / "installation.key").unlink()
    assert "is missing" in key_of(shared, items)


def test_check_tells_a_database_that_was_exchanged(shared: Place, items: Items) -> None:
    shared.run("once")
    file = shared.data_dir / "witness.json"
    file.write_text(file.read_text().replace('"epoch": "', '"epoch": "another'))
    document = items(shared.json("check", status=1))
    assert any("older than what was last written" in str(row["says"]) for row in document)


def test_a_paused_mailbox_is_given_no_draft(shared: Place) -> None:
    shared.run("once")
    shared.run("pause", "robin/local")
    shared.deliver(1)
    shared.run("once")
    assert shared.drafts() == []
    shared.run("resume", "robin/local")
    shared.run("once")
    assert len(shared.drafts()) == 1


def test_once_says_why_nothing_was_done_about_what_is_due(shared: Place) -> None:
    shared.run("once")
    shared.run("pause", "robin/local")
    shared.deliver(1)
    assert "lift it with: fencepost resume robin/local" in str(shared.json("once"))


def test_status_says_that_nobody_serves_a_mailbox(shared: Place) -> None:
    shared.run("once")
    document = shared.json("status")
    assert isinstance(document, dict)
    [mailbox] = document["mailboxes"]
    assert mailbox["problem"] == "no live process watches it or works on its threads"
    assert "fencepost run" in mailbox["remedy"]


def test_migrate_says_whether_there_was_anything_to_do(shared: Place) -> None:
    assert "migrated" in shared.run("migrate")
    assert "up to date" in shared.run("migrate")


def test_migrate_prints_what_a_server_lacks(shared: Place) -> None:
    assert shared.run("migrate", "--sql").startswith("-- the database is new")
    shared.run("migrate")
    assert shared.run("migrate", "--sql").startswith("-- nothing is missing")
    url = "postgresql://fencepost@127.0.0.1:9/nothing"
    use(shared, url)
    sql = shared.run("migrate", "--sql")
    assert "could not be asked" in sql.splitlines()[0]
    assert "127.0.0.1:9/nothing" in sql.splitlines()[1]
    assert "CREATE TABLE intents" in sql


def test_reading_never_makes_tables(shared: Place) -> None:
    assert "fencepost migrate" in shared.run("status", status=1)
    assert "fencepost migrate" in shared.run("status", status=1)


def test_a_wrong_password_is_told_without_it(
    shared: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FENCEPOST_TEST_PASSWORD", "not-this-one")
    said = shared.run("once", status=1)
    assert "not-this-one" not in said
    assert "[storage] password" in said


def test_a_database_that_is_down_is_told(shared: Place) -> None:
    use(shared, "postgresql://fencepost@127.0.0.1:9/nothing")
    said = shared.run("once", status=1)
    assert "127.0.0.1:9/nothing" in said
    assert "[storage] url" in said


def test_processes_that_start_at_once_make_one_draft(shared: Place) -> None:
    """On an empty database: they migrate, begin the record and work, all at the same time."""
    shared.deliver(1)
    running = [
        subprocess.Popen(
            shared.command("once"),
            env={**environment(), "FENCEPOST_TEST_PASSWORD": PASSWORD},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    told = [process.communicate(timeout=90)[1].decode() for process in running]
    refused = [said for said, process in zip(told, running, strict=True) if process.returncode]
    assert len(refused) < len(running)
    assert all("another process watches it" in said for said in refused), told
    shared.run("once")
    assert len(shared.drafts()) == 1


def test_a_host_whose_users_file_is_not_the_fleets_names_the_mailboxes_there_are(
    shared: Place,
) -> None:
    shared.run("once")
    server = cluster()
    server.sql(
        "UPDATE user_files SET host = 'another', hash = 'another'",
        "INSERT INTO workers (name, host, role, serves, started_at, seen_at, draining, lacks, "
        "lease_ms) SELECT 'another:1:a', 'another', 'all', '[\"robin\"]', ms, ms, 0, '{}', 3600000 "
        "FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms) AS now",
        database=name_of(shared),
    )
    assert "there are: robin/local" in shared.run("pause", "robin/typo", status=1)
    said = shared.run("rebind", "robin/typo", "robin/other", status=1)
    assert "the database knows besides: robin/local" in said
    assert "differs from the one that the fleet works with" in said
    assert "--adopt-users" in said


def other_host(place: Place) -> None:
    """A live member of the fleet on another host."""

    def unit(conn: Connection) -> None:
        now = database_now_ms(conn)
        name = OwnerId("host-b:7:1")
        seen(conn, now, name=name, host="host-b", role="all", serves=[], lease_ms=600_000)

    async def write() -> None:
        database = await open_database(load(place.config))
        try:
            await database.write(unit)
        finally:
            await database.close()

    anyio.run(write)


def test_check_says_that_a_host_with_another_users_file_serves_nothing_of_that_user(
    shared: Place, items: Items
) -> None:
    shared.run("once")
    shared.user_file.write_text(shared.user_file.read_text().replace('"Robin"', '"R."'))
    names = [row["what"] for row in items(shared.json("check", status=1))]
    assert "users/robin.toml" not in names
    other_host(shared)
    says = {row["what"]: row for row in items(shared.json("check", status=1))}
    row = says["users/robin.toml"]
    assert "this host serves nothing of robin" in str(row["says"])
    assert "fencepost migrate --adopt-users" in str(row["remedy"])


def test_a_host_without_the_key_is_told_to_copy_it_from_the_one_that_has_it(shared: Place) -> None:
    shared.run("once")
    (shared.config / "installation.key").unlink()
    copied = "copy it from the host that has it, or restore"
    assert copied in shared.run("once", status=1)
    assert copied in " ".join(shared.run("check", status=1).split())
