"""The ruler: decisions with the values of their moves, picks of engines, intervals that hold."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from benchmarks.ruler import coverage, decisions, make, score
from benchmarks.ruler.decisions import (
    MISSING,
    TWELFTHS,
    Continued,
    Decisions,
    Ruler,
    cells_of,
    load,
    outcomes_of,
    picked_order,
    play_on,
    ranked_moves,
    sample_cell,
    save,
)
from benchmarks.ruler.score import gain, groups, mean_of, regret, spread
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from masons.engine.game.table import Table
from masons.engine.state.layout import PHASE, PHASE_SCORE

pytestmark = pytest.mark.slow

SEED = 5


@pytest.fixture(scope="module")
def table() -> Table:
    return Table(load_board("classic"))


@pytest.fixture(scope="module")
def ruler() -> Ruler:
    return make._cell(SEED, ("scoring", 2, 6))


def play(table: Table, ruler: Ruler, evaluator: str, seeds: list[int]) -> np.ndarray:
    """Shares of a victory in twelfths after the first candidate of each row, with these seeds."""
    rows = np.repeat(np.arange(len(ruler.counts)), len(seeds))
    games = Continued(
        rows.astype(np.uint64),
        ruler.moves[rows, 0].copy(),
        np.array(seeds * len(ruler.counts), dtype=np.uint64),
    )
    return play_on(table, ruler.decisions, 2, games, evaluator).shares


def test_decisions_are_of_the_kind_asked_for_and_candidates_are_legal(
    table: Table, ruler: Ruler
) -> None:
    for row in range(6):
        view, moves = ruler.view(row), ruler.candidates(row)
        assert ruler.decisions.states[row].view(np.uint8)[int(PHASE)] == PHASE_SCORE
        assert 2 <= len(moves) == len(set(moves))
        assert all(table.is_legal(view.state, move) for move in moves)


def test_the_same_seed_gives_the_same_decisions(table: Table, ruler: Ruler) -> None:
    again = sample_cell(table, "scoring", 2, 6, SEED)
    assert np.array_equal(again.states, ruler.decisions.states)
    assert np.array_equal(again.histories, ruler.decisions.histories)


def test_the_same_luck_gives_the_same_game(table: Table, ruler: Ruler) -> None:
    shares = play(table, ruler, "heuristic", [1, 2, 1]).reshape(-1, 3)
    assert np.array_equal(shares[:, 0], shares[:, 2])
    lucks = play(table, ruler, "heuristic", list(range(40))).reshape(-1, 40)
    assert len(np.unique(lucks)) > 1


def test_outcomes_share_a_victory() -> None:
    points = np.array([[10.02, 10.02, 9.05], [7.0, 8.0, 3.0], [4.0, 4.0, 4.0]])
    outcomes = outcomes_of(points, np.array([0, 0, 2]))
    assert outcomes.shares.tolist() == [TWELFTHS // 2, 0, TWELFTHS // 3]
    assert outcomes.margins.tolist() == [0, -1, 0]


def test_shares_add_up_over_kinds_and_players() -> None:
    cells = cells_of(3000)
    assert sum(count for *_, count in cells) == pytest.approx(3000, abs=9)
    assert {kind for kind, *_ in cells} == {"wall", "scoring", "swap"}


def made_up(values: list[list[list[int]]]) -> Ruler:
    """A ruler with these shares [rows, candidates, lucks], and nothing else that counts."""
    shares = np.array(values, dtype=np.uint8)
    rows, most, lucks = shares.shape
    full = np.full((rows, 10, lucks), MISSING, dtype=np.uint8)
    full[:, :most] = shares
    return Ruler(
        np.full(rows, "wall"), np.full(rows, 2),
        Decisions(np.zeros((rows, 128), dtype=np.uint64), np.zeros((rows, 1))),
        np.zeros((rows, 10), dtype=np.uint64), np.full(rows, most),
        {"heuristic": full}, {"heuristic": full.astype(np.int8)},
    )  # fmt: skip


def test_figures_are_means_over_decisions() -> None:
    values = made_up([[[12, 12], [0, 12]], [[0, 0], [12, 0]]]).values("heuristic")
    first, second = np.array([0, 0]), np.array([1, 1])
    assert gain(values, second, first).tolist() == [-0.5, 0.5]
    assert np.isnan(gain(values, np.array([1, -1]), first)).tolist() == [False, True]
    assert mean_of(np.array([1.0, 3.0, np.nan])) == (2.0, 1.0, 2)


def test_regret_and_spread_are_not_fooled_by_luck() -> None:
    rng = np.random.default_rng(1)
    equal = made_up((12 * (rng.random((2000, 4, 8)) < 0.5)).tolist()).values("heuristic")
    picks = np.zeros(2000, dtype=np.int64)
    regrets = mean_of(regret(equal, picks))
    assert abs(regrets.mean) < 4 * regrets.error
    assert equal.mean(axis=2)[:, :4].max(axis=1).mean() > 0.6  # what the naive maximum would say
    assert abs(mean_of(spread(equal)).mean) < 4 * mean_of(spread(equal)).error
    better = (rng.random((2000, 4, 8)) < np.array([0.3, 0.5, 0.5, 0.9])[None, :, None]) * 12
    regrets = mean_of(regret(made_up(better.tolist()).values("heuristic"), picks))
    assert 0.4 < regrets.mean < 0.6  # four lucks do not always find the best one


def test_every_group_has_a_name_of_its_own(ruler: Ruler) -> None:
    names = [name for name, _ in groups(ruler)]
    assert len(names) == len(set(names))
    everything = dict(groups(ruler))["all"]
    assert everything.all()


def test_an_engine_picks_the_candidate_that_it_ranks_highest(table: Table, ruler: Ruler) -> None:
    for row in range(6):
        moves = ruler.candidates(row)
        view = ruler.view(row)
        ranked = ranked_moves(table, view, "default:sims=200", 1)
        order, is_own = picked_order(table, view, "default:sims=200", moves, 1)
        assert [moves[number] for number in order] == [move for move in ranked if move in moves]
        assert is_own == (ranked[0] in moves)


def test_a_file_is_read_back_and_another_layout_refused(ruler: Ruler, tmp_path: Path) -> None:
    path = tmp_path / "ruler.npz"
    make.extend_values(ruler, "heuristic", 2)
    save(ruler, path)
    again = load(path)
    assert np.array_equal(again.moves, ruler.moves)
    assert np.array_equal(again.shares["heuristic"], ruler.shares["heuristic"])
    with pytest.raises(MasonsError, match="no values by the evaluator 7"):
        again.values("7")
    with np.load(path) as data:
        arrays = {**{name: data[name] for name in data.files}, "layout": np.array("other")}
    np.savez(path, **arrays)
    with pytest.raises(MasonsError, match="another layout"):
        load(path)


def test_the_commands_make_a_ruler_go_on_with_it_and_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def command(main: Callable[[], None], *words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["command", *words])
        main()
        return capsys.readouterr().out

    path = tmp_path / "ruler.npz"
    options = (
        "--decisions",
        "20",
        "--evaluator",
        "heuristic",
        "--processes",
        "1",
        "--out",
        str(path),
    )
    with monkeypatch.context() as small:
        small.setattr(decisions, "BATCH", 3)  # games
        command(make.main, *options, "--lucks", "2")
    first = load(path)
    assert first.lucks("heuristic") == 2
    command(make.main, *options, "--lucks", "4")
    second = load(path)
    assert second.lucks("heuristic") == 4
    assert np.array_equal(second.shares["heuristic"][:, :, :2], first.shares["heuristic"])
    shown = command(
        score.main, "default:sims=50", "heuristic",
        "--evaluator", "heuristic", "--ranks",
        "--processes", "1", "--ruler", str(path),
    )  # fmt: skip
    assert "| all " in shown
    assert "heuristic" in shown


def interval_row(
    win: float, half: float, reference: float, error: float = 0.0, move: int = 1
) -> dict:  # type: ignore[type-arg]
    figures = {"win": win, "interval": half, "ref_win": reference, "ref_error": error}
    loss = {"loss": 0.0, "loss_interval": 0.1, "ref_loss": 0.0, "ref_loss_error": 0.0}
    return {**figures, **loss, "move": move, "equal": False}


def coverage_line(*analyses: list, kind: str = "wall") -> dict:  # type: ignore[type-arg]
    return {"kind": kind, "players": 2, "analyses": list(analyses), "widths": []}


def test_what_lies_inside_is_covered_and_the_references_own_error_counts() -> None:
    assert coverage.holds(interval_row(0.5, 0.1, 0.59), is_loss=False)
    assert not coverage.holds(interval_row(0.5, 0.1, 0.61), is_loss=False)
    assert coverage.holds(interval_row(0.5, 0.1, 0.61, 0.05), is_loss=False)


def test_a_row_for_each_group() -> None:
    rows = [interval_row(0.5, 0.1, 0.5)], [interval_row(0.5, 0.1, 0.9)]
    table = coverage.coverage_table([coverage_line(*rows)])
    cells_of_row = {cells[0]: cells[1:3] for cells in table.rows}
    assert cells_of_row["win, all"] == cells_of_row["win, wall"] == ("2", "50.0 ± 0.0")
    assert cells_of_row["win, swap"] == cells_of_row["loss, all"] == ("0", "-")


def test_seeds_agree_by_the_same_move_or_where_each_calls_the_others_equal() -> None:
    first, second = interval_row(0.5, 0.1, 0.5, move=1), interval_row(0.5, 0.1, 0.5, move=2)
    assert list(coverage.agreements([coverage_line([first, second], [first])])) == [True]
    assert list(coverage.agreements([coverage_line([first, second], [second, first])])) == [False]
    equal = [{**first, "equal": True}, {**second, "equal": True}]
    assert list(coverage.agreements([coverage_line(equal, equal[::-1])])) == [True]
    assert list(coverage.agreements([coverage_line(equal, [second, first])])) == [False]


def test_the_exponent_of_what_falls_with_the_root_of_the_time() -> None:
    widths = [{"cpu": cpu, "half": 0.3 * cpu**-0.5} for cpu in (2.0, 6.0, 20.0)]
    slope, error = coverage.exponent([{"widths": widths}, {"widths": widths[:2]}])
    assert slope == pytest.approx(-0.5)
    assert error == pytest.approx(0, abs=1e-6)


def test_half_a_line_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    coverage.append_line(path, {"settings": [1], "n": 1})
    path.write_text(path.read_text(encoding="utf-8") + '{"settings": [1], "n"', encoding="utf-8")
    coverage.append_line(path, {"settings": [1], "n": 2})
    coverage.append_line(path, {"settings": [2], "n": 3})
    assert [line["n"] for line in coverage.read_lines(path, [1])] == [1, 2]


@pytest.mark.slow
def test_a_run_goes_on_where_it_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lines.jsonl"
    monkeypatch.setattr(coverage, "KINDS", {"wall": ("wall",), "swap": ("swap",)})
    small = [
        "--decisions",
        "1",
        "--analyses",
        "2",
        "--seconds",
        "0.3",
        "--reference",
        "0.1",
        "--times",
        "0.3",
        "0.4",
    ]
    monkeypatch.setattr(sys, "argv", ["coverage", str(path), *small])
    coverage.main()
    lines = path.read_text(encoding="utf-8")
    assert lines.count("\n") == 6
    first = capsys.readouterr().out
    assert "two seeds agree" in first
    assert "to the power of" in first
    coverage.main()
    assert path.read_text(encoding="utf-8") == lines
    assert capsys.readouterr().out == first
