"""Surveys of first walls: the same however they are played, and what is read off them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from masons.ai.openings import survey as surveys
from masons.ai.openings.first_walls import card_gains, first_walls, shrunk
from masons.ai.openings.survey import Survey, WallSums
from masons.ai.openings.survey_file import (
    BUNDLED,
    SurveyFile,
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


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make surveys short: three walls are left, to be known to a fifth of a victory."""
    for name, value in {"FINALISTS": 3, "HALF_WIDTH": 0.2, "_WORLDS": 8, "_BATCH": 4}.items():
        monkeypatch.setattr(surveys, name, value)


@pytest.mark.usefixtures("small")
def test_a_survey_is_the_same_however_it_is_played(tmp_path: Path) -> None:
    straight = Survey(BOARD, 2, 3, 7)
    straight.play(1, lambda: True)
    assert straight.is_done
    assert len(straight.lines) == 3
    name = str(tmp_path / "survey.json")
    file = SurveyFile(name, BOARD, 2, 3, 7)
    while not file.survey.is_done:  # with two threads, stopped after each few games and read again
        file.survey.play(2, lambda: False)
        file.save()
        file.close()
        file = SurveyFile(name, BOARD, 2, 3, 7)
    file.close()
    assert format_survey(file.survey) == format_survey(straight)


@pytest.mark.usefixtures("small")
def test_a_survey_names_what_it_is_of(tmp_path: Path) -> None:
    name = str(tmp_path / "survey.json")
    file = SurveyFile(name, BOARD, 2, 3, 7)
    file.survey.play(1, lambda: False)
    file.save()
    with pytest.raises(MasonsError, match="is being written by"):
        SurveyFile(name, BOARD, 2, 3, 7)
    file.close()
    with pytest.raises(MasonsError, match="has seed 7, not 8"):
        SurveyFile(name, BOARD, 2, 3, 8)
    with pytest.raises(MasonsError, match="a survey of the board 'hexagon-24', not of 'classic'"):
        SurveyFile(name, load_board("classic"), 2, 3, 7)
    with pytest.raises(MasonsError, match="not come to its last walls"):
        first_walls(file.survey)


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
    survey = Survey(BOARD, 2, 3, 7)
    survey.lines, survey.sums = [0, 5, 9], WallSums(3)
    hands = [rng.choice(KINDS, 6) for _ in range(600)]
    shares = rng.random((600, 3)) + np.array([0.0, 0.3, 0.1])
    shares[[4 in hand for hand in hands], 2] += 0.6  # who holds card 4 does better with wall 9
    for hand, games in zip(hands, shares, strict=True):
        survey.sums.add(list(hand), games, games * 10)
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
    assert with_card[0].win_error > walls[1].win_error  # what the card adds is not known exactly
    with pytest.raises(MasonsError, match="names of cards"):
        first_walls(survey, ["city-purple"])


@pytest.mark.usefixtures("small")
def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(surveys, "HALF_WIDTH", 0.4)
    name, board = str(tmp_path / "survey.json"), str(BOARDS / "hexagon-24.json")
    making = ["openings", name, "--survey", "--board", board, "--sims", "2", "--players", "3"]
    assert run(making) == 0
    first = capsys.readouterr()
    assert first.out.startswith("First walls on hexagon-24, 3 players")
    assert run(["openings", name, "--board", board, "--json", "--top", "2"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["players"], data["simulations"], len(data["walls"])) == (3, 2, 2)
    assert data["walls"][0].keys() >= {"line", "win", "win_error", "equal", "regions", "edge"}
    assert run([*making, "--sims", "3"]) == 1
    assert "its survey has simulations 2, not 3" in capsys.readouterr().err
    monkeypatch.undo()  # the survey that comes along has more walls
    assert run(["openings", "--players", "2", "--hand", "land-shore+cities"]) == 0
    assert "50 %" in capsys.readouterr().out


@pytest.mark.parametrize("players", BUNDLED)
def test_the_surveys_that_come_along_are_done(players: int) -> None:
    survey = bundled_survey(players)
    walls = first_walls(survey)
    assert survey.is_done
    assert len(walls) == 20
    assert [wall.win for wall in walls] == sorted((wall.win for wall in walls), reverse=True)
    assert max(wall.win_error for wall in walls) <= 0.01
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
