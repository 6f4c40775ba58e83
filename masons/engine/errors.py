"""Errors that the engine raises on purpose.

Every message is one line that says what was wrong and what would be right.
"""

from typing import Final


class MasonsError(ValueError):
    """The base class of all errors about input. Any other exception from the engine is a bug."""


# The exceptions that parsers and numpy raise for damaged or hostile data. A reader of files turns
# every one of them into a MasonsError of one line.
READ_ERRORS: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


class BoardError(MasonsError):
    """A board description that cannot be read, or that violates the rules for boards."""


class PositionError(MasonsError):
    """A position that cannot be read, or that no game can reach."""


class MoveError(MasonsError):
    """A move that cannot be read, or that is not legal in its position."""


class RecordError(MasonsError):
    """A game record that cannot be read, or that does not replay."""


class FileLostError(Exception):
    """Raised to end the program if another process changed or removed a file being written."""
