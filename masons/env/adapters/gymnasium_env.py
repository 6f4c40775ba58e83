"""Masons for Gymnasium: a learner plays one seat, and a named player plays the other seats.

    import gymnasium, masons.env.adapters.gymnasium_env
    env = gymnasium.make("Masons-v1", opponent="greedy")
    envs = gymnasium.make_vec("Masons-v1", num_envs=64, vectorization_mode="vector_entry_point")

An observation is a dictionary with two entries: `observation` is the seat's view, and `action_mask`
is 1 for each legal action. `env.action_space.sample()` returns a legal action; `envs` has the
method `legal_actions` for this. An illegal action ends the game, and the learner loses, because
Gymnasium requires that every action in the space is accepted. With `illegal="raise"`, an illegal
action raises MoveError instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from masons.engine.checks import check_whole, refuse, shown
from masons.engine.errors import MasonsError, MoveError
from masons.engine.extras import install_command
from masons.engine.formats.position_text import format_position
from masons.env.env_arguments import (
    GameOptions,
    actions_given,
    check_options,
    has_several,
    one_seed,
    seeds_given,
)
from masons.env.opponents import Opponents

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

    from masons.env.adapters.spaces import (
        LegalActions,
        action_given,
        observation_space,
        render_mode_given,
    )
except ImportError:
    raise MasonsError(f"this needs Gymnasium: {install_command('gymnasium')}") from None

_SEEDS = 1 << 62
_MOST_STEPS = 1 << 40
ID = "Masons-v1"


def _raises(illegal: object) -> bool:
    if illegal not in ("lose", "raise"):
        refuse("illegal", illegal, "'lose' or 'raise'")
    return illegal == "raise"


class MasonsEnv(gymnasium.Env[dict[str, Any], int]):  # type: ignore[misc]
    """One game against a named player.

    `seat` is the learner's seat; None stands for a random seat in each game. `illegal` is "lose" or
    "raise" (see the module). The other arguments are passed to `BatchEnv`. The reward of a step is
    what the learner gets for its action and for the moves of the other seats that follow.

    `encoding` has the names of the actions and the parts of an observation, as in `BatchEnv`. The
    info of `reset` has the learner's `seat`. That of a step has the `scores` of all seats as
    int64[players], or `illegal`, a message, if an illegal action has lost the game.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        opponent: str = "greedy",
        *,
        seat: int | None = None,
        illegal: str = "lose",
        render_mode: str | None = None,
        **options: Unpack[GameOptions],
    ) -> None:
        self._raises = _raises(illegal)
        check_options(type(self), options)
        self._is_lost = False
        self.render_mode = render_mode_given(render_mode, self.metadata["render_modes"])
        self._games = Opponents(1, opponent, seat=seat, seed=None, **options)
        self._any_seat = seat is None
        env = self._games.env
        self.encoding = env.encoding
        self.observation_space = observation_space(env.encoding)
        self.action_space: Any = LegalActions(env.num_actions, self.action_masks)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.action_space.legal = self.action_masks

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions as bool[actions]; sb3-contrib looks for this method name."""
        return self._games.env.legal_mask(0)

    def _shown(self) -> dict[str, Any]:
        env = self._games.env
        return {
            "observation": env.seen_by(0, int(self._games.seats[0])),
            "action_mask": self.action_masks().astype(np.int8),
        }

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a new game. Equal seeds give equal games."""
        super().reset(seed=seed, options=options)
        games = self._games
        if self._any_seat:
            games.seats[0] = self.np_random.integers(int(games.env.players[0]))
        games.reset(int(self.np_random.integers(_SEEDS)))
        self._is_lost = False
        return self._shown(), {"seat": int(games.seats[0])}

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Make an action, and let the other seats play.

        Raises MoveError if the game is over. With `illegal="raise"`, an illegal action also raises
        MoveError.
        """
        games = self._games
        if self._is_lost:
            raise MoveError("the game was lost by an action that is not legal: reset it")
        try:
            games.step(action_given(games.env, action))
        except MoveError as error:
            if self._raises or games.env.last.player[0] < 0:
                raise
            self._is_lost = True
            return self._shown(), -1.0, True, False, {"illegal": str(error)}
        scores = games.env.scores[0, : int(games.env.players[0])]  # an array, so that it stacks
        ended = bool(games.ended[0])
        return self._shown(), float(games.gained[0]), ended, False, {"scores": scores}

    def close(self) -> None:
        """Close the environment. It cannot be stepped afterwards."""
        self._games.env.close()

    def render(self) -> Any:
        """Return the position as the learner's seat sees it, as text."""
        if self.render_mode is None:
            return None
        env = self._games.env
        seen = env.position(0).observed_by(int(self._games.seats[0]))
        return format_position(seen, env.encoding.board)


def _infos(**entries: tuple[NDArray[Any], NDArray[np.bool_]]) -> dict[str, Any]:
    """Return infos of many environments; each entry has its values and a mask of who has it."""
    infos: dict[str, Any] = {}
    for name, (values, mask) in entries.items():
        if mask.any():
            infos |= {name: values, f"_{name}": mask}
    return infos


class MasonsVectorEnv(VectorEnv):  # type: ignore[misc]
    """Many games against a named player. One player object makes the moves in all games.

    The arguments are the same as for `MasonsEnv`. If `seat` is None, the learner's seat in
    environment i is i modulo the number of players. With `max_episode_steps`, a game is truncated
    after that many steps. After a game has ended or was truncated, the next step begins a new game
    and ignores the action for that environment.

    The infos are those of `MasonsEnv` as arrays. As everywhere in Gymnasium, an array `_name` says
    which environments have an entry in `name`.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": [], "render_fps": 1,
    }  # fmt: skip

    def __init__(
        self,
        num_envs: int = 1,
        opponent: str = "greedy",
        *,
        seat: int | None = None,
        illegal: str = "lose",
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        **options: Unpack[GameOptions],
    ) -> None:
        self._raises = _raises(illegal)
        check_options(type(self), options)
        most = _MOST_STEPS if max_episode_steps is None else max_episode_steps
        self._most_steps = check_whole("max_episode_steps", most, 1, _MOST_STEPS)
        if render_mode is not None:
            raise MasonsError(f"render_mode is {shown(render_mode)}: many games are not rendered")
        self._games = Opponents(num_envs, opponent, seat=seat, seed=None, **options)
        self.num_envs = self._games.env.num_envs
        env = self._games.env
        self.encoding = env.encoding
        self.single_observation_space = observation_space(env.encoding)
        self.single_action_space = spaces.Discrete(env.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._stopped: NDArray[np.bool_] = np.zeros(num_envs, dtype=np.bool_)
        self._steps: NDArray[np.int64] = np.zeros(num_envs, dtype=np.int64)

    def close_extras(self, **_: Any) -> None:
        """End the threads. The environments cannot be stepped afterwards."""
        self._games.env.close()

    def _shown(self) -> dict[str, Any]:
        env, step = self._games.env, self._games.env.last
        observation = step.observation.copy()
        for number in np.flatnonzero(step.player < 0).tolist():  # games that are over
            observation[number] = env.seen_by(number, int(self._games.seats[number]))
        return {"observation": observation, "action_mask": step.mask.astype(np.int8)}

    def legal_actions(self) -> NDArray[np.int64]:
        """Return a random legal action for each environment, or 0 if its game is over."""
        return np.maximum(self._games.env.pick_actions(), 0)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin new games in all environments. Equal seeds give equal games.

        `seed` can be a list with one seed for each environment, as in `BatchEnv.reset`.
        """
        seeds = seeds_given(seed, self.num_envs) if has_several(seed) else []
        if any(value is not None for value in seeds):
            super().reset(seed=one_seed(seeds), options=options)
            self._games.reset(seeds)
        else:
            super().reset(seed=None if seeds else seed, options=options)
            self._games.reset(int(self.np_random.integers(_SEEDS)))
        self._stopped[:], self._steps[:] = False, 0
        is_new = np.ones(self.num_envs, dtype=np.bool_)
        return self._shown(), _infos(seat=(self._games.seats.copy(), is_new))

    def step(
        self, actions: Any
    ) -> tuple[dict[str, Any], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Make an action in each environment.

        Raises MasonsError if an action is not a whole number. With `illegal="raise"`, an illegal
        action raises MoveError. After either error, all games are unchanged.
        """
        games = self._games
        chosen = np.where(self._stopped, -1, actions_given(actions, self.num_envs).view(np.int64))
        lost = ~self._stopped & ~games.env.are_legal(chosen)
        refusals = np.full(self.num_envs, None, dtype=object)
        for number in np.flatnonzero(lost).tolist():
            refusals[number] = games.env.refusal(number, int(chosen[number]))
            if self._raises:
                raise MoveError(refusals[number])
        games.step(np.where(lost, -1, chosen))
        gained, ended = games.gained.astype(np.float64), games.ended | lost
        gained[lost] = -1
        infos = _infos(
            scores=(games.env.scores[:, : int(games.env.players.max())], ~self._stopped & ~lost),
            seat=(games.seats.copy(), self._stopped.copy()),
            illegal=(refusals, lost),
        )
        if self._stopped.any():
            games.reset(where=self._stopped)
        self._steps = np.where(self._stopped, 0, self._steps + 1)
        truncated = ~ended & (self._steps >= self._most_steps)
        self._stopped = ended | truncated
        return self._shown(), gained, ended, truncated, infos


if ID not in gymnasium.registry:
    gymnasium.register(
        id=ID, entry_point=f"{__name__}:MasonsEnv", vector_entry_point=f"{__name__}:MasonsVectorEnv"
    )
