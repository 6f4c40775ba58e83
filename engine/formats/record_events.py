"""The events of a game as a record has them, from the states before and after each step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from masons.engine.board.components import CARDS, HOUSE_COLORS, HOUSE_DIE, TOWER_COLORS
from masons.engine.formats.move_text import Move
from masons.engine.state import layout as at
from masons.engine.state.packed_move import (
    ABSTAIN,
    EARLY_ROLL,
    FINAL,
    HOUSES,
    MERGE,
    NONE,
    PLAY,
    SWAP,
    TOWERS,
    WALL,
)
from masons.engine.state.position import (
    Roll,
    card_values,
    cities_in,
    members,
    scores_in,
    space_words,
    standing_towers,
)

Event = dict[str, Any]


def card_names(cards: Sequence[int]) -> list[str]:
    """The names of some kinds of card."""
    return [CARDS[kind] for kind in cards]


def _returned(before: at.State, after: at.State) -> dict[str, list[int]]:
    """The walls and towers that went back to the supply."""
    walls = set(members(before, int(at.WALLS), 4)) - set(members(after, int(at.WALLS), 4))
    towers = standing_towers(before) - standing_towers(after)
    return {"walls_back": sorted(walls), "towers_back": sorted(towers)}


def _palaces_built(before: at.State, after: at.State) -> dict[str, int]:
    left, right = (s.view(np.uint8)[int(at.PALACE_SUPPLY) * 8 :] for s in (before, after))
    return {
        name: int(left[color]) - int(right[color])
        for color, name in enumerate(HOUSE_COLORS)
        if left[color] != right[color]
    }


def roll_event(roll: Roll) -> Event:
    """The dice."""
    tower = None if roll[0] is None else TOWER_COLORS[roll[0]]
    return {"e": "roll", "tower": tower, "houses": [HOUSE_DIE[roll[1]], HOUSE_DIE[roll[2]]]}


def _city_events(before: at.State, after: at.State, seat: int) -> list[Event]:
    """The city that was completed by this step, and its palaces unless a merge comes first."""
    small = after.view(np.uint8)
    if not before.view(np.uint8)[int(at.CLOSES)]:
        return []
    root = int(small[int(at.CITY)])
    area = next(city for city in cities_in(space_words(after)) if min(city) == root)
    back = _returned(before, after)
    city = {"e": "city", "p": seat, "spaces": sorted(area), **back}
    return [city, *_palace_events(before, after)]


def _palace_events(before: at.State, after: at.State) -> list[Event]:
    built = _palaces_built(before, after)
    return [{"e": "palaces", "built": built}] if built else []


def _card_event(after: at.State, move: Move, seat: int) -> Event:
    names = card_names(move.cards)
    if move.kind == ABSTAIN:
        return {"e": "abstain", "p": seat, "card": names[0], "drew": []}
    if move.kind == SWAP:
        return {"e": "swap", "p": seat, "out": names, "in": []}
    # VALUES hold for the whole scoring; in the final scoring the move itself works them out.
    values = card_values(after)
    points = [values[kind] for kind in move.cards]
    if move.kind == PLAY:
        return {"e": "play", "p": seat, "cards": names, "points": points, "drew": []}
    return {"e": "final", "p": seat, "city": move.city, "cards": names, "points": points}


def move_events(before: at.State, after: at.State, move: Move) -> list[Event]:
    """The events of one move (or forced placing); those that draw have an empty `drew` or `in`."""
    seat = int(before.view(np.uint8)[int(at.SEAT)])
    kind = move.kind
    if kind == WALL:
        return [{"e": "wall", "p": seat, "line": move.place}]
    if kind == EARLY_ROLL:
        lost = scores_in(after, seat + 1)[seat] - scores_in(before, seat + 1)[seat]
        return [{"e": "early-roll", "p": seat, "points": lost}]
    if kind == TOWERS:
        return [{"e": "towers", "p": seat, "put": [[t, TOWER_COLORS[c]] for t, c in move.put]}]
    if kind == HOUSES:
        put = [[space, HOUSE_COLORS[color]] for space, color in move.put]
        houses = {"e": "houses", "p": seat, "put": put}
        return [houses, *_city_events(before, after, seat)]
    if kind == MERGE:
        other = None if move.place == NONE else move.place
        merge = {"e": "merge", "p": seat, "with": other, **_returned(before, after)}
        return [merge, *_palace_events(before, after)]
    assert kind in (PLAY, ABSTAIN, SWAP, FINAL)
    return [_card_event(after, move, seat)]


class Deck:
    """A deck since its shuffle: its order where that is known, and what was drawn from it."""

    def __init__(self, cards: Sequence[int], order: Sequence[int] | None) -> None:
        self.cards = sorted(cards)
        self.order = None if order is None else list(order)
        self.drawn: list[int] = []

    def copy(self) -> Deck:
        """A deck that draws on independently."""
        other = Deck(self.cards, self.order)
        other.drawn = list(self.drawn)
        return other

    @property
    def top(self) -> int | None:
        """The next card, where that is known."""
        return None if self.order is None else self.order[len(self.drawn)]

    def in_order(self) -> list[int]:
        """The whole deck, first card first; cards not drawn yet stand last, by kind."""
        if self.order is not None:
            return list(self.order)
        rest = list(self.cards)
        for kind in self.drawn:
            rest.remove(kind)
        return self.drawn + rest


class Log:
    """The events of a game as they happen, with the decks that its cards came from."""

    def __init__(self, deck: Deck) -> None:
        self.decks = [deck]
        self._events: list[Event] = []
        self._drawing: Event | None = None

    def copy(self) -> Log:
        """A log that goes on independently."""
        other = Log(self.decks[0])
        other.decks = [deck.copy() for deck in self.decks]
        other._events = list(self._events)
        if self._drawing is not None:
            key = "in" if self._drawing["e"] == "swap" else "drew"
            other._drawing = {**self._drawing, key: list(self._drawing[key])}
        return other

    def add(self, events: Sequence[Event]) -> None:
        """Events that are complete, or one that is completed by the cards drawn next."""
        for event in events:
            if "drew" in event or "in" in event:
                self._drawing = event
            else:
                self._events.append(event)

    def drew(self, kind: int) -> None:
        """A card came from the deck."""
        self.decks[-1].drawn.append(kind)
        if self._drawing is None:
            return  # The game began from a position in the middle of a draw.
        key = "in" if self._drawing["e"] == "swap" else "drew"
        self._drawing[key].append(CARDS[kind])

    def shuffled(self, deck: Deck) -> None:
        """The discard pile became a deck."""
        self.decks.append(deck)
        self._events.append({"e": "reshuffle", "deck": len(self.decks) - 1})

    def draws_done(self) -> None:
        """The last card of a draw has come."""
        if self._drawing is not None:
            self._events.append(self._drawing)
            self._drawing = None

    def __len__(self) -> int:
        return len(self._events)

    def events(self, start: int = 0) -> list[Event]:
        """The events from number `start` (from 0) on, fit for a record."""
        return [
            {"e": "reshuffle", "deck": card_names(self.decks[event["deck"]].in_order())}
            if event["e"] == "reshuffle"
            else event
            for event in self._events[start:]
        ]
