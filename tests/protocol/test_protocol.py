"""The engine's side of the protocol, through real processes; recorded sessions stand beside it."""

from __future__ import annotations

import io
import os
import random
import signal
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from masons.ai.search.limits import MAX_SIMS
from masons.engine.board.geometry import load_board
from masons.engine.formats.position_text import format_position, parse_position
from masons.engine.game.game import Game
from masons.protocol.messages.error_codes import Refused
from masons.protocol.messages.seat_events import Drew, format_event, parse_event
from masons.protocol.server.command_loop import Server
from masons.protocol.server.parsed_commands import MAX_GO_MS, SEARCH, EngineSettings, parse_go
from tests.support.commands import process
from tests.support.paths import DOCS
from tests.support.playing import BOARDS, new_game, steps
from tests.support.sessions import TRANSCRIPTS, WAIT, Process, masked, parts
from tests.support.thinned import thinned

# Two cities of one space each, at the end of a game.
TWO_CITIES = (
    "masons1 board=rhombus-2 players=2 turn=5 active=1 phase=final end=no-line scores=0,8 "
    "hands=city-towers+land-blue+land-region-1+land-region-3+land-towers-black+land-walls+cities"
    "+cities/city-size-2+land-rose+land-towers-white+land-towers-black "
    "discard=city-size-1+city-towers-gray+city-palaces+city-red+city-rose+city-green+land-red"
    "+land-green+land-green+land-blue+land-region-3+land-towers-white+land-towers-gray+land-walls "
    "walls=0,1,2,3,4 towers=white:1;gray:0,2;black:3 "
    "houses=red:0,1;rose:0;yellow:0;green:1;blue:1"
)
# A hand of 25 cards, which can be swapped in four million ways.
LARGE_SWAP = (
    "masons1 board=classic players=2 turn=42 active=0 phase=swap queue=0 scores=0,55 "
    "hands=city-size-7+city-towers-white+city-towers-white+city-towers-gray+city-red+city-rose+"
    "city-rose+city-yellow+city-yellow+city-green+city-blue+city-blue+city-towers+land-red+"
    "land-yellow+land-green+land-blue+land-region-1+land-region-1+land-region-2+land-towers+"
    "land-towers+land-shore+land-shore+land-walls/?6 discard=city-size-1+city-size-1+"
    "city-towers-black+city-towers-black+city-palaces+land-rose+land-blue+land-region-2+"
    "land-region-3+land-region-3+land-towers-gray+cities+cities walls=1,2,6,7,9,10,11,12,16,21,"
    "23,25,30,31,33,36,51,53,54,69,70,74,83,90,92,93,94,98,110,113,163 towers=white:2,4,8,12,18,"
    "19,37,40,66;gray:7,9,20,25,26,30,34,35,41,59;black:0,3,5,10,11,15,32,33,42 houses=red:0,3,4,"
    "7*2,21,35,43,52,73,103;rose:7*3,14,17,21,23,34,44*2,58,62;yellow:0,1,4,6,7,18,44,47;green:0,"
    "4*3,6*2,7*2,31,44,56,58;blue:0,4,7,10,44,48,58,71 palaces=red:6,44*2;rose:6*2,44;yellow:21,"
    "44;green:6,44*2;blue:6,21,44"
)
SESSIONS = sorted(TRANSCRIPTS.glob("*.txt"))
OPENING = (
    "position masons1 board=classic players=2 active=0 phase=wall "
    "hands=city-red+city-rose+land-red+land-blue+land-shore+cities/?6"
)


@pytest.mark.slow
@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_recorded_sessions(path: Path) -> None:
    options, lines = parts(path)
    with Process(*options) as engine:
        for mark, text in lines:
            if mark == ">":
                engine.send(text)
            else:
                assert next_answer(engine, text) == text
        assert engine.answer() is None
        assert engine.process.wait(WAIT) == 0


def next_answer(engine: Process, expected: str) -> str | None:
    """The next answer, without the reports that only a slow machine makes on the way."""
    while True:
        answer = engine.answer()
        if answer is None or "sims" not in expected.split()[:5]:
            return answer and masked(answer)
        if answer.split()[3:5] == expected.split()[3:5]:
            return masked(answer)


def test_the_page_shows_the_recorded_example() -> None:
    page = (DOCS / "protocol.md").read_text()
    shown = page.partition("<!-- session: tests/support/transcripts/example.txt -->")[2]
    shown = shown.partition("<!-- end -->")[0].strip().removeprefix("```text\n")
    _, lines = parts(TRANSCRIPTS / "example.txt")
    assert shown.removesuffix("\n```") == "\n".join(f"{mark} {text}" for mark, text in lines)


# --- transport


def test_no_answer_repeats_what_steers_a_terminal() -> None:
    with Process("--player", "random") as engine:
        for ident in ("a\x1b[2Jb", "\x07", "a\u202eb", "\x9b", "x" * 65):
            engine.send(f"go id {ident} sims 1")
            refused = "error syntax id needs a word of at most 64 printable characters"
            assert engine.answer() == refused
        for line in ("go id b\x1b sims 0", "stop \x1b", "belief \x1b", "query \x1b", "event \x1b",
                     "perft \x1b", "gameover \x1b", "setoption name Seed value \x1b"):  # fmt: skip
            engine.send(line, "isready")
            assert all(answer.isprintable() for answer in engine.until("readyok"))
        engine.send("go id é٣😀 sims 1")
        answer = engine.answer()
        assert answer is not None
        assert answer.startswith("error state id é٣😀 ")


def test_only_blanks_and_tabs_are_blank() -> None:
    lines = ("\u2028", " \u00a0 ", "isready\u2003", "\x0b", "go\x85sims 5", "\r isready")
    asked = " \t \n\r\n# a\u2028comment\n" + "\n".join(lines) + "\n"
    faults = process("protocol", text=asked).stdout.splitlines()
    ends = ("U+2028", "U+00A0", "U+2003", "U+000B", "U+0085", "U+000D")
    assert faults == [f"error syntax {end} does not separate words: use blanks" for end in ends]


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of another process")
@pytest.mark.slow
def test_more_memory_than_there_is_is_an_error_and_the_engine_lives_on() -> None:
    resource: Any = pytest.importorskip("resource")
    what = "not enough memory: lower the option Memory"
    with Process("--player", "ismcts") as engine:
        assert engine.ask() == []
        resource.prlimit(engine.process.pid, resource.RLIMIT_AS, (4 << 30,) * 2)
        engine.send("setoption name Memory value 16384", OPENING, "isready")
        (answer,) = engine.until("error")
        assert answer == f"error internal the engine could not be prepared: {what}"
        engine.send("go id a sims 100")
        assert engine.until("error", "bestmove")[-1] == f"error internal id a {what}"
        engine.send("setoption name Memory value 64", "setoption name Threads value 16")
        engine.send("go id b sims 100")
        assert engine.until("error", "bestmove")[-1].endswith(" id b")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices are no files there")
@pytest.mark.slow
def test_a_board_is_read_from_a_regular_file_only(tmp_path: Path) -> None:
    """Nobody may ever write to a pipe, and standard input is the protocol's."""
    os.mkfifo(tmp_path / "pipe")
    with Process() as engine:
        for path in (tmp_path / "pipe", tmp_path, "/dev/zero", "/dev/stdin", "/proc/self/fd/0"):
            (answer,) = engine.ask(f"newgame players 2 seat 0 board {path}")
            assert answer == f"error illegal {path} is not a regular file: name one that is"
        (answer,) = engine.ask(f"newgame players 2 seat 0 board {tmp_path}/pipe\0\x1b")
        assert answer.startswith("error illegal cannot read board file")
        assert answer.isprintable()


def test_memory_holds_at_least_one_mebibyte_for_each_thread() -> None:
    settings = EngineSettings(SEARCH)
    settings.set("Threads", "2")
    settings.set("Memory", "2")
    for name, value in (("Memory", "1"), ("Threads", "3")):
        with pytest.raises(Refused, match="Memory must be 1 MiB or more for each of the Threads"):
            settings.set(name, value)


# --- the end


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "ends"),
    thinned(
        product(
            [[], ["mei"], ["isready"], [OPENING, "go infinite id x"]],
            ["input", "half a line", "quit"],
        ),
        5,
    ),
)
def test_quit_and_the_end_of_input_end_the_process(before: list[str], ends: str) -> None:
    with Process() as engine:
        engine.send(*before)
        if before[-1:] == ["isready"]:
            assert engine.answer() == "readyok"
        if "infinite" in " ".join(before):
            engine.until("info")
        if ends == "quit":
            engine.send("quit")
        else:
            engine.send_bytes(OPENING[:50].encode() if ends == "half a line" else b"")
            engine.end_input()
        assert engine.process.wait(WAIT) == 0
        assert engine.process.stderr is not None
        assert engine.process.stderr.read() == b""
        if "infinite" in " ".join(before):
            assert engine.until("bestmove")[-1].endswith(" id x")


@pytest.mark.slow
def test_ctrl_c_ends_it_with_a_word() -> None:
    with Process("--player", "random") as engine:
        engine.send("isready")
        assert engine.answer() == "readyok"
        engine.process.send_signal(signal.SIGINT)
        _, messages = engine.process.communicate(timeout=WAIT)
        assert (engine.process.returncode, messages) == (130, b"interrupted\n")


# --- searching


@pytest.mark.slow
def test_a_search_follows_its_seed_and_its_moves() -> None:
    with Process() as engine:
        engine.send(OPENING)
        said = []
        for seed in (4, 4, 5):
            moves = "moves wall:3 wall:7 wall:12 avoid wall:7"
            engine.send(f"go sims 500 seed {seed} multipv 9 {moves}")
            said.append([masked(line) for line in engine.until("bestmove")])
        assert said[0] == said[1] != said[2]
        named = {line.split(" move ")[1].split()[0] for line in said[0][:-1]}
        assert named == {"wall:3", "wall:12"}


@pytest.mark.slow
@pytest.mark.parametrize("player", thinned(["default", "ismcts", "greedy"], 2))
def test_a_city_of_the_same_total_may_be_named(player: str) -> None:
    """In the final scoring, for `moves` and for `avoid`, as by `event`."""
    board = BOARDS / "rhombus-2.json"
    game = Game.from_position(TWO_CITIES, board=load_board(str(board)))
    assert "final:1/city-size-2" not in map(str, game.legal_moves())
    with Process("--player", player) as engine:
        engine.send(f"newgame players 2 seat 1 board {board}", f"position {game.text}")
        engine.send("go sims 50 moves final:1/city-size-2")
        assert engine.until("bestmove")[-1] == "bestmove final:0/city-size-2"  # the listed name
        engine.send("go sims 50 multipv 9 moves final:1/city-size-2 final:0/city-size-2 final:pass")
        ranked = [line.split(" move ")[1].split()[0] for line in engine.until("bestmove")[:-1]]
        assert len(ranked) == len(set(ranked)) <= 2
        for city, other in ((0, 1), (1, 0)):
            left = f"final:{city}/city-size-2"
            engine.send(f"go sims 50 moves {left} avoid final:{other}/city-size-2")
            assert engine.answer() == "error illegal moves and avoid leave no move to search"
        engine.send(f"go sims 50 moves {left} final:pass avoid final:0/city-size-2")
        assert engine.until("bestmove")[-1] == "bestmove final:pass"
        engine.send("go sims 50 avoid final:1/city-size-2+land-rose")
        assert engine.until("bestmove")[-1] != "bestmove final:0/city-size-2+land-rose"
        for wrong, said in (
            ("final:2/city-size-2", "'2' is not a city: write its number, from 0 to 1"),
            ("final:none/city-size-2", "seat 1 has a final decision"),
            ("final:1/land-red", "seat 1 holds no land-red"),
        ):
            engine.send(f"go sims 50 moves {wrong}")
            assert engine.answer() == f"error illegal {wrong} is not legal now: {said}"
            assert engine.ask(f"query legal final:pass {wrong}") == [
                f"error illegal {wrong} is not legal now: {said}"
            ]
        assert engine.ask("query legal final:1/land-rose+city-size-2 final:pass") == [
            "response legal final:0/city-size-2+land-rose final:pass"
        ]
        (syntax,) = engine.ask("query legal fly:1")
        assert syntax.startswith("error syntax legal: 'fly:1' is not a move")
        assert engine.ask("query tomove final:pass")[0].startswith("error unknown no query")
        engine.send("event move 1 final:1/city-size-2")
        game.apply("final:1/city-size-2")
        scores = ",".join(map(str, game.scores))
        assert engine.ask("query scores") == [f"response scores {scores}"]


@pytest.mark.parametrize("options", [("--player", "random"), (), ("--option", "Method=ismcts")])
def test_a_swap_of_a_large_hand_can_be_avoided(options: tuple[str, ...]) -> None:
    """Its swaps are not listed for that."""
    with Process(*options) as engine:
        engine.send(f"position {LARGE_SWAP}")
        engine.send("go id a infinite avoid swap:none swap:land-walls+land-red", "isready", "stop")
        said = engine.until("bestmove", "error")
        assert "readyok" in said
        assert engine.ask("query legal swap:land-walls+land-red swap:none") == [
            "response legal swap:land-red+land-walls swap:none"
        ]
        move = said[-1].removeprefix("bestmove ").removesuffix(" id a")
        assert move not in ("swap:none", "swap:land-red+land-walls")
        assert move.startswith("swap:")
        engine.send("go sims 9 moves swap:none swap:city-red avoid swap:city-red")
        assert engine.until("bestmove", "error")[-1] == "bestmove swap:none"
        engine.send("go sims 9 avoid swap:cities")
        said = engine.until("bestmove", "error")[-1]
        assert said == "error illegal swap:cities is not legal now: seat 0 holds no cities"


@pytest.mark.parametrize("limit", ["movetime 20", "sims 3", "clock 500,500"])
def test_a_limit_ends_an_infinite_search(limit: str) -> None:
    for options in (("--player", "random"), ()):
        with Process(*options) as engine:
            engine.send(OPENING, f"go id a infinite {limit}")
            assert engine.until("bestmove", "error")[-1].startswith("bestmove wall:")


@pytest.mark.slow
def test_a_search_ends_by_a_short_time_and_by_a_stop_that_comes_at_once() -> None:
    with Process() as engine:
        engine.send(OPENING)
        for limit in ("clock 90,90 inc 20,20", "movetime 50 sims 3"):
            engine.send(f"go id {limit[:2]} {limit}")
            assert engine.until("bestmove")[-1].endswith(f" id {limit[:2]}")
        for number in range(20):
            engine.send(f"go id n{number} infinite", f"stop n{number}")
            assert engine.until("bestmove")[-1].endswith(f" id n{number}")


@pytest.mark.parametrize(
    ("word", "low", "high"),
    [
        ("sims", 1, MAX_SIMS),
        ("movetime", 1, MAX_GO_MS),
        ("multipv", 1, 10_000),
        ("inc", 0, MAX_GO_MS),
    ],
)
def test_numbers_of_go_have_limits(word: str, low: int, high: int) -> None:
    for number in (low, high):
        parse_go(f"{word} {number}")
    for number in (low - 1, high + 1):
        with pytest.raises(Refused, match=f"{word} needs a whole number from {low} to {high}"):
            parse_go(f"{word} {number}")


def test_a_command_read_during_a_search_is_refused_even_after_its_end() -> None:
    sink = io.BytesIO()
    server = Server(io.BytesIO(), sink, player="random", version="0")
    server._take(OPENING)
    received = time.monotonic()
    over = "gameover scores 1,2 winners 1 end walls"
    for line in ("go sims 1", "go id b sims 1", OPENING, "event move 0 wall:1", over):
        server._take(line, received)
    best, *refused = sink.getvalue().decode().splitlines()[1:]
    assert best.startswith("bestmove ")
    reason = "a search is running: stop it, or wait for its bestmove"
    assert refused == [f"error busy id b {reason}", *[f"error busy {reason}"] * 3]


def test_a_command_that_has_to_wait_for_eval_is_told_so() -> None:
    sink = io.BytesIO()
    server = Server(io.BytesIO(), sink, player="random", version="0")
    received = time.monotonic()
    server._jobs.start(lambda _: "response eval", "eval", here=True)
    server._take("go id a sims 1", received)
    refused = sink.getvalue().decode().splitlines()[-1]
    assert refused == "error busy id a eval is running: stop it, or wait for its response"


def test_perft_needs_all_hands_after_an_event() -> None:
    game = Game(2, seed=3)
    event = f"event move {game.seat} {game.legal_moves()[0]}"
    with Process("--player", "random") as engine:
        engine.send(f"position {game.text}", event, "perft 1")
        refused = "error state perft needs a position that shows every hand"
        assert engine.until("error", "response") == [refused]


def test_perft_of_a_position_with_many_blanks() -> None:
    """It is nearly the longest position that is read."""
    text = Game(2, seed=3).text.replace(" phase", " " * 60_000 + " phase")
    with Process("--player", "random") as engine:
        engine.send(f"position {text}", "perft 1")
        assert engine.until("error", "response") == ["response perft 1 170"]


def test_a_card_that_is_drawn_is_named_to_its_seat_alone() -> None:
    drawn = 0
    for step in steps(new_game(3, 1), random.Random(1)):
        for viewer in range(3):
            text = format_event(step, viewer)
            if isinstance(step, Drew) and step.seat != viewer:
                assert text == f"draw {step.seat} ?"
                drawn += 1
            else:
                assert parse_event(text) == step
    assert drawn > 10


@pytest.mark.slow
def test_what_a_position_shows_of_other_hands_is_not_looked_at() -> None:
    """Two positions that differ in the hidden hand alone get the same answers."""
    game = Game(2, seed=3)
    hidden = format_position(game.view(0), game.board)
    shown = game.text
    assert shown != hidden
    said = []
    for text in (hidden, shown):
        with Process() as engine:
            engine.send("newgame players 2 seat 0 board classic", f"position {text}")
            answers = engine.ask("query view", "belief")
            engine.send("go sims 800 seed 1 multipv 5")
            answers += engine.until("bestmove")
            engine.send("eval")
            answers += engine.until("response") + engine.ask()
            said.append([masked(line) for line in answers])
    assert said[0] == said[1]
    _, position = parse_position(said[0][0].removeprefix("response view "))
    assert position.hands[1] == 6
