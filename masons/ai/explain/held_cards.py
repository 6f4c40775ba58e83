"""The points that the cards in hand bring after each of two moves, in games of a rollout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from masons.ai.explain.causes import HeldCard
from masons.ai.explain.closed_cities import paired_error
from masons.ai.rollout.evidence import Measure
from masons.ai.rollout.noted_games import NotedGames
from masons.ai.rollout.rollout import Rollout
from masons.engine.board.components import CARDS, FIRST_LAND

# Number of standard errors on each side of an interval that holds for all cards of a hand together
# with a probability of 95 % (Bonferroni correction for eight cards).
_CARDS_NORMAL: Final = 2.73


def held_cards(
    rollout: Rollout, games: NotedGames, contenders: Sequence[int], numbers: Sequence[int]
) -> tuple[HeldCard, ...]:
    """Return what the cards in hand bring after two moves, largest difference first.

    The moves are given by their numbers among the contenders and in the noted games. City cards
    have no entry for the final scoring: the games do not say what each of them brings there.
    """
    cards = list[HeldCard]()
    for kind in sorted(set(games.hand)):
        parts = [
            _city_card(games, kind, numbers, is_now=True),
            _city_card(games, kind, numbers, is_now=False),
            *([_final_card(rollout, kind, *contenders)] if kind >= FIRST_LAND else []),
        ]
        total = sum(part.more for part in parts)
        cards += [replace(part, total=total) for part in parts]
    return tuple(sorted(cards, key=lambda card: -abs(card.more)))


def _city_card(games: NotedGames, kind: int, numbers: Sequence[int], *, is_now: bool) -> HeldCard:
    """Return what a card brings in the cities of this turn or of later ones after two moves."""
    points, other = (games.card_points(each, kind, is_now=is_now) for each in numbers)
    interval = _CARDS_NORMAL * paired_error(points - other)
    means = float(points.mean()), float(other.mean())
    return HeldCard("now" if is_now else "cities", CARDS[kind], *means, interval)


def _final_card(rollout: Rollout, kind: int, first: int, second: int) -> HeldCard:
    """Return what a land card brings in the final scoring after two contenders."""
    measure = Measure.MARGIN * rollout.view.players + 3 + kind - FIRST_LAND
    points, other = (float(rollout.sums.means(measure)[i]) for i in (first, second))
    _, error = rollout.sums.difference(measure, first, second, 1.0)
    interval = _CARDS_NORMAL * error
    return HeldCard("final", CARDS[kind], points, other, interval)
