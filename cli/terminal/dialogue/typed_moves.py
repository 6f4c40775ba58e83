"""What somebody typed, as a move: by key, by notation or by name.

| typed                                   | means                                              |
| --------------------------------------- | -------------------------------------------------- |
| `57`                                    | the wall on line 57, else the menu's move 57       |
| `wall:57`, `play:cities+land-red`       | a move as the notation writes it                   |
| `wall 57`, `play cities land-red`       | the same with blanks                               |
| `play a c`, `abstain b`, `swap a`       | cards by their letters in the hand                 |
| `cities`, `a c`                         | cards alone are played                             |
| `final 17 cities`, `pass`, `none`       | the final scoring; no merge, no swap               |

A card's name may be cut short where it is still one card of the hand: `land-re`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from masons.cli.terminal.drawing.text_panels import hand_letter
from masons.engine.board.components import CARDS
from masons.engine.errors import MoveError
from masons.engine.formats.move_text import Move, parse_move
from masons.engine.plain_text import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.engine.board.geometry import Board
    from masons.match.playing.scored_view import Item

# The words that begin a move.
VERBS: Final = ("wall", "towers", "houses", "merge", "play", "abstain", "swap", "final")
_CARD_VERBS: Final = ("play", "abstain", "swap", "final")
_PLACES: Final = ("wall", "towers", "houses", "merge")  # phases in which no cards are typed
_EARLY: Final = ("early", "roll", "early roll", "early-roll")
_SPLIT: Final = re.compile(r"[\s:+/,]+")


def read_move(
    text: str,
    phase: str,
    hand: Sequence[int],
    items: Sequence[Item],
    board: Board | None = None,
) -> Move:
    """The move that a text means in a phase, on a board where that is known.

    `hand` is in the order in which its cards are lettered. Raises MoveError with advice.
    """
    words = text.strip().lower()
    is_number = words.isascii() and words.isdigit()
    if phase == "wall" and is_number:
        return parse_move(f"wall:{words.lstrip('0') or 0}", board)
    for item in items:
        if words in (item.key, item.words.lower()):
            return item.move
    if is_number:
        raise MoveError(f"there is no move {words[:9]}: they are 1 to {len(items)}")
    if phase in _PLACES and not _is_notation(words, phase):
        keys = f"1 to {len(items)}" if len(items) > 1 else "1"
        what = "a line's number" if phase == "wall" else keys
        raise MoveError(f"{quoted(words, 30)} is no move: type {what}, or help")
    return parse_move(_notation(words, phase, hand), board)


def _is_notation(text: str, phase: str) -> bool:
    """Whether a text in a phase of places is meant as a move written out."""
    is_word = text in (*_EARLY, "") or (phase == "merge" and text == "none")
    return is_word or "=" in text or _SPLIT.split(text, maxsplit=1)[0] in VERBS


def _notation(text: str, phase: str, hand: Sequence[int]) -> str:
    """A text with blanks, letters and names cut short, as the notation has it."""
    if text in _EARLY:
        return "early-roll"
    parts = [part for part in _SPLIT.split(text) if part]
    if not parts:
        raise MoveError("nothing was typed: help shows what can be")
    verb = parts.pop(0) if parts[0] in VERBS else _verb(phase)
    if verb in _CARD_VERBS:
        return _cards(verb, parts, hand)
    if verb in ("towers", "houses"):
        return f"{verb}:{','.join(parts)}"
    return f"{verb}:{''.join(parts[:1])}" if len(parts) < 2 else text


def _verb(phase: str) -> str:
    return "play" if phase == "score" else phase


def _cards(verb: str, parts: list[str], hand: Sequence[int]) -> str:
    if verb == "final":
        return _final(parts, hand)
    if verb == "swap" and parts in ([], ["none"], ["nothing"]):
        return "swap:none"
    if not parts:
        raise MoveError(f"{verb} needs a card: {verb} {CARDS[hand[0]] if hand else 'cities'}")
    return f"{verb}:{'+'.join(card_named(part, hand) for part in parts)}"


def _final(parts: list[str], hand: Sequence[int]) -> str:
    if parts in ([], ["pass"], ["none"], ["nothing"]):
        return "final:pass"
    city = parts.pop(0) if parts[0].isdigit() or parts[0] == "none" else "none"
    return f"final:{city}/{'+'.join(card_named(part, hand) for part in parts)}"


def card_named(part: str, hand: Sequence[int]) -> str:
    """The name of the card that a letter, a name or its beginning means. Raises MoveError."""
    for number, kind in enumerate(hand):
        if part == hand_letter(number):
            return CARDS[kind]
    held = dict.fromkeys(CARDS[kind] for kind in hand)
    if part in held or part in CARDS:
        return part
    found = [name for name in held if name.startswith(part)]
    if len(found) == 1:
        return found[0]
    what = f"may be {' or '.join(found)}" if found else "is no card of the hand and no command"
    raise MoveError(f"{part[:30]!r} {what}: help shows what can be typed")
