"""The letters of the colors, in drawings and in what is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from masons.engine.board.components import CARDS, HOUSE_COLORS, TOWER_COLORS
from masons.engine.plain_text import count, listed, percent, within
from masons.engine.state.packed_move import PLAY

if TYPE_CHECKING:
    from masons.ai.explain.explanation import Explanation
    from masons.ai.search.results import Analysis, MoveStats
    from masons.engine.board.geometry import Board
    from masons.engine.formats.move_text import Move
    from masons.engine.formats.record_events import Event
    from masons.match.playing.scored_view import ScoredView

TOWER_LETTERS: Final = ("W", "G", "B")
HOUSE_LETTERS: Final = ("r", "s", "y", "g", "b")  # palaces: capitals

# --- moves, rolls and events in words

# What ends a game.
END_WORDS: Final = {
    "walls": "the last wall is built",
    "towers": "the last tower is built",
    "houses": "the last house is built",
    "palaces": "the last palace is built",
    "no-line": "no line is left for a wall",
}


def line_words(board: Board, line: int) -> str:
    """`line 57 (towers 24-25, between spaces 40 and 41)`."""
    first, second = board.line_towers[line]
    space, other = board.line_spaces[line]
    beside = (
        f"space {space} and the edge" if other is None else f"between spaces {space} and {other}"
    )
    return f"line {line} (towers {first}-{second}, {beside})"


def cards_words(cards: Sequence[str], points: Sequence[int] = ()) -> str:
    """`city-red (3) and cities (4) for 7 points`; without points just the names."""
    if not points:
        return listed(cards)
    if len(cards) == 1:
        return f"{cards[0]} for {count(points[0], 'point')}"
    valued = [f"{card} ({value})" for card, value in zip(cards, points, strict=True)]
    return f"{listed(valued)} for {count(sum(points), 'point')}"


def _put_words(what: str, colors: Sequence[str], put: Sequence[tuple[int, int]]) -> str:
    parts = [f"{colors[color]} {what} {place}" for place, color in put]
    return listed(parts)


def move_words(board: Board, move: Move, points: Sequence[int] = ()) -> str:
    """Return a move in words; `points` says what its cards score, where that is known."""
    from masons.engine.state import packed_move

    kind = move.kind
    cards = [CARDS[card] for card in move.cards] if kind >= packed_move.PLAY else []
    if kind == packed_move.WALL:
        return f"wall on {line_words(board, move.place)}"
    if kind == packed_move.EARLY_ROLL:
        return "roll before placing the wall, for 1 point"
    if kind == packed_move.TOWERS:
        return _put_words("tower on", TOWER_COLORS, move.put)
    if kind == packed_move.HOUSES:
        return _put_words("house on space", HOUSE_COLORS, move.put)
    if kind == packed_move.MERGE:
        other = move.place
        return "no merge" if other == packed_move.NONE else f"merge with the city of space {other}"
    if kind == packed_move.PLAY:
        return f"play {cards_words(cards, points)}"
    if kind == packed_move.ABSTAIN:
        return f"abstain: discard {cards[0]}, draw 2"
    if kind in (packed_move.SWAP, packed_move.EXCHANGE):
        return f"swap {count(len(cards), 'card')}: {listed(cards)}" if cards else "swap nothing"
    if not cards:
        return "play nothing"
    city = "" if move.city is None else f" in the city of space {move.city}"
    return f"play {cards_words(cards, points)}{city}"


def event_words(board: Board, event: dict[str, Any]) -> str:
    """Return an event of a record in words, without who did it."""
    return _EVENTS[event["e"]](board, event)


def _wall(board: Board, event: dict[str, Any]) -> str:
    return f"wall on {line_words(board, event['line'])}"


def _early_roll(_: Board, event: dict[str, Any]) -> str:
    return f"roll before placing the wall ({count(event['points'], 'point')})"


def _roll(_: Board, event: dict[str, Any]) -> str:
    tower = "" if event["tower"] is None else f"{event['tower']} tower, "
    return f"roll: {tower}{' and '.join(event['houses'])}"


def _towers(_: Board, event: dict[str, Any]) -> str:
    return listed([f"{color} tower on {place}" for place, color in event["put"]])


def _houses(_: Board, event: dict[str, Any]) -> str:
    return listed([f"{color} house on space {place}" for place, color in event["put"]])


def _back(event: dict[str, Any]) -> str:
    walls, towers = len(event["walls_back"]), len(event["towers_back"])
    parts = [count(walls, "wall")] if walls else []
    parts += [count(towers, "tower")] if towers else []
    return f"; {' and '.join(parts)} back to the supply" if parts else ""


def _city(_: Board, event: dict[str, Any]) -> str:
    spaces = event["spaces"]
    word = "space" if len(spaces) == 1 else "spaces"
    return f"city completed: {word} {listed(spaces)}{_back(event)}"


def _merge(_: Board, event: dict[str, Any]) -> str:
    other = event["with"]
    return "no merge" if other is None else f"merge with the city of space {other}{_back(event)}"


def _palaces(_: Board, event: dict[str, Any]) -> str:
    built = event["built"]
    what = "palace" if sum(built.values()) == 1 else "palaces"
    return f"{what} built: {listed([f'{number} {color}' for color, number in built.items()])}"


def _drew(cards: Sequence[str]) -> str:
    return f"; draw {listed(cards) or 'nothing'}"


def _play(_: Board, event: dict[str, Any]) -> str:
    return f"play {cards_words(event['cards'], event['points'])}{_drew(event['drew'])}"


def _abstain(_: Board, event: dict[str, Any]) -> str:
    return f"abstain: discard {event['card']}{_drew(event['drew'])}"


def _swap(_: Board, event: dict[str, Any]) -> str:
    out = event["out"]
    if not out:
        return "swap nothing"
    return f"swap {count(len(out), 'card')}: {listed(out)}; draw {listed(event['in'])}"


def _reshuffle(_: Board, event: dict[str, Any]) -> str:
    return f"the discard pile is shuffled: a new deck of {count(len(event['deck']), 'card')}"


def _final(_: Board, event: dict[str, Any]) -> str:
    if not event["cards"]:
        return "play nothing"
    city = "" if event["city"] is None else f" in the city of space {event['city']}"
    return f"play {cards_words(event['cards'], event['points'])}{city}"


_EVENTS = {
    "wall": _wall,
    "early-roll": _early_roll,
    "roll": _roll,
    "towers": _towers,
    "houses": _houses,
    "city": _city,
    "merge": _merge,
    "palaces": _palaces,
    "play": _play,
    "abstain": _abstain,
    "swap": _swap,
    "reshuffle": _reshuffle,
    "final": _final,
}

# --- what happened at the table, in words that say no more than a seat could see

# What a decision brings about: in words that do not say whose it is.
EFFECTS: Final = ("roll", "city", "palaces", "reshuffle")
# The letters of the drawing; a ? is any color.
_TOWERS: Final = dict(zip(TOWER_COLORS, TOWER_LETTERS, strict=True))
_HOUSES: Final = {**dict(zip(HOUSE_COLORS, HOUSE_LETTERS, strict=True)), "?": "?"}
_DRAWN: Final = {"play": "drew", "abstain": "drew", "swap": "in"}


def visible_event(event: Event, viewers: Sequence[int]) -> Event:
    """Return the event without the cards that somebody else drew; only their number is left."""
    key = _DRAWN.get(event["e"])
    if key is None or event["p"] in viewers or not event[key]:
        return event
    return {**event, key: [count(len(event[key]), "card")]}


def news_lines(
    board: Board, events: Sequence[Event], names: Sequence[str], viewers: Sequence[int]
) -> list[str]:
    """Return a line for each event, for those who sit in the seats `viewers`."""
    lines = []
    for event in events:
        words = event_words(board, visible_event(event, viewers))
        lines.append(f"  {words}" if event["e"] in EFFECTS else f"{names[event['p']]}: {words}")
    return lines


def brief_news(events: Sequence[Event], names: Sequence[str]) -> list[str]:
    """Return the same for a narrow panel: a name, then what its seat did, in the board's letters.

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

# --- a hint in words


def _win(stats: MoveStats) -> str:
    interval = f" {within(stats.interval)}" if stats.games else ""
    return f"{percent(stats.win or 0.0)}{interval}"


def advice(
    scored_view: ScoredView,
    analysis: Analysis,
    explanation: Explanation | None = None,
    names: Sequence[str] = (),
) -> list[str]:
    """Return the best move, how it compares with the second and why, and what is expected next."""
    best = analysis.moves[0]
    written = "" if best.move.kind >= PLAY else f"  [{best.move}]"  # cards are named in the words
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
