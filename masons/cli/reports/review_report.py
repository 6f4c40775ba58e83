"""Reviews of one game or several games, as text for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from masons.ai.review.trends import trends
from masons.ai.rollout.evidence import NORMAL
from masons.cli.console import add_row, figures_table, hanging, indented
from masons.engine.plain_text import count, percent, signed_percent, spread
from masons.gui.pictures import review_tables as tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.table import Table

_BARS: Final = "▁▂▃▄▅▆▇█"
_WIDTH: Final = 72  # the most columns of the graph
_STYLES: Final = {"blunder": "bold red", "error": "yellow", "inaccuracy": "cyan"}
_INDENT: Final = 6  # the columns before the text of a mistake
_EXPLAINED: Final = ("blunder", "error")
_ACCOUNTS_NOTE: Final = (
    "even + luck + play = result, where luck is order + deal + dice + cards. All hands are open: a "
    "roll or draw is compared with the mean of all that could have come, so luck is 0 on average; "
    "play is the change by decisions."
)


def review_report(report: tables.Report) -> RenderableType:
    """Return the whole review of a game."""
    return Group(
        *_title(report), "",
        _players(report), "",
        _parts(report), *map(Text, tables.rank_notes(report)),
        Text(tables.players_note(report), style="dim"), "",
        *_critical(report), "",
        _Graph(report), "",
        _accounts(report), Text(_ACCOUNTS_NOTE, style="dim"), "",
        *_strokes(report), "",
        *_mistakes(report),
    )  # fmt: skip


def _title(report: tables.Report) -> Iterator[Text]:
    results = [
        f"{name} {score}" for name, score in zip(report["names"], report["scores"], strict=True)
    ]
    yield Text(f"{tables.outcome(report, report['names'])}: {', '.join(results)}", style="bold")
    for words in tables.verdict_on_result(report, signed_percent):
        yield Text(words)
    for note in tables.forfeit_notes(report, report["names"]):
        yield Text(note)


class _Graph:
    """A title and, for each seat, a row of bars from the deal to the end of the game."""

    def __init__(self, report: tables.Report) -> None:
        self._names, self._moments = report["names"], report["moments"]

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        yield Text("win probability over the game (all hands open)", style="cyan")
        moments = self._moments
        width = max(len(name) for name in self._names)
        columns = max(min(_WIDTH, len(moments), options.max_width - width - 2), 1)
        picks = [moments[i * (len(moments) - 1) // max(columns - 1, 1)] for i in range(columns)]
        for seat, name in enumerate(self._names):
            bars = "".join(
                _BARS[min(int(moment["wins"][seat] * len(_BARS)), len(_BARS) - 1)]
                for moment in picks
            )
            yield Text(f"{name:{width}}  ").append(bars, style="green")


def _players(report: tables.Report) -> Table:
    titles = ("player", "moves", "loss %", "points", "agrees")
    marks = ("best", "uns", "good", "ina", "err", "blu")
    table = figures_table(*titles, *marks, "Elo-like", "rank", wraps_names=True)
    rows = zip(report["names"], tables.player_cells(report), strict=True)
    for name, (*cells, rating) in rows:
        table.add_row(Text(name), *cells, Text(rating, style="bold"))
    return table


def _parts(report: tables.Report) -> Table:
    """Return a table of the losses by kind of decision and by part of the game."""
    table = figures_table("loss % in", *tables.KINDS, *tables.PHASES, wraps_names=True)
    for name, cells in zip(report["names"], tables.part_cells(report), strict=True):
        table.add_row(Text(name), *cells)
    return table


def _accounts(report: tables.Report) -> Table:
    play = ("own play", "others' play", "result")
    titles = ("share of the victory %", "even", *tables.LUCK, "luck", *play)
    table = figures_table(*titles, wraps_names=True)
    rows = zip(report["names"], tables.account_cells(report, signed_percent), strict=True)
    bold = titles.index("luck") - 1
    for name, cells in rows:
        styled = (Text(cell, "bold" if at == bold else "") for at, cell in enumerate(cells))
        table.add_row(Text(name), *styled)
    return table


def _strokes(report: tables.Report) -> Iterator[RenderableType]:
    yield Text("luckiest and unluckiest rolls and draws", style="cyan")
    for stroke in report["strokes"]:
        gains = zip(report["names"], map(signed_percent, stroke["gains"]), strict=True)
        yield indented(Text(f"{stroke['words']}: {', '.join(map(' '.join, gains))}"), 2)


def _critical(report: tables.Report) -> Iterator[RenderableType]:
    """Yield the most costly mistakes, beginning with the worst."""
    by_number = {decision["number"]: decision for decision in report["decisions"]}
    yield Text("critical moments" if report["critical"] else "no sure mistake", style="cyan")
    for number in report["critical"]:
        yield from _mistake(by_number[number], report["names"])


def _mistakes(report: tables.Report) -> Iterator[RenderableType]:
    """Yield the other blunders and errors in the order of the game, with reasons."""
    explained = [
        decision
        for decision in report["decisions"]
        if decision["mark"] in _EXPLAINED and decision["number"] not in report["critical"]
    ]
    inaccuracies = sum(
        decision["mark"] == "inaccuracy" and decision["number"] not in report["critical"]
        for decision in report["decisions"]
    )
    if explained:
        yield Text("other errors and blunders", style="cyan")
    for decision in explained:
        yield from _mistake(decision, report["names"])
    if inaccuracies:
        others = count(inaccuracies, "other inaccuracy", "other inaccuracies")
        yield Text(f"{others}: see --html or --json", style="dim")


def _mistake(decision: tables.Report, names: Sequence[str]) -> Iterator[RenderableType]:
    style = _STYLES[decision["mark"]]
    title = Text(f"{decision['number']:>4}  turn {decision['turn']}  ", style="dim")
    title.append(f"{decision['mark']} ", style=style)
    title.append(f"{percent(decision['loss'])} {spread(NORMAL * decision['error'])}  ", style=style)
    title.append(f"{names[decision['seat']]}: {decision['played_words']}")
    yield hanging(title, _INDENT)
    yield indented(Text(f"best: {decision['best_words']}", style="green"), _INDENT)
    for reason in decision["reasons"]:
        yield indented(Text(reason, style="dim"), _INDENT)
    for words in (decision["worth"], tables.known_words(decision)):
        if words:
            yield indented(Text(words, style="dim"), _INDENT)


def trend_report(reports: Sequence[tuple[int, tables.Report]]) -> RenderableType:
    """Return a table with a line for each player in each game, and one with a line per player."""
    games = figures_table("game", "player", "result %", "luck %", "loss %", "points", "Elo-like")
    games.columns[1].justify = "left"
    for number, report in reports:
        for name, player, account in zip(
            report["names"], report["players"], report["accounts"], strict=True
        ):
            add_row(
                games, str(number), name, percent(account["share"]),
                signed_percent(account["luck"]), tables.loss_words(player),
                tables.points_words(player), tables.elo_words(player["elo"]),
            )  # fmt: skip
    table = figures_table(
        "player", "games", "result %", "luck %", "loss %", "points", "Elo-like", "trend a game"
    )
    summaries = trends(reports)
    notes = tables.elo_notes(summaries)
    for name, trend in summaries.items():
        add_row(
            table, name, str(trend["games"]), percent(trend["share"]),
            signed_percent(trend["luck"]),
            tables.loss_words(trend), tables.points_words(trend), tables.elo_words(trend["elo"]),
            tables.trend_words(trend["slope"]),
        )  # fmt: skip
        if trend["costs_most"]:
            lost = trend["kinds"][trend["costs_most"]]
            notes.append(
                f"{name}: {trend['costs_most']} cost most, {lost:.2f} of "
                f"{trend['points_lost']:.2f} points a decision."
            )
    return Group(games, "", table, *map(Text, notes), Text(tables.trend_note(), style="dim"))
