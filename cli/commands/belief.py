"""`belief`: what the other seats may hold, and what those cards would score."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from masons.cli.options import (
    board_option,
    json_option,
    position_argument,
    whole,
)
from masons.cli.process import prepare
from masons.cli.sources import errors_of, find_position
from masons.engine.board.components import CARDS
from masons.engine.errors import MasonsError
from masons.engine.plain_text import count, percent, rounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table as Grid

    from masons.ai.beliefs.hand_estimates import Holding
    from masons.engine.game.observation import Observation
    from masons.engine.game.table import Table
    from masons.engine.state.layout import State
    from masons.engine.state.position import Position

FORMAT: Final = "masons-belief"
VERSION: Final = 1


@click.command("belief")
@position_argument
@click.option(
    "--seat", type=whole(0, 3), metavar="S",
    help="Seat whose view is shown.  [default: the seat that decides]",
)  # fmt: skip
@json_option
@board_option
def belief(position: str, seat: int | None, as_json: bool, board_file: str | None) -> None:
    """Show what the other seats may hold.

    A hidden hand is a random draw from the cards that the seat does not see. For each kind of
    card, the table shows how many to expect in the hand, the probability of at least one, the
    points that it scores now (for the city just completed, or with no city), and the points
    that it would score in the final scoring on the present board, for the best city.

    For a decision in a record (FILE@N), the table adds the probability of at least one given
    what everybody chose so far, as the engine estimates it.
    """
    source = find_position(position, board_file)
    own_seat = source.position.seat if seat is None else seat
    with errors_of(source.source):
        visible = _visible_to(source.position, own_seat)
    observed = source.observe(own_seat)
    prepare()

    from masons.ai.beliefs.hand_estimates import belief
    from masons.engine.game.observation import Observation
    from masons.engine.game.table import Table

    table = Table(source.board)
    hidden = tuple(hand if isinstance(hand, int) else 0 for hand in visible.hands)
    view = Observation(table.state_of(visible), hidden)
    held = {other: belief(view, other) for other in range(visible.players) if other != own_seat}
    if observed is not None:
        held = _predicted(held, table, observed)
    now = table.card_points(view.state, visible.city)
    last = _points_last(table, view.state, visible)
    if as_json:
        click.echo(json.dumps(_figures(source.board.name, visible, own_seat, held, now, last)))
    else:
        from masons.cli.console import show

        click.echo(f"the other hands, as seat {own_seat} can estimate them")
        for other, holdings in held.items():
            cards = count(visible.hand_sizes[other], "card")
            click.echo(f"\nseat {other}: {cards}{_kind(visible, other)}")
            if holdings:
                show(_table(holdings, now, last))


def _visible_to(position: Position, own_seat: int) -> Position:
    """Return a seat's view. Raises MasonsError for no such seat, or if its hand is hidden."""
    if own_seat >= position.players:
        raise MasonsError(f"seat {own_seat} does not play: seats are 0 to {position.players - 1}")
    if isinstance(position.hands[own_seat], int):
        raise MasonsError(
            f"the hand of seat {own_seat} is hidden: --seat must name one that is known"
        )
    return position.observed_by(own_seat)


def _predicted(
    held: dict[int, list[Holding]], table: Table, observed: Observation
) -> dict[int, list[Holding]]:
    """The same with how likely each card is by what was chosen."""
    prepare()
    from masons.ai.beliefs.hand_estimates import estimate_hands

    estimates = estimate_hands(table, observed)
    return {
        seat: [
            replace(holding, predicted=estimates[seat].get(holding.kind, 0.0))
            for holding in holdings
        ]
        for seat, holdings in held.items()
    }


def _kind(visible: Position, seat: int) -> str:
    return ", hidden" if isinstance(visible.hands[seat], int) else ""


def _points_last(table: Table, state: State, position: Position) -> list[int]:
    """Return what each card would score alone in the final scoring, for its best city."""
    cities: list[int | None] = [min(city) for city in position.cities]
    return [
        max(each)
        for each in zip(*(table.card_points(state, c) for c in cities or [None]), strict=True)
    ]


def _table(holdings: Sequence[Holding], now: Sequence[int], last: Sequence[int]) -> Grid:
    from masons.cli.console import figures_table

    predicted = ["predicted"] * any(holding.predicted is not None for holding in holdings)
    grid = figures_table("card", "expected", "at least one", *predicted, "now", "at the end")
    for holding in _sorted(holdings, now, last):
        grid.add_row(
            CARDS[holding.kind], f"{holding.expected:.2f}", f"{percent(holding.probability, 0)} %",
            *(f"{percent(holding.predicted or 0.0, 0)} %" for _ in predicted),
            str(now[holding.kind]), str(last[holding.kind]),
        )  # fmt: skip
    return grid


def _sorted(holdings: Sequence[Holding], now: Sequence[int], last: Sequence[int]) -> list[Holding]:
    """The cards to fear most first."""
    return sorted(holdings, key=lambda h: (-now[h.kind], -last[h.kind], -h.expected, h.kind))


def _figures(
    board: str,
    visible: Position,
    own_seat: int,
    held: dict[int, list[Holding]],
    now: Sequence[int],
    last: Sequence[int],
) -> dict[str, Any]:
    """The JSON object: `seats` by number, each with its cards, those to fear most first."""
    from masons.engine.formats.position_text import format_position

    return {
        "format": FORMAT,
        "version": VERSION,
        "position": format_position(visible, board),
        "seat": own_seat,
        "seats": [
            {
                "seat": other,
                "cards": visible.hand_sizes[other],
                "hidden": isinstance(visible.hands[other], int),
                "holds": [
                    {
                        "card": CARDS[holding.kind],
                        "expected": rounded(holding.expected),
                        "probability": rounded(holding.probability),
                        "guess": holding.predicted,
                        "now": now[holding.kind],
                        "last": last[holding.kind],
                    }
                    for holding in _sorted(holdings, now, last)
                ],
            }
            for other, holdings in held.items()
        ],
    }
