"""A search that an engine was asked for, and what has come of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from masons.protocol.client.waiting import Waiting
from masons.protocol.messages.engine_faults import ProtocolFault
from masons.protocol.messages.replies import Answer, Info

OnInfo = Callable[[Info], object]


class How(TypedDict, total=False):
    """What a search is asked for beside its limits."""

    multipv: int
    """The best moves that it reports: 1 by default."""
    moves: Sequence[str]
    """The only moves that it looks at."""
    avoid: Sequence[str]
    """Moves that it does not look at."""
    on_info: OnInfo | None
    """Called with each info while `Engine.wait` waits."""
    wait: float | None
    """Seconds that the answer may take: by default those of the limits, and the grace."""


@dataclass
class PendingSearch:
    """A `go` that was sent; `began` is by `time.monotonic`."""

    id: str
    began: float
    waiting: Waiting
    on_info: OnInfo | None
    answer: Answer | None = None
    failed: ProtocolFault | None = None
    _infos: dict[int, Info] = field(default_factory=dict)  # the last of each rank

    @property
    def is_done(self) -> bool:
        """Whether it was answered, by a move or by an error."""
        return self.answer is not None or self.failed is not None

    def take_info(self, info: Info) -> None:
        """Keep an info, and hand it on."""
        if self.is_done:
            return
        if not info.string:
            self._infos[info.multipv] = info
        if self.on_info is not None:
            self.on_info(info)

    def take_move(self, move: str, read_at: float) -> None:
        """The answer, and when it came (`time.monotonic`)."""
        infos = tuple(self._infos[rank] for rank in sorted(self._infos))
        self.answer = Answer(move, infos, read_at - self.began)
