"""What a command line asks for as one object, for commands of many options."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")


def takes(options: Callable[..., T]) -> Callable[[Callable[[T], None]], Callable[..., None]]:
    """Let a command take one object, made of its arguments and options by name.

    `options` is a dataclass with a field for each of them. Stands below all of them:

        @click.command("perft")
        @click.option("--divide", is_flag=True)
        @takes(PerftOptions)
        def command(options: PerftOptions) -> None:
    """

    def decorate(command: Callable[[T], None]) -> Callable[..., None]:
        @wraps(command)
        def call(**given: Any) -> None:
            command(options(**given))

        return call

    return decorate
