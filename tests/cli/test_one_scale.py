"""One evaluator, one scale: every door says the same number. And what `analyze` says beside it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import masons
from masons.ai.review.decision_loss import rate_decision
from masons.ai.review.performance import trends
from masons.ai.search.limits import Limits
from masons.cli.reports.match_json import estimate_figures
from masons.cli.reports.match_report import _shown as shown
from masons.engine.game.record import read_record, replay_to
from masons.engine.plain_text import signed_percent
from masons.gui.pictures.review_tables import trend_words
from masons.match.statistics.estimates import Estimate
from tests.cli.conftest import Called, Told
from tests.support.paths import ROOT
from tests.support.sessions import Process

GAMES = str(ROOT / "examples" / "games.jsonl")
CONTESTED = str(ROOT / "examples" / "contested.txt")
MIDGAME = str(ROOT / "examples" / "midgame.txt")
DECISION, SIMS = 31, 1200
PLACE = f"{GAMES}@{DECISION}"
COUNTED = Limits(sims=600, rollouts=1500)

WITH_GAMES = ("--sims", "600", "--rollouts", "1500")


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
def test_every_door_says_the_same_number(told: Told) -> None:
    game = replay_to(read_record(GAMES), DECISION)
    view = game.observe(game.seat)
    analysis = masons.analyze(game.table, view, sims=SIMS, seed=0)
    best = analysis.moves[0]

    arguments = ("analyze", PLACE, "--sims", str(SIMS), "--seed", "0", "--json", "--top", "500")
    figures = json.loads(told(*arguments))["moves"]
    assert [(move["move"], move["win"]) for move in figures] == [
        (str(stats.move), pytest.approx(stats.win, abs=1e-6)) for stats in analysis.moves
    ]

    svg = ("show", PLACE, "--overlay", "analysis", "--sims", str(SIMS), "--seed", "0", "--svg", "-")
    texts = [element.text for element in ElementTree.fromstring(told(*svg)).iter() if element.text]
    assert f"{100 * best.win:.1f}" in texts

    # A search of a hint, and of a seat of `play` and of the protocol, is a session's.
    session = masons.Session(game.table, seed=0)
    assert session.analyze(view, sims=SIMS).moves[0].win == best.win


def test_every_door_says_what_the_games_say(told: Told) -> None:
    from masons.match.playing.game_words import advice
    from masons.match.playing.scored_view import ScoredView

    record = read_record(GAMES)
    game, played = replay_to(record, DECISION), replay_to(record, DECISION + 1).moves[-1]
    view = game.observe(game.seat)
    analysis = masons.analyze(game.table, view, limits=COUNTED, seed=0, also=[played])
    assert analysis.rollouts == pytest.approx(1500, abs=60)
    assert analysis.of(played).games == analysis.moves[0].games

    figures = json.loads(told("analyze", PLACE, *WITH_GAMES, "--json", "--top", "500"))
    assert figures["rollouts"] == analysis.rollouts
    assert figures["equal"] == [str(stats.move) for stats in analysis.equal]
    for move, stats in zip(figures["moves"], analysis.moves, strict=True):
        assert (move["move"], move["games"]) == (str(stats.move), stats.games)
        for name in ("win", "interval", "loss", "loss_interval", "margin_loss"):
            figure = getattr(stats, name)
            assert move[name] == (None if figure is None else pytest.approx(figure, abs=1e-6))

    text = told("analyze", PLACE, *WITH_GAMES)
    best = f"{100 * analysis.moves[0].win:.1f} ± {100 * analysis.moves[0].interval:.1f}"
    assert f"{best} % in {analysis.moves[0].games:,} games" in text
    verdict = rate_decision(game.table, view, played, COUNTED)
    error = 4 * (analysis.of(played).error or 0.0)
    assert verdict.win_played == pytest.approx(analysis.of(played).win, abs=error)
    lines = advice(ScoredView(game.table, game.view(game.seat)), analysis)
    assert f"it wins {best} %" in lines[1]


@pytest.mark.slow
def test_the_protocol_says_the_number_of_analyze(told: Told) -> None:
    arguments = ("analyze", CONTESTED, "--sims", str(SIMS), "--seed", "7", "--json")
    best = json.loads(told(*arguments))["moves"][0]
    with Process() as engine:
        position = Path(CONTESTED).read_text().splitlines()[-1]
        engine.send("isready", f"position {position}", f"go sims {SIMS} seed 7")
        *_, info, move = engine.until("bestmove")
        engine.send("go movetime 600")
        *_, with_games, _ = engine.until("bestmove")
    assert move == f"bestmove {best['move']}"
    match = re.search(r" win (\S+) score ", info)
    assert match is not None
    assert float(match[1].split(",")[1]) == pytest.approx(best["win"], abs=5e-5)
    assert " ci " not in info  # nobody knows how far a search alone is off
    match = re.search(r" ci (0\.\d+) loss 0\.0000 games (\d+)", with_games)
    assert match is not None
    assert int(match[2]) > 0


@pytest.mark.slow
def test_no_figure_is_certain(told: Told) -> None:
    text = told("analyze", MIDGAME, *WITH_GAMES)
    assert "± 0.0" not in text
    for part in ("\nwhy ", "\nnext ", "can't be told apart by these games (marked =)"):
        assert part in text
    assert "If searches of 300 iterations finished the games" in " ".join(text.split())
    assert "visits" not in text
    assert "visits" in told("analyze", MIDGAME, *WITH_GAMES, "--verbose")


def test_two_moves_are_compared(called: Called, told: Told) -> None:
    arguments = ("analyze", CONTESTED, *WITH_GAMES, "--compare", "wall:147", "wall:65")
    figures = json.loads(told(*arguments, "--json", "--top", "500"))
    (split,) = figures["why"]
    assert {split["move"], split["against"]} == {"wall:147", "wall:65"}
    assert sum(part["points"] for part in split["reasons"]) == pytest.approx(
        split["points"], abs=1e-5
    )
    assert split["words"]
    wins = {move["move"]: move["win"] for move in figures["moves"]}
    assert split["win"] == pytest.approx(wins[split["move"]] - wins[split["against"]], abs=2e-6)
    assert split["win"] >= 0
    table = told(*arguments)
    assert "together" in table
    for wrong in (("wall:147", "wall:147"), ("wall:147", "wall:4")):
        code, _, err = called("analyze", CONTESTED, "--sims", "10", "--compare", *wrong)
        assert (code != 0, "--compare" in err) == (True, True)


def test_tenths_of_the_table_sum_up(told: Told) -> None:
    text = told("analyze", CONTESTED, *WITH_GAMES, "--why")
    table = text[text.index("own cards in this turn") :]
    numbers = re.findall(r"([+-]?[0-9.]+) ± ", table)
    assert len(numbers) == 5  # own cards in three parts, the other seat, and all together
    *parts, whole = map(float, numbers)
    assert sum(parts) == pytest.approx(whole, abs=1e-6)
