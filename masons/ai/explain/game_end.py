"""The end of a game after each of two moves, and a sentence if it comes much sooner after one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from masons.ai.explain.closed_cities import paired_error
from masons.ai.rollout.evidence import NORMAL
from masons.engine.plain_text import fixed

if TYPE_CHECKING:
    from masons.ai.rollout.noted_games import NotedGames

_MUCH: Final = 0.2  # the smallest difference of two shares that is told
_SOON: Final = 0.25  # and that of two numbers of turns, as a share of the larger one
_TURNS: Final = 1.0  # which must also be this large


@dataclass(frozen=True)
class EndChange:
    """The end of the game after a move and after another: when it comes in the noted games."""

    now: float  # share of the games that end in the turn of the decision
    now_other: float
    turns: float  # mean number of turns after it
    turns_other: float

    @property
    def is_now(self) -> bool:
        """True if the moves differ in whether the game ends in this turn, not only in when."""
        return abs(self.now - self.now_other) >= _MUCH

    def words(self) -> str:
        """Return this change as a sentence."""
        if self.is_now:
            shares = f"{100 * self.now:.0f} % instead of {100 * self.now_other:.0f} %"
            return f"The game ends in this turn in {shares} of the games."
        return (
            f"The game ends after {fixed(self.turns)} more turns instead of "
            f"{fixed(self.turns_other)}."
        )


def end_change(games: NotedGames, first: int, second: int) -> EndChange | None:
    """Return when the game ends after each of two moves, or None if it is not much sooner."""
    turns, others = (games.turns_left(number).astype(np.float64) for number in (first, second))
    change = EndChange(
        float((turns == 0).mean()), float((others == 0).mean()),
        float(turns.mean()), float(others.mean()),
    )  # fmt: skip
    if change.is_now:
        differences = (turns == 0).astype(np.float64) - (others == 0)
        is_told = abs(differences.mean()) > NORMAL * paired_error(differences)
        return change if is_told else None
    differences = turns - others
    least = max(_TURNS, _SOON * max(change.turns, change.turns_other))
    is_much = abs(differences.mean()) >= max(least, NORMAL * paired_error(differences))
    return change if is_much else None
