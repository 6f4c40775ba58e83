"""The reference of the rules passes right records and notices wrong ones."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from examples import plain_random
from tests.support.paths import DATA
from tests.support.playing import board_of
from tests.support.reference import RARE, Fault, Replay, fault_of, replay

Record = dict[str, Any]

BOARD = board_of("classic").to_dict()
SAMPLES: list[Record] = [
    json.loads(line) for line in (DATA / "sample_records.jsonl").read_text().splitlines()
]
HOLE, HOUSES, FOUR, RING, TOWERS, WALLS = range(6)
"""The samples by what is in them: a city merged with its hole, a game ended by houses, one of
four players, one with the whole board walled round, one ended by towers, one ended by walls."""


def nth(record: Record, kind: str, number: int = 0) -> int:
    """Where the event of this kind and number stands; negative numbers count from the end."""
    return [at for at, event in enumerate(record["events"]) if event["e"] == kind][number]


def test_samples_are_right_and_show_what_they_were_chosen_for() -> None:
    seen: Counter[str] = Counter()
    assert [fault_of(record, BOARD, seen) for record in SAMPLES] == [""] * len(SAMPLES)
    only_by_hand = {"reshuffle-put-off", "draw-short", "early-roll", "early-roll-at-0"}
    assert {what for what in RARE if not seen[what]} == {*only_by_hand, "win-shared"}
    assert seen["games"] == len(SAMPLES)
    assert seen["cities"] == sum(event["e"] == "city" for r in SAMPLES for event in r["events"])
    assert fault_of(SAMPLES[TOWERS] | {"comment": "unknown keys are ignored"}, BOARD) == ""


def test_the_board_of_the_example_is_that_of_the_rules() -> None:
    drawn, board = plain_random.classic_board(), plain_random.Board.of_data(BOARD)
    assert vars(drawn) == vars(board)


def early_rolled() -> Record:
    """The game ended by walls, with an early roll at 0 points and one that costs a point."""
    record = copy.deepcopy(SAMPLES[WALLS])
    record["options"] = ["early_roll"]
    last = nth(record, "wall", -1)
    player = record["events"][last]["p"]
    record["events"].insert(last, {"e": "early-roll", "p": player, "points": -1})
    record["events"].insert(0, {"e": "early-roll", "p": record["first"], "points": 0})
    record["result"]["scores"][player] -= 1
    return record


def test_early_rolls() -> None:
    seen: Counter[str] = Counter()
    assert fault_of(early_rolled(), BOARD, seen) == ""
    assert (seen["early-roll"], seen["early-roll-at-0"]) == (2, 1)
    assert "must be wall" in fault_of(early_rolled() | {"options": []}, BOARD)
    record = early_rolled()
    record["events"].insert(1, {"e": "early-roll", "p": record["first"], "points": 0})
    assert fault_of(record, BOARD) == "event 1: early-roll, must be wall"


def test_decision_counts() -> None:
    counts = [decision.count for decision in replay(SAMPLES[TOWERS], BOARD)]
    # An empty board: each line; 2 ends for the black tower and 3 colors for the other; a blue
    # house on either side and 5 colors on the other, of which blue on both is one outcome.
    assert counts[:3] == [170, 5, 9]
    assert [decision.count for decision in replay(early_rolled(), BOARD)][:2] == [171, 170]


# ---- wrong records

Change = Callable[[Record], Any]


def event(kind: str, /, number: int = 0, **fields: Any) -> Change:
    """Give fields of an event other values."""
    return lambda record: record["events"][nth(record, kind, number)].update(fields)


def move(kind: str, number: int, by: int) -> Change:
    """Let an event stand earlier or later."""

    def change(record: Record) -> None:
        at = nth(record, kind, number)
        record["events"].insert(at + by, record["events"].pop(at))

    return change


def header(**fields: Any) -> Change:
    return lambda record: record.update(fields)


def result(**fields: Any) -> Change:
    return lambda record: record["result"].update(fields)


WRONG: list[tuple[int, Change, str]] = [
    (HOLE, event("play", points=[3]), 'event 67 (play): is {"cards"'),
    (HOLE, event("wall", -1, line=72), "wall:72 is not legal"),
    (HOLE, event("wall", line=170), "wall:170 is not legal"),
    (HOLE, event("abstain", card="land-shore"), "abstain:land-shore is not legal"),
    (HOLE, event("swap", out=["land-shore"]), "a card is not in hand"),
    (HOLE, event("merge", **{"with": 20}), "merge:20 is not legal"),
    (RING, event("roll", 9, tower="black"), "tower die"),
    (RING, event("roll", 0, tower=None), "tower die"),
    (RING, event("towers", put=[[30, "gray"]]), "towers:30=gray is not legal"),
    (RING, event("houses", put=[[53, "red"]]), "houses:53=red is not legal"),
    (RING, event("final", city=None), "'city' is no city's lowest space"),
    (WALLS, event("final", city=96), "(final): is"),
    (WALLS, event("reshuffle", deck=[]), "the discard pile must be reshuffled"),
    (HOUSES, move("reshuffle", 0, 1), "must be"),
    (HOUSES, move("reshuffle", 0, -1), "must be"),
    (WALLS, move("reshuffle", 0, -1), "must be"),
    (FOUR, move("swap", 0, 1), "event 24"),
    (HOLE, header(first=1), "event 0 (wall): is"),
    (TOWERS, header(format="record"), "format"),
    (TOWERS, header(board="other"), "board"),
    (TOWERS, header(players=3), "names"),
    (TOWERS, header(options=["fast"]), "options"),
    (TOWERS, header(seed="7"), "seed"),
    (TOWERS, header(deck=SAMPLES[TOWERS]["deck"][1:]), "two of each kind"),
    (TOWERS, header(hands=[[], []]), "6 cards for each seat"),
    (HOLE, result(winners=[0]), "result: 'winners' is [0], must be [1]"),
    (HOLE, result(scores=[27, 30]), "result: 'scores'"),
    (HOLE, result(hand_sizes=[5, 6]), "result: 'hand_sizes'"),
    (WALLS, result(end="houses"), "result: 'end'"),
    (TOWERS, result(turns=16), "result: 'turns'"),
]


@pytest.mark.parametrize(("which", "change", "message"), WRONG)
def test_a_wrong_record_is_reported(which: int, change: Change, message: str) -> None:
    record = copy.deepcopy(SAMPLES[which])
    change(record)
    assert message in fault_of(record, BOARD)


@pytest.mark.slow
@pytest.mark.parametrize("which", [HOLE, TOWERS])
def test_no_event_can_be_left_out_doubled_or_moved(which: int) -> None:
    for at in range(len(SAMPLES[which]["events"])):
        shorter, doubled, moved = (list(SAMPLES[which]["events"]) for _ in range(3))
        del shorter[at]
        doubled.insert(at, doubled[at])
        moved.insert(at - 1, moved.pop(at))
        for events in (shorter, doubled, moved):
            assert fault_of(SAMPLES[which] | {"events": events}, BOARD), at


@pytest.mark.slow
def test_no_field_can_be_anything_else() -> None:
    chance = random.Random(1)
    value: Any
    for record in SAMPLES:
        for at in chance.sample(range(len(record["events"])), 5):
            told = record["events"][at]
            field = chance.choice(list(told))
            for value in (None, True, -1, 999, 1.0, "x", [], [[]], [None], {}, {"x": 1}):
                if value != told[field] or type(value) is not type(told[field]):
                    events = list(record["events"])
                    events[at] = told | {field: value}
                    assert fault_of(record | {"events": events}, BOARD), (at, field, value)
    for value in (None, 1, "x", [], {}, [{}]):
        assert fault_of(value, BOARD)
        for key in ("players", "names", "first", "hands", "deck", "events", "result"):
            record = SAMPLES[TOWERS] | {key: value}
            assert fault_of(record, BOARD) or value == SAMPLES[TOWERS][key]


# ---- drawing (rules, 5; where reshuffles stand: the record format)


@pytest.mark.parametrize(
    ("deck", "discards", "due", "shuffled", "events", "seen"),
    [
        (["cities"], ["a", "b"], 2, [["b", "a"]], ["reshuffle", "x"], "reshuffle-mid-draw"),
        (["cities"], ["a"], 1, [["a"]], ["x", "reshuffle"], "reshuffle-after-draw"),
        (["cities"], [], 1, [], ["x"], ""),
        ([], ["a", "b"], 1, [["b", "a"]], ["reshuffle", "x"], "reshuffle-put-off"),
        ([], ["a"], 2, [["a"]], ["reshuffle", "x"], "draw-short"),
        ([], [], 0, [], ["x"], ""),
        ([], ["a"], 1, [], None, ""),
        ([], ["a"], 1, [["b"]], None, ""),
    ],
)
def test_draws(
    deck: list[str],
    discards: list[str],
    due: int,
    shuffled: list[list[str]],
    events: list[str] | None,
    seen: str,
) -> None:
    game = Replay(copy.deepcopy(SAMPLES[TOWERS]), BOARD)
    game.deck, game.at.discard, game.hands[0] = [*deck], [*discards], []
    game.decks = [*shuffled]
    order = [*deck, *(card for pile in shuffled for card in pile)]
    drew = {"e": "x", "in": order[:due]}
    told = {"reshuffle": {"e": "reshuffle", "deck": shuffled[0] if shuffled else []}, "x": drew}
    game.record["events"] = [told[kind] for kind in events or ()]
    if events is None:
        with pytest.raises(Fault, match="the discard pile must be reshuffled"):
            game.draw(0, due, "in", {"e": "x"})
        return
    game.draw(0, due, "in", {"e": "x"})
    assert game.events == game.record["events"]
    assert game.hands[0] == order[:due]
    assert not seen or game.seen[seen] == 1
