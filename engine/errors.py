"""The errors that the engine raises on purpose.

Every message is one line: what was wrong, and what would be right.
"""


class MasonsError(ValueError):
    """Base of all errors about input; anything else that escapes the engine is a bug."""


class BoardError(MasonsError):
    """A board description that cannot be read, or that breaks the rules for boards."""


class PositionError(MasonsError):
    """A position that cannot be read, or that no game can reach."""


class MoveError(MasonsError):
    """A move that cannot be read, or that is not legal in its position."""


class RecordError(MasonsError):
    """A game record that cannot be read, or that does not replay."""


class FileLostError(Exception):
    """Somebody else removed or changed a file that is being written. It ends the program."""
