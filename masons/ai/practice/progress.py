"""The progress of a user: repetitions at growing intervals, a rating, and runs of successes.

The puzzles are in Leitner boxes: a solved puzzle moves up one box, and a missed puzzle returns to
the first box. The first attempt at a puzzle with a rating changes the user's rating. The user's own
mistakes are stored with the boxes, so that they come again like the other puzzles.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

from platformdirs import user_data_path

from masons.ai.practice.glicko import Rating
from masons.engine.checks import check_whole, real
from masons.engine.errors import READ_ERRORS, MasonsError
from masons.engine.files import read_if_there
from masons.engine.storage.held_file import HeldFile, change_file
from masons.engine.strict_json import strict_json

FORMAT: Final = "masons-practice-progress"
VERSION: Final = 2
# Number of days until the puzzles of each box are repeated.
DAYS: Final = (0, 1, 3, 7, 21, 60)
_MOST: Final = 10**9
_MOST_RATING: Final = 10_000.0
_KEYS: Final = {"box", "due", "attempts", "found"}


@dataclass
class Card:
    """The state of a puzzle: its box, its due date, and how often it was tried and solved."""

    box: int = 0
    due: str = ""
    attempts: int = 0
    solved: int = 0  # called `found` in the file


@dataclass
class Day:
    """The puzzles of a day, and the rating at its end."""

    day: str
    rating: float
    attempts: int = 0
    solved: int = 0


@dataclass
class PracticeProgress:
    """The cards of all puzzles, by puzzle id, and the user's results."""

    cards: dict[str, Card] = field(default_factory=dict)
    rating: Rating = field(default_factory=Rating)
    streak: int = 0  # puzzles solved in a row
    longest: int = 0  # the longest streak
    days: list[Day] = field(default_factory=list)
    # The user's mistakes, as `Puzzle.to_data`; called `own` in the file.
    mistakes: dict[str, dict[str, Any]] = field(default_factory=dict)

    def answered(
        self, puzzle: str, today: date, *, is_solved: bool, rating: int | None = None,
        mistake: Mapping[str, Any] | None = None,
    ) -> Card:  # fmt: skip
        """Record an answer; return the updated card.

        `rating` is the rating of the puzzle, if it has one. `mistake` is the puzzle's data if it
        is a mistake of the user.
        """
        card = self.cards.setdefault(puzzle, Card())
        if rating is not None and not card.attempts:
            self.rating = self.rating.tried(rating, is_solved=is_solved)
        if mistake is not None:
            self.mistakes[puzzle] = dict(mistake)
        card.attempts += 1
        card.solved += is_solved
        card.box = min(card.box + 1, len(DAYS) - 1) if is_solved else 0
        card.due = (today + timedelta(days=DAYS[card.box])).isoformat()
        self.streak = self.streak + 1 if is_solved else 0
        self.longest = max(self.longest, self.streak)
        if not self.days or self.days[-1].day != today.isoformat():
            self.days.append(Day(today.isoformat(), 0.0))
        day = self.days[-1]
        day.rating = round(self.rating.rating, 1)
        day.attempts += 1
        day.solved += is_solved
        return card

    def days_in_a_row(self, today: date) -> int:
        """Return the number of days in a row with puzzles, up to today or yesterday."""
        practiced = {day.day for day in self.days}
        last = today if today.isoformat() in practiced else today - timedelta(days=1)
        count = 0
        while (last - timedelta(days=count)).isoformat() in practiced:
            count += 1
        return count

    def due(self, puzzles: Iterable[str], today: date) -> list[str]:
        """Return the puzzles that are due, by box and then by date, lowest and earliest first."""
        ids, cards = dict.fromkeys(puzzles), self.cards
        due = [puzzle for puzzle in ids if puzzle in cards and cards[puzzle].due <= str(today)]
        return sorted(due, key=lambda puzzle: (cards[puzzle].box, cards[puzzle].due))

    def order(self, puzzles: Mapping[str, int | None], today: date) -> list[str]:
        """Return the puzzles that are due, followed by new puzzles.

        `puzzles` has the rating of each puzzle. The new puzzles nearest to the user's rating come
        first; without ratings, the order stays.
        """

        def distance(puzzle: str) -> float:
            rating = puzzles[puzzle]
            return 0.0 if rating is None else abs(rating - self.rating.rating)

        new = (puzzle for puzzle in puzzles if puzzle not in self.cards)
        return [*self.due(puzzles, today), *sorted(new, key=distance)]

    def format(self) -> str:
        """Return the progress as the text of a file."""
        cards = {
            puzzle: {
                "box": card.box, "due": card.due, "attempts": card.attempts, "found": card.solved,
            }
            for puzzle, card in self.cards.items()
        }  # fmt: skip
        data = {
            "format": FORMAT, "version": VERSION, "rating": astuple(self.rating),
            "streak": self.streak, "longest": self.longest,
            "days": [astuple(day) for day in self.days], "own": self.mistakes, "cards": cards,
        }  # fmt: skip
        return json.dumps(data, indent=1) + "\n"


def progress_from(text: str) -> PracticeProgress:
    """Return the progress in a text that `format` has made, now or in the first version.

    Raises MasonsError for other texts.
    """
    try:
        data = strict_json(text)
        if data["format"] != FORMAT or type(data["version"]) is not int:
            raise ValueError(data["format"])
        cards = {puzzle: _card(card) for puzzle, card in data["cards"].items()}
        if data["version"] == 1:
            return PracticeProgress(cards)
        if data["version"] != VERSION:
            raise ValueError(data["version"])
        return PracticeProgress(
            cards,
            _rating(*data["rating"]),
            check_whole("streak", data["streak"], 0, _MOST),
            check_whole("longest", data["longest"], 0, _MOST),
            [_day(*day) for day in data["days"]],
            {puzzle: dict(mistake) for puzzle, mistake in data["own"].items()},
        )
    except READ_ERRORS:
        raise MasonsError("it is not a file of practice progress") from None


def _card(data: dict[str, Any]) -> Card:
    """Return a card from its data in a file. Raises one of READ_ERRORS."""
    if set(data) != _KEYS:
        raise ValueError(data)
    tries = check_whole("attempts", data["attempts"], 0, _MOST)
    solved = check_whole("found", data["found"], 0, tries)
    return Card(
        check_whole("box", data["box"], 0, len(DAYS) - 1), _date(data["due"]), tries, solved
    )


def _day(day: str, rating: float, attempts: int, solved: int) -> Day:
    tries = check_whole("attempts", attempts, 0, _MOST)
    rating = _between(rating, -_MOST_RATING, _MOST_RATING)
    return Day(_date(day), rating, tries, check_whole("solved", solved, 0, tries))


def _rating(rating: float, deviation: float, volatility: float) -> Rating:
    return Rating(
        _between(rating, -_MOST_RATING, _MOST_RATING),
        _between(deviation, 1, 350),
        _between(volatility, 1e-3, 1),
    )


def _date(text: str) -> str:
    if date.fromisoformat(text).isoformat() != text:
        raise ValueError(text)
    return text


def _between(number: object, least: float, most: float) -> float:
    value = real(number)
    if value is None or not least <= value <= most:
        raise ValueError(number)
    return value


_MOST_BYTES: Final = 1 << 24


def progress_path() -> Path:
    """Return the path of the file in the user's data folder; the file need not exist."""
    return user_data_path("masons-engine") / "practice.json"


def read_progress(path: Path) -> PracticeProgress:
    """Return the progress in a file, or empty progress if there is no file.

    Raises MasonsError if the file is damaged, and OSError if it cannot be read.
    """
    return _parsed(path, read_if_there(path, _MOST_BYTES))


def keep_answer(
    path: Path, puzzle: str, today: date, *, is_solved: bool, rating: int | None = None,
    mistake: Mapping[str, Any] | None = None,
) -> tuple[Card, PracticeProgress]:  # fmt: skip
    """Record an answer in the file; return the updated card and all progress.

    The arguments are those of `PracticeProgress.answered`.
    Several processes may do this at the same time. Creates the file and its folder if necessary.
    Raises MasonsError, FileLostError or OSError.
    """
    kept: list[tuple[Card, PracticeProgress]] = []

    def change(file: HeldFile) -> bytes:
        progress = _parsed(path, file.read(_MOST_BYTES + 1))
        card = progress.answered(puzzle, today, is_solved=is_solved, rating=rating, mistake=mistake)
        kept.append((card, progress))
        return progress.format().encode()

    change_file(path, change)
    return kept[0]


def _parsed(path: Path, data: bytes) -> PracticeProgress:
    if not data:
        return PracticeProgress()
    try:
        if len(data) > _MOST_BYTES:
            raise MasonsError(f"it is longer than {_MOST_BYTES} bytes")
        return progress_from(data.decode("utf-8"))
    except (MasonsError, UnicodeDecodeError) as error:
        fault = error if isinstance(error, MasonsError) else "it is not UTF-8 text"
        advice = "name another file with --progress, or move it away"
        raise MasonsError(f"{path}: {fault}; {advice}") from None
