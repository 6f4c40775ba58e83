"""The reviews of games that are over, kept in a file: for profiles, and to practice mistakes.

| key         | value                                                                         |
| ----------- | ----------------------------------------------------------------------------- |
| `format`    | `masons-kept-reviews`                                                          |
| `version`   | 1                                                                              |
| `reviews`   | by the SHA-256 of the record (as `format_record` writes it): see `KeptReview`  |
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from masons.ai.review.decision_loss import MARK_NAMES, MARKED
from masons.ai.review.luck import margin_luck
from masons.ai.review.performance import KIND_OF_PHASE
from masons.engine.board.components import MIN_PLAYERS
from masons.engine.errors import MasonsError
from masons.engine.files import read_if_there
from masons.engine.game.record import format_record
from masons.engine.storage.held_file import HeldFile, change_file
from masons.gui import live_searches as searches

if TYPE_CHECKING:
    from pathlib import Path

    from masons.ai.search.threads import Stop
    from masons.engine.board.geometry import Board

_MOST_BYTES: Final = 1 << 27
_LUCK_SAMPLES: Final = 128  # a second or two for a game of two

Share = Annotated[float, Meta(ge=-1, le=1)]
Points = Annotated[float, Meta(ge=-1000, le=1000)]
Whole = Annotated[int, Meta(ge=0, le=100_000)]


class KeptDecision(Struct, frozen=True):
    """A rated decision; `loss` is of win probability, `points` of margin.

    The position and what is said of it are empty where the decision has no mark.
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
    played_words: str = ""
    best_words: str = ""
    reason: str = ""


class KeptStroke(Struct, frozen=True):
    """A roll or draw that changed the win probabilities (`gains`, by seat) more than others."""

    turn: Whole
    words: str
    position: str
    gains: tuple[Share, ...]


class KeptReview(Struct, frozen=True):
    """The part of a review that is kept; margins are to the mean of the other seats."""

    file: str  # its name in the folder
    ended: str  # 2026-11-25 12:30
    names: tuple[str, ...]
    has_end: bool  # it was played to its end
    margins: tuple[Points, ...]  # final, of each seat
    luck: tuple[Points, ...]  # what chance did for each of them
    luck_errors: tuple[Points, ...]  # standard errors of that
    decisions: tuple[KeptDecision, ...]
    strokes: tuple[KeptStroke, ...]

    def __post_init__(self) -> None:
        """Raise ValueError where the parts do not fit the number of seats."""
        seats = len(self.names)
        each = (self.margins, self.luck, self.luck_errors, *(s.gains for s in self.strokes))
        if seats < MIN_PLAYERS or any(len(numbers) != seats for numbers in each):
            raise ValueError(f"each seat of {seats} needs a number")
        if any(decision.seat >= seats for decision in self.decisions):
            raise ValueError("a decision is of no seat")


class _File(Struct):
    format: Literal["masons-kept-reviews"]
    version: Literal[1]
    reviews: dict[str, KeptReview]


@dataclass(frozen=True)
class OverGame:
    """A game that is over; `seats` are those of people, which are rated."""

    file: str  # its name in the folder
    ended: str  # 2026-11-25 12:30
    record: dict[str, Any]
    seats: frozenset[int]

    @property
    def key(self) -> str:
        """The key of its review."""
        return hashlib.sha256(format_record(self.record).encode()).hexdigest()


class KeptReviews:
    """The file; it is read once, and changed whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fault = ""  # of the file, in a line, until somebody is told
        self._lock = Lock()  # while a review is made, or the file is read
        self._reviews: dict[str, KeptReview] | None = None

    @property
    def reviews(self) -> Mapping[str, KeptReview]:
        """All reviews by the key of their record; a damaged file is set aside."""
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
        """Keep the damaged file elsewhere. Raises MasonsError, OSError."""

        def change(file: HeldFile) -> bytes:
            spare = file.set_aside("bad", file.read())
            self.fault = (
                f"{self.path} holds no reviews that can be read: it is kept as {spare}, and the "
                "games can be reviewed again"
            )
            return _encoded({})

        change_file(self.path, change)

    def forget(self) -> None:
        """Delete the file; a review that is being made is not kept. Raises OSError."""
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
        """Return the review of a game, made and kept if it is not there yet.

        `tell` gets the `progress` with `done` and `total`; None if it was stopped. Raises
        MasonsError for a record that cannot be reviewed, OSError.
        """
        key = game.key
        with self._lock:
            reviews = self.reviews
            if (kept := reviews.get(key)) is not None:
                return kept
            made = _made(game, board, stop, tell, progress)
            if made is not None and self._reviews is reviews:  # nobody has deleted all meanwhile
                self._keep(key, made)
            return made

    def _keep(self, key: str, review: KeptReview) -> None:
        """Add a review beside those of other programs."""

        def change(file: HeldFile) -> bytes:
            others = _decoded(file.read()) or {}
            self._reviews = {**others, **(self._reviews or {}), key: review}
            return _encoded(self._reviews)

        change_file(self.path, change)


def _decoded(data: bytes) -> dict[str, KeptReview] | None:
    """Return the reviews of a file, none of an empty one; None where it is damaged."""
    try:
        return msgspec.json.decode(data, type=_File).reviews if data else {}
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def _encoded(reviews: dict[str, KeptReview]) -> bytes:
    return msgspec.json.encode(_File("masons-kept-reviews", 1, reviews))


def _made(
    game: OverGame, board: Board, stop: Stop, tell: searches.Tell, progress: dict[str, Any]
) -> KeptReview | None:
    alone = min(game.seats) if len(game.seats) == 1 else None
    work = searches.review_work(game.record, board, alone)
    report = searches.report(work, stop, tell, progress)
    if report is None:
        return None
    timeline, scores = work.timeline, report["scores"]
    others = len(scores) - 1
    luck = margin_luck(timeline, _LUCK_SAMPLES, work.settings.seed)
    return KeptReview(
        file=game.file,
        ended=game.ended,
        names=tuple(report["names"]),
        has_end=report["ended"],
        margins=tuple(round(s - (sum(scores) - s) / others, 2) for s in scores),
        luck=tuple(round(points, 2) for points, _ in luck),
        luck_errors=tuple(round(error, 2) for _, error in luck),
        decisions=tuple(
            _kept_decision(each) for each in report["decisions"] if each["seat"] in game.seats
        ),
        strokes=tuple(
            KeptStroke(each["turn"], each["words"], each["position"], tuple(each["gains"]))
            for each in report["strokes"]
        ),
    )


def _kept_decision(decision: dict[str, Any]) -> KeptDecision:
    known = {name: decision[name] for name in ("number", "turn", "seat", "phase", "mark")}
    marked = {}
    if decision["mark"] in MARKED:
        names = ("played", "best", "position", "played_words", "best_words")
        marked = {name: decision[name] for name in names}
        marked["reason"] = next(iter(decision["reasons"]), "")
    loss, points = round(decision["difference"], 4), round(decision["points"], 3)
    return KeptDecision(**known, loss=loss, points=points, **marked)
