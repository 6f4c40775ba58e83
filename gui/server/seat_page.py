"""The game as one page may see it: what goes over the wire is made here and nowhere else.

Of hands only that of the viewer is read, and of events only what `visible_event` leaves; a new
deck's order is never in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from masons.engine.board.components import CARD_MEANINGS, CARDS
from masons.engine.plain_words import count, does, victory
from masons.gui.server.board_elements import Pieces
from masons.match.playing.menu import MOST, may_roll_early
from masons.match.playing.moves_in_words import END_WORDS, event_words
from masons.match.playing.news import visible_event
from masons.pictures.supply import supply_of
from masons.pictures.what_is_due import task_words

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.engine.formats.record_events import Event
    from masons.engine.state.position import Position
    from masons.gui.server.seating import Client, Seating, Told
    from masons.match.playing.played_game import PlayedGame
    from masons.match.playing.scored_view import ScoredView

# What of an event a page may use beside its words: nothing that names a card.
_SHOWN: Final = ("tower", "houses", "line", "put", "spaces")


class SeatPage:
    """Makes the `position` messages of a game."""

    def __init__(self, board: Board) -> None:
        self._pieces = Pieces(board)

    def message(self, seating: Seating, client: Client, number: int, game: int) -> dict[str, Any]:
        """The position for one page; `number` is its own, `game` that of the game."""
        played = seating.played
        viewer, due = seating.viewer(client), played.due
        position = _seen(played, viewer)
        decides = seating.may_decide(client)
        return {
            "type": "position",
            "at": number,
            "game": game,
            "host": client.pass_.is_host,
            "seats": sorted(seating.seats(client)),
            "seat": viewer,
            "curtain": None if viewer is not None else seating.curtain(client),
            "people": sorted(played.people),
            "away": sorted(seating.guard.invited),
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
            **_figures(position),
            **self._pieces.of(position),
            "hand": None if viewer is None else _hand(played, viewer),
            "moves": _moves(played) if decides else None,
            "undo": played.why_no_undo if decides else None,
            "news": _news(played, viewer, client.told, game),
            "result": _result(played),
        }


def _seen(played: PlayedGame, viewer: int | None) -> Position:
    return played.game.position.observed_by(None) if viewer is None else played.view(viewer)


def _figures(position: Position) -> dict[str, Any]:
    left = supply_of(position)
    return {
        "scores": list(position.scores),
        "cards": list(position.hand_sizes),
        "deck": position.deck_size,
        "face_up": [CARDS[kind] for kind in position.discard],
        "supply": {
            "walls": left.walls,
            "towers": list(left.towers),
            "houses": list(left.houses),
            "palaces": list(left.palaces),
        },
    }


def _hand(played: PlayedGame, seat: int) -> list[dict[str, Any]]:
    """The cards of a seat, each with what it scores as things stand."""
    scored = played.scored_view(seat)
    hand = scored.view.hands[seat]
    assert not isinstance(hand, int)
    points = scored.card_points(scored.view.city)
    return [
        {"card": CARDS[kind], "points": points[kind], "means": CARD_MEANINGS[CARDS[kind]]}
        for kind in hand
    ]


def _moves(played: PlayedGame) -> dict[str, Any]:
    """The choices of the decision that is due, as the page offers them."""
    game = played.game
    phase = game.phase
    scored = played.scored_view(game.seat)
    if phase == "wall":
        moves = game.legal_moves()
        return {
            "walls": {item.key: _completes(scored, int(item.key)) for item in played.items()},
            "early_roll": may_roll_early(moves),
        }
    if phase in ("score", "swap"):
        return {}
    if phase == "final":
        return {"cities": _cities(scored)}
    return {
        "choices": [
            {"move": str(move), "words": scored.words(move), "put": [list(p) for p in _put(move)]}
            for move in list(game.legal_moves()[:MOST])
        ]
    }


def _put(move: Any) -> Sequence[tuple[int, int]]:
    return move.put if str(move).startswith(("towers", "houses")) else ()


def _completes(scored: ScoredView, line: int) -> int:
    """Spaces of the city that a wall completes, 0 for none."""
    return max(map(len, scored.closed_by(line)), default=0)


def _cities(scored: ScoredView) -> list[dict[str, Any]]:
    """The cities of the final scoring with what every card scores by them; null: there is none."""
    roots: list[int | None] = sorted(min(city) for city in scored.view.cities) or [None]  # type: ignore[assignment]
    return [
        {"city": root, "points": dict(zip(CARDS, scored.card_points(root), strict=True))}
        for root in roots
    ]


def _news(played: PlayedGame, viewer: int | None, told: Told, game: int) -> dict[str, Any]:
    """The events that a page was not told yet; all of them where it must forget what it has."""
    total = len(played.game.log)
    if told.game != game or told.viewer != viewer or told.events > total:
        told.game, told.viewer, told.events = game, viewer, 0
    first = told.events
    told.events = total
    viewers = () if viewer is None else (viewer,)
    events = played.game.log.events(first)
    return {"first": first, "events": [_event(played, event, viewers) for event in events]}


def _event(played: PlayedGame, event: Event, viewers: Sequence[int]) -> dict[str, Any]:
    seen = visible_event(event, viewers)
    shown = {key: seen[key] for key in _SHOWN if key in seen}
    words = event_words(played.game.board, seen)
    return {"event": event["e"], "seat": event.get("p"), "words": words, **shown}


def _result(played: PlayedGame) -> dict[str, Any] | None:
    """How the game ended."""
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
