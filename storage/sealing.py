"""Secrets that lie in the database: AES-256-GCM under a key of the installation.

Whoever reads the database, a backup of it or the wire to it learns nothing without the
installation's key, which is never there. What is sealed names its row and its version as associated
data, so that neither can a row be put in another's place nor an old one back in its own.

A random nonce of 96 bits is safe for 2^32 sealings under one key; a login is sealed once an hour.
Pure but for the nonce; no error holds what was sealed. Source: NIST SP 800-38D.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from typing import Final

_NONCE: Final = 12
_KEY: Final = 32


class SealError(Exception):
    """What lies in the database can't be opened with this installation's key."""


class Sealer:
    """Seals and opens under one key of 32 bytes."""

    __slots__ = ("_key", "fingerprint")

    def __init__(self, key: bytes) -> None:
        if len(key) != _KEY:
            raise ValueError("the key of a sealer has 32 bytes")
        self._key = key
        self.fingerprint = hmac.new(key, b"fingerprint", hashlib.sha256).hexdigest()[:16]
        """Tells one key from another and says nothing about it."""

    def seal(self, text: str, *, place: str, version: int) -> bytes:
        """*text* as it may lie in the row *place* as its *version*."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = os.urandom(_NONCE)
        return nonce + AESGCM(self._key).encrypt(nonce, text.encode(), _bound(place, version))

    def open(self, sealed: bytes, *, place: str, version: int, fingerprint: str) -> str:
        """The text that was sealed for exactly this row and version. Raises SealError."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        if not hmac.compare_digest(fingerprint.encode(), self.fingerprint.encode()):
            raise SealError(
                f"what lies in the database for {place} was sealed with another installation key: "
                "give every host of the fleet the same installation.key, or log in again with: "
                f"fencepost login {place}"
            )
        nonce, rest = sealed[:_NONCE], sealed[_NONCE:]
        try:
            return AESGCM(self._key).decrypt(nonce, rest, _bound(place, version)).decode()
        except (InvalidTag, ValueError):
            raise SealError(
                f"what lies in the database for {place} was damaged or put there from elsewhere: "
                f"log in again with: fencepost login {place}"
            ) from None


def _bound(place: str, version: int) -> bytes:
    return f"fencepost token 1\0{place}\0{version}".encode()
