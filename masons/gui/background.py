"""Long work in threads beside the event loop, and error messages for pages."""

from __future__ import annotations

import asyncio
import threading
import traceback
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from masons.engine.errors import FileLostError, MasonsError
from masons.engine.plain_text import plain
from masons.protocol.messages.error_codes import Refused

if TYPE_CHECKING:
    from masons.ai.search.threads import Stop

T = TypeVar("T")


ErrorKey = Literal[
    "changed", "turn", "move", "undo", "card", "hands", "names", "noGame", "engine", "withdrawn",
    "file", "fileLost", "bug", "board", "noPuzzles", "noMistakes", "firstMove", "noMove", "nothing",
    "hidden", "unreadable", "png", "noHints", "network",
]  # fmt: skip
"""The keys of errors whose text the page supplies in the reader's language, under `error.KEY`."""


class Declined(Refused):
    """A refusal whose text the page supplies in the reader's language.

    `params` are the values that the page inserts into the text.
    """

    def __init__(self, code: str, text: str, key: ErrorKey, **params: str) -> None:
        super().__init__(code, text)
        self.key = key
        self.params = params


@contextmanager
def declined_as(key: ErrorKey, **params: str) -> Iterator[None]:
    """Turn a MasonsError that the block raises into Declined; its text is the param `reason`."""
    try:
        yield
    except Declined:
        raise
    except MasonsError as error:
        code = error.code if isinstance(error, Refused) else "illegal"
        raise Declined(code, str(error), key, reason=str(error), **params) from error


class Tasks:
    """The running tasks of an object, held here because asyncio keeps only weak references."""

    def __init__(self) -> None:
        self.running: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task and return it."""
        task = asyncio.get_running_loop().create_task(work)
        self.running.add(task)
        task.add_done_callback(self.running.discard)
        return task

    def run(
        self, work: Callable[[], T], done: Callable[[T], None], failed: Callable[[Exception], None]
    ) -> asyncio.Task[None]:
        """Do long work in a thread; then call `done` with the result or `failed` with the error."""

        async def finish() -> None:
            try:
                result = await in_thread(work)
            except Exception as error:
                failed(error)
            else:
                done(result)

        return self.begin(finish())


def teller(stop: Stop, send: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    """Return a function with which work in a thread sends messages until it is stopped."""
    loop = asyncio.get_running_loop()

    def tell(message: dict[str, Any]) -> None:
        if not stop.is_set:
            loop.call_soon_threadsafe(send, message)

    return tell


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
        except BaseException as error:  # the page must be told of any error
            failure = MasonsError(f"the search was stopped ({type(error).__name__})")
        with suppress(RuntimeError):  # the program may have ended meanwhile
            loop.call_soon_threadsafe(finish, result, failure)

    threading.Thread(target=run, daemon=True).start()
    return await done


def error_message(error: Exception) -> dict[str, Any]:
    """Return the `error` message for an exception, with one line of text and a protocol code.

    If `key` is not None, a page can word the error in its own language from `key` and `params`. If
    the exception is a bug of the program, its traceback is also printed in the terminal.
    """
    code, text = "internal", str(error)
    key: ErrorKey | None = None
    params: dict[str, str] = {}
    if isinstance(error, Refused):
        code, text = error.code, error.text
        if isinstance(error, Declined):
            key, params = error.key, error.params
    elif isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename is not None else ""
        text = f"{name}{error.strerror or error}"
        key, params = "file", {"reason": text}
    elif isinstance(error, MasonsError):
        code = "illegal"
    elif isinstance(error, FileLostError):
        key = "fileLost"
    else:
        name = type(error).__name__
        text = f"a fault of the program ({name}): the terminal says where"
        key, params = "bug", {"name": name}
        traceback.print_exception(error)
    params = {name: _line(value) for name, value in params.items()}
    return {"type": "error", "code": code, "text": _line(text), "key": key, "params": params}


def _line(text: str) -> str:
    return plain(" ".join(text.split()))


def error_messages(error: Exception) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the `error` messages for guests and for the host.

    Only the message for the host names files.
    """
    message = error_message(error)
    if isinstance(error, FileLostError):
        return {**message, "text": "the game's file is lost: the host's page says which"}, message
    if isinstance(error, OSError):
        reason = error.strerror or type(error).__name__
        hidden = {"text": f"the game's file: {reason}", "params": {"reason": reason}}
        return message | hidden, message
    return message, message
