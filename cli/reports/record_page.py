"""A recorded game, named on the command line, as a page to step through."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from masons.cli.options.position_argument import holds_position, named_game
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError, RecordError

if TYPE_CHECKING:
    from masons.engine.formats.record_events import Event


_NO_RECORD: Final = MasonsError(
    "--html shows a whole game: name a file of records, not a position, which --svg draws"
)


def game_of(argument: str, board_file: str | None, *, hands: bool, title: str = "") -> str:
    """The page of the game that an argument names. Raises MasonsError."""
    from masons.cli.reports.game_story import ending_words
    from masons.cli.support.precompile import prepare
    from masons.engine.formats.position_text import is_position
    from masons.engine.game.record import Replay
    from masons.gui.pictures.game_page import game_page
    from masons.match.playing.game_words import event_words, visible_event

    if is_position(argument):
        raise _NO_RECORD
    named = named_game(argument)
    if named.file != "-" and holds_position(named.file):  # what stdin holds is read once
        raise _NO_RECORD
    file, game, decision = named.file, named.game or 1, named.decision or 1
    record = _record(file, game)
    board = load_board(board_file) if board_file else None
    prepare()
    try:
        replay = Replay(record, board)

        def words(event: Event) -> str:
            return event_words(replay.game.board, event if hands else visible_event(event, ()))

        return game_page(
            replay, words, ending=ending_words,
            title=title, hands=hands, start=decision - 1,
        )  # fmt: skip
    except MasonsError as error:
        raise MasonsError(f"{_name(file)}, game {game}: {error}") from None


def _name(file: str) -> str:
    return "standard input" if file == "-" else file


def _record(file: str, game: int) -> dict[str, Any]:
    from masons.engine.formats.position_text import is_position
    from masons.engine.game.record import parse_record, read_lines, read_record

    if file != "-":
        return read_record(file, game)
    if sys.stdin is None:
        raise RecordError("there is no standard input to read a game from")
    for line in read_lines(sys.stdin.buffer, name=_name(file)):
        if is_position(line):
            raise _NO_RECORD
        return parse_record(line)
    raise RecordError("standard input holds no games")
