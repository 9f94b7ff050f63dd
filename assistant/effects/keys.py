"""Idempotency keys and fingerprints: derived from what is asked, never from what a model wrote."""

from __future__ import annotations

import hashlib
import json
import unicodedata

from storage.words import Identity, IntegrationId, IntentKey, Kind, ThreadId, UserName, Version


def create_key(
    integration: IntegrationId, thread: ThreadId, answers: Identity, generation: int
) -> IntentKey:
    """The key of the one draft that answers this message in this generation of the thread."""
    return _key(Kind.CREATE_DRAFT, integration, thread, answers, str(generation))


def remove_key(
    integration: IntegrationId, thread: ThreadId, draft: int, version: Version
) -> IntentKey:
    """The key of the removal of exactly this version of this draft."""
    return _key(Kind.REMOVE_DRAFT, integration, thread, str(draft), version)


def notice_key(user: UserName, item: int, kind: str, receiver: str) -> IntentKey:
    """The key of one notice about one review item to one receiver."""
    return _key(Kind.NOTIFY, user, str(item), kind, receiver)


def fingerprint(**asked: object) -> str:
    """A hash over what was asked; key order, Unicode form and line ends make no difference."""
    text = json.dumps(_plain(asked), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value.replace("\r\n", "\n").replace("\r", "\n"))
    if isinstance(value, dict):
        return {str(_plain(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _key(kind: Kind, *parts: str) -> IntentKey:
    joined = json.dumps(parts, ensure_ascii=True, separators=(",", ":"))
    return IntentKey(f"{kind}-{hashlib.sha256(joined.encode()).hexdigest()[:40]}")
