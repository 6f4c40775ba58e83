"""From the events of a record back to moves and rolls."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from masons.engine.board.components import HOUSE_COLORS, HOUSE_DIE, TOWER_COLORS
from masons.engine.errors import RecordError
from masons.engine.formats.move_text import (
    CARD_NUMBER,
    Move,
    abstain_move,
    early_roll_move,
    final_move,
    merge_move,
    placing_move,
    play_move,
    swap_move,
    wall_move,
)
from masons.engine.formats.record_events import Event
from masons.engine.given import shown
from masons.engine.state.packed_move import HOUSES, TOWERS
from masons.engine.state.position import Roll

_SHOWN: Final = 160  # characters of an event in a message
# What comes of an event that has not the form of its kind.
_MALFORMED: Final = (LookupError, TypeError, ValueError, AttributeError, OverflowError)


def json_text(value: object, **how: bool) -> str:
    """A part of a record as JSON, or what can be said of it where a caller's dict has none."""
    try:
        return json.dumps(value, **how)  # type: ignore[arg-type]
    except (TypeError, ValueError, RecursionError):
        return shown(value)


def as_json(value: object) -> str:
    """The same for a message, cut where it is long."""
    text = json_text(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def is_count(value: object, most: int) -> bool:
    """Whether a value is a whole number from 0 to `most`: in JSON, true is none."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def move_of(event: Event) -> Move | None:
    """The move that an event says; None where it is no decision."""
    try:
        return _MOVES[event["e"]](event)
    except _MALFORMED:
        return None


def roll_of(event: Event) -> Roll:
    """The dice of an event. Raises RecordError."""
    tower, dice = event.get("tower"), event.get("houses")
    if not (
        (tower is None or tower in TOWER_COLORS)
        and isinstance(dice, list)
        and len(dice) == 2
        and all(isinstance(die, str) and die in HOUSE_DIE for die in dice)
    ):
        raise RecordError(f"{as_json(event)} is no roll")
    die = None if tower is None else TOWER_COLORS.index(tower)
    return die, HOUSE_DIE.index(dice[0]), HOUSE_DIE.index(dice[1])


def in_order(event: Event) -> Event:
    """An event as the engine writes it: placements by their place, cards by their number.

    A player may name them in any order. What has not the form of an event comes back as it is.
    """
    try:
        return {**event, **_ordered(event)}
    except _MALFORMED:
        return event


def _ordered(event: Event) -> dict[str, Any]:
    """The lists of an event whose order is free, put in order."""
    kind = event["e"]
    if kind in ("towers", "houses"):
        return {"put": sorted(_items(event["put"]), key=lambda put: _place(put[0]))}
    if kind in ("play", "final"):
        pairs = list(zip(_items(event["cards"]), _items(event["points"]), strict=True))
        pairs.sort(key=lambda pair: CARD_NUMBER[pair[0]])
        return {"cards": [card for card, _ in pairs], "points": [points for _, points in pairs]}
    if kind == "swap":
        return {"out": sorted(_items(event["out"]), key=lambda card: CARD_NUMBER[card])}
    return {}


def _put(event: Event, colors: Sequence[str]) -> list[tuple[int, int]]:
    return sorted((_place(place), colors.index(color)) for place, color in _items(event["put"]))


def _items(value: object) -> list[Any]:
    """The items of a list; an object, too, could be walked through."""
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def _place(value: object) -> int:
    if not is_count(value, 254):
        raise ValueError(value)
    assert isinstance(value, int)
    return value


def _kinds(names: object) -> list[int]:
    return [CARD_NUMBER[name] for name in _items(names)]


def _final_of(event: Event) -> Move:
    city = event["city"]
    return final_move(None if city is None else _place(city), _kinds(event["cards"]))


_MOVES: Final[dict[str, Callable[[Event], Move]]] = {
    "early-roll": lambda _: early_roll_move(),
    "wall": lambda event: wall_move(_place(event["line"])),
    "towers": lambda event: placing_move(TOWERS, _put(event, TOWER_COLORS)),
    "houses": lambda event: placing_move(HOUSES, _put(event, HOUSE_COLORS)),
    "merge": lambda event: merge_move(None if event["with"] is None else _place(event["with"])),
    "play": lambda event: play_move(_kinds(event["cards"])),
    "abstain": lambda event: abstain_move(CARD_NUMBER[event["card"]]),
    "swap": lambda event: swap_move(_kinds(event["out"])),
    "final": _final_of,
}
