"""Engines of their own processes in seats of a game: what they are told."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from masons.protocol.client.engine_client import Engine
from masons.protocol.messages.error_codes import EngineError
from tests.support.gui_pages import PERSON, Page, new_games, play, played_of, until
from tests.support.paths import EXAMPLES, SUPPORT
from tests.support.playing import board_of

RIVAL = {"kind": "engine", "engine": "rival", "seconds": 0.1}
Heard = Callable[..., list[str]]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The file of all that the engine is sent."""
    return tmp_path / "heard"


@pytest.fixture
def heard(log: Path) -> Heard:
    """Return the lines of some kinds that the engine was sent, all its processes together."""

    def lines(*kinds: str) -> list[str]:
        text = log.read_text(encoding="utf-8") if log.exists() else ""
        return [line for line in text.splitlines() if line.split()[0] in kinds]

    return lines


@pytest.fixture
def page(log: Path) -> Page:
    """A page of the host, on a board that is not built in."""
    words = (sys.executable, SUPPORT / "logged_engine.py", log, sys.executable)
    command = " ".join(map(str, (*words, EXAMPLES / "plain_random.py")))
    return Page(new_games({"rival": command}, board_of("hexagon-24")))


@pytest.mark.slow
async def test_an_engine_is_told_its_game(heard: Heard, page: Page) -> None:
    """All of it, in order, up to the result; on any board; no card that its seat did not see."""
    page.say("newgame", seats=[PERSON, RIVAL], seed=5)
    await play([page], random.Random(3))
    played = played_of(page)
    await until(lambda: heard("gameover"))
    (begun,) = heard("newgame")
    assert begun.split()[6].endswith(f"{played.game.board.sha256}.json")
    events = [line.split()[1:] for line in heard("event")]
    moves = [words[1:] for words in events if words[0] == "move"]
    assert moves == [
        [str(step.seat), str(step.move)] for step in played.steps() if hasattr(step, "move")
    ]
    assert len(moves) == played.game.decisions
    assert {words[2] for words in events if words[:2] == ["draw", "0"]} == {"?"}
    drawn = {words[2] for words in events if words[:2] == ["draw", "1"]}
    assert drawn
    assert "?" not in drawn
    assert any(words[0] == "roll" for words in events)
    # First the game's beginning, then for each decision the position as it is.
    lines = [line.split()[0] for line in heard("position", "event", "go")]
    assert lines[0] == "position"
    assert {lines[at - 1] for at, kind in enumerate(lines) if kind == "go"} == {"position"}


@pytest.mark.slow
async def test_an_engine_begins_anew_after_what_was_taken_back(heard: Heard, page: Page) -> None:
    page.say("newgame", seats=[PERSON, RIVAL], seed=5, practice=True)
    chance, played, is_after_engine = random.Random(3), played_of(page), False
    while not is_after_engine:  # up to a decision right after one of the engine's
        await play([page], chance, 1)
        await until(lambda: page.position["decides"])
        is_after_engine = played._seats[-1] == 1 and not page.position["undo"]
    begun, decisions, goes = len(heard("newgame")), played.game.decisions, len(heard("go"))
    page.do("undo")
    assert played.game.decisions < decisions - 1  # one of the engine's went with it
    while len(heard("go")) == goes:
        assert page.position["result"] is None
        await play([page], chance, 1)
    assert len(heard("newgame")) == begun + 1
    told = heard("newgame", "event")
    last = max(at for at, line in enumerate(told) if line.startswith("newgame"))
    moves = [line.split()[3] for line in told[last:] if line.startswith("event move")]
    assert moves
    assert moves == [str(move) for move in played.game.moves[: len(moves)]]


async def test_an_engine_that_failed_is_started_again(
    heard: Heard, page: Page, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `newgame`, whatever went wrong, and told all from the start."""
    go, failed = Engine.go, []

    def fail_once(engine: Engine, *arguments: Any) -> object:
        # An engine of the test before may still be asked for a move.
        if str(log) in engine.command and not failed:
            failed.append(engine)
            raise EngineError("nothing was said")
        return go(engine, *arguments)

    monkeypatch.setattr(Engine, "go", fail_once)
    page.say("newgame", seats=[PERSON, RIVAL], seed=5)
    while page.position["due"] != "engine":
        await play([page], random.Random(3), 1)
    await until(lambda: page.position["fault"])
    page.say("retry")
    await until(lambda: page.position["due"] != "engine")
    assert not page.position["fault"]
    assert len(heard("newgame")) == len(heard("mei")) == 2
