"""The client against a scripted engine in a real process, well-behaved and not."""

from __future__ import annotations

import logging
import math
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from masons.engine.errors import MasonsError
from masons.protocol.client import client_arguments, engine_process
from masons.protocol.client.engine_client import Engine, Info, Limits, Option, Timeouts
from masons.protocol.client.engine_process import LINE_COST, MAX_WAITING, Inbox, Waiting
from masons.protocol.messages.error_codes import EngineCrash, EngineStall, ProtocolFault
from masons.protocol.messages.replies import allows, parse_info, parse_option
from tests.support.commands import wait_for
from tests.support.paths import SUPPORT
from tests.support.thinned import thinned

FAKE = str(SUPPORT / "fake_engine.py")
# Long for what must come, short for what must not.
PATIENT = Timeouts(handshake=30, ready=30, reply=30, grace=30, search=30, quit=30)
BRIEF = Timeouts(handshake=30, ready=30, reply=30, grace=0.3, search=0.3, quit=0.3)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-S", FAKE, *arguments]


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(command(), timeouts=PATIENT) as running:
        yield running


def gone(pid: int) -> bool:
    """Return whether a process is dead (it may still be listed as a zombie)."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


# --- what works


def test_the_handshake_tells_who_it_is(engine: Engine) -> None:
    said = engine.name, engine.version, engine.author
    assert said == ("Fake One", "1.2", "Nobody in particular")
    assert engine.options == {
        "Depth": Option("Depth", "spin", "3", 1, 9),
        "Style": Option("Style", "combo", "calm", choices=("calm", "wild")),
        "Log": Option("Log", "string"),
        "Reset": Option("Reset", "button"),
        "Ponder": Option("Ponder", "check", "true"),
    }


def test_a_search_gives_the_move_and_the_last_info_of_each_rank(engine: Engine) -> None:
    seen: list[Info] = []
    answer = engine.go(Limits(sims=200), multipv=2, on_info=seen.append)
    assert answer.move == "wall:0"
    assert [info.visits for info in answer.infos] == [90, 10]
    assert [info.visits for info in seen] == [60, 90, 10]
    assert seen[0].win == (0.5, 0.5)
    assert (seen[0].pv, seen[0].expect) == (("wall:0",), (0.4,))
    assert answer.seconds >= 0


def test_what_go_sends() -> None:
    seen: list[Info] = []
    with Engine(command("echo"), timeouts=PATIENT) as engine:
        engine.go(
            Limits(movetime_ms=50, sims=7, clock=(100, 200), inc=(1, 2), seed=4),
            multipv=3, moves=["wall:1", "wall:2"], avoid=["wall:3"], on_info=seen.append,
        )  # fmt: skip
    assert seen[0].string == (
        "go id 1 movetime 50 sims 7 clock 100,200 inc 1,2 seed 4 multipv 3 "
        "moves wall:1 wall:2 avoid wall:3"
    )


def test_a_search_can_be_stopped(engine: Engine) -> None:
    engine.begin(Limits(infinite=True))
    engine.ready()
    with pytest.raises(MasonsError, match="a search is running"):
        engine.begin()
    engine.stop()
    assert engine.wait().move == "wall:0"
    with pytest.raises(MasonsError, match="no search is running"):
        engine.wait()
    engine.stop()
    assert engine.go().move == "wall:0"


def test_what_the_engine_would_refuse_during_a_search_is_not_sent(engine: Engine) -> None:
    """The search is not disturbed."""
    engine.begin(Limits(infinite=True))
    calls: list[Callable[[], object]] = [
        engine.evaluate,
        lambda: engine.position("x"),
        lambda: engine.event("x"),
        lambda: engine.new_game(2, 0),
        lambda: engine.set_option("Depth", 4),
        lambda: engine.game_over((1, 2), (1,), "walls"),
    ]
    for call in calls:
        with pytest.raises(MasonsError, match="a search is running: wait for its answer first"):
            call()
    engine.ready()
    engine.stop()
    assert engine.wait().move == "wall:0"


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_an_error_of_on_info_stops_the_search(engine: Engine, error: type[BaseException]) -> None:
    def fail(info: Info) -> None:
        raise error(info.string)

    pid = engine.pid
    with pytest.raises(error):
        engine.go(Limits(sims=9), on_info=fail)
    with pytest.raises(MasonsError, match="no search is running"):
        engine.wait()
    engine.set_option("Depth", 4)
    assert engine.go().move == "wall:0"
    assert engine.pid == pid


def test_a_running_engine_is_replaced_by_start(engine: Engine) -> None:
    first = engine.pid
    assert first is not None
    engine.start()
    assert engine.pid != first
    assert gone(first)
    engine.ready()


@pytest.mark.parametrize(
    ("name", "seconds"), [("handshake", "x"), ("grace", -1), ("quit", None), ("ready", math.nan)]
)
def test_a_timeout_is_a_number_of_seconds(name: str, seconds: object) -> None:
    with pytest.raises(MasonsError, match=f"^{name} is .*: it must be seconds from 0 on$"):
        Timeouts(**{name: seconds})  # type: ignore[arg-type]


def test_tell_is_a_function() -> None:
    with pytest.raises(MasonsError, match=r"^tell is 5: it must be a function or None$"):
        Engine(command(), tell=5)  # type: ignore[arg-type]


def test_queries(engine: Engine) -> None:
    with pytest.raises(ProtocolFault, match="future") as caught:
        engine.query("future")
    assert caught.value.code == "unknown"
    assert engine.query("legal") == ""
    evaluation = engine.evaluate()
    assert (evaluation.win, evaluation.score) == ((0.6, 0.4), (40, 35.5))
    assert evaluation.cards == {"cities": (2, 4)}
    belief = engine.belief()[1]
    assert (belief.cards, belief.kinds) == (6, {"cities": (0.5, 0.4), "land-red": (1, 0.8)})


@pytest.mark.parametrize("fault", ["stale", "twice"])
def test_an_answer_to_a_search_that_is_over_is_skipped(fault: str) -> None:
    with Engine(command(fault), timeouts=PATIENT) as engine:
        assert engine.go().move == "wall:0"
        assert engine.go().move == "wall:0"
        engine.ready()


def test_traffic_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "masons.protocol.my_engine")
    with Engine(command(), name="my engine", timeouts=PATIENT) as engine:
        engine.ready()
    logged = [(r.name, r.getMessage()) for r in caplog.records]
    assert ("masons.protocol.my_engine", "> isready") in logged
    assert ("masons.protocol.my_engine", "< readyok") in logged


def test_an_engine_can_be_started_again(engine: Engine) -> None:
    first = engine.pid
    assert engine.quit()
    assert engine.pid is None
    with pytest.raises(MasonsError, match="is not running"):
        engine.ready()
    engine.start()
    assert engine.pid != first
    engine.ready()


def test_a_command_is_one_line_of_some_length(engine: Engine) -> None:
    for bad in ("x\nquit", "x\rquit", "y" * (1 << 20), "\ud800"):
        with pytest.raises(MasonsError, match="a command"):
            engine.position(bad)
    engine.ready()


# --- errors that an engine lives on after


@pytest.mark.parametrize("sync", [Engine.ready, Engine.go, Engine.evaluate])
def test_an_error_shows_at_the_next_answer(
    engine: Engine, sync: Callable[[Engine], object]
) -> None:
    engine.position("bad")
    with pytest.raises(ProtocolFault, match="no such position") as caught:
        sync(engine)
    assert (caught.value.code, caught.value.kind) == ("illegal", "protocol")
    engine.set_option("Nonsense", 3)
    with pytest.raises(ProtocolFault, match="Nonsense"):
        sync(engine)
    sync(engine)


def test_a_limit_that_the_protocol_lacks_is_refused() -> None:
    with Engine(command()) as engine:
        with pytest.raises(MasonsError, match="limits has rollouts=30, but no engine can be told"):
            engine.go(Limits(rollouts=30))
        engine.ready()  # nothing was sent
        with pytest.raises(MasonsError, match="no search is running"):
            engine.wait()


def test_an_endless_search_ignores_the_other_limits_of_time() -> None:
    limits = Limits(sims=4, movetime_ms=1, clock=(1, 1), inc=(1, 1), infinite=True)
    assert client_arguments.go_words(limits) == ["sims 4", "infinite"]
    with Engine(command(), timeouts=replace(PATIENT, grace=0.05)) as engine:
        engine.begin(Limits(movetime_ms=1, clock=(1, 1), infinite=True))
        engine.timeouts = PATIENT
        threading.Timer(0.3, engine.stop).start()
        assert engine.wait().move == "wall:0"


def test_an_error_frees_an_engine_that_searches(engine: Engine) -> None:
    engine.position("bad")
    engine.begin(Limits(infinite=True))
    with pytest.raises(ProtocolFault, match="no such position"):
        engine.wait()
    assert engine.go().move == "wall:0"


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["error", "error-no-id"])
def test_an_error_instead_of_a_move_is_not_waited_on(fault: str) -> None:
    patience = Timeouts(handshake=30, ready=30, grace=600)
    with Engine(command(fault), timeouts=patience) as engine:
        engine.new_game(2, 0)
        for _ in range(2):
            began = time.monotonic()
            with pytest.raises(ProtocolFault, match="nothing to search") as caught:
                engine.go()
            assert caught.value.code == "state"
            assert time.monotonic() - began < 60
            engine.ready()


# --- engines that do not live on


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "kind", "message"),
    thinned(
        [
            ("exit", EngineCrash, r"exit code 3; it said: out of luck \| for good"),
            ("signal", EngineCrash, "killed by SIGSEGV"),
            ("hush", EngineCrash, "closed its output but still runs"),
            ("stall", EngineStall, "no answer to go in time"),
            ("no-newline", EngineStall, "no answer to go in time"),
            ("flood", EngineStall, "no answer to go in time"),
            ("nonsense", ProtocolFault, "Thinking hard"),
            ("bad-info", ProtocolFault, "'many' is not a value of visits"),
            ("wrong-id", ProtocolFault, "no search has the id 99"),
            ("no-id", ProtocolFault, "the id is missing"),
            ("bytes", ProtocolFault, "not UTF-8"),
            ("endless", ProtocolFault, "a line of more than"),
            ("flood-other", ProtocolFault, "readyok"),
            ("no-move", ProtocolFault, "write bestmove MOVE"),
            ("huge-id", ProtocolFault, "no search has the id 1111"),
            ("huge-rank", ProtocolFault, "'99999' is not a value of multipv"),
            ("blanks", EngineStall, "no answer to go in time"),
        ],
        2,
    ),
)
def test_what_goes_wrong_is_told_apart(fault: str, kind: type[Exception], message: str) -> None:
    with Engine(command(fault), timeouts=BRIEF) as engine:
        pid = engine.pid
        assert pid is not None
        wait = 0.3 if kind is EngineStall else 30
        with pytest.raises(kind, match=message) as caught:
            engine.go(wait=wait)
        assert "code" not in vars(caught.value) or vars(caught.value)["code"] is None
        assert not engine.is_running
        assert gone(pid)
        engine.start()
        engine.ready()


@pytest.mark.slow
def test_silence_is_a_stall_and_somebody_is_told_before(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    patience = Timeouts(handshake=30, ready=30, silence=2)
    with Engine(command("never-ready"), name="Ann", timeouts=patience, tell=told.append) as engine:
        with monkeypatch.context() as patch:  # a start on a busy machine needs no notice
            patch.setattr(engine_process, "NOTICE_SECONDS", 0.2)
            with pytest.raises(EngineStall, match="no answer to isready in time: nothing for 2 s"):
                engine.ready()
        assert not engine.is_running
        (notice,) = told
        expected = "engine Ann has not answered isready for [01] s; it has [12] s left"
        assert re.fullmatch(expected, notice)
        engine.start()
        engine.begin(Limits(sims=1), wait=30)
        assert engine.wait().move == "wall:0"
        assert len(told) == 1


def test_the_clock_of_the_seat_limits_the_wait() -> None:
    patience = Timeouts(handshake=30, ready=30, grace=0.1)
    with Engine(command("stall"), timeouts=patience) as engine:
        engine.new_game(2, 1)
        with pytest.raises(EngineStall, match=r"no answer to go in time: 0\.4 s"):
            engine.go(Limits(clock=(100, 300)))


def test_a_wait_can_be_shortened_but_not_lengthened() -> None:
    waiting = Waiting("Ann", "go", 60, None, None)
    end = waiting.deadline
    waiting.shorten(90)
    assert waiting.deadline == end
    waiting.shorten(30)
    assert waiting.deadline < end


@pytest.mark.slow
def test_a_stop_that_is_not_heeded_is_a_stall() -> None:
    patience = Timeouts(handshake=30, search=600, silence=600, grace=0.3)
    with Engine(command("deaf-stop"), timeouts=patience) as engine:
        engine.begin(Limits(infinite=True))
        threading.Timer(0.3, engine.stop).start()
        began = time.monotonic()
        with pytest.raises(EngineStall, match="no answer to go"):
            engine.wait()
        assert time.monotonic() - began < 60


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (command("exit-at-once"), EngineCrash, "no such weights"),
        (command("mute"), EngineStall, "no answer to mei in time"),
        (command("version"), ProtocolFault, "speaks protocol 1"),
        (["/no/such/engine"], EngineCrash, "cannot be started"),
    ],
)
def test_a_failed_start(arguments: list[str], kind: type[Exception], message: str) -> None:
    patience = Timeouts(handshake=0.5 if kind is EngineStall else 30)
    engine = Engine(arguments, timeouts=patience)
    with pytest.raises(kind, match=message):
        engine.start()
    assert not engine.is_running


# --- the end


def run_script(code: str) -> subprocess.Popen[str]:
    """Run some Python that may start deaf engines, by `deaf(FILE)`."""
    head = (
        "import os, signal, subprocess, sys\n"
        "from masons.protocol.client.engine_client import Engine\n"
        "from masons.protocol.client.reaper import REAPER\n"
        f"def deaf(file): return Engine({command('deaf')!r} + [file]).start()\n"
    )
    words = [sys.executable, "-c", head + textwrap.dedent(code)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def pids_in(*files: Path) -> list[int]:
    """Return the ids of deaf engines and their children."""
    return [int(word) for file in files for word in file.read_text().split()]


@pytest.mark.slow
def test_quit_kills_what_does_not_end(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    engine = Engine(command("deaf", str(file)), timeouts=BRIEF).start()
    wait_for(file.exists)
    assert not engine.quit()
    wait_for(lambda: all(map(gone, pids_in(file))))


def test_engines_end_with_a_runner_that_is_killed(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    with run_script(f"deaf({str(file)!r}); print('up', flush=True); signal.pause()") as runner:
        assert runner.stdout is not None
        assert runner.stdout.readline() == "up\n"
        assert not any(map(gone, pids_in(file)))
        helpers = psutil.Process(runner.pid).children()
        runner.kill()
    wait_for(lambda: all(map(gone, [*pids_in(file), *(helper.pid for helper in helpers)])))


def test_ctrl_c_while_an_engine_starts_leaves_no_engine(tmp_path: Path) -> None:
    """It comes when the process is there and nobody has heard of it."""
    file = tmp_path / "pids"
    script = f"""
        start = subprocess.Popen.__init__
        def interrupted(process, *arguments, **options):
            start(process, *arguments, **options)
            while not os.path.exists({str(file)!r}) and "deaf" in arguments[0]:
                pass
            if "deaf" in arguments[0]:
                os.kill(os.getpid(), signal.SIGINT)
        subprocess.Popen.__init__ = interrupted
        try:
            deaf({str(file)!r})
        except KeyboardInterrupt:
            print("interrupted")
    """
    with run_script(script) as runner:
        assert runner.communicate() == ("interrupted\n", "")
    wait_for(lambda: all(map(gone, pids_in(file))))


def test_a_killed_helper_is_replaced(tmp_path: Path) -> None:
    """The new helper knows the engines that the old one knew."""
    first, second = tmp_path / "first", tmp_path / "second"
    script = f"""
        first = deaf({str(first)!r})
        REAPER._helper.kill()
        REAPER._helper.wait()
        second = deaf({str(second)!r})
        os.kill(os.getpid(), 9)
    """
    with run_script(script) as runner:
        runner.communicate()
    pids = pids_in(first, second)
    assert len(pids) == 4
    wait_for(lambda: all(map(gone, pids)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_that_lives_on_keeps_no_engine(tmp_path: Path) -> None:
    """It lets go of the pipe by which the helper hears of the end of its parent."""
    file = tmp_path / "pids"
    script = f"""
        first = deaf({str(file)!r})
        child = os.fork()
        if child:
            print(child, flush=True)
        signal.pause()
    """
    with run_script(script) as runner:
        assert runner.stdout is not None
        child = int(runner.stdout.readline())
        assert not any(map(gone, pids_in(file)))
        runner.kill()
    try:
        wait_for(lambda: all(map(gone, pids_in(file))))
        assert not gone(child)
    finally:
        os.kill(child, signal.SIGKILL)


# --- lines and the box they wait in


def test_infos_that_nobody_reads_do_not_pile_up() -> None:
    box = Inbox()
    for number in range(40):
        assert box.put(f"info string {number} " + "x" * (1 << 20))
    assert box.put("bestmove wall:0")
    seen = []
    while (line := box.get(time.monotonic())) is not None:
        seen.append(line)
    assert seen[-1] == "bestmove wall:0"
    assert sum(map(len, seen)) <= MAX_WAITING
    assert not seen[0].startswith("info string 0 ")
    while box.put("readyok" + "x" * (1 << 20)):
        seen.append("")
    assert len(seen) < 60


def test_only_as_many_infos_are_dropped_as_must_be() -> None:
    """Short lines count with the memory that each of them takes."""
    box, fitting = Inbox(), MAX_WAITING // (len("info") + LINE_COST)
    for _ in range(fitting + 1000):
        assert box.put("info")
    seen = 0
    while box.get(time.monotonic()) is not None:
        seen += 1
    assert seen == fitting


@pytest.mark.parametrize(
    "line",
    [
        "info visits", "info time 1.5", "info win a,b", "info se nan", "info score 1,",
        "info sims x",
        "option", "option type spin", "option name A B type check default true",
        "option name A type float default 1", "option name A type check default maybe",
        "option name A type spin default 9 max 3", "option name A type spin default 1 min x",
        "option name A type combo default a var b", "option name A name B type button",
        "option x name A type button", "option name A type spin default 1 min 0 min 1",
    ],
)  # fmt: skip
def test_bad_lines(line: str) -> None:
    with pytest.raises(ProtocolFault):
        (parse_info if line.startswith("info") else parse_option)(line)


def test_values_that_an_option_allows() -> None:
    spin = parse_option("option name A type spin default 0 min -2 max 2")
    allowed = [word for word in ("-2", "2", "-3", "3", "x", "") if allows(spin, word)]
    assert allowed == ["-2", "2"]
    text = parse_option("option name A type string default a var of min 3")
    assert text.default == "a var of min 3"


@pytest.mark.parametrize(
    ("line", "posix", "windows"),
    [
        ("python a.py", ["python", "a.py"], ["python", "a.py"]),
        ('"my engine" -x', ["my engine", "-x"], ["my engine", "-x"]),
        (r"C:\games\engine.exe -x", ["C:gamesengine.exe", "-x"], [r"C:\games\engine.exe", "-x"]),
        (r'"C:\my games\e.exe"', [r"C:\my games\e.exe"], [r"C:\my games\e.exe"]),
    ],
)
def test_command_lines_are_those_of_the_system(
    line: str, posix: list[str], windows: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:

    for is_windows, words in ((False, posix), (True, windows)):
        monkeypatch.setattr(client_arguments, "_WINDOWS", is_windows)
        assert client_arguments.command_words(line) == words
        for wrong in ("", "  ", '"open'):
            with pytest.raises(MasonsError, match="command line"):
                client_arguments.command_words(wrong)
