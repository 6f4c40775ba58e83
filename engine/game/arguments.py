"""Checks of the arguments of games: values of the right kind, or an error.

Each takes anything, so that a wrong type gets the same clear line as a wrong number.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from masons.engine.board.components import CARD_COPIES, CARDS, HAND, MAX_PLAYERS, MIN_PLAYERS
from masons.engine.board.geometry import Board, load_board, sound_board
from masons.engine.checks import check_any_whole, shown, whole
from masons.engine.errors import BoardError, MasonsError, MoveError
from masons.engine.formats.move_text import CARD_NUMBER
from masons.engine.game.action_history import HISTORY_SIZE
from masons.engine.game.chance import Chance, CheckedChance, Outside, Scripted, Seeded
from masons.engine.game.observation import is_array

__all__ = [
    "ALL_KINDS",
    "board_given",
    "card_number",
    "chance_given",
    "hands_given",
    "is_history",
    "seats_given",
    "seed_given",
    "shown",
    "whole",
]

ALL_KINDS: Final = tuple(sorted([*range(len(CARDS))] * CARD_COPIES))
"""The kind of every card in the box, ascending."""

_OWN: Final = (Seeded, Outside, Scripted)
_MOST_HISTORY: Final = 1e6  # far more than the choices of a game add up to


def seats_given(players: object, first: object) -> tuple[int, int]:
    """Return the number of players and the seat that begins. Raises MasonsError."""
    count, begins = whole(players), whole(first)
    if count is None or not MIN_PLAYERS <= count <= MAX_PLAYERS:
        raise MasonsError(f"players is {shown(players)}: it must be 2, 3 or 4")
    if begins is None or not 0 <= begins < count:
        raise MasonsError(f"first is {shown(first)}: it must be a seat from 0 to {count - 1}")
    return count, begins


def seed_given(seed: object, chance: object) -> int | None:
    """The seed given; a random one where there is none and chance needs it. Raises MasonsError."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1)[0]) if chance is None else None
    return check_any_whole("seed", seed, "a whole number or None")


def chance_given(chance: object, seed: int | None) -> Chance:
    """Return the source of chance given, or one made of the seed. Raises MasonsError."""
    if chance is None:
        return Seeded(seed or 0)
    if not isinstance(chance, Chance) or isinstance(chance, type):
        raise MasonsError(
            f"chance is {shown(chance)}: it must be a source of chance like Outside()"
        )
    return chance if isinstance(chance, _OWN) else CheckedChance(chance)


def board_given(board: object) -> Board:
    """Return a board ready, by name or by file. Raises BoardError."""
    if isinstance(board, Board):
        return sound_board(board)
    if isinstance(board, str | Path):
        return load_board(board)
    raise BoardError(f"board is {shown(board)}: it must be a Board, a name or a file")


def card_number(name: str) -> int:
    """Return the kind of card of a name; MoveError for a name unknown."""
    if not isinstance(name, str) or name not in CARD_NUMBER:
        raise MoveError(f"{shown(name)} is not a card: write a name like city-red or cities")
    return CARD_NUMBER[name]


def hands_given(hands: Sequence[Sequence[str]], players: int) -> tuple[list[list[int]], list[int]]:
    """Return the kinds dealt to each seat, and those left, ascending. Raises MasonsError."""
    try:
        dealt = [[card_number(name) for name in hand] for hand in hands]
    except TypeError:
        raise MasonsError(
            f"hands is {shown(hands)}: it must be a hand of card names for each seat"
        ) from None
    if (
        any(isinstance(hand, str) for hand in hands)
        or [len(hand) for hand in dealt] != [HAND] * players
    ):
        raise MasonsError(f"hands must be {players} hands of {HAND} cards")
    left = list(ALL_KINDS)
    for kind in (kind for hand in dealt for kind in hand):
        if kind not in left:
            raise MasonsError(f"{CARDS[kind]} is dealt three times: there are two of each")
        left.remove(kind)
    return dealt, left


def is_history(value: object) -> bool:
    """Return whether a value is an action history, with numbers that one can hold."""
    return (
        is_array(value, np.float64, HISTORY_SIZE)
        and isinstance(value, np.ndarray)
        and bool((np.abs(value) < _MOST_HISTORY).all())
    )
