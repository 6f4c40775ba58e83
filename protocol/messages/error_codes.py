"""The codes of `error` lines, and exceptions for refused commands and failed engines."""

from __future__ import annotations

from typing import ClassVar, Final

from masons.engine.errors import MasonsError
from masons.engine.plain_text import plain

# Of an `error` line (docs/protocol.md, "Errors").
CODES: Final = ("unknown", "syntax", "illegal", "state", "busy", "internal")


def fault_text(error: Exception) -> str:
    """Return the text of an `internal` error for an exception."""
    if isinstance(error, MemoryError):
        return "not enough memory: lower the option Memory"
    return f"{type(error).__name__}: {error}"


class Refused(MasonsError):  # noqa: N818 - it is an answer
    """A refused command, with the code and text of the `error` line that answers it.

    `id` is the id of a `go`, if it has one.
    """

    def __init__(self, code: str, text: str, ident: str | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.id = ident


# --- failures of an engine in a separate process


class EngineError(MasonsError):
    """An engine failed; `kind` names the failure in counts and reports."""

    kind: ClassVar[str] = "engine"

    def __init__(self, message: str = "") -> None:
        super().__init__(plain(message))


class EngineCrash(EngineError):  # noqa: N818
    """The process could not be started, or ended or closed its output unasked."""

    kind = "crash"


class EngineStall(EngineError):  # noqa: N818
    """No answer came in time."""

    kind = "stall"


class ProtocolFault(EngineError):  # noqa: N818
    """An answer that breaks the protocol, or an `error` line.

    `code` is the code of the `error` line (unknown, syntax, illegal, state, busy, internal), or
    None for a broken answer; `text` is the engine's text. After an `error` line the engine keeps
    running; after a broken answer it was killed.
    """

    kind = "protocol"

    def __init__(self, message: str, *, code: str | None = None, text: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.text = text
