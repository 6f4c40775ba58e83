"""The shape of a game record, before any rule is looked at."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any, NamedTuple

from tests.support.reference.material import (
    ALL_CARDS,
    CARDS,
    CARDS_DEALT,
    HOUSE_COLORS,
    TOWER_COLORS,
)


class RecordFault(Exception):  # noqa: N818 - a finding, not an accident
    """What is wrong with a record."""


def need(right: bool, fault: str) -> None:
    """Say what is wrong unless it is right."""
    if not right:
        raise RecordFault(fault)


class Shape(NamedTuple):
    """What a field has to look like."""

    fits: Callable[[Any], bool]
    words: str


def _is_int(value: Any) -> bool:
    return type(value) is int


def _is_list(value: Any, item: Callable[[Any], bool]) -> bool:
    return type(value) is list and all(item(one) for one in value)


def _is_card(value: Any) -> bool:
    return type(value) is str and value in CARDS


def _is_color(value: Any) -> bool:
    return type(value) is str


def _is_ascending(value: Any) -> bool:
    return _is_list(value, _is_int) and value == sorted(set(value))


def _is_pair(value: Any) -> bool:
    return type(value) is list and len(value) == 2 and _is_int(value[0]) and _is_color(value[1])


def _is_put(value: Any) -> bool:
    return _is_list(value, _is_pair) and _is_ascending([place for place, _ in value])


def _is_built(value: Any) -> bool:
    return type(value) is dict and all(
        color in HOUSE_COLORS and _is_int(number) for color, number in value.items()
    )


NUMBER = Shape(_is_int, "a whole number")
NUMBERS = Shape(lambda value: _is_list(value, _is_int), "a list of whole numbers")
ID_OR_NULL = Shape(lambda value: value is None or _is_int(value), "an id or null")
IDS = Shape(_is_ascending, "a list of ascending ids")
PUT = Shape(_is_put, "a list of pairs of id and colour, by ascending id")
CARD = Shape(_is_card, "the name of a card")
CARD_LIST = Shape(lambda value: _is_list(value, _is_card), "a list of names of cards")
TOWER_DIE = Shape(
    lambda value: value is None or (_is_color(value) and value in TOWER_COLORS),
    "a tower colour or null",
)
HOUSE_DICE = Shape(
    lambda value: (
        _is_list(value, lambda die: _is_color(die) and die in (*HOUSE_COLORS, "?"))
        and len(value) == 2
    ),
    "a list of two faces of the house die",
)
BUILT = Shape(_is_built, "an object of house colours and numbers")
WORD = Shape(lambda value: type(value) is str, "a string")

EVENTS: dict[str, dict[str, Shape]] = {
    "early-roll": {"p": NUMBER, "points": NUMBER},
    "wall": {"p": NUMBER, "line": NUMBER},
    "roll": {"tower": TOWER_DIE, "houses": HOUSE_DICE},
    "towers": {"p": NUMBER, "put": PUT},
    "houses": {"p": NUMBER, "put": PUT},
    "city": {"p": NUMBER, "spaces": IDS, "walls_back": IDS, "towers_back": IDS},
    "merge": {"p": NUMBER, "with": ID_OR_NULL, "walls_back": IDS, "towers_back": IDS},
    "palaces": {"built": BUILT},
    "play": {"p": NUMBER, "cards": CARD_LIST, "points": NUMBERS, "drew": CARD_LIST},
    "abstain": {"p": NUMBER, "card": CARD, "drew": CARD_LIST},
    "swap": {"p": NUMBER, "out": CARD_LIST, "in": CARD_LIST},
    "reshuffle": {"deck": CARD_LIST},
    "final": {"p": NUMBER, "city": ID_OR_NULL, "cards": CARD_LIST, "points": NUMBERS},
}
RESULT = {"scores": NUMBERS, "hand_sizes": NUMBERS, "winners": IDS, "end": WORD}


def check_fields(value: Any, shapes: dict[str, Shape], where: str) -> None:
    """The value must be an object with exactly these fields, each of its shape."""
    need(type(value) is dict, f"{where}: not an object")
    need(
        value.keys() == shapes.keys(),
        f"{where}: has the fields {sorted(map(str, value))}, should have {sorted(shapes)}",
    )
    for field, shape in shapes.items():
        need(shape.fits(value[field]), f"{where}: {field!r} should be {shape.words}")


def check_event(event: Any, where: str) -> None:
    """The event must be of a known kind and have exactly the fields of its kind."""
    need(type(event) is dict, f"{where}: not an object")
    kind = event.get("e")
    need(type(kind) is str and kind in EVENTS, f"{where}: {kind!r} is no kind of event")
    check_fields(event, {"e": WORD, **EVENTS[kind]}, f"{where} ({kind})")


def check_header(record: Any, board: str, sha256: str | None) -> None:
    """Everything but the events and the result, the deal of the 60 cards included."""
    need(type(record) is dict, "record: not an object")
    need(record.get("format") == "masons-record", "format: should be 'masons-record'")
    need(_is_int(record.get("version")) and record["version"] == 1, "version: should be 1")
    need(record.get("board") == board, f"board: should be {board!r}")
    if sha256 is not None:
        need(record.get("board_sha256") == sha256, f"board_sha256: should be {sha256!r}")
    players = record.get("players")
    need(_is_int(players) and 2 <= players <= 4, "players: should be 2, 3 or 4")
    need(record.get("options") in ([], ["early_roll"]), "options: should be [] or ['early_roll']")
    names = record.get("names")
    need(_is_list(names, lambda name: type(name) is str), "names: should be a list of strings")
    need(len(names) == players, "names: should be one for each player")
    need("seed" in record, "seed: missing")
    need(record["seed"] is None or _is_int(record["seed"]), "seed: should be a number or null")
    first = record.get("first")
    need(_is_int(first) and 0 <= first < players, "first: should be the number of a player")

    hands, deck = record.get("hands"), record.get("deck")
    need(_is_list(hands, CARD_LIST.fits), "hands: should be lists of names of cards")
    need(
        [len(hand) for hand in hands] == [CARDS_DEALT] * players,
        f"hands: should be {CARDS_DEALT} cards for each player",
    )
    need(CARD_LIST.fits(deck), "deck: should be a list of names of cards")
    need(
        sorted(chain(*hands, deck)) == ALL_CARDS,
        "hands and deck: should be two of each kind of card",
    )
    need(type(record.get("events")) is list, "events: should be a list")
    check_fields(record.get("result"), RESULT, "result")
