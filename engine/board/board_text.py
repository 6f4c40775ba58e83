"""A board in one text, to be handed on: its name where it is built in, else the whole of it."""

from __future__ import annotations

import json
from functools import lru_cache

from masons.engine.board.geometry import Board, builtin_boards, load_board


def board_text(board: Board) -> str:
    """A board's name, if it is built in, or its JSON."""
    built_in = board.name in builtin_boards() and load_board(board.name).sha256 == board.sha256
    return board.name if built_in else board.to_json()


@lru_cache(maxsize=4)
def board_of(text: str) -> Board:
    """The board that `board_text` wrote."""
    return Board.from_dict(json.loads(text)) if text.startswith("{") else load_board(text)
