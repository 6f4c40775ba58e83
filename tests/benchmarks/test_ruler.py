"""The ruler: decisions with the values of their moves, picks of engines, intervals that hold."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.measuring import append_line, read_lines
from benchmarks.ruler import coverage, decisions, make, score
from benchmarks.ruler.decisions import MISSING, TWELFTHS, Continued, Ruler
from benchmarks.ruler.score import gain, mean_of, regret, spread
from masons.engine.errors import MasonsError
from masons.engine.game.table import Table
from masons.engine.state.layout import PHASE, PHASE_MERGE, PHASE_SCORE

pytestmark = pytest.mark.slow
SEED = 5


@pytest.fixture(scope="module")
def ruler() -> Ruler:
    return make._cell(SEED, ("scoring", 2, 6))


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """Run a main function with some words; return what it prints."""

    def call(main: Callable[[], None], words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["command", *words.split()])
        main()
        return capsys.readouterr().out

    return call


def test_one_decision_is_kept_of_each_game_that_has_one(table: Table) -> None:
    states = decisions.sample_decisions(table, 2, int(PHASE_MERGE), 60, SEED).states
    assert len(states) > 20
    assert (states.view(np.uint8)[:, int(PHASE)] == PHASE_MERGE).all()


def test_decisions_are_of_the_kind_wanted_and_repeatable(table: Table, ruler: Ruler) -> None:
    for row in range(6):
        view, moves = ruler.view(row), ruler.candidates(row)
        assert ruler.decisions.states[row].view(np.uint8)[int(PHASE)] == PHASE_SCORE
        assert 2 <= len(moves) == len(set(moves))
        assert all(table.is_legal(view.state, move) for move in moves)
    again = decisions.sample_cell(table, "scoring", 2, 6, SEED)
    assert np.array_equal(again.states, ruler.decisions.states)
    assert np.array_equal(again.histories, ruler.decisions.histories)


def test_the_same_chance_gives_the_same_game(table: Table, ruler: Ruler) -> None:
    def shares(seeds: list[int]) -> np.ndarray:
        """Return the shares of a victory after the first candidate of each row."""
        rows = np.repeat(np.arange(len(ruler.counts)), len(seeds))
        words = np.array(seeds * len(ruler.counts), dtype=np.uint64)
        games = Continued(rows.astype(np.uint64), ruler.moves[rows, 0].copy(), words)
        made = decisions.play_on(table, ruler.decisions, 2, games, "heuristic").shares
        return made.reshape(-1, len(seeds))

    first, _, again = shares([1, 2, 1]).T
    assert np.array_equal(first, again)
    assert len(np.unique(shares(list(range(40))))) > 1


def test_outcomes_share_a_victory() -> None:
    points = np.array([[10.02, 10.02, 9.05], [7.0, 8.0, 3.0], [4.0, 4.0, 4.0], [10.02, 9.05, 1.0]])
    outcomes = decisions.outcomes_of(points, np.array([0, 0, 2, 0]))
    assert outcomes.shares.tolist() == [TWELFTHS // 2, 0, TWELFTHS // 3, TWELFTHS]
    assert outcomes.margins.tolist() == [0, -1, 0, 1]  # in whole points


def test_shares_add_up_over_kinds_and_players() -> None:
    cells = decisions.cells_of(3000)
    assert sum(count for *_, count in cells) == pytest.approx(3000, abs=9)
    assert {kind for kind, *_ in cells} == {"wall", "scoring", "swap"}


def values_of(shares: Any) -> np.ndarray:
    """Return the values of a ruler with these shares [rows, candidates, lucks]."""
    shares = np.array(shares, dtype=np.uint8)
    rows, most, lucks = shares.shape
    full = np.full((rows, 10, lucks), MISSING, dtype=np.uint8)
    full[:, :most] = shares
    return Ruler(
        np.full(rows, "wall"), np.full(rows, 2),
        np.zeros((rows, 128), dtype=np.uint64), np.zeros((rows, 1)),
        np.zeros((rows, 10), dtype=np.uint64), np.full(rows, most),
        {"heuristic": full}, {"heuristic": full.astype(np.int8)},
    ).values("heuristic")  # fmt: skip


def test_figures_are_means_over_decisions() -> None:
    values = values_of([[[12, 12], [0, 12]], [[0, 0], [12, 0]]])
    first, second = np.array([0, 0]), np.array([1, 1])
    assert gain(values, second, first).tolist() == [-0.5, 0.5]
    assert np.isnan(gain(values, np.array([1, -1]), first)).tolist() == [False, True]
    assert mean_of(np.array([1.0, 3.0, np.nan])) == (2.0, 1.0, 2)


def test_regret_and_spread_are_not_fooled_by_chance() -> None:
    rng, picks = np.random.default_rng(1), np.zeros(2000, dtype=np.int64)
    equal = values_of(12 * (rng.random((2000, 4, 8)) < 0.5))
    for measure in (mean_of(regret(equal, picks)), mean_of(spread(equal))):
        assert abs(measure.mean) < 4 * measure.error
    assert equal.mean(axis=2)[:, :4].max(axis=1).mean() > 0.6  # the naive maximum
    better = values_of(12 * (rng.random((2000, 4, 8)) < np.array([0.3, 0.5, 0.5, 0.9])[:, None]))
    # Four lucks do not always tell the best one.
    assert 0.4 < mean_of(regret(better, picks)).mean < 0.6


def test_every_group_has_a_name_of_its_own(ruler: Ruler) -> None:
    groups = list(score.groups(ruler))
    assert len(dict(groups)) == len(groups)
    assert dict(groups)["all"].all()


def test_an_engine_picks_the_candidate_that_it_ranks_highest(table: Table, ruler: Ruler) -> None:
    for row in range(6):
        moves, view, spec = ruler.candidates(row), ruler.view(row), "default:sims=200"
        ranked = decisions.ranked_moves(table, view, spec, 1)
        order, is_own = decisions.picked_order(table, view, spec, moves, 1)
        assert [moves[number] for number in order] == [move for move in ranked if move in moves]
        assert is_own == (ranked[0] in moves)


def test_a_file_is_read_back_and_another_layout_refused(ruler: Ruler, tmp_path: Path) -> None:
    path = tmp_path / "ruler.npz"
    make.extend_values(ruler, "heuristic", 2)
    decisions.save(ruler, path)
    again = decisions.load(path)
    assert np.array_equal(again.moves, ruler.moves)
    assert np.array_equal(again.shares["heuristic"], ruler.shares["heuristic"])
    with pytest.raises(MasonsError, match="no values by the evaluator 7"):
        again.values("7")
    with np.load(path) as data:
        arrays = {**{name: data[name] for name in data.files}, "layout": np.array("other")}
    np.savez(path, **arrays)
    with pytest.raises(MasonsError, match="another layout"):
        decisions.load(path)


def test_the_shipped_ruler_is_of_the_layout_of_today(table: Table) -> None:
    shipped = decisions.load(decisions.FILE)
    assert shipped.lucks(decisions.POLICY) == 24
    for row in range(0, len(shipped.counts), 100):
        state = shipped.view(row).state
        assert all(table.is_legal(state, move) for move in shipped.candidates(row))


def test_the_commands_make_a_ruler_go_on_with_it_and_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Callable[..., str]
) -> None:
    path, shared = tmp_path / "ruler.npz", "--evaluator heuristic --processes 1"
    with monkeypatch.context() as small:
        small.setattr(decisions, "BATCH", 3)  # games
        command(make.main, f"--decisions 20 {shared} --out {path} --lucks 2")
    first = decisions.load(path)
    assert first.lucks("heuristic") == 2
    command(make.main, f"--decisions 20 {shared} --out {path} --lucks 4")
    second = decisions.load(path)
    assert second.lucks("heuristic") == 4
    assert np.array_equal(second.shares["heuristic"][:, :, :2], first.shares["heuristic"])
    shown = command(score.main, f"default:sims=50 heuristic {shared} --ranks --ruler {path}")
    assert "| all " in shown
    assert "heuristic" in shown


# --- intervals


def interval_row(reference: float, error: float = 0.0, **fields: Any) -> dict[str, Any]:
    """Return a move with a win probability of 0.5 ± 0.1."""
    figures = {"win": 0.5, "interval": 0.1, "ref_win": reference, "ref_error": error}
    loss = {"loss": 0.0, "loss_interval": 0.1, "ref_loss": 0.0, "ref_loss_error": 0.0}
    return {**figures, **loss, "move": 1, "equal": False, **fields}


def coverage_line(*analyses: list[dict[str, Any]]) -> dict[str, Any]:
    return {"kind": "wall", "players": 2, "analyses": list(analyses), "widths": []}


def test_what_lies_inside_is_covered_and_the_error_of_the_reference_counts() -> None:
    assert coverage.holds(interval_row(0.59), is_loss=False)
    assert not coverage.holds(interval_row(0.61), is_loss=False)
    assert coverage.holds(interval_row(0.61, 0.05), is_loss=False)
    table = coverage.coverage_table([coverage_line([interval_row(0.5)], [interval_row(0.9)])])
    cells = {name: figures[:2] for name, *figures in table.rows}
    assert cells["win, all"] == cells["win, wall"] == ["2", "50.0 ± 0.0"]
    assert cells["win, swap"] == cells["loss, all"] == ["0", "-"]


def test_seeds_agree_by_the_same_move_or_where_each_calls_the_others_equal() -> None:
    first, second = (interval_row(0.5, move=move) for move in (1, 2))
    equal = [{**first, "equal": True}, {**second, "equal": True}]
    for one_analysis, other, agrees in (
        ([first, second], [first], True),
        ([first, second], [second, first], False),
        (equal, equal[::-1], True),
        (equal, [second, first], False),
    ):
        assert list(coverage.agreements([coverage_line(one_analysis, other)])) == [agrees]


def test_the_exponent_of_what_falls_with_the_root_of_the_time() -> None:
    widths = [{"cpu": cpu, "half": 0.3 * cpu**-0.5} for cpu in (2.0, 6.0, 20.0)]
    slope, error = coverage.exponent([{"widths": widths}, {"widths": widths[:2]}])
    assert slope == pytest.approx(-0.5)
    assert error == pytest.approx(0, abs=1e-6)


def test_half_a_line_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    append_line(path, {"n": 1})
    path.write_text(path.read_text(encoding="utf-8") + '{"n"', encoding="utf-8")
    append_line(path, {"n": 2})
    assert read_lines(path) == [{"n": 1}, {"n": 2}]


def test_a_run_goes_on_where_it_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Callable[..., str]
) -> None:
    path = tmp_path / "lines.jsonl"
    monkeypatch.setattr(coverage, "KINDS", {"wall": ("wall",), "swap": ("swap",)})
    words = f"{path} --decisions 1 --analyses 2 --seconds 0.3 --reference 0.1 --times 0.3 0.4"
    first = command(coverage.main, words)
    lines = path.read_text(encoding="utf-8")
    assert lines.count("\n") == 6
    assert "two seeds agree" in first
    assert "to the power of" in first
    assert command(coverage.main, words) == first
    assert path.read_text(encoding="utf-8") == lines
