"""Access control: checks tokens, hosts and origins, and makes the headers of every answer.

Tokens outlive the program, so that open pages can connect again after the program is restarted. The
tokens of each port are kept in the user's data folder, in a file that only the user's account can
read. If the file is damaged or others could read it, it is ignored and new tokens are made. Another
such file leads the browser to the address, so that no token is among the browser's arguments.
"""

from __future__ import annotations

import html
import ipaddress
import os
import re
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
# An address or a name, with or without a port.
_HOST: Final = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?")
_OPENER: Final = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Masons</title>
<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}"></head>
<body><p><a href="{address}">Masons</a> is starting …</p></body></html>
"""
_Token = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{24}$")]


def new_token() -> str:
    """Return a new token, a random word for addresses that nobody can guess."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


@dataclass(frozen=True)
class Pass:
    """The rights of a token, which are those of the host or of one seat of one game.

    Each invitation makes a new pass. A page has rights only while its pass is valid.
    """

    seat: int | None = None
    file: str = ""  # the name of the game

    @property
    def is_host(self) -> bool:
        """True if this pass belongs to the person who started the program."""
        return self.seat is None


@dataclass
class Guard:
    """The valid tokens, and the names under which the server is reached."""

    host: str
    port: int
    origin: str = ""  # how addresses for other devices begin
    host_token: str = field(default_factory=new_token)
    seats: dict[str, Pass] = field(default_factory=dict)
    changed: Callable[[Guard], None] = lambda _: None  # called when the tokens have changed
    withdrawn: Callable[[], None] = lambda: None  # called before `changed`: a pass may be invalid

    network: str = ""  # the address of the local network on which the server listens, too

    def __post_init__(self) -> None:
        self.origin = self.origin or origin_of(self.host, self.port)

    def admit_network(self, address: str) -> None:
        """Note that the server now also listens on an address of the local network."""
        self.network, self.origin = address, origin_of(address, self.port)

    def pass_of(self, token: str) -> Pass | None:
        """Return the rights of a token, or None if the token is invalid."""
        pass_ = None
        for known, rights in ((self.host_token, Pass()), *self.seats.items()):
            if compare_digest(token.encode(), known.encode()):
                pass_ = rights
        return pass_

    def is_valid(self, pass_: Pass) -> bool:
        """Return whether a pass belongs to the host or has not been withdrawn."""
        return pass_.is_host or any(pass_ is valid for valid in self.seats.values())

    def invite(self, file: str, seat: int) -> str:
        """Return a new token for a seat of a game. The seat's earlier token becomes invalid."""
        token = new_token()
        self._withdraw(file, seat, {token: Pass(seat, file)})
        return token

    def token_of(self, file: str, seat: int) -> str | None:
        """Return the token of a seat of a game, or None if it has none."""
        wanted = Pass(seat, file)
        return next((token for token, pass_ in self.seats.items() if pass_ == wanted), None)

    def turn(self, file: str, other: str, seat_of: Callable[[int], int]) -> dict[Pass, Pass]:
        """Make the tokens of a game valid for another game, and for other seats.

        Return the new passes by the old ones, which become invalid.
        """
        turned = {
            pass_: Pass(seat_of(pass_.seat), other)
            for pass_ in self.seats.values()
            if pass_.file == file and pass_.seat is not None
        }
        self.seats = {token: turned.get(pass_, pass_) for token, pass_ in self.seats.items()}
        self.changed(self)
        return turned

    def withdraw(self, file: str, seat: int | None = None) -> None:
        """Withdraw the token of a seat of a game, or of all its seats if `seat` is None."""
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
        """True if only this machine can reach the server."""
        return self.host in _LOOPBACK and not self.network

    def knows_host(self, header: str) -> bool:
        """Return whether a `Host` header names this server.

        Only addresses, this machine's name and the name that the server listens on are accepted.
        All other names are refused, as a foreign name server could point them at this machine. The
        policy of every answer repeats the header, so it may have no other characters than these.
        """
        match = _HOST.fullmatch(header.lower())
        if match is None or int(match["port"] or 80) != self.port:
            return False
        name = match["name"].strip("[]")
        if name in ("localhost", self.host.lower(), self.network):
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return not self.is_local and name == socket.gethostname().lower()
        return not self.is_local or address.is_loopback

    def knows_origin(self, headers: Mapping[str, str]) -> bool:
        """Return whether the headers of a web socket's request name a page of this server."""
        origin = headers.get("origin", "")
        return origin.lower() == f"http://{headers.get('host', '').lower()}"


def origin_of(name: str, port: int) -> str:
    """Return the origin of a server's pages, from its name or address."""
    return f"http://{f'[{name}]' if ':' in name else name}:{port}"


def safe_headers(host: str) -> dict[str, str]:
    """Return the headers of every answer.

    They allow scripts, styles, fonts and connections of this server only.
    """
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        "font-src 'self'; manifest-src 'self'; "
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
    """Return the path of a port's token file."""
    return user_data_path("masons-engine", appauthor=False) / "gui" / f"{port}.json"


def kept_guard(host: str, port: int, *, anew: bool = False) -> Guard:
    """Return the guard of a port, with the tokens kept for this port.

    If none are kept, or with `anew`, the tokens are new. Raises OSError if the tokens cannot be
    kept.
    """
    tokens = None if anew else _read(tokens_path(port))
    guard = Guard(host, port)
    if tokens is not None:
        guard.host_token, guard.seats = tokens
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
    """Write the tokens of a guard to the file of its port. Raises OSError."""
    seats = [_KeptSeat(token, pass_.seat or 0, pass_.file) for token, pass_ in guard.seats.items()]
    tokens = msgspec.json.encode(_KeptTokens(guard.host_token, seats))
    _write_private(tokens_path(guard.port), tokens + b"\n")


def _write_private(path: Path, data: bytes) -> None:
    """Write a file that only the user's account can read. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):  # the file system may have no permissions
        path.parent.chmod(_USER_FOLDER)
    # Set the permissions while the file is still empty. Writing to the file keeps them.
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, _USER_FILE))
    with suppress(OSError):
        path.chmod(_USER_FILE)
    write_atomic(path, data)


def keep_opener(port: int, address: str) -> Path:
    """Write a page that leads a browser to an address, and return the page's path.

    Other accounts can read the arguments of a browser that is started, but not this page. Raises
    OSError.
    """
    path = tokens_path(port).with_suffix(".html")
    _write_private(path, _OPENER.format(address=html.escape(address)).encode())
    return path
