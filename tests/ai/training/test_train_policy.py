"""The net of the policy: how it is changed, and what is gone on with."""

import numpy as np
import pytest

from masons.ai.models.features import BOARD, INPUTS, SEAT_INPUTS
from masons.ai.models.model_data import learned
from masons.ai.models.net_shapes import HIDDEN
from masons.ai.training import train_policy
from masons.ai.training.net_changes import NetChanges
from masons.ai.training.train_policy import (
    KEPT,
    SIZE,
    Players,
    direction_of,
    gone_on,
    spread_of,
    value_against,
)
from masons.engine.game.table import Table
from tests.support.plain_models import predict as plain_prediction

NET = learned()["net"]
PLAYERS = Players(learned()["heuristic"], learned()["hands"])


def logits(net: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Of two seats, the first less the second."""
    (wins,), _ = plain_prediction(net, inputs[None], 2)
    return np.log(wins[0] / wins[1])


@pytest.fixture(scope="module")
def changes() -> NetChanges:
    return NetChanges(np.linspace(0, 1, SEAT_INPUTS))  # the first differs between no seats


def test_no_step_changes_nothing(changes: NetChanges) -> None:
    assert changes.count == 3 * (SEAT_INPUTS - 1) + 2 * (HIDDEN - 4) + 2
    assert (changes.changed(NET, np.zeros(changes.count)) == NET).all()
    for number in range(changes.count):
        step = np.zeros(changes.count)
        step[number] = 1
        assert (changes.changed(NET, step) != NET).any(), number


def test_an_input_adds_to_the_logit_of_its_seat(changes: NetChanges) -> None:
    step = np.zeros(changes.count)
    step[9] = 2  # of input 10
    inputs = np.zeros(INPUTS)
    inputs[10], inputs[SEAT_INPUTS + 10], inputs[BOARD + 13] = 0.9, 0.2, 1
    more = logits(changes.changed(NET, step), inputs) - logits(NET, inputs)
    assert more == pytest.approx(2 * 0.03 * 0.7 / (10 / (SEAT_INPUTS - 1)), rel=1e-3)


def test_logits_and_scores_are_stretched(changes: NetChanges) -> None:
    inputs = np.random.default_rng(1).random(INPUTS)
    step = np.zeros(changes.count)
    step[-2:] = 1, -1
    changed = changes.changed(NET, step)
    assert logits(changed, inputs) == pytest.approx(np.exp(0.1) * logits(NET, inputs), rel=1e-3)
    (_, scores), (_, before) = (plain_prediction(net, inputs[None], 2) for net in (changed, NET))
    assert np.diff(scores) == pytest.approx(np.exp(-0.2) * np.diff(before), rel=1e-3)


def test_the_direction_is_that_of_the_winners() -> None:
    rng = np.random.default_rng(3)
    slope = np.array([0.02, -0.01, 0.0])
    steps = SIZE * rng.standard_normal((4000, 3))
    values = 2 * steps @ slope + 0.1 * rng.standard_normal(4000)  # against the mirror image
    halves = [{"steps": part, "values": value} for part, value in
              zip(np.split(steps, 2), np.split(values, 2), strict=True)]  # fmt: skip
    assert direction_of(halves, np.zeros(3)) == pytest.approx(slope, abs=0.004)
    before = np.array([1.0, 0.0, 0.0])
    assert direction_of(halves, before) == pytest.approx(slope + KEPT * before, abs=0.004)


@pytest.mark.slow
def test_what_a_net_gets_another_loses(table: Table) -> None:
    spread = spread_of(NET)
    changes = NetChanges(spread)
    other = changes.changed(NET, np.random.default_rng(2).standard_normal(changes.count))
    seeds = range(5, 25)
    assert not value_against(table, NET, NET, PLAYERS, seeds).any()
    ours = value_against(table, NET, other, PLAYERS, seeds)
    theirs = value_against(table, other, NET, PLAYERS, seeds)
    assert ours.any()
    assert ours == pytest.approx(-theirs)


@pytest.mark.slow
def test_a_direction_that_loses_is_not_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    spread = spread_of(NET)
    direction = np.zeros(NetChanges(spread).count)
    direction[-2] = -1  # all logits towards 0: the score alone counts
    monkeypatch.setattr(train_policy, "LENGTHS", (200.0,))
    monkeypatch.setattr(train_policy, "TRIED", 60)
    assert gone_on(NET, spread, direction, PLAYERS, 1) is NET
