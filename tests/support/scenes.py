"""Games at given points, and the main screens of the page in a browser, for tests and pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from masons.engine.board.geometry import load_board
from masons.match.playing.games_folder import games_folder
from masons.match.playing.kept_games import begun
from masons.match.playing.played_game import GameSetup
from tests.support.gui_pages import RECORDS
from tests.support.paths import EXAMPLES

# The phase at which the person decides, and the turn from which on, by the name of a saved game.
POINTS: Final = {
    "wall": ("wall", 18), "towers": ("towers", 3), "houses": ("houses", 4), "score": ("score", 10),
    "four": ("wall", 12),
}  # fmt: skip
_MOST_SECONDS: Final = 60


def save_games(folder: Path) -> None:
    """Save an unfinished game for each of POINTS and three finished games.

    `folder` is the data folder of a server.
    """
    games = folder / "masons-engine" / games_folder().name
    games.mkdir(parents=True, exist_ok=True)
    for number, record in enumerate(RECORDS.splitlines(), 1):
        (games / f"over-{number}.jsonl").write_text(record + "\n", encoding="utf-8")
    for name, (phase, turn) in POINTS.items():
        save_game(games / f"{name}.jsonl", phase, turn, seats=4 if name == "four" else 2)


def save_game(path: Path, phase: str, turn: int, *, seats: int = 2) -> None:
    """Save a game of a person and engines, in which the person is to decide at a phase."""
    names = ("You", *(f"Engine {seat}" for seat in range(1, seats)))
    setup = GameSetup(seats, (0,), names, seed=7, level=3)
    played = begun(load_board("classic"), setup, str(path))
    game = played.game
    while not (game.phase == phase and game.seat == 0 and game.position.turn >= turn):
        played.engine_moves()
    assert played.keeper is not None
    played.keeper.close()


def open_game(page: Any, address: str, name: str) -> None:
    """Show one of the games of `save_games`."""
    _go(page, f"{address}#game={name}.jsonl")
    page.wait_for_selector("#task.mine")


def _go(page: Any, address: str) -> None:
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("#board", state="attached")


def _start(page: Any, address: str) -> None:
    _go(page, address)
    page.wait_for_selector("#do-play")
    page.wait_for_timeout(600)  # for the pictures of games


def _hint(page: Any, address: str) -> None:
    open_game(page, address, "wall")
    page.keyboard.press("h")
    page.wait_for_selector("#advice .verdict", timeout=1000 * _MOST_SECONDS)


def _analysis(page: Any, address: str) -> None:
    position = (EXAMPLES / "contested.txt").read_text(encoding="utf-8").strip()
    _go(page, f"{address}#study={quote(position)}")
    page.wait_for_selector("#study:not([hidden])")
    page.locator("#study button.main").first.click()
    page.wait_for_selector("#study > .ranked .num, #study .ranked .num", timeout=60_000)


def _lesson(page: Any, address: str) -> None:
    _go(page, f"{address}#lesson=4")
    page.wait_for_selector("#lesson h2")


def _openings(page: Any, address: str) -> None:
    _go(page, f"{address}#openings")
    page.wait_for_selector("#openings .ranked tbody tr")


def _game(name: str) -> Callable[[Any, str], None]:
    return lambda page, address: open_game(page, address, name)


SCENES: Final[dict[str, Callable[[Any, str], None]]] = {
    "start": _start, "wall": _game("wall"), "towers": _game("towers"), "houses": _game("houses"),
    "score": _game("score"), "four": _game("four"), "hint": _hint, "analysis": _analysis,
    "lesson": _lesson, "openings": _openings,
}  # fmt: skip
