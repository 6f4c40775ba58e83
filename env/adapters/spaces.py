"""Spaces whose samples are legal actions, and checks of arguments, for Gymnasium and PettingZoo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from masons.engine.checks import shown
from masons.engine.errors import MasonsError, MoveError
from masons.env.batch_env import BatchEnv
from masons.env.encoding import Encoding
from masons.env.env_arguments import actions_given


class RenderModeError(MasonsError, TypeError):
    """A mode that there is not. At a TypeError Stable-Baselines3's `make_vec_env` asks for none."""


def render_mode_given(mode: object, modes: Sequence[str]) -> Any:
    """Return how a game is rendered: None or one of `modes`. Raises RenderModeError."""
    if mode is not None and mode not in modes:
        known = " or ".join(map(repr, [None, *modes]))
        raise RenderModeError(f"render_mode is {shown(mode)}: it must be {known}")
    return mode


def action_given(env: BatchEnv, action: Any) -> NDArray[np.int64]:
    """int64[1]: the action of the only game, for `BatchEnv.step`, where -1 would be no action.

    Raises MoveError for -1 and where the game is over, MasonsError for no whole number.
    """
    if env.last.player[0] < 0:
        raise MoveError("the game is over: reset it")
    actions = actions_given(np.array([action]), 1).view(np.int64)
    if actions[0] == -1:
        raise MoveError(env.refusal(0, -1))
    return actions


class LegalActions(spaces.Discrete):  # type: ignore[misc]
    """All actions, of which `sample()` gives one that is legal now, where any is.

    `legal` says which are. A copy or a pickle leaves it out, so that it does not carry the game
    along: whoever copies both sets it again.
    """

    def __init__(self, count: int, legal: Callable[[], NDArray[np.bool_]]) -> None:
        super().__init__(count)
        self.legal: Callable[[], NDArray[np.bool_]] | None = legal

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "legal": None}

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """As in Gymnasium, but without mask and probability one of the legal actions."""
        if self.legal is not None and mask is None and probability is None:
            legal = self.legal().astype(np.int8)
            mask = legal if legal.any() else None
        return super().sample(mask, probability)


def observation_space(encoding: Encoding) -> spaces.Dict:
    """Return the space of a seat's observation and action mask."""
    layout, count = encoding.layout, encoding.actions.count
    return spaces.Dict({
        "observation": spaces.Box(
            np.zeros(layout.size, np.uint8), np.maximum(layout.most, 1), dtype=np.uint8
        ),
        "action_mask": spaces.Box(0, 1, (count,), np.int8),
    })  # fmt: skip
