"""`play`: a game at this terminal, people against the engine or one another."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from masons.ai.search.levels import TABLE_LEVEL, TOP_LEVEL
from masons.cli.options.command_options import takes
from masons.cli.options.shared_options import (
    LEVEL,
    MAX_NUMBER,
    Whole,
    board_option,
    early_roll_option,
    players_option,
    repair_option,
)
from masons.cli.support.exit_codes import INTERRUPTED
from masons.cli.support.streams import say
from masons.engine.errors import MasonsError, RecordError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from masons.cli.support.held_file import HeldFile
    from masons.cli.terminal.dialogue.played_game import GameSetup, PlayedGame
    from masons.cli.terminal.dialogue.terminal import Screen
    from masons.engine.board.geometry import Board

MAX_NAME: Final = 20
_KERNELS: Final = ("values", "rules", "halving", "explain")


@dataclass(frozen=True)
class PlayOptions:
    """What `play` is asked for; the names are those of its options."""

    players: int
    seats: tuple[int, ...]
    humans: bool
    level: int | None
    seed: int | None
    names: str | None
    dice: str
    fair: bool
    nonces: tuple[str, ...]
    practice: bool
    early_roll: bool
    record: str | None
    resume: str | None
    export: str | None
    repair: bool
    ascii_only: bool
    size: str | None
    board_file: str | None


@click.command("play")
@players_option
@click.option(
    "--seat", "seats", type=Whole(0, 3), multiple=True, metavar="S",
    help="A seat that a person has, from 0; once for each person.  [default: 0]",
)  # fmt: skip
@click.option("--humans", is_flag=True, help="People have all seats, at this terminal.")
@click.option(
    "--level", type=LEVEL, metavar="L",
    help=f"How strong the engine plays, from 1 to {TOP_LEVEL}.  [default: {TABLE_LEVEL}]",
)  # fmt: skip
@click.option(
    "--seed", type=Whole(0, MAX_NUMBER), metavar="S",
    help="Of dice and cards, to have the same game again.  [default: random]",
)  # fmt: skip
@click.option("--names", metavar="A,B,...", help="Names of the seats, from seat 0.")
@click.option(
    "--dice", type=click.Choice(("engine", "own")), default="engine", show_default=True,
    help="own: dice and cards of a real table are typed in.",
)  # fmt: skip
@click.option(
    "--fair", is_flag=True,
    help="Commit to a secret before the game; the record then proves all dice and cards.",
)  # fmt: skip
@click.option(
    "--nonce", "nonces", multiple=True, metavar="TEXT",
    help="With --fair: what a person adds to the luck, by seat; else it is asked for.",
)  # fmt: skip
@click.option(
    "--practice", is_flag=True, help="undo takes back anything; the same luck comes again."
)
@early_roll_option
@click.option(
    "--record", metavar="FILE",
    help="Where the game is kept as it goes, its record in the end.  [default: your data folder]",
)  # fmt: skip
@click.option("--resume", metavar="FILE", help="Go on with a game that was left.")
@click.option(
    "--export", metavar="FILE",
    help="With --resume: write the record of that game, as far as it came, and do not play.",
)  # fmt: skip
@repair_option
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw in plain ASCII.")
@click.option(
    "--size", type=click.Choice(("large", "small")),
    help="Of the board's drawing.  [default: what fits]",
)  # fmt: skip
@board_option
@takes(PlayOptions)
def command(options: PlayOptions) -> None:
    """Play a game at this terminal.

    Every decision is on the disk before the next question, so nothing is lost when the terminal
    closes: --resume FILE goes on, with the same dice and cards. A game that is over or given up is
    a record that replay and analyze read; --export makes one of a game that was left. Type help in
    the game.

    With --fair the program commits to a secret before you add words of your own; all dice and
    cards come from both, and verify replays them afterwards (docs/fair.md).

    The board classic is a reconstruction; --board takes the one of your own box, typed as
    docs/boards.md says.
    """
    from masons.cli.terminal.dialogue.terminal import Screen
    from masons.engine.board.geometry import load_board

    screen = Screen(ascii_only=options.ascii_only, size=options.size or "")
    board = load_board(options.board_file or "classic")
    if options.export is not None:
        _refuse_setup()
        if options.resume is None:
            raise click.UsageError("--export goes with --resume, which names the game")
        _export(options.resume, board, options)
        return
    if options.resume is not None:
        _refuse_setup()
        played = _resumed(options.resume, board, screen, options)
    elif options.repair:
        raise click.UsageError("--repair needs --resume FILE: the game to go on with")
    else:
        if options.humans and options.seats:
            raise click.UsageError("--humans and --seat cannot go together: choose one")
        played = _begun(board, _setup(options, board), screen, options)
    from masons.cli.terminal.dialogue.turn_loop import TurnLoop

    loop = TurnLoop(played, screen)
    assert played.keeper is not None
    with closing(played.keeper):
        loop.run()
    if loop.interrupted:
        raise click.exceptions.Exit(INTERRUPTED)


def _refuse_setup() -> None:
    """With --resume the setup is that of the file. Raises UsageError."""
    from click.core import ParameterSource

    ctx = click.get_current_context()
    free = ("resume", "export", "repair", "ascii_only", "size", "board_file")
    for param in ctx.command.params:
        name = param.name or ""
        given = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and param.expose_value and name not in free:
            raise click.UsageError(f"{param.opts[0]} and --resume cannot go together")


def _setup(options: PlayOptions, board: Board) -> GameSetup:
    """What the options say. Raises UsageError."""
    from masons.cli.terminal.dialogue.played_game import GameSetup
    from masons.engine.board.geometry import builtin_boards

    players, seats = options.players, options.seats or (0,)
    people = tuple(range(players)) if options.humans else tuple(sorted(set(seats)))
    if people[-1] >= players:
        raise click.UsageError(f"--seat {people[-1]}: the seats are 0 to {players - 1}")
    _check_luck(options, people)
    return GameSetup(
        players=players,
        people=people,
        names=_names(options.names, players, people),
        seed=None,
        level=options.level or TABLE_LEVEL,
        early_roll=options.early_roll,
        practice=options.practice,
        board=board.name,
        board_sha256="" if board.name in builtin_boards() else board.sha256,
    )


def _check_luck(options: PlayOptions, people: Sequence[int]) -> None:
    """Refuse ways to get dice and cards that cannot go together. Raises UsageError."""
    from masons.cli.commands.games.play_nonces import check_nonces

    ways = {
        "--fair": options.fair,
        "--seed": options.seed is not None,
        "--dice own": options.dice == "own",
    }
    first, *others = [name for name, wanted in ways.items() if wanted] or [""]
    if others:
        raise click.UsageError(f"{others[0]} and {first} cannot go together: choose one")
    if options.fair and options.practice:
        raise click.UsageError("--practice and --fair cannot go together: it shows luck to come")
    check_nonces(options.nonces, people, fair=options.fair)


def _names(text: str | None, players: int, people: tuple[int, ...]) -> tuple[str, ...]:
    """A name for each seat: those given, else You, Person 1, Engine 2... Raises UsageError."""
    given = [] if text is None else [name.strip() for name in text.split(",")]
    for name in given:
        if not name or len(name) > MAX_NAME or not name.isprintable():
            raise click.UsageError(
                f"--names: {name[:40]!r} must have 1 to {MAX_NAME} letters, none of them a comma"
            )
    if len(given) > players or len(set(given)) < len(given):
        raise click.UsageError(f"--names: up to {players} different names, a comma between them")
    found = list(given)
    for seat in range(len(given), players):
        alone = "You" if len(people) == 1 else f"Person {seat}"
        found.append(alone if seat in people else f"Engine {seat}")
    return tuple(found)


def _begun(board: Board, setup: GameSetup, screen: Screen, options: PlayOptions) -> PlayedGame:
    """A new game, kept in a new file. Raises MasonsError, OSError."""
    import random
    from dataclasses import replace

    from masons.cli.support.game_journal import begin_journal

    seed, record = options.seed, options.record
    if record is not None and Path(record).exists():
        raise MasonsError(f"{record} exists: --resume {record} goes on with it")
    _make_ready(board, setup, screen)
    from masons.cli.terminal.dialogue.played_game import PlayedGame

    fair = None
    if options.dice == "own":
        from masons.cli.terminal.dialogue.typed_hands import ask_hands

        setup = replace(setup, hands=ask_hands(setup.names, screen))
    elif options.fair:
        from masons.cli.commands.games.play_nonces import ask_nonces

        fair = ask_nonces(setup, options.nonces, screen)
        setup = replace(setup, fair=fair.terms, first=fair.first or 0)
    else:
        setup = replace(setup, seed=random.SystemRandom().getrandbits(48) if seed is None else seed)
    played = PlayedGame(board, setup, fair=fair)
    name = record or _new_name()
    if fair is not None:
        from masons.engine.fair.kept_secrets import keep_secret

        keep_secret(fair)  # before the game that could not go on without it
    played.keep_in(begin_journal(name, played.header()))
    return played


def _new_name() -> str:
    """A new file in the user's data folder. Raises OSError."""
    from platformdirs import user_data_path

    folder = user_data_path("masons-engine", appauthor=False) / "games"
    folder.mkdir(parents=True, exist_ok=True)
    begun = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    name, number = folder / f"{begun}.jsonl", 1
    while name.exists():
        number += 1
        name = folder / f"{begun}-{number}.jsonl"
    return str(name)


def _resumed(name: str, board: Board, screen: Screen, options: PlayOptions) -> PlayedGame:
    """The game of a file, which nobody else goes on with. Raises MasonsError, OSError."""
    from masons.cli.support.game_journal import read_journal, reopen_journal
    from masons.cli.support.held_file import HeldFile

    file = HeldFile(name, "old")
    try:
        if options.repair:
            _repair(file, board, options)
        header, entries, kept = read_journal(file)
        setup = _kept_setup(file.name, header, board, options)
        _make_ready(board, setup, screen)
        played = _followed(file.name, board, setup, entries)
        if played.resigned is not None:
            raise RecordError(f"{file.name}: {setup.names[played.resigned]} gave this game up")
        played.keep_in(reopen_journal(file, kept))
    except BaseException:
        file.close()
        raise
    return played


def _repair(file: HeldFile, board: Board, options: PlayOptions) -> None:
    """Leave out what does not fit, and say so."""
    from masons.cli.support.game_journal import repair_journal
    from masons.cli.terminal.dialogue.played_game import PlayedGame

    def fitting(header: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> int:
        played = PlayedGame(board, _kept_setup(file.name, header, board, options))
        for number, entry in enumerate(entries):
            try:
                played.follow([entry])
            except MasonsError:
                return number
        return len(entries)

    said = repair_journal(file, fitting)
    say(said or f"{file.name}: nothing was to be repaired")


def _export(name: str, board: Board, options: PlayOptions) -> None:
    """Write the record of the game of a file. Raises MasonsError, OSError."""
    from masons.cli.support.game_journal import read_journal
    from masons.cli.support.precompile import prepare
    from masons.engine.files import write_atomic
    from masons.engine.game.record import format_record

    record = options.export
    assert record is not None
    if Path(record).exists():
        raise MasonsError(f"{record} exists: choose another name")
    header, entries, _ = read_journal(name)
    setup = _kept_setup(name, header, board, options)
    prepare("rules")
    played = _followed(name, board, setup, entries)
    write_atomic(record, format_record(played.record()) + "\n")
    say(f"{record} written")


def _followed(
    name: str, board: Board, setup: GameSetup, entries: Sequence[Mapping[str, Any]]
) -> PlayedGame:
    """A game played again as far as it was kept. Raises RecordError."""
    from masons.cli.support.game_journal import REPAIR_ADVICE
    from masons.cli.terminal.dialogue.played_game import PlayedGame

    try:
        played = PlayedGame(board, setup)
    except MasonsError as error:
        raise RecordError(f"{name}: {error}") from None
    try:
        played.follow(entries)
    except MasonsError as error:
        raise RecordError(f"{name}: {error}; {REPAIR_ADVICE}") from None
    return played


def _kept_setup(
    name: str, header: Mapping[str, Any], board: Board, options: PlayOptions
) -> GameSetup:
    """The setup in a file. Raises RecordError where it has not the right form, or other board."""
    from masons.cli.terminal.dialogue.played_game import setup_of

    try:
        setup = setup_of(header)
    except MasonsError as error:
        raise RecordError(f"{name}: {error}") from None
    other = options.board_file is not None and setup.board_sha256 not in ("", board.sha256)
    if setup.board != board.name or other:
        raise RecordError(f"{name} is on the board {setup.board!r}: give its file with --board")
    return setup


def _make_ready(board: Board, setup: GameSetup, screen: Screen) -> None:
    """Compile what is not in the cache while the empty board is looked at."""
    from masons.cli.support.interrupt import interruptible
    from masons.cli.support.precompile import PARTS, missing

    todo = missing(_KERNELS)
    if not todo:
        return
    from masons.cli.terminal.drawing.text_page import Scene, draw_page
    from masons.engine.state.position import Position

    start = Position(
        players=setup.players,
        scores=(0,) * setup.players,
        hands=(6,) * setup.players,
    )
    note = "the engine is being made ready: first use only, takes up to a minute ..."
    screen.show(draw_page(Scene(board, start, setup.names, notes=(note,)), screen.frame()))
    sys.stdout.flush()

    def compile_all() -> None:
        for part in todo:
            PARTS[part].compile()

    interruptible(compile_all)
