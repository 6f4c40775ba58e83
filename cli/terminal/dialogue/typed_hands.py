"""Hands that people dealt, typed in before the first turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from masons.cli.terminal.dialogue.typed_moves import card_named
from masons.engine.board.components import CARD_COPIES, CARDS, HAND
from masons.engine.errors import MasonsError, MoveError
from masons.engine.plain_text import count, owner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.cli.terminal.dialogue.terminal import Terminal


def ask_hands(names: Sequence[str], terminal: Terminal) -> tuple[tuple[str, ...], ...]:
    """Six cards for each seat; each hand is wiped from the screen before the next is typed.

    Raises MasonsError where the input ends.
    """
    hands: list[tuple[str, ...]] = []
    for name in names:
        hands.append(_one_hand(name, hands, terminal))
        terminal.wipe(scrolled=True)
    return tuple(hands)


def _one_hand(name: str, before: Sequence[tuple[str, ...]], terminal: Terminal) -> tuple[str, ...]:
    while True:
        try:
            answer = terminal.ask(f"{owner(name)} {HAND} cards, blanks between them: ", CARDS)
        except EOFError:
            raise MasonsError("the input ends before the hands are dealt") from None
        try:
            cards = tuple(card_named(word, range(len(CARDS))) for word in answer.lower().split())
            _check(cards, before)
        except MoveError as error:
            terminal.show([f"! {error}"])
        else:
            return cards


def _check(cards: tuple[str, ...], before: Sequence[tuple[str, ...]]) -> None:
    if len(cards) != HAND:
        raise MoveError(f"a hand has {HAND} cards, not {len(cards)}")
    dealt = [card for hand in before for card in hand]
    for card in cards:
        if cards.count(card) + dealt.count(card) > CARD_COPIES:
            raise MoveError(f"there are {count(CARD_COPIES, 'card')} {card} only")
