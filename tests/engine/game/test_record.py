"""Game records: byte-stable round trips, replay to any decision, and every kind of fault."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from masons.engine.board.components import CARDS
from masons.engine.errors import RecordError
from masons.engine.game.game import Game
from masons.engine.game.record import (
    Replay,
    check_record,
    format_record,
    game_record,
    parse_record,
    read_lines,
    read_record,
    replay_to,
)
from tests.support.paths import DATA
from tests.support.playing import BOARD_NAMES, board_of, moves_by_chance, play

SAMPLES = DATA / "sample_records.jsonl"
Record = dict[str, Any]


def recorded(seed: int, players: int, *, early_roll: bool = False, first: int = 0) -> Record:
    game = Game(players, seed=seed, early_roll=early_roll, first=first)
    return game_record(play(game, random.Random(seed)))


EVENTS = {
    *("early-roll", "wall", "roll", "towers", "houses", "city", "merge", "palaces"),
    *("play", "abstain", "swap", "reshuffle", "final"),
}


def is_rich(record: Record) -> bool:
    """Whether every event occurs, and those that the faults below need in the form they need."""
    events = record["events"]
    return (
        {event["e"] for event in events} == EVENTS
        and events[0]["e"] == "early-roll"
        and any(event.get("points") == -1 for event in events)
        and any(event.get("with") is not None for event in events)
        and any(len(event.get("spaces", ())) > 1 for event in events)
        and any(len(set(event.get("in", ()))) > 1 for event in events)
    )


RICH = next(filter(is_rich, (recorded(seed, 4, early_roll=True) for seed in range(200))))
"""Four players, with early rolls, merges, palaces, reshuffles, swaps, and a final scoring."""


def rich() -> Record:
    return copy.deepcopy(RICH)


# ---- round trips


def replayed(record: Record) -> Game:
    replay = Replay(record)
    while not replay.game.is_over:
        replay.step()
    replay.finish()
    return replay.game


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(9))
def test_a_record_comes_out_of_its_replay_byte_by_byte(seed: int) -> None:
    record = recorded(seed, 2 + seed % 3, early_roll=seed % 2 == 1, first=seed % 2)
    line = format_record(record)
    assert "\n" not in line
    assert parse_record(line) == record
    assert format_record(parse_record(line)) == line
    game = replayed(parse_record(line))
    assert format_record(game_record(game, record["names"])) == line


@pytest.mark.slow
def test_the_records_of_another_program() -> None:
    for line in SAMPLES.read_text().splitlines():
        record = parse_record(line)
        assert check_record(record) is None
        assert format_record(game_record(replayed(record), record["names"])) == line


def test_a_record_has_the_keys_of_its_format_in_order() -> None:
    assert list(RICH) == [
        *("format", "version", "board", "players", "options", "names", "seed", "first"),
        *("hands", "deck", "events", "result"),
    ]
    assert RICH["options"] == ["early_roll"]
    assert list(RICH["result"]) == ["scores", "hand_sizes", "winners", "end"]
    assert recorded(1, 2)["options"] == []


def test_names_and_seed_are_kept() -> None:
    game = play(Game(2, seed=5), random.Random(5))
    record = game_record(game, ["Ana ß", "λ"])
    assert record["names"] == ["Ana ß", "λ"]
    assert record["seed"] == 5
    assert "ß" in format_record(record)
    assert check_record(parse_record(format_record(record))) is None
    assert game_record(game)["names"] == ["seat 0", "seat 1"]
    with pytest.raises(RecordError, match="half a character"):
        game_record(game, ["A", "\ud800"])


def test_only_a_whole_game_has_a_record() -> None:
    game = Game(2, seed=5)
    with pytest.raises(RecordError, match="a record needs a finished game"):
        game_record(game)
    late = play(Game.from_position(game.text, seed=3), random.Random(3))
    with pytest.raises(RecordError, match="a game that began from a position has no record"):
        game_record(late)


# ---- replay


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
def test_a_replay_stands_where_the_game_stood(seed: int) -> None:
    game = Game(3, seed=seed, early_roll=True)
    texts = [game.text for _ in moves_by_chance(game, random.Random(seed))]
    record = game_record(game)
    replay = Replay(record)
    for text, move in zip(texts, game.moves, strict=True):
        assert replay.game.text == text
        assert replay.next_move() == move
        replay.step()
    assert replay.game.result == game.result
    for number in range(1, len(texts) + 1, 9):
        assert replay_to(record, number).text == texts[number - 1]
    assert replay_to(record, len(texts)).text == texts[-1]


def test_a_replay_knows_the_event_of_its_decision() -> None:
    replay = Replay(rich())
    while not replay.game.is_over:
        event = RICH["events"][replay.index]
        assert event["p"] == replay.game.seat
        replay.step()
    assert replay.index == len(RICH["events"])


@pytest.mark.parametrize("number", [0, -1, 10**6])
def test_a_decision_that_is_not_there(number: int) -> None:
    with pytest.raises(RecordError, match=r"decisions?, no decision"):
        replay_to(rich(), number)


def test_a_record_goes_on_by_itself_up_to_its_fault() -> None:
    """A fault late in a game does not hide the decisions before it."""
    record = rich()
    record["events"][-1]["points"] = [99]
    assert replay_to(record, 100).text == replay_to(RICH, 100).text


# ---- other boards


@pytest.mark.parametrize("name", BOARD_NAMES[1:])
def test_a_record_on_another_board_carries_its_hash(name: str) -> None:
    board = board_of(name)
    game = play(Game(2, board=board, seed=4), random.Random(4))
    record = parse_record(format_record(game_record(game)))
    assert record["board_sha256"] == board.sha256
    assert check_record(record, board) is None
    fault = f"board '{name}' is not built in: give its file too"
    assert check_record(record) == fault
    fault = f"board_sha256 is not that of the board {name!r} given"
    assert check_record({**record, "board_sha256": "0" * 64}, board) == fault
    assert check_record({k: v for k, v in record.items() if k != "board_sha256"}, board) == fault
    other = board_of("hexagon-24" if name != "hexagon-24" else "triangle-36")
    fault = f"the record is on board {name!r}, not on {other.name!r}"
    assert check_record(record, other) == fault


def test_a_record_on_a_built_in_board_carries_none() -> None:
    assert "board_sha256" not in RICH
    assert check_record(RICH, board_of("hexagon-24")) is None
    fault = "board_sha256 is not that of the board 'classic'"
    for other in ("0" * 64, None, 5, board_of("hexagon-24").sha256):
        assert check_record(RICH | {"board_sha256": other}) == fault
        assert check_record(RICH | {"board_sha256": other}, board_of("hexagon-24")) == fault
    assert check_record(RICH | {"board_sha256": board_of("classic").sha256}) is None


# ---- faults

Change = Callable[[Record], object]


def nth(record: Record, kind: str, number: int = 0) -> int:
    return [at for at, event in enumerate(record["events"]) if event["e"] == kind][number]


def change(kind: str, number: int = 0, **fields: Any) -> Change:
    """Other fields in an event."""
    return lambda record: record["events"][nth(record, kind, number)].update(fields)


def drop(kind: str, number: int = 0) -> Change:
    return lambda record: record["events"].pop(nth(record, kind, number))


def twice(kind: str, number: int = 0) -> Change:
    def spoil(record: Record) -> None:
        at = nth(record, kind, number)
        record["events"].insert(at, record["events"][at])

    return spoil


def swapped(kind: str, number: int, by: int) -> Change:
    """An event changes places with a later or earlier one."""

    def spoil(record: Record) -> None:
        at = nth(record, kind, number)
        events = record["events"]
        events[at], events[at + by] = events[at + by], events[at]

    return spoil


def header(**fields: Any) -> Change:
    return lambda record: record.update(fields)


def result(**fields: Any) -> Change:
    return lambda record: record["result"].update(fields)


def append(event: Record) -> Change:
    return lambda record: record["events"].append(event)


def edit(kind: str, field: str, how: Callable[[Any], Any], number: int = 0) -> Change:
    def spoil(record: Record) -> None:
        event = record["events"][nth(record, kind, number)]
        event[field] = how(event[field])

    return spoil


def reverse_deck(record: Record) -> None:
    record["deck"].reverse()


def cut(record: Record) -> None:
    del record["events"][-30:]


def exchange_cards(record: Record) -> None:
    record["hands"][0][0] = record["hands"][1][0]


FAULTS: dict[str, tuple[Change, str]] = {
    # The head
    "players": (header(players=5), "players must be 2, 3 or 4"),
    "players is a word": (header(players="4"), "players must be 2, 3 or 4"),
    "players is true": (header(players=True), "players must be 2, 3 or 4"),
    "options": (header(options=["hurry"]), "options must be []"),
    "options off": (header(options=[]), "event 1"),
    "seed": (header(seed="x"), "seed must be a whole number or null"),
    "first": (header(first=4), "first must be a seat"),
    "another first": (header(first=1), "event 1"),
    "names": (header(names=["a"]), "names must be 4 names"),
    "names of numbers": (header(names=[1, 2, 3, 4]), "names must be 4 names"),
    "events": (header(events={}), "events must be a list of objects"),
    "an event is a word": (header(events=["wall"]), "events must be a list of objects"),
    "no events": (header(events=[]), "event 1 is missing: the record ends"),
    "hands": (header(hands=[]), "hands must be 4 hands"),
    "a hand of five": (lambda r: r["hands"][0].pop(), "a hand must have 6 cards"),
    "cards": (exchange_cards, "hands and deck must be the 60 cards"),
    "a card unknown": (lambda r: r["deck"].append("x"), "deck is not a list of card names"),
    "a short deck": (lambda r: r["deck"].pop(), "hands and deck must be the 60 cards"),
    "another deck": (reverse_deck, "event"),
    "board": (header(board="chess"), "board 'chess' is not built in"),
    "board is a number": (header(board=3), "board is not a name"),
    # Building
    "a line that is taken": (
        lambda r: change("wall", 1, line=r["events"][nth(r, "wall")]["line"])(r),
        "is not legal: seat",
    ),
    "a line off the board": (change("wall", 0, line=170), "is not legal"),
    "a line that is a word": (change("wall", 0, line="5"), "is no decision"),
    "a line that is true": (change("wall", 0, line=True), "is no decision"),
    "a line that is not whole": (change("wall", 0, line=5.0), "is no decision"),
    "another seat": (change("wall", 3, p=0), "is not legal: seat 3"),
    "a field too many": (change("wall", 0, turn=1), "must be"),
    "early roll twice": (twice("early-roll"), "is not legal"),
    "early roll for two points": (change("early-roll", -1, points=-2), "must be"),
    "early roll for nothing": (
        lambda r: change("early-roll", costly(r), points=0)(r),
        "must be",
    ),
    "no roll": (drop("roll"), "event"),
    "two rolls": (twice("roll"), "event"),
    "a tower rolled for nothing": (
        lambda r: r["events"][first_without_tower(r)].update(tower="white"),
        "the tower die must not be rolled",
    ),
    "a tower not rolled": (change("roll", 0, tower=None), "the tower die must be rolled"),
    "a die of another color": (change("roll", 0, tower="red"), "is no roll"),
    "one house die": (change("roll", 0, houses=["red"]), "is no roll"),
    "a house die of another color": (change("roll", 0, houses=["red", "white"]), "is no roll"),
    "a tower of another color": (
        edit("towers", "put", lambda put: [[put[0][0], "pink"], *put[1:]]),
        "is no decision",
    ),
    "a tower elsewhere": (
        edit("towers", "put", lambda put: [[put[0][0] + 1, put[0][1]], *put[1:]]),
        "event",
    ),
    "no towers": (drop("towers"), "event"),
    "a house elsewhere": (
        edit("houses", "put", lambda put: [[put[0][0] + 3, put[0][1]], *put[1:]]),
        "event",
    ),
    "a house too many": (
        edit("houses", "put", lambda put: [*put, [103, "red"]]),
        "event",
    ),
    "no houses": (drop("houses"), "event"),
    # Cities
    "no city": (drop("city"), "must be"),
    "a city of other spaces": (edit("city", "spaces", lambda spaces: [*spaces, 103]), "must be"),
    "spaces out of order": (
        lambda r: edit("city", "spaces", lambda s: s[::-1], big_city(r))(r),
        "must be",
    ),
    "walls back from nowhere": (edit("city", "walls_back", lambda back: [*back, 169]), "must be"),
    "towers back from nowhere": (edit("city", "towers_back", lambda back: [*back, 66]), "must be"),
    "merge with nobody near": (change("merge", 0, **{"with": 254}), "is not legal"),
    "merge with a word": (change("merge", 0, **{"with": "17"}), "is no decision"),
    "merge without its walls": (
        lambda r: change("merge", real_merge(r), walls_back=[])(r),
        "must be",
    ),
    "no merge": (drop("merge"), "event"),
    "more palaces": (change("palaces", 0, built={"red": 3}), "must be"),
    "no palaces": (drop("palaces"), "must be"),
    # Cards
    "points": (edit("play", "points", lambda points: [points[0] + 1, *points[1:]]), "must be"),
    "points that are not whole": (
        edit("play", "points", lambda points: [float(points[0]), *points[1:]]),
        "must be",
    ),
    "a card that is not in hand": (
        lambda r: change("play", 0, cards=[not_in_hand(r)], points=[0])(r),
        "is not legal",
    ),
    "no card": (change("play", 0, cards=[], points=[]), "is not legal"),
    "a card of no name": (change("play", 0, cards=["city-pink"]), "is no decision"),
    "another card drawn": (edit("play", "drew", lambda drew: drew * 2), "must be"),
    "nothing drawn": (change("play", 0, drew=[]), "must be"),
    "abstain with two": (change("abstain", 0, card=["cities", "cities"]), "is no decision"),
    "abstain draws one": (edit("abstain", "drew", lambda drew: drew[:1]), "must be"),
    "scores out of order": (swapped("play", 0, 1), "event"),
    "a swap too many": (twice("swap", -1), "event"),
    "a swap left out": (drop("swap"), "event"),
    "a swap of other cards": (
        lambda r: edit("swap", "in", lambda cards: cards[::-1], real_swap(r))(r),
        "must be",
    ),
    "no reshuffle": (drop("reshuffle"), "event"),
    "a reshuffle too early": (swapped("reshuffle", 0, -1), "event"),
    "a reshuffle too late": (swapped("reshuffle", 0, 1), "event"),
    "a reshuffle of other cards": (
        edit("reshuffle", "deck", lambda deck: [*deck[1:], deck[1]]),
        "the new deck of a reshuffle is not the discard pile",
    ),
    "a reshuffle in another order": (edit("reshuffle", "deck", lambda d: d[::-1]), "event"),
    # The end
    "the end is missing": (cut, "event"),
    "the last event is missing": (
        lambda r: r["events"].pop(),
        "is missing: the record ends",
    ),
    "an event after the end": (
        append({"e": "wall", "p": 0, "line": 3}),
        "is too many: the game is over",
    ),
    "final left out": (drop("final"), "event"),
    "final for no city": (change("final", -1, city=254, cards=["cities"]), "event"),
    "final of three cards": (change("final", 0, cards=["cities"] * 3), "event"),
    "final order": (swapped("final", 0, 1), "event"),
    "scores": (result(scores=[1, 2, 3, 4]), "result: "),
    "hand sizes": (result(hand_sizes=[6, 6, 6, 6]), "result: "),
    "winners": (result(winners=[3]), "result: "),
    "winner is false": (result(winners=[False]), "result: "),
    "end": (result(end="houses"), "result: "),
    "result is empty": (header(result={}), "result: {} must be"),
    "result is missing": (lambda r: r.pop("result"), "result is missing"),
    "a field more in the result": (result(turns=33), "result: "),
    # Nonsense
    "an event of no kind": (change("wall", 0, e="jump"), "event"),
    "an event of many kinds": (change("wall", 0, e=["wall"]), "event"),
    "an event without a seat": (
        lambda r: r["events"][nth(r, "wall")].pop("p"),
        "event",
    ),
}


def first_without_tower(record: Record) -> int:
    return next(
        at
        for at, event in enumerate(record["events"])
        if event["e"] == "roll" and event["tower"] is None
    )


def of_kind(record: Record, kind: str) -> list[Record]:
    return [event for event in record["events"] if event["e"] == kind]


def costly(record: Record) -> int:
    return [event["points"] for event in of_kind(record, "early-roll")].index(-1)


def big_city(record: Record) -> int:
    return [len(event["spaces"]) > 1 for event in of_kind(record, "city")].index(True)


def real_merge(record: Record) -> int:
    return [event["with"] is not None for event in of_kind(record, "merge")].index(True)


def real_swap(record: Record) -> int:
    return [len(set(event["in"])) > 1 for event in of_kind(record, "swap")].index(True)


def not_in_hand(record: Record) -> str:
    """A card that nobody was dealt."""
    return next(name for name in CARDS if not any(name in hand for hand in record["hands"]))


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name: str) -> None:
    spoil, message = FAULTS[name]
    record = rich()
    spoil(record)
    fault = check_record(record)
    assert fault is not None
    assert message in fault
    assert "\n" not in fault
    assert len(fault) < 500


@pytest.mark.slow
def test_no_event_can_be_left_out_doubled_or_moved() -> None:
    events = RICH["events"]
    # But for the first: an early roll that costs nothing.
    for at in range(1, len(events) - 1, 7):
        without = events[:at] + events[at + 1 :]
        double = events[: at + 1] + events[at:]
        moved = [*events[:at], events[at + 1], events[at], *events[at + 2 :]]
        for other in (without, double, moved):
            assert check_record({**RICH, "events": other}) is not None


def test_readers_ignore_unknown_keys_at_the_top() -> None:
    assert check_record({**RICH, "comment": "well played", "elo": [1, 2]}) is None


def test_null_is_a_seed() -> None:
    assert check_record({**RICH, "seed": None}) is None


# ---- files


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"a": NaN}', "not JSON"),
        ("9" * 10_000, "not JSON"),
        ("[]", "not a game record"),
        ('"masons-record"', "not a game record"),
        ('{"format": "masons"}', 'it must be an object with "format": "masons-record"'),
        ('{"format": "masons-record"}', "version null: only"),
        ('{"format": "masons-record", "version": 2}', "version 2: only"),
        ('{"format": "masons-record", "version": true}', "version true: only"),
    ],
)
def test_a_line_that_is_no_record(line: str, message: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_record(line)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_record_of_nothing_is_a_fault() -> None:
    assert check_record({}) == "players must be 2, 3 or 4"


def test_the_nth_record_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    records = [recorded(seed, 2) for seed in range(2)]
    lines = [format_record(record) for record in records]
    path.write_text(f"\n{lines[0]}\n\n  \n{lines[1]}")
    assert read_record(path) == records[0]
    assert read_record(str(path), 2) == records[1]
    for number in (3, 0, -1):
        with pytest.raises(RecordError, match=f"has 2 records, no record {number}"):
            read_record(path, number)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path, "a\0b"):
        with pytest.raises(RecordError, match="cannot read "):
            read_record(path)
    (tmp_path / "bytes").write_bytes(b"{}\n\xff\xfe\n")
    with pytest.raises(RecordError, match="bytes, line 2 is not UTF-8 text"):
        read_record(tmp_path / "bytes", 2)
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(RecordError, match="has 0 records, no record 1"):
        read_record(tmp_path / "empty")
    (tmp_path / "one").write_text(f"\n{format_record(RICH)}\nnonsense")
    with pytest.raises(RecordError, match="one, record 2: not JSON, as a game record is"):
        read_record(tmp_path / "one", 2)
    (tmp_path / "one").write_text(format_record(RICH))
    with pytest.raises(RecordError, match=r"one has 1 record, no record 2$"):
        read_record(tmp_path / "one", 2)


def test_lines_are_read_one_by_one() -> None:
    line = json.dumps({"format": "masons-record"})
    assert list(read_lines(BytesIO(f"{line}\r\n\n{line}".encode()))) == [f"{line}\r\n", line]


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    line = format_record(RICH)
    path = tmp_path / "games.jsonl"
    for begin in ("", "\n", "\r\n"):
        path.write_text(f"{begin}{line}\n{line}\n", encoding="utf-8-sig")
        assert read_record(path) == read_record(path, 2) == RICH
    with pytest.raises(RecordError, match="not JSON at column 1: Unexpected UTF-8 BOM"):
        parse_record(f"\ufeff{line}")


@pytest.mark.parametrize("part", ['"line"', '"e"', '"players"', '"scores"', '"format"'])
def test_no_key_stands_twice(part: str) -> None:
    line = format_record(RICH)
    assert parse_record(line) == RICH
    twice = line.replace(part, f"{part}: 0, {part}", 1)
    with pytest.raises(RecordError, match=f"^the key {part} stands twice in one object$"):
        parse_record(twice)


def test_a_line_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("masons.engine.game.record.MAX_LINE", 100)
    with pytest.raises(RecordError, match="line 1 is longer than 100 bytes"):
        list(read_lines(BytesIO(b" " * 101)))
