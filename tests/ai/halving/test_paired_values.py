"""Losses from the luck that two moves share; moves that are looked at beside the limits."""

from __future__ import annotations

import numpy as np
import pytest

from masons.ai.halving.paired_values import Block, compared
from masons.ai.halving.workspace import COLUMNS, SCORES, VISITS, WINS
from masons.ai.search.limits import Limits
from masons.ai.search.results import by_value
from masons.ai.session import Session, analyse
from masons.engine.errors import MoveError
from masons.engine.formats.move_text import parse_move
from masons.engine.game.game import Game


def block(first: int, rows: dict[int, list[float]]) -> Block:
    """Wins of seat 0 by move, one for each determinization."""
    sums = np.zeros((len(rows), COLUMNS))
    for row, wins in zip(sums, rows.values(), strict=True):
        row[VISITS], row[WINS], row[SCORES] = len(wins), sum(wins), 10 * sum(wins)
    count = len(next(iter(rows.values())))
    return Block(np.array(list(rows), dtype=np.uint64), sums, first, (count,))


def test_only_the_luck_that_both_met_counts() -> None:
    blocks = [
        block(0, {0: [1.0, 0.0], 1: [0.5, 0.0]}),
        block(2, {0: [1.0, 1.0], 1: [0.5, 1.0]}),
        block(4, {0: [0.0, 0.0]}),
    ]
    sums = np.zeros((2, COLUMNS))
    for one in blocks:
        sums[one.moves.astype(int)] += one.sums
    found = compared(sums, blocks, 0, 0, 2)
    assert found.means[0, WINS] == pytest.approx(0.5)
    # On its own, move 1 has 0.5 too; but where both were, it lost 0.25.
    assert found.means[1, WINS] == pytest.approx(0.25)
    assert 0 < found.win_errors[1] < np.inf


def test_a_difference_of_one_block_has_no_known_error() -> None:
    blocks = [block(0, {0: [1.0], 1: [0.0]}), block(1, {0: [1.0]})]
    sums = np.zeros((2, COLUMNS))
    for one in blocks:
        sums[one.moves.astype(int)] += one.sums
    assert compared(sums, blocks, 0, 0, 2).win_errors[1] == np.inf


def test_a_move_asked_for_is_looked_at_like_the_best_and_changes_nothing_else() -> None:
    game = Game(2, seed=8)
    view = game.observe(0)
    plain = analyse(game.table, view, sims=900, seed=2)
    last = plain.moves[-1].move
    with_it = analyse(game.table, view, sims=900, seed=2, also=[last])
    assert with_it.iterations == plain.iterations == 900
    assert with_it.best == plain.best
    assert with_it.moves[0].win == plain.moves[0].win
    assert with_it.of(last).visits == with_it.moves[0].visits > plain.of(last).visits
    others = {one.move: one.win for one in plain.moves if one.move != last}
    assert {one.move: one.win for one in with_it.moves if one.move != last} == others
    with pytest.raises(MoveError):
        analyse(game.table, view, sims=90, also=[parse_move("swap:none")])


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_stand_by_loss_and_have_intervals(threads: int) -> None:
    import masons

    game = Game(2, seed=8)
    options = masons.SearchOptions(threads=threads)
    found = analyse(game.table, game.observe(0), sims=2000, seed=1, options=options)
    assert found.moves == by_value(found.moves)
    best = found.moves[0]
    assert best.loss == 0
    for one in found.moves[1:]:
        assert one.win == pytest.approx(best.win - one.loss)
        assert one.loss_interval is None or one.loss_interval > 0
    assert best in found.equal


def test_a_choice_is_that_of_the_analysis() -> None:
    for seed in range(3):
        game = Game(2, seed=seed)
        chooser, teller = Session(game.table, seed=1), Session(game.table, seed=1)
        chooser.choose(game.observe(0), Limits(sims=500))
        assert chooser.best == teller.analyse(game.observe(0), sims=500).best
