"""The command `openings`, which lists the first walls with the highest win rates."""

from __future__ import annotations

import json
import time
from contextlib import closing
from typing import TYPE_CHECKING, Final

import click

from masons.ai.search.limits import MAX_SIMS
from masons.ai.search.search_options import MAX_THREADS
from masons.cli import options
from masons.cli.process import INTERRUPTED, Ended, prepare, say
from masons.engine.board.geometry import Board, load_board
from masons.engine.plain_text import count

if TYPE_CHECKING:
    from masons.ai.openings.first_walls import FirstWall
    from masons.ai.openings.survey import Survey
    from masons.ai.openings.survey_file import SurveyFile

_SAVE_SECONDS: Final = 10.0
_CARDS: Final = 2  # the most cards shown beside a wall
_PLAYING: Final = ("sims", "seed", "threads")  # options of the games that --survey plays
_MAKING: Final = (*_PLAYING, "board_file")


@click.command("openings")
@click.argument("file", type=options.file_name, metavar="[FILE]", required=False)
@options.players
@click.option("--hand", metavar="CARDS", help="Your cards, such as city-red+land-shore.")
@click.option("--top", type=options.whole(1), default=20, show_default=True, metavar="N",
              help="Number of walls to list.")  # fmt: skip
@options.json
@click.option("--survey", "makes", is_flag=True, help="Play games for FILE, or continue doing so.")
@click.option(
    "--sims", type=options.whole(0, MAX_SIMS), default=100, show_default=True, metavar="N",
    help="With --survey: search iterations per decision in the games of the last walls; 0 lets the "
    "policy play, about ten times as fast.",
)  # fmt: skip
@click.option(
    "--threads", type=options.whole(1, MAX_THREADS), default=1, show_default=True, metavar="T",
    help="With --survey: number of threads; the figures are the same.",
)  # fmt: skip
@options.seed
@options.board
def openings(
    file: str | None, players: int, hand: str | None, top: int, as_json: bool, makes: bool,
    sims: int, threads: int, seed: int, board_file: str | None,
) -> None:  # fmt: skip
    """List the first walls with the highest win rates.

    The win rates come from games that were played after each wall, and are averaged over all
    hands. The program contains surveys of such games; FILE can hold a survey of your own. A card
    beside a wall changes the win rate of this wall if you hold the card. With --survey, the
    command plays games for FILE until the win rates of the last twenty walls are known to within
    1 %. Ctrl-C saves the games, and the same command continues.
    """
    for name, option in options.typed().items():
        if file is None and (name == "makes" or name in _MAKING):
            raise click.UsageError(f"{option} needs FILE: the survey")
        if not makes and name in _PLAYING:
            raise click.UsageError(f"{option} needs --survey, which plays games for {file}")
    board = load_board(board_file or "classic")
    survey: Survey
    if file is not None and makes:
        prepare()
        from masons.ai.openings.survey_file import SurveyFile

        with closing(SurveyFile(file, board, players, sims, seed)) as kept:
            _play(kept, threads)
        survey = kept.survey
    else:
        survey = _read(file, board, players)
    from masons.ai.openings.first_walls import first_walls, walls_data

    walls = first_walls(survey, hand.split("+") if hand else ())[:top]
    if as_json:
        click.echo(json.dumps(walls_data(survey, walls)))
    else:
        _show(survey, walls)


def _read(file: str | None, board: Board, players: int) -> Survey:
    """Return the survey in a file, or the survey that is part of the program."""
    from masons.ai.openings.survey_file import bundled_survey, read_survey

    if file is None:
        return bundled_survey(players)
    survey = read_survey(file, board)
    if "players" in options.typed() and survey.players != players:
        raise click.UsageError(f"--players is {players}, but {file} has {survey.players} seats")
    return survey


def _play(file: SurveyFile, threads: int) -> None:
    """Continue a survey with a progress bar. On Ctrl-C, save the survey and exit."""
    from masons.ai.openings.survey import HALF_WIDTH, wanted_worlds
    from masons.cli.console import progress_bar

    survey, saved = file.survey, time.monotonic()
    if survey.sums.worlds:
        say(f"continuing: {_played(survey)}")
    try:
        with progress_bar() as bar:
            task = bar.add_task("")

            def tell() -> bool:
                nonlocal saved
                done, wanted = survey.sums.worlds, wanted_worlds(survey)
                bar.update(
                    task, completed=done, total=wanted, description=f"{len(survey.lines)} walls"
                )
                if time.monotonic() - saved > _SAVE_SECONDS:
                    file.save()
                    saved = time.monotonic()
                return True

            survey.play(threads, tell)
        file.save()
    except KeyboardInterrupt:
        file.save()
        say(f"interrupted: {_played(survey)} and saved: run the same command to continue")
        raise click.exceptions.Exit(INTERRUPTED) from None
    except Ended:
        file.save()
        raise
    say(f"done: each wall is known to {HALF_WIDTH:.0%}")


def _played(survey: Survey) -> str:
    games = survey.sums.worlds
    return f"{count(len(survey.lines), 'wall')} in question, {count(games, 'game')} each, played"


def _show(survey: Survey, walls: list[FirstWall]) -> None:
    from masons.cli.console import add_row, ranked_table, show

    fair = 100 / survey.players
    click.echo(
        f"First walls on {survey.board.name}, {survey.players} players: how often the seat that "
        f"begins wins (fair {fair:.0f} %)"
    )
    table = ranked_table("", "wall", "win %", "points", "where", "better or worse with")
    table.columns[4].justify = table.columns[5].justify = "left"
    for rank, wall in enumerate(walls, 1):
        cards = ", ".join(f"{card} {100 * gain:+.1f}" for card, gain in wall.cards[:_CARDS])
        add_row(
            table, f"{'=' if wall.is_equal and rank > 1 else ''}{rank}", f"wall:{wall.line}",
            f"{100 * wall.win:.1f} \N{PLUS-MINUS SIGN} {100 * wall.win_error:.1f}",
            f"{wall.margin:+.1f}", _where(wall), cards,
        )  # fmt: skip
    show(table)
    by = f"the default player at {survey.simulations} simulations"
    who = by if survey.simulations else "the policy"
    click.echo(
        f"{survey.sums.worlds:,} games after each wall by {who}; "
        "= marks walls that can't be told apart from the first."
    )


def _where(wall: FirstWall) -> str:
    regions = " and ".join("I" * region for region in wall.regions)
    edge, shore = ", edge" if wall.is_edge else "", ", shore" if wall.is_shore else ""
    return f"region {regions}{edge}{shore}"
