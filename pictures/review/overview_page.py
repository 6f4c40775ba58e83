"""The overview of several reviews: what changed from game to game, and the way to each page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

from masons.ai.review.performance import trends
from masons.engine.plain_text import percent
from masons.pictures.page_shell import whole_page
from masons.pictures.review.html_parts import MINUS, signed, table
from masons.pictures.review.review_style import STYLE
from masons.pictures.review.review_tables import (
    Report,
    elo_words,
    loss_words,
    points_words,
    trend_note,
    trend_words,
)


def page_name(overview: str, number: int) -> str:
    """The file of a game's page, beside the overview: `review.html` has `review-1.html`."""
    path = Path(overview)
    return str(path.with_name(f"{path.stem}-{number}{path.suffix}"))


def overview_page(reports: Sequence[tuple[int, Report]], overview: str) -> str:
    """The page; it links to those of the games, which `page_name` names."""
    names = list(trends(reports))
    body = "".join(
        (
            f"<header><h1>{len(reports)} games</h1>",
            f"<p>{escape(', '.join(names))}</p></header>",
            "<section><h2>Players</h2>",
            table(
                (
                    "player", "games", "result %", "luck %", "loss %", "points", "Elo-like",
                    "costs most", "trend a game",
                ),
                [
                    (
                        escape(name), str(own["games"]), percent(own["share"]), signed(own["luck"]),
                        loss_words(own), points_words(own), elo_words(own["elo"]),
                        own["costs_most"] or MINUS,
                        escape(trend_words(own["slope"])).replace("-", MINUS),
                    )
                    for name, own in trends(reports).items()
                ],
            ),
            f'<p class="note">{escape(trend_note())}</p></section>',
            "<section><h2>Games</h2>",
            table(
                ("game", "player", "result %", "luck %", "loss %", "points", "Elo-like"),
                [row for one in reports for row in _game(*one, overview)],
            ),
            "</section>",
        )
    )  # fmt: skip
    title = f"Masons: {len(reports)} games of {', '.join(names)}"
    return whole_page(title, STYLE, f"<main>{body}</main>", "")


def _game(number: int, report: Report, overview: str) -> list[tuple[str, ...]]:
    """A row for each player of a game."""
    link = quote(Path(page_name(overview, number)).name)
    players = zip(report["names"], report["players"], report["accounts"], strict=True)
    return [
        (
            f'<a href="{link}">{number}</a>', escape(name), percent(account["share"]),
            signed(account["luck"]), loss_words(player), points_words(player),
            elo_words(player["elo"]),
        )
        for name, player, account in players
    ]  # fmt: skip
