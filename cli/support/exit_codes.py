"""The exit codes of the program, beside 0.

A signal that ends it gives 128 and its number, as shells have it.
"""

from typing import Final

BAD_DATA: Final = 1  # also a file or a stream that cannot be read or written
BAD_USAGE: Final = 2
SIGNALLED: Final = 128  # to which the signal's number is added
INTERRUPTED: Final = 130  # by Ctrl-C
