"""The command `openings`, which lists the first walls with the highest win rates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import click

from masons.cli import options
from masons.engine.board.components import CARD_COPIES, CARD_NAMES, CARDS, HAND
from masons.engine.board.geometry import Board, load_board
from masons.engine.plain_text import count, percent, spread
from masons.words.moves import cards_words, with_ids

if TYPE_CHECKING:
    from masons.ai.openings.first_walls import FirstWall
    from masons.ai.openings.survey import Survey

_CARDS: Final = 2  # the most cards shown beside a wall


@click.command("openings")
@click.argument("file", type=options.file_name, metavar="[FILE]", required=False)
@options.players
@click.option("--hand", metavar="CARDS", help="Your cards, such as city-red+land-shore.")
@click.option("--top", type=options.whole(1), default=20, show_default=True, metavar="N",
              help="Number of walls to list.")  # fmt: skip
@options.json
@options.board
def openings(
    file: str | None, players: int, hand: str | None, top: int, as_json: bool,
    board_file: str | None,
) -> None:  # fmt: skip
    """List the first walls with the highest win rates.

    The win rates come from games that were played after each wall, and are averaged over all
    hands. The program contains surveys of such games; FILE can hold a survey of your own. A card
    beside a wall changes the win rate of this wall, compared with the other walls, if you hold the
    card. With --hand, the differences from the best wall are listed, since the win rate of the hand
    itself is not known.
    """
    if board_file is not None and file is None:
        raise click.UsageError("--board needs FILE: the survey")
    survey = _read(file, load_board(board_file or "classic"), players)
    from masons.ai.openings.first_walls import first_walls, walls_data

    cards = _cards(hand)
    walls = first_walls(survey, cards)[:top]
    if as_json:
        click.echo(json.dumps(walls_data(survey, walls, cards)))
    else:
        _show(survey, walls, cards)


def _cards(hand: str | None) -> list[str]:
    """Return the cards that --hand names. Raises UsageError if no hand can hold them."""
    cards = [] if hand is None else with_ids(hand).split("+")
    if len(cards) > HAND:
        raise click.UsageError(f"--hand: {len(cards)} cards, but a hand has at most {HAND}")
    if many := [card for card in cards if card in CARDS and cards.count(card) > CARD_COPIES]:
        copies = f"{cards.count(many[0])} copies of {many[0]}"
        raise click.UsageError(f"--hand: {copies}, but there are only {CARD_COPIES}")
    return cards


def _read(file: str | None, board: Board, players: int) -> Survey:
    """Return the survey in a file, or the survey that is part of the program."""
    from masons.ai.openings.survey_file import bundled_survey, read_survey

    if file is None:
        return bundled_survey(players)
    survey = read_survey(file, board)
    if "players" in options.typed() and survey.players != players:
        raise click.UsageError(f"--players is {players}, but {file} has {survey.players} seats")
    return survey


def _show(survey: Survey, walls: list[FirstWall], hand: list[str]) -> None:
    from rich.text import Text

    from masons.cli.console import add_row, ranked_table, show

    fair = 100 / survey.players
    title = f"First walls on {survey.board.name}, {survey.players} players"
    if hand:
        show(Text(f"{title}, with {cards_words(hand)}: how much less often the seat that begins "
                  "wins than after the first wall of the list"))  # fmt: skip
    else:
        show(Text(f"{title}: how often the seat that begins wins (fair {fair:.0f} %)"))
    figures = ["loss"] if hand else ["win %", "points"]
    table = ranked_table("", "wall", *figures, "where", "better or worse with")
    for column in table.columns[-2:]:
        column.justify = "left"
    is_shared = any(wall.is_equal for wall in walls[1:])
    for rank, wall in enumerate(walls, 1):
        mark = "=" if wall.is_equal and is_shared else ""
        cards = ", ".join(
            f"{CARD_NAMES[card]} {100 * gain:+.1f}" for card, gain in wall.cards[:_CARDS]
        )
        add_row(
            table, f"{mark}{rank}", f"wall:{wall.line}", *_figures(wall, rank), _where(wall), cards
        )
    show(table)
    by = f"the default player at {survey.simulations} simulations"
    who = by if survey.simulations else "the policy"
    marked = "= marks walls that can't be told apart."
    show(Text(f"{count(survey.sums.worlds, 'game')} after each wall by {who}; {marked}"))


def _figures(wall: FirstWall, rank: int) -> list[str]:
    """Return the win rate and the margin, or for a hand the loss."""
    if wall.win is None or wall.win_error is None or wall.margin is None:
        return ["" if rank == 1 else f"{percent(wall.loss)} {spread(wall.loss_error)}"]
    return [f"{percent(wall.win)} {spread(wall.win_error)}", f"{wall.margin:+.1f}"]


def _where(wall: FirstWall) -> str:
    regions = " and ".join("I" * region for region in wall.regions)
    edge, shore = ", edge" if wall.is_edge else "", ", shore" if wall.is_shore else ""
    return f"region {regions}{edge}{shore}"
