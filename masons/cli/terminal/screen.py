"""The terminal, on which pages are printed and from which lines are read.

prompt_toolkit reads the lines, with history and editing. The caller redraws the page above the
input line to show completions, and when the size of the terminal changes. If the input or the
output is not a terminal, plain lines are read and printed. The library textual would take over the
whole screen and need an event loop, so it is not used.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.style import Style
from rich.text import Text

from masons.cli.console import safe
from masons.cli.terminal.styled_board import basic_style
from masons.cli.terminal.text_page import Frame
from masons.engine.plain_text import plain

if TYPE_CHECKING:
    from prompt_toolkit.application import Application
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

_WIPE_SCROLLED: Final = "\x1b[3J"
Redraw = Callable[[Sequence[str]], None]  # takes the completions to show


class Screen:
    """A terminal, or plain standard input and output if there is no terminal."""

    def __init__(self, *, ascii_only: bool = False, size: str = "") -> None:
        encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
        self._ascii = ascii_only or not encoding.startswith("utf")
        self._size = size
        is_dumb = os.environ.get("TERM", "") in ("dumb", "unknown")
        # True if this is a terminal on which a page can be redrawn in place.
        self.live = sys.stdin.isatty() and sys.stdout.isatty() and not is_dumb
        self._console = safe(Console(file=sys.stdout, highlight=False, markup=False, emoji=False))
        self._prompt: LinePrompt | None = None

    def frame(self) -> Frame:
        """Return the current size and style of the terminal. The default size is 80 by 24."""
        size = shutil.get_terminal_size((80, 24))
        has_color = self._console.color_system is not None and not self._console.no_color
        return Frame(max(size.columns, 1), max(size.lines, 1), has_color, self._ascii, self._size)

    def show(self, lines: Sequence[Text | str], *, wraps: bool = True) -> None:
        """Print lines, wrapping lines that are too wide.

        Without `wraps`, only the terminal wraps them, so that a command can be copied as a whole.
        """
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
            self._console.print(text, end="\n", soft_wrap=not wraps)
        sys.stdout.flush()

    def wipe(self, *, scrolled: bool = False) -> None:
        """Clear a live screen. With `scrolled`, also clear the lines that have scrolled away."""
        if self.live:
            screen = self._line_prompt().output
            screen.erase_screen()
            screen.cursor_goto(0, 0)
            if scrolled and not self._console.legacy_windows:
                screen.write_raw(_WIPE_SCROLLED)
            screen.flush()

    def ask(self, prompt: str, words: Sequence[str] = (), redraw: Redraw | None = None) -> str:
        """Read a line and return it without spaces at its ends.

        Tab completes `words`. `redraw` is called with the completions to show, and redraws the page
        above the input line. Raises EOFError or KeyboardInterrupt.
        """
        prompt = plain(prompt)
        if self.live:
            return self._line_prompt().ask(prompt, words, redraw or self.show)
        sys.stdout.write(prompt)
        sys.stdout.flush()
        line = sys.stdin.readline()
        sys.stdout.write("\n")
        if not line:
            raise EOFError
        return line.strip()

    def _line_prompt(self) -> LinePrompt:
        if self._prompt is None:
            self._prompt = LinePrompt()
        return self._prompt


@dataclass(frozen=True)
class _AskAgain:
    """The result of a prompt that ended because the page must be redrawn first."""

    typed: str
    completions: tuple[str, ...] = ()


class LinePrompt:
    """A prompt for one line on a terminal, with history and completion.

    The line never takes more than one row and nothing is printed below it, so that the page above
    stays in place. When the terminal's size changes, or when Tab finds several completions, the
    page is redrawn and the prompt is shown again with the text typed so far.
    """

    def __init__(self) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import InMemoryHistory
        from prompt_toolkit.output import create_output

        self.output = create_output(sys.stdout)
        if hasattr(self.output, "enable_cpr"):
            # Don't ask the terminal for the cursor's row: a late answer would be read as typed
            # keys.
            self.output.enable_cpr = False
        self._words: Sequence[str] = ()
        self._size = self.output.get_size()
        self._session: PromptSession[Any] = PromptSession(
            history=InMemoryHistory(),
            key_bindings=self._keys(),
            output=self.output,
            reserve_space_for_menu=0,
            wrap_lines=False,
        )
        self._session.app.before_render += self._watch_size

    def ask(self, prompt: str, words: Sequence[str], redraw: Redraw) -> str:
        """Read a line and return it without spaces at its ends.

        Raises EOFError or KeyboardInterrupt.
        """
        self._words, typed = words, ""
        while True:
            self._size = self.output.get_size()
            with _terminal_modes_kept():
                answer = self._session.prompt(prompt, default=typed)
            if not isinstance(answer, _AskAgain):
                return str(answer).strip()
            typed = answer.typed
            redraw(answer.completions)

    def _keys(self) -> KeyBindings:
        from prompt_toolkit.key_binding import KeyBindings

        keys = KeyBindings()

        @keys.add("tab")
        def complete(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            text, completions = completed(buffer.text, self._words)
            if text != buffer.text:
                buffer.text = text
                buffer.cursor_position = len(text)
            elif len(completions) > 1:
                event.app.exit(result=_AskAgain(buffer.text, completions))

        return keys

    def _watch_size(self, app: Application[Any]) -> None:
        if self.output.get_size() != self._size and app.is_running and not app.is_done:
            app.exit(result=_AskAgain(app.current_buffer.text))


@contextmanager
def _terminal_modes_kept() -> Iterator[None]:
    """Restore the terminal's modes as soon as the block ends, even if a signal ends the prompt.

    The prompt also restores the modes, but only when its coroutine is garbage-collected.
    """
    if sys.platform == "win32" or not sys.stdin.isatty():
        yield
        return
    import termios

    modes = termios.tcgetattr(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, modes)


def completed(typed: str, words: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return a text, extended as far as all its completions agree, and the completions."""
    matches = tuple(dict.fromkeys(word for word in words if word.lower().startswith(typed.lower())))
    common = "".join(
        signs[0] for signs in takewhile(lambda s: len(set(s)) == 1, zip(*matches, strict=False))
    )
    return (common if len(common) > len(typed) else typed), matches
