"""A live terminal shows the whole board, the last events and the typed line throughout a game."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text

from masons.cli.terminal.screen import completed
from masons.cli.terminal.text_page import Frame, cut, size_for
from masons.cli.terminal.turn_loop import TurnLoop
from masons.engine.formats.text_board import plan_board
from masons.engine.plain_text import does, owner, verb, victory
from masons.match.playing.game_setup import GameSetup
from masons.match.playing.played_game import PlayedGame
from tests.cli.conftest import BOARD, play_on
from tests.support.commands import SECONDS, spawn
from tests.support.playing import pick
from tests.support.thinned import thinned

SIZES = ((80, 24), (100, 30), (100, 40), (80, 40), (64, 24), (120, 50))
COMMANDS = ("help", "moves", "cards", "log", "board", "lines", "undo", "nonsense", "hint")


class Live:
    """A live terminal that keeps each screen; answers come from a function."""

    live = True

    def __init__(self, frame: Frame, answer: Callable[[str], str]) -> None:
        self.size = frame
        self.screen: list[str] = []
        self.screens: list[list[str]] = []  # each as it was when something was asked
        self._answer = answer

    def frame(self) -> Frame:
        return self.size

    def wipe(self, *, scrolled: bool = False) -> None:
        del scrolled
        self.screen = []

    def show(self, lines: Sequence[Text | str], *, wraps: bool = True) -> None:
        for line in lines:
            text = line.plain if isinstance(line, Text) else line
            self.screen += [text]
            assert len(text) <= self.size.width or not wraps

    def ask(
        self,
        prompt: str,
        words: Sequence[str] = (),
        redraw: Callable[[Sequence[str]], None] | None = None,
    ) -> str:
        assert redraw is not None
        assert all(isinstance(word, str) for word in words)
        self.screens.append([*self.screen, prompt])
        return self._answer(prompt)


def game(players: int, people: tuple[int, ...], seed: int) -> PlayedGame:
    names = ("You", "Engine 1", "A name of twenty let", "Engine 3")[:players]
    return PlayedGame(BOARD, GameSetup(players, people, names, seed=seed, level=1))


def fake_hint(played: PlayedGame) -> None:
    """Hints that are searched in a moment."""
    hint = played.hint
    played.hint = lambda _=0: hint(20)  # type: ignore[method-assign]


def whole(screen: Sequence[str], frame: Frame) -> bool:
    """Return whether a screen begins with the whole board and still shows the typed line."""
    plan = plan_board(BOARD, size_for(BOARD, frame))
    edges = {screen[row][at] for row in range(plan.height) for at in (0, plan.width - 1)}
    return edges == {"~"} and plan.height < len(screen) <= frame.height


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "height", "players", "people"),
    thinned(
        (
            (*size, *seats)
            for size in SIZES
            for seats in ((2, (0,)), (4, (0,)), (3, (0, 2)), (2, (0,)))
        ),
        9,
    ),
)
def test_no_message_pushes_the_board_away(
    width: int, height: int, players: int, people: tuple[int, ...]
) -> None:
    """Nor does anything else, in a whole game."""
    chance = random.Random(width * height + players)
    played = game(players, people, 5)
    fake_hint(played)
    frame = Frame(width, height, color=False, ascii=players == 4)
    commands: list[str] = []

    def answer(prompt: str) -> str:
        if prompt.startswith(("[", "Pass the keyboard")):
            return ""
        if commands:
            return commands.pop()
        commands.extend(chance.sample(COMMANDS, 2) if played.game.decisions % 5 == 0 else [])
        return str(pick(played.game, chance))

    live = Live(frame, answer)
    loop = TurnLoop(played, live)
    while played.due != "over":
        loop._step()
    for screen in live.screens:
        assert len(screen) <= height
        if re.match(r".*, [a-z]+: $", screen[-1]):
            assert whole(screen, frame), "\n".join(screen)
            assert any("turn " in line for line in screen)
    loop._end()
    assert len(live.screen) < height or width < 80  # so narrow that the table stands below
    assert any("The game ends" in line for line in live.screen)


def test_what_finds_no_room_is_read_page_by_page_and_may_be_answered_there() -> None:
    played = game(2, (0, 1), 3)
    answers = ["", "moves", "", "b", "57", "q"]
    live = Live(Frame(80, 24, color=False), lambda _: answers.pop(0))
    loop = TurnLoop(played, live)
    loop._step()
    assert answers == ["q"]
    assert played.game.phase != "wall"
    pages = [screen for screen in live.screens if screen[-1].startswith("[")]
    assert [page[-1] for page in pages] == [
        "[147 more rows: Enter, q: the board] ",
        "[124 more rows: Enter, b: back, q: the board] ",
        "[147 more rows: Enter, q: the board] ",
    ]
    assert all(len(page) == 24 for page in pages)


def test_the_log_is_read_from_its_end() -> None:
    played = game(2, (0,), 3)
    chance = random.Random(3)
    while played.game.decisions < 40 or played.due != "person":
        play_on(played, chance, 1)
    answers = ["log", "q", "quit", "y"]
    live = Live(Frame(80, 24, color=False), lambda _: answers.pop(0))
    assert TurnLoop(played, live).run() is False
    (page,) = [screen for screen in live.screens if screen[-1].startswith("[")]
    assert page[-1] == "[Enter: the board, b: back] "
    assert played.news(None)[-1].split()[-1] in page[-2]


def test_tab_finds_what_words_have_in_common() -> None:
    words = ("play land-red", "play land-rose", "hint", "help")
    assert completed("hi", words) == ("hint", ("hint",))
    assert completed("p", words) == ("play land-r", words[:2])
    assert completed("play land-r", words) == ("play land-r", words[:2])
    assert completed("x", words) == ("x", ())
    assert completed("HI", words) == ("hint", ("hint",))


@pytest.mark.parametrize(
    ("words", "you"),
    [
        ("wins", "win"), ("gives up", "give up"), ("places a wall", "place a wall"),
        ("plays last cards", "play last cards"), ("rolls the dice", "roll the dice"),
        ("has won", "have won"), ("was first", "were first"), ("may swap", "may swap"),
    ],
)  # fmt: skip
def test_verbs_agree_with_you(words: str, you: str) -> None:
    assert does("Ann", words) == f"Ann {words}"
    assert does("You", words) == f"You {you}"
    assert verb("you", words) == you


def test_a_name_that_is_too_long_first_loses_what_stands_in_parentheses() -> None:
    name = "Engine 1 (level 4)"
    assert [cut(name, width) for width in (18, 17, 8, 5)] == [name, "Engine 1", "Engine 1", "Engi."]


def test_what_a_game_says_of_you() -> None:
    assert victory(["You"]) == "You win"
    assert victory(["Ann"]) == "Ann wins"
    assert victory(["You", "Ann"]) == "You and Ann share the victory"
    assert (owner("You"), owner("Ann")) == ("Your", "Ann's")
    answers = ["resign", "y"]
    live = Live(Frame(80, 24, color=False), lambda _: answers.pop(0))
    TurnLoop(game(2, (0,), 1), live).run()
    assert live.screens[-1][-1] == "Resign? y or n: "
    assert live.screen[-1].startswith("You resign. Engine")


# ---- a real terminal


class Emulated:
    """A command in a terminal that is emulated: what stands on its screen."""

    def __init__(self, width: int, height: int, *args: str) -> None:
        pexpect, pyte = pytest.importorskip("pexpect"), pytest.importorskip("pyte")
        self.child = spawn(*args, cols=width, rows=height)
        self.screen = pyte.Screen(width, height)
        self._stream = pyte.Stream(self.screen)
        self._timeout: Any = pexpect.TIMEOUT
        self._end: Any = pexpect.EOF

    def read(self, seconds: float = 0.2) -> None:
        """Take what comes."""
        try:
            self._stream.feed(self.child.read_nonblocking(10**6, seconds))
        except (self._timeout, self._end):
            return

    def until(self, pattern: str) -> list[str]:
        """The screen's rows once its last row that is not empty matches."""
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            self.read()
            rows = [row.rstrip() for row in self.screen.display]
            full = [row for row in rows if row]
            if full and re.search(pattern, full[-1]):
                return rows
        raise AssertionError("\n".join(self.screen.display))

    def type(self, text: str) -> None:
        self.child.send(text)

    def resize(self, width: int, height: int) -> None:
        self.child.setwinsize(height, width)
        self.screen.resize(height, width)

    def code(self) -> int:
        """The exit code, once the program has ended."""
        self.child.expect(self._end)
        self.child.close()
        return int(self.child.exitstatus)


def top_is_there(rows: Sequence[str]) -> bool:
    return "turn " in rows[0] and rows[0].count("~") >= 8


@pytest.mark.slow
def test_a_terminal_of_80_by_24_keeps_the_board_through_turns(tmp_path: Path) -> None:
    name = str(tmp_path / "game.jsonl")
    with_ = ("--level", "1", "--seed", "4", "--record", name, "--practice")
    terminal = Emulated(80, 24, "play", *with_)
    for typed, prompt in (
        ("57", "towers:"), ("nonsense", "towers:"), ("1", "houses:"), ("1", "wall:"),
        ("undo", "houses:"), ("1", "wall:"), ("hint", "wall:"),
    ):  # fmt: skip
        rows = terminal.until(":$")
        assert top_is_there(rows), "\n".join(rows)
        terminal.type(f"{typed}\r")
        time.sleep(0.3)
        rows = terminal.until(f"the board\\]$|{prompt}$")
        if typed == "hint" and not top_is_there(rows):  # a long one has a page of its own
            assert "hint: " in "\n".join(rows)
            terminal.type("\r")
            rows = terminal.until(f"{prompt}$")
        assert top_is_there(rows), "\n".join(rows)
    terminal.type("lo")
    terminal.type("\t")
    terminal.until("wall: log$")
    for size in ((100, 30), (100, 40), (80, 24)):
        terminal.resize(*size)
        time.sleep(0.5)
        rows = terminal.until("wall: log$")  # what was typed is kept
        assert top_is_there(rows), "\n".join(rows)
    terminal.type("\x03")
    assert top_is_there(terminal.until("y or n:$"))
    terminal.type("y\r")
    assert terminal.code() == 130
    assert "play --resume" in terminal.child.before
