"""The application, with the page's files, the web socket and the limits of connections.

A connection carries one request. After the answer the connection is closed, or it becomes a page's
web socket. So a connection without a token is either closing or half open, which means that the
request's head is not complete.
"""

from __future__ import annotations

import asyncio
import errno
import json
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

import msgspec
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from masons.gui.guard import Guard, Pass, safe_headers
from masons.gui.page_files import PAGE, compressed, kind_of, page_files
from masons.gui.seating import Client

if TYPE_CHECKING:
    from masons.gui.open_games import OpenGames

_NO_TOKEN: Final = "open the address that masons-engine gui printed: its token is missing or old\n"
_POLICY_CLOSE: Final = 1008
# A page is dropped if this number of messages wait to be sent to it.
_WAITING: Final = 2000
_TOO_SLOW: Final = 1013
_WITHDRAWN: Final = 1008
_FOR_GOOD: Final = "private, max-age=31536000, immutable"
_HEAD_SECONDS: Final = 10
_UNREAD_SECONDS: Final = 30
_INVALID_TEXT: Final = 1007


class HalfOpen:
    """The connections that have not sent a whole request, limited in number and time."""

    def __init__(self, most: int, say: Callable[[str], None]) -> None:
        """Begin without connections.

        `say` prints one line when there are more than `most` connections, and one line when too
        many files are open.
        """
        self._most = most
        self._say = say
        self._said: set[str] = set()
        self._timers: dict[asyncio.Transport, asyncio.TimerHandle] = {}  # in order of age

    def add(self, transport: asyncio.Transport) -> None:
        """Add a new connection. If there are too many, drop the oldest."""
        if len(self._timers) >= self._most:
            self._drop(next(iter(self._timers)))
            self._say_once("many connections sent no whole request: the oldest of them are dropped")
        loop = asyncio.get_running_loop()
        self._timers[transport] = loop.call_later(_HEAD_SECONDS, self._drop, transport)

    def remove(self, transport: asyncio.Transport) -> None:
        """Remove a connection that has sent its request or is lost."""
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
        """Handle an error of the event loop.

        If too many files are open, this prints one line, and the event loop retries by itself.
        """
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            self._say_once("too many files are open: new connections have to wait")
        else:
            loop.default_exception_handler(context)


class PageConnection(H11Protocol):
    """A connection with one request."""

    def __init__(self, half_open: HalfOpen, **options: Any) -> None:
        super().__init__(**options)
        self._half_open = half_open

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the request."""
        super().connection_made(transport)
        self._half_open.add(transport)

    def data_received(self, data: bytes) -> None:
        """Read a part of the request."""
        super().data_received(data)
        if self.scope is not None:  # the head of the request is complete
            self._half_open.remove(self.transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting for the request."""
        self._half_open.remove(self.transport)
        super().connection_lost(exc)


class PageSocket(WebSocketsSansIOProtocol):
    """A web socket that writes nothing once it is closing."""

    _unread: asyncio.TimerHandle | None = None

    async def send(self, message: Any) -> None:
        """Send a message. Raises ClientDisconnected if the connection is closing."""
        if self.transport.is_closing():
            raise ClientDisconnected
        await super().send(message)

    def pause_writing(self) -> None:
        """Drop the page if it does not read its messages for some time."""
        super().pause_writing()
        self._unread = self.loop.call_later(_UNREAD_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Keep the page, as it reads its messages again."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting for the page."""
        if self._unread is not None:
            self._unread.cancel()
        super().connection_lost(exc)

    def send_receive_event_to_app(self) -> None:
        """Pass on a message. A text message that is not UTF-8 closes the socket."""
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


# --- files and addresses


def _takes_brotli(request: Request) -> bool:
    """Return whether the browser takes Brotli; it does over HTTPS and on its own machine."""
    accepted = request.headers.get("accept-encoding", "").split(",")
    return "br" in map(str.strip, accepted)


def web_app(games: OpenGames) -> ASGIApp:
    """Return the application, which serves the page's files and the web socket.

    All addresses need a token.
    """
    static, guard = page_files(), games.guard
    Thread(target=static.prepare, daemon=True).start()

    def page(request: Request) -> Response:
        token, version = request.path_params["token"], request.path_params.get("version", "")
        if guard.pass_of(token) is None:
            return no_token(request)
        name = request.path_params.get("name", PAGE)
        if (content := static.file(version, name)) is None:
            return PlainTextResponse("there is no such file\n", 404)
        headers = {
            "content-type": kind_of(name),
            **({"cache-control": _FOR_GOOD} if version else {}),
        }
        if headers["content-type"].startswith("text/") and _takes_brotli(request):
            content = compressed(name, content)
            headers |= {"content-encoding": "br", "vary": "Accept-Encoding"}
        return Response(content, headers=headers)

    async def page_socket(socket: WebSocket) -> None:
        pass_ = guard.pass_of(socket.path_params["token"])
        if pass_ is None or not guard.knows_origin(socket.headers):
            await socket.close(_POLICY_CLOSE)  # before `accept`, this answers 403
            return
        await serve_page(socket, pass_, games)

    def no_token(_: Request) -> Response:
        return PlainTextResponse(_NO_TOKEN, 403)

    routes = [
        Route("/{token}/", page),
        WebSocketRoute("/{token}/socket", page_socket),
        Route("/{token}/{name}", page),
        Route("/{token}/{version}/{name}", page),
        Route("/{rest:path}", no_token),
    ]
    return guarded(GZipMiddleware(Starlette(routes=routes)), guard)


def guarded(app: ASGIApp, guard: Guard) -> ASGIApp:
    """Wrap an application so that it refuses other hosts and adds the security headers."""

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await app(scope, receive, send)
            return
        hosts = [value.decode("latin-1") for key, value in scope["headers"] if key == b"host"]
        host = hosts[0] if len(hosts) == 1 else ""
        is_known = guard.knows_host(host)
        headers = safe_headers(host if is_known else "invalid")

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                named = dict(message["headers"])
                more = [(k.lower().encode(), v.encode()) for k, v in headers.items()]
                more.append((b"connection", b"close"))  # as a connection carries one request
                added = [(key, value) for key, value in more if key not in named]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        if is_known:
            await app(scope, receive, send_safely)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _POLICY_CLOSE})
        else:
            refusal = PlainTextResponse("this server has another name\n", 421)
            await refusal(scope, receive, send_safely)

    return call


# --- a page


async def serve_page(socket: WebSocket, pass_: Pass, games: OpenGames) -> None:
    """Exchange messages with a page until the page is closed."""
    await socket.accept()
    waiting: asyncio.Queue[str | int] = asyncio.Queue()
    writer = asyncio.create_task(_write(socket, waiting))

    def send(message: dict[str, Any]) -> None:
        if waiting.qsize() < _WAITING:
            text = json.dumps(message, separators=(",", ":"), default=msgspec.to_builtins)
            waiting.put_nowait(text)
        elif waiting.qsize() == _WAITING:
            waiting.put_nowait(_TOO_SLOW)

    is_again = "again" in socket.query_params
    client = Client(pass_, send, lambda: waiting.put_nowait(_WITHDRAWN), is_again)
    try:
        with suppress(asyncio.CancelledError):  # raised when the program ends
            await _talk(socket, client, games)
    finally:
        writer.cancel()
        with suppress(asyncio.CancelledError):
            await writer


async def _talk(socket: WebSocket, client: Client, games: OpenGames) -> None:
    games.join(client)
    try:
        event = await socket.receive()
        while event["type"] != "websocket.disconnect":
            games.answer(client, event.get("text"))
            await asyncio.sleep(0)  # let others run, as many messages may arrive at once
            event = await socket.receive()
    except WebSocketDisconnect:
        pass
    finally:
        games.part(client)


async def _write(socket: WebSocket, waiting: asyncio.Queue[str | int]) -> None:
    """Send the waiting texts. The last item is a code, with which the socket is closed."""
    with suppress(WebSocketDisconnect, RuntimeError):  # the socket may be closed meanwhile
        while isinstance(item := await waiting.get(), str):
            await socket.send_text(item)
        await socket.close(item)
