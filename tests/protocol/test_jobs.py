"""Work beside the command loop: jobs, the time held back of a search, preparation."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from masons.ai.search.limits import Limits
from masons.ai.search.results import Analysis
from masons.ai.session import Session
from masons.engine.formats.position_text import format_position
from masons.engine.game.game import Game
from masons.protocol.messages.error_codes import Refused
from masons.protocol.messages.line_streams import Output
from masons.protocol.server import jobs as jobs_module
from masons.protocol.server.followed_game import QUERIES
from masons.protocol.server.jobs import Halt, Jobs, Overhead, Part, Preparation, longest_gap
from masons.protocol.server.parsed_commands import SEARCH, EngineSettings, parse_go
from masons.protocol.server.thinker import GoDecision, make_thinker, rehearse
from tests.support.commands import run_python


def test_the_latest_of_the_last_answers_counts() -> None:
    overhead = Overhead()
    assert overhead.reserved_ms(100, 5) == 5
    overhead.add_delay(10)  # seen; as much may have passed unseen, before the line was read
    assert overhead.reserved_ms(100, 5) == 20
    assert overhead.reserved_ms(100, 30) == 30
    for _ in range(64):
        overhead.add_delay(1)
    assert overhead.reserved_ms(100, 0) == 2
    overhead.add_delay(50)
    overhead.add_delay(1)
    assert overhead.reserved_ms(200, 5) == 100
    # Something is left of a short time.
    for limit in (1, 5, 10):
        assert 0 < limit - overhead.reserved_ms(limit, 5) < 0.2 * limit
    assert overhead.reserved_ms(0, 5) == 0
    assert 0 <= longest_gap(2) < 60_000


def test_delays_of_the_rehearsal_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "longest_gap", lambda _: 0.0)
    overhead = Overhead()
    rehearse("default", EngineSettings(SEARCH), overhead)
    assert overhead.reserved_ms(100, 0) == 0


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[Limits]:
    """The limits of the searches, each of which ends after one simulation."""
    limits, analyze = list[Limits](), Session.analyze

    def noted(session: Session, view: Any, **request: Any) -> Analysis:
        limits.append(request["limits"])
        return analyze(session, view, sims=1, only=request["only"])

    monkeypatch.setattr(Session, "analyze", noted)
    return limits


def decide(words: str, received: float, halt: Halt) -> str:
    """Return the answer of the default player to a `go`."""
    game, request = Game(2, seed=3), parse_go(words, received)
    moves = request.moves or game.legal_moves()
    decision = GoDecision(game.table, game.observe(game.seat), moves, request)
    thinker = make_thinker("default", EngineSettings(SEARCH), Overhead())
    return thinker.answer(decision, print, halt)


_IMPORTS = """
import io, sys
from masons.protocol.server.command_loop import Server
server = Server(io.BytesIO(), io.BytesIO(), player="default", version="0")
server._take("mei")
server._take("isready")
before = set(sys.modules)
for line in sys.stdin.read().splitlines():
    server._take(line)
    server._jobs.join(60)
print(sorted(set(sys.modules) - before))
"""


def test_nothing_is_imported_after_readyok() -> None:
    """Neither by a short search nor by one with a rollout, nor by any other command of a game."""
    game = Game(2, seed=3)
    seat, wall = game.seat, game.legal_moves()[0]
    lines = [
        f"newgame players 2 seat {seat} board classic",
        f"position {format_position(game.view(seat), game.board)}",
        "go movetime 60", "go movetime 400", "go sims 100 multipv 3", "eval", "belief",
        *(f"query {what}" for what in QUERIES),
        f"event move {seat} {wall}", "event roll white/red/?", "go movetime 300",
        "gameover scores 1,2 winners 1 end walls",
    ]  # fmt: skip
    assert run_python("-c", _IMPORTS, text="\n".join(lines)).stdout == "[]\n"


def test_time_that_a_go_has_waited_is_part_of_its_time(searched: list[Limits]) -> None:
    for waited in (0, 4):  # seconds
        decide("movetime 9000", time.monotonic() - waited, Halt())
    first, second = (limits.movetime_ms or 0 for limits in searched)
    assert 9000 >= first > second
    assert 9000 - 4000 >= second > 0


def test_an_endless_search_of_one_move_waits_for_its_stop(searched: list[Limits]) -> None:
    waits = []

    class Noted(Halt):
        def wait(self) -> None:
            waits.append(len(searched))

    assert decide("infinite moves wall:57", 0.0, Noted()).endswith("bestmove wall:57")
    assert waits == [1]


def test_a_job_in_the_thread_of_its_caller_was_running_all_the_time() -> None:
    sink = io.BytesIO()
    jobs = Jobs(Output(sink))
    assert not jobs.was_busy(1.0)

    def work(_: object) -> str:
        assert jobs.is_busy
        return "bestmove wall:0"

    jobs.start(work, "go", here=True)
    assert not jobs.is_busy
    assert jobs.was_busy(1.0)
    assert not jobs.was_busy(float("inf"))
    assert sink.getvalue() == b"bestmove wall:0\n"


def test_stop_with_an_id_ends_only_the_job_with_that_id() -> None:
    jobs = Jobs(Output(io.BytesIO()))
    stopped: list[bool] = []

    def work(halt: Halt) -> str:
        for ident in ("b", "a"):
            jobs.stop(ident)
            stopped.append(halt.is_set)
        return "bestmove wall:0"

    jobs.start(work, "go", "a", here=True)
    assert stopped == [False, True]


@pytest.mark.parametrize("here", [False, True])
def test_a_job_that_fails_is_an_error(here: bool) -> None:
    sink = io.BytesIO()
    jobs = Jobs(Output(sink))

    def work(_: object) -> str:
        raise ValueError("what?")

    for _ in range(2):
        jobs.start(work, "go", "x", here=here)
        jobs.join(60)
    assert sink.getvalue() == 2 * b"error internal id x ValueError: what?\n"


def test_what_waits_for_a_job_is_written_after_it_even_if_another_job_has_just_ended() -> None:
    """The reader of an answer may give the next command before the answering thread goes on."""

    class Eager(Output):
        """Sends the next commands as soon as the error has been written."""

        def refuse(self, refused: Refused, before: Callable[[], None] | None = None) -> None:
            super().refuse(refused, before)
            jobs.start(lambda _: "response eval", "eval")
            jobs.then_say("readyok")

    def stopped(_: object) -> str:
        raise Refused("state", "bench was stopped")

    sink = io.BytesIO()
    jobs = Jobs(Eager(sink))
    jobs.start(stopped, "bench")
    for _ in range(2):
        jobs.join(60)
    deadline = time.monotonic() + 60
    while b"readyok" not in sink.getvalue():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert sink.getvalue().split(b"\n")[1:3] == [b"response eval", b"readyok"]


# --- preparation: `readyok` means that the next `go` answers in time, whatever options stand


class Parts:
    """Parts that note when they are prepared; `hold` keeps them from it."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.hold = threading.Event()
        self.faults: list[str] = []
        self.sink = io.BytesIO()
        self.preparation = Preparation(Output(self.sink))

    def start(self, *names: str, is_kept: bool = True) -> None:
        def prepare(name: str) -> None:
            self.hold.wait(60)
            if self.faults:
                raise ValueError(self.faults.pop())
            self.done.append(name)

        self.preparation.start(
            [Part(n, f"the {n}", lambda: is_kept, lambda n=n: prepare(n)) for n in names]  # type: ignore[misc]
        )


def test_each_part_is_prepared_once_in_order() -> None:
    parts = Parts()
    parts.start("a")
    parts.start("a", "b", is_kept=False)
    parts.start("b", "c")
    parts.hold.set()
    parts.preparation.wait()
    parts.start("a", "c")
    parts.preparation.wait()
    assert parts.done == ["a", "b", "c"]
    assert parts.sink.getvalue() == b"info string compiling the b (1 of 1)\n"


def test_failed_parts_are_tried_again() -> None:
    parts = Parts()
    parts.faults.append("no room")
    parts.hold.set()
    parts.start("a", "b")
    with pytest.raises(Refused, match="could not be prepared: ValueError: no room"):
        parts.preparation.wait()
    assert parts.done == []
    parts.start("a", "b")
    parts.preparation.wait()
    assert parts.done == ["a", "b"]


def test_there_are_signs_of_life_while_somebody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "_SIGN_SECONDS", 0.01)
    parts = Parts()
    parts.start("a", is_kept=False)
    threading.Timer(0.1, parts.hold.set).start()
    parts.preparation.wait()
    assert b"info string still compiling the a, 0 s\n" in parts.sink.getvalue()
