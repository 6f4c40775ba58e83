"""Spaces and argument checks that the Gymnasium and PettingZoo adapters share."""

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
    """Raised for an unknown render mode.

    The class is also a TypeError, because Stable-Baselines3's `make_vec_env` catches a TypeError
    and tries again without a render mode.
    """


def render_mode_given(mode: object, modes: Sequence[str]) -> Any:
    """Return a render mode, which is None or one of `modes`.

    Raises RenderModeError for any other value.
    """
    if mode is not None and mode not in modes:
        known = " or ".join(map(repr, [None, *modes]))
        raise RenderModeError(f"render_mode is {shown(mode)}: it must be {known}")
    return mode


def action_given(env: BatchEnv, action: Any) -> NDArray[np.int64]:
    """Return an action as int64[1], as `BatchEnv.step` takes it if there is only one game.

    Raises MoveError if the action is -1 (no action) or the game is over, and MasonsError if the
    action is not a whole number.
    """
    if env.last.player[0] < 0:
        raise MoveError("the game is over: reset it")
    actions = actions_given(np.array([action]), 1).view(np.int64)
    if actions[0] == -1:
        raise MoveError(env.refusal(0, -1))
    return actions


class LegalActions(spaces.Discrete):  # type: ignore[misc]
    """A space of all actions, whose `sample()` returns a legal action if there is one.

    `legal` is a function that returns the legal actions as bool[actions]. In copies and pickles
    `legal` is None, because it refers to the game. Code that copies both the space and the game
    must set `legal` in the copy.
    """

    def __init__(self, count: int, legal: Callable[[], NDArray[np.bool_]]) -> None:
        super().__init__(count)
        self.legal: Callable[[], NDArray[np.bool_]] | None = legal

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "legal": None}

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Return a sample, which is a legal action unless a mask or probability is given."""
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
