"""What can go wrong ends a command with a message, also where tasks work side by side."""

from __future__ import annotations

import anyio
import pytest

from assistant.cli import common
from storage.errors import StorageBusyError


async def _fail(error: Exception) -> None:
    async def fail() -> None:
        raise error

    async with anyio.create_task_group() as group:
        group.start_soon(fail)


def test_an_error_that_is_foreseen_is_told_out_of_a_group(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        common.told(_fail)(StorageBusyError("the database stays locked"))
    assert ended.value.code == common.FAILED
    assert "the database stays locked" in capsys.readouterr().err


def test_an_error_that_nobody_foresaw_keeps_its_traceback() -> None:
    with pytest.raises(ExceptionGroup):
        common.told(_fail)(ZeroDivisionError())
