"""The end of a game after each of two moves, and why it is good that it comes sooner or later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from masons.ai.explain.closed_cities import holds, paired_error
from masons.ai.rollout.evidence import NORMAL
from masons.engine.plain_text import fixed

if TYPE_CHECKING:
    from masons.ai.rollout.noted_games import NotedGames

_MUCH: Final = 0.2  # the smallest difference of two shares that is told
_SOON: Final = 0.25  # and that of two numbers of turns, as a share of the larger one
_TURNS: Final = 1.0  # which must also be this large


@dataclass(frozen=True)
class EndChange:
    """The end of the game after a move and after another: when it comes in the noted games.

    If it comes sooner, `seat` is another seat, which loses later points by this and scores less: it
    loses more of them than the seat that decides, or this seat wins more often by ending the game
    in this turn. If it comes later, `seat` is the seat that decides: it gains more later points by
    this than the others on average, and scores more.
    """

    now: float  # share of the games that end in the turn of the decision
    now_other: float
    turns: float  # mean number of turns after it
    turns_other: float
    seat: int = 0

    @property
    def is_now(self) -> bool:
        """True if the moves differ in whether the game ends in this turn, not only in when."""
        return abs(self.now - self.now_other) >= _MUCH

    @property
    def is_sooner(self) -> bool:
        """True if the game ends sooner after the first move."""
        return self.now > self.now_other if self.is_now else self.turns < self.turns_other

    def words(self, names: Sequence[str]) -> str:
        """Return this change as a sentence."""
        name = names[self.seat]
        before, time = f"before {name} can score as much", f"which gives {name} time to score more"
        why = before if self.is_sooner else time
        if self.is_now:
            shares = f"{100 * self.now:.0f} % instead of {100 * self.now_other:.0f} %"
            return f"The game ends in this turn in {shares} of the games, {why}."
        turns = f"{fixed(self.turns)} more turns instead of {fixed(self.turns_other)}"
        return f"The game ends after {turns}, {why}."


def end_change(games: NotedGames, first: int, second: int, *, wins_more: bool) -> EndChange | None:
    """Return when the game ends after each of two moves.

    `wins_more` is true if all games of the rollout, of which the noted ones are few, show that the
    seat wins more often after the first move.

    Returns None if it does not end much sooner after one of them, or if that is not seen to be good
    for the seat that decides.
    """
    turns, others = (games.turns_left(number).astype(np.float64) for number in (first, second))
    change = EndChange(
        float((turns == 0).mean()), float((others == 0).mean()),
        float(turns.mean()), float(others.mean()),
    )  # fmt: skip
    differences, least = turns - others, _TURNS
    if change.is_now:
        differences, least = (turns == 0).astype(np.float64) - (others == 0), _MUCH
    else:
        least = max(least, _SOON * max(change.turns, change.turns_other))
    if abs(differences.mean()) < max(least, NORMAL * paired_error(differences)):
        return None
    # Who is ahead may end the game though this costs both seats as many points.
    is_won = wins_more and change.is_now
    seat = _told_seat(games, first, second, is_sooner=change.is_sooner, is_won=is_won)
    return None if seat is None else replace(change, seat=seat)


def _told_seat(
    games: NotedGames, first: int, second: int, *, is_sooner: bool, is_won: bool
) -> int | None:
    """Return the seat of an `EndChange`, or None if no seat is as it says."""
    seat, rivals = games.seat, [each for each in range(games.players) if each != games.seat]
    more = games.scores(first) - games.scores(second)
    later = games.later_points(first) - games.later_points(second)
    if not is_sooner:
        beyond = later[:, seat] - later[:, rivals].mean(axis=1)
        is_gain = all(map(holds, (beyond, later[:, seat], more[:, seat])))
        return seat if is_gain else None
    lost = later[:, [seat]] - later  # by each seat, more than by the one that decides
    rival = max(rivals, key=lambda each: float(lost[::2, each].mean()))
    is_loss = all(map(holds, (-later[:, rival], -more[:, rival])))
    return rival if is_loss and (is_won or holds(lost[:, rival])) else None
