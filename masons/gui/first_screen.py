"""The messages of the first screen, which a page gets before the engine is loaded.

This module imports nothing that is slow to load.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from masons.engine.board.components import CARDS
from masons.gui.pictures.page_board import board_message
from masons.match.playing.games_folder import listed_games

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.gui.guard import Guard


def first_screen(board: Board, guard: Guard, engines: Iterable[str]) -> list[dict[str, Any]]:
    """Return the messages with which a page of the host shows its first screen.

    `engines` are the names of engines that may play seats. No game is open yet, and the level that
    suits the player is not known yet.
    """
    return [
        board_message(board),
        id_message(guard, engines, is_host=True),
        {"type": "nogame", "at": 0},
        games_message(()),
    ]


def id_message(
    guard: Guard, engines: Iterable[str], *, is_host: bool, can_watch: bool = False
) -> dict[str, Any]:
    """Return the `id` message, which tells a page what it may do and what it can choose from."""
    return {
        "type": "id",
        "host": is_host,
        "local": guard.is_local,
        "watch": can_watch and is_host,
        "cards": list(CARDS),
        "engines": sorted(engines) if is_host else [],
    }


def games_message(opened: Iterable[str]) -> dict[str, Any]:
    """Return the `games` message for a page of the host, without the field `level`.

    `opened` are the files of the games that are open.
    """
    files = set(opened)
    games = [{**entry, "open": entry["file"] in files} for entry in listed_games()]
    return {"type": "games", "games": games}
