"""Waiting for an answer: how long in all, how long without a line, and a word on the way."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from masons.engine.plain_text import plain

Tell = Callable[[str], None]

NOTICE_SECONDS: Final = 10.0  # without a line, until somebody is told that it takes long
_POLL_SECONDS: Final = 0.2  # how soon another thread's `shorten` is noticed


class Waiting:
    """The wait for one answer of an engine, from now on.

    It is over after `seconds` in all, and after `silence` seconds without a line if there is such a
    limit. `tell` gets one line where nothing came for NOTICE_SECONDS and more will be waited.
    """

    def __init__(
        self, engine: str, what: str, seconds: float, silence: float | None, tell: Tell | None
    ) -> None:
        self.what = what
        self._engine = plain(engine)
        self._silence = silence
        self._tell = tell
        self.restart(seconds)

    def restart(self, seconds: float) -> None:
        """Wait so many seconds in all from now on."""
        self._heard = self._began = time.monotonic()
        self._end = self._began + seconds

    def shorten(self, seconds: float) -> None:
        """Wait so many seconds from now on at most; from any thread."""
        self._end = min(self._end, time.monotonic() + seconds)

    def heard(self) -> None:
        """Something was said: the silence begins anew."""
        self._heard = time.monotonic()

    @property
    def deadline(self) -> float:
        """When it is over (`time.monotonic`)."""
        return self._end if self._silence is None else min(self._end, self._heard + self._silence)

    @property
    def is_outrun(self) -> bool:
        """Whether lines came without end, until after the deadline."""
        return time.monotonic() > self._end + 1

    @property
    def stall(self) -> str:
        """What is wrong where it is over."""
        if self.deadline < self._end:
            return f"no answer to {self.what} in time: nothing for {self._silence:g} s"
        return f"no answer to {self.what} in time: {self._end - self._began:.3g} s"

    def line(self, receive: Callable[[float], str | None]) -> str | None:
        """The next line; None when it is over. `receive` waits for one until a time."""
        while (line := receive(min(self.deadline, time.monotonic() + _POLL_SECONDS))) is None:
            now = time.monotonic()
            if now >= self.deadline:
                return None
            if self._tell is not None and now >= self._heard + NOTICE_SECONDS:
                left = self.deadline - self._heard
                self._tell(
                    f"engine {self._engine} has not answered {self.what} for "
                    f"{now - self._heard:.0f} s; waiting until {left:.0f} s"
                )
                self._tell = None
        return line
