"""A caller's arguments as the words of commands; MasonsError for wrong ones."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from masons.ai.search.limits import Limits
from masons.engine.board.geometry import Board, board_text
from masons.engine.checks import (
    check_flag,
    check_list,
    check_text,
    check_type,
    check_whole,
    check_wholes,
    real,
    shown,
)
from masons.engine.errors import MasonsError
from masons.engine.plain_text import quoted
from masons.protocol.messages.seat_events import joined


@dataclass(frozen=True)
class Timeouts:
    """Seconds before an engine counts as stalled."""

    handshake: float = 10.0  # from the start of the process to `meiok`
    ready: float = 300.0  # `isready` to `readyok`: kernels may have to be compiled
    reply: float = 60.0  # a query, `eval`, `belief`
    grace: float = 10.0  # a `bestmove` after its time is up, or after `stop`
    search: float = 600.0  # a `bestmove` where no limit names a time
    silence: float = 60.0  # of the two that take minutes: as long as this without any line
    quit: float = 1.0  # the end of the process after `quit`


PATIENCE: Final = Timeouts()


def go_words(limits: Limits) -> list[str]:
    """Return the words after `go`; times in whole milliseconds, 1 at least for a search."""
    ms = limits.movetime_ms
    limits_set: list[tuple[str, object]] = [
        ("movetime", None if ms is None else max(round(ms), 1)),
        ("sims", limits.sims),
        ("clock", limits.clock and ",".join(map(str, limits.clock))),
        ("inc", limits.inc and ",".join(map(str, limits.inc))),
        ("seed", limits.seed),
    ]
    words = [f"{word} {value}" for word, value in limits_set if value is not None]
    return [*words, "infinite"] if limits.infinite else words


def longest_answer(
    limits: Limits, timeouts: Timeouts, seat: int | None
) -> tuple[float, float | None]:
    """Return the seconds that the answer may take, and those without a line, where that is limited.

    `seat` is whose clock runs, where that is known.
    """
    times = [] if limits.movetime_ms is None else [limits.movetime_ms]
    if limits.clock:
        times.append(max(limits.clock) if seat is None else limits.clock[seat])
    if times:
        return min(times) / 1000 + timeouts.grace, None
    return timeouts.search, timeouts.silence


# --- what a caller gives an `Engine`, as the words of commands; MasonsError for what is none

_MOST: Final = 1 << 32
_SEATS: Final = 4
_WINDOWS: Final = os.name == "nt"


def command_words(command: Sequence[str] | str) -> list[str]:
    """Return the words of a command line, as a shell splits it. Raises MasonsError.

    On Windows a backslash is part of a path, and only quotes are taken off.
    """
    if not isinstance(command, str):
        words = check_list("command", command, str, "one line, or a list of words")
    else:
        try:
            words = shlex.split(command, posix=not _WINDOWS)
        except ValueError as error:
            raise MasonsError(f"{shown(command)} is no command line: {error}") from None
        if _WINDOWS:
            words = [_unquoted(word) for word in words]
    if not words:
        raise MasonsError("an engine needs a command line")
    return words


def check_program(command: Sequence[str]) -> None:
    """Raise MasonsError where a command line names no program that there is."""
    if shutil.which(command[0]) is None and not Path(command[0]).exists():
        raise MasonsError(f"there is no program {quoted(command[0], 80)} to run")


def _unquoted(word: str) -> str:
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word


def check_surroundings(name: object, cwd: object, env: object) -> None:
    """Check the name, the folder and the environment of a process."""
    if name is not None:
        check_text("name", name, "a text or None")
    if cwd is not None and not isinstance(cwd, str | os.PathLike):
        raise MasonsError(f"cwd is {shown(cwd)}: it must be a folder or None")
    if env is not None and not (
        isinstance(env, Mapping)
        and all(isinstance(text, str) for item in env.items() for text in item)
    ):
        raise MasonsError(f"env is {shown(env)}: it must be a mapping of texts to texts, or None")


def option_line(name: str, value: object) -> str:
    """`setoption`; a bool is written as `true` or `false`."""
    check_text("name", name, "the name of an option")
    try:
        text = str(value).lower() if isinstance(value, bool) else str(value)
    except Exception:
        raise MasonsError(f"value is {shown(value)}: it must be a text or a number") from None
    return f"setoption name {name} value {text}" if text else f"setoption name {name}"


def game_line(players: int, seat: int, board: str | os.PathLike[str], early_roll: bool) -> str:
    """`newgame`."""
    players = check_whole("players", players, 2, _SEATS, "2, 3 or 4")
    seat = check_whole("seat", seat, 0, players - 1, f"a seat from 0 to {players - 1}")
    if not isinstance(board, str | os.PathLike):
        raise MasonsError(f"board is {shown(board)}: it must be a name or a file")
    options = " options early_roll" if check_flag("early_roll", early_roll) else ""
    return f"newgame players {players} seat {seat} board {os.fspath(board)}{options}"


def over_line(
    scores: Sequence[int],
    winners: Sequence[int],
    end: str,
    hands: Sequence[Sequence[str]] | None,
) -> str:
    """`gameover`."""
    points = check_wholes("scores", scores, _MOST, "the points of each seat")
    seats = check_wholes("winners", winners, _SEATS - 1, "the seats that win")
    check_text("end", end, "walls, towers, houses, palaces or no-line")
    line = f"gameover scores {joined(points)} winners {joined(seats)} end {end}"
    if hands is None:
        return line
    what = "for each seat its cards by name, or None"
    names = [
        check_list("hands", hand, str, what) for hand in check_list("hands", hands, object, what)
    ]
    return f"{line} hands " + "/".join("+".join(hand) or "-" for hand in names)


def search_words(limits: Limits, how: Mapping[str, Any]) -> list[str]:
    """Return the words of `go` after its id; the rest of `how` is looked at, too."""
    words = go_words(check_type("limits", limits, Limits, "Limits"))
    multipv = check_whole("multipv", how.get("multipv", 1), 1, _MOST)
    if multipv != 1:
        words.append(f"multipv {multipv}")
    for word in ("moves", "avoid"):
        if how.get(word) is not None:
            named = check_list(word, how[word], str, "a list of moves as text")
            words += [word, *named] if named else []
    if how.get("on_info") is not None and not callable(how["on_info"]):
        raise MasonsError(f"on_info is {shown(how['on_info'])}: it must be a function or None")
    check_seconds("wait", how.get("wait"))
    return words


def check_seconds(name: str, seconds: object) -> None:
    """Check a time, or None."""
    number = real(seconds)
    if seconds is not None and (number is None or number < 0):
        raise MasonsError(f"{name} is {shown(seconds)}: it must be seconds from 0 on, or None")


# --- boards that are not built in, as files that engines can read

_lock = threading.Lock()
_folder: list[tempfile.TemporaryDirectory[str]] = []  # none or one


def named_board(board: Board) -> str:
    """Return what `newgame` calls a board: its name, or a file that is written for the engines.

    The file stays until `remove_board_files`, or until this process ends. Raises OSError.
    """
    text = board_text(board)
    if text == board.name:
        return text
    with _lock:
        if not _folder:
            _folder.append(tempfile.TemporaryDirectory(prefix="masons-"))
        path = Path(_folder[0].name) / f"{board.sha256}.json"
        if not path.exists():
            path.write_text(text, encoding="utf-8")
    return str(path)


def remove_board_files() -> None:
    """Remove the files; they are written again where they are needed."""
    with _lock:
        while _folder:
            _folder.pop().cleanup()
