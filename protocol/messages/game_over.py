"""What a referee says when a game is over: the words after `gameover`."""

from __future__ import annotations

import re
from typing import Final

from masons.engine.board.components import ENDS, MIN_PLAYERS
from masons.engine.formats.move_text import CARD_NUMBER
from masons.protocol.messages.error_codes import Refused

_NUMBERS: Final = re.compile(r"[0-9]{1,9}(,[0-9]{1,9}){0,3}", re.ASCII)
_FORM: Final = "write gameover scores S,S winners S,S end E [hands HAND/HAND]"


def check_game_over(text: str, players: int | None) -> None:
    """Raises Refused where the words after `gameover` are not as they must be.

    `players`: those of the game; None where none is known.
    """
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
    scores = found["scores"].split(",")
    seats = players or max(len(scores), MIN_PLAYERS)
    if len(scores) != seats:
        raise Refused("syntax", f"scores needs a number for each of the {seats} seats")
    winners = [int(word) for word in found["winners"].split(",")]
    if max(winners) >= seats or len(set(winners)) < len(winners):
        which = f"0 to {seats - 1}, each once"
        raise Refused("syntax", f"winners must be of the {seats} seats, {which}")
    hands = found["hands"].split("/") if "hands" in found else []
    if hands and len(hands) != seats:
        raise Refused("syntax", f"hands needs a hand, or -, for each of the {seats} seats")
    for hand in hands:
        if hand != "-" and not set(hand.split("+")) <= set(CARD_NUMBER):
            raise Refused("syntax", f"{hand[:40]!r} is not a hand: write CARD+CARD, or -")
