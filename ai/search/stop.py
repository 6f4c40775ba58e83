"""Ending a running search from another thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol


class _Stoppable(Protocol):
    def stop(self) -> None: ...


class Stop:
    """A word to one search, to be said from any thread, at any time: `stop.set()`.

    It is made for one call and given to that call, so it is never lost and never ends another one:
    set before the call or while it begins, it ends the search after its first iteration. Once set
    it stays so.
    """

    def __init__(self) -> None:
        self._is_set = False
        self._running: list[_Stoppable] = []

    def set(self) -> None:
        """End the search, at once; from a signal handler too."""
        self._is_set = True
        for search in tuple(self._running):
            search.stop()

    @property
    def is_set(self) -> bool:
        """Return whether the stop was requested."""
        return self._is_set

    @contextmanager
    def ending(self, searches: Sequence[_Stoppable]) -> Iterator[None]:
        """While these searches run, `set` ends them; so it does if it was called before."""
        # First told of, then looked at: `set` does it the other way round, so none is missed.
        self._running.extend(searches)
        if self._is_set:
            self.set()
        try:
            yield
        finally:
            for search in searches:
                self._running.remove(search)
