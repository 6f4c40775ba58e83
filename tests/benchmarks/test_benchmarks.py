"""The benchmarks run, and say what they could not do. No time is judged."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
import shutil
import statistics
import sys
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from benchmarks import against, compare, measuring, plot, report, suite, works
from benchmarks.against import CONFIDENCE, assess, lower_bound
from benchmarks.positions import SHAPES, strips_board
from masons.engine.board.geometry import Board, load_board
from tests.support.commands import run_python
from tests.support.package_copy import copy_package
from tests.support.paths import ROOT

HAS_SPIEL = importlib.util.find_spec("pyspiel") is not None
HAS_PLOT = importlib.util.find_spec("matplotlib") is not None
HAS_GIT = shutil.which("git") is not None and (ROOT / ".git").exists()


# ---- the workloads


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


@pytest.mark.parametrize("spaces", SHAPES)
def test_boards_are_sound(spaces: int, tmp_path: Path) -> None:
    board, file = strips_board(spaces), tmp_path / "board.json"
    assert len(board.space_lines) == spaces
    assert set(board.space_region) == {1, 2, 3}
    assert 0 < sum(board.tower_shore) < len(board.tower_shore)
    file.write_text(board.to_json())
    assert load_board(file) == board


def test_the_board_of_104_has_the_shape_of_classic() -> None:
    def shape(board: Board) -> list[object]:
        return [board.tower_xy, board.tower_shore, board.space_towers, board.line_spaces]

    assert shape(strips_board(104)) == shape(load_board("classic"))


def test_a_board_as_text() -> None:
    out = run_python("-m", "benchmarks.positions", "24").stdout
    assert Board.from_dict(json.loads(out)) == strips_board(24)


# ---- how it is measured


def test_times_grow_until_they_can_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.measuring.timed", lambda _run, times: 0.001 * times)
    assert measuring.times_for(lambda: None, 0.5) == 500


def test_all_take_turns_in_both_orders() -> None:
    calls: list[tuple[str, int]] = []

    def measure(name: str, number: int) -> int:
        calls.append((name, number))
        return len(calls)

    results = measuring.in_turn({name: partial(measure, name) for name in "abc"}, 3)
    assert calls == [(name, i) for i, names in enumerate(("abc", "cba", "abc")) for name in names]
    assert results == {"a": [1, 6, 7], "b": [2, 5, 8], "c": [3, 4, 9]}


def test_a_table_lines_up() -> None:
    table = measuring.Table(("what", "us"), [("`a`", "1.5"), ("long name", "1,200")])
    assert str(table).splitlines() == [
        "| what      |    us |",
        "| --------- | ----: |",
        "| `a`       |   1.5 |",
        "| long name | 1,200 |",
    ]


def test_figures_are_short() -> None:
    assert [measuring.short(x) for x in (0.123, 9.876, 12.34, 123.4, 1234567.8)] == [
        "0.12", "9.88", "12.3", "123", "1,234,568",
    ]  # fmt: skip
    assert measuring.delay_cells([3.0, 1.0, 2.0]) == ("3", "2.0", "3.0", "3.0")
    assert measuring.quantile(range(1, 101), 95) == 95


# ---- beside a C program and OpenSpiel


def test_the_ratio_is_the_median_of_rounds_and_counts_decisions() -> None:
    def side(*rates: float) -> Callable[[int], compare.Rate]:
        return lambda number: compare.Rate(rates[number], 5.0 * rates[0])

    pairing = compare.Pairing("them", "games", side(2.0, 30.0, 8.0), side(1.0, 3.0, 2.0))
    (outcome,) = compare.run_pairings([pairing], 3)
    assert (outcome.ours, outcome.theirs) == ([2.0, 30.0, 8.0], [1.0, 3.0, 2.0])
    assert outcome.decisions == (10.0, 5.0)
    assert outcome.ratio == 4.0
    assert outcome.by_decision == 8.0


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], str]:
    """Write a script that stands in for the C program; return its path."""

    def write(text: str) -> str:
        file = tmp_path / "limit"
        file.write_text(f"#!{sys.executable}\n{text}\n")
        file.chmod(0o755)
        return str(file)

    return write


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "code", "said"),
    [
        ("", 0, "C program skipped: MASONS_LIMIT names none\n"),
        ("/nowhere/limit", 1,
         "compare.py: MASONS_LIMIT is /nowhere/limit, which is no program\n"),
    ],
)  # fmt: skip
def test_a_c_program_that_is_not_there(path: str, code: int, said: str) -> None:
    line = ("-m", "benchmarks.compare", "--only", "limit", "--rounds", "1")
    done = run_python(*line, code=code, **{compare.VARIABLE: path})
    assert (done.stdout, done.stderr) == ("", said)


@pytest.mark.slow
def test_beside_a_c_program(program: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = program(
        "import json, sys\n"
        'unit = "game" if sys.argv[1] == "bench" else "playout"\n'
        'print(json.dumps({unit + "s_per_s": 1000, "decisions_per_" + unit: 50}))'
    )
    monkeypatch.setenv(compare.VARIABLE, path)
    monkeypatch.setattr(compare, "POSITIONS", 2)
    outcomes = compare.run_pairings(compare.pairings("limit", 10, 10), 1)
    assert len(outcomes) == 12
    assert all(o.theirs == [1000.0] and o.ours[0] > 0 and o.ratio > 0 for o in outcomes)
    assert all(o.decisions[1] == 50.0 and 1 < o.decisions[0] < 400 for o in outcomes)
    assert "full games, busy, 3 players" in [outcome.cells[1] for outcome in outcomes]
    told = json.loads(compare.as_json(outcomes))
    assert told["rows"][0]["ours"] == outcomes[0].ours
    assert set(told) == {"date", "revision", "machine", "rows"}


def test_a_program_without_figures_is_an_error(program: Callable[[str], str]) -> None:
    side = compare.program_rates(program("print('hello')"), "bench", "busy", 2, 1)
    with pytest.raises(ChildProcessError, match="printed no figures"):
        side(0)


def test_no_open_spiel_is_skipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compare, "pyspiel", None)
    assert compare.pairings("openspiel", 1, 1) == []
    assert capsys.readouterr().err == "OpenSpiel skipped: pip install open_spiel\n"


@pytest.mark.skipif(not HAS_SPIEL, reason="open_spiel is not installed")
def test_beside_open_spiel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "SECONDS", 0.001)
    monkeypatch.setattr(compare, "COUNTED", 2)
    outcomes = compare.run_pairings(compare.openspiel_pairings(20), 1)
    assert len(outcomes) == 4 * len(compare.GAMES)
    assert all(o.ours[0] > 0 and o.theirs[0] > 0 for o in outcomes)
    assert all(1 <= decisions < 1500 for o in outcomes for decisions in o.decisions)


# ---- against a revision


@pytest.mark.slow
@pytest.mark.skipif(not HAS_GIT, reason="no git repository")
def test_trees_are_written_out(tmp_path: Path) -> None:
    against.write_tree(tmp_path / "commit", against.commit_of("HEAD"))
    assert (tmp_path / "commit" / "masons" / "engine" / "rules" / "transitions.py").is_file()
    against.write_tree(tmp_path / "tree", None)
    here = Path(__file__)
    assert (tmp_path / "tree" / here.relative_to(ROOT)).read_bytes() == here.read_bytes()
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


@pytest.mark.slow
def test_what_a_revision_lacks_is_skipped(tmp_path: Path) -> None:
    """Beside a copy of the engine in which one function has another name."""
    file = copy_package(tmp_path, "*.so") / "masons" / "ai" / "review" / "luck.py"
    text = file.read_text()
    assert "def luck_of_game(" in text
    file.write_text(text.replace("luck_of_game", "game_luck"))
    fine, lacking = "text/position-in", "review/luck"
    command = (sys.executable, "-P", "-m", "benchmarks.measuring_process")
    comparison = against.Comparison([fine, lacking])
    our_environment, their_environment = (
        dict(os.environ),
        against.environment(tmp_path / "cache", tmp_path, ROOT),
    )
    with (
        against.MeasuringProcess(against.InstalledTree(command, our_environment)) as ours,
        against.MeasuringProcess(against.InstalledTree(command, their_environment)) as theirs,
    ):
        comparison.launch([fine, lacking], ours, theirs, 2)
    assert list(comparison.rows) == [fine]
    row = comparison.rows[fine]
    assert [len(ratios) for ratios in row.launches] == [2]
    assert all(value > 0 for value in [*row.ours, *row.theirs, *row.launches[0]])
    why = comparison.skipped[lacking]
    assert why.startswith("there: ImportError: cannot import name 'luck_of_game'")


def test_a_revision_without_benchmarks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(against.RevisionError, match="has no benchmarks"):
        against.installed_tree(tmp_path, tmp_path / "site", tmp_path / "cache")


def test_units_of_each_side_count() -> None:
    """A revision whose runs do twice as much in the same time is twice as fast."""

    class Told(against.MeasuringProcess):
        def __init__(self, units: int) -> None:
            self.units = units

        def ask(self, _name: str, *arguments: float) -> dict[str, float]:
            return {"seconds": 1.0} if len(arguments) == 1 else {"times": 5, "units": self.units}

    comparison = against.Comparison(["text/position-in"])
    comparison.launch(["text/position-in"], Told(10), Told(20), 1)
    assert comparison.rows["text/position-in"].launches == [[2.0]]


def test_only_what_looks_lost_is_measured_again_and_the_exit_code_tells_a_loss(
    capsys: pytest.CaptureFixture[str],
) -> None:
    comparison = against.Comparison(["text/position-in", "review/luck"])
    for name, ratios in (("text/position-in", [1.0] * 5), ("review/luck", [1.2] * 4 + [1.0])):
        row = comparison.rows[name]
        row.launches.extend([ratio] for ratio in ratios)
        row.ours.append(ratios[0])
        row.theirs.append(1.0)
    assert comparison.doubtful(0.10) == ["review/luck"]
    comparison.rows["review/luck"].launches[-1] = [1.2]
    verdicts = comparison.verdicts(0.10)
    assert "LOSS" in str(against.report(comparison, verdicts, "abc"))
    assert against.conclude(comparison, verdicts, True, 0.10) == 1
    assert capsys.readouterr().out == "slower by 10% or more: review/luck\n"
    assert against.conclude(comparison, comparison.verdicts(0.30), True, 0.30) == 0
    assert against.conclude(against.Comparison([]), {}, True, 0.10) == 2


@pytest.mark.parametrize("n", [5, 7, 8, 10, 11, 13])
def test_the_bound_holds_as_often_as_it_says_and_no_higher_value_would(n: int) -> None:
    """Over all patterns of the signs of n draws around the median 0."""
    draws = [[sign * (i + 1) for i, sign in enumerate(s)] for s in product((-1, 1), repeat=n)]
    assert statistics.mean(lower_bound(values) < 0 for values in draws) >= CONFIDENCE
    place = int(lower_bound(list(range(n))))
    above = statistics.mean(sorted(values)[place + 1] > 0 for values in draws)
    assert n < 8 or above > 1 - CONFIDENCE


@pytest.mark.parametrize(
    ("launches", "loss", "is_loss", "is_doubtful"),
    [
        ([[1.0, 0.98, 1.03]] * 5, 0.1, False, False),
        ([[0.5, 0.52, 0.48]] * 5, 0.1, False, False),
        ([[1.15, 1.14, 1.6], [1.13], [1.16], [1.15, 0.7, 1.2], [1.14]], 0.1, True, False),
        ([[1.5]] * 5, 0.5, True, False),  # exactly the loss
        ([[1.49]] * 5, 0.5, False, False),
        ([[1.15], [1.16], [1.14], [1.15], [1.01]], 0.1, False, True),  # one calm launch
        ([[1.15], [1.16], [1.14], [1.15], [1.01], [1.15], [1.16], [1.14]], 0.1, True, False),
        ([[1.0], [1.01], [3.0], [2.5], [0.99]], 0.1, False, False),  # two wild launches
    ],
)
def test_verdicts(
    launches: list[list[float]], loss: float, is_loss: bool, is_doubtful: bool
) -> None:
    verdict = assess(launches, loss)
    assert (verdict.is_loss, verdict.is_doubtful) == (is_loss, is_doubtful)


@pytest.mark.parametrize(("slower", "least", "most"), [(1.0, 0.0, 0.001), (1.2, 0.95, 1.0)])
def test_noise_alone_hardly_ever_fails_and_a_real_loss_is_seen(
    slower: float, least: float, most: float
) -> None:
    """With 4% noise from launch to launch and 8% from round to round."""
    rng, noticed = random.Random(1), []
    for _ in range(2000):
        launches = [rng.lognormvariate(0, 0.04) for _ in range(5)]
        ratios = [
            [slower * launch * rng.lognormvariate(0, 0.08) for _ in range(3)] for launch in launches
        ]
        verdict = assess(ratios)
        noticed.append(verdict.is_loss or (slower > 1 and verdict.is_doubtful))
    assert least <= statistics.mean(noticed) <= most


# ---- the page, the saved figures and the picture


def test_a_section_is_replaced_and_the_rest_stays() -> None:
    begin = report.BEGIN.format("x")
    text = f"before\n{begin}\nold\n{report.END}\nafter\n"
    assert report.replaced(text, "x", "new\n") == f"before\n{begin}\nnew\n{report.END}\nafter\n"
    with pytest.raises(ValueError, match="no section"):
        report.replaced(text, "y", "new")


def test_the_page_has_all_sections_and_shows_works_that_there_are() -> None:
    """Else measure the section again: `python -m benchmarks.report --only suite`."""
    page = report.README.read_text(encoding="utf-8")
    parts = [name for name in report.SECTIONS if name != "suite"]
    parts += [f"suite-{name}" for name in suite.tables(suite.load(suite.newest()))]
    for name in parts:
        assert report.replaced(page, name, "something new") != page
    section = page.partition(report.BEGIN.format("suite-single"))[2].partition(report.END)[0]
    names = re.findall(r"^\| `([^`]+)`", section, re.M)
    assert len(names) > 5
    assert [name for name in names if name not in works.WORKS] == []


@pytest.mark.slow
def test_a_section_is_the_output_of_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    command = "python -m benchmarks.positions 24"
    monkeypatch.setitem(report.COMMANDS, "before", command)
    (body,) = report.section("before", 1, "").values()
    assert body.startswith(f"`{command}`, 20")
    assert '"strips-24"' in body


def test_saved_figures() -> None:
    saved = sorted(suite.FOLDER.glob("*/*.json"))
    assert suite.newest() == max(saved, key=lambda path: path.name)
    for path in saved:
        baseline = suite.load(path)
        assert set(SHAPES) == set(baseline.series("board/games-busy-"))
        assert all(figure.seconds > 0 for figure in baseline.works.values())
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
