"""Moves and cards in words."""

from __future__ import annotations

from collections.abc import Sequence

from masons.engine.board.components import CARDS, HOUSE_COLORS, TOWER_COLORS
from masons.engine.board.geometry import Board
from masons.engine.checks import check_wholes, refuse
from masons.engine.formats.move_text import Move, format_move, parse_move
from masons.engine.plain_text import count, listed
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


def cards_words(cards: Sequence[str], points: Sequence[int] = ()) -> str:
    """Return cards in words, such as `city-red (3) and cities (4) for 7 points`.

    Without `points`, only the names of the cards are listed.
    """
    if not points:
        return listed(cards)
    if len(cards) == 1:
        return f"{cards[0]} for {count(points[0], 'point')}"
    valued = [f"{card} ({value})" for card, value in zip(cards, points, strict=True)]
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
    cards = [CARDS[card] for card in move.cards] if kind >= packed_move.PLAY else []
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
        return f"abstain: discard {cards[0]}, draw 2"
    if kind == packed_move.SWAP:
        return f"swap {count(len(cards), 'card')}: {listed(cards)}" if cards else "swap nothing"
    return _final_words(cards, points, move.city)
