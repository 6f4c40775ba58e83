"""What a referee says when a game is over: the words after `gameover`."""

from __future__ import annotations

import re
from typing import Final

from masons.engine.board.components import ENDS
from masons.engine.formats.move_text import CARD_NUMBER
from masons.protocol.messages.error_codes import Refused

_NUMBERS: Final = re.compile(r"[0-9]{1,9}(,[0-9]{1,9}){0,3}", re.ASCII)
_FORM: Final = "write gameover scores S,S winners S,S end E [hands HAND/HAND]"


def check_game_over(text: str) -> None:
    """Raises Refused where the words after `gameover` are not as they must be."""
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
