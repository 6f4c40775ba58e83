"""The `openings` message: the best first walls, and which kinds and cards make them better.

The figures come from a survey, for which games were played after many first walls (see
`masons.ai.openings`). A difference is reported only if chance alone would cause it in at most one
of 20 surveys. Simultaneous comparisons share this limit (Bonferroni correction).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from masons.ai.openings.first_walls import card_gains, first_walls, walls_data, whereabouts
from masons.ai.openings.survey_file import bundled_survey
from masons.ai.rollout.evidence import NORMAL
from masons.engine.board.components import CARDS
from masons.protocol.messages.error_codes import Refused

if TYPE_CHECKING:
    from masons.ai.openings.survey import Survey
    from masons.engine.board.geometry import Board

_CHANCE: Final = 0.05
KINDS: Final = ("shore", "edge", "border", "inland")
# The cards whose points depend on where towers and houses stand.
_PLACED: Final = ("land-region-1", "land-region-2", "land-region-3", "land-shore")


def openings_message(board: Board, players: int, hand: Sequence[str]) -> dict[str, Any]:
    """Return the `openings` message for a hand. Raises Refused if no survey has this board."""
    survey = bundled_survey(players)
    if survey.board.sha256 != board.sha256:
        needed = survey.board.name
        raise Refused(
            "state", f"the openings are those of the board {needed}: start without --board"
        )
    return {
        **walls_data(survey, first_walls(survey, hand), hand),
        "type": "openings",
        "even": is_even(survey),
        "kinds": list(kinds_of(survey)),
        "helped": list(helped_by_cards(survey)),
        "others": len(board.line_towers) - len(survey.lines),
    }


def is_even(survey: Survey) -> bool:
    """Return whether chance alone explains the differences between the walls over all hands.

    This is a chi-square test of whether all walls win equally often. It uses the covariances of the
    walls, which were all played with the same deals and dice. The quantile of the distribution is
    approximated by the method of Wilson and Hilferty.
    """
    covariances = survey.sums.covariances
    count = len(covariances)
    steps = np.eye(count)[:-1] - np.eye(count)[1:]
    differences = steps @ survey.sums.means
    squares = differences @ np.linalg.pinv(steps @ covariances @ steps.T) @ differences
    share = 2 / (9 * (count - 1))
    limit = (count - 1) * (1 - share + NormalDist().inv_cdf(1 - _CHANCE) * share**0.5) ** 3
    return bool(squares <= limit)


def kinds_of(survey: Survey) -> Iterator[dict[str, Any]]:
    """Yield each kind of wall, with the survey's walls of this kind and their win probability.

    `win` is the mean over these walls, and `win_error` the half width of its 95 % interval. `usual`
    is the number of such walls that is expected if the survey's walls are chosen at random. `rare`
    and `frequent` are true if the survey has fewer or more such walls than chance explains.
    """
    board, lines = survey.board, survey.lines
    kinds = [kind_of(board, line) for line in range(len(board.line_towers))]
    covariances = survey.sums.covariances
    for kind in KINDS:
        chosen = np.array([kinds[line] == kind for line in lines])
        count, whole = int(chosen.sum()), kinds.count(kind)
        if not count:
            continue
        weights = chosen / count
        chances = [
            comb(whole, i) * comb(len(kinds) - whole, len(lines) - i) / comb(len(kinds), len(lines))
            for i in range(len(lines) + 1)
        ]
        limit = _CHANCE / 2 / len(KINDS)
        yield {
            "kind": kind,
            "lines": [line for line, is_chosen in zip(lines, chosen, strict=True) if is_chosen],
            "win": float(weights @ survey.sums.means),
            "win_error": NORMAL * float(np.sqrt(weights @ covariances @ weights)),
            "usual": len(lines) * whole / len(kinds),
            "rare": sum(chances[: count + 1]) < limit,
            "frequent": sum(chances[count:]) < limit,
        }


def kind_of(board: Board, line: int) -> str:
    """Return the kind of a line: shore, (other) edge, border (between two regions) or inland."""
    place = whereabouts(board, line)
    if place["is_shore"]:
        return "shore"
    if place["is_edge"]:
        return "edge"
    return "border" if len(place["regions"]) > 1 else "inland"


def helped_by_cards(survey: Survey) -> Iterator[dict[str, Any]]:
    """Yield the cards that make some first walls better than the others.

    `where` says where these walls are: a region's number, or `shore`. `gain` is the mean gain of
    these walls from holding the card (see `card_gains`) minus the mean gain of the other walls.
    `gain_error` is the half width of the 95 % interval of `gain`.
    """
    raw, errors = card_gains(survey)
    count = len(survey.lines)
    limit = NormalDist().inv_cdf(1 - _CHANCE / 2 / len(_PLACED))
    for card in _PLACED:
        where: int | str = "shore" if card == "land-shore" else int(card[-1])
        is_helped = np.array([_lies_in(survey.board, line, where) for line in survey.lines])
        if is_helped.all() or not is_helped.any():
            continue
        weights = np.where(is_helped, 1 / is_helped.sum(), -1 / (~is_helped).sum())
        kind = CARDS.index(card)
        gain = float(weights @ raw[kind])
        # In each world, the gains of all walls add up to 0. So the gains of two walls are assumed
        # to have the correlation -1 / (count - 1).
        error = float(np.sqrt(weights**2 @ errors[kind] ** 2 * count / (count - 1)))
        if gain > limit * error:
            lines = [line for line, helps in zip(survey.lines, is_helped, strict=True) if helps]
            yield {
                "card": card, "where": where, "lines": lines,
                "gain": gain, "gain_error": NORMAL * error,
            }  # fmt: skip


def _lies_in(board: Board, line: int, where: int | str) -> bool:
    """Return whether a line has a space in a region, or a tower space on the shore."""
    place = whereabouts(board, line)
    return bool(place["is_shore"]) if where == "shore" else where in place["regions"]
