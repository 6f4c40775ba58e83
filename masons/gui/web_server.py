"""The socket with its address, and the server that runs until Ctrl-C.

Heavy modules are imported only when they are needed.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from masons.engine.errors import MasonsError
from masons.gui.guard import origin_of

if TYPE_CHECKING:
    from masons.gui.open_games import OpenGames

# By default the server uses the first free port of these, so its port is usually the same.
USUAL_PORTS: Final = range(8417, 8427)
_CLOSING_SECONDS: Final = 1
_QUEUE: Final = 1024  # the most connections that wait to be accepted
_MOST_HALF_OPEN: Final = 128
# The most connections accepted at once. The limit of half-open ones can be exceeded by this number.
_ACCEPTED_AT_ONCE: Final = 8
_LOOPBACK: Final = "127."
_EVERYWHERE: Final = ("0.0.0.0", "::", "")


@dataclass(frozen=True)
class Listening:
    """A socket that listens on a host and port."""

    socket: socket.socket
    host: str
    port: int

    def address(self, token: str) -> str:
        """Return the address that a browser can open."""
        return f"{self.origin}/{token}/"

    @property
    def origin(self) -> str:
        """The origin of the pages, as other devices reach them if they can."""
        is_everywhere = self.host in _EVERYWHERE
        name = (_network_address() or socket.gethostname()) if is_everywhere else self.host
        return origin_of(name, self.port)


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


def _network_address() -> str | None:
    """Return this machine's address in the local network, or None if it has no address.

    This sends nothing over the network.
    """
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))
            address = str(probe.getsockname()[0])
    except OSError:
        return None
    return None if address.startswith(_LOOPBACK) else address


def serve(listening: Listening, games: OpenGames, say: Callable[[str], None]) -> None:
    """Serve pages until a signal ends the server; the signal is then raised again.

    `say` prints a line in the terminal.
    """
    import uvicorn

    from masons.gui.messages import MAX_BYTES
    from masons.gui.web_app import HalfOpen, PageConnection, PageSocket, web_app

    half_open = HalfOpen(_most_half_open(), say)
    config = uvicorn.Config(
        web_app(games),
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
            games.open_network = self.open_network

        def open_network(self) -> str:
            """Listen on this machine's address in the local network, too, and return it.

            Raises MasonsError.
            """
            address = _network_address()
            if address is None:
                raise MasonsError("this computer is in no network")
            second = listen(address, listening.port)
            say(f"a page has let other devices in, at {origin_of(address, listening.port)}")
            self.opening = asyncio.get_running_loop().create_task(self._accept(second.socket))
            return address

        async def _accept(self, second: socket.socket) -> None:
            connection = partial(
                PageConnection, half_open, config=config, server_state=self.server_state,
                app_state=self.lifespan.state,
            )  # fmt: skip
            loop = asyncio.get_running_loop()
            self.servers.append(
                await loop.create_server(connection, sock=second, backlog=_ACCEPTED_AT_ONCE)
            )
            second.listen(_QUEUE)

    games.guard.origin = listening.origin
    asyncio.run(PageServer(config).serve(sockets=[listening.socket]))


def _most_half_open() -> int:
    """Return how many half-open connections to allow, at most a quarter of the files allowed."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return _MOST_HALF_OPEN
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST_HALF_OPEN if files < 0 else min(_MOST_HALF_OPEN, files // 4)
