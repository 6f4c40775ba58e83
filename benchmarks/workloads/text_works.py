"""Work: states, views, moves, positions, records and boards, copied, listed, read and written."""

from __future__ import annotations

from functools import cache

from benchmarks.harness.measuring import Run, Work
from benchmarks.workloads.measured_positions import example, example_text

# As in `play_works`: imports of the engine stand inside the functions.


@cache
def _record() -> str:
    """A whole game as the line of its record."""
    from masons.ai.players.named_players import make_player
    from masons.engine.game.game import Game
    from masons.engine.game.record import format_record, game_record

    game = Game(2, seed=1)
    player = make_player("busy", 1)
    while not game.is_over:
        game.apply(player.choose(game.table, game.observe(game.seat), game.legal_moves()))
    return format_record(game_record(game, ["busy", "busy"]))


def _state_copy() -> Run:
    return example().state.copy


def _view() -> Run:
    game = example()
    return lambda: game.observe(0)


def _legal_moves() -> Run:
    return example().legal_moves


def _game_apply() -> Run:
    game = example()
    move = game.legal_moves()[0]

    def run() -> None:
        game.apply(move)
        game.undo()

    return run


def _move_out() -> Run:
    from masons.engine.formats.move_text import format_move

    move = example().legal_moves()[0]
    return lambda: format_move(move)


def _move_in() -> Run:
    from masons.engine.formats.move_text import parse_move

    return lambda: parse_move("wall:51")


def _position_out() -> Run:
    from masons.engine.formats.position_text import format_position

    game = example()
    position, board = game.position, game.board
    return lambda: format_position(position, board)


def _position_in() -> Run:
    from masons.engine.formats.position_text import parse_position

    return lambda: parse_position(example_text())


def _record_out() -> Run:
    from masons.engine.game.record import format_record, parse_record

    record = parse_record(_record())
    return lambda: format_record(record)


def _record_in() -> Run:
    from masons.engine.game.record import parse_record

    return lambda: parse_record(_record())


def _record_check() -> Run:
    from masons.engine.game.record import check_record, parse_record

    record = parse_record(_record())
    return lambda: check_record(record)


def _board_in() -> Run:
    from masons.engine.board.geometry import Board, load_board

    description = load_board("classic").to_dict()
    return lambda: Board.from_dict(description)


def _board_out() -> Run:
    from masons.engine.board.geometry import load_board

    return load_board("classic").to_json


WORKS: dict[str, Work] = {
    "state/copy": Work(_state_copy, "call"),
    "state/view": Work(_view, "call"),
    "state/legal-moves": Work(_legal_moves, "call"),
    "state/apply-undo": Work(_game_apply, "call"),
    "text/move-out": Work(_move_out, "call"),
    "text/move-in": Work(_move_in, "call"),
    "text/position-out": Work(_position_out, "call"),
    "text/position-in": Work(_position_in, "call"),
    "text/record-out": Work(_record_out, "game"),
    "text/record-in": Work(_record_in, "game"),
    "text/record-check": Work(_record_check, "game"),
    "text/board-in": Work(_board_in, "call"),
    "text/board-out": Work(_board_out, "call"),
}
