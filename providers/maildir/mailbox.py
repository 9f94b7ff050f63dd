"""The Mailbox port over a Maildir++: INBOX at the path, ``.Sent``, ``.Drafts``, ``.Trash`` below.

Reading changes no flag, so mail that was unread stays unread. A draft is made by one rename and
removed by its exact version (``staging`` and ``removal`` tell how, and what a crash leaves). All
file work happens on worker threads that are never abandoned: a cancelled create has either happened
or not, and says which before the cancellation goes on. The adapter remembers names and header
blocks only to be fast; a new process starts with an empty memory and the same results.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from hashlib import sha256 as digest_of
from pathlib import Path
from typing import Final, TypeVar

from anyio import Lock, to_thread

from providers.maildir import removal, staging
from providers.maildir.files import (
    MISSING,
    NOT_HERE,
    SUBS,
    exists,
    explain,
    folder,
    listing,
    read_mail,
)
from providers.maildir.fs import is_network_fs
from providers.maildir.listing import Listing, Pass, known_batches
from providers.maildir.names import parts_of
from providers.maildir.places import Place, Places
from providers.maildir.search import Search
from providers.maildir.settling import Settling
from providers.maildir.watching import Watch
from providers.mime.reading import read_heads
from providers.ports import (
    Changes,
    DraftNow,
    DraftRef,
    Fetched,
    Folder,
    Json,
    Known,
    Look,
    LookRequest,
    MailboxIllError,
    NotHereError,
    Profile,
    Snapshot,
    Staged,
    ThreadScope,
    TransientError,
)
from storage.words import (
    NO_FAULTS,
    Clock,
    Faults,
    IntentId,
    Outcome,
    Ref,
    Rejected,
)

_MARKS: Final = frozenset({"header", "message_id", "content"})
_WATCHED: Final = (Folder.INBOX, Folder.SENT, Folder.DRAFTS)
_GUESSES: Final = ("cur/{}:2,S", "new/{}", "cur/{}:2,", "cur/{}:2,RS", "cur/{}:2,DS")
_T = TypeVar("_T")


class MaildirMailbox:
    """One Maildir++ at *path*.

    *lag_s*: how long a listing may miss what was just written (other programs move files about).
    *network*: whether the file system is remote; None finds it out at the first use.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock,
        faults: Faults = NO_FAULTS,
        lag_s: float = 2.0,
        network: bool | None = None,
    ) -> None:
        self._path = Path(os.path.abspath(path.expanduser()))
        self._clock = clock
        self._faults = faults
        self._lag_s = lag_s
        self._network_known = network
        self._places = Places(self._path)
        self._listing = Listing(self._places)
        self._search = Search(self._places, self._listing)
        self._settling = Settling(
            self._places, self._search, clock, faults, self._check, lambda: self._network
        )
        self._watch = Watch(self._watched, clock)
        self._passing = Lock()

    @property
    def _network(self) -> bool:
        if self._network_known is None:
            self._network_known = is_network_fs(self._path)
        return self._network_known

    @property
    def profile(self) -> Profile:
        """Every mark survives in a Maildir, and exact versions can be removed."""
        return Profile(
            provider="maildir",
            lag_s=self._lag_s,
            marks=_MARKS,
            versioned_removal=True,
            network=self._network,
        )

    async def account(self) -> str:
        """A name for the folder that *path* leads to; the same through links and after restarts.

        Made of the real path: device and inode change when a disk is mounted anew or a backup is
        restored, and the account does not.
        """

        return await self._read(self._account, "read the Maildir")

    def _account(self) -> str:
        self._check()
        real = os.fsencode(os.path.realpath(self._path))
        return f"maildir:{digest_of(real).hexdigest()[:32]}"

    async def changes(
        self, cursor: Json | None, *, since: datetime | None, known: Known
    ) -> Changes:
        """Unknown mail of INBOX, Sent and Drafts, oldest first, and known mail that is gone.

        Raises TransientError or MailboxIllError.
        """
        async with self._passing:
            now = self._clock.now()
            under_way = await self._read(
                partial(self._scan, cursor, since, now), "list the Maildir"
            )
            for batch in known_batches(under_way.unasked):
                self._listing.confirm(await known(batch), under_way)
            return await self._read(partial(self._listing.read, under_way), "read new mail")

    async def wait(self, seconds: float) -> None:
        """Return when a folder changed, at the latest after *seconds*."""
        await self._watch.wait(seconds)

    async def fetch(self, refs: Sequence[Ref]) -> list[Fetched]:
        """The bytes of *refs* as they are now, None for what is gone or may not be read.

        Raises TransientError or MailboxIllError.
        """
        return await self._read(partial(self._fetch, tuple(refs)), "read mail")

    async def snapshot(self, scope: ThreadScope) -> Snapshot:
        """Unsent drafts and unknown mail of the thread. Raises TransientError, MailboxIllError.

        A mail counts as unknown when *scope* does not name its reference; a second copy of a known
        message is reported too, so compare identities.
        """

        def snap() -> Snapshot:
            self._check()
            return self._search.snapshot(scope, self._clock.now())

        return await self._read(snap, "read the thread")

    async def stage(self, content: bytes, *, intent: IntentId, attempt: int) -> Staged:
        """Lay *content* into ``tmp`` of the drafts folder, which is made at the first time.

        Raises TransientError or MailboxIllError (disk full, no permission); nothing is left then.
        """

        def lay() -> Staged:
            self._check()
            home = self._places.home()
            token = staging.stage(home, content, intent, attempt, self._clock.now())
            return Staged(content=content, token=token.json())

        return await self._read(lay, "write a draft")

    async def unstage(self, staged: Staged) -> None:
        """Drop staged bytes whose claim failed, or withdrawn ones once the proof is committed.

        After it a look with this token would read their absence as a delivery: look no more.
        """
        token = staging.token_of(staged.token)
        place = token and self._places.labelled(token.label)
        if token is not None and place:
            await to_thread.run_sync(staging.unstage, place.path, token)

    async def create(self, staged: Staged, *, scope: ThreadScope) -> Outcome:
        """Deliver the staged bytes as a draft: one rename."""
        token = staging.token_of(staged.token)
        place = token and self._places.labelled(token.label)
        if token is None or not place:
            return Rejected(reason="nothing was staged here under this token")

        def deliver() -> Outcome:
            return staging.deliver(
                place.path,
                token,
                staged.content,
                read_heads(staged.content).message_id,
                network=self._network,
                faults=self._faults,
            )

        return await to_thread.run_sync(deliver)

    async def remove(self, draft: DraftRef, *, intent: IntentId, attempt: int) -> Outcome:
        """Remove exactly the version named; what an earlier attempt left aside goes back first."""
        return await to_thread.run_sync(self._settling.remove, draft, intent, attempt)

    async def draft(self, draft: DraftRef) -> DraftNow:
        """Where a recorded draft is now. Raises TransientError or MailboxIllError."""
        return await self._read(partial(self._settling.draft, draft), "look for a draft")

    async def look(self, request: LookRequest) -> Look:
        """Take staged bytes back where that is allowed, then search drafts, Sent and Trash.

        Raises TransientError or MailboxIllError when a place could not be reached.
        """
        return await self._read(partial(self._settling.look, request), "look for a draft")

    async def remove_orphans(
        self, live: frozenset[str], now: datetime, *, at_start: bool = True
    ) -> int:
        """Clear what crashes left: staged bytes no open intent names, drafts that lie aside.

        *live* are the ``name`` entries of the tokens of open intents. *at_start* says that no
        worker runs yet (call it under the lock); without it only what is over 36 h old is cleared.
        Returns how many files were unlinked or put back. Raises TransientError or MailboxIllError.
        """

        def clear() -> int:
            self._check()
            count = 0
            for place in self._search.drafts():
                if exists(place.path / "tmp"):
                    count += staging.sweep(place.path, live, now, at_start=at_start)
                count += removal.recover(place.path, every=at_start)
            return count

        return await self._read(clear, "clear what was left over")

    async def close(self) -> None:
        """Give back the watch; safe to call twice."""
        await self._watch.close()

    async def _read(self, job: Callable[[], _T], doing: str) -> _T:
        try:
            return await to_thread.run_sync(job)
        except OSError as error:
            raise explain(error, self._path, doing) from error

    def account_here(self) -> str | None:
        """The account that this host has under this path. Blocks.

        Raises NotHereError where there is no Maildir that may be read. None where any other trouble
        keeps it from being told: the next use meets that and says so.
        """
        with suppress(OSError):
            return self._account()
        return None

    def _check(self) -> None:
        """Raise NotHereError unless the path leads to a Maildir; other OSErrors as they come."""
        try:
            with folder(self._path):
                there = all(exists(self._path / sub) for sub in SUBS)
            for sub in SUBS if there else ():
                with folder(self._path / sub):
                    pass
        except OSError as error:
            if error.errno not in NOT_HERE:
                raise
            found = explain(error, self._path, "read the Maildir")
            if isinstance(found, MailboxIllError):
                raise NotHereError(found.problem, found.remedy) from error
            raise
        if not there:
            raise NotHereError(
                f"{self._path} is no Maildir (it has no cur and new)",
                "name the folder that holds cur, new and tmp as the path of this mailbox",
            )

    def _scan(self, cursor: Json | None, since: datetime | None, now: datetime) -> Pass:
        self._check()
        return self._listing.scan(cursor, since, now, trust=not self._network)

    def _watched(self) -> list[Path]:
        return [place.path / sub for place in self._places.present(*_WATCHED) for sub in SUBS]

    def _fetch(self, refs: tuple[Ref, ...]) -> list[Fetched]:
        self._check()
        names: dict[str, dict[str, Path]] = {}
        return [Fetched(ref=ref, raw=self._bytes(ref, names)) for ref in refs]

    def _bytes(self, ref: Ref, names: dict[str, dict[str, Path]]) -> bytes | None:
        """The bytes of one mail; *names* keeps the listings of this call."""
        parts = parts_of(ref)
        place = None if parts is None else self._places.labelled(parts[0])
        if parts is None or place is None:
            return None
        for guess in _GUESSES:
            raw = _read_if_there(place.path / guess.format(parts[1]))
            if raw is not None:
                return raw
        for fresh in (False, True):
            if fresh or place.label not in names:
                names[place.label] = _files(place)
            file = names[place.label].get(parts[1])
            raw = None if file is None else _read_if_there(file)
            if raw is not None:
                return raw
        return None


def _read_if_there(file: Path) -> bytes | None:
    try:
        return read_mail(file)
    except OSError as error:
        if error.errno in MISSING:
            return None
        why = error.strerror or error
        raise TransientError(f"{file} cannot be read ({why}): permit it") from error


def _files(place: Place) -> dict[str, Path]:
    """The file of each mail in a folder by its base name; empty where there is no such folder."""
    try:
        found = listing(place.path)
    except OSError as error:
        if error.errno in MISSING:
            return {}
        raise
    return {item.uniq: place.path / item.sub / item.on_disk for item in found}
