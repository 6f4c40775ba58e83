"""Results with luck taken off, and the sequential test of them."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from masons.cli.main import run
from masons.match.statistics.engine_scores import GameResult
from masons.match.statistics.luck_adjusted import Weighed, adjusted, adjusted_values
from masons.match.statistics.sprt import adjusted_sprt


def game(block: int, number: int, first_wins: bool, luck: float, swapped: bool) -> Weighed:
    """A game of two engines; `luck` is that of engine 0."""
    engines = (1, 0) if swapped else (0, 1)
    scores = tuple(10 + (own == (0 if first_wins else 1)) for own in engines)
    return Weighed(
        GameResult(block, number, engines, scores, (5, 5)),
        tuple(luck if own == 0 else -luck for own in engines),
    )


def blocks(count: int, edge: float, seed: int) -> list[list[Weighed]]:
    """Games that luck decides, and skill by `edge` more."""
    rng = random.Random(seed)
    found = []
    for block in range(count):
        pair = []
        for number in range(2):
            luck = rng.choice((-0.4, 0.4))
            wins = rng.random() < 0.5 + luck + edge
            pair.append(game(block, 2 * block + number, wins, luck, bool(number)))
        found.append(pair)
    return found


def test_the_mean_stays_and_the_interval_narrows() -> None:
    found = adjusted(blocks(400, 0.05, 1), (0, 1))
    assert found is not None
    assert found.score is not None
    assert found.score.low < 0.55 < found.score.high
    assert found.lines[0].luck.low < 0 < found.lines[0].luck.high
    assert found.games is not None
    assert 0.2 < found.games.value < 0.6
    assert found.games.error < 0.15
    assert found.independent is not None
    assert found.independent.value == pytest.approx(found.games.value, rel=0.2)
    assert found.by_blocks is not None
    assert found.by_luck is not None
    # Luck is each game's own here: blocks save nothing, and luck as much with them as without.
    assert found.by_blocks.value == pytest.approx(1, abs=0.2)
    assert found.by_luck.value == pytest.approx(found.games.value, rel=0.2)
    assert found.by_luck.error < 0.1
    assert found.correlation > 0.6
    assert sum(line.first.mean for line in found.lines) == pytest.approx(1)


def test_of_nothing_and_of_little() -> None:
    assert adjusted([], (0, 1)) is None
    few = adjusted(blocks(2, 0, 1), (0, 1))
    assert few is not None
    assert few.games is None


@pytest.mark.slow
@pytest.mark.parametrize(("edge", "wanted"), [(0.0, "H0"), (0.11, "H1")])
def test_the_sequential_test(edge: float, wanted: str) -> None:
    """Elo 0 against 80 (a score of 0.613): wrong in a twentieth of the cases, or less."""
    wrong = 0
    for seed in range(60):
        values = adjusted_values(blocks(600, edge, seed), 0)
        ends = (adjusted_sprt(values[:n], 0, 80) for n in range(16, len(values) + 1, 4))
        verdict = next((own for own in ends if own.accepted), None)
        wrong += verdict is None or verdict.accepted != wanted
    assert wrong <= 8


def test_no_verdict_on_a_few_blocks() -> None:
    assert adjusted_sprt([1.0, 0.9, 1.1], 0, 10).accepted is None
    assert adjusted_sprt([1.0] * 50, 0, 10).accepted is None


@pytest.mark.slow
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "match.jsonl")
    words = ["match", "policy", "greedy", "--games", "4", "--seed", "3", "--out", file]
    assert run(words) == 0
    # What was played without is weighed afterwards, and says the same as weighed at once.
    capsys.readouterr()
    assert run([*words, "--resume", "--luck", "--json"]) == 0
    later = json.loads(capsys.readouterr().out)["adjusted"]
    assert run([*words[:-2], "--luck", "--json"]) == 0
    at_once = json.loads(capsys.readouterr().out)["adjusted"]
    assert later == at_once
    assert [own["name"] for own in later["engines"]] == ["policy", "greedy"]
    assert run([*words, "--resume", "--luck"]) == 0
    assert "without luck" in capsys.readouterr().out
    assert run(["match", "policy", "greedy", "--players", "3", "--luck", "--sprt", "0,9"]) == 2
