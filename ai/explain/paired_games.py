"""Games played on after some moves of a decision, as numbers: see `continued_games`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.explain import continued_games as noted
from masons.ai.halving.halving_search import decision_of
from masons.ai.halving.paired_values import margins_of
from masons.ai.halving.workspace import Models
from masons.ai.models.model_data import learned, learned_net
from masons.ai.net_policy.policy_workspace import new_policy_workspace
from masons.ai.search.decision_view import decision_view
from masons.engine.board.components import LANDS
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import field_of
from masons.engine.kernels.rng import mix
from masons.engine.state.position import Position

Numbers = NDArray[np.float64]

_AT_ONCE: Final = 4  # deals of a call: Ctrl-C and the end of the time come between them
_SCORE_BITS: Final = 16


class Choice(NamedTuple):
    """A choice in a game played on; None: a seat's final scoring, and last the end."""

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
    land: Numbers  # [deals, moves, LANDS]: what each land card scores there
    hand: tuple[int, ...]  # of the seat that decides: kinds of cards
    _notes: NDArray[np.uint64]  # [deals, moves, as many as the longest has, NOTE_WORDS]
    _counts: NDArray[np.uint64]  # [deals, moves]

    @property
    def players(self) -> int:
        """The number of seats."""
        return int(self.wins.shape[2])

    @property
    def margins(self) -> Numbers:
        """[deals, moves]: the seat's score less the mean of the others'."""
        return margins_of(self.scores, self.seat)

    @property
    def deals(self) -> int:
        """In how many deals each move was played."""
        return len(self.wins)

    @property
    def points(self) -> tuple[Numbers, NDArray[np.bool_], Numbers, Numbers]:
        """What each seat got after each note: [deals, moves, notes, seats].

        And for each note [deals, moves, notes] whether it is a choice, the turn, whose it was.
        """
        most = int(self._counts.max())
        notes = self._notes[:, :, :most]
        when, packed = notes[..., int(noted.WHEN)], notes[..., int(noted.POINTS)]
        shifts = np.arange(self.players, dtype=np.uint64) * np.uint64(_SCORE_BITS)
        totals = (packed[..., None] >> shifts & np.uint64(0xFFFF)).astype(float)
        last = np.arange(most) >= self._counts[..., None].astype(np.int64) - 1
        gained = np.diff(totals, axis=2, append=0.0)
        gained[last] = 0.0
        is_choice = notes[..., int(noted.MOVE)] > 0
        turn = (when & np.uint64(0xFFFF)).astype(float)
        active = (when >> noted.ACTIVE_SHIFT & np.uint64(0xFF)).astype(float)
        return gained, is_choice & ~last, turn, active

    def noted(self, number: int) -> tuple[NDArray[np.uint64], ...]:
        """The packed moves of one move's games, the turns and who chose, each [deals, notes].

        A note that is no choice has the move 0.
        """
        notes = self._notes[:, number]
        when = notes[..., int(noted.WHEN)]
        return (
            notes[..., int(noted.MOVE)],
            when & np.uint64(0xFFFF),
            (when >> np.uint64(noted.WHO)) & np.uint64(0xFF),
        )

    def scored(self, number: int) -> tuple[NDArray[np.uint64], ...]:
        """The cities completed after a move: their deals, turns, whose turn, space, pieces.

        `space` is the lowest one; pieces are as in the layout of a state.
        """
        notes = self._notes[:, number]
        when, city = notes[..., int(noted.WHEN)], notes[..., int(noted.SCORED)]
        turns = when & np.uint64(0xFFFF)
        is_first = city > 0
        is_first[:, 1:] &= (city[:, :-1] == 0) | (turns[:, :-1] != turns[:, 1:])
        deals, places = np.nonzero(is_first)
        found, words = when[deals, places], city[deals, places]
        low = np.uint64(0xFF)
        return (
            deals.astype(np.uint64),
            turns[deals, places],
            (found >> np.uint64(noted.ACTIVE_SHIFT)) & low,
            (words >> np.uint64(noted.SPACE_SHIFT)) & low,
            words & np.uint64(0x3FFFFFFF),
        )

    def choices(self, deal: int, number: int) -> Iterator[Choice]:
        """The choices of one game, from the move itself to the end."""
        count = int(self._counts[deal, number])
        for move, when, points, _ in self._notes[deal, number, :count].tolist():
            yield Choice(
                Move(move) if move else None,
                when & 0xFFFF,
                when >> int(noted.WHO) & 0xFF,
                when >> int(noted.ACTIVE_SHIFT) & 0xFF,
                tuple(points >> _SCORE_BITS * seat & 0xFFFF for seat in range(self.players)),
            )


def error_of_mean(values: Numbers, prior: float) -> float:
    """The standard error of a mean, with one more value of the variance `prior`: never 0."""
    count = len(values)
    return math.sqrt(count * float(values.var()) + prior) / count


def continuations(
    table: Table,
    seen: Position | Observation,
    moves: Sequence[Move],
    *,
    deals: int,
    turns: int,
    seed: int = 0,
    first: int = 0,
    ended: Callable[[], bool] = bool,
) -> Continuations:
    """Play on after each of some legal moves, for so many turns after this one (0: to the end).

    Less are played where `ended` says so in between: it is asked every few deals. `first` is the
    number of the first deal: those before it were played already.
    """
    view = decision_view(table, seen)
    numbers = learned()
    models = Models(field_of(np.tile(numbers["heuristic"], view.players)), field_of(learned_net()))
    decision = decision_of(table, view, moves, numbers["hands"])
    workspace, policy = noted.new_game_workspace(), new_policy_workspace()
    parts = []
    for begin in range(0, deals, _AT_ONCE):
        count = min(_AT_ONCE, deals - begin)
        notes = noted.new_notes(count * len(moves))
        asked = noted.Asked(U(mix(seed) >> 1), U(first + begin), U(count), U(turns))
        noted.continue_games(decision, models, asked, notes, workspace, policy)
        parts.append(_compact(notes, count, len(moves)))
        if ended():
            break
    results, choices, counts = map(_joined, zip(*parts, strict=True))
    hand = view.position.hands[view.seat]
    assert not isinstance(hand, int)  # whoever decides sees its own

    def part(at: int, size: int = view.players) -> Numbers:
        return np.asarray(results[:, :, at : at + size])

    return Continuations(
        tuple(moves),
        view.seat,
        view.position.turn,
        part(noted.WIN),
        part(noted.SCORE),
        part(noted.HAS),
        results[:, :, noted.LEFT],
        results[:, :, noted.ENDED],
        results[:, :, noted.LAST],
        part(noted.LAND, LANDS),
        hand,
        choices,
        counts,
    )


def _arrays(games: Continuations) -> dict[str, NDArray[Any]]:
    return {name: value for name, value in vars(games).items() if isinstance(value, np.ndarray)}


def joined(games: Continuations, more: Continuations) -> Continuations:
    """Games after the same moves, and more of them in other deals."""
    others = _arrays(more)
    arrays = {name: _joined([array, others[name]]) for name, array in _arrays(games).items()}
    return replace(games, **arrays)  # type: ignore[arg-type]


def led_by(games: Continuations, move: Move) -> Continuations:
    """The same games, one of their moves first."""
    order = sorted(range(len(games.moves)), key=lambda number: games.moves[number] != move)
    arrays = {name: array[:, order] for name, array in _arrays(games).items()}
    return replace(games, moves=tuple(games.moves[i] for i in order), **arrays)  # type: ignore[arg-type]


def _compact(notes: noted.Notes, deals: int, moves: int) -> tuple[NDArray[Any], ...]:
    """Results, notes and how many there are, [deals, moves, ...], without what was not used."""
    counts = np.asarray(notes.counts).reshape(deals, moves)
    shape = (deals, moves, noted.MOST_NOTES, noted.NOTE_WORDS)
    choices = np.asarray(notes.choices).reshape(shape)[:, :, : int(counts.max())].copy()
    return np.asarray(notes.results).reshape(deals, moves, noted.RESULT), choices, counts


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Deals one after the other; of notes there are as many as the longest has."""
    if parts[0].ndim < 4:
        return np.concatenate(parts)
    whole = np.zeros(
        (sum(map(len, parts)), parts[0].shape[1], max(part.shape[2] for part in parts),
         noted.NOTE_WORDS), dtype=parts[0].dtype,
    )  # fmt: skip
    first = 0
    for part in parts:
        whole[first : first + len(part), :, : part.shape[2]] = part
        first += len(part)
    return whole
