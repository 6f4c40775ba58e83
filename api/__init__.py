"""Masons Engine: rules, search and analysis for Leo Colovini's board game Masons.

>>> import masons
>>> game = masons.Game(players=3, seed=1)
>>> game.phase
'wall'
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from masons.engine.board import Board, load_board
    from masons.engine.errors import MasonsError
    from masons.engine.game import Game, Result
    from masons.engine.notation import Move, format_move, parse_move
    from masons.engine.snapshot import Position

__version__ = version("masons-engine")

# Loaded on first use, so that `import masons.cli` need not wait for the compiler.
_HOMES = {
    "Board": "board",
    "Game": "game",
    "MasonsError": "errors",
    "Move": "notation",
    "Position": "snapshot",
    "Result": "game",
    "format_move": "notation",
    "load_board": "board",
    "parse_move": "notation",
}

__all__ = [
    "Board",
    "Game",
    "MasonsError",
    "Move",
    "Position",
    "Result",
    "__version__",
    "format_move",
    "load_board",
    "parse_move",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'masons' has no attribute {name!r}")
    return getattr(import_module(f"masons.engine.{_HOMES[name]}"), name)
