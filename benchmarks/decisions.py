"""Measure how many decisions a seat still has to make, for `masons.ai.search.time_management`.

    python -m benchmarks.decisions [--games 24] [--sims 200]

With 2, 3 and 4 seats, `ismcts` plays games against itself, and `greedy` plays three times as many
games against itself. Only decisions with more than one move are counted. For decisions before the
final scoring, a straight line predicts the number of decisions still to come (including the current
one) from the number of walls left in the supply. `off` is the root mean square error of this line.
The last column is the mean number of decisions still to come for decisions in the final scoring.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import Table, parser_of
from masons.ai.players.named_players import make_player
from masons.engine.board.components import MAX_PLAYERS, MIN_PLAYERS
from masons.engine.game.game import Game
from masons.engine.kernels.rng import mix
from masons.engine.state import layout as at

Rows = NDArray[np.float64]


def decisions(players: int, spec: str, seed: int) -> Iterator[tuple[int, bool, int]]:
    """Yield (walls left, True in the final scoring, decisions still to come) for each decision."""
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


def row(players: int, name: str, samples: list[Rows]) -> tuple[str, ...]:
    """Return a table row for several sets of decisions. All sets get the same weight."""
    live = [rows[rows[:, 1] == 0] for rows in samples]
    weights = np.concatenate([np.full(len(rows), 1 / len(rows)) for rows in live])
    walls, _, left = np.concatenate(live).T
    slope, start = np.polyfit(walls, left, 1, w=np.sqrt(weights))
    off = np.sqrt(np.average((left - start - slope * walls) ** 2, weights=weights))
    ended = np.concatenate([rows[rows[:, 1] == 1, 2] for rows in samples])
    # In each game, every seat has one last decision.
    each = np.mean([len(rows) / np.count_nonzero(rows[:, 2] == 1) for rows in samples])
    figures = (f"{value:.2f}" for value in (start, slope, off, ended.mean()))
    return str(players), name, f"{each:.1f}", *figures


def main() -> None:
    """Print the table."""
    options = parser_of(__doc__, games=24, sims=200).parse_args()
    rows = []
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        samples = {}
        for spec, games in (
            ("greedy", 3 * options.games),
            (f"ismcts:sims={options.sims}", options.games),
        ):
            made = [
                decision for seed in range(games) for decision in decisions(players, spec, seed)
            ]
            samples[spec.partition(":")[0]] = np.array(made)
        rows += [row(players, name, [sample]) for name, sample in samples.items()]
        rows.append(row(players, "both", list(samples.values())))
    columns = ("seats", "player", "a seat and game", "start", "a wall", "off", "final scoring")
    print(Table(columns, rows))


if __name__ == "__main__":
    main()
