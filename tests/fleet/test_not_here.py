"""A host that lacks a Maildir leaves it to the hosts that have it, and all are told who does."""

from __future__ import annotations

import shutil

import pytest

from tests.fleet.hosts import Host, Site
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("hosts_apart")
BOX = "robin/one"


@pytest.fixture
def site(site: Site) -> Site:
    """The site, with one Maildir that only some hosts have."""
    shutil.rmtree(site.maildir("two"))
    site.boxes, site.at_home = ("one",), True
    return site


def told(host: Host) -> str:
    """What the review queue tells of ill mailboxes."""
    items = host.json("review", "list")
    assert isinstance(items, list)
    return " ".join(item["summary"] for item in items if item["kind"] == "mailbox_ill")


def row(host: Host) -> dict[str, object]:
    """What status says of the mailbox."""
    status = host.json("status")
    assert isinstance(status, dict)
    [found] = [one for one in status["mailboxes"] if one["mailbox"] == BOX] or [{"hosts": []}]
    assert isinstance(found, dict)
    return found


def serves(host: Host) -> dict[str, bool]:
    """Which live hosts can serve the mailbox."""
    hosts = row(host)["hosts"]
    assert isinstance(hosts, list)
    return {one["host"]: one["serves"] for one in hosts}


def watched_by(site: Site) -> set[str]:
    """The hosts that hold the watcher's lease."""
    rows = site.sql("SELECT owner FROM leases WHERE thread = '' AND owner IS NOT NULL")
    return {str(owner).split(":")[0] for (owner,) in rows}


@pytest.mark.parametrize("role", ["all", "work"])
def test_a_host_without_the_folder_leaves_its_mailbox_alone(site: Site, role: str) -> None:
    there, elsewhere = site.host("a"), site.host("b", has_mail=False)
    with there.running(), elsewhere.running("--role", role):
        until(lambda: serves(there) == {"a": True, "b": False})
        for number in range(4):
            site.deliver("one", number)
        until(lambda: len(site.drafts("one")) == 4)
        assert (watched_by(site), told(there)) == ({"a"}, "")
        assert row(there)["problem"] is None
        owners = site.sql("SELECT DISTINCT owner FROM intents")
        assert {str(owner).split(":")[0] for (owner,) in owners} == {"a"}
    assert len(elsewhere.logged("a mailbox is left to other hosts")) == 1


def test_status_says_in_words_who_serves_a_mailbox_and_why_not(site: Site) -> None:
    there, elsewhere = site.host("a"), site.host("b", has_mail=False)
    with there.running(), elsewhere.running():
        until(lambda: serves(there) == {"a": True, "b": False})
        said = " ".join(there.run("status").split())
        assert f"{BOX}: served by a; not by b, could not read the Maildir in" in said
        assert "mount or make the Maildir there" in said


def test_a_mailbox_that_no_live_host_can_serve_is_told_until_one_can(site: Site) -> None:
    there, elsewhere = site.host("a"), site.host("b", has_mail=False)
    with elsewhere.running():
        until(lambda: "no live host can serve it (on b: " in told(elsewhere))
        until(lambda: row(elsewhere).get("state") == "ill")
        assert "no live host" in str(row(elsewhere)["problem"])
        with there.running():
            site.deliver("one", 1)
            until(lambda: len(site.drafts("one")) == 1)
            until(lambda: told(there) == "")
            assert row(there)["state"] == "watching"


def test_a_folder_that_appears_is_served_without_a_restart(site: Site) -> None:
    host = site.host("b", has_mail=False)
    site.deliver("one", 1)
    with host.running() as daemon:
        until(lambda: "no live host" in told(host))
        (host.home / "mail").symlink_to(site.root / "mail")
        until(lambda: len(site.drafts("one")) == 1, daemon)
        until(lambda: told(host) == "")


def test_a_folder_that_vanishes_hands_its_mailbox_to_another_host(site: Site) -> None:
    first, second = site.host("b", has_mail=False), site.host("a")
    with first.running():
        # Made after the start: a link that is there by then is followed once and for all.
        (first.root / "mail").symlink_to(site.root / "mail")
        until(lambda: watched_by(site) == {"b"})
        with second.running():
            until(lambda: serves(second) == {"a": True, "b": True})
            (first.root / "mail").unlink()
            until(lambda: watched_by(site) == {"a"})
            site.deliver("one", 1)
            until(lambda: len(site.drafts("one")) == 1)
            assert told(second) == ""
            assert row(second)["problem"] is None


def test_a_host_whose_path_leads_to_another_maildir_leaves_the_mailbox_alone(site: Site) -> None:
    there, elsewhere = site.host("a"), site.host("b", has_mail=False)
    there.run("once")
    shutil.copytree(site.root / "mail", elsewhere.home / "mail")
    with elsewhere.running():
        until(lambda: "another account" in told(elsewhere))
        with there.running():
            site.deliver("one", 1)
            until(lambda: len(site.drafts("one")) == 1)
            until(lambda: told(there) == "")
            assert (watched_by(site), row(there)["problem"]) == ({"a"}, None)


def test_one_pass_on_a_host_without_the_folder_fails_alone(site: Site) -> None:
    there, elsewhere = site.host("a"), site.host("b", has_mail=False)
    with there.running():
        until(lambda: watched_by(site) == {"a"})
        done = elsewhere.json("once", status=1)
        assert isinstance(done, dict)
        [problem] = done["mailboxes"][0]["problems"]
        assert "(on b)" in problem
        assert row(there)["problem"] is None
        assert told(there) == ""
