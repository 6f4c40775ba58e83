"""One page's web socket: its messages into the games, theirs out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect

if TYPE_CHECKING:
    from masons.gui.server.guard import Pass
    from masons.gui.server.open_games import OpenGames
    from masons.gui.server.seating import Client

# A page that does not read for so many messages is let go.
_WAITING: Final = 2000
_TOO_SLOW: Final = 1013
_WITHDRAWN: Final = 1008


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
    try:
        games = await games_of()
    except Exception as error:
        send({"type": "error", "code": "internal", "text": " ".join(str(error).split())})
        await asyncio.sleep(1)
        return
    from masons.gui.server.seating import Client

    client = Client(pass_, send, end, "again" in socket.query_params)
    _guarded(games, client, lambda: games.join(client))
    try:
        while True:
            got = await socket.receive()
            if got["type"] == "websocket.disconnect":
                return
            answer(games, client, got.get("text"))
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
