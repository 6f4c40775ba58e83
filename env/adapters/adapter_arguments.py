"""What callers give to the adapters of one game, looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from masons.engine.errors import MasonsError, MoveError
from masons.engine.given import shown
from masons.env.batch_env import BatchEnv
from masons.env.env_arguments import actions_given


class RenderModeError(MasonsError, TypeError):
    """A mode that there is not. At a TypeError Stable-Baselines3's `make_vec_env` asks for none."""


def render_mode_given(mode: object, modes: Sequence[str]) -> Any:
    """How a game is rendered: None or one of `modes`. Raises RenderModeError."""
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
    given = actions_given(np.array([action]), 1).view(np.int64)
    if given[0] == -1:
        raise MoveError(env.refusal(0, -1))
    return given
