"""The first walls of a survey, best first, with the cards that make each wall better or worse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from masons.ai.openings.survey import Survey
from masons.ai.rollout.evidence import NORMAL
from masons.engine.board.components import CARDS
from masons.engine.board.geometry import Board
from masons.engine.checks import refuse
from masons.engine.errors import MasonsError
from masons.engine.kernels.jit import FloatArray

# A card is listed for a wall only if its effect exceeds this number of standard errors. By chance,
# the effect of about one card in 700 does so.
_CLEAR: Final = 3.2


@dataclass(frozen=True)
class FirstWall:
    """A first wall and its figures for the seat that begins.

    `win` and `loss` are shares of a victory; their errors are half widths of 95 % intervals. For a
    hand, a survey only says how the walls differ: `win`, `win_error` and `margin` are None.
    """

    line: int
    win: float | None
    win_error: float | None
    loss: float  # difference from the best wall of the list
    loss_error: float
    margin: float | None  # mean score margin in points
    regions: tuple[int, ...]  # the regions of the spaces beside the wall
    is_edge: bool  # True if the wall has a space on one side only
    is_shore: bool  # True if one of the wall's towers would stand on the shore
    # Cards that change the value of the wall relative to the other walls, each with the change in
    # the share of a victory; the largest change comes first.
    cards: tuple[tuple[str, float], ...]

    @property
    def is_equal(self) -> bool:
        """True if the wall cannot be distinguished from the first wall of the list."""
        return self.loss <= self.loss_error


def first_walls(survey: Survey, hand: Sequence[str] = ()) -> list[FirstWall]:
    """Return the walls of a survey, best first, with the effect of the cards in a hand.

    `hand` lists names of cards. Raises MasonsError for an unknown card, and for a survey whose
    finalists have not been played.
    """
    sums = survey.sums
    if not survey.is_final or sums.worlds < 2:
        raise MasonsError("the survey has not come to its last walls yet: play on")
    kinds = sorted({_kind(card) for card in hand})
    raw, raw_errors = card_gains(survey)
    gains, variances = shrunk(raw, raw_errors)
    is_clear = np.abs(raw) > _CLEAR * raw_errors
    wins = sums.means + gains[kinds].sum(axis=0)  # with a hand, only their differences count
    unsure = variances[kinds].sum(axis=0)  # variance of the gains of the hand
    order = np.argsort(-wins, kind="stable")
    best, squares = order[0], sums.errors**2
    loss_errors = NORMAL * np.sqrt(squares[best] + unsure + unsure[best])
    return [
        FirstWall(
            line=survey.lines[i],
            win=None if kinds else float(wins[i]),
            win_error=None if kinds else float(NORMAL * sums.errors[i, i]),
            loss=float(wins[best] - wins[i]),
            loss_error=0.0 if i == best else float(loss_errors[i]),
            margin=None if kinds else float(sums.margins[i] / sums.worlds),
            **whereabouts(survey.board, survey.lines[i]),
            cards=tuple(
                (CARDS[kind], float(gains[kind, i]))
                for kind in np.argsort(-np.abs(gains[:, i]), kind="stable")
                if is_clear[kind, i]
            ),
        )
        for i in order
    ]


def walls_data(
    survey: Survey, walls: Sequence[FirstWall], hand: Sequence[str] = ()
) -> dict[str, Any]:
    """Return `walls` of a survey as a dict that can be written as JSON (see docs/formats.md).

    `hand` is the one for which the walls are ranked.
    """
    rows = []
    for wall in walls:
        row = {**asdict(wall), "is_equal": wall.is_equal}
        rows.append({name.removeprefix("is_"): value for name, value in row.items()})
    return {
        "format": "masons-first-walls", "version": 1, "board": survey.board.name,
        "players": survey.players, "simulations": survey.simulations,
        "games": survey.sums.worlds, "hand": list(hand), "walls": rows,
    }  # fmt: skip


def card_gains(survey: Survey) -> tuple[FloatArray, FloatArray]:
    """Return the gain of each wall from each card in hand, and the standard errors of the gains.

    Both arrays are float64[KINDS, walls]. The value of a wall is its mean share of a victory minus
    the mean of all walls in the same worlds (see `survey`). The gain from a card is the wall's
    value in worlds in which the seat holds the card, minus its value in all other worlds.
    """
    sums = survey.sums
    held = np.maximum(sums.held, 2.0)[:, None]
    others = np.maximum(sums.worlds - sums.held, 2.0)[:, None]
    total = sums.wins - sums.wins.mean()
    # The sums of squared values over all worlds, computed from the products of each pair of walls.
    means = sums.products.mean(axis=1)
    squares = np.diag(sums.products) - 2 * means + sums.products.mean()
    with_card, without = sums.gains / held, (total - sums.gains) / others
    spread = (sums.squares / held - with_card**2) / held
    spread += (np.maximum(squares - sums.squares, 0) / others - without**2) / others
    return with_card - without, np.sqrt(np.maximum(spread, 0))


def shrunk(gains: FloatArray, errors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the gains after shrinking them towards 0, and the variances that remain.

    The noisier a gain is, the more it is shrunk. This is empirical Bayes: the true gains are
    assumed to be normally distributed around 0. Their variance is the mean square of the measured
    gains minus the variance of the noise.
    """
    noise = errors**2
    spread = max(float((gains**2 - noise).mean()), 0.0)
    kept = spread / (spread + noise + np.finfo(float).tiny)
    return gains * kept, noise * kept


def whereabouts(board: Board, line: int) -> dict[str, Any]:
    """Return the regions of a line, whether it is on the edge, and whether it is on the shore."""
    spaces = [space for space in board.line_spaces[line] if space is not None]
    return {
        "regions": tuple(sorted({board.space_region[space] for space in spaces})),
        "is_edge": len(spaces) == 1,
        "is_shore": any(board.tower_shore[tower] for tower in board.line_towers[line]),
    }


def _kind(card: str) -> int:
    """Return the kind of a card. Raises MasonsError for an unknown name."""
    if card not in CARDS:
        refuse("hand", card, "names of cards, as in city-red+land-shore")
    return CARDS.index(card)
