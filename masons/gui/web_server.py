"""The socket with its address, and the server that runs until Ctrl-C.

Heavy modules are imported only when they are needed.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from masons.engine.errors import MasonsError

if TYPE_CHECKING:
    from masons.gui.guard import Guard
    from masons.gui.open_games import OpenGames
    from masons.gui.web_app import GamesOf, Screen

# By default the server uses the first free port of these, so its port is usually the same.
USUAL_PORTS: Final = range(8417, 8427)
_CLOSING_SECONDS: Final = 1
_SCREEN_SECONDS: Final = 1.0  # the longest wait for a page to show its first screen
_QUEUE: Final = 1024  # the most connections that wait to be accepted
_MOST_HALF_OPEN: Final = 128
# The most connections accepted at once. The limit of half-open ones can be exceeded by this number.
_ACCEPTED_AT_ONCE: Final = 8
_EVERYWHERE: Final = ("0.0.0.0", "::", "")


@dataclass(frozen=True)
class Listening:
    """A socket that listens on a host and port."""

    socket: socket.socket
    host: str
    port: int

    def address(self, token: str) -> str:
        """Return the address that a browser can open."""
        name = _machine_address() if self.host in _EVERYWHERE else self.host
        return f"http://{f'[{name}]' if ':' in name else name}:{self.port}/{token}/"


def listen(host: str, port: int | None) -> Listening:
    """Listen on a port.

    If `port` is None, this is the first free port of USUAL_PORTS, or any free port if all of these
    are in use. Raises MasonsError.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    ports = (*USUAL_PORTS, 0) if port is None else (port,)
    reason = ""
    for number in ports:
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, number))
            listener.listen(_QUEUE)
        except (OSError, OverflowError) as error:
            listener.close()
            reason = getattr(error, "strerror", None) or str(error)
            continue
        listener.set_inheritable(False)
        return Listening(listener, host, listener.getsockname()[1])
    where = f"{host}, port {port}" if port is not None else host
    raise MasonsError(f"cannot listen on {where}: {reason}; --port and --host choose another")


def _machine_address() -> str:
    """Return this machine's address in the local network, or its name if it has no address.

    This sends nothing over the network.
    """
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
    except OSError:
        return socket.gethostname()


class GamesLater:
    """The open games, which are made in a thread once a page shows its first screen.

    Making the games loads the engine, which would delay that screen.
    """

    def __init__(self, make: Callable[[], OpenGames], idle_seconds: float) -> None:
        """Prepare to make the games. After `idle_seconds`, make them even if no page connected."""
        self._make = make
        self._made: Future[OpenGames] = Future()
        self._lock = threading.Lock()
        self._timer = threading.Timer(idle_seconds, self._run)
        self._timer.daemon = True
        self._timer.start()

    def _run(self) -> None:
        if not self._lock.acquire(blocking=False):
            return  # the games are being made already
        try:
            self._made.set_result(self._make())
        except BaseException as error:
            self._made.set_exception(error)

    async def games(self, is_shown: asyncio.Event) -> OpenGames:
        """Wait until the games are ready, and return them.

        Making the games begins when `is_shown` is set, or after one second. Raises any error that
        occurs while the games are made.
        """
        if not self._made.done():
            with suppress(TimeoutError):
                await asyncio.wait_for(is_shown.wait(), _SCREEN_SECONDS)
            self._timer.cancel()
            threading.Thread(target=self._run, daemon=True).start()
        while not self._made.done():
            await asyncio.sleep(0.02)
        return self._made.result()

    def close(self) -> None:
        """Close the games if they are ready."""
        self._timer.cancel()
        if self._made.done() and self._made.exception() is None:
            self._made.result().close()


def serve(
    listening: Listening,
    guard: Guard,
    games_of: GamesOf,
    say: Callable[[str], None],
    screen: Screen = tuple,
) -> None:
    """Serve pages until a signal ends the server; the signal is then raised again.

    `say` prints a line in the terminal. `screen` returns the messages of the first screen (see
    `web_app`).
    """
    import uvicorn

    from masons.gui.messages import MAX_BYTES
    from masons.gui.web_app import HalfOpen, PageConnection, PageSocket, web_app

    half_open = HalfOpen(_most_half_open(), say)
    config = uvicorn.Config(
        web_app(guard, games_of, screen),
        http=partial(PageConnection, half_open), ws=PageSocket,  # type: ignore[arg-type]
        log_config=None, log_level="error", access_log=False, lifespan="off",
        backlog=_ACCEPTED_AT_ONCE, ws_max_size=MAX_BYTES,
        timeout_graceful_shutdown=_CLOSING_SECONDS, server_header=False,
    )  # fmt: skip

    class PageServer(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            asyncio.get_running_loop().set_exception_handler(half_open.on_error)
            await super().startup(sockets)
            listening.socket.listen(_QUEUE)  # as asyncio has made the queue too short

    asyncio.run(PageServer(config).serve(sockets=[listening.socket]))


def _most_half_open() -> int:
    """Return how many half-open connections to allow, at most a quarter of the files allowed."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return _MOST_HALF_OPEN
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST_HALF_OPEN if files < 0 else min(_MOST_HALF_OPEN, files // 4)
