"""One seat of each game for a learner, the others for a named player.

>>> games = Opponents(num_envs=4, opponent="greedy", seed=1)
>>> step = games.reset()
>>> bool((step.player == games.seats).all())
True
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from masons.ai.players.named_players import make_player
from masons.engine.board.geometry import Board
from masons.engine.given import whole_given
from masons.engine.kernels.rng import mix
from masons.env.batch_env import BatchEnv
from masons.env.env_memory import BatchStep

# Streams of seeds, beside those of the environments.
_PLAYERS = -2


class Opponents:
    """Games in which the learner's seat is always to move, until they end and stop.

    `seat`: the learner's; None: environment i has seat i modulo the players. `env` is the BatchEnv
    that they are played in. Raises MasonsError for impossible arguments.
    """

    def __init__(
        self,
        num_envs: int = 1,
        opponent: str = "greedy",
        players: int = 2,
        board: str | Path | Board = "classic",
        seed: int | None = 0,
        *,
        seat: int | None = None,
        reward: str = "win",
        threads: int = 1,
    ) -> None:
        self.env = BatchEnv(num_envs, players, board, threads, seed, False, reward=reward)
        self.seats: NDArray[np.int64] = np.arange(self.env.num_envs) % self.env.players
        if seat is not None:
            self.seats[:] = whole_given("seat", seat, 0, int(self.env.players.min()) - 1)
        self._spec = opponent
        self._player = make_player(opponent, mix(self.env.seed or 0, _PLAYERS))
        # Actions of a move that an opponent has chosen.
        self._waiting: list[list[int]] = [[] for _ in range(self.env.num_envs)]
        self.gained: NDArray[np.float32] = np.zeros(self.env.num_envs, dtype=np.float32)
        """float32[num_envs]: what the learner's seats got since they moved."""
        self.ended: NDArray[np.bool_] = np.zeros(self.env.num_envs, dtype=np.bool_)
        """bool[num_envs]: which games ended since the learner moved."""

    def reset(self, seed: int | None = None, where: Any = None) -> BatchStep:
        """Begin new games, and play up to the learner's first decision."""
        if seed is not None and where is None:
            self._player = make_player(self._spec, mix(seed, _PLAYERS))
        step = self.env.reset(seed, where)
        for number in np.arange(self.env.num_envs) if where is None else np.flatnonzero(where):
            self._waiting[number] = []
        self._clear()
        self._play_others()
        return step

    def step(self, actions: Any) -> BatchStep:
        """Make the learner's actions (-1 where a game has stopped), and play up to the next.

        Raises as `BatchEnv.step`.
        """
        self._clear_after(self.env.step(actions))
        self._play_others()
        return self.env.last

    def _clear(self) -> None:
        self.gained[:], self.ended[:] = 0, False

    def _clear_after(self, step: BatchStep) -> None:
        self._clear()
        self._add(step)

    def _add(self, step: BatchStep) -> None:
        self.gained += step.reward[np.arange(self.env.num_envs), self.seats]
        self.ended |= step.done

    def _play_others(self) -> None:
        step = self.env.last
        while (others := (step.player >= 0) & (step.player != self.seats)).any():
            actions = np.full(self.env.num_envs, -1)
            for number in np.flatnonzero(others).tolist():
                waiting = self._waiting[number]
                if not waiting:
                    waiting += self._moves_of(number)
                actions[number] = waiting.pop(0)
            self._add(self.env.step(actions))

    def _moves_of(self, number: int) -> list[int]:
        view = self.env.observe(number)
        table = self.env.table
        move = self._player.choose(table, view, table.moves_of_sound(view.state))
        return self.env.encode(move, number)
