"""What a finished playout is worth to each seat."""

from __future__ import annotations

from masons.engine.kernels.bits import U, popcount
from masons.engine.kernels.jit import Floats, Words, bytes_of, inner
from masons.engine.rules.turns import score_of
from masons.engine.state.layout import HANDS, PLAYERS

_POINT = U(64)


@inner
def win_shares(state: Words, rewards: Floats) -> None:
    """Fill `rewards` (float64[4]) with the shares of the victory of a game that is over.

    Most points win, then most cards in hand, then the victory is shared (rules, 7).
    """
    players = U(bytes_of(state)[PLAYERS])
    best = U(0)
    winners = U(0)
    for seat in range(players):
        standing = score_of(state, seat) * _POINT + popcount(state[HANDS + seat])
        if standing > best:
            best = standing
            winners = U(0)
        if standing == best:
            winners |= U(1) << seat
    share = 1.0 / float(popcount(winners))
    for seat in range(players):
        rewards[seat] = share if (winners >> seat) & U(1) else 0.0
