"""Game records: byte-stable round trips, replay to any decision, and every kind of fault."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from masons.engine.board.components import CARDS
from masons.engine.errors import MasonsError, RecordError
from masons.engine.formats.record_endings import (
    FORFEITS,
    STOPPED,
    Forfeit,
    Stopped,
    chosen_by_another,
)
from masons.engine.game.game import Game
from masons.engine.game.record import (
    format_record,
    game_record,
    parse_record,
    read_lines,
    read_record,
)
from masons.engine.game.replay import Replay, check_record, replay_to
from tests.support import reference
from tests.support.paths import DATA
from tests.support.playing import BOARD_NAMES, board_of, moves_by_chance, pick, play
from tests.support.thinned import thinned

SAMPLES = (DATA / "sample_records.jsonl").read_text().splitlines()
Record = dict[str, Any]


def recorded(seed: int, players: int, *, early_roll: bool = False, first: int = 0) -> Record:
    """A game that was played by chance."""
    game = Game(players, seed=seed, early_roll=early_roll, first=first)
    return game_record(play(game, random.Random(seed)))


EVENTS = {
    *("early-roll", "wall", "roll", "towers", "houses", "city", "merge", "palaces"),
    *("play", "abstain", "swap", "reshuffle", "final"),
}


def is_rich(record: Record) -> bool:
    """Every event occurs, and those that the faults below need in the form they need."""
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
    assert_comes_out(line)


@pytest.mark.parametrize("number", range(len(SAMPLES)))
def test_a_frozen_record_comes_out_of_its_replay(number: int) -> None:
    """The first six were made by another program; together they show all that is rare."""
    assert_comes_out(SAMPLES[number])


def assert_comes_out(line: str) -> None:
    """A record comes out of its replay byte by byte."""
    record = parse_record(line)
    assert format_record(record) == line
    assert format_record(game_record(replayed(record), record["names"])) == line


def test_a_record_has_the_keys_of_its_format_in_order() -> None:
    assert list(RICH) == [
        *("format", "version", "board", "players", "options", "names", "seed", "first"),
        *("hands", "deck", "events", "result"),
    ]
    assert RICH["options"] == ["early_roll"]
    assert list(RICH["result"]) == ["scores", "hand_sizes", "winners", "end"]
    assert recorded(1, 2)["options"] == []
    assert RICH["names"] == [f"seat {seat}" for seat in range(4)]
    more = {"comment": "well played", "elo": [1, 2], "seed": None, "names": ["Ana ß", *"λαβ"]}
    assert check_record(parse_record(format_record({**RICH, **more}))) is None
    assert "ß" in format_record({**RICH, **more})
    with pytest.raises(RecordError, match="half a surrogate pair"):
        game_record(play(Game(2, seed=5), random.Random(5)), ["A", "\ud800"])


def test_only_a_whole_game_has_a_record() -> None:
    game = Game(2, seed=5)
    with pytest.raises(RecordError, match=r"a finished game, .* stopped=masons\.Stopped\("):
        game_record(game)
    with pytest.raises(RecordError, match="why one of resigned, adjourned"):
        game_record(game, stopped=Stopped("resigned", 2))
    with pytest.raises(RecordError, match="why one of crash, stall"):
        game_record(game, stopped=Stopped("cut"), forfeits=[Forfeit(2, 1, "time")])
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
        assert record["events"][replay.index]["p"] == replay.game.seat
        replay.step()
    assert replay.game.result == game.result
    for number in range(1, len(texts) + 1, 9):
        assert replay_to(record, number).text == texts[number - 1]
    assert replay_to(record, len(texts)).text == texts[-1]


@pytest.mark.parametrize("number", [0, -1, 10**6])
def test_a_decision_that_is_not_there(number: int) -> None:
    right = "decisions count from 1" if number < 1 else r"no decision a?.*: [0-9]+ names its end"
    with pytest.raises(RecordError, match=right):
        replay_to(rich(), number)


def test_the_end_of_a_finished_game_follows_its_last_decision() -> None:
    game = play(Game(2, seed=5), random.Random(5))
    end = replay_to(game_record(game), game.decisions + 1)
    assert (end.text, end.result) == (game.text, game.result)


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
Picked = int | Callable[[Record], bool]  # which of the events of a kind: a number, or what it has


def place_of(record: Record, kind: str, which: Picked = 0) -> int:
    """Where an event stands: the one of that number, or the first that is like that."""
    places = [at for at, event in enumerate(record["events"]) if event["e"] == kind]
    if isinstance(which, int):
        return places[which]
    return next(at for at in places if which(record["events"][at]))


def change(kind: str, which: Picked = 0, /, **fields: Any) -> Change:
    """Other fields in an event; those that are functions get the old value."""

    def spoil(record: Record) -> None:
        event = record["events"][place_of(record, kind, which)]
        new = {key: how(event[key]) if callable(how) else how for key, how in fields.items()}
        event.update(new)

    return spoil


def header(**fields: Any) -> Change:
    return lambda record: record.update(fields)


def result(**fields: Any) -> Change:
    return lambda record: record["result"].update(fields)


def moved(by: int) -> Callable[[Any], Any]:
    return lambda put: [[put[0][0] + by, put[0][1]], *put[1:]]


def exchange_cards(record: Record) -> None:
    record["hands"][0][0] = record["hands"][1][0]


def foreign_card(record: Record) -> None:
    """A play of a card that nobody was dealt."""
    card = next(name for name in CARDS if not any(name in hand for hand in record["hands"]))
    change("play", cards=[card], points=[0])(record)


FAULTS: dict[str, tuple[Change, str]] = {
    # The head
    "format": (header(format="x"), "not a game record: it must be an object with"),
    "version": (header(version=2), "version 2: only version 1 is known"),
    "no names": (lambda r: r.pop("names"), "names is missing: it must be a list of 4 names"),
    "NaN": (header(seed=math.nan), "the record cannot be written as JSON"),
    "players": (header(players=5), "players is 5: it must be 2, 3 or 4"),
    "options": (header(options=["hurry"]), 'options is ["hurry"]: it must be []'),
    "options off": (header(options=[]), "event 1"),
    "seed": (header(seed="x"), 'seed is "x": it must be a whole number or null'),
    "first": (header(first=4), "first is 4: it must be a seat from 0 to 3"),
    "another first": (header(first=1), "event 1"),
    "names": (header(names=["a"]), 'names is ["a"]: it must be a list of 4 names'),
    "events": (header(events={}), "events is {}: it must be a list of objects"),
    "an event is a word": (header(events=["wall"]), "it must be a list of objects"),
    "no events": (header(events=[]), "event 1 is missing: the record ends"),
    "hands": (header(hands=[]), "hands is []: it must be a list of 4 hands"),
    "a hand of five": (
        lambda r: r["hands"][0].pop(),
        "the hand of seat 0 has 5 cards: it must have 6",
    ),
    "cards": (exchange_cards, "hands and deck must be the 60 cards"),
    "a card unknown": (
        lambda r: r["deck"].append("x"),
        'deck has a card "x": a card has a name like',
    ),
    "a short deck": (lambda r: r["deck"].pop(), "hands and deck must be the 60 cards"),
    "another deck": (lambda r: r["deck"].reverse(), "event"),
    "board": (header(board="chess"), "board 'chess' is not built in"),
    "board is a number": (header(board=3), "board is 3: it must be a name"),
    # Building
    "a line that is taken": (
        lambda r: change("wall", 1, line=r["events"][place_of(r, "wall")]["line"])(r),
        "is not legal: seat",
    ),
    "a line off the board": (change("wall", line=170), "is not legal"),
    "another seat": (change("wall", 3, p=0), "is not legal: seat 3"),
    "a field too many": (change("wall", turn=1), "must be"),
    "early roll for two points": (change("early-roll", -1, points=-2), "must be"),
    "early roll for nothing": (change("early-roll", lambda e: e["points"], points=0), "must be"),
    "a tower rolled for nothing": (
        change("roll", lambda e: not e["tower"], tower="white"),
        "the tower die must not be rolled",
    ),
    "a tower not rolled": (change("roll", tower=None), "the tower die must be rolled"),
    "a die of another color": (change("roll", tower="red"), "is not a roll"),
    "one house die": (change("roll", houses=["red"]), "is not a roll"),
    "a house die of another color": (change("roll", houses=["red", "white"]), "is not a roll"),
    "a tower of another color": (
        change("towers", put=lambda put: [[put[0][0], "pink"], *put[1:]]),
        "is not a decision",
    ),
    "a tower elsewhere": (change("towers", put=moved(1)), "event"),
    "a house too many": (change("houses", put=lambda put: [*put, [103, "red"]]), "event"),
    # Cities
    "a city of other spaces": (change("city", spaces=lambda spaces: [*spaces, 103]), "must be"),
    "spaces out of order": (
        change("city", lambda e: len(e["spaces"]) > 1, spaces=lambda spaces: spaces[::-1]),
        "must be",
    ),
    "walls back from nowhere": (change("city", walls_back=lambda back: [*back, 169]), "must be"),
    "towers back from nowhere": (change("city", towers_back=lambda back: [*back, 66]), "must be"),
    "merge with nobody near": (change("merge", **{"with": 254}), "is not legal"),
    "merge without its walls": (
        change("merge", lambda e: e["with"] is not None, walls_back=[]),
        "must be",
    ),
    "more palaces": (change("palaces", built={"red": 3}), "must be"),
    # Cards
    "points": (change("play", points=lambda points: [points[0] + 1, *points[1:]]), "must be"),
    "points that are not whole": (change("play", points=lambda p: [*map(float, p)]), "must be"),
    "a card that is not in hand": (foreign_card, "is not legal"),
    "no card": (change("play", cards=[], points=[]), "is not legal"),
    "a card of no name": (change("play", cards=["city-pink"]), "is not a decision"),
    "another card drawn": (change("play", drew=lambda drew: drew * 2), "must be"),
    "nothing drawn": (change("play", drew=[]), "must be"),
    "abstain with two": (change("abstain", card=["cities", "cities"]), "is not a decision"),
    "abstain draws one": (change("abstain", drew=lambda drew: drew[:1]), "must be"),
    "a swap of other cards": (
        change("swap", lambda e: len(set(e["in"])) > 1, **{"in": lambda cards: cards[::-1]}),
        "must be",
    ),
    "a reshuffle of other cards": (
        change("reshuffle", deck=lambda deck: [*deck[1:], deck[1]]),
        "the new deck of a reshuffle is not the discard pile",
    ),
    "a reshuffle in another order": (change("reshuffle", deck=lambda d: d[::-1]), "event"),
    # The end
    "the last event is missing": (lambda r: r["events"].pop(), "is missing: the record ends"),
    "an event after the end": (
        lambda r: r["events"].append({"e": "wall", "p": 0, "line": 3}),
        "is too many: the game is over",
    ),
    "final for no city": (change("final", -1, city=254, cards=["cities"]), "event"),
    "final of three cards": (change("final", cards=["cities"] * 3), "event"),
    "scores": (result(scores=[1, 2, 3, 4]), "result: "),
    "hand sizes": (result(hand_sizes=[6, 6, 6, 6]), "result: "),
    "winners": (result(winners=[3]), "result: "),
    "end": (result(end="houses"), "result: "),
    "result is empty": (header(result={}), "result: {} must be"),
    "result is missing": (lambda r: r.pop("result"), "result is missing"),
    "a field more in the result": (result(turns=33), "result: "),
    # Nonsense
    "an event without a seat": (lambda r: r["events"][place_of(r, "wall")].pop("p"), "event"),
}


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
    # The plain reference of the rules notices it, too.
    assert reference.fault_of(record, board_of("classic").to_dict()) != ""


@pytest.mark.slow
def test_no_event_can_be_left_out_doubled_or_moved() -> None:
    """One of each kind; the plain reference of the rules notices it, too."""
    events, description = RICH["events"], board_of("classic").to_dict()
    # But for early rolls that cost nothing.
    later = [(at, event) for at, event in enumerate(events[:-1]) if event.get("points") != 0]
    for at in {event["e"]: at for at, event in reversed(later)}.values():
        without = events[:at] + events[at + 1 :]
        double = events[: at + 1] + events[at:]
        moved = [*events[:at], events[at + 1], events[at], *events[at + 2 :]]
        for other in (without, double, moved):
            assert check_record({**RICH, "events": other}) is not None
            assert reference.fault_of({**RICH, "events": other}, description) != ""


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


def test_the_nth_record_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    records = [recorded(seed, 2) for seed in range(2)]
    lines = [format_record(record) for record in records]
    path.write_text(f"\n{lines[0]}\n\n  \n{lines[1]}")
    assert read_record(path) == records[0]
    assert read_record(str(path), 2) == records[1]
    for number, fault in (
        (3, "has 2 records, no record 3"),
        (0, "number is 0: records count from 1"),
    ):
        with pytest.raises(RecordError, match=fault):
            read_record(path, number)
    with pytest.raises(RecordError, match="path is '': it must be the name of a file"):
        read_record("")


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
    with pytest.raises(RecordError, match=f"^the key {part} occurs twice in one object$"):
        parse_record(twice)


def test_a_line_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("masons.engine.game.record.MAX_LINE", 100)
    with pytest.raises(RecordError, match="line 1 is longer than 100 bytes"):
        list(read_lines(BytesIO(b" " * 101)))


# ---- what may stand in any order: placements, and cards played or swapped

RECORDS = [recorded(seed, 2 + seed % 3, early_roll=seed % 2 == 1) for seed in range(6)]
FREE = {"towers": ("put",), "houses": ("put",), "play": ("cards", "points"), "swap": ("out",),
        "final": ("cards", "points")}  # fmt: skip


def mixed(record: Record, rng: random.Random) -> Record:
    """A record with every list of free order in another order, parallel lists alike."""
    other = copy.deepcopy(record)
    for event in other["events"]:
        keys = FREE.get(event["e"], ())
        order = list(range(len(event[keys[0]]))) if keys else []
        rng.shuffle(order)
        for key in keys:
            event[key] = [event[key][place] for place in order]
    return other


def texts(record: Record) -> Iterator[str]:
    """The positions of a game, one after each decision."""
    replay = Replay(record)
    while not replay.is_done:
        replay.step()
        yield replay.game.text
    replay.finish()


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(st.sampled_from(RECORDS), st.randoms(use_true_random=False))
def test_any_order_is_the_same_game(record: Record, rng: random.Random) -> None:
    other = mixed(record, rng)
    assert check_record(other) is None
    assert list(texts(other)) == list(texts(record))


def test_an_order_that_means_something_is_kept() -> None:
    """Drawn cards come in the order of the deck."""
    record = copy.deepcopy(RECORDS[0])
    drawn = next(e for e in record["events"] if len(set(e.get("drew", ()))) == 2)
    drawn["drew"].reverse()
    assert "must be" in str(check_record(record))


def chosen_and_forced(record: Record) -> dict[str, list[int]]:
    """The first event of each kind that a seat chose, and the first that followed by the rules."""
    events: dict[str, dict[bool, int]] = {}
    replay = Replay(record)
    while not replay.is_done:
        index, done = replay.index, len(replay.game.log)
        replay.step()
        for number in range(done, len(replay.game.log)):
            events.setdefault(record["events"][number]["e"], {}).setdefault(number == index, number)
    return {kind: list(numbers.values()) for kind, numbers in events.items()}


CHOSEN_AND_FORCED = chosen_and_forced(RECORDS[0])
NO_FIELDS = (None, True, -1, 10**30, 0.5, "", "x", [], [[]], [""], [{}], [None], {}, {"x": 1})
NO_PLACES = (
    [[0]], [[0, "white", 1]], [["0", "white"]], [[True, "white"]], [[0, "pink"]], [0, 1],
    [[0, "white"]] * 2, [[0, None]], {"0": "white"},
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", CHOSEN_AND_FORCED)
def test_no_field_of_an_event_is_trusted(kind: str) -> None:
    for number in CHOSEN_AND_FORCED[kind]:
        event = RECORDS[0]["events"][number]
        keyed = {key: dict.fromkeys(event[key]) for key in ("cards", "out") if event.get(key)}
        others = [(key, value) for key in event for value in NO_FIELDS if value != event[key]]
        others += [("put", value) for value in NO_PLACES if "put" in event]
        for key, value in [*others, *keyed.items(), ("another", 1)]:
            record = copy.deepcopy(RECORDS[0])
            record["events"][number][key] = value
            fault = check_record(record)
            assert fault is not None, (number, key, value)
            assert "event " in fault
            assert "\n" not in fault


# ---- games that did not end, and games in which somebody else chose for a seat

WHOLE = [recorded(4, 4), recorded(5, 3, early_roll=True)]


def cut(record: Record, events: int, **more: Any) -> Record:
    short = copy.deepcopy({**record, "result": None, **more})
    del short["events"][events:]
    return short


def fault_of(record: Record, **more: Any) -> str:
    fault = check_record({**record, **more})
    assert fault is not None
    assert "\n" not in fault
    return fault


@pytest.mark.slow
def test_a_record_may_stop_after_any_event() -> None:
    """In the middle of what the rules force, before dice, before and after a reshuffle."""
    for record in WHOLE:
        assert any(event["e"] == "reshuffle" for event in record["events"])
        every = range(len(record["events"]))
        for events in thinned(every, 5 if record is WHOLE[0] else 11):
            assert check_record(cut(record, events)) is None, events


@pytest.mark.slow
@pytest.mark.parametrize("stopped", [Stopped("adjourned"), Stopped("resigned", 1)])
def test_the_record_of_a_stopped_game_comes_out_of_its_replay(stopped: Stopped) -> None:
    game, chance = Game(3, seed=8), random.Random(8)
    for _ in range(50):
        record = game_record(game, stopped=stopped)
        replay = Replay(parse_record(json.dumps(record)))
        replay.check()
        assert (replay.stopped, replay.winners) == (stopped, ())
        assert game_record(replay.game, stopped=stopped)["events"] == record["events"]
        assert replay_to(record, game.decisions + 1).text == game.text
        with pytest.raises(RecordError, match=f"no decision {game.decisions + 2}"):
            replay_to(record, game.decisions + 2)
        game.apply(pick(game, chance))


def test_a_finished_game_was_not_stopped() -> None:
    game = play(Game(2, seed=5), random.Random(5))
    with pytest.raises(RecordError, match="was not stopped"):
        game_record(game, stopped=Stopped("cut"))
    record = game_record(game)
    assert "result" in fault_of(record, stopped={"why": "cut", "seat": None})
    assert "result: null must be" in fault_of(record, result=None)
    del record["result"]
    assert "result is missing" in fault_of(record)


def test_what_stands_after_the_cut_is_checked() -> None:
    record = cut(WHOLE[0], 40)
    assert check_record({**record, "unknown": 3, "events": record["events"]}) is None
    for number in range(40):
        worse = copy.deepcopy(record)
        del worse["events"][number]
        if number < 39:
            fault_of(worse)
    late = {"e": "reshuffle", "deck": record["deck"]}
    assert "too many" in fault_of({**record, "events": [*record["events"], late]})
    deck = next(n for n, event in enumerate(WHOLE[0]["events"]) if event["e"] == "reshuffle")
    gone = copy.deepcopy(cut(WHOLE[0], deck + 20))
    del gone["events"][deck]
    assert "reshuffle" in fault_of(gone)


@pytest.mark.parametrize("why", STOPPED)
@pytest.mark.parametrize("seat", [None, 0, 3])
def test_every_way_of_stopping_is_read(why: str, seat: int | None) -> None:
    record = cut(WHOLE[0], 10, stopped={"why": why, "seat": seat})
    replay = Replay(record)
    replay.check()
    assert replay.stopped == Stopped(why, seat)
    assert replay.stopped.words(["A", "B", "C", "D"]).startswith("The game did not end: ")


@pytest.mark.parametrize(
    "stopped",
    [None, 3, "cut", [], {}, {"why": "cut"}, {"seat": 0}, {"why": "left", "seat": 0},
     {"why": "cut", "seat": 4}, {"why": "cut", "seat": -1}, {"why": "cut", "seat": True},
     {"why": "cut", "seat": "0"}, {"why": [], "seat": 0}, {"why": "cut", "seat": 0, "x": 1}],
)  # fmt: skip
def test_what_stopped_may_not_be(stopped: object) -> None:
    fault = fault_of(cut(WHOLE[0], 10), stopped=stopped)
    assert "resigned, adjourned, forfeit, cut" in fault


@pytest.mark.parametrize(
    "forfeits",
    [None, 3, {}, [3], [{}], [{"seat": 0, "event": 1}],
     [{"seat": 4, "event": 1, "why": "time"}], [{"seat": 0, "event": 11, "why": "time"}],
     [{"seat": 0, "event": -1, "why": "time"}], [{"seat": 0, "event": 1.0, "why": "time"}],
     [{"seat": 0, "event": 1, "why": "resigned"}], [{"seat": 0, "event": 1, "why": {}}],
     [{"seat": 0, "event": 1, "why": "time", "x": 0}],
     [{"seat": 0, "event": 1, "why": "time"}, {"seat": 0, "event": 2, "why": "time"}]],
)  # fmt: skip
def test_what_forfeits_may_not_be(forfeits: object) -> None:
    assert "forfeits" in fault_of(cut(WHOLE[0], 10), forfeits=forfeits)


@pytest.mark.parametrize(
    ("why", "seat", "event"),
    [("bored", 0, 1), (None, 0, 1), ([], 0, 1), ("cut time", 0, 1), (..., 4, 1), (..., -1, 1),
     (..., True, 1), (..., "0", 1)],
)  # fmt: skip
def test_an_ending_is_checked_when_it_is_made(why: Any, seat: Any, event: int) -> None:
    with pytest.raises(RecordError, match="why one of resigned, adjourned, forfeit, cut, seat"):
        Stopped("cut" if why is ... else why, seat)
    with pytest.raises(RecordError, match="why one of crash, stall, time, illegal, protocol, seat"):
        Forfeit(seat, event, "time" if why is ... else why)
    with pytest.raises(RecordError, match=r"event -1: .* event 0 or more"):
        Forfeit(0, -1, "time")


def test_an_ending_in_words_needs_the_name_of_its_seat() -> None:
    for ending in (Stopped("resigned", 2), Forfeit(2, 1, "time")):
        assert "seat 2 (C)" in ending.words(["A", "B", "C"]).replace("Seat", "seat")
        with pytest.raises(RecordError, match="names are 1: there is none for seat 2"):
            ending.words(["A"])
        with pytest.raises(MasonsError, match="names is 5: it must be the names of the seats"):
            ending.words(5)  # type: ignore[arg-type]


def test_a_stand_in_chooses_from_the_event_of_the_forfeit_on() -> None:
    forfeits = (Forfeit(1, 4, "time"),)
    assert [chosen_by_another(forfeits, 1, event) for event in (3, 4, 5)] == [False, True, True]
    assert not chosen_by_another(forfeits, 0, 5)


@pytest.mark.slow
@pytest.mark.parametrize("why", FORFEITS)
def test_who_forfeited_does_not_win(why: str) -> None:
    winner = WHOLE[0]["result"]["winners"][0]
    for record in (WHOLE[0], cut(WHOLE[0], 200)):
        replay = Replay({**record, "forfeits": [{"seat": winner, "event": 99, "why": why}]})
        told = []
        while not replay.is_done:
            told += replay.new_forfeits()
            is_later = replay.index >= 99 and replay.game.seat == winner
            assert replay.by_stand_in == is_later
            replay.step()
        replay.finish()
        assert told == [Forfeit(winner, 99, why)]
        assert winner not in replay.winners
        assert bool(replay.winners) == (record is WHOLE[0])
    everybody = [{"seat": seat, "event": 0, "why": why} for seat in range(4)]
    replay = Replay({**WHOLE[0], "forfeits": everybody})
    replay.check()
    assert replay.winners == ()
