"""Who is let in: tokens in the address, hosts, origins, and the headers of every answer."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Mapping
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
    """What a token lets its bearer be: the host, or who sits in one seat of one game."""

    seat: int | None = None

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
    _seats: dict[str, Pass] = field(default_factory=dict)

    def pass_of(self, token: str) -> Pass | None:
        """What a token lets its bearer be; None for one that is not good."""
        found = None
        if compare_digest(token.encode(), self.host_token.encode()):
            found = Pass()
        for known, seat in self._seats.items():
            if compare_digest(token.encode(), known.encode()):
                found = seat
        return found

    def invite(self, seat: int) -> str:
        """A new token for a seat; one that it had before is good no more."""
        self.withdraw(seat)
        token = new_token()
        self._seats[token] = Pass(seat)
        return token

    def withdraw(self, seat: int | None = None) -> None:
        """Forget the tokens of a seat (None: of all seats)."""
        kept = {t: p for t, p in self._seats.items() if seat is not None and p.seat != seat}
        self._seats = kept

    @property
    def invited(self) -> frozenset[int]:
        """The seats that have a token."""
        return frozenset(p.seat for p in self._seats.values() if p.seat is not None)

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
