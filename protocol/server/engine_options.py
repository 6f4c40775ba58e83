"""The options of our engine: their names, types and limits, as `mei` lists them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from masons.ai.search.levels import TOP_LEVEL
from masons.ai.search.limits import GO_DEFAULT, MAX_MS
from masons.ai.search.search_options import (
    MAX_MEMORY_MB,
    MAX_THREADS,
    METHODS,
    SearchOptions,
    method_name,
)
from masons.engine.plain_words import quoted
from masons.engine.playouts.policies import POLICIES, policy_name
from masons.protocol.messages.error_codes import Refused

_WHOLE: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
_REAL: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)
MAX_SEED: Final = 10**18 - 1

Value = int | float | bool | str


@dataclass(frozen=True)
class Option:
    """An option: what `option` says of it, and how its values are read."""

    name: str
    kind: str  # spin, check, combo or string
    default: Value
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    present: Callable[[str], str] = str  # the present name of a choice that had another

    def line(self) -> str:
        """The line that declares it."""
        default = str(self.default).lower() if self.kind == "check" else str(self.default)
        text = f"option name {self.name} type {self.kind} default {default}"
        if self.kind == "spin":
            text += f" min {self.low} max {self.high}"
        return text + "".join(f" var {choice}" for choice in self.choices)

    def parse(self, text: str) -> Value:
        """A value. Raises Refused saying what it must be."""
        if self.kind == "spin":
            if _WHOLE.fullmatch(text) and self.low <= int(text) <= self.high:
                return int(text)
            raise self._wrong(text, f"a whole number from {self.low} to {self.high}")
        if self.kind == "check":
            if text.lower() in ("true", "false"):
                return text.lower() == "true"
            raise self._wrong(text, "true or false")
        if self.kind == "combo":
            if self.present(text) in self.choices:
                return self.present(text)
            raise self._wrong(text, f"one of {', '.join(self.choices)}")
        if _REAL.fullmatch(text) and math.isfinite(float(text)) and float(text) <= self.high:
            return float(text)
        raise self._wrong(text, f"a number from 0 to {self.high}")

    def _wrong(self, text: str, must: str) -> Refused:
        return Refused("illegal", f"{self.name} is {quoted(text, 40)}: it must be {must}")


_TREE: Final = SearchOptions("ismcts")
SEED: Final = Option("Seed", "spin", 0, 0, MAX_SEED)
SEARCH: Final = (
    Option("Method", "combo", "halving", choices=METHODS, present=method_name),
    Option("Level", "spin", TOP_LEVEL, 1, TOP_LEVEL),
    Option("Policy", "combo", str(_TREE.policy), choices=POLICIES, present=policy_name),
    Option("Exploration", "string", float(_TREE.exploration or 0), high=100),
    Option("Memory", "spin", _TREE.memory_mb, 1, MAX_MEMORY_MB),
    Option("Threads", "spin", _TREE.threads, 1, MAX_THREADS),
    Option("Reuse", "check", bool(_TREE.reuse)),
    Option("MoveTime", "spin", int(GO_DEFAULT.movetime_ms or 0), 1, MAX_MS),
    Option("MoveOverhead", "spin", 5, 0, 60_000),
    SEED,
)
SIMPLE: Final = (SEED,)
# Options of which nothing depends that takes time to get ready.
_ANY_TIME: Final = ("MoveTime", "MoveOverhead", "Seed")


class Settings:
    """The options of one process and their values."""

    def __init__(self, options: tuple[Option, ...]) -> None:
        self.options = options
        self._by_name = {option.name.lower(): option for option in options}
        self._values: dict[str, Value] = {option.name: option.default for option in options}

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    @property
    def of_search(self) -> tuple[tuple[str, Value], ...]:
        """The options that what a search needs depends on, with their values."""
        return tuple(item for item in self._values.items() if item[0] not in _ANY_TIME)

    def has(self, name: str) -> bool:
        """Whether the player has an option."""
        return name in self._values

    def number(self, name: str) -> int:
        """The value of a spin."""
        return int(self._values[name])

    def set(self, name: str, text: str) -> None:
        """Set an option. Raises Refused for an unknown name or a wrong value."""
        option = self._by_name.get(name.lower())
        if option is None:
            names = ", ".join(option.name for option in self.options)
            raise Refused("unknown", f"no option {name[:40]!r}: there are {names}")
        value = option.parse(text)
        self._check(option.name, value)
        self._values[option.name] = value

    def _check(self, name: str, value: Value) -> None:
        """Threads share the memory: each needs a MiB of it."""
        both = {key: self._values.get(key) for key in ("Memory", "Threads")} | {name: value}
        if None not in both.values() and int(both["Memory"] or 0) < int(both["Threads"] or 0):
            raise Refused("illegal", "Memory must be 1 MiB or more for each of the Threads")
