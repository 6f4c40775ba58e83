"""Repeat all measurements and write them into `benchmarks/README.md`.

    MASONS_LIMIT=/path/to/program python -m benchmarks.report [--only SECTION ...]

In `README.md`, each section stands between two comments, and the first comment names the section. A
section contains the output of a command, together with the command, the date and the revision. The
section `suite` also saves the figures for pytest-benchmark and draws `cost.svg`. The section
`compare` also writes `baselines/compare.json`. All sections together take half an hour on an idle
machine.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from importlib.metadata import version
from typing import Final

from benchmarks import plot, suite
from benchmarks.measuring import ROOT, about, machine, parser_of, revision
from masons.engine.files import write_atomic

README = ROOT / "benchmarks" / "README.md"
BEGIN, END = "<!-- {}: written by report.py -->", "<!-- end -->"
# The earlier revision with which current games, playouts and searches are compared.
BEFORE: Final = "cc9a6d6"
SUITE: Final = "pytest benchmarks --benchmark-enable"
COMMANDS: Final = {
    "compare": "python -m benchmarks.compare --json benchmarks/baselines/compare.json",
    "before": f"python -m benchmarks.against {BEFORE} "
    "--only '^(games|playouts|iterations|start)/' --same-works",
    "startup": "python -m benchmarks.startup --cold 3",
    "answering": "python -m benchmarks.answering",
    "suite": SUITE,
}
# The sections whose commands take the option --rounds.
IN_ROUNDS: Final = {*COMMANDS} - {"before", "suite"}
SECTIONS: Final = ("machine", *COMMANDS)


def replaced(text: str, name: str, body: str) -> str:
    """Replace the body of a section in a text. Raises ValueError if the section is missing."""
    begin = BEGIN.format(name)
    before, begin_mark, rest = text.partition(begin + "\n")
    _, ended, after = rest.partition(END)
    if not (begin_mark and ended):
        raise ValueError(f"{README.name} has no section {begin} ... {END}")
    return f"{before}{begin}\n{body.strip()}\n{END}{after}"


def with_command(command: str, body: object) -> str:
    """Return a table with a line above it that has the command, the date and the revision."""
    source = about()
    return f"`{command}`, {source['date']}, revision {source['revision']}:\n\n{body}"


def section(name: str, rounds: int, save: str) -> dict[str, str]:
    """Measure a section. Return the texts of its parts by name. Raises ValueError on failure."""
    if name == "machine":
        return {name: "\n".join(f"- {key}: {value}" for key, value in machine().items())}
    command = COMMANDS[name] + f" --rounds {rounds}" * (name in IN_ROUNDS)
    if name == "suite":
        return suite_parts(save)
    words = shlex.split(command.replace("python", sys.executable, 1))
    done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    # `against` ends with exit status 1 if anything is slower.
    if done.returncode > (name == "before") or not done.stdout:
        raise ValueError(f"{command} printed no table")
    return {name: with_command(command, done.stdout)}


def suite_parts(save: str) -> dict[str, str]:
    """Run the suite, save its figures as `save`, and draw them. Return the tables by name."""
    storage = [f"--benchmark-storage=file://{suite.FOLDER}", f"--benchmark-save={save}"]
    line = [sys.executable, "-m", *SUITE.split(), "-q", *storage]
    subprocess.run(line, cwd=ROOT, check=True, stdout=sys.stderr)
    baseline = suite.load(suite.newest())
    write_atomic(plot.OUT, plot.draw(baseline))
    tables = suite.tables(baseline)
    return {f"suite-{part}": with_command(SUITE, table) for part, table in tables.items()}


def main() -> None:
    """Measure and write the sections one after another."""
    parser = parser_of(__doc__, rounds=9)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS)
    parser.add_argument("--save", default=version("masons-engine"), help="name of the baseline")
    options = parser.parse_args()
    print(f"revision {revision()}", file=sys.stderr)
    try:
        for name in options.only:
            print(f"section {name}", file=sys.stderr, flush=True)
            text = README.read_text(encoding="utf-8")
            for part, body in section(name, options.rounds, options.save).items():
                text = replaced(text, part, body)
            write_atomic(README, text)
    except (OSError, ImportError, ValueError, subprocess.CalledProcessError) as error:
        sys.exit(f"report.py: {error}")


if __name__ == "__main__":
    main()
