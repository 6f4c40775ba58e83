"""Random play and search side by side with a C program and with OpenSpiel, in one run.

    MASONS_LIMIT=/path/to/program python -m benchmarks.compare [--only limit|openspiel]

Everything is interleaved, round after round, in CPU time on one core. A row shows the medians of
the rounds, and the median of the rounds' ratios, ours to theirs. What is not there is skipped, and
a line says so. See `c_program.py` and `openspiel.py` for what exactly is timed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

from benchmarks.harness import paired_rounds
from benchmarks.harness.measuring import about, new_file, positive
from benchmarks.rivals import c_program, openspiel
from masons.engine.files import write_atomic


def pairings(only: str | None, games: int, sims: int) -> list[paired_rounds.Pairing]:
    """What there is to compare with; a line on stderr for what is not there."""
    found: list[paired_rounds.Pairing] = []
    if only in (None, "limit"):
        path = c_program.program()
        if path:
            found += c_program.pairings(path, games)
        else:
            print(f"C program skipped: {c_program.VARIABLE} names none", file=sys.stderr)
    if only in (None, "openspiel"):
        if openspiel.is_installed:
            found += openspiel.pairings(sims)
        else:
            print("OpenSpiel skipped: pip install open_spiel", file=sys.stderr)
    return found


def as_json(outcomes: list[paired_rounds.Outcome]) -> str:
    """All figures, with the machine and the date."""
    rows = [{**o._asdict(), "ratio": o.ratio, "by_decision": o.by_decision} for o in outcomes]
    return json.dumps({**about(), "rows": rows}, indent=1) + "\n"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=("limit", "openspiel"), help="compare with one")
    parser.add_argument("--rounds", type=positive, default=7)
    parser.add_argument("--games", type=positive, default=20_000, help="beside the C program")
    parser.add_argument("--sims", type=positive, default=10_000, help="iterations of a search")
    parser.add_argument("--json", type=new_file, metavar="FILE", help="write all figures")
    options = parser.parse_args()
    try:
        chosen = pairings(options.only, options.games, options.sims)
        if not chosen:
            return
        outcomes = paired_rounds.run(chosen, options.rounds)
        print(paired_rounds.table(outcomes))
        if options.json:
            write_atomic(options.json, as_json(outcomes))
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"compare.py: {error}")


if __name__ == "__main__":
    main()
