"""`match --ladder` and `--floors`."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from masons.ai.search.limits import Limits
from masons.match.ladder import floor_matches, reached
from masons.match.match_summary import summary_of
from masons.match.running.match_file import read_outcomes
from masons.match.statistics.estimates import Estimate
from tests.support.commands import SECONDS, called, start, told, wait_for, whole_lines

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("compiled")]  # most use real processes

TINY = ("--games", "1", "--sims", "8")


# --- the data


@pytest.mark.parametrize(
    ("mean", "low", "word"), [(0.98, 0.97, "bound"), (0.97, 0.9, "mean"), (0.96, 0.9, "no")]
)
def test_how_a_floor_is_reached(mean: float, low: float, word: str) -> None:
    assert reached(Estimate(mean, low, 1.0), 0.97) == word


# --- the floors


@pytest.fixture(scope="module")
def floors(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, object], Path]:
    """The floors; the file of their games."""
    path = tmp_path_factory.mktemp("floors") / "floors.jsonl"
    out = told("match", "--floors", *TINY, "--json", "--out", str(path))
    return json.loads(out), path


def test_the_floors_are_those_of_their_games(floors: tuple[dict[str, object], Path]) -> None:
    figures, path = floors
    assert (figures["format"], figures["sims"], figures["ms"]) == ("masons-ladder", 8, None)
    rows = figures["floors"]
    assert isinstance(rows, list)
    outcomes = list(read_outcomes(path))
    matches = floor_matches(Limits(sims=8))
    assert [row["engines"] for row in rows] == [list(item.names) for _, item in matches]
    for row, (floor, settings) in zip(rows, matches, strict=True):
        games = [item for item in outcomes if item.settings == settings.fingerprint()]
        assert row["games"] == len(games) == settings.players
        firsts = [item.first_shares[item.engines.index(0)] for item in games]
        assert row["first"]["mean"] == pytest.approx(sum(firsts) / len(games), abs=1e-6)
        assert row["fair"] == pytest.approx(1 / settings.players, abs=1e-6)
        line = summary_of(settings, [games], None).engines[0]
        assert row["lead"]["mean"] == pytest.approx(line.margin.mean, abs=1e-6)
        assert row["reached"] == reached(line.first, floor.share)
        assert (row["lead_reached"] is None) == (floor.margin is None)
    assert len(outcomes) == sum(row["games"] for row in rows)


def test_floors_gone_on_with_are_as_if_never_stopped(
    floors: tuple[dict[str, object], Path], tmp_path: Path
) -> None:
    """Stopped in the third match, in the middle of a line."""
    figures, whole = floors
    path = tmp_path / "floors.jsonl"
    lines = whole.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:6]) + lines[6][:300])
    arguments = ("--floors", *TINY, "--out", str(path), "--resume")
    code, out, err = called("match", *arguments, "--json")
    assert code == 0, err
    assert "6 games played before" in err
    assert json.loads(out) == figures
    assert path.read_bytes().count(b"\n") == len(lines)
    # Now nothing is left to be played, and the table is for people.
    code, out, err = called("match", *arguments)
    assert code == 0, err
    assert f"{len(lines)} games played before" in err
    assert "3 ismcts:policy=uniform,sims=8" in out
    assert "40 points" in out
    assert out.count("53 %") == 4


def test_other_floors_are_refused(floors: tuple[dict[str, object], Path], tmp_path: Path) -> None:
    path = tmp_path / "floors.jsonl"
    path.write_bytes(floors[1].read_bytes())
    words = ("--floors", *TINY, "--out", str(path), "--resume", "--seed", "1")
    code, out, err = called("match", *words)
    assert (code, out, err.count("\n")) == (1, "", 1), err
    assert "seed 0, not 1" in err
    assert path.read_bytes() == floors[1].read_bytes()


# --- all against all


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The table; the file of its games."""
    path = tmp_path_factory.mktemp("standing") / "ladder.jsonl"
    return told("match", "--ladder", *TINY, "--out", str(path)), path


def test_all_against_all(standing: tuple[str, Path], tmp_path: Path) -> None:
    table = standing[0]
    path = tmp_path / "ladder.jsonl"
    path.write_bytes(standing[1].read_bytes())
    assert table.startswith("42 games in 21 blocks, 2 players, seed 0\n")
    assert "rating" in table
    assert "placed before, %" in table
    # The same by other processes.
    assert told("match", "--ladder", *TINY, "--concurrency", "2") == table
    figures = json.loads(told("match", "--ladder", *TINY, "--out", str(path), "--resume", "--json"))
    names = [engine["name"] for engine in figures["match"]["engines"]]
    cross = figures["cross"]
    for a in range(7):
        assert cross[a][a] is None
        means = [cell["mean"] for cell in cross[a] if cell]
        assert sum(means) / 6 == pytest.approx(
            figures["match"]["engines"][a]["first"]["mean"], abs=1e-5
        )
        for b in range(a):
            assert cross[a][b]["mean"] + cross[b][a]["mean"] == pytest.approx(1)
    ratings = [engine["rating"]["mean"] for engine in figures["match"]["engines"]]
    ranked = sorted(zip(ratings, names, strict=True), reverse=True)
    order = [line.split()[1] for line in table.splitlines() if line[:1].isdigit()][1:]
    assert [ratings[names.index(name)] for name in order[:7]] == [item for item, _ in ranked]
    assert order[7:] == order[:7]
    # It is a match, which `match` can go on with.
    resumed = ("--games", "42", "--seed", "0", "--out", str(path), "--resume", "--json")
    code, out, err = called("match", *names, *resumed)
    assert code == 0, err
    assert "42 games played before" in err
    assert json.loads(out) == figures["match"]


@pytest.mark.parametrize(
    ("kind", "games"),
    [(("--ladder", "--players", "3"), 6), (("--floors",), 2)],
    ids=["all", "floors"],
)
def test_ctrl_c_shows_what_was_played(tmp_path: Path, kind: tuple[str, ...], games: int) -> None:
    """After two blocks, which are of so many games, and one more."""
    path = tmp_path / "ladder.jsonl"
    words = ("--games", "100000", "--sims", "8", "--out", str(path), "--json")
    process = start("match", *kind, *words)
    wait_for(lambda: whole_lines(path) > 2 * games)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    figures = json.loads(out)
    (entries,) = figures["floors"] if "floors" in figures else [figures["match"]]
    assert entries["games"] == games * entries["blocks"] >= 2 * games
    assert "interrupted after" in err
    assert "Traceback" not in err
