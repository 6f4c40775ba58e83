"""The events of a game record: made from states and moves, and read back as moves and rolls."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from masons.engine.board.components import CARDS, HOUSE_COLORS, HOUSE_DIE, TOWER_COLORS
from masons.engine.checks import shown
from masons.engine.errors import READ_ERRORS, RecordError
from masons.engine.formats import move_text
from masons.engine.plain_text import shortened
from masons.engine.state import layout, packed_move
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


def card_ids(cards: Sequence[int]) -> list[str]:
    """Return the id of each card; `cards` lists kinds (0 to 29)."""
    return [CARDS[kind] for kind in cards]


def _returned(before: layout.State, after: layout.State) -> dict[str, list[int]]:
    """Return the walls and towers that a city returned to the supply."""
    walls = set(members(before, int(layout.WALLS), 4)) - set(members(after, int(layout.WALLS), 4))
    towers = standing_towers(before) - standing_towers(after)
    return {"walls_back": sorted(walls), "towers_back": sorted(towers)}


def _palaces_built(before: layout.State, after: layout.State) -> dict[str, int]:
    left, right = (s.view(np.uint8)[int(layout.PALACE_SUPPLY) * 8 :] for s in (before, after))
    return {
        name: int(left[color]) - int(right[color])
        for color, name in enumerate(HOUSE_COLORS)
        if left[color] != right[color]
    }


def roll_event(roll: Roll) -> Event:
    """Return the event of a roll."""
    tower = None if roll[0] is None else TOWER_COLORS[roll[0]]
    return {"e": "roll", "tower": tower, "houses": [HOUSE_DIE[roll[1]], HOUSE_DIE[roll[2]]]}


def _city_events(before: layout.State, after: layout.State, seat: int) -> list[Event]:
    """Return the events for the city that a move completed, or no events if no city was completed.

    The events are the city and its palaces. If a merge is due, the palaces come after the merge.
    """
    small = after.view(np.uint8)
    if not before.view(np.uint8)[int(layout.CLOSES)]:
        return []
    root = int(small[int(layout.CITY)])
    area = next(city for city in cities_in(space_words(after)) if min(city) == root)
    back = _returned(before, after)
    city = {"e": "city", "p": seat, "spaces": sorted(area), **back}
    return [city, *_palace_events(before, after)]


def _palace_events(before: layout.State, after: layout.State) -> list[Event]:
    built = _palaces_built(before, after)
    return [{"e": "palaces", "built": built}] if built else []


def _card_event(after: layout.State, move: move_text.Move, seat: int) -> Event:
    names = card_ids(move.cards)
    if move.kind == packed_move.ABSTAIN:
        return {"e": "abstain", "p": seat, "card": names[0], "drew": []}
    if move.kind == packed_move.SWAP:
        return {"e": "swap", "p": seat, "out": names, "in": []}
    # VALUES (the points of each kind of card) stays valid for a whole scoring; in the final
    # scoring, the move itself updates it.
    values = card_values(after)
    points = [values[kind] for kind in move.cards]
    if move.kind == packed_move.PLAY:
        return {"e": "play", "p": seat, "cards": names, "points": points, "drew": []}
    return {"e": "final", "p": seat, "city": move.city, "cards": names, "points": points}


def move_events(before: layout.State, after: layout.State, move: move_text.Move) -> list[Event]:
    """Return the events of a move or of a forced placing.

    The lists `drew` and `in` of an event are empty, because their cards are drawn later.
    """
    seat = int(before.view(np.uint8)[int(layout.SEAT)])
    kind = move.kind
    if kind == packed_move.WALL:
        return [{"e": "wall", "p": seat, "line": move.place}]
    if kind == packed_move.EARLY_ROLL:
        lost = scores_in(after, seat + 1)[seat] - scores_in(before, seat + 1)[seat]
        return [{"e": "early-roll", "p": seat, "points": lost}]
    if kind == packed_move.TOWERS:
        return [{"e": "towers", "p": seat, "put": [[t, TOWER_COLORS[c]] for t, c in move.put]}]
    if kind == packed_move.HOUSES:
        put = [[space, HOUSE_COLORS[color]] for space, color in move.put]
        houses = {"e": "houses", "p": seat, "put": put}
        return [houses, *_city_events(before, after, seat)]
    if kind == packed_move.MERGE:
        other = None if move.place == packed_move.NONE else move.place
        merge = {"e": "merge", "p": seat, "with": other, **_returned(before, after)}
        return [merge, *_palace_events(before, after)]
    assert kind in (packed_move.PLAY, packed_move.ABSTAIN, packed_move.SWAP, packed_move.FINAL)
    return [_card_event(after, move, seat)]


class Deck:
    """A deck since its last shuffle, with its order (if known) and the cards drawn from it."""

    def __init__(self, cards: Sequence[int], order: Sequence[int] | None) -> None:
        self.cards = sorted(cards)
        self.order = None if order is None else list(order)
        self.drawn: list[int] = []

    def copy(self) -> Deck:
        """Return an independent copy."""
        other = Deck(self.cards, self.order)
        other.drawn = list(self.drawn)
        return other

    @property
    def top(self) -> int | None:
        """The next card (as a kind), or None if the order is unknown."""
        return None if self.order is None else self.order[len(self.drawn)]

    def in_order(self) -> list[int]:
        """Return all cards of the deck, beginning with the first card drawn.

        If the order is unknown, the cards not drawn yet come last, sorted by kind.
        """
        if self.order is not None:
            return list(self.order)
        rest = list(self.cards)
        for kind in self.drawn:
            rest.remove(kind)
        return self.drawn + rest


class Log:
    """The events of a game so far, and the decks from which the game's cards were drawn."""

    def __init__(self, deck: Deck) -> None:
        self.decks = [deck]
        self._events: list[Event] = []
        self._drawing: Event | None = None

    def copy(self) -> Log:
        """Return an independent copy."""
        other = Log(self.decks[0])
        other.decks = [deck.copy() for deck in self.decks]
        other._events = list(self._events)
        if self._drawing is not None:
            key = "in" if self._drawing["e"] == "swap" else "drew"
            other._drawing = {**self._drawing, key: list(self._drawing[key])}
        return other

    def add(self, events: Sequence[Event]) -> None:
        """Add events; an event that includes draws is kept back until its cards have been drawn."""
        for event in events:
            if "drew" in event or "in" in event:
                self._drawing = event
            else:
                self._events.append(event)

    def drew(self, kind: int) -> None:
        """Add a card drawn from the deck to the event that is kept back."""
        self.decks[-1].drawn.append(kind)
        if self._drawing is None:
            return  # The game began from a position in the middle of a draw.
        key = "in" if self._drawing["e"] == "swap" else "drew"
        self._drawing[key].append(CARDS[kind])

    def shuffled(self, deck: Deck) -> None:
        """Add a reshuffle, in which the discard pile became `deck`."""
        self.decks.append(deck)
        self._events.append({"e": "reshuffle", "deck": len(self.decks) - 1})

    def draws_done(self) -> None:
        """Add the event that was kept back, now that its last card has been drawn."""
        if self._drawing is not None:
            self._events.append(self._drawing)
            self._drawing = None

    def __len__(self) -> int:
        return len(self._events)

    def events(self, start: int = 0) -> list[Event]:
        """Return the events from index `start` on, in the format of a record."""
        return [
            {"e": "reshuffle", "deck": card_ids(self.decks[event["deck"]].in_order())}
            if event["e"] == "reshuffle"
            else event
            for event in self._events[start:]
        ]


_SHOWN: Final = 160  # greatest number of characters that a message shows of an event


def json_text(value: object, **how: bool) -> str:
    """Return a part of a record as JSON, or a description if it cannot be written as JSON."""
    try:
        return json.dumps(value, **how)  # type: ignore[arg-type]
    except (TypeError, ValueError, RecursionError):
        return shown(value)


def as_json(value: object) -> str:
    """Return a part of a record as JSON for a message, shortened to at most 160 characters."""
    return shortened(json_text(value), _SHOWN)


def is_count(value: object, most: int) -> bool:
    """Return whether a value is a whole number (and not a bool) from 0 to `most`."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def move_of(event: Event) -> move_text.Move | None:
    """Return the move of an event, or None if the event is not a decision."""
    try:
        return _MOVES[event["e"]](event)
    except READ_ERRORS:
        return None


def roll_of(event: Event) -> Roll:
    """Return the dice of a roll event. Raises RecordError if the event is not a roll."""
    tower, dice = event.get("tower"), event.get("houses")
    if not (
        (tower is None or tower in TOWER_COLORS)
        and isinstance(dice, list)
        and len(dice) == 2
        and all(isinstance(die, str) and die in HOUSE_DIE for die in dice)
    ):
        raise RecordError(f"{as_json(event)} is not a roll")
    die = None if tower is None else TOWER_COLORS.index(tower)
    return die, HOUSE_DIE.index(dice[0]), HOUSE_DIE.index(dice[1])


def in_order(event: Event) -> Event:
    """Return an event in the engine's order: pieces sorted by place, and cards sorted by kind.

    A record may list these items in any order. A malformed event is returned unchanged.
    """
    try:
        return {**event, **_ordered(event)}
    except READ_ERRORS:
        return event


def _ordered(event: Event) -> dict[str, Any]:
    """Return, sorted, those lists of an event in which the order has no meaning."""
    kind = event["e"]
    if kind in ("towers", "houses"):
        return {"put": sorted(_items(event["put"]), key=lambda put: _place(put[0]))}
    if kind in ("play", "final"):
        pairs = list(zip(_items(event["cards"]), _items(event["points"]), strict=True))
        pairs.sort(key=lambda pair: move_text.CARD_NUMBER[pair[0]])
        return {"cards": [card for card, _ in pairs], "points": [points for _, points in pairs]}
    if kind == "swap":
        return {"out": sorted(_items(event["out"]), key=lambda card: move_text.CARD_NUMBER[card])}
    return {}


def _put(event: Event, colors: Sequence[str]) -> list[tuple[int, int]]:
    return sorted((_place(place), colors.index(color)) for place, color in _items(event["put"]))


def _items(value: object) -> list[Any]:
    """Return a list unchanged; raise TypeError for any other value, even if it is iterable."""
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def _place(value: object) -> int:
    if not is_count(value, 254):
        raise ValueError(value)
    assert isinstance(value, int)
    return value


def _kinds(names: object) -> list[int]:
    return [move_text.CARD_NUMBER[name] for name in _items(names)]


def _final_of(event: Event) -> move_text.Move:
    city = event["city"]
    return move_text.final_move(None if city is None else _place(city), _kinds(event["cards"]))


_MOVES: Final[dict[str, Callable[[Event], move_text.Move]]] = {
    "early-roll": lambda _: move_text.early_roll_move(),
    "wall": lambda event: move_text.wall_move(_place(event["line"])),
    "towers": lambda event: move_text.placing_move(packed_move.TOWERS, _put(event, TOWER_COLORS)),
    "houses": lambda event: move_text.placing_move(packed_move.HOUSES, _put(event, HOUSE_COLORS)),
    "merge": lambda event: move_text.merge_move(
        None if event["with"] is None else _place(event["with"])
    ),
    "play": lambda event: move_text.play_move(_kinds(event["cards"])),
    "abstain": lambda event: move_text.abstain_move(move_text.CARD_NUMBER[event["card"]]),
    "swap": lambda event: move_text.swap_move(_kinds(event["out"])),
    "final": _final_of,
}
