"""The time held back of a search, and the jobs that run it."""

from __future__ import annotations

import io

import pytest

from masons.protocol.messages.line_streams import Output
from masons.protocol.server.jobs import Jobs, Overhead, longest_gap


def test_the_latest_of_the_last_answers_counts() -> None:
    overhead = Overhead()
    assert overhead.held_back(100, 5) == 5
    overhead.note(10)  # seen; as much may have passed unseen, before the line was read
    assert overhead.held_back(100, 5) == 20
    assert overhead.held_back(100, 30) == 30
    for _ in range(64):
        overhead.note(1)
    assert overhead.held_back(100, 0) == 2


def test_something_is_left_of_a_short_time() -> None:
    overhead = Overhead()
    overhead.note(50)
    for limit in (1, 5, 10):
        assert 0 < limit - overhead.held_back(limit, 5) < 0.2 * limit
    assert overhead.held_back(0, 5) == 0


def test_a_gap_is_a_time() -> None:
    assert 0 <= longest_gap(2) < 60_000


def test_what_ran_in_the_callers_thread_was_running_all_the_time() -> None:
    sink = io.BytesIO()
    jobs = Jobs(Output(sink))
    assert not jobs.was_busy(1.0)

    def work(_: object) -> str:
        assert jobs.is_busy
        return "bestmove wall:0"

    jobs.start(work, is_search=True, here=True)
    assert not jobs.is_busy
    assert jobs.was_busy(1.0)
    assert not jobs.was_busy(float("inf"))
    assert sink.getvalue() == b"bestmove wall:0\n"


@pytest.mark.parametrize("here", [False, True])
def test_a_job_that_fails_is_an_error(here: bool) -> None:
    sink = io.BytesIO()
    jobs = Jobs(Output(sink))

    def work(_: object) -> str:
        raise ValueError("what?")

    for _ in range(2):
        jobs.start(work, "x", here=here)
        jobs.join(60)
    assert sink.getvalue() == 2 * b"error internal id x ValueError: what?\n"
