"""The rules of sequential halving, which the threaded search and the kernel share."""

from __future__ import annotations

import math

import numpy as np
import pytest

from masons.ai.evaluation.rewards import POINT_VALUE, move_value
from masons.ai.halving.sequential_halving import better_half, determinizations_of, rounds_of
from masons.engine.kernels.bits import U


def test_rounds_lead_to_one_move() -> None:
    for count in range(1, 600):
        rounds, left = int(rounds_of(U(count))), count
        assert rounds == math.ceil(math.log2(count))
        for _ in range(rounds):
            assert left > 1
            left = int(better_half(U(left)))
        assert left == 1


@pytest.mark.parametrize("simulations", [3000, 20_000, 24_001])
@pytest.mark.parametrize("count", [2, 7, 100, 256])
def test_each_round_gets_as_many_simulations(simulations: int, count: int) -> None:
    rounds = int(rounds_of(U(count)))
    spent, left = [], count
    for number in range(rounds, 0, -1):
        each = int(determinizations_of(U(simulations - sum(spent)), U(number), U(left)))
        assert each >= 1
        spent.append(each * left)
        left = int(better_half(U(left)))
    assert sum(spent) <= simulations
    assert all(simulations / rounds - count < part for part in spent)


def test_a_value_is_the_win_probability_with_a_little_of_the_margin() -> None:
    assert move_value(0.5, 30.0, 50.0, U(2)) == pytest.approx(0.5 + POINT_VALUE * 10)
    assert move_value(0.5, 30.0, 70.0, U(3)) == pytest.approx(0.5 + POINT_VALUE * 10)
    wins, scores, totals = np.array([0.2, 0.7]), np.array([30.0, 20.0]), np.array([60.0, 60.0])
    values = move_value(wins, scores, totals, U(2))
    assert values == pytest.approx([0.2, 0.7 - POINT_VALUE * 20])
