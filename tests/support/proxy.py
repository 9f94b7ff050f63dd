"""A TCP proxy that cuts, delays or swallows a stream at a chosen byte, before or after an effect.

It runs on threads, so that a test in an event loop and a process beside it can both go through it.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum


class To(Enum):
    """Which way the octets go."""

    SERVER = "server"
    CLIENT = "client"


class Act(Enum):
    """What happens at the chosen byte."""

    CUT = "cut"  # both ends are reset; what was passed on before has arrived
    HOLE = "hole"  # nothing goes either way any more, and nobody is told
    DELAY = "delay"  # the stream stands still for a while and goes on


@dataclass
class Rule:
    """At *offset* octets from the start of *marker* in the stream *to* somebody: do *act*.

    ``times`` is how often; ``chance`` says for each match whether to act.
    """

    to: To
    marker: bytes
    act: Act
    offset: int = 0
    seconds: float = 0.0
    times: int = 1
    chance: Callable[[], bool] = lambda: True
    acted: threading.Event = field(default_factory=threading.Event)


class Proxy:
    """Listens on ``port`` and passes on to *target*."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._lock = threading.Lock()
        self._rules: list[Rule] = []
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._threads: list[threading.Thread] = []
        self._closed = False
        self.connections = 0
        self._start(self._accept)

    def add(self, rule: Rule) -> Rule:
        """From now on follow *rule*."""
        with self._lock:
            self._rules.append(rule)
        return rule

    def cut_all(self) -> None:
        """Reset every connection that stands."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            _reset(*pair)

    def close(self) -> None:
        """End everything."""
        self._closed = True
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut_all()
        for thread in self._threads:
            thread.join(5)

    def _start(self, work: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=work, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._target), 5)
            except OSError:
                _reset(client)
                continue
            server.settimeout(None)
            with self._lock:
                self.connections += 1
                self._pairs.append((client, server))
            hole = threading.Event()
            self._start(self._pump, client, server, To.SERVER, hole)
            self._start(self._pump, server, client, To.CLIENT, hole)

    def _pump(
        self, source: socket.socket, sink: socket.socket, to: To, hole: threading.Event
    ) -> None:
        carry = b""
        while True:
            try:
                octets = source.recv(65536)
            except OSError:
                octets = b""
            if not octets:
                with suppress(OSError):
                    sink.shutdown(socket.SHUT_WR)
                return
            if hole.is_set():
                continue
            carry, done = self._pass(octets, carry, sink, source, to, hole)
            if done:
                return

    def _pass(
        self,
        octets: bytes,
        carry: bytes,
        sink: socket.socket,
        source: socket.socket,
        to: To,
        hole: threading.Event,
    ) -> tuple[bytes, bool]:
        window = carry + octets
        rule, at = self._matching(window, len(carry), to)
        if rule is None:
            return window[-64:] if _send(sink, octets) else b"", False
        split = max(0, at + rule.offset - len(carry))
        while split > len(octets):
            more = source.recv(65536)
            if not more:
                break
            octets += more
        _send(sink, octets[:split])
        if rule.act is Act.DELAY:
            rule.acted.set()
            time.sleep(rule.seconds)
            _send(sink, octets[split:])
            return b"", False
        if rule.act is Act.HOLE:
            hole.set()
            rule.acted.set()
            return b"", False
        _reset(source, sink)
        rule.acted.set()
        return b"", True

    def _matching(self, window: bytes, before: int, to: To) -> tuple[Rule | None, int]:
        with self._lock:
            for rule in self._rules:
                # What was passed on already cannot be the chosen byte any more.
                at = window.find(rule.marker, max(0, before - len(rule.marker) + 1))
                if rule.to is to and rule.times > 0 and at >= 0 and rule.chance():
                    rule.times -= 1
                    return rule, at
        return None, 0


def _send(sink: socket.socket, octets: bytes) -> bool:
    try:
        sink.sendall(octets)
    except OSError:
        return False
    return True


def _reset(*sockets: socket.socket) -> None:
    for one in sockets:
        with suppress(OSError):
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        with suppress(OSError):
            one.shutdown(socket.SHUT_RD)
        one.close()
