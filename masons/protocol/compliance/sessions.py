"""The steps of the compliance test, which are data: `sessions.txt`, whose head says how to read it.

`STEPS` has all steps. `try_engine` runs steps.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from masons.engine.errors import MasonsError
from masons.engine.state.packed_move import DECISIONS
from masons.protocol.client.client_arguments import TIME_MARGIN, Timeouts
from masons.protocol.client.engine_process import Tell
from masons.protocol.compliance.checks import CHECKS
from masons.protocol.compliance.sample_games import Sample
from masons.protocol.compliance.trial import (
    NotOffered,
    OutOfTime,
    TestedEngine,
    Trial,
    Unmet,
    expect,
    move_in,
)
from masons.protocol.messages.replies import shown

GONE_SECONDS: Final = 1.0  # the time allowed from `quit` to the end of the process
_FILE: Final = Path(__file__).with_name("sessions.txt")
_VALUE: Final = re.compile(r"\{(opening|text|whole|phase|seat|scores|others)(?:\|(.+?)\|(.*?))?\}")
_LETTERS: Final = re.compile(rb"\{(\w)\*(\d+)\}")
_PARTS: Final = {"*": r"(\S+)", "**": "(.*)", "{legal}": r"(?P<legal>\S+)", "{all}": "(?P<all>.*)"}
_WILD: Final = re.compile(r"(\*\*|\*|\{legal\}|\{all\})")


@dataclass(frozen=True)
class Step:
    """A step of the compliance test.

    `done` says in words what the step does, and `expected` says what the engine must do. `lines`
    are the lines of its session.
    """

    name: str
    done: str
    expected: str
    lines: tuple[str, ...]


def _read_sessions() -> tuple[tuple[Step, ...], dict[str, Sample]]:
    steps, samples = [], {}
    for block in _FILE.read_text(encoding="utf-8").split("\n\n"):
        first, *lines = block.splitlines()
        if first.startswith("step "):
            name, done, expected = first.removeprefix("step ").split(" | ")
            steps.append(Step(name, done, expected, tuple(lines)))
        elif first.startswith("sample "):
            for line in block.splitlines():
                _, name, text = line.split(" ", 2)
                samples[name] = Sample(text)
    return tuple(steps), samples


STEPS, _SAMPLES = _read_sessions()


class Session:
    """A session with an engine, carried out line by line.

    A line raises Unmet, NotOffered, OutOfTime or EngineError if the step does not pass.
    """

    def __init__(self, trial: Trial) -> None:
        self.note = ""
        self.warning = ""
        self._trial = trial
        # When the last line was sent, or when a new process was started (`time.monotonic`).
        self._began = 0.0
        self._view: str | None = None  # the view that an error must not change

    def carry_out(self, lines: Sequence[str]) -> None:
        """Carry out lines of a session."""
        for number, line in enumerate(lines, 1):
            if line == "each":
                for phase in DECISIONS:
                    self.carry_out([f"at {phase}", *lines[number:]])
                return
            self._carry_out_line(*line.partition(" ")[::2])

    def _carry_out_line(self, word: str, rest: str) -> None:
        trial = self._trial
        match word:
            case "new" | "greeted" | "ready":
                engine = trial.new(is_greeted=word == "greeted", is_ready=word == "ready")
                self._began = engine.began
            case "sample" | "at":
                trial.sample = _SAMPLES[rest]
                if word == "at":
                    self.carry_out(("> {opening}", "> position {text}", "."))
            case ">":
                self._began = time.monotonic()
                trial.engine.send(self._filled(rest))
            case "raw":
                data = rest.encode().decode("unicode_escape").encode("latin-1")
                trial.engine.send_raw(_LETTERS.sub(lambda m: m[1] * int(m[2]), data))
            case "end":
                self._began = time.monotonic()
                trial.engine.process.close_input()
            case "<":
                self._take(self._filled(rest))
            case "until":
                said = trial.engine.until(rest, trial.engine.timeouts.ready)
                expect(not said, f"{shown(' / '.join(said))} before {rest}")
            case "!":
                codes, _, name = rest.partition("id ")
                trial.engine.expect_error(*codes.split(), name=name)
                if self._view is not None:
                    self._check_view(trial.engine.last)
            case "quiet":
                trial.engine.quiet(int(rest) / 1000)
            case "any":
                trial.engine.sync()
            case "optional":
                if not trial.engine.offers(rest):
                    raise NotOffered(rest)
            case "keep":
                if not rest or trial.engine.offers("query view"):
                    self._view = trial.engine.ask("query view", "view")
            case "gone":
                is_gone = trial.engine.process.has_ended(GONE_SECONDS)
                expect(is_gone, f"it still runs after {GONE_SECONDS:g} s")
                self.note = f"{(time.monotonic() - self._began) * 1000:.0f} ms"
            case "within":
                limit, _, more = rest.partition(" ")
                self._check_time(int(limit), is_lost=more == "or lost")
            case "call":
                check, _, argument = rest.partition(" ")
                self.note = CHECKS[check](trial, argument) or ""
            case _ if set(word) == {"."}:
                for _ in word:
                    trial.engine.accepts()
            case _:
                raise ValueError(f"sessions.txt: no line begins with {word!r}")

    def _check_time(self, limit: int, *, is_lost: bool) -> None:
        """Note how long the last answer took, and warn if it took more than `limit` ms.

        If `is_lost`, an answer that a match would count as a loss on time raises Unmet.
        """
        ms = 1000 * (self._trial.engine.read_at - self._began)
        margin = 1000 * TIME_MARGIN
        self.note = f"{self.note}, {ms:.0f} ms ({limit} allowed)".removeprefix(", ")
        late = ms - limit
        if late > 0:
            forgiven = f"; a match forgives {margin:.0f} ms" if is_lost else ""
            self.warning = f"{late:.0f} ms late{forgiven}"
            expect(not is_lost or late <= margin, f"{self.note}, {self.warning}")

    def _filled(self, text: str) -> str:
        """Return a text with the words in braces replaced by what they stand for."""

        def value(match: re.Match[str]) -> str:
            known = self._trial.sample.value(match[1])
            return known if match[2] is None else re.sub(match[2], match[3], known)

        return _VALUE.sub(value, text)

    def _check_view(self, after: str) -> None:
        view = self._trial.engine.ask("query view", "view")
        expect(view == self._view, f"{shown(after)} changed the view from {self._view} to {view}")

    def _take(self, pattern: str) -> None:
        """Wait for a line, and check that it fits a pattern."""
        engine = self._trial.engine
        sent = engine.last
        line = " ".join(engine.line(engine.patience()).split())
        if line.startswith("error unknown") and "response" in pattern:
            raise NotOffered(line)
        for choice in pattern.split(" || "):
            parts = (_PARTS.get(part) or re.escape(part) for part in _WILD.split(choice))
            if match := re.fullmatch("".join(parts), line):
                break
        else:
            raise Unmet(f"{shown(sent)} was answered by {shown(line)}, not {_in_words(pattern)}")
        moves = match.groupdict()
        sample = self._trial.sample if moves else None
        if sample and "legal" in moves:
            is_legal = sample.game.is_legal(move_in(line, moves["legal"]))
            expect(is_legal, f"{shown(moves['legal'])} is not legal in {sample.text}")
        if sample and "all" in moves:
            _check_all(sample, [str(move_in(line, move)) for move in moves["all"].split()])


def _in_words(pattern: str) -> str:
    """Return a pattern as a person would write it."""
    for sign, word in (("{legal}", "MOVE"), ("{all}", "MOVE MOVE …"), ("**", "…"), ("*", "…")):
        pattern = pattern.replace(sign, word)
    return pattern.replace(" || ", " or ")


def _check_all(sample: Sample, moves: Sequence[str]) -> None:
    """Check that an engine's list has each legal move once."""
    if sorted(moves) != sorted(sample.moves):
        wrong = sorted(set(moves) ^ set(sample.moves))[:3] or "moves twice"
        raise Unmet(f"{len(moves)} moves, not {len(sample.moves)}: {wrong} in {sample.text}")


# --- the run of all steps

PASS: Final = "pass"
FAIL: Final = "fail"
NOT_OFFERED: Final = "not offered"
NOT_RUN: Final = "not run"

# These time-outs are shorter than those of a client, because each step takes little work.
PATIENCE: Final = Timeouts(reply=20, search=60)


@dataclass(frozen=True)
class StepOutcome:
    """The outcome of a step. `came` is the fault if the step failed, and otherwise a note.

    `warning` says how late an answer was. It is "" if no answer was late or the step failed.
    """

    name: str
    done: str
    expected: str
    verdict: str
    came: str
    warning: str
    seconds: float


def try_engine(
    command: Sequence[str],
    steps: Sequence[Step],
    timeouts: Timeouts = PATIENCE,
    *,
    seconds: float = math.inf,
    tell: Tell | None = None,
) -> Iterator[StepOutcome]:
    """Run the steps, and yield the outcome of each step as soon as the step ends.

    Once `seconds` have passed, the remaining steps are not run. `tell` is called with a line of
    text if an answer takes long. All processes are killed at the end.
    """
    end = time.monotonic() + seconds
    trial = Trial(partial(TestedEngine, command, timeouts, end, tell))
    try:
        for step in steps:
            began = time.monotonic()
            verdict, came, warning = _tried(trial, step) if began < end else (NOT_RUN, "", "")
            took = time.monotonic() - began if began < end else 0.0
            yield StepOutcome(step.name, step.done, step.expected, verdict, came, warning, took)
    finally:
        trial.clear(all_of_it=True)


def _tried(trial: Trial, step: Step) -> tuple[str, str, str]:
    """Run a step. Return its verdict, either its note or the fault, and a warning or ""."""
    session = Session(trial)
    verdict, came, warning = PASS, "", ""
    try:
        session.carry_out(step.lines)
        came, warning = session.note, session.warning
    except NotOffered:
        verdict = NOT_OFFERED
    except OutOfTime as error:
        verdict, came = NOT_RUN, str(error)
    except MasonsError as error:
        # The error is Unmet, or an EngineError after which the process has ended.
        verdict, came = FAIL, str(error)
    trial.clear(all_of_it=verdict in (FAIL, NOT_RUN))
    return verdict, came, warning
