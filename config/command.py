"""One command run for what it prints: without a shell, within a time, killed whole.

Exists because ``subprocess.run`` waits for every helper that a command leaves behind and keeps
whatever is printed. Here the command has a process group of its own, which is killed when it is
late or talks too much. Its errors are thrown away, for they may repeat a secret.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from typing import Final

LIMIT: Final = 1 << 20
"""Bytes that a command may print."""


class CommandError(Exception):
    """A command gave nothing to use; the message says why, and never what it printed."""


def output_of(words: Sequence[str], timeout_s: float) -> bytes:
    """Run the program ``words[0]`` with the arguments after it and return what it prints. Blocks.

    Raises CommandError if it can't be started, fails, prints more than 1 MiB or takes longer than
    *timeout_s*.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 - the owner of this machine wrote the command
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise CommandError(f"can't be started ({error.strerror})") from error
    with process:
        try:
            output = _drain(process, time.monotonic() + timeout_s)
        except BaseException:
            _kill(process)
            raise
    if process.returncode:
        raise CommandError(f"ended with exit status {process.returncode}")
    return output


def _drain(process: subprocess.Popen[bytes], deadline_s: float) -> bytes:
    """Read all output and wait for the end, until *deadline_s* of the monotonic clock."""
    output = bytearray()
    pipe = process.stdout
    if pipe is None:
        return b""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while selector.select(max(0.0, deadline_s - time.monotonic())):
            chunk = os.read(pipe.fileno(), 65_536)
            if not chunk:
                break
            output += chunk
            if len(output) > LIMIT:
                raise CommandError("printed more than 1 MiB")
        else:
            raise CommandError("took too long")
    try:
        process.wait(max(0.0, deadline_s - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise CommandError("took too long") from None
    return bytes(output)


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()
