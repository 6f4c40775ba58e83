"""The file of reviews of finished games, from which profiles and puzzles are made.

| key         | value                                                                         |
| ----------- | ----------------------------------------------------------------------------- |
| `format`    | `masons-kept-reviews`                                                          |
| `version`   | 1                                                                              |
| `reviews`   | a `KeptReview` for each game, by the SHA-256 of its record (in the form that   |
|             | `format_record` writes)                                                        |
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from masons.ai.review.decision_loss import MARK_NAMES, MARKED, UNSURE, rate_decision
from masons.ai.review.performance import KIND_OF_PHASE
from masons.ai.review.worth import Worth
from masons.ai.search.limits import Limits
from masons.engine.board.components import MIN_PLAYERS
from masons.engine.errors import MasonsError
from masons.engine.files import read_if_there
from masons.engine.game.record import format_record
from masons.engine.storage.held_file import HeldFile, change_file
from masons.gui import live_searches as searches
from masons.gui.explanation_messages import Why
from masons.gui.margin_results import luck_of, margins
from masons.gui.study_messages import Decision
from masons.words.scored_view import MoveFacts

if TYPE_CHECKING:
    from pathlib import Path

    from masons.ai.review.review_work import Work
    from masons.ai.search.threads import Stop
    from masons.engine.board.geometry import Board

_MOST_BYTES: Final = 1 << 27
# Other seats' decisions are first rated with these limits, to find the costliest ones.
_QUICK: Final = Limits(sims=200, rollouts=100, seed=0)
_OTHERS: Final = 4  # the number of these costliest decisions, which are then rated in full
_LEAST_UNSURE: Final = 0.02  # an uncertain loss of this win probability may be a mistake

Share = Annotated[float, Meta(ge=-1, le=1)]
Points = Annotated[float, Meta(ge=-1000, le=1000)]
Whole = Annotated[int, Meta(ge=0, le=100_000)]


class KeptDecision(Struct, frozen=True):
    """A rated decision.

    `loss` is the loss in win probability and `points` the loss in score margin. The fields after
    `points` are kept only if the decision was a mistake, may have been one, or cost points.
    `interval` and `points_interval` are half widths of the 95 % intervals of the losses; they are 0
    in reviews that an earlier release kept.
    """

    number: Whole
    turn: Whole
    seat: Whole
    phase: Annotated[str, Meta(pattern=f"^({'|'.join(KIND_OF_PHASE)})$")]
    mark: Annotated[str, Meta(pattern=f"^({'|'.join(MARK_NAMES)})$")]
    loss: Share
    points: Points
    played: str = ""
    best: str = ""
    position: str = ""
    played_facts: MoveFacts = MoveFacts()
    best_facts: MoveFacts = MoveFacts()
    why: Why | None = None
    interval: Share = 0.0
    points_interval: Points = 0.0
    equal: tuple[str, ...] = ()  # moves that can't be told apart from the best one
    is_coached: bool = False  # True if the coach gave this verdict during the game
    win: Share | None = None  # after the best move; None in reviews that an earlier release kept
    games: Whole = 0  # played for the verdict; 0 in reviews that an earlier release kept
    win_interval: Share | None = None  # None in reviews that an earlier release kept
    worth: Worth | None = None  # likewise

    def data(self) -> dict[str, Any]:
        """Return the decision as the data of a `Decision`."""
        return {name: getattr(self, name) for name in Decision.__struct_fields__}


class KeptStroke(Struct, frozen=True):
    """One of the rolls and draws that changed the win probabilities most.

    `gains` has the change of each seat's win probability. `fell` names the dice or the cards.
    """

    turn: Whole
    position: str
    gains: tuple[Share, ...]
    cause: str = ""  # dice, cards or deal; "" if an earlier release kept the review
    seat: Whole = 0
    fell: tuple[str, ...] = ()


class KeptReview(Struct, frozen=True):
    """The part of a review that is kept.

    A margin is a seat's points minus the mean points of the other seats.
    """

    file: str  # the name of the game's file in the folder
    ended: str  # the time of the end, such as 2026-11-25 12:30
    names: tuple[str, ...]
    has_end: bool  # True if the game was played to its end
    margins: tuple[Points, ...]  # the final margin of each seat
    luck: tuple[Points, ...]  # the part of each margin that is due to chance
    luck_errors: tuple[Points, ...]  # the standard error of each seat's luck
    decisions: tuple[KeptDecision, ...]
    strokes: tuple[KeptStroke, ...]
    others: tuple[KeptDecision, ...] = ()  # the costliest mistakes of other seats

    def __post_init__(self) -> None:
        """Raise ValueError if the fields do not fit the number of seats."""
        seats = len(self.names)
        each = (self.margins, self.luck, self.luck_errors, *(s.gains for s in self.strokes))
        if seats < MIN_PLAYERS or any(len(numbers) != seats for numbers in each):
            raise ValueError(f"each seat of {seats} needs a number")
        if any(decision.seat >= seats for decision in (*self.decisions, *self.others)):
            raise ValueError("a decision is of no seat")

    def mistakes(self, seats: Collection[int] = ()) -> list[KeptDecision]:
        """Return the mistakes of `seats` (of all people if it is empty), the costliest first."""
        marked = [
            each
            for each in self.decisions
            if each.mark in MARKED and (not seats or each.seat in seats)
        ]
        return sorted(marked, key=lambda each: -each.loss)


class _File(Struct):
    format: Literal["masons-kept-reviews"]
    version: Literal[1]
    reviews: dict[str, KeptReview]


@dataclass(frozen=True)
class OverGame:
    """A finished game. `seats` are the seats of people, which are rated."""

    file: str  # the name of the game's file in the folder
    ended: str  # the time of the end, such as 2026-11-25 12:30
    record: dict[str, Any]
    seats: frozenset[int]

    @property
    def key(self) -> str:
        """The key of the game's review."""
        return hashlib.sha256(format_record(self.record).encode()).hexdigest()


class KeptReviews:
    """The file of reviews, which is read once and always written as a whole."""

    def __init__(self, path: Path, coached: searches.CoachedVerdicts) -> None:
        """Use the file `path`, which may be missing. Reviews adopt the verdicts in `coached`."""
        self.path = path
        self._coached = coached
        self.fault = ""  # a line about a fault of the file, until a page has been told of it
        self._lock = Lock()  # held while a review is made or the file is read
        self._reviews: dict[str, KeptReview] | None = None

    @property
    def reviews(self) -> Mapping[str, KeptReview]:
        """All reviews, by the `key` of their games. A damaged file is renamed and replaced."""
        if self._reviews is None:
            self._reviews = {}
            try:
                reviews = _decoded(read_if_there(self.path, _MOST_BYTES))
                if reviews is None:
                    self._set_aside()
                else:
                    self._reviews = reviews
            except (MasonsError, OSError) as error:
                self.fault = f"{self.path}: {getattr(error, 'strerror', None) or error}"
        return self._reviews

    def _set_aside(self) -> None:
        """Save the damaged file under another name. Raises MasonsError or OSError."""

        def change(file: HeldFile) -> bytes:
            spare = file.set_aside("bad", file.read())
            self.fault = (
                f"{self.path} holds no reviews that can be read: it is kept as {spare}, and the "
                "games can be reviewed again"
            )
            return _encoded({})

        change_file(self.path, change)

    def forget(self) -> None:
        """Delete the file. A review that is being made will not be kept. Raises OSError."""
        self.path.unlink(missing_ok=True)
        self._reviews = {}

    def review_of(
        self,
        game: OverGame,
        board: Board,
        stop: Stop,
        tell: searches.Tell,
        progress: dict[str, Any],
    ) -> KeptReview | None:
        """Return the review of a game; make and keep the review if it is missing.

        While the review is made, `tell` is called with the message `progress`, to which `done` and
        `total` are added. Return None if the review was stopped. Raises MasonsError if the record
        cannot be reviewed, or OSError.
        """
        key = game.key
        with self._lock:
            reviews = self.reviews
            if (kept := reviews.get(key)) is not None:
                return kept
            made = _made(game, board, self._coached, stop, tell, progress)
            # Keep the review unless all reviews were deleted meanwhile.
            if made is not None and self._reviews is reviews:
                self._keep(key, made)
            return made

    def _keep(self, key: str, review: KeptReview) -> None:
        """Add a review to the file, which other programs may have changed."""

        def change(file: HeldFile) -> bytes:
            others = _decoded(file.read()) or {}
            self._reviews = {**others, **(self._reviews or {}), key: review}
            return _encoded(self._reviews)

        change_file(self.path, change)


def _decoded(data: bytes) -> dict[str, KeptReview] | None:
    """Return the reviews in a file's content, or None if the content is damaged."""
    try:
        return msgspec.json.decode(data, type=_File).reviews if data else {}
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def _encoded(reviews: dict[str, KeptReview]) -> bytes:
    return msgspec.json.encode(_File("masons-kept-reviews", 1, reviews))


def _made(
    game: OverGame,
    board: Board,
    coached: searches.CoachedVerdicts,
    stop: Stop,
    tell: searches.Tell,
    progress: dict[str, Any],
) -> KeptReview | None:
    """Review the decisions of the game's people, and the costliest decisions of the other seats.

    Return None if `stop` was set meanwhile.
    """
    work = searches.review_work(game.record, board)
    steps, rated = work.timeline.steps, work.rated
    work.rated = [index for index in rated if steps[index].seat in game.seats]
    others = [index for index in rated if steps[index].seat not in game.seats]
    count = len(others)

    def tell_all(message: dict[str, Any]) -> None:
        tell({**message, "done": message["done"] + count, "total": message["total"] + count})

    total = work.total + count + min(count, _OTHERS)
    worst = _costliest(work, others, stop, tell, {**progress, "total": total})
    if worst is None:
        return None
    work.rated += worst
    report = searches.report(work, coached, stop, tell_all, progress)
    if report is None:
        return None
    luck, luck_errors = zip(*luck_of(work), strict=True)
    return KeptReview(
        file=game.file,
        ended=game.ended,
        names=tuple(report["names"]),
        has_end=report["ended"],
        margins=tuple(margins(report["scores"])),
        luck=luck,
        luck_errors=luck_errors,
        decisions=tuple(
            _kept_decision(each) for each in report["decisions"] if each["seat"] in game.seats
        ),
        strokes=tuple(msgspec.convert(each, KeptStroke) for each in report["strokes"]),
        others=tuple(
            _kept_decision(each)
            for each in report["decisions"]
            if each["seat"] not in game.seats and each["mark"] in MARKED
        ),
    )


def _costliest(
    work: Work, indices: Sequence[int], stop: Stop, tell: searches.Tell, progress: dict[str, Any]
) -> list[int] | None:
    """Return the decisions that lose most according to a quick rating, or None if `stop` is set.

    A decision is given by the index of its step.
    """
    timeline, losses = work.timeline, {}
    for done, index in enumerate(indices):
        if stop.is_set:
            return None
        tell({**progress, "done": done})
        move = timeline.steps[index].move
        assert move is not None
        view = timeline.observe(index)
        losses[index] = rate_decision(timeline.table, view, move, _QUICK).difference
    return sorted(losses, key=lambda index: -losses[index])[:_OTHERS]


def _kept_decision(decision: dict[str, Any]) -> KeptDecision:
    names = KeptDecision.__struct_fields__
    is_unsure = decision["mark"] == UNSURE and decision["loss"] >= _LEAST_UNSURE
    if decision["mark"] not in MARKED and not is_unsure and not searches.costs_points(decision):
        names = ("number", "turn", "seat", "phase", "mark", "loss", "points")
    return KeptDecision(**{name: decision[name] for name in names})
