"""`compliance`: tries any engine against the protocol."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import click

from masons.engine.errors import MasonsError
from masons.engine.plain_text import plain

if TYPE_CHECKING:
    from masons.protocol.compliance.compliance_run import Outcome

_FAILED: Final = 1
_STYLES: Final = {"pass": "green", "fail": "bold red", "not offered": "dim"}


@click.command("compliance", context_settings={"allow_interspersed_args": False})
@click.argument("engine", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--only", metavar="TEXT", default="", help="Only the steps with TEXT in their name."
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, one a step.")
def command(engine: tuple[str, ...], only: str, as_json: bool) -> None:
    """Try an engine against the protocol of docs/protocol.md.

    COMMAND starts the engine: its words, after -- where some begin with a dash, or all of them as
    one quoted word. Commands that an engine need not offer are no failure. The exit code is 1 if a
    step fails.
    """
    from masons.cli.support.console import messages, working
    from masons.cli.support.precompile import prepare
    from masons.protocol.client.client_limits import PATIENCE
    from masons.protocol.compliance.compliance_run import FAIL, STEPS, try_engine

    words = _words(engine)
    prepare("values", "rules", "perft")
    steps = [step for step in STEPS if only in step.name]
    if not steps:
        raise click.UsageError(f"--only {only}: no step has that in its name")
    found: list[Outcome] = []
    with working(messages(), shown=not as_json) as say:
        say(steps[0].name)
        for outcome in try_engine(words, steps, PATIENCE):
            found.append(outcome)
            if as_json:
                click.echo(json.dumps(asdict(outcome)))
            say(steps[min(len(found), len(steps) - 1)].name)
    if not as_json:
        _show(found)
    if any(outcome.verdict == FAIL for outcome in found):
        click.get_current_context().exit(_FAILED)


def _words(engine: tuple[str, ...]) -> list[str]:
    """The engine's command line."""
    if len(engine) > 1:
        return list(engine)
    from masons.protocol.client.client_arguments import command_words

    try:
        return command_words(engine[0])
    except MasonsError as error:
        raise click.UsageError(str(error)) from None


def _show(found: list[Outcome]) -> None:
    """A table of all steps, and under it what went wrong."""
    from rich.markup import escape
    from rich.table import Table

    from masons.cli.support.console import show
    from masons.protocol.compliance.compliance_run import FAIL

    table = Table("step", "verdict", "expected", "note", show_edge=False, pad_edge=False)
    for outcome in found:
        style = _STYLES[outcome.verdict]
        note = "" if outcome.verdict == FAIL else outcome.came
        table.add_row(
            escape(outcome.name), f"[{style}]{outcome.verdict}[/]",
            escape(f"{outcome.done}: {outcome.expected}"), escape(note),
        )  # fmt: skip
    show(table)
    for outcome in found:
        if outcome.verdict == FAIL:
            click.echo(plain(f"failed: {outcome.name}: {outcome.came}"))
    counts = {v: sum(o.verdict == v for o in found) for v in _STYLES}
    click.echo(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
