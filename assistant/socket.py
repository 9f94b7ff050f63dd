"""The socket on which a running daemon takes commands: transport only, no command is known here.

One process writes an SQLite file, so a command beside a running daemon has to be asked of it. A
frame is four bytes of length (big end first) and that many bytes of a JSON object; one request and
one answer for each connection. The socket is 0600 and lies in data_dir, or, when that path is over
100 bytes (the kernel takes little more), in a private runtime folder that data_dir records.

That a socket exists says nothing; the file lock decides. Only the lock's holder removes a stale
socket, which is why serve wants the lock. A bad client costs its own connection and nothing else.
A command that was read whole runs to its end, bounded, even if its client is gone or the daemon is
being stopped; after a crash the client is told that the answer is lost, and repeats with its key.
"""

from __future__ import annotations

import json
import os
import stat
import struct
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio
import structlog
from anyio import TASK_STATUS_IGNORED, to_thread
from anyio.streams.buffered import BufferedByteReceiveStream

from storage.errors import LockedError
from storage.fs import FileSystemKind, write_atomically
from storage.lock import POLL_S, WAIT_S, FileLock, holder_pid, try_lock

if TYPE_CHECKING:
    from anyio.abc import ByteStream, SocketStream, TaskStatus

    from storage.words import Clock

Message = Mapping[str, object]
"""A JSON object."""
Handler = Callable[[Message], Awaitable[Message]]
"""Does what a request asks and gives its answer; may run beside itself."""

SOCKET_NAME: Final = "socket"
RECORD_NAME: Final = "socket.path"
MAX_PATH_BYTES: Final = 100
_FAULT_BYTES: Final = 64 * 1024
_LENGTH: Final = struct.Struct("!I")
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one conversation; seconds and bytes."""

    receive_s: float = 10.0
    handle_s: float = 60.0
    send_s: float = 10.0
    answer_s: float = 90.0
    request_bytes: int = 1024 * 1024
    answer_bytes: int = 64 * 1024 * 1024
    clients: int = 16


LIMITS: Final = Limits()
_CLOSED: Final = (
    TimeoutError,
    OSError,
    anyio.BrokenResourceError,
    anyio.EndOfStream,
    anyio.IncompleteRead,
)


class SocketError(Exception):
    """Root of what can go wrong between a command and the daemon."""


class FrameError(SocketError):
    """What came over the socket is not a frame of ours."""


class NobodyListensError(SocketError):
    """No daemon took the request: it has certainly not been run."""


class AnswerLostError(SocketError):
    """The daemon took the request and did not answer: it may have been run."""


class RequestRefusedError(SocketError):
    """The daemon answered that it could not run the request; its words are the message."""


def encode(message: Message, *, at_most: int) -> bytes:
    """*message* as a frame. Raises FrameError when it is over *at_most* bytes."""
    body = json.dumps(message, separators=(",", ":")).encode()
    if len(body) > at_most:
        raise FrameError(f"a message of {len(body)} bytes is over the limit of {at_most}")
    return _LENGTH.pack(len(body)) + body


async def read_frame(stream: ByteStream, *, at_most: int) -> Message:
    """The next frame of *stream*. Raises FrameError, and anyio's errors of a closed stream."""
    buffered = BufferedByteReceiveStream(stream)
    (length,) = _LENGTH.unpack(await buffered.receive_exactly(_LENGTH.size))
    if length > at_most:
        raise FrameError(f"a frame of {length} bytes is over the limit of {at_most}")
    body = await buffered.receive_exactly(length)
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise FrameError("a frame must hold JSON") from error
    if not isinstance(message, dict):
        raise FrameError("a frame must hold a JSON object")
    return message


def socket_path(data_dir: Path) -> Path | None:
    """Where the socket of *data_dir* is; None when its path is too long and none is recorded."""
    near = data_dir / SOCKET_NAME
    if len(os.fsencode(near)) <= MAX_PATH_BYTES:
        return near
    try:
        return Path(os.fsdecode((data_dir / RECORD_NAME).read_bytes()))
    except OSError:
        return None


async def serve(
    lock: FileLock,
    handle: Handler,
    *,
    clock: Clock,
    limits: Limits = LIMITS,
    task_status: TaskStatus[Path] = TASK_STATUS_IGNORED,
) -> None:
    """Take requests until cancelled; *lock* is that of the data folder, and stays held meanwhile.

    Says the socket's path once it can be connected to. Raises SocketError when it cannot be made.
    """
    path = await to_thread.run_sync(_make_place, lock.data_dir)
    made: os.stat_result | None = None
    try:
        try:
            listener = await anyio.create_unix_listener(path, mode=0o600)
        except OSError as error:
            raise SocketError(
                f"the socket {path} cannot be made ({error.strerror}): remove what is in its place"
            ) from error
        slots = anyio.Semaphore(limits.clients)
        made = await to_thread.run_sync(path.lstat)
        async with listener, anyio.create_task_group() as tasks:
            task_status.started(path)
            while True:
                await slots.acquire()
                try:
                    stream = await listener.accept()
                except OSError as error:
                    # No descriptors left, or the client went at once: neither is for ever.
                    slots.release()
                    _log.warning("a command could not be accepted", problem=str(error))
                    await clock.sleep(POLL_S)
                else:
                    tasks.start_soon(_converse, stream, handle, limits, slots)
    finally:
        _remove_place(lock.data_dir, path, made)


async def ask(data_dir: Path, request: Message, *, limits: Limits = LIMITS) -> Message:
    """Ask the daemon of *data_dir*.

    Raises NobodyListensError (not run), AnswerLostError (perhaps run), RequestRefusedError and
    FrameError.
    """
    frame = encode(request, at_most=limits.request_bytes)
    stream = await _connect(data_dir)
    async with stream:
        try:
            with anyio.fail_after(limits.send_s):
                await stream.send(frame)
        except _CLOSED as error:
            raise NobodyListensError("the daemon did not take the request") from error
        try:
            with anyio.fail_after(limits.answer_s):
                reply = await read_frame(stream, at_most=limits.answer_bytes)
        except _CLOSED as error:
            raise AnswerLostError(
                "the daemon took the command but did not answer: it may have been done; give the "
                "same command again with the same --key"
            ) from error
    match reply:
        case {"answer": dict(answer)}:
            return answer
        case {"fault": str(fault)}:
            raise RequestRefusedError(fault)
        case _:
            raise FrameError("the daemon's answer makes no sense: is it of another release?")


async def reach(
    data_dir: Path,
    request: Message,
    *,
    clock: Clock,
    wait_s: float = WAIT_S,
    limits: Limits = LIMITS,
    kind_of: FileSystemKind | None = None,
) -> Message | FileLock:
    """The daemon's answer to *request*, or the lock with which the caller does it itself.

    Tries the socket, then the lock, and both again for *wait_s*: a daemon that is just starting or
    ending is neither reachable nor gone. Then raises LockedError naming the holder.
    """
    until = clock.boot_s() + wait_s
    while True:
        with suppress(NobodyListensError):
            return await ask(data_dir, request, limits=limits)
        lock = await to_thread.run_sync(lambda: try_lock(data_dir, kind_of=kind_of))
        if lock is not None:
            return lock
        if clock.boot_s() >= until:
            raise LockedError(data_dir, pid=await to_thread.run_sync(holder_pid, data_dir))
        await clock.sleep(POLL_S)


async def _connect(data_dir: Path) -> SocketStream:
    path = await to_thread.run_sync(socket_path, data_dir)
    if path is None:
        raise NobodyListensError("no daemon has recorded a socket")
    try:
        return await anyio.connect_unix(path)
    except PermissionError as error:
        raise SocketError(
            f"{path} belongs to somebody else: give the command as the daemon's user"
        ) from error
    except OSError as error:
        raise NobodyListensError(f"no daemon listens on {path}") from error


async def _converse(
    stream: SocketStream, handle: Handler, limits: Limits, slots: anyio.Semaphore
) -> None:
    """One client from its request to its answer; nothing that it does gets out of here."""
    try:
        async with stream:
            try:
                with anyio.fail_after(limits.receive_s):
                    request = await read_frame(stream, at_most=limits.request_bytes)
            except FrameError as error:
                reply: Message = {"fault": str(error)}
            else:
                reply = await _run(handle, request, limits)
            with anyio.move_on_after(limits.send_s, shield=True):
                await stream.send(_reply(reply, limits))
    except _CLOSED:
        _log.info("a command's client went away")
    finally:
        slots.release()


async def _run(handle: Handler, request: Message, limits: Limits) -> Message:
    # Shielded: a command is not half done because its client or the daemon is ending.
    with anyio.move_on_after(limits.handle_s, shield=True):
        try:
            return {"answer": await handle(request)}
        except Exception as error:  # noqa: BLE001 - supervision: the daemon goes on
            _log.exception("a command failed")
            return {"fault": f"the daemon failed to run this ({type(error).__name__}): see its log"}
    return {"fault": "the daemon did not finish this in time: give it again with the same --key"}


def _reply(reply: Message, limits: Limits) -> bytes:
    try:
        return encode(reply, at_most=limits.answer_bytes)
    except (FrameError, TypeError, ValueError) as error:
        return encode({"fault": f"the answer cannot be sent ({error})"}, at_most=_FAULT_BYTES)


def _make_place(data_dir: Path) -> Path:
    """The path to bind, its folder made and recorded where it is not data_dir itself."""
    near = data_dir / SOCKET_NAME
    if len(os.fsencode(near)) <= MAX_PATH_BYTES:
        return near
    recorded = socket_path(data_dir)
    if recorded is not None and _is_private(recorded.parent):
        return recorded
    for base in (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir()):
        if base and Path(base).is_dir() and len(os.fsencode(base)) <= MAX_PATH_BYTES - 30:
            path = Path(tempfile.mkdtemp(prefix="fencepost-", dir=base)) / SOCKET_NAME
            write_atomically(data_dir / RECORD_NAME, os.fsencode(path))
            return path
    raise SocketError("no folder for the socket has a short enough path: set XDG_RUNTIME_DIR")


def _is_private(folder: Path) -> bool:
    try:
        found = folder.lstat()
    except OSError:
        return False
    return (
        stat.S_ISDIR(found.st_mode)
        and found.st_uid == os.geteuid()
        and not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    )


def _remove_place(data_dir: Path, path: Path, made: os.stat_result | None) -> None:
    # Where data_dir was removed or replaced meanwhile, another daemon may listen there.
    with suppress(OSError):
        if made is not None and os.path.samestat(path.lstat(), made):
            path.unlink()
    if path.parent != data_dir:
        with suppress(OSError):
            path.parent.rmdir()
        with suppress(OSError):
            (data_dir / RECORD_NAME).unlink()
