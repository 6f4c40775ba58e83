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

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from types import TracebackType
from typing import Final, Self, TypedDict, Unpack

from masons.ai.search.limits import NO_LIMITS, Limits
from masons.engine.checks import check_text, check_type, check_whole
from masons.engine.errors import MasonsError
from masons.engine.plain_text import plain
from masons.protocol.client.client_arguments import (
    PATIENCE,
    Timeouts,
    check_seconds,
    check_surroundings,
    command_words,
    game_line,
    longest_answer,
    option_line,
    over_line,
    search_words,
)
from masons.protocol.client.engine_connection import Connection, Tell, Waiting
from masons.protocol.messages.error_codes import ProtocolFault
from masons.protocol.messages.replies import (
    Answer,
    Belief,
    Evaluation,
    Info,
    Option,
    parse_belief,
    parse_bestmove,
    parse_error,
    parse_evaluation,
    parse_info,
    parse_option,
)

OnInfo = Callable[[Info], object]


class How(TypedDict, total=False):
    """Arguments of a search beside its limits."""

    multipv: int
    """The best moves that it reports: 1 by default."""
    moves: Sequence[str]
    """The only moves that it looks at."""
    avoid: Sequence[str]
    """Moves that it does not look at."""
    on_info: OnInfo | None
    """Called with each info while `Engine.wait` waits."""
    wait: float | None
    """Seconds that the answer may take: by default those of the limits, and the grace."""


@dataclass
class PendingSearch:
    """A `go` that was sent; `began` is by `time.monotonic`."""

    id: str
    began: float
    waiting: Waiting
    on_info: OnInfo | None
    answer: Answer | None = None
    failed: ProtocolFault | None = None
    _infos: dict[int, Info] = field(default_factory=dict)  # the last of each rank

    @property
    def is_done(self) -> bool:
        """True once it was answered, by a move or by an error."""
        return self.answer is not None or self.failed is not None

    def take_info(self, info: Info) -> None:
        """Keep an info, and hand it on."""
        if self.is_done:
            return
        if not info.string:
            self._infos[info.multipv] = info
        if self.on_info is not None:
            self.on_info(info)

    def take_move(self, move: str, read_at: float) -> None:
        """Take the answer, and when it came (`time.monotonic`)."""
        infos = tuple(self._infos[rank] for rank in sorted(self._infos))
        self.answer = Answer(move, infos, read_at - self.began)


# --- an engine in a process of its own, driven through the protocol

__all__ = ["Answer", "Belief", "Engine", "Evaluation", "Info", "Limits", "Option", "Timeouts"]

VERSION: Final = "1"  # of the protocol
_LONGEST_NAME: Final = 80  # of an engine, in characters
_MOST_DIGITS: Final = 18  # of the id of a search
_STOP_SECONDS: Final = 0.5  # for a `bestmove` after `stop` was read: ten times what it may take


class Engine:
    """An engine: its process, and the protocol spoken with it.

    `command` is a list of words, or one line in the shell's quoting (no shell runs it). `name`
    is what messages and the log call the engine: by default what it says itself. `tell` gets a line
    where an answer is long in coming.
    """

    def __init__(
        self,
        command: Sequence[str] | str,
        *,
        name: str | None = None,
        timeouts: Timeouts = PATIENCE,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        tell: Tell | None = None,
    ) -> None:
        self.command = command_words(command)
        check_surroundings(name, cwd, env)
        self.timeouts = check_type("timeouts", timeouts, Timeouts, "Timeouts")
        self.version = ""
        self.author = ""
        self.options: dict[str, Option] = {}
        self._named = name is not None
        shown = name or PurePath(self.command[0]).name
        self._connection = Connection(self.command, shown, cwd=cwd, env=env, tell=tell)
        self._ids = 0  # of searches, counted on where the process is started again
        self._forget()

    def _forget(self) -> None:
        """Forget what is known of a process that is gone."""
        self._last: PendingSearch | None = None  # the search asked for, until it is answered
        self._seat: int | None = None
        self._faults: list[ProtocolFault] = []  # `error` lines not reported yet
        self._unsure = False  # whether commands were sent that may yet be answered by `error`

    # --- the process

    def start(self) -> Engine:
        """Start the process and learn who it is. Raises EngineError where that fails."""
        self._forget()
        waiting = self._connection.waiting("mei", self.timeouts.handshake)
        self._connection.start()
        self._connection.send("mei")
        self._shake_hands(waiting)
        return self

    def _shake_hands(self, waiting: Waiting) -> None:
        said: dict[str, str] = {}
        options: dict[str, Option] = {}
        while (line := self._connection.receive(waiting)) != "meiok":
            words = line.split()
            if words[0] == "id" and len(words) > 1:
                said[words[1]] = " ".join(words[2:])
            elif words[0] == "protocol":
                said["protocol"] = " ".join(words[1:])
            elif words[0] == "option":
                with self._connection.sensible():
                    option = parse_option(line)
                options[option.name.lower()] = option
            elif words[0] == "error":
                self._connection.refuse(line, "the handshake failed")
            elif words[0] != "info":
                self._connection.refuse(line, "no answer to mei")
        if said.get("protocol") != VERSION:
            line = f"protocol {said.get('protocol', '')}"
            self._connection.refuse(line, f"this is protocol {VERSION}")
        self.options = {option.name: option for option in options.values()}
        self.version, self.author = said.get("version", ""), said.get("author", "")
        if not self._named and said.get("name"):
            self._connection.name = plain(said["name"])[:_LONGEST_NAME]

    @property
    def name(self) -> str:
        """The name of the engine in messages and the log."""
        return self._connection.name

    @property
    def is_running(self) -> bool:
        """True while there is a process that has not been ended."""
        return self._connection.is_running

    @property
    def pid(self) -> int | None:
        """The process's id, and its group's; None where none runs."""
        return self._connection.pid

    def quit(self) -> bool:
        """Ask the process to end, and kill it where it does not; whether it ended by itself."""
        return self._connection.quit(self.timeouts.quit)

    def close(self) -> None:
        """Kill the process and all that it has started, if there is one."""
        self._connection.close()

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
        self._command(option_line(name, value))

    def new_game(
        self,
        players: int,
        seat: int,
        board: str | os.PathLike[str] = "classic",
        early_roll: bool = False,
    ) -> None:
        """Begin a game in which the engine plays a seat."""
        line = game_line(players, seat, board, early_roll)
        self._seat = int(seat)
        self._command(line)

    def position(self, text: str) -> None:
        """Give the position as the engine's seat sees it (see `docs/position.md`)."""
        self._command(f"position {check_text('text', text)}")

    def event(self, text: str) -> None:
        """Report one step of the game: `move 0 wall:57`, `roll white/red/?`, `draw 1 ?`."""
        self._command(f"event {check_text('text', text)}")

    def game_over(
        self,
        scores: Sequence[int],
        winners: Sequence[int],
        end: str,
        hands: Sequence[Sequence[str]] | None = None,
    ) -> None:
        """Report the result, and the hands by card names."""
        self._command(over_line(scores, winners, end, hands))

    def ready(self) -> None:
        """Wait until all that was sent is done. Raises ProtocolFault where an error came of it."""
        self._fence(self.timeouts.ready, self.timeouts.silence)
        self._raise_faults()

    # --- searching

    @property
    def _search(self) -> PendingSearch | None:
        """The running search; one whose process has ended runs no more."""
        return self._last if self.is_running else None

    def go(self, limits: Limits = NO_LIMITS, **how: Unpack[How]) -> Answer:
        """Search and wait for the answer: `begin`, then `wait`."""
        self.begin(limits, **how)
        return self.wait()

    def begin(self, limits: Limits = NO_LIMITS, **how: Unpack[How]) -> None:
        """Start a search; `how` is described by `How`. Raises MasonsError where one is running."""
        if self._search is not None:
            raise MasonsError("a search is running: wait for its answer first")
        request_words = search_words(limits, how)
        self._ids += 1
        words = ["go", f"id {self._ids}", *request_words]
        longest, silence = how.get("wait"), None
        if longest is None:
            longest, silence = longest_answer(limits, self.timeouts, self._seat)
        began = time.monotonic()
        self._connection.send(" ".join(words))
        waiting = self._connection.waiting("go", longest, silence)
        self._last = PendingSearch(str(self._ids), began, waiting, how.get("on_info"))

    def stop(self) -> None:
        """End the running search, if there is one; its answer comes by `wait`."""
        search = self._search
        if search is not None:
            self._connection.send(f"stop {search.id}")
            search.waiting.shorten(self.timeouts.grace)

    def wait(self, seconds: float | None = None) -> Answer:
        """Return the answer to the running search.

        `seconds` from now, or what `begin` allowed from then. Raises EngineError where none comes,
        or where an earlier command was answered by an error; MasonsError where no search runs.
        """
        check_seconds("seconds", seconds)
        search = self._search
        if search is None:
            raise MasonsError("no search is running")
        search.waiting.heard()
        if seconds is not None:
            search.waiting.restart(seconds)
        while not search.is_done and not self._faults:
            self._take(self._connection.receive(search.waiting))
        if not search.is_done:
            self._abandon(search)
        self._last = None
        self._unsure = False
        self._raise_faults()
        if search.failed is not None:
            raise search.failed
        assert search.answer is not None
        return search.answer

    def _abandon(self, search: PendingSearch) -> None:
        """End a search of something else than was meant, so that the engine is free again."""
        self._connection.send(f"stop {search.id}")
        self._fence(self.timeouts.ready, self.timeouts.silence)
        # An engine that left the id out of its error to `go` has nothing more to say.
        waiting = self._connection.waiting("stop", min(self.timeouts.grace, _STOP_SECONDS))
        while not search.is_done and (line := self._connection.next_line(waiting)) is not None:
            self._take(line)

    # --- asking

    def query(self, what: str) -> str:
        """Return the text after `response WHAT`."""
        line = self._ask(f"query {check_text('what', what)}", what)[0]
        return line.split(None, 2)[2] if len(line.split(None, 2)) > 2 else ""

    def evaluate(self) -> Evaluation:
        """Return the engine's evaluation of the position."""
        lines = self._ask("eval", "eval", more=("card",))
        with self._connection.sensible():
            return parse_evaluation(lines)

    def belief(self, seat: int | None = None) -> dict[int, Belief]:
        """Return the cards that a seat may hold, or each seat but the engine's."""
        seat = None if seat is None else check_whole("seat", seat, 0, 3, "a seat from 0 on")
        command = "belief" if seat is None else f"belief {seat}"
        lines = self._ask(command, "belief", more=("belief",))
        with self._connection.sensible():
            return parse_belief(lines)

    def _ask(self, command: str, key: str, more: Sequence[str] = ()) -> list[str]:
        """Return the `response` lines to a command; `more` are the keys of any after the first."""
        if self._unsure:
            self.ready()
        self._connection.send(command)
        waiting = self._connection.waiting(command, self.timeouts.reply)
        lines: list[str] = []
        while not lines:
            self._take(self._connection.receive(waiting), (key,), lines)
            self._raise_faults()
        if more:
            self._fence(self.timeouts.reply, None, more, lines)
            self._raise_faults()
        return lines

    # --- lines

    def _command(self, line: str) -> None:
        """Send a command that is answered by nothing, or by an error."""
        self._unsure = True
        self._connection.send(line)

    def _fence(
        self,
        seconds: float,
        silence: float | None,
        keys: Sequence[str] = (),
        collected: list[str] | None = None,
    ) -> None:
        """Wait until the engine has done all that was sent; `found` takes its responses."""
        waiting = self._connection.waiting("isready", seconds, silence)
        self._connection.send("isready")
        while (line := self._connection.receive(waiting)) != "readyok":
            self._take(line, keys, collected)
        self._unsure = False

    def _take(
        self, line: str, keys: Sequence[str] = (), collected: list[str] | None = None
    ) -> None:
        """Understand a line; `collected` takes responses of these keys, which were asked for."""
        words = line.split()
        if words[0] == "info":
            with self._connection.sensible():
                info = parse_info(line)
            if self._search is not None:
                self._search.take_info(info)
        elif words[0] == "bestmove":
            self._take_bestmove(line)
        elif words[0] == "error":
            self._take_error(line)
        elif words[0] == "response" and words[1:] and words[1] in keys and collected is not None:
            collected.append(line)
        else:
            self._connection.refuse(line, "nobody asked for this")

    def _take_bestmove(self, line: str) -> None:
        with self._connection.sensible():
            move, name = parse_bestmove(line)
        search = self._search
        if search is not None and name == search.id and not search.is_done:
            search.take_move(move, self._connection.read_at)
        elif not self._is_stale(name):
            self._connection.refuse(
                line, f"no search has the id {name}" if name else "the id is missing"
            )

    def _take_error(self, line: str) -> None:
        with self._connection.sensible():
            code, name, text = parse_error(line)
        fault = ProtocolFault(f"{code}: {text}", code=code, text=text)
        search = self._search
        if search is not None and name == search.id and not search.is_done:
            search.failed = fault
        elif not self._is_stale(name):
            self._faults.append(fault)

    def _is_stale(self, name: str) -> bool:
        """Return whether this is the id of a search that is over."""
        running = self._search is not None and not self._search.is_done
        last = self._ids - 1 if running else self._ids
        is_number = name.isascii() and name.isdigit() and len(name) <= _MOST_DIGITS
        return is_number and 1 <= int(name) <= last

    # --- faults

    def _raise_faults(self) -> None:
        """Raise the first error that came for an earlier command."""
        if self._faults:
            first = self._faults[0]
            self._faults.clear()
            raise first
