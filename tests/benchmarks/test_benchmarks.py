"""The benchmarks work, cover every kernel, and say what they could not do. No time is judged."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import random
import re
import shutil
import stat
import statistics
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from benchmarks import against, compare, environments, measuring, plot, report, suite, works
from benchmarks.against import CONFIDENCE, assess, lower_bound
from benchmarks.measuring import Table, short, times_for
from benchmarks.positions import SHAPES, strips_board
from benchmarks.works import KERNELS
from masons.engine.board.geometry import Board, load_board
from tests.support.package_copy import copy_package
from tests.support.paths import ROOT

HAS_SPIEL = importlib.util.find_spec("pyspiel") is not None
HAS_PLOT = importlib.util.find_spec("matplotlib") is not None
HAS_GIT = shutil.which("git") is not None and (ROOT / ".git").exists()


# ---- what is measured


def kernels() -> Iterator[str]:
    """Every function with the decorator `kernel`, by module and name."""
    for path in (path for top in ("engine", "ai", "env") for path in (ROOT / top).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any(
                ast.unparse(decorator) == "kernel" for decorator in node.decorator_list
            ):
                yield f"{path.stem}.{node.name}"


@pytest.mark.slow
def test_every_kernel_has_a_benchmark() -> None:
    names = set(kernels())
    assert "iteration.run_search" in names
    assert names == set(KERNELS)


def test_the_page_shows_works_that_there_are() -> None:
    """Else measure the section again: `python -m benchmarks.report --only suite`."""
    page = report.README.read_text(encoding="utf-8")
    section = page.partition(report.BEGIN.format("suite-single"))[2].partition(report.END)[0]
    names = re.findall(r"^\| `([^`]+)`", section, re.M)
    assert len(names) > 20
    assert [name for name in names if name not in works.WORKS] == []


def test_environments_are_measured_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = environments._ours
    monkeypatch.setattr(environments, "sides", lambda envs: [ours(envs, 1), ours(envs, 2)])
    first, second = str(environments.table(2, 8, 0.001)).splitlines()[2:]
    assert first.startswith("| BatchEnv, 8 environments ")
    assert "1.00" in first
    assert "2 threads by the clock" in second


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in works.WORKS if not name.startswith("start/")])
def test_work_runs_twice(name: str) -> None:
    work = works.WORKS[name]
    run = work.make()
    run()
    did = run()
    assert not work.decides or (isinstance(did, int) and did >= work.units)


def test_starts_run() -> None:
    works.WORKS["start/version"].make()()


def test_times_grow_until_they_can_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.measuring.timed", lambda _run, times: 0.001 * times)
    assert times_for(lambda: None, 0.5) == 500


# ---- boards


@pytest.mark.parametrize("spaces", SHAPES)
def test_boards_are_sound(spaces: int, tmp_path: Path) -> None:
    board = strips_board(spaces)
    assert len(board.space_lines) == spaces
    assert set(board.space_region) == {1, 2, 3}
    assert 0 < sum(board.tower_shore) < len(board.tower_shore)
    file = tmp_path / "board.json"
    file.write_text(board.to_json())
    assert load_board(file) == board


def test_the_board_of_104_has_the_shape_of_classic() -> None:
    def shape(board: Board) -> list[object]:
        return [board.tower_xy, board.tower_shore, board.space_towers, board.line_spaces]

    assert shape(strips_board(104)) == shape(load_board("classic"))


def test_a_board_as_text() -> None:
    line = [sys.executable, "-m", "benchmarks.positions", "24"]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert Board.from_dict(json.loads(done.stdout)) == strips_board(24)


# ---- side by side


def test_both_sides_take_turns() -> None:
    calls: list[tuple[str, int]] = []

    def side(name: str, rate: float) -> measuring.RateOf:
        def measure(number: int) -> measuring.Rate:
            calls.append((name, number))
            return measuring.Rate(rate * (number + 1), 10.0)

        return measure

    pairing = measuring.Pairing("them", "games", side("ours", 6.0), side("theirs", 2.0))
    (outcome,) = measuring.run_pairings([pairing], 3)
    assert calls == [
        ("ours", 0), ("theirs", 0), ("theirs", 1), ("ours", 1), ("ours", 2), ("theirs", 2),
    ]  # fmt: skip
    assert outcome.ours == [6.0, 12.0, 18.0]
    assert outcome.ratio == 3.0


def test_the_ratio_is_the_median_of_rounds_and_counts_decisions() -> None:
    outcome = measuring.Outcome("them", "games", [2.0, 30.0, 8.0], [1.0, 3.0, 2.0], (5.0, 10.0))
    assert outcome.ratio == 4.0
    assert outcome.by_decision == 2.0


PROGRAM = """#!{python}
import json, sys
unit = "game" if sys.argv[1] == "bench" else "playout"
print(json.dumps({{unit + "s_per_s": 1000, "decisions_per_" + unit: 50}}))
"""


def compared(arguments: list[str], program: str | None) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    environment = {name: v for name, v in os.environ.items() if name != compare.VARIABLE}
    if program is not None:
        environment[compare.VARIABLE] = program
    line = [sys.executable, "-m", "benchmarks.compare", *arguments]
    return subprocess.run(line, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.slow
def test_no_c_program_is_skipped() -> None:
    done = compared(["--only", "limit"], None)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "C program skipped: MASONS_LIMIT names none\n"


@pytest.mark.slow
def test_a_c_program_that_is_not_there_is_an_error() -> None:
    done = compared(["--only", "limit", "--rounds", "1", "--games", "1"], "/nowhere/limit")
    assert done.returncode == 1
    assert done.stderr == "compare.py: MASONS_LIMIT is /nowhere/limit, which is no program\n"


@pytest.mark.slow
def test_beside_a_c_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "limit"
    program.write_text(PROGRAM.format(python=sys.executable))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv(compare.VARIABLE, str(program))
    monkeypatch.setattr(compare, "POSITIONS", 2)
    outcomes = measuring.run_pairings(compare.pairings("limit", 10, 10), 1)
    assert len(outcomes) == 12
    assert all(o.theirs == [1000.0] and o.ours[0] > 0 and o.ratio > 0 for o in outcomes)
    assert all(o.decisions[1] == 50.0 and 1 < o.decisions[0] < 400 for o in outcomes)
    assert "full games, busy, 3 players" in str(measuring.pairing_table(outcomes))
    told = json.loads(compare.as_json(outcomes))
    assert told["rows"][0]["ours"] == outcomes[0].ours
    assert set(told) == {"date", "revision", "machine", "rows"}


def test_a_program_without_figures_is_an_error(tmp_path: Path) -> None:
    program = tmp_path / "limit"
    program.write_text(f"#!{sys.executable}\nprint('hello')\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    side = compare.program_rates(str(program), "bench", "busy", 2, 1)
    with pytest.raises(ChildProcessError, match="printed no figures"):
        side(0)


def test_no_open_spiel_is_skipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compare, "has_openspiel", False)
    assert compare.pairings("openspiel", 1, 1) == []
    assert capsys.readouterr().err == "OpenSpiel skipped: pip install open_spiel\n"


@pytest.mark.skipif(not HAS_SPIEL, reason="open_spiel is not installed")
def test_beside_open_spiel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "SECONDS", 0.001)
    monkeypatch.setattr(compare, "COUNTED", 2)
    outcomes = measuring.run_pairings(compare.openspiel_pairings(20), 1)
    assert len(outcomes) == 4 * len(compare.GAMES)
    assert all(o.ours[0] > 0 and o.theirs[0] > 0 for o in outcomes)
    assert all(1 <= decisions < 1500 for o in outcomes for decisions in o.decisions)


# ---- against a revision


@pytest.mark.slow
@pytest.mark.skipif(not HAS_GIT, reason="no git repository")
def test_a_revision_is_written_out(tmp_path: Path) -> None:
    against.write_revision(against.commit_of("HEAD"), tmp_path)
    assert (tmp_path / "engine" / "rules" / "transitions.py").is_file()
    assert (tmp_path / "pyproject.toml").is_file()


@pytest.mark.slow
@pytest.mark.skipif(not HAS_GIT, reason="no git repository")
def test_the_working_tree_is_written_out(tmp_path: Path) -> None:
    against.write_working_tree(tmp_path)
    here = Path(__file__)
    assert (tmp_path / here.relative_to(ROOT)).read_bytes() == here.read_bytes()
    assert not list(tmp_path.rglob("__pycache__"))


@pytest.mark.parametrize("revision", ["no-such-thing", "", "--all"])
def test_no_revision(revision: str) -> None:
    with pytest.raises(against.RevisionError, match="is no revision"):
        against.commit_of(revision)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["HEAD", "--only", "("], "--only '('"),
        (["HEAD", "--only", "nothing-like-it"], "no work has"),
        (["HEAD", "--rounds", "0"], "not a whole number from 1"),
        (["HEAD", "--loss", "-1"], "more than 0"),
        (["HEAD", "--json", "/nowhere/at/all.json"], "its folder does not exist"),
        (["no-such-thing"], "is no revision"),
    ],
)
def test_bad_arguments(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(sys, "argv", ["against.py", *arguments])
    try:
        code = against.main()
    except SystemExit as error:
        code = error.code
    assert code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]


def lacking_a_kernel(folder: Path) -> None:
    """A copy of the engine in which one kernel has another name."""
    package = copy_package(folder, "*.so") / "masons"
    for name in ("ai/evaluation/rewards.py", "ai/players/simple_players.py"):
        file = package / name
        text = file.read_text()
        assert "immediate_rewards" in text
        file.write_text(text.replace("immediate_rewards", "rewards_at_once"))


# What measures a tree with this checkout's benchmarks.
MEASURING = (sys.executable, "-P", "-m", "benchmarks.measuring_process")


@pytest.mark.slow
def test_what_a_revision_lacks_is_skipped(tmp_path: Path) -> None:
    lacking_a_kernel(tmp_path)
    fine, lacking = "rng.draw_below", "rewards.immediate_rewards"
    rounds = against.Comparison([f"kernel/{fine}", f"kernel/{lacking}"])
    other = against.environment(tmp_path / "cache", tmp_path, ROOT)
    with (
        against.Side(against.Tree(MEASURING, dict(os.environ))) as ours,
        against.Side(against.Tree(MEASURING, other)) as theirs,
    ):
        rounds.launch(list(rounds.rows), ours, theirs, 2)
    assert list(rounds.rows) == [f"kernel/{fine}"]
    row = rounds.rows[f"kernel/{fine}"]
    assert [len(ratios) for ratios in row.launches] == [2]
    assert all(value > 0 for value in [*row.ours, *row.theirs, *row.launches[0]])
    why = rounds.skipped[f"kernel/{lacking}"]
    assert why.startswith("there: ImportError: cannot import name 'immediate_rewards'")


def test_a_revision_without_benchmarks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(against.RevisionError, match="has no benchmarks"):
        against.installed_tree(tmp_path, tmp_path / "site", tmp_path / "cache")


def test_units_of_each_side_count() -> None:
    """A revision whose runs do twice as much in the same time is twice as fast."""

    class Told(against.Side):
        def __init__(self, units: int) -> None:
            self.units = units

        def ask(self, _name: str, *arguments: float) -> dict[str, float]:
            return {"seconds": 1.0} if len(arguments) == 1 else {"times": 5, "units": self.units}

    rounds = against.Comparison(["state/copy"])
    rounds.launch(["state/copy"], Told(10), Told(20), 1)
    assert rounds.rows["state/copy"].launches == [[2.0]]


def test_only_what_looks_lost_is_measured_again() -> None:
    rounds = against.Comparison(["kernel/rng.draw_below", "state/copy"])
    rounds.rows["kernel/rng.draw_below"].launches.extend([[1.0]] * 5)
    rounds.rows["state/copy"].launches.extend([[1.2]] * 4 + [[1.0]])
    assert rounds.doubtful(0.10) == ["state/copy"]


def test_the_exit_code_tells_a_loss(capsys: pytest.CaptureFixture[str]) -> None:
    rounds = against.Comparison(["state/copy", "state/view"])
    for name, ratio in (("state/copy", 1.0), ("state/view", 1.2)):
        row = rounds.rows[name]
        row.launches.extend([[ratio]] * 5)
        row.ours.append(ratio)
        row.theirs.append(1.0)
    verdicts = rounds.verdicts(0.10)
    assert "LOSS" in str(against.report(rounds, verdicts, "abc"))
    assert against.conclude(rounds, verdicts, True, 0.10) == 1
    assert capsys.readouterr().out == "slower by 10% or more: state/view\n"
    assert against.conclude(rounds, rounds.verdicts(0.30), True, 0.30) == 0
    assert against.conclude(against.Comparison([]), {}, True, 0.10) == 2


# ---- the page, the saved figures and the picture


def test_a_table_lines_up() -> None:
    table = Table(("what", "us"), [("`a`", "1.5"), ("long name", "1,200")])
    assert str(table).splitlines() == [
        "| what      |    us |",
        "| --------- | ----: |",
        "| `a`       |   1.5 |",
        "| long name | 1,200 |",
    ]


def test_figures_are_short() -> None:
    assert [short(x) for x in (0.123, 9.876, 12.34, 123.4, 1234567.8)] == [
        "0.12", "9.88", "12.3", "123", "1,234,568",
    ]  # fmt: skip


def test_a_section_is_replaced_and_the_rest_stays() -> None:
    begin = report.BEGIN.format("x")
    text = f"before\n{begin}\nold\n{report.END}\nafter\n"
    assert report.replaced(text, "x", "new\n") == f"before\n{begin}\nnew\n{report.END}\nafter\n"
    with pytest.raises(ValueError, match="no section"):
        report.replaced(text, "y", "new")


def test_the_page_has_all_sections() -> None:
    page = report.README.read_text(encoding="utf-8")
    parts = [name for name in report.SECTIONS if name != "suite"]
    parts += [f"suite-{name}" for name in ("players", "boards", "trees", "threads", "single")]
    for name in parts:
        assert report.replaced(page, name, "something new") != page


SAVED = sorted(suite.FOLDER.glob("*/*.json"))


def test_there_are_saved_figures() -> None:
    assert SAVED
    assert suite.newest() == max(SAVED, key=lambda path: path.name)


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.name)
def test_saved_figures(path: Path) -> None:
    baseline = suite.load(path)
    assert set(SHAPES) == set(baseline.series("board/games-busy-"))
    assert all(saved.seconds > 0 for saved in baseline.works.values())
    assert set(json.loads(path.read_text())["machine_info"]) <= {
        "cpu", "cores", "system", "python", "numba", "llvmlite", "numpy", "open_spiel",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not HAS_PLOT, reason="matplotlib is not installed")
def test_the_picture_is_drawn_from_figures_alone() -> None:
    baseline = suite.load(suite.newest())
    picture = plot.draw(baseline)
    assert "<svg" in picture
    assert plot.draw(baseline) == picture
    dearer = {name: saved._replace(seconds=3 * saved.seconds) if "tree" in name else saved
              for name, saved in baseline.works.items()}  # fmt: skip
    assert plot.draw(baseline._replace(works=dearer)) != picture


def share_below(n: int) -> float:
    """How often the bound is below the median 0 of n draws, over all patterns of their signs."""
    below = [
        lower_bound([sign * (i + 1) for i, sign in enumerate(signs)]) < 0
        for signs in product((-1, 1), repeat=n)
    ]
    return statistics.mean(below)


@pytest.mark.parametrize(("n", "place"), [(1, 0), (4, 0), (5, 0), (7, 0), (8, 1), (10, 1), (11, 2)])
def test_the_bound_is_one_of_the_lowest(n: int, place: int) -> None:
    values = [1 + i / 100 for i in range(n)]
    random.Random(n).shuffle(values)
    assert lower_bound(values) == sorted(values)[place]


@pytest.mark.parametrize("n", [5, 7, 8, 10, 11, 13])
def test_the_bound_holds_as_often_as_it_says(n: int) -> None:
    assert share_below(n) >= CONFIDENCE


@pytest.mark.parametrize("n", [8, 11, 13])
def test_no_higher_value_would_hold(n: int) -> None:
    """The next value up would be above the median more often than the confidence allows."""
    place = sorted(range(n)).index(int(lower_bound(list(range(n)))))
    above = sum(
        sorted(sign * (i + 1) for i, sign in enumerate(signs))[place + 1] > 0
        for signs in product((-1, 1), repeat=n)
    )
    assert above / 2**n > 1 - CONFIDENCE


def test_no_difference_is_no_loss() -> None:
    verdict = assess([[1.0, 0.98, 1.03]] * 5)
    assert (verdict.ratio, verdict.is_loss, verdict.is_doubtful) == (1.0, False, False)


def test_a_gain_is_no_loss() -> None:
    assert not assess([[0.5, 0.52, 0.48]] * 5).is_loss


def test_a_clear_loss() -> None:
    verdict = assess([[1.15, 1.14, 1.6], [1.13], [1.16], [1.15, 0.7, 1.2], [1.14]])
    assert verdict.is_loss
    assert verdict.ratio == 1.15
    assert verdict.low == 1.13


def test_exactly_the_loss_is_one() -> None:
    assert assess([[1.5]] * 5, loss=0.5).is_loss
    assert not assess([[1.49]] * 5, loss=0.5).is_loss


def test_one_calm_launch_makes_a_loss_doubtful() -> None:
    launches = [[1.15], [1.16], [1.14], [1.15], [1.01]]
    verdict = assess(launches)
    assert (verdict.is_loss, verdict.is_doubtful) == (False, True)
    assert assess([*launches, [1.15], [1.16], [1.14]]).is_loss


def test_two_wild_launches_are_no_loss() -> None:
    verdict = assess([[1.0], [1.01], [3.0], [2.5], [0.99]])
    assert (verdict.is_loss, verdict.is_doubtful) == (False, False)


def noisy(rng: random.Random, slower: float) -> list[list[float]]:
    """Five launches of three rounds: 4% noise from launch to launch, 8% from round to round."""
    return [
        [slower * launch * rng.lognormvariate(0, 0.08) for _ in range(3)]
        for launch in (rng.lognormvariate(0, 0.04) for _ in range(5))
    ]


def test_noise_alone_hardly_ever_fails() -> None:
    rng = random.Random(1)
    assert sum(assess(noisy(rng, 1.0)).is_loss for _ in range(4000)) <= 4


def test_a_real_loss_is_seen_or_looked_at_again() -> None:
    rng = random.Random(2)
    verdicts = [assess(noisy(rng, 1.2)) for _ in range(1000)]
    assert sum(verdict.is_loss or verdict.is_doubtful for verdict in verdicts) > 950
