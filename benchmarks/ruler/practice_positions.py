"""The positions of `masons-engine practice`: `python -m benchmarks.ruler.practice_positions`.

Decisions of games of two out of the ruler in which the best candidate is clear twice over: the
games played on after it end better than after most of the others, and the search, which sees what
the seat sees, ranks it first too, by its own luck. The candidates are then searched and played on
alike from what the puzzle shows (not what everybody chose before), by other luck; the best one must
stay so, and the values are those. With `--check` the file
is not written: its puzzles are analysed once more.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.ruler.ruler_data import Ruler, load
from masons.ai.practice.puzzles import FORMAT, VERSION, bundled, candidate_of
from masons.ai.review.decision_loss import SURE
from masons.ai.search.results import MoveStats
from masons.ai.session import analyse
from masons.engine.board.geometry import load_board
from masons.engine.files import write_atomic
from masons.engine.formats.move_text import Move, parse_move
from masons.engine.formats.position_text import format_position
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table

WANTED: Final = {"wall": 16, "scoring": 28, "swap": 6}
SIMS: Final = 16_000
GAP: Final = 0.03  # at least so much worse is the middle candidate, and beyond its interval
CANDIDATES: Final = 6
OUT: Final = Path("ai/practice/data/positions.json")


def _ranked(ruler: Ruler, kind: str) -> list[int]:
    """Rows of a kind, those first in which games say most clearly which candidate is best."""
    values = ruler.values("policy")
    spread = {}
    for row in np.flatnonzero((ruler.kinds == kind) & (ruler.players == 2) & (ruler.counts >= 4)):
        means = np.nanmean(values[row][: ruler.counts[row]], axis=1)
        spread[int(row)] = float(np.nanmax(means) - np.nanmedian(means))
    return sorted(spread, key=lambda row: -spread[row])


def _puzzle(ruler: Ruler, table: Table, row: int) -> dict[str, Any] | None:
    """A puzzle of a row, where games and search agree."""
    view, moves = ruler.view(row), ruler.candidates(row)
    games = np.nanmean(ruler.values("policy")[row][: len(moves)], axis=1)
    found = analyse(table, view, sims=SIMS, seed=row, only=moves, top=0)
    best, *others = found.moves
    if moves[int(np.argmax(games))] != best.move or not others:
        return None
    middle = others[len(others) // 2]
    if middle.loss < max(GAP, middle.loss_interval or 1.0) or not 0.1 < best.win < 0.95:
        return None
    some = [best, *others[:: max(len(others) // (CANDIDATES - 1), 1)][: CANDIDATES - 1]]
    shown = table.view(view.position)  # without what everybody chose before
    kept = _alike(table, shown, [one.move for one in some], row + 1)
    if not _is_clear(best.move, kept):
        return None
    return {
        "id": f"ruler-{row}",
        "position": format_position(view.position, table.board),
        "candidates": [candidate_of(one) for one in kept],
        "games": [round(float(games[moves.index(one.move)]), 3) for one in kept],
    }


def _alike(
    table: Table, view: Observation, moves: Sequence[Move], seed: int
) -> tuple[MoveStats, ...]:
    """The moves searched and played on alike, best first."""
    found = analyse(table, view, sims=SIMS, seed=seed, only=moves, also=moves, top=0)
    return tuple(sorted(found.moves, key=lambda one: -one.win))


def _is_clear(best: Move, kept: Sequence[MoveStats]) -> bool:
    """Whether the best move is so again, within the error, and the last one surely is not."""
    first, last = kept[0], kept[-1]
    again = next(one for one in kept if one.move == best)
    if first.win - again.win > SURE * candidate_of(again)["error"]:
        return False
    return first.win - last.win > max(GAP, SURE * float(candidate_of(last)["error"]))


def check() -> None:
    """Analyse the puzzles of the file once more, by other luck, and tell what holds."""
    puzzles, best, inside, values = bundled(load_board("classic")), 0, 0, 0
    for number, puzzle in enumerate(puzzles):
        moves = [parse_move(own.move) for own in puzzle.candidates]
        found = _alike(puzzle.table, puzzle.view, moves, number)
        by_move = {stats.move: stats for stats in found}
        here = by_move[moves[0]]
        best += here.loss <= (here.loss_interval or 0.0)
        for move, own in zip(moves, puzzle.candidates, strict=True):
            stats = by_move[move]
            inside += abs(stats.win - own.win) <= (stats.interval or 0.0)
            values += 1
    print(f"best by other luck too, within the error: {best} of {len(puzzles)}")
    print(f"win probabilities inside the interval: {inside} of {values}")


def main() -> None:
    """Write the file, or check it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="analyse the puzzles by other luck")
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
    data = {"format": FORMAT, "version": VERSION, "puzzles": puzzles}
    write_atomic(str(OUT), json.dumps(data, indent=1) + "\n")
    return None


if __name__ == "__main__":
    main()
