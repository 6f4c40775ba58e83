"""The messages of studies, puzzles and lessons to a page, as classes (see `sent_messages.py`)."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from masons.gui.explanation_messages import Why
from masons.gui.message_parts import AnyEvent, Mark, Ranking, Sent, StudyPosition, Wins
from masons.words.scored_view import MoveFacts


class RankingMessage(Ranking, frozen=True, kw_only=True, tag="info"):
    """The state of a search."""


class GraphMessage(Sent, frozen=True, kw_only=True, tag="info"):
    """A point of the graph."""

    step: int
    wins: Wins
    at: int | UnsetType = UNSET


class ProgressMessage(Sent, frozen=True, kw_only=True, tag="info"):
    """The progress of a review."""

    done: int
    total: int
    at: int | UnsetType = UNSET


class StudyMessage(Sent, frozen=True, kw_only=True, tag="study"):
    """The steps of a study."""

    names: tuple[str, ...]
    games: int
    branch: int | None
    line: tuple[str, ...]
    source: dict[str, str | int] | None
    steps: tuple[tuple[AnyEvent, ...], ...]


class Decision(Struct, frozen=True, kw_only=True):
    """A decision of a review; `review --json` has more fields."""

    number: int
    seat: int
    mark: Mark
    played: str
    played_facts: MoveFacts
    best: str
    best_facts: MoveFacts
    loss: float
    interval: float
    points: float
    points_interval: float
    equal: tuple[str, ...]
    is_coached: bool
    why: Why | None


class ReviewedPlayer(Struct, frozen=True, kw_only=True):
    """The decisions of a seat."""

    seat: int
    marks: dict[Mark, int]
    mean_loss: float
    error: float


class ShareResult(Sent, frozen=True, kw_only=True):
    """The result of a seat, divided into luck and play."""

    seat: int
    share: float
    luck: float
    play: float
    interval: float


class ReviewMessage(Sent, frozen=True, kw_only=True, tag="review"):
    """A review."""

    at: int | UnsetType = UNSET
    decisions: tuple[Decision, ...]
    moments: tuple[tuple[int, Wins], ...]
    measured: tuple[tuple[int, Wins], ...]
    players: tuple[ReviewedPlayer, ...]
    critical: tuple[int, ...]
    mistakes: int
    results: tuple[ShareResult, ...]


class PuzzleChoice(Struct, frozen=True, kw_only=True):
    """A move of a solved puzzle."""

    move: str
    facts: MoveFacts
    win: float
    interval: float
    loss: float
    loss_interval: float | None
    is_equal: bool
    yours: bool
    played: bool


class PuzzleMessage(Sent, frozen=True, kw_only=True, tag="puzzle"):
    """A puzzle, or none."""

    number: int
    total: int
    moves: tuple[tuple[str, MoveFacts], ...] | None
    position: StudyPosition | UnsetType = UNSET


class SolvedMessage(Sent, frozen=True, kw_only=True, tag="solved"):
    """The verdict on an answer."""

    found: bool
    choices: tuple[PuzzleChoice, ...]
    why: Why | None


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
    lessons: int
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
    """A picture as a data URL."""

    kind: Literal["svg", "png"]
    data: str


class WatchedMessage(Sent, frozen=True, kw_only=True, tag="watched"):
    """A new game of the watched file was opened."""
