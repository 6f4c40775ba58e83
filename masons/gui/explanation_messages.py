"""Explanations as data, which a page puts into words in its own language.

| data      | in the messages                                                                    |
| --------- | ---------------------------------------------------------------------------------- |
| `Why`     | the reasons why one of two moves is better, in `bestmove`, `compared` and others   |
| `next_of` | the likely course of the game after the best move                                  |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from masons.ai.explain.causes import (
    CardsOfThisTurn,
    HeldCard,
    KeptCards,
    PlayedCards,
    PointsThisTurn,
    RestOfCards,
    ScoredTurns,
    SwapChange,
)
from masons.ai.explain.closed_cities import CityChange, NamedCity

if TYPE_CHECKING:
    from masons.ai.explain.causes import Cause, Reason
    from masons.ai.explain.closed_cities import ClosedCity
    from masons.ai.explain.expected_line import ExpectedLine
    from masons.ai.explain.explanation import Difference, Explanation
    from masons.ai.explain.game_end import EndChange
    from masons.ai.review.decision_loss import LossVerdict

Part = Literal["now", "cities", "final", "others"]
_LEAST: Final = 0.1  # the smallest interval that is shown, in points


class WhyCause(Struct, frozen=True, omit_defaults=True):
    """A cause of a reason. Its `kind` determines which other fields are used.

    | kind         | fields                                                                   |
    | ------------ | ------------------------------------------------------------------------ |
    | `plays`      | the move plays `cards`, in the city with the lowest space `value`, if    |
    |              | this is not 0                                                            |
    | `otherPlays` | the other move plays `cards`, likewise                                   |
    | `card`       | the single card in `cards` brings `value` points after the move, and     |
    |              | `other` points after the other move, in the reason's part of the game    |
    | `city`       | `seat` completes a city in this turn, in a share of the games: `value`   |
    |              | after the move, and `other` after the other move                         |
    | `laterCity`  | `city` is completed in a later turn, likewise                            |
    | `turn`       | of the seat's points, `value` more are scored in this turn, and `other`  |
    |              | more later (below 0: fewer)                                              |
    | `turns`      | cities are scored in `value` later turns after the move, and in `other`  |
    |              | later turns after the other move                                         |
    | `kept`       | only the move keeps `cards`, only the other move keeps `others`, and the |
    |              | seat holds `value` more cards after the move (below 0: fewer)            |
    | `swap`       | `seat` is in last place and may swap cards in this turn, in a share of   |
    |              | the games: `value` after the move, and `other` after the other move      |
    | `thisTurn`   | cards that the seat scores in this turn after only one of the moves: the |
    |              | other one if `value` is above 0, else the first                          |
    | `rest`       | all cards that are not named bring `value` points more (below 0: fewer)  |
    """

    kind: Literal[
        "plays",
        "otherPlays",
        "card",
        "city",
        "laterCity",
        "turn",
        "turns",
        "kept",
        "swap",
        "thisTurn",
        "rest",
    ]
    cards: tuple[str, ...] = ()
    seat: int = 0
    city: NamedCity | None = None
    value: float = 0.0
    other: float = 0.0
    others: tuple[str, ...] = ()
    is_played: bool = False  # True if the best move is compared with the move played


class WhyReason(Struct, frozen=True):
    """A part of the difference in points between two moves.

    `points` is positive if it is good for the seat that decides.
    """

    part: Part
    seat: int  # the seat whose points differ
    is_more: bool  # True if this seat scores more points after the first move
    points: float
    interval: float  # half width of the 95 % interval; 0 if the points are certain
    causes: tuple[WhyCause, ...]


class WhyEnd(Struct, frozen=True):
    """The end of the game, if one of two moves makes it come much sooner.

    `now` is the share of the games that end in this turn, and `turns` the mean number of turns
    after it; `is_now` is true if the shares differ much. The others are those of the other move.
    By a sooner end, the rival `seat` can't score as much. A later end lets `seat` score more.
    """

    is_now: bool
    now: float
    now_other: float
    turns: float
    turns_other: float
    is_sooner: bool = False  # True if the game ends sooner after the move
    seat: int | None = None  # None in old reviews


class Why(Struct, frozen=True):
    """The reasons why a move is better than another, or than a middling one."""

    move: str
    against: str
    is_clear: bool  # True if the difference in points exceeds its interval
    reasons: tuple[WhyReason, ...]  # with a cause
    bare: tuple[WhyReason, ...] = ()  # parts of the difference without a cause
    is_middling: bool = False  # True if `against` is a move from the middle of the search's order
    end: WhyEnd | None = None
    points: float | None = None  # the whole difference; None in old reviews
    is_even: bool = False  # True if the moves are about equally good
    given_up: float = 0.0  # what the other move scores more in this turn, though it is worse


def why_of(
    split: Difference, *, is_middling: bool = False, verdict: LossVerdict | None = None
) -> Why:
    """Return the reasons for a difference between two moves, if they exceed their intervals.

    With the `verdict` on the other move, the whole difference is the loss that it states.
    """
    is_played = verdict is not None
    return Why(
        str(split.move),
        str(split.other),
        split.is_told_apart,
        tuple(_reason_of(split, reason, is_played) for reason in split.told),
        tuple(_reason_of(split, reason, is_played) for reason in split.bare),
        is_middling,
        None if split.end is None else _end_of(split.end),
        round(split.points if verdict is None else verdict.points, 2),
        split.is_even,
        round(split.given_up, 1),
    )


def why_of_verdict(verdict: LossVerdict) -> Why | None:
    """Return the reasons against the move played, or None if there are none."""
    split = verdict.against
    return None if split is None else why_of(split, verdict=verdict)


def _reason_of(split: Difference, reason: Reason, is_played: bool) -> WhyReason:
    return WhyReason(
        reason.part,  # type: ignore[arg-type]
        reason.seat,
        reason.seat_points > 0,
        round(reason.points, 2),
        round(reason.interval and max(reason.interval, _LEAST), 2),
        tuple(
            replace(_cause_of(cause, reason.seat), is_played=is_played)
            for cause in split.causes.of(reason)
        ),
    )


def _end_of(end: EndChange) -> WhyEnd:
    shares = round(end.now, 3), round(end.now_other, 3)
    turns = round(end.turns, 1), round(end.turns_other, 1)
    return WhyEnd(end.is_now, *shares, *turns, end.is_sooner, end.seat)


def _cause_of(cause: Cause, seat: int) -> WhyCause:
    match cause:
        case PlayedCards(cards=cards, is_other=is_other, city=city):
            return WhyCause("otherPlays" if is_other else "plays", cards, value=city or 0)
        case HeldCard():
            points = (round(cause.points, 1), round(cause.points_other, 1))
            return WhyCause("card", (cause.card,), 0, None, *points)
        case PointsThisTurn(points=points, later=later):
            now = round(points, 1)
            later = round(round(points + later, 1) - now, 1)
            return WhyCause("turn", (), cause.seat, None, now, later)
        case ScoredTurns():
            turns = round(cause.turns, 1), round(cause.turns_other, 1)
            return WhyCause("turns", (), 0, None, *turns)
        case KeptCards():
            return WhyCause("kept", cause.cards, 0, None, cause.more, others=cause.others)
        case SwapChange():
            swaps = round(cause.share, 3), round(cause.share_other, 3)
            return WhyCause("swap", (), cause.seat, None, *swaps)
        case CardsOfThisTurn(is_other=is_other):
            return WhyCause("thisTurn", (), 0, None, 1.0 if is_other else -1.0)
        case RestOfCards(points=points):
            return WhyCause("rest", (), 0, None, round(points, 1))
        case CityChange():
            shares = (round(cause.share, 3), round(cause.share_other, 3))
            kind: Literal["city", "laterCity"] = "city" if cause.is_now else "laterCity"
            return WhyCause(kind, (), seat, cause.city, *shares)


def explained_data(explanation: Explanation | None) -> dict[str, Any]:
    """Return an explanation as the fields `why`, `most_lost` and `next` of a message."""
    if explanation is None:
        return {"why": [], "most_lost": None, "next": None}
    return {
        "why": [
            why_of(split, is_middling=split.other == explanation.middle)
            for split in explanation.differences
        ],
        "most_lost": explanation.most_lost and round(explanation.most_lost, 4),
        "next": next_of(explanation.line) if explanation.line.is_known else None,
    }


def next_of(line: ExpectedLine) -> dict[str, Any]:
    """Return the likely course of the game after a move.

    A `share` is the share of all games played after the move in which the event happened.
    """
    return {
        "you": line.seat,
        "seat": line.next_seat,
        "completes": _completed(line.city, line.completes) if line.has_city else None,
        "piece": line.piece and {**line.piece[0]._asdict(), "share": round(line.piece[1], 3)},
        "answer": _wall(line.answer),
        "answer_completes": (
            _completed(line.answered_city, line.answer_city) if line.has_answered_city else None
        ),
        "own": _wall(line.back),
        "plays": [
            [card.card, round(card.played, 3), round(card.turns)] for card in line.played_cards
        ],
        "keeps": [card.card for card in line.kept_cards],
    }


def _completed(closed: ClosedCity | None, share: float) -> dict[str, Any]:
    """Return a city and its share, or no city and the share of games with any city."""
    city, share = (None, share) if closed is None else (closed.city, closed.share)
    return {"city": city, "share": round(share, 3)}


def _wall(likely: tuple[str, float] | None) -> dict[str, Any] | None:
    return likely and {"line": int(likely[0]), "share": round(likely[1], 3)}
