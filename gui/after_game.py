"""A look back at a finished game, with its luck, its play and its most important moments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from masons.ai.review.decision_loss import MARKED
from masons.ai.rollout.evidence import NORMAL
from masons.gui.pictures.mistake_pictures import Album

if TYPE_CHECKING:
    from collections.abc import Collection

    from masons.engine.board.geometry import Board
    from masons.gui.kept_reviews import KeptReview

_MOMENTS: Final = 3


def look_back(review: KeptReview, seats: Collection[int], board: Board) -> dict[str, Any]:
    """Return the `after` message, which tells some seats what mattered in a game.

    The rounded luck and play of a result add up to its rounded margin. The moments are the
    costliest mistakes, followed by the rolls and draws that changed the win probability most.
    """
    return {
        "type": "after",
        "file": review.file,
        "results": [_result(review, seat) for seat in sorted(seats)] if review.has_end else [],
        "moments": _moments(review, seats, Album(board)),
        "mistakes": sum(each.mark in MARKED for each in review.decisions if each.seat in seats),
    }


def _result(review: KeptReview, seat: int) -> dict[str, Any]:
    """Return a seat's margin over the mean of the other seats, divided into luck and play.

    `interval` is the half width of the 95 % confidence interval of the luck.
    """
    digits = 0 if len(review.names) == 2 else 1
    margin, luck = round(review.margins[seat], digits), round(review.luck[seat], digits)
    return {
        "seat": seat,
        "margin": margin,
        "luck": luck,
        "play": round(margin - luck, digits),
        "interval": round(NORMAL * review.luck_errors[seat], 1),
    }


def _moments(review: KeptReview, seats: Collection[int], album: Album) -> list[dict[str, Any]]:
    marked = [each for each in review.decisions if each.seat in seats and each.mark in MARKED]
    moments: list[dict[str, Any]] = [
        {
            "turn": each.turn,
            "seat": each.seat,
            "mark": each.mark,
            "loss": each.loss,
            "points": each.points,
            "move": each.played,
            "words": each.played_words,
            "best": each.best,
            "best_words": each.best_words,
            "reason": each.reason,
            "picture": album.picture(
                {
                    "position": each.position, "number": each.number, "played": each.played,
                    "best": each.best,
                }
            ),
        }
        for each in sorted(marked, key=lambda each: -each.loss)[:_MOMENTS]
    ]  # fmt: skip
    seat = min(seats)
    strokes = sorted(review.strokes, key=lambda stroke: -abs(stroke.gains[seat]))
    for stroke in strokes[: _MOMENTS - len(moments)]:
        picture = album.picture({"position": stroke.position, "title": stroke.words})
        moments.append(
            {
                "turn": stroke.turn, "seat": seat, "mark": "luck", "loss": -stroke.gains[seat],
                "words": stroke.words, "picture": picture,
            }
        )  # fmt: skip
    return moments
