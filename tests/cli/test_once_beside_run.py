"""``once`` from cron on the host of a healthy ``run``, on PostgreSQL."""

from __future__ import annotations

import subprocess

from tests.cli.conftest import Place, environment
from tests.cli.test_daemon_postgres import events, running
from tests.cli.test_postgres import use
from tests.support.postgres import PASSWORD, cluster, new_database
from tests.support.waiting import BOUND_S, until


def test_a_pass_beside_a_daemon_leaves_the_mailbox_to_it_and_stays_silent(place: Place) -> None:
    server = cluster()
    with new_database(server) as database:
        use(place, server.url(database))
        place.deliver(1)
        with running(place) as (daemon, log):
            until(lambda: "running" in events(log) and len(place.drafts()) == 1, daemon)
            once = subprocess.run(
                place.command("once"),
                env={**environment(), "FENCEPOST_TEST_PASSWORD": PASSWORD},
                capture_output=True,
                text=True,
                check=False,
                timeout=BOUND_S,
            )
    assert (once.returncode, once.stderr) == (0, "")
    assert "robin/local: left to " in once.stdout
    assert f":{daemon.pid}:" in once.stdout
