"""Steps of the compliance test about searches: limits, ids, stopping, what is busy, seeds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from masons.engine.plain_text import count
from masons.protocol.compliance.sample_games import Stage, opening, samples
from masons.protocol.compliance.steps_games import GAME_STEPS, SEED, legal_answer, placed, plain
from masons.protocol.compliance.trial import Check, NotOffered, TestedEngine, Trial, Unmet
from masons.protocol.messages.error_codes import ProtocolFault
from masons.protocol.messages.line_streams import MAX_LINE
from masons.protocol.messages.replies import Option, parse_option, shown

GONE_SECONDS: Final = 1.0  # in which a process must end
HANDSHAKE_MS: Final = 300


def check_handshake(lines: Sequence[str]) -> list[Option]:
    """The options that the answer to `mei` lists. Raises Unmet where it is not what it must be."""
    options: dict[str, Option] = {}
    for line in lines:
        if line.startswith("option"):
            try:
                option = parse_option(line)
            except ProtocolFault as error:
                raise Unmet(str(error)) from None
            if option.name.lower() in options:
                raise Unmet(f"two options are called {option.name}")
            options[option.name.lower()] = option
        elif line.split()[0] not in ("id", "protocol"):
            raise Unmet(f"{shown(line)} in the answer to mei")
    for wanted in ("protocol 1", "id name", "id version", "id author"):
        if not any(f"{line} ".startswith(f"{wanted} ") for line in lines):
            raise Unmet(f"no line {wanted}")
    return list(options.values())


def handshake(trial: Trial) -> str:
    """The first words."""
    engine = trial.process()
    lines = engine.hello()
    took = (time.monotonic() - engine.began) * 1000
    options = check_handshake(lines)
    name = next(line for line in lines if line.startswith("id name"))[8:]
    when = f"{took:.0f} ms after its start ({HANDSHAKE_MS} allowed)"
    return f"{shown(name)}, {count(len(options), 'option')}, {when}"


def is_ready(trial: Trial) -> str:
    """The engine gets ready."""
    began = time.monotonic()
    trial.shared()
    return f"{time.monotonic() - began:.1f} s after its start"


def lenient(trial: Trial) -> str:
    """Every form of line that an engine must accept."""
    engine = trial.process()
    engine.send_raw(b"\xef\xbb\xbf  # a comment, even with \xc3\xa9\r\n\r\n\n \t \nmei\t \r\n")
    check_handshake(engine.until("meiok", trial.timeouts.handshake))
    engine.send_raw(b"#isready\n\t# isready\r\n \tisready  \r\n")
    if said := engine.until("readyok", trial.timeouts.ready):
        raise Unmet(f"{shown(said[0])} for blanks and comments")
    engine.send_raw(b"newgame \t players  2 seat\t0 board classic \r\n")
    engine.accepts()
    return ""


def unknown_command(trial: Trial) -> str:
    """A command that there is not."""
    engine = trial.shared()
    engine.refuses("fly me to the moon", "unknown")
    engine.refuses("MEIOK", "unknown")
    return ""


def bad_options(trial: Trial) -> str:
    """Options and values that there are not."""
    engine = trial.process()
    options = check_handshake(engine.hello())
    engine.refuses("setoption name NoSuchOption value 1", "unknown")
    engine.refuses("setoption", "syntax", "unknown")
    tried = 0
    for option in options:
        wrong = ["many", "1.5"] if option.type == "spin" else []
        wrong += [] if option.high is None else [str(option.high + 1)]
        wrong += [] if option.low is None else [str(option.low - 1)]
        wrong += ["perhaps"] if option.type == "check" else []
        wrong += ["no-such-choice"] if option.type == "combo" else []
        for value in wrong:
            engine.refuses(f"setoption name {option.name} value {value}")
        tried += len(wrong)
    return f"{tried} values"


def defaults(trial: Trial) -> str:
    """Every option's own default."""
    engine = trial.process()
    options = [o for o in check_handshake(engine.hello()) if o.type != "button"]
    for option in options:
        for name in (option.name, option.name.swapcase()):
            value = f" value {option.default}" if option.default else ""
            engine.accepts(f"setoption name {name}{value}")
    return f"{len(options)} options"


def long_lines(trial: Trial) -> str:
    """The longest line, and one that is longer."""
    engine = trial.process()
    engine.hello()
    engine.send_raw(b"#" + b"x" * (MAX_LINE - 1) + b"\n")
    engine.accepts()
    for more in (MAX_LINE + 1, 3 * MAX_LINE + 7):
        engine.send_raw(b"isready " + b"x" * (more - 8) + b"\n")
        said = engine.sync()
        if len(said) != 1 or not said[0].startswith("error syntax"):
            raise Unmet(f"{shown(' / '.join(said)) if said else 'nothing'} for {more:,} bytes")
    return ""


def bad_bytes(trial: Trial) -> str:
    """Bytes that are no text."""
    engine = trial.process()
    engine.hello()
    for data in (b"isready \xff\xfe\n", b"\xc3\n", b"\xed\xa0\x80 mei\n"):
        engine.send_raw(data)
        said = engine.sync()
        if len(said) != 1 or not said[0].startswith("error"):
            raise Unmet(f"{shown(' / '.join(said)) if said else 'nothing'} for {data!r}")
    engine.send_raw(b"\x00\n")
    engine.sync()
    return ""


def debug(trial: Trial) -> str:
    """Debugging is for people, on standard error."""
    engine = trial.shared()
    if not engine.offers("debug on"):
        raise NotOffered("debug")
    engine.accepts("debug off")
    return ""


def _gone(engine: TestedEngine, how: str) -> str:
    if how == "quit":
        engine.send("quit")
    else:
        engine.end_input()
    began = time.monotonic()
    if not engine.is_gone(GONE_SECONDS):
        raise Unmet(f"it still runs after {GONE_SECONDS:g} s")
    return f"{(time.monotonic() - began) * 1000:.0f} ms"


def _greeted(trial: Trial) -> TestedEngine:
    engine = trial.process()
    engine.hello()
    return engine


def _searching_process(trial: Trial) -> TestedEngine:
    sample = samples()["wall"]
    engine = trial.ready()
    engine.accepts(sample.opening, f"position {sample.text}")
    engine.send("go infinite")
    engine.accepts()
    return engine


LINE_STEPS: Final[tuple[Check, ...]] = (
    Check("handshake", "mei", "id name, version, author, options, protocol 1; meiok", handshake),
    Check("ready", "isready", "readyok", is_ready),
    Check(
        "lenient reading", "CRLF, blanks, tabs, blank lines, comments, a byte order mark",
        "read like plain lines", lenient,
    ),
    Check("unknown command", "fly me to the moon", "error unknown", unknown_command),
    Check("bad option", "unknown names, values out of range", "an error each", bad_options),
    Check(
        "option defaults", "each option to its default, upper and lower case", "no answer", defaults
    ),
    Check(
        "long lines", "1 MiB, and more", "the first read, the others error syntax once", long_lines
    ),
    Check("bad bytes", "lines that are not UTF-8", "an error each", bad_bytes),
    Check("debug", "debug on, debug off", "nothing on standard output", debug),
    Check("quit", "quit", "gone within 1 s", lambda trial: _gone(trial.ready(), "quit")),
    Check("end of input", "the input ends", "gone within 1 s", lambda t: _gone(t.ready(), "end")),
    Check(
        "quit early", "quit right after the start", "gone within 1 s",
        lambda trial: _gone(_greeted(trial), "quit"),
    ),
    Check(
        "quit in a search", "go infinite, quit", "gone within 1 s",
        lambda trial: _gone(_searching_process(trial), "quit"),
    ),
    Check(
        "end in a search", "go infinite, the input ends", "gone within 1 s",
        lambda trial: _gone(_searching_process(trial), "end"),
    ),
)  # fmt: skip

# --- steps of the compliance test about searches

STOP_MS: Final = 50
MOVE_MS: Final = 200
CLOCK_MS: Final = 2000
_RANKS: Final = 3


def keeps_id(trial: Trial) -> str:
    """The id comes back, and none where there was none."""
    sample = samples()["wall"]
    engine = placed(trial, sample)
    for words, wanted in (("id a-7 sims 1", "a-7"), ("sims 1", ""), ("sims 1 id 12", "12")):
        _, name = engine.go(words)
        if name != wanted:
            raise Unmet(f"go {words}: bestmove with id {name!r}")
    return ""


def keeps_to_moves(trial: Trial) -> str:
    """Only some moves, or all but some."""
    sample = samples()["wall"]
    engine = placed(trial, sample)
    *others, last = sample.moves
    for words, allowed in (
        (f"moves {last} sims 1", {last}),
        (f"sims 1 avoid {' '.join(others)}", {last}),
        (f"moves {others[0]} {last} avoid {last} sims 1", {others[0]}),
        (f"moves {others[0]} {others[1]} sims 20", set(others[:2])),
    ):
        move, _ = engine.go(words)
        if move not in allowed:
            raise Unmet(f"{shown(move)} for go {shown(words)}")
    _keeps_reversed_cards(trial)
    engine = placed(trial, sample)
    engine.refuses("go id m moves wall:200 sims 1", "illegal", "syntax", name="m")
    engine.refuses("go id m avoid fly:1 sims 1", "illegal", "syntax", name="m")
    return ""


def _keeps_reversed_cards(trial: Trial) -> None:
    """Cards may be named in any order."""
    sample = samples()["score"]
    engine = placed(trial, sample)
    pair = next(move for move in sample.moves if "+" in move and len(set(_cards(move))) == 2)
    move, _ = engine.go(f"moves play:{'+'.join(reversed(_cards(pair)))} sims 1")
    if plain(move) != pair:
        raise Unmet(f"{shown(move)} where only {pair} was allowed, its cards in another order")


def _cards(move: str) -> list[str]:
    return move.partition(":")[2].split("+")


def ranks(trial: Trial) -> str:
    """Infos with several ranks."""
    sample = samples()["score"]
    engine = placed(trial, sample)
    best, _ = engine.go(f"sims 100 multipv {_RANKS}")
    last = {info.multipv: info for info in engine.infos if not info.string}
    if not last:
        return "no infos"
    for rank, info in last.items():
        if not 1 <= rank <= _RANKS or info.move not in sample.moves:
            raise Unmet(f"info of rank {rank} with move {shown(info.move)}")
        for name, seats in (("win", info.win), ("score", info.score)):
            if seats and len(seats) != sample.players:
                raise Unmet(f"{name} of {len(seats)} seats: there are {sample.players}")
    if 1 not in last:
        raise Unmet(f"infos of rank {min(last)} and no rank 1")
    if last[1].move != best:
        raise Unmet(f"bestmove {best}, but rank 1 is {last[1].move}")
    if len({info.move for info in last.values()}) != len(last):
        raise Unmet("two ranks have the same move")
    return f"{len(last)} ranks"


def movetime(trial: Trial) -> str:
    """A limit of time."""
    sample = samples()["wall"]
    engine = placed(trial, sample)
    began = time.monotonic()
    move, _ = engine.go(f"movetime {MOVE_MS}", MOVE_MS / 1000 + trial.timeouts.grace)
    if move not in sample.moves:
        raise Unmet(f"{shown(move)} is not legal")
    return f"{(time.monotonic() - began) * 1000:.0f} ms for {MOVE_MS}"


def clock(trial: Trial) -> str:
    """A clock."""
    sample = samples()["wall"]
    engine = placed(trial, sample)
    clocks = ",".join([str(CLOCK_MS)] * sample.players)
    increments = ",".join(["0"] * sample.players)
    began = time.monotonic()
    legal_answer(engine, sample, f"clock {clocks} inc {increments}")
    took = (time.monotonic() - began) * 1000
    if took > CLOCK_MS:
        raise Unmet(f"{took:.0f} ms with {CLOCK_MS} on the clock")
    return f"{took:.0f} ms with {CLOCK_MS} on the clock"


def wrong_state(trial: Trial) -> str:
    """Nothing to search."""
    sample = samples()["wall"]
    engine = trial.ready()
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
    while not stage.game.is_over:
        stage.advance()
    engine.accepts(f"position {stage.observe(other)}")
    engine.refuses("go id over sims 1", "state", name="over")
    return ""


def bad_go(trial: Trial) -> str:
    """Words that are wrong."""
    sample = samples()["wall"]
    engine = placed(trial, sample)
    for words in ("sims", "sims many", "fish", "movetime -5", "clock", "multipv x", "seed"):
        engine.refuses(f"go id q {words}", "syntax", name="q")
    return legal_answer(engine, sample)


# --- stopping


def _searching(trial: Trial, name: str) -> TestedEngine:
    """An engine that searches."""
    engine = placed(trial, samples()["wall"])
    engine.infos.clear()
    engine.send(f"go id {name} infinite")
    _still_searches(engine)
    return engine


def _still_searches(engine: TestedEngine) -> None:
    """The engine answers `isready` at once, and nothing else."""
    if said := engine.sync():
        raise Unmet(f"{shown(said[0])} during go infinite")


def _stopped(engine: TestedEngine, line: str, wanted: str) -> str:
    began = time.monotonic()
    engine.send(line)
    move, name = engine.bestmove(engine.timeouts.grace)
    took = (time.monotonic() - began) * 1000
    if name != wanted or move not in samples()["wall"].moves:
        raise Unmet(f"bestmove {shown(move)} id {shown(name)}")
    engine.accepts()
    return f"{took:.0f} ms ({STOP_MS} allowed)"


def stop(trial: Trial) -> str:
    """An endless search ends when it is asked to."""
    return _stopped(_searching(trial, "s1"), "stop", "s1")


def stop_by_id(trial: Trial) -> str:
    """The same, by its id."""
    return _stopped(_searching(trial, "s2"), "stop s2", "s2")


def stale_stop(trial: Trial) -> str:
    """A stop for another search, and one for none."""
    engine = _searching(trial, "new")
    engine.send("stop old")
    _still_searches(engine)
    _stopped(engine, "stop new", "new")
    engine.accepts("stop")
    engine.accepts("stop new")
    return ""


def busy(trial: Trial) -> str:
    """Commands that must wait for the end of a search."""
    sample = samples()["wall"]
    engine = _searching(trial, "b")
    engine.refuses("go id c sims 1", "busy", name="c")
    for line in (f"position {sample.text}", sample.opening, "event move 0 wall:1"):
        engine.refuses(line, "busy")
    engine.refuses("setoption name NoSuchOption value 1", "busy", "unknown")
    _still_searches(engine)
    return _stopped(engine, "stop", "b")


def ready_at_once(trial: Trial) -> str:
    """`isready` does not wait for the end of a search."""
    engine = _searching(trial, "r")
    for _ in range(20):
        _still_searches(engine)
    return _stopped(engine, "stop", "r")


def stop_bench(trial: Trial) -> str:
    """A measurement that is ended."""
    engine = trial.ready()
    engine.send("bench")
    engine.send("stop")
    said = engine.line()
    if said.startswith("error unknown"):
        raise NotOffered(said)
    if not said.startswith(("error state", "response bench signature ")):
        raise Unmet(shown(said))
    engine.accepts()
    return ""


# --- the same again


def seeds(trial: Trial) -> str:
    """With a seed and `sims`, the answer depends on nothing else."""
    sample = samples()["wall"]
    words = [f"seed {seed} sims 50" for seed in (1, 2, 3)]
    engine = placed(trial, sample)
    first = [engine.go(word)[0] for word in words]
    again = [engine.go(word)[0] for word in reversed(words)][::-1]
    new = trial.ready()
    new.accepts(sample.opening, f"position {sample.text}")
    later = [new.go(word)[0] for word in words]
    if not first == again == later:
        raise Unmet(f"{first}, then {again}, in another process {later}")
    return ""


SEARCH_STEPS: Final[tuple[Check, ...]] = (
    Check("id", "go with an id and without", "bestmove with the same", keeps_id),
    Check(
        "moves and avoid", "go with either and both", "kept; an error for others", keeps_to_moves
    ),
    Check("infos", f"go sims 100 multipv {_RANKS}", "sound infos, rank 1 is bestmove", ranks),
    Check("movetime", f"go movetime {MOVE_MS}", "bestmove in time", movetime),
    Check("clock", f"go clock {CLOCK_MS},... inc 0,...", "bestmove before it runs out", clock),
    Check("nothing to search", "go without a decision", "error state with the id", wrong_state),
    Check("bad go", "go with wrong words", "error syntax with the id", bad_go),
    Check("stop", "go infinite, stop", "bestmove then, not before", stop),
    Check("stop by id", "go id s2 infinite, stop s2", "bestmove then, not before", stop_by_id),
    Check("stale stop", "stop for another search, and for none", "nothing", stale_stop),
    Check("busy", "go, newgame, position, event during a search", "error busy", busy),
    Check("isready in a search", "go infinite, isready", "readyok at once", ready_at_once),
    Check("bench", "bench, stop", "error state, or the answer", stop_bench),
    Check("seeds", "go seed sims, again, in another process", "the same bestmove", seeds),
)

STEPS: Final = (*LINE_STEPS, *GAME_STEPS, *SEARCH_STEPS)
