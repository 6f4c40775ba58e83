"""`compliance`: tries any engine against the protocol."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import click

from masons.cli.options.shared_options import DURATION
from masons.cli.support.process import BAD_DATA, INTERRUPTED, say
from masons.engine.errors import MasonsError
from masons.engine.plain_text import count, plain

if TYPE_CHECKING:
    from masons.protocol.compliance.trial import StepOutcome

_LIMIT: Final = "10m"
# How each verdict looks, in the order in which they are counted.
_STYLES: Final[dict[str, dict[str, Any]]] = {
    "pass": {"fg": "green"},
    "fail": {"fg": "red", "bold": True},
    "not offered": {"dim": True},
    "not run": {"fg": "yellow"},
}


@click.command("compliance", context_settings={"ignore_unknown_options": True})
@click.argument("engine", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--only", metavar="TEXT", default="", help="Run only the steps with TEXT in their names."
)  # fmt: skip
@click.option(
    "--limit", type=DURATION, default=_LIMIT, show_default=True, metavar="TIME",
    help="Time limit of the whole run; the steps left are not run.",
)  # fmt: skip
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object per step, each on its own line."
)
def command(engine: tuple[str, ...], only: str, limit: float, as_json: bool) -> None:
    """Test an engine against the protocol of docs/protocol.md.

    COMMAND starts the engine, as several words or as one quoted word. After -- all words belong
    to the engine, even those that begin with a dash. Each step is reported as it ends. It is no
    failure if the engine lacks an optional command. The exit code is 1 if a step fails or is
    not run.
    """
    from masons.cli.support.precompile import prepare
    from masons.protocol.compliance.steps_search import STEPS
    from masons.protocol.compliance.trial import FAIL, NOT_RUN, try_engine

    words = _words(engine)
    steps = [step for step in STEPS if only in step.name]
    if not steps:
        raise click.UsageError(f"--only {only}: no step has that in its name")
    prepare()
    counts: Counter[str] = Counter()
    interrupted = False
    try:
        for outcome in try_engine(words, steps, seconds=limit, tell=say):
            counts[outcome.verdict] += 1
            click.echo(json.dumps(asdict(outcome)) if as_json else _shown(outcome))
    except KeyboardInterrupt:
        interrupted = True
    if not as_json:
        counted = [f"{counts[verdict]} {verdict}" for verdict in _STYLES]
        click.echo(", ".join(counted if counts[NOT_RUN] else counted[:-1]))
    if interrupted:
        done = count(counts.total(), "step")
        say(f"interrupted after {done} of {len(steps)}")
        click.get_current_context().exit(INTERRUPTED)
    if counts[FAIL] or counts[NOT_RUN]:
        click.get_current_context().exit(BAD_DATA)


def _words(engine: tuple[str, ...]) -> list[str]:
    """Return the engine's command line. Raises UsageError where that names no program."""
    from masons.protocol.client.client_arguments import check_program, command_words

    try:
        words = list(engine) if len(engine) > 1 else command_words(engine[0])
        check_program(words)
    except MasonsError as error:
        raise click.UsageError(str(error)) from None
    return words


def _shown(outcome: StepOutcome) -> str:
    """Return a step on one line: what came of it, and what was expected where that did not come."""
    verdict = click.style(f"{outcome.verdict:<11}", **_STYLES[outcome.verdict])
    words = f"{verdict}  {outcome.name}"
    if outcome.verdict == "fail":
        return f"{words}: {plain(outcome.came)} ({outcome.done}: {outcome.expected})"
    return f"{words}: {plain(outcome.came)}" if outcome.came else words
