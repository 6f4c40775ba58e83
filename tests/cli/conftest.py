"""Commands called in the tests' process, which is faster, or at a terminal of their own."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from masons.engine.board.components import CARDS
from masons.engine.board.geometry import load_board
from masons.engine.formats.position_text import parse_position
from masons.engine.storage.held_file import HeldFile
from masons.match.playing.game_setup import GameSetup
from masons.match.playing.kept_games import begun, resumed
from masons.match.playing.played_game import PlayedGame
from tests.support.paths import BOARDS, EXAMPLES
from tests.support.playing import pick

BOARD = load_board("classic")
GAMES = str(EXAMPLES / "games.jsonl")
MIDGAME = str(EXAMPLES / "midgame.txt")
CONTESTED = str(EXAMPLES / "contested.txt")
HEXAGON = str(BOARDS / "hexagon-24.json")
POSITION = (EXAMPLES / "midgame.txt").read_text().splitlines()[1]


@pytest.fixture(scope="session", autouse=True)
def _compiled(compiled: None) -> None:
    """Commands of all tests need the kernels."""


def begun_game(path: Path, names: tuple[str, str] = ("Ann", "Bob")) -> str:
    """Keep a game of two people in a file, with six decisions; return a move that is legal then."""
    played = begun(BOARD, GameSetup(2, (0, 1), names, seed=7, level=1), str(path))
    for _ in range(6):
        played.make(played.game.legal_moves()[0])
    close(played)
    return str(played.game.legal_moves()[0])


def close(played: PlayedGame) -> None:
    """Release the file of a game, so that others can open it."""
    assert played.keeper is not None
    played.keeper.close()


def again(name: str) -> PlayedGame:
    """Resume the game in a file."""
    return resumed(HeldFile(name, "old"), BOARD)


def play_on(played: PlayedGame, chance: random.Random, decisions: int = 10**6) -> None:
    """Decide for the people by chance, for a number of decisions."""
    for _ in range(decisions):
        if played.is_over:
            return
        if played.due == "engine":
            played.engine_moves()
        else:
            played.make(pick(played.game, chance))


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
