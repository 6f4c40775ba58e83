"""The rollout of a decision: which contenders are played to the end of the game, and how often.

1. *Screening*: sequential halving by games of a few turns that the net ends. It chooses the
   finalists, together with the values of the search that named the contenders.
2. *Measuring*: new games to the end. The finalists meet every world, those next in line each sixth
   one. What is said of a move comes from these games alone: games that chose a move would praise it
   too highly.

Nothing ends a rollout early: a stop that looks at the result would bias it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.halving.halving_search import decision_of
from masons.ai.halving.paired_values import margins_of
from masons.ai.halving.sequential_halving import POINT_VALUE, better_half, rounds_of
from masons.ai.halving.workspace import COLUMNS, Models, new_workspace
from masons.ai.models.model_data import learned, learned_net
from masons.ai.net_policy.policy_workspace import new_policy_workspace
from masons.ai.rollout import game_kernel as at
from masons.ai.rollout.noted_games import GameNotes, NotedGames, compact_notes
from masons.ai.rollout.paired_sums import PairedSums, selected_normal
from masons.ai.rollout.plan import Contenders, search_error
from masons.ai.search.decision_view import decision_view
from masons.ai.search.results import UNKNOWN_WIN, Analysis
from masons.ai.search.threads import workers
from masons.ai.self_play.seat_choices import (
    ARENA_WORDS,
    Seat,
    new_game_workspace,
    packed_seats,
)
from masons.engine.board.components import LANDS
from masons.engine.game.action_history import HISTORY_SIZE
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import field_of
from masons.engine.kernels.rng import mix
from masons.engine.rules.legal_moves import MAX_MOVES
from masons.engine.state.layout import STATE_WORDS

Numbers = NDArray[np.float64]

SCREENING_SHARE: Final = 0.3
SCREENING_TURNS: Final = 8  # then the net says how the game ends
_BLOCK: Final = 6  # worlds, in the first of which those next in line play too
_NOTED_WORLDS: Final = 96  # of the measuring, whose games are kept move by move
_LEAST_VARIANCE: Final = 0.02  # of a few games of a screening
# Seconds between two looks at the clock and at `stop`: threads wait for each other there.
_SHORTEST_CHUNK: Final = 0.03
_LONGEST_CHUNK: Final = 0.15
_CHUNKS: Final = 10  # of the time that is left
_PARTS: Final = 4  # of a chunk, for each thread
_CHUNK_WORLDS: Final = 64  # where games are counted
_ENDLESS_NS: Final = 5_000_000_000  # as if it took so long, where there is no end
# Games a second and thread, before any are timed: by the policy, and by a search, divided by its
# simulations.
_FIRST_SPEED: Final = 1500.0
_SEARCHED: Final = 10_000.0


@dataclass
class _Budget:
    """What a part of a rollout may spend: `games`, and no time beyond `end_ns` (0: any)."""

    games: int
    end_ns: int
    is_timed: bool
    done: int = 0

    def worlds(self, contenders: int, speed: float) -> int:
        """Return how many worlds so many contenders meet next, at some games a second.

        It depends on the time only where that is what ends the rollout.
        """
        games = self.games - self.done
        if not self.is_timed:
            return min(games // contenders, _CHUNK_WORLDS)
        seconds = (self.end_ns - time.monotonic_ns()) / 1e9 if self.end_ns else 1.0
        if seconds <= 0 or games < contenders:
            return 0
        chunk = min(max(seconds / _CHUNKS, _SHORTEST_CHUNK), _LONGEST_CHUNK)
        return max(int(min(games, speed * min(seconds, chunk))) // contenders, 1)


@dataclass(frozen=True)
class Screening:
    """The contenders' numbers, best first; so many are finalists, so many measured at all."""

    order: tuple[int, ...]
    finalists: int
    measured: int


def better_than_finalists(sums: PairedSums, seat: int, chosen: Screening) -> list[int]:
    """Return those next in line that win more than the best finalist, beyond their interval."""
    wins = sums.means(seat)
    best = max(chosen.order[: chosen.finalists], key=lambda i: float(wins[i]))
    better = []
    for number in chosen.order[chosen.finalists : chosen.measured]:
        if sums.games[number]:
            loss, error = sums.difference(seat, best, number, UNKNOWN_WIN)
            if loss < -selected_normal(chosen.measured) * error:
                better.append(number)
    return better


class Rollout:
    """Games after the contenders of one decision, in worlds that all of them meet.

    `view` is what the seat that decides sees, `searched` what a search found, if there was one.
    With a number of games for a limit, the result depends on nothing else, not on the number of
    threads. `player`: the simulations of the search that plays all seats; 0: the policy does.
    """

    def __init__(
        self,
        table: Table,
        view: Observation,
        contenders: Contenders,
        *,
        searched: Analysis | None = None,
        seed: int = 0,
        threads: int = 1,
        player: int = 0,
    ) -> None:
        self.view = view = decision_view(table, view)
        self.searched = searched or Analysis(view.seat, view.phase)
        self.contenders, self.seed, self.player = contenders, seed, player
        self.moves = moves = contenders.moves
        self.screening: Screening | None = None
        self.worlds = 0  # met so far, and games played, the screening included
        self.games = 0
        self.sums = PairedSums(len(moves), measures_of(self.view.players))
        self.lock = threading.Lock()  # held while `sums` change
        numbers = learned()
        heuristic = field_of(np.tile(numbers["heuristic"], self.view.players))
        self._models = Models(heuristic, field_of(learned_net()))
        self._decision = decision_of(table, self.view, moves, numbers["hands"])
        self._seed, self._threads = U(mix(seed) >> 1), threads
        history = self.view.history
        predicts = history is not None
        seat = Seat(player, numbers["heuristic"], numbers["net"], predicts_hands=predicts)
        self._seats = packed_seats([seat] * self.view.players, numbers["hands"])
        self._history = field_of(np.zeros(HISTORY_SIZE) if history is None else history)
        arena, rows = (ARENA_WORDS, MAX_MOVES) if player else (1, 1)
        self._spaces = [
            (
                np.zeros(STATE_WORDS, dtype=np.uint64), new_game_workspace(),
                new_workspace(np.zeros(rows * COLUMNS), arena), new_policy_workspace(),
            )
            for _ in range(threads)
        ]  # fmt: skip
        self._speed = threads * min(_FIRST_SPEED, _SEARCHED / max(player, 1))
        self._notes: list[GameNotes] = []
        self._noted: tuple[int, ...] = ()  # the contenders of these games
        # The same joined, of so many of them.
        self._joined: tuple[int, NotedGames | None] = (0, None)
        self._next_look = 0  # worlds
        self._is_stopped = False

    def stop(self) -> None:
        """End a `run` in another thread, within some hundredths of a second."""
        self._is_stopped = True

    @property
    def iterations(self) -> int:
        """The games played so far."""
        return self.games

    def run(self, iterations: int, deadline_ns: int = 0) -> None:
        """Play until there are so many games or the deadline (of `time.monotonic_ns`) comes."""
        is_timed = deadline_ns > 0 or iterations >= 1 << 32
        if self.screening is None:
            now, left = time.monotonic_ns(), iterations - self.games
            whole = deadline_ns - now if deadline_ns else _ENDLESS_NS
            end = now + int(SCREENING_SHARE * whole) if is_timed else 0
            self._screen(_Budget(int(SCREENING_SHARE * left), end, is_timed))
        if not self._is_stopped:
            self._measure(_Budget(iterations - self.games, deadline_ns, is_timed))

    def play(
        self, contenders: Sequence[int], worlds: int, turns: int = 0, *, has_notes: bool = False
    ) -> Numbers:
        """Play contenders in so many new worlds, for some turns after this one (0: to the end).

        Return float64[worlds, contenders, RESULT].
        """
        began, count = time.monotonic(), worlds * len(contenders)
        results = np.zeros((count, at.RESULT))
        # More parts than threads, as games differ in length.
        parts = 1 if self._threads == 1 else _PARTS * self._threads
        edges = [count * n // parts for n in range(parts + 1)]
        numbers = np.array(contenders, dtype=np.uint64)

        def run(part: int) -> at.Notes:
            begin, end = edges[part], edges[part + 1]
            space = self._spaces.pop()
            notes = at.new_notes((end - begin) * has_notes)
            batch = at.GameBatch(
                self._seed, U(self.worlds), U(begin), U(end), U(turns), self._history
            )
            at.play_rollouts(
                self._decision, self._models, self._seats, batch, numbers,
                results[begin:end].reshape(-1), notes, *space,
            )  # fmt: skip
            self._spaces.append(space)
            return notes

        if self._threads == 1:
            noted = [run(0)]
        else:
            noted = list(workers(self._threads).map(run, range(parts)))
        if has_notes:
            self._notes.append(compact_notes(noted, worlds, len(contenders)))
        self.worlds += worlds
        self.games += count
        speed = count / max(time.monotonic() - began, 1e-6)
        self._speed = (self._speed + speed) / 2
        return results.reshape(worlds, len(contenders), at.RESULT)

    def _screen(self, budget: _Budget) -> None:
        """Choose the finalists by halving."""
        count, eligible = len(self.moves), self.contenders.eligible
        fixed = range(count - self.contenders.also, count)
        rest = range(eligible, count - self.contenders.also)
        tally = _Tally(np.array(self.contenders.values), search_error(self.view.phase))
        alive, dropped = list(range(eligible)), list[int]()
        near, rounds = eligible, int(rounds_of(U(eligible)))
        for left in range(rounds, 0, -1):
            self._screen_round(alive, tally, budget, left)
            alive, near = tally.ranked(alive)
            if left > 1:
                kept = max(int(better_half(U(len(alive)))), self.contenders.finalists)
                alive, dropped = alive[:kept], alive[kept:] + dropped
        order = [*alive[:1], *fixed, *alive[1:], *dropped, *rest]
        finalists = min(near, self.contenders.finalists) + len(fixed)
        measured = min(max(self.contenders.measured, finalists), count)
        self.screening = Screening(tuple(order), finalists, measured)

    def _screen_round(self, alive: list[int], tally: _Tally, budget: _Budget, left: int) -> None:
        """Play one of `left` rounds."""
        now = time.monotonic_ns()
        end = budget.end_ns and now + (budget.end_ns - now) // left
        part = _Budget((budget.games - budget.done) // left, end, budget.is_timed)
        while not self._is_stopped and (worlds := part.worlds(len(alive), self._speed)):
            results = self.play(alive, worlds, SCREENING_TURNS)
            part.done += worlds * len(alive)
            seat, players = self.view.seat, self.view.players
            margins = margins_of(results[:, :, at.SCORE : at.SCORE + players], seat)
            tally.add(alive, results[:, :, at.WIN + seat] + POINT_VALUE * margins)
        budget.done += part.done

    def _measure(self, budget: _Budget) -> None:
        """Play new games of those that were chosen."""
        while not self._is_stopped and self.screening is not None:
            chosen = self.screening
            everyone, finalists = chosen.order[: chosen.measured], chosen.order[: chosen.finalists]
            others = _BLOCK - 1 if len(everyone) > len(finalists) else 0
            block = len(everyone) + others * len(finalists)
            blocks = budget.worlds(block, self._speed)
            if not blocks:
                return
            self._noted = self._noted or everyone
            worlds = sum(len(part.counts) for part in self._notes)
            has_notes = worlds < _NOTED_WORLDS and everyone == self._noted
            self._add(everyone, self.play(everyone, blocks, has_notes=has_notes))
            if others:
                self._add(finalists, self.play(finalists, others * blocks))
            budget.done += blocks * block
            if self._is_exact(everyone):
                return
            self._promote()

    def _promote(self) -> None:
        """Make finalists of those next in line that are better beyond doubt.

        Whether there are any is looked up each time that the worlds have doubled.
        """
        if self.screening is None or self.worlds < self._next_look:
            return
        self._next_look, chosen = 2 * self.worlds, self.screening
        better = better_than_finalists(self.sums, self.view.seat, chosen)
        order = [*chosen.order[: chosen.finalists], *better]
        order += [i for i in chosen.order if i not in order]
        self.screening = replace(
            chosen, order=tuple(order), finalists=chosen.finalists + len(better)
        )

    def _is_exact(self, contenders: Sequence[int]) -> bool:
        """Return whether nothing is left to chance: all games ended at once, and alike."""
        sums, players = self.sums, self.view.players
        last = Measure.MARGIN * players + 1
        if min(sums.games[list(contenders)]) < _NOTED_WORLDS:
            return False
        turn = self.view.position.turn
        return all(
            sums.means(last)[i] == turn
            and not sums.variance(self.view.seat, i)
            and not sums.variance(Measure.MARGIN * players, i)
            for i in contenders
        )

    def _add(self, contenders: Sequence[int], results: Numbers) -> None:
        with self.lock:
            self.sums.add(contenders, measured(results, self.view.seat, self.view.players))

    @property
    def noted(self) -> NotedGames | None:
        """The first games of the measuring, move by move; None where there are none."""
        parts, (count, joined) = tuple(self._notes), self._joined
        if count != len(parts):
            # Reports ask many times a second, long after the last of these games.
            joined = NotedGames.of(self.view, [self.moves[i] for i in self._noted], parts)
            self._joined = len(parts), joined
        return joined


class _Tally:
    """The games of a screening, and what they say together with the search."""

    def __init__(self, values: Numbers, error: float) -> None:
        self.values, self.error = values, error
        self.games, self.sums, self.squares = (np.zeros(len(values)) for _ in range(3))

    def add(self, alive: Sequence[int], values: Numbers) -> None:
        """Add games (float64[worlds, alive]); what all of a world have in common doesn't count."""
        differences = values - values.mean(axis=1, keepdims=True)
        self.games[alive] += len(values)
        self.sums[alive] += values.sum(axis=0)
        self.squares[alive] += np.square(differences).sum(axis=0)

    def ranked(self, alive: Sequence[int]) -> tuple[list[int], int]:
        """Return the contenders, best first, and how many can't be told from the best.

        By the posterior mean of the search's value and the games, both relative to the others.
        """
        games, prior = self.games[alive], self.values[alive]
        if not games.all():
            ranked = np.argsort(-prior, kind="stable")
            return [alive[i] for i in ranked], len(alive)
        means = self.sums[alive] / games
        noise = np.maximum(self.squares[alive], _LEAST_VARIANCE * games) / games**2
        weight = self.error**2 / (self.error**2 + noise)
        posterior = weight * (means - means.mean()) + (1 - weight) * (prior - prior.mean())
        ranked = np.argsort(-posterior, kind="stable")
        reach = np.sqrt(2 * weight * noise)
        near = posterior >= posterior[ranked[0]] - reach
        return [alive[i] for i in ranked], int(near.sum())


class Measure(IntEnum):
    """What is summed of a game: `measure * players + seat`.

    At MARGIN * players are the margin of the seat that decides, the last turn, and the points of
    each land card at the end.
    """

    WIN = 0
    SCORE = 1  # the final one
    NOW = 2  # the score at the end of the turn of the decision
    CITIES = 3  # points of later cities
    FINAL = 4  # of the final scoring
    MARGIN = 5


def measures_of(players: int) -> int:
    """Return how many numbers are summed of each game."""
    return Measure.MARGIN * players + 2 + LANDS


def measured(results: Numbers, seat: int, players: int) -> Numbers:
    """Return what is summed of games: float64[worlds, contenders, measures] (see `Measure`)."""

    def part(first: int) -> Numbers:
        return results[:, :, first : first + players]

    scores, now, cities = part(at.SCORE), part(at.TURN_SCORE), part(at.CITY_SCORE)
    return np.concatenate(
        [
            part(at.WIN), scores, now, cities - now, scores - cities,
            margins_of(scores, seat)[:, :, None], results[:, :, at.LAST :],
        ],
        axis=2,
    )  # fmt: skip
