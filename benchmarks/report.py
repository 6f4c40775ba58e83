"""Measure everything again and write it into `benchmarks/README.md`.

    MASONS_LIMIT=/path/to/program python -m benchmarks.report [--only SECTION ...]

A section of that file stands between two comments that name it; its figures carry the command, the
date and the revision that they come from. `suite` also saves the figures for pytest-benchmark and
draws `cost.svg`; `compare` also writes `baselines/compare.json`. Half an hour on an idle machine.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version

from benchmarks import answering, compare, costs, plot, startup, stopping, suite, thread_speedup
from benchmarks.measuring import (
    ROOT,
    about,
    machine,
    pairing_table,
    positive,
    revision,
    run_pairings,
)
from masons.engine.files import write_atomic

README = ROOT / "benchmarks" / "README.md"
# What the games, playouts and searches of today are measured beside.
BEFORE, PLAYED = "cc9a6d6", "^(games|playouts|iterations|start)/"
BEGIN, END = "<!-- {}: written by report.py -->", "<!-- end -->"


def replaced(text: str, name: str, body: str) -> str:
    """The text with a new body for a section. Raises ValueError where it has no such section."""
    begin = BEGIN.format(name)
    before, begin_mark, rest = text.partition(begin + "\n")
    _, ended, after = rest.partition(END)
    if not (begin_mark and ended):
        raise ValueError(f"{README.name} has no section {begin} ... {END}")
    return f"{before}{begin}\n{body.strip()}\n{END}{after}"


def with_command(command: str, body: object) -> str:
    """A table under its command."""
    source = about()
    return f"`{command}`, {source['date']}, revision {source['revision']}:\n\n{body}"


def write(sections: dict[str, str]) -> None:
    """Put sections into the file."""
    text = README.read_text(encoding="utf-8")
    for name, body in sections.items():
        text = replaced(text, name, body)
    write_atomic(README, text)


def machine_section(_options: argparse.Namespace) -> dict[str, str]:
    """The machine of all figures."""
    rows = "\n".join(f"- {name}: {value}" for name, value in machine().items())
    return {"machine": rows}


def compare_section(options: argparse.Namespace) -> dict[str, str]:
    """Beside the others."""
    outcomes = run_pairings(compare.pairings(None, options.games, options.sims), options.rounds)
    write_atomic(suite.FOLDER / "compare.json", compare.as_json(outcomes))
    command = f"MASONS_LIMIT=... python -m benchmarks.compare --rounds {options.rounds}"
    return {"compare": with_command(command, pairing_table(outcomes))}


def before_section(_options: argparse.Namespace) -> dict[str, str]:
    """Beside the revision before the last work on speed."""
    arguments = [BEFORE, "--only", PLAYED, "--same-works"]
    line = [sys.executable, "-m", "benchmarks.against", *arguments]
    done = subprocess.run(line, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == 2:
        raise ValueError(f"nothing could be measured beside {BEFORE}")
    command = f"python -m benchmarks.against {BEFORE} --only '{PLAYED}' --same-works"
    return {"before": with_command(command, done.stdout)}


def iterations_section(options: argparse.Namespace) -> dict[str, str]:
    """An iteration and the playout in it."""
    command = f"python -m benchmarks.costs iterations --rounds {options.rounds}"
    return {"iterations": with_command(command, costs.iteration_table(options.rounds))}


def simulation_section(options: argparse.Namespace) -> dict[str, str]:
    """Where a simulation's time goes."""
    command = f"python -m benchmarks.costs simulation --rounds {options.rounds}"
    table = costs.simulation_table(options.rounds, costs.SIMS)
    return {"simulation": with_command(command, table)}


def threads_section(options: argparse.Namespace) -> dict[str, str]:
    """A second thread."""
    command = f"python -m benchmarks.thread_speedup --rounds {options.rounds}"
    return {"threads": with_command(command, thread_speedup.table(options.rounds, 2))}


def stopping_section(_options: argparse.Namespace) -> dict[str, str]:
    """Stopping."""
    return {
        "stopping": with_command("python -m benchmarks.stopping --rounds 200", stopping.table(200))
    }


def startup_section(options: argparse.Namespace) -> dict[str, str]:
    """Starting, and for the first time."""
    command = f"python -m benchmarks.startup --rounds {options.rounds} --cold 3"
    return {"startup": with_command(command, startup.table(options.rounds, 3))}


def answering_section(options: argparse.Namespace) -> dict[str, str]:
    """The protocol."""
    command = f"python -m benchmarks.answering --rounds {options.rounds} --stops 200"
    return {"answering": with_command(command, answering.table(options.rounds, 200))}


def suite_section(options: argparse.Namespace) -> dict[str, str]:
    """The pytest-benchmark suite: saved, drawn, and in tables."""
    command = ["pytest", "benchmarks", "--benchmark-enable"]
    storage = [
        f"--benchmark-storage=file://{suite.FOLDER}",
        f"--benchmark-save={options.save}",
    ]
    line = [sys.executable, "-m", *command, "-q", *storage]
    subprocess.run(line, cwd=ROOT, check=True, stdout=sys.stderr)
    baseline = suite.load(suite.newest())
    write_atomic(plot.OUT, plot.draw(baseline))
    return {
        f"suite-{name}": with_command(" ".join(command), table)
        for name, table in suite.tables(baseline).items()
    }


SECTIONS: dict[str, Callable[[argparse.Namespace], dict[str, str]]] = {
    "machine": machine_section,
    "compare": compare_section,
    "before": before_section,
    "iterations": iterations_section,
    "simulation": simulation_section,
    "threads": threads_section,
    "stopping": stopping_section,
    "startup": startup_section,
    "answering": answering_section,
    "suite": suite_section,
}


def main() -> None:
    """Measure and write, section by section."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--rounds", type=positive, default=9)
    parser.add_argument("--games", type=positive, default=20_000, help="as in compare.py")
    parser.add_argument("--sims", type=positive, default=10_000, help="as in compare.py")
    parser.add_argument("--save", default=version("masons-engine"), help="name of the baseline")
    options = parser.parse_args()
    print(f"revision {revision()}", file=sys.stderr)
    try:
        for name in options.only:
            print(f"section {name}", file=sys.stderr, flush=True)
            write(SECTIONS[name](options))
    except (OSError, ImportError, ValueError, subprocess.CalledProcessError) as error:
        sys.exit(f"report.py: {error}")


if __name__ == "__main__":
    main()
