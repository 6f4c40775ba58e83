"""The ruler of truth: forecasts against the results of the games that they are about."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pytest

from benchmarks.measuring import read_lines
from benchmarks.ruler import dealt_hands, truth
from benchmarks.ruler.coverage import KINDS as KINDS_OF_DECISIONS
from benchmarks.ruler.forecasts import bins_of, calibration_error, clustered_mean, log_losses
from benchmarks.ruler.truth_tables import Decisions, figures_of
from masons.ai.review.timeline import Timeline, timeline_of
from masons.ai.search.limits import Limits
from masons.engine.board.components import FIRST_LAND, KINDS
from masons.engine.board.geometry import board_text, load_board
from masons.engine.game.record import parse_record
from masons.match.running.match_runner import SeededGame, play_seeded

SEED = 4


@pytest.fixture(scope="module")
def record() -> str:
    board = board_text(load_board("classic"))
    return play_seeded(SeededGame(board, ("heuristic",) * 3, SEED, SEED % 3))


@pytest.fixture(scope="module")
def timeline(record: str) -> Timeline:
    return timeline_of(parse_record(record))


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], str]:
    """Run the command with some words; return what it prints."""

    def call(words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["truth", *words.split(), "--processes", "1"])
        truth.main()
        return capsys.readouterr().out

    return call


# --- statistics


def sample(true_forecasts: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return forecasts, results and games; two forecasts about each game."""
    rng = np.random.default_rng(SEED)
    chances = rng.random(1500)
    results = (rng.random(1500) < chances).astype(np.float64)
    wins = np.repeat(chances, 2) if true_forecasts else np.repeat(chances**2, 2)
    return wins, np.repeat(results, 2), np.repeat(np.arange(1500), 2)


def test_a_clustered_error_is_that_of_the_sums_of_the_games() -> None:
    values, games = np.array([1.0, 2.0, 4.0, 4.0, 0.5]), np.array([7, 7, 2, 3, 3])
    mean = fmean(values)
    sums = [sum(v - mean for v, g in zip(values, games, strict=True) if g == n) for n in (7, 2, 3)]
    error = math.sqrt(sum(each**2 for each in sums) * 3 / 2) / 5
    assert clustered_mean(values, games) == (pytest.approx(mean), pytest.approx(error))
    alone = clustered_mean(values, np.arange(5))
    assert alone.error == pytest.approx(stdev(values) / math.sqrt(5))
    twice = clustered_mean(np.repeat(values, 2), np.repeat(np.arange(5), 2))
    assert twice.error == pytest.approx(alone.error)  # the same games again tell nothing new
    assert math.isnan(clustered_mean(values[:2], games[:2]).error)


def test_figures_are_those_of_a_plain_computation() -> None:
    wins, results, games = sample(true_forecasts=False)
    pairs = [*zip(wins.tolist(), results.tolist(), strict=True)]
    losses = [-math.log(min(max(p if y else 1 - p, 0.001), 0.999)) for p, y in pairs]
    assert log_losses(wins, results).tolist() == pytest.approx(losses)
    distance = 0.0
    for number in range(10):
        some = [(p, y) for p, y in pairs if number <= 10 * p < number + 1]
        distance += abs(sum(p - y for p, y in some)) / len(pairs)
    bins = bins_of(wins, np.zeros(3000), results, games)
    assert calibration_error(bins).error == pytest.approx(distance)


def test_true_forecasts_hold_and_wrong_ones_do_not() -> None:
    for is_true in (True, False):
        wins, results, games = sample(is_true)
        bins = bins_of(wins, np.full(3000, 0.02), results, games)
        calibration = calibration_error(bins)
        bias = clustered_mean(wins - results, games)
        assert (abs(bias.mean) < 3 * bias.error) == is_true
        assert (calibration.error < 2 * calibration.by_chance) == is_true
        assert (sum(each.holds for each in bins) >= 9) == is_true


def test_groups_and_methods_have_their_own_figures() -> None:
    def decision(kind: str, third: int, win: float, result: float) -> truth.Line:
        figures = {"search": [0.5, 60.0, 50.0], "rollout": [win, 70.0, 50.0]}
        return {
            "number": third, "kind": kind, "third": third, "result": [result, 66.0, 55.0],
            **figures, "printed": [win, 70.0, 50.0], "interval": 0.1, "played": None, "turns": 2.0,
        }  # fmt: skip

    lines = [
        {"decisions": [decision("wall", 0, 0.6, 1.0), decision("swap", 2, 0.8, 1.0)]},
        {"decisions": [decision("wall", 0, 0.4, 0.0)]},
    ]
    figures = figures_of(Decisions.of(lines))
    assert figures.keys() == {"all", "first third", "wall"}  # of at least two games
    wall = figures["wall"]
    assert wall["wins"]["printed"]["squared_error"].mean == pytest.approx(0.16)
    assert wall["wins"]["printed"]["than_search"].mean == pytest.approx(0.16 - 0.25)
    assert wall["wins"]["mixed"]["squared_error"].mean == pytest.approx(0.45**2)
    assert wall["wins"]["played"] == {"decisions": 0}
    assert figures["all"]["wins"]["printed"]["bias"].mean == pytest.approx(-0.2 / 3)
    assert wall["course"]["rollout_own"].mean == pytest.approx(4.0)
    assert wall["course"]["search_others"].mean == pytest.approx(-5.0)
    assert wall["course"]["turns"].mean == 2.0


# --- decisions


def test_what_is_picked_depends_only_on_what_came_before(timeline: Timeline) -> None:
    picked = {seed: truth.picked_steps(timeline, seed) for seed in range(20)}
    assert len({tuple(steps) for steps in picked.values()}) > 10
    for seed, steps in picked.items():
        for count, index in enumerate(steps, 1):
            cut = replace(timeline, steps=timeline.steps[: index + 1])
            assert truth.picked_steps(cut, seed) == steps[:count]
    phases = {timeline.steps[index].phase for steps in picked.values() for index in steps}
    assert phases == {phase for phases in KINDS_OF_DECISIONS.values() for phase in phases}


def test_the_result_is_that_of_the_game_and_the_view_is_the_movers(timeline: Timeline) -> None:
    index = truth.picked_steps(timeline, SEED)[-1]
    step, view = timeline.steps[index], timeline.observe(index)
    others = [seat for seat in range(3) if seat != step.seat]
    assert view.seat == step.seat
    assert [view.hand(seat) for seat in others] == [None, None]
    made = truth.decision_of(timeline, index, Limits(sims=50, rollouts=40), SEED)
    assert made is not None
    result = timeline.shares[step.seat], timeline.scores[step.seat]
    assert tuple(made["result"]) == (*result, fmean(timeline.scores[seat] for seat in others))
    assert made == truth.decision_of(timeline, index, Limits(sims=50, rollouts=40), SEED)


# --- dealt hands


def test_the_strength_of_hands_is_that_of_a_plain_count() -> None:
    lands = range(FIRST_LAND, KINDS)
    values = np.arange(len(lands), dtype=np.float64)
    copies = [{lands[1]: 2, lands[4]: 1, 0: 2}, {lands[3]: 1}, {0: 1}]
    words = [sum((1, 3)[n - 1] << (2 * kind) for kind, n in hand.items()) for hand in copies]
    strength = dealt_hands.strengths(np.array(words, dtype=np.uint64), values)
    assert strength.tolist() == [[4, 5, 3], [3, 3, 1], [0, 0, 0]]


def test_power_one_deals_the_hands_of_the_model_and_a_high_power_is_surer(
    timeline: Timeline,
) -> None:
    rows = [made for _, made in dealt_hands.rows_of(timeline, [1.0, 1.0, 3.0], 20, SEED)]
    assert len(rows) > 10
    same, again, surer = np.mean(rows, axis=0)
    assert same.tolist() == again.tolist()
    assert surer[1] > same[1]  # the model expects players to keep what scores


# --- the command


@pytest.mark.slow
def test_a_killed_run_goes_on_and_games_of_a_file_give_the_same(
    tmp_path: Path, command: Callable[[str], str]
) -> None:
    path, other, games = tmp_path / "a.jsonl", tmp_path / "b.jsonl", tmp_path / "games.jsonl"
    words = "--games 3 --players 2 --player heuristic --sims 50 --rollouts 40"
    printed = command(f"{path} {words} --json {tmp_path / 'a.json'}")
    assert "heuristic, 2 players, 3 games" in printed
    figures = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["sets"]
    assert figures["heuristic, 2 players"]["all"]["wins"]["printed"]["decisions"] > 9
    lines = read_lines(path)
    path.write_text(path.read_text(encoding="utf-8")[:-200], encoding="utf-8")  # killed
    assert command(f"{path} {words}") == printed
    assert read_lines(path) == lines
    board = board_text(load_board("classic"))
    records = [play_seeded(SeededGame(board, ("heuristic",) * 2, n, n % 2)) for n in range(3)]
    games.write_text("\n".join(records), encoding="utf-8")
    printed = command(f"{path} {other} --games-file {games} --sims 50 --rollouts 40")
    assert [line["decisions"] for line in read_lines(other)] == [
        line["decisions"] for line in lines
    ]
    assert "newer less older" in printed
    assert "+0.0000 ± 0.0000" in printed


def test_what_cannot_be_judged_is_refused_in_a_line(
    tmp_path: Path, command: Callable[[str], str]
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"format": "other"}\n', encoding="utf-8")
    for words, why in (
        ("--player nobody", "nobody"),
        ("--games-file none.jsonl", "none.jsonl"),
        (f"--games-file {broken}", "broken.jsonl, game 1"),
    ):
        with pytest.raises(SystemExit, match=f"Error: .*{why}"):
            command(f"{tmp_path / 'a.jsonl'} {words}")
