"""How many decisions a seat has still to make: what `time_management` divides a clock by.

    python -m benchmarks.decisions [--games 24] [--sims 200]

Games of `greedy` against itself (three times as many) and of `ismcts`, with 2, 3 and 4 seats.
Counted are the decisions with more than one move. A line is fitted to those still to come, this one
included, by the walls left in the supply, as long as the game is not in its final scoring; `off` is
the root of its mean square error. The last column is their mean in the final scoring.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import Table, positive
from masons.ai.players.named_players import make_player
from masons.engine.board.components import MAX_PLAYERS, MIN_PLAYERS
from masons.engine.game.game import Game
from masons.engine.kernels.rng import mix
from masons.engine.state import layout as at

Rows = NDArray[np.float64]


def decisions(players: int, spec: str, seed: int) -> Iterator[tuple[int, bool, int]]:
    """Each decision of a game: walls left, whether the game has ended, decisions still to come."""
    game = Game(players, seed=seed, first=seed % players)
    seats = [make_player(spec, mix(seed, seat)) for seat in range(players)]
    made: list[list[tuple[int, bool]]] = [[] for _ in seats]
    while not game.is_over:
        seat, moves, view = game.seat, game.legal_moves(), game.observe(game.seat)
        if len(moves) > 1:
            small = view.state.view(np.uint8)
            made[seat].append((int(small[int(at.WALL_LEFT)]), bool(small[int(at.END)])))
        game.apply(seats[seat].choose(game.table, view, moves))
    for moments in made:
        yield from ((*moment, len(moments) - i) for i, moment in enumerate(moments))


def measured(players: int, spec: str, games: int) -> Rows:
    """Decisions of some games (a row each), as `decisions` tells them."""
    return np.array([row for seed in range(games) for row in decisions(players, spec, seed)])


def fitted(samples: list[Rows]) -> tuple[float, float, float]:
    """The line through some sets of decisions, each of the same weight: start, slope, error."""
    live = [rows[rows[:, 1] == 0] for rows in samples]
    weights = np.concatenate([np.full(len(rows), 1 / len(rows)) for rows in live])
    walls, _, left = np.concatenate(live).T
    slope, start = np.polyfit(walls, left, 1, w=np.sqrt(weights))
    off = np.sqrt(np.average((left - start - slope * walls) ** 2, weights=weights))
    return float(start), float(slope), float(off)


def row(players: int, name: str, samples: list[Rows]) -> tuple[str, ...]:
    """The figures of some sets of decisions."""
    ended = np.concatenate([rows[rows[:, 1] == 1, 2] for rows in samples])
    # Each seat of a game has one last decision.
    each = np.mean([len(rows) / np.count_nonzero(rows[:, 2] == 1) for rows in samples])
    figures = (f"{value:.2f}" for value in (*fitted(samples), ended.mean()))
    return str(players), name, f"{each:.1f}", *figures


def table(games: int, sims: int) -> Table:
    """Measure."""
    rows = []
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        named = {
            "greedy": measured(players, "greedy", 3 * games),
            "ismcts": measured(players, f"ismcts:sims={sims}", games),
        }
        rows += [row(players, name, [sample]) for name, sample in named.items()]
        rows.append(row(players, "both", list(named.values())))
    columns = ("seats", "player", "a seat and game", "start", "a wall", "off", "final scoring")
    return Table(columns, rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=positive, default=24)
    parser.add_argument("--sims", type=positive, default=200)
    options = parser.parse_args()
    print(table(options.games, options.sims))


if __name__ == "__main__":
    main()
