"""Measures what it is asked to: one process of `against`, with the engine it finds on its path.

Each line of input is a JSON array, and is answered by one JSON object:
`[NAME, 0, SECONDS]` makes ready a piece of work: `{"times": how often it runs in about SECONDS,
"units": how much one run does}`; `[NAME, TIMES]` runs it: `{"seconds": CPU seconds}`;
`["signature"]`: `{"signature": number}`. What cannot be done is answered by `{"error": why}`.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from benchmarks.harness.measuring import Run, timed, times_for
from benchmarks.workloads.all_works import WORKS

_ready: dict[str, Run] = {}


def answer(name: str, times: int = 0, seconds: float = 0.0) -> dict[str, Any]:
    """The answer to one line."""
    if name == "signature":
        from masons.cli.support.signature import signature

        return {"signature": signature()}
    if times:
        return {"seconds": timed(_ready[name], times)}
    if name not in WORKS:
        return {"error": "no work of that name"}
    run = _ready[name] = WORKS[name].make()
    run()  # compiles
    return {"times": times_for(run, seconds), "units": WORKS[name].units}


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        try:
            found = answer(*json.loads(line))
        except Exception as error:
            why = str(error).strip().splitlines() or [""]
            found = {"error": f"{type(error).__name__}: {why[0]}"}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
