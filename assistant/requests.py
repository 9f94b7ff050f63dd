"""The commands that change something, as requests: served by the daemon's socket or by ourselves.

A request is a JSON object ``{"do": name, ...}``; an answer is a JSON object. What is refused comes
back as ``{"error": kind, "message": text}`` so that it looks the same over the socket and without.
"""

from __future__ import annotations

import anyio
import structlog

from assistant.commands.deciding import RefusedError
from assistant.commands.login import logged_in
from assistant.commands.review import CommandError, Decision, perform
from assistant.commands.switch import pause, resume
from assistant.house import House
from assistant.socket import Message
from storage.errors import CommitUnknownError
from storage.receipts import ConflictError
from storage.signals import Signal
from storage.words import Action

log = structlog.get_logger()


async def handle(house: House, request: Message) -> dict[str, object]:
    """Do what a request asks; refusals are answers, not errors."""
    try:
        answer = await _handle(house, request)
    except ConflictError as error:
        return {"error": "conflict", "message": str(error), "key": error.key}
    except RefusedError as error:
        return {"error": "refused", "message": str(error)}
    except CommitUnknownError as error:
        message = f"{error}; give the same command again with the same --key"
        return {"error": "unknown", "message": message}
    except CommandError as error:
        return {"error": "failed", "message": str(error)}
    await house.tell_others(*Signal)
    return answer


async def _handle(house: House, request: Message) -> dict[str, object]:
    match request:
        case {"do": "review", "items": list(items), "action": str(action), "key": str(key)}:
            decision = Decision(
                items=tuple(int(str(item)) for item in items),
                action=_action(action),
                key=key,
                ref=_text(request.get("ref")),
                note=_text(request.get("note")),
            )
            return (await perform(house, decision)).as_json()
        case {"do": "pause"}:
            return await pause(house, _text(request.get("mailbox")))
        case {"do": "resume"}:
            return await resume(house, _text(request.get("mailbox")))
        case {"do": "logged_in", "mailbox": str(mailbox)}:
            return await logged_in(house, mailbox)
        case {"do": "ping"}:
            await anyio.lowlevel.checkpoint()
            return {"worker": house.worker}
        case _:
            raise CommandError("the daemon does not know this command; is it of another release?")


def _action(name: str) -> Action:
    try:
        return Action(name)
    except ValueError as error:
        known = ", ".join(Action)
        raise CommandError(f"there is no action {name}; there are: {known}") from error


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
