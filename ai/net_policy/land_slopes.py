"""The value of a point of each kind of land card to the seat that decides.

A card counts by its rank among those of its hand: the net looks at the best few of each hand. The
hands of the others are those of the samples.
"""

from __future__ import annotations

from masons.ai.models.features import BEST, BOARD_VALUES, FINAL_INPUTS, LAND, MAX_SEATS, TOP
from masons.ai.net_policy.net_gradient import board_slope, seat_slope
from masons.ai.net_policy.policy_workspace import LAND_SLOPE, SAMPLES, PolicyWorkspace
from masons.engine.board.components import FIRST_LAND, LANDS
from masons.engine.kernels.bits import U, lowest
from masons.engine.kernels.jit import Bytes, Floats, Singles, Word, bytes_of, inner
from masons.engine.state.layout import VALUES_BYTE

_FIRST_LAND = U(FIRST_LAND)


@inner
def best_other(numbers: Floats, players: Word, seat: Word) -> Word:
    """The seat with the most among the others."""
    best_seat, most = seat, -1.0e9
    for other in range(players):
        if other != seat and numbers[other] > most:
            best_seat, most = other, numbers[other]
    return best_seat


@inner
def land_cards(hand: Word) -> Word:
    """The land cards among some cards."""
    return (hand >> (U(2) * _FIRST_LAND)) << (U(2) * _FIRST_LAND)


@inner
def rank_of(cards: Word, card: Word, values: Bytes) -> Word:
    """How many of some cards score more now than one of them, or are its first copy."""
    value = values[VALUES_BYTE + (card >> U(1))]
    rank = (cards >> (card ^ U(1))) & card & U(1)
    while cards:
        rank += U(values[VALUES_BYTE + (lowest(cards) >> U(1))] > value)
        cards &= cards - U(1)
    return rank


@inner
def then_slopes(players: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill `pairs`: the slope of each seat's score with its two best land cards."""
    pairs, then, back = workspace.pairs, workspace.then, workspace.back
    for seat in range(players):
        pairs[seat] = seat_slope(seat, FINAL_INPUTS, net, back) / 32.0
    for seat in range(players):
        margin = seat_slope(seat, FINAL_INPUTS + U(1), net, back) / 16.0
        pairs[seat] += margin
        pairs[best_other(then, players, seat)] -= margin


@inner
def rank_slopes(seat: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill `ranks`: the slopes of what a seat's best land cards score, the best first."""
    for rank in range(U(TOP)):
        slope = seat_slope(seat, BEST + rank, net, workspace.back) / 8.0
        if rank < U(2):
            slope += workspace.pairs[seat]
        workspace.ranks[rank] = slope


@inner
def hand_slopes(
    hand: Word, seat: Word, values: Bytes, net: Singles, workspace: PolicyWorkspace
) -> None:
    """Add what the land cards of a hand make of LAND_SLOPE."""
    slopes, ranks = workspace.slopes, workspace.ranks
    cards = land_cards(hand)
    left = cards
    while left:
        card = lowest(left)
        left &= left - U(1)
        kind, rank = card >> U(1), rank_of(cards, card, values)
        slope = seat_slope(seat, LAND + kind - _FIRST_LAND, net, workspace.back) / 8.0
        if rank < U(TOP):
            slope += ranks[rank]
        slopes[LAND_SLOPE + kind - _FIRST_LAND] += slope / float(SAMPLES)


@inner
def land_slopes(players: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """LAND_SLOPE: by the cards in all hands, as each is ranked among the others of its hand."""
    slopes, back, hands = workspace.slopes, workspace.back, workspace.hands
    values = bytes_of(workspace.after)
    for kind in range(U(LANDS)):
        slopes[LAND_SLOPE + kind] = board_slope(BOARD_VALUES + kind, net, back) / 16.0
    then_slopes(players, net, workspace)
    for seat in range(players):
        rank_slopes(seat, net, workspace)
        for sample in range(U(SAMPLES)):
            hand_slopes(hands[U(MAX_SEATS) * sample + seat], seat, values, net, workspace)
