"""Parsers of typed moves, rolls and hands.

A move can be typed in these forms:

| typed                                   | meaning                                            |
| --------------------------------------- | -------------------------------------------------- |
| `57`                                    | the wall on line 57, or move 57 of the menu        |
| `wall:57`, `play:cities+land-red`       | a move in its notation                             |
| `wall 57`, `play cities land-red`       | a move in its notation, but with spaces            |
| `play a c`, `abstain b`, `swap a`       | cards by their letters in the hand                 |
| `cities`, `a c`                         | cards to play                                      |
| `final 17 cities`, `pass`               | cards for the final scoring, or no cards           |
| `none`                                  | no merge or no swap                                |

A card's name may be shortened, for example to `land-re`, if only one card in the hand begins with
this text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from masons.cli.terminal.text_page import hand_letter
from masons.engine.board.components import CARD_COPIES, CARDS, HAND
from masons.engine.errors import MasonsError, MoveError
from masons.engine.formats.move_text import Move, parse_move
from masons.engine.plain_text import count, owner, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.cli.terminal.screen import Screen
    from masons.engine.board.geometry import Board
    from masons.words.scored_view import Item

CARD_VERBS: Final = ("play", "abstain", "swap", "final")
_PLACES: Final = ("wall", "towers", "houses", "merge")  # the phases without cards
_VERBS: Final = (*_PLACES, *CARD_VERBS)
_EARLY: Final = ("early", "roll", "early roll", "early-roll")
_NOTHING: Final[tuple[list[str], ...]] = ([], ["none"], ["nothing"])
_SPLIT: Final = re.compile(r"[\s:+/,]+")


def read_move(
    text: str, phase: str, hand: Sequence[int], items: Sequence[Item], board: Board | None = None
) -> Move:
    """Parse a move that was typed in a phase. Raises MoveError with advice.

    A move of the menu can also be typed in the menu's words. `hand` must be in the order of the
    letters a, b, ... If `board` is given, the numbers in the move are checked.
    """
    words = text.strip().lower()
    is_number = words.isascii() and words.isdigit()
    if phase == "wall" and is_number:
        return parse_move(f"wall:{words.lstrip('0') or 0}", board)
    if is_number:
        for item in items:
            if words == item.key:
                return item.move
        raise MoveError(f"there is no move {words[:9]}: they are 1 to {len(items)}")
    try:
        if phase in _PLACES and not _is_notation(words, phase):
            keys = f"1 to {len(items)}" if len(items) > 1 else "1"
            what = "a line's number" if phase == "wall" else keys
            raise MoveError(f"{quoted(words, 30)} is not a move: type {what}, or help")
        return parse_move(_notation(words, phase, hand), board)
    except MoveError:
        for item in items:
            if words == item.words.lower():
                return item.move
        raise


def _is_notation(text: str, phase: str) -> bool:
    """Return whether typed text looks like move notation, in a phase without cards."""
    is_word = text in (*_EARLY, "") or (phase == "merge" and text == "none")
    return is_word or "=" in text or _SPLIT.split(text, maxsplit=1)[0] in _VERBS


def _notation(text: str, phase: str, hand: Sequence[int]) -> str:
    """Return the notation of a typed move. Spaces, card letters and short names are allowed."""
    if text in _EARLY:
        return "early-roll"
    parts = [part for part in _SPLIT.split(text) if part]
    if not parts:
        raise MoveError("nothing was typed: type help to see what you can type")
    verb = parts.pop(0) if parts[0] in _VERBS else "play" if phase == "score" else phase
    if verb not in CARD_VERBS:
        if verb in ("towers", "houses"):
            return f"{verb}:{','.join(parts)}"
        return f"{verb}:{''.join(parts)}" if len(parts) < 2 else text
    city = ""
    if verb == "final":
        if parts in (*_NOTHING, ["pass"]):
            return "final:pass"
        is_city = parts[0].isdigit() or parts[0] == "none"
        city = f"{parts.pop(0) if is_city else 'none'}/"
    elif verb == "swap" and parts in _NOTHING:
        return "swap:none"
    elif not parts:
        raise MoveError(f"{verb} needs a card: {verb} {CARDS[hand[0]] if hand else 'cities'}")
    return f"{verb}:{city}{'+'.join(card_named(part, hand) for part in parts)}"


def card_named(part: str, hand: Sequence[int]) -> str:
    """Return the name of the card that a letter, a name or the beginning of a name means.

    Raises MoveError if no card or several cards fit.
    """
    for number, kind in enumerate(hand):
        if part == hand_letter(number):
            return CARDS[kind]
    names = dict.fromkeys(CARDS[kind] for kind in hand)
    if part in names or part in CARDS:
        return part
    matches = [name for name in names if name.startswith(part)]
    if len(matches) == 1:
        return matches[0]
    unknown = "is neither a card of the hand nor a command"
    what = f"may be {' or '.join(matches)}" if matches else unknown
    raise MoveError(f"{part[:30]!r} {what}: type help to see what you can type")


def read_roll(text: str, has_tower: bool) -> tuple[str | None, str, str]:
    """Parse a typed roll such as `white red ?`. Without a tower die, the form is `red ?`.

    Raises MoveError.
    """
    words = text.lower().replace("/", " ").replace(",", " ").split()
    if not has_tower and words[:1] == ["-"]:
        words = words[1:]
    if len(words) != (3 if has_tower else 2):
        example = "white red ?" if has_tower else "red ?"
        raise MoveError(f"write the roll like this: {example}")
    return (words[0] if has_tower else None), words[-2], words[-1]


def ask_hands(names: Sequence[str], screen: Screen) -> tuple[tuple[str, ...], ...]:
    """Ask for the six cards of each seat, and clear the screen after each hand.

    Raises MasonsError if the input ends.
    """
    hands: list[tuple[str, ...]] = []
    for name in names:
        while True:
            try:
                answer = screen.ask(f"{owner(name)} {HAND} cards, blanks between them: ", CARDS)
                hands.append(_read_hand(answer, hands))
                break
            except EOFError:
                raise MasonsError("the input ends before the hands are dealt") from None
            except MoveError as error:
                screen.show([f"! {error}"])
        screen.wipe(scrolled=True)
    return tuple(hands)


def _read_hand(text: str, others: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    cards = tuple(card_named(word, range(len(CARDS))) for word in text.lower().split())
    if len(cards) != HAND:
        raise MoveError(f"a hand has {HAND} cards, not {len(cards)}")
    dealt = [card for hand in (*others, cards) for card in hand]
    for card in cards:
        if dealt.count(card) > CARD_COPIES:
            raise MoveError(f"there are only {count(CARD_COPIES, 'card')} {card}")
    return cards
