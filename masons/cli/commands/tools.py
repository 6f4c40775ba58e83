"""The commands for developers: `perft`, `protocol`, `compliance` and `warmup`."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import click

from masons.ai.players.player_names import SERVED
from masons.cli import options, process
from masons.cli.sources import errors_of, find_position
from masons.engine.errors import MasonsError
from masons.engine.kernels.c_module import describe_kernels, native_library
from masons.engine.kernels.kernel_cache import cache_folder, describe_cache, is_refused
from masons.engine.kernels.loading import is_ready
from masons.engine.plain_text import count, plain
from masons.protocol.messages.error_codes import Refused
from masons.version import __version__

if TYPE_CHECKING:
    from masons.protocol.compliance.sessions import StepOutcome

MOST = 64


class _NumberLast(click.Command):
    """A command whose last argument is a number, which is refused as one if it is negative."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line, with negative numbers as arguments and not as options."""
        negative = [arg for arg in args if re.fullmatch("-[0-9]+", arg)]
        if not negative or "--" in args:
            return super().parse_args(ctx, args)
        others = [arg for arg in args if arg not in negative]
        return super().parse_args(ctx, [*others, "--", *negative])


@click.command("perft", cls=_NumberLast)
@options.position
@click.argument("depth", metavar="N", type=options.whole(0, MOST), required=False)
@click.option("--divide", is_flag=True, help="Also print the count below each legal move.")
@options.board
def perft(position: str, depth: int | None, divide: bool, board_file: str | None) -> None:
    """Count all sequences of N decisions.

    Each distinct roll is one branch, so a roll has 63 branches, or 21 without the tower die. A
    draw takes the lowest card of the deck and does not branch. Forced placements are not
    decisions. A sequence that ends the game before N decisions is not counted.
    """
    if depth is None:
        raise click.UsageError("perft needs a position and a number N of decisions: perft FILE 2")
    source = find_position(position, board_file)
    process.prepare()

    from masons.engine.game import perft as engine
    from masons.engine.game.table import Table

    table = Table(source.board)
    with errors_of(source.source):
        if not divide:
            click.echo(process.interruptible(lambda: engine.perft(table, source.position, depth)))
            return
        total = 0
        for move, paths in engine.divide(table, source.position, depth):
            click.echo(f"{move} {paths}")
            total += paths
        click.echo(f"total {total}")


_SWITCH_SECONDS: Final = 0.0005


@click.command("protocol")
@click.option(
    "--player", type=click.Choice(SERVED), default=SERVED[0], show_default=True,
    help="Player that answers.",
)  # fmt: skip
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE",
    help="Set one of the options that mei lists, such as Threads=2; may be repeated.",
)  # fmt: skip
def protocol(player: str, options: tuple[str, ...]) -> None:
    """Speak the engine protocol on standard input and output.

    GUIs and match runners use this protocol, which docs/protocol.md describes. Type mei to list
    the options, and quit to leave.
    """
    from masons.protocol.server.command_loop import Server

    server = Server(sys.stdin.buffer, sys.stdout.buffer, player=player, version=__version__)
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise click.UsageError(f"--option {option}: write NAME=VALUE")
        try:
            server.set_option(name, value)
        except Refused as refused:
            raise click.UsageError(f"--option {option}: {refused}") from None
    # Shorten the time for which the search thread waits for the thread that reads commands.
    sys.setswitchinterval(_SWITCH_SECONDS)
    code = 0
    try:
        server.run()
    except KeyboardInterrupt:
        process.say("interrupted")
        code = process.INTERRUPTED
    except process.Ended as ended:
        process.say(f"ended by {ended.name}")
        code = int(ended.code or 0)
    # Exit without waiting for threads that compile or search.
    os._exit(code)


_LIMIT: Final = "10m"
# The style of each verdict, in the order of the summary.
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
)
@click.option(
    "--limit", type=options.duration, default=_LIMIT, show_default=True, metavar="TIME",
    help="Time limit of the whole run; the steps left are not run.",
)  # fmt: skip
@options.log
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object per step, each on its own line."
)
def compliance(
    engine: tuple[str, ...], only: str, limit: float, log: str | None, as_json: bool
) -> None:
    """Test an engine against the protocol in docs/protocol.md.

    COMMAND starts the engine. It can be several words or one quoted word. All words after --
    belong to the engine, even those that begin with a dash. Each step is reported as soon as it
    ends, with a warning if an answer was late. An engine may lack optional commands. The exit
    code is 1 if a step fails or is not run.
    """
    from masons.protocol.client.client_arguments import check_program, command_words
    from masons.protocol.client.dialogue_log import dialogue_log
    from masons.protocol.compliance.sessions import FAIL, NOT_RUN, STEPS, try_engine

    with errors_of("", click.UsageError):
        words = list(engine) if len(engine) > 1 else command_words(engine[0])
        check_program(words)
    steps = [step for step in STEPS if only in step.name]
    if not steps:
        raise click.UsageError(f"--only {only}: no step has that in its name")
    process.prepare()
    counts: Counter[str] = Counter()
    warnings = 0
    interrupted = False
    with dialogue_log(log):
        try:
            for outcome in try_engine(words, steps, seconds=limit, tell=process.say):
                counts[outcome.verdict] += 1
                warnings += bool(outcome.warning)
                click.echo(json.dumps(asdict(outcome)) if as_json else _shown(outcome))
        except KeyboardInterrupt:
            interrupted = True
    if not as_json:
        counted = [f"{counts[verdict]} {verdict}" for verdict in _STYLES]
        counted = counted if counts[NOT_RUN] else counted[:-1]
        click.echo(", ".join([*counted, *([count(warnings, "warning")] if warnings else [])]))
    if interrupted:
        done = count(counts.total(), "step")
        process.say(f"interrupted after {done} of {len(steps)}")
        click.get_current_context().exit(process.INTERRUPTED)
    if counts[FAIL] or counts[NOT_RUN]:
        click.get_current_context().exit(process.BAD_DATA)


def _shown(outcome: StepOutcome) -> str:
    """Return a line with the verdict on a step and its note or fault, and a line for a warning."""
    verdict = click.style(f"{outcome.verdict:<11}", **_STYLES[outcome.verdict])
    words = f"{verdict}  {outcome.name}"
    if outcome.verdict == "fail":
        return f"{words}: {plain(outcome.came)} ({outcome.done}: {outcome.expected})"
    words = f"{words}: {plain(outcome.came)}" if outcome.came else words
    if outcome.warning:
        mark = click.style(f"{'warning':<11}", fg="yellow")
        words = f"{words}\n{mark}  {outcome.name}: {outcome.warning}"
    return words


@click.command("warmup")
@click.option("--no-progress", is_flag=True, help="Do not show a progress bar.")
def warmup(no_progress: bool) -> None:
    """Compile all kernels now, before they are needed.

    Does nothing if the kernels were compiled during the installation. Otherwise the compiled
    kernels are kept in the cache folder, which is named at the end.
    """
    if is_refused():
        raise click.UsageError("warmup keeps compiled kernels, and --no-cache keeps none")
    if native_library() is not None:
        click.echo(f"ready: the kernels were {describe_kernels()}")
        return
    if cache_folder() is None and not (is_ready() and is_ready("env")):
        raise MasonsError(f"compiled kernels cannot be kept; cache: {describe_cache()}")
    process.compile_shown("engine", "env", is_shown=not no_progress)
    click.echo(plain(f"ready: compiled kernels are in {describe_cache()}"))
