"""The codes of `error` lines, and a command that is answered by one."""

from __future__ import annotations

from typing import Final

from masons.engine.errors import MasonsError

# Of an `error` line (docs/protocol.md, "Errors").
CODES: Final = ("unknown", "syntax", "illegal", "state", "busy", "internal")


def fault_text(error: Exception) -> str:
    """Return what an `internal` error says of what was raised."""
    if isinstance(error, MemoryError):
        return "not enough memory: set the option Memory to less"
    return f"{type(error).__name__}: {error}"


class Refused(MasonsError):  # noqa: N818 - it is an answer
    """A command that an engine does not carry out: the `error` line that answers it."""

    def __init__(self, code: str, text: str, ident: str | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.id = ident
