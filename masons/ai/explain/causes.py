"""Causes of the parts of a difference between two moves, and their words.

A cause is named only if it is told apart from chance and can make up at least half of the part.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from masons.ai.explain.closed_cities import MERGED, CityChange
from masons.engine.board.components import CARD_NAMES
from masons.engine.plain_text import count, does, fixed
from masons.words.moves import cards_words

MIN_POINTS: Final = 0.5
"""Smaller parts of a difference are not mentioned."""

_MIN_CARD_POINTS: Final = 0.05
_MAX_CARDS: Final = 3  # upper limit for the cards in a sentence
# Cards may bring more than the part that they are a cause of, if other cards bring less. They are
# not named if nearly all of it is lost again.
_MOST_OF_PART: Final = 3.0
# A city is the cause of a part only if the change of its share can make up half of the part. It
# counts with this multiple of what the seat scores in a later city on average.
_CITY_POINTS: Final = 1.25
MIN_SWAPS: Final = 0.3
"""A smaller change of the share of games in which a seat may swap is no cause."""

_MIN_SHARE: Final = 0.2  # a smaller change of a city's share means nothing to a player
# The number of scored turns is the cause rather than a city if it differs by this many times more.
_MORE_TURNS: Final = 1.5
_MIN_KEPT: Final = 1.0  # points; what is kept is no cause of less
_MIN_TURNS: Final = 0.3  # a smaller difference of scored turns means nothing to a player


@dataclass(frozen=True)
class Reason:
    """A part of the difference between two moves, in points of margin.

    Positive points are good for the seat that decides.
    """

    part: str
    seat: int  # the seat whose points differ
    points: float
    interval: float  # half width of the 95 % interval
    weight: float = 1.0  # of the seat's points in the margin: below 0 for the other seats

    @property
    def is_told_apart(self) -> bool:
        """True if the difference exceeds its interval, and is not tiny unless it is certain.

        What is shown, with one decimal, exceeds the interval, too.
        """
        points, interval = (round(each, 1) for each in (abs(self.points), self.interval))
        return points > interval and points >= (MIN_POINTS if self.interval else 0.1)

    @property
    def seat_points(self) -> float:
        """The points that the seat scores more after the first move."""
        return self.points / self.weight


@dataclass(frozen=True)
class HeldCard:
    """A card in hand, and the mean points that it brings in one part of the game.

    A game in which the card is not played in this part counts as 0 points.
    """

    part: str  # now, cities or final
    card: str
    points: float
    points_other: float  # after the other move
    interval: float  # half width of the interval of `more`, which holds for all cards together
    total: float = 0.0  # points in all parts after the first move minus those after the other

    @property
    def more(self) -> float:
        """The points after the first move minus the points after the other move."""
        return self.points - self.points_other

    @property
    def is_told_apart(self) -> bool:
        """True if the difference exceeds its interval."""
        return abs(self.more) > max(self.interval, _MIN_CARD_POINTS)

    def to_data(self) -> dict[str, Any]:
        """Return this card as a dict that can be written as JSON."""
        return {k: v if isinstance(v, str) else round(v, 4) for k, v in asdict(self).items()}


@dataclass(frozen=True)
class RestOfCards:
    """The points that all other cards bring more, if the named cards bring another sum."""

    points: float


@dataclass(frozen=True)
class PlayedCards:
    """The cards that one of two moves plays."""

    cards: tuple[str, ...]
    is_other: bool  # True if the other move plays them
    city: int | None = None  # lowest space of the city chosen in the final scoring


@dataclass(frozen=True)
class KeptCards:
    """The cards of the hand that only one of two moves keeps.

    As nothing but hands differs after two moves of one scoring or swap, they are the cause of all
    that differs later for this seat.
    """

    cards: tuple[str, ...]
    others: tuple[str, ...]  # kept by the other move
    more: int  # how many cards more the seat holds after the first move, with those it draws


@dataclass(frozen=True)
class SwapChange:
    """A seat, and the shares of the games in which it is in last place and may swap this turn."""

    seat: int
    share: float
    share_other: float  # after the other move


@dataclass(frozen=True)
class PointsThisTurn:
    """Another seat, and how many points more it scores in the decision's turn and after it.

    Negative points mean that it scores fewer.
    """

    seat: int
    points: float
    later: float
    has_city: bool = False  # one of the moves completes a city in this turn


@dataclass(frozen=True)
class CardsOfThisTurn:
    """The cards that the seat scores in the decision's turn after only one of two moves.

    After the other move, it still has them.
    """

    is_other: bool  # scored after the other move


@dataclass(frozen=True)
class ScoredTurns:
    """The mean number of later turns in which cities are scored, after each of two moves."""

    turns: float
    turns_other: float
    interval: float  # half width of the interval of `more`
    per_turn: tuple[float, ...]  # mean points of each seat in such a turn

    @property
    def more(self) -> float:
        """The turns after the first move minus the turns after the other move."""
        return self.turns - self.turns_other


Cause = (
    PlayedCards
    | HeldCard
    | RestOfCards
    | KeptCards
    | CardsOfThisTurn
    | SwapChange
    | CityChange
    | PointsThisTurn
    | ScoredTurns
)
"""A cause of a reason."""


@dataclass(frozen=True)
class KnownCauses:
    """The differences between two moves that may be causes, told apart from chance or not."""

    played: tuple[PlayedCards, ...] = ()
    changes: tuple[CityChange, ...] = ()  # of cities, largest first
    cards: tuple[HeldCard, ...] = ()  # cards in hand, largest difference first, chance or not
    this_turn: tuple[PointsThisTurn, ...] = ()  # of the other seats
    scored_turns: ScoredTurns | None = None
    kept: KeptCards | None = None
    swaps: tuple[SwapChange, ...] = ()
    now: float = 0.0  # how many points more the seat scores in the decision's turn

    def of(self, reason: Reason) -> list[Cause]:
        """Return the causes of a reason, or nothing if none of them can make up half of it."""
        if reason.part == "now":
            return (
                self._further(reason)
                or [*self.played]
                or [*self._cities(reason)]
                or self._cards(reason)
            )
        if reason.part == "others":
            half = abs(reason.seat_points) / 2
            this_turn = [
                change
                for change in self.this_turn
                if change.seat == reason.seat and abs(change.points) >= half
            ]
            return [*this_turn] or self._swaps(reason) or self._scorings(reason)
        causes = self._scorings(reason) if reason.part == "cities" else []
        causes = causes or self._cards(reason) or self._swaps(reason)
        return causes or self._kept(reason) or self._of_this_turn(reason)

    def _further(self, reason: Reason) -> list[Cause]:
        """Return what the second card of a move brings, if the other move plays only the first."""
        if len(self.played) < 2 or self.played[0].city != self.played[1].city:
            return []
        first, second = (Counter(each.cards) for each in self.played)
        further = [*((first - second) | (second - first)).elements()]
        if len(further) > 1 or not further:
            return []
        points = max(reason.points, 0.0), max(-reason.points, 0.0)
        return [HeldCard("now", further[0], *points, 0.0)]

    def _scorings(self, reason: Reason) -> list[Cause]:
        """Return the city or the number of scored turns that can make up half of a reason."""
        cities, turns = self._cities(reason), self._turns(reason)
        if not cities or not turns or self.scored_turns is None:
            return [*cities] or [*turns]
        is_more = abs(self.scored_turns.more) > _MORE_TURNS * abs(cities[0].more)
        return [*turns] if is_more else [*cities]

    def _kept(self, reason: Reason) -> list[Cause]:
        return [self.kept] if self.kept and abs(reason.points) >= _MIN_KEPT else []

    def _swaps(self, reason: Reason) -> list[Cause]:
        """Return whether the seat may swap cards in this turn, if this goes with a reason."""
        return [
            swap
            for swap in self.swaps
            if swap.seat == reason.seat and (swap.share - swap.share_other) * reason.seat_points > 0
        ]

    def _of_this_turn(self, reason: Reason) -> list[Cause]:
        """Return the cards of this turn, if they can make up half of what a seat scores later."""
        is_city = any(change.is_now for change in self.changes)
        if not self.played:
            is_city |= any(card.part == "now" and card.is_told_apart for card in self.cards)
        is_enough = -self.now / reason.points >= 0.5
        return [CardsOfThisTurn(reason.points > 0)] if is_city and is_enough else []

    def _cards(self, reason: Reason) -> list[Cause]:
        """Return the fewest cards in hand that make up at least half of a reason.

        If the cards bring more or less than the reason, the rest is the last cause.
        """
        sign = math.copysign(1, reason.points)
        differ = {*self.kept.cards, *self.kept.others} if self.kept else None
        cards = [
            card
            for card in self.cards
            if card.part == reason.part
            and card.is_told_apart
            and sign * card.more > 0
            # If no cards are played now, a card must not only be scored at another time.
            and (self.played or reason.part == "now" or sign * card.total >= sign * card.more / 2)
            and (differ is None or card.card in differ)
        ]
        for number in range(1, min(len(cards), _MAX_CARDS) + 1):
            named = sum(card.more for card in cards[:number])
            if not 0.5 <= named / reason.points <= _MOST_OF_PART:
                continue
            rest = reason.points - named
            is_rest = abs(rest) > max(reason.interval, MIN_POINTS)
            return [*cards[:number], *([RestOfCards(rest)] if is_rest else [])]
        return []

    def _cities(self, reason: Reason) -> list[CityChange]:
        """Return the city that can make up at least half of a reason."""
        is_now, turns = reason.part == "now", self.scored_turns
        for change in self.changes:
            if change.is_now == is_now and change.more * reason.seat_points > 0:
                # A city is no cause if, with it, cities are scored in fewer turns.
                is_against = turns is not None and turns.more * change.more < 0
                if not is_now and (is_against or abs(change.more) < _MIN_SHARE):
                    return []
                points = _CITY_POINTS * abs(change.more) * self._per_turn(reason.seat)
                return [change] if is_now or points >= abs(reason.seat_points) / 2 else []
        return []

    def _per_turn(self, seat: int) -> float:
        """Return what a seat scores on average in a later turn in which cities are scored."""
        return self.scored_turns.per_turn[seat] if self.scored_turns else 0.0

    def _turns(self, reason: Reason) -> list[ScoredTurns]:
        """Return the number of scored turns, if it can make up at least half of a reason."""
        turns = self.scored_turns
        if turns is None or abs(turns.more) <= max(turns.interval, _MIN_TURNS):
            return []
        points = turns.more * turns.per_turn[reason.seat]
        return [turns] if points / reason.seat_points >= 0.5 else []


def cause_words(cause: Cause, seat: int, names: Sequence[str]) -> str:
    """Return a cause in words, to stand in brackets.

    `seat` is the seat that decides, and `names` are the names of all seats.
    """
    match cause:
        case PlayedCards(cards=cards, is_other=is_other, city=chosen):
            where = "" if chosen is None else f" in the city of space {chosen}"
            return f"{'the other move plays' if is_other else 'plays'} {cards_words(cards)}{where}"
        case HeldCard():
            return (
                f"{CARD_NAMES[cause.card]}: {cause.points:.1f} points instead of "
                f"{cause.points_other:.1f}"
            )
        case RestOfCards(points=points):
            return f"all other cards: {_more_or_fewer(points)}"
        case KeptCards():
            return "; ".join(_kept_words(cause))
        case SwapChange(share=share, share_other=other):
            swaps = does(names[cause.seat], "is in last place and may swap cards")
            return f"{swaps} in {100 * share:.0f} % instead of {100 * other:.0f} % of the games"
        case CardsOfThisTurn(is_other=is_other):
            if is_other:
                return "cards that the other move scores in this turn are still in hand"
            return "cards that are scored in this turn are no longer in hand"
        case PointsThisTurn(points=points, later=later, has_city=has_city):
            # The rounded parts add up to the rounded sum.
            later = round(points + later, 1) - round(points, 1)
            where = " in a city of this turn" if has_city else " in this turn"
            parts = _more_or_fewer(points, where), _more_or_fewer(later, " later")
            return " and ".join(part for part in parts if part)
        case ScoredTurns():
            digits = 1 if max(cause.turns, cause.turns_other) >= 1 else 2
            turns, others = (
                fixed(each, digits) if each else "0" for each in (cause.turns, cause.turns_other)
            )
            return f"on average, cities are scored in {turns} later turns instead of {others}"
        case CityChange(city=city):
            games = f"{100 * cause.share:.0f} % instead of {100 * cause.share_other:.0f} %"
            if city is None:
                return (
                    f"{does(names[seat], 'completes a city')} in this turn in {games} of the games"
                )
            name = f"{city.name}{MERGED * cause.is_merged}"
            return f"{name} is completed in a later turn in {games} of the games"


def _kept_words(kept: KeptCards) -> list[str]:
    words = [f"keeps {cards_words(kept.cards)}"] if kept.cards else []
    words += [f"the other move keeps {cards_words(kept.others)}"] if kept.others else []
    if kept.more:
        more = "more" if kept.more > 0 else "fewer"
        words += [f"{count(abs(kept.more), f'{more} card')} in hand"]
    return words


def _more_or_fewer(points: float, when: str = "") -> str:
    """Return a part of a difference, such as `1.5 fewer later`, or "" for nothing."""
    size = fixed(abs(points))
    return f"{size} {'more' if points > 0 else 'fewer'}{when}" if float(size) else ""
