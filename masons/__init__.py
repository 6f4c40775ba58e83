"""Masons Engine: rules, search and analysis for Leo Colovini's board game Masons.

>>> import masons
>>> game = masons.Game(players=3, seed=1)
>>> game.phase
'wall'
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from masons.version import __version__ as __version__

if TYPE_CHECKING:
    from masons.ai.beliefs.hand_estimates import Holding as Holding
    from masons.ai.beliefs.hand_estimates import belief as belief
    from masons.ai.beliefs.hand_estimates import estimate_hands as estimate_hands
    from masons.ai.players.named_players import make_player as make_player
    from masons.ai.players.player import Player as Player
    from masons.ai.players.player import play_game as play_game
    from masons.ai.search.limits import Limits as Limits
    from masons.ai.search.results import Analysis as Analysis
    from masons.ai.search.results import MoveStats as MoveStats
    from masons.ai.search.search_options import SearchOptions as SearchOptions
    from masons.ai.search.threads import Stop as Stop
    from masons.ai.session import Session as Session
    from masons.ai.session import analyze as analyze
    from masons.engine.board.components import CARDS as CARDS
    from masons.engine.board.geometry import Board as Board
    from masons.engine.board.geometry import load_board as load_board
    from masons.engine.errors import BoardError as BoardError
    from masons.engine.errors import MasonsError as MasonsError
    from masons.engine.errors import MoveError as MoveError
    from masons.engine.errors import PositionError as PositionError
    from masons.engine.errors import RecordError as RecordError
    from masons.engine.fair.fair_check import check_fair as check_fair
    from masons.engine.fair.fair_game import Fair as Fair
    from masons.engine.fair.fair_game import FairOffer as FairOffer
    from masons.engine.formats.move_text import Move as Move
    from masons.engine.formats.move_text import format_move as format_move
    from masons.engine.formats.move_text import parse_move as parse_move
    from masons.engine.formats.position_text import format_position as format_position
    from masons.engine.formats.position_text import parse_position as parse_position
    from masons.engine.formats.record_endings import Forfeit as Forfeit
    from masons.engine.formats.record_endings import Stopped as Stopped
    from masons.engine.game.chance import Outside as Outside
    from masons.engine.game.game import Game as Game
    from masons.engine.game.game import Result as Result
    from masons.engine.game.observation import Observation as Observation
    from masons.engine.game.record import format_record as format_record
    from masons.engine.game.record import game_record as game_record
    from masons.engine.game.record import parse_record as parse_record
    from masons.engine.game.record import read_record as read_record
    from masons.engine.game.replay import check_record as check_record
    from masons.engine.game.replay import replay_to as replay_to
    from masons.engine.game.table import Table as Table
    from masons.engine.state.position import Position as Position
    from masons.gui.pictures.overlay import overlay_of as overlay_of
    from masons.gui.pictures.position_drawing import Drawing as Drawing
    from masons.gui.pictures.position_drawing import draw_position as draw_position
    from masons.words.moves import move_words as move_words

    analyse = analyze

# The module that defines each public name. A module is loaded when its name is first used, so that
# `import masons.cli` does not wait for the compiler.
_HOMES = {
    "Analysis": "ai.search.results",
    "Board": "engine.board.geometry",
    "BoardError": "engine.errors",
    "CARDS": "engine.board.components",
    "Drawing": "gui.pictures.position_drawing",
    "Fair": "engine.fair.fair_game",
    "FairOffer": "engine.fair.fair_game",
    "Forfeit": "engine.formats.record_endings",
    "Game": "engine.game.game",
    "Holding": "ai.beliefs.hand_estimates",
    "Limits": "ai.search.limits",
    "MasonsError": "engine.errors",
    "Move": "engine.formats.move_text",
    "MoveError": "engine.errors",
    "MoveStats": "ai.search.results",
    "Observation": "engine.game.observation",
    "Outside": "engine.game.chance",
    "Player": "ai.players.player",
    "Position": "engine.state.position",
    "PositionError": "engine.errors",
    "RecordError": "engine.errors",
    "Result": "engine.game.game",
    "SearchOptions": "ai.search.search_options",
    "Session": "ai.session",
    "Stop": "ai.search.threads",
    "Stopped": "engine.formats.record_endings",
    "Table": "engine.game.table",
    "analyse": "ai.session",  # the other spelling
    "analyze": "ai.session",
    "belief": "ai.beliefs.hand_estimates",
    "check_fair": "engine.fair.fair_check",
    "check_record": "engine.game.replay",
    "draw_position": "gui.pictures.position_drawing",
    "estimate_hands": "ai.beliefs.hand_estimates",
    "format_move": "engine.formats.move_text",
    "format_position": "engine.formats.position_text",
    "format_record": "engine.game.record",
    "game_record": "engine.game.record",
    "load_board": "engine.board.geometry",
    "make_player": "ai.players.named_players",
    "move_words": "words.moves",
    "overlay_of": "gui.pictures.overlay",
    "parse_move": "engine.formats.move_text",
    "parse_position": "engine.formats.position_text",
    "parse_record": "engine.game.record",
    "play_game": "ai.players.player",
    "read_record": "engine.game.record",
    "replay_to": "engine.game.replay",
}

__all__ = sorted({*_HOMES, "__version__"} - {"analyse"})


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'masons' has no attribute {name!r}")
    return getattr(import_module(f"masons.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    usual = {name for name in globals() if name.startswith("__")}
    loaded = {name for name, value in globals().items() if isinstance(value, ModuleType)}
    return sorted(usual | loaded | set(__all__))
