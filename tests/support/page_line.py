"""A web socket to the board's server, as a page opens it."""

from __future__ import annotations

import json
from contextlib import suppress
from types import TracebackType
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from masons.gui.sent_messages import check_sent
from tests.support.browser import SECONDS


class Line:
    """A web socket."""

    def __init__(self, address: str) -> None:
        uri = address.replace("http://", "ws://") + "socket"
        origin = address.rsplit("/", 2)[0]
        self._open = connect(uri, origin=origin, max_size=None, open_timeout=SECONDS)  # type: ignore[arg-type]
        self.socket = self._open.__enter__()

    def __enter__(self) -> Line:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def say(self, type: str, **fields: Any) -> None:  # noqa: A002
        self.socket.send(json.dumps({"type": type, **fields}))

    def hear(self, *types: str) -> dict[str, Any]:
        """Return the next message of one of these types. Fail if an error message comes first."""
        while True:
            message: dict[str, Any] = json.loads(self.socket.recv(timeout=SECONDS))
            check_sent(message)
            if message["type"] in types:
                return message
            assert message["type"] != "error", message

    def rest(self) -> list[dict[str, Any]]:
        """Return all further messages until the socket is closed."""
        heard = []
        with suppress(ConnectionClosed):
            while True:
                heard.append(json.loads(self.socket.recv(timeout=SECONDS)))
        return heard

    def vanish(self, *, goodbye: bool) -> None:
        """Close the connection without reading any more.

        With `goodbye`, first send the frame that closes a web socket.
        """
        raw = self.socket.socket
        if goodbye:
            self.socket.protocol.send_close()
            raw.sendall(b"".join(self.socket.protocol.data_to_send()))
        raw.close()
