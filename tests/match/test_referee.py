"""The referee: what seats get to know, what becomes of those that fail, and time."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from masons.ai.players.named_players import make_player
from masons.engine.board.geometry import Board
from masons.engine.errors import MoveError
from masons.engine.formats.move_text import Move
from masons.engine.formats.position_text import parse_position
from masons.engine.game.game import Game
from masons.engine.game.observer import Observer
from masons.engine.game.record import game_record
from masons.engine.game.replay import Replay, check_record
from masons.match.running.duplicate_deals import DuplicateDeal
from masons.match.running.referee import (
    Decided,
    EngineMover,
    Mover,
    PlayerMover,
    RefereedGame,
    play_refereed,
)
from masons.match.running.schedule import MAX_ATTEMPTS, MAX_STALLS, Clocks, TimeControl
from masons.protocol.client.engine_client import Engine, Limits, Timeouts
from masons.protocol.messages.error_codes import EngineCrash, EngineStall, ProtocolFault
from masons.protocol.messages.replies import Answer
from masons.protocol.messages.seat_events import Moved, result_words
from masons.protocol.server.followed_game import FollowedGame, parse_new_game
from tests.support.paths import SUPPORT

FAKE = str(SUPPORT / "fake_engine.py")


def player(name: str, seed: int = 1) -> PlayerMover:
    return PlayerMover(make_player(name, seed))


def referee(movers: Sequence[Mover], time_control: TimeControl | None = None) -> RefereedGame:
    """A game of a duplicate deal."""
    luck = DuplicateDeal(3)
    board = Game(2, seed=0).board
    game = luck.new_game(len(movers), board=board, first=1)
    played = play_refereed(game, movers, deal=luck, time_control=time_control, seed=3)
    assert game.is_over
    assert check_record(game_record(game)) is None
    return played


# --- what a seat gets to know


class Scribe(Engine):
    """An engine without a process: plays by chance and notes all that it gets to know."""

    def __init__(self, board: Board, seed: int) -> None:
        super().__init__("scribe")
        self.lines: list[tuple[str, str]] = []
        self._board = board
        self._chance = random.Random(seed)
        self.limits: list[Limits] = []

    @property
    def is_running(self) -> bool:
        return True

    def _send(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        self.lines.append((word, rest))

    def ready(self) -> None:
        self.lines.append(("isready", ""))

    def go(self, limits: Limits = Limits(), **_: object) -> Answer:  # noqa: B008
        self.limits.append(limits)
        text = next(rest for word, rest in reversed(self.lines) if word == "position")
        game = Observer.of(self._board, parse_position(str(text), self._board)[1], self._seat or 0)
        self.lines.append(("go", ""))
        return Answer(str(self._chance.choice(game.legal_moves())), (), 0.01)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_events_and_positions_say_the_same(classic: Board, players: int) -> None:
    scribes = [Scribe(classic, seat) for seat in range(players)]
    played = referee([EngineMover(scribe, "classic") for scribe in scribes])
    assert played.faults == []
    assert played.game.result is not None
    for seat, scribe in enumerate(scribes):
        words = [word for word, _ in scribe.lines]
        assert words[:3] == ["newgame", "isready", "position"]
        assert words[-2:] == ["gameover", "isready"]
        assert all(words[at - 1] == "position" for at, word in enumerate(words) if word == "go")
        opening = scribe.lines[0][1]
        assert opening == f"players {players} seat {seat} board classic"
        follower = FollowedGame(parse_new_game(opening))
        follower.place(scribe.lines[2][1])
        for word, text in scribe.lines:
            if word == "position":
                assert follower.ask("view") == f"view {text}"
                hands = parse_position(text, classic)[1].hands
                assert [isinstance(hand, int) for hand in hands].index(False) == seat
            elif word == "event":
                follower.take_event(text)
                kind, who, what = (*text.split(), "")[:3]
                assert kind != "draw" or (what == "?") == (int(who) != seat)
        assert follower.game.is_over
        assert scribe.lines[-2][1].startswith(result_words(played.game.result))


# --- seats that fail


class Failing(Mover):
    """Plays by chance, but fails at some of its decisions as often as asked."""

    may_fail = True

    def __init__(self, error: Callable[[], Exception | Move], times: Sequence[int]) -> None:
        self._error = error
        self._times = list(times)  # failures of each decision
        self.restarts = 0
        self.decisions = 0
        self._chance = player("random")

    def restart(self) -> None:
        self.restarts += 1

    def decide(self, *decision: Any) -> Decided:
        self.decisions += 1
        if self._times and self._times[0] > 0:
            self._times[0] -= 1
            wrong = self._error()
            if isinstance(wrong, Move):
                return Decided(wrong, 0.0)
            raise wrong
        del self._times[:1]
        return self._chance.decide(*decision)


WRONG = {
    "crash": lambda: EngineCrash("gone"),
    "stall": lambda: EngineStall("silent"),
    "protocol": lambda: ProtocolFault("what?"),
    "illegal": lambda: Move(1),
    "illegal ": lambda: MoveError("'wall' is no move"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_seat_that_fails_is_restarted_and_asked_again(kind: str) -> None:
    times = [1] if kind == "stall" else [1, 0, MAX_ATTEMPTS - 1]
    failing = Failing(WRONG[kind], times)
    played = referee([failing, player("busy")])
    assert [(fault.kind, fault.seat) for fault in played.faults] == [(kind.strip(), 0)] * sum(times)
    assert failing.restarts == sum(times)
    assert played.forfeits == set()
    assert len({fault.decision for fault in played.faults}) == sum(map(bool, times))


def test_after_some_failures_a_move_by_chance_is_made() -> None:
    """The same one for the same seed."""
    games = []
    for _ in range(2):
        failing = Failing(WRONG["crash"], [10**6])
        played = referee([failing, player("busy")])
        decisions = {fault.decision for fault in played.faults}
        assert len(played.faults) == MAX_ATTEMPTS * len(decisions) == failing.decisions
        games.append(played.game.moves)
    assert games[0] == games[1]


@pytest.mark.parametrize("kind", WRONG)
def test_under_strict_terms_a_fault_forfeits(kind: str) -> None:
    failing = Failing(WRONG[kind], [0, 1])
    played = referee([player("busy"), failing, player("random")], TimeControl(strict=True))
    assert played.forfeits == {1}
    assert [fault.kind for fault in played.faults] == [kind.strip()]
    assert (failing.decisions, failing.restarts) == (2, 0)
    replay = Replay(game_record(played.game, forfeits=played.stand_ins))
    decisions = stood_in(replay, 1)
    assert decisions == [False] + [True] * (len(decisions) - 1)
    assert [(forfeit.seat, forfeit.why) for forfeit in replay.forfeits] == [(1, kind.strip())]


def stood_in(replay: Replay, seat: int) -> list[bool]:
    """For each decision of a seat in a record, whether a stand-in made it."""
    decisions = []
    while not replay.is_done:
        if replay.game.seat == seat:
            decisions.append(replay.by_stand_in)
        replay.step()
    replay.finish()
    return decisions


def test_the_second_stall_of_a_game_forfeits_it() -> None:
    failing = Failing(WRONG["stall"], [1, 0, 1])
    played = referee([failing, player("busy")])
    assert played.forfeits == {0}
    assert [fault.kind for fault in played.faults] == ["stall"] * MAX_STALLS
    assert (failing.decisions, failing.restarts) == (4, 1)


def test_a_forfeit_is_for_the_last_fault() -> None:
    faults = iter([EngineCrash("gone"), EngineStall("silent"), EngineStall("silent")])
    played = referee([Failing(lambda: next(faults), [1, 1, 1]), player("busy")])
    assert [fault.kind for fault in played.faults] == ["crash", "stall", "stall"]
    assert [forfeit.why for forfeit in played.stand_ins] == ["stall"]


def test_a_second_answer_is_booked_at_the_decision_that_it_answers() -> None:
    class Twice(Failing):
        """Has a second answer to its first search, which is read with the answer to the next."""

        def breach(self) -> str:
            return "a second answer" if self.decisions == 2 else ""

    mover = Twice(WRONG["crash"], [])
    played = referee([player("busy"), mover])
    first, *later = (fault.decision for fault in played.faults)
    assert (first, later) == (1, [])  # seat 1 begins, so that its next decision is a later one


def test_a_fault_of_a_player_in_this_process_is_a_bug_and_ends_all() -> None:
    class Wrong(Failing):
        may_fail = False

    with pytest.raises(MoveError):
        referee([Wrong(WRONG["illegal"], [1]), player("busy")])


# --- engines in processes

BRIEF = Timeouts(handshake=30, ready=30, reply=30, grace=0.2, search=0.2, quit=0.5)


@pytest.fixture
def engines() -> Iterator[Callable[[str], Engine]]:
    """A function that makes fake engines with a fault; their processes end with the test."""
    with ExitStack() as stack:

        def make(fault: str) -> Engine:
            engine = Engine([sys.executable, "-S", FAKE, fault], timeouts=BRIEF)
            stack.callback(engine.close)
            return engine

        yield make


@pytest.mark.parametrize("fault", ["exit", "exit-at-once"])
def test_a_failure_shows_at_the_next_decision(engines: Callable[[str], Engine], fault: str) -> None:
    """Also of what was sent before; then the process is started again.

    Until then, an engine that has ended is told nothing.
    """
    engine = engines(fault)
    mover, game = EngineMover(engine, "classic"), Game(2, seed=1)
    mover.new_game(game, 0)
    first = engine.pid
    mover.watch([Moved(1, game.legal_moves()[0])])
    with pytest.raises(EngineCrash):
        mover.decide(*first_decision(game))
    assert mover.is_down
    mover.watch([Moved(1, game.legal_moves()[0])])
    mover.game_over(finished_game())
    if fault == "exit":
        mover.restart()
        assert not mover.is_down
        assert engine.is_running
        assert engine.pid != first


@pytest.mark.parametrize("fault", ["error", "error-no-id", "exit"])
def test_an_engine_pays_for_its_own_time_alone(
    engines: Callable[[str], Engine], fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither for its restarts nor for what the client waits for after a fault."""
    engine = engines(fault)
    close = engine.close
    monkeypatch.setattr(engine, "close", lambda: (time.sleep(0.3), close()))
    game = Game(2, seed=1)
    played = RefereedGame(game, [EngineMover(engine, "classic")] * 2, None, TimeControl(), 1)
    played._movers[0].new_game(game, 0)
    assert played._decision(0) in game.legal_moves()
    assert len(played.faults) == MAX_ATTEMPTS
    assert played.slowest[0] < 0.3


def test_an_engine_that_never_starts_is_tried_once_a_game(
    engines: Callable[[str], Engine],
) -> None:
    mover = EngineMover(engines("exit-at-once"), "classic")
    faults = [len(referee([mover, player("busy")]).faults) for _ in range(2)]
    assert faults == [MAX_ATTEMPTS, 1]


def finished_game() -> Game:
    return referee([player("busy"), player("busy")]).game


def first_decision(game: Game) -> tuple[Any, ...]:
    return game.table, game.observe(0), game.legal_moves(), Limits(sims=1)


# --- time


class Slow(Failing):
    """Says that its decisions took long, and maybe that it was not at work."""

    def __init__(self, seconds: float, worked: float | None = None, first: int = 0) -> None:
        super().__init__(WRONG["crash"], [])
        self._taken = {"seconds": seconds, "worked": worked}
        self._first = first  # its first slow decision

    def decide(self, *decision: Any) -> Decided:
        decided = super().decide(*decision)
        return decided._replace(**self._taken) if self.decisions > self._first else decided


def test_a_late_move_counts_but_loses_the_game() -> None:
    slow = Slow(0.5, first=1)
    played = referee([slow, player("busy")], TimeControl(movetime=0.2))
    assert [(fault.kind, fault.seat) for fault in played.faults] == [("time", 0)]
    assert played.forfeits == {0}
    assert (slow.decisions, slow.restarts) == (2, 0)
    assert (played.late[0], played.slowest[0]) == (1, 0.5)
    assert played.latest[0] == pytest.approx(0.3)
    replay = Replay(game_record(played.game, forfeits=played.stand_ins))
    assert stood_in(replay, 0)[:3] == [False, False, True]


def test_a_move_within_the_margin_is_late_but_no_fault() -> None:
    for control in (TimeControl(movetime=0.2), TimeControl(movetime=0.05, margin=0.3)):
        slow = Slow(0.3)
        played = referee([slow, player("busy")], control)
        assert (played.faults, played.forfeits) == ([], set())
        assert played.late[0] == slow.decisions
        assert played.latest[0] == pytest.approx(0.3 - (control.movetime or 0))


def test_a_stall_in_a_timed_decision_loses_the_game() -> None:
    control = TimeControl(movetime=1e-9, margin=0.0)
    failing = Failing(WRONG["stall"], [1])
    played = referee([failing, player("busy")], control)
    assert [fault.kind for fault in played.faults if fault.seat == 0] == ["stall"]
    assert 0 in played.forfeits
    assert (failing.decisions, failing.restarts) == (1, 0)


def test_a_move_that_came_too_late_is_still_of_its_seat() -> None:
    control = TimeControl(movetime=1.0, strict=True)
    played = referee([Slow(9.0, first=2), player("busy")], control)
    assert played.forfeits == {0}
    replay = Replay(game_record(played.game, forfeits=played.stand_ins))
    assert stood_in(replay, 0)[:5] == [False] * 3 + [True] * 2
    assert replay.forfeits[0].why == "time"


def test_a_named_player_is_not_blamed_for_the_machine() -> None:
    played = referee([Slow(9.0, worked=0.1), player("busy")], TimeControl(movetime=0.2))
    assert played.faults == []
    assert played.slowest[0] == 9.0

    class Sleepy:
        name, takes_limit, threads = "sleepy", True, 1

        def choose(self, *decision: Any) -> Move:
            time.sleep(0.05)
            return Move(decision[2][0])

    decided = PlayerMover(Sleepy()).decide(*first_decision(Game(2, seed=1)))
    assert decided.worked is not None
    assert decided.worked < 0.05 <= decided.seconds


def test_clocks() -> None:
    clocks = Clocks(2, TimeControl(clock=10.0, inc=0.5))
    assert clocks.excess(0, 4.0) == 0
    clocks.spend(0, 4.0)
    assert clocks.left == [6.5, 10.0]
    assert clocks.excess(0, 6.6) == pytest.approx(0.1)
    clocks.spend(0, 6.6)
    assert clocks.limit(0) == 0.5
    assert clocks.excess(0, 0.8) == pytest.approx(0.3)
    clocks.spend(0, 0.8)
    assert clocks.left == [0.5, 10.0]
    clocks.charge(1, 4.0)
    clocks.charge(0, 4.0)
    assert clocks.left == [0.0, 6.0]


@pytest.mark.slow
def test_engines_are_told_the_limits(classic: Board) -> None:
    for time_control, limits in (
        (TimeControl(sims=50), Limits(sims=50)),
        (TimeControl(movetime=0.25, sims=9), Limits(movetime_ms=250, sims=9)),
        (TimeControl(clock=60, inc=0.5), Limits(clock=(60000, 60000), inc=(500, 500))),
        (TimeControl(clock=60), Limits(clock=(60000, 60000))),
    ):
        scribe = Scribe(classic, 1)
        referee([EngineMover(scribe, "classic"), player("busy")], time_control)
        first = scribe.limits[0]
        if first.clock is None or limits.clock is None:
            assert first == limits
            continue
        assert (first.clock[0], first.inc) == (limits.clock[0], limits.inc)
        second = scribe.limits[1].clock
        assert second is not None
        assert second[0] == first.clock[0] - 10 + round(time_control.inc * 1000)
