"""Spaced repetition: solved puzzles come again later each time, missed ones soon; kept in a file.

The boxes of Leitner: a solved puzzle moves up a box, a missed one goes back to the first.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Final

from platformdirs import user_data_path

from masons.engine.checks import check_whole
from masons.engine.errors import MasonsError
from masons.engine.files import refuse_special
from masons.engine.storage.held_file import HeldFile
from masons.engine.strict_json import strict_json

FORMAT: Final = "masons-practice-progress"
# Days until a puzzle of each box comes again.
DAYS: Final = (0, 1, 3, 7, 21, 60)
_MOST: Final = 10**9


@dataclass
class Card:
    """What is known of a puzzle: its box, when it is due, and how often it was tried and found."""

    box: int = 0
    due: str = ""
    attempts: int = 0
    found: int = 0


@dataclass
class Progress:
    """All cards by the id of their puzzle."""

    cards: dict[str, Card] = field(default_factory=dict)

    def answered(self, puzzle: str, today: date, *, found: bool) -> Card:
        """Note an answer; the card as it is then."""
        card = self.cards.setdefault(puzzle, Card())
        card.attempts += 1
        card.found += found
        card.box = min(card.box + 1, len(DAYS) - 1) if found else 0
        card.due = (today + timedelta(days=DAYS[card.box])).isoformat()
        return card

    def order(self, puzzles: Iterable[str], today: date) -> list[str]:
        """What to ask: what is due, the longest first, then what is new; the rest is not due."""
        ids = list(dict.fromkeys(puzzles))
        seen = [own for own in ids if own in self.cards]
        due = [own for own in seen if self.cards[own].due <= today.isoformat()]
        return [
            *sorted(due, key=lambda own: (self.cards[own].box, self.cards[own].due)),
            *(own for own in ids if own not in self.cards),
        ]

    def format(self) -> str:
        """As text, for a file."""
        cards = {own: asdict(card) for own, card in self.cards.items()}
        return json.dumps({"format": FORMAT, "version": 1, "cards": cards}, indent=1) + "\n"


def progress_from(text: str) -> Progress:
    """What `Progress.format` wrote. Raises MasonsError for anything else."""
    try:
        data = strict_json(text)
        if data["format"] != FORMAT or type(data["version"]) is not int or data["version"] != 1:
            raise ValueError(data["format"])
        cards = {own: _card(**card) for own, card in data["cards"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, MasonsError):
        raise MasonsError("it holds no progress of practice") from None
    return Progress(cards)


def _card(box: object, due: str, attempts: object, found: object) -> Card:
    """A card as a file has it. Raises MasonsError, ValueError, TypeError."""
    if date.fromisoformat(due).isoformat() != due:
        raise ValueError(due)
    tries = check_whole("attempts", attempts, 0, _MOST)
    return Card(
        check_whole("box", box, 0, len(DAYS) - 1), due, tries, check_whole("found", found, 0, tries)
    )


_MOST_BYTES: Final = 1 << 24
# Another process holds the file for a moment only, while it notes an answer.
_TRIES: Final = 100
_PAUSE_SECONDS: Final = 0.05


def progress_path() -> Path:
    """The file of the user's data folder; it need not exist."""
    return user_data_path("masons-engine") / "practice.json"


def read_progress(path: Path) -> Progress:
    """What a file holds; nothing where there is none. Raises MasonsError, OSError."""
    refuse_special(str(path))
    if not path.exists():
        return Progress()
    with path.open("rb") as file:
        return _parsed(path, file.read(_MOST_BYTES + 1))


def keep_answer(path: Path, puzzle: str, today: date, *, found: bool) -> Card:
    """Note an answer beside what other processes noted; return the card as it is then.

    The file is made if need be, and its folder. Raises MasonsError, FileLostError, OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(_held(str(path))) as file:
        progress = _parsed(path, file.read(_MOST_BYTES + 1))
        card = progress.answered(puzzle, today, found=found)
        file.replace(progress.format().encode())
    return card


def _held(name: str) -> HeldFile:
    for _ in range(_TRIES):
        with suppress(MasonsError):
            return HeldFile(name, "any")
        time.sleep(_PAUSE_SECONDS)
    return HeldFile(name, "any")


def _parsed(path: Path, data: bytes) -> Progress:
    if not data:
        return Progress()
    try:
        if len(data) > _MOST_BYTES:
            raise MasonsError(f"it is longer than {_MOST_BYTES} bytes")
        return progress_from(data.decode("utf-8"))
    except (MasonsError, UnicodeDecodeError) as error:
        said = error if isinstance(error, MasonsError) else "it is not UTF-8 text"
        advice = "name another file with --progress, or move it away"
        raise MasonsError(f"{path}: {said}; {advice}") from None
