"""The space of actions for Gymnasium and PettingZoo: a sample without a mask is a legal action."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from masons.env.encoding import Encoding


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
    """What a seat is shown: the observation, and which actions are legal."""
    layout, count = encoding.layout, encoding.actions.count
    return spaces.Dict({
        "observation": spaces.Box(
            np.zeros(layout.size, np.uint8), np.maximum(layout.most, 1), dtype=np.uint8
        ),
        "action_mask": spaces.Box(0, 1, (count,), np.int8),
    })  # fmt: skip
