"""Games played on after some moves of a decision, as numbers: see `continued_games`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.explain import continued_games as noted
from masons.ai.halving.halving_search import decision_of
from masons.ai.halving.workspace import Models
from masons.ai.models.model_data import learned
from masons.ai.net_policy.policy_workspace import new_policy_workspace
from masons.ai.search.decision_view import decision_view
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import field_of
from masons.engine.kernels.rng import mix
from masons.engine.state.position import Position

Numbers = NDArray[np.float64]

_AT_ONCE: Final = 100  # deals of a call: Ctrl-C comes through between them
_SCORE_BITS: Final = 16


class Choice(NamedTuple):
    """A choice in a game played on; the last one of a game is `move` None, its end."""

    move: Move | None
    turn: int
    seat: int  # that chose
    active: int  # whose turn it was
    scores: tuple[int, ...]  # before it


@dataclass(frozen=True)
class Continuations:
    """Games after some moves, in the same deals with the same luck.

    Numbers are [deals, moves] or [deals, moves, seats].
    """

    moves: tuple[Move, ...]
    seat: int
    turn: int
    wins: Numbers
    scores: Numbers  # final ones, or what the net expects of them
    has: Numbers  # the scores where the game was left
    left: Numbers  # the share of the game that was left there
    ended: Numbers
    last: Numbers  # the turn there
    _notes: NDArray[np.uint64]  # [deals, moves, MOST_NOTES, NOTE_WORDS]
    _counts: NDArray[np.uint64]  # [deals, moves]

    @property
    def players(self) -> int:
        """The number of seats."""
        return int(self.wins.shape[2])

    @property
    def deals(self) -> int:
        """In how many deals each move was played."""
        return len(self.wins)

    def choices(self, deal: int, number: int) -> Iterator[Choice]:
        """The choices of one game, from the move itself to the end."""
        count = int(self._counts[deal, number])
        for move, when, points in self._notes[deal, number, :count].tolist():
            yield Choice(
                Move(move) if move else None,
                when & 0xFFFF,
                when >> int(noted.WHO) & 0xFF,
                when >> int(noted.ACTIVE_SHIFT) & 0xFF,
                tuple(points >> _SCORE_BITS * seat & 0xFFFF for seat in range(self.players)),
            )


def continuations(
    table: Table,
    seen: Position | Observation,
    moves: Sequence[Move],
    *,
    deals: int,
    turns: int,
    seed: int = 0,
) -> Continuations:
    """Play on after each of some legal moves, for so many turns after this one (0: to the end)."""
    view = decision_view(table, seen)
    numbers = learned()
    models = Models(field_of(np.tile(numbers["heuristic"], view.players)), field_of(numbers["net"]))
    decision = decision_of(table, view, moves, numbers["hands"])
    workspace, policy = noted.new_game_workspace(), new_policy_workspace()
    parts = []
    for first in range(0, deals, _AT_ONCE):
        count = min(_AT_ONCE, deals - first)
        notes = noted.new_notes(count * len(moves))
        asked = noted.Asked(U(mix(seed) >> 1), U(first), U(count), U(turns))
        noted.continue_games(decision, models, asked, notes, workspace, policy)
        parts.append(notes)
    shape = (deals, len(moves))
    results, choices, counts = (
        np.concatenate([np.asarray(getattr(part, name)) for part in parts])
        for name in ("results", "choices", "counts")
    )
    results = results.reshape(*shape, noted.RESULT)
    seats = [slice(at, at + view.players) for at in (noted.WIN, noted.SCORE, noted.HAS)]
    return Continuations(
        tuple(moves),
        view.seat,
        view.position.turn,
        *(results[:, :, part] for part in seats),
        *(results[:, :, at] for at in (noted.LEFT, noted.ENDED, noted.LAST)),
        choices.reshape(*shape, noted.MOST_NOTES, noted.NOTE_WORDS),
        counts.reshape(shape),
    )
