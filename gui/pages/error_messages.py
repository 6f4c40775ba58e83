"""What a page is told of something that went wrong."""

from __future__ import annotations

import traceback
from typing import Any

from masons.engine.errors import FileLostError, MasonsError
from masons.engine.plain_text import plain
from masons.protocol.messages.error_codes import Refused


def error_message(error: Exception) -> dict[str, Any]:
    """One line, with the code of the protocol.

    A fault of the program's own is named, too, and the terminal says where it was.
    """
    if isinstance(error, Refused):
        return {"type": "error", "code": error.code, "text": error.text}
    code = "internal" if isinstance(error, FileLostError) else "illegal"
    text = str(error)
    if isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename is not None else ""
        code, text = "internal", f"{name}{error.strerror or error}"
    elif not isinstance(error, MasonsError | FileLostError):
        code = "internal"
        text = f"a fault of the program ({type(error).__name__}): the terminal says where"
        traceback.print_exception(error)
    return {"type": "error", "code": code, "text": plain(" ".join(text.split()))}


def error_messages(error: Exception) -> tuple[dict[str, Any], dict[str, Any]]:
    """What guests are told of it, and what the host: to it alone files are named, as its own."""
    message = error_message(error)
    if isinstance(error, FileLostError):
        return {**message, "text": "the game's file is lost: the host's page says which"}, message
    if isinstance(error, OSError):
        text = f"the game's file: {error.strerror or type(error).__name__}"
        return {**message, "text": text}, message
    return message, message
