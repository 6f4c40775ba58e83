"""A command that is not carried out."""

from __future__ import annotations

from typing import Final

from masons.engine.errors import MasonsError

CODES: Final = ("unknown", "syntax", "illegal", "state", "busy", "internal")


class Refused(MasonsError):  # noqa: N818 - it is an answer
    """A command that an engine does not carry out: the `error` line that answers it."""

    def __init__(self, code: str, text: str, ident: str | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.id = ident
