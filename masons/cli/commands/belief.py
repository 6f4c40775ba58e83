"""The command `belief`, which estimates the other hands and the points of their cards."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import click

from masons.cli import options
from masons.cli.process import prepare
from masons.cli.sources import errors_of, find_position
from masons.engine.board.components import CARD_NAMES, CARDS
from masons.engine.errors import MasonsError
from masons.engine.plain_text import count, percent, rounded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from masons.engine.game.observation import Observation
    from masons.engine.game.table import Table
    from masons.engine.state.position import Position

FORMAT: Final = "masons-belief"
VERSION: Final = 1


@click.command("belief")
@options.position
@click.option(
    "--seat", type=options.whole(0, 3), metavar="S",
    help="Seat whose view is shown.  [default: the seat that decides]",
)  # fmt: skip
@options.json
@options.board
def belief(position: str, seat: int | None, as_json: bool, board_file: str | None) -> None:
    """Show what the other seats may hold.

    The basic estimate treats a hidden hand as a random draw from the cards that the seat does
    not see. For each kind of card, the table shows the expected number in the hand and the
    probability of at least one. It also shows the points that the card would score now (for the
    city just completed, or without a city), and the points that it would score for the best city
    if the game ended on the current board.

    For a decision in a record (FILE@N), another column shows the probability of at least one
    card that the engine predicts from everybody's earlier choices.
    """
    source = find_position(position, board_file)
    own_seat = source.position.seat if seat is None else seat
    with errors_of(source.source):
        visible = _visible_to(source.position, own_seat)
    prepare()

    from masons.ai.beliefs.hand_estimates import estimate_hands
    from masons.engine.formats.position_text import format_position
    from masons.engine.game.observation import Observation
    from masons.engine.game.table import Table

    table, observed = Table(source.board), source.observe(own_seat)
    hidden = tuple(hand if isinstance(hand, int) else 0 for hand in visible.hands)
    view = Observation(table.state_of(visible), hidden)
    predicted = None if observed is None else estimate_hands(table, observed)
    seats = [
        {
            "seat": other,
            "cards": visible.hand_sizes[other],
            "hidden": isinstance(visible.hands[other], int),
            "holds": _holds(table, visible, view, other, predicted[other] if predicted else None),
        }
        for other in range(visible.players)
        if other != own_seat
    ]
    if as_json:
        text = format_position(visible, source.board.name)
        head = {"format": FORMAT, "version": VERSION, "position": text, "seat": own_seat}
        click.echo(json.dumps({**head, "seats": seats}))
    else:
        click.echo(f"the other hands, as seat {own_seat} can estimate them")
        _print(seats, has_predictions=predicted is not None)


def _holds(
    table: Table, visible: Position, view: Observation, seat: int,
    predicted: Mapping[int, float] | None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Return a JSON object for each kind of card in a hand, with the most valuable kind first."""
    from masons.ai.beliefs.hand_estimates import belief as hand_belief

    now = table.card_points(view.state, visible.city)
    # The points that a card of each kind would score alone in the final scoring, for its best city.
    cities: list[int | None] = [min(city) for city in visible.cities]
    tables = [table.card_points(view.state, city) for city in cities or [None]]
    last = [max(points) for points in zip(*tables, strict=True)]
    return [
        {
            "card": CARDS[card.kind],
            "expected": rounded(card.expected),
            "probability": rounded(card.probability),
            "guess": None if predicted is None else predicted.get(card.kind, 0.0),
            "now": now[card.kind],
            "last": last[card.kind],
        }
        for card in sorted(
            hand_belief(view, seat),
            key=lambda card: (-now[card.kind], -last[card.kind], -card.expected, card.kind),
        )
    ]


def _print(seats: Sequence[dict[str, Any]], *, has_predictions: bool) -> None:
    from masons.cli.console import figures_table, show

    titles = ["predicted"] * has_predictions
    for hand in seats:
        hidden_mark = ", hidden" if hand["hidden"] else ""
        click.echo(f"\nseat {hand['seat']}: {count(hand['cards'], 'card')}{hidden_mark}")
        grid = figures_table("card", "expected", "at least one", *titles, "now", "at the end")
        for card in hand["holds"]:
            grid.add_row(
                CARD_NAMES[card["card"]], f"{card['expected']:.2f}",
                f"{percent(card['probability'], 0)} %",
                *(f"{percent(card['guess'], 0)} %" for _ in titles),
                str(card["now"]), str(card["last"]),
            )  # fmt: skip
        if hand["holds"]:
            show(grid)


def _visible_to(position: Position, own_seat: int) -> Position:
    """Return the position as a seat sees it.

    Raises MasonsError if there is no such seat or the seat's hand is hidden.
    """
    if own_seat >= position.players:
        raise MasonsError(f"seat {own_seat} does not play: seats are 0 to {position.players - 1}")
    if isinstance(position.hands[own_seat], int):
        raise MasonsError(
            f"the hand of seat {own_seat} is hidden: --seat must name one that is known"
        )
    return position.observed_by(own_seat)
