"""Compare the speed of the working tree with the speed of another revision.

    python -m benchmarks.against REV [--only NAME] [--loss 0.10] [--same-works]

Both trees are installed in temporary folders with separate kernel caches. They take turns at the
same work with the same seeds, and their CPU time is measured. Each tree is measured with its own
benchmarks, which are matched by name. With --same-works, both trees are measured with the
benchmarks of the working tree. A launch starts a new process for each tree, and the two processes
then take turns, round after round. Work that looks slower, perhaps only because of noise, is
measured in up to twice as many launches. The command prints a table. The exit status is 1 if any
work is slower by the share --loss or more, and 2 if nothing could be measured.

A ratio is the CPU time of the working tree divided by the CPU time of the revision, so a ratio
above 1 means slower. All rounds of a launch are affected by chance properties of its two processes,
such as where their code is in memory. Each launch therefore counts as a single observation, which
is the median ratio of its rounds.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.measuring import ROOT, Table, about, git, in_turn, new_file, parser_of, short
from benchmarks.works import WORKS
from masons.engine.files import write_atomic

LOSS = 0.10
CONFIDENCE = 0.95
SECONDS = 0.04  # length of a measurement in CPU seconds


class Verdict(NamedTuple):
    """The verdict of all launches on one piece of work."""

    ratio: float
    low: float  # lower bound of the ratio, valid with CONFIDENCE from 5 launches on
    is_loss: bool
    is_doubtful: bool  # True if the loss may be noise, so that more launches are needed


def lower_bound(values: Sequence[float]) -> float:
    """Return a lower confidence bound for the median, given a sample of values.

    The bound is valid for any distribution. The probability that the k-th lowest of n values is
    above the median equals the probability that n coin tosses give fewer than k heads. The result
    is the highest value that is below the median with probability CONFIDENCE. With too few values
    (fewer than 5 for 95 %), there is no such value, and the result is the lowest value.
    """
    ordered = sorted(values)
    n = len(ordered)
    chance, rank = 0.0, 0
    for heads in range(n):
        chance += math.comb(n, heads) / 2**n
        if chance > 1 - CONFIDENCE:
            break
        rank = heads
    return ordered[rank]


def assess(launches: Sequence[Sequence[float]], loss: float = LOSS) -> Verdict:
    """Return the verdict on some work, given the ratios of all rounds of each launch.

    The work is slower if its median ratio is at least 1 + `loss`, and the lower bound of the ratio
    is at least 1 + `loss` / 2. A burst of noise in one or two launches is therefore not enough.
    """
    medians = [statistics.median(ratios) for ratios in launches]
    ratio, low = statistics.median(medians), lower_bound(medians)
    looks_lost, is_sure = ratio >= 1 + loss, low >= 1 + loss / 2
    return Verdict(ratio, low, looks_lost and is_sure, looks_lost and not is_sure)


# --- two installed trees


class RevisionError(Exception):
    """Raised for a revision that does not exist or cannot be installed."""


def commit_of(revision: str) -> str:
    """Return the short id of the commit that a revision names.

    Raises RevisionError if there is no such commit.
    """
    line = ("rev-parse", "--verify", "--quiet", "--short=12", f"{revision}^{{commit}}")
    try:
        return git(*line).decode().strip()
    except ChildProcessError:
        raise RevisionError(f"{revision!r} is no revision of {ROOT}") from None


def write_tree(folder: Path, revision: str | None) -> None:
    """Copy the files of a revision to a folder, or of the working tree if `revision` is None.

    Files that git ignores are left out.
    """
    if revision is not None:
        with tarfile.open(fileobj=io.BytesIO(git("archive", revision))) as archive:
            # Python before 3.11.4 does not have this filter.
            archive.extraction_filter = getattr(tarfile, "data_filter", None)
            archive.extractall(folder)
        return
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").decode()
    for name in filter(None, listed.split("\0")):
        source, target = ROOT / name, folder / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def environment(cache: Path, *folders: Path) -> dict[str, str]:
    """Return an environment in which Python imports from `folders` and keeps kernels in `cache`."""
    kept = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    path = os.pathsep.join(map(str, folders))
    return {**kept, "PYTHONPATH": path, "XDG_CACHE_HOME": str(cache)}


# The module that measures a tree. In older revisions, it is in another folder.
_MODULES: Final = ("benchmarks.measuring_process", "benchmarks.harness.measuring_process")


class InstalledTree(NamedTuple):
    """The command and the environment for the process that measures a tree."""

    command: tuple[str, ...]
    environment: dict[str, str]


def installed_tree(source: Path, site: Path, cache: Path) -> InstalledTree:
    """Install a tree, including its C parts, in the folder `site`. Its kernel cache is `cache`.

    `source` is the folder of the tree. Raises RevisionError if the installation fails, or if the
    tree has no benchmarks.
    """
    for module in _MODULES:
        if (source / Path(*module.split("."))).with_suffix(".py").is_file():
            break
    else:
        raise RevisionError(f"{source} has no benchmarks to measure it by")
    line = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    line += ["--disable-pip-version-check", "--target", str(site), str(source)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RevisionError(f"cannot install {source}: {done.stderr.strip() or done.returncode}")
    # The installed engine comes first on the path. The source tree only provides the benchmarks.
    command = (sys.executable, "-P", "-m", module)
    return InstalledTree(command, environment(cache, site, source))


def installed(revision: str, folder: Path, *, same_works: bool) -> list[InstalledTree]:
    """Install the working tree and a revision in a folder.

    With `same_works`, the revision is measured with the benchmarks of the working tree.
    """
    trees = []
    for side, commit in (("here", None), ("there", revision)):
        print(f"installing: {side}", file=sys.stderr, flush=True)
        source, site, cache = (folder / side / part for part in ("source", "site", "cache"))
        source.mkdir(parents=True)
        write_tree(source, commit)
        if commit is not None and same_works:
            shutil.copytree(ROOT / "benchmarks", source / "benchmarks", dirs_exist_ok=True)
        trees.append(installed_tree(source, site, cache))
    return trees


class MeasuringProcess:
    """A process that measures one of the two trees (see `measuring_process`)."""

    def __init__(self, tree: InstalledTree) -> None:
        self._process = subprocess.Popen(
            tree.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, env=tree.environment,
        )  # fmt: skip

    def __enter__(self) -> MeasuringProcess:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._process.kill()
        self._process.communicate()

    def ask(self, name: str, *arguments: float) -> dict[str, Any]:
        """Send a line to the process and return its answer. Raises RevisionError if it has died."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps([name, *arguments]) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise RevisionError(f"the process that measures died at {name}")
        return dict(json.loads(line))

    def seconds(self, name: str, times: int, units: int, _: int = 0) -> float:
        """Run some work `times` times, which is `units` units. Return the CPU seconds per unit."""
        return float(self.ask(name, times)["seconds"]) / units


# --- measuring


class ComparedWork(NamedTuple):
    """The measurements of one piece of work."""

    launches: list[list[float]]  # for each launch, the ratios of its rounds
    ours: list[float]  # CPU seconds per unit in the working tree
    theirs: list[float]


class Comparison:
    """The measurements made so far, and the reasons why work was skipped."""

    def __init__(self, names: Sequence[str]) -> None:
        self.rows = {name: ComparedWork([], [], []) for name in names}
        self.skipped: dict[str, str] = {}

    def launch(
        self, names: Sequence[str], ours: MeasuringProcess, theirs: MeasuringProcess, rounds: int
    ) -> None:
        """Measure the named work in turn. Skip work that does not run on both sides."""
        measures = {}
        for name in names:
            replies = {"here": ours.ask(name, 0, SECONDS), "there": theirs.ask(name, 0, SECONDS)}
            failed = [f"{side}: {r['error']}" for side, r in replies.items() if "error" in r]
            if failed:
                self.skipped[name] = "; ".join(failed)
                del self.rows[name]
                continue
            times, units = int(replies["here"]["times"]), int(replies["here"]["units"])
            for side, process in (("here", ours), ("there", theirs)):
                # Older revisions do not report the number of units, but their runs have the same
                # number.
                count = times * int(replies[side].get("units", units))
                measures[name, side] = partial(process.seconds, name, times, count)
        took = in_turn(measures, rounds)
        for name in dict.fromkeys(name for name, _ in measures):
            row, now, before = self.rows[name], took[name, "here"], took[name, "there"]
            row.ours.extend(now)
            row.theirs.extend(before)
            row.launches.append([a / max(b, 1e-12) for a, b in zip(now, before, strict=True)])

    def verdicts(self, loss: float) -> dict[str, Verdict]:
        """Return the verdicts based on the measurements made so far."""
        return {name: assess(row.launches, loss) for name, row in self.rows.items()}

    def doubtful(self, loss: float) -> list[str]:
        """Return the names of the work that needs more launches."""
        return [name for name, verdict in self.verdicts(loss).items() if verdict.is_doubtful]

    def run(self, trees: Sequence[InstalledTree], launches: int, rounds: int, loss: float) -> bool:
        """Measure both trees in several launches. Return True if their signatures are equal."""
        signatures: list[dict[str, Any]] = []
        for i in range(2 * launches):
            names = list(self.rows) if i < launches else self.doubtful(loss)
            if not names:
                break
            print(f"launch {i + 1}: {len(names)} rows", file=sys.stderr, flush=True)
            with ExitStack() as stack:
                ours, theirs = (stack.enter_context(MeasuringProcess(tree)) for tree in trees)
                self.launch(names, ours, theirs, rounds)
                signatures = signatures or [side.ask("signature") for side in (ours, theirs)]
        return not signatures or signatures[0] == signatures[1]


def report(comparison: Comparison, verdicts: dict[str, Verdict], other: str) -> Table:
    """Return a table of the medians and the verdicts."""
    rows = []
    for name, row in comparison.rows.items():
        verdict = verdicts[name]
        medians = (short(1e6 * statistics.median(column)) for column in (row.ours, row.theirs))
        figures = f"{verdict.ratio:.3f}", f"{verdict.low:.3f}", "LOSS" * verdict.is_loss
        rows.append((name, WORKS[name].unit, *medians, *figures))
    return Table(("what", "us a", "here", other, "ratio", "at least", ""), rows)


def conclude(
    comparison: Comparison, verdicts: dict[str, Verdict], is_same: bool, loss: float
) -> int:
    """Print which work was skipped and which work is slower. Return the exit status."""
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


def main() -> int:
    """Compare the two trees and print the table. Return the exit status."""
    parser = parser_of(__doc__, launches=5, rounds=3)  # pairs of processes, and rounds in each pair
    parser.add_argument("revision", metavar="REV", help="what to compare the working tree with")
    parser.add_argument("--only", default="", metavar="REGEX", help="work whose name has this")
    parser.add_argument("--loss", type=float, default=LOSS, help="what fails (0.10: 10%%)")
    parser.add_argument("--same-works", action="store_true", help="measure REV by our workloads")
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
        commit = commit_of(options.revision)
        with tempfile.TemporaryDirectory(prefix="masons-against-") as folder:
            trees = installed(commit, Path(folder), same_works=options.same_works)
            is_same = comparison.run(trees, options.launches, options.rounds, options.loss)
    except (RevisionError, OSError) as error:
        print(f"against.py: {error}", file=sys.stderr)
        return 2
    verdicts = comparison.verdicts(options.loss)
    print(report(comparison, verdicts, commit))
    if options.json:
        rows = [
            {"name": name, **row._asdict(), **verdicts[name]._asdict()}
            for name, row in comparison.rows.items()
        ]
        figures = {**about(), "against": commit, "rows": rows}
        write_atomic(options.json, json.dumps(figures, indent=1) + "\n")
    return conclude(comparison, verdicts, is_same, options.loss)


if __name__ == "__main__":
    sys.exit(main())
