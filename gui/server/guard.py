"""Who is let in: tokens in the address, hosts, origins, and the headers of every answer."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import Final

_TOKEN_BYTES: Final = 18
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


def new_token() -> str:
    """A word that nobody can guess, fit for an address."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


@dataclass(frozen=True)
class Pass:
    """What a token lets its bearer be: the host, or who sits in one seat of one game.

    Each invitation makes one of its own, with which a page's rights begin and end.
    """

    seat: int | None = None
    file: str = ""  # what the game is called

    @property
    def is_host(self) -> bool:
        """Whether it is that of whoever started the program."""
        return self.seat is None


@dataclass
class Guard:
    """The tokens that are good, and the names under which the server is reached."""

    host: str
    port: int
    host_token: str = field(default_factory=new_token)
    seats: dict[str, Pass] = field(default_factory=dict)
    changed: Callable[[Guard], None] = lambda _: None  # called where seats got or lost tokens
    withdrawn: Callable[[], None] = lambda: None  # called before, where passes may be good no more

    def pass_of(self, token: str) -> Pass | None:
        """What a token lets its bearer be; None for one that is not good."""
        found = None
        if compare_digest(token.encode(), self.host_token.encode()):
            found = Pass()
        for known, seat in self.seats.items():
            if compare_digest(token.encode(), known.encode()):
                found = seat
        return found

    def is_good(self, pass_: Pass) -> bool:
        """Whether a pass is the host's, or one that was not withdrawn."""
        return pass_.is_host or any(pass_ is one for one in self.seats.values())

    def invite(self, file: str, seat: int) -> str:
        """A new token for a seat of a game; one that it had before is good no more."""
        token = new_token()
        self._keep({**self._without(file, seat), token: Pass(seat, file)})
        return token

    def withdraw(self, file: str, seat: int | None = None) -> None:
        """Forget the tokens of a seat (None: of all seats) of a game."""
        left = self._without(file, seat)
        if len(left) < len(self.seats):
            self._keep(left)

    def _without(self, file: str, seat: int | None) -> dict[str, Pass]:
        return {
            token: one
            for token, one in self.seats.items()
            if one.file != file or seat not in (None, one.seat)
        }

    def _keep(self, seats: dict[str, Pass]) -> None:
        self.seats = seats
        self.withdrawn()
        self.changed(self)

    def invited(self, file: str) -> frozenset[int]:
        """The seats of a game that have a token."""
        found = [one.seat for one in self.seats.values() if one.file == file]
        return frozenset(seat for seat in found if seat is not None)

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in LOOPBACK

    def knows_host(self, header: str | None) -> bool:
        """Whether a `Host` header names this server.

        Names that somebody else's name server could point here are refused: only addresses, this
        machine's own name and the one it was told to listen on are good.
        """
        name, port = _split(header or "")
        if port != self.port:
            return False
        if name in ("localhost", self.host.lower()):
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return not self.is_local and name == socket.gethostname().lower()
        return not self.is_local or address.is_loopback

    def knows_origin(self, headers: Mapping[str, str]) -> bool:
        """Whether a web socket is opened by a page of this server's own."""
        origin = headers.get("origin", "")
        return origin.lower() == f"http://{headers.get('host', '').lower()}"


def _split(header: str) -> tuple[str, int]:
    """Name (without brackets) and port of a `Host` header; port 80 where it has none."""
    name, colon, digits = header.lower().rpartition(":")
    if not colon or header.endswith("]"):
        name, digits = header.lower(), "80"
    port = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else 0
    return name.strip("[]"), port


def safe_headers(host: str) -> dict[str, str]:
    """The headers of every answer: no script, style or connection but the server's own."""
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        f"connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
