"""The `position` messages: a game as one page may see it, and a position that is studied.

What goes over the wire is made here and nowhere else. In a game only the viewer's hand is read,
and of events only what `visible_event` leaves; a new deck's order is never in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from masons.engine.board.components import CARD_MEANINGS, CARDS
from masons.engine.formats.position_text import format_position
from masons.engine.plain_text import count, does, victory
from masons.engine.state.packed_move import HOUSES, TOWERS
from masons.gui.pictures.overlay import LISTED, overlay_of
from masons.gui.pictures.page_board import PagePieces
from masons.gui.pictures.position_facts import supply_of, task_words
from masons.match.playing.game_words import END_WORDS, event_words, visible_event
from masons.match.playing.scored_view import MOST, ScoredView, line_moves, may_roll_early

if TYPE_CHECKING:
    from masons.ai.search.results import Analysis
    from masons.engine.board.geometry import Board
    from masons.engine.formats.move_text import Move
    from masons.engine.formats.record_events import Event
    from masons.engine.game.table import Table
    from masons.engine.state.position import Position
    from masons.gui.seating import Client, Seating
    from masons.match.playing.played_game import PlayedGame

# The fields of an event that a page may use beside its words: none that names a card.
_SHOWN: Final = ("tower", "houses", "line", "put", "spaces")


@dataclass
class NewsSent:
    """The events of which game a page has been told, and as whom."""

    game: int = -1
    viewer: int | None = None
    events: int = 0


# --- a game


class SeatMessages:
    """Makes the `position` messages of games on a board."""

    def __init__(self, board: Board) -> None:
        self._pieces = PagePieces(board)

    def message(self, seating: Seating, client: Client, number: int, game: int) -> dict[str, Any]:
        """Return the position for one page; `number` is its own, `game` that of the game."""
        played = seating.played
        viewer, due = seating.viewer(client), played.due
        if viewer is None:
            position, hand = played.game.position.observed_by(None), None
        else:
            position, hand = played.view(viewer), hand_cards(played.scored_view(viewer), viewer)
        decides = seating.may_decide(client)
        moves = None
        if decides:
            moves = choices_of(played.scored_view(played.game.seat), played.game.legal_moves())
        return {
            "type": "position",
            "at": number,
            "game": game,
            "host": client.pass_.is_host,
            "seats": sorted(seating.seats(client)),
            "seat": viewer,
            "curtain": None if viewer is not None else seating.curtain(client),
            "people": sorted(played.people),
            "away": sorted(seating.away),
            "names": list(played.names),
            "due": due,
            "task": task_words(position, played.names) if due != "over" else "",
            "turn": position.turn + 1,
            "phase": position.phase,
            "active": position.active,
            "decider": None if due == "over" else position.seat,
            "decides": decides,
            "rolls": played.game.rolls_tower if seating.may_roll(client) else None,
            "draws": seating.may_draw(client),
            "practice": played.setup.practice,
            "fair": None if played.setup.fair is None else played.setup.fair.to_data(),
            **_figures(position),
            **self._pieces.of(position),
            "hand": hand,
            "moves": moves,
            "undo": played.why_no_undo if decides else None,
            "news": _news(played, viewer, client.sent, game),
            "result": _result(played),
        }


def _news(played: PlayedGame, viewer: int | None, sent: NewsSent, game: int) -> dict[str, Any]:
    """Return the events that a page was not told yet; all where it must forget those it has."""
    total = len(played.game.log)
    if sent.game != game or sent.viewer != viewer or sent.events > total:
        sent.game, sent.viewer, sent.events = game, viewer, 0
    first = sent.events
    sent.events = total
    viewers = () if viewer is None else (viewer,)
    events = played.game.log.events(first)
    return {"first": first, "events": [_event(played, event, viewers) for event in events]}


def _event(played: PlayedGame, event: Event, viewers: Sequence[int]) -> dict[str, Any]:
    seen = visible_event(event, viewers)
    shown: dict[str, Any] = {key: seen[key] for key in _SHOWN if key in seen}
    words = event_words(played.game.board, seen)
    return {"event": event["e"], "seat": event.get("p"), "words": words, **shown}


def _result(played: PlayedGame) -> dict[str, Any] | None:
    """Return how the game ended; None while it goes on."""
    if not played.is_over:
        return None
    names, result = played.names, played.game.result
    if result is None:
        assert played.resigned is not None
        return {"winners": [], "words": [f"{does(names[played.resigned], 'gives up')}."]}
    won = victory([names[seat] for seat in result.winners])
    lines = [f"The game ends: {END_WORDS[result.end]}.", f"{won}."]
    lines += [
        f"{name}: {count(score, 'point')}, {count(cards, 'card')}"
        for name, score, cards in zip(names, result.scores, result.hand_sizes, strict=True)
    ]
    return {"winners": list(result.winners), "words": lines}


# --- a study


class StudyMessages:
    """Makes the `position` messages of a study."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._pieces = PagePieces(table.board)

    def message(self, position: Position, names: Sequence[str], **more: Any) -> dict[str, Any]:
        """Return the position with the hand of the seat that decides; `more` is added."""
        table = self._table
        is_due = position.phase not in ("roll", "draw", "over")
        decides = is_due and not isinstance(position.hands[position.seat], int)
        scored = ScoredView(table, position)
        moves = table.legal_moves(table.state_of(position)) if decides else []
        seat = position.seat if is_due else None
        return {
            "type": "position",
            "study": True,
            "text": format_position(position, table.board),
            "names": list(names),
            "task": task_words(position, names),
            "turn": position.turn + 1,
            "phase": position.phase,
            "active": position.active,
            "decider": seat,
            "seat": seat,
            "decides": decides,
            **_figures(position),
            **self._pieces.of(position),
            "hand": None if seat is None else hand_cards(scored, seat),
            "hands": [hand_cards(scored, each) for each in range(position.players)],
            "moves": choices_of(scored, moves) if decides else None,
            **more,
        }


# --- parts of both


def _figures(position: Position) -> dict[str, Any]:
    """Return points, numbers of cards, cards face up and the supply."""
    return {
        "scores": list(position.scores),
        "cards": list(position.hand_sizes),
        "deck": position.deck_size,
        "face_up": [CARDS[kind] for kind in position.discard],
        "supply": asdict(supply_of(position)),
    }


def hand_cards(scored: ScoredView, seat: int) -> list[dict[str, Any]]:
    """Return the cards of a seat with the points that each scores now; none if hidden."""
    hand = scored.view.hands[seat]
    if isinstance(hand, int):
        return []
    points = scored.card_points(scored.view.city)
    return [
        {"card": CARDS[kind], "points": points[kind], "means": CARD_MEANINGS[CARDS[kind]]}
        for kind in hand
    ]


def choices_of(scored: ScoredView, moves: Sequence[Move]) -> dict[str, Any]:
    """Return the choices of the decision due, as a page offers them."""
    phase = scored.view.phase
    if phase == "wall":
        return {
            "walls": {str(line): _city_size(scored, line) for line in line_moves(moves)},
            "early_roll": may_roll_early(moves),
        }
    if phase in ("score", "swap"):
        return {}
    if phase == "final":
        # What every card scores by each city; null: there is none.
        roots: list[int | None] = [*sorted(min(city) for city in scored.view.cities)] or [None]
        return {
            "cities": [
                {"city": root, "points": dict(zip(CARDS, scored.card_points(root), strict=True))}
                for root in roots
            ]
        }
    return {
        "choices": [
            {
                "move": str(move),
                "words": scored.words(move),
                "put": [list(pair) for pair in move.put] if move.kind in (TOWERS, HOUSES) else [],
            }
            for move in moves[:MOST]
        ]
    }


def _city_size(scored: ScoredView, line: int) -> int:
    """Return the spaces of the city that a wall completes, 0 for none."""
    if line not in scored.closing_lines:
        return 0
    return max(map(len, scored.closed_by(line)), default=0)


def ranked_moves(
    analysis: Analysis, words: Callable[[Move], str], listed: int = LISTED
) -> dict[str, Any]:
    """Return the best moves of an analysis with their figures, and the effort behind them."""
    overlay = overlay_of(analysis, words, listed=listed)
    return {
        "choices": [asdict(choice) for choice in overlay.choices],
        "by_points": overlay.by_points,
        "iterations": analysis.iterations,
        "games": analysis.rollouts,
    }
