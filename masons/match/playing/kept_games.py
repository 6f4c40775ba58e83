"""Games that are kept in files: begun in a new file, or resumed from the file of an earlier one.

This module also chooses default names for seats.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from masons.ai.players.named_players import make_player
from masons.ai.players.player import Player
from masons.engine.errors import MasonsError, RecordError
from masons.engine.fair.fair_game import Fair, keep_secret
from masons.engine.plain_text import quoted
from masons.engine.storage.held_file import HeldFile
from masons.match.playing.game_setup import GameSetup, setup_of
from masons.match.playing.games_folder import new_name
from masons.match.playing.journal import (
    REPAIR_ADVICE,
    begin_journal,
    read_journal,
    reopen_journal,
)
from masons.match.playing.played_game import PlayedGame

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board

MAX_NAME: Final = 20


# The default names of engines' seats. Older records have names like Engine 1.
_ENGINE: Final = re.compile(r"Engine(?: [0-9]| \(.+\)| [0-9] \(.+\))")


def people_in(names: Sequence[str]) -> frozenset[int]:
    """Return the seats of people in a record: seats without an engine's default name."""
    return frozenset(seat for seat, name in enumerate(names) if not _ENGINE.fullmatch(name))


def seat_names(
    typed: Sequence[str], players: int, engines: Mapping[int, str], *, may_be_empty: bool = False
) -> tuple[str, ...]:
    """Return a name for each seat.

    `engines` maps the seats of engines to their levels or programs, such as `level 5`. A seat
    without a typed name gets a default name such as You, Person 1, Engine (level 5) or, among
    several engines, Engine 2 (level 5). With `may_be_empty`, a seat with an empty name also gets
    its default name. Raises MasonsError for a name that is not allowed.
    """
    for name in typed:
        if may_be_empty and not name:
            continue
        if not name or len(name) > MAX_NAME or not name.isprintable() or "," in name:
            raise MasonsError(f"{name[:40]!r} must have 1 to {MAX_NAME} letters and no comma")
    chosen = [name for name in typed if name]
    if len(typed) > players or len(set(chosen)) < len(chosen):
        raise MasonsError(f"give up to {players} different names, separated by commas")
    names = list(typed) + [""] * (players - len(typed))
    for seat in range(players):
        if seat in engines:
            number = f" {seat}" if len(engines) > 1 else ""
            default = f"Engine{number} ({engines[seat]})"
        else:
            default = "You" if players - len(engines) == 1 else f"Person {seat}"
        names[seat] = names[seat] or default
    return tuple(names)


def kept_setup(
    name: str, header: Mapping[str, Any], board: Board, *, any_board: bool = True
) -> GameSetup:
    """Parse the setup in a file. Raises RecordError if the setup is wrong or for another board.

    With `any_board`, any board with the same name is accepted.
    """
    try:
        setup = setup_of(header)
    except MasonsError as error:
        raise RecordError(f"{name}: {error}") from None
    other = not any_board and setup.board_sha256 not in ("", board.sha256)
    if setup.board != board.name or other:
        raise RecordError(
            f"{name} is on the board {quoted(setup.board)}: give its file with --board"
        )
    return setup


def followed(
    name: str,
    board: Board,
    setup: GameSetup,
    entries: Sequence[Mapping[str, Any]] = (),
    player_of: Callable[[str, int], Player] = make_player,
) -> PlayedGame:
    """Replay the entries of a game and return the game. Raises RecordError."""
    advice = ""
    try:
        played = PlayedGame(board, setup, player_of=player_of)
        advice = f"; {REPAIR_ADVICE}"
        played.follow(entries)
    except MasonsError as error:
        raise RecordError(f"{name}: {error}{advice}") from None
    return played


def begun(
    board: Board,
    setup: GameSetup,
    name: str = "",
    *,
    fair: Fair | None = None,
    player_of: Callable[[str, int], Player] = make_player,
) -> PlayedGame:
    """Begin a game in a new file, by default one in the games folder.

    `fair` holds the dice and cards of a fair game. Raises MasonsError or OSError.
    """
    if fair is not None:
        setup = replace(setup, fair=fair.terms, first=fair.first or 0)
    played = PlayedGame(board, setup, fair=fair, player_of=player_of)
    name = name or new_name()
    if fair is not None:
        keep_secret(fair)  # before the game's file, since a game needs its secret
    played.keep_in(begin_journal(name, played.header()))
    return played


def resumed(
    file: HeldFile,
    board: Board,
    *,
    any_board: bool = True,
    ready: Callable[[GameSetup], None] = lambda _: None,
    player_of: Callable[[str, int], Player] = make_player,
) -> PlayedGame:
    """Resume the game in a locked file.

    `ready` is called with the setup before the game is replayed. The file is closed if the game
    cannot be resumed. Raises MasonsError or OSError.
    """
    try:
        header, entries, kept = read_journal(file)
        setup = kept_setup(file.name, header, board, any_board=any_board)
        ready(setup)
        played = followed(file.name, board, setup, entries, player_of)
        if played.stopped is not None:
            raise RecordError(f"{file.name}: {played.stopped.words(setup.names)}")
        played.keep_in(reopen_journal(file, kept))
    except BaseException:
        file.close()
        raise
    return played
