"""The example engine, which breaks the protocol at a moment of each game.

The first argument names the fault, and the second the command at which it happens. The third is a
file that counts this command: the fault happens the second time and SOME - 1 times more, so that it
happens at all tries of one decision, and the engine plays on afterwards.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

import plain_random

FAULT, MOMENT, FILE = sys.argv[1:]
SOME = 4
FAULTS = {
    "exit": lambda: os._exit(3),
    "closes": lambda: (os.close(1), time.sleep(60)),
    "readyok": lambda: os.write(1, b"readyok\n"),
    "no-id": lambda: os.write(1, b"bestmove wall:0\n"),
    "wrong-id": lambda: os.write(1, b"bestmove wall:0 id 987654\n"),
    "long": lambda: os.write(1, b"info string " + b"x" * (1 << 20) + b"\n"),
    "bytes": lambda: os.write(1, b"info string \xff\n"),
    "info": lambda: os.write(1, b"info sims several\n"),
    "late": lambda: time.sleep(0.5),
    "error": lambda: os.write(1, b"error internal all is lost\n"),
}


class Hostile(plain_random.Player):
    """The example engine with the fault."""

    def do(self, line: str) -> bool:
        if line.split()[0] == MOMENT:
            with Path(FILE).open("ab") as file:
                file.write(b".")
                times = file.tell()
            if 1 < times <= 1 + SOME:
                FAULTS[FAULT]()
        return super().do(line)


if __name__ == "__main__":
    plain_random.Player = Hostile  # type: ignore[misc]
    plain_random.main()
