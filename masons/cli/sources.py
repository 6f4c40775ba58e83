"""The positions and games that arguments of commands name.

| argument           | position                                                           |
| ------------------ | ------------------------------------------------------------------ |
| `masons1 board=…`  | the position that this text describes                              |
| `FILE@N`           | the position before decision N of the first game in a file         |
| `FILE#K@N`         | the position before decision N of game K in a file of records      |
| `FILE`             | the position in a file; blank lines and `# …` comments are skipped |
| `-`                | the position text on standard input                                |

Decisions and games count from 1. The number after that of the last decision names the end.

Commands that take whole games accept `FILE` and `FILE#K`. If there is a file whose name is exactly
the argument, the argument means this file.
"""

from __future__ import annotations

import errno
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from masons.cli.process import prepare, say
from masons.engine.board.geometry import Board, load_board
from masons.engine.errors import MasonsError, PositionError, RecordError
from masons.engine.plain_text import count, quoted
from masons.engine.storage.line_file import json_object

if TYPE_CHECKING:
    from masons.engine.formats.move_text import Move
    from masons.engine.game.game import Game
    from masons.engine.game.observation import Observation
    from masons.engine.game.replay import Replay
    from masons.engine.state.position import Position

MAX_BYTES: Final = 1 << 20
_NAMED: Final = re.compile(r"(?P<file>.+?)(?:#(?P<game>[0-9]+))?(?:@(?P<decision>[0-9]+))?", re.S)
_MAX_DIGITS: Final = 9


class NamedGame(NamedTuple):
    """The parts of an argument. A part that is missing is None."""

    file: str
    game: int | None = None
    decision: int | None = None


def named_game(argument: str) -> NamedGame:
    """Split an argument into its parts. Raises RecordError for an empty name or a bad number."""
    if not argument:
        raise RecordError("a file name must not be empty")
    match = None if argument == "-" or is_file(argument) else _NAMED.fullmatch(argument)
    if match is None:
        return NamedGame(argument)
    numbers: list[int | None] = []
    for word in ("game", "decision"):
        digits = match[word] and match[word].lstrip("0")
        if digits == "":
            raise RecordError(f"{quoted(match['file'], 80)}: games and decisions count from 1")
        if digits and len(digits) > _MAX_DIGITS:
            raise RecordError(
                f"{quoted(match['file'], 80)}: the {word} has more than {_MAX_DIGITS} digits"
            )
        numbers.append(int(digits) if digits else None)
    return NamedGame(match["file"], *numbers)


def whole_game(argument: str, number: int | None) -> tuple[str, int | None]:
    """Return the file and the game that an argument and --game name.

    Raises UsageError or RecordError.
    """
    named = named_game(argument)
    if named.decision is not None:
        raise click.UsageError("FILE@N names a decision: name a whole game by FILE or FILE#K")
    if named.game is not None and number is not None:
        raise click.UsageError("FILE#K cannot go with --game: name the game once")
    return named.file, number if named.game is None else named.game


def game_name(file: str, number: int) -> str:
    """Return the name by which messages mention a game in a file or on standard input."""
    return f"{_record_source(file)}, game {number}"


def _record_source(file: str) -> str:
    return "standard input" if file == "-" else file


@contextmanager
def errors_of(source: str, kind: Callable[[str], Exception] = MasonsError) -> Iterator[None]:
    """Put `source` before the message of a MasonsError, unless `source` is empty.

    The error is raised again as an exception of the given kind.
    """
    try:
        yield
    except MasonsError as error:
        raise kind(f"{source}: {error}" if source else str(error)) from None


def records_in(file: str, number: int | None = None) -> Iterator[tuple[int, str]]:
    """Yield (number, line) for each record in a file, with numbers from 1.

    `file` may be `-` for standard input. If `number` is given, only this record is yielded.
    Raises RecordError if there is no such record.
    """
    from masons.engine.game.record import read_lines

    name, games = _record_source(file), 0
    with click.open_file(file, "rb") as stream:
        for line in read_lines(stream, name=name):
            games += 1
            if number in (None, games):
                yield games, line
            if games == number:
                return
    if number is not None:
        raise RecordError(f"{name} holds {count(games, 'game')}, no game {number}")
    if not games:
        raise RecordError(f"{name} holds no games")


def is_file(name: str) -> bool:
    """Return whether a file of this name exists. Return False for an impossible name."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


class Placed(NamedTuple):
    """A position with its board.

    If the position comes from a record, `game` is the game up to this position, and `played` is the
    move that was made there, if any. `source` names the file in messages. It is empty for a
    position on the command line.
    """

    board: Board
    position: Position
    game: Game | None = None
    played: Move | None = None
    source: str = ""

    def observe(self, seat: int) -> Observation | None:
        """Return a seat's view with all earlier choices, or None if these are unknown."""
        return None if self.game is None else self.game.observe(seat)


def find_position(argument: str, board_file: str | None = None) -> Placed:
    """Return the position that an argument names. Raises MasonsError."""
    from masons.engine.formats.position_text import is_position

    board = load_board(board_file) if board_file else None
    if is_position(argument):
        return _checked(argument, board)
    if argument != "-":
        named = named_game(argument)
        if named.decision is not None:
            return _in_record(named.file, named.game or 1, named.decision, board)
    text = _only_position(argument)
    with errors_of(_shown(argument), PositionError):
        return _checked(text, board)._replace(source=_shown(argument))


def _checked(text: str, board: Board | None) -> Placed:
    """Parse and check a position text. Raises MasonsError."""
    from masons.engine.board.packed_board import pack_board
    from masons.engine.formats.position_text import parse_position
    from masons.engine.state.derive import derive_state

    placed = Placed(*parse_position(text, board))
    derive_state(placed.board, pack_board(placed.board), placed.position)
    return placed


def position_file(argument: str) -> str | None:
    """Return the name of the file that an argument names, or `-`.

    Returns None for a position text. Raises RecordError.
    """
    from masons.engine.formats.position_text import is_position

    return None if is_position(argument) else named_game(argument).file


def holds_position(file: str) -> bool:
    """Return whether a file holds a position rather than records."""
    from masons.engine.formats.position_text import is_position

    try:
        return is_position(_only_position(file))
    except MasonsError:
        return False


def _in_record(file: str, number: int, decision: int, board: Board | None) -> Placed:
    from masons.engine.formats.record_endings import ending_notes
    from masons.engine.game.record import read_record
    from masons.engine.game.replay import Replay

    record = read_record(file, number)
    prepare()
    source = game_name(file, number)
    with errors_of(source):
        replay = Replay(record, board)
        replay.go_to(decision)
    if notes := ending_notes(record):
        say(f"{source}: {' '.join(notes)}")
    game = replay.game
    return Placed(game.board, game.position, game, _move_played(replay), source)


def _move_played(replay: Replay) -> Move | None:
    """Return the move that the record has next, or None if there is none or it is not legal."""
    try:
        return replay.next_move()
    except MasonsError:
        return None


def _only_position(source: str) -> str:
    """Return the only line with a position in a file or `-`. Raises PositionError."""
    from masons.engine.formats.position_text import without_comments

    name = _shown(source)
    data = _read(source)
    try:
        lines = without_comments(data.decode("utf-8-sig")).splitlines()
    except UnicodeDecodeError:
        raise PositionError(f"{name} is not UTF-8 text, so it holds no position") from None
    texts = [line for line in map(str.strip, lines) if line]
    if texts and texts[0].startswith("{"):
        hint = "write FILE@N or FILE#K@N for the position before decision N"
        if not str((json_object(texts[0].encode()) or {}).get("format")).startswith("masons-"):
            raise PositionError(f"{name} holds neither a position nor a game record")
        raise PositionError(f"{name} holds game records: {hint}")
    if len(data) > MAX_BYTES:
        raise PositionError(f"{name} is too big for a position: at most {MAX_BYTES} bytes are read")
    if len(texts) != 1:
        amount = "no position" if not texts else f"{len(texts)} lines"
        raise PositionError(f"{name} holds {amount}: it must hold one position, on one line")
    return texts[0]


def _read(source: str) -> bytes:
    if source == "-":
        if sys.stdin is None:
            raise PositionError("there is no standard input to read a position from")
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        with Path(source).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        pass
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise PositionError(f"cannot read {quoted(source, 80)}: {error.strerror}") from None
    named = named_game(source)
    if named.game is not None and is_file(named.file):
        raise PositionError(
            f"{quoted(source, 80)} is a whole game: write {shlex.quote(f'{source}@N')} for the "
            "position before decision N"
        )
    raise PositionError(
        f"{quoted(source, 80)} is neither a position (masons1 board=...) nor a file; "
        "FILE@N names decision N of a record"
    )


def _shown(source: str) -> str:
    return "standard input" if source == "-" else quoted(source, 500)
