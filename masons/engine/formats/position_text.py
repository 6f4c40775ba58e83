"""Conversion of positions to one line of text, and back.

    masons1 board=classic players=2 turn=4 active=0 phase=wall scores=3,0 hands=... walls=... ...

Fields come in any order, separated by blanks. Fields with their default value are left out. A
hidden hand is written as `?` followed by its size, as in `?6`. `docs/position.md` describes all
fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from masons.engine.board.components import CARDS, HOUSE_COLORS, HOUSE_DIE, TOWER_COLORS
from masons.engine.board.geometry import Board, builtin_boards, load_board, sound_board
from masons.engine.checks import shown
from masons.engine.errors import MoveError, PositionError
from masons.engine.formats.move_text import parse_cards
from masons.engine.plain_text import joined, quoted
from masons.engine.state import layout
from masons.engine.state.packed_move import PHASE_NAMES
from masons.engine.state.position import Cards, Counts, Position, Roll
from masons.engine.state.position_checks import MAX_SCORE, check_fields, settle_position
from masons.engine.state.position_counts import check_counts, turns_begun

MAGIC: Final = "masons1"
MAX_TEXT: Final = 1 << 16
MAX_TURN: Final = 1 << 29
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


def _format_cards(cards: Cards | int) -> str:
    if isinstance(cards, int):
        return f"?{cards}"
    return "+".join(CARDS[kind] for kind in cards) or "-"


def _format_towers(towers: Mapping[int, int]) -> str:
    groups = [
        f"{name}:{joined(sorted(t for t, c in towers.items() if c == color))}"
        for color, name in enumerate(TOWER_COLORS)
        if color in towers.values()
    ]
    return ";".join(groups)


def _format_counts(where: Mapping[int, Counts]) -> str:
    groups = []
    for color, name in enumerate(HOUSE_COLORS):
        items = [
            str(space) if counts[color] == 1 else f"{space}*{counts[color]}"
            for space, counts in sorted(where.items())
            if counts[color]
        ]
        if items:
            groups.append(f"{name}:{joined(items)}")
    return ";".join(groups)


def _format_roll(roll: Roll) -> str:
    tower = "-" if roll[0] is None else TOWER_COLORS[roll[0]]
    return "/".join([tower, *(HOUSE_DIE[die] for die in roll[1:])])


def format_position(position: Position, board: Board | str) -> str:
    """Return the text of a position; `board` is the board or its name.

    Raises MasonsError for an argument of a wrong type.
    """
    if not isinstance(board, str | Board):
        raise PositionError(f"board is {shown(board)}: it must be a Board or its name")
    check_fields(position)
    fields = {
        "board": board if isinstance(board, str) else board.name,
        "players": position.players,
        "options": "early_roll" if position.early_roll else "",
        "turn": position.turn or "",
        "active": position.active,
        "phase": position.phase,
        "seat": "" if position.seat == position.active else position.seat,
        "end": position.end,
        "rolled": "1" if position.rolled else "",
        "line": "" if position.line is None else position.line,
        "roll": "" if position.roll is None else _format_roll(position.roll),
        "city": "" if position.city is None else position.city,
        "due": position.due or "",
        "queue": joined(position.queue),
        "scores": joined(position.scores),
        "hands": "/".join(map(_format_cards, position.hands)),
        "discard": _format_cards(position.discard) if position.discard else "",
        "walls": joined(sorted(position.walls)),
        "towers": _format_towers(position.towers),
        "houses": _format_counts(position.houses),
        "palaces": _format_counts(position.palaces),
    }
    return " ".join([MAGIC, *(f"{key}={value}" for key, value in fields.items() if value != "")])


def _number(text: str, field: str, most: int | None = None) -> int:
    """Return the number in a text, which must not exceed `most`.

    If `most` is None, the number names a place, and is checked against the board later.
    """
    if not _NUMBER.fullmatch(text) or (most is not None and int(text) > most):
        right = "not a number like 12" if most is None else f"not a number from 0 to {most}"
        raise PositionError(f"{field}: {quoted(text)} is {right}")
    return int(text)


def _numbers(text: str, field: str, most: int | None = None) -> list[int]:
    return [_number(part, field, most) for part in text.split(",")]


def _distinct(text: str, field: str) -> list[int]:
    parsed = _numbers(text, field)
    if len(set(parsed)) != len(parsed):
        raise PositionError(f"{field}: {quoted(text)} names something twice")
    return parsed


def _cards(text: str, field: str) -> Cards:
    if text == "-":
        return ()
    try:
        return tuple(parse_cards(text))
    except MoveError as error:
        raise PositionError(f"{field}: {error}") from None


def _hands(text: str, field: str) -> tuple[Cards | int, ...]:
    return tuple(
        _number(hand[1:], field, 60) if hand.startswith("?") else _cards(hand, field)
        for hand in text.split("/")
    )


def _groups(text: str, field: str, names: tuple[str, ...]) -> list[tuple[int, str]]:
    parsed = []
    for group in text.split(";"):
        name, colon, items = group.partition(":")
        if name not in names or not colon:
            raise PositionError(
                f"{field}: {quoted(group)} must be a color (one of {', '.join(names)}), "
                "a colon and places"
            )
        parsed.append((names.index(name), items))
    if len({color for color, _ in parsed}) != len(parsed):
        raise PositionError(f"{field}: a color occurs twice")
    return parsed


def _towers(text: str, field: str) -> dict[int, int]:
    towers: dict[int, int] = {}
    for color, items in _groups(text, field, TOWER_COLORS):
        for tower in _distinct(items, field):
            if tower in towers:
                raise PositionError(f"{field}: tower space {tower} has two towers")
            towers[tower] = color
    return towers


def _counts(text: str, field: str) -> dict[int, Counts]:
    parsed: dict[int, list[int]] = {}
    for color, items in _groups(text, field, HOUSE_COLORS):
        for item in items.split(","):
            place, star, count = item.partition("*")
            counts = parsed.setdefault(_number(place, field), [0] * len(HOUSE_COLORS))
            if counts[color]:
                raise PositionError(f"{field}: space {place} occurs twice for one color")
            counts[color] = _number(count, field, 60) if star else 1
            if not counts[color]:
                raise PositionError(f"{field}: {quoted(item)} is no piece: leave the space out")
    return {space: (c[0], c[1], c[2], c[3], c[4]) for space, c in parsed.items()}


def _roll(text: str, field: str) -> Roll:
    parts = text.split("/")
    if (
        len(parts) != 3
        or parts[0] not in (*TOWER_COLORS, "-")
        or not set(parts[1:]) <= set(HOUSE_DIE)
    ):
        raise PositionError(
            f"{field}: {quoted(text)} must be a tower color or - and two house dice: white/red/?"
        )
    tower = None if parts[0] == "-" else TOWER_COLORS.index(parts[0])
    return tower, HOUSE_DIE.index(parts[1]), HOUSE_DIE.index(parts[2])


def _options(text: str, field: str) -> bool:
    if text != "early_roll":
        raise PositionError(f"{field}: {quoted(text)} is not an option: early_roll is the only one")
    return True


def _word(choices: tuple[str, ...]) -> Callable[[str, str], str]:
    def parse(text: str, field: str) -> str:
        if text not in choices:
            raise PositionError(f"{field}: {quoted(text)} must be one of {', '.join(choices)}")
        return text

    return parse


# For each field of the text, the field of Position and the parser of its value.
_FIELDS: Final[dict[str, tuple[str, Callable[[str, str], Any]]]] = {
    "players": ("players", lambda text, field: _number(text, field, 9)),
    "options": ("early_roll", _options),
    "turn": ("turn", lambda text, field: _number(text, field, MAX_TURN)),
    "active": ("active", lambda text, field: _number(text, field, 9)),
    "phase": ("phase", _word(PHASE_NAMES)),
    "seat": ("seat", lambda text, field: _number(text, field, 9)),
    "end": ("end", _word(layout.END_NAMES[1:])),
    "rolled": ("rolled", lambda text, field: _number(text, field, 1) == 1),
    "line": ("line", _number),
    "roll": ("roll", _roll),
    "city": ("city", _number),
    "due": ("due", lambda text, field: _number(text, field, 60)),
    "queue": ("queue", lambda text, field: tuple(_distinct(text, field))),
    "scores": ("scores", lambda text, field: tuple(_numbers(text, field, MAX_SCORE))),
    "hands": ("hands", _hands),
    "discard": ("discard", _cards),
    "walls": ("walls", lambda text, field: frozenset(_distinct(text, field))),
    "towers": ("towers", _towers),
    "houses": ("houses", _counts),
    "palaces": ("palaces", _counts),
}
_REQUIRED: Final = ("board", "players", "active", "phase", "hands")


def is_position(text: str) -> bool:
    """Return whether a text begins like a position."""
    return text.split(None, 1)[:1] == [MAGIC]


def without_comments(text: str) -> str:
    """Return a text without the lines that begin with `#`."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))


def _split(text: str) -> dict[str, str]:
    if len(text) > MAX_TEXT:
        raise PositionError(f"a position has at most {MAX_TEXT} characters, this one {len(text)}")
    words = text.split()
    if words[:1] != [MAGIC]:
        raise PositionError(
            f"a position begins with {MAGIC}, not with {quoted(' '.join(words[:1]))}"
        )
    parsed: dict[str, str] = {}
    for word in words[1:]:
        key, equals, value = word.partition("=")
        if (key not in _FIELDS and key != "board") or not equals or not value:
            raise PositionError(f"{quoted(word)} is not a field: see docs/position.md")
        if key in parsed:
            raise PositionError(f"field {key} occurs twice")
        parsed[key] = value
    for key in _REQUIRED:
        if key not in parsed:
            raise PositionError(f"field {key} is missing")
    return parsed


def parse_position(text: str, board: Board | None = None) -> tuple[Board, Position]:
    """Return the board and the position that a text describes.

    The position is in normal form (see `settle_position`).

    A built-in board is loaded by its name. Any other board must be passed as `board`, and must have
    the name that the text gives. Lines that begin with `#` are skipped. Raises PositionError (or
    BoardError) for the first fault.
    """
    if not isinstance(text, str):
        raise PositionError(f"{shown(text)} is not a position: give its text")
    if board is not None:
        board = sound_board(board)
    text = without_comments(text)
    board, position = parse_settled(text, board)
    if not any(word.startswith("turn=") for word in text.split()):
        position = replace(position, turn=turns_begun(board, position))
    check_counts(board, position)
    return board, position


def parse_settled(text: str, board: Board | None = None) -> tuple[Board, Position]:
    """Return the board and position as `parse_position` does, but without `check_counts`.

    The position may be one that no game can reach.
    """
    parsed = _split(text)
    name = parsed.pop("board")
    if board is None:
        if name not in builtin_boards():
            raise PositionError(f"board {quoted(name)} is not built in: its file must be given too")
        board = load_board(name)
    elif board.name != name:
        raise PositionError(f"the position is on board {quoted(name)}, not on {board.name}")
    values = {_FIELDS[key][0]: _FIELDS[key][1](value, key) for key, value in parsed.items()}
    values.setdefault("seat", values["active"])
    values.setdefault("scores", (0,) * values["players"])
    return board, settle_position(board, Position(**values))
