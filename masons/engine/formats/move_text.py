"""Conversion between moves and text, with one word per move.

| decision | text                                                                            |
| -------- | ------------------------------------------------------------------------------- |
| wall     | `wall:57`, `early-roll`                                                         |
| towers   | `towers:12=white,13=gray`                                                       |
| houses   | `houses:40=red,41=green`                                                        |
| merge    | `merge:17` (lowest space of the other city), `merge:none`                       |
| score    | `play:city-red`, `play:city-red+cities`, `abstain:cities`                       |
| swap     | `swap:none`, `swap:cities+land-red+land-red`                                    |
| final    | `final:pass`, `final:17/cities+land-red`, `final:none/land-red` (without a city) |

Cards are in the order of `components.CARDS`, and places are in ascending order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from masons.engine.board.board_description import MAX_LINES, MAX_SPACES, MAX_TOWERS
from masons.engine.board.components import CARDS, HOUSE_COLORS, TOWER_COLORS
from masons.engine.board.geometry import Board
from masons.engine.checks import check_type, shown, whole
from masons.engine.errors import MoveError
from masons.engine.plain_text import quoted
from masons.engine.state import packed_move

CARD_NUMBER: Final = {name: kind for kind, name in enumerate(CARDS)}
_COLORS: Final = {packed_move.TOWERS: TOWER_COLORS, packed_move.HOUSES: HOUSE_COLORS}
# Kinds of places that a number can name. `Counts` gives the number of places of each kind on a
# board, or the greatest number on any board.
_LINE, _TOWER, _SPACE, _CITY = "wall line", "tower space", "space", "city"
Counts = Mapping[str, int]
_MOST: Final = {_LINE: MAX_LINES, _TOWER: MAX_TOWERS, _SPACE: MAX_SPACES, _CITY: MAX_SPACES}
_NUMBER = re.compile(r"0|[1-9][0-9]{0,2}", re.ASCII)


class Move(int):
    """One decision, packed in a 64-bit integer. `str` returns the text of the move.

    `Move(number)` accepts the same arguments and raises the same errors as `int`. It does not check
    that the number is a move.
    """

    def __str__(self) -> str:
        return format_move(self)

    def __repr__(self) -> str:
        try:
            return f"Move({_text(self)!r})"
        except (KeyError, IndexError):
            return f"Move({int(self)})"

    @property
    def kind(self) -> int:
        """The kind of move as a number.

        The kinds are 1 wall, 2 early-roll, 3 towers, 4 houses, 5 merge, 6 play, 7 abstain, 8 swap
        and 9 final; 10 is toss, one card of a swap, which only a search uses. The text of a move
        begins with the same word: `str(move).startswith("abstain:")`.
        """
        return int(self) >> packed_move.KIND_SHIFT

    @property
    def place(self) -> int:
        """The line of a wall, or the lowest space of a merge's other city (NONE for no merge)."""
        return int(self) & 255

    @property
    def cards(self) -> tuple[int, ...]:
        """The cards played, discarded or swapped, as indices in `masons.CARDS`, ascending."""
        if self.kind < packed_move.PLAY:  # a wall, pieces or a merge
            return ()
        if self.kind == packed_move.SWAP:
            return tuple(k for k in range(len(CARDS)) for _ in range((int(self) >> (2 * k)) & 3))
        if self.kind in (packed_move.ABSTAIN, packed_move.EXCHANGE):
            return (int(self) & 31,)
        both = (int(self) & 31, (int(self) >> 5) & 31)
        return tuple(kind for kind in both if kind != packed_move.NO_CARD)

    @property
    def city(self) -> int | None:
        """The lowest space of the city chosen in the final scoring, or None."""
        root = (int(self) >> 10) & 255
        return None if root == packed_move.NONE else root

    @property
    def put(self) -> tuple[tuple[int, int], ...]:
        """The towers or houses placed, as pairs of a place and a color number."""
        packed = int(self)
        both = (
            (packed & 255, (packed >> 16) & 7),
            ((packed >> 8) & 255, (packed >> 19) & 7),
        )
        return tuple((place, color) for place, color in both if color != packed_move.NO_COLOR)


def _pack(kind: int, payload: int) -> Move:
    return Move((kind << packed_move.KIND_SHIFT) | payload)


def wall_move(line: int) -> Move:
    """Return the move that puts a wall on a line."""
    return _pack(packed_move.WALL, line)


def early_roll_move() -> Move:
    """Return the move that rolls the dice before the wall is placed."""
    return _pack(packed_move.EARLY_ROLL, 0)


def placing_move(kind: int, put: Sequence[tuple[int, int]]) -> Move:
    """Return a TOWERS or HOUSES move.

    `put` holds one or two pairs of a place and a color number, with places in ascending order.
    """
    (place_1, color_1), (place_2, color_2) = [*put, (packed_move.NONE, packed_move.NO_COLOR)][:2]
    return _pack(kind, place_1 | (place_2 << 8) | (color_1 << 16) | (color_2 << 19))


def merge_move(other: int | None) -> Move:
    """Return the merge with the city whose lowest space is `other`; None stands for no merge."""
    return _pack(packed_move.MERGE, packed_move.NONE if other is None else other)


def _two_cards(cards: Sequence[int]) -> int:
    ordered = [*sorted(cards), packed_move.NO_CARD, packed_move.NO_CARD]
    return ordered[0] | (ordered[1] << 5)


def play_move(cards: Sequence[int]) -> Move:
    """Return the move that scores one or two cards."""
    return _pack(packed_move.PLAY, _two_cards(cards))


def abstain_move(card: int) -> Move:
    """Return the move that discards a card instead of scoring."""
    return _pack(packed_move.ABSTAIN, card)


def swap_move(cards: Sequence[int]) -> Move:
    """Return the move that swaps the given cards; the list may be empty."""
    return _pack(packed_move.SWAP, sum(1 << (2 * card) for card in cards))


def final_move(city: int | None, cards: Sequence[int]) -> Move:
    """Return the move that plays 0, 1 or 2 cards for a city in the final scoring.

    `city` is the lowest space of the city, or None to play the cards without a city.
    """
    root = packed_move.NONE if city is None or not cards else city
    return _pack(packed_move.FINAL, _two_cards(cards) | (root << 10))


def format_move(move: int) -> str:
    """Return the text of a move. Raises MoveError for a number that is not a move."""
    try:
        return _text(Move(move))
    except (KeyError, IndexError, TypeError, ValueError, OverflowError):
        number = whole(move)
        named = shown(move) if number is None else f"the number {shown(number)}"
        raise MoveError(f"{named} is not a packed move") from None


def move_given(value: object, board: Board | None = None) -> Move:
    """Return a caller's move as a Move; it can be a Move, the text of a move or a number.

    Raises MoveError for any other value, and for a text that `parse_move` refuses.
    """
    if isinstance(value, Move):
        return value
    if isinstance(value, str):
        return parse_move(value, board)
    number = whole(value)
    if number is None:
        raise MoveError(f"{shown(value)} is not a move: give its text or a Move")
    return Move(number)


def _text(move: Move) -> str:
    kind = move.kind
    names = "+".join(CARDS[card] for card in move.cards) if kind >= packed_move.PLAY else ""
    if kind == packed_move.WALL:
        return f"wall:{move.place}"
    if kind == packed_move.EARLY_ROLL:
        return "early-roll"
    if kind in _COLORS:
        put = ",".join(f"{place}={_COLORS[kind][color]}" for place, color in move.put)
        return f"{'towers' if kind == packed_move.TOWERS else 'houses'}:{put}"
    if kind == packed_move.MERGE:
        return f"merge:{'none' if move.place == packed_move.NONE else move.place}"
    if kind == packed_move.FINAL:
        city = "none" if move.city is None else move.city
        return f"final:{city}/{names}" if names else "final:pass"
    word = {
        packed_move.PLAY: "play",
        packed_move.ABSTAIN: "abstain",
        packed_move.SWAP: "swap",
        packed_move.EXCHANGE: "toss",
    }[kind]
    return f"{word}:{names or 'none'}"


def parse_move(text: str, board: Board | None = None) -> Move:
    """Return the move that a text names; the move need not be legal in any position.

    Raises MoveError if the text does not have the form of a move, or if it names a place that
    `board` does not have (None: that no board has).
    """
    if not isinstance(text, str):
        raise MoveError(f"{shown(text)} is not the text of a move: write for example wall:57")
    word, _, rest = text.strip().partition(":")
    if word == "early-roll" and not rest:
        return early_roll_move()
    parser = _PARSERS.get(word)
    if parser is None or not rest:
        raise MoveError(
            f"{quoted(text)} is not a move: write for example wall:57, towers:12=white, "
            "houses:40=red,41=blue, merge:none, play:cities, abstain:cities, swap:none, final:pass"
        )
    if board is None:
        return parser(rest, _MOST)
    return parser(rest, _counts(check_type("board", board, Board, "a Board or None")))


def _counts(board: Board) -> Counts:
    spaces = len(board.space_lines)
    return {
        _LINE: len(board.line_towers),
        _TOWER: len(board.tower_xy),
        _SPACE: spaces,
        _CITY: spaces,
    }


def _number(text: str, what: str, counts: Counts) -> int:
    """Return the number of a place."""
    if _NUMBER.fullmatch(text) and int(text) < counts[what]:
        return int(text)
    raise MoveError(
        f"{quoted(text)} is not a {what}: write its number, from 0 to {counts[what] - 1}"
    )


def card_number(name: object) -> int:
    """Return the kind (0 to 29) of a card name. Raises MoveError if the name is unknown."""
    if not isinstance(name, str) or name not in CARD_NUMBER:
        raise MoveError(f"{shown(name)} is not a card: write a name like city-red or cities")
    return CARD_NUMBER[name]


def parse_cards(text: str) -> list[int]:
    """Return the kinds in a text such as `cities+land-red`.

    Raises MoveError if a name is unknown.
    """
    cards = []
    for name in text.split("+"):
        if name not in CARD_NUMBER:
            raise MoveError(f"{quoted(name)} is not a card: write a name like city-red or cities")
        cards.append(CARD_NUMBER[name])
    return cards


def _parse_put(kind: int, text: str, counts: Counts) -> Move:
    what = _TOWER if kind == packed_move.TOWERS else _SPACE
    put: list[tuple[int, int]] = []
    for part in text.split(","):
        place, _, color = part.partition("=")
        if color not in _COLORS[kind]:
            raise MoveError(f"{quoted(part)} needs a color: one of {', '.join(_COLORS[kind])}")
        put.append((_number(place, what, counts), _COLORS[kind].index(color)))
    if len(put) > 2 or [p for p, _ in put] != sorted({p for p, _ in put}):
        raise MoveError(f"{quoted(text)} must name one {what} or two in ascending order")
    return placing_move(kind, put)


def _parse_some(text: str, least: int, most: int, what: str) -> list[int]:
    cards = parse_cards(text)
    if not least <= len(cards) <= most or any(cards.count(card) > 2 for card in cards):
        raise MoveError(f"{quoted(text)} must be {what}, none of them more than twice")
    return cards


def _parse_final(text: str, counts: Counts) -> Move:
    if text == "pass":
        return final_move(None, ())
    root, slash, names = text.partition("/")
    if not slash:
        raise MoveError(
            f"{quoted('final:' + text)} needs a city: write final:17/cities or final:pass"
        )
    city = None if root == "none" else _number(root, _CITY, counts)
    return final_move(city, _parse_some(names, 1, 2, "one or two cards"))


_PARSERS: Final[dict[str, Callable[[str, Counts], Move]]] = {
    "wall": lambda text, counts: wall_move(_number(text, _LINE, counts)),
    "towers": lambda text, counts: _parse_put(packed_move.TOWERS, text, counts),
    "houses": lambda text, counts: _parse_put(packed_move.HOUSES, text, counts),
    "merge": lambda text, counts: merge_move(
        None if text == "none" else _number(text, _CITY, counts)
    ),
    "play": lambda text, _: play_move(_parse_some(text, 1, 2, "one or two cards")),
    "abstain": lambda text, _: abstain_move(_parse_some(text, 1, 1, "one card")[0]),
    "swap": lambda text, _: swap_move(
        [] if text == "none" else _parse_some(text, 1, 60, "none or some cards")
    ),
    "final": _parse_final,
}
