"""The compliance test's steps about lines, options, searches, limits and stopping."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Final

from masons.engine.plain_text import count
from masons.protocol.compliance.sample_games import Stage, opening, samples
from masons.protocol.compliance.steps_games import (
    GAME_STEPS,
    SEED,
    check_legal_answer,
    placed,
    plain,
)
from masons.protocol.compliance.trial import NotOffered, Steps, TestedEngine, Trial, Unmet, expect
from masons.protocol.messages.line_streams import MAX_LINE
from masons.protocol.messages.replies import Option, parse_option, shown

LINE_STEPS: Final = Steps()
GONE_SECONDS: Final = 1.0  # the time allowed from `quit` to the end of the process
HANDSHAKE_MS: Final = 300


def check_handshake(lines: Sequence[str]) -> list[Option]:
    """Check the answer to `mei` and return the options in it. Raises Unmet."""
    options: dict[str, Option] = {}
    for line in lines:
        if line.startswith("option"):
            option = parse_option(line)
            is_new = option.name.lower() not in options
            expect(is_new, f"two options are called {option.name}")
            options[option.name.lower()] = option
        else:
            expect(line.split()[0] in ("id", "protocol"), f"{shown(line)} in the answer to mei")
    for wanted in ("protocol 1", "id name", "id version", "id author"):
        is_said = any(f"{line} ".startswith(f"{wanted} ") for line in lines)
        expect(is_said, f"no line {wanted}")
    return list(options.values())


def _ms_since(began: float) -> float:
    return (time.monotonic() - began) * 1000


@LINE_STEPS.add("handshake", "mei", "id name, version, author, options, protocol 1; meiok")
def _handshake(trial: Trial) -> str:
    engine = trial.process()
    lines = engine.hello()
    when = f"{_ms_since(engine.began):.0f} ms after its start ({HANDSHAKE_MS} allowed)"
    options = check_handshake(lines)
    name = next(line for line in lines if line.startswith("id name"))[8:]
    return f"{shown(name)}, {count(len(options), 'option')}, {when}"


@LINE_STEPS.add("ready", "isready", "readyok")
def _ready(trial: Trial) -> str:
    began = time.monotonic()
    trial.shared()
    return f"{time.monotonic() - began:.1f} s after its start"


@LINE_STEPS.add(
    "lenient reading", "CRLF, blanks, tabs, blank lines, comments, a byte order mark",
    "read like plain lines",
)  # fmt: skip
def _lenient(trial: Trial) -> None:
    engine = trial.process()
    send = engine.process.send_raw
    send(b"\xef\xbb\xbf  # a comment, even with \xc3\xa9\r\n\r\n\n \t \nmei\t \r\n")
    check_handshake(engine.until("meiok", engine.timeouts.handshake))
    send(b"#isready\n\t# isready\r\n \tisready  \r\n")
    if said := engine.until("readyok", engine.timeouts.ready):
        raise Unmet(f"{shown(said[0])} for blanks and comments")
    send(b"newgame \t players  2 seat\t0 board classic \r\n")
    engine.accepts()


@LINE_STEPS.add("unknown command", "fly me to the moon", "error unknown")
def _unknown_command(trial: Trial) -> None:
    engine = trial.shared()
    engine.refuses("fly me to the moon", "unknown")
    engine.refuses("MEIOK", "unknown")


@LINE_STEPS.add("bad option", "unknown names, values out of range", "an error for each")
def _bad_options(trial: Trial) -> str:
    engine = trial.process()
    options = check_handshake(engine.hello())
    engine.refuses("setoption name NoSuchOption value 1", "unknown")
    engine.refuses("setoption", "syntax", "unknown")
    words = {"spin": ["many", "1.5"], "check": ["perhaps"], "combo": ["no-such-choice"]}
    tried = 0
    for option in options:
        wrong = list(words.get(option.type, []))
        wrong += [] if option.high is None else [str(option.high + 1)]
        wrong += [] if option.low is None else [str(option.low - 1)]
        for value in wrong:
            engine.refuses(f"setoption name {option.name} value {value}")
        tried += len(wrong)
    return count(tried, "value")


@LINE_STEPS.add(
    "option defaults", "set each option to its default, in upper and lower case", "no answer"
)
def _defaults(trial: Trial) -> str:
    engine = trial.process()
    options = [o for o in check_handshake(engine.hello()) if o.type != "button"]
    for option in options:
        for name in (option.name, option.name.swapcase()):
            value = f" value {option.default}" if option.default else ""
            engine.accepts(f"setoption name {name}{value}")
    return count(len(options), "option")


@LINE_STEPS.add("long lines", "1 MiB, and more", "the first is read, error syntax for the others")
def _long_lines(trial: Trial) -> None:
    engine = trial.process()
    engine.hello()
    engine.process.send_raw(b"#" + b"x" * (MAX_LINE - 1) + b"\n")
    engine.accepts()
    for more in (MAX_LINE + 1, 3 * MAX_LINE + 7):
        line = b"isready " + b"x" * (more - 8) + b"\n"
        engine.refuses_bytes(line, f"{more:,} bytes", error="error syntax")


@LINE_STEPS.add("bad bytes", "lines that are not UTF-8", "an error for each")
def _bad_bytes(trial: Trial) -> None:
    engine = trial.process()
    engine.hello()
    for data in (b"isready \xff\xfe\n", b"\xc3\n", b"\xed\xa0\x80 mei\n"):
        engine.refuses_bytes(data, repr(data))
    engine.process.send_raw(b"\x00\n")
    engine.sync()


@LINE_STEPS.add("debug", "debug on, debug off", "nothing on standard output")
def _debug(trial: Trial) -> None:
    engine = trial.shared()
    if not engine.offers("debug on"):
        raise NotOffered("debug")
    engine.accepts("debug off")


def _quit(trial: Trial, state: str, how: str) -> str:
    """Check that a process in a given state ends in time; return the time that it took.

    `state` is "ready", "greeted" (only the handshake is done) or "searching". If `how` is "quit",
    send `quit`; otherwise close the process's input.
    """
    engine = trial.process() if state == "greeted" else trial.ready()
    if state == "greeted":
        engine.hello()
    elif state == "searching":
        sample = samples()["wall"]
        engine.accepts(sample.opening, f"position {sample.text}")
        engine.send("go infinite")
        engine.accepts()
    if how == "quit":
        engine.send("quit")
    else:
        engine.process.close_input()
    began = time.monotonic()
    is_gone = engine.process.has_ended(GONE_SECONDS)
    expect(is_gone, f"it still runs after {GONE_SECONDS:g} s")
    return f"{_ms_since(began):.0f} ms"


for _name, _done, _state, _how in (
    ("quit", "quit", "ready", "quit"),
    ("end of input", "the input ends", "ready", "end"),
    ("quit early", "quit right after the start", "greeted", "quit"),
    ("quit in a search", "go infinite, quit", "searching", "quit"),
    ("end in a search", "go infinite, the input ends", "searching", "end"),
):
    LINE_STEPS.add(_name, _done, "gone within 1 s")(partial(_quit, state=_state, how=_how))


# --- searches

SEARCH_STEPS: Final = Steps()
STOP_MS: Final = 50
MOVE_MS: Final = 200
CLOCK_MS: Final = 2000
_RANKS: Final = 3


@SEARCH_STEPS.add("id", "go with and without an id", "bestmove with the same id, or none")
def _id(trial: Trial) -> None:
    engine, _ = placed(trial)
    for words, wanted in (("id a-7 sims 1", "a-7"), ("sims 1", ""), ("sims 1 id 12", "12")):
        _, name = engine.go(words)
        expect(name == wanted, f"go {words}: bestmove with id {name!r}")


@SEARCH_STEPS.add(
    "moves and avoid", "go with either and both", "an allowed move; an error if illegal"
)
def _moves_and_avoid(trial: Trial) -> None:
    engine, sample = placed(trial)
    *others, last = sample.moves
    for words, allowed in (
        (f"moves {last} sims 1", {last}),
        (f"sims 1 avoid {' '.join(others)}", {last}),
        (f"moves {others[0]} {last} avoid {last} sims 1", {others[0]}),
        (f"moves {others[0]} {others[1]} sims 20", set(others[:2])),
    ):
        move, _ = engine.go(words)
        expect(move in allowed, f"{shown(move)} for go {shown(words)}")
    _check_reversed_cards(trial)
    engine, _ = placed(trial)
    engine.refuses("go id m moves wall:200 sims 1", "illegal", "syntax", name="m")
    engine.refuses("go id m avoid fly:1 sims 1", "illegal", "syntax", name="m")


def _check_reversed_cards(trial: Trial) -> None:
    """Check that cards may be named in any order."""
    engine, sample = placed(trial, "score")
    pairs = {move: move.partition(":")[2].split("+") for move in sample.moves if "+" in move}
    pair = next(move for move, cards in pairs.items() if len(set(cards)) == 2)
    move, _ = engine.go(f"moves play:{'+'.join(reversed(pairs[pair]))} sims 1")
    said = f"{shown(move)} though only {pair}, its cards in another order, was allowed"
    expect(plain(move) == pair, said)


@SEARCH_STEPS.add("infos", f"go sims 100 multipv {_RANKS}", "sound infos, rank 1 is bestmove")
def _infos(trial: Trial) -> str:
    engine, sample = placed(trial, "score")
    best, _ = engine.go(f"sims 100 multipv {_RANKS}")
    last = {info.multipv: info for info in engine.infos if not info.string}
    if not last:
        return "no infos"
    for rank, info in last.items():
        is_sound = 1 <= rank <= _RANKS and info.move in sample.moves
        expect(is_sound, f"info of rank {rank} with move {shown(info.move)}")
        for name, seats in (("win", info.win), ("score", info.score)):
            said = f"{name} of {len(seats)} seats: there are {sample.players}"
            expect(len(seats) in (0, sample.players), said)
    expect(1 in last, f"infos of rank {min(last)} and no rank 1")
    expect(last[1].move == best, f"bestmove {best}, but rank 1 is {last[1].move}")
    is_once = len({info.move for info in last.values()}) == len(last)
    expect(is_once, "two ranks have the same move")
    return f"{len(last)} ranks"


@SEARCH_STEPS.add("movetime", f"go movetime {MOVE_MS}", "bestmove in time")
def _movetime(trial: Trial) -> str:
    engine, sample = placed(trial)
    began = time.monotonic()
    move, _ = engine.go(f"movetime {MOVE_MS}", MOVE_MS / 1000 + engine.timeouts.grace)
    expect(move in sample.moves, f"{shown(move)} is not legal")
    return f"{_ms_since(began):.0f} ms for {MOVE_MS}"


@SEARCH_STEPS.add("clock", f"go clock {CLOCK_MS},... inc 0,...", "bestmove before the time is up")
def _clock(trial: Trial) -> str:
    engine, sample = placed(trial)
    clocks, increments = (",".join([ms] * sample.players) for ms in (str(CLOCK_MS), "0"))
    began = time.monotonic()
    check_legal_answer(engine, sample, f"clock {clocks} inc {increments}")
    took = _ms_since(began)
    said = f"{took:.0f} ms with {CLOCK_MS} on the clock"
    expect(took <= CLOCK_MS, said)
    return said


@SEARCH_STEPS.add("nothing to search", "go without a decision", "error state with the id")
def _nothing_to_search(trial: Trial) -> None:
    engine, sample = trial.ready(), samples()["wall"]
    engine.refuses("go id x sims 1", "state", name="x")
    engine.accepts(sample.opening)
    engine.refuses("go id y sims 1", "state", name="y")
    other = (sample.seat + 1) % sample.players
    stage = Stage(sample.players, SEED)
    engine.accepts(opening(sample.players, other), f"position {stage.observe(other)}")
    if stage.game.seat == other:
        stage.advance()
    engine.accepts(f"position {stage.observe(other)}")
    if stage.game.seat != other:
        engine.refuses("go id z sims 1", "state", name="z")
    stage.finish()
    engine.accepts(f"position {stage.observe(other)}")
    engine.refuses("go id over sims 1", "state", name="over")


@SEARCH_STEPS.add("bad go", "go with wrong words", "error syntax with the id")
def _bad_go(trial: Trial) -> None:
    engine, sample = placed(trial)
    for words in ("sims", "sims many", "fish", "movetime -5", "clock", "multipv x", "seed"):
        engine.refuses(f"go id q {words}", "syntax", name="q")
    check_legal_answer(engine, sample)


# --- stopping


def _searching(trial: Trial, name: str) -> TestedEngine:
    """Start an infinite search with the id `name` and return the engine."""
    engine, _ = placed(trial)
    engine.infos.clear()
    engine.send(f"go id {name} infinite")
    _check_searches(engine)
    return engine


def _check_searches(engine: TestedEngine) -> None:
    """Check that the engine answers `isready` during a search, and sends nothing else."""
    if said := engine.sync():
        raise Unmet(f"{shown(said[0])} during go infinite")


def _stopped(engine: TestedEngine, line: str, wanted: str) -> str:
    began = time.monotonic()
    engine.send(line)
    move, name = engine.bestmove(engine.timeouts.grace)
    took = _ms_since(began)
    is_right = name == wanted and move in samples()["wall"].moves
    expect(is_right, f"bestmove {shown(move)} id {shown(name)}")
    engine.accepts()
    return f"{took:.0f} ms ({STOP_MS} allowed)"


@SEARCH_STEPS.add("stop", "go infinite, stop", "bestmove after stop, not before")
def _stop(trial: Trial) -> str:
    return _stopped(_searching(trial, "s1"), "stop", "s1")


@SEARCH_STEPS.add("stop by id", "go id s2 infinite, stop s2", "bestmove after stop, not before")
def _stop_by_id(trial: Trial) -> str:
    return _stopped(_searching(trial, "s2"), "stop s2", "s2")


@SEARCH_STEPS.add("stale stop", "stop for another search, and without one", "no answer")
def _stale_stop(trial: Trial) -> None:
    engine = _searching(trial, "new")
    engine.send("stop old")
    _check_searches(engine)
    _stopped(engine, "stop new", "new")
    engine.accepts("stop")
    engine.accepts("stop new")


@SEARCH_STEPS.add("busy", "go, newgame, position, event during a search", "error busy")
def _busy(trial: Trial) -> str:
    engine, sample = _searching(trial, "b"), samples()["wall"]
    engine.refuses("go id c sims 1", "busy", name="c")
    for line in (f"position {sample.text}", sample.opening, "event move 0 wall:1"):
        engine.refuses(line, "busy")
    engine.refuses("setoption name NoSuchOption value 1", "busy", "unknown")
    _check_searches(engine)
    return _stopped(engine, "stop", "b")


@SEARCH_STEPS.add("isready in a search", "go infinite, isready", "readyok at once")
def _ready_at_once(trial: Trial) -> str:
    engine = _searching(trial, "r")
    for _ in range(20):
        _check_searches(engine)
    return _stopped(engine, "stop", "r")


@SEARCH_STEPS.add("bench", "bench, stop", "error state, or the answer")
def _bench(trial: Trial) -> None:
    engine = trial.ready()
    engine.send("bench", "stop")
    said = engine.line()
    if said.startswith("error unknown"):
        raise NotOffered(said)
    expect(said.startswith(("error state", "response bench signature ")), shown(said))
    engine.accepts()


@SEARCH_STEPS.add("seeds", "the same go again, and in another process", "the same bestmove")
def _seeds(trial: Trial) -> None:
    engine, sample = placed(trial)
    words = [f"seed {seed} sims 50" for seed in (1, 2, 3)]
    first = [engine.go(word)[0] for word in words]
    again = [engine.go(word)[0] for word in reversed(words)][::-1]
    new = trial.ready()
    new.accepts(sample.opening, f"position {sample.text}")
    later = [new.go(word)[0] for word in words]
    expect(first == again == later, f"{first}, then {again}, in another process {later}")


STEPS: Final = (*LINE_STEPS, *GAME_STEPS, *SEARCH_STEPS)
