"""Steps of the compliance test about lines, options and the end of the process."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from masons.engine.plain_words import count
from masons.protocol.compliance.compliance_step import Step, Trial
from masons.protocol.compliance.sample_games import samples
from masons.protocol.compliance.tested_engine import NotOffered, TestedEngine, Unmet
from masons.protocol.messages.engine_faults import ProtocolFault
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


def _searching(trial: Trial) -> TestedEngine:
    sample = samples()["wall"]
    engine = trial.ready()
    engine.accepts(sample.opening, f"position {sample.text}")
    engine.send("go infinite")
    engine.accepts()
    return engine


STEPS: Final[tuple[Step, ...]] = (
    Step("handshake", "mei", "id name, version, author, options, protocol 1; meiok", handshake),
    Step("ready", "isready", "readyok", is_ready),
    Step(
        "lenient reading", "CRLF, blanks, tabs, blank lines, comments, a byte order mark",
        "read like plain lines", lenient,
    ),
    Step("unknown command", "fly me to the moon", "error unknown", unknown_command),
    Step("bad option", "unknown names, values out of range", "an error each", bad_options),
    Step(
        "option defaults", "each option to its default, upper and lower case", "no answer", defaults
    ),
    Step(
        "long lines", "1 MiB, and more", "the first read, the others error syntax once", long_lines
    ),
    Step("bad bytes", "lines that are not UTF-8", "an error each", bad_bytes),
    Step("debug", "debug on, debug off", "nothing on standard output", debug),
    Step("quit", "quit", "gone within 1 s", lambda trial: _gone(trial.ready(), "quit")),
    Step("end of input", "the input ends", "gone within 1 s", lambda t: _gone(t.ready(), "end")),
    Step(
        "quit early", "quit right after the start", "gone within 1 s",
        lambda trial: _gone(_greeted(trial), "quit"),
    ),
    Step(
        "quit in a search", "go infinite, quit", "gone within 1 s",
        lambda trial: _gone(_searching(trial), "quit"),
    ),
    Step(
        "end in a search", "go infinite, the input ends", "gone within 1 s",
        lambda trial: _gone(_searching(trial), "end"),
    ),
)  # fmt: skip
