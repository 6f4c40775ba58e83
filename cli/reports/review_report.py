"""A review for the terminal: win share over the game, players, luck, and what went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from masons.cli.terminal.event_words import count, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BARS: Final = "▁▂▃▄▅▆▇█"
_WIDTH: Final = 72  # columns of the graph
_STYLES: Final = {"blunder": "bold red", "error": "yellow", "inaccuracy": "cyan"}
_TOLD: Final = ("blunder", "error")
_LUCK: Final = ("order", "deal", "dice", "cards")
_PLAY: Final = ("own", "others")

Report = dict[str, Any]


def review_report(report: Report) -> RenderableType:
    """The whole review."""
    return Group(
        *_title(report), "",
        *_graph(report), "",
        _players(report), Text(_players_note(report), style="dim"), "",
        _accounts(report), Text(_accounts_note(report), style="dim"), "",
        *_strokes(report), "",
        *_mistakes(report),
    )  # fmt: skip


def _table(*titles: str) -> Table:
    """A table whose first column is a name."""
    table = Table(box=None, header_style="cyan", pad_edge=False, padding=(0, 2, 0, 0))
    for number, title in enumerate(titles):
        table.add_column(title, justify="right" if number else "left", no_wrap=number > 0)
    return table


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _signed(share: float) -> str:
    return f"{100 * share:+.1f}"


def _title(report: Report) -> Iterator[Text]:
    results = [
        f"{name} {score}" for name, score in zip(report["names"], report["scores"], strict=True)
    ]
    winners = [name for name, share in zip(report["names"], report["shares"], strict=True) if share]
    verb = "wins" if len(winners) == 1 else "share the victory"
    yield Text(f"{listed(winners)} {verb}: {', '.join(results)}", style="bold")


def _graph(report: Report) -> Iterator[Text]:
    """A row of bars for each seat, from the deal to the end."""
    yield Text("win share over the game (open hands, played on by the greedy policy)", style="cyan")
    moments = report["moments"]
    columns = min(_WIDTH, len(moments))
    picks = [moments[i * (len(moments) - 1) // max(columns - 1, 1)] for i in range(columns)]
    width = max(len(name) for name in report["names"])
    for seat, name in enumerate(report["names"]):
        bars = "".join(
            _BARS[min(int(moment["wins"][seat] * len(_BARS)), len(_BARS) - 1)] for moment in picks
        )
        yield Text(f"{name:{width}}  ").append(bars, style="green")


def _players(report: Report) -> Table:
    marks = ("best", "unsure", "good", "inaccuracy", "error", "blunder")
    titles = ("best", "unsure", "good", "inacc.", "error", "blund.")
    table = _table("player", "moves", "lost %", "mean", *titles, "luck %", "play")
    for name, player, account in zip(
        report["names"], report["players"], report["accounts"], strict=True
    ):
        table.add_row(
            Text(name), str(player["decisions"]), _percent(player["lost"]),
            f"{100 * player['mean_loss']:.2f}", *(str(player["marks"][mark]) for mark in marks),
            f"{_signed(account['luck'])} ± {_percent(account['error'])}",
            Text(player["rating"], style="bold"),
        )  # fmt: skip
    return table


def _players_note(report: Report) -> str:
    limits = [f"{name} from {100 * least:.0f}" for name, least in report["limits"].items()]
    limit = report["settings"]["sims"]
    each = f"{limit:,} iterations" if limit else f"{report['settings']['seconds']:g} s"
    return (
        f"Loss: % of win share against the best move, as far as the seat could know; {each} a "
        f"decision. {listed(limits).capitalize()}. Unsure: below twice the standard error, "
        "counted as 0. The word in the last column is for the mean loss."
    )


def _accounts(report: Report) -> Table:
    table = _table(
        "share of the victory %", "even", *_LUCK, "luck", "own play", "others' play", "result"
    )
    even = 1 / len(report["names"])
    for name, account in zip(report["names"], report["accounts"], strict=True):
        table.add_row(
            Text(name), _percent(even), *(_signed(account[part]) for part in _LUCK),
            Text(_signed(account["luck"]), style="bold"),
            *(_signed(account[part]) for part in _PLAY), _percent(account["share"]),
        )  # fmt: skip
    return table


def _accounts_note(report: Report) -> str:
    return (
        "even + luck + play = result, where luck is order + deal + dice + cards. Judged with all "
        f"hands open, {report['settings']['playouts']:,} games played on by the greedy policy from "
        "each moment; play is the gain on what that policy would have made of the position."
    )


def _strokes(report: Report) -> Iterator[RenderableType]:
    yield Text("greatest strokes of luck", style="cyan")
    for stroke in report["strokes"]:
        gains = [
            f"{name} {_signed(gain)}"
            for name, gain in zip(report["names"], stroke["gains"], strict=True)
        ]
        yield _indented(Text(f"{stroke['words']}: {', '.join(gains)}"), 2)


def _mistakes(report: Report) -> Iterator[RenderableType]:
    """Blunders and errors in the order of the game, with their reasons."""
    told = [decision for decision in report["decisions"] if decision["mark"] in _TOLD]
    inaccuracies = sum(decision["mark"] == "inaccuracy" for decision in report["decisions"])
    if not told:
        yield Text("no errors and no blunders", style="green")
    for decision in told:
        yield from _mistake(decision, report["names"])
    if inaccuracies:
        yield Text(
            f"{count(inaccuracies, 'inaccuracy', 'inaccuracies')}: see --html or --json",
            style="dim",
        )


def _mistake(decision: Report, names: Sequence[str]) -> Iterator[RenderableType]:
    style = _STYLES[decision["mark"]]
    title = Text(f"{decision['number']:>4}  ", style="dim")
    title.append(f"{decision['mark']} ", style=style)
    title.append(f"{100 * decision['loss']:.1f} ± {100 * decision['error']:.1f}  ", style=style)
    yield title.append(f"{names[decision['seat']]}: {decision['played_words']}")
    yield _indented(Text(f"best: {decision['best_words']}", style="green"))
    for reason in decision["reasons"]:
        yield _indented(Text(reason, style="dim"))


def _indented(text: Text, columns: int = 6) -> Padding:
    """A text that keeps its distance where a terminal wraps it."""
    return Padding(text, (0, 0, 0, columns))
