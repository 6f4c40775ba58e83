"""The messages of studies, puzzles and lessons to a page, as classes (see `sent_messages.py`)."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from masons.gui.explanation_messages import Why
from masons.gui.message_parts import (
    AnyEvent,
    Mark,
    MeasuredMove,
    Ranking,
    RatedMove,
    Sent,
    StudyPosition,
)
from masons.words.scored_view import MoveFacts


class RankingMessage(Ranking, frozen=True, kw_only=True, tag="info"):
    """The state of a search."""


class GraphPoint(Sent, frozen=True, kw_only=True):
    """A point of a game's graph, with all hands open."""

    step: int
    wins: tuple[float, ...]
    luck: tuple[float, ...]


class GraphMessage(Sent, frozen=True, kw_only=True, tag="graph"):
    """The next points of a game's graph."""

    at: int | UnsetType = UNSET
    points: tuple[GraphPoint, ...]


class ProgressMessage(Sent, frozen=True, kw_only=True, tag="info"):
    """The progress of a review."""

    done: int
    total: int
    at: int | UnsetType = UNSET


class StudyMessage(Sent, frozen=True, kw_only=True, tag="study"):
    """The steps of a study."""

    names: tuple[str, ...]
    games: int
    is_over: bool
    branch: int | None
    line: tuple[str, ...]
    source: dict[str, str | int] | None
    steps: tuple[tuple[AnyEvent, ...], ...]


class Decision(RatedMove, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """A decision of a review; `review --json` has more fields."""

    number: int
    turn: int
    seat: int
    is_coached: bool


class MarksMessage(Sent, frozen=True, kw_only=True, tag="marks"):
    """The mistakes in a game whose review is kept, and decisions that may have been some."""

    decisions: tuple[Decision, ...]
    mistakes: tuple[int, ...]  # the numbers of the decisions of people, the costliest first


class ReviewedPlayer(Struct, frozen=True, kw_only=True):
    """The decisions of a seat."""

    seat: int
    marks: dict[Mark, int]
    mean_loss: float
    error: float


class MarginResult(Sent, frozen=True, kw_only=True):
    """The result of a seat in points, divided into luck and play."""

    seat: int
    margin: float
    luck: float
    play: float
    digits: int
    interval: float


class ReviewMessage(Sent, frozen=True, kw_only=True, tag="review"):
    """A review."""

    at: int | UnsetType = UNSET
    decisions: tuple[Decision, ...]
    players: tuple[ReviewedPlayer, ...]
    mistakes: tuple[int, ...]  # the numbers of the decisions to learn from, the costliest first
    dear: tuple[int, ...]  # those of people's other decisions that cost many points
    results: tuple[MarginResult, ...]  # of a game that was played to its end


class PuzzleChoice(MeasuredMove, frozen=True, kw_only=True):
    """A move of a solved puzzle."""

    yours: bool
    played: bool


class Standing(Struct, frozen=True, kw_only=True):
    """The results of the solver of puzzles so far."""

    rating: int
    interval: int  # half width of the 95 % interval
    streak: int  # puzzles solved in a row
    longest: int
    days: int  # days in a row with puzzles
    today: tuple[int, int]  # the puzzles solved and answered today


class PuzzleMessage(Sent, frozen=True, kw_only=True, tag="puzzle"):
    """A puzzle, or none if there is no `position`."""

    number: int
    total: int
    standing: Standing
    is_daily: bool = False
    is_own: bool = False  # a mistake of the solver
    tries: int = 0  # how often it was tried before
    position: StudyPosition | UnsetType = UNSET


class SolvedMessage(Sent, frozen=True, kw_only=True, tag="solved"):
    """The verdict on an answer. It comes a second time with the reasons, and then `is_whole`."""

    number: int  # of the puzzle
    is_solved: bool
    choices: tuple[PuzzleChoice, ...]
    why: Why | None
    is_whole: bool
    gain: int | None  # of the solver's rating; None if the puzzle does not count
    rating: int | None  # of the puzzle
    themes: tuple[str, ...]
    days: int  # until the puzzle comes again
    standing: Standing


class LessonEntry(Sent, frozen=True, kw_only=True):
    """A lesson of the list."""

    number: int
    title: str
    done: bool


class LessonsMessage(Sent, frozen=True, kw_only=True, tag="lessons"):
    """The list of lessons."""

    lessons: tuple[LessonEntry, ...]
    fault: str


class ShownMove(Sent, frozen=True, kw_only=True):
    """The answer, which the learner asked for."""

    move: str
    facts: MoveFacts


class SaidOfMove(Sent, frozen=True, kw_only=True):
    """The words of a lesson about the last move."""

    right: bool | None
    points: int
    shown: ShownMove | None
    words: tuple[str, ...]


class LessonMessage(Sent, frozen=True, kw_only=True, tag="lesson"):
    """A step of a lesson."""

    number: int
    lessons: tuple[LessonEntry, ...]
    title: str
    step: int
    steps: int
    words: tuple[str, ...]
    task: str | None
    counts: bool
    places: tuple[tuple[Literal["line", "space", "tower"], int], ...]
    said: SaidOfMove
    position: StudyPosition


class ComparedMessage(Sent, frozen=True, kw_only=True, tag="compared"):
    """Why one of two moves is better."""

    at: int | UnsetType = UNSET
    first: str
    first_facts: MoveFacts
    second: str
    second_facts: MoveFacts
    why: Why | None
    win: float | None  # by how much the first wins more often
    win_interval: float | None


class BelievedHand(Sent, frozen=True, kw_only=True):
    """The cards that a seat probably holds."""

    seat: int
    cards: tuple[tuple[str, float], ...]


class BeliefMessage(Sent, frozen=True, kw_only=True, tag="belief"):
    """The hidden hands."""

    at: int | UnsetType = UNSET
    guessed: bool
    seats: tuple[BelievedHand, ...]


class FirstWall(Struct, frozen=True, kw_only=True):
    """A first wall; `openings --json` has more fields."""

    line: int
    win: float | None
    win_error: float | None
    loss: float
    loss_error: float
    equal: bool
    regions: tuple[int, ...]
    edge: bool
    shore: bool


class WallKind(Sent, frozen=True, kw_only=True):
    """A kind of first walls."""

    kind: str
    lines: tuple[int, ...]
    win: float
    win_error: float
    usual: float
    rare: bool
    frequent: bool


class HelpfulCard(Sent, frozen=True, kw_only=True):
    """A card that makes some first walls better."""

    card: str
    where: int | str
    lines: tuple[int, ...]
    gain: float
    gain_error: float


class OpeningsMessage(Struct, frozen=True, kw_only=True, tag="openings"):
    """The best first walls."""

    players: int
    hand: tuple[str, ...]
    games: int
    simulations: int | None
    walls: tuple[FirstWall, ...]
    even: bool
    kinds: tuple[WallKind, ...]
    helped: tuple[HelpfulCard, ...]
    others: int


class PictureMessage(Sent, frozen=True, kw_only=True, tag="picture"):
    """A picture or a page, in Base64."""

    at: int | UnsetType = UNSET
    kind: Literal["svg", "png", "gif", "html"]
    data: str


class WatchedMessage(Sent, frozen=True, kw_only=True, tag="watched"):
    """A new game of the watched file was opened."""
