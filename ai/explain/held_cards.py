"""What the land cards in hand are worth at the end, after one move and after another.

City cards are left out: what they score is up to the city.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from masons.ai.rollout.rollout import Measure, Rollout
from masons.engine.board.components import CARDS, FIRST_LAND
from masons.engine.formats.move_text import Move
from masons.engine.state.packed_move import PLAY

# Two-sided, 95 % for all cards of a hand together: some eight are looked at (Bonferroni).
_NORMAL: Final = 2.73


@dataclass(frozen=True)
class HeldCard:
    """A card, and its points on the board at the end of the game, on average."""

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
        """Return plain data, for JSON."""
        return {k: v if k == "card" else round(v, 4) for k, v in asdict(self).items()}


def held_cards(
    rollout: Rollout, hand: tuple[int, ...], first: int, second: int
) -> tuple[HeldCard, ...]:
    """Return the land cards that two contenders keep, those that differ most first."""
    spent = _spent(rollout.moves[first]) | _spent(rollout.moves[second])
    cards = []
    for kind in sorted(set(hand) - spent):
        if kind >= FIRST_LAND:
            measure = Measure.MARGIN * rollout.view.players + 2 + kind - FIRST_LAND
            points, other = (float(rollout.sums.means(measure)[i]) for i in (first, second))
            _, error = rollout.sums.difference(measure, first, second, 1.0)
            cards.append(HeldCard(CARDS[kind], points, other, _NORMAL * error))
    return tuple(sorted(cards, key=lambda card: -abs(card.more)))


def _spent(move: Move) -> set[int]:
    return set(move.cards) if move.kind >= PLAY else set()
