"""Arguments and options that several commands take."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from io import BufferedReader
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from masons.ai.players.player_names import PLAYERS
from masons.ai.search.levels import TOP_LEVEL
from masons.ai.search.limits import ANALYSIS_DEFAULT, MAX_SIMS, Limits
from masons.ai.search.search_options import SearchOptions
from masons.engine.errors import MasonsError
from masons.engine.files import is_special
from masons.engine.plain_text import listed, parse_whole
from masons.engine.playouts.policies import POLICIES, policy_name
from masons.match.running.backends import Cluster, Here, Processes

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

if TYPE_CHECKING:
    from masons.match.running.backends import Backend, Cluster

    FloatType = click.ParamType[float]
    IntType = click.ParamType[int]
    TextType = click.ParamType[str]
    ChoiceType = click.Choice[str]
else:  # click before 8.2 knows no type arguments
    FloatType = IntType = TextType = click.ParamType
    ChoiceType = click.Choice

MAX_NUMBER: Final = 10**18
MIN_SECONDS: Final = 0.001
MAX_SECONDS: Final = 7 * 86400.0
_UNITS: Final = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION: Final = re.compile(
    r"((?:[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})(?:e[+-]?[0-9]{1,2})?) ?(ms|s|m|h|)", re.ASCII
)
_LONG: Final = 10**6  # limits from here on are explained with the short forms
MAX_CONCURRENCY: Final = 1024
_STANDARD: Final = "-"  # standard input or output
_STDIN: Final = 0
_SUFFIXES: Final = {".svg": "--svg", ".png": "--png", ".html": "--html", ".htm": "--html"}


def takes(options: Callable[..., T]) -> Callable[[Callable[[T], None]], Callable[..., None]]:
    """Pass a command's arguments and options as one object, by name.

    `options` is a dataclass with a field for each of them. Put it below all other decorators:

        @click.command("perft")
        @click.option("--divide", is_flag=True)
        @takes(PerftOptions)
        def command(options: PerftOptions) -> None:
    """

    def decorate(command: Callable[[T], None]) -> Callable[..., None]:
        @wraps(command)
        def call(**values: Any) -> None:
            command(options(**values))

        return call

    return decorate


class Duration(FloatType):
    """Seconds, written like 2s, 500ms, 1.5m or just 2."""

    name = "duration"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number of seconds."""
        match = _DURATION.fullmatch(str(value).strip())
        if match is None:
            self.fail(f"{value!r} is no time: write 2s, 500ms or 1m (at most a week)", param, ctx)
        seconds = float(match[1]) * _UNITS[match[2]]
        if seconds < MIN_SECONDS:
            self.fail(f"{value!r} is too short: the least is 1ms", param, ctx)
        if seconds > MAX_SECONDS:
            self.fail(f"{value!r} is too long: the most is a week, 168h", param, ctx)
        return seconds


class FileName(TextType):
    """The name of a file or a folder."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name as it was given."""
        if not value:
            self.fail("a file name must not be empty", param, ctx)
        return str(value)


class Whole(IntType):
    """A whole number within limits, which help does not show; 20k, 2M, 1e4 and 20,000 are read."""

    name = "number"

    def __init__(self, low: int, high: int = MAX_NUMBER) -> None:
        self._low, self._high = low, high

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number."""
        number = parse_whole(str(value).strip())
        if number is None or not self._low <= number <= self._high:
            limits = f"from {self._low} to {self._high}"
            if self._high >= _LONG:
                forms = " (20000, 20k, 2M and 1e4 are)" if number is None else ""
                limits = f"from {self._low} to {self._high:,}{forms}"
            self.fail(f"{value!r} is no whole number {limits}", param, ctx)
        return number


class PlayerSpec(TextType):
    """A named player with its options, like `default:sims=20k`."""

    name = "player"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text as it was given."""
        from masons.ai.players.named_players import make_player

        try:
            make_player(value, 0)
        except MasonsError as error:
            self.fail(str(error), param, ctx)
        return str(value)


class PolicyChoice(ChoiceType):
    """A playout policy; one by a name that it had before is taken too."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The present name."""
        return super().convert(policy_name(value), param, ctx)


DURATION: Final = Duration()
FILE: Final = FileName()
SIMS: Final = Whole(1, MAX_SIMS)
SEATS: Final = Whole(2, 4)
COUNT: Final = Whole(1)
LEVEL: Final = Whole(1, TOP_LEVEL)


def _peek() -> bytes:
    """The beginning of what is piped in, which stays to be read."""
    return sys.stdin.buffer.peek(1) if isinstance(sys.stdin.buffer, BufferedReader) else b""


def _or_piped(ctx: click.Context, _: click.Parameter, value: str | None) -> str:
    """Without an argument, what is piped in; a usage error where nothing is."""
    if value is not None:
        return value
    if sys.stdin is None or sys.stdin.isatty() or not _peek():
        raise click.UsageError(
            "POSITION is missing: give a position text, its file, FILE@N of a record, or -", ctx
        )
    return "-"


def position_argument(command: F) -> F:
    """A position: see `masons.cli.sources`."""
    return click.argument("position", required=False, callback=_or_piped)(command)


def board_option(command: F) -> F:
    """The file of a board that is not built in."""
    return click.option(
        "--board", "board_file", type=FILE, metavar="FILE",
        help="Use the board described in FILE instead of the built-in one.",
    )(command)  # fmt: skip


def seed_option(command: F) -> F:
    """The seed of all dice, cards and searches."""
    return click.option(
        "--seed", type=Whole(0), default=0, show_default=True, metavar="S",
        help="Random seed; the same seed gives the same output.",
    )(command)  # fmt: skip


def json_option(command: F) -> F:
    """JSON in place of tables and words."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def repair_option(command: F) -> F:
    """Going on with a file that is damaged."""
    return click.option(
        "--repair", is_flag=True,
        help="With --resume: drop what is damaged in FILE; FILE.bad keeps the original.",
    )(command)  # fmt: skip


def players_option(command: F) -> F:
    """The seats of a game, 2 by default."""
    return click.option(
        "--players", type=SEATS, default=2, show_default=True, metavar="N",
        help="Number of seats.",
    )(command)  # fmt: skip


def player_option(command: F) -> F:
    """The named players of the seats: see `seat_specs`."""
    return click.option(
        "--player", "specs", type=PlayerSpec(), multiple=True, metavar="P",
        help=f"{listed(PLAYERS, 'or')}, with options such as default:sims=20k or default:level=3. "
        "Give it once for all seats, or once for each seat.  [default: greedy]",
    )(command)  # fmt: skip


def seat_specs(specs: tuple[str, ...], players: int) -> tuple[str, ...]:
    """The player of each seat, by `player_option`. Raises UsageError for a wrong number of them."""
    if len(specs) not in (0, 1, players):
        raise click.UsageError(f"--player stands once, or {players} times, not {len(specs)} times")
    return specs if len(specs) == players else (specs or ("greedy",)) * players


def early_roll_option(command: F) -> F:
    """The option of the rules."""
    return click.option(
        "--early-roll", is_flag=True, help="Allow rolling before the wall is placed."
    )(command)


def policy_option(names: tuple[str, ...], default: str, what: str) -> Callable[[F], F]:
    """How random games are played."""
    return click.option(
        "--policy", type=click.Choice(names), default=default, show_default=True, help=what
    )


def tree_option(command: F) -> F:
    """A level of halving; or a tree search instead, and how its playouts are played."""
    level = click.option(
        "--level", type=LEVEL, metavar="L",
        help=f"Rank the moves as the engine does at level L, from 1 to {TOP_LEVEL}, with at most "
        f"the iterations of that level.  [default: {TOP_LEVEL}]",
    )  # fmt: skip
    policy = click.option(
        "--policy", type=PolicyChoice(POLICIES),
        help="Search a tree (information-set MCTS) with these playouts.  [default: no tree, but "
        "sequential halving, which is stronger]",
    )  # fmt: skip
    return policy(level(command))


def check_search(policy: str | None, level: int | None) -> None:
    """Refuse what `tree_option` cannot do together. Raises UsageError."""
    if policy is not None and level is not None:
        raise click.UsageError("--level and --policy cannot go together: a tree has no levels")


def search_options(policy: str | None, level: int | None, **others: Any) -> SearchOptions:
    """The options of a search by `tree_option`."""
    if policy is None:
        return SearchOptions(level=level, **others)
    return SearchOptions("ismcts", policy=policy, **others)


def search_limits(
    options: SearchOptions, sims: int | None, seconds: float | None, rollouts: int | None = None
) -> Limits:
    """Return the limits of a search: where none are given the simulations of its level, or 2 s."""
    if sims is seconds is rollouts is None:
        return ANALYSIS_DEFAULT if options.most is None else Limits(sims=options.most)
    return replace(Limits.of(sims, seconds), rollouts=rollouts)


def cluster_options(command: F) -> F:
    """Add the options for the cluster on which games are played."""
    for option in (
        click.option(
            "--scheduler", metavar="ADDRESS",
            help="Address of the dask scheduler, such as tcp://10.0.0.5:8786.",
        ),
        click.option(
            "--backend", type=click.Choice(["local", "dask"]), default="local", show_default=True,
            help="Run on this machine, or on the workers of a dask cluster.",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


def backend_options(command: F) -> F:
    """Add the options for how many games are played at once, and where."""
    concurrency = click.option(
        "--concurrency", type=Whole(1, MAX_CONCURRENCY), default=1, show_default=True,
        metavar="C",
        help="Number of games to run at once on this machine, each in its own process.",
    )  # fmt: skip
    return concurrency(cluster_options(command))


def make_cluster(backend: str, scheduler: str | None, *, stays_open: bool) -> Cluster | None:
    """Return the cluster that `cluster_options` name. Raises UsageError for a contradiction."""
    if (backend == "dask") != (scheduler is not None):
        raise click.UsageError("--backend dask and --scheduler ADDRESS go together")

    return None if scheduler is None else Cluster(scheduler, stays_open=stays_open)


def make_backend(concurrency: int, backend: str, scheduler: str | None) -> Backend:
    """Return the backend that `backend_options` name. Raises UsageError for a contradiction."""
    if scheduler is not None and backend == "dask" and concurrency != 1:
        raise click.UsageError("--concurrency is for this machine: dask knows its workers")

    local = Here() if concurrency == 1 else Processes(concurrency)
    return make_cluster(backend, scheduler, stays_open=False) or local


def check_outputs(outputs: Mapping[str, str | None], reads: Sequence[str | None]) -> None:
    """Refuse to overwrite an input, and to write two outputs into one file. Raises UsageError.

    `outputs` are files by their option, like `--svg`; None if not wanted. A picture or page is not
    written into a file with the suffix of another kind.
    """
    named = {option: name for option, name in outputs.items() if name not in (None, _STANDARD)}
    for option, name in named.items():
        assert name is not None
        if any(read is not None and _is_same_file(name, read) for read in reads):
            raise click.UsageError(f"{name} is the file that is read: choose another name")
        suffix = Path(name).suffix.lower()
        if option in _SUFFIXES.values() and _SUFFIXES.get(suffix, option) != option:
            raise click.UsageError(f"{option} writes no {suffix} file: choose another name")
    for (option, name), (other, second) in combinations(named.items(), 2):
        if _is_same_file(str(name), str(second)):
            raise click.UsageError(f"{option} and {other} name one file, {name}: choose two names")


def _is_same_file(output: str, other: str) -> bool:
    """Return whether two names mean one regular file; devices and pipes may be written to."""
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
