"""Tokens that outlive the program: pages that are open come back where it is started again.

They are kept for each port in the user's data folder, in a file that only the user's account can
read. A file that is damaged, or that others could read, is as good as none: new tokens are made.
"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from platformdirs import user_data_path

from masons.engine.files import write_atomic
from masons.gui.server.guard import Guard, Pass

_OWN_FILE: Final = 0o600
_OWN_FOLDER: Final = 0o700
_OTHERS: Final = 0o077
_TOKEN: Final = re.compile("[A-Za-z0-9_-]{24}")
_MOST_BYTES: Final = 1 << 16
_SEATS: Final = 4


def tokens_path(port: int) -> Path:
    """Where the tokens of a port are kept."""
    return user_data_path("masons-engine", appauthor=False) / "gui" / f"{port}.json"


def kept_guard(host: str, port: int, *, anew: bool = False) -> Guard:
    """The guard of a port with the tokens that it had (`anew`: with new ones).

    Raises OSError where they cannot be kept.
    """
    found = None if anew else _read(tokens_path(port))
    guard = Guard(host, port) if found is None else Guard(host, port, *found)
    guard.changed = _write
    _write(guard)
    return guard


def _read(path: Path) -> tuple[str, dict[str, Pass]] | None:
    try:
        with path.open("rb") as file:
            if sys.platform != "win32" and os.fstat(file.fileno()).st_mode & _OTHERS:
                return None
            kept = json.loads(file.read(_MOST_BYTES))
        seats = {_token(one["token"]): _seat(one) for one in kept["seats"]}
        return _token(kept["host"]), seats
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _token(value: object) -> str:
    if not isinstance(value, str) or not _TOKEN.fullmatch(value):
        raise ValueError
    return value


def _seat(kept: dict[str, Any]) -> Pass:
    seat, file = kept["seat"], kept["file"]
    if type(seat) is not int or not 0 <= seat < _SEATS or not isinstance(file, str):
        raise ValueError
    return Pass(seat, file)


def _write(guard: Guard) -> None:
    """Keep the tokens of a guard. Raises OSError."""
    path = tokens_path(guard.port)
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):  # a file system that has no permissions
        path.parent.chmod(_OWN_FOLDER)
    # It takes its permissions before there is anything in it, and what is written keeps them.
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, _OWN_FILE))
    with suppress(OSError):
        path.chmod(_OWN_FILE)
    seats = [{"token": t, "seat": p.seat, "file": p.file} for t, p in guard.seats.items()]
    write_atomic(path, json.dumps({"host": guard.host_token, "seats": seats}) + "\n")
