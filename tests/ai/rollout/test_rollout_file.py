"""The file of a rollout: it goes on, and what is not of this decision or damaged is refused."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from masons.ai.rollout.evidence import with_evidence
from masons.ai.rollout.rollout import Rollout
from masons.ai.rollout.rollout_file import head_of, read_rollout, state_of
from masons.ai.search.limits import Limits
from masons.ai.search.search_options import SearchOptions
from masons.ai.session import Session
from masons.cli.main import run
from masons.engine.errors import MasonsError
from tests.support.named_play import CONTESTED, GAMES, at_decision


@cache
def played() -> Rollout:
    game = at_decision(20)
    session = Session(game.table, seed=1)
    session.analyze(game, limits=Limits(sims=200, rollouts=600))
    assert session.rollout is not None
    return session.rollout


def text_of(rollout: Rollout) -> str:
    return head_of(rollout, at_decision(20).table) + (state_of(rollout) or "")


def read(text: str, decision: int = 20, player: int = 0, *, repair: bool = False) -> Rollout:
    game = at_decision(decision)
    options = SearchOptions(rollout_player=player)
    rollout, _ = read_rollout(text, game.table, game.observe(game.seat), options, repair=repair)
    return rollout


def test_what_was_played_comes_back_and_goes_on() -> None:
    rollout = read(text_of(played()))
    assert (rollout.runner.worlds, rollout.games) == (played().runner.worlds, played().games)
    assert (rollout.sums.products == played().sums.products).all()
    before, after = (
        [(row.move, row.win, row.loss_interval) for row in with_evidence(kept).moves]
        for kept in (played(), rollout)
    )
    assert before == after
    rollout.run(1200)
    assert 1100 < rollout.games <= 1200
    assert rollout.screening is not None
    assert rollout.screening.order == played().screening.order  # type: ignore[union-attr]
    assert rollout.sums.games.sum() > played().sums.games.sum()


@pytest.mark.parametrize(
    ("decision", "player", "said"), [(24, 0, "another position"), (20, 60, "another player")]
)
def test_a_rollout_of_something_else_is_refused(decision: int, player: int, said: str) -> None:
    with pytest.raises(MasonsError, match=said):
        read(text_of(played()), decision, player)


def test_a_damaged_end_is_refused_and_the_state_before_it_repairs() -> None:
    text = text_of(played()) + (state_of(played()) or "").replace('"games"', '"gamez"')
    with pytest.raises(MasonsError, match="damaged"):
        read(text)
    assert read(text, repair=True).games == played().games
    with pytest.raises(MasonsError, match="all of its games are damaged"):
        read(head_of(played(), at_decision(20).table) + "{}\n", repair=True)


@pytest.mark.parametrize("text", ["", "{}", "x" * 1000, "null 1\n", '{"format": "masons-rollout"}'])
def test_what_is_no_rollout_is_refused(text: str) -> None:
    with pytest.raises(MasonsError, match="it is not a rollout file"):
        read(text)


@pytest.mark.parametrize("seed", range(8))
def test_a_byte_changed_anywhere_is_noticed(seed: int) -> None:
    text = text_of(played())
    place = int(np.random.default_rng(seed).integers(len(text) - 1))
    changed = text[:place] + chr(ord(text[place]) ^ 1) + text[place + 1 :]
    with pytest.raises(MasonsError):
        read(changed)


def analyze(*arguments: str) -> int:
    return run(["analyze", CONTESTED, "--threads", "1", *arguments])


def test_analyze_keeps_its_games_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rollout.json"
    assert analyze("--rollouts", "500", "--resume", str(file)) == 0
    assert analyze("--rollouts", "900", "--resume", str(file)) == 0
    out, err = capsys.readouterr()
    assert "continuing after" in err
    assert out.count(" games played to the end") == 2
    assert run(["analyze", f"{GAMES}#1@20", "--rollouts", "500", "--resume", str(file)]) == 1
    assert "another position" in capsys.readouterr().err
    file.write_bytes(file.read_bytes()[:-30])
    assert analyze("--rollouts", "900", "--resume", str(file)) == 1
    assert "--repair" in capsys.readouterr().err
    assert analyze("--rollouts", "900", "--resume", str(file), "--repair") == 0
    assert (tmp_path / "rollout.json.bad").exists()


def test_rollouts_follow_the_default_search_alone(capsys: pytest.CaptureFixture[str]) -> None:
    for options in (["--policy", "busy"], ["--level", "3"]):
        assert analyze("--rollouts", "100", *options) == 1
        assert "rollouts need the default search" in capsys.readouterr().err
