"""The client's arguments: command lines, time-outs, search limits and board files."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from masons.ai.search.limits import Limits
from masons.engine.board.geometry import Board, board_text
from masons.engine.checks import check_list, check_text, real, refuse, shown
from masons.engine.errors import MasonsError
from masons.engine.plain_text import joined, quoted

_WINDOWS: Final = os.name == "nt"


def check_seconds(name: str, seconds: object, more: str = "") -> None:
    """Raise MasonsError for anything but seconds from 0 on; `more` says what else is allowed."""
    number = real(seconds)
    if number is None or number < 0:
        refuse(name, seconds, f"seconds from 0 on{more}")


@dataclass(frozen=True)
class Timeouts:
    """Time limits in seconds. An engine that exceeds one of them counts as stalled.

    Raises MasonsError for anything but numbers from 0 on.
    """

    handshake: float = 10.0  # from the start of the process to `meiok`
    ready: float = 300.0  # from `isready` to `readyok`; kernels may have to be compiled
    reply: float = 60.0  # for the answer to a query, `eval` or `belief`
    grace: float = 10.0  # from the end of the search time, or from `stop`, to `bestmove`
    search: float = 600.0  # from `go` without a time limit to `bestmove`
    silence: float = 60.0  # between two lines, while `ready` or `search` applies
    quit: float = 1.0  # from `quit` to the end of the process

    def __post_init__(self) -> None:
        for name, seconds in vars(self).items():
            check_seconds(name, seconds)


PATIENCE: Final = Timeouts()
TIME_MARGIN: Final = 0.2  # the seconds by which a referee lets a decision exceed its limit


def go_words(limits: Limits) -> list[str]:
    """Return the words that follow `go`. The search time is in whole milliseconds, at least 1.

    With `infinite`, no time is sent, because a time would end the search. Raises MasonsError for a
    limit of rollouts, which the protocol does not have.
    """
    if limits.rollouts is not None:
        raise MasonsError(
            f"limits has rollouts={limits.rollouts}, but no engine can be told a number of "
            "rollouts: give sims or movetime_ms"
        )
    ms = limits.movetime_ms
    words: dict[str, object] = {
        "movetime": None if ms is None else max(round(ms), 1),
        "sims": limits.sims,
        "clock": limits.clock and joined(limits.clock),
        "inc": limits.inc and joined(limits.inc),
        "seed": limits.seed,
    }
    if limits.infinite:
        words |= dict.fromkeys(("movetime", "clock", "inc"))
    text = [f"{word} {value}" for word, value in words.items() if value is not None]
    return [*text, "infinite"] if limits.infinite else text


def command_words(command: Sequence[str] | str) -> list[str]:
    """Split a command line into words, as a shell does. Raises MasonsError.

    On Windows, backslashes are kept because they are part of paths, and only the quotes around a
    word are removed.
    """
    if not isinstance(command, str):
        words = check_list("command", command, str, "one line, or a list of words")
    else:
        try:
            words = shlex.split(command, posix=not _WINDOWS)
        except ValueError as error:
            raise MasonsError(f"{shown(command)} is not a command line: {error}") from None
        if _WINDOWS:
            words = [_unquoted(word) for word in words]
    if not words:
        raise MasonsError("an engine needs a command line")
    return words


def _unquoted(word: str) -> str:
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word


def check_program(command: Sequence[str]) -> None:
    """Raise MasonsError if the program that a command line names does not exist."""
    if shutil.which(command[0]) is None and not Path(command[0]).exists():
        raise MasonsError(f"there is no program {quoted(command[0], 80)} to run")


def check_surroundings(name: object, cwd: object, env: object) -> None:
    """Check an engine's name, working folder and environment variables. Raises MasonsError."""
    if name is not None:
        check_text("name", name, "a text or None")
    if cwd is not None and not isinstance(cwd, str | os.PathLike):
        refuse("cwd", cwd, "a folder or None")
    if env is not None and not (
        isinstance(env, Mapping)
        and all(isinstance(text, str) for item in env.items() for text in item)
    ):
        refuse("env", env, "a mapping of texts to texts, or None")


# --- files of boards that are not built in, for engines to read

_lock = threading.Lock()
_folder: list[tempfile.TemporaryDirectory[str]] = []  # at most one


def named_board(board: Board) -> str:
    """Return the word that names a board in `newgame`.

    For a built-in board, this word is its name. Any other board is written to a file, and the word
    is the path of the file. The file stays until `remove_board_files` is called or this process
    ends. Raises OSError if the file cannot be written.
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
    """Remove the files that `named_board` wrote. Later calls of `named_board` write new files."""
    with _lock:
        while _folder:
            _folder.pop().cleanup()
