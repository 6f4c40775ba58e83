"""What a caller from Python may give: values of the right kind, or an error that says what is.

Each takes anything, so that a wrong type gets the same clear line as a wrong number.
"""

from __future__ import annotations

from operator import index
from pathlib import Path
from reprlib import repr as shown

import numpy as np

from masons.engine.board.geometry import Board, load_board
from masons.engine.errors import BoardError, MasonsError
from masons.engine.game.chance import Chance, Seeded

__all__ = ["board_given", "chance_given", "seed_given", "shown", "whole"]


def whole(value: object) -> int | None:
    """A whole number, also one of numpy's, as an int; None for anything else."""
    if isinstance(value, bool):
        return None
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def seed_given(seed: object, chance: object) -> int | None:
    """The seed given; a random one where there is none and luck needs it. Raises MasonsError."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1)[0]) if chance is None else None
    number = whole(seed)
    if number is None:
        raise MasonsError(f"seed is {shown(seed)}: it must be a whole number or None")
    return number


def chance_given(chance: object, seed: int | None) -> Chance:
    """The source of luck given, or one made of the seed. Raises MasonsError."""
    if chance is None:
        return Seeded(seed or 0)
    if not isinstance(chance, Chance):
        raise MasonsError(f"chance is {shown(chance)}: it must be a source of luck like Outside()")
    return chance


def board_given(board: object) -> Board:
    """A board ready, by name or by file. Raises BoardError."""
    if isinstance(board, Board):
        return board
    if isinstance(board, str | Path):
        return load_board(board)
    raise BoardError(f"board is {shown(board)}: it must be a Board, a name or a file")
