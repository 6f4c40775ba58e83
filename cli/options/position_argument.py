"""The position that an argument names.

| argument           | position                                                          |
| ------------------ | ----------------------------------------------------------------- |
| `masons1 board=…`  | the text itself                                                   |
| `FILE@N`           | before decision N (from 1) of the first game of a file of records |
| `FILE#K@N`         | of its game K (from 1)                                            |
| `FILE`             | a file with one position text; blank lines and `# …` are skipped  |
| `-`                | the same from standard input                                      |
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from masons.cli.options.record_argument import is_file, named_game
from masons.cli.support.streams import say
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError, PositionError
from masons.engine.plain_words import quoted

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.engine.formats.move_text import Move
    from masons.engine.game.game import Game
    from masons.engine.game.observation import Observation
    from masons.engine.state.position import Position

MAX_BYTES: Final = 1 << 20


class Placed(NamedTuple):
    """A position and the board that it is on; of one in a record the game up to there.

    `played` is the move that was made there, where one was; `source` where it was read, if not from
    the command line.
    """

    board: Board
    position: Position
    game: Game | None = None
    played: Move | None = None
    source: str = ""

    @contextmanager
    def named(self) -> Iterator[None]:
        """Say in an error where the position was read."""
        try:
            yield
        except MasonsError as error:
            if not self.source:
                raise
            raise MasonsError(f"{self.source}: {error}") from None

    def observe(self, seat: int) -> Observation | None:
        """What a seat sees with what everybody chose so far, where that is known."""
        return None if self.game is None else self.game.observe(seat)


def find_position(argument: str, board_file: str | None = None) -> Placed:
    """The position that an argument names. Raises MasonsError saying what is wrong with it."""
    from masons.engine.formats.position_text import is_position

    board = load_board(board_file) if board_file else None
    if is_position(argument):
        return _sound(argument, board)
    if argument != "-":
        named = named_game(argument)
        if named.decision is not None:
            return _in_record(named.file, named.game or 1, named.decision, board)
    source = "standard input" if argument == "-" else argument
    data = _read_stdin() if argument == "-" else _read_file(argument)
    text = _only_position(data, source)
    try:
        return _sound(text, board)._replace(source=_shown(source))
    except MasonsError as error:
        raise PositionError(f"{_shown(source)}: {error}") from None


def _sound(text: str, board: Board | None) -> Placed:
    """The position of a text, in which what it waits for is possible. Raises MasonsError."""
    from masons.engine.board.packed_board import pack_board
    from masons.engine.formats.position_text import parse_position
    from masons.engine.state.derive import derive_state

    there = Placed(*parse_position(text, board))
    derive_state(there.board, pack_board(there.board), there.position)
    return there


def position_file(argument: str) -> str | None:
    """The file that an argument names, `-` included; None for a text. Raises RecordError."""
    from masons.engine.formats.position_text import is_position

    return None if is_position(argument) else named_game(argument).file


def holds_position(file: str) -> bool:
    """Whether a file holds a position, and no records."""
    from masons.engine.formats.position_text import is_position

    try:
        return is_position(_only_position(_read_file(file), file))
    except MasonsError:
        return False


def _in_record(file: str, game: int, decision: int, board: Board | None) -> Placed:
    from masons.cli.support.precompile import prepare
    from masons.engine.formats.record_endings import ending_notes
    from masons.engine.game.record import read_record, replay_to

    record = read_record(file, game)
    prepare("rules")
    try:
        there = replay_to(record, decision, board)
    except MasonsError as error:
        raise MasonsError(f"{file}, game {game}: {error}") from None
    if notes := ending_notes(record):
        say(f"{file}, game {game}: {' '.join(notes)}")
    played = _played(record, decision, board)
    return Placed(there.board, there.position, there, played, f"{file}, game {game}")


def _played(record: dict[str, Any], decision: int, board: Board | None) -> Move | None:
    """The move of a decision; None where none was made, or the record can't be read so far."""
    from masons.engine.game.record import replay_to

    try:
        return replay_to(record, decision + 1, board).moves[decision - 1]
    except MasonsError:
        pass
    from masons.engine.game.record import Replay

    replay = Replay(record, board)
    try:
        while not replay.is_done:
            replay.step()
    except MasonsError:
        return None
    return dict(enumerate(replay.game.moves, 1)).get(decision)


def _read_stdin() -> bytes:
    if sys.stdin is None:
        raise PositionError("there is no standard input to read a position from")
    return sys.stdin.buffer.read(MAX_BYTES + 1)


def _read_file(name: str) -> bytes:
    if not is_file(name) and not _exists(name):
        raise PositionError(
            f"{quoted(name, 80)} is neither a position (masons1 board=...) nor a file; "
            "FILE@N names decision N of a record"
        )
    try:
        with Path(name).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise PositionError(f"cannot read {quoted(name, 80)}: {error.strerror}") from None


def _exists(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False


def _shown(source: str) -> str:
    return source if source == "standard input" else quoted(source, 500)


def _only_position(data: bytes, source: str) -> str:
    """The one position line of a file."""
    name = _shown(source)
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise PositionError(f"{name} is not UTF-8 text, so it holds no position") from None
    found = [line for line in map(str.strip, lines) if line and not line.startswith("#")]
    if found and found[0].startswith("{"):
        hint = "write FILE@N or FILE#K@N for the position before decision N"
        raise PositionError(f"{name} holds game records: {hint}")
    if len(data) > MAX_BYTES:
        raise PositionError(f"{name} is too big for a position: at most {MAX_BYTES} bytes are read")
    if len(found) != 1:
        count = "no position" if not found else f"{len(found)} lines"
        raise PositionError(f"{name} holds {count}: it must hold one position, on one line")
    return found[0]
