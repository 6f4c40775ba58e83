"""Masons for PettingZoo: every seat is an agent, called `seat_0` and so on.

    from masons.env.adapters import pettingzoo_env
    env = pettingzoo_env.env(players=3)

`env` is an AECEnv: the seats act one after the other. `parallel_env` is a ParallelEnv: all are
asked at once, and what the seat to move says is done. An observation is a dictionary with
`observation`, what that seat sees, and `action_mask`, all 0 for a seat that is not to move. A
sample of an action space is a legal action. An action that is not legal raises MoveError.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, ClassVar, Final, Unpack

import numpy as np
from numpy.typing import NDArray

from masons.engine.checks import check_whole
from masons.engine.errors import MasonsError
from masons.engine.formats.position_text import format_position
from masons.env.adapters.spaces import action_given, render_mode_given
from masons.env.batch_env import BatchEnv
from masons.env.env_arguments import GameOptions

try:
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import wrappers

    from masons.env.adapters.spaces import LegalActions, observation_space
except ImportError:
    raise MasonsError("this needs PettingZoo: pip install 'masons-engine[pettingzoo]'") from None

_MOST_CYCLES: Final = 1 << 40


class _Seats:
    """One game, and what its seats are shown."""

    def __init__(self, options: GameOptions, max_cycles: int | None) -> None:
        self.game = BatchEnv(1, seed=None, auto_reset=False, **options)
        self.max_cycles = _MOST_CYCLES if max_cycles is None else max_cycles
        check_whole("max_cycles", self.max_cycles, 1, _MOST_CYCLES)
        self.names = [f"seat_{seat}" for seat in range(int(self.game.players[0]))]
        self.observation_spaces = {
            name: observation_space(self.game.encoding) for name in self.names
        }
        self.action_spaces = {
            name: LegalActions(self.game.num_actions, partial(self.mask, name))
            for name in self.names
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name, space in self.action_spaces.items():
            space.legal = partial(self.mask, name)

    def reset(self, seed: int | None) -> None:
        """Begin a new game; with a seed one that can be repeated."""
        self.game.reset(seed)
        self.steps = dict.fromkeys(self.names, 0)

    def mask(self, name: str) -> NDArray[np.bool_]:
        """The legal actions of a seat: none where it is not to move."""
        is_due = int(self.game.last.player[0]) == self.names.index(name)
        return self.game.legal_mask(0) & is_due

    def observe(self, name: str) -> dict[str, Any]:
        """Return the observation of a seat and its action mask."""
        seat = self.names.index(name)
        return {
            "observation": self.game.seen_by(0, seat),
            "action_mask": self.mask(name).astype(np.int8),
        }

    def step(self, action: Any, acting: Iterable[str]) -> None:
        """Make an action of the seat to move, in a step of the seats that are `acting`.

        Raises MoveError where it is not legal.
        """
        self.game.step(action_given(self.game, action))
        for name in acting:
            self.steps[name] += 1

    def rewards(self) -> dict[str, float]:
        """Return the reward of each seat by the last action."""
        return dict(zip(self.names, map(float, self.game.last.reward[0]), strict=False))

    @property
    def is_over(self) -> bool:
        """True once the game has ended."""
        return int(self.game.last.player[0]) < 0

    @property
    def is_cut(self) -> bool:
        """True once a seat has taken `max_cycles` steps."""
        return max(self.steps.values()) >= self.max_cycles

    @property
    def due(self) -> str:
        """The seat to move, the first one when the game is over."""
        return self.names[max(int(self.game.last.player[0]), 0)]

    def rendered(self, mode: str | None) -> str | None:
        """The position as the seat to move sees it: "ansi" returns it, "human" prints it."""
        if mode is None:
            return None
        text = format_position(self.game.observe(0).position, self.game.encoding.board)
        if mode == "ansi":
            return text
        print(text)
        return None


class MasonsAEC(AECEnv):  # type: ignore[misc]
    """The seats act one after the other.

    `max_cycles`: how many steps a seat can take; then the game is cut short. `render_mode`: None,
    "ansi" or "human", which prints after each step. The other arguments are those of `BatchEnv`.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "masons_v1", "render_modes": ["ansi", "human"], "is_parallelizable": False,
    }  # fmt: skip

    def __init__(
        self,
        *,
        max_cycles: int | None = None,
        render_mode: str | None = None,
        **options: Unpack[GameOptions],
    ) -> None:
        super().__init__()
        self.render_mode = render_mode_given(render_mode, self.metadata["render_modes"])
        self._seats = _Seats(options, max_cycles)
        self.possible_agents = list(self._seats.names)
        self.observation_spaces = self._seats.observation_spaces
        self.action_spaces = self._seats.action_spaces

    def observation_space(self, agent: str) -> Any:
        """The space of what an agent is shown."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin a new game; with a seed one that can be repeated."""
        self._seats.reset(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._seats.due

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the observation of an agent, to move or not."""
        return self._seats.observe(agent)

    def step(self, action: Any) -> None:
        """Make the action of the agent that is to move. Raises MoveError where it is not legal."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._seats.step(action, [agent])
        self._cumulative_rewards[agent] = 0.0
        self.rewards = self._seats.rewards()
        is_over = self._seats.is_over
        self.terminations = dict.fromkeys(self.agents, is_over)
        self.truncations = dict.fromkeys(self.agents, self._seats.is_cut and not is_over)
        self.agent_selection = self._seats.due
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """The position as the seat to move sees it, as text: returned or printed."""
        return self._seats.rendered(self.render_mode)

    def close(self) -> None:
        """Nothing is left open."""


class MasonsParallel(ParallelEnv):  # type: ignore[misc]
    """All seats are asked at once, so each takes a step. The arguments are those of `MasonsAEC`."""

    metadata: ClassVar[dict[str, Any]] = {"name": "masons_v1", "render_modes": ["ansi", "human"]}

    def __init__(
        self,
        *,
        max_cycles: int | None = None,
        render_mode: str | None = None,
        **options: Unpack[GameOptions],
    ) -> None:
        self.render_mode = render_mode_given(render_mode, self.metadata["render_modes"])
        self._seats = _Seats(options, max_cycles)
        self.possible_agents = list(self._seats.names)
        self.observation_spaces = self._seats.observation_spaces
        self.action_spaces = self._seats.action_spaces
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> Any:
        """The space of what an agent is shown."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def _shown(self) -> dict[str, Any]:
        return {name: self._seats.observe(name) for name in self._seats.names}

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a new game; with a seed one that can be repeated."""
        self._seats.reset(seed)
        self.agents = list(self.possible_agents)
        return self._shown(), {name: {} for name in self.agents}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """Make the action of the seat to move; those of the others are not looked at.

        Raises MoveError where it is not legal, MasonsError where it is missing.
        """
        due = self._seats.due
        if due not in actions:
            raise MasonsError(f"no action of {due}, which is to move")
        names = self._seats.names
        self._seats.step(actions[due], names)
        is_over = self._seats.is_over
        is_cut = self._seats.is_cut and not is_over
        if is_over or is_cut:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return (
            self._shown(), self._seats.rewards(), dict.fromkeys(names, is_over),
            dict.fromkeys(names, is_cut), {name: {} for name in names},
        )  # fmt: skip

    def render(self) -> str | None:
        """The position as the seat to move sees it, as text: returned or printed."""
        return self._seats.rendered(self.render_mode)

    def close(self) -> None:
        """Nothing is left open."""


def env(**options: Any) -> Any:
    """An AECEnv that looks after the order of calls; the arguments are those of `MasonsAEC`."""
    return wrappers.OrderEnforcingWrapper(MasonsAEC(**options))


# By the names that PettingZoo's tools look for.
raw_env, parallel_env = MasonsAEC, MasonsParallel
