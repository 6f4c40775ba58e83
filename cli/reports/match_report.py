"""A match for people: who won, how sure that is, who had the luck, and what went wrong."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from masons.cli.reports.report_tables import add_row, figures_table, label_grid
from masons.engine.plain_text import count, fixed, listed, percent, signed
from masons.match.running.schedule import FAULTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.match.match_summary import Summary
    from masons.match.statistics.estimates import Estimate
    from masons.match.statistics.luck_adjusted import Ratio
    from masons.match.statistics.ratings import Rating, Ratings
    from masons.match.statistics.sprt import Verdict


def share(value: Estimate) -> str:
    """A share and its interval in per cent."""
    return f"{percent(value.mean)} [{percent(value.low)}, {percent(value.high)}]"


def shown(value: Estimate | None, decimals: int = 1) -> str:
    """A mean and its interval."""
    if value is None:
        return "-"
    if not (isfinite(value.low) and isfinite(value.high)):
        return fixed(value.mean, decimals)  # one block says nothing of the spread
    mean, low, high = (fixed(each, decimals) for each in (value.mean, value.low, value.high))
    return f"{mean} [{low}, {high}]"


def _signed(mean: float, low: float, high: float, decimals: int = 0) -> str:
    return f"{signed(mean, decimals)} [{signed(low, decimals)}, {signed(high, decimals)}]"


def _standings(summary: Summary) -> RenderableType:
    rated = summary.ratings
    last = "rating" if rated else "margin"
    table = figures_table("engine", "games", "victories %", "points", "place", last)
    for line in summary.engines:
        add_row(
            table,
            summary.settings.entries[line.engine].name,
            f"{line.games:,}",
            share(line.first),
            shown(line.score),
            shown(line.place, 2),
            rating_words(rated.ratings[line.engine]) if rated else shown(line.margin),
        )
    return table


def rating_words(rating: Rating) -> str:
    """A rating and its interval."""
    return _signed(rating.rating, rating.low, rating.high)


def _luck(summary: Summary) -> RenderableType:
    table = figures_table(
        "luck", "rolls", "jokers a roll", "cards", "points a card", "points of all"
    )
    for line in summary.luck:
        add_row(
            table,
            summary.settings.entries[line.engine].name,
            f"{line.rolls.mean:.1f}",
            shown(line.jokers, 2),
            f"{line.cards.mean:.1f}",
            shown(line.card_value, 2),
            shown(line.hand_value),
        )
    return table


def _adjusted(summary: Summary) -> list[RenderableType]:
    """The results without luck, and a blank line after them."""
    found = summary.adjusted
    if found is None:
        return []
    table = figures_table("without luck", "victories %", "luck %")
    for line in found.lines:
        luck = _signed(100 * line.luck.mean, 100 * line.luck.low, 100 * line.luck.high, 1)
        add_row(table, summary.settings.entries[line.engine].name, share(line.first), luck)
    grid = label_grid()
    if found.elo is not None:
        first, second = summary.settings.entries[:2]
        grid.add_row("Elo", Text(f"{_signed(*found.elo)} of {first.name} above {second.name}"))
    grid.add_row("luck", f"correlation {found.correlation:.2f} with the victory")
    if found.games is not None:
        needed = (
            f"for the interval of independent games {_ratio(found.by_blocks)} of them are needed "
            f"by blocks of equal luck, {_ratio(found.by_luck)} without luck, "
            f"{_ratio(found.independent)} by both ({_ratio(found.games)} of those in blocks)"
        )
        grid.add_row("games", needed)
    return [table, grid, ""]


def _faults(summary: Summary) -> RenderableType:
    table = figures_table("faults", *FAULTS, "forfeits")
    for line in summary.engines:
        faults = summary.faults[line.engine]
        name = summary.settings.entries[line.engine].name
        add_row(table, name, *(f"{faults[kind]:,}" for kind in FAULTS), f"{line.forfeits:,}")
    return table


def _verdict(verdict: Verdict) -> str:
    state = {
        None: "undecided",
        "H0": "H0 accepted: not better by the second bound",
        "H1": "H1 accepted: better than the first bound",
    }[verdict.accepted]
    return f"LLR {signed(verdict.llr, 2)} of [{verdict.lower:.2f}, {verdict.upper:.2f}]: {state}"


def _ratio(value: Ratio | None) -> str:
    return "unknown" if value is None else f"{value.value:.2f} ± {value.error:.2f}"


def group_facts(summary: Summary, ratings: Ratings) -> list[tuple[str, str]]:
    """What ratings do not say."""
    found = []
    for title, groups in (("not comparable", ratings.groups), ("never mixed", ratings.levels)):
        if len(groups) > 1:
            names = [_names(summary, group) for group in groups]
            found.append((title, "; ".join(names)))
            break
    return found


def _names(summary: Summary, engines: Sequence[int]) -> str:
    return listed([summary.settings.entries[engine].name for engine in engines])


def _facts(summary: Summary) -> list[RenderableType]:
    """What there is to say of the engines together, and a blank line after it."""
    first, second = summary.settings.entries[:2]
    rows: list[tuple[str, str]] = []
    if summary.pair is not None:
        pair = summary.pair
        elo = _signed(pair.elo, pair.elo_low, pair.elo_high)
        rows.append(("Elo", f"{elo} of {first.name} above {second.name}"))
        rows.append(("score", f"{share(pair.score)} % of seat against seat"))
    if summary.ratings is not None:
        rows += group_facts(summary, summary.ratings)
    if summary.verdict is not None:
        rows.append(("SPRT", _verdict(summary.verdict)))
    cut = summary.cut
    if cut is not None and cut.any_seatings is not None:
        rows.append(
            (
                "pairing",
                f"variance {_ratio(cut.any_seatings)} of that of as many independent games"
                f" ({_ratio(cut.same_seatings)} by equal luck alone)",
            )
        )
    grid = label_grid()
    for title, words in rows:
        grid.add_row(title, Text(words))
    return [grid, ""] if rows else []


def played_words(summary: Summary) -> str:
    """What was played, as a title."""
    settings = summary.settings
    played = f"{count(summary.games, 'game')} in {count(summary.blocks, 'block')}"
    luck = "fair luck of each game" if settings.fair else f"seed {settings.seed}"
    return f"{played}, {count(settings.players, 'player')}, {luck}"


def match_report(summary: Summary) -> RenderableType:
    """The whole report; intervals are 95%, over blocks."""
    return Group(
        Text(played_words(summary)),
        "",
        _standings(summary),
        "",
        *_facts(summary),
        *_adjusted(summary),
        _luck(summary),
        "",
        _faults(summary),
    )
