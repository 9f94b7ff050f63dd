"""A server before the test server that takes away what a plainer Gmail does not give.

A ``Change`` sees each answer of the API and returns what the client gets. It may also answer in
place of the server, or end the connection after the server has acted.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from typing_extensions import override


@dataclass(frozen=True)
class Told:
    """An answer to *verb path*; ``value`` is its JSON. ``cut``: only half of it is written."""

    verb: str
    path: str
    status: int
    value: Any
    cut: bool = False

    @property
    def name(self) -> str:
        """The path below the user, without the query: ``/drafts``."""
        return urlsplit(self.path).path.partition("/users/me")[2]

    def refused(self, status: int, envelope: bool) -> Told:
        """Refused, in Google's form or in another one."""
        google = {"error": {"code": status, "message": "Not found.", "status": "NOT_FOUND"}}
        other = {"message": "Not Found", "documentation_url": "https://docs.example.com"}
        return replace(self, status=status, value=google if envelope else other)


Change = Callable[[Told], Told]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    change: Change
    target: int

    @override
    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is none of ours."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        kept = {"Authorization", "Content-Type", "Accept"}
        link = HTTPConnection("127.0.0.1", self.server.target, timeout=30)
        try:
            sent = {name: value for name, value in self.headers.items() if name.title() in kept}
            link.request(self.command, self.path, body, sent)
            answer = link.getresponse()
            octets, kind = answer.read(), answer.getheader("Content-Type", "application/json")
        finally:
            link.close()
        told = Told(self.command, self.path, answer.status, json.loads(octets) if octets else None)
        if told.name:
            told = self.server.change(told)
            octets = b"" if told.value is None else json.dumps(told.value).encode()
        self._answer(told, octets, kind)

    def _answer(self, told: Told, octets: bytes, kind: str) -> None:
        self.send_response(told.status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(octets)))
        self.end_headers()
        self.wfile.write(octets[: len(octets) // 2] if told.cut else octets)
        self.close_connection = self.close_connection or told.cut

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def before(target: int, change: Change) -> Iterator[str]:
    """Serve the port *target* with *change* for the length of a block; the root to use."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.change, server.target = change, target
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def strip(value: Any, *names: str) -> Any:
    """*value* without the fields of these names, however deep."""
    if isinstance(value, dict):
        return {key: strip(one, *names) for key, one in value.items() if key not in names}
    return [strip(one, *names) for one in value] if isinstance(value, list) else value


def as_numbers(value: Any, *names: str) -> Any:
    """*value* with the texts of digits under these names as numbers."""
    if isinstance(value, dict):
        return {
            key: int(one)
            if key in names and isinstance(one, str) and one.isdigit()
            else as_numbers(one, *names)
            for key, one in value.items()
        }
    return [as_numbers(one, *names) for one in value] if isinstance(value, list) else value
