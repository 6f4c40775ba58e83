"""The fits by PyTorch: they find what made the data, go on after an end, and kernels agree."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.training.self_play_data import Hands, Samples, hand_inputs
from masons.ai.models.features import BOARD, INPUTS, LINE_INPUTS, SEAT_INPUTS
from masons.ai.models.hand_model import HANDS_NUMBERS, PAGE_AT
from masons.ai.models.model_data import parts_of
from masons.ai.models.value_net import WEIGHTS
from masons.engine.board.components import FIRST_LAND, KINDS, LANDS
from masons.engine.game.action_history import ENTRIES, WALLED
from tests.support import plain_models

torch = pytest.importorskip("torch")
torch_fits = pytest.importorskip("benchmarks.training.torch_fits")


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def some_samples(rows: int, players: int) -> Samples:
    """Return positions of which the first input of a seat says how the game ends."""
    rng = np.random.default_rng(4)
    inputs = np.zeros((rows, INPUTS), dtype=np.float32)
    inputs[:, BOARD + 13] = 1
    width = SEAT_INPUTS
    has = rng.random((rows, players)).astype(np.float32)
    for seat in range(players):
        inputs[:, seat * width] = has[:, seat]
    shares, scores = (np.zeros((rows, 4), dtype=np.float32) for _ in range(2))
    shares[np.arange(rows), has.argmax(axis=1)] = 1
    scores[:, :players] = 40 * has
    game = np.arange(rows) // 5
    return Samples(inputs, np.full(rows, players), game, game % 20 == 19, shares, scores)


def test_the_layout_goes_there_and_back() -> None:
    rng = np.random.default_rng(5)
    net = rng.standard_normal(WEIGHTS).astype(np.float32)
    module = torch_fits.ValueNet(net)
    assert (torch_fits.numbers_of(module) == net).all()
    numbers = rng.standard_normal(HANDS_NUMBERS).astype(np.float32)
    hands = torch_fits.HandModel(numbers)
    assert (torch_fits.numbers_of(hands) == numbers).all()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_fitted_net_says_what_the_matrices_say(players: int) -> None:
    rng = np.random.default_rng(players)
    net = torch_fits.first_net(3)
    inputs = rng.random((20, INPUTS)).astype(np.float32)
    shares, scores = torch_fits.predict(net, inputs, players)
    expected, points = plain_models.predict(net, inputs, players)
    assert shares == pytest.approx(expected, abs=1e-5)
    assert scores == pytest.approx(points, rel=1e-5, abs=1e-4)


def test_the_fitted_hands_are_what_the_matrices_say() -> None:
    hands, numbers = some_hands(20), 0.1 * np.random.default_rng(3).standard_normal(HANDS_NUMBERS)
    with torch.inference_mode():
        inputs = torch.from_numpy(hands.inputs.astype(np.float32))
        predicted = torch_fits.HandModel(numbers)(inputs).numpy()
    expected = plain_models.log_weights(numbers, hands.inputs)
    assert predicted == pytest.approx(expected, rel=1e-4, abs=1e-4)


@pytest.mark.slow
def test_the_net_finds_what_made_the_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch_fits, "BATCH", 256)
    samples = some_samples(6000, 3)
    net = torch_fits.first_net(1)
    held_out = np.flatnonzero(samples.held_out)
    before = torch_fits.loss(net, samples, held_out)
    fitted = torch_fits.fit(net, samples, 15, 1)
    after = torch_fits.loss(fitted, samples, held_out)
    constant = np.log(3)  # that all seats are as likely
    assert after < 0.5 < constant < before + 0.2
    _, scores = torch_fits.predict(fitted, samples.inputs[:500], 3)
    assert np.abs(scores - samples.scores[:500, :3]).mean() < 4
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"net: epoch 15 of 15, loss {after:.4f} on 300 held-out positions"


@pytest.mark.slow
def test_held_out_games_are_not_fitted_to() -> None:
    samples = some_samples(400, 2)
    rng = np.random.default_rng(1)
    wrong = np.where(samples.held_out[:, None], rng.random(samples.shares.shape), samples.shares)
    others = replace(samples, shares=wrong.astype(np.float32))
    net = torch_fits.first_net(1)
    nets = [torch_fits.fit(net, some, 1, 1) for some in (samples, others)]
    assert (nets[0] == nets[1]).all()


def test_inputs_in_a_file_and_as_float16_are_fitted_to(tmp_path: Path) -> None:
    samples = some_samples(400, 2)
    half = samples.inputs.astype(np.float16)
    file = np.lib.format.open_memmap(tmp_path / "inputs.npy", "w+", half.dtype, half.shape)
    file[:] = half
    net = torch_fits.first_net(1)
    ways = (file, half, half.astype(np.float32))
    nets = [torch_fits.fit(net, replace(samples, inputs=some), 1, 1) for some in ways]
    assert (nets[0] == nets[1]).all()
    assert (nets[0] == nets[2]).all()


def test_returns_mix_the_end_with_what_the_net_says_in_between() -> None:
    samples = some_samples(100, 2)
    net = torch_fits.first_net(1)
    said, points = torch_fits.predict(net, samples.inputs, 2)
    mixed = torch_fits.returns(samples, net)
    rate = torch_fits.LAMBDA
    for first in range(0, 95, 5):  # of each game that is not held out
        share, score = samples.shares[first + 4, :2], samples.scores[first + 4, :2]
        for row in range(first + 4, first - 1, -1):
            assert mixed.shares[row, :2] == pytest.approx(share, abs=1e-5)
            assert mixed.scores[row, :2] == pytest.approx(score, abs=1e-3)
            share = rate * share + (1 - rate) * said[row]
            score = rate * score + (1 - rate) * points[row]
    assert (mixed.shares[95:] == samples.shares[95:]).all()


class KilledError(Exception):
    """Ends a fit in the midst of it."""


@pytest.mark.parametrize("seed", range(3))
def test_a_fit_that_was_ended_goes_on_to_the_same_bytes(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch_fits, "BATCH", 50)
    samples, net = some_samples(200, 3), torch_fits.first_net(1)
    whole = torch_fits.fit(net, samples, 4, 1, tmp_path / "whole.pt")
    steps, chance, kills = 16, random.Random(seed), 0
    loss_of = torch_fits.loss_of
    while True:
        left = iter(range(chance.randrange(6, steps)))

        def mortal(*arguments: object, left: object = left) -> object:
            if next(left, None) is None:  # type: ignore[call-overload]
                raise KilledError
            return loss_of(*arguments)

        monkeypatch.setattr(torch_fits, "loss_of", mortal)
        try:
            again = torch_fits.fit(net, samples, 4, 1, tmp_path / "again.pt")
        except KilledError:
            kills += 1
        else:
            break
    assert kills
    assert again.tobytes() == whole.tobytes()
    assert (tmp_path / "again.pt").read_bytes() == (tmp_path / "whole.pt").read_bytes()


def some_hands(rows: int) -> Hands:
    """Return hands of players who hold the cards that their walls tell of."""
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
    inputs = hand_inputs(over, 2, lines, values, pages)
    counts = (held.astype(np.uint8), unseen.astype(np.uint8))
    return Hands(*counts, inputs, np.arange(rows) % 20 == 19)


@pytest.mark.slow
def test_who_holds_what_is_found(tmp_path: Path) -> None:
    hands = some_hands(8000)
    numbers = torch_fits.first_numbers(1)
    assert torch_fits.nats_gained(numbers, hands) == pytest.approx(0)
    fitted = torch_fits.fit_hands(numbers, hands, 20, 1, tmp_path / "checkpoint.pt")
    held_out = np.flatnonzero(hands.held_out)
    assert torch_fits.nats_gained(fitted, hands, held_out) > 0.1
    direct, _, _ = parts_of(fitted, torch_fits.HAND_SHAPES)
    page = direct[PAGE_AT + int(WALLED) :][:LANDS, FIRST_LAND:]
    assert np.diag(page).min() > 0.1
    # A fit that is over is not done again.
    again = torch_fits.fit_hands(numbers, hands, 20, 1, tmp_path / "checkpoint.pt")
    assert (again == fitted).all()
