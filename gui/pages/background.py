"""Long work beside the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

from masons.engine.errors import MasonsError

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """The result of long work, done in a thread that the program's end does not wait for."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def finish(result: T | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except Exception as found:
            error = found
        except BaseException as found:  # whoever waits must hear of it, whatever it is
            error = MasonsError(f"the search was stopped ({type(found).__name__})")
        try:
            loop.call_soon_threadsafe(finish, result, error)
        except RuntimeError:
            return  # the program has ended meanwhile

    threading.Thread(target=run, daemon=True).start()
    return await done
