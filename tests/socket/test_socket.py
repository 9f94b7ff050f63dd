"""Commands reach the daemon, a bad client harms nobody, and no command is run twice."""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import anyio
import pytest

from assistant.socket import (
    AnswerLostError,
    FrameError,
    Limits,
    Message,
    NobodyListensError,
    RequestRefusedError,
    SocketError,
    ask,
    encode,
    reach,
    serve,
    socket_path,
)
from storage.errors import LockedError
from storage.lock import FileLock, try_lock
from tests.storage.clocks import SteppingClock

Serving = Callable[..., AbstractAsyncContextManager[Path]]


async def echo(request: Message) -> Message:
    return {"echo": request}


@pytest.fixture
def data_dir() -> Iterator[Path]:
    # pytest's own folders have paths too long for a socket in them.
    with tempfile.TemporaryDirectory(prefix="fp-") as folder:
        yield Path(folder)


@pytest.fixture
def lock(data_dir: Path) -> Iterator[FileLock]:
    held = try_lock(data_dir)
    assert held is not None
    with held:
        yield held


@asynccontextmanager
async def serving(
    lock: FileLock,
    handle: Callable[[Message], Awaitable[Message]] = echo,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> AsyncIterator[Path]:
    async with anyio.create_task_group() as tasks:

        async def run(*, task_status: anyio.abc.TaskStatus[Path]) -> None:
            clock = SteppingClock()
            await serve(lock, handle, clock=clock, limits=limits, task_status=task_status)

        yield await tasks.start(run)
        tasks.cancel_scope.cancel()


def raw(path: Path, data: bytes) -> None:
    """A client that sends *data*, reads nothing and goes."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(data)


async def test_request_is_answered(lock: FileLock, data_dir: Path) -> None:
    async with serving(lock):
        assert await ask(data_dir, {"command": "pause"}) == {"echo": {"command": "pause"}}


async def test_many_requests_at_once_are_all_answered(lock: FileLock, data_dir: Path) -> None:
    answers: list[object] = []

    async def one(number: int) -> None:
        answers.append((await ask(data_dir, {"n": number}))["echo"])

    async with serving(lock, limits=Limits(clients=3)), anyio.create_task_group() as tasks:
        for number in range(40):
            tasks.start_soon(one, number)
    assert sorted(json.dumps(answer) for answer in answers) == sorted(
        json.dumps({"n": number}) for number in range(40)
    )


async def test_long_answer_arrives_whole(lock: FileLock, data_dir: Path) -> None:
    async def long(_: Message) -> Message:
        return {"text": "ä" * 2_000_000}

    async with serving(lock, long):
        assert (await ask(data_dir, {}))["text"] == "ä" * 2_000_000


async def test_socket_is_for_the_owner_only(lock: FileLock) -> None:
    async with serving(lock) as path:
        assert path.stat().st_mode & 0o777 == 0o600


async def test_socket_is_removed_at_an_orderly_end(lock: FileLock, data_dir: Path) -> None:
    async with serving(lock):
        pass
    assert os.listdir(data_dir) == ["lock"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00",
        b"GET / HTTP/1.1\r\n\r\n",
        struct.pack("!I", 0xFFFFFFFF),
        struct.pack("!I", 10) + b"half",
        struct.pack("!I", 4) + b"nope",
        struct.pack("!I", 2) + b"[]",
        struct.pack("!I", 200_000) + b"[" * 200_000,
        struct.pack("!I", 2) + b"\xff\xfe",
    ],
)
async def test_bad_client_does_not_stop_the_server(
    lock: FileLock, data_dir: Path, data: bytes
) -> None:
    async with serving(lock) as path:
        await anyio.to_thread.run_sync(raw, path, data)
        assert await ask(data_dir, {}) == {"echo": {}}


async def test_silent_client_is_let_go(lock: FileLock) -> None:
    async with (
        serving(lock, limits=Limits(receive_s=0, clients=1)) as path,
        await anyio.connect_unix(path) as silent,
    ):
        with pytest.raises(anyio.EndOfStream):
            await silent.receive()


async def test_client_that_never_reads_its_answer_is_let_go(lock: FileLock, data_dir: Path) -> None:
    async def long(request: Message) -> Message:
        return {"text": "x" * 4_000_000} if "long" in request else {}

    async with (
        serving(lock, long, Limits(send_s=0.1, clients=1)) as path,
        await anyio.connect_unix(path) as deaf,
    ):
        await deaf.send(encode({"long": True}, at_most=100))
        assert await ask(data_dir, {}) == {}


async def test_request_over_the_limit_is_refused_with_words(lock: FileLock, data_dir: Path) -> None:
    async with serving(lock, limits=Limits(request_bytes=50)):
        with pytest.raises(RequestRefusedError, match="over the limit of 50"):
            await ask(data_dir, {"text": "x" * 60})


async def test_own_request_over_the_limit_is_not_sent(data_dir: Path) -> None:
    with pytest.raises(FrameError, match="over the limit"):
        await ask(data_dir, {"text": "x" * 60}, limits=Limits(request_bytes=50))


async def test_answer_over_the_limit_is_refused_with_words(lock: FileLock, data_dir: Path) -> None:
    async with serving(lock, limits=Limits(answer_bytes=50)):
        with pytest.raises(RequestRefusedError, match="over the limit of 50"):
            await ask(data_dir, {"text": "x" * 60})


async def test_answer_that_is_no_json_is_refused_with_words(lock: FileLock, data_dir: Path) -> None:
    async def path(_: Message) -> Message:
        return {"path": Path("x")}

    async with serving(lock, path):
        with pytest.raises(RequestRefusedError, match="cannot be sent"):
            await ask(data_dir, {})


async def test_fault_in_one_command_does_not_stop_the_server(
    lock: FileLock, data_dir: Path
) -> None:
    async def faulty(request: Message) -> Message:
        return {"half": 1 // int(str(request["by"]))}

    async with serving(lock, faulty):
        with pytest.raises(RequestRefusedError, match="ZeroDivisionError"):
            await ask(data_dir, {"by": 0})
        assert await ask(data_dir, {"by": 1}) == {"half": 1}


async def test_command_runs_to_its_end_though_its_client_is_gone(lock: FileLock) -> None:
    begun, go, ended = anyio.Event(), anyio.Event(), anyio.Event()

    async def slow(_: Message) -> Message:
        begun.set()
        await go.wait()
        ended.set()
        return {}

    async with serving(lock, slow) as path:
        await anyio.to_thread.run_sync(raw, path, encode({}, at_most=100))
        await begun.wait()
        go.set()
        await ended.wait()


async def test_command_in_work_is_answered_though_the_daemon_is_stopped(
    lock: FileLock, data_dir: Path
) -> None:
    begun = anyio.Event()
    answers: list[Message] = []

    async def slow(_: Message) -> Message:
        begun.set()
        await anyio.lowlevel.checkpoint()
        await anyio.lowlevel.checkpoint()
        return {"done": True}

    async def client() -> None:
        answers.append(await ask(data_dir, {}))

    async with anyio.create_task_group() as clients, serving(lock, slow):
        clients.start_soon(client)
        await begun.wait()
    assert answers == [{"done": True}]


async def test_command_that_hangs_is_given_up_with_words(lock: FileLock, data_dir: Path) -> None:
    async def hang(_: Message) -> Message:
        await anyio.sleep_forever()
        return {}

    async with serving(lock, hang, Limits(handle_s=0)):
        with pytest.raises(RequestRefusedError, match="same --key"):
            await ask(data_dir, {})


async def test_lost_answer_is_not_taken_for_a_command_that_was_not_run(data_dir: Path) -> None:
    async def swallow(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            await stream.receive()

    path = socket_path(data_dir)
    assert path is not None
    async with (
        await anyio.create_unix_listener(path) as listener,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(listener.serve, swallow)
        with pytest.raises(AnswerLostError, match="may have been done"):
            await ask(data_dir, {})
        tasks.cancel_scope.cancel()


async def test_answer_that_does_not_come_in_time_is_lost(lock: FileLock, data_dir: Path) -> None:
    async def hang(_: Message) -> Message:
        await anyio.sleep_forever()
        return {}

    async with serving(lock, hang, Limits(handle_s=0.05)):
        with pytest.raises(AnswerLostError):
            await ask(data_dir, {}, limits=Limits(answer_s=0))


async def test_without_a_daemon_nobody_listens(data_dir: Path) -> None:
    with pytest.raises(NobodyListensError):
        await ask(data_dir, {})


async def test_stale_socket_is_nobody(data_dir: Path) -> None:
    stale(data_dir)
    with pytest.raises(NobodyListensError):
        await ask(data_dir, {})


async def test_stale_socket_is_replaced_by_the_holder_of_the_lock(
    lock: FileLock, data_dir: Path
) -> None:
    stale(data_dir)
    async with serving(lock):
        assert await ask(data_dir, {}) == {"echo": {}}


async def test_client_leaves_a_stale_socket_alone(data_dir: Path) -> None:
    stale(data_dir)
    with pytest.raises(NobodyListensError):
        await ask(data_dir, {})
    assert (data_dir / "socket").exists()


async def test_file_in_the_place_of_the_socket_is_told(lock: FileLock, data_dir: Path) -> None:
    (data_dir / "socket").write_text("not a socket")
    with pytest.raises(SocketError, match="remove what is in its place"):
        await serve(lock, echo, clock=SteppingClock())


async def test_command_without_a_daemon_takes_the_lock_itself(data_dir: Path) -> None:
    held = await reach(data_dir, {}, clock=SteppingClock())
    assert isinstance(held, FileLock)
    held.release()


async def test_command_beside_a_daemon_is_asked_of_it(lock: FileLock, data_dir: Path) -> None:
    async with serving(lock):
        assert await reach(data_dir, {"a": 1}, clock=SteppingClock()) == {"echo": {"a": 1}}


async def test_command_after_a_killed_daemon_takes_the_lock(data_dir: Path) -> None:
    stale(data_dir)
    held = await reach(data_dir, {}, clock=SteppingClock())
    assert isinstance(held, FileLock)
    held.release()


async def test_holder_that_never_listens_is_named_after_five_seconds(
    lock: FileLock, data_dir: Path
) -> None:
    clock = SteppingClock()
    with pytest.raises(LockedError, match=f"process {os.getpid()} holds"):
        await reach(data_dir, {}, clock=clock)
    assert sum(clock.slept) == pytest.approx(5.0, abs=0.2)


async def test_daemon_that_is_still_starting_is_waited_for(lock: FileLock, data_dir: Path) -> None:
    starting, answered = anyio.Event(), anyio.Event()

    async def client() -> None:
        # Its clock runs at once, so it may try for long while the socket is being made.
        clock = SteppingClock(asleep=starting.set)
        assert await reach(data_dir, {}, clock=clock, wait_s=1e9) == {"echo": {}}
        answered.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(client)
        await starting.wait()
        async with serving(lock):
            await answered.wait()


async def test_daemon_that_is_just_ending_leaves_the_lock_to_the_command(
    lock: FileLock, data_dir: Path
) -> None:
    held = await reach(data_dir, {}, clock=SteppingClock(asleep=lock.release))
    assert isinstance(held, FileLock)
    held.release()


@pytest.fixture
def deep(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    runtime = data_dir / "runtime"
    runtime.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    folder = data_dir / ("d" * 100)
    folder.mkdir()
    return folder


async def test_long_path_is_served_from_a_private_runtime_folder(deep: Path) -> None:
    held = try_lock(deep)
    assert held is not None
    with held:
        async with serving(held) as path:
            assert path.parent.parent == deep.parent / "runtime"
            assert path.parent.stat().st_mode & 0o777 == 0o700
            assert await ask(deep, {}) == {"echo": {}}
    assert list((deep.parent / "runtime").iterdir()) == []


async def test_recorded_folder_is_used_again_after_a_crash(deep: Path) -> None:
    left = Path(tempfile.mkdtemp(dir=deep.parent / "runtime"))
    (deep / "socket.path").write_bytes(os.fsencode(left / "socket"))
    held = try_lock(deep)
    assert held is not None
    with held:
        async with serving(held) as path:
            assert path == left / "socket"


async def test_recorded_folder_that_others_can_enter_is_not_used(deep: Path) -> None:
    left = deep.parent / "runtime" / "open"
    left.mkdir(mode=0o755)
    (deep / "socket.path").write_bytes(os.fsencode(left / "socket"))
    held = try_lock(deep)
    assert held is not None
    with held:
        async with serving(held) as path:
            assert path.parent != left
            assert await ask(deep, {}) == {"echo": {}}


async def test_long_path_without_a_record_is_nobody(deep: Path) -> None:
    with pytest.raises(NobodyListensError):
        await ask(deep, {})


def stale(data_dir: Path) -> None:
    """What a daemon that was killed leaves behind."""
    program = (
        "import socket, sys, os; s = socket.socket(socket.AF_UNIX);"
        "s.bind(sys.argv[1]); s.listen(); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", program, str(data_dir / "socket")], check=True)
