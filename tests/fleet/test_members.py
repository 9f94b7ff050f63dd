"""Processes that share one database: they come, share the work, differ, go and die."""

from __future__ import annotations

import signal

import pytest

from tests.fleet.hosts import RUNTIME, Host, Site
from tests.support.waiting import BOUND_S, until

only_with_host_names = pytest.mark.usefixtures("hosts_apart")


def members(host: Host) -> dict[str, str]:
    """The state of each member, by host."""
    status = host.json("status")
    assert isinstance(status, dict)
    return {row["host"]: row["state"] for row in status["workers"] if "host" in row}


def watchers(site: Site) -> dict[str, str]:
    """Which process watches each mailbox."""
    rows = site.sql("SELECT integration, owner FROM leases WHERE thread = '' AND owner IS NOT NULL")
    return {str(integration): str(owner) for integration, owner in rows}


def problems(host: Host) -> list[str]:
    """What is wrong with configuration, as the review queue tells it."""
    items = host.json("review", "list")
    assert isinstance(items, list)
    return [item["summary"] for item in items if item["kind"] == "config_fault"]


@only_with_host_names
def test_what_one_process_notes_another_drafts_without_waiting_for_its_poll(site: Site) -> None:
    slow = RUNTIME.replace('poll = "1s"', 'poll = "30m"')
    watching, working = site.host("a", runtime=slow), site.host("b", runtime=slow)
    with working.running("--role", "work"), watching.running("--role", "watch"):
        until(lambda: len(watchers(site)) == 2)
        site.deliver("one", 1)
        until(lambda: len(site.drafts("one")) == 1)
        assert members(watching) == {"a": "live", "b": "live"}


def test_two_processes_share_the_watching_out(site: Site) -> None:
    first, second = site.host("a"), site.host("b")
    with first.running():
        until(lambda: len(watchers(site)) == 2)
        with second.running():
            until(lambda: len(set(watchers(site).values())) == 2)


def test_the_mailboxes_of_a_killed_process_are_watched_by_another(site: Site) -> None:
    first, second = site.host("a"), site.host("b")
    with second.running() as survivor, first.running() as dying:
        until(lambda: len(set(watchers(site).values())) == 2)
        dying.kill()
        for box in site.boxes:
            site.deliver(box, 1)
        until(lambda: all(len(site.drafts(box)) == 1 for box in site.boxes), survivor)


def test_a_process_that_drains_says_good_bye_and_leaves_no_lease(site: Site) -> None:
    host = site.host("a")
    with host.running() as daemon:
        until(lambda: len(watchers(site)) == 2)
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(timeout=BOUND_S) == 0
    assert watchers(site) == {}
    assert set(members(host).values()) == {"ended"}


@only_with_host_names
def test_a_host_whose_copy_of_a_file_differs_leaves_that_user_alone(site: Site) -> None:
    first, second = site.host("a"), site.host("b", more='signature = "R."')
    with first.running(), second.running():
        [told] = problems(second)
        assert "users/robin.toml on b" in told
        assert "migrate --adopt-users" in told
        until(lambda: len(watchers(site)) == 2)
        assert len(set(watchers(site).values())) == 1
        did = second.json("once", status=1)
        assert isinstance(did, dict)
        [refused] = did["not_served"]
        assert refused["user"] == "robin"
        assert "migrate --adopt-users" in refused["remedy"]


@only_with_host_names
def test_adopting_a_file_moves_the_work_to_the_hosts_that_have_it(site: Site) -> None:
    first, second = site.host("a"), site.host("b", more='signature = "R."')
    with first.running(), second.running():
        assert "robin" in second.run("migrate", "--adopt-users")
        until(lambda: any("users/robin.toml on a" in told for told in problems(first)))
        until(lambda: {owner.split(":")[0] for owner in watchers(site).values()} == {"b"})
        first.write_user('signature = "R."')
        until(lambda: problems(first) == [])


def test_an_installation_with_another_key_adopts_nothing(site: Site) -> None:
    first, stranger = site.host("a"), site.host("b", more='signature = "R."')
    (stranger.root / "config" / "installation.key").write_text("cd" * 32)
    with first.running():
        said = stranger.run("migrate", "--adopt-users", status=1)
        assert "the installation key is not the one" in said
        assert problems(first) == []
