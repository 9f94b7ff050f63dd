"""Which folder is which."""

from __future__ import annotations

import pytest

from providers.imap.folders import Listed, roles_of
from providers.ports import Folder, MailboxIllError


def listed(*names: str, **uses: str) -> list[Listed]:
    plain = [Listed(name=name, attributes=frozenset(), separator="/") for name in names]
    marked = [
        Listed(name=name, attributes=frozenset({use}), separator="/") for name, use in uses.items()
    ]
    return plain + marked


def test_the_servers_own_marks_come_first() -> None:
    roles = roles_of(listed("Drafts", Mine="\\drafts"), {Folder.DRAFTS: "Drafts"})
    assert roles.drafts == "Mine"


def test_the_owners_names_come_before_known_ones() -> None:
    roles = roles_of(listed("Drafts", "Unsent"), {Folder.DRAFTS: "Unsent"})
    assert roles.drafts == "Unsent"


def test_an_owners_name_that_does_not_exist_is_passed_over() -> None:
    assert roles_of(listed("Drafts"), {Folder.DRAFTS: "Unsent"}).drafts == "Drafts"


@pytest.mark.parametrize("name", ["Drafts", "INBOX/Drafts", "Entwürfe", "[Mail]/DRAFTS"])
def test_drafts_are_known_by_name(name: str) -> None:
    assert roles_of(listed("INBOX", name), {}).drafts == name


def test_a_folder_near_the_top_wins() -> None:
    assert roles_of(listed("Old/Drafts", "Drafts"), {}).drafts == "Drafts"


def test_a_folder_that_cannot_be_opened_is_none() -> None:
    unusable = Listed(name="Drafts", attributes=frozenset({"\\noselect"}), separator="/")
    assert roles_of([unusable], {}).name(Folder.DRAFTS) is None


def test_without_a_drafts_folder_the_owner_is_told_what_to_do() -> None:
    with pytest.raises(MailboxIllError) as caught:
        _ = roles_of(listed("INBOX"), {}).drafts
    assert "folders = { drafts" in caught.value.remedy
