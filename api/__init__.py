"""Masons Engine: rules, search and analysis for Leo Colovini's board game Masons.

>>> import masons
>>> game = masons.Game(players=3, seed=1)
>>> game.phase
'wall'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from masons.ai.search import SearchOptions, Session, analyse
    from masons.engine.board import Board, load_board
    from masons.engine.chance import Outside
    from masons.engine.errors import MasonsError
    from masons.engine.game import Game, Result
    from masons.engine.notation import Move, format_move, parse_move
    from masons.engine.record import (
        check_record,
        format_record,
        game_record,
        parse_record,
        read_record,
        replay_to,
    )
    from masons.engine.snapshot import Position
    from masons.pictures.drawing import Drawing, draw_position
    from masons.pictures.overlay import overlay_of

    __version__: str

# Loaded on first use, so that `import masons.cli` need not wait for the compiler.
_HOMES = {
    "Board": "engine.board",
    "Drawing": "pictures.drawing",
    "Game": "engine.game",
    "MasonsError": "engine.errors",
    "Move": "engine.notation",
    "Outside": "engine.chance",
    "Position": "engine.snapshot",
    "Result": "engine.game",
    "SearchOptions": "ai.search",
    "Session": "ai.search",
    "analyse": "ai.search",
    "check_record": "engine.record",
    "draw_position": "pictures.drawing",
    "format_move": "engine.notation",
    "format_record": "engine.record",
    "game_record": "engine.record",
    "load_board": "engine.board",
    "overlay_of": "pictures.overlay",
    "parse_move": "engine.notation",
    "parse_record": "engine.record",
    "read_record": "engine.record",
    "replay_to": "engine.record",
}

__all__ = [
    "Board",
    "Drawing",
    "Game",
    "MasonsError",
    "Move",
    "Outside",
    "Position",
    "Result",
    "SearchOptions",
    "Session",
    "__version__",
    "analyse",
    "check_record",
    "draw_position",
    "format_move",
    "format_record",
    "game_record",
    "load_board",
    "overlay_of",
    "parse_move",
    "parse_record",
    "read_record",
    "replay_to",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("masons-engine")
    if name not in _HOMES:
        raise AttributeError(f"module 'masons' has no attribute {name!r}")
    return getattr(import_module(f"masons.{_HOMES[name]}"), name)
