"""A fleet under fire, from a seed: ``python -m tests.fleet.fire [--seed N] [--steps N]``.

Four daemons on one PostgreSQL, three Gmail mailboxes at a provider process of its own with its own
log. At random: mail arrives, owners act, daemons are killed or stand still for longer than a lease,
backends are terminated, the database crashes, answers are lost, late and cut. Then everything is
healed, and once nothing is due any more the provider's log and the database are compared.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import anyio

from assistant.wiring import derived
from providers.gmail.credentials import Token, encode
from storage import tokens
from storage.sealing import Sealer
from tests.fleet.hosts import KEY, environment
from tests.fleet.verdict import faults, unrest
from tests.support import postgres
from tests.support.gmail.process import Process

USERS = ("robin", "alex", "kim")
HOSTS = ("a", "b", "c", "d")
LEASE_S = 6.0
HEAL_S = 300.0
"""How long the fleet may take to come to rest; rests of a mailbox double from a minute."""
_AUDIT = """
CREATE TABLE audit (fence bigint, before bigint, owner text, previous text);;
CREATE FUNCTION see_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF new.fence < old.fence OR (new.owner IS DISTINCT FROM old.owner AND new.owner IS NOT NULL
      AND new.fence <= old.fence) THEN
    INSERT INTO public.audit VALUES (new.fence, old.fence, new.owner, old.owner);
  END IF; RETURN new; END $$;;
CREATE TRIGGER see_lease AFTER UPDATE ON leases FOR EACH ROW EXECUTE FUNCTION see_lease()
"""


def address(user: str) -> str:
    """The account of a user."""
    return f"{user}@example.com"


@dataclass
class Site:
    """Everything that runs."""

    root: Path
    seed: int
    google: Process
    cluster: postgres.Cluster
    database: str
    users: tuple[str, ...] = USERS
    daemons: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    mails: int = 0
    told: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)
        self.asked: list[tuple[str, str, str]] = []
        """(user, thread, Message-ID) of each question that was delivered."""

    # what there is

    def write(self) -> None:
        """Every host's configuration, and the logins, sealed."""
        (self.root / "client.json").write_text(json.dumps(self.google.say("client")))
        for host in HOSTS:
            config = self.root / host / "config"
            (config / "users").mkdir(parents=True)
            (config / "installation.key").write_text(KEY)
            (config / "installation.key").chmod(0o600)
            shutil.copy(self.root / "client.json", config / "client.json")
            (config / "fencepost.toml").write_text(
                f'[storage]\nurl = "{self.cluster.url(self.database)}"\n'
                'password = { env = "FLEET_PASSWORD" }\n'
                f'data_dir = "{self.root / host / "data"}"\n[runtime]\nlease_ttl = "{LEASE_S:.0f}s"'
                '\ncall_timeout = "2s"\nsettle = "0s"\npoll = "1s"\n[reconcile]\n'
                'looks = ["1s", "2s", "4s", "8s", "16s", "30s", "60s"]\nlag = "3s"\n'
            )
            for user in USERS:
                (config / "users" / f"{user}.toml").write_text(self.user_file(user))
        anyio.run(self._keep_logins)

    def user_file(self, user: str) -> str:
        """One user's file."""
        root = self.google.root
        return (
            f'name = "{user.title()} Vale"\naddresses = ["{address(user)}"]\n'
            f'[[mailboxes]]\nid = "mail"\nprovider = "gmail"\nclient = {{ file = "client.json" }}\n'
            f'token = {{ file = "tokens/{user}.json" }}\napi_root = "{root}"\n'
            f'auth_url = "{root}/o/oauth2/v2/auth"\ntoken_url = "{root}/token"\n'
        )

    async def _keep_logins(self) -> None:
        from storage.postgres import open_postgres

        sealer = Sealer(derived(bytes.fromhex(KEY), "tokens"))
        place = self.cluster.place(self.database)
        store = await open_postgres(place)
        for user in USERS:
            made = self.google.say("login", address=address(user))
            text = encode(
                Token(
                    access_token=made["access_token"],
                    refresh_token=made["refresh_token"],
                    expires_at=datetime.fromtimestamp(made["expires_at"], UTC),
                )
            )
            name = f"{user}/mail"
            await store.write(
                lambda conn, name=name, text=text: tokens.keep(  # type: ignore[misc]
                    conn, name, text, sealer, after=None
                )
            )
        await store.close()

    def start(self, host: str) -> None:
        """Start a host's daemon, unless it runs."""
        daemon = self.daemons.get(host)
        if daemon is not None and daemon.poll() is None:
            return
        config = str(self.root / host / "config")
        line = [sys.executable, "-m", "assistant.cli", "--config", config, "run"]
        with (self.root / host / "log").open("ab") as log:
            self.daemons[host] = subprocess.Popen(
                line, stdout=subprocess.DEVNULL, stderr=log, env=environment()
            )

    def end(self) -> None:
        """Kill every daemon that still runs."""
        for daemon in self.daemons.values():
            with suppress(ProcessLookupError):
                daemon.send_signal(signal.SIGCONT)
                daemon.kill()
            daemon.wait()

    # what happens

    def step(self) -> str:
        """One thing at random; its name."""
        chosen = self.dice.choices(list(_STEPS), weights=[weight for weight, _ in _STEPS.values()])
        name = chosen[0]
        _STEPS[name][1](self)
        self.told[name] += 1
        return name

    def deliver(self) -> None:
        """A question, in a new thread or in one that there is."""
        user = self.dice.choice(USERS)
        known = [one for one in self.asked if one[0] == user]
        self.mails += 1
        own = f"<{self.seed}.{self.mails}@example.org>"
        mail = EmailMessage()
        mail["From"] = f"Mina Okafor <mina{self.mails % 7}@example.org>"
        mail["To"] = f"{user.title()} Vale <{address(user)}>"
        mail["Message-ID"] = own
        thread = None
        if known and self.dice.random() < 0.3:
            _, thread, parent = self.dice.choice(known)
            mail["Subject"] = "Re: The plan"
            mail["In-Reply-To"] = mail["References"] = parent
        else:
            mail["Subject"] = f"The plan {self.mails}"
        mail.set_content(f"{user.title()}, could you send me part {self.mails} of the plan?\n")
        made = self.say("deliver", user=user, raw=mail.as_string(), thread=thread)
        self.asked.append((user, made["threadId"], own))

    def say(self, word: str, *, user: str, **given: Any) -> Any:
        """One of the owner's acts."""
        return self.google.say(word, user=address(user), **given)

    def fault(self, **given: Any) -> None:
        """A fault at the provider."""
        self.google.say("fault", **given)

    def refuse(self, method: str, answer: str) -> None:
        """The provider refuses the next call."""
        self.fault(method=method, effect="before", answer=answer)

    def kill(self) -> None:
        """A daemon dies."""
        host = self.dice.choice(HOSTS)
        daemon = self.daemons[host]
        daemon.kill()
        daemon.wait()

    def revive(self) -> None:
        """Daemons that died are started again."""
        for host in HOSTS:
            self.start(host)

    def stand_still(self) -> None:
        """A daemon stands still for longer than a lease, while the others go on."""
        daemon = self.daemons[self.dice.choice(HOSTS)]
        if daemon.poll() is None:
            daemon.send_signal(signal.SIGSTOP)
            time.sleep(LEASE_S + 1.0)
            daemon.send_signal(signal.SIGCONT)

    def cut_backends(self) -> None:
        """The database's backends of this fleet are terminated."""
        self.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < 0.5"
        )

    def crash_database(self) -> None:
        """The database server crashes and comes back."""
        self.cluster.restart()

    def owner_acts(self) -> None:
        """An owner edits, sends or throws away a draft."""
        user = self.dice.choice(USERS)
        drafts = self.drafts(user)
        if not drafts:
            return
        draft, _ = self.dice.choice(sorted(drafts.items()))
        word = self.dice.choice(("edit_draft", "send_draft", "discard_draft"))
        given = {"body": "My own words.\n"} if word == "edit_draft" else {}
        with suppress(AssertionError):
            self.say(word, user=user, draft=draft, **given)

    # what is found

    def sql(self, query: str) -> list[tuple[Any, ...]]:
        """Ask the database."""
        return [tuple(row) for row in self.cluster.sql(query, database=self.database)]

    def state(self, user: str) -> dict[str, Any]:
        """An account as the provider holds it."""
        found: dict[str, Any] = self.google.say("state")["accounts"][address(user)]
        return found

    def drafts(self, user: str) -> dict[str, dict[str, Any]]:
        """The unsent drafts that lie in an account, by draft id."""
        state = self.state(user)
        lying = {one["id"]: one for one in state["messages"] if one.get("gone_s") is None}
        found = {}
        for draft, line in state["drafts"].items():
            name = line[-1][1]
            if name is not None and name in lying and "DRAFT" in lying[name]["labels"][-1][1]:
                found[draft] = lying[name]
        return found

    def at_rest(self) -> bool:
        """Whether nothing is due, nothing is being called and no look is outstanding.

        A call that was never made by a process that died stays unknown, for a person to settle.
        """
        (due,) = self.sql(
            "SELECT (SELECT count(*) FROM threads WHERE due_at IS NOT NULL"
            " AND quarantined_at IS NULL AND due_at < extract(epoch FROM now()) * 1000 + 60000),"
            " (SELECT count(*) FROM intents WHERE state = 'calling'),"
            " (SELECT count(*) FROM intents WHERE state = 'unknown' AND looks_ended_at IS NULL),"
            " (SELECT count(*) FROM mailboxes WHERE problem IS NOT NULL)"
        )
        noted = {str(name) for (name,) in self.sql("SELECT message_id FROM messages")}
        return due == (0, 0, 0, 0) and all(own in noted for _, _, own in self.asked)


_STEPS: dict[str, tuple[int, Callable[[Site], None]]] = {
    "deliver": (30, Site.deliver),
    "owner acts": (8, Site.owner_acts),
    "kill": (8, Site.kill),
    "revive": (10, Site.revive),
    "stand still": (3, Site.stand_still),
    "cut backends": (4, Site.cut_backends),
    "database crash": (1, Site.crash_database),
    "lost answer": (4, lambda site: site.fault(method="drafts.create", end="drop", cut=0)),
    "cut answer": (2, lambda site: site.fault(method="drafts.create", cut=40, end="reset")),
    "late answer": (3, lambda site: site.fault(method="drafts.create", delay_s=4.0)),
    "refused": (
        3,
        lambda site: site.fault(method="drafts.create", effect="before", answer="too_many"),
    ),
    "lag": (2, lambda site: site.fault(method="drafts.list", effect="before", answer="bare_502")),
}


@contextmanager
def burning(root: Path, seed: int) -> Iterator[Site]:
    """A site in which everything runs."""
    cluster = postgres.second_cluster()
    with ExitStack() as stack:
        google = stack.enter_context(Process.started(root / "gmail.json"))
        database = stack.enter_context(postgres.new_database(cluster))
        cluster.sql(*_AUDIT.split(";;"), database=database)
        site = Site(root=root, seed=seed, google=google, cluster=cluster, database=database)
        stack.callback(site.end)
        site.write()
        site.revive()
        while len(site.sql("SELECT 1 FROM leases WHERE thread = '' AND owner IS NOT NULL")) < 3:
            time.sleep(0.2)
        yield site


def fire(site: Site, steps: int, say: Callable[[str], None]) -> None:
    """Do *steps* things at random, then heal everything and wait until the fleet is at rest."""
    for _ in range(steps):
        name = site.step()
        say(name)
        time.sleep(site.dice.uniform(0.1, 1.5))
    site.google.say("heal")
    end = time.monotonic() + HEAL_S
    while not site.at_rest():
        if time.monotonic() > end:
            raise AssertionError(f"seed {site.seed}: not at rest; {unrest(site)}")
        site.revive()
        time.sleep(1.0)


def main() -> None:
    """A long run by hand."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--steps", type=int, default=400)
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    root = Path(tempfile.mkdtemp(prefix="fp-fire-"))
    with burning(root, given.seed) as site:
        fire(site, given.steps, lambda name: print(name, end=", ", flush=True))
        print()
        wrong = faults(site)
        states = site.sql("SELECT kind, state, count(*) FROM intents GROUP BY 1, 2 ORDER BY 1, 2")
        print(dict(site.told), states, sep="\n")
    print("\n".join(wrong) or "nothing is wrong")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
