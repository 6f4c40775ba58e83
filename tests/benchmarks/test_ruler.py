"""The ruler: decisions with the values of their moves, and what engines pick of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from benchmarks.ruler import make, sampled_decisions, score
from benchmarks.ruler.continuations import TWELFTHS, Continued, outcomes_of, play_on
from benchmarks.ruler.picks import picked_order, ranked_moves
from benchmarks.ruler.ruler_data import MISSING, Ruler, load, save
from benchmarks.ruler.sampled_decisions import Decisions, cells_of, sample_cell
from benchmarks.ruler.tables import figure, gain, groups, regret, spread
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
    found = outcomes_of(points, np.array([0, 0, 2]))
    assert found.shares.tolist() == [TWELFTHS // 2, 0, TWELFTHS // 3]
    assert found.margins.tolist() == [0, -1, 0]


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
    assert figure(np.array([1.0, 3.0, np.nan])) == (2.0, 1.0, 2)


def test_regret_and_spread_are_not_fooled_by_luck() -> None:
    rng = np.random.default_rng(1)
    equal = made_up((12 * (rng.random((2000, 4, 8)) < 0.5)).tolist()).values("heuristic")
    picks = np.zeros(2000, dtype=np.int64)
    found = figure(regret(equal, picks))
    assert abs(found.mean) < 4 * found.error
    assert equal.mean(axis=2)[:, :4].max(axis=1).mean() > 0.6  # what the naive maximum would say
    assert abs(figure(spread(equal)).mean) < 4 * figure(spread(equal)).error
    better = (rng.random((2000, 4, 8)) < np.array([0.3, 0.5, 0.5, 0.9])[None, :, None]) * 12
    found = figure(regret(made_up(better.tolist()).values("heuristic"), picks))
    assert 0.4 < found.mean < 0.6  # four lucks do not always find the best one


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
        small.setattr(sampled_decisions, "BATCH", 3)  # games
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
