"""Arguments and options that several commands share."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce, update_wrapper
from io import BufferedReader
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.core import ParameterSource

from masons.ai.players.player_names import PLAYERS
from masons.ai.search.limits import ANALYSIS_DEFAULT, Limits
from masons.ai.search.search_options import TOP_LEVEL, SearchOptions
from masons.cli.sources import errors_of
from masons.engine.files import is_special
from masons.engine.plain_text import listed, parse_whole
from masons.engine.playouts.policies import POLICIES

if TYPE_CHECKING:
    from masons.ai.search.executors import Workers

F = TypeVar("F", bound=Callable[..., Any])

MAX_NUMBER: Final = 10**18
MIN_SECONDS: Final = 0.001
MAX_SECONDS: Final = 7 * 86400.0
_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION: Final = re.compile(
    r"((?:[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})(?:e[+-]?[0-9]{1,2})?) ?(ms|s|m|h|)", re.ASCII
)
NAME_RULE: Final = "1 to 40 of the characters a-z A-Z 0-9 _ . # -"
# NAME=TEXT. A player with options does not match, because it has a `:` before the first `=`.
NAMED: Final = re.compile(r"(?P<name>[A-Za-z0-9_.#-]{1,40})=(?P<text>.+)", re.DOTALL)
_LONG: Final = 10**6  # errors about limits of at least this size mention the short forms
MAX_CONCURRENCY: Final = 1024
_STANDARD: Final = "-"  # standard input or output
_STDIN: Final = 0
_SUFFIXES: Final = {".svg": "--svg", ".png": "--png", ".html": "--html", ".htm": "--html"}


# --- types of values: functions that parse a text and raise BadParameter if it is wrong


def duration(text: str) -> float:
    """Parse a time such as 2s, 500ms or 1.5m, and return it in seconds."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise click.BadParameter(f"{text!r} is not a time: write 2s, 500ms or 1m (at most a week)")
    if not match[2]:
        forms = listed([f"{match[1]}{unit}" for unit in _UNITS], "or")
        raise click.BadParameter(f"{text!r} has no unit: write {forms}")
    seconds = float(match[1]) * _UNITS[match[2]]
    if seconds < MIN_SECONDS:
        raise click.BadParameter(f"{text!r} is too short: the least is 1ms")
    if seconds > MAX_SECONDS:
        raise click.BadParameter(f"{text!r} is too long: the most is a week, 168h")
    return seconds


def file_name(text: str) -> str:
    """Check that the name of a file or folder is not empty."""
    if not text:
        raise click.BadParameter("a file name must not be empty")
    return text


def whole(low: int, high: int = MAX_NUMBER) -> Callable[[str | int], int]:
    """Return a type for whole numbers from `low` to `high`.

    The type also accepts short forms such as 20k, 2M, 1e4 and 20,000.
    """

    def number(value: str | int) -> int:
        parsed = parse_whole(str(value).strip())
        if parsed is None or not low <= parsed <= high:
            limits = f"from {low} to {high}"
            if high >= _LONG:
                forms = " (write 20000, 20k, 2M or 1e4)" if parsed is None else ""
                limits = f"from {low} to {high:,}{forms}"
            raise click.BadParameter(f"{value!r} is not a whole number {limits}")
        return parsed

    return number


def player_spec(text: str) -> str:
    """Check a named player with its options, such as `default:sims=20k`."""
    from masons.ai.players.named_players import make_player

    with errors_of("", click.BadParameter):
        make_player(text, 0)
    return text


# --- arguments and options


def _or_piped(ctx: click.Context, _: click.Parameter, value: str | None) -> str:
    """Return the argument, or `-` if it is missing and input is piped in.

    Raises UsageError if there is neither an argument nor piped input.
    """
    if value is not None:
        return value
    stdin = None if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer
    if not (isinstance(stdin, BufferedReader) and stdin.peek(1)):
        raise click.UsageError(
            "POSITION is missing: give a position text, its file, FILE@N of a record, or -", ctx
        )
    return "-"


def _together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Return a decorator that adds several options to a command."""
    return lambda command: reduce(lambda f, option: option(f), reversed(options), command)


def group(
    name: str, made_of: Callable[..., object], *options: Callable[[Any], Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that adds several options to a command, which gets them as one argument.

    The argument is called `name`, and its value is the result of `made_of`, which is called with
    the values of the options by name.
    """

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        def run(**values: Any) -> None:
            group_values = {member: values.pop(member) for member in members}
            command(**values, **{name: made_of(**group_values)})

        update_wrapper(run, command)
        # Click keeps a command's options in this list, and `_together` adds more.
        params = run.__dict__.setdefault("__click_params__", [])
        before = len(params)
        _together(*options)(run)
        members = [param.name for param in params[before:]]
        return run

    return decorated


@dataclass(frozen=True)
class Place:
    """The place where games are played: this machine, or the workers of a dask scheduler."""

    concurrency: int = 1
    scheduler: str | None = None

    @classmethod
    def of(cls, backend: str, scheduler: str | None, concurrency: int = 1) -> Place:
        """Return the place that options name. Raises UsageError if they contradict each other."""
        if scheduler is not None and backend == "dask" and concurrency != 1:
            raise click.UsageError("--concurrency is for this machine: dask counts its own workers")
        if (backend == "dask") != (scheduler is not None):
            raise click.UsageError("--backend dask and --scheduler ADDRESS go together")
        return cls(concurrency, scheduler)

    def workers(self) -> Workers:
        """Return the workers of this place. Raises MasonsError if no scheduler answers."""
        from masons.ai.search.executors import Cluster, Processes, Threads

        if self.scheduler is not None:
            return Cluster(self.scheduler)
        return Threads() if self.concurrency == 1 else Processes(self.concurrency)


position = click.argument("position", required=False, callback=_or_piped)
board = click.option(
    "--board", "board_file", type=file_name, metavar="FILE",
    help="Use the board described in FILE instead of the built-in one.",
)  # fmt: skip
seed = click.option(
    "--seed", type=whole(0), default=0, show_default=True, metavar="S",
    help="Random seed; the same seed gives the same output.",
)  # fmt: skip
json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
log = click.option(
    "--log", type=file_name, metavar="FILE",
    help="Append what engines receive (>), answer (<) and write to standard error (!) to FILE.",
)  # fmt: skip
game = click.option(
    "--game", "number", type=whole(1), metavar="K",
    help="Number of the game in the file (from 1).  [default: 1]",
)  # fmt: skip
only_game = click.option(
    "--game", "number", type=whole(1), metavar="K", help="Only game K (from 1)."
)
repair = click.option(
    "--repair", is_flag=True,
    help="With --resume: drop what is damaged in FILE; FILE.bad keeps the original.",
)  # fmt: skip
players = click.option(
    "--players", type=whole(2, 4), default=2, show_default=True, metavar="N",
    help="Number of seats.",
)  # fmt: skip
# `seat_specs` turns the value of this option into the player of each seat.
player = click.option(
    "--player", "specs", type=player_spec, multiple=True, metavar="P",
    help=f"{listed(PLAYERS, 'or')}, with options such as default:sims=20k or default:level=3. "
    "Give it once for all seats, or once for each seat.  [default: greedy]",
)  # fmt: skip
early_roll = click.option(
    "--early-roll", is_flag=True, help="Allow rolling before the wall is placed."
)
# `search_options` turns these options into search options. `--level` selects sequential halving,
# and `--policy` selects a tree search.
tree = _together(
    click.option(
        "--policy", type=click.Choice(POLICIES),
        help="Search a tree (information-set MCTS) with these playouts.  [default: no tree, but "
        "sequential halving, which is stronger]",
    ),
    click.option(
        "--level", type=whole(1, TOP_LEVEL), metavar="L",
        help=f"Rank the moves as the engine does at level L, from 1 to {TOP_LEVEL}, with at most "
        f"the iterations of that level.  [default: {TOP_LEVEL}]",
    ),
)  # fmt: skip
_cluster = _together(
    click.option(
        "--backend", type=click.Choice(["local", "dask"]), default="local", show_default=True,
        help="Run on this machine, or on the workers of a dask cluster.",
    ),
    click.option(
        "--scheduler", metavar="ADDRESS",
        help="Address of the dask scheduler, such as tcp://10.0.0.5:8786.",
    ),
)  # fmt: skip
cluster = group("place", Place.of, _cluster)
backend = group(
    "place",
    Place.of,
    click.option(
        "--concurrency", type=whole(1, MAX_CONCURRENCY), default=1, show_default=True, metavar="C",
        help="Number of games to run at once on this machine, each in its own process.",
    ),
    _cluster,
)  # fmt: skip


# --- values of the options


def typed() -> dict[str, str]:
    """Return the options that the user typed, such as `--board`, by parameter name."""
    ctx = click.get_current_context()
    return {
        param.name: param.opts[0]
        for param in ctx.command.params
        if param.name and param.expose_value
        and ctx.get_parameter_source(param.name) is ParameterSource.COMMANDLINE
    }  # fmt: skip


def seat_specs(specs: tuple[str, ...], players: int) -> tuple[str, ...]:
    """Return the player of each seat. Raises UsageError for a wrong number of `specs`."""
    if len(specs) not in (0, 1, players):
        raise click.UsageError(
            f"--player must be given once or {players} times, not {len(specs)} times"
        )
    return specs if len(specs) == players else (specs or ("greedy",)) * players


def search_options(policy: str | None, level: int | None, **others: Any) -> SearchOptions:
    """Return search options, given the values of the options that `tree` adds.

    Raises UsageError if both options are given.
    """
    if policy is None:
        return SearchOptions(level=level, **others)
    if level is not None:
        raise click.UsageError("--level and --policy cannot go together: a tree has no levels")
    return SearchOptions("ismcts", policy=policy, **others)


def search_limits(
    options: SearchOptions, sims: int | None, seconds: float | None, rollouts: int | None = None
) -> Limits:
    """Return the limits of a search.

    Without any limit, the result is the level's number of simulations, or 2 s if the level has no
    such number.
    """
    if sims is seconds is rollouts is None:
        return ANALYSIS_DEFAULT if options.most is None else Limits(sims=options.most)
    return Limits.of(sims, seconds, rollouts)


def check_outputs(outputs: Mapping[str, str | None], reads: Sequence[str | None]) -> None:
    """Check that no output overwrites an input or another output. Raises UsageError.

    `outputs` maps each option, such as `--svg`, to its file name, or to None if the option was not
    used. `reads` has the names of the input files. Also checks that no picture or page has the
    suffix of another format.
    """
    named = {option: name for option, name in outputs.items() if name not in (None, _STANDARD)}
    for option, name in named.items():
        assert name is not None
        if any(read is not None and _is_same_file(name, read) for read in reads):
            raise click.UsageError(f"{name} is read as input: choose another name")
        suffix = Path(name).suffix.lower()
        if option in _SUFFIXES.values() and _SUFFIXES.get(suffix, option) != option:
            raise click.UsageError(f"{option} writes no {suffix} file: choose another name")
    for (option, name), (other, second) in combinations(named.items(), 2):
        if _is_same_file(str(name), str(second)):
            raise click.UsageError(f"{option} and {other} name one file, {name}: choose two names")


def _is_same_file(output: str, other: str) -> bool:
    """Return whether two names mean the same regular file. Devices and pipes do not count."""
    path = Path(output)
    try:
        if other == _STANDARD:
            same = os.path.samestat(path.stat(), os.fstat(_STDIN))
        elif path.exists() and Path(other).exists():
            same = path.samefile(other)
        else:
            same = path.resolve() == Path(other).resolve()
        return same and not is_special(path)
    except (OSError, RuntimeError, ValueError):  # no file has such a name
        return False
