"""Measure how rollouts played by the policy differ from rollouts played by a search.

    python -m benchmarks.ruler.policy_bias --out bias.jsonl --decisions 40

For each kind of decision, the command takes `--decisions` decisions of the ruler with their first
two candidates. The policy, and a search with 300 simulations per decision, play games to the end
after both candidates. These games start from what the deciding seat knows. The table compares their
results. `level` is the standard deviation of the difference in a candidate's win probability, and
`loss` is the standard deviation of the difference in the second candidate's loss. The part of these
deviations that comes from chance is subtracted. The same command continues a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring import Table as Printed
from benchmarks.measuring import append_line, parser_of, read_lines
from benchmarks.ruler.decisions import FILE, load
from masons.ai.rollout.plan import Contenders
from masons.ai.rollout.rollout import Rollout
from masons.engine.board.geometry import load_board
from masons.engine.game.table import Table

_PLAYER = 300  # simulations per decision of the search


def measured(row: int, players: tuple[int, ...], games: tuple[int, ...]) -> list[list[float]]:
    """Return five numbers for each of `players`.

    The five numbers are the mean win of each of two candidates, the squared error of each mean, and
    the squared error of the difference of the means. Player 0 is the policy, and any other number
    is a search with this number of simulations. `games` has the number of determinizations that
    each player plays.
    """
    ruler, table = load(FILE), Table(load_board("classic"))
    view, moves = ruler.view(row), tuple(ruler.candidates(row)[:2])
    figures = []
    for player, worlds in zip(players, games, strict=True):
        contenders = Contenders(moves, (0.0, 0.0), 2, 0)
        rollout = Rollout(table, view, contenders, seed=row, player_sims=player)
        wins = rollout.play([0, 1], worlds)[:, :, view.seat]
        differences = wins[:, 0] - wins[:, 1]
        figures.append(
            [*wins.mean(axis=0), *(wins.var(axis=0) / worlds), differences.var() / worlds]
        )
    return figures


def spread(values: np.ndarray, errors: np.ndarray) -> float:
    """Return the square root of mean(values**2 - errors), or 0 if this is negative."""
    return float(np.sqrt(max((np.square(values) - errors).mean(), 0.0)))


def table_of(lines: list[dict[str, Any]]) -> Printed:
    """Return the table, which has a row for each kind of decision."""
    cells = []
    for kind in dict.fromkeys(line["kind"] for line in lines):
        rows = np.array([line["found"] for line in lines if line["kind"] == kind])
        policy, search = rows[:, 0], rows[:, 1]
        level = policy[:, :2] - search[:, :2]
        level_errors = policy[:, 2:4] + search[:, 2:4]
        loss = (policy[:, 0] - policy[:, 1]) - (search[:, 0] - search[:, 1])
        figures = spread(level, level_errors), spread(loss, policy[:, 4] + search[:, 4])
        cells.append((kind, str(len(rows)), *(f"{100 * figure:.1f}" for figure in figures)))
    return Printed(("kind", "decisions", "level %", "loss %"), cells)


def main() -> None:
    """Measure the decisions that are missing in the file, and print the table."""
    # `decisions` is the number of decisions of each kind. `games` and `search_games` are the
    # numbers of determinizations that the policy and the search play.
    parser = parser_of(__doc__, decisions=40, games=2000, search_games=150)
    parser.add_argument("--out", type=Path, required=True, help="file of results")
    options = parser.parse_args()
    ruler, lines = load(FILE), read_lines(options.out)
    known = {line["row"] for line in lines}
    for number in range(options.decisions):
        for kind in dict.fromkeys(map(str, ruler.kinds)):
            rows = np.flatnonzero(ruler.kinds == kind)
            row = int(np.random.default_rng(1).permutation(rows)[number])
            if row in known or len(ruler.candidates(row)) < 2:
                continue
            figures = measured(row, (0, _PLAYER), (options.games, options.search_games))
            lines.append({"row": row, "kind": kind, "found": figures})
            append_line(options.out, lines[-1])
    print(table_of(lines))


if __name__ == "__main__":
    main()
