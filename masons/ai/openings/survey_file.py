"""A survey of first walls in a file, and the surveys that come with the program."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np

from masons.ai.openings.survey import Survey, WallSums
from masons.engine.board.geometry import Board, load_board
from masons.engine.checks import check_wholes, whole
from masons.engine.errors import MasonsError
from masons.engine.files import refuse_special
from masons.engine.storage.held_file import HeldFile
from masons.engine.strict_json import strict_json
from masons.version import __version__

FORMAT: Final = "masons-openings"
_VERSION: Final = 1
MAX_BYTES: Final = 1 << 24
_ARRAYS: Final = ("wins", "margins", "products", "held", "gains", "squares")
_MOST: Final = 1000.0  # upper bound for the number that a world can add to a sum
# The file for each number of players; the board is `classic`.
BUNDLED: Final = {players: f"classic-{players}.json" for players in (2, 3, 4)}


def format_survey(survey: Survey) -> str:
    """Return the text of a survey: a JSON object on one line."""
    sums = {name: getattr(survey.sums, name).tolist() for name in _ARRAYS}
    data = {
        "format": FORMAT, "version": _VERSION, "release": __version__,
        "board": survey.board.name, "board_sha256": survey.board.sha256, "players": survey.players,
        "simulations": survey.simulations, "seed": survey.seed, "round": survey.round,
        "lines": survey.lines, "worlds": survey.sums.worlds, **sums,
    }  # fmt: skip
    return json.dumps(data, separators=(",", ":")) + "\n"


def parse_survey(text: str, board: Board) -> Survey:
    """Return the survey that a text contains.

    Raises MasonsError if the text contains no survey, or the survey of another board.

    >>> parse_survey("{}", load_board("classic"))
    Traceback (most recent call last):
    masons.engine.errors.MasonsError: it is no survey of first walls
    """
    try:
        data = strict_json(text)
        if data["format"] != FORMAT or data["version"] != _VERSION:
            raise ValueError(data["format"])
        name, is_same = data["board"], data["board_sha256"] == board.sha256
    except (ValueError, KeyError, TypeError, RecursionError):
        raise MasonsError("it is no survey of first walls") from None
    if not is_same:
        raise MasonsError(f"it is a survey of the board {name!r}, not of {board.name!r}")
    try:
        return _survey(data, board)
    except (ValueError, KeyError, TypeError, MasonsError):
        raise MasonsError("its survey of first walls is damaged") from None


def _survey(data: dict[str, Any], board: Board) -> Survey:
    """Return the survey that a dict describes.

    Raises ValueError, KeyError, TypeError or MasonsError if the dict describes no survey.
    """
    players, simulations, seed = (_count(data[name]) for name in ("players", "simulations", "seed"))
    if players not in BUNDLED:
        raise ValueError(players)
    survey = Survey(board, players, simulations, seed)
    lines = list(check_wholes("lines", data["lines"], len(survey.lines) - 1, "numbers of lines"))
    if lines != sorted(set(lines)) or not lines:
        raise ValueError(lines)
    survey.lines, survey.round = lines, _count(data["round"])
    survey.sums = WallSums(len(lines), _count(data["worlds"]))
    for name in _ARRAYS:
        here = getattr(survey.sums, name)
        array = np.array(data[name], dtype=float)
        most = _MOST * survey.sums.worlds  # every comparison with NaN is false
        if array.shape != here.shape or not (np.abs(array) <= most).all():
            raise ValueError(name)
        here[...] = array
    return survey


def _count(value: object) -> int:
    number = whole(value)
    if number is None or number < 0:
        raise ValueError(value)
    return number


def read_survey(path: str, board: Board) -> Survey:
    """Return the survey in a file. Raises OSError, or MasonsError with the name of the file."""
    refuse_special(path)
    with Path(path).open("rb") as file:
        return survey_of(file.read(MAX_BYTES + 1), path, board)


def survey_of(data: bytes, path: str, board: Board) -> Survey:
    """Return the survey in a file's content. Raises MasonsError with the name of the file."""
    try:
        return parse_survey(data.decode(errors="replace"), board)
    except MasonsError as error:
        raise MasonsError(f"{path}: {error}") from None


class SurveyFile:
    """A survey in a file that is locked against other processes. Raises MasonsError and OSError."""

    def __init__(self, path: str, board: Board, players: int, simulations: int, seed: int) -> None:
        """Open the file, and read its survey or begin a new one.

        A new file gets a new survey. An old file must contain a survey with the same arguments.
        """
        self._file = HeldFile(path, "any")
        try:
            if not self._file.size:
                self.survey = Survey(board, players, simulations, seed)
            else:
                self.survey = survey_of(self._file.read(MAX_BYTES + 1), path, board)
                wanted_values = {"players": players, "simulations": simulations, "seed": seed}
                for name, wanted in wanted_values.items():
                    if (value := getattr(self.survey, name)) != wanted:
                        raise MasonsError(f"{path}: its survey has {name} {value}, not {wanted}")
        except BaseException:
            self._file.close()
            raise

    def save(self) -> None:
        """Save the games played so far. Raises OSError or FileLostError."""
        self._file.replace(format_survey(self.survey).encode())

    def close(self) -> None:
        """Close the file, so that other processes may write to it."""
        self._file.close()


def bundled_survey(players: int) -> Survey:
    """Return the survey of the board `classic` that comes with the program."""
    name = BUNDLED[players]
    text = files("masons.ai.openings").joinpath("data", name).read_text(encoding="utf-8")
    return parse_survey(text, load_board("classic"))
