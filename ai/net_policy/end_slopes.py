"""Where a wall or its towers end the game: the best two land cards of each hand decide."""

from __future__ import annotations

from typing import Final

from masons.ai.evaluation.rewards import POINT_VALUE
from masons.ai.models.best_pairs import best_pairs, kind_sets, pair_of, values_of
from masons.ai.models.exponential import exponential
from masons.ai.models.features import MAX_SEATS
from masons.ai.net_policy.land_slopes import best_other, land_cards, rank_of
from masons.ai.net_policy.policy_workspace import LAND_SLOPE, SAMPLES, PolicyWorkspace
from masons.engine.board.components import FIRST_LAND, LANDS
from masons.engine.kernels.bits import U, lowest
from masons.engine.kernels.jit import Word, bytes_of, inner, offset
from masons.engine.rules.turns import score_of

# A margin of so many points makes a win e times as likely as not.
ENDS_BY: Final = 1.5

_FIRST_LAND = U(FIRST_LAND)


@inner
def _margin_now(sample: Word, seat: Word, players: Word, workspace: PolicyWorkspace) -> float:
    """A seat's margin if the game ended now, with the hands of a sample; fills `then`."""
    after, then = workspace.after, workspace.then
    sets = kind_sets(offset(workspace.hands, U(MAX_SEATS) * sample), players)
    pairs = best_pairs(values_of(after), sets)
    for other in range(players):
        then[other] = float(score_of(after, other) + pair_of(pairs, other))
    return then[seat] - then[best_other(then, players, seat)]


@inner
def end_value(seat: Word, players: Word, workspace: PolicyWorkspace) -> float:
    """Return the value of the game ending now, the margin being uncertain by ENDS_BY points."""
    total = 0.0
    for sample in range(U(SAMPLES)):
        margin = _margin_now(sample, seat, players, workspace)
        total += 1.0 / (1.0 + exponential(-margin / ENDS_BY)) + POINT_VALUE * margin
    return total / float(SAMPLES)


@inner
def end_slopes(seat: Word, players: Word, workspace: PolicyWorkspace) -> None:
    """LAND_SLOPE where the game ends with this wall: only the best two cards of a hand count."""
    slopes, then = workspace.slopes, workspace.then
    values = bytes_of(workspace.after)
    for kind in range(U(LANDS)):
        slopes[LAND_SLOPE + kind] = 0.0
    for sample in range(U(SAMPLES)):
        win = 1.0 / (1.0 + exponential(-_margin_now(sample, seat, players, workspace) / ENDS_BY))
        slope = (win * (1.0 - win) / ENDS_BY + POINT_VALUE) / float(SAMPLES)
        rival = best_other(then, players, seat)
        for other in range(players):
            if other != seat and other != rival:
                continue
            sign = slope if other == seat else -slope
            cards = land_cards(workspace.hands[U(MAX_SEATS) * sample + other])
            left = cards
            while left:
                card = lowest(left)
                left &= left - U(1)
                if rank_of(cards, card, values) < U(2):
                    slopes[LAND_SLOPE + (card >> U(1)) - _FIRST_LAND] += sign
