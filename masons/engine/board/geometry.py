"""Boards: triangular spaces, the lines that bound the spaces, and tower spaces at the corners.

A board is plain data. `load_board` reads and checks a description (JSON or rows), so the rest of
the engine can trust every `Board`. The module is pure Python, and importing it loads no compiler.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Final

from masons.engine.board.board_description import (
    BoardFields,
    check_geometry,
    fail,
    read_description,
    shown,
)
from masons.engine.board.board_rows import HEADER, Rows, is_rows
from masons.engine.checks import shown as anything
from masons.engine.errors import BoardError
from masons.engine.strict_json import NotANumberError, RepeatedKeyError, strict_json

MAX_FILE_BYTES: Final = 1 << 20

_RIGHT: Final = (
    f"the first line must be `{HEADER} NAME` (rows, docs/boards.md), or the file a JSON object"
)
_CHECKED: Final = "_is_checked"  # an attribute that `from_dict` sets on the boards it returns
_BUILTIN = Path(__file__).with_name("boards")


@dataclass(frozen=True, repr=False)
class Board(BoardFields):
    """A board, which is valid if it comes from `load_board` or `Board.from_dict`.

    Spaces, lines and tower spaces are numbered from 0; the numbers are indices of the tuples
    `space_region` to `line_towers`.
    """

    def __repr__(self) -> str:
        """Return the name and the size."""
        sizes = f"{len(self.space_lines)} spaces, {len(self.line_towers)} lines"
        return f"<Board: {anything(self.name)}, {sizes}, {len(self.tower_xy)} tower spaces>"

    @classmethod
    def from_dict(cls, description: object) -> Board:
        """Return the board that is described by an object from `json.loads`.

        Raises BoardError for the first fault.
        """
        fields, cells = read_description(description)
        check_geometry(fields, cells)
        board = cls(**vars(fields))
        object.__setattr__(board, _CHECKED, True)
        return board

    def _repr_svg_(self) -> str:
        """Return a picture of the empty board with its ids, for notebooks."""
        from masons.engine.board.board_svg import board_svg

        return board_svg(self, labels=True)

    def to_json(self) -> str:
        """Return the canonical JSON text, which is one line without blanks and without a newline.

        Keys are in the order of the description, and ids in lists ascend, with `null` last. `x` and
        `y` lie exactly on the lattice of tower space 0, rounded to 9 decimals. They are written as
        Python writes floats: each number is the shortest decimal that reads back as the same
        number, with a digit after the point (`0.0`, `0.5`, `0.866025404`). Reading the text and
        writing it again changes nothing.
        """
        return json.dumps(self.to_dict(), separators=(",", ":"))

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the canonical JSON text, as 64 hexadecimal digits."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()


def builtin_boards() -> tuple[str, ...]:
    """Return the names of the boards that come with the engine, sorted."""
    return tuple(sorted(path.stem for path in _BUILTIN.glob("*.json")))


def sound_board(board: object) -> Board:
    """Return a checked board.

    The argument is a Board, the name of a built-in board, or the path of a file.

    Raises BoardError if the board is not valid or does not exist.
    """
    if isinstance(board, str | Path):
        return load_board(board)
    if not isinstance(board, Board):
        fail(f"board is {anything(board)}: it must be a Board, a name or a file")
    if _CHECKED not in board.__dict__:
        try:
            same = Board.from_dict(board.to_dict())
        except (AttributeError, TypeError, ValueError, IndexError, OverflowError) as error:
            reason = str(error) if isinstance(error, BoardError) else "its fields do not fit"
            raise BoardError(f"this Board is not sound: {reason}; see load_board") from None
        if same != board:
            fail("this Board is not sound: its numbers are not in order; see load_board")
        return same
    return board


def load_board(name_or_path: str | Path) -> Board:
    """Return the built-in board of this name, or the board in this file (JSON or rows).

    Raises BoardError if there is no such board, or if the file is not a valid description. A file
    must not use the name of a built-in board for a different board, because records and positions
    identify built-in boards by name alone.
    """
    if not isinstance(name_or_path, str | Path):
        fail(f"board is {anything(name_or_path)}: it must be a name or a file")
    if isinstance(name_or_path, str) and name_or_path in builtin_boards():
        return _load_builtin(name_or_path)
    board = _load_file(name_or_path)
    if board.name in builtin_boards() and board != _load_builtin(board.name):
        place = shown(str(name_or_path), 200)
        fail(f"board file {place}: {board.name!r} is a built-in board; give this one another name")
    return board


@cache
def _load_builtin(name: str) -> Board:
    return _load_file(_BUILTIN / f"{name}.json")


def _load_file(path: str | Path) -> Board:
    """Return the board in a file; the message of any BoardError begins with the file's name."""
    place = shown(str(path), 200)
    try:
        if path == "":
            raise FileNotFoundError
        with Path(path).open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        known = ", ".join(builtin_boards())
        fail(f"no board {place}: it is neither a built-in board ({known}) nor a file")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        fail(f"cannot read board file {place}: {reason}; give a file of rows or JSON")
    if len(data) > MAX_FILE_BYTES:
        fail(f"board file {place} is too big: at most {MAX_FILE_BYTES} bytes are read")
    try:
        return _parse(data)
    except BoardError as error:
        raise BoardError(f"board file {place}: {error}") from None


def _parse(data: bytes) -> Board:
    """Return the board that the bytes of a file describe (JSON or rows)."""
    text = data.decode("utf-8-sig", errors="replace")
    if not is_rows(text):
        return Board.from_dict(_parse_json(data))
    rows = Rows(text)
    try:
        return Board.from_dict(rows.description())
    except BoardError as error:
        raise BoardError(rows.placed(str(error))) from None


def _parse_json(data: bytes) -> object:
    """Return the JSON value in the bytes of a file. Raises BoardError if it is not strict JSON."""
    try:
        return strict_json(data.decode("utf-8-sig"))
    except RepeatedKeyError as error:
        key = shown(error.key)
        fail(f"the key {key} occurs twice in one object")
    except NotANumberError as error:
        fail(f"{error.name} is not a JSON number; coordinates are finite decimals")
    except UnicodeDecodeError as error:
        fail(f"not UTF-8 at byte {error.start}; {_RIGHT}")
    except json.JSONDecodeError as error:
        if not data.decode("utf-8-sig").lstrip().startswith("{"):
            fail(f"neither rows nor JSON; {_RIGHT}")
        fail(f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}")
    except RecursionError:
        fail("nested too deeply; a board is one object of lists of objects")
    except ValueError:  # Python does not read whole numbers of thousands of digits
        fail("a number has too many digits; ids and coordinates are small numbers")


def board_text(board: Board) -> str:
    """Return a board as text for `board_of`: its name if it is built in, otherwise its JSON."""
    built_in = board.name in builtin_boards() and load_board(board.name).sha256 == board.sha256
    return board.name if built_in else board.to_json()


@lru_cache(maxsize=4)
def board_of(text: str) -> Board:
    """Return the board that `board_text` wrote as `text`."""
    return Board.from_dict(json.loads(text)) if text.startswith("{") else load_board(text)
