"""Long work beside the event loop, and errors as a page is told them."""

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
    """Running tasks, held until they end: one that nobody holds may vanish."""

    def __init__(self) -> None:
        self.running: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task and return it."""
        task = asyncio.get_running_loop().create_task(work)
        self.running.add(task)
        task.add_done_callback(self.running.discard)
        return task


async def in_thread(work: Callable[[], T]) -> T:
    """Return the result of long work, done in a thread that the program's end does not wait for."""
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
        except BaseException as error:  # whoever waits must hear of it, whatever it is
            failure = MasonsError(f"the search was stopped ({type(error).__name__})")
        with suppress(RuntimeError):  # the program has ended meanwhile
            loop.call_soon_threadsafe(finish, result, failure)

    threading.Thread(target=run, daemon=True).start()
    return await done


def error_message(error: Exception) -> dict[str, Any]:
    """Return an error as a message of one line, with a code of the protocol.

    A fault of the program itself is named too, and its traceback is printed in the terminal.
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
    """Return an error as guests are told it, and as the host is: only the host's names files."""
    message = error_message(error)
    if isinstance(error, FileLostError):
        return {**message, "text": "the game's file is lost: the host's page says which"}, message
    if isinstance(error, OSError):
        text = f"the game's file: {error.strerror or type(error).__name__}"
        return {**message, "text": text}, message
    return message, message
