"""A configuration as it is in force, and how a newly read one takes the place of the last.

Pure: files are read in ``config.load``. Two rules live here. A user whose file is wrong keeps the
last good version of it, if there is one. And no account is ever in two hands: one that is named
under two ids or in two users' files would be watched twice and drafted into twice.

Invariant: among the users of what ``merge`` returns no two mailboxes share an account, if that was
so before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from config.daemon import DaemonConfig
from config.faults import Fault, UserFault
from config.user import UserConfig
from storage.words import UserName

Users = Mapping[UserName, UserConfig]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What a configuration folder says.

    ``users``: those in force, in order of their names. ``faults``: one for each user whose file is
    not in force as it stands; ``watch`` may have kept an older version of such a user in force.
    ``daemon_faults``: why ``daemon`` is an older version; none from ``load``, which raises instead.
    ``lines``: for each user in force, the line of each mailbox.
    """

    config_dir: Path
    daemon: DaemonConfig
    users: Users = field(default_factory=dict)
    faults: tuple[UserFault, ...] = ()
    daemon_faults: tuple[Fault, ...] = ()
    lines: Mapping[UserName, tuple[int | None, ...]] = field(default_factory=dict)

    def file_of(self, user: UserName) -> Path:
        """The path of a user's file."""
        return self.config_dir / "users" / f"{user}.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """Somebody names an account that another mailbox holds already."""

    loser: UserName
    index: int
    holder: str


def merge(previous: Loaded, now: Loaded, bound: Collection[str] = ()) -> Loaded:
    """What is in force after *now* was read while *previous* was in force.

    *bound* are mailboxes (``NAME/ID``) that had their account before this process began.

    A user without a file goes; one with a wrong file stays as before, with the fault. Where two
    claim one account, who held it before keeps it, else the first by name; the other one stays as
    before, or goes if that is no way out, and has the fault.
    """
    faults = {fault.user: fault for fault in now.faults}
    chosen = {name: previous.users[name] for name in faults if name in previous.users} | dict(
        now.users
    )
    held = {
        mailbox.account: name for name, user in previous.users.items() for mailbox in user.mailboxes
    }
    for name, user in chosen.items():
        for mailbox in user.mailboxes:
            if f"{name}/{mailbox.id}" in bound:
                held.setdefault(mailbox.account, name)
    while (contest := first_contest(chosen, held)) is not None:
        name = contest.loser
        faults[name] = _contest_fault(contest, chosen[name], previous, now)
        rejected, before = chosen.pop(name), previous.users.get(name)
        if before is not None and before is not rejected:
            chosen[name] = before
    return Loaded(
        config_dir=now.config_dir,
        daemon=now.daemon,
        users=MappingProxyType({name: chosen[name] for name in sorted(chosen)}),
        faults=tuple(faults[name] for name in sorted(faults)),
        daemon_faults=now.daemon_faults,
        lines=MappingProxyType(
            {
                name: (now if chosen[name] is now.users.get(name) else previous).lines.get(name, ())
                for name in sorted(chosen)
            }
        ),
    )


def first_contest(users: Users, held: Mapping[str, UserName]) -> Contest | None:
    """The first user by name who claims an account of another mailbox; None if all agree.

    ``held``: who has an account by right of having had it, as long as they still claim it.
    """
    owner: dict[str, tuple[UserName, int]] = {}
    claims = [
        (mailbox.account, name, index)
        for name in sorted(users)
        for index, mailbox in enumerate(users[name].mailboxes)
    ]
    for account, name, index in claims:
        if held.get(account) == name:
            owner.setdefault(account, (name, index))
    for account, name, index in claims:
        holder, place = owner.setdefault(account, (name, index))
        if (holder, place) != (name, index):
            mailbox = users[holder].mailboxes[place]
            return Contest(loser=name, index=index, holder=f"{holder}/{mailbox.id}")
    return None


def _contest_fault(contest: Contest, user: UserConfig, previous: Loaded, now: Loaded) -> UserFault:
    source = now if user is now.users.get(contest.loser) else previous
    lines = source.lines.get(contest.loser, ())
    fault = Fault(
        file=now.file_of(contest.loser),
        line=lines[contest.index] if contest.index < len(lines) else None,
        key=f"mailboxes[{contest.index + 1}]",
        message=f"is the same account as {contest.holder}",
        remedy="delete one of the two, or name another account",
    )
    return UserFault(user=contest.loser, faults=(fault,))
