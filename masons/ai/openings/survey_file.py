"""A survey of first walls in a file, and the surveys that come with the program."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np

from masons.ai.openings.survey import Survey, WallSums
from masons.engine.board.geometry import Board, load_board
from masons.engine.checks import check_wholes, shown, whole
from masons.engine.errors import READ_ERRORS, MasonsError
from masons.engine.files import refuse_special
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
    except READ_ERRORS:
        raise MasonsError("it is no survey of first walls") from None
    if not is_same:
        raise MasonsError(f"it is a survey of the board {shown(name)}, not of {board.name!r}")
    try:
        return _survey(data, board)
    except READ_ERRORS:
        raise MasonsError("its survey of first walls is damaged") from None


def _survey(data: dict[str, Any], board: Board) -> Survey:
    """Return the survey that a dict describes.

    Raises one of READ_ERRORS if the dict describes no survey.
    """
    players, simulations, seed = (_count(data[name]) for name in ("players", "simulations", "seed"))
    if players not in BUNDLED:
        raise ValueError(players)
    last = len(board.line_towers) - 1
    lines = list(check_wholes("lines", data["lines"], last, "numbers of lines"))
    if lines != sorted(set(lines)) or not lines:
        raise ValueError(lines)
    sums = WallSums(len(lines), _count(data["worlds"]))
    for name in _ARRAYS:
        here = getattr(sums, name)
        array = np.array(data[name], dtype=float)
        most = _MOST * sums.worlds  # every comparison with NaN is false
        if array.shape != here.shape or not (np.abs(array) <= most).all():
            raise ValueError(name)
        here[...] = array
    return Survey(board, players, simulations, seed, lines, sums, _count(data["round"]))


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


def bundled_survey(players: int) -> Survey:
    """Return the survey of the board `classic` that comes with the program."""
    name = BUNDLED[players]
    text = files("masons.ai.openings").joinpath("data", name).read_text(encoding="utf-8")
    return parse_survey(text, load_board("classic"))
