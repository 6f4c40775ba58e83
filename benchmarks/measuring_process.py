"""The process that measures one side of `against`, namely the engine on its import path.

Each line of input is a JSON array, and is answered by one JSON object. `[NAME, 0, SECONDS]`
prepares a piece of work, and is answered by `{"times": runs in about SECONDS, "units": units in a
run}`. `[NAME, TIMES]` runs the work, and is answered by `{"seconds": CPU seconds}`. `["signature"]`
asks for the bench signature, and is answered by `{"signature": number}`. Errors are answered by
`{"error": reason}`.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from benchmarks.measuring import Run, timed, times_for
from benchmarks.works import WORKS

_ready: dict[str, Run] = {}


def answer(name: str, times: int = 0, seconds: float = 0.0) -> dict[str, Any]:
    """Return the answer to one line of input."""
    if name == "signature":
        from masons.cli.commands.bench import signature

        return {"signature": signature()}
    if times:
        return {"seconds": timed(_ready[name], times)}
    if name not in WORKS:
        return {"error": "no work of that name"}
    run = _ready[name] = WORKS[name].make()
    run()  # compiles the kernels
    return {"times": times_for(run, seconds), "units": WORKS[name].units}


def main() -> None:
    """Answer lines of input until the input ends."""
    for line in sys.stdin:
        try:
            reply = answer(*json.loads(line))
        except Exception as error:
            why = str(error).strip().splitlines() or [""]
            reply = {"error": f"{type(error).__name__}: {why[0]}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
