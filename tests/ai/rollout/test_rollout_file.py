"""The file of a rollout: it goes on, and what is not of this decision or damaged is refused."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from masons.ai.rollout.figures import with_evidence
from masons.ai.rollout.rollout import Rollout
from masons.ai.rollout.rollout_file import head_of, read_rollout, state_of
from masons.ai.search.limits import Limits
from masons.ai.search.search_options import SearchOptions
from masons.ai.session import Session
from masons.cli.main import run
from masons.engine.board.geometry import Board
from masons.engine.errors import MasonsError
from masons.engine.game.table import Table
from tests.support.named_play import CONTESTED, GAMES, at_decision

SEED = 1


@cache
def played() -> Rollout:
    game = at_decision(20)
    session = Session(game.table, seed=SEED)
    session.analyze(game, limits=Limits(sims=200, rollouts=600))
    assert session.rollout is not None
    return session.rollout


def text_of(rollout: Rollout) -> str:
    return head_of(rollout, at_decision(20).table, SEED) + (state_of(rollout) or "")


def read(
    text: str, decision: int = 20, player: int = 0, seed: int = SEED, *, repair: bool = False
) -> Rollout:
    game = at_decision(decision)
    options, view = SearchOptions(rollout_player=player), game.observe(game.seat)
    rollout, _ = read_rollout(text, game.table, view, options, seed, repair=repair)
    return rollout


def with_checksum(data: dict[str, Any]) -> str:
    text = json.dumps(data)
    return f"{text} {zlib.crc32(text.encode())}\n"


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
    ("decision", "player", "seed", "said"),
    [
        (24, 0, SEED, "another position"),
        (20, 60, SEED, "another player: give --rollout-player 0"),
        (20, 0, 5, "another seed: give --seed 1"),
    ],
)
def test_a_rollout_of_something_else_is_refused(
    decision: int, player: int, seed: int, said: str
) -> None:
    with pytest.raises(MasonsError, match=said):
        read(text_of(played()), decision, player, seed)


def test_a_rollout_of_another_board_with_the_same_name_is_refused() -> None:
    description = at_decision(20).table.board.to_dict()
    spaces = description["spaces"]
    assert isinstance(spaces, list)
    for space in spaces:
        space["region"] = space["region"] % 3 + 1
    text = head_of(played(), Table(Board.from_dict(description)), SEED)
    with pytest.raises(MasonsError, match="another board"):
        read(text)


def test_a_damaged_end_is_refused_and_the_state_before_it_repairs() -> None:
    text = text_of(played()) + (state_of(played()) or "").replace('"games"', '"gamez"')
    with pytest.raises(MasonsError, match="damaged"):
        read(text)
    assert read(text, repair=True).games == played().games
    for repair in (False, True):
        with pytest.raises(MasonsError, match="all of its games are damaged"):
            read(head_of(played(), at_decision(20).table, SEED) + "{}\n", repair=repair)


def changed_state(**changes: Any) -> dict[str, Any]:
    state = dict(json.loads((state_of(played()) or "").rpartition(" ")[0]))
    return {**state, **changes}


def changed_sums(name: str, value: float) -> dict[str, Any]:
    """Return the state with another first number in the array `name`."""
    state = changed_state()
    array = np.array(state["sums"][name])
    array[(0,) * array.ndim] = value
    return {**state, "sums": {**state["sums"], name: array.tolist()}}


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(partial(changed_state, **{name: value}), id=f"{name} {value}")
        for name in ("worlds", "games")
        for value in (10**30, 10**400, -5, 0, 1, 2.5, "9")
    ]
    + [
        pytest.param(partial(changed_sums, name, value), id=f"{name} {value}")
        for name, values in {
            "worlds": (-3.0, 1e9, 7.5), "sums": (-1.0, 1e9, 1e200), "squares": (-1.0, 1e200),
            "products": (1e9, 1e200),
        }.items()
        for value in values
    ],
)  # fmt: skip
def test_figures_that_no_games_have_are_refused(state: Callable[[], dict[str, Any]]) -> None:
    head = head_of(played(), at_decision(20).table, SEED)
    assert read(head + with_checksum(changed_state())).games == played().games
    with pytest.raises(MasonsError, match="not a rollout of this decision"):
        read(head + with_checksum(state()))


@pytest.mark.parametrize(
    "change",
    [{"iterations": -1}, {"iterations": 10**30}, {"searched": [["wall:1", -1]]}],
    ids=str,
)
def test_a_search_that_never_was_is_refused(change: dict[str, Any]) -> None:
    text = head_of(played(), at_decision(20).table, SEED)
    head = {**json.loads(text.rpartition(" ")[0]), **change}
    with pytest.raises(MasonsError, match="not a rollout of this decision"):
        read(with_checksum(head) + (state_of(played()) or ""))


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
    assert analyze("--rollouts", "500", "--resume", str(file), "--seed", "5") == 1
    assert "another seed: give --seed 0" in capsys.readouterr().err
    head, first, last = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(head + first[9:] + last)
    assert analyze("--rollouts", "500", "--resume", str(file)) == 0
    said = f"rollout.json: a line is damaged: the file as it was is kept as {file}.bad"
    assert said in capsys.readouterr().err
    (tmp_path / "rollout.json.bad").unlink()
    file.write_bytes(file.read_bytes()[:-30])
    assert analyze("--rollouts", "900", "--resume", str(file)) == 1
    assert "--repair" in capsys.readouterr().err
    assert analyze("--rollouts", "900", "--resume", str(file), "--repair") == 0
    assert (tmp_path / "rollout.json.bad").exists()


def test_reasons_come_from_the_games_of_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "rollout.json")
    pair = ("--compare", "wall:147", "wall:65")
    assert analyze("--rollouts", "900", "--resume", file, *pair) == 0
    assert "together" in capsys.readouterr().out
    for option in (("--why",), pair):
        assert analyze("--rollouts", "900", "--resume", file, *option) == 0
        out, err = capsys.readouterr()
        said = "reasons come from games of this run, and it played none: give more --rollouts"
        assert f"{option[0]} shows nothing: {said}" in err
        assert "together" not in out
    assert analyze("--rollouts", "1500", "--resume", file, *pair) == 0
    assert "together" in capsys.readouterr().out
    assert analyze("--rollouts", "1500", "--resume", file, "--compare", "wall:1", "wall:65") == 1
    assert "has no games after wall:1, and continuing it adds none" in capsys.readouterr().err
    assert analyze("--rollouts", "1", *pair) == 0
    assert "--compare shows nothing: too few games were played" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        (("--level", "3"), "--level 3 plays none"),
        (("--policy", "busy"), "--policy plays none"),
        (("--sims", "100"), "--sims without --rollouts plays none"),
        (("--time", "100ms"), "--time is too short for them"),
    ],
)
@pytest.mark.parametrize(
    "option",
    [
        ("--resume", "new.json"), ("--why",), ("--compare", "wall:147", "wall:65"),
        ("--rollout-player", "300"), ("--backend", "dask", "--scheduler", "tcp://nowhere:1"),
    ],
)  # fmt: skip
def test_options_for_games_are_refused_without_games(
    option: tuple[str, ...],
    options: tuple[str, ...],
    cause: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    place = str(Path(CONTESTED).resolve())
    monkeypatch.chdir(tmp_path)
    assert run(["analyze", place, *option, *options]) == 2
    name = " ".join(option[:2]) if option[0] == "--backend" else option[0]
    assert f"{name} needs games to be played out, but {cause}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_rollouts_follow_the_default_search_alone(capsys: pytest.CaptureFixture[str]) -> None:
    for options in (["--policy", "busy"], ["--level", "3"]):
        assert analyze("--rollouts", "100", *options) == 1
        assert "rollouts need the default search" in capsys.readouterr().err
