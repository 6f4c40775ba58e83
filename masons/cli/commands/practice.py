"""The command `practice`, which gives decisions as puzzles.

The puzzles are positions that are part of the program, or mistakes from the user's own games.
"""

from __future__ import annotations

import random
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from masons.ai.search.limits import MAX_SIMS, REVIEW_DEFAULT
from masons.cli import options
from masons.cli.commands.review import do_work, open_work, work_of
from masons.cli.process import prepare, say
from masons.cli.sources import errors_of, game_name, whole_game
from masons.engine.board.geometry import Board, load_board
from masons.engine.plain_text import count

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from masons.ai.practice.puzzles import Candidate, Puzzle
    from masons.cli.terminal.screen import Screen

_QUIT: Final = ("q", "quit")
_PLAYOUTS: Final = 8  # a small number, because practice does not show luck


@click.command("practice")
@click.argument("game", type=options.file_name, metavar="[RECORD]", required=False)
@options.game
@click.option("--seat", metavar="SEAT|NAME", help="Only the decisions of this seat.")
@click.option(
    "--count", "most", type=options.whole(1), default=10, show_default=True, metavar="N",
    help="Maximum number of positions.",
)  # fmt: skip
@click.option(
    "--sims", type=options.whole(4, MAX_SIMS), default=REVIEW_DEFAULT.sims, show_default=True,
    metavar="N", help="Search iterations per decision of the game.",
)  # fmt: skip
@click.option(
    "--progress", "progress_file", type=options.file_name, metavar="FILE",
    help="File for what you solved and missed.  [default: a file in your data folder]",
)  # fmt: skip
@options.seed
@options.board
def practice(
    game: str | None, number: int | None, seat: str | None, most: int, sims: int,
    progress_file: str | None, seed: int, board_file: str | None,
) -> None:  # fmt: skip
    """Practice decisions as puzzles.

    Without RECORD, you get the puzzles of the program, which the browser shows too, beginning with
    those near your rating: in each, searches and games of two kinds of players agree that one move
    is better than all others. With RECORD (FILE or FILE#K), you get the mistakes of a game, which
    is reviewed first. Type the letter of a move to see how much it loses against the best move, and
    why. If you miss a position, you get it again at once. If you solve it, it comes again after 1,
    3, 7, 21 and 60 days; so do your mistakes. Your rating only changes in the browser, where there
    are no letters to choose from.
    """
    for name, option in options.typed().items():
        if game is None and name in ("number", "seat", "sims", "board_file"):
            raise click.UsageError(f"{option} needs RECORD: the game to practice with")
    prepare()
    board = load_board(board_file) if board_file else None
    from masons.ai.practice.progress import keep_answer, progress_path, read_progress
    from masons.ai.practice.puzzles import bundled, own_puzzles
    from masons.cli.terminal.screen import Screen
    from masons.engine.game.table import Table

    path = Path(progress_file) if progress_file else progress_path()
    progress = read_progress(path)
    puzzle_of: Callable[[str], Puzzle | None]
    ids: dict[str, int | None]
    today = date.today()
    if game is None:
        classic = load_board("classic")
        due_mistakes = (progress.mistakes[each] for each in progress.due(progress.mistakes, today))
        of_games = own_puzzles(due_mistakes, Table(classic))
        puzzles = {each.id: each for each in (*of_games, *bundled(classic))}
        ids, puzzle_of = {each.id: each.rating for each in puzzles.values()}, puzzles.__getitem__
    else:
        file, number = whole_game(game, number)
        mistakes, puzzle_of = _mistakes(file, number or 1, board, sims, seat, seed)
        ids = dict.fromkeys(mistakes)
    due = progress.order(ids, today)[:most]
    if not due:
        if ids:
            say(f"none of {count(len(ids), 'position')} is due today: come back tomorrow")
        return
    solved = answered = 0
    screen = Screen()
    for position, puzzle_id in enumerate(due, 1):
        if (puzzle := puzzle_of(puzzle_id)) is None:
            say(f"position {position} is left out: new games can't tell its moves apart")
            continue
        choices = list(puzzle.candidates)
        random.Random(f"{seed} {puzzle.id}").shuffle(choices)
        chosen = _ask(puzzle, choices, f"{position} of {len(due)}", screen)
        if chosen is None:
            break
        answered += 1
        solved += chosen.is_right
        own_data = puzzle.to_data() if puzzle.is_own else None
        card, _ = keep_answer(path, puzzle_id, today, is_solved=chosen.is_right, mistake=own_data)
        when = "today" if card.due == today.isoformat() else f"on {card.due}"
        note = f"It comes again {when}."
        is_last = position == len(due)
        if not _goes_on(puzzle, choices, chosen, note, screen, is_last=is_last):
            break
    if answered:
        click.echo(f"{solved} of {answered} solved.")


def _mistakes(
    file: str, number: int, board: Board | None, sims: int, seat: str | None, seed: int
) -> tuple[list[str], Callable[[str], Puzzle | None]]:
    """Return the ids of a game's mistakes, and a function that returns the puzzle for an id.

    The game is reviewed first, unless its review is in the cache.
    """
    from masons.ai.practice.puzzles import Mistake, id_of, mistakes, puzzle_of
    from masons.ai.review.review_work import ReviewSettings
    from masons.engine.game.record import read_record

    record = read_record(file, number)
    with errors_of(game_name(file, number)):
        settings = ReviewSettings(sims=sims, seconds=None, playouts=_PLAYOUTS, seed=seed)
        work = work_of(record, board, settings, seat)
    with closing(open_work(work, None)) as kept:
        do_work(work, kept)
    timeline = work.timeline
    steps = {id_of(timeline, index): index for index in mistakes(work)}
    if not steps:
        say("nothing to practice: no decision of this game was clearly wrong")

    def puzzle(puzzle_id: str) -> Puzzle | None:
        index = steps[puzzle_id]
        return puzzle_of(timeline, index, Mistake.of(work.verdicts[index]), seed)

    return list(steps), puzzle


def _ask(
    puzzle: Puzzle, choices: Sequence[Candidate], which: str, screen: Screen
) -> Candidate | None:
    """Show a puzzle, and return the move that the user chooses, or None if the user leaves.

    On a live terminal, the puzzle looks like a page of `play`, with the question below the board.
    """
    from masons.cli.console import show
    from masons.cli.terminal.puzzle_page import puzzle_page, question
    from masons.cli.terminal.text_page import LETTERS

    def draw(_: Sequence[str] = ()) -> None:
        screen.wipe()
        moves = [puzzle.move_of(choice) for choice in choices]
        screen.show(puzzle_page(puzzle, moves, screen.frame()))

    if screen.live:
        draw()
    else:
        show(question(puzzle, choices, which))
    letters = LETTERS[: len(choices)]
    whose = f"{which}, seat {puzzle.view.seat}: your" if screen.live else "Your"
    prompt = f"{whose} move ({letters[0]}-{letters[-1]}, q to leave): "
    lettered = dict(zip(letters, choices, strict=False))
    while True:
        try:
            typed = screen.ask(prompt, (), draw) if screen.live else input(prompt)
        except EOFError:
            click.echo()
            typed = "q"
        typed = typed.strip().lower()
        if typed in _QUIT:
            if screen.live:
                screen.wipe()
            return None
        chosen = lettered.get(typed) or next((c for c in choices if c.move == typed), None)
        if chosen is not None:
            return chosen
        if typed:
            hint = f"type a letter from {letters[0]} to {letters[-1]}"
            say(f"{typed!r} is not one of the moves: {hint}")


def _goes_on(
    puzzle: Puzzle, choices: Sequence[Candidate], chosen: Candidate, note: str, screen: Screen,
    *, is_last: bool,
) -> bool:  # fmt: skip
    """Show the answer and a note, on a live terminal page by page below the board.

    Returns False if the user leaves.
    """
    from masons.cli.console import show
    from masons.cli.terminal.puzzle_page import answer, answer_notes, answer_pages

    if not screen.live:
        show(answer(puzzle, chosen))
        click.echo(f"{note}\n")
        return True
    from rich.text import Text

    moves = [puzzle.move_of(each) for each in choices]
    notes = [*answer_notes(puzzle, choices, chosen), Text(note)]
    number = 0
    while True:
        pages = answer_pages(puzzle, moves, notes, screen.frame())
        number = min(number, len(pages) - 1)  # there are fewer on a terminal that has grown

        def draw(_: Sequence[str] = (), page: list[Text] = pages[number]) -> None:
            screen.wipe()
            screen.show(page)

        draw()
        is_end = number == len(pages) - 1
        if is_end and is_last:
            return True
        onward = "the next position" if is_end else "read on"
        try:
            if screen.ask(f"[Enter: {onward}, q: leave] ", (), draw).lower() in _QUIT:
                return False
        except EOFError:
            return False
        if is_end:
            return True
        number += 1
