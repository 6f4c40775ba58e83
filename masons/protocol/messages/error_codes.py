"""The codes of `error` lines, and exceptions for refused commands and failed engines."""

from __future__ import annotations

import time
from typing import ClassVar, Final

from masons.engine.errors import MasonsError
from masons.engine.plain_text import plain

# The codes that an `error` line can have (docs/protocol.md, "Errors").
CODES: Final = ("unknown", "syntax", "illegal", "state", "busy", "internal")


def fault_text(error: Exception) -> str:
    """Return the text of the `internal` error that reports an exception."""
    if isinstance(error, MemoryError):
        return "not enough memory: lower the option Memory"
    return f"{type(error).__name__}: {error}"


class Refused(MasonsError):  # noqa: N818 - it is an answer
    """A refused command, with the code and the text of the `error` line that answers it.

    If the command is a `go` with an id, `id` is that id; otherwise it is None.
    """

    def __init__(self, code: str, text: str, ident: str | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.id = ident


# --- failures of an engine in a separate process


class EngineError(MasonsError):
    """The failure of an engine; `kind` names the failure in counts and reports.

    `at` is the time at which the engine failed (`time.monotonic`). What the client does after that,
    such as ending the process, is not the engine's time.
    """

    kind: ClassVar[str] = "engine"

    def __init__(self, message: str = "", *, at: float | None = None) -> None:
        super().__init__(plain(message))
        self.at = time.monotonic() if at is None else at


class EngineCrash(EngineError):  # noqa: N818
    """A process that could not be started, or that ended or closed its output too early."""

    kind = "crash"


class EngineStall(EngineError):  # noqa: N818
    """An answer that did not come in time."""

    kind = "stall"


class ProtocolFault(EngineError):  # noqa: N818
    """An answer that breaks the protocol, or an `error` line.

    `code` is the code of the `error` line, which is one of CODES, or None if an answer breaks the
    protocol. `text` is the engine's text. After an `error` line the engine keeps running; after an
    answer that breaks the protocol, the engine's process is killed.
    """

    kind = "protocol"

    def __init__(
        self, message: str, *, code: str | None = None, text: str = "", at: float | None = None
    ) -> None:
        super().__init__(message, at=at)
        self.code = code
        self.text = text
