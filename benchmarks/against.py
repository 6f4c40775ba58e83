"""Whether the working tree is slower than another revision, in one interleaved run.

    python benchmarks/against.py REV [--only NAME] [--loss 0.10]

Installs both in temporary folders with caches of their own, and measures the same work with the
same seeds (`suite.py` of this tree) in both by turns, in CPU time. Each launch starts a fresh
process for either side, which then take turns, round after round. What looks slower, but may be
noise, gets more launches, up to twice as many. Prints a table, and ends with status 1 if anything
is slower by the loss (see `verdict.py`), with 2 if nothing could be measured.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import revisions
from masons.engine.files import write_atomic
from measuring import about, new_file, positive
from revisions import RevisionError
from suite import WORKS
from tables import Table, short
from verdict import LOSS, Verdict, assess

SECONDS = 0.04  # a measurement
WORKER = Path(__file__).with_name("worker.py")


class Side:
    """A process that measures with one of the two engines."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )

    def __enter__(self) -> Side:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if kind is not None:
            self._process.kill()
        self._process.communicate()

    def ask(self, *question: Any) -> dict[str, Any]:
        """What the process answers. Raises RevisionError where it has died."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise RevisionError(f"the process that measures died at {question[0]}")
        return dict(json.loads(line))


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


class Contest:
    """The rows so far, and why others were skipped."""

    def __init__(self, names: Sequence[str]) -> None:
        self.rows = {name: Row.new(name) for name in names}
        self.skipped: dict[str, str] = {}

    def _ready(self, names: Sequence[str], ours: Side, theirs: Side) -> dict[str, int]:
        """How many times each piece of work is to run; what cannot run is skipped."""
        times = {}
        for name in names:
            own, other = ours.ask(name, 0, SECONDS), theirs.ask(name, 0, SECONDS)
            failed = [
                f"{side}: {told['error']}"
                for side, told in (("here", own), ("there", other))
                if "error" in told
            ]
            if failed:
                self.skipped[name] = "; ".join(failed)
                del self.rows[name]
            else:
                times[name] = int(own["times"])
        return times

    def launch(self, names: Sequence[str], ours: Side, theirs: Side, rounds: int) -> None:
        """Measure some rows in turn, so many times; who begins changes each time."""
        times = self._ready(names, ours, theirs)
        for name in times:
            self.rows[name].launches.append([])
        for i in range(rounds):
            for name, count in times.items():
                order = (ours, theirs) if i % 2 else (theirs, ours)
                took = {side: float(side.ask(name, count)["seconds"]) for side in order}
                row, units = self.rows[name], count * WORKS[name].units
                row.launches[-1].append(took[ours] / max(took[theirs], 1e-9))
                row.ours.append(took[ours] / units)
                row.theirs.append(took[theirs] / units)

    def verdicts(self, loss: float) -> dict[str, Verdict]:
        """What is known so far."""
        return {name: assess(row.launches, loss) for name, row in self.rows.items()}

    def doubtful(self, loss: float) -> list[str]:
        """The rows that need more launches."""
        return [name for name, verdict in self.verdicts(loss).items() if verdict.is_doubtful]


def report(contest: Contest, verdicts: dict[str, Verdict], other: str) -> Table:
    """Medians, and the verdicts."""
    rows = []
    for name, row in contest.rows.items():
        verdict = verdicts[name]
        own, before = (1e6 * statistics.median(column) for column in (row.ours, row.theirs))
        words = "LOSS" if verdict.is_loss else ""
        figures = (f"{verdict.ratio:.3f}", f"{verdict.low:.3f}")
        rows.append((name, WORKS[name].unit, short(own), short(before), *figures, words))
    return Table(("what", "us a", "here", other, "ratio", "at least", ""), rows)


def installed(rev: str, folder: Path) -> list[dict[str, str]]:
    """Install the working tree and a revision in a folder: what makes Python use either."""
    environments = []
    for side in ("here", "there"):
        print(f"installing: {side}", file=sys.stderr, flush=True)
        source, site, cache = (folder / side / part for part in ("source", "site", "cache"))
        source.mkdir(parents=True)
        if side == "here":
            revisions.write_working_tree(source)
        else:
            revisions.write_revision(rev, source)
        revisions.install(source, site)
        environments.append(revisions.environment(site, cache))
    return environments


def measured(
    environments: Sequence[dict[str, str]], contest: Contest, options: argparse.Namespace
) -> bool:
    """Let the two run against each other; whether both play the same."""
    signatures: list[dict[str, Any]] = []
    for i in range(2 * options.launches):
        names = list(contest.rows) if i < options.launches else contest.doubtful(options.loss)
        if not names:
            break
        print(f"launch {i + 1}: {len(names)} rows", file=sys.stderr, flush=True)
        with ExitStack() as stack:
            ours, theirs = (stack.enter_context(Side(each)) for each in environments)
            contest.launch(names, ours, theirs, options.rounds)
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
    contest = Contest(names)
    try:
        commit = revisions.commit_of(options.revision)
        with tempfile.TemporaryDirectory(prefix="masons-against-") as folder:
            is_same = measured(installed(commit, Path(folder)), contest, options)
    except (RevisionError, OSError) as error:
        print(f"against.py: {error}", file=sys.stderr)
        return 2
    verdicts = contest.verdicts(options.loss)
    print(report(contest, verdicts, commit))
    if options.json:
        rows = [{**row._asdict(), **verdicts[name]._asdict()} for name, row in contest.rows.items()]
        told = {**about(), "against": commit, "rows": rows}
        write_atomic(options.json, json.dumps(told, indent=1) + "\n")
    return conclude(contest, verdicts, is_same, options.loss)


def conclude(contest: Contest, verdicts: dict[str, Verdict], is_same: bool, loss: float) -> int:
    """Say what is to be said about the table; the exit code."""
    for name, why in contest.skipped.items():
        print(f"skipped {name}, which does not run {why}")
    if not is_same:
        print("the two play differently (bench signatures differ): not quite the same work")
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
