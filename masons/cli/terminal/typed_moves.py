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

A card's name, such as `Red land houses`, may be typed instead of its id, `land-red`. An id may be
shortened, for example to `land-re`, if only one card in the hand begins with this text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from masons.cli.terminal.text_page import hand_letter
from masons.engine.board.components import (
    CARD_COPIES,
    CARD_NAMES,
    CARDS,
    HAND,
    HOUSE_DIE,
    TOWER_DIE,
)
from masons.engine.errors import MasonsError, MoveError
from masons.engine.formats.move_text import Move, parse_move
from masons.engine.formats.text_board import HOUSE_LETTERS, TOWER_LETTERS
from masons.engine.plain_text import count, listed, owner, quoted
from masons.words.moves import with_ids

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    words = with_ids(text.strip().lower())
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
            if words == with_ids(item.words.lower()):
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
    """Return the id of the card that a letter, an id or the beginning of an id means.

    Raises MoveError if no card or several cards fit.
    """
    for number, kind in enumerate(hand):
        if part == hand_letter(number):
            return CARDS[kind]
    ids = list(dict.fromkeys(CARDS[kind] for kind in hand))
    unknown = "is neither a card of the hand nor a command"
    return part if part in CARDS else _beginning(part, ids, unknown)


def card_of_game(text: str) -> str:
    """Return the id of the card that a name, an id or its beginning means. Raises MoveError."""
    text = with_ids(text)
    return text if text in CARDS else _beginning(text, CARDS, "is not the name of a card")


def _beginning(part: str, ids: Sequence[str], unknown: str) -> str:
    """Return the only id that begins with a text. Otherwise raises MoveError."""
    matches = [each for each in ids if each.startswith(part)]
    if len(matches) == 1:
        return matches[0]
    what = f"may be {listed(matches, 'or')}" if matches else unknown
    raise MoveError(f"{part[:30]!r} {what}: type help to see what you can type")


# --- rolls and cards of a real table

CARD_LIST: Final = (
    f"the cards: {', '.join(f'{card} ({name})' for card, name in CARD_NAMES.items())}"
)
_TOWER_FACES: Final = dict(zip(map(str.lower, TOWER_LETTERS), TOWER_DIE, strict=True))
_HOUSE_FACES: Final = dict(zip((*HOUSE_LETTERS, "?"), HOUSE_DIE, strict=True))


def faces_line(*, has_tower: bool) -> str:
    """Return a line with the letters and names of all faces of the dice that are rolled."""
    towers = [f"{letter.upper()} {face}" for letter, face in _TOWER_FACES.items()]
    houses = [f"{letter} {face}" for letter, face in _HOUSE_FACES.items() if letter != face]
    line = ", ".join([*houses, "?"])
    return f"{', '.join(towers)}; {line}" if has_tower else line


def read_roll(text: str, has_tower: bool) -> tuple[str | None, str, str]:
    """Parse a typed roll such as `white red ?` or `W r ?`. Without a tower die, it is `red ?`.

    Raises MoveError.
    """
    words = text.lower().replace("/", " ").replace(",", " ").split()
    if not has_tower and words[:1] == ["-"]:
        words = words[1:]
    if len(words) != (3 if has_tower else 2):
        example = "white red ?" if has_tower else "red ?"
        raise MoveError(f"write the roll like this: {example}")
    tower = _face(words[0], _TOWER_FACES) if has_tower else None
    return tower, _face(words[-2], _HOUSE_FACES), _face(words[-1], _HOUSE_FACES)


def _face(word: str, faces: Mapping[str, str]) -> str:
    """Return the face of a die that a letter or a name means. Raises MoveError."""
    if word in faces.values():
        return word
    if word not in faces:
        known = listed(list(faces.values()), "or")
        raise MoveError(f"{quoted(word, 30)} is not on this die: it shows {known}")
    return faces[word]


RETYPE: Final = "undo takes back the last roll or card typed in, whoever sees the mistake"
_DEALING: Final = (
    f"You type in the dice and cards of your table. During the game, {RETYPE}. "
    "Here it goes back to the hand before.",
    "Type six cards or their beginnings, such as land-red land-sh city-b city-pal cities cities. "
    "? lists all cards.",
)


def ask_hands(names: Sequence[str], screen: Screen) -> tuple[tuple[str, ...], ...]:
    """Ask for the six cards of each seat, and clear the screen after each hand.

    Raises MasonsError if the input ends.
    """
    hands: list[tuple[str, ...]] = []
    screen.show(_DEALING)
    while len(hands) < len(names):
        try:
            answer = screen.ask(f"{owner(names[len(hands)])} {HAND} cards: ", CARDS).lower()
            if answer in ("help", "?"):
                screen.show([*_DEALING, CARD_LIST])
                continue
            if answer == "undo":
                del hands[-1:]
            else:
                hands.append(_read_hand(answer, hands))
        except EOFError:
            raise MasonsError("the input ends before the hands are dealt") from None
        except MoveError as error:
            screen.show([f"! {error}"])
            continue
        screen.wipe(scrolled=True)
        if len(hands) < len(names):
            screen.show(_DEALING)
    return tuple(hands)


def _read_hand(text: str, others: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    cards = tuple(map(card_of_game, with_ids(text).split()))
    if len(cards) != HAND:
        raise MoveError(f"a hand has {HAND} cards, not {len(cards)}")
    dealt = [card for hand in (*others, cards) for card in hand]
    for card in cards:
        if dealt.count(card) > CARD_COPIES:
            raise MoveError(
                f"there are only {count(CARD_COPIES, 'card')} {card} ({CARD_NAMES[card]})"
            )
    return cards
