"""A small IMAP server for tests, honest until a test tells it not to be.

It keeps folders and mails in memory and answers what the adapter asks. ``capabilities`` say what it
offers; ``answers`` replaces the answer to a command by a test's own (the connection is handed over,
so a test can send anything, stop in the middle, or hang up). It runs on threads.
"""

from __future__ import annotations

import base64
import re
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

PASSWORD = "fake-secret"
TOKEN = "fake-token"

Answer = Callable[["Connection", bytes, bytes], None]
"""Gets the connection, the tag and the rest of the command line."""

_LITERAL = re.compile(rb"\{(\d+)\}\Z")


@dataclass
class Stored:
    """One mail."""

    uid: int
    raw: bytes
    flags: set[bytes] = field(default_factory=set)
    arrived: bytes = b"02-Mar-2026 09:00:00 +0000"
    thread: bytes = b"1789"


@dataclass
class Box:
    """One folder."""

    attributes: bytes = b""
    validity: int = 7
    next: int = 1
    mails: list[Stored] = field(default_factory=list)

    def add(self, raw: bytes, flags: bytes = b"") -> int:
        """Store a mail; gives its UID."""
        self.mails.append(Stored(self.next, raw, set(flags.split())))
        self.next += 1
        return self.next - 1


def default_boxes() -> dict[bytes, Box]:
    """An inbox, Drafts, Sent and Trash, marked as such."""
    return {
        b"INBOX": Box(),
        b"Drafts": Box(b"\\Drafts"),
        b"Sent": Box(b"\\Sent"),
        b"Trash": Box(b"\\Trash"),
    }


class FakeServer:
    """Listens on ``port``."""

    def __init__(self, *, tls: ssl.SSLContext | None = None) -> None:
        self.greeting = b"* OK ready"
        self.capabilities = b"IMAP4rev1 UIDPLUS AUTH=PLAIN AUTH=XOAUTH2 SASL-IR"
        self.boxes = default_boxes()
        self.answers: dict[bytes, Answer] = {}
        self.commands: list[bytes] = []
        self.connections = 0
        self.tls = tls
        self.wrapped = tls is not None
        self.uid_in_append = True
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def count(self, command: bytes) -> int:
        """How often a command came."""
        return sum(line.upper().startswith(command) for line in self.commands)

    def close(self) -> None:
        """End everything."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        for thread in self._threads:
            thread.join(5)

    def _start(self, work: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=work, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                raw, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(raw)
            self._start(self._serve, raw)

    def _serve(self, raw: socket.socket) -> None:
        try:
            if self.wrapped and self.tls is not None:
                raw = self.tls.wrap_socket(raw, server_side=True)
                self._open.append(raw)
            made = Connection(self, raw)
            try:
                made.serve()
            finally:
                made.file.close()
                made.socket.close()
        except (OSError, ssl.SSLError, ValueError):
            pass
        finally:
            raw.close()


class Connection:
    """One client."""

    def __init__(self, server: FakeServer, raw: socket.socket) -> None:
        self.server = server
        self.socket = raw
        self.file = raw.makefile("rb")
        self.box = Box()
        self.name = b""

    def send(self, octets: bytes) -> None:
        """Send octets as they are."""
        self.socket.sendall(octets)

    def line(self, octets: bytes) -> None:
        """Send a line."""
        self.send(octets + b"\r\n")

    def hang_up(self) -> None:
        """End the connection."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        raise OSError("hung up")

    def read_literal(self, line: bytes) -> bytes:
        """Let the client send the literal that *line* announces, and its line end."""
        size = int(_LITERAL.search(line)[1])  # type: ignore[index]
        self.line(b"+ go ahead")
        octets = self.file.read(size)
        self.file.readline()
        return octets

    def serve(self) -> None:
        """Answer until the client goes."""
        self.line(self.server.greeting)
        while raw := self.file.readline():
            tag, _, rest = raw.rstrip(b"\r\n").partition(b" ")
            self.server.commands.append(rest)
            upper = rest.upper()
            for name in sorted(self.server.answers, key=len, reverse=True):
                if upper.startswith(name):
                    self.server.answers[name](self, tag, rest)
                    break
            else:
                if not self.answer(tag, rest):
                    return

    def answer(self, tag: bytes, rest: bytes) -> bool:
        """The honest answer; False when the connection ends."""
        words = rest.split() or [b"nothing"]
        name = words[0].upper()
        if name == b"UID":
            name = b"UID_" + words[1].upper()
        method = getattr(self, f"do_{name.decode().lower()}", None)
        if method is None:
            self.line(tag + b" BAD unknown command")
            return True
        method(tag, rest)
        return bool(name != b"LOGOUT")

    def ok(self, tag: bytes, text: bytes = b"done") -> None:
        """The good end of a command."""
        self.line(tag + b" OK " + text)

    def do_capability(self, tag: bytes, rest: bytes) -> None:
        self.line(b"* CAPABILITY " + self.server.capabilities)
        self.ok(tag)

    def do_noop(self, tag: bytes, rest: bytes) -> None:
        self.ok(tag)

    def do_logout(self, tag: bytes, rest: bytes) -> None:
        self.line(b"* BYE bye")
        self.ok(tag)

    def do_starttls(self, tag: bytes, rest: bytes) -> None:
        assert self.server.tls is not None
        self.ok(tag)
        self.file.close()
        self.socket = self.server.tls.wrap_socket(self.socket, server_side=True)
        self.server._open.append(self.socket)
        self.file = self.socket.makefile("rb")

    def do_login(self, tag: bytes, rest: bytes) -> None:
        good = PASSWORD.encode() in rest
        self.line(tag + (b" OK in" if good else b" NO [AUTHENTICATIONFAILED] wrong"))

    def do_authenticate(self, tag: bytes, rest: bytes) -> None:
        words = rest.split()
        if len(words) > 2:
            packed = words[2]
        else:
            self.line(b"+ ")
            packed = self.file.readline().strip()
        given = base64.b64decode(packed)
        secret = PASSWORD.encode() if words[1].upper() == b"PLAIN" else b"Bearer " + TOKEN.encode()
        if secret in given:
            self.ok(tag)
            return
        if words[1].upper() == b"XOAUTH2":
            self.line(b"+ " + base64.b64encode(b'{"status":"401","schemes":"bearer"}'))
            self.file.readline()
        self.line(tag + b" NO [AUTHENTICATIONFAILED] wrong")

    def do_list(self, tag: bytes, rest: bytes) -> None:
        for name, box in self.server.boxes.items():
            self.line(b"* LIST (" + box.attributes + b') "/" "' + name + b'"')
        self.ok(tag)

    def do_examine(self, tag: bytes, rest: bytes) -> None:
        name = rest.split(b" ", 1)[1].strip().removesuffix(b" (CONDSTORE)").strip(b'"')
        box = self.server.boxes.get(name)
        if box is None:
            self.line(tag + b" NO [NONEXISTENT] no such folder")
            return
        self.box, self.name = box, name
        self.line(b"* %d EXISTS" % len(box.mails))
        self.line(b"* OK [UIDVALIDITY %d] numbers" % box.validity)
        self.line(b"* OK [UIDNEXT %d] next" % box.next)
        self.ok(tag, b"[READ-ONLY] opened")

    do_select = do_examine

    def do_uid_search(self, tag: bytes, rest: bytes) -> None:
        found = [str(mail.uid).encode() for mail in self.box.mails if self._matches(mail, rest)]
        self.line(b" ".join([b"* SEARCH", *found]))
        self.ok(tag)

    def _matches(self, mail: Stored, rest: bytes) -> bool:
        if header := re.search(rb'HEADER "([^"]+)" "([^"]+)"', rest):
            return header[2] in mail.raw
        if window := re.search(rb"UID (\d+):\*", rest):
            return mail.uid >= int(window[1])
        if thread := re.search(rb"X-GM-THRID (\d+)", rest):
            return mail.thread == thread[1]
        return True

    def do_uid_fetch(self, tag: bytes, rest: bytes) -> None:
        for mail in self.wanted(rest.split()[2]):
            self.send(self.fetched(mail, rest))
        self.ok(tag)

    def wanted(self, uids: bytes) -> list[Stored]:
        """The mails of a sequence set."""
        found = []
        for part in uids.split(b","):
            low, _, high = part.partition(b":")
            last = int(high or low) if high != b"*" else 1 << 32
            found += [mail for mail in self.box.mails if int(low) <= mail.uid <= last]
        return found

    def fetched(self, mail: Stored, rest: bytes) -> bytes:
        """The FETCH response of one mail."""
        at = self.box.mails.index(mail) + 1
        out = b"* %d FETCH (UID %d FLAGS (%s)" % (at, mail.uid, b" ".join(sorted(mail.flags)))
        out += b' INTERNALDATE "' + mail.arrived + b'"'
        if b"X-GM-THRID" in rest:
            out += b" X-GM-THRID " + mail.thread
        if b"BODY.PEEK[HEADER]" in rest:
            head = mail.raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
            out += b" BODY[HEADER]<0> {%d}\r\n" % len(head) + head
        elif b"BODY.PEEK[]" in rest:
            out += b" BODY[]<0> {%d}\r\n" % len(mail.raw) + mail.raw
        return out + b")\r\n"

    def do_append(self, tag: bytes, rest: bytes) -> None:
        name = rest.split(b'"')[1]
        raw = self.read_literal(rest)
        box = self.server.boxes.get(name)
        if box is None:
            self.line(tag + b" NO [TRYCREATE] no such folder")
            return
        uid = box.add(raw, b"\\Draft \\Seen")
        code = b"[APPENDUID %d %d] " % (box.validity, uid) if self.server.uid_in_append else b""
        self.ok(tag, code + b"stored")

    def do_uid_store(self, tag: bytes, rest: bytes) -> None:
        for mail in self.wanted(rest.split()[2]):
            if b"-FLAGS" in rest:
                mail.flags.discard(b"\\Deleted")
            else:
                mail.flags.add(b"\\Deleted")
        self.ok(tag)

    def do_uid_expunge(self, tag: bytes, rest: bytes) -> None:
        for mail in self.wanted(rest.split()[2]):
            if b"\\Deleted" in mail.flags:
                self.box.mails.remove(mail)
        self.ok(tag)

    def do_idle(self, tag: bytes, rest: bytes) -> None:
        self.line(b"+ idling")
        self.file.readline()
        self.ok(tag)
