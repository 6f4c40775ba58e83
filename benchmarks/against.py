"""Whether the working tree is slower than another revision, in one interleaved run.

    python -m benchmarks.against REV [--only NAME] [--loss 0.10] [--same-works]

Installs both in temporary folders with caches of their own, and measures the same work with the
same seeds in both by turns, in CPU time; each by its own benchmarks, matched by name, or with
--same-works both by this tree's workloads, for work that REV has no name for yet. Each launch
starts a fresh process for either side, which then take turns, round after round. What looks slower,
but may be noise, gets more launches, up to twice as many. Prints a table, and ends with status 1 if
anything is slower by the loss (see `harness/loss_verdict.py`), with 2 if nothing could be measured.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.harness import revisions
from benchmarks.harness.loss_verdict import LOSS, Verdict, assess
from benchmarks.harness.markdown_table import Table, short
from benchmarks.harness.measuring import ROOT, about, new_file, positive
from benchmarks.harness.revisions import RevisionError
from benchmarks.harness.side_process import Side, Tree, installed_tree
from benchmarks.workloads.all_works import WORKS
from masons.engine.files import write_atomic

SECONDS = 0.04  # a measurement


class Row(NamedTuple):
    """What was measured of one piece of work."""

    name: str
    launches: list[list[float]]  # ratios of the rounds
    ours: list[float]  # CPU seconds a unit
    theirs: list[float]

    @classmethod
    def new(cls, name: str) -> Row:
        """Nothing yet."""
        return cls(name, [], [], [])


class Share(NamedTuple):
    """What one measurement of a piece of work does."""

    times: int  # that it runs
    ours: int  # units in that
    theirs: int


class Comparison:
    """The rows so far, and why others were skipped."""

    def __init__(self, names: Sequence[str]) -> None:
        self.rows = {name: Row.new(name) for name in names}
        self.skipped: dict[str, str] = {}

    def _ready(self, names: Sequence[str], ours: Side, theirs: Side) -> dict[str, Share]:
        """How much of each piece of work is to be done; what cannot run is skipped."""
        shares = {}
        for name in names:
            own, other = ours.ask(name, 0, SECONDS), theirs.ask(name, 0, SECONDS)
            failed = [
                f"{side}: {found['error']}"
                for side, found in (("here", own), ("there", other))
                if "error" in found
            ]
            if failed:
                self.skipped[name] = "; ".join(failed)
                del self.rows[name]
            else:
                times, units = int(own["times"]), int(own["units"])
                # A revision with flat benchmarks does not say; a run of its did as much.
                shares[name] = Share(times, times * units, times * int(other.get("units", units)))
        return shares

    def launch(self, names: Sequence[str], ours: Side, theirs: Side, rounds: int) -> None:
        """Measure some rows in turn, so many times; who begins changes each time."""
        shares = self._ready(names, ours, theirs)
        for name in shares:
            self.rows[name].launches.append([])
        for i in range(rounds):
            for name, share in shares.items():
                order = (ours, theirs) if i % 2 else (theirs, ours)
                took = {side: float(side.ask(name, share.times)["seconds"]) for side in order}
                row = self.rows[name]
                row.ours.append(took[ours] / share.ours)
                row.theirs.append(took[theirs] / share.theirs)
                row.launches[-1].append(row.ours[-1] / max(row.theirs[-1], 1e-12))

    def verdicts(self, loss: float) -> dict[str, Verdict]:
        """What is known so far."""
        return {name: assess(row.launches, loss) for name, row in self.rows.items()}

    def doubtful(self, loss: float) -> list[str]:
        """The rows that need more launches."""
        return [name for name, verdict in self.verdicts(loss).items() if verdict.is_doubtful]


def report(comparison: Comparison, verdicts: dict[str, Verdict], other: str) -> Table:
    """Medians, and the verdicts."""
    rows = []
    for name, row in comparison.rows.items():
        verdict = verdicts[name]
        own, before = (1e6 * statistics.median(column) for column in (row.ours, row.theirs))
        words = "LOSS" if verdict.is_loss else ""
        figures = (f"{verdict.ratio:.3f}", f"{verdict.low:.3f}")
        rows.append((name, WORKS[name].unit, short(own), short(before), *figures, words))
    return Table(("what", "us a", "here", other, "ratio", "at least", ""), rows)


def installed(rev: str, folder: Path, *, same_works: bool) -> list[Tree]:
    """Install the working tree and a revision in a folder.

    With `same_works` the revision gets the workloads of the working tree.
    """
    trees = []
    for side in ("here", "there"):
        print(f"installing: {side}", file=sys.stderr, flush=True)
        source, site, cache = (folder / side / part for part in ("source", "site", "cache"))
        source.mkdir(parents=True)
        if side == "here":
            revisions.write_working_tree(source)
        else:
            revisions.write_revision(rev, source)
            if same_works:
                shutil.copytree(
                    ROOT / "benchmarks" / "workloads",
                    source / "benchmarks" / "workloads",
                    dirs_exist_ok=True,
                )
        trees.append(installed_tree(source, site, cache))
    return trees


def measured(trees: Sequence[Tree], comparison: Comparison, options: argparse.Namespace) -> bool:
    """Let the two run against each other; whether both play the same."""
    signatures: list[dict[str, Any]] = []
    for i in range(2 * options.launches):
        names = list(comparison.rows)
        if i >= options.launches:
            names = comparison.doubtful(options.loss)
        if not names:
            break
        print(f"launch {i + 1}: {len(names)} rows", file=sys.stderr, flush=True)
        with ExitStack() as stack:
            ours, theirs = (stack.enter_context(Side(tree)) for tree in trees)
            comparison.launch(names, ours, theirs, options.rounds)
            signatures = signatures or [side.ask("signature") for side in (ours, theirs)]
    return not signatures or signatures[0] == signatures[1]


def main() -> int:
    """Print the table; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("revision", metavar="REV", help="what to compare the working tree with")
    parser.add_argument("--only", default="", metavar="REGEX", help="work whose name has this")
    parser.add_argument("--loss", type=float, default=LOSS, help="what fails (0.10: 10%%)")
    parser.add_argument("--launches", type=positive, default=5, help="pairs of processes")
    parser.add_argument("--rounds", type=positive, default=3, help="in a launch")
    parser.add_argument(
        "--same-works", action="store_true", help="measure REV by this tree's workloads, too"
    )
    parser.add_argument("--json", type=new_file, metavar="FILE", help="write all figures")
    options = parser.parse_args()
    try:
        names = [name for name in WORKS if re.search(options.only, name)]
    except re.error as error:
        parser.error(f"--only {options.only!r}: {error}")
    if not names:
        parser.error(f"no work has {options.only!r} in its name: {', '.join(WORKS)}")
    if not options.loss > 0:
        parser.error(f"--loss is {options.loss}: it must be more than 0")
    comparison = Comparison(names)
    try:
        commit = revisions.commit_of(options.revision)
        with tempfile.TemporaryDirectory(prefix="masons-against-") as folder:
            trees = installed(commit, Path(folder), same_works=options.same_works)
            is_same = measured(trees, comparison, options)
    except (RevisionError, OSError) as error:
        print(f"against.py: {error}", file=sys.stderr)
        return 2
    verdicts = comparison.verdicts(options.loss)
    print(report(comparison, verdicts, commit))
    if options.json:
        rows = [
            {**row._asdict(), **verdicts[name]._asdict()} for name, row in comparison.rows.items()
        ]
        figures = {**about(), "against": commit, "rows": rows}
        write_atomic(options.json, json.dumps(figures, indent=1) + "\n")
    return conclude(comparison, verdicts, is_same, options.loss)


def conclude(
    comparison: Comparison, verdicts: dict[str, Verdict], is_same: bool, loss: float
) -> int:
    """Say what is to be said about the table; the exit code."""
    for name, why in comparison.skipped.items():
        print(f"skipped {name}, which does not run {why}")
    if not is_same:
        print("the bench signatures differ: the two play differently, not quite the same work")
    if not verdicts:
        print("nothing could be measured")
        return 2
    lost = [name for name, verdict in verdicts.items() if verdict.is_loss]
    if lost:
        print(f"slower by {loss:.0%} or more: {', '.join(lost)}")
    else:
        print(f"nothing is slower by {loss:.0%}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
