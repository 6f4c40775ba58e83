"""The game as one page may see it: what goes over the wire is made here and nowhere else.

Of hands only that of the viewer is read, and of events only what `visible_event` leaves; a new
deck's order is never in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from masons.engine.plain_text import count, does, victory
from masons.gui.pages.board_elements import Pieces
from masons.gui.pages.decision_choices import choices_of, figures, hand_cards
from masons.match.playing.game_words import END_WORDS, event_words, visible_event
from masons.pictures.what_is_due import task_words

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.engine.formats.record_events import Event
    from masons.engine.state.position import Position
    from masons.gui.server.seating import Client, Seating, Sent
    from masons.match.playing.played_game import PlayedGame

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
            **figures(position),
            **self._pieces.of(position),
            "hand": None if viewer is None else hand_cards(played.scored_view(viewer), viewer),
            "moves": _moves(played) if decides else None,
            "undo": played.why_no_undo if decides else None,
            "news": _news(played, viewer, client.sent, game),
            "result": _result(played),
        }


def _moves(played: PlayedGame) -> dict[str, Any]:
    game = played.game
    return choices_of(played.scored_view(game.seat), game.legal_moves())


def _seen(played: PlayedGame, viewer: int | None) -> Position:
    return played.game.position.observed_by(None) if viewer is None else played.view(viewer)


def _news(played: PlayedGame, viewer: int | None, sent: Sent, game: int) -> dict[str, Any]:
    """The events that a page was not told yet; all of them where it must forget what it has."""
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
