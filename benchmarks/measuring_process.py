"""The process that measures one of the trees that `against` compares: the tree that it imports.

Each line of input is a JSON array. The answer to it is one JSON object:

| input                | effect                                                                  |
| -------------------- | ----------------------------------------------------------------------- |
| `[NAME, 0, SECONDS]` | prepares work; the answer has `times`, the number of runs that take     |
|                      | about SECONDS, and `units`, the number of units in a run                |
| `[NAME, TIMES]`      | runs the work TIMES times; the answer has `seconds` of CPU time         |
| `["signature"]`      | computes the bench signature; the answer has `signature`                |

After an error, the answer is `{"error": reason}`.
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
