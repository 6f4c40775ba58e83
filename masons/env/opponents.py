"""Games in which a learner plays one seat and a named player plays the other seats.

>>> games = Opponents(num_envs=4, opponent="greedy", seed=1)
>>> step = games.reset()
>>> bool((step.player == games.seats).all())
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from masons.ai.players.named_players import make_player
from masons.engine.checks import check_text, check_whole
from masons.engine.kernels.rng import mix
from masons.env.batch_env import BatchEnv, BatchStep
from masons.env.env_arguments import GameOptions, check_options, one_seed, where_given

# The random stream of named players. Environments have the streams 0, 1, 2, ...
_PLAYERS = -2


class NamedSeats:
    """A named player, such as `greedy`, that plays some seats. The caller steps the environments.

    `seats` has the player's seat in each environment, or -1 if the player has no seat in it. If a
    decision of the player consists of several actions, each step makes one of them. Raises
    MasonsError for an unknown player.
    """

    def __init__(self, env: BatchEnv, player: str, seats: Any, seed: int = 0) -> None:
        self.env = env
        self.seats = np.asarray(seats)
        self._spec = player
        self._waiting: list[list[int]] = [[] for _ in range(env.num_envs)]
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Replace the player by a new one. Equal seeds give equal choices in equal positions."""
        self._player = make_player(self._spec, mix(seed, _PLAYERS))

    def forget(self, where: Any) -> None:
        """Drop unfinished decisions in environments whose games were replaced."""
        for number in where_given(where, self.env.num_envs).tolist():
            self._waiting[number] = []

    def answer(self, actions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Write the player's actions to `actions`, which the caller then passes to `step`.

        Only the entries of environments in which the player is to move are changed. Returns
        bool[num_envs], which is True for these environments.
        """
        due: NDArray[np.bool_] = (self.env.last.player == self.seats) & (self.seats >= 0)
        for number in np.flatnonzero(due).tolist():
            if not self._waiting[number]:
                view, table = self.env.observe(number), self.env.table
                move = self._player.choose(table, view, table.moves_of_sound(view.state))
                self._waiting[number] = self.env.encode(move, number)
            actions[number] = self._waiting[number].pop(0)
        return due


class Opponents:
    """Games in which each step also makes the opponents' moves, up to the learner's next decision.

    `seat` is the learner's seat. If it is None, the learner's seat in environment i is i modulo the
    number of players. The games are played in the BatchEnv `env`, which gets the other arguments.
    Raises MasonsError for invalid arguments.
    """

    def __init__(
        self,
        num_envs: int = 1,
        opponent: str = "greedy",
        *,
        seat: int | None = None,
        seed: int | None = 0,
        **options: Unpack[GameOptions],
    ) -> None:
        check_options(type(self), options)
        check_text("opponent", opponent, "the name of a player, such as greedy")
        self.env = BatchEnv(num_envs, seed=seed, auto_reset=False, **options)
        count = self.env.num_envs
        self.seats: NDArray[np.int64] = np.arange(count) % self.env.players
        if seat is not None:
            self.seats[:] = check_whole("seat", seat, 0, int(self.env.players.min()) - 1)
        self._others = NamedSeats(self.env, opponent, self.seats, self.env.seed or 0)
        self.gained: NDArray[np.float32] = np.zeros(count, dtype=np.float32)
        """The learner's rewards from its last action on, as float32[num_envs]."""
        self.ended: NDArray[np.bool_] = np.zeros(count, dtype=np.bool_)
        """True for games that have ended since the learner's last action, as bool[num_envs]."""

    def reset(self, seed: int | Sequence[int | None] | None = None, where: Any = None) -> BatchStep:
        """Begin new games, and play up to the learner's first decision.

        `seed` and `where` have the same meaning as in `BatchEnv.reset`. If `where` is None, `seed`
        also seeds the named player.
        """
        self.env.reset(seed, where)
        if seed is not None and where is None:
            self._others.reset(one_seed(seed))
        self._others.forget(where)
        self.gained[:], self.ended[:] = 0, False
        return self._play_others()

    def step(self, actions: Any) -> BatchStep:
        """Make the learner's actions, and play up to the learner's next decision.

        The action for a game that has stopped must be -1. Raises the same errors as
        `BatchEnv.step`.
        """
        self.env.step(actions)
        self.gained[:], self.ended[:] = 0, False
        self._add_rewards()
        return self._play_others()

    def _add_rewards(self) -> None:
        step = self.env.last
        self.gained += step.reward[np.arange(self.env.num_envs), self.seats]
        self.ended |= step.done

    def _play_others(self) -> BatchStep:
        step = self.env.last
        while ((step.player >= 0) & (step.player != self.seats)).any():
            actions = np.full(self.env.num_envs, -1)
            self._others.seats = np.where(step.player == self.seats, -1, step.player)
            self._others.answer(actions)
            self.env.step(actions)
            self._add_rewards()
        return step
