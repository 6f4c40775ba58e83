"""The loop that reads commands and answers them, as specified in docs/protocol.md.

The main thread carries out commands. Searches run in a second thread. Once `mei` has been answered,
a third thread loads or compiles the kernels. Until then no large module is imported.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import IO, TYPE_CHECKING, Final

from masons.ai.players.player_names import SEARCHERS
from masons.ai.search.limits import Limits
from masons.engine.plain_text import plain, quoted
from masons.protocol.messages.error_codes import Refused, fault_text
from masons.protocol.messages.line_streams import Output, read_lines
from masons.protocol.messages.replies import format_option
from masons.protocol.server import jobs, parsed_commands

if TYPE_CHECKING:
    from masons.protocol.server.followed_game import FollowedGame
    from masons.protocol.server.thinker import Thinker

_LAST_SECONDS: Final = 0.5  # the longest time from `quit` or the end of input to the exit
_CHANGES: Final = (
    "setoption", "newgame", "position", "event", "gameover", "go", "eval", "bench", "perft"
)  # fmt: skip


def _has_kernels() -> bool:
    from masons.engine.kernels.loading import is_ready

    return is_ready()


def _load_kernels() -> None:
    """Load or compile all kernels, and import all that later commands need."""
    import masons.engine.board.board_svg
    import masons.protocol.server.thinker  # noqa: F401
    from masons.engine.kernels.loading import compile_ahead

    compile_ahead()


_KERNELS: Final = jobs.Part("kernels", "the kernels", _has_kernels, _load_kernels)


class Server:
    """An engine that speaks the protocol. The named player `player` makes its decisions."""

    def __init__(self, source: IO[bytes], sink: IO[bytes], *, player: str, version: str) -> None:
        self._source = source
        self._out = Output(sink)
        self._player = player
        self._version = version
        self._settings = parsed_commands.EngineSettings(
            parsed_commands.SEARCH if player in SEARCHERS else parsed_commands.SIMPLE
        )
        if player in SEARCHERS:
            self._settings.set("Method", SEARCHERS[player][0])
        self._preparation = jobs.Preparation(self._out)
        self._jobs = jobs.Jobs(self._out)
        self._game: FollowedGame | None = None
        self._thinker: Thinker | None = None
        self._overhead = jobs.Overhead()
        # Each line with the time at which it was read (`time.monotonic`); None at the end.
        self._lines: queue.SimpleQueue[tuple[str | Refused, float] | None] = queue.SimpleQueue()

    def set_option(self, name: str, value: str) -> None:
        """Set an option before the start. Raises Refused."""
        self._settings.set(name, value)

    def run(self) -> None:
        """Carry out commands until `quit` or the end of input."""
        threading.Thread(target=self._read, daemon=True).start()
        while (item := self._lines.get()) is not None and not self._out.is_closed:
            self._take(*item)
        self._jobs.stop()
        self._jobs.join(_LAST_SECONDS)

    def _read(self) -> None:
        for line in read_lines(self._source):
            if isinstance(line, str) and line.split()[0] == "quit":
                break
            self._lines.put((line, time.monotonic()))
        self._lines.put(None)
        # Exit by force if the running command takes longer than the protocol allows.
        timer = threading.Timer(_LAST_SECONDS, os._exit, (0,))
        timer.daemon = True
        timer.start()

    def _take(self, line: str | Refused, received: float | None = None) -> None:
        """Carry out a command, or answer with the error that prevents it.

        `received` is the time at which the line was read (`time.monotonic`); the default is now.
        """
        self._received = time.monotonic() if received is None else received
        try:
            if isinstance(line, Refused):
                raise line
            if self._out.debug:
                print(f"> {plain(line)}", file=sys.stderr, flush=True)
            word = line.split()[0]
            self._carry_out(word, line[len(word) :].strip())
        except Refused as refused:
            self._out.refuse(refused)
        except Exception as error:
            self._out.refuse(Refused("internal", fault_text(error)))

    def _carry_out(self, word: str, rest: str) -> None:
        command = _COMMANDS.get(word)
        if command is None:
            known = ", ".join(_COMMANDS)
            raise Refused("unknown", f"no command {quoted(word, 40)}: there are {known}, quit")
        if word in _CHANGES and self._jobs.was_busy(self._received):
            ident = parsed_commands.parse_go(rest).id if word == "go" else None
            raise self._jobs.refusal(ident)
        if rest and word in ("mei", "isready", "eval", "bench"):
            raise Refused("syntax", f"write {word} alone: it takes no other words")
        command(self, rest)

    # --- commands before the kernels are loaded

    def _mei(self, _: str) -> None:
        for line in (
            f"id name Masons Engine ({self._player})",
            f"id version {self._version}",
            "id author The Masons Engine authors",
            "protocol 1",
            *map(format_option, self._settings.options),
            "meiok",
        ):
            self._out.line(line)
        self._preparation.start([_KERNELS])

    def _set_option(self, rest: str) -> None:
        words = rest.split()
        if len(words) < 2 or words[0] != "name" or (len(words) > 2 and words[2] != "value"):
            raise Refused("syntax", "write setoption name X value Y")
        self._settings.set(words[1], " ".join(words[3:]))
        self._thinker = None

    def _debug(self, rest: str) -> None:
        if rest not in ("on", "off"):
            raise Refused("syntax", "write debug on or debug off")
        self._out.debug = rest == "on"

    def _stop(self, rest: str) -> None:
        if len(rest.split()) > 1:
            raise Refused("syntax", "write stop, or stop and the id of a search")
        self._jobs.stop(rest or None)

    # --- commands that need the kernels

    def _rehearsal(self) -> jobs.Part:
        """Return the preparation that makes `go` fast: a rehearsal with the current options."""

        def work() -> None:
            from masons.protocol.server.thinker import rehearse

            rehearse(self._player, self._settings, self._overhead)

        return jobs.Part(self._settings.of_search, "the first search", lambda: True, work)

    def _is_ready(self, _: str) -> None:
        if not self._jobs.is_searching:
            self._preparation.ensure([_KERNELS, self._rehearsal()])
        if self._jobs.is_searching:
            self._out.line("readyok")
        else:
            self._jobs.then_say("readyok")

    def _ready_game(self) -> FollowedGame:
        """Wait until the kernels are loaded, and return the game."""
        self._preparation.ensure([_KERNELS])
        from masons.protocol.server.followed_game import FollowedGame

        self._game = self._game or FollowedGame()
        return self._game

    def _new_game(self, rest: str) -> None:
        self._preparation.ensure([_KERNELS])
        from masons.protocol.server.followed_game import FollowedGame, parse_new_game

        self._game = FollowedGame(parse_new_game(rest))
        self._thinker = None

    def _go(self, rest: str) -> None:
        request = parsed_commands.parse_go(rest, self._received)
        followed = self._ready_game()
        from masons.protocol.server.thinker import GoDecision, chosen_moves, make_thinker

        try:
            followed.check_decides()
            _check_clocks(request.limits, followed.game.players)
            moves = chosen_moves(
                followed.table, followed.view, followed.game.legal_moves(), request
            )
        except Refused as refused:
            refused.id = request.id
            raise
        if self._thinker is None:
            self._thinker = make_thinker(self._player, self._settings, self._overhead)
        thinker = self._thinker
        decision = GoDecision(followed.table, followed.view, moves, request)

        self._jobs.start(
            partial(thinker.answer, decision, self._out.line), "go", request.id,
            here=thinker.is_short(decision),
        )  # fmt: skip

    def _eval(self, _: str) -> None:
        followed = self._ready_game()
        followed.check_decides()
        cards, table, view = followed.cards(), followed.table, followed.view

        def work(halt: jobs.Halt) -> str:
            from masons.protocol.server.thinker import evaluation

            first = evaluation(table, view, self._settings, halt)
            lines = [f"response card {name} count {n} points {points}" for name, n, points in cards]
            return "\n".join((first, *lines))

        self._jobs.start(work, "eval")

    def _belief(self, rest: str) -> None:
        followed = self._ready_game()
        from masons.protocol.server.followed_game import belief_lines

        for line in belief_lines(followed.view, followed.game.own_seat, rest):
            self._out.line(line)

    def _bench(self, _: str) -> None:
        import json

        def work(halt: jobs.Halt) -> str:
            figures = json.loads(jobs.run_command(["bench", "--json"], "bench", halt))
            return (
                f"response bench signature {figures['signature']} gps {figures['games_per_s']:.0f} "
                f"dps {figures['decisions_per_s']:.0f} sps {figures['simulations_per_s']:.0f}"
            )

        self._jobs.start(work, "bench")

    def _perft(self, rest: str) -> None:
        if not rest.isdecimal() or len(rest) > 3 or not rest.isascii():
            raise Refused("syntax", "write perft and a number of decisions")
        text, board = self._ready_game().whole()
        arguments = ["perft", text, rest, *(["--board", board] if board else [])]

        def work(halt: jobs.Halt) -> str:
            return f"response perft {rest} {jobs.run_command(arguments, 'perft', halt).strip()}"

        self._jobs.start(work, "perft")

    def _game_over(self, rest: str) -> None:
        parsed_commands.check_game_over(rest, None if self._game is None else self._game.players)
        self._game = None
        self._thinker = None


def _check_clocks(limits: Limits, players: int) -> None:
    for word, times in (("clock", limits.clock), ("inc", limits.inc)):
        if times and len(times) != players:
            raise Refused("syntax", f"{word} needs a time for each of the {players} seats")
    if limits.inc and not limits.clock:
        raise Refused("syntax", "inc needs a clock")


_COMMANDS: Final[dict[str, Callable[[Server, str], None]]] = {
    "mei": Server._mei,
    "isready": Server._is_ready,
    "setoption": Server._set_option,
    "newgame": Server._new_game,
    "position": lambda server, rest: server._ready_game().place(rest),
    "event": lambda server, rest: server._ready_game().take_event(rest),
    "go": Server._go,
    "stop": Server._stop,
    "query": lambda server, rest: server._out.line(f"response {server._ready_game().ask(rest)}"),
    "eval": Server._eval,
    "belief": Server._belief,
    "bench": Server._bench,
    "perft": Server._perft,
    "gameover": Server._game_over,
    "debug": Server._debug,
}
