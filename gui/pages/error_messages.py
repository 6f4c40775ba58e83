"""What a page is told of something that went wrong."""

from __future__ import annotations

from typing import Any

from masons.engine.errors import FileLostError
from masons.protocol.messages.error_codes import Refused


def error_message(error: Exception) -> dict[str, Any]:
    """One line, with the code of the protocol."""
    if isinstance(error, Refused):
        return {"type": "error", "code": error.code, "text": error.text}
    if isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename is not None else ""
        return {"type": "error", "code": "internal", "text": f"{name}{error.strerror or error}"}
    code = "internal" if isinstance(error, FileLostError) else "illegal"
    return {"type": "error", "code": code, "text": " ".join(str(error).split())}
