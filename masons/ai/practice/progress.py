"""Spaced repetition: a solved puzzle returns after a longer interval, a missed puzzle soon.

The puzzles are in Leitner boxes: a solved puzzle moves up one box, and a missed puzzle returns to
the first box. The boxes are stored in a file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

from platformdirs import user_data_path

from masons.engine.checks import check_whole
from masons.engine.errors import READ_ERRORS, MasonsError
from masons.engine.files import read_if_there
from masons.engine.storage.held_file import HeldFile, change_file
from masons.engine.strict_json import strict_json

FORMAT: Final = "masons-practice-progress"
# Number of days until the puzzles of each box are repeated.
DAYS: Final = (0, 1, 3, 7, 21, 60)
_MOST: Final = 10**9
_KEYS: Final = {"box", "due", "attempts", "found"}


@dataclass
class Card:
    """The state of a puzzle: its box, its due date, and how often it was tried and solved."""

    box: int = 0
    due: str = ""
    attempts: int = 0
    solved: int = 0  # called `found` in the file


@dataclass
class PracticeProgress:
    """The cards of all puzzles, by puzzle id."""

    cards: dict[str, Card] = field(default_factory=dict)

    def answered(self, puzzle: str, today: date, *, is_solved: bool) -> Card:
        """Record an answer; return the updated card."""
        card = self.cards.setdefault(puzzle, Card())
        card.attempts += 1
        card.solved += is_solved
        card.box = min(card.box + 1, len(DAYS) - 1) if is_solved else 0
        card.due = (today + timedelta(days=DAYS[card.box])).isoformat()
        return card

    def order(self, puzzles: Iterable[str], today: date) -> list[str]:
        """Return the puzzles that are due, followed by new puzzles.

        Puzzles that are due are ordered by box and then by date, lowest and earliest first.
        """
        ids, cards = list(dict.fromkeys(puzzles)), self.cards
        due = [puzzle for puzzle in ids if puzzle in cards and cards[puzzle].due <= str(today)]
        due.sort(key=lambda puzzle: (cards[puzzle].box, cards[puzzle].due))
        return [*due, *(puzzle for puzzle in ids if puzzle not in cards)]

    def format(self) -> str:
        """Return the progress as the text of a file."""
        cards = {
            puzzle: {
                "box": card.box, "due": card.due, "attempts": card.attempts, "found": card.solved,
            }
            for puzzle, card in self.cards.items()
        }  # fmt: skip
        return json.dumps({"format": FORMAT, "version": 1, "cards": cards}, indent=1) + "\n"


def progress_from(text: str) -> PracticeProgress:
    """Return the progress in a text that `format` has made. Raises MasonsError for other texts."""
    try:
        data = strict_json(text)
        if data["format"] != FORMAT or type(data["version"]) is not int or data["version"] != 1:
            raise ValueError(data["format"])
        cards = {puzzle: _card(card) for puzzle, card in data["cards"].items()}
    except READ_ERRORS:
        raise MasonsError("it is not a file of practice progress") from None
    return PracticeProgress(cards)


def _card(data: dict[str, Any]) -> Card:
    """Return a card from its data in a file. Raises one of READ_ERRORS."""
    due = data["due"]
    if set(data) != _KEYS or date.fromisoformat(due).isoformat() != due:
        raise ValueError(data)
    tries = check_whole("attempts", data["attempts"], 0, _MOST)
    solved = check_whole("found", data["found"], 0, tries)
    return Card(check_whole("box", data["box"], 0, len(DAYS) - 1), due, tries, solved)


_MOST_BYTES: Final = 1 << 24


def progress_path() -> Path:
    """Return the path of the file in the user's data folder; the file need not exist."""
    return user_data_path("masons-engine") / "practice.json"


def read_progress(path: Path) -> PracticeProgress:
    """Return the progress in a file, or empty progress if there is no file.

    Raises MasonsError if the file is damaged, and OSError if it cannot be read.
    """
    return _parsed(path, read_if_there(path, _MOST_BYTES))


def keep_answer(path: Path, puzzle: str, today: date, *, is_solved: bool) -> Card:
    """Record an answer in the file and return the updated card.

    Several processes may do this at the same time. Creates the file and its folder if necessary.
    Raises MasonsError, FileLostError or OSError.
    """
    cards: list[Card] = []

    def change(file: HeldFile) -> bytes:
        progress = _parsed(path, file.read(_MOST_BYTES + 1))
        cards.append(progress.answered(puzzle, today, is_solved=is_solved))
        return progress.format().encode()

    change_file(path, change)
    return cards[0]


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
