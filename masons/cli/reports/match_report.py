"""The report of a match. All intervals are 95% intervals over blocks."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Final

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from masons.cli.console import add_row, figures_table, hanging, label_grid
from masons.engine.plain_text import count, fixed, listed, percent, plain, signed
from masons.match.running.schedule import FAULTS

if TYPE_CHECKING:
    from masons.match.match_summary import MatchSummary
    from masons.match.statistics.estimates import Estimate
    from masons.match.statistics.luck_adjusted import Ratio
    from masons.match.statistics.sprt import SprtVerdict

_LABEL_WIDTH: Final = 13  # of the notes below the table of faults


def _share(value: Estimate | None) -> str:
    """Return a share and its interval in percent, cut at 0 and 100, or "-" for no estimate."""
    if value is None:
        return "-"
    low, high = max(value.low, min(value.mean, 0.0)), min(value.high, max(value.mean, 1.0))
    return f"{percent(value.mean)} [{percent(low)}, {percent(high)}]"


def _shown(value: Estimate | None, decimals: int = 1) -> str:
    """Return a mean and its interval, or "-" if there is no estimate."""
    if value is None:
        return "-"
    if not (isfinite(value.low) and isfinite(value.high)):
        return fixed(value.mean, decimals)  # the interval of a single block is infinite
    mean, low, high = (fixed(each, decimals) for each in (value.mean, value.low, value.high))
    return f"{mean} [{low}, {high}]"


def _signed(value: Estimate | None, decimals: int = 0, scale: float = 1) -> str:
    """Return a mean and its interval, multiplied by `scale`, or "-" if there is no estimate."""
    if value is None:
        return "-"
    mean, low, high = (
        signed(scale * each, decimals) for each in (value.mean, value.low, value.high)
    )
    return f"{mean} [{low}, {high}]"


def _ratio(value: Ratio | None) -> str:
    return "unknown" if value is None else f"{value.value:.2f} ± {value.error:.2f}"


def match_report(summary: MatchSummary) -> RenderableType:
    """Return the report of a match."""
    return Group(
        Text(_title(summary)),
        "",
        _scores(summary),
        "",
        *_facts(summary),
        *_adjusted(summary),
        _luck(summary),
        "",
        _faults(summary),
        *_fault_notes(summary),
    )


def _title(summary: MatchSummary) -> str:
    settings = summary.settings
    played = f"{count(summary.games, 'game')} in {count(summary.blocks, 'block')}"
    return f"{played}, {count(settings.players, 'player')}, seed {settings.seed}"


def _scores(summary: MatchSummary) -> RenderableType:
    ratings = ["rating"] if summary.ratings else []
    table = figures_table("engine", "games", "victories %", "points", "place", "margin", *ratings)
    for line in summary.engines:
        add_row(
            table,
            summary.name(line.engine),
            f"{line.games:,}",
            _share(line.first),
            _shown(line.score),
            _shown(line.place, 2),
            _shown(line.margin),
            *(_signed(line.rating) for _ in ratings),
        )
    return table


def _facts(summary: MatchSummary) -> list[RenderableType]:
    """Return rows with figures about the match as a whole, and then a blank line."""
    first, second = summary.name(0), summary.name(1)
    rows: list[tuple[str, str]] = []
    if summary.score is not None:
        rows.append(("Elo", f"{_signed(summary.elo)} of {first} above {second}"))
        rows.append(("score", f"{_share(summary.score)} % of seat against seat"))
    rows += _separate_groups(summary)
    if summary.verdict is not None:
        rows.append(("SPRT", _verdict(summary.verdict)))
    cut = summary.cut
    if cut is not None and cut.any_seatings is not None:
        rows.append(
            (
                "pairing",
                f"{_ratio(cut.any_seatings)} times the variance of as many independent games"
                f" ({_ratio(cut.same_seatings)} by duplicate deals alone)",
            )
        )
    grid = label_grid()
    for title, words in rows:
        grid.add_row(title, Text(words))
    return [grid, ""] if rows else []


def _separate_groups(summary: MatchSummary) -> list[tuple[str, str]]:
    """Return a row that lists the groups or levels of engines, or no row if there is only one."""
    rated = summary.ratings
    if rated is None:
        return []
    for title, groups in (("not comparable", rated.groups), ("never mixed", rated.levels)):
        if len(groups) > 1:
            names = [listed([summary.name(engine) for engine in group]) for group in groups]
            return [(title, "; ".join(names))]
    return []


def _verdict(verdict: SprtVerdict) -> str:
    state = {
        None: "undecided",
        "H0": "H0 accepted: not better by ELO1",
        "H1": "H1 accepted: better than by ELO0",
    }[verdict.accepted]
    return f"LLR {signed(verdict.llr, 2)} of [{verdict.lower:.2f}, {verdict.upper:.2f}]: {state}"


def _adjusted(summary: MatchSummary) -> list[RenderableType]:
    """Return the luck-adjusted results and then a blank line."""
    results = summary.adjusted
    if results is None:
        return []
    table = figures_table("without luck", "victories %", "luck %")
    for line in summary.engines:
        name, luck = summary.name(line.engine), _signed(line.luck, 1, scale=100)
        add_row(table, name, _share(line.without_luck), luck)
    grid = label_grid()
    if results.elo is not None:
        elo = f"{_signed(results.elo)} of {summary.name(0)} above {summary.name(1)}"
        grid.add_row("Elo", Text(elo))
    grid.add_row("luck", f"correlation {results.correlation:.2f} with the victory")
    if results.games is not None:
        needed = (
            f"for the same interval as independent games: {_ratio(results.by_blocks)} of them with "
            f"duplicate deals, {_ratio(results.by_luck)} without luck, "
            f"{_ratio(results.independent)} with both ({_ratio(results.games)} of those in blocks)"
        )
        grid.add_row("games", needed)
    return [table, grid, ""]


def _luck(summary: MatchSummary) -> RenderableType:
    table = figures_table(
        "luck", "rolls", "jokers a roll", "cards", "points a card", "points of all"
    )
    for line in summary.engines:
        add_row(
            table,
            summary.name(line.engine),
            f"{line.rolls.mean:.1f}",
            _shown(line.jokers, 2),
            f"{line.cards.mean:.1f}",
            _shown(line.card_value, 2),
            _shown(line.hand_value),
        )
    return table


def _faults(summary: MatchSummary) -> RenderableType:
    is_timed = summary.settings.time_control.is_timed
    table = figures_table(
        "faults", *FAULTS, "forfeits", *(("late", "by up to") if is_timed else ())
    )
    for line in summary.engines:
        cells = [f"{line.faults[kind]:,}" for kind in FAULTS] + [f"{line.forfeits:,}"]
        if is_timed:
            cells += [f"{line.late:,}", f"{line.latest:.3f} s" if line.late else "-"]
        add_row(table, summary.name(line.engine), *cells)
    return table


class _Line:
    """A line that is cut to the width of a terminal, and is whole elsewhere. It never wraps."""

    def __init__(self, text: Text) -> None:
        self._text = text

    def __rich_console__(self, console: Console, _: ConsoleOptions) -> RenderResult:
        text = self._text.copy()
        text.no_wrap, text.overflow = True, "ellipsis" if console.is_terminal else "ignore"
        yield text


def _fault_notes(summary: MatchSummary) -> list[RenderableType]:
    """Return a blank line, and the first fault and the stand-in's moves of each engine, if any."""
    notes: list[RenderableType] = []
    for line in summary.engines:
        if line.first_fault is not None:
            game, fault = line.first_fault
            when = f"{summary.name(line.engine)}, game {game}, decision {fault.decision}"
            # An engine's own words must not begin a line, so this line is not wrapped.
            notes.append(_Line(_note("first fault", plain(f"{when}: {fault.kind}: {fault.text}"))))
    for line in summary.engines:
        if line.replaced:
            moves = f"{line.replaced:,} of {count(line.decisions, 'move')}"
            made = f"{summary.name(line.engine)}: a stand-in made {moves}"
            text = _note("stand-in", f"{made}; the figures above include them")
            notes.append(hanging(text, _LABEL_WIDTH))
    return ["", *notes] if notes else []


def _note(label: str, words: str) -> Text:
    return Text.assemble((label.ljust(_LABEL_WIDTH), "cyan"), words)
