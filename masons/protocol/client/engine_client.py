"""A client that runs an engine in a separate process and speaks the protocol with it.

    with Engine("masons-engine protocol") as engine:
        engine.new_game(players=2, seat=0)
        engine.ready()
        engine.position("masons1 board=classic players=2 ...")
        print(engine.go(Limits(movetime_ms=500)).move)

A fault of the engine raises a subclass of EngineError (see `error_codes`). If an answer does not
come in time or breaks the protocol, the process and its children are killed; `start` may then be
called again. After an `error` line the engine keeps running.

Only one thread at a time may use an Engine, except that any thread may call `stop`.
"""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import PurePath
from types import TracebackType
from typing import Any, Final, Self

from masons.ai.search.limits import NO_LIMITS, Limits
from masons.engine import checks
from masons.engine.checks import check_function, check_list, check_text, check_whole
from masons.engine.errors import MasonsError
from masons.engine.plain_text import joined, plain
from masons.protocol.client.client_arguments import (
    PATIENCE,
    Timeouts,
    check_seconds,
    check_surroundings,
    command_words,
    go_words,
)
from masons.protocol.client.engine_process import EngineProcess, Tell, Waiting
from masons.protocol.messages import replies
from masons.protocol.messages.error_codes import EngineError, EngineStall, ProtocolFault
from masons.protocol.messages.line_streams import MAX_LINE
from masons.protocol.messages.replies import Answer, Belief, Evaluation, Info, Option, fault

__all__ = ["Answer", "Belief", "Engine", "Evaluation", "Info", "Limits", "Option", "Timeouts"]

VERSION: Final = "1"  # the version of the protocol
_LONGEST_NAME: Final = 80  # the longest name of an engine, in characters
_MOST_DIGITS: Final = 18  # the most digits in the id of a search
_STOP_SECONDS: Final = 0.5  # from `stop` to `bestmove`: ten times the limit in the protocol
_MOST: Final = 1 << 32
_SEATS: Final = 4


@dataclass
class PendingSearch:
    """A search whose `go` was sent at the time `began` (`time.monotonic`)."""

    id: str
    began: float
    waiting: Waiting
    on_info: Callable[[Info], object] | None
    outcome: Answer | ProtocolFault | None = None  # None until the engine answers
    infos: dict[int, Info] = field(default_factory=dict)  # the last info of each rank


class Engine:
    """An engine that runs in a separate process and is controlled by the protocol.

    `command` is a list of words, or one line quoted as for a shell, although no shell runs it.
    `name` is the engine's name in messages; the default is the name that the engine reports. Its
    lines and those of its standard error go to the logger `masons.protocol.NAME`, at the level
    DEBUG. `tell` is called with a line of text if an answer takes long.

    `start` reads what the engine says of itself: the attributes `name`, `version` and `author` are
    texts, and `options` has the `Option` of each name. `command` and `timeouts` are the arguments,
    and `failed_starts` counts the calls of `start` in a row that have failed.
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
        self.name = name or PurePath(self.command[0]).name
        self.timeouts = checks.check_type("timeouts", timeouts, Timeouts, "Timeouts")
        check_function("tell", tell)
        self.version = ""
        self.author = ""
        self.options: dict[str, Option] = {}
        self._is_named = name is not None
        self._cwd, self._env, self._tell = cwd, env, tell
        self._process: EngineProcess | None = None
        self.failed_starts = 0  # the number of calls of `start` in a row that have failed
        self._ids = 0  # the id of the last search; a restart of the process does not reset it
        self._forget()

    def _forget(self) -> None:
        """Reset everything that is known about the process."""
        self._last: PendingSearch | None = None  # the current search, until its answer is returned
        self._seat: int | None = None
        self._unanswered: set[str] = set()  # the ids of earlier searches without an answer
        self._stopping = ""  # the id of such a search that may still be running
        self._second_answer = ""  # the first line that `take_second_answer` has not returned yet
        self._faults: list[ProtocolFault] = []  # `error` lines that have not been raised yet
        self._unsure = False  # True while a command that was sent may still cause an error
        self._wanted: tuple[str, ...] = ()  # the keys of the responses to collect
        self._collected: list[str] = []  # the responses collected so far

    # --- the process

    def start(self) -> Engine:
        """Start the process and read its name and options. Raises EngineError.

        A process that runs already is killed first, and the new one knows nothing of its options.
        """
        self._forget()
        self.close()
        self.failed_starts += 1  # until it has succeeded
        waiting = self._waiting("mei", self.timeouts.handshake)
        self._process = EngineProcess(self.command, self._log, cwd=self._cwd, env=self._env)
        self._send("mei")
        said: dict[str, str] = {}
        options: dict[str, Option] = {}
        while (line := self._receive(waiting)) != "meiok":
            with self._ended_by_nonsense():
                self._take_greeting(line, said, options)
        with self._ended_by_nonsense():
            if said.get("protocol") != VERSION:
                fault(
                    f"protocol {said.get('protocol', '')}", f"this client speaks protocol {VERSION}"
                )
        self.options = {option.name: option for option in options.values()}
        self.version, self.author = said.get("version", ""), said.get("author", "")
        if not self._is_named and said.get("name"):
            self.name = plain(said["name"])[:_LONGEST_NAME]
        self.failed_starts = 0
        return self

    def _take_greeting(self, line: str, said: dict[str, str], options: dict[str, Option]) -> None:
        """Read a line of the answer to `mei` into `said` or `options`."""
        word, *words = line.split()
        if word == "id" and words:
            said[words[0]] = " ".join(words[1:])
        elif word == "protocol":
            said[word] = " ".join(words)
        elif word == "option":
            option = replies.parse_option(line)
            options[option.name.lower()] = option
        elif word == "error":
            fault(line, "the handshake failed")
        elif word != "info":
            fault(line, "not part of the answer to mei")

    @property
    def is_running(self) -> bool:
        """True from `start` until `close` is called or a fault ends the process."""
        return self._process is not None

    @property
    def pid(self) -> int | None:
        """The id of the process, which is also its group's id; None if no process runs."""
        return self._process.pid if self._process else None

    def quit(self) -> bool:
        """Ask the process to end, and kill it if it does not.

        Returns True if the process ended without being killed.
        """
        if self._process is None:
            return True
        self._process.send("quit")
        self._process.close_input()
        is_polite = self._process.has_ended(self.timeouts.quit)
        self.close()
        return is_polite

    def close(self) -> None:
        """Kill the process and its children if the process is running."""
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
        check_text("name", name, "the name of an option")
        try:
            text = str(value).lower() if isinstance(value, bool) else str(value)
        except Exception:
            checks.refuse("value", value, "a text or a number")
        self._command(f"setoption name {name}" + (f" value {text}" if text else ""))

    def new_game(
        self,
        players: int,
        seat: int,
        board: str | os.PathLike[str] = "classic",
        early_roll: bool = False,
    ) -> None:
        """Begin a game in which the engine plays the given seat."""
        players = check_whole("players", players, 2, _SEATS, "2, 3 or 4")
        seat = check_whole("seat", seat, 0, players - 1, f"a seat from 0 to {players - 1}")
        if not isinstance(board, str | os.PathLike):
            checks.refuse("board", board, "a name or a file")
        options = " options early_roll" if checks.check_flag("early_roll", early_roll) else ""
        self._seat = seat
        self._command(f"newgame players {players} seat {seat} board {os.fspath(board)}{options}")

    def position(self, text: str) -> None:
        """Send the position as the engine's seat sees it (see `docs/position.md`)."""
        self._command(f"position {check_text('text', text)}")

    def event(self, text: str) -> None:
        """Send one event of the game, such as `move 0 wall:57` or `roll white/red/?`."""
        self._command(f"event {check_text('text', text)}")

    def game_over(
        self,
        scores: Sequence[int],
        winners: Sequence[int],
        end: str,
        hands: Sequence[Sequence[str]] | None = None,
    ) -> None:
        """Send the result of the game and, if given, each seat's hand as card names."""
        points = checks.check_wholes("scores", scores, _MOST, "the points of each seat")
        seats = checks.check_wholes("winners", winners, _SEATS - 1, "the seats that win")
        check_text("end", end, "walls, towers, houses, palaces or no-line")
        line = f"gameover scores {joined(points)} winners {joined(seats)} end {end}"
        if hands is not None:
            what = "for each seat its cards by name, or None"
            all_cards: list[Any] = check_list("hands", hands, object, what)
            names = (check_list("hands", cards, str, what) for cards in all_cards)
            line += " hands " + "/".join("+".join(cards) or "-" for cards in names)
        self._command(line)

    def ready(self) -> None:
        """Wait until the engine has carried out all commands.

        Raises ProtocolFault for the first command that the engine answered with an error.
        """
        self._fence(self.timeouts.ready, self.timeouts.silence)
        self._raise_faults()

    # --- searching

    @property
    def _search(self) -> PendingSearch | None:
        """The running search; None if no search runs or the process has ended."""
        return self._last if self.is_running else None

    def go(self, limits: Limits = NO_LIMITS, **arguments: Any) -> Answer:
        """Search and return the answer. Calls `begin` with these arguments, and then `wait`.

        Without limits, the engine uses its default. Raises MasonsError for a limit of rollouts,
        which the protocol does not have.
        """
        self.begin(limits, **arguments)
        return self.wait()

    def begin(
        self,
        limits: Limits = NO_LIMITS,
        *,
        multipv: int = 1,
        moves: Sequence[str] | None = None,
        avoid: Sequence[str] | None = None,
        on_info: Callable[[Info], object] | None = None,
        wait: float | None = None,
    ) -> None:
        """Start a search. Raises MasonsError if a search is running already.

        While it runs, only `stop`, `wait`, `ready`, `query` and `belief` can be called, and those
        that end the process: the other methods raise MasonsError, and the search goes on.

        `multipv` is the number of best moves to report. `moves` are the moves to search (None: all
        moves), and `avoid` are moves not to search. `Engine.wait` calls `on_info` with each info.
        `wait` is the number of seconds that the answer may take. By default, this is the time limit
        plus `Timeouts.grace`, or `Timeouts.search` without a time limit.
        """
        self._need_rest()
        words = go_words(checks.check_type("limits", limits, Limits, "Limits"))
        if check_whole("multipv", multipv, 1, _MOST) != 1:
            words.append(f"multipv {multipv}")
        for word, some in (("moves", moves), ("avoid", avoid)):
            if some is not None and (named := check_list(word, some, str, "moves as text")):
                words += [word, *named]
        check_function("on_info", on_info)
        if wait is not None:
            check_seconds("wait", wait, ", or None")
        longest, silence = (wait, None) if wait is not None else self._patience(limits)
        self._settle()
        self._ids += 1
        began = time.monotonic()
        self._send(" ".join(("go", f"id {self._ids}", *words)))
        waiting = self._waiting("go", longest, silence)
        self._last = PendingSearch(str(self._ids), began, waiting, on_info)

    def _patience(self, limits: Limits) -> tuple[float, float | None]:
        """Return the seconds that an answer may take, and the longest silence allowed.

        The longest silence is None if the engine may be silent for any length of time.
        """
        if limits.infinite:
            return self.timeouts.search, self.timeouts.silence
        times = [] if limits.movetime_ms is None else [limits.movetime_ms]
        if limits.clock:
            times.append(max(limits.clock) if self._seat is None else limits.clock[self._seat])
        if times:
            return min(times) / 1000 + self.timeouts.grace, None
        return self.timeouts.search, self.timeouts.silence

    def stop(self) -> None:
        """Tell the engine to end the running search, if any; `wait` returns the answer."""
        search = self._search
        if search is not None:
            self._send(f"stop {search.id}")
            search.waiting.shorten(self.timeouts.grace)

    def wait(self, seconds: float | None = None) -> Answer:
        """Return the answer to the running search.

        If `seconds` is given, the answer must come within that time from now. Raises EngineError if
        no answer comes in time, and MasonsError if no search is running.

        If a command that was sent before the search failed, its ProtocolFault is raised. This
        fault, an error that `on_info` raises, and Ctrl-C stop the search. It then has no answer,
        and the next search can be started.
        """
        if seconds is not None:
            check_seconds("seconds", seconds, ", or None")
        search = self._search
        if search is None:
            raise MasonsError("no search is running")
        search.waiting.heard()
        if seconds is not None:
            search.waiting.restart(seconds)
        try:
            while search.outcome is None and not self._faults:
                self._take(self._receive(search.waiting))
        finally:
            self._last = None
            self._unsure = search.outcome is None
            if search.outcome is None and self.is_running:
                # An earlier command failed, the `go` was refused without its id, `on_info` raised
                # an error, or Ctrl-C was pressed.
                self._send(f"stop {search.id}")
                self._unanswered.add(search.id)
                self._stopping = search.id
        self._raise_faults()
        assert search.outcome is not None
        if isinstance(search.outcome, ProtocolFault):
            raise search.outcome
        return search.outcome

    def _settle(self) -> None:
        """Wait until a search that `wait` has stopped has ended."""
        name, self._stopping = self._stopping, ""
        if not name:
            return
        self._fence(self.timeouts.ready, self.timeouts.silence)
        # If the engine refused the `go` without naming its id, no `bestmove` will come.
        waiting = self._waiting("stop", min(self.timeouts.grace, _STOP_SECONDS))
        while name in self._unanswered and (line := self._next_line(waiting)) is not None:
            self._take(line)
        self._faults.clear()

    def take_second_answer(self) -> str:
        """Return a `bestmove` line that answered a search for the second time, or "".

        Such a line breaks the protocol, but does no harm: the first answer counts. Each line is
        returned once. If several have come since the last call, the first is returned.
        """
        line, self._second_answer = self._second_answer, ""
        return line

    # --- queries

    def query(self, what: str) -> str:
        """Send `query WHAT` and return the text after `response` and the first word of WHAT."""
        key = (check_text("what", what).split() or [""])[0]
        words = self._responses(f"query {what}", key)[0].split(None, 2)
        return words[2] if len(words) > 2 else ""

    def evaluate(self) -> Evaluation:
        """Return the engine's evaluation of the position."""
        self._need_rest()
        lines = self._responses("eval", "eval", more=("card",))
        with self._ended_by_nonsense():
            return replies.parse_evaluation(lines)

    def belief(self, seat: int | None = None) -> dict[int, Belief]:
        """Return the engine's estimate of each hand, by seat.

        By default, every seat but the engine's is included.
        """
        command = "belief"
        if seat is not None:
            command += f" {check_whole('seat', seat, 0, _SEATS - 1, 'a seat from 0 on')}"
        lines = self._responses(command, "belief", more=("belief",))
        with self._ended_by_nonsense():
            return replies.parse_belief(lines)

    def _responses(self, command: str, key: str, more: tuple[str, ...] = ()) -> list[str]:
        """Send a command and return the `response` lines that answer it.

        The first line has the key `key`. Lines with a key from `more` may follow.
        """
        if self._unsure:
            self.ready()
        self._send(command)
        waiting = self._waiting(command, self.timeouts.reply)
        self._collected, self._wanted = [], (key,)
        try:
            while not self._collected:
                self._take(self._receive(waiting))
                self._raise_faults()
            if more:
                self._wanted = more
                self._fence(self.timeouts.reply)
                self._raise_faults()
        finally:
            self._wanted = ()
        return self._collected

    # --- lines

    def _command(self, line: str) -> None:
        """Send a command. The engine answers only if the command is wrong."""
        self._need_rest()
        self._unsure = True
        self._send(line)

    def _need_rest(self) -> None:
        """Raise MasonsError if a search is running: the engine would refuse the command."""
        if self._search is not None:
            raise MasonsError(
                "a search is running: wait for its answer first; stop() makes it come soon"
            )

    def _send(self, line: str) -> None:
        """Send a line. Raises MasonsError if it cannot be sent or no process runs."""
        self._running()
        if "\n" in line or "\r" in line:
            raise MasonsError("a command is one line")
        try:
            size = len(line.encode())
        except UnicodeEncodeError:
            said = checks.shown(line)
            raise MasonsError(f"a command is UTF-8 text, which {said} is not") from None
        if size > MAX_LINE:
            raise MasonsError(f"a command has at most {MAX_LINE:,} bytes")
        self._settle()
        self._running().send(line)

    def _waiting(self, what: str, seconds: float, silence: float | None = None) -> Waiting:
        return Waiting(self.name, what, seconds, silence, self._tell)

    def _receive(self, waiting: Waiting) -> str:
        """Return the next line. If no line comes in time, end the engine and raise EngineStall."""
        line = self._next_line(waiting)
        if line is None:
            error = EngineStall(waiting.stall)
            self._end_for(error)
            raise error
        return line

    def _next_line(self, waiting: Waiting) -> str | None:
        """Return the next line, or None if no line comes in time."""
        try:
            return waiting.line(self._running().receive)
        except EngineError as error:
            self._end_for(error)
            raise

    def _fence(self, seconds: float, silence: float | None = None) -> None:
        """Send `isready`, and wait until the engine has carried out all commands."""
        waiting = self._waiting("isready", seconds, silence)
        self._send("isready")
        while (line := self._receive(waiting)) != "readyok":
            self._take(line)
        self._unsure = False

    def _take(self, line: str) -> None:
        """Parse a line and store its content."""
        words = line.split()
        if words[0] == "info":
            with self._ended_by_nonsense():
                info = replies.parse_info(line)
            search = self._search
            if search is not None and search.outcome is None:
                if not info.string:
                    search.infos[info.multipv] = info
                if search.on_info is not None:
                    search.on_info(info)
            return
        with self._ended_by_nonsense():
            if words[0] == "bestmove":
                move, name = replies.parse_bestmove(line)
                if (search := self._searching(name)) is not None:
                    infos = tuple(search.infos[rank] for rank in sorted(search.infos))
                    seconds = self._running().read_at - search.began
                    search.outcome = Answer(move, infos, seconds)
                elif not self._is_stale(name):
                    fault(line, f"no search has the id {name}" if name else "the id is missing")
                elif name in self._unanswered:
                    self._unanswered.remove(name)
                else:
                    self._second_answer = self._second_answer or line
            elif words[0] == "error":
                code, name, text = replies.parse_error(line)
                read_at = self._running().read_at
                error = ProtocolFault(f"{code}: {text}", code=code, text=text, at=read_at)
                if (search := self._searching(name)) is not None:
                    search.outcome = error
                elif self._is_stale(name):
                    self._unanswered.discard(name)
                else:
                    self._faults.append(error)
            elif words[0] == "response" and words[1:2] and words[1] in self._wanted:
                self._collected.append(line)
            else:
                fault(line, "unexpected answer")

    def _searching(self, name: str) -> PendingSearch | None:
        """Return the running search if its id is `name` and it has no answer yet."""
        search = self._search
        is_it = search is not None and name == search.id and search.outcome is None
        return search if is_it else None

    def _is_stale(self, name: str) -> bool:
        """Return whether `name` is the id of an earlier search."""
        is_searching = self._search is not None and self._search.outcome is None
        last = self._ids - 1 if is_searching else self._ids
        is_number = name.isascii() and name.isdigit() and len(name) <= _MOST_DIGITS
        return is_number and 1 <= int(name) <= last

    # --- faults

    def _raise_faults(self) -> None:
        """Raise the first error that an earlier command caused."""
        if self._faults:
            first = self._faults[0]
            self._faults.clear()
            raise first

    @contextmanager
    def _ended_by_nonsense(self) -> Iterator[None]:
        """End the engine if a line that is parsed inside this context breaks the protocol."""
        try:
            yield
        except ProtocolFault as error:
            self._end_for(error)
            raise

    def _end_for(self, error: EngineError) -> None:
        """Log a fault after which the engine is unusable, and end the engine."""
        self._log.debug("%s: %s", error.kind, error)
        self.close()

    def _running(self) -> EngineProcess:
        if self._process is None:
            raise MasonsError(f"{self.name} is not running: start it first")
        return self._process

    @property
    def _log(self) -> logging.Logger:
        """The logger `masons.protocol.NAME` for the engine's lines."""
        return logging.getLogger(f"masons.protocol.{re.sub('[^A-Za-z0-9_-]+', '_', self.name)}")
