"""The codes of `error` lines, and a command that is answered by one."""

from __future__ import annotations

from typing import ClassVar, Final

from masons.engine.errors import MasonsError
from masons.engine.plain_text import plain

# Of an `error` line (docs/protocol.md, "Errors").
CODES: Final = ("unknown", "syntax", "illegal", "state", "busy", "internal")


def fault_text(error: Exception) -> str:
    """Return what an `internal` error says of what was raised."""
    if isinstance(error, MemoryError):
        return "not enough memory: lower the option Memory"
    return f"{type(error).__name__}: {error}"


class Refused(MasonsError):  # noqa: N818 - it is an answer
    """A command that an engine does not carry out: the `error` line that answers it.

    `id` is that of a `go`, where it has one.
    """

    def __init__(self, code: str, text: str, ident: str | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.id = ident


# --- what can go wrong with an engine in a process of its own


class EngineError(MasonsError):
    """An engine failed; `kind` says how, for counts and reports."""

    kind: ClassVar[str] = "engine"

    def __init__(self, message: str = "") -> None:
        super().__init__(plain(message))


class EngineCrash(EngineError):  # noqa: N818
    """The process could not be started, or ended (or closed its output) without being asked to."""

    kind = "crash"


class EngineStall(EngineError):  # noqa: N818
    """No answer came in time."""

    kind = "stall"


class ProtocolFault(EngineError):  # noqa: N818
    """An answer that is not the protocol, or an `error` line.

    `code` is that of the `error` line (unknown, syntax, illegal, state, busy, internal) and None
    for an answer that makes no sense; `text` is what was said. After an `error` line the engine
    lives on; after nonsense it was killed.
    """

    kind = "protocol"

    def __init__(self, message: str, *, code: str | None = None, text: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.text = text
