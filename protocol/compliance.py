"""Trying an engine against the protocol: steps, each with what is expected, and their outcome."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from masons.engine.errors import MasonsError
from masons.protocol.limits import Timeouts
from masons.protocol.talk import NotOffered, Talk

PASS: Final = "pass"
FAIL: Final = "fail"
NOT_OFFERED: Final = "not offered"


class Trial:
    """The engine on trial: its command, and the process that steps share until one fails."""

    def __init__(self, command: Sequence[str], timeouts: Timeouts) -> None:
        self.command = command
        self.timeouts = timeouts
        self._shared: Talk | None = None
        self._own: list[Talk] = []

    def process(self) -> Talk:
        """A process of the step's own, to which nothing has been said."""
        talk = Talk(self.command, self.timeouts)
        self._own.append(talk)
        return talk

    def ready(self) -> Talk:
        """A process of the step's own that can search."""
        talk = self.process()
        talk.hello()
        talk.accepts()
        return talk

    def talk(self) -> Talk:
        """The shared process, which can search."""
        if self._shared is None:
            talk = Talk(self.command, self.timeouts)
            self._shared = talk
            talk.hello()
            talk.accepts()
        return self._shared

    def clear(self, *, all_of_it: bool) -> None:
        """End the step's own processes, and maybe the shared one."""
        for talk in self._own:
            talk.close()
        self._own.clear()
        if all_of_it and self._shared is not None:
            self._shared.close()
            self._shared = None


@dataclass(frozen=True)
class Step:
    """One trial. `run` returns a note, if any, and raises Unmet, NotOffered or EngineError."""

    name: str
    done: str
    expected: str
    run: Callable[[Trial], str]


@dataclass(frozen=True)
class Outcome:
    """How a step went. `came`: what came instead of the expected, or a note."""

    name: str
    done: str
    expected: str
    verdict: str
    came: str
    seconds: float


def try_engine(
    command: Sequence[str], steps: Sequence[Step], timeouts: Timeouts
) -> Iterator[Outcome]:
    """The outcome of each step, when it is known; the engine's processes are gone at the end."""
    trial = Trial(command, timeouts)
    try:
        for step in steps:
            yield _try_step(trial, step)
    finally:
        trial.clear(all_of_it=True)


def _try_step(trial: Trial, step: Step) -> Outcome:
    began = time.monotonic()
    verdict = PASS
    try:
        came = step.run(trial)
    except NotOffered:
        verdict, came = NOT_OFFERED, ""
    except MasonsError as error:
        # Unmet, or an EngineError: the process has ended, or was ended because it talks nonsense.
        verdict, came = FAIL, str(error)
    trial.clear(all_of_it=verdict == FAIL)
    seconds = time.monotonic() - began
    return Outcome(step.name, step.done, step.expected, verdict, came, seconds)


def all_steps() -> list[Step]:
    """Every step, in the order in which they are worth reading."""
    from masons.protocol.steps_games import STEPS as GAMES
    from masons.protocol.steps_lines import STEPS as LINES
    from masons.protocol.steps_search import STEPS as SEARCHES

    return [*LINES, *GAMES, *SEARCHES]
