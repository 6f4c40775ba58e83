"""Sessions cut short: errors only, and nothing changed. Random lines are in `tests/fuzz/`.

Some thousand lines by default; the full run, a hundred thousand (some minutes):

    MASONS_FUZZ=100000 python -m pytest tests/protocol/test_protocol_fuzz.py
"""

from __future__ import annotations

import io
import os
import random
from itertools import islice

import pytest

from masons.engine.formats.position_text import format_position
from masons.protocol.messages.line_streams import read_lines
from masons.protocol.messages.seat_events import format_event
from masons.protocol.server.command_loop import Server
from tests.support.playing import new_game, steps
from tests.support.sessions import TRANSCRIPTS, WAIT, Process, parts
from tests.support.thinned import thinned

CASES = int(os.environ.get("MASONS_FUZZ", "3000"))
TALK = """
mei isready setoption newgame position event go stop query eval belief gameover debug move roll draw
id movetime sims infinite clock inc multipv moves avoid seed name value players seat board classic
options early_roll Seed legal view svg 0 1 2 3 -1 99999999999999999999 ? , / : = + * # wall:57
play:cities abstain:cities swap:none final:pass merge:none towers:20=white white/red/? -/red/red
cities land-red masons1 phase=wall hands=?6/?6 on off none
"""
WORDS = TALK.split()
LETTERS = "0123456789,;:=+/*?-. \tabé\x00\x7f\u2028😀#"
# What would take long, or leave a thread behind.
LONG = ("go", "eval", "bench", "perft")


class Talk:
    """An engine in this process, and what it says to a line."""

    def __init__(self, player: str = "random") -> None:
        self._sink = io.BytesIO()
        self._server = Server(io.BytesIO(), self._sink, player=player, version="0")

    def say(self, data: bytes) -> list[str]:
        """Return the answers to some lines; a search that they start is stopped."""
        for line in read_lines(io.BytesIO(data)):
            self._server._take(line)
        if self._server._jobs.is_busy:
            self._server._take("stop")
        self._server._jobs.join(WAIT)
        assert not self._server._jobs.is_busy, f"still busy after {data!r}"
        lines = self._sink.getvalue().decode().splitlines()
        self._sink.seek(0)
        self._sink.truncate()
        return lines


def sensible_lines() -> list[str]:
    """Lines of the recorded sessions and of a game."""
    lines = [text for path in sorted(TRANSCRIPTS.glob("*.txt")) for mark, text in parts(path)[1]
             if mark == ">"]  # fmt: skip
    game = new_game(3, 8)
    for step in steps(game, random.Random(8)):
        lines.append(f"event {format_event(step, 1)}")
        lines.append(f"position {format_position(game.view(1), game.board)}")
    return lines


def mutated(line: str, rng: random.Random) -> str:
    """A line with some of it changed, left out, doubled or put elsewhere."""
    for _ in range(rng.randint(1, 3)):
        at, end = sorted(rng.randint(0, len(line)) for _ in range(2))
        end = min(end, at + rng.choice((1, 1, 3, 20, 500)))
        line = rng.choice((
            line[:at] + line[end:],
            line[:at] + rng.choice(LETTERS) + line[end:],
            line[:at] + f" {rng.choice(WORDS)} " + line[end:],
            line[:at] + line[at:end] * 2 + line[end:],
            line[end:] + line[:at],
        ))  # fmt: skip
    return line


@pytest.mark.slow
def test_a_session_may_be_cut_short_at_every_byte() -> None:
    """The rest of a line is a line: it is carried out, or refused and nothing is changed."""
    talk = Talk()
    lines = [line.encode() for line in sensible_lines() if line.split()[0] not in LONG]
    cuts = ((data, length) for data in lines for length in range(len(data) + 1))
    for data, length in islice(cuts, CASES):
        if length == len(data):
            talk.say(data)
            continue
        before = talk.say(b"query view\n")
        said = talk.say(data[:length])
        assert not any(answer.startswith("error internal") for answer in said), data[:length]
        after = talk.say(b"debug off\nquery view\n")
        if any(answer.startswith("error ") for answer in said):
            assert after == before, data[:length]
        elif after != before and before[0].startswith("response view "):
            talk.say(before[0].replace("response view", "position").encode())


@pytest.mark.slow
@pytest.mark.parametrize("share", thinned([0.1, 0.35, 0.6, 0.8, 0.99], 2))
def test_a_process_whose_input_is_cut_short_ends_in_order(share: float) -> None:
    lines = [text for mark, text in parts(TRANSCRIPTS / "queries.txt")[1] if mark == ">"]
    data = "\n".join(lines).encode()
    with Process("--player", "random") as process:
        process.send_bytes(data[: int(share * len(data))])
        process.end_input()
        assert process.process.wait(WAIT) == 0
        assert process.process.stderr is not None
        assert process.process.stderr.read() == b""
