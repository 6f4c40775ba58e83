"""The examples that learn, on a few small games: they run, and what they learn by is right."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from masons.cli.main import run
from masons.env import BatchEnv

torch = pytest.importorskip("torch")


@pytest.mark.slow
def test_ppo_learns_by_what_the_seats_get(monkeypatch: pytest.MonkeyPatch) -> None:
    ppo = import_module("examples.learn_ppo")
    for name, value in {"ENVS": 8, "STEPS": 90, "MINIBATCH": 360}.items():
        monkeypatch.setattr(ppo, name, value)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    env = BatchEnv(8, seed=0, reward="points")
    env.reset()
    network = ppo.Network(env)
    others = ppo.NamedSeats(env, "random", np.arange(8) % 2, 0)
    rollout = ppo.play(env, network, others)
    assert (rollout.is_ours == (rollout.player != torch.arange(8) % 2)).all()
    legal = rollout.mask.gather(2, rollout.action[..., None])
    assert legal.all(), "only legal actions are sampled"
    assert (rollout.reward != 0).any()
    before = [weights.clone() for weights in network.parameters()]
    optimizer = torch.optim.Adam(network.parameters(), 1e-3)
    assert 0 < ppo.learn(network, optimizer, env, rollout) < 6
    changed = [bool((a != b).any()) for a, b in zip(before, network.parameters(), strict=True)]
    assert sum(changed) > 10
    won, _ = ppo.match(network, "random", 4, 1)
    assert 0 <= won <= 1


@pytest.mark.slow
def test_a_value_net_is_trained_on_exported_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.set_num_threads(1)
    folder, players = str(tmp_path / "games"), ["--player", "random", "--player", "default:sims=4"]
    assert run(["dataset", "--games", "8", *players, "--out", folder]) == 0
    words = [folder, "--epochs", "2", "--out", str(tmp_path / "net.pt")]
    monkeypatch.setattr(sys, "argv", ["train_value.py", *words])
    import_module("examples.train_value").main()
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("epoch 2: squared error ")
    assert "(always 0: 1.000, by the points: " in last
    assert re.search(r", the search's action \d+\.\d% \(by chance: \d+\.\d%\)$", last)
    kept = torch.load(tmp_path / "net.pt")
    assert kept["encoding"] == BatchEnv(1).encoding.fingerprint


def test_arrays_become_tensors_without_a_copy() -> None:
    env = BatchEnv(4, seed=1)
    step = env.reset()
    shared = torch.from_dlpack(step.observation)
    env.step([5, 6, 7, 8])
    assert np.array_equal(shared.numpy(), step.observation)
    features = env.encoding.layout.features(shared)
    assert features.lines[0, 5, 0] == 1
    assert torch.from_dlpack(step.mask).dtype == torch.bool
