"""A scripted engine, which speaks the protocol, knows no rules, and has the fault FAULT.

Its move is always wall:0. It imports only the standard library, so that it starts quickly.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
FILE = sys.argv[2] if len(sys.argv) > 2 else ""
LONG = 1 << 30


def say(*lines: str) -> None:
    for line in lines:
        sys.stdout.write(line + "\n")
    sys.stdout.flush()


def pour(data: bytes) -> None:
    """Write the same bytes again and again without end."""
    while True:
        os.write(1, data)


def be_deaf() -> None:
    """Ignore every signal that can be ignored, and start a child process that ignores them too.

    The ids of both processes are written into FILE.
    """
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, __file__, "sleep"])
    part = Path(FILE + ".part")
    part.write_text(f"{os.getpid()} {child.pid}")
    part.replace(FILE)


def mei() -> None:
    say("option name Depth type spin default 3 min 1 max 9", "id name Fake One")
    say("option name Style type combo default calm var calm var wild", "id flavour none")
    say("option name Log type string default", "option name Reset type button")
    say("id version 1.2", "id author Nobody in particular")
    say(f"protocol {2 if FAULT == 'version' else 1}", "option name Ponder type check default true")
    say("meiok")


def answers(number: str) -> dict[str, Callable[[], None]]:
    """Return, for each fault of an answer, a function that answers with it instead of `bestmove`.

    `number` is the id of the search.
    """
    return {
        "exit": lambda: (sys.stderr.write("out of luck\nfor good\n"), sys.exit(3))[0] and None,
        "signal": lambda: os.kill(os.getpid(), signal.SIGSEGV),
        "hush": lambda: (os.close(1), time.sleep(LONG))[1],
        "stall": lambda: None,
        "nonsense": lambda: say("Thinking hard..."),
        "twice": lambda: say(f"bestmove wall:0 id {number}", f"bestmove wall:1 id {number}"),
        "bad-info": lambda: say("info visits many"),
        "wrong-id": lambda: say("bestmove wall:0 id 99"),
        "no-id": lambda: say("bestmove wall:0"),
        "stale": lambda: say("bestmove wall:9 id 1", f"bestmove wall:0 id {number}"),
        "no-newline": lambda: (os.write(1, f"bestmove wall:0 id {number}".encode()), None)[1],
        "bytes": lambda: (os.write(1, b"info string \xff\xfe\n"), None)[1],
        "endless": lambda: pour(b"x" * 4096),
        "flood": lambda: pour(b"info string again\n" * 100),
        "flood-other": lambda: pour(b"readyok\n" * 400),
        "no-move": lambda: say("bestmove"),
        "huge-id": lambda: say("bestmove wall:0 id " + "1" * 9999),
        "huge-rank": lambda: say("info multipv 99999 move wall:0"),
        "blanks": lambda: pour(b"\n" * 4096),
        "deaf-stop": lambda: None,
        "error": lambda: say(f"error state id {number} nothing to search"),
        "error-no-id": lambda: say("error state nothing to search"),
    }


def main() -> None:
    if FAULT == "sleep":
        time.sleep(LONG)
    if FAULT == "exit-at-once":
        sys.exit("no such weights")
    if FAULT == "deaf":
        be_deaf()
    if FAULT == "mute":
        time.sleep(LONG)
    running = ""
    for line in sys.stdin:
        words = line.split()
        if words[0] == "mei":
            mei()
        elif words[0] == "isready":
            say("info string getting there", *([] if FAULT == "never-ready" else ["readyok"]))
        elif words[0] == "setoption" and words[2] not in ("Depth", "Style", "Log", "Ponder"):
            say(f"error unknown no option {words[2]}")
        elif words[0] == "position" and "bad" in words:
            say("error illegal no such position")
        elif words[0] == "go":
            running = words[words.index("id") + 1]
            if FAULT == "echo":
                say("info string " + line.strip())
            if FAULT in answers(running) and (FAULT != "stale" or running != "1"):
                answers(running)[FAULT]()
                running = running if FAULT == "error-no-id" else ""
            elif "infinite" not in words:
                say("info sims 99 move wall:0 visits 60 win 0.5,0.5 new 1 expect 0.4 pv wall:0")
                say("info time 9 sims 200 multipv 1 move wall:0 visits 90 win 0.6,0.4 se 0.01")
                say("info multipv 2 move wall:1 visits 10", f"bestmove wall:0 id {running}")
                running = ""
        elif (
            words[0] == "stop" and running and FAULT != "deaf-stop" and words[1:] in ([], [running])
        ):
            if FAULT != "error-no-id":
                say(f"bestmove wall:0 id {running}")
            running = ""
        elif words[0] == "query":
            say(f"response {words[1]}" if words[1] == "legal" else f"error unknown {words[1]}")
        elif words[0] == "eval":
            say("response eval win 0.6,0.4 score 40,35.5", "response card cities count 2 points 4")
        elif words[0] == "belief":
            say("response belief 1 cards 6 cities=0.5/0.4 land-red=1/0.8")
        elif words[0] == "quit":
            break
    while FAULT == "deaf":
        time.sleep(LONG)


if __name__ == "__main__":
    main()
