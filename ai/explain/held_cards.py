"""What the land cards in hand would score later, after one move and after another.

City cards are left out: what they score is up to the city.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from masons.ai.explain.paired_games import Continuations, error_of_mean
from masons.engine.board.components import CARDS, FIRST_LAND
from masons.engine.state.packed_move import PLAY

# Two-sided, 95 % for all cards of a hand together: some eight are looked at (Bonferroni).
_NORMAL: Final = 2.73


@dataclass(frozen=True)
class HeldCard:
    """A card, and its points on the board where the games are left, on average."""

    card: str
    points: float
    points_other: float  # after the other move
    interval: float  # half the one of the difference, for all cards of the hand together

    @property
    def more(self) -> float:
        """What it scores more after the first move."""
        return self.points - self.points_other

    @property
    def differs(self) -> bool:
        """Whether that is more than chance."""
        return abs(self.more) > self.interval

    def to_data(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {k: v if k == "card" else round(v, 4) for k, v in asdict(self).items()}


def held_cards(games: Continuations, here: int, there: int) -> tuple[HeldCard, ...]:
    """The land cards that both moves keep, those that differ most first."""
    kept = sorted(set(games.hand) - _spent(games, here) - _spent(games, there))
    found = []
    for kind in kept:
        if kind < FIRST_LAND:
            continue
        one, two = (games.land[:, move, kind - FIRST_LAND] for move in (here, there))
        interval = _NORMAL * error_of_mean(one - two, 1.0)
        found.append(HeldCard(CARDS[kind], float(one.mean()), float(two.mean()), interval))
    return tuple(sorted(found, key=lambda card: -abs(card.more)))


def _spent(games: Continuations, number: int) -> set[int]:
    move = games.moves[number]
    return set(move.cards) if move.kind >= PLAY else set()
