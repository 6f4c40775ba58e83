"""Make the positions of `masons-engine practice` from decisions of the ruler with two players.

    python -m benchmarks.ruler.practice_positions [--check]

The decisions are tried in order, beginning with those in which the ruler's games show the best move
most clearly. A rollout finds the best move and other moves that are clearly worse; these moves are
the answers of the puzzle. The rollout knows only what the puzzle shows, not the earlier actions.
Then the same number of new games is played after each answer. The decision becomes a puzzle only if
the same move is best again. Answers that do not lose more than the interval of the difference are
left out, and the middle one of the remaining answers must lose at least GAP. The values in the
puzzle come from the new games. With `--check`, the command does not write the file, but plays new
games for the puzzles in the file.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.ruler.decisions import Ruler, load
from masons.ai.practice.puzzles import ANSWERS, FORMAT, VERSION, Puzzle, bundled, measured
from masons.ai.search.limits import Limits
from masons.ai.session import analyze
from masons.engine.board.geometry import load_board
from masons.engine.files import write_atomic
from masons.engine.game.table import Table

WANTED: Final = {"wall": 16, "scoring": 28, "swap": 6}
LIMITS: Final = Limits(sims=2000, rollouts=8000)  # limits of the analysis that chooses the answers
GAMES: Final = 18_000  # number of new games for all answers together
GAP: Final = 0.03
OUT: Final = Path("masons/ai/practice/data/positions.json")


def _ranked(ruler: Ruler, kind: str) -> list[int]:
    """Return the rows of a kind. Rows whose games show the best move most clearly come first."""
    values = ruler.values("policy")
    spread = {}
    for row in np.flatnonzero((ruler.kinds == kind) & (ruler.players == 2) & (ruler.counts >= 4)):
        means = np.nanmean(values[row][: ruler.counts[row]], axis=1)
        spread[int(row)] = float(np.nanmax(means) - np.nanmedian(means))
    return sorted(spread, key=lambda row: -spread[row])


def _puzzle(ruler: Ruler, table: Table, row: int) -> Puzzle | None:
    """Return the puzzle of a row, or None if the row does not make a clear puzzle."""
    view = table.view(ruler.view(row).position)
    best, *others = analyze(table, view, limits=LIMITS, seed=row, top=0).moves
    worse = [
        stats
        for stats in others
        if not stats.games or (stats.loss or 0) > (stats.loss_interval or 0)
    ]
    worse = worse[: 2 * ANSWERS]
    moves = [best.move, *(stats.move for stats in worse[:: len(worse) // (ANSWERS - 1) or 1])][
        :ANSWERS
    ]
    first, *answers = measured(table, view, moves, GAMES, row + 1)
    distinct = {answer.win: answer for answer in answers if not answer.is_right}.values()
    if first.move != str(best.move) or len(distinct) < 2:
        return None
    answers = [first, *distinct]
    middle = answers[len(answers) // 2]
    is_open = 0.1 < first.win < 0.95 and middle.loss >= GAP
    return Puzzle(f"ruler-{row}", table, view, tuple(answers)) if is_open else None


def check() -> None:
    """Play new games for the puzzles in the file, and print how many values are confirmed."""
    puzzles, best, inside, values = bundled(load_board("classic")), 0, 0, 0
    for number, puzzle in enumerate(puzzles):
        moves = [puzzle.move_of(answer) for answer in puzzle.candidates]
        again = measured(puzzle.table, puzzle.view, moves, GAMES, number)
        best += again[0].move == puzzle.candidates[0].move
        wins = {answer.move: answer.win for answer in again}
        for answer in puzzle.candidates:
            inside += abs(wins[answer.move] - answer.win) <= 2**0.5 * answer.interval
            values += 1
    print(f"best again: {best} of {len(puzzles)}")
    print(f"win probabilities within the interval of a difference: {inside} of {values}")


def main() -> None:
    """Write the file, or check it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="play the puzzles on in other worlds")
    if parser.parse_args().check:
        return check()
    ruler = load(Path("benchmarks/ruler/classic.npz"))
    table = Table(load_board("classic"))
    puzzles = []
    for kind, wanted in WANTED.items():
        count = 0
        for row in _ranked(ruler, kind):
            if count == wanted:
                break
            if (puzzle := _puzzle(ruler, table, row)) is not None:
                puzzles.append(puzzle)
                count += 1
        print(kind, count, flush=True)
    data = {
        "format": FORMAT,
        "version": VERSION,
        "puzzles": [puzzle.to_data() for puzzle in puzzles],
    }
    write_atomic(str(OUT), json.dumps(data, indent=1) + "\n")
    return None


if __name__ == "__main__":
    main()
