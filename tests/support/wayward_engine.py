"""The example engine with a fault, which its argument names and a compliance test must find."""

from __future__ import annotations

import os
import random
import re
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

import plain_random

FAULT = sys.argv[1]
LONG = 1 << 30
say, legal_moves, read_line = plain_random.say, plain_random.legal_moves, plain_random.read_line

# For each fault of the output: the first word of the lines that it changes, and how it changes one.
WRITTEN: dict[str, tuple[str, Callable[[str], str]]] = {
    "chatty": ("bestmove", lambda line: f"I have thought about it.\n{line}"),
    "no-id": ("bestmove", lambda line: line.partition(" id ")[0]),
    "error-without-id": ("error", lambda line: re.sub(r" id \S+", "", line)),
    "version": ("protocol", lambda _: "protocol 2"),
    "bad-option": ("option", lambda line: line.replace("default 0", "default -1")),
    "twice": ("bestmove", lambda line: f"{line}\n{line}"),
    "no-move": ("bestmove", lambda line: re.sub(r" \S+", " resign", line, count=1)),
    "late-info": ("bestmove", lambda line: f"{line}\ninfo sims 1 move wall:0"),
    "bad-win": ("bestmove", lambda line: f"info move {line.split()[1]} win 1.5,-0.5\n{line}"),
    "bad-info": ("bestmove", lambda line: f"info sims several\n{line}"),
    "bare-word": ("bestmove", lambda line: f"info time 2 foo sims 1 move wall:0\n{line}"),
    "wrong-rank": ("bestmove", lambda line: f"info multipv 1 move wall:0\n{line}"),
    "one-code": ("error", lambda _: "error internal something went wrong"),
    "silent": ("error", lambda _: "info string something went wrong"),
    "phases": ("response phase", lambda _: "response phase nap"),
    "winners": ("response result scores", lambda line: line.replace("winners ", "winners 3,")),
}
# For each fault of the input: how it changes a command before the engine carries it out.
READ: dict[str, Callable[[plain_random.Player, str], str]] = {
    "no-tabs": lambda _, line: "fly" if "\t" in line else line,
    "no-comments": lambda _, line: line.replace("#", "fly "),
    "any-stop": lambda _, line: "stop" if line.startswith("stop") else line,
    "any-stop-slowly": lambda player, line: obey_later(player, line, "stop "),
    "impatient-slowly": lambda player, line: obey_later(player, line, "go id s1 infinite"),
    "impatient": lambda _, line: line.replace("infinite", "sims 1"),
    "all-moves": lambda _, line: re.sub(r" (moves|avoid)[^=]*sims", " sims", line),
    "no-seeds": lambda _, line: re.sub("seed .*", f"seed {random.getrandbits(30)}", line),
    "any-option": lambda _, line: "stop" if line.startswith("setoption") else line,
    "forgets": lambda player, line: forget(player, line),
    "not-busy": lambda player, line: give_up(player, line),
    "slow": lambda _, line: dawdle(line, "go clock", 2.2),
    "late": lambda _, line: dawdle(line, "go movetime", 0.5),
    "any-seat": lambda player, line: leave_seat(player, line),
    "no-end": lambda _, line: "" if line.startswith("gameover") else line,
    "any-space": lambda _, line: " ".join(line.split()),
    "stops-late": lambda _, line: dawdle(line, "stop", 0.1),
}


def forget(player: plain_random.Player, line: str) -> str:
    """Forget the current position when a new position or game is sent."""
    if line.startswith(("position", "newgame")):
        player.at = None
    return line


def leave_seat(player: plain_random.Player, line: str) -> str:
    """Play for whichever seat decides."""
    if line.startswith("go"):
        player.game = None
    return line


def give_up(player: plain_random.Player, line: str) -> str:
    """Forget the running search when another command comes."""
    if not line.startswith(("stop", "isready")):
        player.waiting = None
    return line


def obey_later(player: plain_random.Player, line: str, start: str) -> str:
    """End the search 0.1 s after a line with this start, whatever the line says."""
    if line.startswith(start):
        threading.Timer(0.1, player.do, ["stop"]).start()
    return line


def dawdle(line: str, start: str, seconds: float) -> str:
    """Wait before a line with this start is carried out."""
    if line.startswith(start):
        time.sleep(seconds)
    return line


def say_wrongly(*lines: str) -> None:
    """Write lines, changed by the fault."""
    start, change = WRITTEN.get(FAULT, ("", str))
    for line in lines:
        for part in (change(line) if line.startswith(start) else line).split("\n"):
            say(part)


def list_wrongly(at: plain_random.Position) -> list[str]:
    """Return the legal moves, changed by the fault."""
    moves = legal_moves(at)
    if FAULT == "illegal" and at.phase == "wall" and at.walls:
        return [f"wall:{line}" for line in at.walls]
    if FAULT == "one-missing" and at.phase == "houses":
        return moves[1:]
    if FAULT == "crash" and at.phase == "swap":
        os._exit(7)
    return moves


def read_wrongly() -> str | None:
    """Return the next line of input, or show the fault instead."""
    line = read_line()
    if FAULT == "deaf" and (line is None or line.startswith("quit")):
        time.sleep(LONG)
    if FAULT == "dies-of-bytes" and line == "":
        raise SystemExit(1)
    return line


class Wayward(plain_random.Player):
    """The example engine, which reads each command as the fault changes it."""

    def do(self, line: str) -> bool:
        return super().do(READ.get(FAULT, lambda _, line: line)(self, line))


if __name__ == "__main__":
    plain_random.say = say_wrongly
    plain_random.legal_moves = list_wrongly
    plain_random.read_line = read_wrongly
    if FAULT == "one-name":
        plain_random.listed_as = lambda _, move: plain_random.in_order(move)
    plain_random.Player = Wayward  # type: ignore[misc]
    plain_random.main()
