"""Functions that read the lines of a stream and write whole lines from any thread."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator
from typing import IO, Final

from masons.engine.plain_text import plain
from masons.protocol.messages.error_codes import Refused

MAX_LINE: Final = 1 << 20  # the most bytes in a line, without the line's end
_BLOCK: Final = 1 << 16
_BOM: Final = b"\xef\xbb\xbf"
_OTHER_SPACE: Final = re.compile(r"[^\S \t]")


def read_lines(stream: IO[bytes]) -> Iterator[str | Refused]:
    """Yield each line of a stream, or a Refused if the line is not one of the protocol.

    A line is refused if it is too long or not UTF-8, or if it has white space other than blanks and
    tabs. The lines have no line ends; blank lines and comments are left out. No more than
    MAX_LINE + 2 bytes of a line are held in memory.
    """
    first = True
    while raw := stream.readline(MAX_LINE + 2):
        if first:
            raw, first = raw.removeprefix(_BOM), False
        if not raw.endswith(b"\n") and len(raw) > MAX_LINE:
            while (rest := stream.readline(_BLOCK)) and not rest.endswith(b"\n"):
                pass  # skip the rest of the line
            yield Refused("syntax", f"the line is longer than {MAX_LINE} bytes")
            continue
        try:
            line = raw.removesuffix(b"\n").removesuffix(b"\r").decode().strip(" \t")
        except UnicodeDecodeError:
            yield Refused("syntax", "the line is not UTF-8 text")
            continue
        if len(raw.rstrip(b"\r\n")) > MAX_LINE:
            yield Refused("syntax", f"the line is longer than {MAX_LINE} bytes")
        elif line.startswith("#"):
            continue
        elif other := _OTHER_SPACE.search(line):
            yield Refused("syntax", f"U+{ord(other[0]):04X} does not separate words: use blanks")
        elif line:
            yield line


class Output:
    """The engine's output, to which any thread may write whole lines."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self.debug = False
        self.is_closed = False  # True once nobody reads the output any more

    def line(self, text: str, before: Callable[[], None] | None = None) -> None:
        """Write and flush a line.

        `before` is called just before the line is written, while no other thread can write.
        """
        with self._lock:
            if before is not None:
                before()
            if self.debug:
                print(f"< {plain(text)}", file=sys.stderr, flush=True)
            if self.is_closed:
                return
            try:
                self._stream.write(text.encode() + b"\n")
                self._stream.flush()
            except (OSError, ValueError):
                self.is_closed = True

    def refuse(self, refused: Refused, before: Callable[[], None] | None = None) -> None:
        """Write an `error` line; `before` is called as in `line`."""
        word = "" if refused.id is None else f" id {refused.id}"
        self.line(f"error {refused.code}{word} {plain(' '.join(refused.text.split()))}", before)
