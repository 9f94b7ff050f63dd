"""Which folder is which: Sent, Drafts and Trash of a mailbox.

A server that marks its folders (RFC 6154) is believed first, in whatever letter case it writes the
marks; then the owner's configuration; then names that programs are known to use. A folder that is
not found is None: reading goes on without it, and only what needs it says so. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from providers.ports import Folder, MailboxIllError

INBOX: Final = "INBOX"
_USES: Final = {Folder.SENT: "\\sent", Folder.DRAFTS: "\\drafts", Folder.TRASH: "\\trash"}
_NAMES: Final = {
    Folder.SENT: (
        "sent", "sent items", "sent messages", "sent mail", "gesendet", "gesendete elemente",
        "gesendete objekte", "envoyés", "éléments envoyés", "enviados", "elementos enviados",
        "inviati", "posta inviata", "verzonden", "verzonden items", "itens enviados",
    ),
    Folder.DRAFTS: (
        "drafts", "draft", "entwürfe", "brouillons", "borradores", "bozze", "concepten",
        "rascunhos",
    ),
    Folder.TRASH: (
        "trash", "deleted items", "deleted messages", "bin", "papierkorb", "gelöschte elemente",
        "gelöschte objekte", "corbeille", "éléments supprimés", "papelera",
        "elementos eliminados", "cestino", "prullenbak", "verwijderde items", "lixeira",
    ),
}  # fmt: skip
_UNUSABLE: Final = frozenset({"\\noselect", "\\nonexistent"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One folder of a listing: its name, its attributes in lower case, its separator."""

    name: str
    attributes: frozenset[str]
    separator: str


@dataclass(frozen=True, slots=True)
class Roles:
    """The names of the folders by role; the inbox is always there."""

    named: Mapping[Folder, str]

    def name(self, role: Folder) -> str | None:
        """The folder of a role, None where there is none."""
        return self.named.get(role)

    def role(self, name: str) -> Folder | None:
        """The role of a folder, None for one that we do not read."""
        return next((role for role, held in self.named.items() if held == name), None)

    @property
    def drafts(self) -> str:
        """Where drafts lie. Raises MailboxIllError where there is no such folder."""
        name = self.name(Folder.DRAFTS)
        if name is None:
            raise MailboxIllError(
                "the mailbox has no drafts folder",
                'make one with your mail program, or name it: folders = { drafts = "..." }',
            )
        return name

    def present(self, *roles: Folder) -> list[tuple[Folder, str]]:
        """Role and name of those of *roles* that exist."""
        return [(role, self.named[role]) for role in roles if role in self.named]


def roles_of(listed: Sequence[Listed], configured: Mapping[Folder, str]) -> Roles:
    """Tell the folders of a listing apart."""
    usable = [one for one in listed if one.name.isprintable() and not one.attributes & _UNUSABLE]
    named = {Folder.INBOX: INBOX}
    for role, use in _USES.items():
        found = _by_use(usable, use) or _configured(usable, configured.get(role))
        found = found or _by_name(usable, _NAMES[role])
        if found is not None:
            named[role] = found
    return Roles(named)


def _by_use(listed: Sequence[Listed], use: str) -> str | None:
    return next((one.name for one in listed if use in one.attributes), None)


def _configured(listed: Sequence[Listed], name: str | None) -> str | None:
    return next((one.name for one in listed if one.name == name), None)


def _by_name(listed: Sequence[Listed], names: Sequence[str]) -> str | None:
    """The folder with the best known of *names*, at the top rather than deep below."""
    found = []
    for one in listed:
        parts = one.name.split(one.separator) if one.separator else [one.name]
        if parts[-1].lower() in names and one.name.upper() != INBOX:
            found.append((len(parts), names.index(parts[-1].lower()), one.name))
    return min(found)[2] if found else None
