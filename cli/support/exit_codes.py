"""The exit codes of the program, beside 0."""

from typing import Final

BAD_DATA: Final = 1
BAD_USAGE: Final = 2
INTERRUPTED: Final = 130  # by Ctrl-C
