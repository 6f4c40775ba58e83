"""The expected line after a move: what most games of a rollout did.

Own pieces and cards of this turn, each other seat's wall, the seat's own next wall, and the first
scoring of its own after this turn. Each by itself, with its share of all games: it stands where
that is large enough to say something. Dice and hidden draws are left out.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.rollout.noted_games import NotedGames
from masons.engine.formats.move_text import Move
from masons.engine.state.packed_move import HOUSES, KIND_SHIFT, MERGE, PLAY, TOWERS, WALL

LEAST: Final = 0.1  # a share of the games that deserves a place in the line
_OWN: Final = (TOWERS, HOUSES, MERGE, PLAY)  # of this turn, in their order


def expected_moves(games: NotedGames, number: int) -> list[tuple[Move, float]]:
    """Return the likeliest moves after move `number`, each with its share of the games."""
    packed, turns, seats = (part[:, 1:] for part in games.choices_of(number))  # without itself
    kinds = packed >> np.uint64(KIND_SHIFT)
    own, now = seats == games.seat, turns == games.turn
    found = [_likeliest(packed, (kinds == kind) & own & now) for kind in _OWN]
    is_play = (kinds == PLAY) & own & ~now
    scoring, scored = _likeliest(packed, is_play), _turn_of(turns, is_play)
    walls = set[int]()
    for turn in range(games.turn + 1, games.turn + games.players + 1):
        wall = _likeliest(packed, (kinds == WALL) & (turns == turn), without=walls)
        found.append(wall)
        walls.add(wall[0])
        if turn == scored or (turn == games.turn + games.players and scored > turn):
            found.append(scoring)
    return [(Move(move), share) for move, share in found if move and share >= LEAST]


def _likeliest(
    packed: NDArray[np.uint64], wanted: NDArray[np.bool_], without: set[int] | None = None
) -> tuple[int, float]:
    """The move that most games made first of those wanted, and their share; 0 where none did."""
    some = wanted.any(axis=1)
    first = packed[some, wanted[some].argmax(axis=1)]
    moves, counts = np.unique(first, return_counts=True)
    counts[np.isin(moves, [*(without or ())])] = 0
    if not counts.any():
        return 0, 0.0
    best = int(counts.argmax())
    return int(moves[best]), float(counts[best] / len(packed))


def _turn_of(turns: NDArray[np.uint64], wanted: NDArray[np.bool_]) -> int:
    """The turn in which most games did first what is wanted; 0 where none did."""
    return _likeliest(turns, wanted)[0]
