"""Masons for PettingZoo: every seat is an agent, named `seat_0`, `seat_1`, ...

    from masons.env.adapters import pettingzoo_env
    env = pettingzoo_env.env(players=3)

`env` is an AECEnv, in which the seats act in turn. `parallel_env` is a ParallelEnv: a step takes an
action for every seat, but makes only the action of the seat to move. An observation is a dictionary
with two entries: `observation` is the seat's view, and `action_mask` is 1 for each legal action.
The mask is all 0 for a seat that is not to move. A sample of the action space of the seat to move
is a legal action. An illegal action raises MoveError.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, ClassVar, Final, Unpack

import numpy as np
from numpy.typing import NDArray

from masons.engine.checks import check_whole
from masons.engine.errors import MasonsError
from masons.engine.extras import install_command
from masons.engine.formats.position_text import format_position
from masons.env.batch_env import BatchEnv
from masons.env.env_arguments import GameOptions, check_options

try:
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import wrappers

    from masons.env.adapters.spaces import (
        LegalActions,
        action_given,
        observation_space,
        render_mode_given,
    )
except ImportError:
    raise MasonsError(f"this needs PettingZoo: {install_command('pettingzoo')}") from None

_MOST_CYCLES: Final = 1 << 40


class SeatsAsAgents:
    """A game whose seats are agents; the base class of the two environments.

    The game is truncated once a seat has made `max_cycles` steps. `render_mode` is None, "ansi" or
    "human"; "human" prints the position after each step. The other arguments are passed to
    `BatchEnv`.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "masons_v1", "render_modes": ["ansi", "human"], "render_fps": 1,
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
        check_options(type(self), options)
        self.game = BatchEnv(1, seed=None, auto_reset=False, **options)
        cycles = _MOST_CYCLES if max_cycles is None else max_cycles
        self._max_cycles = check_whole("max_cycles", cycles, 1, _MOST_CYCLES)
        self.possible_agents = [f"seat_{seat}" for seat in range(int(self.game.players[0]))]
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: observation_space(self.game.encoding) for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: LegalActions(self.game.num_actions, partial(self._mask, agent))
            for agent in self.possible_agents
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for agent, space in self.action_spaces.items():
            space.legal = partial(self._mask, agent)

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return an agent's observation and action mask, even if the agent is not to move."""
        seen = self.game.seen_by(0, self.possible_agents.index(agent))
        return {"observation": seen, "action_mask": self._mask(agent).astype(np.int8)}

    def render(self) -> str | None:
        """Show the position as the seat to move sees it, as text.

        The mode "ansi" returns the text, and the mode "human" prints it.
        """
        if self.render_mode is None:
            return None
        text = format_position(self.game.observe(0).position, self.game.encoding.board)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Do nothing, because there is nothing to close."""

    def _mask(self, agent: str) -> NDArray[np.bool_]:
        """Return an agent's legal actions as bool[actions], all False if it is not to move."""
        is_due = int(self.game.last.player[0]) == self.possible_agents.index(agent)
        return self.game.legal_mask(0) & is_due

    @property
    def _due(self) -> str:
        """The agent to move, or the first agent if the game is over."""
        return self.possible_agents[max(int(self.game.last.player[0]), 0)]

    def _begin(self, seed: int | None) -> None:
        """Begin a new game. Equal seeds give equal games."""
        self.game.reset(seed)
        self.agents = list(self.possible_agents)
        self._steps = dict.fromkeys(self.agents, 0)

    def _act(self, action: Any, acting: Iterable[str]) -> tuple[dict[str, float], bool, bool]:
        """Make the action of the agent to move, and count it as a step of all agents in `acting`.

        Returns the rewards, whether the game is over, and whether it is truncated. Raises MoveError
        for an illegal action.
        """
        self.game.step(action_given(self.game, action))
        for agent in acting:
            self._steps[agent] += 1
        is_over = int(self.game.last.player[0]) < 0
        is_cut = not is_over and max(self._steps.values()) >= self._max_cycles
        rewards = self.game.last.reward[0].tolist()
        return dict(zip(self.possible_agents, rewards, strict=False)), is_over, is_cut


class MasonsAEC(SeatsAsAgents, AECEnv):  # type: ignore[misc]
    """The AECEnv, in which the seats act one after another."""

    metadata: ClassVar = {**SeatsAsAgents.metadata, "is_parallelizable": False}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin a new game. Equal seeds give equal games."""
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._due

    def step(self, action: Any) -> None:
        """Make the action of the agent to move. Raises MoveError for an illegal action."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.rewards, is_over, is_cut = self._act(action, [agent])
        self._cumulative_rewards[agent] = 0.0
        self.terminations = dict.fromkeys(self.agents, is_over)
        self.truncations = dict.fromkeys(self.agents, is_cut)
        self.agent_selection = self._due
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()


class MasonsParallel(SeatsAsAgents, ParallelEnv):  # type: ignore[misc]
    """The ParallelEnv, in which all seats take a step at the same time."""

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a new game. Equal seeds give equal games."""
        self._begin(seed)
        return {agent: self.observe(agent) for agent in self.agents}, {a: {} for a in self.agents}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """Make the action of the seat to move; the actions of the other seats are ignored.

        Raises MoveError for an illegal action, and MasonsError if the action of the seat to move is
        missing.
        """
        agents, due = self.possible_agents, self._due
        if due not in actions:
            raise MasonsError(f"no action of {due}, which is to move")
        rewards, is_over, is_cut = self._act(actions[due], agents)
        if is_over or is_cut:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return (
            {agent: self.observe(agent) for agent in agents}, rewards,
            dict.fromkeys(agents, is_over), dict.fromkeys(agents, is_cut),
            {agent: {} for agent in agents},
        )  # fmt: skip


def env(**options: Any) -> Any:
    """Return a `MasonsAEC` with these arguments, in a wrapper that checks the order of calls."""
    return wrappers.OrderEnforcingWrapper(MasonsAEC(**options))


# Names that PettingZoo's tools look for.
raw_env, parallel_env = MasonsAEC, MasonsParallel
