"""The games of a rollout, played in chunks of worlds.

If time is the limit of a rollout, the sizes of its chunks follow the measured speed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.rollout.game_kernel import RESULT
from masons.ai.rollout.games import Chunk, ChunkPart, GamePlayer, PlayedPart
from masons.ai.rollout.noted_games import GameNotes
from masons.ai.search.backends import Backend

# Duration of a chunk in seconds, if time is the limit of the rollout. The clock and a request to
# stop are checked between chunks.
_SHORTEST_CHUNK: Final = 0.03
_LONGEST_CHUNK: Final = 0.15
_CHUNKS: Final = 10  # a chunk takes about 1 / _CHUNKS of the time left
_PART_SECONDS: Final = 0.05  # time that one thread needs for a part of a chunk
_TIMED_PARTS: Final = 8  # parts to play before their measured speed is used
_CHUNK_WORLDS: Final = 64  # upper limit for the worlds of a chunk, if games are the limit
# Games per second and thread that are assumed before any games have been timed: for the policy, and
# for a search (to be divided by its simulations).
_FIRST_SPEED: Final = 1500.0
_SEARCHED: Final = 10_000.0


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


class ChunkRunner:
    """Plays chunks of games by a backend, each chunk in the worlds after those of the last.

    `threads` is the number of threads of the backend, and `player_sims` the number of simulations
    of the search that plays all seats (0: the policy plays).
    """

    def __init__(
        self, game_player: GamePlayer, backend: Backend, threads: int, player_sims: int
    ) -> None:
        self.worlds = self.games = 0  # worlds and games played so far
        self._running_worlds = self._running_games = 0  # begun, but not ended
        self._game_player, self._backend = game_player, backend
        self._thread_speed = min(_FIRST_SPEED, _SEARCHED / max(player_sims, 1))  # games per second
        self._speed = threads * self._thread_speed  # of all threads together

    @property
    def begun_worlds(self) -> int:
        """The number of worlds in which games have begun."""
        return self.worlds + self._running_worlds

    def rounds_within(self, budget: Budget, games: int) -> int:
        """Return how often to play `games` games next; 0 if the budget is spent.

        The result depends on the clock only if time is the limit of the rollout.
        """
        if not budget.is_timed:
            return min(budget.games // games, _CHUNK_WORLDS)
        seconds = (budget.end_ns - time.monotonic_ns()) / 1e9 if budget.end_ns else 1.0
        seconds -= self._running_games / self._speed
        if seconds <= 0 or budget.games < games:
            return 0
        chunk = min(max(seconds / _CHUNKS, _SHORTEST_CHUNK), _LONGEST_CHUNK)
        return max(int(min(budget.games, self._speed * min(seconds, chunk))) // games, 1)

    def next_chunk(
        self, contenders: Sequence[int], worlds: int, turns: int = 0, *, has_notes: bool = False
    ) -> Chunk:
        """Return a chunk of games in the next worlds, and count these worlds as begun."""
        chunk = Chunk(tuple(contenders), self.begun_worlds, worlds, turns, has_notes)
        self._running_worlds += worlds
        self._running_games += chunk.games
        return chunk

    def play(self, chunks: Iterator[Chunk]) -> Iterator[PlayedChunk]:
        """Play chunks made by `next_chunk`, and yield their results in order.

        A worker that has finished its part of a chunk may go on with the next chunk.
        """
        # Each chunk with its parts by their first game, all by the first world of the chunk.
        running = dict[int, tuple[Chunk, dict[int, PlayedPart]]]()

        def parts() -> Iterator[ChunkPart]:
            for chunk in chunks:
                running[chunk.first] = chunk, {}
                size = max(int(_PART_SECONDS * self._thread_speed), 1)
                for begin in range(0, chunk.games, size):
                    yield ChunkPart(chunk, begin, min(begin + size, chunk.games))

        try:
            for part, played in self._timed(parts()):
                running[part.chunk.first][1][part.begin] = played
                while running:
                    chunk, whole = next(iter(running.values()))
                    if sum(len(part.results) for part in whole.values()) < chunk.games:
                        break
                    del running[chunk.first]
                    self.worlds += chunk.worlds
                    self._running_worlds -= chunk.worlds
                    self.games += chunk.games
                    ordered = [whole[begin] for begin in sorted(whole)]
                    results = np.concatenate([part.results for part in ordered])
                    yield PlayedChunk(
                        chunk,
                        results.reshape(chunk.worlds, len(chunk.contenders), RESULT),
                        [part.notes for part in ordered if chunk.has_notes],
                    )
        finally:  # games that have begun but are no longer needed do not count
            self._running_worlds = self._running_games = 0

    def _timed(self, parts: Iterator[ChunkPart]) -> Iterator[tuple[ChunkPart, PlayedPart]]:
        """Play parts, yield each with its results as soon as they come, and measure the speed."""
        began, played_games = time.monotonic(), 0
        for count, (part, played) in enumerate(self._backend.run(self._game_player, parts), 1):
            games = part.end - part.begin
            self._running_games -= games
            played_games += games
            if count >= _TIMED_PARTS:
                self._speed = played_games / (time.monotonic() - began)
            self._thread_speed = (self._thread_speed + games / max(played.seconds, 1e-6)) / 2
            yield part, played
