"""``POST /_control/NAME`` with a JSON object: what a test in another process asks of the server.

It answers JSON; 400 with ``{"error"}`` for what cannot be. Nothing here is logged or counted.
``raw`` is given as text or, in ``raw_base64``, as base64.
"""

from __future__ import annotations

import base64
import inspect
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tests.support.gmail.asking import Asked
from tests.support.gmail.clock import ServerClock
from tests.support.gmail.errors import RefusedError
from tests.support.gmail.faults import told
from tests.support.gmail.owner import Owner
from tests.support.gmail.state import told_world
from tests.support.gmail.wire import Reply

if TYPE_CHECKING:
    from tests.support.gmail.server import GmailServer

_OWNERS = {name for name, _ in inspect.getmembers(Owner, inspect.isfunction) if name[0] != "_"}


class Control:
    """The words are the public functions of Owner (with ``user``), and those of this class."""

    def __init__(self, server: GmailServer) -> None:
        self._server = server
        self._words = {
            name.removeprefix("do_"): getattr(self, name) for name in dir(self) if name[:3] == "do_"
        }

    async def serve(self, asked: Asked) -> Reply:
        """Do the word of the path."""
        word = asked.path.removeprefix("/_control/")
        try:
            value = await self._do(word, asked.json())
        except RefusedError as error:
            return Reply(raw=told({"error": str(error)}, 400).raw)
        except (ValueError, TypeError, KeyError) as error:
            return Reply(raw=told({"error": f"{type(error).__name__}: {error}"}, 400).raw)
        return Reply(raw=told(value).raw)

    async def _do(self, word: str, given: dict[str, Any]) -> object:
        if "raw_base64" in given:
            given["raw"] = base64.b64decode(given.pop("raw_base64"))
        elif isinstance(given.get("raw"), str):
            given["raw"] = given["raw"].encode()
        if word in _OWNERS:
            user = given.pop("user", None)
            owner = self._server.owner() if user is None else self._server.owner(user)
            value = getattr(owner, word)(**given)
            self._server.world.saved()
            return value
        if word not in self._words:
            raise ValueError(f"no word {word!r}: {', '.join(sorted(_OWNERS | set(self._words)))}")
        value = self._words[word](**given)
        value = await value if inspect.isawaitable(value) else value
        self._server.world.saved()
        return {} if value is None else value

    def do_login(self, **given: str) -> dict[str, Any]:
        """Tokens of an account that is made where there is none."""
        return self._server.login(**given)

    def do_client(self) -> dict[str, Any]:
        """The client file."""
        return self._server.client()

    def do_expire_tokens(self, user: str) -> None:
        """Every access token ends."""
        self._server.world.oauth.expire(user)

    def do_revoke_user(self, user: str) -> None:
        """A changed password."""
        self._server.world.oauth.forget(user)

    def do_settings(self, **given: Any) -> dict[str, Any]:
        """Change settings; all of them are answered."""
        self._server.settings.change(given)
        return asdict(self._server.settings)

    def do_fault(self, **given: Any) -> None:
        """Set a fault."""
        self._server.fault(**given)

    def do_heal(self) -> None:
        """No faults any more."""
        self._server.heal()

    def do_open(self, gate: str) -> None:
        """Open a gate."""
        self._server.open(gate)

    async def do_refuse(self, seconds: float = 1.0) -> None:
        """Refuse connections for real *seconds*: nobody could ask it to accept again."""
        await self._server.wire.refuse_for(seconds)

    def do_mute(self, quiet: bool = True) -> None:
        """Accept and never answer; what this word asks is answered all the same."""
        self._server.mute(quiet)

    def do_reset_all(self) -> None:
        """Reset every other connection that stands."""
        self._server.wire.reset_all()

    def do_latency(self, seconds: float) -> None:
        """Every call takes so long by the server's clock."""
        self._server.world.latency_s = seconds

    def do_advance(self, seconds: float) -> dict[str, Any]:
        """Move the server's clock."""
        clock = self._server.world.clock
        if not isinstance(clock, ServerClock):
            raise TypeError("this server runs on the test's own clock: advance that one")
        clock.advance(seconds)
        return {"now_s": clock.now_s()}

    def do_counters(self) -> dict[str, Any]:
        """Requests by method, tokens, units and calls at once by user."""
        world = self._server.world
        return {
            "requests": world.journal.counts(),
            "oauth": dict(world.oauth.counts),
            "units": dict(world.quota.total),
            "most_at_once": dict(world.quota.most_at_once),
            "connections": self._server.wire.connections,
            "now_s": world.now_s(),
        }

    def do_log(self) -> dict[str, Any]:
        """Every request."""
        return {"lines": self._server.journal.told()}

    def do_effects(self, header: str = "message-id", methods: list[str] | None = None) -> object:
        """How often each value of that field took effect."""
        found = self._server.journal.effects(header, *(methods or []))
        return {value: len(lines) for value, lines in found.items()}

    def do_state(self) -> dict[str, Any]:
        """The mailboxes."""
        return told_world(self._server.world)
