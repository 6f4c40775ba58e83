"""`bench`: its figures, and the signature: the committed number, and what changes it."""

from __future__ import annotations

import json
import platform
import sys

import pytest

from masons.ai.models.model_data import learned, learned_net
from masons.cli.commands.bench import signature
from tests.support.commands import told
from tests.support.paths import ROOT
from tests.support.thinned import thinned

FILE = ROOT / "benchmarks" / "SIGNATURE"
pytestmark = pytest.mark.slow


def test_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, few in (("PASSES", 2), ("ITERATIONS", 50), ("SIMULATIONS", 50)):
        monkeypatch.setattr(f"masons.cli.commands.bench.{name}", few)
    signatures = set()
    for policy in ("uniform", "busy"):
        figures = json.loads(told("bench", "--games", "5", "--policy", policy, "--json"))
        assert list(figures) == [
            "policy", "players", "games", "simulations_per_s", "games_per_s", "decisions_per_s",
            "playouts_per_s", "iterations_per_s", "signature", "spread",
        ]  # fmt: skip
        assert list(figures["spread"]) == list(figures)[3:8]
        for name, (least, most) in figures["spread"].items():
            assert 0 < least <= figures[name] <= most
        signatures.add(figures["signature"])
    assert len(signatures) == 1


@pytest.fixture(scope="module")
def usual() -> int:
    """The signature with the weights as they are."""
    return signature()


@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="the committed number is that of Linux on x86-64",
)
def test_the_signature_is_the_committed_one(usual: int) -> None:
    number, committed = usual, int(FILE.read_text())
    assert number == committed, (
        f"the bench signature is {number}, benchmarks/SIGNATURE says {committed}: what the engine "
        f"plays has changed. If it was to change, write {number} there and 'Bench: {number}' into "
        "the commit; else find out what did it."
    )


# Weights of each part, and a factor that shows in play: all of them, or a single one.
CHANGES = [
    ("heuristic", slice(None), 1.1), ("heuristic", slice(17, 18), 1.5),
    ("net", slice(None), 1.001), ("calibration", slice(4, 5), 1.5),
    ("policy", slice(None), 1.1), ("net", slice(9000, 9001), 1.5),
    ("hands", slice(None), 1.01), ("hands", slice(300, 301), 1.5),
    ("calibration", slice(None), 1.001), ("calibration", slice(30, 31), 1.5),
]  # fmt: skip


def test_it_changes_with_the_weights(usual: int) -> None:
    unchanged = []
    for part, places, factor in thinned(CHANGES, 2):
        weights = learned()[part]
        kept = weights.copy()
        weights[places] = factor * weights[places] + (0.1 if factor == 1.5 else 0)
        learned_net.cache_clear()
        if signature() == usual:
            unchanged.append((part, places))
        weights[:] = kept
    assert unchanged == []
    learned_net.cache_clear()
    assert signature() == usual
