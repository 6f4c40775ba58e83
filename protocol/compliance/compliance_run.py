"""Trying an engine against the protocol: steps, each with what is expected, and their outcome."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from masons.engine.errors import MasonsError
from masons.protocol.client.client_limits import Timeouts
from masons.protocol.compliance.compliance_step import Step, Trial
from masons.protocol.compliance.steps_games import STEPS as GAMES
from masons.protocol.compliance.steps_lines import STEPS as LINES
from masons.protocol.compliance.steps_search import STEPS as SEARCHES
from masons.protocol.compliance.tested_engine import NotOffered

PASS: Final = "pass"
FAIL: Final = "fail"
NOT_OFFERED: Final = "not offered"

STEPS: Final[tuple[Step, ...]] = (*LINES, *GAMES, *SEARCHES)


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
        # Unmet, or an EngineError: the process ended, or was ended as its answers made no sense.
        verdict, came = FAIL, str(error)
    trial.clear(all_of_it=verdict == FAIL)
    seconds = time.monotonic() - began
    return Outcome(step.name, step.done, step.expected, verdict, came, seconds)
