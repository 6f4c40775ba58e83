"""Boards that are not built in, as files that engines can read."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

from masons.engine.board.board_text import board_text
from masons.engine.board.geometry import Board

_lock = threading.Lock()
_folder: list[tempfile.TemporaryDirectory[str]] = []  # none or one


def named_board(board: Board) -> str:
    """What `newgame` calls a board: its name, or a file that is written for the engines.

    The file stays until `remove_board_files`, or until this process ends. Raises OSError.
    """
    text = board_text(board)
    if text == board.name:
        return text
    with _lock:
        if not _folder:
            _folder.append(tempfile.TemporaryDirectory(prefix="masons-"))
        path = Path(_folder[0].name) / f"{board.sha256}.json"
        if not path.exists():
            path.write_text(text, encoding="utf-8")
    return str(path)


def remove_board_files() -> None:
    """Remove the files; they are written again where they are needed."""
    with _lock:
        while _folder:
            _folder.pop().cleanup()
