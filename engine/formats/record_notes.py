"""Lines of a file of records that are no games, but about the games that follow."""

from __future__ import annotations

import re
from typing import Final

NOTE: Final = "masons-fair"
"""The `format` of such a line: what a fair match commits to before its games."""

_NOTE: Final = re.compile(rf'\s*\{{\s*"format"\s*:\s*"{NOTE}"')


def is_note(line: str) -> bool:
    """Whether a line is such a note."""
    return _NOTE.match(line) is not None
