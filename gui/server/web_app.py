"""The pages, their files and the web socket, all behind a token in the address."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from masons.gui.server.connection import serve_page
from masons.gui.server.guard import Guard, safe_headers

if TYPE_CHECKING:
    from masons.gui.server.open_games import OpenGames

_KINDS: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
_NO_TOKEN: Final = "open the address that masons-engine gui printed: its token is missing or old\n"
_POLICY_CLOSE: Final = 1008


def static_files() -> dict[str, tuple[bytes, str]]:
    """The files of the page by name, each with its kind; nothing else is ever sent."""
    found = {}
    for path in (files("masons.gui") / "static").iterdir():
        ending = "." + path.name.rpartition(".")[2]
        if ending in _KINDS:
            found[path.name] = (path.read_bytes(), _KINDS[ending])
    return found


def web_app(guard: Guard, games_of: Callable[[], Awaitable[OpenGames]]) -> ASGIApp:
    """The application."""
    static = static_files()

    def page(request: Request) -> Response:
        if guard.pass_of(request.path_params["token"]) is None:
            return PlainTextResponse(_NO_TOKEN, 403)
        name = request.path_params.get("name", "index.html")
        if name not in static:
            return PlainTextResponse("there is no such file\n", 404)
        content, kind = static[name]
        return Response(content, headers={"content-type": kind})

    async def page_socket(socket: WebSocket) -> None:
        pass_ = guard.pass_of(socket.path_params["token"])
        if pass_ is None or not guard.knows_origin(socket.headers):
            await socket.close(_POLICY_CLOSE)  # before it was accepted: 403
            return
        await serve_page(socket, pass_, games_of)

    def no_token(_: Request) -> Response:
        return PlainTextResponse(_NO_TOKEN, 403)

    routes = [
        Route("/{token}/", page),
        WebSocketRoute("/{token}/socket", page_socket),
        Route("/{token}/{name}", page),
        Route("/{rest:path}", no_token),
    ]
    return Guarded(Starlette(routes=routes), guard)


class Guarded:
    """Refuses other hosts, and puts the headers of safety on every answer."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request or web socket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        hosts = [value.decode("latin-1") for key, value in scope["headers"] if key == b"host"]
        host = hosts[0] if len(hosts) == 1 else ""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = [(k.lower().encode(), v.encode()) for k, v in safe_headers(host).items()]
                more.append((b"connection", b"close"))  # so none is open for long without a token
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        if self._guard.knows_host(host):
            await self._app(scope, receive, guarded)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _POLICY_CLOSE})
        else:
            host = "invalid"
            await PlainTextResponse("this server has another name\n", 421)(scope, receive, guarded)
