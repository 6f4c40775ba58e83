"""The command `play`: a game in the terminal, against the engine or other people."""

from __future__ import annotations

import shlex
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from masons.ai.search.search_options import TABLE_LEVEL, TOP_LEVEL
from masons.cli import options
from masons.cli.process import INTERRUPTED, interruptible, prepare, say
from masons.cli.sources import errors_of
from masons.engine.board.geometry import Board, builtin_boards, load_board
from masons.engine.errors import MasonsError, RecordError
from masons.engine.files import write_atomic
from masons.engine.kernels.loading import compile_ahead, is_ready
from masons.engine.plain_text import count, owner
from masons.engine.storage.held_file import HeldFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from masons.cli.terminal.screen import Screen
    from masons.engine.fair.fair_game import Fair
    from masons.match.playing.game_setup import GameSetup
    from masons.match.playing.played_game import PlayedGame


# The options that can be used with --resume. All other options cannot change after a game begins.
_WITH_RESUME: Final = ("resume", "export", "repair", "ascii_only", "size", "board_file")


@click.command("play")
@options.players
@click.option(
    "--seat", "seats", type=options.whole(0, 3), multiple=True, metavar="S",
    help="A seat for a person, counted from 0; repeat it for each person.  [default: 0]",
)  # fmt: skip
@click.option("--humans", is_flag=True, help="People play all seats, at this terminal.")
@click.option(
    "--level", type=options.whole(1, TOP_LEVEL), metavar="L",
    help=f"Strength of the engine, from 1 to {TOP_LEVEL}.  [default: {TABLE_LEVEL}]",
)  # fmt: skip
@click.option(
    "--seed", type=options.whole(0, options.MAX_NUMBER), metavar="S",
    help="Seed of dice and cards; the same seed repeats a game.  [default: random]",
)  # fmt: skip
@click.option("--names", metavar="A,B,...", help="Names of the seats, starting with seat 0.")
@click.option(
    "--dice", type=click.Choice(("engine", "own")), default="engine", show_default=True,
    help="Where dice and cards come from: the engine, or your own table (own), typed in.",
)  # fmt: skip
@click.option(
    "--fair", is_flag=True,
    help="Commit to a secret before the game, so that its record proves the dice and cards.",
)  # fmt: skip
@click.option(
    "--nonce", "nonces", multiple=True, metavar="TEXT",
    help="With --fair: words that a person adds to the secret; repeat it in the order of the "
    "seats. The program asks for missing ones.",
)  # fmt: skip
@click.option(
    "--practice",
    is_flag=True,
    help="Let undo take back any move; dice and cards are then the same.",
)
@options.early_roll
@click.option(
    "--record", type=options.file_name, metavar="FILE",
    help="File for the game, which becomes its record.  [default: a file in your data folder]",
)  # fmt: skip
@click.option("--resume", type=options.file_name, metavar="FILE", help="Continue the game in FILE.")
@click.option(
    "--export", type=options.file_name, metavar="FILE",
    help="With --resume: write a record of the game so far to FILE, and exit.",
)  # fmt: skip
@options.repair
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw with plain ASCII characters.")
@click.option(
    "--size", type=click.Choice(("large", "small")),
    help="Size of the board.  [default: the largest that fits]",
)  # fmt: skip
@options.board
def play(
    players: int, seats: tuple[int, ...], humans: bool, level: int | None, seed: int | None,
    names: str | None, dice: str, fair: bool, nonces: tuple[str, ...], practice: bool,
    early_roll: bool, record: str | None, resume: str | None, export: str | None, repair: bool,
    ascii_only: bool, size: str | None, board_file: str | None,
) -> None:  # fmt: skip
    """Play a game at this terminal.

    Every decision is saved before the next question, so closing the terminal loses nothing.
    --resume FILE continues the game with the same dice and cards. When the game has ended or was
    resigned, its file is a record, which replay and analyze can read. --export writes a record of
    an unfinished game. During the game, type help for a list of commands.

    With --fair, the program commits to a secret before you add your own words. All dice and cards
    follow from the secret and your words, and the command verify checks them afterwards
    (docs/fair.md).

    The built-in board, classic, is a reconstruction. To play on the board of your own game, type
    it in as docs/boards.md describes, and name the file with --board.
    """
    from masons.cli.terminal.screen import Screen
    from masons.cli.terminal.turn_loop import TurnLoop

    screen = Screen(ascii_only=ascii_only, size=size or "")
    board = load_board(board_file or "classic")
    if export is not None and resume is None:
        raise click.UsageError("--export needs --resume FILE: the game to write the record of")
    if repair and resume is None:
        raise click.UsageError("--repair needs --resume FILE: the game to continue")
    if resume is None:
        people = _people(players, seats, all_seats=humans)
        _check_chance(people, seed, dice, nonces, fair=fair, practice=practice)
        setup = _setup(
            board, players, people, names, level, early_roll=early_roll, practice=practice
        )
        if record is not None and Path(record).exists() and Path(record).stat().st_size:
            raise MasonsError(f"{record} exists: to continue it, --resume {shlex.quote(record)}")
        _make_ready(board, setup, screen)
        played = _new_game(board, setup, screen, record, seed, dice, nonces if fair else None)
    else:
        for name, option in options.typed().items():
            if name not in _WITH_RESUME:
                raise click.UsageError(f"{option} and --resume cannot go together")
        if export is not None:
            _export(resume, board, export, any_board=board_file is None)
            return
        played = _resumed_game(resume, board, screen, repair=repair, any_board=board_file is None)
    loop = TurnLoop(played, screen)
    assert played.keeper is not None
    with closing(played.keeper):
        loop.run()
    if loop.interrupted:
        raise click.exceptions.Exit(INTERRUPTED)


def _people(players: int, seats: Sequence[int], *, all_seats: bool) -> tuple[int, ...]:
    """Return the seats that people play. Raises UsageError."""
    if all_seats and seats:
        raise click.UsageError("--humans and --seat cannot go together: choose one")
    people = tuple(range(players)) if all_seats else tuple(sorted({*seats} or {0}))
    if people[-1] >= players:
        raise click.UsageError(f"--seat {people[-1]}: the seats are 0 to {players - 1}")
    return people


def _check_chance(
    people: Sequence[int], seed: int | None, dice: str, nonces: Sequence[str],
    *, fair: bool, practice: bool,
) -> None:  # fmt: skip
    """Check the options for dice, cards and nonces. Raises UsageError."""
    from masons.engine.fair.fair_game import nonce_given

    ways = {"--fair": fair, "--seed": seed is not None, "--dice own": dice == "own"}
    first, *others = [name for name, is_given in ways.items() if is_given] or [""]
    if others:
        raise click.UsageError(f"{others[0]} and {first} cannot go together: choose one")
    if fair and practice:
        raise click.UsageError("--practice and --fair cannot go together: undo reveals the dice")
    if nonces and not fair:
        raise click.UsageError("--nonce needs --fair")
    if len(nonces) > len(people):
        offered, most = count(len(nonces), "nonce"), count(len(people), "person", "people")
        raise click.UsageError(f"--nonce: {offered} for {most}: give at most one each")
    with errors_of("--nonce", click.UsageError):
        for nonce in nonces:
            nonce_given(nonce)


def _setup(
    board: Board, players: int, people: tuple[int, ...], names: str | None, level: int | None,
    *, early_roll: bool, practice: bool,
) -> GameSetup:  # fmt: skip
    """Return the setup of a game without its source of dice and cards. Raises UsageError."""
    from masons.match.playing.game_setup import GameSetup
    from masons.match.playing.kept_games import seat_names

    typed = [] if names is None else [name.strip() for name in names.split(",")]
    with errors_of("--names", click.UsageError):
        engines = dict.fromkeys(set(range(players)) - {*people}, f"level {level or TABLE_LEVEL}")
        chosen = seat_names(typed, players, engines)
    sha256 = "" if board.name in builtin_boards() else board.sha256
    return GameSetup(
        players, people, chosen, seed=None, level=level or TABLE_LEVEL, early_roll=early_roll,
        practice=practice, board=board.name, board_sha256=sha256,
    )  # fmt: skip


def _new_game(
    board: Board, setup: GameSetup, screen: Screen, record: str | None, seed: int | None,
    dice: str, nonces: Sequence[str] | None,
) -> PlayedGame:  # fmt: skip
    """Begin a game in a new file; `nonces` is None unless the game is fair.

    Raises MasonsError or OSError.
    """
    import random

    from masons.match.playing.kept_games import begun

    fair = None
    if dice == "own":
        from masons.cli.terminal.typed_moves import ask_hands

        setup = replace(setup, hands=ask_hands(setup.names, screen))
    elif nonces is not None:
        fair = _agree_on_chance(setup, nonces, screen)
    else:
        setup = replace(setup, seed=random.SystemRandom().getrandbits(48) if seed is None else seed)
    return begun(board, setup, record or "", fair=fair)


def _agree_on_chance(setup: GameSetup, nonces: Sequence[str], screen: Screen) -> Fair:
    """Commit to a secret, show the commitment, and then ask people for missing nonces.

    The engine's seats give no nonces, because the program, which chose the secret, would also
    choose these nonces. Raises MasonsError if the input ends.
    """
    from masons.engine.fair.fair_game import FairOffer

    offer = FairOffer(setup.players)
    screen.show(
        [
            "A fair game: a secret and words of yours decide who begins, the dice and the cards.",
            "The secret is chosen now. Note down its SHA-256, then type any words:",
            f"  {offer.commitment}",
        ]
    )
    for seat, nonce in zip(setup.people, nonces, strict=False):
        offer.give(seat, nonce)
    for seat in setup.people:
        while seat in offer.missing:
            try:
                offer.give(seat, screen.ask(f"{owner(setup.names[seat])} words (Enter: none): "))
            except EOFError:
                raise MasonsError("the input ends before the nonces are given") from None
            except MasonsError as error:
                screen.show([f"! {error}"])
    return offer.close()


def _resumed_game(
    name: str, board: Board, screen: Screen, *, repair: bool, any_board: bool
) -> PlayedGame:
    """Lock a file and resume the game in it. Raises MasonsError or OSError."""
    from masons.match.playing.kept_games import resumed

    def make_ready(setup: GameSetup) -> None:
        if away := [engine for engine in setup.engines if engine.startswith("mei:")]:
            engine = away[0].split(":")[1]
            raise RecordError(
                f"{name} is played with the engine {engine}: continue with masons-engine gui "
                f"{shlex.quote(name)} --engine {engine}=COMMAND"
            )
        _make_ready(board, setup, screen)

    file = HeldFile(name, "old")
    try:
        if repair:
            _repair(file, board, any_board=any_board)
    except BaseException:
        file.close()
        raise
    return resumed(file, board, any_board=any_board, ready=make_ready)


def _repair(file: HeldFile, board: Board, *, any_board: bool) -> None:
    """Drop the first damaged entry and all later entries, and print what was done."""
    from masons.match.playing.journal import repair_journal
    from masons.match.playing.kept_games import followed, kept_setup

    def count_sound(header: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> int:
        setup = kept_setup(file.name, header, board, any_board=any_board)
        played = followed(file.name, board, setup)
        for number, entry in enumerate(entries):
            try:
                played.follow([entry])
            except MasonsError:
                return number
        return len(entries)

    report = repair_journal(file, count_sound)
    say(report or f"{file.name}: nothing needed repair")


def _export(name: str, board: Board, record: str, *, any_board: bool) -> None:
    """Write a record of the unfinished game in a file. Raises MasonsError or OSError."""
    from masons.engine.game.record import format_record
    from masons.match.playing.journal import read_journal
    from masons.match.playing.kept_games import followed, kept_setup

    if Path(record).exists():
        raise MasonsError(f"{record} exists: choose another name")
    header, entries, _ = read_journal(name)
    setup = kept_setup(name, header, board, any_board=any_board)
    prepare()
    played = followed(name, board, setup, entries)
    write_atomic(record, format_record(played.record()) + "\n")
    say(f"{record} written")


def _make_ready(board: Board, setup: GameSetup, screen: Screen) -> None:
    """Compile missing kernels while the empty board is shown."""
    if is_ready():
        return
    from masons.cli.terminal.text_page import Scene, draw_page
    from masons.engine.state.position import Position

    start = Position(players=setup.players, scores=(0,) * setup.players, hands=(6,) * setup.players)
    note = "compiling the engine, which takes up to a minute: only the first time ..."
    screen.show(draw_page(Scene(board, start, setup.names, notes=(note,)), screen.frame()))
    sys.stdout.flush()
    interruptible(compile_ahead)
