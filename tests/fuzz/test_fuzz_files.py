"""Every damage to every text that is read: positions, moves, records, boards, files. Errors only.

Some thousand cases by default. The full run, a hundred thousand (about seven minutes):

    MASONS_FUZZ=100000 python -m pytest tests/fuzz/test_fuzz_files.py

Whatever text comes in, the engine either reads it, and can then play on from it, or raises a
MasonsError with a message of one line. The cases are the same in every run.
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from masons.ai.openings.first_walls import first_walls
from masons.ai.openings.survey_file import bundled_survey, format_survey, parse_survey
from masons.ai.practice.progress import PracticeProgress, progress_from
from masons.ai.review.review_data import report_of
from masons.ai.review.review_work import ReviewSettings, Work
from masons.ai.review.timeline import timeline_of
from masons.ai.rollout.rollout_file import head_of, read_rollout, state_of
from masons.ai.search.limits import Limits
from masons.ai.search.search_options import SearchOptions
from masons.ai.session import Session
from masons.cli.main import run
from masons.engine.board.components import CARDS
from masons.engine.board.geometry import Board, load_board
from masons.engine.errors import BoardError, MasonsError, MoveError, PositionError, RecordError
from masons.engine.formats.move_text import format_move, parse_move
from masons.engine.formats.position_text import format_position, parse_position
from masons.engine.formats.record_endings import FORFEITS, STOPPED, Forfeit, Stopped
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.game.record import format_record, game_record, parse_record
from masons.engine.game.replay import Replay, check_record, replay_to
from masons.engine.game.table import Table
from masons.engine.kernels.rng import new_rng
from masons.engine.lessons.lesson import read_lesson
from masons.engine.playouts.counters import COUNTER_WORDS
from masons.engine.playouts.random_games import play_outs
from masons.engine.playouts.random_moves import UNIFORM
from masons.engine.state.position import Position, unpack_state
from masons.env.datasets import CARD, read_dataset
from masons.match.playing.game_setup import GameSetup, setup_of
from masons.match.playing.journal import read_journal
from masons.match.playing.played_game import PlayedGame
from masons.match.running.match_file import outcome_of
from tests.support.fair_records import fair_record
from tests.support.paths import PACKAGE
from tests.support.playing import BOARD_NAMES, BOARDS, board_of, deal, moves_by_chance, play, step

CASES = int(os.environ.get("MASONS_FUZZ", "1200"))
SECONDS = 60 + CASES // 50
ALPHABET = "0123456789,;:=+/*?-. \n\t\0\x7f\"'{}[]\\aeéß٣\ud800\u2028😀masonwhitefinal"
NUMBER = re.compile(r"-?\d+")
NUMBERS = ("0", "1", "2", "-1", "60", "127", "128", "254", "255", "256", "65536", "4294967296")
JUNK = (None, True, False, 0, 1, -1, 255, 1.0, 1e999, 10**30, "", "x", "cities", "red", "é\n")
WORDS = ("red", "white", "?", "blue", "play", "wall", "roll", "city")
CLASSIC = load_board("classic")


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    """A case that never ends stops the tests with a traceback."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


# ---- damages


def spoil_text(text: str, others: Sequence[str], chance: random.Random) -> str:
    """Cut, double, replace, splice and count wrong; half the time only count wrong."""
    gentle = chance.random() < 0.5
    for _ in range(chance.choice((1, 1, 1, 1, 2, 4))):
        a = chance.randrange(len(text) + 1)
        b = min(len(text), a + chance.choice((1, 1, 2, 5, 30)))
        other = chance.choice(others)
        c = chance.randrange(len(other) + 1)
        damages = [
            spoil_number(text, chance),
            spoil_number(text, chance),
            text.replace(chance.choice(CARDS), chance.choice(CARDS), 1),
            spoil_words(text, other, chance),
            text[:a] + text[b:],
            text[:b] + text[a:],
            text[:a] + chance.choice(ALPHABET) + text[b:],
            text[:a] + other[c : c + chance.choice((3, 20, 1000))] + text[b:],
        ]
        text = chance.choice(damages[:4] if gentle else damages)
    return text


def spoil_number(text: str, chance: random.Random) -> str:
    spots = list(NUMBER.finditer(text))
    if not spots:
        return text
    spot = chance.choice(spots)
    near = str(int(spot[0]) + chance.choice((-1, 1, 1, 7)))
    return text[: spot.start()] + chance.choice((near, near, *NUMBERS)) + text[spot.end() :]


def spoil_words(text: str, other: str, chance: random.Random) -> str:
    """Take out, repeat, exchange or bring in a word."""
    words, more = text.split(" "), other.split(" ")
    at = chance.randrange(len(words))
    name = words[at].partition("=")[0]
    same = [word for word in more if word.partition("=")[0] == name]
    ways = ([], [words[at]] * 2, [chance.choice(same or more)], [words[at], chance.choice(more)])
    words[at : at + 1] = chance.choice(ways)
    return " ".join(words)


def spoil_json(value: Any, chance: random.Random) -> Any:
    """Return a JSON value with something else somewhere inside."""
    value = json.loads(json.dumps(value))
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        holder: Any = value
        while holder:
            key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
            if not isinstance(holder[key], dict | list) or chance.random() >= 0.85:
                spoil_item(holder, key, chance)
                break
            holder = holder[key]
    return value


def spoil_item(holder: Any, key: Any, chance: random.Random) -> None:
    """Change, take out, repeat or exchange one item of a list or object."""
    way = chance.randrange(7)
    old = holder[key]
    if way == 0:
        del holder[key]
    elif way == 1 and isinstance(holder, list):
        holder.insert(chance.randrange(len(holder) + 1), old)
    elif way == 2 and isinstance(holder, list):
        other = chance.randrange(len(holder))
        holder[key], holder[other] = holder[other], holder[key]
    elif way == 3:
        keyed = dict.fromkeys(map(str, old)) if isinstance(old, list) else {"e": old}
        holder[key] = chance.choice((*JUNK, [], {}, [[]], [""], [old], keyed, str(old)))
    elif way == 4 and isinstance(holder, dict):
        holder[chance.choice(("e", "p", "x", "put", "city", "id"))] = chance.choice(JUNK)
    elif type(old) is int:
        holder[key] = old + chance.choice((-1, 1, 1, 3, 10))
    elif isinstance(old, str):
        holder[key] = chance.choice(CARDS if old in CARDS else WORDS)
    elif isinstance(old, float):
        holder[key] = old + chance.choice((0.5, 1.0, 1e-8, -0.25))


def spoil_line(text: str, others: Sequence[str], chance: random.Random) -> str:
    """Spoil a JSON value, or its text."""
    if chance.random() < 0.2:
        return spoil_text(text, others, chance)
    return json.dumps(spoil_json(json.loads(text), chance))


def spoil_a_line(text: str, others: Sequence[str], chance: random.Random) -> str:
    """Spoil or take out one of several JSON lines, often the first."""
    lines = text.split("\n")
    at = chance.choice((0, chance.randrange(len(lines))))
    lines[at : at + 1] = [spoil_line(lines[at], others, chance)] * (chance.random() < 0.8)
    return "\n".join(lines)


# ---- readers

Errors = type[MasonsError] | tuple[type[MasonsError], ...]


class Reader(NamedTuple):
    """Texts that are right, what reads them, and how they are spoiled."""

    texts: Sequence[str]
    read: Callable[[str, int], object]  # a spoiled text, and the number of the right one
    errors: Errors = MasonsError
    spoil: Callable[[str, Sequence[str], random.Random], str] = spoil_line
    share: float = 0.05  # of all cases


READERS: dict[str, Callable[[Path], Reader]] = {}


def reader(make: Callable[[Path], Reader]) -> Callable[[Path], Reader]:
    """Enter a function that makes a reader, with a folder for its files."""
    READERS[make.__name__] = make
    return make


def attempt(action: Callable[[], object], errors: Errors, case: str) -> bool:
    """Return whether an action works; its error must be one of these and fit on a line."""
    try:
        action()
    except errors as error:
        message = str(error)
        assert message.isprintable(), f"{message!r} for {case!r}"
        assert 0 < len(message) < 600, f"{message} for {case!r}"
        return False
    except Exception as error:
        raise AssertionError(f"{type(error).__name__} for {case!r}") from error
    return True


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_what_is_spoiled_is_read_or_refused_in_a_line(name: str, tmp_path: Path) -> None:
    reader, chance = READERS[name](tmp_path), random.Random(name)
    count, cases = 0, int(CASES * reader.share)
    for _ in range(cases):
        number = chance.randrange(len(reader.texts))
        text = reader.spoil(reader.texts[number], reader.texts, chance)
        count += attempt(lambda: reader.read(text, number), reader.errors, text)  # noqa: B023
    assert 0 < count < cases


# The first scalar of each value in JSON and TOML.
VALUE = re.compile(
    r"""\b(?P<key>\w+)"?(?:: | = )[\[{]*(?P<value>-?[\d.e+-]+|"[^"]*"|null|true|false)"""
)
# What JSON and TOML parsers and numpy raise errors of their own for.
HOSTILE = {
    "400 digits": "9" * 400,
    "5,000 digits": "9" * 5000,
    "5,000 arrays": "[" * 5000 + "]" * 5000,
    "ragged": "[[1], [1, 2], 3]",
    "object": '{"x": {}}',
    "null": "null",
    "a long text": '"' + "x" * 9000 + '"',
}


@pytest.mark.slow
@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize("name", READERS)
def test_what_parsers_and_numpy_choke_on_is_refused_in_a_line(
    name: str, what: str, tmp_path: Path
) -> None:
    """In the place of the first and the last value of each key, and of the whole text."""
    reader = READERS[name](tmp_path)
    text = reader.texts[0]
    attempt(lambda: reader.read(HOSTILE[what], 0), reader.errors, what)
    found = list(VALUE.finditer(text))
    spots = {spot["key"]: spot for spot in found[::-1]}, {spot["key"]: spot for spot in found}
    for spot in {spot for each in spots for spot in each.values()}:
        spoiled = text[: spot.start("value")] + HOSTILE[what] + text[spot.end("value") :]
        case = f"{what} as {spot['key']}"
        attempt(lambda: reader.read(spoiled, 0), reader.errors, case)  # noqa: B023


def play_on(board: Board, position: Position) -> None:
    """Fill in what is hidden, play to the end in the kernels, and some moves by hand."""
    chance, hidden = random.Random(0), list(position.unseen)
    chance.shuffle(hidden)
    hands = tuple(
        tuple(sorted(hidden.pop() for _ in range(hand)) if isinstance(hand, int) else hand)
        for hand in position.hands
    )
    table = Table(board)
    state = table.state_of(replace(position, hands=hands))
    counters, end = np.zeros(COUNTER_WORDS, dtype=np.uint64), state.copy()
    play_outs(state, table.packed, new_rng(1), int(UNIFORM), 1, end, counters)
    assert unpack_state(end).phase == "over"
    game = Game.from_position(unpack_state(state), board=board, seed=1)
    for _ in range(2):
        if not game.is_over:
            game.apply(chance.choice(game.legal_moves()))
            assert parse_position(game.text, board)[1] == game.position


@reader
def positions(_: Path) -> Reader:
    """Positions of games in all phases, and views of them."""
    texts, boards = [], []
    for seed, name in enumerate(BOARD_NAMES):
        board, chance, players = board_of(name), random.Random(seed), 2 + seed % 3
        hands = deal(players, chance)
        game = Game(players, board=board, chance=Outside(), hands=hands, early_roll=True)
        while not game.is_over:
            step(game, chance)
            if chance.random() < 1 / 3:
                shown = game.position
                shown = shown if chance.random() < 0.8 else shown.observed_by(shown.seat)
                texts.append(format_position(shown, board))
                boards.append(board)

    def read(text: str, number: int) -> None:
        named, position = parse_position(text, boards[number])
        again = format_position(position, named)
        assert parse_position(again, boards[number]) == (named, position)
        if attempt(lambda: Table(named).state_of(position), PositionError, again):
            play_on(named, position)

    return Reader(texts, read, (PositionError, BoardError), spoil_text, 0.4)


@reader
def moves(_: Path) -> Reader:
    games: list[Game] = []
    texts: list[str] = []
    chance = random.Random("games")
    for seed in range(4):
        game = Game(2 + seed % 3, seed=seed, early_roll=True)
        for _move in moves_by_chance(game, chance):
            texts += [format_move(move) for move in game.legal_moves()[:20]]
            if chance.random() < 0.1:
                games.append(Game.from_position(game.position, seed=1))

    def read(text: str, number: int) -> None:
        game = games[number % len(games)]
        before = game.text
        for tried in (text, texts[number]):
            if attempt(lambda: game.apply(tried), MoveError, tried):  # noqa: B023
                game.undo()
        assert game.text == before
        move = parse_move(text)
        assert parse_move(format_move(move)) == move

    return Reader(texts, read, MoveError, spoil_text, 0.3)


def unfinished(record: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Return a record that was cut, or one with a forfeit, or both."""
    record = dict(record)
    if chance.random() < 0.8:
        record["events"] = record["events"][: chance.randrange(len(record["events"]))]
        record["result"] = None
        seat = chance.choice((None, *range(record["players"])))
        record["stopped"] = {"why": chance.choice(STOPPED), "seat": seat}
    if record["result"] is not None or chance.random() < 0.5:
        event = chance.randrange(len(record["events"]) + 1)
        seat = chance.randrange(record["players"])
        record["forfeits"] = [{"seat": seat, "event": event, "why": chance.choice(FORFEITS)}]
    return record


@reader
def records(_: Path) -> Reader:
    """Records of whole games, and of games that did not end; what is right is recorded again."""
    chance, boards = random.Random("games"), {name: board_of(name) for name in BOARD_NAMES}
    whole = []
    for seed, name in enumerate(("classic", *BOARD_NAMES, "classic")):
        game = Game(2 + seed % 3, board=boards[name], seed=seed, early_roll=seed > 4)
        whole.append(game_record(play(game, chance)))
    whole += [unfinished(record, chance) for record in whole]

    def read(text: str, number: int) -> None:
        record, board = parse_record(text), boards[whole[number]["board"]]
        fault = check_record(record, board)
        assert fault is None or (fault.isprintable() and len(fault) < 600), repr(fault)
        if fault is None:
            replay = Replay(record, board)
            replay.check()
            stopped = None if replay.game.is_over else replay.stopped or Stopped("cut")
            again = game_record(
                replay.game, record["names"], stopped=stopped, forfeits=replay.forfeits
            )
            assert check_record(json.loads(format_record(again)), board) is None
            timeline_of(record, board)
        replay_to(record, 1 + len(text) % 12, board)

    return Reader([*map(format_record, whole)], read, (RecordError, BoardError), share=0.12)


@reader
def games_that_go_on(folder: Path) -> Reader:
    """Games that people play, some of it taken back."""
    path, texts = folder / "game.jsonl", []
    for seed in range(3):
        chance = random.Random(seed)
        setup = GameSetup(2, (0, 1), ("A", "B"), seed=seed, level=1, practice=True)
        played = PlayedGame(CLASSIC, setup)
        entries: list[dict[str, Any]] = [{"format": "masons-play", "version": 1}]
        entries[0] |= played.header()
        for _ in range(30):
            move = chance.choice(played.game.legal_moves())
            entries.append({"p": played.game.seat, "move": str(move)})
            played.make(move)
            if chance.random() < 0.1:
                entries.append({"undo": 1})
                played.undo()
        texts.append("\n".join(map(json.dumps, [*entries, {"resign": 1}])))

    def read(text: str, _: int) -> None:
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        header, entries, _kept = read_journal(str(path))
        setup = setup_of(header)
        if setup.board == CLASSIC.name:
            played = PlayedGame(CLASSIC, setup)
            played.follow(entries)
            assert check_record(json.loads(format_record(played.record()))) is None

    return Reader(texts, read, spoil=spoil_a_line, share=0.1)


@reader
def match_files(_: Path) -> Reader:
    notes = {
        "block": 0, "number": 0, "engines": [0, 1], "settings": "x", "seed": 1, "faults": [
            {"seat": 0, "kind": "time", "decision": 3, "text": "late"}],
        "forfeits": [0], "seconds": [1.0, 2.0], "slowest": [0.1, 0.2],
    }  # fmt: skip
    game = play(Game(2, seed=3), random.Random("match"))
    record = game_record(game, ("a", "b"), forfeits=[Forfeit(0, 9, "time")])
    text = json.dumps({**record, "match": notes})
    few = json.dumps({**record, "events": [], "deck": [], "match": notes})
    return Reader([few, few, text], lambda text, _: outcome_of(parse_record(text)))


@reader
def fair_records(folder: Path) -> Reader:
    """By the command, which counts what is wrong and ends with 1."""
    record, path = fair_record(2), folder / "fair.jsonl"
    alone = json.dumps({**record, "events": record["events"][:1]})

    def read(text: str, _: int) -> None:
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
            code = run(["verify", str(path)])
        count = err.getvalue().count("\n")
        assert (code, count) in ((0, 0), (1, 0), (1, 1)), err.getvalue()
        assert out.getvalue().replace("\n", "").isprintable()
        if code:
            raise RecordError("wrong, or not to be read")

    return Reader([json.dumps(record), alone], read, spoil=spoil_a_line)


@reader
def review_files(_: Path) -> Reader:
    record = game_record(play(Game(2, seed=3), random.Random("review")))
    record["events"], record["result"] = record["events"][:12], None
    settings = ReviewSettings(sims=8, seconds=None, rollouts=16, playouts=10, seed=1)
    work = Work(timeline_of(record), settings, "key")
    while work.done < work.total:
        work.go_on()

    def read(text: str, _: int) -> None:
        fresh, again = (Work(work.timeline, work.settings, "key") for _ in range(2))
        fresh.take_up(text)
        assert fresh.done <= fresh.total
        again.take_up(fresh.format())
        report_of(work, lambda _, move: str(move))

    return Reader([json.dumps(json.loads(work.format()))], read)


@reader
def practice_progress(_: Path) -> Reader:
    progress = PracticeProgress()
    for number in range(6):
        day = date(2026, 1, 1 + number)
        progress.answered(f"ruler-{number}", day, is_solved=number % 3 > 0, rating=1400 + number)

    def read(text: str, _: int) -> None:
        again = progress_from(text)
        assert progress_from(again.format()) == again
        again.answered("ruler-1", date(2026, 2, 1), is_solved=True)
        again.answered("ruler-9", date(2026, 2, 1), is_solved=True, rating=1500)

    return Reader([json.dumps(json.loads(progress.format()))], read, share=0.1)


@reader
def surveys_of_first_walls(_: Path) -> Reader:
    def read(text: str, _: int) -> None:
        survey = parse_survey(text, CLASSIC)
        again = parse_survey(format_survey(survey), CLASSIC)
        assert format_survey(again) == format_survey(survey)
        first_walls(survey)

    return Reader([json.dumps(json.loads(format_survey(bundled_survey(2))))], read)


@reader
def lessons(folder: Path) -> Reader:
    path = folder / "lesson.toml"
    lesson = PACKAGE / "engine/lessons/data/01-walls.toml"

    def read(text: str, _: int) -> None:
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        read_lesson(path)

    return Reader([lesson.read_text(encoding="utf-8")], read, spoil=spoil_text, share=0.02)


@reader
def rollouts(_: Path) -> Reader:
    """Rollout files without their checksums, which are put in when the lines are spoiled."""
    table, options = Table(CLASSIC), SearchOptions()
    view = Game(2, seed=1).observe(0)
    session = Session(table, options=options)
    session.search(view, limits=Limits(rollouts=80))
    assert session.rollout is not None
    whole = head_of(session.rollout, table, 0) + (state_of(session.rollout) or "")
    bare = "\n".join(line.rpartition(" ")[0] for line in whole.splitlines())

    def read(text: str, _: int) -> None:
        lines = [line.encode("utf-8", "replace") for line in text.split("\n")]
        checked = b"\n".join(b"%s %d" % (line, zlib.crc32(line)) for line in lines)
        read_rollout(checked.decode(), table, view, options, 0)

    return Reader([bare], read, spoil=spoil_a_line)


def test_a_shard_whose_member_is_no_array_is_refused_in_a_line(tmp_path: Path) -> None:
    words = ["dataset", "--games", "1", "--player", "random", "--out", str(tmp_path)]
    assert run(words) == 0
    shard = tmp_path / "shard-000000.npz"
    with zipfile.ZipFile(shard) as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    with zipfile.ZipFile(shard, "w") as spoiled:
        for name, data in members.items():
            spoiled.writestr(*(("mask", b"no array") if name == "mask.npy" else (name, data)))
    with pytest.raises(MasonsError, match=r"shard-000000\.npz is not a shard of a dataset"):
        list(read_dataset(tmp_path))
    assert run([*words, "--resume"]) == 0  # which makes the shard anew
    assert len(list(read_dataset(tmp_path))) == 1


@reader
def datasets(folder: Path) -> Reader:
    """A card, and a shard with its bytes as letters, of which a few are others or missing."""
    words = ["dataset", "--games", "2", "--shard-games", "1", "--player", "random"]
    assert run([*words, "--board", str(BOARDS / "rhombus-2.json"), "--out", str(folder)]) == 0
    card, shard = folder / CARD, folder / "shard-000001.npz"
    whole = [json.dumps(json.loads(card.read_text())), shard.read_bytes().decode("latin-1")]

    def spoil(text: str, others: Sequence[str], chance: random.Random) -> str:
        if text == whole[0]:
            return spoil_line(text, others[:1], chance)
        at = chance.randrange(len(text))
        new = chance.randbytes(chance.choice((0, 1, 3))).decode("latin-1")
        return text[:at] + new + text[at + 2 :]

    def read(text: str, number: int) -> None:
        card.write_bytes((whole[0] if number else text).encode("utf-8", "surrogatepass"))
        shard.write_bytes((text if number else whole[1]).encode("latin-1"))
        list(read_dataset(folder, partial=True))

    return Reader(whole, read, spoil=spoil, share=0.1)


@reader
def boards(folder: Path) -> Reader:
    path = folder / "board.json"
    small = BOARDS / "rhombus-2.json"
    files = [*(BOARDS / f"{name}.json" for name in BOARD_NAMES[1:]), *[small] * 4]

    def read(text: str, _: int) -> None:
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        board = load_board(path)
        assert Board.from_dict(board.to_dict()) == board
        play_on(board, Game(2, board=board, seed=1).position)

    texts = [json.dumps(json.loads(file.read_text())) for file in files]
    return Reader(texts, read, BoardError, share=0.15)
