"""The rollout of a decision: games played to the end after each of its contenders.

1. *Screening*: sequential halving with games of a few turns, whose last positions the net
   evaluates. These values, together with the values of the search, select the finalists.
2. *Measuring*: new games, played to the end. The finalists play in every world. Some other
   contenders, those *next in line*, play only in some worlds and take at most about a sixth of the
   games. The figures of a move come from the measuring games alone, because the games that selected
   a move overestimate it. For the same reason, a contender next in line that proves better than the
   finalists becomes a finalist, and is then measured with new games only. A finalist that proves
   clearly worse than the best one becomes next in line, unless only two would be left.

A rollout is never ended early because of its results, since such a stopping rule would bias them.
The only exception is a decision in which chance plays no role.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from masons.ai.evaluation.rewards import POINT_VALUE
from masons.ai.halving.sequential_halving import better_half
from masons.ai.rollout import game_kernel
from masons.ai.rollout.evidence import (
    Measure,
    PairedSums,
    ShownWins,
    WinEstimate,
    margins_of,
    measured,
    measures_of,
)
from masons.ai.rollout.finalists import (
    Screening,
    better_than_finalists,
    ranked_finalists,
    worse_finalists,
)
from masons.ai.rollout.games import Budget, GamePlayer, GameRunner, PlayedChunk
from masons.ai.rollout.noted_games import GameNotes, NotedGames
from masons.ai.rollout.plan import Contenders, net_error, search_error
from masons.ai.search.decision import decision_view
from masons.ai.search.executors import Threads, Workers
from masons.ai.search.limits import MAX_ROLLOUTS
from masons.ai.search.results import Analysis
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import FloatArray

SCREENING_SHARE: Final = 0.2
SCREENING_GAMES: Final = 40_000  # at most; later, contenders next in line can still be promoted
# The contenders next in line play only in the first world of a block of worlds. A block has at
# least this number of worlds. It has more worlds if this is necessary for the finalists to play
# about five times as many games as the contenders next in line.
_BLOCK: Final = 6
_FINALISTS_GAMES: Final = 5
_NOTED_WORLDS: Final = 96  # number of worlds whose games after a move are stored, 15 KiB a game
_JOINED: Final = 16  # number of sets of moves whose joined games are kept
_LEAST_VARIANCE: Final = 0.02  # lower bound for the variance of a screening's few games
_ENDLESS_NS: Final = 5_000_000_000  # assumed duration of a rollout without a limit


class Rollout:
    """Games after the contenders of one decision, all played in the same worlds.

    `view` is the view of the seat that decides, and `searched` is the result of the search, if
    there was one. `player_sims` is the number of simulations of the search that plays all seats;
    with 0 the policy plays. If a number of games is the limit, the result does not depend on the
    `threads` or the `executor` that play them.
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
        player_sims: int = 0,
        executor: Workers | None = None,
    ) -> None:
        self.view = view = decision_view(table, view)
        self.searched = searched or Analysis(view.seat, view.phase)
        self.contenders, self.seed, self.player_sims = contenders, seed, player_sims
        self.moves = moves = contenders.moves
        self.screening: Screening | None = None
        self.tally = Tally(np.array(contenders.values), search_error(self.view.phase))
        self.sums = PairedSums(len(moves), measures_of(view.players))
        self.lock = threading.Lock()  # held while `sums` changes
        player = GamePlayer(table, view, moves, seed, player_sims)
        self.runner = GameRunner(player, executor or Threads(threads), threads, player_sims)
        # Notes of chunks, each with its contenders, and the noted worlds of each contender.
        self._notes: list[tuple[tuple[int, ...], GameNotes]] = []
        self._noted_worlds = np.zeros(len(moves), np.int64)  # also of running chunks
        # By contenders: the number of their chunks that were joined, and the games of these.
        self._joined: dict[tuple[int, ...], tuple[int, NotedGames]] = {}
        self._next_look = 0  # number of worlds at which contenders may next be promoted

    def stop(self) -> None:
        """Make a `run` in another thread end within a few hundredths of a second."""
        self.runner.stop()

    def go_on(self) -> None:
        """Let the next `run` play, though an earlier one was stopped."""
        self.runner.is_stopped = False

    @property
    def games(self) -> int:
        """The number of games played so far, including the screening."""
        return self.runner.games

    @property
    def iterations(self) -> int:
        """The same as `games` (for `threads.Runnable`)."""
        return self.games

    def run(self, iterations: int, deadline_ns: int = 0) -> None:
        """Play until there are `iterations` games in total, or until a deadline.

        `deadline_ns` is a time as returned by `time.monotonic_ns`, or 0 for no deadline.
        """
        is_timed = deadline_ns > 0 or iterations >= MAX_ROLLOUTS
        try:
            if self.screening is None:
                now, left = time.monotonic_ns(), iterations - self.games
                whole = deadline_ns - now if deadline_ns else _ENDLESS_NS
                end = now + int(SCREENING_SHARE * whole) if is_timed else 0
                games = min(int(SCREENING_SHARE * left), SCREENING_GAMES)
                alive, dropped = self._screen(Budget(games, end, is_timed))
                self.screening = self._screened(alive, dropped)
                self.runner.expect_other_games()
            self._measure(Budget(iterations - self.games, deadline_ns, is_timed))
        finally:
            self.runner.drop_running()
            self._noted_worlds[:] = 0
            for contenders, notes in self._notes:
                self._noted_worlds[list(contenders)] += len(notes.counts) // len(contenders)

    def _screen(self, budget: Budget) -> tuple[list[int], list[int]]:
        """Choose finalists by sequential halving; return them and the others, each best first."""
        eligible = self.contenders.eligible
        finalists = min(self.contenders.finalists, eligible)
        alive, dropped = list(range(eligible)), list[int]()
        sizes = [eligible]  # the number of contenders in each round, then the number of finalists
        while sizes[-1] > finalists:
            sizes.append(max(int(better_half(U(sizes[-1]))), finalists))
        for number, kept in enumerate(sizes[1:], 1):
            left = len(sizes) - number  # rounds
            now, end = time.monotonic_ns(), budget.end_ns
            share_end = end and now + (end - now) // left
            share = Budget(budget.games // left, share_end, budget.is_timed)
            budget.games -= share.games
            self._play_round(alive, share)
            budget.games += share.games
            ranked = self.tally.ranked(alive)
            alive, dropped = ranked[:kept], ranked[kept:] + dropped
        return alive, dropped

    def _play_round(self, alive: Sequence[int], budget: Budget) -> None:
        """Play one round of halving, and add its games to the tally."""
        runner, seat, players = self.runner, self.view.seat, self.view.players
        while True:
            while runner.has_room and (worlds := runner.rounds_within(budget, len(alive))):
                budget.games -= worlds * len(alive)
                runner.begin(alive, worlds, game_kernel.HORIZON)
            played = runner.next_played()
            if played is None:
                return
            results = played.results
            scores = results[:, :, game_kernel.SCORE : game_kernel.SCORE + players]
            wins = results[:, :, game_kernel.WIN + seat]
            self.tally.add(alive, wins, POINT_VALUE * margins_of(scores, seat))

    def _screened(self, alive: Sequence[int], dropped: Sequence[int]) -> Screening:
        """Return the result of a screening, given the results of `_screen`."""
        count, eligible = len(self.moves), self.contenders.eligible
        fixed = range(count - self.contenders.also, count)
        rest = range(eligible, count - self.contenders.also)
        order = (*alive[:1], *fixed, *alive[1:], *dropped, *rest)
        finalists = len(alive) + len(fixed)
        return Screening(order, finalists, min(max(self.contenders.measured, finalists), count))

    def _measure(self, budget: Budget) -> None:
        """Play new games of the selected contenders, and add them to `sums`.

        Each time the number of worlds has doubled, the finalists are chosen anew (see `_promote`).
        """
        runner = self.runner
        while (screening := self.screening) is not None and self._measure_on(screening, budget):
            is_over = not runner.rounds_within(budget, screening.measured)
            if runner.worlds >= self._next_look and not is_over:
                self._next_look = 2 * runner.worlds
                self._promote(screening)

    def _measure_on(self, screening: Screening, budget: Budget) -> bool:
        """Play games up to the next promotion; return False if there is nothing left to play."""
        runner, is_begun = self.runner, False
        is_single = screening.measured == screening.finalists
        while True:
            while runner.has_room and not (is_begun and runner.begun_worlds >= self._next_look):
                if not self._begin_block(screening, budget):
                    break
                is_begun = True
            played = runner.next_played()
            if played is None:
                return is_begun
            self._note(played)
            self._add(played)
            is_whole = is_single or len(played.chunk.contenders) == screening.finalists
            if is_whole and self.is_exact(screening.measured_ids):
                return False

    def _begin_block(self, screening: Screening, budget: Budget) -> bool:
        """Begin the next chunks if the budget is not spent; return whether it was not.

        Finalists play in every world, and contenders next in line play in one world of each block.
        """
        # In a fixed order, in which the notes of all contenders can be joined as they are.
        everyone, finalists = tuple(sorted(screening.measured_ids)), screening.finalist_ids
        next_in_line = len(everyone) - len(finalists)
        others_games = _FINALISTS_GAMES * next_in_line
        worlds = max(_BLOCK, -(-others_games // len(finalists))) if next_in_line else 1
        block = len(everyone) + (worlds - 1) * len(finalists)  # games
        is_first = not self.sums.games.any() and not self.runner.is_busy
        blocks = self.runner.rounds_within(budget, block, least=int(is_first))
        if not blocks:
            return False
        has_notes = self._without_notes(everyone) > 0
        if has_notes:
            blocks = min(blocks, _NOTED_WORLDS)
        budget.games -= blocks * block
        self._begin(everyone, blocks, has_notes=has_notes)
        if next_in_line:
            others = (worlds - 1) * blocks
            noted = min(self._without_notes(finalists), others)
            self._begin(finalists, noted, has_notes=True)
            self._begin(finalists, others - noted, has_notes=False)
        return True

    def _without_notes(self, contenders: Sequence[int]) -> int:
        """Return in how many worlds games after some contender are still to be noted."""
        return max(_NOTED_WORLDS - int(self._noted_worlds[list(contenders)].min()), 0)

    def _begin(self, contenders: Sequence[int], worlds: int, *, has_notes: bool) -> None:
        """Begin a chunk of games unless it is empty."""
        if worlds:
            self.runner.begin(contenders, worlds, has_notes=has_notes)
            self._noted_worlds[list(contenders)] += worlds * has_notes

    def _add(self, played: PlayedChunk) -> None:
        """Add measuring games to the sums."""
        values = measured(played.results, self.view.seat, self.view.players)
        with self.lock:
            self.sums.add(played.chunk.contenders, values)

    def estimate(self, sums: PairedSums, contenders: Sequence[int]) -> WinEstimate:
        """Return the estimate from sums that is most precise for the differences of contenders."""
        error = 0.0 if self.player_sims else net_error(self.view.phase)
        return WinEstimate(sums, self.view.seat, contenders, error)

    def _ranked(self) -> Sequence[int]:
        """Return the contenders with enough games to be ranked; without a screening, all."""
        if self.screening is None:
            return range(len(self.moves))
        return ranked_finalists(self.sums, self.screening)

    @property
    def win_estimate(self) -> WinEstimate:
        """The estimate from the games alone (see `shown_wins`)."""
        return self.estimate(self.sums, self._ranked())

    @property
    def shown_wins(self) -> ShownWins:
        """The win probabilities that an analysis shows."""
        searched = {row.move for row in self.searched.moves}
        values = zip(self.moves, self.contenders.values, strict=True)
        known = {i: value for i, (move, value) in enumerate(values) if move in searched}
        error = search_error(self.view.phase)
        return ShownWins(self.win_estimate, self._ranked(), known, error)

    def _promote(self, screening: Screening) -> None:
        """Promote contenders that look better than the finalists, and drop their old games.

        Finalists that are clearly worse than the best one become next in line.
        """
        estimate, count = self.win_estimate, len(self.moves)
        better = better_than_finalists(self.sums, estimate, screening)
        fixed = range(count - self.contenders.also, count)
        worse = worse_finalists(self.sums, estimate, screening, fixed)
        finalists = [i for i in screening.finalist_ids if i not in worse] + better
        order = [*finalists, *(i for i in screening.order if i not in finalists)]
        with self.lock:
            for number in better:
                self.sums.drop(number)
            self.screening = replace(screening, order=tuple(order), finalists=len(finalists))

    def is_exact(self, contenders: Sequence[int]) -> bool:
        """Return whether chance plays no role: all games ended in this turn with equal results.

        Returns False while a contender has fewer than `_NOTED_WORLDS` games.
        """
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

    def play(
        self, contenders: Sequence[int], worlds: int, turns: int = 0, *, has_notes: bool = False
    ) -> FloatArray:
        """Play contenders in new worlds until `turns` turns after the decision's turn.

        If `turns` is 0, the games are played to the end. Returns the results: float64[worlds,
        contenders, RESULT].
        """
        self.runner.begin(contenders, worlds, turns, has_notes=has_notes)
        played = self.runner.next_played()
        assert played is not None
        self._note(played)
        return played.results

    def _note(self, played: PlayedChunk) -> None:
        """Store the games of a chunk that was played with notes."""
        if played.chunk.has_notes:
            self._notes.append((played.chunk.contenders, GameNotes.joined(played.notes)))

    def noted_after(self, *moves: Move) -> NotedGames | None:
        """Return the noted games after some moves, which are the first ones, move by move.

        Each world has a game for each of these moves. Games that a promotion took out of the sums
        stay among them. Returns None if there are no such games.
        """
        contenders = tuple(self.moves.index(move) for move in moves)
        parts = [part for part in tuple(self._notes) if set(contenders) <= {*part[0]}]
        if not parts:
            return None
        count, joined = self._joined.get(contenders, (0, None))
        if joined is None or count != len(parts):
            # Joining is slow, and reports want the same games several times a second.
            joined = NotedGames.of(
                self.view, moves, [notes.after(among, contenders) for among, notes in parts]
            )
            self._joined.pop(contenders, None)
            while len(self._joined) >= _JOINED:
                del self._joined[next(iter(self._joined))]
            self._joined[contenders] = len(parts), joined
        return joined


class Tally:
    """The games of a screening, and the ranking that combines them with the search's values."""

    def __init__(self, values: FloatArray, error: float) -> None:
        self.values, self.error = values, error
        self.games, self.sums, self.squares = (np.zeros(len(values)) for _ in range(3))
        self.wins = np.zeros(len(values))  # sums of the win probabilities

    def add(self, alive: Sequence[int], wins: FloatArray, margins: FloatArray) -> None:
        """Add the win probabilities and the values of the margins of games.

        Both are float64[worlds, alive]. Effects that all games of a world share do not count as
        variance.
        """
        values = wins + margins
        self.wins[alive] += wins.sum(axis=0)
        differences = values - values.mean(axis=1, keepdims=True)
        self.games[alive] += len(values)
        self.sums[alive] += values.sum(axis=0)
        self.squares[alive] += np.square(differences).sum(axis=0)

    def ranked(self, alive: Sequence[int]) -> list[int]:
        """Return the contenders, best first.

        The contenders are ranked by a posterior mean. It combines the search's value with the mean
        of the games, both taken relative to the other contenders.
        """
        games, prior = self.games[alive], self.values[alive]
        if not games.all():
            ranked = np.argsort(-prior, kind="stable")
            return [alive[i] for i in ranked]
        means = self.sums[alive] / games
        noise = np.maximum(self.squares[alive], _LEAST_VARIANCE * games) / games**2
        weight = self.error**2 / (self.error**2 + noise)
        posterior = weight * (means - means.mean()) + (1 - weight) * (prior - prior.mean())
        ranked = np.argsort(-posterior, kind="stable")
        return [alive[i] for i in ranked]
