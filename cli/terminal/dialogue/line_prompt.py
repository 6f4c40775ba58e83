"""The line that is typed at a terminal: one row, whatever is typed, with history and completion.

The row never grows and nothing is printed below it, so that the page above stays where it is. When
the terminal's size changes, or Tab finds several words, the page is drawn anew and the line asked
for again with what was typed so far.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import create_output


@dataclass(frozen=True)
class Again:
    """The line is to be asked for again."""

    typed: str
    found: tuple[str, ...] = ()  # what it may become


class LinePrompt:
    """Asks for lines on standard input."""

    def __init__(self) -> None:
        self.output = create_output(sys.stdout)
        if hasattr(self.output, "enable_cpr"):
            # The row of the cursor is of no use here, and the terminal's answer would be read as
            # keys where it comes late.
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

    def ask(
        self, prompt: str, words: Sequence[str], redraw: Callable[[Sequence[str]], None]
    ) -> str:
        """A line without blanks at its ends. Raises EOFError, KeyboardInterrupt."""
        self._words, typed = words, ""
        while True:
            self._size = self.output.get_size()
            with _modes_kept():
                answer = self._session.prompt(prompt, default=typed)
            if not isinstance(answer, Again):
                return str(answer).strip()
            typed = answer.typed
            redraw(answer.found)

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("tab")
        def complete(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            longer, found = completed(buffer.text, self._words)
            if longer != buffer.text:
                _put(buffer, longer)
            elif len(found) > 1:
                event.app.exit(result=Again(buffer.text, found))

        return keys

    def _watch_size(self, app: Application[Any]) -> None:
        if self.output.get_size() != self._size and app.is_running and not app.is_done:
            app.exit(result=Again(app.current_buffer.text))


@contextmanager
def _modes_kept() -> Iterator[None]:
    """Leave a terminal as it was, at once also where a signal ends the prompt.

    The prompt does so by itself, but then not before its coroutine is collected.
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


def _put(buffer: Buffer, text: str) -> None:
    buffer.text = text
    buffer.cursor_position = len(text)


def completed(typed: str, words: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """A text with what all the words have in common that begin like it, and these words."""
    found = tuple(dict.fromkeys(word for word in words if word.lower().startswith(typed.lower())))
    common = "".join(
        signs[0] for signs in takewhile(lambda s: len(set(s)) == 1, zip(*found, strict=False))
    )
    return (common if len(common) > len(typed) else typed), found
