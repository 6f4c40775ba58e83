"""Terminals: where pages are printed and answers typed.

Lines are read with prompt_toolkit: history and editing. What is above the line is drawn anew by
whoever asks, when the terminal's size changes and to show what Tab found. (textual would take the
whole screen, with an event loop of its own, for a game that asks one question after the other.)
Where input or output is no terminal, plain lines do.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from rich.console import Console
from rich.style import Style
from rich.text import Text

from masons.cli.support.console import safe
from masons.cli.terminal.drawing.colors import basic_style
from masons.cli.terminal.drawing.text_page import Frame
from masons.engine.plain_text import plain

if TYPE_CHECKING:
    from masons.cli.terminal.dialogue.line_prompt import LinePrompt

_WIPE_SCROLLED: Final = "\x1b[3J"
Redraw = Callable[[Sequence[str]], None]  # given what the text typed may become


class Terminal(Protocol):
    """Where a person plays."""

    @property
    def live(self) -> bool:
        """Whether somebody sees it: what is shown can be drawn anew in its place."""

    def frame(self) -> Frame:
        """How large it is now, and what it can show."""

    def show(self, lines: Sequence[Text | str]) -> None:
        """Print lines."""

    def wipe(self, *, scrolled: bool = False) -> None:
        """Clear the screen; `scrolled`: what has scrolled away can be seen no more, either."""

    def ask(self, prompt: str, words: Sequence[str] = (), redraw: Redraw | None = None) -> str:
        """An answer; `words` complete it. Raises EOFError, KeyboardInterrupt.

        `redraw` shows what is above the line anew, with what Tab found, if anything.
        """


class Screen:
    """Standard output, and input by prompt_toolkit or, without a terminal, by lines."""

    def __init__(self, *, ascii_only: bool = False, size: str = "") -> None:
        encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
        self._ascii = ascii_only or not encoding.startswith("utf")
        self._size = size
        dumb = os.environ.get("TERM", "") in ("dumb", "unknown")  # nothing can be drawn anew
        self._live = sys.stdin.isatty() and sys.stdout.isatty() and not dumb
        self._console = safe(Console(file=sys.stdout, highlight=False, markup=False, emoji=False))
        self._prompt: LinePrompt | None = None

    @property
    def live(self) -> bool:
        """Whether input and output are a terminal."""
        return self._live

    def frame(self) -> Frame:
        """The terminal's size; 80 by 24 where there is none."""
        size = shutil.get_terminal_size((80, 24))
        color = self._console.color_system is not None and not self._console.no_color
        return Frame(max(size.columns, 1), max(size.lines, 1), color, self._ascii, self._size)

    def show(self, lines: Sequence[Text | str]) -> None:
        """Print lines; those that are too wide go on in the next row."""
        self._console.width = self.frame().width
        for line in lines:
            text = line if isinstance(line, Text) else Text(plain(line))
            text.no_wrap = False
            if self._console.color_system == "standard":
                text.spans = [
                    span._replace(style=basic_style(span.style))
                    if isinstance(span.style, Style)
                    else span
                    for span in text.spans
                ]
            self._console.print(text, end="\n")
        sys.stdout.flush()

    def wipe(self, *, scrolled: bool = False) -> None:
        """Clear a terminal; other output goes on below."""
        if self._live:
            screen = self._line_prompt().output
            screen.erase_screen()
            screen.cursor_goto(0, 0)
            if scrolled and not self._console.legacy_windows:
                screen.write_raw(_WIPE_SCROLLED)
            screen.flush()

    def ask(self, prompt: str, words: Sequence[str] = (), redraw: Redraw | None = None) -> str:
        """A line without blanks at its ends."""
        prompt = plain(prompt)
        if self._live:
            return self._line_prompt().ask(prompt, words, redraw or self._offer)
        sys.stdout.write(prompt)
        sys.stdout.flush()
        line = sys.stdin.readline()
        sys.stdout.write("\n")
        if not line:
            raise EOFError
        return line.strip()

    def _offer(self, found: Sequence[str]) -> None:
        self.show(found)

    def _line_prompt(self) -> LinePrompt:
        if self._prompt is None:
            from masons.cli.terminal.dialogue.line_prompt import LinePrompt

            self._prompt = LinePrompt()
        return self._prompt
