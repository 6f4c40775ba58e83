"""Engines of their own processes in seats of a game: what they are told."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from masons.gui.guard import Guard
from masons.gui.open_games import OpenGames
from masons.protocol.messages.error_codes import EngineError
from tests.support import gui_pages
from tests.support.gui_pages import PERSON, Page, in_open_games, play, played_of
from tests.support.paths import EXAMPLES, SUPPORT
from tests.support.playing import board_of

RIVAL = {"kind": "engine", "engine": "rival", "seconds": 0.1}


def logged(log: Path) -> dict[str, str]:
    """The commands of engines: one whose input is kept in a file."""
    words = (sys.executable, SUPPORT / "logged_engine.py", log, sys.executable)
    return {"rival": " ".join(map(str, (*words, EXAMPLES / "plain_random.py")))}


def heard(log: Path, *kinds: str) -> list[str]:
    """The lines of some kinds that an engine was sent, those that a process was begun with too."""
    lines = log.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.split()[0] in kinds]


@pytest.fixture
def on_board(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Run a test with open games on a board that is not built in."""

    def run(work: Callable[[OpenGames, Guard], Awaitable[None]], log: Path) -> None:
        monkeypatch.setattr(gui_pages, "BOARD", board_of("hexagon-24"))
        in_open_games(work, tmp_path, monkeypatch, logged(log))

    return run


@pytest.mark.slow
def test_an_engine_is_told_its_game(on_board: Callable[..., None], tmp_path: Path) -> None:
    """All of it, in order, up to the result; on any board; no card that its seat did not see."""
    log = tmp_path / "heard"

    async def work(games: OpenGames, _: Guard) -> None:
        page = Page(games)
        page.say("newgame", seats=[PERSON, RIVAL], seed=5)
        await play([page], random.Random(3))
        played = played_of(page)
        while not heard(log, "gameover"):
            await asyncio.sleep(0.005)
        begun = heard(log, "newgame")
        assert len(begun) == 1
        assert begun[0].split()[6].endswith(f"{played.game.board.sha256}.json")
        events = [line.split() for line in heard(log, "event")]
        moves = [words[2:] for words in events if words[1] == "move"]
        assert moves == [
            [str(step.seat), str(step.move)] for step in played.steps() if hasattr(step, "move")
        ]
        assert len(moves) == played.game.decisions
        drawn = {words[3] for words in events if words[1:3] == ["draw", "0"]}
        assert drawn == {"?"}
        drawn_itself = [words[3] for words in events if words[1:3] == ["draw", "1"]]
        assert drawn_itself
        assert "?" not in drawn_itself
        assert any(words[1] == "roll" for words in events)
        # First the game's beginning, then for each decision the position as it is.
        positions = heard(log, "position", "event", "go")
        assert positions[0].startswith("position")
        goes = [at for at, line in enumerate(positions) if line.startswith("go")]
        assert all(positions[at - 1].startswith("position") for at in goes)

    on_board(work, tmp_path / "heard")


@pytest.mark.slow
def test_an_engine_begins_anew_after_what_was_taken_back(
    on_board: Callable[..., None], tmp_path: Path
) -> None:
    log = tmp_path / "heard"

    async def work(games: OpenGames, _: Guard) -> None:
        page = Page(games)
        page.say("newgame", seats=[PERSON, RIVAL], seed=5, practice=True)
        chance = random.Random(3)
        played = played_of(page)
        while True:  # up to a decision right after one of the engine's
            await play([page], chance, 1)
            while not page.position["decides"]:
                await asyncio.sleep(0.005)
            if played._seats[-1] == 1 and not page.position["undo"]:
                break
        begun, decisions = len(heard(log, "newgame")), played.game.decisions
        goes = len(heard(log, "go"))
        page.do("undo")
        assert played.game.decisions < decisions - 1  # one of the engine's went with it
        while len(heard(log, "go")) == goes:
            assert page.position["result"] is None
            await play([page], chance, 1)
        assert len(heard(log, "newgame")) == begun + 1
        told = heard(log, "newgame", "event")
        last = max(at for at, line in enumerate(told) if line.startswith("newgame"))
        moves = [line.split()[3] for line in told[last:] if line.startswith("event move")]
        assert moves == [str(move) for move in played.game.moves[: len(moves)]]
        assert moves

    on_board(work, log)


def test_an_engine_that_failed_is_started_again(
    on_board: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `newgame`, whatever went wrong, and told all from the start."""
    from masons.protocol.client.engine_client import Engine

    log, go, failed = tmp_path / "heard", Engine.go, [0]

    def once(engine: Engine, *arguments: object) -> object:
        # An engine of the test before may still be asked for a move.
        if str(log) in engine.command:
            failed[0] += 1
            if failed[0] == 1:
                raise EngineError("nothing was said")
        return go(engine, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Engine, "go", once)

    async def work(games: OpenGames, _: Guard) -> None:
        page = Page(games)
        page.say("newgame", seats=[PERSON, RIVAL], seed=5)
        chance = random.Random(3)
        while not page.position["fault"]:
            await (
                asyncio.sleep(0.005)
                if page.position["due"] == "engine"
                else play([page], chance, 1)
            )
        page.errors[:] = []
        page.say("retry")
        while page.position["due"] == "engine":
            await asyncio.sleep(0.005)
        assert not page.position["fault"]
        assert len(heard(log, "newgame")) == len(heard(log, "mei")) == 2

    on_board(work, log)
