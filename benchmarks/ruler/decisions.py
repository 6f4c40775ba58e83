"""The decisions of the ruler, their candidates, the games that follow, and the file.

Each game gives at most one decision. The players are drawn at random for each batch of games:
searches with different numbers of simulations, and heuristics. They also make some random moves.
The ruler therefore contains positions that today's default player would not reach. The candidates
of a decision are moves of high and low rank in the default search, and the choices of other
players. After each candidate, games are played to the end with the same dice and cards.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.training.run_folder import read_arrays, write_arrays
from masons.ai.models.model_data import learned
from masons.ai.players.named_players import SearchPlayer, make_player
from masons.ai.self_play import self_play
from masons.ai.self_play.seat_choices import Seat, packed_seats
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move
from masons.engine.game.action_history import HISTORY_SIZE, ActionHistory
from masons.engine.game.observation import Observation, view_of
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import words
from masons.engine.kernels.rng import mix
from masons.engine.state import layout, packed_move

# The kinds of decisions in the ruler, each with its phase and its share of all decisions.
KINDS: Final = {
    "wall": (int(layout.PHASE_WALL), 0.6),
    "scoring": (int(layout.PHASE_SCORE), 0.25),
    "swap": (int(layout.PHASE_SWAP), 0.15),
}
# The share of decisions for each number of players.
PLAYERS: Final = {2: 0.5, 3: 0.25, 4: 0.25}
# The players of the sampled games (a number stands for a search with this number of simulations per
# decision), and the shares of random moves.
SAMPLED: Final = ("heuristic", "60", "120", "120", "400")
EXPLORED: Final = (0.0, 0.0, 0.1, 0.3)
# The name of the player that uses a net without a search.
POLICY: Final = "policy"
BATCH: Final = 20  # number of games between the same players


class Decisions(NamedTuple):
    """Decisions with the same number of players, one in each row."""

    states: layout.State  # [rows, STATE_WORDS]
    histories: ActionHistory  # [rows, HISTORY_SIZE]

    @property
    def seats(self) -> NDArray[np.int64]:
        """The seat that decides in each row, as int64[rows]."""
        return self.states.view(np.uint8)[:, int(layout.SEAT)].astype(np.int64)


def evaluator_of(text: str) -> str:
    """Return the name of an evaluator, the player that plays the ruler's games to the end.

    Raises ArgumentTypeError if there is no such evaluator.
    """
    if text not in (POLICY, "heuristic") and not (text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not {POLICY}, heuristic or a number from 1")
    return text


def learned_seat(player: str) -> Seat:
    """Return a seat with the models of this package. `player` is the name of an evaluator."""
    numbers = learned()
    simulations = int(player) if player.isdecimal() else 0
    return Seat(simulations, numbers["heuristic"], numbers["net"], by_net=player == POLICY)


def sample_decisions(table: Table, players: int, phase: int, games: int, seed: int) -> Decisions:
    """Return one decision in a phase from each game that has such a decision.

    The seed determines the players, which are the same in all `games` games.
    """
    rng = np.random.default_rng(seed)
    seats = [learned_seat(str(rng.choice(SAMPLED))) for _ in range(players)]
    # Each game has three seeds: its own, an unused one, and one that selects one of its decisions.
    seeds = rng.integers(1 << 62, size=(games, 3), dtype=np.uint64)
    states = np.zeros((games, layout.STATE_WORDS), dtype=np.uint64)
    histories, results = np.zeros((games, HISTORY_SIZE)), np.zeros((games, self_play.RESULT))
    records = self_play.Records(
        phase=U(phase),
        one_each=U(1),
        draws=seeds[:, 2].copy(),
        rows=U(games),
        states=states.ravel(),
        histories=histories.ravel(),
        results=results.ravel(),
    )
    packed = packed_seats(seats, learned()["hands"], float(rng.choice(EXPLORED)))
    self_play.play_in_kernel(
        table, self_play.from_the_deal(table, players, seeds[:, 0].tolist()), packed, records
    )
    is_noted = results[:, self_play.ROWS_COLUMN] > 0
    return Decisions(states[is_noted], histories[is_noted])


def cells_of(count: int) -> list[tuple[str, int, int]]:
    """Divide `count` decisions among the kinds and numbers of players.

    Returns tuples (kind, number of players, number of decisions).
    """
    return [
        (kind, players, round(count * share * of_players))
        for kind, (_, share) in KINDS.items()
        for players, of_players in PLAYERS.items()
    ]


def sample_cell(table: Table, kind: str, players: int, count: int, seed: int) -> Decisions:
    """Return `count` decisions of a kind and number of players, from batches of BATCH games."""
    phase, batch = KINDS[kind][0], 0
    batches: list[Decisions] = []
    while sum(len(part.states) for part in batches) < count:
        batch_seed = mix(seed, phase, players, batch)
        batches.append(sample_decisions(table, players, phase, BATCH, batch_seed))
        batch += 1
    columns = (np.concatenate(column)[:count] for column in zip(*batches, strict=True))
    return Decisions(*columns)


def ranked_moves(table: Table, view: Observation, spec: str, seed: int) -> list[Move]:
    """Return the moves that a search ranks, best first.

    If the player `spec` does not search, return only the move that it chooses.
    """
    player = make_player(spec, seed)
    if isinstance(player, SearchPlayer):
        return [stats.move for stats in player.analyze(table, view).moves]
    return [player.choose(table, view, table.legal_moves(view.state))]


def picked_order(
    table: Table, view: Observation, spec: str, candidates: Sequence[Move], seed: int
) -> tuple[list[int], bool]:
    """Return the numbers of the candidates that an engine ranks, best first.

    The second value is True if the move that the engine would play is a candidate.
    """
    ranked = ranked_moves(table, view, spec, seed)
    places = {move: number for number, move in enumerate(candidates)}
    order = [places[move] for move in ranked if move in places]
    return order, ranked[0] in places


MOST: Final = 10
# The moves with these ranks in the default search, counted from 0, become candidates.
RANKS: Final = (0, 1, 2, 4, 8, 16, 32)
DEFAULT: Final = "default:sims=2000"
OTHERS: Final = ("ismcts:sims=1000", "heuristic")


def candidates_of(table: Table, view: Observation, seed: int) -> list[Move]:
    """Return up to MOST moves: those of certain ranks, other players' choices, and random moves."""
    ranked = ranked_moves(table, view, DEFAULT, seed)
    listed = list(table.legal_moves(view.state))
    chosen = [ranked[rank] for rank in RANKS if rank < len(ranked)]
    chosen += [make_player(spec, seed).choose(table, view, listed) for spec in OTHERS]
    chosen += [listed[i] for i in np.random.default_rng(seed).permutation(len(listed))]
    return list(dict.fromkeys(chosen))[:MOST]


# Shares of a victory are stored in twelfths, so that halves, thirds and quarters are whole numbers.
TWELFTHS: Final = 12
# The random choices of seats come from a separate generator. Its seed is the seed of the dice and
# cards, XORed with this number.
_CHOICES: Final = 0xD1B54A32D192ED03


class Continued(NamedTuple):
    """Games to be played to the end. Each field is uint64[games]."""

    rows: NDArray[np.uint64]  # the number of the decision from which the game starts
    moves: NDArray[np.uint64]  # the packed candidate that is played first
    seeds: NDArray[np.uint64]  # the seeds of the dice and cards that follow


class Outcomes(NamedTuple):
    """Results of games that were played to the end, for the seat that decided."""

    shares: NDArray[np.uint8]  # shares of the victory in twelfths
    margins: NDArray[np.int8]  # the seat's points minus the points of its best opponent


def luck_seed(seed: int, luck: int) -> int:
    """Return the seed number `luck` for the dice and cards after each candidate of a decision.

    `seed` is the seed of the decision.
    """
    return mix(seed, luck)


def play_on(
    table: Table, decisions: Decisions, players: int, games: Continued, evaluator: str
) -> Outcomes:
    """Play games to their ends with an evaluator in every seat (see `learned_seat`).

    All decisions must have the same number of players. `games.rows` has the numbers of rows in
    `decisions`.
    """
    count = len(games.rows)
    results = np.zeros((count, self_play.RESULT))
    beginnings = self_play.Beginnings(
        games=U(count),
        seeds=games.seeds,
        choices=U(_CHOICES),
        starts=games.rows,
        states=np.ascontiguousarray(decisions.states).ravel(),
        is_dealt=U(1),
        histories=np.ascontiguousarray(decisions.histories).ravel(),
        moves=games.moves,
    )
    none, no_floats = words(0), np.zeros(0)
    records = self_play.Records(
        layout.PHASE_OVER, U(0), none, U(0), none, no_floats, results.ravel()
    )
    seats = packed_seats([learned_seat(evaluator)] * players, learned()["hands"])
    self_play.play_in_kernel(table, beginnings, seats, records)
    return outcomes_of(results[:, :players], decisions.seats[games.rows.astype(np.int64)])


def outcomes_of(points: NDArray[np.float64], seats: NDArray[np.int64]) -> Outcomes:
    """Return the outcomes of games for the given seats.

    `points` has the shape [games, players]. A fraction of a point for the cards in hand breaks
    ties.
    """
    rows = np.arange(len(points))
    won = points == points.max(axis=1, keepdims=True)
    shares = won[rows, seats] * TWELFTHS // won.sum(axis=1)
    others = points.copy()
    others[rows, seats] = -np.inf
    margins = np.floor(points[rows, seats]) - np.floor(others.max(axis=1))
    return Outcomes(shares.astype(np.uint8), np.clip(margins, -127, 127).astype(np.int8))


FILE: Final = Path(__file__).parent / "classic.npz"
MISSING: Final = 255  # stands for a share if the game has not been played yet


COLUMNS: Final = ("kinds", "players", "states", "histories", "moves", "counts")


@dataclass
class Ruler:
    """The decisions of a ruler, with their candidates and values.

    All decisions with the same kind and number of players are in adjacent rows.
    """

    kinds: NDArray[np.str_]  # [rows]: `wall`, `scoring` or `swap`
    players: NDArray[np.int64]  # [rows]
    states: NDArray[np.uint64]  # as in Decisions
    histories: ActionHistory
    moves: NDArray[np.uint64]  # [rows, MOST]: the candidates, packed
    counts: NDArray[np.int64]  # [rows]: the number of candidates
    # Outcomes for each evaluator, which is the player that played the games to the end (see
    # `learned_seat`). `shares` are uint8[rows, MOST, lucks] in twelfths of a victory, and `margins`
    # are int8 of the same shape (see `Outcomes`). A "luck" is a seed of dice and cards.
    shares: dict[str, NDArray[np.uint8]] = field(default_factory=dict)
    margins: dict[str, NDArray[np.int8]] = field(default_factory=dict)

    @classmethod
    def joined(cls, parts: Sequence[Ruler]) -> Ruler:
        """Return the decisions of several rulers, without their values."""
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS
        }
        return cls(**columns)

    def part(self, rows: slice) -> Ruler:
        """Return the decisions of some rows, without their values."""
        return Ruler(*(getattr(self, name)[rows] for name in COLUMNS))

    @property
    def decisions(self) -> Decisions:
        """The decisions, without their candidates."""
        return Decisions(self.states, self.histories)

    def view(self, row: int) -> Observation:
        """Return the view of the seat that decides in a row."""
        seat = int(self.decisions.seats[row])
        return view_of(self.states[row], seat, self.histories[row])

    def candidates(self, row: int) -> list[Move]:
        """Return the candidates of a row."""
        return [Move(move) for move in self.moves[row, : self.counts[row]].tolist()]

    def lucks(self, evaluator: str) -> int:
        """Return the number of seeds for which an evaluator has played all games."""
        shares = self.shares.get(evaluator)
        if shares is None:
            return 0
        is_there = np.arange(MOST) < self.counts[:, None]
        return int((shares != MISSING)[is_there].all(axis=0).sum())

    def values(self, evaluator: str) -> NDArray[np.float64]:
        """Return shares of a victory as float64[rows, MOST, lucks], NaN for missing candidates.

        Raises MasonsError if the evaluator has not played games after every candidate.
        """
        lucks = self.lucks(evaluator)
        if not lucks:
            have = ", ".join(sorted(self.shares)) or "nobody"
            raise MasonsError(
                f"no values by the evaluator {evaluator}: the ruler has those by {have}"
            )
        shares = self.shares[evaluator][:, :, :lucks] / TWELFTHS
        shares[np.arange(MOST) >= self.counts[:, None]] = np.nan
        return shares


def layout_constants() -> list[str]:
    """Return the constants that describe states, moves and histories, as `name=value`."""
    numbers = [
        f"{module.__name__}.{name}={int(value)}"
        for module in (layout, packed_move)
        for name, value in sorted(vars(module).items())
        if name.isupper() and isinstance(value, int | np.integer)
    ]
    return [*numbers, f"HISTORY_SIZE={HISTORY_SIZE}"]


def save(ruler: Ruler, path: Path) -> None:
    """Write a ruler to a file atomically."""
    arrays: dict[str, NDArray[Any]] = {"layout": np.array(layout_constants())}
    arrays |= {name: getattr(ruler, name) for name in COLUMNS}
    for evaluator, shares in ruler.shares.items():
        arrays[f"shares-{evaluator}"] = shares
        arrays[f"margins-{evaluator}"] = ruler.margins[evaluator]
    write_arrays(path, arrays)


def load(path: Path) -> Ruler:
    """Read a ruler from a file.

    Raises MasonsError if a constant of the layout has another value now, and OSError if the file
    cannot be read.
    """
    arrays: dict[str, Any] = read_arrays(path)
    changed = set(np.atleast_1d(arrays["layout"]).tolist()) - set(layout_constants())
    if changed:
        raise MasonsError(f"{path} was made for another layout ({min(changed)}): make it anew")
    evaluators = [name.partition("-")[2] for name in arrays if name.startswith("shares-")]
    outcomes = [
        {evaluator: arrays[f"{kind}-{evaluator}"] for evaluator in evaluators}
        for kind in ("shares", "margins")
    ]
    return Ruler(*(arrays[name] for name in COLUMNS), *outcomes)
