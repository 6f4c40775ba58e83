"""What a referee says when a game is over: `game_over`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from masons.engine.board.components import CARDS, ENDS
from masons.engine.formats.move_text import CARD_NUMBER
from masons.protocol.messages.error_codes import Refused

_NUMBERS: Final = re.compile(r"[0-9]{1,9}(,[0-9]{1,9}){0,3}", re.ASCII)
_FORM: Final = "write gameover scores S,S winners S,S end E [hands HAND/HAND]"


def format_game_over(
    scores: Sequence[int], winners: Sequence[int], end: str, hands: Sequence[Sequence[int]]
) -> str:
    """The words after `game_over`; hands are kinds of card."""
    shown = "/".join("+".join(CARDS[kind] for kind in hand) or "-" for hand in hands)
    lists = [",".join(map(str, numbers)) for numbers in (scores, winners)]
    return f"scores {lists[0]} winners {lists[1]} end {end} hands {shown}"


def check_game_over(text: str) -> None:
    """Raises Refused where the words after `game_over` are not as they must be."""
    words = text.split()
    found = dict(zip(words[::2], words[1::2], strict=False))
    if len(words) % 2 or list(found) not in (
        ["scores", "winners", "end"],
        ["scores", "winners", "end", "hands"],
    ):
        raise Refused("syntax", _FORM)
    if not all(_NUMBERS.fullmatch(found[key]) for key in ("scores", "winners")):
        raise Refused("syntax", _FORM)
    if found["end"] not in ENDS:
        raise Refused("syntax", f"end must be one of {', '.join(ENDS)}")
    for hand in found.get("hands", "-").split("/"):
        if hand != "-" and not set(hand.split("+")) <= set(CARD_NUMBER):
            raise Refused("syntax", f"{hand[:40]!r} is not a hand: write CARD+CARD, or -")
