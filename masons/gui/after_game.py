"""A look back at a finished game: the luck, the play and the most important moments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import structs

from masons.ai.review.decision_loss import MARKED, UNSURE
from masons.gui.kept_reviews import KeptDecision, KeptStroke
from masons.gui.margin_results import margin_result
from masons.gui.pictures.mistake_pictures import Album

if TYPE_CHECKING:
    from collections.abc import Collection

    from masons.engine.board.geometry import Board
    from masons.gui.kept_reviews import KeptReview

_MOMENTS: Final = 3


def look_back(review: KeptReview, seats: Collection[int], board: Board) -> dict[str, Any]:
    """Return the `after` message, which tells the players of `seats` what mattered in a game.

    The moments are the three costliest mistakes of `seats`. If there are fewer mistakes, decisions
    of theirs follow that may have cost as much, then those that cost only points, and then other
    events: the rolls, the draws and the mistakes of other seats that changed a win probability
    most. This is the win probability of the lowest of `seats`. What a mistake loses is divided
    equally among all other seats.
    """
    return {
        "type": "after",
        "file": review.file,
        "results": [_result(review, seat) for seat in sorted(seats)] if review.has_end else [],
        "moments": _moments(review, seats, Album(board)),
        "mistakes": len(review.mistakes(seats)),
    }


def _result(review: KeptReview, seat: int) -> dict[str, Any]:
    margin, luck, error = review.margins[seat], review.luck[seat], review.luck_errors[seat]
    return margin_result(seat, margin, luck, error, len(review.names))


def _moments(review: KeptReview, seats: Collection[int], album: Album) -> list[dict[str, Any]]:
    decisions = sorted((*review.decisions, *review.others), key=lambda each: -each.loss)
    marked = [each for each in decisions if each.mark in MARKED]
    # Of other decisions, a position is kept only if they may have been mistakes or cost points.
    unsure = [each for each in decisions if each.mark == UNSURE and each.position]
    dear = [each for each in decisions if each.mark not in (*MARKED, UNSURE) and each.position]
    dear.sort(key=lambda each: -each.points)
    mistakes = [each for each in (*marked, *unsure, *dear) if each.seat in seats]
    moments = [_mistake(each, album) for each in mistakes[:_MOMENTS]]
    seat, rivals = min(seats), len(review.names) - 1
    gains: list[tuple[float, KeptDecision | KeptStroke]] = [
        *((each.loss / rivals, each) for each in marked if each.seat not in seats),
        *((abs(stroke.gains[seat]), stroke) for stroke in review.strokes),
    ]
    gains.sort(key=lambda pair: -pair[0])
    for _, event in gains[: _MOMENTS - len(moments)]:
        if isinstance(event, KeptDecision):
            moments.append({**_mistake(event, album), "is_gift": True})
            continue
        picture = album.picture({"position": event.position, "title": f"Turn {event.turn}"})
        moments.append(
            {
                "turn": event.turn, "seat": seat, "kind": "luck", "loss": -event.gains[seat],
                "cause": event.cause, "who": event.seat, "fell": event.fell, "picture": picture,
            }
        )  # fmt: skip
    return moments


def _mistake(decision: KeptDecision, album: Album) -> dict[str, Any]:
    picture = album.picture(structs.asdict(decision))
    return {"kind": "mistake", **decision.data(), "picture": picture}
