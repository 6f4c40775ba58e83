"""Long work beside the event loop, and error messages for pages."""

from __future__ import annotations

import asyncio
import threading
import traceback
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from masons.engine.errors import FileLostError, MasonsError
from masons.engine.plain_text import plain
from masons.protocol.messages.error_codes import Refused

T = TypeVar("T")


class Tasks:
    """A set that holds running tasks, as a task without a reference may be discarded."""

    def __init__(self) -> None:
        self.running: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task and return it."""
        task = asyncio.get_running_loop().create_task(work)
        self.running.add(task)
        task.add_done_callback(self.running.discard)
        return task


async def in_thread(work: Callable[[], T]) -> T:
    """Do long work in a thread and return its result.

    The program can end without waiting for the thread.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def finish(result: T | None, error: Exception | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result: T | None = None
        failure: Exception | None = None
        try:
            result = work()
        except Exception as error:
            failure = error
        except BaseException as error:  # whoever waits must be told of any error
            failure = MasonsError(f"the search was stopped ({type(error).__name__})")
        with suppress(RuntimeError):  # the program may have ended meanwhile
            loop.call_soon_threadsafe(finish, result, failure)

    threading.Thread(target=run, daemon=True).start()
    return await done


def error_message(error: Exception) -> dict[str, Any]:
    """Return the `error` message for an exception, with one line of text and a protocol code.

    If the exception is a bug of the program, its traceback is also printed in the terminal.
    """
    if isinstance(error, Refused):
        return {"type": "error", "code": error.code, "text": error.text}
    code, text = "internal", str(error)
    if isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename is not None else ""
        text = f"{name}{error.strerror or error}"
    elif isinstance(error, MasonsError):
        code = "illegal"
    elif not isinstance(error, FileLostError):
        text = f"a fault of the program ({type(error).__name__}): the terminal says where"
        traceback.print_exception(error)
    return {"type": "error", "code": code, "text": plain(" ".join(text.split()))}


def error_messages(error: Exception) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the `error` messages for guests and for the host.

    Only the message for the host names files.
    """
    message = error_message(error)
    if isinstance(error, FileLostError):
        return {**message, "text": "the game's file is lost: the host's page says which"}, message
    if isinstance(error, OSError):
        text = f"the game's file: {error.strerror or type(error).__name__}"
        return {**message, "text": text}, message
    return message, message
