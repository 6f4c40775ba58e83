"""Compare the speed of the working tree with that of another revision, in one interleaved run.

    python -m benchmarks.against REV [--only NAME] [--loss 0.10] [--same-works]

Both are installed in temporary folders with caches of their own, and do the same work with the
same seeds by turns, in CPU time; each is measured by its own benchmarks, matched by name, or with
--same-works both by this tree's. Each launch starts a fresh process for either side; the two then
take turns, round after round. Work that looks slower, but may be noise, gets up to twice as many
launches. Prints a table. Exit status: 1 if anything is slower by the loss, 2 if nothing could be
measured.

A ratio is ours to theirs in CPU seconds, so more than 1 is slower. The ratios of a launch's rounds
share what is peculiar to its two processes, such as where their code lies in memory; launches do
not. So a launch counts as one observation, the median of its rounds.
"""

from __future__ import annotations

import argparse
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
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple

from benchmarks.measuring import ROOT, Table, about, new_file, positive, short
from benchmarks.works import WORKS
from masons.engine.files import write_atomic

LOSS = 0.10
CONFIDENCE = 0.95


class Verdict(NamedTuple):
    """The verdict of the launches on one piece of work."""

    ratio: float
    low: float  # the true ratio is above that, with CONFIDENCE where there are 5 launches or more
    is_loss: bool
    is_doubtful: bool  # it looks like a loss, but noise could do that: more launches will tell


def lower_bound(values: Sequence[float], confidence: float = CONFIDENCE) -> float:
    """A bound below the median of what the values are drawn from, whatever its distribution.

    The k-th lowest of n values lies above that median as often as n coins show fewer than k heads.
    The highest such value that is still below it with the confidence is taken; where even the
    lowest is not (fewer than 5 values at 95%), the lowest.
    """
    ordered = sorted(values)
    n = len(ordered)
    chance, rank = 0.0, 0
    for heads in range(n):
        chance += math.comb(n, heads) / 2**n
        if chance > 1 - confidence:
            break
        rank = heads
    return ordered[rank]


def assess(launches: Sequence[Sequence[float]], loss: float = LOSS) -> Verdict:
    """The verdict on the ratios of each launch's rounds.

    A loss is what costs so much more in the middle launch, and for sure at least half of that: a
    burst of noise in one launch or two proves nothing.
    """
    medians = [statistics.median(ratios) for ratios in launches]
    ratio, low = statistics.median(medians), lower_bound(medians)
    looks_lost, is_sure = ratio >= 1 + loss, low >= 1 + loss / 2
    return Verdict(ratio, low, looks_lost and is_sure, looks_lost and not is_sure)


class RevisionError(Exception):
    """A revision that is not there or cannot be installed."""


def _git_output(*arguments: str) -> bytes:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, check=False)
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip() or f"git {arguments[0]} failed"
        raise RevisionError(why.splitlines()[-1])
    return done.stdout


def commit_of(revision: str) -> str:
    """The short id of the commit that a revision names. Raises RevisionError."""
    line = ("rev-parse", "--verify", "--quiet", "--short=12", f"{revision}^{{commit}}")
    try:
        return _git_output(*line).decode().strip()
    except RevisionError:
        raise RevisionError(f"{revision!r} is no revision of {ROOT}") from None


def write_revision(revision: str, folder: Path) -> None:
    """The files of a commit."""
    with tarfile.open(fileobj=io.BytesIO(_git_output("archive", revision))) as archive:
        # There is no filter before Python 3.11.4.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)


def write_working_tree(folder: Path) -> None:
    """The files as they are now, without those that git ignores."""
    listed = _git_output("ls-files", "-z", "--cached", "--others", "--exclude-standard").decode()
    for name in filter(None, listed.split("\0")):
        source, target = ROOT / name, folder / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def install(source: Path, folder: Path) -> None:
    """Install a tree without its dependencies, C parts and all. Raises RevisionError."""
    line = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    line += ["--disable-pip-version-check", "--target", str(folder), str(source)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RevisionError(f"cannot install {source}: {done.stderr.strip() or done.returncode}")


def environment(cache: Path, *folders: Path) -> dict[str, str]:
    """Return an environment in which Python imports from `folders` and keeps kernels in `cache`."""
    kept = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    path = os.pathsep.join(map(str, folders))
    return {**kept, "PYTHONPATH": path, "XDG_CACHE_HOME": str(cache)}


# What measures a tree, newest first: revisions before 26 November 2026 have a harness folder.
_MODULES: Final = ("benchmarks.measuring_process", "benchmarks.harness.measuring_process")


class Tree(NamedTuple):
    """An installed tree: how to start the process that measures it."""

    command: tuple[str, ...]
    environment: dict[str, str]


def installed_tree(source: Path, site: Path, cache: Path) -> Tree:
    """Install the tree in `source` in the folder `site`, its kernels to be kept in `cache`.

    Raises RevisionError where that fails, or the tree has no benchmarks of its own.
    """
    for module in _MODULES:
        if (source / Path(*module.split("."))).with_suffix(".py").is_file():
            install(source, site)
            # The installed engine stands before the source tree, which is there for benchmarks.
            path = environment(cache, site, source)
            return Tree((sys.executable, "-P", "-m", module), path)
    raise RevisionError(f"{source} has no benchmarks to measure it by")


class Side:
    """A process that measures one of the two trees."""

    def __init__(self, tree: Tree) -> None:
        self._process = subprocess.Popen(
            tree.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=tree.environment,
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

    def ask(self, name: str, *arguments: float) -> dict[str, Any]:
        """Return the answer of the process. Raises RevisionError if it has died."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            request = [name, *arguments]
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise RevisionError(f"the process that measures died at {name}")
        return dict(json.loads(line))


SECONDS = 0.04  # a measurement


class Row(NamedTuple):
    """The measurements of one piece of work."""

    name: str
    launches: list[list[float]]  # ratios of the rounds
    ours: list[float]  # CPU seconds a unit
    theirs: list[float]

    @classmethod
    def new(cls, name: str) -> Row:
        """Nothing yet."""
        return cls(name, [], [], [])


class Share(NamedTuple):
    """The work that one measurement does."""

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
            ours_ready, theirs_ready = ours.ask(name, 0, SECONDS), theirs.ask(name, 0, SECONDS)
            failed = [
                f"{side}: {reply['error']}"
                for side, reply in (("here", ours_ready), ("there", theirs_ready))
                if "error" in reply
            ]
            if failed:
                self.skipped[name] = "; ".join(failed)
                del self.rows[name]
            else:
                times, units = int(ours_ready["times"]), int(ours_ready["units"])
                # A revision with flat benchmarks does not say; a run of its did as much.
                shares[name] = Share(
                    times, times * units, times * int(theirs_ready.get("units", units))
                )
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
        """Return the verdicts so far."""
        return {name: assess(row.launches, loss) for name, row in self.rows.items()}

    def doubtful(self, loss: float) -> list[str]:
        """The rows that need more launches."""
        return [name for name, verdict in self.verdicts(loss).items() if verdict.is_doubtful]


def report(comparison: Comparison, verdicts: dict[str, Verdict], other: str) -> Table:
    """Medians, and the verdicts."""
    rows = []
    for name, row in comparison.rows.items():
        verdict = verdicts[name]
        now, before = (1e6 * statistics.median(column) for column in (row.ours, row.theirs))
        words = "LOSS" if verdict.is_loss else ""
        figures = (f"{verdict.ratio:.3f}", f"{verdict.low:.3f}")
        rows.append((name, WORKS[name].unit, short(now), short(before), *figures, words))
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
            write_working_tree(source)
        else:
            write_revision(rev, source)
            if same_works:
                shutil.copytree(ROOT / "benchmarks", source / "benchmarks", dirs_exist_ok=True)
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
        commit = commit_of(options.revision)
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
