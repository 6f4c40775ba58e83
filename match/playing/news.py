"""What happened at the table, in words that say no more than a seat could see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from masons.engine.board.components import HOUSE_COLORS, TOWER_COLORS
from masons.engine.plain_words import count
from masons.match.playing.letters import HOUSE_LETTERS, TOWER_LETTERS
from masons.match.playing.moves_in_words import event_words

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.engine.formats.record_events import Event

# What a decision brings about: in words that do not say whose it is.
EFFECTS: Final = ("roll", "city", "palaces", "reshuffle")
# The letters of the drawing; a ? is any colour.
_TOWERS: Final = dict(zip(TOWER_COLORS, TOWER_LETTERS, strict=True))
_HOUSES: Final = {**dict(zip(HOUSE_COLORS, HOUSE_LETTERS, strict=True)), "?": "?"}
_DRAWN: Final = {"play": "drew", "abstain": "drew", "swap": "in"}


def visible_event(event: Event, viewers: Sequence[int]) -> Event:
    """The event without the cards that somebody else drew; only their number is left."""
    key = _DRAWN.get(event["e"])
    if key is None or event["p"] in viewers or not event[key]:
        return event
    return {**event, key: [count(len(event[key]), "card")]}


def news_lines(
    board: Board, events: Sequence[Event], names: Sequence[str], viewers: Sequence[int]
) -> list[str]:
    """A line for each event, for those who sit in the seats `viewers`."""
    lines = []
    for event in events:
        words = event_words(board, visible_event(event, viewers))
        lines.append(f"  {words}" if event["e"] in EFFECTS else f"{names[event['p']]}: {words}")
    return lines


def brief_news(events: Sequence[Event], names: Sequence[str]) -> list[str]:
    """The same for a narrow panel: a name, then what its seat did, in the letters of the board.

    No card that was drawn is named.
    """
    lines: list[str] = []
    last = None
    for event in events:
        who = event.get("p", last)
        if who != last and who is not None:
            lines.append(f"{names[who]}:")
            last = who
        lines += (f" {words}" for words in _BRIEF[event["e"]](event))
    return lines


def _brief_roll(event: Event) -> list[str]:
    tower = [] if event["tower"] is None else [_TOWERS[event["tower"]]]
    return [f"roll {' '.join([*tower, *(_HOUSES[color] for color in event['houses'])])}"]


def _brief_palaces(event: Event) -> list[str]:
    built = [f"{n} {_HOUSES[color].upper()}" for color, n in event["built"].items()]
    return [f"palaces {', '.join(built)}"]


def _brief_play(event: Event) -> list[str]:
    scored = zip(event["cards"], event["points"], strict=True)
    return [f"+{points} {card}" for card, points in scored] or ["plays nothing"]


_BRIEF: Final[dict[str, Callable[[Event], list[str]]]] = {
    "wall": lambda e: [f"wall {e['line']}"],
    "early-roll": lambda e: [f"early roll {e['points']}"],
    "roll": _brief_roll,
    "towers": lambda e: [", ".join(f"{_TOWERS[color]} on {place}" for place, color in e["put"])],
    "houses": lambda e: [", ".join(f"{_HOUSES[color]} on {place}" for place, color in e["put"])],
    "city": lambda e: [f"city of {count(len(e['spaces']), 'space')}"],
    "merge": lambda e: ["no merge" if e["with"] is None else f"merge with {e['with']}"],
    "palaces": _brief_palaces,
    "play": _brief_play,
    "abstain": lambda e: [f"abstain, draw {len(e['drew'])}"],
    "swap": lambda e: [f"swap {count(len(e['out']), 'card')}" if e["out"] else "swap nothing"],
    "reshuffle": lambda _: ["new deck"],
    "final": _brief_play,
}
