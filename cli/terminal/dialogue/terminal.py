"""Terminals: where pages are printed and answers typed.

Lines are read with prompt_toolkit: history, completion, editing and resizing, and what scrolled
by stays to be read. (textual would take the whole screen, with an event loop of its own, for a
game that asks one question after the other.) Where input or output is no terminal, plain lines do.
"""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any, Final, Protocol

from rich.console import Console
from rich.style import Style
from rich.text import Text

from masons.cli.support.console import safe
from masons.cli.terminal.drawing.colors import basic_style
from masons.cli.terminal.drawing.text_page import Frame
from masons.engine.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from prompt_toolkit import PromptSession

_WIPE: Final = "\x1b[H\x1b[2J"
_WIPE_SCROLLED: Final = "\x1b[3J"


class Terminal(Protocol):
    """Where a person plays."""

    def frame(self) -> Frame:
        """How large it is now, and what it can show."""

    def show(self, lines: Sequence[Text | str]) -> None:
        """Print lines."""

    def wipe(self, *, scrolled: bool = False) -> None:
        """Clear the screen; `scrolled`: what has scrolled away can be seen no more, either."""

    def ask(self, prompt: str, words: Sequence[str] = ()) -> str:
        """An answer; `words` complete it. Raises EOFError, KeyboardInterrupt."""


class Screen:
    """Standard output, and input by prompt_toolkit or, without a terminal, by lines."""

    def __init__(self, *, ascii_only: bool = False, size: str = "") -> None:
        encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
        self._ascii = ascii_only or not encoding.startswith("utf")
        self._size = size
        self._live = sys.stdin.isatty() and sys.stdout.isatty()
        self._console = safe(Console(file=sys.stdout, highlight=False, markup=False, emoji=False))
        self._session: PromptSession[str] | None = None

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
            sys.stdout.write(_WIPE + _WIPE_SCROLLED if scrolled else _WIPE)
            sys.stdout.flush()

    def ask(self, prompt: str, words: Sequence[str] = ()) -> str:
        """A line without blanks at its ends."""
        prompt = plain(prompt)
        if self._live:
            return self._prompt(prompt, words).strip()
        sys.stdout.write(prompt)
        sys.stdout.flush()
        line = sys.stdin.readline()
        sys.stdout.write("\n")
        if not line:
            raise EOFError
        return line.strip()

    def _prompt(self, prompt: str, words: Sequence[str]) -> str:
        from prompt_toolkit.completion import WordCompleter

        if self._session is None:
            self._session = _new_session()
        completer = WordCompleter(list(words), sentence=True, ignore_case=True)
        answer: Any = self._session.prompt(prompt, completer=completer)
        return str(answer)


def _new_session() -> PromptSession[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import InMemoryHistory
    from prompt_toolkit.shortcuts import CompleteStyle

    # Completions are listed like a shell's: a menu below the line would push the board away.
    return PromptSession(
        history=InMemoryHistory(),
        complete_while_typing=False,
        complete_style=CompleteStyle.READLINE_LIKE,
        reserve_space_for_menu=0,
    )
