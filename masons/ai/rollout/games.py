"""Games of a rollout, played in parts by threads of this process or by another backend.

A game depends only on its world and its move, so the figures do not depend on how the games are
divided into parts.
"""

from __future__ import annotations

import pickle
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.halving.simulation import COLUMNS, new_simulation_workspace
from masons.ai.models.model_data import learned, learned_models
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.ai.rollout import game_kernel
from masons.ai.rollout.noted_games import GameNotes
from masons.ai.search.decision import decision_of
from masons.ai.self_play.seat_choices import ARENA_WORDS, GameWorkspace, Seat, packed_seats
from masons.engine.formats.move_text import Move
from masons.engine.game.action_history import HISTORY_SIZE
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import field_of, new_workspace, words
from masons.engine.kernels.rng import mix
from masons.engine.rules.legal_moves import MAX_MOVES
from masons.engine.state.layout import STATE_WORDS


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


@dataclass(frozen=True)
class ChunkPart:
    """The games of a chunk from `begin` up to, but not including, `end`, world by world."""

    chunk: Chunk
    begin: int
    end: int


class PlayedPart(NamedTuple):
    """The results of a part, and the time in seconds that playing it took."""

    results: NDArray[np.float64]  # [games, RESULT] (see `game_kernel`)
    notes: GameNotes  # [games], or [0] without notes
    seconds: float


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
        self._decision = decision_of(table, view, moves, numbers)
        self._seed = U(mix(seed) >> 1)
        seat = Seat(sims, numbers["heuristic"], numbers["net"], predicts_hands=history is not None)
        self._seats = packed_seats([seat] * view.players, numbers["hands"])
        self._history = field_of(np.zeros(HISTORY_SIZE) if history is None else history)
        self._workspaces: list[tuple[Any, ...]] = []
        self._arena = (ARENA_WORDS, MAX_MOVES) if sims else (1, 1)

    def __call__(self, part: ChunkPart) -> PlayedPart:
        """Play the games of a part, and return their results."""
        began, count = time.monotonic(), part.end - part.begin
        chunk = part.chunk
        results = np.zeros((count, game_kernel.RESULT))
        notes = game_kernel.new_notes(count * chunk.has_notes)
        batch = game_kernel.GameBatch(
            self._seed, U(chunk.first), U(part.begin), U(part.end), U(chunk.turns), self._history
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
            np.array(chunk.contenders, dtype=np.uint64), results.reshape(-1), notes, *workspaces,
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
