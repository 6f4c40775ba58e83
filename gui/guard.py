"""Who is let in: tokens in the address, hosts, origins, and the headers of every answer.

Tokens outlive the program, so pages that are open come back where it is started again. They are
kept for each port in the user's data folder, in a file that only the user's account can read. A
file that is damaged, or that others could read, counts as none: new tokens are made.
"""

from __future__ import annotations

import ipaddress
import os
import secrets
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hmac import compare_digest
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct
from platformdirs import user_data_path

from masons.engine.files import write_atomic

_TOKEN_BYTES: Final = 18
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_USER_FILE: Final = 0o600
_USER_FOLDER: Final = 0o700
_OTHERS: Final = 0o077
_MOST_BYTES: Final = 1 << 16
_Token = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{24}$")]


def new_token() -> str:
    """Return a word that nobody can guess, fit for an address."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


@dataclass(frozen=True)
class Pass:
    """The rights of a token: those of the host, or of one seat of one game.

    Each invitation makes a new one, with which a page's rights begin and end.
    """

    seat: int | None = None
    file: str = ""  # the name of the game

    @property
    def is_host(self) -> bool:
        """Return whether it belongs to the person who started the program."""
        return self.seat is None


@dataclass
class Guard:
    """The valid tokens, and the names under which the server is reached."""

    host: str
    port: int
    host_token: str = field(default_factory=new_token)
    seats: dict[str, Pass] = field(default_factory=dict)
    changed: Callable[[Guard], None] = lambda _: None  # called when seats got or lost tokens
    withdrawn: Callable[[], None] = lambda: None  # called before that: passes may have ended

    def pass_of(self, token: str) -> Pass | None:
        """Return the rights of a token; None for an invalid one."""
        pass_ = None
        for known, rights in ((self.host_token, Pass()), *self.seats.items()):
            if compare_digest(token.encode(), known.encode()):
                pass_ = rights
        return pass_

    def is_valid(self, pass_: Pass) -> bool:
        """Return whether a pass is the host's, or one that was not withdrawn."""
        return pass_.is_host or any(pass_ is valid for valid in self.seats.values())

    def invite(self, file: str, seat: int) -> str:
        """Return a new token for a seat of a game; an earlier one becomes invalid."""
        token = new_token()
        self._withdraw(file, seat, {token: Pass(seat, file)})
        return token

    def withdraw(self, file: str, seat: int | None = None) -> None:
        """Forget the tokens of a seat (None: of all seats) of a game."""
        if any(pass_.file == file and seat in (None, pass_.seat) for pass_ in self.seats.values()):
            self._withdraw(file, seat, {})

    def _withdraw(self, file: str, seat: int | None, added: dict[str, Pass]) -> None:
        self.seats = {
            token: pass_
            for token, pass_ in self.seats.items()
            if pass_.file != file or seat not in (None, pass_.seat)
        } | added
        self.withdrawn()
        self.changed(self)

    def invited(self, file: str) -> frozenset[int]:
        """Return the seats of a game that have a token."""
        seats = [pass_.seat for pass_ in self.seats.values() if pass_.file == file]
        return frozenset(seat for seat in seats if seat is not None)

    @property
    def is_local(self) -> bool:
        """Return whether only this machine can reach the server."""
        return self.host in _LOOPBACK

    def knows_host(self, header: str | None) -> bool:
        """Return whether a `Host` header names this server.

        Names that a foreign name server could point here are refused: only addresses, this
        machine's own name and the name that it listens on are accepted.
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
        """Return whether a web socket is opened by a page of this server."""
        origin = headers.get("origin", "")
        return origin.lower() == f"http://{headers.get('host', '').lower()}"


def _split(header: str) -> tuple[str, int]:
    """Return name (without brackets) and port of a `Host` header; port 80 where it has none."""
    name, colon, digits = header.lower().rpartition(":")
    if not colon or header.endswith("]"):
        name, digits = header.lower(), "80"
    port = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else 0
    return name.strip("[]"), port


def safe_headers(host: str) -> dict[str, str]:
    """Return the headers of every answer: no script, style or connection but the server's."""
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


# --- kept tokens


def tokens_path(port: int) -> Path:
    """Return the file with the tokens of a port."""
    return user_data_path("masons-engine", appauthor=False) / "gui" / f"{port}.json"


def kept_guard(host: str, port: int, *, anew: bool = False) -> Guard:
    """Return the guard of a port with the tokens that it had (`anew`: with new ones).

    Raises OSError if they cannot be kept.
    """
    tokens = None if anew else _read(tokens_path(port))
    guard = Guard(host, port) if tokens is None else Guard(host, port, *tokens)
    guard.changed = _write
    _write(guard)
    return guard


class _KeptSeat(Struct):
    token: _Token
    seat: Annotated[int, Meta(ge=0, lt=4)]
    file: str


class _KeptTokens(Struct):
    host: _Token
    seats: list[_KeptSeat]


def _read(path: Path) -> tuple[str, dict[str, Pass]] | None:
    try:
        with path.open("rb") as file:
            if sys.platform != "win32" and os.fstat(file.fileno()).st_mode & _OTHERS:
                return None
            kept = msgspec.json.decode(file.read(_MOST_BYTES), type=_KeptTokens)
    except (OSError, ValueError, RecursionError):
        return None
    return kept.host, {seat.token: Pass(seat.seat, seat.file) for seat in kept.seats}


def _write(guard: Guard) -> None:
    """Keep the tokens of a guard. Raises OSError."""
    path = tokens_path(guard.port)
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):  # a file system that has no permissions
        path.parent.chmod(_USER_FOLDER)
    # It takes its permissions before there is anything in it, and what is written keeps them.
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, _USER_FILE))
    with suppress(OSError):
        path.chmod(_USER_FILE)
    seats = [_KeptSeat(token, pass_.seat or 0, pass_.file) for token, pass_ in guard.seats.items()]
    write_atomic(path, msgspec.json.encode(_KeptTokens(guard.host_token, seats)) + b"\n")
