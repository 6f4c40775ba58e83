"""Surveys of first walls: what is read off them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.openings import add_world
from masons.ai.openings.first_walls import card_gains, first_walls, shrunk
from masons.ai.openings.survey import Survey, WallSums
from masons.ai.openings.survey_file import (
    BUNDLED,
    bundled_survey,
    format_survey,
    parse_survey,
)
from masons.cli.main import run
from masons.engine.board.components import CARDS, KINDS
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from tests.support.paths import BOARDS

BOARD = load_board(str(BOARDS / "hexagon-24.json"))


@pytest.mark.parametrize(
    ("field", "value"),
    [("players", 5), ("lines", [1, 1, 2]), ("lines", [9999]), ("worlds", -1), ("wins", [1.0]),
     ("held", None), ("simulations", -1), ("margins", "none")],
)  # fmt: skip
def test_a_damaged_survey_is_refused(field: str, value: object) -> None:
    data = json.loads(format_survey(bundled_survey(2)))
    text = json.dumps({**data, field: value})
    with pytest.raises(MasonsError, match="its survey of first walls is damaged"):
        parse_survey(text, load_board("classic"))


def test_figures_are_those_of_the_games() -> None:
    rng = np.random.default_rng(1)
    survey = Survey(BOARD, 2, 3, 7, [0, 5, 9], WallSums(3))
    hands = [rng.choice(KINDS, 6) for _ in range(600)]
    shares = rng.random((600, 3)) + np.array([0.0, 0.3, 0.1])
    shares[[4 in hand for hand in hands], 2] += 0.6  # who holds card 4 does better with wall 9
    for hand, games in zip(hands, shares, strict=True):
        add_world(survey.sums, list(hand), games, games * 10)
    walls = first_walls(survey)
    assert [wall.line for wall in walls] == [5, 9, 0]
    columns = shares[:, [1, 2, 0]]
    assert [wall.win for wall in walls] == pytest.approx(columns.mean(axis=0))
    errors = 1.96 * (columns - columns[:, :1]).std(axis=0, ddof=1) / np.sqrt(600)
    assert [wall.loss_error for wall in walls] == pytest.approx(errors, abs=1e-9)
    assert [wall.is_equal for wall in walls] == [True, False, False]
    has_card = np.array([4 in hand for hand in hands])
    gains = shares - shares.mean(axis=1)[:, None]
    expected = gains[has_card].mean(axis=0) - gains[~has_card].mean(axis=0)
    assert card_gains(survey)[0][4] == pytest.approx(expected)
    assert walls[1].cards[0][0] == CARDS[4]
    with_card = first_walls(survey, [CARDS[4]])
    assert with_card[0].line == 9
    assert {(wall.win, wall.win_error, wall.margin) for wall in with_card} == {(None,) * 3}
    moved = with_card[1]
    before = walls[0].loss - walls[1].loss  # negative
    expected_change = shrunk(*card_gains(survey))[0][4]
    assert with_card[0].loss == 0
    assert moved.loss == pytest.approx(before + expected_change[2] - expected_change[1])
    assert moved.loss_error > walls[1].loss_error  # what the card adds is not known exactly
    with pytest.raises(MasonsError, match="names of cards"):
        first_walls(survey, ["city-purple"])


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path := tmp_path / "survey.json").write_text(format_survey(bundled_survey(3)))
    assert run(["openings", str(path), "--json", "--top", "2"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["players"], len(data["walls"])) == (3, 2)
    assert data["walls"][0].keys() >= {"line", "win", "win_error", "equal", "regions", "edge"}
    board = str(BOARDS / "hexagon-24.json")
    assert run(["openings", str(path), "--board", board]) == 1
    assert "a survey of the board 'classic', not of 'hexagon-24'" in capsys.readouterr().err
    assert run(["openings", "--players", "2", "--hand", "land-shore+cities"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "First walls on classic, 2 players, with Shore towers and Completed cities: how much"
    )
    assert "loss" in out
    assert not any(
        word in out for word in ("win %", "fair", "points")
    )  # the hand's level is unknown
    assert run(["openings", "--hand", "shore towers+cities", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["hand"] == ["land-shore", "cities"]
    assert all(wall["win"] is wall["margin"] is None for wall in data["walls"])
    assert run(["openings", "--players", "2"]) == 0
    assert "wins (fair 50 %)" in capsys.readouterr().out


def test_a_survey_in_the_making_is_not_listed() -> None:
    survey = Survey(BOARD, 2, 3, 7, list(range(50)), WallSums(50))
    with pytest.raises(MasonsError, match="not come to its last walls"):
        first_walls(survey)


@pytest.mark.parametrize("players", BUNDLED)
def test_the_surveys_that_come_along_are_done(players: int) -> None:
    survey = bundled_survey(players)
    walls = first_walls(survey)
    assert survey.is_final
    assert len(walls) == 20
    assert [wall.loss for wall in walls] == sorted(wall.loss for wall in walls)
    assert max(wall.win_error or 1.0 for wall in walls) <= 0.01
    assert walls[0].is_equal
    assert {region for wall in walls for region in wall.regions} <= {1, 2, 3}


def test_gains_are_shrunk_as_far_as_they_are_noise() -> None:
    rng = np.random.default_rng(2)
    true = rng.normal(0, 0.02, (30, 20))
    measured = true + rng.normal(0, 0.01, (30, 20))
    gains, variances = shrunk(measured, np.full((30, 20), 0.01))
    assert ((gains - true) ** 2).mean() < ((measured - true) ** 2).mean()
    assert ((gains - true) ** 2).mean() == pytest.approx(variances.mean(), rel=0.15)
    nothing, _ = shrunk(rng.normal(0, 0.01, (30, 20)), np.full((30, 20), 0.011))
    assert not nothing.any()
