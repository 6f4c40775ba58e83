"""One evaluator, one scale: every door says the same number. And what `analyze` says beside it."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest

import masons
from masons.ai.review.decision_loss import rate_decision
from masons.ai.review.several_games import trends
from masons.ai.search.limits import Limits
from masons.cli.main import run
from masons.cli.reports.match_json import estimate_figures
from masons.cli.reports.match_report import shown
from masons.engine.game.record import read_record, replay_to
from masons.engine.plain_words import signed_percent
from masons.match.statistics.estimate import Estimate
from masons.pictures.review.review_tables import trend_words
from tests.support.paths import ROOT
from tests.support.sessions import Process

GAMES = str(ROOT / "examples" / "games.jsonl")
DECISION, SIMS = 31, 1200
PLACE = f"{GAMES}@{DECISION}"


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(list(arguments)) == 0
    return capsys.readouterr().out


def test_no_figure_is_minus_zero() -> None:
    none = Estimate(-0.004, -0.004, 0.004, 9)
    figures = dict.fromkeys(("mean_loss", "error", "points_lost", "points_error"), -1e-9)
    player = {"decisions": 1, **figures, "kinds": {"walls": {"points": -1e-9}}}
    review = {"names": ["Ann"], "players": [player], "accounts": [{"share": 0.0, "luck": -1e-9}],
              "decisions": []}  # fmt: skip
    texts = [
        shown(none),
        trend_words({"mean": -1e-9, "error": 1e-9}),
        signed_percent(-0.0004),
        json.dumps(estimate_figures(Estimate(-1e-9, -1e-9, 1e-9, 9))),
        json.dumps(trends([(0, review)])),
    ]  # fmt: skip
    for text in texts:
        assert not re.search(r"[-\u2212]0(\.0+)?(?![.\d])", text), text


@pytest.mark.slow
def test_every_door_says_the_same_number(capsys: pytest.CaptureFixture[str]) -> None:
    record = read_record(GAMES)
    game = replay_to(record, DECISION)
    played = replay_to(record, DECISION + 1).moves[-1]
    view = game.observe(game.seat)

    analysis = masons.analyse(game.table, view, sims=SIMS, seed=0, also=[played])
    best, there = analysis.moves[0], analysis.of(played)

    arguments = ("analyze", PLACE, "--sims", str(SIMS), "--seed", "0", "--json", "--top", "500")
    told = {move["move"]: move for move in json.loads(said(capsys, *arguments))["moves"]}
    assert told[str(best.move)]["win"] == pytest.approx(best.win, abs=1e-6)
    assert told[str(played)]["win"] == pytest.approx(there.win, abs=1e-6)

    limits = Limits(sims=SIMS, rollouts=2000, seed=0)
    verdict = rate_decision(game.table, view, played, limits)
    measured = masons.analyse(game.table, view, limits=limits, also=[played]).of(played)
    assert measured.win == pytest.approx(verdict.win_played, abs=4 * (measured.error or 0.0))

    svg = ("show", PLACE, "--overlay", "analysis", "--sims", str(SIMS), "--seed", "0", "--svg", "-")
    texts = [one.text for one in ElementTree.fromstring(said(capsys, *svg)).iter() if one.text]
    assert f"{100 * best.win:.1f}" in texts

    # A search of a hint, and of a seat of `play` and of the protocol, is a session's.
    session = masons.Session(game.table, seed=0)
    assert session.analyse(view, sims=SIMS).moves[0].win == best.win


@pytest.mark.slow
def test_the_protocol_says_the_number_of_analyze(capsys: pytest.CaptureFixture[str]) -> None:
    place = ROOT / "examples" / "contested.txt"
    arguments = ("analyze", str(place), "--sims", str(SIMS), "--seed", "7", "--json")
    best = json.loads(said(capsys, *arguments))["moves"][0]
    with Process() as engine:
        position = place.read_text().splitlines()[-1]
        engine.send("isready", f"position {position}", f"go sims {SIMS} seed 7")
        *_, info, move = engine.until("bestmove")
    assert move == f"bestmove {best['move']}"
    found = re.search(r" win (\S+) score \S+ se \S+ ci (\S+) loss", info)
    assert found is not None
    assert float(found[1].split(",")[1]) == pytest.approx(best["win"], abs=5e-5)
    assert float(found[2]) == pytest.approx(best["interval"], abs=5e-5)


def test_a_hint_is_the_analysis() -> None:
    from masons.match.playing.advice import advice
    from masons.match.playing.scored_view import ScoredView

    game = masons.Game(2, seed=3)
    found = masons.analyse(game.table, game.observe(0), sims=SIMS, seed=0)
    lines = advice(ScoredView(game.table, game.view(0)), found)
    assert f"it wins {100 * found.moves[0].win:.1f} ± " in lines[1]


def test_no_figure_is_certain(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "analyze", str(ROOT / "examples" / "midgame.txt"), "--sims", "4000")
    assert "± 0.0" not in text
    assert "are equal within ±" in text
    assert "\nwhy " in text
    assert "\nnext " in text
    assert "visits" not in text
    assert "visits" in said(
        capsys, "analyze", str(ROOT / "examples" / "midgame.txt"), "--sims", "200", "--verbose"
    )


def test_two_moves_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    place = str(ROOT / "examples" / "contested.txt")
    arguments = ("analyze", place, "--sims", "2000", "--compare", "wall:147", "wall:65")
    found = json.loads(said(capsys, *arguments, "--json"))["why"]
    (one,) = found
    assert (one["move"], one["against"]) == ("wall:147", "wall:65")
    assert sum(part["win"] for part in one["parts"]) == pytest.approx(one["win"], abs=1e-5)
    assert one["words"]
    table = said(capsys, *arguments)
    assert "together" in table
    for wrong in (("wall:147", "wall:147"), ("wall:147", "wall:4")):
        assert run(["analyze", place, "--sims", "10", "--compare", *wrong]) != 0
        assert "--compare" in capsys.readouterr().err


def test_tenths_of_the_table_sum_up(capsys: pytest.CaptureFixture[str]) -> None:
    place = str(ROOT / "examples" / "contested.txt")
    text = said(capsys, "analyze", place, "--sims", "2000", "--why")
    table = text[text.index("own cards in this turn") :]
    rows = re.findall(r"([+-][0-9.]+) ± \S+ +([+-][0-9.]+) ± ", table)
    assert len(rows) == 7
    for column in zip(*rows, strict=True):
        *parts, whole = map(float, column)
        assert sum(parts) == pytest.approx(whole, abs=1e-6)
