"""Measure whether the hands that are dealt to hidden seats are as strong as the true ones.

    masons-engine selfplay --players 2 --games 100 --seed 10000 --player default:sims=1000 \
        --out games.jsonl
    python -m benchmarks.ruler.dealt_hands games.jsonl --powers 1 1.2 1.4

At each wall decision, the hands that the deciding seat does not see are dealt many times, with the
weights of the hand model raised to each of some powers. The table shows by how much the dealt hands
exceed the true ones, in points of their best land cards and in land cards. The points are those
that the cards would score now. The ± is one standard error, clustered by game; 0 is the aim.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import Table as Printed
from benchmarks.measuring import parser_of
from benchmarks.ruler.forecasts import clustered_mean
from benchmarks.ruler.truth import clock
from benchmarks.ruler.truth_tables import THIRDS
from masons.ai.beliefs.determinization import determinized
from masons.ai.models.hand_model import card_weights, sharpened
from masons.ai.models.model_data import learned
from masons.ai.review.timeline import DECISION, Timeline, timeline_of
from masons.engine.board.components import FIRST_LAND, KINDS
from masons.engine.errors import MasonsError
from masons.engine.game.record import parse_record, read_lines
from masons.engine.kernels.rng import mix, new_rng
from masons.engine.state.layout import HANDS

_SHIFTS = 2 * np.arange(FIRST_LAND, KINDS, dtype=np.uint64)


def strengths(hands: NDArray[np.uint64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the best land card, the best two, and the land cards of hands: float64[hands, 3].

    `values` has the points of each kind of land card. A second copy of a kind does not count among
    the best two.
    """
    copies = (hands[:, None] >> _SHIFTS) & np.uint64(3)
    ordered = np.sort((copies > 0) * values, axis=1)
    counts = np.bitwise_count(copies).sum(axis=1)
    return np.stack([ordered[:, -1], ordered[:, -2:].sum(axis=1), counts], axis=1).astype(float)


def rows_of(
    timeline: Timeline, powers: list[float], deals: int, game: int
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield the third of each wall decision, and dealt minus true strengths by power.

    The strengths are float64[powers, 3] (see `strengths`), means over the hidden seats.
    """
    numbers = learned()["hands"]
    for index, step in enumerate(timeline.steps):
        if step.cause != DECISION or step.phase != "wall":
            continue
        view, state = timeline.observe(index), timeline.before(index)
        others = [int(HANDS) + seat for seat, count in enumerate(view.hidden) if count]
        assert view.history is not None
        if not others:
            continue
        values = np.array(timeline.table.card_points(state, None)[FIRST_LAND:], dtype=float)
        true = strengths(state[others], values).mean(axis=0)
        made = []
        for power in powers:
            weights = card_weights(
                view.state, timeline.table.packed, view.history, sharpened(numbers, power)
            )
            rng = new_rng(mix(game, index))
            hands = [determinized(view, rng, weights)[others] for _ in range(deals)]
            made.append(strengths(np.concatenate(hands), values).mean(axis=0) - true)
        yield min(int(3 * clock(timeline, index)), 2), np.array(made)


def main() -> None:
    """Deal the hands of the games in a file, and print the table."""
    parser = parser_of(__doc__, deals=50)
    parser.add_argument("file", type=Path, help="records of games")
    parser.add_argument("--powers", type=float, nargs="+", default=[1.0, 1.1, 1.2, 1.3, 1.4])
    options = parser.parse_args()
    thirds, games, rows = [], [], []
    try:
        with options.file.open("rb") as stream:
            for game, record in enumerate(read_lines(stream, name=str(options.file))):
                timeline = timeline_of(parse_record(record))
                for third, made in rows_of(timeline, options.powers, options.deals, game):
                    thirds.append(third)
                    games.append(game)
                    rows.append(made)
    except (MasonsError, OSError) as error:
        sys.exit(f"Error: {error}")
    where, owners, strength = np.array(thirds), np.array(games), np.array(rows)
    cells = []
    for number, name in enumerate(THIRDS):
        rows_in, games_in = strength[where == number], owners[where == number]
        for column, power in enumerate(options.powers if len(games_in) else ()):
            means = [clustered_mean(part, games_in).text(2) for part in rows_in[:, column].T]
            cells.append((name, str(len(games_in)), f"{power:g}", *means))
    print(Printed(("third", "walls", "power", "best card", "best two", "land cards"), cells))


if __name__ == "__main__":
    main()
