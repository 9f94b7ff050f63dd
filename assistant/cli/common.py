"""What the commands share: options, logging, output, and the way to the store.

Reads open the store read-only, also beside a running daemon. What changes something is asked of the
daemon over its socket; without a daemon the command takes the lock and does it itself. On
PostgreSQL, which many processes share, every command goes to the database itself.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, ParamSpec, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console
    from sqlalchemy import Connection
    from structlog.typing import EventDict

    from assistant.process import Process
    from assistant.socket import Message
    from config.loaded import Loaded
    from storage.lock import FileLock

P = ParamSpec("P")
T = TypeVar("T")

FAILED = 1
WRONG_USE = 2
WAITS = 3


def config_option(command: Callable[P, T]) -> Callable[P, T]:
    """``--config DIR`` after the command's name as well as before it."""
    return click.option(
        "--config",
        "config_dir",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Folder of the configuration.",
        callback=_config_dir,
        expose_value=True,
    )(command)


json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")


def _config_dir(
    context: click.Context, _parameter: click.Parameter, value: Path | None
) -> Path | None:
    if value is not None:
        return value
    root = context.find_root().params.get("config_dir")
    return Path(root) if isinstance(root, str) else None


def give_up(message: str, status: int = FAILED) -> NoReturn:
    """End with a message on stderr that says what to do; with ``--json`` also as the document."""
    context = click.get_current_context(silent=True)
    if context is not None and context.params.get("as_json") and not context.meta.get("printed"):
        print_json({"error": "failed", "message": message})
    click.echo(f"fencepost: {message}", err=True)
    raise SystemExit(status)


def print_json(document: object) -> None:
    """The one document of ``--json``."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta["printed"] = True
    click.echo(json.dumps(document, ensure_ascii=False, indent=2))


def finish(answer: Message, done: str | None, *, as_json: bool) -> None:
    """Print the answer to a command; a refusal ends with status 1."""
    if as_json:
        print_json(dict(answer))
    elif "error" not in answer and done is not None:
        click.echo(done)
    if "error" in answer:
        give_up(str(answer.get("message", answer["error"])))


def console() -> Console:
    """Where tables go."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def set_up_logging(*, verbose: bool = False, quiet: bool = False) -> None:
    """Logs to stderr: for a person in colour, otherwise one JSON object a line."""
    import structlog

    level = logging.DEBUG if verbose else logging.WARNING if quiet else logging.INFO
    person = sys.stderr.isatty()
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if person else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _errors_by_name,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: _Stderr(),
    )


class _Stderr:
    """Writes to what stderr is at that moment."""

    def msg(self, message: str) -> None:
        click.echo(message, err=True)

    debug = info = warning = error = exception = critical = msg


def _errors_by_name(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Keep where an error came from and drop its message: that may quote mail or an address."""
    if event.pop("exc_info", None):
        error = sys.exc_info()[1]
        event["error"] = type(error).__name__
        trace = error.__traceback__ if error is not None else None
        places = []
        while trace is not None:
            code = trace.tb_frame.f_code
            places.append(f"{Path(code.co_filename).name}:{trace.tb_lineno} {code.co_name}")
            trace = trace.tb_next
        event["at"] = places[-6:]
    return event


def load_config(config_dir: Path | None, *, served: bool = False) -> Loaded:
    """The configuration; ends with status 2 and every fault when it can't be used.

    *served*: a running daemon can do what is asked, so where one answers a fault of
    ``fencepost.toml`` is a warning.
    """
    from config.faults import ConfigError
    from config.load import find_config_dir, load

    folder = find_config_dir(config_dir)
    try:
        return load(folder)
    except ConfigError as error:
        if served:
            from assistant.cli import unread

            found = unread.served(folder, error)
            if found is not None:
                click.echo(f"fencepost: {error} (the daemon goes on as before)", err=True)
                return found
        give_up(str(error), WRONG_USE)


def told(work: Callable[P, Coroutine[object, object, T]]) -> Callable[P, T]:
    """Run an asynchronous command; what can go wrong ends it with a message, never a traceback."""

    @wraps(work)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        import anyio

        from assistant.process import StartError
        from assistant.socket import SocketError
        from config.secrets import SecretError
        from storage.errors import StorageError

        foreseen = (StartError, StorageError, SocketError, SecretError)
        try:
            return anyio.run(partial(work, *args, **kwargs))
        except (*foreseen, ExceptionGroup) as error:
            # Tasks that work side by side fail as a group.
            first: BaseException = error
            while isinstance(first, BaseExceptionGroup):
                first = first.exceptions[0]
            if isinstance(error, BaseExceptionGroup) and error.split(foreseen)[1] is not None:
                raise
            give_up(str(first))
        except KeyboardInterrupt:
            give_up("stopped")

    return run


async def read_store(loaded: Loaded, unit: Callable[[Connection], T]) -> T:
    """Run a reading unit on the store, without writing anything anywhere."""
    from assistant.opening import open_reader

    reader = await open_reader(loaded)
    try:
        return await reader.read(unit)
    finally:
        await reader.close()


async def ask_or_do(
    loaded: Loaded,
    request: Message,
    after: Callable[[Process], Awaitable[None]] | None = None,
) -> Message:
    """Have the daemon do it; without one, do it here under the lock, and what follows from it.

    On PostgreSQL it is always done here, and never where ``fencepost.toml`` can't be read.
    """
    from assistant.opening import is_shared
    from assistant.socket import ask, reach
    from assistant.timing import SystemClock
    from storage.lock import FileLock

    if loaded.daemon_faults:
        return await ask(loaded.daemon.storage.data_dir, request)
    if is_shared(loaded):
        return await _do(loaded, None, request, after)
    answer = await reach(loaded.daemon.storage.data_dir, request, clock=SystemClock())
    if not isinstance(answer, FileLock):
        return answer
    with answer as lock:
        return await _do(loaded, lock, request, after)


async def _do(
    loaded: Loaded,
    lock: FileLock | None,
    request: Message,
    after: Callable[[Process], Awaitable[None]] | None,
) -> Message:
    from assistant.process import writing
    from assistant.requests import handle
    from assistant.timing import SystemClock

    async with writing(loaded, lock, SystemClock()) as process:
        done = await handle(process.house, request)
        if after is not None and "error" not in done:
            await after(process)
        return done


@asynccontextmanager
async def lock_of(loaded: Loaded) -> AsyncIterator[FileLock | None]:
    """The lock of the data folder while it lasts; None where a server is shared."""
    from assistant.opening import is_shared
    from assistant.timing import SystemClock
    from storage.lock import acquire

    if is_shared(loaded):
        yield None
        return
    with await acquire(loaded.daemon.storage.data_dir, clock=SystemClock()) as lock:
        yield lock


def lag_ms_of(loaded: Loaded) -> int:
    """The widest lag window that is configured, in milliseconds."""
    return int(loaded.daemon.reconcile.lag.total_seconds() * 1000)


def shown(value: object, *, at_most: int | None = None) -> str:
    """Text that came from outside, safe for a terminal: no escapes, no markup, nothing unseen."""
    from rich.markup import escape

    from providers.mime.invisible import visible

    text = visible("" if value is None else str(value))
    if at_most is not None and len(text) > at_most:
        text = f"{text[: at_most - 1]}…"
    return escape(text)


def notes_of(draft: dict[str, object]) -> list[str]:
    """What of the mail answered was not taken over into a draft's headers, for a terminal."""
    notes = draft.get("notes")
    return [shown(note) for note in notes] if isinstance(notes, list) else []


def intent_name(value: object) -> str:
    """The beginning of an intent's id, by which a person tells it from others."""
    return str(value)[:8]


def program() -> str:
    """How this command was called, for lines that a person can copy."""
    called = Path(sys.argv[0])
    return str(called) if called.name == "fencepost" and called.parent != Path() else "fencepost"


def local_time(value: object, *, seconds: bool = False) -> str:
    """An RFC 3339 time as a person reads it, in this machine's zone."""
    from datetime import datetime

    if not isinstance(value, str):
        return "-"
    return (
        datetime.fromisoformat(value)
        .astimezone()
        .strftime("%Y-%m-%d %H:%M:%S" if seconds else "%Y-%m-%d %H:%M")
    )
