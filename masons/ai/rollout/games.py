"""The games of a rollout: the function that plays them, and chunks of games with their results.

A chunk is played in parts by the workers of an executor. A game depends only on its world and its
move, so the figures do not depend on how the games are divided into parts. If time is the limit of
a rollout, the sizes of its chunks follow the measured speed.
"""

from __future__ import annotations

import pickle
import time
import zlib
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.halving.simulation import COLUMNS, new_simulation_workspace
from masons.ai.models.features import game_left_of
from masons.ai.models.hand_model import sharpened
from masons.ai.models.model_data import learned, learned_models
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.ai.rollout import game_kernel
from masons.ai.rollout.noted_games import GameNotes
from masons.ai.search.decision import decision_of
from masons.ai.search.executors import Workers
from masons.ai.self_play.seat_choices import ARENA_WORDS, GameWorkspace, Seat, packed_seats
from masons.engine.formats.move_text import Move
from masons.engine.game.action_history import HISTORY_SIZE
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import new_workspace, words
from masons.engine.kernels.rng import mix
from masons.engine.rules.legal_moves import MAX_MOVES
from masons.engine.state.layout import STATE_WORDS

# Hands dealt with the weights of the hand model are weaker than true hands
# (`python -m benchmarks.ruler.dealt_hands`). Late in the game, the deciding seat would therefore
# win too often. In the second half of the game, the weights are raised to a power that grows from 1
# to 1 + SHARPENING. Form and factor were chosen by the bias and the squared error of rollouts
# against the results of games (docs/experiments.md, "surer hands in rollouts").
SHARPENING: Final = 0.4
# Duration of a chunk in seconds, if time is the limit of the rollout. The clock is checked between
# chunks.
_SHORTEST_CHUNK: Final = 0.03
_LONGEST_CHUNK: Final = 0.15
_CHUNKS: Final = 10  # a chunk takes about 1 / _CHUNKS of the time left
_LAST_CHUNKS: Final = 2  # a chunk takes at most 1 / _LAST_CHUNKS of the time left
_PART_SECONDS: Final = 0.05  # longest time that one thread needs for a part of a chunk
_CHUNK_WORLDS: Final = 64  # upper limit for the worlds of a chunk, if games are the limit
# Games per second and thread that are assumed before any games have been timed: for the policy, and
# for a search (to be divided by its simulations).
_FIRST_SPEED: Final = 1500.0
_SEARCHED: Final = 10_000.0
_MOST_GROWTH: Final = 2.0  # of a speed from one measurement to the next


@dataclass(frozen=True)
class Chunk:
    """Games to play: each contender in each of `worlds` worlds, starting with world `first`."""

    contenders: tuple[int, ...]
    first: int
    worlds: int
    turns: int = 0  # turns to play after the decision's turn, then the net evaluates; 0: to the end
    has_notes: bool = False

    @property
    def games(self) -> int:
        """The number of games."""
        return self.worlds * len(self.contenders)


class PlayedPart(NamedTuple):
    """The results of a part of a chunk, and the time in seconds that playing it took."""

    results: NDArray[np.float64]  # [games, RESULT] (see `game_kernel`)
    notes: GameNotes  # [games], or [0] without notes
    seconds: float


def sharpened_hands(view: Observation) -> NDArray[np.float64]:
    """Return the hand model with which the hands that a view hides are dealt in a rollout.

    The result is float64[HANDS_NUMBERS] (see `hand_model`).
    """
    power = 1 + SHARPENING * max(1 - 2 * game_left_of(view.state), 0.0)
    return sharpened(learned()["hands"], power)


class GamePlayer:
    """A function object that plays games after the moves of a view, in any thread or process.

    `sims` is the number of simulations of the search that plays all seats; with 0 the policy
    plays.
    """

    def __init__(
        self, table: Table, view: Observation, moves: Sequence[Move], seed: int, sims: int
    ) -> None:
        self._arguments = table, view, tuple(moves), seed, sims
        numbers, history = learned(), view.history
        self._models = learned_models(view.players)
        dealing = {**numbers, "hands": sharpened_hands(view)}
        self._decision = decision_of(table, view, moves, dealing)
        self._seed = U(mix(seed) >> 1)
        seat = Seat(sims, numbers["heuristic"], numbers["net"], predicts_hands=history is not None)
        self._seats = packed_seats([seat] * view.players, numbers["hands"])
        self._history = np.zeros(HISTORY_SIZE) if history is None else history
        self._workspaces: list[tuple[Any, ...]] = []
        self._arena = (ARENA_WORDS, MAX_MOVES) if sims else (1, 1)

    def __call__(self, chunk: Chunk, begin: int, end: int) -> PlayedPart:
        """Play the games of a chunk, world by world, from `begin` up to but not including `end`."""
        began, count = time.monotonic(), end - begin
        results = np.zeros((count, game_kernel.RESULT))
        notes = game_kernel.new_notes(count * chunk.has_notes)
        batch = game_kernel.GameBatch(
            self._seed, U(chunk.first), U(begin), U(end), U(chunk.turns), self._history
        )
        try:
            workspaces = self._workspaces.pop()
        except IndexError:
            words_, rows = self._arena
            workspaces = (
                words(STATE_WORDS),
                new_workspace(GameWorkspace),
                new_simulation_workspace(np.zeros(rows * COLUMNS), words_),
                new_workspace(PolicyWorkspace),
            )
        game_kernel.play_rollouts(
            self._decision, self._models, self._seats, batch,
            np.array(chunk.contenders, dtype=np.uint64), len(chunk.contenders),
            results.reshape(-1), notes, *workspaces,
        )  # fmt: skip
        self._workspaces.append(workspaces)
        counts = np.asarray(notes.counts)
        shape = (len(counts), game_kernel.MOST_NOTES, game_kernel.NOTE_WORDS)
        noted = np.asarray(notes.choices).reshape(shape)[:, : int(counts.max(initial=0))].copy()
        return PlayedPart(results, GameNotes(noted, counts), time.monotonic() - began)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (zlib.compress(pickle.dumps(self._arguments)),)


@lru_cache(maxsize=4)
def _unpacked(data: bytes) -> GamePlayer:
    """Return the player in a pickled message.

    The result is cached, so that each process unpacks a player only once.
    """
    return GamePlayer(*pickle.loads(zlib.decompress(data)))


@dataclass
class Budget:
    """The games and the time that a part of a rollout may spend."""

    games: int  # games left
    end_ns: int  # deadline; 0: none
    is_timed: bool


class PlayedChunk(NamedTuple):
    """A chunk of games with its results."""

    chunk: Chunk
    results: NDArray[np.float64]  # [worlds, contenders, RESULT] (see `game_kernel`)
    notes: list[GameNotes]  # of the parts of the chunk; empty without notes


def next_speed(speed: float, games: int, seconds: float) -> float:
    """Return the speed in games per second after a measurement.

    A speed falls at once, but it at most doubles: games after which chance plays no role take so
    little time that the next games may be a thousand times slower.
    """
    return min(games / max(seconds, 1e-6), _MOST_GROWTH * speed)


def rounds_of_chunk(seconds: float, speed: float, games: int) -> int:
    """Return how often a chunk may play `games` games with `seconds` left; 0 if there is no time.

    A chunk takes a small part of the time left, unless it plays the `games` once. If even this is
    expected to take longer than the time left, there is no chunk.
    """
    if games > speed * seconds:
        return 0
    chunk = min(max(seconds / _CHUNKS, _SHORTEST_CHUNK), _LONGEST_CHUNK, seconds / _LAST_CHUNKS)
    return max(int(speed * chunk) // games, 1)


def part_size(games: int, speed: float, threads: int) -> int:
    """Return how many games each part of a chunk has.

    `speed` is that of one thread, in games per second. All threads get the same number of parts of
    the same size, so that none waits long for the others at the end of a round.
    """
    each = -(-games // threads)
    parts = -(-each // max(int(_PART_SECONDS * speed), 1))
    return -(-each // parts)


class GameRunner:
    """The games of one rollout, played in chunks by an executor.

    Each chunk is in the worlds after those of the last chunk. `threads` is the number of threads
    (of workers, if the executor is a cluster) to reckon with at first, and `player_sims` the number
    of simulations of the search that plays all seats (0: the policy plays).
    """

    def __init__(
        self, game_player: GamePlayer, executor: Workers, threads: int, player_sims: int
    ) -> None:
        self.worlds = self.games = 0  # worlds and games played so far
        self.is_stopped = False
        self._game_player, self._executor, self._threads = game_player, executor, threads
        self._running = deque[tuple[Chunk, list[Future[PlayedPart]]]]()  # begun, but not ended
        self._thread_speed = min(_FIRST_SPEED, _SEARCHED / max(player_sims, 1))  # games per second
        # The speed of all threads together.
        self._speed = self._first_speed = threads * self._thread_speed
        # Time of the last measurement, or 0 between runs. What the caller does with the results is
        # measured, too, because very short games take less time than adding up their results.
        self._measured = 0.0
        self._done = deque[int]()  # the games of each part that was played since then

    def stop(self) -> None:
        """Make the rest of all chunks be dropped."""
        self.is_stopped = True

    def expect_other_games(self) -> None:
        """Assume at most the first speed again, because games of another kind may take longer."""
        self._speed = min(self._speed, self._first_speed)

    @property
    def begun_worlds(self) -> int:
        """The number of worlds in which games have begun."""
        return self.worlds + sum(chunk.worlds for chunk, _ in self._running)

    @property
    def is_busy(self) -> bool:
        """True if a chunk has begun, but not ended."""
        return bool(self._running)

    @property
    def has_room(self) -> bool:
        """True if another chunk is needed so that no worker waits."""
        behind = sum(len(parts) for _, parts in self._running)
        if self._running:
            behind -= len(self._running[0][1])
        return not self._running or behind < self._executor.queue_size - 1

    def rounds_within(self, budget: Budget, games: int, least: int = 0) -> int:
        """Return how often to play `games` games next; 0 if the budget is spent.

        The result is at least `least` if there is any time left, and at least 1 if there is no
        deadline and no chunk is running. It depends on the clock only if time is the limit of the
        rollout.
        """
        if self.is_stopped or budget.games < games:
            return 0
        if not budget.is_timed:
            return min(budget.games // games, _CHUNK_WORLDS)
        seconds = (budget.end_ns - time.monotonic_ns()) / 1e9 if budget.end_ns else 1.0
        seconds -= sum(chunk.games for chunk, _ in self._running) / self._speed
        if seconds <= 0:
            return 0
        if not budget.end_ns and not self._running:
            least = max(least, 1)  # however slow it is, a rollout without a deadline goes on
        rounds = max(rounds_of_chunk(seconds, self._speed, games), least)
        return min(rounds, budget.games // games)

    def begin(
        self, contenders: Sequence[int], worlds: int, turns: int = 0, *, has_notes: bool = False
    ) -> None:
        """Submit a chunk of games in the next worlds."""
        chunk = Chunk(tuple(contenders), self.begun_worlds, worlds, turns, has_notes)
        self._measured = self._measured or time.monotonic()
        parts = list[Future[PlayedPart]]()
        size = part_size(chunk.games, self._thread_speed, self._threads)
        for begin in range(0, chunk.games, size):
            if self.is_stopped:
                break
            end = min(begin + size, chunk.games)
            future = self._executor.submit(self._game_player, chunk, begin, end)
            future.add_done_callback(partial(self._note_done, end - begin))
            parts.append(future)
        self._running.append((chunk, parts))

    def _note_done(self, games: int, _: Future[PlayedPart]) -> None:
        self._done.append(games)

    def next_played(self) -> PlayedChunk | None:
        """Wait for the first chunk that is running, and return it with its results.

        Returns None if no chunk is running, or if `stop` ended the chunk.
        """
        if not self._running:
            return None
        chunk, futures = self._running[0]
        parts = list[PlayedPart]()
        for future in futures:
            if self.is_stopped and not future.done():
                return None
            parts.append(future.result())
        if sum(len(part.results) for part in parts) < chunk.games:
            return None
        self._running.popleft()
        self.worlds += chunk.worlds
        self.games += chunk.games
        self._measure(chunk, parts)
        results = np.concatenate([part.results for part in parts])
        shape = chunk.worlds, len(chunk.contenders), game_kernel.RESULT
        notes = [part.notes for part in parts if chunk.has_notes]
        return PlayedChunk(chunk, results.reshape(shape), notes)

    def _measure(self, chunk: Chunk, parts: Sequence[PlayedPart]) -> None:
        """Update the speeds after a chunk."""
        now, games = time.monotonic(), 0
        while self._done:
            games += self._done.popleft()
        if games:
            self._speed = next_speed(self._speed, games, now - self._measured)
            self._measured = now
        seconds = sum(part.seconds for part in parts)
        self._thread_speed = next_speed(self._thread_speed, chunk.games, seconds)

    def drop_running(self) -> None:
        """Drop the chunks that are running; their games do not count."""
        futures = [future for _, parts in self._running for future in parts]
        wait([future for future in futures if not future.cancel()])
        self._running.clear()
        self._done.clear()
        self._measured = 0.0
