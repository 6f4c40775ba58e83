"""Moves and cards in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from masons.engine.board.components import CARD_NAMES, CARDS, HOUSE_COLORS, TOWER_COLORS
from masons.engine.board.geometry import Board
from masons.engine.checks import check_wholes, refuse
from masons.engine.formats.move_text import Move, format_move, parse_move
from masons.engine.plain_text import count, listed, multiset
from masons.engine.state import packed_move


def line_words(board: Board, line: int) -> str:
    """Return a line in words, such as `line 57 (towers 24-25, between spaces 40 and 41)`."""
    first, second = board.line_towers[line]
    space, other = board.line_spaces[line]
    beside = (
        f"space {space} and the edge" if other is None else f"between spaces {space} and {other}"
    )
    return f"line {line} (towers {first}-{second}, {beside})"


def spaces_words(spaces: Sequence[int]) -> str:
    """Return spaces in words, such as `spaces 40, 41 and 42`."""
    return f"{'space' if len(spaces) == 1 else 'spaces'} {listed(spaces)}"


# The name of any card.
_NAMES: Final = re.compile(rf"(?<![\w-])({'|'.join(CARD_NAMES.values())})(?![\w-])", re.I)
_IDS: Final = {name.lower(): card for card, name in CARD_NAMES.items()}


def with_ids(text: str) -> str:
    """Return a typed text in which the names of cards are replaced by their ids."""
    return _NAMES.sub(lambda match: _IDS[match[0].lower()], text)


def card_name(kind: int) -> str:
    """Return the name of a kind of card, given as an index in `masons.CARDS`."""
    return CARD_NAMES[CARDS[kind]]


def cards_words(cards: Sequence[str], points: Sequence[int] = ()) -> str:
    """Return cards in words, such as `Red in the city (3) and Shore towers (4) for 7 points`.

    `cards` has the ids of the cards. Without `points`, only their names are listed, two of a
    kind as `Shore towers x2`.
    """
    names = [CARD_NAMES[card] for card in cards]
    if not points:
        return multiset(Counter(names))
    if len(cards) == 1:
        return f"{names[0]} for {count(points[0], 'point')}"
    valued = [f"{name} ({value})" for name, value in zip(names, points, strict=True)]
    return f"{listed(valued)} for {count(sum(points), 'point')}"


def _put_words(what: str, put: Sequence[tuple[int, str]]) -> str:
    return listed([f"{color} {what} {place}" for place, color in put])


def _final_words(cards: Sequence[str], points: Sequence[int], city: int | None) -> str:
    if not cards:
        return "play nothing"
    where = "" if city is None else f" in the city of space {city}"
    return f"play {cards_words(cards, points)}{where}"


def move_words(board: Board, move: Move | str, points: Sequence[int] = ()) -> str:
    """Return a move in words. `points` has the points of the move's cards, if they are known.

    Raises MoveError for a value that is not a move on the board.
    """
    move = parse_move(move if isinstance(move, str) else format_move(move), board)
    kind = move.kind
    cards = [CARDS[card] for card in move.cards]
    points = check_wholes("points", points, 1 << 32, "the points of each card of the move")
    if points and len(points) != len(cards):
        refuse("points", points, f"{count(len(cards), 'number')}, one for each card of the move")
    if kind == packed_move.WALL:
        return f"wall on {line_words(board, move.place)}"
    if kind == packed_move.EARLY_ROLL:
        return "roll before placing the wall, for 1 point"
    if kind == packed_move.TOWERS:
        return _put_words("tower on", [(place, TOWER_COLORS[c]) for place, c in move.put])
    if kind == packed_move.HOUSES:
        return _put_words("house on space", [(place, HOUSE_COLORS[c]) for place, c in move.put])
    if kind == packed_move.MERGE:
        other = move.place
        return "no merge" if other == packed_move.NONE else f"merge with the city of space {other}"
    if kind == packed_move.PLAY:
        return f"play {cards_words(cards, points)}"
    if kind == packed_move.ABSTAIN:
        return f"abstain: discard {cards_words(cards)}, draw 2"
    if kind == packed_move.SWAP:
        return (
            f"swap {count(len(cards), 'card')}: {cards_words(cards)}" if cards else "swap nothing"
        )
    return _final_words(cards, points, move.city)
