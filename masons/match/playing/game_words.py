"""Descriptions of moves, events and hints in words, and the letters of colors in drawings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from masons.engine.board.components import CARDS, HOUSE_COLORS, TOWER_COLORS
from masons.engine.formats.record_events import move_of
from masons.engine.plain_text import count, listed, percent, spread
from masons.engine.state.packed_move import PLAY

if TYPE_CHECKING:
    from masons.ai.explain.explanation import Explanation
    from masons.ai.search.results import Analysis, MoveStats
    from masons.engine.board.geometry import Board
    from masons.engine.formats.move_text import Move
    from masons.engine.formats.record_events import Event
    from masons.match.playing.scored_view import ScoredView

TOWER_LETTERS: Final = ("W", "G", "B")
HOUSE_LETTERS: Final = ("r", "s", "y", "g", "b")  # capital letters stand for palaces

# --- moves, rolls and events in words

# For each way in which a game can end, a sentence that describes it.
END_WORDS: Final = {
    "walls": "the last wall is placed",
    "towers": "the last tower is placed",
    "houses": "the last house is placed",
    "palaces": "the last palace is placed",
    "no-line": "no line is left for a wall",
}


def line_words(board: Board, line: int) -> str:
    """Return a line in words, such as `line 57 (towers 24-25, between spaces 40 and 41)`."""
    first, second = board.line_towers[line]
    space, other = board.line_spaces[line]
    beside = (
        f"space {space} and the edge" if other is None else f"between spaces {space} and {other}"
    )
    return f"line {line} (towers {first}-{second}, {beside})"


def cards_words(cards: Sequence[str], points: Sequence[int] = ()) -> str:
    """Return cards in words, such as `city-red (3) and cities (4) for 7 points`.

    Without `points`, only the names of the cards are listed.
    """
    if not points:
        return listed(cards)
    if len(cards) == 1:
        return f"{cards[0]} for {count(points[0], 'point')}"
    valued = [f"{card} ({value})" for card, value in zip(cards, points, strict=True)]
    return f"{listed(valued)} for {count(sum(points), 'point')}"


def _put_words(what: str, put: Sequence[tuple[int, str]]) -> str:
    return listed([f"{color} {what} {place}" for place, color in put])


def _final_words(cards: Sequence[str], points: Sequence[int], city: int | None) -> str:
    if not cards:
        return "play nothing"
    where = "" if city is None else f" in the city of space {city}"
    return f"play {cards_words(cards, points)}{where}"


def move_words(board: Board, move: Move, points: Sequence[int] = ()) -> str:
    """Return a move in words. `points` has the points of the move's cards, if they are known."""
    from masons.engine.state import packed_move

    kind = move.kind
    cards = [CARDS[card] for card in move.cards] if kind >= packed_move.PLAY else []
    if kind == packed_move.WALL:
        return f"wall on {line_words(board, move.place)}"
    if kind == packed_move.EARLY_ROLL:
        return "roll before placing the wall, for 1 point"
    if kind == packed_move.TOWERS:
        return _put_words("tower on", [(place, TOWER_COLORS[c]) for place, c in move.put])
    if kind == packed_move.HOUSES:
        return _put_words("house on space", [(place, HOUSE_COLORS[c]) for place, c in move.put])
    if kind == packed_move.MERGE:
        other = move.place
        return "no merge" if other == packed_move.NONE else f"merge with the city of space {other}"
    if kind == packed_move.PLAY:
        return f"play {cards_words(cards, points)}"
    if kind == packed_move.ABSTAIN:
        return f"abstain: discard {cards[0]}, draw 2"
    if kind in (packed_move.SWAP, packed_move.EXCHANGE):
        return f"swap {count(len(cards), 'card')}: {listed(cards)}" if cards else "swap nothing"
    return _final_words(cards, points, move.city)


def event_words(board: Board, event: dict[str, Any]) -> str:
    """Return an event of a record in words, without the name of the seat."""
    match event["e"]:
        case "early-roll":
            return f"roll before placing the wall ({count(event['points'], 'point')})"
        case "roll":
            tower = "" if event["tower"] is None else f"{event['tower']} tower, "
            return f"roll: {tower}{' and '.join(event['houses'])}"
        case "city":
            word = "space" if len(event["spaces"]) == 1 else "spaces"
            return f"city completed: {word} {listed(event['spaces'])}{_back(event)}"
        case "palaces":
            built = event["built"]
            what = "palace" if sum(built.values()) == 1 else "palaces"
            return f"{what} built: {listed([f'{n} {color}' for color, n in built.items()])}"
        case "abstain":
            drew = listed(event["drew"]) or "nothing"
            return f"abstain: discard {event['card']}; draw {drew}"
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
            return f"{words}; draw {listed(event['drew']) or 'nothing'}"
        case "swap" if event["out"]:
            return f"{words}; draw {listed(event['in'])}"
    return words


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
            return [f"+{points} {card}" for card, points in scored] or ["plays nothing"]


# --- a hint in words


def _win(stats: MoveStats) -> str:
    interval = f" {spread(stats.interval)}" if stats.games else ""
    return f"{percent(stats.win or 0.0)}{interval}"


def advice(
    scored_view: ScoredView,
    analysis: Analysis,
    explanation: Explanation | None = None,
    names: Sequence[str] = (),
) -> list[str]:
    """Return lines that describe the best move.

    The lines compare the best move with the second-best move. If an explanation and the names of
    the seats are given, the lines also give reasons and the expected course of the game.
    """
    best = analysis.moves[0]
    written = "" if best.move.kind >= PLAY else f"  [{best.move}]"  # `words` names the cards
    lines = [f"hint: {scored_view.words(best.move)}{written}"]
    wins = f"it wins {_win(best)} %"
    if len(analysis.moves) > 1 and analysis.moves[1].win is not None:
        second = analysis.moves[1]
        wins += f"; the second, {second.move}, {_win(second)} %"
    if len(analysis.equal) > 1:
        wins += f"; {len(analysis.equal)} moves can't be told apart"
    lines.append(wins)
    if best.scores:
        others = [score for seat, score in enumerate(best.scores) if seat != analysis.seat]
        lines.append(
            f"points expected at the end: {best.scores[analysis.seat]:.0f}, "
            f"the best of the others {max(others):.0f}"
        )
    if explanation is not None and names:
        lines += [f"why: {sentence}" for sentence in explanation.why(names)]
        lines += [f"next: {sentence}" for sentence in explanation.expected(names)]
    return lines
