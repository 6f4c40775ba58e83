"""Fitting the numbers of the search anew, in miniature."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from masons.ai.models.calibration import CALIBRATION
from masons.ai.models.features import INPUTS, LINE_INPUTS
from masons.ai.models.hand_model import HANDS_NUMBERS, PAGE_AT
from masons.ai.models.model_data import learned
from masons.ai.models.value_net import WEIGHTS
from masons.ai.policies.heuristic_moves import PARAMETERS
from masons.ai.training import (
    train,
    train_calibration,
    train_hand_model,
    train_heuristic,
    train_value_net,
    training_games,
)
from masons.ai.training.seat_choices import Seat
from masons.ai.training.self_play import play_games
from masons.ai.training.train_hand_model import Hands
from masons.ai.training.training_games import Samples
from masons.engine.board.components import FIRST_LAND, KINDS, LANDS
from masons.engine.game.action_history import ENTRIES, WALLED
from masons.engine.game.table import Table


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "ROUNDS", 2)
    monkeypatch.setattr(train, "MORE_ROUNDS", 1)
    monkeypatch.setattr(train, "EPOCHS", 1)
    monkeypatch.setattr(training_games, "GAMES", 2)
    monkeypatch.setattr(training_games, "SIMULATIONS", (20,))
    monkeypatch.setattr(train_calibration, "SIMS", 150)
    monkeypatch.setattr(train_heuristic, "GAMES", 60)
    monkeypatch.setattr(train_heuristic, "CANDIDATES", 8)


@pytest.mark.slow
def test_shares_of_the_heuristics_are_fair() -> None:
    ours, closer = learned()["heuristic"], train_heuristic.CLOSER
    assert train_heuristic.heuristic_share(ours, ours, 3) == pytest.approx(0.5)
    won = train_heuristic.heuristic_share(ours, closer, 3)
    assert won > 0.9
    assert won + train_heuristic.heuristic_share(closer, ours, 3) == pytest.approx(1.0)


def some_samples(rows: int, players: int) -> Samples:
    """Positions of which the first input of a seat says how the game ends."""
    rng = np.random.default_rng(4)
    inputs = np.zeros((rows, INPUTS), dtype=np.float32)
    inputs[:, train_value_net.BOARD + 13] = 1
    width = train_value_net.SEAT_INPUTS
    has = rng.random((rows, players)).astype(np.float32)
    for seat in range(players):
        inputs[:, seat * width] = has[:, seat]
    shares, scores = (np.zeros((rows, 4), dtype=np.float32) for _ in range(2))
    shares[np.arange(rows), has.argmax(axis=1)] = 1
    scores[:, :players] = 40 * has
    return Samples(inputs, np.full(rows, players), np.arange(rows) // 5, shares, scores)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4])
def test_the_gradient_is_the_slope_of_the_loss(players: int) -> None:
    samples = some_samples(40, players)
    net = train_value_net.first_net(1)
    scores = samples.scores[:, :players] / np.float32(16)

    def value(weights: np.ndarray) -> float:
        shares, points = train_value_net.predict(
            weights, samples.inputs.astype(np.float64), players
        )
        likelihood = np.log(shares) * samples.shares[:, :players]
        wrong = (points / 16 - scores) ** 2
        return float(-likelihood.sum(axis=1).mean() + train_value_net.SCORES_COUNT * wrong.mean())

    slope = train_value_net.gradient(net, samples.inputs, samples.shares[:, :players], scores)
    rng = np.random.default_rng(2)
    for place in [*rng.integers(0, WEIGHTS, 200).tolist(), *range(WEIGHTS - 100, WEIGHTS)]:
        ahead, behind = net.astype(np.float64), net.astype(np.float64)
        ahead[place] += 1e-5
        behind[place] -= 1e-5
        found = (value(ahead) - value(behind)) / 2e-5
        assert slope[place] == pytest.approx(found, rel=1e-2, abs=1e-4)


@pytest.mark.slow
def test_the_net_finds_what_made_the_ends() -> None:
    samples = some_samples(6000, 3)
    net = train_value_net.first_net(1)
    before = train_value_net.loss(net, samples)
    fitted = train_value_net.fit(net, samples, 60, 1)
    assert train_value_net.loss(fitted, samples) < 0.5 < 0.9 < before
    _, scores = train_value_net.predict(fitted, samples.inputs[:500], 3)
    assert np.abs(scores - samples.scores[:500, :3]).mean() < 4


def test_returns_mix_the_end_with_what_the_net_says_in_between() -> None:
    samples = some_samples(10, 2)
    net = train_value_net.first_net(1)
    said, _ = train_value_net.predict(net, samples.inputs, 2)
    mixed = train_value_net.returns(samples, net)
    last, one_before = 4, 3
    assert mixed.shares[last].tolist() == samples.shares[last].tolist()
    rate = train_value_net.LAMBDA
    expected = rate * samples.shares[last, :2] + (1 - rate) * said[last]
    assert mixed.shares[one_before, :2] == pytest.approx(expected, abs=1e-6)


@pytest.mark.slow
def test_the_calibration_makes_shares_right_on_average() -> None:
    rng = np.random.default_rng(2)
    verdicts = []
    for _ in range(4000):
        said = rng.uniform(0.2, 0.95)
        won = rng.random() < said**2  # the deciding seat is flattered
        wins, came = np.array([said, 1 - said]), np.array([won, 1 - won], dtype=float)
        verdicts.append((0.5, 0, wins, 50 * wins, 0.0, came, 40 * wins))
    before = train_calibration.expected_error(train_calibration.PLAIN, verdicts)
    after = train_calibration.expected_error(train_calibration.fit_calibration(verdicts), verdicts)
    assert after < 0.05 < 0.1 < before


def some_hands(rows: int) -> Hands:
    """Hands of players who hold the cards that their walls tell of, the more the later it is."""
    rng = np.random.default_rng(6)
    over, pages = rng.random(rows), np.zeros((rows, ENTRIES))
    told = pages[:, int(WALLED) :][:, :LANDS]
    told[:] = 4 * rng.standard_normal((rows, LANDS))
    unseen, held = np.full((rows, KINDS), 2.0), np.zeros((rows, KINDS))
    for row in range(rows):
        z = np.zeros(KINDS)
        z[FIRST_LAND:] = over[row] * told[row] / 2
        chances = np.exp(z) / np.exp(z).sum()
        held[row] = np.bincount(rng.choice(KINDS, 4, replace=False, p=chances), minlength=KINDS)
    values, lines = np.ones((rows, LANDS)), np.zeros((rows, LINE_INPUTS))
    return Hands(held, unseen, train_hand_model.hand_inputs(over, 2, lines, values, pages))


@pytest.mark.slow
def test_who_holds_what_is_found() -> None:
    hands = some_hands(8000)
    numbers = train_hand_model.first_numbers(1)
    assert train_hand_model.nats_gained(numbers, hands) == pytest.approx(0)
    fitted = train_hand_model.fit_hands(numbers, hands, 20, 1)
    assert train_hand_model.nats_gained(fitted, hands) > 0.1
    direct, _, _ = train_hand_model.split(fitted)
    page = direct[PAGE_AT + int(WALLED) :][:LANDS, FIRST_LAND:]
    assert np.diag(page).min() > 0.1


def test_the_gradient_of_hands_is_the_slope_of_their_likelihood(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(train_hand_model, "DECAY", 0.0)
    monkeypatch.setattr(train_hand_model, "DECAY_DIRECT", 0.0)
    hands, rng = some_hands(50), np.random.default_rng(3)
    numbers = 0.1 * rng.standard_normal(HANDS_NUMBERS)

    def value(some: np.ndarray) -> float:
        chances = train_hand_model.chances_of(
            train_hand_model.log_weights(some, hands.inputs), hands.unseen
        )
        return -float((hands.held * np.log(chances)).sum(axis=1).mean())

    slope = train_hand_model.gradient(numbers, hands.held, hands.unseen, hands.inputs)
    for place in rng.integers(0, HANDS_NUMBERS, 100).tolist():
        ahead, behind = numbers.copy(), numbers.copy()
        ahead[place] += 1e-5
        behind[place] -= 1e-5
        found = (value(ahead) - value(behind)) / 2e-5
        assert slope[place] == pytest.approx(found, rel=1e-3, abs=1e-6)


@pytest.mark.slow
def test_hands_of_games(table: Table) -> None:
    seats = [Seat(0, learned()["heuristic"], learned()["net"])] * 2
    games = play_games(table, seats, [1, 2, 3])
    hands = train_hand_model.hands_of(games, table, np.random.default_rng(1))
    assert len(hands.held) == len(games.starts)
    assert (hands.unseen >= hands.held).all()
    assert (hands.held.sum(axis=1) <= 8).all()
    first = np.flatnonzero(np.diff(games.of_game, prepend=-1))
    assert not hands.inputs[first, PAGE_AT:].any()
    assert hands.inputs[first + 5, PAGE_AT:].any(axis=1).all()


@pytest.mark.slow
def test_the_whole_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "learned.json"
    monkeypatch.setattr(sys, "argv", ["train.py", "--minutes", "0.03", "--out", str(out)])
    train.main()
    found = json.loads(out.read_text())
    assert {key: len(numbers) for key, numbers in found.items()} == {
        "heuristic": PARAMETERS, "net": WEIGHTS, "hands": HANDS_NUMBERS, "calibration": CALIBRATION,
    }  # fmt: skip
    assert all(np.isfinite(numbers).all() for numbers in map(np.array, found.values()))
