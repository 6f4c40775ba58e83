"""Commands called in the tests' process, which is faster, or at a terminal of their own."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from masons.engine.board.components import CARDS
from masons.engine.board.geometry import load_board
from masons.engine.formats.position_text import parse_position
from masons.match.playing.kept_games import begin_journal
from masons.match.playing.played_game import GameSetup, PlayedGame
from tests.support.commands import SECONDS
from tests.support.paths import BOARDS, EXAMPLES

GAMES = str(EXAMPLES / "games.jsonl")
MIDGAME = str(EXAMPLES / "midgame.txt")
CONTESTED = str(EXAMPLES / "contested.txt")
HEXAGON = str(BOARDS / "hexagon-24.json")
POSITION = (EXAMPLES / "midgame.txt").read_text().splitlines()[1]


@pytest.fixture(scope="session", autouse=True)
def _compiled(compiled: None) -> None:
    """Commands of all tests need the kernels."""


def process(
    *arguments: str, text: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, which ends without a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "masons.cli", *arguments],
        input=text, capture_output=True, encoding="utf-8", timeout=SECONDS, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done


def spawn(*words: str, cols: int = 100, rows: int = 40) -> Any:
    """Start a command at a terminal, as a child of pexpect."""
    pexpect = pytest.importorskip("pexpect")
    env = {**os.environ, "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm-256color"}
    env.pop("NO_COLOR", None)
    child = pexpect.spawn(
        sys.executable, ["-m", "masons.cli", *words],
        env=env, dimensions=(rows, cols), encoding="utf-8", timeout=SECONDS,
    )  # fmt: skip
    child.delaybeforesend = None
    return child


def begun_game(path: Path, names: tuple[str, str] = ("Ann", "Bob")) -> str:
    """Keep a game of two people in a file, with six decisions; return a move that is legal then."""
    played = PlayedGame(load_board("classic"), GameSetup(2, (0, 1), names, seed=7, level=1))
    journal = begin_journal(str(path), played.header())
    played.keep_in(journal)
    for _ in range(6):
        played.make(played.game.legal_moves()[0])
    journal.close()
    return str(played.game.legal_moves()[0])


def redealt(text: str, seed: int) -> str:
    """Return a position with the cards that its seat does not see dealt anew."""
    board, position = parse_position(text)
    words = {word.partition("=")[0]: word.partition("=")[2] for word in text.split()[1:]}
    hidden = list(position.observed_by(position.seat).unseen)
    random.Random(seed).shuffle(hidden)
    hands = []
    for seat, hand in enumerate(position.hands):
        assert not isinstance(hand, int)
        cards = hand if seat == position.seat else [hidden.pop() for _ in hand]
        hands.append("+".join(CARDS[kind] for kind in sorted(cards)) or "-")
    new = text.replace(f"hands={words['hands']}", f"hands={'/'.join(hands)}")
    assert parse_position(new)[0] == board
    return new
