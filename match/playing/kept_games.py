"""Games of people in files: names for seats and files, a game gone on with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from platformdirs import user_data_path

from masons.ai.players.named_players import make_player
from masons.ai.players.player import Player
from masons.engine.errors import MasonsError, RecordError
from masons.engine.storage.held_file import HeldFile
from masons.match.playing.game_journal import REPAIR_ADVICE, read_journal, reopen_journal
from masons.match.playing.played_game import GameSetup, PlayedGame, setup_of

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board

MAX_NAME: Final = 20


def seat_names(
    given: Sequence[str], players: int, people: Sequence[int], *, own: bool = False
) -> tuple[str, ...]:
    """A name for each seat: those given, else You, Person 1, Engine 2... Raises MasonsError.

    `own`: an empty name stands for one that is not given.
    """
    for name in given:
        if own and not name:
            continue
        if not name or len(name) > MAX_NAME or not name.isprintable() or "," in name:
            raise MasonsError(
                f"{name[:40]!r} must have 1 to {MAX_NAME} letters, none of them a comma"
            )
    chosen = [name for name in given if name]
    if len(given) > players or len(set(chosen)) < len(chosen):
        raise MasonsError(f"up to {players} different names, a comma between them")
    found = list(given) + [""] * (players - len(given))
    for seat in range(players):
        alone = "You" if len(people) == 1 else f"Person {seat}"
        found[seat] = found[seat] or (alone if seat in people else f"Engine {seat}")
    return tuple(found)


def games_folder() -> Path:
    """Where games are kept whose file nobody names; it need not exist."""
    return user_data_path("masons-engine", appauthor=False) / "games"


def new_name() -> str:
    """A new file in that folder. Raises OSError."""
    folder = games_folder()
    folder.mkdir(parents=True, exist_ok=True)
    begun = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    name, number = folder / f"{begun}.jsonl", 1
    while name.exists():
        number += 1
        name = folder / f"{begun}-{number}.jsonl"
    return str(name)


def kept_setup(
    name: str, header: Mapping[str, Any], board: Board, *, any_board: bool = True
) -> GameSetup:
    """The setup in a file.

    Raises RecordError where it has not the right form, or another board; `any_board`: one of the
    same name will do.
    """
    try:
        setup = setup_of(header)
    except MasonsError as error:
        raise RecordError(f"{name}: {error}") from None
    other = not any_board and setup.board_sha256 not in ("", board.sha256)
    if setup.board != board.name or other:
        raise RecordError(f"{name} is on the board {setup.board!r}: give its file with --board")
    return setup


def at_its_start(
    name: str,
    board: Board,
    setup: GameSetup,
    player_of: Callable[[str, int], Player] = make_player,
) -> PlayedGame:
    """The game of a file before anything happened. Raises RecordError."""
    try:
        return PlayedGame(board, setup, player_of=player_of)
    except MasonsError as error:
        raise RecordError(f"{name}: {error}") from None


def followed(
    name: str,
    board: Board,
    setup: GameSetup,
    entries: Sequence[Mapping[str, Any]],
    player_of: Callable[[str, int], Player] = make_player,
) -> PlayedGame:
    """A game played again as far as it was kept. Raises RecordError."""
    played = at_its_start(name, board, setup, player_of)
    try:
        played.follow(entries)
    except MasonsError as error:
        raise RecordError(f"{name}: {error}; {REPAIR_ADVICE}") from None
    return played


def resumed(
    file: HeldFile,
    board: Board,
    *,
    any_board: bool = True,
    ready: Callable[[GameSetup], None] = lambda _: None,
    player_of: Callable[[str, int], Player] = make_player,
) -> PlayedGame:
    """The game of a file, which nobody else goes on with; `ready` is called before it is played.

    The file is closed where that fails. Raises MasonsError, OSError.
    """
    try:
        header, entries, kept = read_journal(file)
        setup = kept_setup(file.name, header, board, any_board=any_board)
        ready(setup)
        played = followed(file.name, board, setup, entries, player_of)
        if played.resigned is not None:
            raise RecordError(f"{file.name}: {setup.names[played.resigned]} gave this game up")
        played.keep_in(reopen_journal(file, kept))
    except BaseException:
        file.close()
        raise
    return played
