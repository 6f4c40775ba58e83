"""A review for the terminal: win probabilities, players, luck, and what went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from masons.cli.reports.report_tables import figures_table
from masons.engine.plain_words import count, listed, percent, spread
from masons.pictures.review import review_tables as tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.table import Table

_BARS: Final = "▁▂▃▄▅▆▇█"
_WIDTH: Final = 72  # columns of the graph
_STYLES: Final = {"blunder": "bold red", "error": "yellow", "inaccuracy": "cyan"}
_EXPLAINED: Final = ("blunder", "error")


def review_report(report: tables.Report) -> RenderableType:
    """The whole review."""
    return Group(
        *_title(report), "",
        *_graph(report), "",
        _players(report), Text(_players_note(report), style="dim"), "",
        _accounts(report), Text(_accounts_note(report), style="dim"), "",
        *_strokes(report), "",
        *_mistakes(report),
    )  # fmt: skip


def _signed(share: float) -> str:
    return f"{100 * share:+.1f}"


def _title(report: tables.Report) -> Iterator[Text]:
    results = [
        f"{name} {score}" for name, score in zip(report["names"], report["scores"], strict=True)
    ]
    yield Text(f"{tables.outcome(report, report['names'])}: {', '.join(results)}", style="bold")
    for note in tables.forfeit_notes(report, report["names"]):
        yield Text(note)


def _graph(report: tables.Report) -> Iterator[Text]:
    """A row of bars for each seat, from the deal to the end."""
    yield Text(
        "win probability over the game (open hands, played on by the policy busy-best)",
        style="cyan",
    )
    moments = report["moments"]
    columns = min(_WIDTH, len(moments))
    picks = [moments[i * (len(moments) - 1) // max(columns - 1, 1)] for i in range(columns)]
    width = max(len(name) for name in report["names"])
    for seat, name in enumerate(report["names"]):
        bars = "".join(
            _BARS[min(int(moment["wins"][seat] * len(_BARS)), len(_BARS) - 1)] for moment in picks
        )
        yield Text(f"{name:{width}}  ").append(bars, style="green")


def _players(report: tables.Report) -> Table:
    marks = ("best", "unsure", "good", "inacc", "error", "blund")
    titles = ("player", "moves", "lost %", "mean", *marks, "luck %", "play")
    table = figures_table(*titles, wraps_names=True)
    rows = zip(report["names"], tables.player_cells(report, _signed), strict=True)
    for name, (*cells, rating) in rows:
        table.add_row(Text(name), *cells, Text(rating, style="bold"))
    return table


def _players_note(report: tables.Report) -> str:
    limits = [f"{name} from {100 * least:.0f}" for name, least in report["limits"].items()]
    return (
        "Loss: % of win probability against the best move, as far as the seat could know; "
        f"{tables.effort(report)} a decision. {listed(limits).capitalize()}. Unsure: below "
        "twice the standard error, counted as 0. The word in the last column is for the mean loss."
    )


def _accounts(report: tables.Report) -> Table:
    play = ("own play", "others' play", "result")
    titles = ("share of the victory %", "even", *tables.LUCK, "luck", *play)
    table = figures_table(*titles, wraps_names=True)
    rows = zip(report["names"], tables.account_cells(report, _signed), strict=True)
    bold = titles.index("luck") - 1
    for name, cells in rows:
        styled = (Text(cell, "bold" if at == bold else "") for at, cell in enumerate(cells))
        table.add_row(Text(name), *styled)
    return table


def _accounts_note(report: tables.Report) -> str:
    return (
        "even + luck + play = result, where luck is order + deal + dice + cards. Rated with all "
        f"hands open, {report['settings']['playouts']:,} games played on by the policy busy-best "
        "from each moment; play is the gain on what that policy would have made of the position."
    )


def _strokes(report: tables.Report) -> Iterator[RenderableType]:
    yield Text("greatest strokes of luck", style="cyan")
    for words, cells in tables.stroke_cells(report, _signed):
        gains = [f"{name} {cell}" for name, cell in zip(report["names"], cells, strict=True)]
        yield _indented(Text(f"{words}: {', '.join(gains)}"), 2)


def _mistakes(report: tables.Report) -> Iterator[RenderableType]:
    """Blunders and errors in the order of the game, with their reasons."""
    explained = [own for own in report["decisions"] if own["mark"] in _EXPLAINED]
    inaccuracies = sum(decision["mark"] == "inaccuracy" for decision in report["decisions"])
    if not explained:
        yield Text("no errors and no blunders", style="green")
    for decision in explained:
        yield from _mistake(decision, report["names"])
    if inaccuracies:
        yield Text(
            f"{count(inaccuracies, 'inaccuracy', 'inaccuracies')}: see --html or --json",
            style="dim",
        )


def _mistake(decision: tables.Report, names: Sequence[str]) -> Iterator[RenderableType]:
    style = _STYLES[decision["mark"]]
    title = Text(f"{decision['number']:>4}  ", style="dim")
    title.append(f"{decision['mark']} ", style=style)
    title.append(f"{percent(decision['loss'])} {spread(decision['error'])}  ", style=style)
    yield title.append(f"{names[decision['seat']]}: {decision['played_words']}")
    yield _indented(Text(f"best: {decision['best_words']}", style="green"))
    for reason in decision["reasons"]:
        yield _indented(Text(reason, style="dim"))


def _indented(text: Text, columns: int = 6) -> Padding:
    """A text that keeps its distance where a terminal wraps it."""
    return Padding(text, (0, 0, 0, columns))
