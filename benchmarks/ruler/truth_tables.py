"""The figures and tables of `benchmarks.ruler.truth`.

All errors are standard errors, clustered by game. Win probabilities are in percent in the tables,
and from 0 to 1 in the figures. A bias is a forecast minus the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import Table as Printed
from benchmarks.ruler.coverage import KINDS
from benchmarks.ruler.forecasts import (
    ClusteredMean,
    Games,
    Values,
    bins_of,
    calibration_error,
    clustered_mean,
    log_losses,
)

METHODS: Final = ("search", "rollout", "printed", "mixed", "played")
THIRDS: Final = ("first third", "second third", "last third")
_WIN, _OWN, _OTHERS = range(3)  # columns of the figures and of the results
Line = dict[str, Any]


class Decisions(NamedTuple):
    """Decisions with their figures and results, one in each row.

    The columns of figures and results are the win probability or the share of the victory, the
    points of the seat that decided, and the mean points of the others. What is unknown is NaN.
    """

    games: Games  # [rows]: the number of the decision's game
    kinds: NDArray[np.str_]  # [rows]
    thirds: NDArray[np.int64]  # [rows]
    results: Values  # [rows, 3]
    figures: dict[str, Values]  # [rows, 3] for each method
    halves: Values  # [rows]: half the width of the printed interval
    turns: Values  # [rows]: the mean last turn of the rollout's games minus that of the game

    @classmethod
    def of(cls, lines: Iterable[Line]) -> Decisions:
        """Return the decisions in the lines of some games."""
        games, rows = [], []
        for number, line in enumerate(lines):
            games += [number] * len(line["decisions"])
            rows += line["decisions"]

        def column(name: str) -> Values:
            return np.array([row[name] for row in rows], dtype=np.float64)

        figures = {name: column(name).reshape(-1, 3) for name in ("search", "rollout", "printed")}
        figures["mixed"] = (figures["search"] + figures["rollout"]) / 2
        figures["played"] = np.full((len(rows), 3), np.nan)
        figures["played"][:, _WIN] = column("played")
        return cls(
            np.array(games, dtype=np.int64),
            np.array([row["kind"] for row in rows], dtype=str),
            column("third").astype(np.int64),
            column("result").reshape(-1, 3),
            figures,
            column("interval"),
            column("turns"),
        )

    def part(self, rows: NDArray[np.bool_]) -> Decisions:
        """Return some of the rows."""
        figures = {name: figure[rows] for name, figure in self.figures.items()}
        return Decisions(
            self.games[rows], self.kinds[rows], self.thirds[rows], self.results[rows], figures,
            self.halves[rows], self.turns[rows],
        )  # fmt: skip

    def groups(self) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Yield the name and the rows of each group that has decisions of at least two games."""
        masks = {"all": np.ones(len(self.games), dtype=bool)}
        masks |= {name: self.thirds == number for number, name in enumerate(THIRDS)}
        masks |= {kind: self.kinds == kind for kind in KINDS}
        for name, rows in masks.items():
            if len(np.unique(self.games[rows])) > 1:
                yield name, rows


def win_figures(decisions: Decisions, method: str) -> dict[str, Any]:
    """Return the figures of a method's win probabilities, where it has them."""
    known = decisions.part(~np.isnan(decisions.figures[method][:, _WIN]))
    if len(np.unique(known.games)) < 2:
        return {"decisions": len(known.games)}
    wins, results, games = known.figures[method][:, _WIN], known.results[:, _WIN], known.games
    squares = np.square(wins - results)
    than_search = squares - np.square(known.figures["search"][:, _WIN] - results)
    bins = bins_of(wins, known.halves, results, games)
    calibration = calibration_error(bins) if bins else None
    return {
        "decisions": len(games),
        "bias": clustered_mean(wins - results, games),
        "squared_error": clustered_mean(squares, games),
        "than_search": clustered_mean(than_search, games),
        "log_loss": clustered_mean(log_losses(wins, results), games),
        "calibration_error": calibration and calibration.error,
        "calibration_error_by_chance": calibration and calibration.by_chance,
        "bins": [{**part._asdict(), "holds": part.holds} for part in bins],
    }


def course_figures(decisions: Decisions) -> dict[str, Any]:
    """Return the bias of the points of search and rollout, and of the length of its games."""
    made: dict[str, Any] = {"decisions": len(decisions.games)}
    for method in ("search", "rollout"):
        errors = decisions.figures[method] - decisions.results
        for name, column in (("own", _OWN), ("others", _OTHERS)):
            made[f"{method}_{name}"] = clustered_mean(errors[:, column], decisions.games)
    return {**made, "turns": clustered_mean(decisions.turns, decisions.games)}


def figures_of(decisions: Decisions) -> dict[str, Any]:
    """Return all figures of decisions by group: of each method's wins, of points and of length."""
    return {
        name: {
            "wins": {method: win_figures(decisions.part(rows), method) for method in METHODS},
            "course": course_figures(decisions.part(rows)),
        }
        for name, rows in decisions.groups()
    }


def win_table(figures: dict[str, Any]) -> Printed:
    """Return the table of win probabilities, by group and method."""
    heads = ("decisions", "number", "figures of", "bias, %", "squared error", "than search's")
    rows = []
    for group, of_group in figures.items():
        for method, made in of_group["wins"].items():
            if "bias" not in made:
                continue
            paired = "" if method == "search" else made["than_search"].text(4)
            calibration = made["calibration_error"], made["calibration_error_by_chance"]
            rows.append((
                group, str(made["decisions"]), method, made["bias"].text(1, 100),
                f"{made['squared_error'].mean:.4f}", paired, f"{made['log_loss'].mean:.3f}",
                *("-" if figure is None else f"{figure:.3f}" for figure in calibration),
            ))  # fmt: skip
    return Printed((*heads, "log loss", "calibration error", "by chance"), rows)


def course_table(figures: dict[str, Any]) -> Printed:
    """Return the table of points and length of the games, by group."""
    names = ("search_own", "search_others", "rollout_own", "rollout_others", "turns")
    rows = []
    for group, of_group in figures.items():
        made = of_group["course"]
        rows.append((group, str(made["decisions"]), *(made[name].text(1) for name in names)))
    heads = ("search: own points", "others'", "rollout: own points", "others'", "walls")
    return Printed(("decisions", "number", *heads), rows)


def bin_table(figures: dict[str, Any]) -> Printed:
    """Return the table of the printed win probabilities and what came true, by tenths."""
    heads = ("printed, %", "number", "half width, %", "won, %", "holds")
    rows = [
        (
            f"{100 * part['forecast']:.1f}", str(part["number"]), f"{100 * part['half']:.1f}",
            f"{100 * part['result'].mean:.1f} ± {100 * part['result'].error:.1f}",
            "yes" if part["holds"] else "no",
        )
        for part in figures["all"]["wins"]["printed"]["bins"]
    ]  # fmt: skip
    return Printed(heads, rows)


def sets_of(lines: Iterable[Line]) -> dict[str, list[Line]]:
    """Return the lines of each source of games and number of players, by name."""
    sets: dict[str, list[Line]] = {}
    for line in sorted(lines, key=lambda line: (line["game"][0], line["players"])):
        name = f"{line['game'][0]}, {line['players']} players"
        sets.setdefault(name, []).append(line)
    return sets


def tables(lines: Iterable[Line]) -> Iterator[tuple[str, Printed]]:
    """Yield the title and the table of the wins, points and intervals of each set of games."""
    for name, some in sets_of(lines).items():
        if not (figures := figures_of(Decisions.of(some))):
            continue
        games = f"{sum(bool(line['decisions']) for line in some)} games"
        revisions = ", ".join(sorted({line["revision"] for line in some}))
        yield f"{name}, {games}, by revision {revisions}: win probability", win_table(figures)
        yield (
            f"{name}: points, and walls in rollouts, less those of the game",
            course_table(figures),
        )
        yield f"{name}: printed intervals and results", bin_table(figures)


def paired(older: Iterable[Line], newer: Iterable[Line]) -> tuple[list[Line], list[Line]]:
    """Return the lines of two files with only the decisions that are in both, in the same order."""
    rows = {
        (line["moves"], decision["number"]): decision
        for line in older
        for decision in line["decisions"]
    }
    both: tuple[list[Line], list[Line]] = [], []
    for line in newer:
        shared = [each for each in line["decisions"] if (line["moves"], each["number"]) in rows]
        before = [rows[line["moves"], each["number"]] for each in shared]
        for lines, decisions in zip(both, (before, shared), strict=True):
            lines.append({**line, "decisions": decisions})
    return both


def difference_tables(
    older: Iterable[Line], newer: Iterable[Line]
) -> Iterator[tuple[str, Printed]]:
    """Yield the title and the table of the paired differences of each set of games."""
    befores, afters = (sets_of(lines) for lines in paired(older, newer))
    for name, lines in befores.items():
        if not any(line["decisions"] for line in lines):
            continue
        before, after = Decisions.of(lines), Decisions.of(afters[name])
        rows = []
        for group, some in before.groups():
            for method in METHODS:
                cells = _difference_cells(before.part(some), after.part(some), method)
                if cells:
                    rows.append((group, *cells[:1], method, *cells[1:]))
        heads = ("number", "figures of", "bias before, %", "after", "squared error", "own points")
        yield f"{name}: newer less older", Printed(("decisions", *heads, "others'"), rows)


def _difference_cells(before: Decisions, after: Decisions, method: str) -> tuple[str, ...]:
    """Return the cells of a row of differences, or none without two games."""
    old, new = before.figures[method], after.figures[method]
    known = ~np.isnan(old[:, _WIN] + new[:, _WIN])
    games, results = before.games[known], before.results[known]
    if len(np.unique(games)) < 2:
        return ()

    def mean(values: Values) -> ClusteredMean:
        return clustered_mean(values, games)

    errors = [figures[known] - results for figures in (old, new)]
    squares = [np.square(error[:, _WIN]) for error in errors]
    points = errors[1] - errors[0]
    return (
        str(len(games)),
        *(mean(error[:, _WIN]).text(1, 100) for error in errors),
        mean(squares[1] - squares[0]).text(4),
        *("" if method == "played" else mean(points[:, column]).text(1) for column in (1, 2)),
    )
