"""Arguments and options that several commands take."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

# As in masons.engine.choices, which would load the compiler.
POLICIES: Final = ("uniform", "busy", "greedy")
MAX_SEED: Final = (1 << 63) - 1
MAX_SECONDS: Final = 7 * 86400.0
_UNITS: Final = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}) ?(ms|s|m|h|)", re.ASCII)


class Duration(click.ParamType[float]):
    """Seconds, written like 2s, 500ms, 1.5m or just 2."""

    name = "duration"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number of seconds."""
        if isinstance(value, (int, float)):
            return float(value)
        match = _DURATION.fullmatch(value.strip())
        seconds = float(match[1]) * _UNITS[match[2]] if match else 0.0
        if not 0 < seconds <= MAX_SECONDS:
            self.fail(
                f"{value!r} is no time: write 2s, 500ms, 1.5m or 1h (at most a week).", param, ctx
            )
        return seconds


DURATION: Final = Duration()


def position_argument(command: F) -> F:
    """A position: see `masons.cli.positions`."""
    return click.argument("position")(command)


def board_option(command: F) -> F:
    """The file of a board that is not built in."""
    return click.option(
        "--board",
        "board_file",
        metavar="FILE",
        help="File of the board, where it is not a built-in one.",
    )(command)


def seed_option(command: F) -> F:
    """The seed of all luck."""
    return click.option(
        "--seed",
        type=click.IntRange(0, MAX_SEED),
        default=0,
        show_default=True,
        metavar="S",
        help="Seed: the same seed gives the same output.",
    )(command)


def policy_option(names: tuple[str, ...], default: str, what: str) -> Callable[[F], F]:
    """How random games are played."""
    return click.option(
        "--policy", type=click.Choice(names), default=default, show_default=True, help=what
    )
