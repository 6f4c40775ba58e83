"""Trying an engine against the protocol: steps, each with what is expected, and their outcome."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from masons.engine.errors import MasonsError
from masons.protocol.client.client_limits import Timeouts
from masons.protocol.client.waiting import Tell
from masons.protocol.compliance.compliance_step import Step, Trial
from masons.protocol.compliance.steps_games import STEPS as GAMES
from masons.protocol.compliance.steps_lines import STEPS as LINES
from masons.protocol.compliance.steps_search import STEPS as SEARCHES
from masons.protocol.compliance.tested_engine import NotOffered, OutOfTime

PASS: Final = "pass"
FAIL: Final = "fail"
NOT_OFFERED: Final = "not offered"
NOT_RUN: Final = "not run"
VERDICTS: Final = (PASS, FAIL, NOT_OFFERED, NOT_RUN)

# How long an engine is waited for in a step: each asks for a little only.
PATIENCE: Final = Timeouts(reply=20, search=60)

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
    command: Sequence[str],
    steps: Sequence[Step],
    timeouts: Timeouts = PATIENCE,
    *,
    seconds: float = math.inf,
    tell: Tell | None = None,
) -> Iterator[Outcome]:
    """The outcome of each step, when it is known; the engine's processes are gone at the end.

    After `seconds` in all the steps that are left are not run. `tell` gets a line where an answer
    is long in coming.
    """
    end = time.monotonic() + seconds
    trial = Trial(command, timeouts, end, tell)
    try:
        for step in steps:
            if time.monotonic() < end:
                yield _try_step(trial, step)
            else:
                yield Outcome(step.name, step.done, step.expected, NOT_RUN, "", 0.0)
    finally:
        trial.clear(all_of_it=True)


def _try_step(trial: Trial, step: Step) -> Outcome:
    began = time.monotonic()
    verdict = PASS
    try:
        came = step.run(trial)
    except NotOffered:
        verdict, came = NOT_OFFERED, ""
    except OutOfTime as error:
        verdict, came = NOT_RUN, str(error)
    except MasonsError as error:
        # Unmet, or an EngineError: the process ended, or was ended as its answers made no sense.
        verdict, came = FAIL, str(error)
    trial.clear(all_of_it=verdict in (FAIL, NOT_RUN))
    seconds = time.monotonic() - began
    return Outcome(step.name, step.done, step.expected, verdict, came, seconds)
