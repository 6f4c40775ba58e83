"""The parts of the messages that a page is sent, as classes: events, positions, moves.

`sent_messages.py` has the messages that consist of them.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType, field

from masons.ai.review.worth import Worth
from masons.gui.explanation_messages import Why
from masons.words.scored_view import MoveFacts

Phase: TypeAlias = Literal[
    "wall", "roll", "towers", "houses", "merge", "score", "draw", "swap", "final", "over"
]
Mark: TypeAlias = Literal["best", "good", "unsure", "inaccuracy", "error", "blunder"]
BestCard: TypeAlias = tuple[str, int]  # a card and its points
Shape: TypeAlias = tuple[str, int, float, float, float]  # [symbol, number, x, y, size]
Put: TypeAlias = tuple[int, str]  # a place and a color


class Sent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message to a page, or a part of one."""


# --- events


class GameEvent(Sent, frozen=True, kw_only=True, tag_field="event"):
    """An event of a game."""

    seat: int | None


class WallEvent(GameEvent, frozen=True, kw_only=True, tag="wall"):
    """A wall was placed."""

    line: int


class EarlyRollEvent(GameEvent, frozen=True, kw_only=True, tag="early-roll"):
    """The dice were rolled before the wall, for points."""

    points: int


class RollEvent(GameEvent, frozen=True, kw_only=True, tag="roll"):
    """The dice were rolled."""

    tower: str | UnsetType | None = UNSET
    houses: tuple[str, ...]


class TowersEvent(GameEvent, frozen=True, kw_only=True, tag="towers"):
    """Towers were placed."""

    put: tuple[Put, ...]


class HousesEvent(GameEvent, frozen=True, kw_only=True, tag="houses"):
    """Houses were placed."""

    put: tuple[Put, ...]


class CityEvent(GameEvent, frozen=True, kw_only=True, tag="city"):
    """A city was completed."""

    spaces: tuple[int, ...]
    walls_back: tuple[int, ...]
    towers_back: tuple[Any, ...]


class MergeEvent(GameEvent, frozen=True, kw_only=True, tag="merge"):
    """A city was merged with another one, or with none."""

    other: int | None = field(name="with")
    walls_back: tuple[int, ...] | UnsetType = UNSET
    towers_back: tuple[Any, ...] | UnsetType = UNSET


class PalacesEvent(GameEvent, frozen=True, kw_only=True, tag="palaces"):
    """Palaces were built."""

    built: dict[str, int]


class PlayEvent(GameEvent, frozen=True, kw_only=True, tag="play"):
    """Cards were scored."""

    cards: tuple[str, ...]
    points: tuple[int, ...]
    drew: tuple[str, ...] | int | UnsetType = UNSET


class AbstainEvent(GameEvent, frozen=True, kw_only=True, tag="abstain"):
    """A card was discarded."""

    card: str
    drew: tuple[str, ...] | int | UnsetType = UNSET


class SwapEvent(GameEvent, frozen=True, kw_only=True, tag="swap"):
    """Cards were swapped."""

    out: tuple[str, ...]
    drew: tuple[str, ...] | int | UnsetType = field(name="in", default=UNSET)


class ReshuffleEvent(GameEvent, frozen=True, kw_only=True, tag="reshuffle"):
    """The discarded cards became the deck."""

    deck: int


class FinalEvent(GameEvent, frozen=True, kw_only=True, tag="final"):
    """The last cards were scored, or none."""

    cards: tuple[str, ...]
    points: tuple[int, ...]
    city: int | None


AnyEvent: TypeAlias = (
    WallEvent | EarlyRollEvent | RollEvent | TowersEvent | HousesEvent | CityEvent | MergeEvent
    | PalacesEvent | PlayEvent | AbstainEvent | SwapEvent | ReshuffleEvent | FinalEvent
)  # fmt: skip

# --- positions


class Pieces(Sent, frozen=True, kw_only=True):
    """The pieces on a board."""

    walls: tuple[int, ...]
    fresh: int | None
    towers: dict[str, str]
    cities: tuple[tuple[int, ...], ...]
    scored: tuple[int, ...]
    stocks: dict[str, tuple[Shape, ...]]


class HeldCard(Sent, frozen=True, kw_only=True):
    """A card of a hand, with the points that it would score now."""

    card: str
    points: int


class Option(Sent, frozen=True, kw_only=True):
    """A choice of pieces or of a merger."""

    move: str
    put: tuple[tuple[int, int], ...]  # places and colors
    cards: tuple[BestCard, ...]


class CityPoints(Sent, frozen=True, kw_only=True):
    """The points of all cards for a city."""

    city: int | None
    points: dict[str, int]


class Moves(Sent, frozen=True, kw_only=True):
    """The choices of a decision, of which the phase determines the fields."""

    walls: dict[str, int] | UnsetType = UNSET
    closing: dict[str, tuple[BestCard, ...]] | UnsetType = UNSET
    early_roll: bool | UnsetType = UNSET
    choices: tuple[Option, ...] | UnsetType = UNSET
    cities: tuple[CityPoints, ...] | UnsetType = UNSET


class Supply(Sent, frozen=True, kw_only=True):
    """The pieces left in the supply."""

    walls: int
    towers: tuple[int, ...]
    houses: tuple[int, ...]
    palaces: tuple[int, ...]


class AnyPosition(Pieces, frozen=True, kw_only=True, tag="position"):
    """The fields of all positions."""

    names: tuple[str, ...]
    turn: int
    phase: Phase
    end: str | None
    active: int
    scores: tuple[int, ...]
    cards: tuple[int, ...]
    deck: int
    face_up: tuple[str, ...]
    supply: Supply
    seat: int | None
    decider: int | None
    decides: bool
    hand: tuple[HeldCard, ...] | None
    moves: Moves | None


class News(Sent, frozen=True, kw_only=True):
    """The new events of a game."""

    first: int
    events: tuple[AnyEvent, ...]


class GameResult(Sent, frozen=True, kw_only=True):
    """The end of a game."""

    winners: tuple[int, ...]
    end: str | UnsetType = UNSET
    resigned: int | UnsetType = UNSET
    forfeit: int | UnsetType = UNSET


class FairGame(Struct, frozen=True, kw_only=True):
    """The part of a fair game that a page needs."""

    commitment: str


class ClockState(Sent, frozen=True, kw_only=True):
    """The clock of a game of two people."""

    seconds: int
    increment: int
    left: tuple[float, ...]  # seconds of each seat
    running: int | None


class GamePosition(AnyPosition, frozen=True, kw_only=True, tag="position"):
    """A position of a game."""

    at: int
    game: int
    file: str | UnsetType = UNSET
    host: bool
    seats: tuple[int, ...]
    curtain: int | None
    people: tuple[int, ...]
    away: tuple[int, ...]
    due: Literal["person", "engine", "roll", "card", "over"]
    rolls: bool | None
    draws: bool
    practice: bool
    hints: bool
    present: tuple[int, ...]
    rematch: tuple[int, ...] | None
    clock: ClockState | None
    fair: FairGame | None
    undo: str | None
    news: News
    result: GameResult | None
    fault: str | None
    coach: bool | None


class StudyPosition(AnyPosition, frozen=True, kw_only=True, tag="position"):
    """A position of a study, a lesson or a puzzle."""

    study: Literal[True]
    roll: RollEvent | None
    text: str
    hands: tuple[tuple[HeldCard, ...], ...]
    result: GameResult | None
    step: int | UnsetType = UNSET
    played: str | UnsetType | None = UNSET
    at: int | UnsetType = UNSET
    lesson: Literal[True] | UnsetType = UNSET
    practice: Literal[True] | UnsetType = UNSET


# --- moves with their figures


class MeasuredMove(Sent, frozen=True, kw_only=True):
    """A move with its figures, which are None if it was not measured."""

    move: str
    facts: MoveFacts
    win: float | None
    interval: float | None
    loss: float | None
    loss_interval: float | None
    is_equal: bool


class RankedChoice(MeasuredMove, frozen=True, kw_only=True):
    """A move in the ranking of a search."""

    is_early: bool
    line: int | None


class Loss(Sent, frozen=True, kw_only=True):
    """The loss of a move."""

    win: float | None  # after the best move; None in old reviews
    win_interval: float | None  # None in old reviews
    loss: float
    interval: float
    points: float
    points_interval: float
    equal: tuple[str, ...]
    worth: Worth | None


class RatedMove(Loss, frozen=True, kw_only=True):
    """A move that was rated, and the best one."""

    mark: Mark
    played: str
    played_facts: MoveFacts
    best: str
    best_facts: MoveFacts
    why: Why | None
    games: int  # played for the verdict; 0 in old reviews


class LikelyPiece(Sent, frozen=True, kw_only=True):
    """The piece that most often follows."""

    kind: Literal["tower", "house"]
    color: str
    place: int
    share: float


class LikelyCity(Sent, frozen=True, kw_only=True):
    """A city that is often completed."""

    city: ShownCity | None
    share: float


class ShownCity(Sent, frozen=True, kw_only=True):
    """A city, named after its colors."""

    space: int
    colors: tuple[str, ...]


class LikelyWall(Sent, frozen=True, kw_only=True):
    """The wall that most often follows."""

    line: int
    share: float


class Next(Sent, frozen=True, kw_only=True):
    """The likely course of the game."""

    you: int  # the seat that decides
    seat: int  # whose turn is next
    completes: LikelyCity | None
    piece: LikelyPiece | None
    answer: LikelyWall | None
    answer_completes: LikelyCity | None
    own: LikelyWall | None
    plays: tuple[tuple[str, float, int], ...]
    keeps: tuple[str, ...]


class Ranking(Sent, frozen=True, kw_only=True):
    """The fields of hints and rankings."""

    choices: tuple[RankedChoice, ...]
    by_points: bool
    is_open: bool
    iterations: int
    games: int
    scores: tuple[float, ...]
    why: tuple[Why, ...]
    most_lost: float | None  # no move loses more in win probability, if all are about equal
    next: Next | None
    at: int
    seconds: float | UnsetType = UNSET
    wins: tuple[float, ...] | UnsetType = UNSET
