"""Games at given points, and the main screens of the page in a browser, for tests and pictures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from masons.engine.board.geometry import load_board
from masons.match.playing.game_setup import GameSetup
from masons.match.playing.games_folder import games_folder
from masons.match.playing.kept_games import begun
from tests.support.gui_pages import RECORDS
from tests.support.paths import EXAMPLES

# By the name of a saved game: the phase at which the person decides, from which turn on, and the
# seed.
POINTS: Final = {
    "wall": ("wall", 15, 8), "towers": ("towers", 11, 1), "houses": ("houses", 9, 10),
    "score": ("score", 10, 18), "four": ("wall", 17, 11),
}  # fmt: skip
# The same for positions whose cards or pictures take more than the window of a phone: a merge, and
# pictures of choices after turns in which others scored.
LONG: Final = {
    "merge": ("merge", 18, 33), "scored": ("houses", 16, 8),
    "four-two": ("houses", 20, 11), "four-nine": ("houses", 20, 35),
}  # fmt: skip
_MOST_SECONDS: Final = 60


def save_games(folder: Path) -> None:
    """Save an unfinished game for each of these points and four finished games.

    `folder` is the data folder of a server.
    """
    games = folder / "masons-engine" / games_folder().name
    games.mkdir(parents=True, exist_ok=True)
    for number, record in enumerate(RECORDS.splitlines(), 1):
        (games / f"over-{number}.jsonl").write_text(record + "\n", encoding="utf-8")
    for name, (phase, turn, seed) in {**LONG, **POINTS}.items():
        seats = 4 if name.startswith("four") else 2
        save_game(games / f"{name}.jsonl", phase, turn, seats=seats, seed=seed, level=7)
    save_game(games / "over.jsonl", "over", 0, seed=7, level=2)


def save_game(
    path: Path, phase: str, turn: int, *, seats: int = 2, seed: int = 7, level: int = 3
) -> None:
    """Save a game of a person and engines, in which the person is to decide or which is over."""
    names = ("You", *(f"Engine {seat}" for seat in range(1, seats)))
    setup = GameSetup(seats, (0,), names, seed=seed, level=level)
    played = begun(load_board("classic"), setup, str(path))
    game = played.game
    while not (
        game.phase == phase and (phase == "over" or game.seat == 0) and game.position.turn >= turn
    ):
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


def _hint(name: str) -> Callable[[Any, str], None]:
    def show(page: Any, address: str) -> None:
        open_game(page, address, name)
        page.keyboard.press("h")
        page.wait_for_selector("#advice .verdict", timeout=1000 * _MOST_SECONDS)

    return show


def _analysis(page: Any, address: str) -> None:
    position = (EXAMPLES / "contested.txt").read_text(encoding="utf-8").strip()
    _go(page, f"{address}#study={quote(position)}")
    page.wait_for_selector("#study:not([hidden])")
    page.wait_for_selector("#study > .ranked .loss:not(.blank)", timeout=1000 * _MOST_SECONDS)


def open_study(page: Any, address: str, name: str, step: int = 0) -> None:
    """Analyze one of the finished games of `save_games`, from a step on."""
    _go(page, address)
    source = json.dumps({"file": f"{name}.jsonl", "game": 1})
    place = json.dumps({"at": step, "branch": None, "moves": []})
    page.wait_for_timeout(1000)  # until the page has kept what it shows
    page.evaluate(
        "(kept) => kept.forEach(([name, value]) => sessionStorage.setItem(name, value))",
        [["masons-study", source], ["masons-step", place]],
    )
    _go(page, address)
    page.wait_for_selector("#study:not([hidden])")
    page.wait_for_selector("#graph polyline")
    page.wait_for_timeout(1500)  # for the graph


def _study(name: str, step: int, *, is_reviewed: bool = False) -> Callable[[Any, str], None]:
    def show(page: Any, address: str) -> None:
        open_study(page, address, name, step)
        if is_reviewed:
            page.locator("#tools > button").nth(2).click()
            page.wait_for_selector(".report table", timeout=1000 * 2 * _MOST_SECONDS)
            page.locator(".costly button").first.click()
            page.wait_for_selector("#study .compared")
            page.click("#log-tab")

    return show


def _lesson(page: Any, address: str) -> None:
    _go(page, f"{address}#lesson=4")
    page.wait_for_selector("#lesson h2")


def _openings(page: Any, address: str) -> None:
    _go(page, f"{address}#openings")
    page.wait_for_selector("#openings .ranked tbody tr")


def open_puzzle(page: Any, address: str) -> None:
    """Show the first puzzle."""
    _start(page, address)
    page.locator("#do-puzzles").click()
    page.wait_for_selector("#steps button")
    page.mouse.move(0, 0)  # away from what now lies under the pointer
    page.wait_for_timeout(300)


def _solved(page: Any, address: str) -> None:
    open_puzzle(page, address)
    solve(page)
    page.wait_for_selector("#steps details", timeout=1000 * _MOST_SECONDS)
    page.wait_for_timeout(3000)


def solve(page: Any) -> None:
    """Make some move in a puzzle: the first one that the page offers."""
    cards = page.locator("#hand .guild:enabled")
    if cards.count():
        cards.first.click()
    elif page.locator("#choices .option").count():
        page.locator("#choices .option").first.click()
    else:
        page.locator("#board .line.live").first.dispatch_event("click")
    if page.locator("#choices button.main").count():
        page.locator("#choices button.main").first.click()


def _game(name: str) -> Callable[[Any, str], None]:
    return lambda page, address: open_game(page, address, name)


SCENES: Final[dict[str, Callable[[Any, str], None]]] = {
    "start": _start, "wall": _game("wall"), "towers": _game("towers"), "houses": _game("houses"),
    "score": _game("score"), "four": _game("four"), "merge": _game("merge"),
    "hint": _hint("wall"), "hint-merge": _hint("merge"), "analysis": _analysis,
    "study": _study("over", 45), "review": _study("over", 40, is_reviewed=True),
    "study-4": _study("over-3", 60),
    "lesson": _lesson, "openings": _openings, "puzzle": open_puzzle, "solved": _solved,
}  # fmt: skip
