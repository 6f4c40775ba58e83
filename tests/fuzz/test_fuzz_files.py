"""Mutated positions, moves, records, boards, and files of games, matches, reviews, practice and
datasets: clear errors only.

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
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from masons.ai.openings.first_walls import first_walls
from masons.ai.openings.survey_file import bundled_survey, format_survey, parse_survey
from masons.ai.practice.progress import PracticeProgress, progress_from
from masons.ai.review.review_data import report_of
from masons.ai.review.review_work import ReviewSettings, Work
from masons.ai.review.timeline import timeline_of
from masons.cli.main import run
from masons.engine.board.components import CARDS
from masons.engine.board.geometry import Board, load_board
from masons.engine.errors import BoardError, MasonsError, MoveError, PositionError, RecordError
from masons.engine.formats.move_text import format_move, parse_move
from masons.engine.formats.position_text import format_position, parse_position
from masons.engine.formats.record_endings import FORFEITS, NOTE, STOPPED, Forfeit, Stopped
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.game.record import (
    Replay,
    check_record,
    format_record,
    game_record,
    parse_record,
    replay_to,
)
from masons.engine.game.table import Table
from masons.engine.kernels.rng import new_rng
from masons.engine.playouts.counters import COUNTER_WORDS
from masons.engine.playouts.random_games import play_outs
from masons.engine.playouts.random_moves import UNIFORM
from masons.engine.state.position import Position, unpack_state
from masons.env.datasets import CARD, read_dataset
from masons.match.playing.kept_games import read_journal
from masons.match.playing.played_game import GameSetup, PlayedGame, setup_of
from masons.match.running.match_file import outcome_of
from tests.support.fair_records import fair_record
from tests.support.playing import BOARD_NAMES, BOARDS, board_of, deal, moves_by_chance, play, step

CASES = int(os.environ.get("MASONS_FUZZ", "1200"))
SECONDS = 60 + CASES // 50
ALPHABET = "0123456789,;:=+/*?-. \n\t\0\x7f\"'{}[]\\aeéß٣\ud800\u2028😀masonwhitefinal"
NUMBER = re.compile(r"-?\d+")
NUMBERS = ("0", "1", "2", "-1", "60", "127", "128", "254", "255", "256", "65536", "4294967296")
JUNK = (None, True, False, 0, 1, -1, 255, 1.0, 1e999, 10**30, "", "x", "cities", "red", "é\n")


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    """A case that never ends stops the tests with a traceback."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


Errors = type[MasonsError] | tuple[type[MasonsError], ...]
Case = tuple[str, Callable[[], object]]


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


def count_read(
    name: str, cases: int, make: Callable[[random.Random], Case], errors: Errors = MasonsError
) -> int:
    """Make seeded cases, a text and its reader each; return how many could be read."""
    chance = random.Random(name)
    return sum(attempt(read, errors, text) for text, read in (make(chance) for _ in range(cases)))


# ---- mutations


def spoil_text(text: str, others: Sequence[str], chance: random.Random) -> str:
    """Cut, double, replace, splice and count wrong; half the time only count wrong."""
    gentle = chance.random() < 0.5
    for _ in range(chance.choice((1, 1, 1, 1, 2, 4))):
        a = chance.randrange(len(text) + 1)
        b = min(len(text), a + chance.choice((1, 1, 2, 5, 30)))
        way = chance.choice((4, 4, 6, 7)) if gentle else chance.randrange(8)
        if way == 0:
            text = text[:a] + text[b:]
        elif way == 1:
            text = text[:b] + text[a:]
        elif way == 2:
            text = text[:a] + chance.choice(ALPHABET) + text[b:]
        elif way == 3:
            other = chance.choice(others)
            c = chance.randrange(len(other) + 1)
            text = text[:a] + other[c : c + chance.choice((3, 20, 1000))] + text[b:]
        elif way in (4, 5):
            text = spoil_number(text, chance)
        elif way == 6:
            names = [name for name in CARDS if name in text]
            if names:
                text = text.replace(chance.choice(names), chance.choice(CARDS), 1)
        else:
            text = spoil_words(text, others, chance)
    return text


def spoil_number(text: str, chance: random.Random) -> str:
    spots = list(NUMBER.finditer(text))
    if not spots:
        return text
    spot = chance.choice(spots)
    near = str(int(spot[0]) + chance.choice((-1, 1, 1, 7)))
    return text[: spot.start()] + chance.choice((near, near, *NUMBERS)) + text[spot.end() :]


def spoil_words(text: str, others: Sequence[str], chance: random.Random) -> str:
    """Take out, repeat, exchange or bring in a word."""
    words = text.split(" ")
    at = chance.randrange(len(words))
    way = chance.randrange(4)
    if way == 0:
        del words[at]
    elif way == 1:
        words.insert(at, chance.choice(words))
    elif way == 2:
        other = chance.choice(others).split(" ")
        name = words[at].partition("=")[0]
        words[at] = next((w for w in other if w.partition("=")[0] == name), chance.choice(other))
    else:
        words.append(chance.choice(chance.choice(others).split(" ")))
    return " ".join(words)


def spoil_json(value: Any, chance: random.Random) -> Any:
    """A description or record with something else somewhere inside."""
    value = json.loads(json.dumps(value))
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        holder: Any = value
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            if not keys:
                break
            key = chance.choice(keys)
            if isinstance(holder[key], dict | list) and chance.random() < 0.85:
                holder = holder[key]
                continue
            spoil_item(holder, key, chance)
            break
    return value


def spoil_line(value: Any, chance: random.Random) -> str:
    """Return a JSON value as text, with something else inside or with its text spoiled."""
    text = json.dumps(value)
    if chance.random() < 0.2:
        return spoil_text(text, [text], chance)
    return json.dumps(spoil_json(value, chance))


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
    elif isinstance(old, str) and old in CARDS:
        holder[key] = chance.choice(CARDS)
    elif isinstance(old, str):
        holder[key] = chance.choice(("red", "white", "?", "blue", "play", "wall", "roll", "city"))
    elif isinstance(old, float):
        holder[key] = old + chance.choice((0.5, 1.0, 1e-8, -0.25))


# ---- positions


def walk(name: str, seed: int) -> list[tuple[Position, Board]]:
    """Return positions of a game in all phases, and views of them."""
    board, chance = board_of(name), random.Random(seed)
    players = 2 + seed % 3
    hands = deal(players, chance)
    game = Game(players, board=board, chance=Outside(), hands=hands, early_roll=True)
    positions = []
    while not game.is_over:
        step(game, chance)
        position = game.position
        is_whole = chance.random() < 0.8
        positions.append((position if is_whole else position.observed_by(position.seat), board))
    return positions


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


@pytest.mark.slow
def test_positions() -> None:
    known = [pair for seed, name in enumerate(BOARD_NAMES) for pair in walk(name, seed)[::3]]
    texts = [format_position(position, board) for position, board in known]

    def make(chance: random.Random) -> Case:
        number = chance.randrange(len(known))
        board, text = known[number][1], spoil_text(texts[number], texts, chance)

        def read() -> None:
            named, position = parse_position(text, board)
            again = format_position(position, named)
            assert parse_position(again, board) == (named, position)
            if attempt(lambda: Table(named).state_of(position), PositionError, again):
                play_on(named, position)

        return text, read

    errors = (PositionError, BoardError)
    assert count_read("positions", CASES * 4 // 10, make, errors) > CASES // 100


# ---- moves


@pytest.mark.slow
def test_moves() -> None:
    games: list[Game] = []
    texts: list[str] = []
    start = random.Random("games")
    for seed in range(4):
        game = Game(2 + seed % 3, seed=seed, early_roll=True)
        for _ in moves_by_chance(game, start):
            texts += [format_move(move) for move in game.legal_moves()[:20]]
            if start.random() < 0.1:
                games.append(Game.from_position(game.position, seed=1))
    made = 0

    def make(chance: random.Random) -> Case:
        text, game = chance.choice(texts), chance.choice(games)
        if chance.random() < 0.9:
            text = spoil_text(text, texts, chance)

        def read() -> None:
            nonlocal made
            before = game.text
            if attempt(lambda: game.apply(text), MoveError, text):
                made += 1
                game.undo()
            assert game.text == before
            move = parse_move(text)
            assert parse_move(format_move(move)) == move

        return text, read

    assert count_read("moves", CASES * 3 // 10, make, MoveError) > made > 0


# ---- records


def unfinished(record: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Return a record that was cut, or one with a forfeit, or both."""
    record = dict(record)
    if chance.random() < 0.8:
        record["events"] = record["events"][: chance.randrange(len(record["events"]))]
        record["result"] = None
        if chance.random() < 0.8:
            seat = chance.choice((None, *range(record["players"])))
            record["stopped"] = {"why": chance.choice(STOPPED), "seat": seat}
    if record["result"] is not None or chance.random() < 0.5:
        seat = chance.randrange(record["players"])
        event = chance.randrange(len(record["events"]) + 1)
        record["forfeits"] = [{"seat": seat, "event": event, "why": chance.choice(FORFEITS)}]
    return record


def check_again(replay: Replay, names: Sequence[str], board: Board) -> None:
    """Replay a record that is right, and check the record of what was replayed."""
    replay.check()
    stopped = None if replay.game.is_over else replay.stopped or Stopped("cut")
    again = game_record(replay.game, names, stopped=stopped, forfeits=replay.forfeits)
    assert check_record(json.loads(format_record(again)), board) is None


@pytest.mark.slow
def test_records() -> None:
    start, boards = random.Random("games"), {name: board_of(name) for name in BOARD_NAMES}
    records = []
    for seed, name in enumerate(("classic", *BOARD_NAMES, "classic")):
        game = Game(2 + seed % 3, board=boards[name], seed=seed, early_roll=seed > 4)
        records.append(game_record(play(game, start)))
    records += [unfinished(record, start) for record in records]
    lines = [format_record(record) for record in records]
    counts = Counter[str]()

    def make(chance: random.Random) -> Case:
        number = chance.randrange(len(records))
        board, decision = boards[records[number]["board"]], chance.randrange(1, 60)
        line = format_record(spoil_json(records[number], chance))
        if chance.random() < 0.2:
            line = spoil_text(lines[number], lines, chance)

        def read() -> None:
            record = parse_record(line)
            fault = check_record(record, board)
            if fault is None:
                replay = Replay(record, board)
                check_again(replay, record["names"], board)
                timeline_of(record, board)
                counts["right"] += 1
                counts["unfinished"] += not replay.has_end
                counts["forfeits"] += bool(replay.forfeits)
            else:
                assert fault.isprintable(), repr(fault)
                assert len(fault) < 600
            if decision < 12:
                replay_to(record, decision, board)

        return line, read

    parsed = count_read("records", CASES * 15 // 100, make, (RecordError, BoardError))
    assert parsed > counts["unfinished"] > 0
    assert counts["right"] > counts["forfeits"] > 0


# ---- games that go on, matches, reviews, practice


def journal(seed: int) -> list[str]:
    """Return the lines of a game that people play, some of it taken back."""
    chance = random.Random(seed)
    setup = GameSetup(2, (0, 1), ("A", "B"), seed=seed, level=1, practice=True)
    played = PlayedGame(load_board("classic"), setup)
    lines = [json.dumps({"format": "masons-play", "version": 1, **played.header()})]
    for _ in range(30):
        move = chance.choice(played.game.legal_moves())
        lines.append(json.dumps({"p": played.game.seat, "move": str(move)}))
        played.make(move)
        if chance.random() < 0.1:
            lines.append(json.dumps({"undo": 1}))
            played.follow([{"undo": 1}])
    return [*lines, json.dumps({"resign": 1})]


@pytest.mark.slow
def test_games_that_go_on(tmp_path: Path) -> None:
    whole = [journal(seed) for seed in range(3)]
    path, board = tmp_path / "game.jsonl", load_board("classic")

    def make(chance: random.Random) -> Case:
        lines = list(chance.choice(whole))
        at = chance.choice((0, chance.randrange(len(lines))))
        if chance.random() < 0.8:
            lines[at] = spoil_line(json.loads(lines[at]), chance)
        else:
            del lines[at]
        text = "\n".join(lines)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))

        def read() -> None:
            header, entries, _ = read_journal(str(path))
            setup = setup_of(header)
            if setup.board == board.name:
                played = PlayedGame(board, setup)
                played.follow(entries)
                assert check_record(json.loads(format_record(played.record()))) is None

        return text, read

    assert count_read("journals", CASES // 10, make) > 0


@pytest.mark.slow
def test_match_files() -> None:
    notes = {
        "block": 0, "number": 0, "engines": [0, 1], "settings": "x", "seed": 1, "faults": [
            {"seat": 0, "kind": "time", "decision": 3, "text": "late"}],
        "forfeits": [0], "seconds": [1.0, 2.0], "slowest": [0.1, 0.2],
    }  # fmt: skip
    game = play(Game(2, seed=3), random.Random("match"))
    whole = game_record(game, ("a", "b"), forfeits=[Forfeit(0, 9, "time")])

    def make(chance: random.Random) -> Case:
        record = {**whole, "match": spoil_json(notes, chance)}
        line = json.dumps(spoil_json(record, chance) if chance.random() < 0.3 else record)
        return line, lambda: outcome_of(parse_record(line))

    assert count_read("match", CASES // 20, make) > 0


@pytest.mark.slow
def test_fair_records_and_the_notes_before_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random("fair")
    whole = {**fair_record(2), "match": {"number": 0}}
    names, fair = whole["names"], whole["fair"]
    notes: list[dict[str, Any]] = [
        {"format": NOTE, "version": 1, "commitments": {"0": fair["commitment"]}},
        {"format": NOTE, "version": 1, "nonces": dict(zip(names, fair["nonces"], strict=True))},
    ]
    path, codes = tmp_path / "fair.jsonl", set()
    for _ in range(CASES // 20):
        record, begin = whole, [note for note in notes if chance.random() < 0.8]
        if begin and chance.random() < 0.3:
            begin[-1] = {**spoil_json(begin[-1], chance), "format": NOTE}
        if chance.random() < 0.5:
            record = {**whole, "fair": spoil_json(fair, chance)}
        elif chance.random() < 0.5:
            record = spoil_json(whole, chance)
        path.write_text("".join(f"{json.dumps(line)}\n" for line in [*begin, record]))
        code = run(["verify", str(path)])
        said = capsys.readouterr()
        assert (code, said.err.count("\n")) in ((0, 0), (1, 0), (1, 1)), said.err
        assert said.out.replace("\n", "").isprintable()
        codes.add(code)
    assert codes == {0, 1}


@pytest.mark.slow
def test_review_files() -> None:
    record = game_record(play(Game(2, seed=3), random.Random("review")))
    record["events"], record["result"] = record["events"][:12], None
    work = Work(timeline_of(record), ReviewSettings(8, None, 10, 1, rollouts=16), "key")
    while work.done < work.total:
        work.go_on()
    whole = json.loads(work.format())

    def make(chance: random.Random) -> Case:
        text = spoil_line(whole, chance)

        def read() -> None:
            fresh, again = (Work(work.timeline, work.settings, "key") for _ in range(2))
            fresh.take_up(text)
            assert fresh.done <= fresh.total
            again.take_up(fresh.format())
            report_of(work, lambda _, move: str(move))

        return text, read

    assert count_read("review", CASES // 20, make) > 0


@pytest.mark.slow
def test_practice_progress() -> None:
    progress = PracticeProgress()
    for number in range(6):
        progress.answered(f"ruler-{number}", date(2026, 1, 1 + number), is_solved=number % 3 > 0)
    whole = json.loads(progress.format())

    def make(chance: random.Random) -> Case:
        text = spoil_line(whole, chance)

        def read() -> None:
            again = progress_from(text)
            assert progress_from(again.format()) == again
            again.answered("ruler-1", date(2026, 2, 1), is_solved=True)

        return text, read

    assert count_read("practice", CASES // 10, make) > 0


@pytest.mark.slow
def test_surveys_of_first_walls() -> None:
    whole = json.loads(format_survey(bundled_survey(2)))
    classic = load_board("classic")

    def make(chance: random.Random) -> Case:
        text = spoil_line(whole, chance)

        def read() -> None:
            survey = parse_survey(text, classic)
            assert format_survey(parse_survey(format_survey(survey), classic)) == format_survey(
                survey
            )
            first_walls(survey)

        return text, read

    assert count_read("openings", CASES // 20, make) > 0


# ---- datasets and boards


@pytest.mark.slow
def test_datasets(tmp_path: Path) -> None:
    words = ["dataset", "--games", "2", "--shard-games", "1", "--player", "random"]
    assert run([*words, "--board", str(BOARDS / "rhombus-2.json"), "--out", str(tmp_path)]) == 0
    card, shard = tmp_path / CARD, tmp_path / "shard-000001.npz"
    fields, data = json.loads(card.read_text()), shard.read_bytes()

    def make(chance: random.Random) -> Case:
        is_card, at = chance.random() < 0.5, chance.randrange(len(data))
        new = chance.randbytes(chance.choice((0, 1, 3)))
        card.write_text(json.dumps(spoil_json(fields, chance) if is_card else fields))
        shard.write_bytes(data if is_card else data[:at] + new + data[at + 2 :])
        return card.read_text(), lambda: list(read_dataset(tmp_path, partial=True))

    assert count_read("datasets", CASES // 10, make) > 0


@pytest.mark.slow
def test_boards(tmp_path: Path) -> None:
    files = [BOARDS / f"{name}.json" for name in (*BOARD_NAMES[1:], "rhombus-2")]
    whole = [json.loads(file.read_text()) for file in files]
    path = tmp_path / "board.json"

    def make(chance: random.Random) -> Case:
        text = spoil_line(whole[chance.choice((0, 0, 1, 2, 3, 4, 4, 4, 4))], chance)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))

        def read() -> None:
            board = load_board(path)
            assert Board.from_dict(board.to_dict()) == board
            play_on(board, Game(2, board=board, seed=1).position)

        return text, read

    assert count_read("boards", CASES * 15 // 100, make, BoardError) > 0
