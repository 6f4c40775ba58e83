"""The positions of `masons-engine practice`: `python -m benchmarks.ruler.practice_positions`.

Decisions of games of two out of the ruler in which the best candidate is clear twice over: the
games played on after it end better than after most of the others, and the search, which sees what
the seat sees, ranks it first too, by its own luck. The values are those of the search.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.ruler.ruler_data import Ruler, load
from masons.ai.choose_search import analyse
from masons.ai.practice.puzzles import FORMAT, VERSION, candidate_of
from masons.engine.board.geometry import load_board
from masons.engine.files import write_atomic
from masons.engine.formats.position_text import format_position
from masons.engine.game.table import Table

WANTED: Final = {"wall": 25, "scoring": 15, "swap": 10}
SIMS: Final = 8000
CLEAR: Final = 2.0  # standard errors
GAP: Final = 0.03  # at least so much worse is the middle candidate
CANDIDATES: Final = 6
OUT: Final = Path("ai/practice/data/positions.json")


def _ranked(ruler: Ruler, kind: str) -> list[int]:
    """Rows of a kind, those first in which games say most clearly which candidate is best."""
    values = np.nanmean(ruler.values("policy"), axis=2)
    rows = np.flatnonzero((ruler.kinds == kind) & (ruler.players == 2) & (ruler.counts >= 4))
    spread = {int(row): np.nanmax(values[row]) - np.nanmedian(values[row]) for row in rows}
    return sorted(spread, key=lambda row: -spread[row])


def _puzzle(ruler: Ruler, table: Table, row: int) -> dict[str, Any] | None:
    """A puzzle of a row, where games and search agree."""
    view, moves = ruler.view(row), ruler.candidates(row)
    games = np.nanmean(ruler.values("policy")[row], axis=1)[: len(moves)]
    found = analyse(table, view, sims=SIMS, seed=row, only=moves, top=0)
    best, *others = found.moves
    if moves[int(np.argmax(games))] != best.move or not others:
        return None
    middle = others[len(others) // 2]
    error = max(best.error or 1.0, middle.error or 1.0)
    if best.win - middle.win < max(GAP, CLEAR * error) or not 0.1 < best.win < 0.95:
        return None
    kept = [best, *others[:: max(len(others) // (CANDIDATES - 1), 1)][: CANDIDATES - 1]]
    return {
        "id": f"ruler-{row}",
        "position": format_position(view.position, table.board),
        "candidates": [candidate_of(one) for one in kept],
        "games": [round(float(games[moves.index(one.move)]), 3) for one in kept],
    }


def main() -> None:
    """Write the file."""
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


if __name__ == "__main__":
    main()
