"""Who wins: most points, then most cards in hand, then the victory is shared (rules, 7)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from masons.engine.kernels.bits import U, popcount
from masons.engine.kernels.jit import Word, Words, bytes_of, inner
from masons.engine.rules.turns import score_of
from masons.engine.state.layout import HANDS, PLAYERS

# One point outweighs all the cards of the game.
POINT = 64
_POINT = U(POINT)


def standing(points: int, cards: int) -> int:
    """What a seat is ranked by at the end of a game: the higher the better."""
    return POINT * points + cards


def winners_of(
    scores: Sequence[int], hand_sizes: Sequence[int], forfeited: Collection[int] = ()
) -> tuple[int, ...]:
    """The seats that win, ascending; several share the victory.

    Those that `forfeited` are ranked behind all others; if all did, nobody wins.
    """
    ranks = {
        seat: standing(*own)
        for seat, own in enumerate(zip(scores, hand_sizes, strict=True))
        if seat not in forfeited
    }
    best = max(ranks.values(), default=0)
    return tuple(seat for seat, rank in ranks.items() if rank == best)


@inner
def standing_of(state: Words, seat: Word) -> Word:
    """`standing` of a seat, in a kernel."""
    return score_of(state, seat) * _POINT + popcount(state[HANDS + seat])


@inner
def winner_set(state: Words) -> Word:
    """The seats that win a game that is over, as a set, in a kernel."""
    best = U(0)
    winners = U(0)
    for seat in range(U(bytes_of(state)[PLAYERS])):
        own = standing_of(state, seat)
        if own > best:
            best = own
            winners = U(0)
        if own == best:
            winners |= U(1) << seat
    return winners
