"""An engine in a process of its own, driven through the protocol.

    with Engine("masons-engine protocol") as engine:
        engine.new_game(players=2, seat=0)
        engine.ready()
        engine.position("masons1 board=classic players=2 ...")
        print(engine.go(Limits(movetime_ms=500)).move)

Whatever goes wrong is an EngineError of a telling kind (see `engine_faults`). An answer
that does not come or makes no sense ends the process, with all that it has started; `start` may
then be called again. An `error` line leaves the engine alive.

One thread at a time may use an Engine, except that any may call `stop`.
"""

from __future__ import annotations

import logging
import os
import re
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from types import TracebackType
from typing import Final, Self

from masons.engine.errors import MasonsError
from masons.protocol.client.client_limits import NO_LIMITS, PATIENCE, Limits, Timeouts
from masons.protocol.client.engine_process import EngineProcess
from masons.protocol.messages.engine_faults import EngineError, EngineStall, ProtocolFault
from masons.protocol.messages.line_streams import MAX_LINE
from masons.protocol.messages.replies import (
    Answer,
    Belief,
    Evaluation,
    Info,
    Option,
    fault,
    parse_belief,
    parse_bestmove,
    parse_error,
    parse_evaluation,
    parse_info,
    parse_option,
)

__all__ = ["Answer", "Belief", "Engine", "Evaluation", "Info", "Limits", "Option", "Timeouts"]

VERSION: Final = "1"  # of the protocol
OnInfo = Callable[[Info], object]


@dataclass
class _Search:
    """A `go` that was sent, and what has come of it."""

    id: str
    began: float
    wait: float  # seconds
    on_info: OnInfo | None
    infos: dict[int, Info]
    answer: Answer | None = None
    failed: ProtocolFault | None = None

    @property
    def is_done(self) -> bool:
        return self.answer is not None or self.failed is not None


class Engine:
    """An engine's process and the talk with it.

    `command` is a list of words, or one line in the shell's quoting (no shell runs it). `name`
    is what messages and the log call the engine: by default what it says itself.
    """

    def __init__(
        self,
        command: Sequence[str] | str,
        *,
        name: str | None = None,
        timeouts: Timeouts = PATIENCE,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.command = _words(command)
        self.timeouts = timeouts
        self.name = name or PurePath(self.command[0]).name
        self.version = ""
        self.author = ""
        self.options: dict[str, Option] = {}
        self.handshake_seconds = 0.0
        self._named = name is not None
        self._cwd, self._env = cwd, env
        self._log = _logger(self.name)
        self._process: EngineProcess | None = None
        self._forget()

    def _forget(self) -> None:
        """What is known of a process that is gone."""
        self._ids = getattr(self, "_ids", 0)
        self._search: _Search | None = None
        self._seat: int | None = None
        self._faults: list[ProtocolFault] = []  # `error` lines not reported yet
        self._unsure = False  # whether commands were sent that may yet be answered by `error`

    # --- the process

    def start(self) -> Engine:
        """Start the process and learn who it is. Raises EngineError where that fails."""
        self.close()
        self._forget()
        began = time.monotonic()
        self._process = EngineProcess(self.command, self._log, cwd=self._cwd, env=self._env)
        self._send("mei")
        self._shake_hands(began + self.timeouts.handshake)
        self.handshake_seconds = time.monotonic() - began
        return self

    def _shake_hands(self, deadline: float) -> None:
        said: dict[str, str] = {}
        options: dict[str, Option] = {}
        while (line := self._receive(deadline, "mei")) != "meiok":
            words = line.split()
            if words[0] == "id" and len(words) > 1:
                said[words[1]] = " ".join(words[2:])
            elif words[0] == "protocol":
                said["protocol"] = " ".join(words[1:])
            elif words[0] == "option":
                with self._sensible():
                    option = parse_option(line)
                options[option.name.lower()] = option
            elif words[0] == "error":
                self._refuse(line, "the handshake failed")
            elif words[0] != "info":
                self._refuse(line, "no answer to mei")
        if said.get("protocol") != VERSION:
            self._refuse(f"protocol {said.get('protocol', '')}", f"this is protocol {VERSION}")
        self.options = {option.name: option for option in options.values()}
        self.version, self.author = said.get("version", ""), said.get("author", "")
        if not self._named and said.get("name"):
            self.name = said["name"]
            self._log = _logger(self.name)

    @property
    def is_running(self) -> bool:
        """Whether there is a process that has not been ended."""
        return self._process is not None

    @property
    def pid(self) -> int | None:
        """The process's id, and its group's; None where none runs."""
        return self._process.pid if self._process else None

    def quit(self) -> bool:
        """Ask the process to end, and kill it where it does not; whether it ended by itself."""
        process = self._process
        if process is None:
            return True
        process.send("quit")
        process.close_input()
        polite = process.has_ended(self.timeouts.quit)
        self.close()
        return polite

    def close(self) -> None:
        """Kill the process and all that it has started, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()

    def __enter__(self) -> Self:
        if not self.is_running:
            self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.quit()
        self.close()

    # --- the game

    def set_option(self, name: str, value: object = "") -> None:
        """Set an option; a bool is written as `true` or `false`."""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        self._tell(f"setoption name {name} value {text}" if text else f"setoption name {name}")

    def new_game(
        self,
        players: int,
        seat: int,
        board: str | os.PathLike[str] = "classic",
        early_roll: bool = False,
    ) -> None:
        """Begin a game in which the engine plays a seat."""
        options = " options early_roll" if early_roll else ""
        self._seat = seat
        self._tell(f"newgame players {players} seat {seat} board {os.fspath(board)}{options}")

    def position(self, text: str) -> None:
        """Give the position as the engine's seat sees it (see `docs/position.md`)."""
        self._tell(f"position {text}")

    def event(self, text: str) -> None:
        """Tell one step of the game: `move 0 wall:57`, `roll white/red/?`, `draw 1 ?`."""
        self._tell(f"event {text}")

    def game_over(
        self,
        scores: Sequence[int],
        winners: Sequence[int],
        end: str,
        hands: Sequence[Sequence[str]] | None = None,
    ) -> None:
        """Tell the result, and the hands by card names."""
        line = f"gameover scores {_joined(scores)} winners {_joined(winners)} end {end}"
        if hands is not None:
            line += " hands " + "/".join("+".join(hand) or "-" for hand in hands)
        self._tell(line)

    def ready(self) -> None:
        """Wait until all that was sent is done. Raises ProtocolFault where an error came of it."""
        self._fence(self.timeouts.ready)
        self._raise_faults()

    # --- searching

    def go(
        self,
        limits: Limits = NO_LIMITS,
        *,
        multipv: int = 1,
        moves: Sequence[str] = (),
        avoid: Sequence[str] = (),
        on_info: OnInfo | None = None,
        wait: float | None = None,
    ) -> Answer:
        """Search and wait for the answer: `begin`, then `wait`."""
        self.begin(limits, multipv=multipv, moves=moves, avoid=avoid, on_info=on_info, wait=wait)
        return self.wait()

    def begin(
        self,
        limits: Limits = NO_LIMITS,
        *,
        multipv: int = 1,
        moves: Sequence[str] = (),
        avoid: Sequence[str] = (),
        on_info: OnInfo | None = None,
        wait: float | None = None,
    ) -> None:
        """Start a search. `on_info` is called with each info while `wait` waits.

        `wait` is how many seconds the answer may take: by default the time that the limits leave,
        and the grace of the time-outs. Raises MasonsError where a search is running.
        """
        if self._search is not None:
            raise MasonsError("a search is running: wait for its answer first")
        self._ids += 1
        words = ["go", f"id {self._ids}", *limits.words()]
        if multipv != 1:
            words.append(f"multipv {multipv}")
        for word, named in (("moves", moves), ("avoid", avoid)):
            if named:
                words += [word, *named]
        longest = limits.longest(self.timeouts, self._seat) if wait is None else wait
        began = time.monotonic()
        self._send(" ".join(words))
        self._search = _Search(str(self._ids), began, longest, on_info, {})

    def stop(self) -> None:
        """End the running search, if there is one; its answer comes by `wait`."""
        search = self._search
        if search is not None:
            self._send(f"stop {search.id}")

    def wait(self, seconds: float | None = None) -> Answer:
        """The answer to the running search.

        `seconds` from now, or what `begin` was told from then. Raises EngineError where none comes,
        or where an earlier command was answered by an error; MasonsError where no search runs.
        """
        search = self._search
        if search is None:
            raise MasonsError("no search is running")
        deadline = search.began + search.wait
        if seconds is not None:
            deadline = time.monotonic() + seconds
        while not search.is_done and not self._faults:
            self._take(self._receive(deadline, "go"))
        if not search.is_done:
            self._abandon(search)
        self._search = None
        self._unsure = False
        self._raise_faults()
        if search.failed is not None:
            raise search.failed
        assert search.answer is not None
        return search.answer

    def _abandon(self, search: _Search) -> None:
        """End a search of something else than was meant, so that the engine is free again."""
        self._send(f"stop {search.id}")
        deadline = time.monotonic() + self.timeouts.grace
        # An engine that left the id out of its error has nothing more to say.
        while not search.is_done and (line := self._next(deadline)) is not None:
            self._take(line)

    # --- asking

    def query(self, what: str) -> str:
        """What follows `response WHAT`; nothing for an empty answer."""
        line = self._ask(f"query {what}", what)[0]
        return line.split(None, 2)[2] if len(line.split(None, 2)) > 2 else ""

    def evaluate(self) -> Evaluation:
        """What the engine thinks of the position."""
        lines = self._ask("eval", "eval", more=("card",))
        with self._sensible():
            return parse_evaluation(lines)

    def belief(self, seat: int | None = None) -> dict[int, Belief]:
        """What a seat may hold, or each seat but the engine's own."""
        command = "belief" if seat is None else f"belief {seat}"
        lines = self._ask(command, "belief", more=("belief",))
        with self._sensible():
            return parse_belief(lines)

    def _ask(self, command: str, key: str, more: Sequence[str] = ()) -> list[str]:
        """The `response` lines to a command; `more` are the keys of any after the first."""
        if self._unsure:
            self.ready()
        self._send(command)
        deadline = time.monotonic() + self.timeouts.reply
        found: list[str] = []
        while not found:
            self._take(self._receive(deadline, command), (key,), found)
            self._raise_faults()
        if more:
            self._fence(self.timeouts.reply, more, found)
            self._raise_faults()
        return found

    # --- lines

    def _tell(self, line: str) -> None:
        """Send a command that is answered by nothing, or by an error."""
        self._unsure = True
        self._send(line)

    def _send(self, line: str) -> None:
        if self._process is None:
            raise MasonsError(f"{self.name} is not running: start it first")
        if "\n" in line or "\r" in line:
            raise MasonsError("a command is one line")
        if len(line.encode()) > MAX_LINE:
            raise MasonsError(f"a command has at most {MAX_LINE:,} bytes")
        self._process.send(line)

    def _receive(self, deadline: float, what: str) -> str:
        """The next line that is not empty; the end of the engine where none comes in time."""
        line = self._next(deadline)
        if line is None:
            error = EngineStall(f"no answer to {what} in time")
            self._fail(error)
            raise error
        return line

    def _next(self, deadline: float) -> str | None:
        """The next line that is not empty; None after the deadline."""
        if self._process is None:
            raise MasonsError(f"{self.name} is not running: start it first")
        try:
            while (line := self._process.receive(deadline)) is not None:
                # An engine that never stops talking must not outrun the deadline either.
                if time.monotonic() > deadline + 1:
                    return None
                if line.strip():
                    return line.strip()
        except EngineError as error:
            self._fail(error)
            raise
        return None

    def _fence(
        self, seconds: float, keys: Sequence[str] = (), found: list[str] | None = None
    ) -> None:
        """Wait until the engine has done all that was sent; `found` takes its responses."""
        deadline = time.monotonic() + seconds
        self._send("isready")
        while (line := self._receive(deadline, "isready")) != "readyok":
            self._take(line, keys, found)
        self._unsure = False

    def _take(self, line: str, keys: Sequence[str] = (), found: list[str] | None = None) -> None:
        """Understand a line; `found` takes responses of these keys, which were asked for."""
        words = line.split()
        if words[0] == "info":
            with self._sensible():
                info = parse_info(line)
            self._take_info(info)
        elif words[0] == "bestmove":
            self._take_bestmove(line)
        elif words[0] == "error":
            self._take_error(line)
        elif words[0] == "response" and words[1:] and words[1] in keys and found is not None:
            found.append(line)
        else:
            self._refuse(line, "nobody asked for this")

    def _take_info(self, info: Info) -> None:
        search = self._search
        if search is None or search.is_done:
            return
        if not info.string:
            search.infos[info.multipv] = info
        if search.on_info is not None:
            search.on_info(info)

    def _take_bestmove(self, line: str) -> None:
        with self._sensible():
            move, name = parse_bestmove(line)
        search = self._search
        if search is not None and name == search.id and not search.is_done:
            infos = tuple(search.infos[rank] for rank in sorted(search.infos))
            search.answer = Answer(move, infos, time.monotonic() - search.began)
        elif not self._is_stale(name):
            self._refuse(line, f"no search has the id {name}" if name else "the id is missing")

    def _take_error(self, line: str) -> None:
        with self._sensible():
            code, name, text = parse_error(line)
        found = ProtocolFault(f"{code}: {text}", code=code, text=text)
        search = self._search
        if search is not None and name == search.id and not search.is_done:
            search.failed = found
        elif not self._is_stale(name):
            self._faults.append(found)

    def _is_stale(self, name: str) -> bool:
        """Whether this is the id of a search that is over."""
        running = self._search is not None and not self._search.is_done
        last = self._ids - 1 if running else self._ids
        return name.isascii() and name.isdigit() and 1 <= int(name) <= last

    # --- faults

    def _raise_faults(self) -> None:
        """Raise the first error that came for an earlier command."""
        if self._faults:
            first = self._faults[0]
            self._faults.clear()
            raise first

    @contextmanager
    def _sensible(self) -> Iterator[None]:
        """End the engine where a line makes no sense."""
        try:
            yield
        except ProtocolFault as error:
            self._fail(error)
            raise

    def _refuse(self, line: str, why: str) -> None:
        with self._sensible():
            fault(line, why)

    def _fail(self, error: EngineError) -> None:
        """End an engine that can no longer be talked to."""
        self._log.debug("%s: %s", error.kind, error)
        self._search = None
        self.close()


def _words(command: Sequence[str] | str) -> list[str]:
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise MasonsError(f"{command!r} is no command line: {error}") from None
    if not words:
        raise MasonsError("an engine needs a command line")
    return words


def _logger(name: str) -> logging.Logger:
    """The logger of an engine's traffic: `masons.protocol.NAME`."""
    return logging.getLogger(f"masons.protocol.{re.sub('[^A-Za-z0-9_-]+', '_', name)}")


def _joined(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))
