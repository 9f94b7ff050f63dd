"""Where a recorded draft is now, by a direct get and by what else might be it.

The draft id lives through edits and ends with sending and deleting. Then its last message may lie
in the trash, another draft may have taken its place, or a sent mail of the thread is what it
became: Gmail leaves none of our marks on what the owner sends, so a sent mail in the thread that
nobody knew, or that is the last word there, counts as it. Nothing of all that: absent.

Reads only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from providers.gmail.finding import Finder, threads_of
from providers.gmail.items import Item
from providers.gmail.refs import draft_of
from providers.gmail.shelf import belongs
from providers.ports import DraftNow, DraftRef, DraftSight, Folder, Whereabouts

_LEFT: Final = {Folder.TRASH: Whereabouts.TRASHED, Folder.SENT: Whereabouts.SENT}


async def whereabouts(finder: Finder, draft: DraftRef) -> DraftNow:
    """Where one recorded draft is now, by a direct get and by what else might be it."""
    name = draft_of(draft.ref)
    got = await finder.api.draft(name) if name is not None else None
    if got is not None:
        entry, item = got
        words = await finder.shelf.learn(item)
        thrown = "TRASH" in item.labels
        same = entry.message.id == draft.version
        where = Whereabouts.UNTOUCHED if same else Whereabouts.EDITED
        where = Whereabouts.TRASHED if thrown else where
        folder = Folder.TRASH if thrown else Folder.DRAFTS
        sight = words.sight(entry.ref, entry.message, folder) if words is not None else None
        return DraftNow(where=where, sight=sight)
    return await _gone_where(finder, draft, name)


async def _gone_where(finder: Finder, draft: DraftRef, name: str | None) -> DraftNow:
    """The draft is no draft any more: its own message, another draft, or the thread tells."""
    version = str(draft.version)
    # A person may have said that it exists without saying where.
    item = await finder.api.message(version, whole=True) if version else None
    if item is not None:
        left = _LEFT.get(item.folder or Folder.INBOX)
        words = await finder.shelf.learn(item)
        if left is not None and words is not None and item.folder is not None:
            sight = words.sight(item.stub.ref, item.stub, item.folder)
            return DraftNow(where=left, sight=sight)
    threads = threads_of(draft.scope)
    if name is not None and name in finder.shelf.homes:
        threads = list(dict.fromkeys([*threads, finder.shelf.homes[name]]))
    marked, unmarked = await _successors(finder, draft, threads)
    # One that says the very same is rather a second one: what left is looked for first.
    is_edit = marked is not None and marked.content_hash != draft.content_hash
    if not is_edit:
        left_to = await _in_threads(finder, draft, threads)
        if left_to is not None:
            return left_to
    if marked is not None:
        return DraftNow(where=Whereabouts.EDITED, sight=marked)
    if unmarked is not None:
        return DraftNow(where=Whereabouts.EDITED, sight=unmarked)
    return DraftNow(where=Whereabouts.ABSENT)


async def _successors(
    finder: Finder, draft: DraftRef, threads: Sequence[str]
) -> tuple[DraftSight | None, DraftSight | None]:
    """A draft with the mark, and one without any, that took the draft's place."""
    unmarked: DraftSight | None = None
    for entry in await finder.api.drafts():
        inside = entry.message.thread in threads
        words = finder.shelf.words(entry.message.id)
        if (not inside and words is None and threads) or entry.ref in draft.others:
            continue
        read = await finder.read(entry)
        if read is None:
            continue
        words, stub = read
        sight = words.sight(entry.ref, stub, Folder.DRAFTS)
        if words.heads.mark == draft.mark:
            return sight, unmarked
        if words.heads.mark is None and (inside or belongs(words.heads, stub.thread, draft.scope)):
            unmarked = unmarked or sight
    return None, unmarked


async def _in_threads(finder: Finder, draft: DraftRef, threads: Sequence[str]) -> DraftNow | None:
    """The draft as a sent or deleted mail of its thread."""
    for thread in threads:
        items = await finder.api.thread(thread, whole=False) or []
        items.sort(key=lambda one: one.arrived_at)
        mail = [item for item in items if item.is_mail]
        marked = [one for one in items if one.heads.mark == draft.mark]
        last = mail[-1:] if mail and mail[-1].folder is Folder.SENT else []
        # Gmail leaves no mark on what the owner sends: a sent mail that nobody knew is it.
        new = [
            one
            for one in mail
            if one.folder is Folder.SENT and one.stub.ref not in draft.scope.refs
        ]
        for where, found in (
            (Whereabouts.SENT, [one for one in marked if one.folder is Folder.SENT]),
            (Whereabouts.TRASHED, [one for one in marked if one.folder is Folder.TRASH]),
            (Whereabouts.SENT, new or last),
        ):
            if found:
                return DraftNow(where=where, sight=await _sight(finder, found[0]))
    return None


async def _sight(finder: Finder, item: Item) -> DraftSight | None:
    words = await finder.words(item.stub)
    if words is None or item.folder is None:
        return None
    return words.sight(item.stub.ref, item.stub, item.folder)
