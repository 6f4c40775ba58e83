"""`practice`: decisions as puzzles, from one's own games or from those that come along."""

from __future__ import annotations

import random
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from click.core import ParameterSource

from masons.ai.search.limits import MAX_SIMS, REVIEW_DEFAULT
from masons.cli.commands.review import do_work, open_work, work_of
from masons.cli.options import COUNT, FILE, Whole, board_option, seed_option, takes
from masons.cli.process import prepare, say
from masons.cli.sources import whole_game
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from masons.engine.plain_text import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from masons.ai.practice.puzzles import Candidate, Puzzle
    from masons.cli.terminal.screen import Screen
    from masons.engine.board.geometry import Board

_QUIT: Final = ("q", "quit")
_PLAYOUTS: Final = 8  # luck is not asked for here


@dataclass(frozen=True)
class PracticeOptions:
    """The options of `practice`, by their names."""

    game: str | None
    number: int | None
    seat: str | None
    most: int
    sims: int
    progress: str | None
    seed: int
    board_file: str | None


@click.command("practice")
@click.argument("game", type=FILE, metavar="[RECORD]", required=False)
@click.option("--game", "number", type=COUNT, metavar="K",
              help="Number of the game in the file (from 1).  [default: 1]")  # fmt: skip
@click.option("--seat", metavar="SEAT|NAME", help="Only the decisions of this seat.")
@click.option("--count", "most", type=COUNT, default=10, show_default=True, metavar="N",
              help="Number of positions to ask at most.")  # fmt: skip
@click.option(
    "--sims", type=Whole(4, MAX_SIMS), default=REVIEW_DEFAULT.sims, show_default=True, metavar="N",
    help="Search iterations per decision of the game.",
)  # fmt: skip
@click.option("--progress", type=FILE, metavar="FILE",
              help="File that keeps what you solved and missed.  [default: a file in your data "
              "folder]")  # fmt: skip
@seed_option
@board_option
@takes(PracticeOptions)
def practice(options: PracticeOptions) -> None:
    """Practice decisions as puzzles.

    Without RECORD, you get positions that come with the program, with verified values. With
    RECORD (FILE or FILE#K), you get the mistakes of a game, which is reviewed first. Type the
    letter of a move to see what it loses against the best one, and why. A missed position comes
    again at once, a solved one after 1, 3, 7, 21 and 60 days.
    """
    if options.game is None:
        _refuse_without_game()

    prepare()
    board = load_board(options.board_file) if options.board_file else None
    from masons.ai.practice.progress import keep_answer, progress_path, read_progress
    from masons.cli.terminal.screen import Screen

    path = Path(options.progress) if options.progress else progress_path()
    progress = read_progress(path)
    ids, puzzle = _puzzles(options, board)
    today = date.today()
    due = progress.order(ids, today)[: options.most]
    if not due:
        if ids:
            say(f"nothing is due today of {count(len(ids), 'position')}: come back tomorrow")
        return
    solved = answered = 0
    screen = Screen()
    for number, name in enumerate(due, 1):
        if (made := puzzle(name)) is None:
            say(f"position {number} is left out: new games can't tell its moves apart")
            continue
        result = _ask(made, f"{number} of {len(due)}", options.seed, screen)
        if result is None:
            break
        answered += 1
        solved += result
        card = keep_answer(path, name, today, is_solved=result)
        when = "today" if card.due == today.isoformat() else f"on {card.due}"
        click.echo(f"It comes again {when}.\n")
        if number < len(due) and not _goes_on(screen):
            break
    if answered:
        click.echo(f"{solved} of {answered} found.")


def _refuse_without_game() -> None:
    """Raise UsageError for an option that is about a game."""
    ctx = click.get_current_context()
    for param in ctx.command.params:
        is_typed = ctx.get_parameter_source(param.name or "") is ParameterSource.COMMANDLINE
        if is_typed and param.name in ("number", "seat", "sims", "board_file"):
            raise click.UsageError(f"{param.opts[0]} needs RECORD: the game to practice with")


def _puzzles(
    options: PracticeOptions, board: Board | None
) -> tuple[list[str], Callable[[str], Puzzle | None]]:
    """Return the ids of the puzzles, the first to ask first, and a function that makes one."""
    if options.game is None:
        from masons.ai.practice.puzzles import bundled

        puzzles = {puzzle.id: puzzle for puzzle in bundled(load_board("classic"))}
        ids = list(puzzles)
        random.Random(options.seed).shuffle(ids)
        return ids, puzzles.__getitem__
    return _own_game(options, board)


def _own_game(
    options: PracticeOptions, board: Board | None
) -> tuple[list[str], Callable[[str], Puzzle | None]]:
    """Return the mistakes of a game, which is reviewed first (or was before)."""
    from masons.ai.practice.puzzles import id_of, mistakes, puzzle_of
    from masons.ai.review.review_work import ReviewSettings
    from masons.engine.game.record import read_record

    assert options.game is not None
    file, named = whole_game(options.game, options.number)
    number = named or 1
    prepare()
    record = read_record(file, number)
    settings = ReviewSettings(options.sims, None, _PLAYOUTS, options.seed)
    try:
        work = work_of(record, board, settings, options.seat)
    except MasonsError as error:
        raise MasonsError(f"{file}, game {number}: {error}") from None
    with closing(open_work(work, None)) as kept:
        do_work(work, kept)
    steps = {id_of(work, index): index for index in mistakes(work)}
    if not steps:
        say("nothing to practice: no decision of this game was clearly wrong")
    return list(steps), lambda name: puzzle_of(work, steps[name], options.seed)


def _ask(puzzle: Puzzle, which: str, seed: int, screen: Screen) -> bool | None:
    """Show a puzzle and take an answer; return whether it is right, None to end.

    A live terminal shows the page of `play`, with the question below the board.
    """
    from masons.cli.console import show
    from masons.cli.terminal.puzzle_page import answer, puzzle_page, question

    choices = list(puzzle.candidates)
    random.Random(f"{seed} {puzzle.id}").shuffle(choices)
    seat = puzzle.view.seat

    def draw(_: Sequence[str] = ()) -> None:
        screen.wipe()
        moves = [puzzle.move_of(choice) for choice in choices]
        screen.show(puzzle_page(puzzle, moves, screen.frame()))

    if screen.live:
        draw()
        chosen = _chosen(choices, f"{which}, seat {seat}: ", screen, draw)
        screen.wipe()
    else:
        show(question(puzzle, choices, which))
        chosen = _chosen(choices, "", screen, draw)
    if chosen is None:
        return None
    show(answer(puzzle, chosen))
    return chosen.is_right


def _chosen(
    choices: list[Candidate], title: str, screen: Screen, draw: Callable[[Sequence[str]], None]
) -> Candidate | None:
    """Return the choice that is typed; None to end."""
    from masons.cli.terminal.text_page import LETTERS

    letters = LETTERS[: len(choices)]
    prompt = f"{title}your move ({letters[0]}-{letters[-1]}, q to leave): "
    for line in _lines(prompt[0].upper() + prompt[1:], screen, draw):
        if line in _QUIT:
            return None
        if len(line) == 1 and line in letters:
            return choices[letters.index(line)]
        named = [choice for choice in choices if choice.move == line]
        if named:
            return named[0]
        say(f"{line!r} is none of the moves: type a letter from {letters[0]} to {letters[-1]}")
    return None


def _lines(prompt: str, screen: Screen, draw: Callable[[Sequence[str]], None]) -> Iterator[str]:
    while True:
        try:
            line = screen.ask(prompt, (), draw) if screen.live else input(prompt)
        except EOFError:
            click.echo()
            return
        if line.strip():
            yield line.strip().lower()


def _goes_on(screen: Screen) -> bool:
    """Return whether to go on, once somebody has read an answer on a page of its own."""
    if not screen.live:
        return True
    try:
        return screen.ask("[Enter: the next position, q: leave] ").lower() not in _QUIT
    except EOFError:
        return False
