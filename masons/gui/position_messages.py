"""The parts of `position` messages, and the `position` messages of a study.

`Seating.position_message` makes those of a game. Of each event, pages are sent only what
`page_event` returns, which never includes the cards that other seats drew or the order of a new
deck.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from masons.ai.rollout.figures import full_rows
from masons.ai.search.results import is_open
from masons.engine.board.components import CARDS
from masons.engine.formats.position_text import format_position
from masons.engine.formats.record_events import roll_event
from masons.engine.rules.turns import winners_of
from masons.engine.state.packed_move import HOUSES, TOWERS
from masons.gui.pictures.overlay import LISTED, overlay_of
from masons.gui.pictures.page_board import page_pieces
from masons.words.events import visible_event
from masons.words.positions import supply_of
from masons.words.scored_view import MOST, ScoredView, line_moves, may_roll_early

if TYPE_CHECKING:
    from masons.ai.search.results import Analysis
    from masons.engine.board.geometry import Board
    from masons.engine.formats.move_text import Move
    from masons.engine.formats.record_events import Event
    from masons.engine.game.table import Table
    from masons.engine.state.position import Position

_PLAYED: Final = 2  # the most cards that can be played in a scoring
# The fields of an event that a page needs in order to describe the event.
_SHOWN: Final = (
    "tower", "houses", "line", "put", "spaces", "with", "built", "walls_back", "towers_back",
    "cards", "card", "points", "city", "drew", "out", "in",
)  # fmt: skip
_DRAWN: Final = ("drew", "in")


# --- a study


def names_for(players: int, seat: int) -> list[str]:
    """Return the seats' names as the player of `seat` reads them; the page translates them."""
    others = ["Other" if players == 2 else f"Player {other + 1}" for other in range(players)]
    return [*others[:seat], "You", *others[seat + 1 :]]


def study_position(
    table: Table,
    position: Position,
    names: Sequence[str],
    forfeited: Collection[int] = (),
    **more: Any,
) -> dict[str, Any]:
    """Return the `position` message of a study, with all known hands.

    In the result of a game that is over, the seats in `forfeited` rank last. The fields `more` are
    added.
    """
    is_due = position.phase not in ("roll", "draw", "over")
    decides = is_due and not isinstance(position.hands[position.seat], int)
    scored = ScoredView(table, position)
    moves = table.legal_moves(table.state_of(position)) if decides else []
    seat = position.seat if is_due else None
    hands = [hand_cards(scored, each) for each in range(position.players)]
    return {
        "type": "position",
        "study": True,
        "roll": None if position.roll is None else page_event(roll_event(position.roll), ()),
        "text": format_position(position, table.board),
        "decider": None if position.phase == "over" else position.seat,
        "seat": seat,
        "decides": decides,
        **shared_fields(table.board, position, names),
        "hand": None if seat is None else hands[seat],
        "hands": hands,
        "moves": choices_of(scored, moves) if decides else None,
        "result": _result_of(position, forfeited) if position.phase == "over" else None,
        **more,
    }


def _result_of(position: Position, forfeited: Collection[int]) -> dict[str, Any]:
    winners = winners_of(position.scores, position.hand_sizes, forfeited)
    return {"winners": list(winners), "end": position.end}


# --- parts of the messages of games and studies


def page_event(event: Event, viewers: Sequence[int]) -> dict[str, Any]:
    """Return an event in the form in which a page gets it.

    Cards that seats outside `viewers` drew, and the cards of a new deck, are replaced by their
    number.
    """
    shown: dict[str, Any] = {key: event[key] for key in _SHOWN if key in event}
    if visible_event(event, viewers) != event:
        shown |= {key: len(shown[key]) for key in _DRAWN if key in shown}
    if "deck" in event:
        shown["deck"] = len(event["deck"])
    return {"event": event["e"], "seat": event.get("p"), **shown}


def shared_fields(board: Board, position: Position, names: Sequence[str]) -> dict[str, Any]:
    """Return the fields that every page may see."""
    return {
        "names": list(names),
        "turn": position.turn + 1,
        "phase": position.phase,
        "end": position.end,
        "active": position.active,
        "scores": list(position.scores),
        "cards": list(position.hand_sizes),
        "deck": position.deck_size,
        "face_up": [CARDS[kind] for kind in position.discard],
        "supply": supply_of(position),
        **page_pieces(board, position),
    }


def hand_cards(scored: ScoredView, seat: int) -> list[dict[str, Any]]:
    """Return a seat's cards with the points that each would score now.

    The list is empty if the hand is hidden.
    """
    hand = scored.view.hands[seat]
    if isinstance(hand, int):
        return []
    points = scored.card_points(scored.view.city)
    return [{"card": CARDS[kind], "points": points[kind]} for kind in hand]


def choices_of(scored: ScoredView, moves: Sequence[Move]) -> dict[str, Any]:
    """Return the choices of the current decision in the form in which a page offers them."""
    phase = scored.view.phase
    if phase == "wall":
        cities = {str(line): scored.closed_city(line) for line in line_moves(moves)}
        return {
            "walls": {line: size for line, (size, _) in cities.items()},
            "closing": {
                line: _best_cards(scored, points) for line, (size, points) in cities.items() if size
            },
            "early_roll": may_roll_early(moves),
        }
    if phase in ("score", "swap"):
        return {}
    if phase == "final":
        # The points of every card for each city. If there is no city, the city is null.
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
                "put": [list(pair) for pair in move.put] if move.kind in (TOWERS, HOUSES) else [],
                "cards": _best_cards(scored, scored.merged_points(move))
                if phase == "merge"
                else [],
            }
            for move in moves[:MOST]
        ]
    }


def _best_cards(scored: ScoredView, points: Sequence[int]) -> list[list[Any]]:
    """Return the deciding seat's cards that would score most, given the points of each card kind.

    The list has at most two cards, each as `[card, points]`, the best first.
    """
    hand = scored.view.hands[scored.view.seat]
    if isinstance(hand, int):
        return []
    best = sorted(hand, key=lambda kind: -points[kind])[:_PLAYED]
    return [[CARDS[kind], points[kind]] for kind in best if points[kind]]


def ranked_moves(analysis: Analysis, scored: ScoredView, listed: int = LISTED) -> dict[str, Any]:
    """Return the best moves of an analysis with their figures and the effort of the search.

    `is_early` marks the moves that were dropped early, and so have fewer games.
    """
    overlay, full = overlay_of(analysis, listed=listed), full_rows(analysis)
    return {
        "choices": [
            {
                **asdict(choice),
                "is_early": rank >= full,
                "facts": scored.facts(analysis.moves[rank].move),
            }
            for rank, choice in enumerate(overlay.choices)
        ],
        "by_points": overlay.by_points,
        "is_open": is_open(analysis.moves[0].win or 0.0),
        "iterations": analysis.iterations,
        "games": analysis.measuring_games,
    }
