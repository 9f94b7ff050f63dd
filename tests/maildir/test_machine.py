"""Any order of staging, delivering, withdrawing, removing, dying and an owner at work.

The file functions are driven directly, on real files; a removal may be interrupted while the draft
lies aside. What holds at every moment: nothing that was proved never to happen happens, one staging
makes one draft at most, no words of the owner are lost, nothing is left under a dot-name.
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule

from providers.maildir import removal, staging
from providers.maildir.files import make_folder
from providers.maildir.places import Places
from providers.maildir.staging import Token, Withdrawal
from storage.words import NO_FAULTS, Accepted, FaultPoint, IntentId, Rejected
from tests.contracts.mails import ours
from tests.maildir.acts import At

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


class KilledError(BaseException):
    """The remover's process ends here."""


class DraftsMachine(RuleBasedStateMachine):
    """One drafts folder, our calls and its owner."""

    staged = Bundle("staged")
    drafts = Bundle("drafts")

    def __init__(self) -> None:
        super().__init__()
        self.top = Path(tempfile.mkdtemp(prefix="fencepost-"))
        self.places = Places(self.top)
        self.home = self.places.home()
        make_folder(self.home.path)
        self.cur = self.home.path / "cur"
        self.number = itertools.count(1)
        self.proved: set[str] = set()
        self.dropped: set[str] = set()
        self.accepted: set[str] = set()
        self.removed: set[str] = set()
        self.owners: set[bytes] = set()

    def teardown(self) -> None:
        shutil.rmtree(self.top)

    def body(self, token: Token) -> bytes:
        return ours(body=f"draft {token.intent}")

    @rule(target=staged)
    def stage(self) -> Token:
        intent = IntentId(f"{next(self.number):032x}")
        content = ours(body=f"draft {intent}")
        return staging.stage(self.home, content, intent, 1, NOW)

    @rule(target=drafts, token=staged)
    def deliver(self, token: Token) -> object:
        outcome = staging.deliver(
            self.home.path, token, self.body(token), None, network=False, faults=NO_FAULTS
        )
        never = self.proved | self.dropped | self.accepted
        assert isinstance(outcome, Rejected if token.name in never else Accepted)
        if isinstance(outcome, Accepted):
            self.accepted.add(token.name)
            return token
        return multiple()

    @rule(token=staged)
    def withdraw(self, token: Token) -> None:
        shown = staging.withdraw(self.home.path, token, NOW, NOW, network=False)
        if shown is Withdrawal.PROVED:
            assert token.name not in self.accepted
            self.proved.add(token.name)
        else:
            assert token.name in self.accepted | self.dropped

    @rule(token=staged)
    def unstage(self, token: Token) -> None:
        staging.unstage(self.home.path, token)
        if token.name not in self.accepted:
            self.dropped.add(token.name)

    @rule()
    def restart(self) -> None:
        removal.recover(self.home.path, every=True)

    @rule(token=drafts)
    def owner_deletes(self, token: Token) -> None:
        for file in self.cur.glob(f"{token.name}:*"):
            self.owners.discard(file.read_bytes())
            self.removed.add(token.name)
            file.unlink()

    @rule(token=drafts, flag=st.sampled_from("FPR"))
    def owner_flags(self, token: Token, flag: str) -> None:
        for file in self.cur.glob(f"{token.name}:*"):
            flagged = file.with_name(f"{token.name}:2,DS{flag}")
            if not flagged.exists():
                file.rename(flagged)

    @rule(token=drafts)
    def owner_edits(self, token: Token) -> None:
        for file in self.cur.glob(f"{token.name}:*"):
            self.owners.discard(file.read_bytes())
            words = ours(body=f"the owner's own words {next(self.number)}")
            file.write_bytes(words)
            self.owners.add(words)

    @rule(
        token=drafts,
        meanwhile=st.sampled_from(["nothing", "edit", "edit and take", "recover", "kill"]),
    )
    def remove(self, token: Token, meanwhile: str) -> None:
        version = staging.version_of(token.name, staging.sha256(self.body(token)))
        intent = IntentId(f"{next(self.number):032x}")
        faults = At(FaultPoint.REMOVAL_ASIDE, lambda: self._meanwhile(meanwhile, intent, token))
        try:
            outcome = removal.take(
                self.home.path, token.name, version, intent, 1, network=False, faults=faults
            )
        except KilledError:
            return
        if isinstance(outcome, Accepted):
            self.removed.add(token.name)

    def _meanwhile(self, what: str, intent: IntentId, token: Token) -> None:
        (aside,) = self.cur.glob(f".fencepost-{intent}.*")
        if what == "kill":
            raise KilledError
        if what == "recover":
            removal.recover(self.home.path, intent=intent)
        if what.startswith("edit"):
            words = ours(body=f"the owner's own words {next(self.number)}")
            aside.write_bytes(words)
            self.owners.add(words)
        if what == "edit and take":
            other = ours(body=f"another mail of the owner {next(self.number)}")
            (self.cur / f"{token.name}:2,DS").write_bytes(other)
            self.owners.add(other)

    @invariant()
    def no_words_of_the_owner_are_lost(self) -> None:
        lying = [file.read_bytes() for file in self.cur.iterdir()]
        assert all(words in lying for words in self.owners)

    @invariant()
    def what_was_proved_never_happened(self) -> None:
        assert not self.proved & self.accepted
        names = {file.name for file in self.cur.iterdir()}
        assert not any(name.startswith(tuple(self.proved)) for name in names)

    @invariant()
    def no_two_files_share_a_base_name_by_our_doing(self) -> None:
        names = [file.name for file in self.cur.iterdir() if not file.name.startswith(".")]
        assert len(names) == len({name.partition(":")[0] for name in names})

    @invariant()
    def a_draft_is_there_once_until_somebody_removes_it(self) -> None:
        lying = [file.read_bytes() for file in self.cur.iterdir()]
        assert len(lying) == len(set(lying))


DraftsMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestDrafts = DraftsMachine.TestCase
