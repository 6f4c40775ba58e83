"""The making of surveys of first walls: the same however they are played."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import openings
from benchmarks.openings import new_survey, play, survey_into
from masons.ai.openings import survey as surveys
from masons.ai.openings.survey_file import format_survey, read_survey
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from masons.engine.storage.held_file import HeldFile
from tests.support.paths import BOARDS

BOARD = load_board(str(BOARDS / "hexagon-24.json"))


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make surveys short: three walls are left, to be known to a fifth of a victory."""
    for module in (openings, surveys):
        monkeypatch.setattr(module, "FINALISTS", 3)
    for name, value in {"HALF_WIDTH": 0.2, "WORLDS": 8, "BATCH": 4}.items():
        monkeypatch.setattr(openings, name, value)


def test_a_survey_is_the_same_however_it_is_played(tmp_path: Path) -> None:
    straight = new_survey(BOARD, 2, 3, 7)
    play(straight, 1, lambda: True)
    assert openings.is_done(straight)
    assert len(straight.lines) == 3
    begun = new_survey(BOARD, 2, 3, 7)
    for _ in range(3):  # with two threads, stopped after each few games
        play(begun, 2, lambda: False)
    assert not openings.is_done(begun)
    (path := tmp_path / "survey.json").write_text(format_survey(begun))
    survey_into(str(path), new_survey(BOARD, 2, 3, 7), 2)
    assert path.read_text() == format_survey(straight)
    assert read_survey(str(path), BOARD).is_final


def test_other_surveys_are_refused(tmp_path: Path) -> None:
    (path := tmp_path / "survey.json").write_text(format_survey(new_survey(BOARD, 2, 3, 7)))
    held = HeldFile(str(path), "any")
    with pytest.raises(MasonsError, match="is being written by"):
        survey_into(str(path), new_survey(BOARD, 2, 3, 7), 1)
    held.close()
    with pytest.raises(MasonsError, match="has seed 7, not 8"):
        survey_into(str(path), new_survey(BOARD, 2, 3, 8), 1)
    with pytest.raises(MasonsError, match="a survey of the board 'hexagon-24', not of 'classic'"):
        survey_into(str(path), new_survey(load_board("classic"), 2, 3, 7), 1)
