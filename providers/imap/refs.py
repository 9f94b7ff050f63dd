"""How others name a mail of an IMAP mailbox: UIDVALIDITY, UID and folder. Pure.

A mail under one UIDVALIDITY and UID never changes (RFC 3501 2.3.1.1), so reference and version are
one: what a program calls editing is a new mail with a new UID.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from storage.words import Ref, Version

_REF: Final = re.compile(r"([1-9]\d{0,9})\.([1-9]\d{0,9})/(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where one mail lies."""

    validity: int
    uid: int
    folder: str

    @property
    def ref(self) -> Ref:
        """The reference."""
        return Ref(f"{self.validity}.{self.uid}/{self.folder}")

    @property
    def version(self) -> Version:
        """The version."""
        return Version(f"{self.validity}.{self.uid}")


def spot_of(ref: Ref) -> Spot | None:
    """The place that a reference names, None when it is none of ours."""
    match = _REF.fullmatch(ref)
    return Spot(int(match[1]), int(match[2]), match[3]) if match is not None else None
