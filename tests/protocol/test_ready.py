"""`readyok` means that the next `go` answers in time, whatever options stand."""

from __future__ import annotations

import io
import threading
import time

import pytest

from masons.protocol.messages.error_codes import Refused
from masons.protocol.messages.line_streams import Output
from masons.protocol.server import preparation
from masons.protocol.server.preparation import Part, Preparation


class Parts:
    """Parts that say when they are prepared; `hold` keeps them from it."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.hold = threading.Event()
        self.hold.set()
        self.faults: list[str] = []

    def part(self, name: str, *, is_kept: bool = True) -> Part:
        def prepare() -> None:
            self.hold.wait(60)
            if self.faults:
                raise ValueError(self.faults.pop())
            self.done.append(name)

        return Part(name, f"the {name}", lambda: is_kept, prepare)


def test_each_part_is_prepared_once_in_order() -> None:
    parts, sink = Parts(), io.BytesIO()
    getting = Preparation(Output(sink))
    parts.hold.clear()
    getting.start([parts.part("a"), parts.part("b", is_kept=False)])
    getting.start([parts.part("b"), parts.part("c")])
    parts.hold.set()
    getting.wait()
    getting.start([parts.part("a"), parts.part("c")])
    getting.wait()
    assert parts.done == ["a", "b", "c"]
    assert sink.getvalue() == b"info string compiling the b (2 of 2)\n"


def test_what_failed_is_tried_again() -> None:
    parts = Parts()
    parts.faults.append("no room")
    getting = Preparation(Output(io.BytesIO()))
    for _ in range(2):
        getting.start([parts.part("a"), parts.part("b")])
        if not parts.done:
            with pytest.raises(Refused, match="could not be prepared: ValueError: no room"):
                getting.wait()
            assert parts.done == []
            parts.done.append("again")
    getting.wait()
    assert parts.done == ["again", "a", "b"]


def test_who_waits_gets_signs_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "_SIGN_SECONDS", 0.01)
    parts, sink = Parts(), io.BytesIO()
    getting = Preparation(Output(sink))
    parts.hold.clear()
    getting.start([parts.part("a", is_kept=False)])
    threading.Timer(0.1, parts.hold.set).start()
    began = time.monotonic()
    getting.wait()
    assert time.monotonic() - began < 60
    assert b"info string still compiling the a, 0 s\n" in sink.getvalue()
