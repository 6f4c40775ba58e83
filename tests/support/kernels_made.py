"""An engine in this process that says which kernels it loads or compiles after `readyok`.

    python -m tests.support.kernels_made PLAYER METHOD

A script of its own, as kernels that were loaded once stay.
"""

from __future__ import annotations

import io
import random
import sys
from collections.abc import Iterator
from itertools import product

from masons.ai.players.player_names import SEARCHERS
from masons.cli.commands.tools.protocol import _parts
from masons.engine.formats.position_text import format_position
from masons.protocol.messages.line_streams import read_lines
from masons.protocol.messages.seat_events import Moved, format_event
from masons.protocol.server.command_loop import Server
from tests.support.following import advance, new_game
from tests.support.paths import BOARDS
from tests.support.thinned import thinned

# The options of each method, with values of every kind.
OPTIONS = {
    "halving": ("Level value 1", "Level value 10", "Threads value 2", "Memory value 2"),
    "ismcts": (
        "Policy value uniform", "Policy value busy-best", "Reuse value false", "Threads value 2",
        "Exploration value 0", "Memory value 2", "Reuse value true",
    ),
}  # fmt: skip
GOES = (
    "sims 3", "sims 2 seed 4 multipv 3", "movetime 1", "clock {clock}", "sims 2 moves {move}",
    "sims 2 avoid {move}",
)  # fmt: skip
QUERIES = ("legal", "tomove", "phase", "scores", "result", "view", "svg")


def signatures() -> dict[str, int]:
    """The forms in which each kernel is there."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("masons."):
            for key, value in vars(module).items():
                if type(getattr(value, "_cache", None)).__name__ == "KernelStore":
                    found[f"{value.py_func.__module__}.{key}"] = len(value.signatures)
    return {name: count for name, count in found.items() if count}


def game_lines(players: int, *, early_roll: bool, board: str) -> Iterator[str]:
    """A game as a seat sees it: its events, and what may be asked where the seat decides."""
    chance = random.Random(players)
    game = new_game(players, players, early_roll=early_roll)
    words = " options early_roll" if early_roll else ""
    yield f"newgame players {players} seat 0 board {board}{words}"
    yield f"position {format_position(game.view(0), game.board)}"
    goes = iter(GOES * 100)
    phases: set[str] = set()
    while not game.is_over:
        moves = game.legal_moves()
        if game.seat == 0 and len(moves) > 1 and (game.phase not in phases or len(phases) > 5):
            phases.add(game.phase)
            clock = ",".join(["60"] * players)
            yield "go " + next(goes).format(clock=clock, move=moves[0])
            yield from (f"query {what}" for what in QUERIES)
            yield "belief"
        step = advance(game, chance)
        yield f"event {format_event(step, 0)}"
        if isinstance(step, Moved) and chance.random() < 0.2:
            yield f"position {format_position(game.view(0), game.board)}"


def small_board() -> Iterator[str]:
    """The start of a game on a board that is not built in."""
    path = BOARDS / "triangle-36.json"
    yield f"newgame players 2 seat 0 board {path}"
    yield (
        "position masons1 board=triangle-36 players=2 active=0 phase=wall "
        "hands=city-red+city-rose+land-red+land-blue+land-shore+cities/?6"
    )
    yield "go sims 3"


def main() -> None:
    """Talk, and print what was made after each `readyok`."""
    player, method = sys.argv[1:]
    sink = io.BytesIO()
    server = Server(io.BytesIO(), sink, player=player, version="0", parts=_parts)

    def say(line: str) -> None:
        for read in read_lines(io.BytesIO(line.encode())):
            server._take(read)
        server._jobs.join(60)

    options = OPTIONS[method] if player in SEARCHERS else ("Seed value 3",)
    say("mei")
    say("isready")
    if player in SEARCHERS:
        say(f"setoption name Method value {method}")
        say("isready")
    ready = signatures()
    for players, early_roll in thinned(product((2, 3, 4), (False, True))):
        for line in game_lines(players, early_roll=early_roll, board="classic"):
            say(line)
    for option in options:
        say(f"setoption name {option}")
        say("isready")
        for line in small_board():
            say(line)
    if player in SEARCHERS:
        say("eval")
    said = sink.getvalue().decode().splitlines()
    print("there", len(ready) > 5)
    print("errors", [line for line in said if line.startswith("error")][:3])
    print("moves", sum(line.startswith("bestmove") for line in said))
    print("made", {name: n for name, n in signatures().items() if n != ready.get(name)})


if __name__ == "__main__":
    main()
