"""The reference of the rules passes right records and bites at wrong ones."""

from __future__ import annotations

import copy
import json
import random
import re
from collections import Counter
from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest

from tests.support.paths import DATA
from tests.support.reference import moves
from tests.support.reference.board import Board
from tests.support.reference.cards import card_values
from tests.support.reference.check import RARE, check_record, decision_counts, decisions
from tests.support.reference.classic import classic_board
from tests.support.reference.fields import RecordFault
from tests.support.reference.material import CARDS, HOUSE_COLORS
from tests.support.reference.position import Position, find_cities, holes
from tests.support.reference.replay import Replay

Record = dict[str, Any]

BOARD = classic_board()
SAMPLES: list[Record] = [
    json.loads(line) for line in (DATA / "sample_records.jsonl").read_text().splitlines()
]
HOLE, HOUSES, FOUR, RING, TOWERS, WALLS = range(6)
"""The samples by what is in them: a city merged with its hole, a game ended by houses, one of
four players, one with the whole board walled round, one ended by towers, one ended by walls."""


def sample(which: int) -> Record:
    """A copy of a sample record."""
    return copy.deepcopy(SAMPLES[which])


def faults(record: Any) -> list[str]:
    """What the reference says about a record on `classic`."""
    return check_record(record, BOARD)


def nth(record: Record, kind: str, number: int = 0) -> int:
    """Where the event of this kind and number stands; negative numbers count from the end."""
    return [at for at, event in enumerate(record["events"]) if event["e"] == kind][number]


# ---- the board


def test_classic_is_as_large_as_the_rules_say() -> None:
    regions = Counter(space["region"] for space in BOARD["spaces"])
    assert (len(BOARD["spaces"]), len(BOARD["lines"]), len(BOARD["towers"])) == (104, 170, 67)
    assert regions == {1: 35, 2: 34, 3: 35}
    assert sum(tower["shore"] for tower in BOARD["towers"]) == 18


def test_classic_hangs_together() -> None:
    for space in BOARD["spaces"]:
        around = [line["id"] for line in BOARD["lines"] if space["id"] in line["spaces"]]
        corners = {tower for line in around for tower in BOARD["lines"][line]["towers"]}
        assert (around, sorted(corners)) == (space["lines"], space["towers"])
    edges = [line for line in BOARD["lines"] if line["spaces"][1] is None]
    assert len(edges) == 28


# ---- right records


@pytest.mark.parametrize("record", SAMPLES)
def test_samples_are_right(record: Record) -> None:
    assert faults(record) == []


def test_samples_show_what_they_were_chosen_for() -> None:
    counters: dict[str, int] = {}
    for record in SAMPLES:
        check_record(record, BOARD, counters)
    unseen = {what for what in RARE if not counters.get(what)}
    only_by_hand = {"reshuffle-put-off", "draw-short", "early-roll", "early-roll-at-0"}
    assert unseen == {*only_by_hand, "win-shared"}
    assert counters["games"] == len(SAMPLES)
    assert counters["cities"] == sum(event["e"] == "city" for r in SAMPLES for event in r["events"])


def test_keys_of_the_future_are_no_fault() -> None:
    assert faults(sample(TOWERS) | {"comment": "unknown keys are ignored"}) == []


def test_the_board_hash_is_compared_where_given() -> None:
    record = sample(TOWERS) | {"board_sha256": "ab" * 32}
    assert check_record(record, BOARD, sha256="ab" * 32) == []
    assert check_record(record, BOARD, sha256="cd" * 32) != []


def test_a_final_may_name_another_city_of_the_same_total() -> None:
    record, counters = sample(RING), dict[str, int]()
    assert check_record(record, BOARD, counters) == []
    assert counters["final-city-not-lowest"] == 0
    assert check_record(SAMPLES[WALLS], BOARD, counters) == []
    assert counters["final-city-not-lowest"] == 1


def early_rolled() -> Record:
    """The game ended by walls, with an early roll at 0 points and one that costs a point."""
    record = sample(WALLS)
    record["options"] = ["early_roll"]
    last = nth(record, "wall", -1)
    player = record["events"][last]["p"]
    record["events"].insert(last, {"e": "early-roll", "p": player, "points": -1})
    record["events"].insert(0, {"e": "early-roll", "p": record["first"], "points": 0})
    record["result"]["scores"][player] -= 1
    return record


def test_early_rolls() -> None:
    counters: dict[str, int] = {}
    assert check_record(early_rolled(), BOARD, counters) == []
    assert (counters["early-roll"], counters["early-roll-at-0"]) == (2, 1)
    assert faults(early_rolled() | {"options": []})[0].startswith("event 0 (early-roll): should")


def test_an_early_roll_is_made_once_a_turn_and_costs_a_point() -> None:
    record = early_rolled()
    record["events"].insert(1, {"e": "early-roll", "p": record["first"], "points": 0})
    assert faults(record) == ["event 1 (early-roll): should be wall"]
    record = early_rolled()
    record["events"][nth(record, "early-roll", 1)]["points"] = 0
    assert "'points' is 0, should be -1" in faults(record)[0]


# ---- wrong records

Change = Callable[[Record], Any]


def change_event(kind: str, /, number: int = 0, **fields: Any) -> Change:
    """Give fields of an event other values."""

    def change(record: Record) -> None:
        record["events"][nth(record, kind, number)].update(fields)

    return change


def move_event(kind: str, number: int, by: int) -> Change:
    """Let an event stand earlier or later."""

    def change(record: Record) -> None:
        at = nth(record, kind, number)
        record["events"].insert(at + by, record["events"].pop(at))

    return change


def drop_event(kind: str, number: int = 0) -> Change:
    """Leave an event out."""
    return lambda record: record["events"].pop(nth(record, kind, number))


def reverse(kind: str, number: int, field: str) -> Change:
    """Turn a list in an event round."""
    return lambda record: record["events"][nth(record, kind, number)][field].reverse()


def result(**fields: Any) -> Change:
    """Give fields of the result other values."""
    return lambda record: record["result"].update(fields)


def header(**fields: Any) -> Change:
    """Give fields of the header other values."""
    return lambda record: record.update(fields)


def lay(kind: str, number: int, *put: tuple[int, str]) -> Change:
    """Place other towers or houses."""
    return change_event(kind, number, put=[list(one) for one in put])


WRONG: list[tuple[str, int, Change, str]] = [
    ("points", HOLE, change_event("play", points=[3]), r"event 67 \(play\): 'points' is"),
    ("drew order", HOLE, reverse("abstain", 0, "drew"), r"event 99 \(abstain\): drew"),
    ("drew too few", HOLE, change_event("abstain", drew=["city-palaces"]), "drew"),
    ("swapped in order", HOLE, reverse("swap", 0, "in"), r"event 69 \(swap\): drew"),
    ("palaces left out", HOLE, drop_event("palaces", 2), "should be palaces"),
    ("palaces of none", HOLE, change_event("palaces", 1, built={"red": 1, "blue": 0}), "built"),
    ("too many palaces", HOLE, change_event("palaces", 1, built={"red": 2}), "built"),
    ("winner", HOLE, result(winners=[0]), r"result: 'winners' is \[0\], should be \[1\]"),
    ("no tie break", TOWERS, result(winners=[0, 1]), r"result: 'winners'"),
    ("scores", HOLE, result(scores=[27, 30]), r"result: 'scores'"),
    ("hand sizes", HOLE, result(hand_sizes=[5, 6]), r"result: 'hand_sizes'"),
    ("second supply out names the end", WALLS, result(end="houses"), r"result: 'end'"),
    ("reshuffle after its event", HOUSES, move_event("reshuffle", 0, 1), "no reshuffle stands"),
    ("reshuffle one event early", HOUSES, move_event("reshuffle", 0, -1), "was due before it"),
    ("reshuffle before its event", WALLS, move_event("reshuffle", 0, -1), "was due before it"),
    ("reshuffle left out", WALLS, drop_event("reshuffle"), "event 132 .* should be reshuffle"),
    ("reshuffled cards", WALLS, change_event("reshuffle", deck=[]), "is not the discard pile"),
    ("merge left out", HOUSES, drop_event("merge"), "should be merge"),
    ("no merge, but walls back", HOUSES, change_event("merge", walls_back=[3]), "walls_back"),
    ("merge with itself", HOLE, change_event("merge", 0, **{"with": 20}), "'with' is 20"),
    ("merge walls", HOLE, change_event("merge", walls_back=[73, 74]), "walls_back"),
    ("merge towers", HOLE, change_event("merge", towers_back=[26]), "towers_back"),
    ("city left out", HOLE, drop_event("city"), "should be city"),
    ("city spaces", HOLE, change_event("city", 1, spaces=[58, 71]), "spaces"),
    ("city walls", HOLE, change_event("city", 5, walls_back=[]), "walls_back"),
    ("city towers", RING, change_event("city", towers_back=[8]), "towers_back"),
    ("wall on a wall", HOLE, change_event("wall", 5, line=SAMPLES[HOLE]["events"][0]["line"]), ""),
    ("wall inside a city", HOLE, change_event("wall", -1, line=72), "line 72 is not legal"),
    ("wall off the board", HOLE, change_event("wall", line=170), "line 170 is not legal"),
    ("turn", HOLE, change_event("wall", 1, p=0), "'p' is 0, should be 1"),
    ("first player", HOLE, header(first=1), "'p' is 0, should be 1"),
    ("tower die rolled in vain", RING, change_event("roll", 9, tower="black"), "tower die"),
    ("tower die not rolled", RING, change_event("roll", 0, tower=None), "tower die"),
    ("towers left out", RING, drop_event("towers"), "should be towers"),
    ("towers of none", RING, lay("towers", 0), "not a legal outcome"),
    ("one tower of two", RING, lay("towers", 0, (30, "gray")), "not a legal outcome"),
    ("tower not as rolled", RING, lay("towers", 0, (30, "white"), (37, "black")), "not a legal"),
    ("towers descending", RING, reverse("towers", 0, "put"), "'put' should be"),
    ("house not as rolled", RING, lay("houses", 0, (52, "blue")), "not a legal outcome"),
    ("house elsewhere", RING, lay("houses", 0, (53, "red")), "not a legal outcome"),
    ("same die twice", TOWERS, lay("houses", 1, (70, "yellow"), (71, "yellow")), "not a legal"),
    ("no house", RING, drop_event("houses"), "should be houses"),
    ("card not in hand", HOLE, change_event("abstain", card="land-shore"), "is not in hand"),
    ("no card", HOLE, change_event("play", cards=[], points=[]), "should play 1 or 2 cards"),
    ("play out of turn", FOUR, move_event("play", 0, 1), r"event 20 \(abstain\): 'p'"),
    ("swap left out", HOLE, drop_event("swap"), "should be swap"),
    ("swap of another", HOLE, change_event("swap", p=0), "'p' is 0, should be 1"),
    ("swaps out of order", FOUR, move_event("swap", 0, 1), r"event 24 \(swap\): 'p'"),
    ("swap of a card not had", HOLE, change_event("swap", out=["land-shore"]), "not in hand"),
    ("swap drew too many", RING, change_event("swap", 0, **{"in": ["land-red"]}), "drew"),
    (
        "swap at the end",
        HOLE,
        lambda record: record["events"].append({"e": "swap", "p": 0, "out": [], "in": []}),
        "event 140: the game is over before it",
    ),
    ("final left out", RING, drop_event("final"), r"\(final\): 'p'"),
    ("last final left out", RING, drop_event("final", -1), "missing, should be final"),
    ("final with no city named", RING, change_event("final", city=None), "'city' should be one"),
    ("final with a city that is not", TOWERS, change_event("final", city=0), "'city' should be"),
    ("final with another city", WALLS, change_event("final", city=96), "'points'"),
    (
        "final city without cards",
        RING,
        change_event("final", cards=[], points=[]),
        "'city' is 0, should be None",
    ),
    ("final draws", RING, change_event("final", drew=[]), "has the fields"),
    ("bool for a number", RING, change_event("swap", p=True), "'p' should be a whole number"),
    ("unknown event", RING, change_event("swap", e="trade"), "no kind of event"),
    ("no event at all", RING, lambda record: record["events"].clear(), "event 0: missing"),
    ("format", TOWERS, header(format="record"), "format"),
    ("version", TOWERS, header(version=2), "version"),
    ("board", TOWERS, header(board="other"), "board"),
    ("players", TOWERS, header(players=3), "names"),
    ("options", TOWERS, header(options=["fast"]), "options"),
    ("names", TOWERS, header(names=["one"]), "names"),
    ("seed", TOWERS, header(seed="7"), "seed"),
    ("deck", TOWERS, header(deck=SAMPLES[TOWERS]["deck"][1:]), "two of each kind"),
    ("hands", TOWERS, header(hands=[[], []]), "6 cards for each player"),
    ("result", TOWERS, lambda record: record.pop("result"), "result: not an object"),
    ("result fields", TOWERS, result(turns=16), "result: has the fields"),
]


@pytest.mark.parametrize(
    ("which", "change", "message"),
    [pytest.param(*wrong[1:], id=wrong[0]) for wrong in WRONG],
)
def test_a_wrong_record_is_reported(which: int, change: Change, message: str) -> None:
    record = sample(which)
    change(record)
    assert json.dumps(record) != json.dumps(SAMPLES[which])
    found = faults(record)
    assert len(found) == 1
    assert re.search(message, found[0]), found


@pytest.mark.slow
@pytest.mark.parametrize("which", [HOLE, TOWERS])
def test_no_event_can_be_left_out_doubled_or_moved(which: int) -> None:
    for at in range(len(SAMPLES[which]["events"])):
        left_out, doubled, moved = (list(SAMPLES[which]["events"]) for _ in range(3))
        del left_out[at]
        doubled.insert(at, doubled[at])
        moved.insert(at - 1, moved.pop(at))
        for events in (left_out, doubled, moved):
            assert faults(SAMPLES[which] | {"events": events}), at


@pytest.mark.slow
def test_no_field_can_be_anything_else() -> None:
    chance = random.Random(1)
    for record in SAMPLES:
        for at in chance.sample(range(len(record["events"])), 5):
            event = record["events"][at]
            field = chance.choice(list(event))
            value: Any
            for value in (None, True, -1, 999, 1.0, "x", [], [[]], [None], {}, {"x": 1}):
                if value != event[field] or type(value) is not type(event[field]):
                    events = list(record["events"])
                    events[at] = event | {field: value}
                    assert faults(record | {"events": events}), (at, field, value)


@pytest.mark.parametrize("junk", [None, 1, "x", [], {}, [{}]])
def test_a_record_can_be_anything(junk: Any) -> None:
    assert faults(junk)
    for key in ("players", "names", "first", "hands", "deck", "events", "result"):
        assert faults(sample(TOWERS) | {key: junk}) or junk == SAMPLES[TOWERS][key]


# ---- drawing (rules, section 5; the place of reshuffles: the record format)


def table(deck: list[str], discards: list[str], *events: Record) -> Replay:
    """A game with this deck and discard pile, and these events to come."""
    replay = Replay(sample(TOWERS), Board(BOARD), {})
    replay.deck, replay.discards, replay.hands = deck, discards, [[], []]
    replay.events = list(events)
    return replay


def shuffled(*deck: str) -> Record:
    return {"e": "reshuffle", "deck": list(deck)}


def test_a_reshuffle_in_the_middle_of_a_draw() -> None:
    replay = table(["cities"], ["land-red", "land-blue"])
    replay.draw(0, 2, ["cities", "land-blue"], shuffled("land-blue", "land-red"))
    assert (replay.deck, replay.discards) == (["land-red"], [])
    assert replay.counters == {"reshuffle-mid-draw": 1}


def test_a_reshuffle_after_the_last_card() -> None:
    replay = table(["cities"], ["land-red"], shuffled("land-red"))
    replay.draw(0, 1, ["cities"], None)
    assert (replay.deck, replay.discards, replay.at) == (["land-red"], [], 1)
    assert replay.counters == {"reshuffle-after-draw": 1}


def test_no_reshuffle_of_an_empty_pile() -> None:
    replay = table(["cities"], [])
    replay.draw(0, 1, ["cities"], None)
    assert (replay.deck, replay.hands[0], replay.counters) == ([], ["cities"], {})


def test_a_reshuffle_put_off_until_the_next_card_is_due() -> None:
    replay = table([], ["land-red", "land-blue"])
    replay.draw(0, 0, [], None)
    replay.draw(0, 1, ["land-blue"], shuffled("land-blue", "land-red"))
    assert (replay.deck, replay.counters) == (["land-red"], {"reshuffle-put-off": 1})


def test_the_second_card_of_an_abstain_may_be_missing() -> None:
    replay = table([], ["land-red"])
    replay.draw(0, 2, ["land-red"], shuffled("land-red"))
    assert (replay.deck, replay.discards, replay.hands[0]) == ([], [], ["land-red"])
    assert replay.counters == {"reshuffle-put-off": 1, "draw-short": 1}


@pytest.mark.parametrize(
    ("deck", "discards", "early"),
    [
        ([], ["land-red"], None),
        ([], ["land-red"], shuffled("land-blue")),
        (["cities", "cities"], ["land-red"], shuffled("land-red")),
        (["cities"], ["land-red"], shuffled("land-red")),
        (["cities"], ["land-red"], None),
    ],
)
def test_a_reshuffle_out_of_place(deck: list[str], discards: list[str], early: Any) -> None:
    with pytest.raises(RecordFault):
        table(deck, discards).draw(0, 1, deck[:1] or discards, early)


# ---- decisions


def taken(event: Record) -> moves.Move:
    """The move that an event takes."""
    kind = event["e"]
    fields: dict[str, Callable[[], moves.Move]] = {
        "early-roll": lambda: (kind,),
        "wall": lambda: (kind, event["line"]),
        "towers": lambda: (kind, tuple(map(tuple, event["put"]))),
        "houses": lambda: (kind, tuple(map(tuple, event["put"]))),
        "merge": lambda: (kind, event["with"]),
        "play": lambda: (kind, moves.in_order(event["cards"])),
        "abstain": lambda: (kind, event["card"]),
        "swap": lambda: (kind, moves.in_order(event["out"])),
        "final": lambda: (kind, event["city"], moves.in_order(event["cards"])),
    }
    return fields[kind]()


@pytest.mark.parametrize("record", [*SAMPLES[:WALLS], early_rolled()])
def test_every_move_taken_is_among_the_moves(record: Record) -> None:
    for decision in decisions(record, BOARD):
        replay = decision.replay
        step = replay.next_is("reshuffle")
        move = taken(replay.events[replay.at + step])
        if len(replay.hands[decision.player]) <= 10:
            # City 96 is not the lowest with its total: the move has the name of another.
            assert move in decision.moves() or move[:2] == ("final", 96)
            assert decision.count() == len(decision.moves())


def test_decision_counts() -> None:
    counts = decision_counts(SAMPLES[TOWERS], BOARD)
    # An empty board: each line; 2 ends for the black tower and 3 colours for the other; a blue
    # house on either side and 5 colours on the other, of which blue on both is one outcome.
    assert counts[:3] == [170, 5, 9]
    assert decision_counts(early_rolled(), BOARD)[:2] == [171, 170]
    with pytest.raises(RecordFault):
        decision_counts(SAMPLES[TOWERS] | {"first": 1}, BOARD)


def test_swap_counts_are_those_of_the_moves() -> None:
    chance = random.Random(2)
    for size in range(1, 9):
        hand = chance.sample(CARDS[:6] * 2, size)
        assert moves.swap_count(hand) == len(moves.swap_moves(hand))


def test_a_pair_may_be_two_of_a_kind() -> None:
    assert moves.score_moves(["cities", "cities", "land-red"]) == {
        ("play", ("land-red",)),
        ("play", ("cities",)),
        ("play", ("land-red", "cities")),
        ("play", ("cities", "cities")),
        ("abstain", "cities"),
        ("abstain", "land-red"),
    }


# ---- towers and houses (rules, section 3)


def stocked(towers: str = "", houses: str = "") -> Position:
    """A board with as many towers or houses as leave this supply, by the colours' letters."""
    position = Position(Board(BOARD))
    tower_space = 66
    for color, left in position.towers_left().items():
        for _ in range(left - towers.count(color[0]) if towers else 0):
            position.towers[tower_space] = color
            tower_space -= 1
    for color, left in position.houses_left().items():
        gone = left - houses.split().count(color) if houses else 0
        position.houses.extend([(103, color)] * gone)
    return position


def puts(found: set[moves.Move]) -> set[tuple[str, ...]]:
    """The colours placed, by ascending place."""
    return {tuple(color for _, color in move[1]) for move in found}


def test_two_towers() -> None:
    found = moves.tower_moves(Position(Board(BOARD)), 45, "black")
    others = {("black", color) for color in ("white", "gray", "black")}
    assert puts(found) == others | {pair[::-1] for pair in others}


def test_a_tower_color_runs_out_between_two_towers() -> None:
    assert puts(moves.tower_moves(stocked("bw"), 45, "black")) == {
        ("black", "white"),
        ("white", "black"),
    }
    assert puts(moves.tower_moves(stocked("ww"), 45, "black")) == {("white", "white")}


def test_one_tower_left_for_two_ends() -> None:
    assert moves.tower_moves(stocked("g"), 45, "black") == {
        ("towers", ((16, "gray"),)),
        ("towers", ((23, "gray"),)),
    }


def test_one_empty_end() -> None:
    position = Position(Board(BOARD))
    position.towers[16] = "white"
    assert moves.tower_moves(position, 45, "black") == {("towers", ((23, "black"),))}
    position.towers[23] = "white"
    assert moves.tower_moves(position, 45, None) == {("towers", ())}


def test_houses_by_the_dice() -> None:
    position = Position(Board(BOARD))
    assert puts(moves.house_moves(position, 45, ["red", "red"])) == {("red", "red")}
    assert len(moves.house_moves(position, 45, ["red", "blue"])) == 2
    assert len(moves.house_moves(position, 45, ["?", "?"])) == 25
    assert puts(moves.house_moves(position, 42, ["red", "blue"])) == {("red",), ("blue",)}
    assert puts(moves.house_moves(position, 42, ["red", "?"])) == {(c,) for c in HOUSE_COLORS}


def test_houses_that_run_out() -> None:
    position = stocked(houses="red rose rose")
    assert puts(moves.house_moves(position, 45, ["red", "red"])) == {
        ("red", "rose"),
        ("rose", "red"),
    }
    assert puts(moves.house_moves(position, 45, ["blue", "blue"])) == {
        ("red", "rose"),
        ("rose", "red"),
        ("rose", "rose"),
    }
    assert moves.house_moves(stocked(houses="green"), 45, ["red", "?"]) == {
        ("houses", ((27, "green"),)),
        ("houses", ((28, "green"),)),
    }


# ---- cities and cards (rules, sections 4 and 6)


def walled(*lines: int) -> Position:
    """A board with walls, and a white tower at each of their ends."""
    position = Position(Board(BOARD))
    for line in lines:
        position.place_wall(line)
        position.towers |= dict.fromkeys(position.board.line_towers[line], "white")
    return position


def border(*spaces: int) -> list[int]:
    """The lines round some spaces."""
    lines = BOARD["lines"]
    return [line["id"] for line in lines if len({*line["spaces"]} & {*spaces}) == 1]


def test_the_edge_of_the_board_needs_walls_too() -> None:
    corner = border(0)
    assert len(corner) == 3
    assert walled(*corner[:2]).cities == []
    assert walled(*corner).cities == [{0}]


def test_a_city_clears_its_inside() -> None:
    hexagon = {space["id"] for space in BOARD["spaces"] if 25 in space["towers"]}
    spokes = [line["id"] for line in BOARD["lines"] if 25 in line["towers"]]
    position = walled(spokes[0], *border(*hexagon))
    assert position.cities == [hexagon]
    assert position.clear_inside(position.cities[0]) == (spokes[:1], [25])
    assert moves.legal_lines(position) == [
        line for line in range(170) if line not in {*spokes, *border(*hexagon)}
    ]


def test_a_city_may_have_a_hole_and_merge_with_it() -> None:
    triangle = BOARD["spaces"][45]
    whole = {s["id"] for s in BOARD["spaces"] if {*s["towers"]} & {*triangle["towers"]}}
    hole, ring = {45}, whole - {45}
    assert len(ring) == 12
    position = walled(*border(45), *border(*whole))
    assert position.cities == [ring, hole]
    assert holes(position.board, position.cities[0], position.cities) == [hole]
    assert position.mergeable(position.cities[0]) == [hole]
    assert holes(position.board, position.cities[1], position.cities) == []
    merged, walls, towers = position.merge(*position.cities)
    assert position.cities == [merged] == [whole]
    assert (walls, towers) == (triangle["lines"], triangle["towers"])


def test_palaces_while_they_last() -> None:
    position = walled(*border(45))
    position.houses = [(45, "red")] * 9 + [(45, "blue")] * 3 + [(0, "blue")] * 2
    assert position.build_palaces(position.cities[0]) == {"red": 3, "blue": 1}
    assert Counter(position.houses) == {(45, "red"): 3, (45, "blue"): 1, (0, "blue"): 2}
    assert position.palaces_left() == {"red": 0, "rose": 3, "yellow": 3, "green": 3, "blue": 2}


def test_card_values() -> None:
    position = walled(*border(45), *border(0)[:2])
    position.towers[BOARD["spaces"][45]["towers"][0]] = "black"
    position.houses = [(45, "red"), (45, "rose"), (0, "red"), (1, "blue"), (103, "blue")]
    position.palaces = [(45, "red"), (45, "green"), (45, "green")]
    outside = [tower for tower, _ in position.towers.items() if tower < 15]
    shore = sum(BOARD["towers"][tower]["shore"] for tower in outside)
    expected = {
        "city-size-1": 6,
        "city-colors": 4,
        "city-towers-white": 4,
        "city-towers-black": 2,
        "city-palaces": 3,
        "city-red": 4,
        "city-rose": 1,
        "city-green": 6,
        "city-towers": 3,
        "land-red": 1,
        "land-blue": 2,
        "land-region-1": 2,
        "land-region-3": 1,
        "land-towers": 3,
        "land-towers-white": 6,
        "land-shore": 2 * shore,
        "land-walls": 2,
        "cities": 1,
    }
    assert (len(outside), shore) == (3, 2)
    values = card_values(position, position.cities[0])
    assert values == dict.fromkeys(CARDS, 0) | expected
    without = card_values(position, None)
    assert without == {c: 0 if c.startswith("city-") else values[c] for c in CARDS}


@pytest.mark.parametrize(
    ("size", "card", "points"),
    [
        (1, "city-size-1", 6),
        (2, "city-size-2", 7),
        (3, "city-size-3", 8),
        (6, None, 0),
        (7, "city-size-7", 9),
        (8, "city-size-7", 9),
    ],
)
def test_size_cards(size: int, card: str | None, points: int) -> None:
    position = walled(*border(*range(size)))
    values = card_values(position, position.cities[0])
    sizes = {
        name: value for name, value in values.items() if name.startswith("city-size") and value
    }
    assert sizes == ({card: points} if card else {})


def test_one_wall_completes_one_city_whatever_comes_last() -> None:
    for last in permutations(border(45, 46)):
        position = Position(Board(BOARD))
        cities = [position.place_wall(line) for line in last]
        assert cities == [None] * 3 + [{45, 46}]
    assert find_cities(Board(BOARD), set()) == []
