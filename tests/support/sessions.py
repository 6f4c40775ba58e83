"""Recorded protocol sessions, which tests play again and compare line by line.

    python -m tests.support.sessions tests/support/transcripts/example.txt    # record again

In a file, a line that begins with `>` is sent, and a line that begins with `<` is the answer that
must come next. In an answer, `*` stands for a number that differs from run to run. A line that
begins with `$ ` has the options of the command. All other lines are comments.
"""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from queue import Queue

from tests.support.paths import TRANSCRIPTS

WAIT = 60.0  # seconds that an answer may take on a busy machine
_PREPARING = ("info string compiling", "info string still")
_VARYING = re.compile(r"(?<= )(time|sps|version|gps|dps) [0-9.]+(?= |$)")


class Process:
    """`masons-engine protocol`, with its answers read by a thread."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "masons.cli", "protocol", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._answers: Queue[str | None] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._answers.put(line.decode().rstrip("\n"))
        self._answers.put(None)

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            with suppress(OSError):
                stream.close()

    def send(self, *lines: str) -> None:
        """Send lines, each with a newline."""
        self.send_bytes("".join(f"{line}\n" for line in lines).encode())

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def end_input(self) -> None:
        """Close the input of the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def answer(self) -> str | None:
        """Return the next answer, or None at the end. Lines about preparations are skipped."""
        while True:
            line = self._answers.get(timeout=WAIT)
            if line is None or not line.startswith(_PREPARING):
                return line

    def until(self, *words: str) -> list[str]:
        """Return the answers up to the first one that begins with one of `words`."""
        answers: list[str] = []
        while not answers or answers[-1].split()[0] not in words:
            line = self.answer()
            assert line is not None, f"the engine ended after {answers}"
            answers.append(line)
        return answers

    def ask(self, *lines: str) -> list[str]:
        """Send lines that start no search, and return all answers to them."""
        self.send(*lines, "isready")
        return self.until("readyok")[:-1]


def masked(line: str) -> str:
    """Return an answer with `*` in place of each number that differs from run to run."""
    return _VARYING.sub(r"\1 *", line)


def parts(path: Path) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the options of a session and its lines, each as (`>` or `<`, text)."""
    options: list[str] = []
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("$ "):
            options = line[2:].split()
        elif line[:1] in ("<", ">"):
            lines.append((line[0], line[2:]))
    return options, lines


def record(path: Path) -> None:
    """Run a session again and write the new answers into its file."""
    text = path.read_text(encoding="utf-8").splitlines()
    options, _ = parts(path)
    kept: list[str] = []
    thinking_on: str | None = None  # the id of the infinite search that is running
    with Process(*options) as engine:
        for line in text:
            if line.startswith("<"):
                continue
            kept.append(line)
            if not line.startswith(">"):
                continue
            sent = line[2:]
            word = (sent.split() or [""])[0]
            engine.send(sent)
            if word == "mei":
                answers = engine.until("meiok")
            elif word == "isready":
                answers = engine.until("readyok")
            elif word in ("eval", "bench", "perft"):
                answers = engine.until("response", "error") + engine.ask()
            elif word == "go" and "infinite" in sent:
                answers, thinking_on = engine.until("info", "error"), sent.split()[2]
            elif word == "go":
                answers = engine.until("bestmove", "error")
            elif word == "stop" and thinking_on and sent in ("stop", f"stop {thinking_on}"):
                answers, thinking_on = engine.until("bestmove"), None
            else:
                answers = engine.ask() if word != "quit" else []
            kept += [f"< {masked(answer)}" for answer in answers]
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")


def main() -> None:
    """Record the sessions named on the command line again, or all sessions if none is named."""
    names = [Path(name) for name in sys.argv[1:]] or sorted(TRANSCRIPTS.glob("*.txt"))
    for path in names:
        record(path)


if __name__ == "__main__":
    main()
