"""Connections and their limits; a page's web socket: its messages into the games, theirs out.

A connection carries one request: it is answered and closed, or becomes a page's web socket. So
each that shows no token is either half open, waiting for the end of a request's head, or closing.
"""

from __future__ import annotations

import asyncio
import errno
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

if TYPE_CHECKING:
    from masons.gui.server.guard import Pass
    from masons.gui.server.open_games import OpenGames
    from masons.gui.server.seating import Client

# A page that does not read for so many messages is let go.
_WAITING: Final = 2000
_TOO_SLOW: Final = 1013
_WITHDRAWN: Final = 1008
_HEAD_SECONDS: Final = 10
_UNREAD_SECONDS: Final = 30
_INVALID_TEXT: Final = 1007


class HalfOpen:
    """The connections that have sent no whole request: so many at most, each only so long."""

    def __init__(self, most: int, say: Callable[[str], None]) -> None:
        """`say`: is told once that there were more, and that files ran out."""
        self._most = most
        self._say = say
        self._said: set[str] = set()
        self._timers: dict[asyncio.Transport, asyncio.TimerHandle] = {}  # the oldest first

    def add(self, transport: asyncio.Transport) -> None:
        """A connection was made; where there are too many the oldest is dropped."""
        if len(self._timers) >= self._most:
            self._drop(next(iter(self._timers)))
            self._say_once("many connections sent no whole request: the oldest of them are dropped")
        loop = asyncio.get_running_loop()
        self._timers[transport] = loop.call_later(_HEAD_SECONDS, self._drop, transport)

    def remove(self, transport: asyncio.Transport) -> None:
        """A connection has sent its request, or is lost."""
        if (timer := self._timers.pop(transport, None)) is not None:
            timer.cancel()

    def _drop(self, transport: asyncio.Transport) -> None:
        self.remove(transport)
        transport.abort()

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._say(text)

    def on_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle what the event loop reports: where files ran out it tries again by itself."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            self._say_once("too many files are open: new connections have to wait")
        else:
            loop.default_exception_handler(context)


class Connection(H11Protocol):
    """A connection with one request."""

    def __init__(self, half_open: HalfOpen, **given: Any) -> None:
        super().__init__(**given)
        self._half_open = half_open

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the request."""
        super().connection_made(transport)
        self._half_open.add(transport)

    def data_received(self, data: bytes) -> None:
        """Read some of it."""
        super().data_received(data)
        if self.scope is not None:  # its head is whole
            self._half_open.remove(self.transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._half_open.remove(self.transport)
        super().connection_lost(exc)


class PageSocket(WebSocketsSansIOProtocol):
    """A web socket, to which nothing is written any more where it closes."""

    _unread: asyncio.TimerHandle | None = None

    async def send(self, message: Any) -> None:
        """Send it. Raises ClientDisconnected where nobody will read it."""
        if self.transport.is_closing():
            raise ClientDisconnected
        await super().send(message)

    def pause_writing(self) -> None:
        """Give a page that does not read some time."""
        super().pause_writing()
        self._unread = self.loop.call_later(_UNREAD_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """It reads again."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting for it."""
        if self._unread is not None:
            self._unread.cancel()
        super().connection_lost(exc)

    def send_receive_event_to_app(self) -> None:
        """Pass a message on; a text that is not UTF-8 closes the socket, and so ends them."""
        if self.close_sent:
            return
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self.conn.send_close(_INVALID_TEXT)
                self.handle_parser_exception()
                return
        super().send_receive_event_to_app()


async def serve_page(
    socket: WebSocket, pass_: Pass, games_of: Callable[[], Awaitable[OpenGames]]
) -> None:
    """Speak with a page until it is closed."""
    await socket.accept()
    waiting: asyncio.Queue[str | int] = asyncio.Queue()
    writer = asyncio.create_task(_write(socket, waiting))

    def send(message: dict[str, Any]) -> None:
        if waiting.qsize() < _WAITING:
            waiting.put_nowait(json.dumps(message, separators=(",", ":")))
        elif waiting.qsize() == _WAITING:
            waiting.put_nowait(_TOO_SLOW)

    try:
        with suppress(asyncio.CancelledError):  # the program ends
            await _talk(socket, send, lambda: waiting.put_nowait(_WITHDRAWN), pass_, games_of)
    finally:
        writer.cancel()
        with suppress(asyncio.CancelledError):
            await writer


async def _talk(
    socket: WebSocket,
    send: Callable[[dict[str, Any]], None],
    end: Callable[[], None],
    pass_: Pass,
    games_of: Callable[[], Awaitable[OpenGames]],
) -> None:
    send({"type": "info", "string": "the engine is being made ready"})
    ready = asyncio.ensure_future(games_of())
    received = asyncio.ensure_future(socket.receive())  # nothing, but where the page goes meanwhile
    await asyncio.wait((ready, received), return_when=asyncio.FIRST_COMPLETED)
    if not ready.done() and received.result()["type"] == "websocket.disconnect":
        ready.cancel()
        return
    try:
        games = await ready
    except Exception as error:
        send({"type": "error", "code": "internal", "text": " ".join(str(error).split())})
        await asyncio.wait((received,), timeout=1)
        received.cancel()
        return
    from masons.gui.server.seating import Client

    client = Client(pass_, send, end, "again" in socket.query_params)
    _guarded(games, client, lambda: games.join(client))
    try:
        got = await received
        while got["type"] != "websocket.disconnect":
            answer(games, client, got.get("text"))
            await asyncio.sleep(0)  # many may be there at once: others have their turn between
            got = await socket.receive()
    except WebSocketDisconnect:
        pass
    finally:
        games.part(client)


def answer(games: OpenGames, client: Client, text: str | None) -> None:
    """Do what a message says; whatever is wrong with it goes back as one `error`."""
    from masons.gui.pages.client_messages import parse_message
    from masons.protocol.messages.error_codes import Refused

    def hear() -> None:
        if text is None:
            raise Refused("syntax", "a message is text, one JSON object")
        games.hear(client, parse_message(text))

    _guarded(games, client, hear)


def _guarded(games: OpenGames, client: Client, work: Callable[[], None]) -> None:
    """Do it; whatever goes wrong goes back as one `error`."""
    from masons.engine.errors import FileLostError

    try:
        work()
    except Exception as error:
        client.fail(error)
        if isinstance(error, FileLostError):
            games.lose(client)


async def _write(socket: WebSocket, waiting: asyncio.Queue[str | int]) -> None:
    """Send what waits: texts, in the end the code to close with."""
    with suppress(WebSocketDisconnect, RuntimeError):  # it was closed meanwhile
        while isinstance(item := await waiting.get(), str):
            await socket.send_text(item)
        await socket.close(item)
