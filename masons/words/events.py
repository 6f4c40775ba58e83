"""The events of a game in words, the news for certain seats, and the end of a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from masons.engine.board.components import CARD_NAMES, HOUSE_COLORS, TOWER_COLORS
from masons.engine.formats.record_endings import stopped_words
from masons.engine.formats.record_events import move_of
from masons.engine.formats.text_board import HOUSE_LETTERS, TOWER_LETTERS
from masons.engine.plain_text import count, listed, plain_name, victory
from masons.words.moves import move_words, spaces_words

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.engine.formats.record_events import Event
    from masons.engine.game.replay import Replay


def event_words(board: Board, event: dict[str, Any]) -> str:
    """Return an event of a record in words, without the name of the seat."""
    match event["e"]:
        case "early-roll":
            return f"roll before placing the wall ({count(event['points'], 'point')})"
        case "roll":
            tower = "" if event["tower"] is None else f"{event['tower']} tower, "
            return f"roll: {tower}{' and '.join(event['houses'])}"
        case "city":
            return f"city completed: {spaces_words(event['spaces'])}{_back(event)}"
        case "palaces":
            built = event["built"]
            what = "palace" if sum(built.values()) == 1 else "palaces"
            return f"{what} built: {listed([f'{n} {color}' for color, n in built.items()])}"
        case "abstain":
            return f"abstain: discard {CARD_NAMES[event['card']]}; draw {_drawn(event['drew'])}"
        case "reshuffle":
            cards = count(len(event["deck"]), "card")
            return f"the discard pile is shuffled: a new deck of {cards}"
    move = move_of(event)
    assert move is not None
    words = move_words(board, move, event.get("points", ()))
    match event["e"]:
        case "merge" if event["with"] is not None:
            return f"{words}{_back(event)}"
        case "play":
            return f"{words}; draw {_drawn(event['drew'])}"
        case "swap" if event["out"]:
            return f"{words}; draw {_drawn(event['in'])}"
    return words


def _drawn(cards: Sequence[str]) -> str:
    """Return drawn cards in words. Cards that are hidden have only a number, such as `2 cards`."""
    return listed([CARD_NAMES.get(card, card) for card in cards]) or "nothing"


def _back(event: dict[str, Any]) -> str:
    walls, towers = len(event["walls_back"]), len(event["towers_back"])
    parts = [count(walls, "wall")] if walls else []
    parts += [count(towers, "tower")] if towers else []
    return f"; {' and '.join(parts)} back to the supply" if parts else ""


# --- news: events in words that reveal only what certain seats may see

# Events that follow from a decision. Their lines in the news do not begin with a seat's name.
EFFECTS: Final = ("roll", "city", "palaces", "reshuffle")
# The letters of the colors in drawings; ? stands for any color.
_TOWERS: Final = dict(zip(TOWER_COLORS, TOWER_LETTERS, strict=True))
_HOUSES: Final = {**dict(zip(HOUSE_COLORS, HOUSE_LETTERS, strict=True)), "?": "?"}
_DRAWN: Final = {"play": "drew", "abstain": "drew", "swap": "in"}


def visible_event(event: Event, viewers: Sequence[int]) -> Event:
    """Return an event without what is hidden from the seats `viewers`.

    If another seat drew cards, the event has only the number of these cards.
    """
    key = _DRAWN.get(event["e"])
    if key is None or event["p"] in viewers or not event[key]:
        return event
    return {**event, key: [count(len(event[key]), "card")]}


def news_lines(
    board: Board, events: Sequence[Event], names: Sequence[str], viewers: Sequence[int]
) -> list[str]:
    """Return a line for each event, leaving out what is hidden from the seats `viewers`."""
    lines = []
    for event in events:
        words = event_words(board, visible_event(event, viewers))
        lines.append(f"  {words}" if event["e"] in EFFECTS else f"{names[event['p']]}: {words}")
    return lines


def brief_news(events: Sequence[Event], names: Sequence[str]) -> list[str]:
    """Return the news as lines for a narrow panel.

    The name of a seat is on a line above the events of this seat. Colors are written as the letters
    used on the board, and drawn cards are not named.
    """
    lines: list[str] = []
    last = None
    for event in events:
        who = event.get("p", last)
        if who != last and who is not None:
            lines.append(f"{names[who]}:")
            last = who
        lines += (f" {words}" for words in _brief_words(event))
    return lines


def _brief_words(event: Event) -> list[str]:
    """Return short descriptions of an event. Colors are written as the letters on the board."""
    match event["e"]:
        case "wall":
            return [f"wall {event['line']}"]
        case "early-roll":
            return [f"early roll {event['points']}"]
        case "roll":
            tower = [] if event["tower"] is None else [_TOWERS[event["tower"]]]
            return [f"roll {' '.join([*tower, *(_HOUSES[color] for color in event['houses'])])}"]
        case "towers" | "houses" as kind:
            letters = _TOWERS if kind == "towers" else _HOUSES
            return [", ".join(f"{letters[color]} on {place}" for place, color in event["put"])]
        case "city":
            return [f"city of {count(len(event['spaces']), 'space')}"]
        case "merge":
            return ["no merge" if event["with"] is None else f"merge with {event['with']}"]
        case "palaces":
            built = [f"{n} {_HOUSES[color].upper()}" for color, n in event["built"].items()]
            return [f"palaces {', '.join(built)}"]
        case "abstain":
            return [f"abstain, draw {len(event['drew'])}"]
        case "swap":
            return [f"swap {count(len(event['out']), 'card')}" if event["out"] else "swap nothing"]
        case "reshuffle":
            return ["new deck"]
        case _:
            scored = zip(event["cards"], event["points"], strict=True)
            return [f"+{points} {CARD_NAMES[card]}" for card, points in scored] or ["plays nothing"]


# --- the end of a game

# For each way in which a game can end, a sentence that describes it.
END_WORDS: Final = {
    "walls": "the last wall is placed",
    "towers": "the last tower is placed",
    "houses": "the last house is placed",
    "palaces": "the last palace is placed",
    "no-line": "no line is left for a wall",
}


def shown_names(replay: Replay) -> list[str]:
    """Return the names of the seats, with control characters escaped."""
    return [plain_name(name) for name in replay.record["names"]]


def ending_words(replay: Replay) -> list[str]:
    """Return sentences about the end of a game, its scores and its forfeits.

    The last sentence names the winners, or says why the game stopped.
    """
    names = shown_names(replay)
    position = replay.game.position
    scores = ", ".join(
        f"{name} {score} ({count(size, 'card')})"
        for name, score, size in zip(names, position.scores, position.hand_sizes, strict=True)
    )
    if not replay.game.is_over:
        return [f"Scores so far: {scores}.", *_forfeited(replay), _stop(replay)]
    winners = [f"seat {seat} ({names[seat]})" for seat in replay.winners]
    return [
        f"The game ends: {END_WORDS[position.end]}. Scores: {scores}.",
        *_forfeited(replay),
        f"{victory(winners)}." if winners else "Nobody wins: every seat has forfeited.",
    ]


def unusual(replay: Replay) -> list[str]:
    """Return sentences about an early stop and about forfeits, if there were any."""
    return [*([] if replay.game.is_over else [_stop(replay)]), *_forfeited(replay)]


def _stop(replay: Replay) -> str:
    return stopped_words(replay.stopped, shown_names(replay))


def _forfeited(replay: Replay) -> list[str]:
    names = shown_names(replay)
    return [
        f"Seat {forfeit.seat} ({names[forfeit.seat]}) had forfeited ({forfeit.why}): "
        "it is ranked last."
        for forfeit in replay.forfeits
    ]
