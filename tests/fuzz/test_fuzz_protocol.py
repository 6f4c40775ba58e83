"""Random lines, into our engine and out of any: an answer, an error or a named fault; no more.

Seeded; a failure prints the line and what came. Some thousand by default, any number on demand:

    MASONS_FUZZ=1000000 python -m pytest tests/fuzz/test_fuzz_protocol.py
"""

from __future__ import annotations

import io
import logging
import os
import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from masons.ai.search.limits import Limits
from masons.engine.errors import MasonsError
from masons.engine.formats.position_text import format_position
from masons.protocol.client import engine_client
from masons.protocol.client.client_arguments import Timeouts
from masons.protocol.client.engine_client import Engine
from masons.protocol.client.engine_process import EngineProcess, Inbox
from masons.protocol.compliance import trial
from masons.protocol.compliance.sessions import FAIL, NOT_OFFERED, PASS, STEPS, try_engine
from masons.protocol.messages.error_codes import CODES, EngineCrash, EngineError
from masons.protocol.messages.line_streams import read_lines
from masons.protocol.messages.seat_events import format_event
from masons.protocol.server.command_loop import Server
from tests.support.playing import new_game, steps
from tests.support.sessions import TRANSCRIPTS, WAIT, parts

CASES = int(os.environ.get("MASONS_FUZZ", "4000"))
GO = (
    "id", "t1", "movetime", "1", "2", "sims", "1", "3", "infinite", "clock", "9,9", "9,9,9", "inc",
    "0,0", "multipv", "seed", "moves", "avoid", "wall:3", "wall:57", "play:cities", "-1", "x",
    "\x1b[31m",
)  # fmt: skip
OPTIONS = ("Level", "Method", "Threads", "Policy", "Exploration", "MoveTime", "Seed", "Memory")
VALUES = (
    "1", "2", "10", "12", "64", "300", "0", "-3", "ismcts", "halving", "busy", "0.7", "true", "x",
    "", "9" * 30,
)  # fmt: skip


TALK = """
mei isready setoption newgame position event go stop query eval belief gameover debug move roll draw
id movetime sims infinite clock inc multipv moves avoid seed name value players seat board classic
options early_roll Seed legal view svg 0 1 2 3 -1 99999999999999999999 ? , / : = + * # wall:57
play:cities abstain:cities swap:none final:pass merge:none towers:20=white white/red/? -/red/red
cities land-red masons1 phase=wall hands=?6/?6 on off none
"""
WORDS = TALK.split()
LETTERS = "0123456789,;:=+/*?-. \tabé\x00\x7f\u2028😀#"


class Talk:
    """An engine in this process, and what it says to a line."""

    def __init__(self, player: str = "random") -> None:
        self._sink = io.BytesIO()
        self._server = Server(io.BytesIO(), self._sink, player=player, version="0")

    def say(self, data: bytes) -> list[str]:
        """Return the answers to some lines; a search that they start is stopped."""
        for line in read_lines(io.BytesIO(data)):
            self._server._take(line)
        if self._server._jobs.is_busy:
            self._server._take("stop")
        self._server._jobs.join(WAIT)
        assert not self._server._jobs.is_busy, f"still busy after {data!r}"
        lines = self._sink.getvalue().decode().splitlines()
        self._sink.seek(0)
        self._sink.truncate()
        return lines


def sensible_lines() -> list[str]:
    """Lines of the recorded sessions and of a game."""
    lines = [text for path in sorted(TRANSCRIPTS.glob("*.txt")) for mark, text in parts(path)[1]
             if mark == ">"]  # fmt: skip
    game = new_game(3, 8)
    for step in steps(game, random.Random(8)):
        lines.append(f"event {format_event(step, 1)}")
        lines.append(f"position {format_position(game.view(1), game.board)}")
    return lines


def mutated(line: str, rng: random.Random) -> str:
    """A line with some of it changed, left out, doubled or put elsewhere."""
    for _ in range(rng.randint(1, 3)):
        at, end = sorted(rng.randint(0, len(line)) for _ in range(2))
        end = min(end, at + rng.choice((1, 1, 3, 20, 500)))
        line = rng.choice((
            line[:at] + line[end:],
            line[:at] + rng.choice(LETTERS) + line[end:],
            line[:at] + f" {rng.choice(WORDS)} " + line[end:],
            line[:at] + line[at:end] * 2 + line[end:],
            line[end:] + line[:at],
        ))  # fmt: skip
    return line


def grammar_line(rng: random.Random, sensible: list[str]) -> str:
    """Return a line: as it should be, cut short, nearly right, or by chance."""
    kind = rng.random()
    if kind < 0.15:
        return rng.choice(sensible)
    if kind < 0.3:
        line = rng.choice(sensible)
        return line[: rng.randint(0, len(line))]
    if kind < 0.45:
        return "go " + " ".join(rng.choice(GO) for _ in range(rng.randint(0, 6)))
    if kind < 0.5:
        return f"setoption name {rng.choice(OPTIONS)} value {rng.choice(VALUES)}"
    if kind < 0.65:
        return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 9)))
    if kind < 0.7:
        return "".join(rng.choice(LETTERS) for _ in range(rng.randint(1, 80)))
    return mutated(rng.choice(sensible), rng)


# Commands that start a process, or take all of `eval`.
LONG = (["bench"], ["perft"], ["eval"])


def check(line: str, said: list[str]) -> str:
    """Hold the answers to a line against the protocol, and return their kind."""
    errors = [answer.split()[1] for answer in said if answer.startswith("error ")]
    moves = [answer for answer in said if answer.startswith("bestmove ")]
    context = f"{line!r}: {said}"
    assert len(errors) + len(moves) <= 1 + ("\n" in line), context
    assert all(answer.isprintable() for answer in said), context
    assert set(errors) <= set(CODES) - {"internal"}, context
    word = (line.split() or ["#"])[0]
    assert len(moves) == (word == "go" and not errors), context
    rest = [a for a in said if a.split()[0] not in ("info", "bestmove", "error")]
    if word not in ("mei", "isready", "query", "belief") or errors:
        assert not rest, context
    return errors[0] if errors else word


@pytest.mark.slow
@pytest.mark.parametrize("player", ["random", "default"])
def test_a_live_engine_answers_every_line(player: str, capsys: pytest.CaptureFixture[str]) -> None:
    rng = random.Random(f"{player} 21")
    sensible = [line for line in sensible_lines() if line.split()[:1] not in LONG]
    talk = Talk(player)
    kinds: Counter[str] = Counter()
    for number in range(CASES if player == "random" else CASES // 10):
        line = grammar_line(rng, sensible)
        # Files, and what would fill the screen, are for other tests.
        if line.split()[:1] in LONG or "debug" in line or "MoveTime" in line:
            continue
        if "\n" in line or (line.startswith("go") and len(line) > 2000):
            continue
        before = talk.say(b"query view")
        kind = check(line, talk.say(line.encode(errors="replace")))
        kinds[kind] += 1
        if kind in CODES:
            assert talk.say(b"query view") == before, line
        if number % 1000 == 0:
            assert talk.say(b"isready")[-1] == "readyok"
    assert {"unknown", "syntax", "illegal", "state", "go", "event", "position"} <= set(kinds)
    assert capsys.readouterr().err == ""


# --- the other side


OUTPUT = (
    "id name Ann", "id version 1", "id", "protocol 1", "protocol", "meiok", "readyok",
    "option name A type spin default 1 min 0 max 9", "option", "option name", "bestmove wall:3",
    "bestmove wall:3 id 1", "bestmove", "bestmove id 1", "bestmove wall:3 id " + "1" * 5000,
    "info", "info string", "info string x", "info multipv 1 move wall:3 visits 3 win 0.5,0.5",
    "info multipv", "info time -1 sims 999999999999999999999", "info win 1e999", "info se nan",
    "error state no", "error", "error busy id 1 x", "error syntax id", "response", "response eval",
    "response eval win 0.5,0.5 score 1,2", "response card cities count 1 points 2", "badoption",
    "response belief 1 cards 6 cities=0.5/0.4", "response legal wall:3", "response view", "\x00",
    "response tomove 0", "response phase wall", "\x1b[31mred", "\u2028", "response perft 1 9",
)  # fmt: skip


def garbage(rng: random.Random) -> bytes:
    """Return some output of an engine: a few right answers, most of them wrong."""
    parts = [b"id name A\nid version 1\nid author B\nprotocol 1\nmeiok\n"] * (rng.random() < 0.7)
    for _ in range(rng.randint(0, 12)):
        line = rng.choice(OUTPUT)
        if rng.random() < 0.3:
            line = mutated(line, rng)
        data = line.encode(errors="replace")
        if rng.random() < 0.03:
            data = bytes(rng.randrange(256) for _ in range(rng.randint(0, 60)))
        if rng.random() < 0.002:
            data *= (1 << 21) // max(len(data), 1)
        parts.append(data + rng.choice((b"\n", b"\n", b"\r\n", b"\n\n \n", b"")))
    return b"".join(parts)


class Written(EngineProcess):
    """An engine that has written `data`, and reads nothing."""

    data = b""

    def __init__(self, *_: Any, **__: Any) -> None:
        self._log = logging.getLogger("fuzz")
        self._inbox = Inbox()
        self._inbox.end(self._read_lines(io.BytesIO(self.data)))  # type: ignore[arg-type]

    def send(self, line: str) -> None:
        line.encode()

    send_raw = close_input = lambda *_: None  # type: ignore[assignment]
    pid = property(lambda _: 1)  # type: ignore[assignment]

    def receive(self, deadline: float | None) -> str | None:
        try:
            return self._inbox.get(deadline)
        except EOFError:
            raise EngineCrash("the process ended") from None

    def has_ended(self, seconds: float) -> bool:  # noqa: ARG002
        return True

    def kill(self) -> None:
        pass


def uses(engine: Engine) -> Iterator[Any]:
    """Yield every kind of call on an engine."""
    yield engine.ready
    yield lambda: engine.new_game(2, 0)
    yield lambda: engine.go(Limits(sims=1), multipv=2)
    yield lambda: engine.query("legal")
    yield engine.evaluate
    yield engine.belief
    yield lambda: engine.go(Limits(movetime_ms=1))


@pytest.mark.slow
def test_any_output_of_an_engine_is_understood_or_a_named_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine_client, "EngineProcess", Written)
    rng = random.Random(23)
    kinds: Counter[str] = Counter()
    for _ in range(CASES):
        Written.data = garbage(rng)
        engine = Engine("garbage")
        try:
            engine.start()
            order = list(uses(engine))
            rng.shuffle(order)
            for use in order:
                use()
                kinds["understood"] += 1
            engine.quit()
        except EngineError as error:
            kinds[error.kind if str(error).isprintable() else str(error)] += 1
        except Exception as error:
            raise AssertionError(f"{error!r} from {Written.data!r}") from error
    assert set(kinds) == {"understood", "crash", "protocol"}


@pytest.mark.slow
def test_steps_of_the_compliance_test_have_a_verdict_for_any_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trial, "EngineProcess", Written)
    rng = random.Random(24)
    patience = Timeouts(*(1.0,) * 7)
    for _ in range(max(CASES // 2000, 1)):
        Written.data = garbage(rng)
        for outcome in try_engine(["garbage"], STEPS, patience):
            assert outcome.verdict in (PASS, FAIL, NOT_OFFERED), Written.data
    assert threading.active_count() < 50
    with suppress(MasonsError):
        trial.TestedEngine(["garbage"], patience).hello()
