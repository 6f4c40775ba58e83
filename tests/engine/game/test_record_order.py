"""What a record may name in any order: placements, and cards played or swapped."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from masons.engine.game.game import Game
from masons.engine.game.record import Replay, check_record, game_record
from tests.support.playing import play

Record = dict[str, Any]


def recorded(seed: int) -> Record:
    game = Game(2 + seed % 3, seed=seed, early_roll=seed % 2 == 1)
    return game_record(play(game, random.Random(seed)))


RECORDS = [recorded(seed) for seed in range(6)]
FREE = {"towers": ("put",), "houses": ("put",), "play": ("cards", "points"), "swap": ("out",),
        "final": ("cards", "points")}  # fmt: skip


def mixed(record: Record, rng: random.Random) -> Record:
    """A record with every list of free order in another order, parallel lists alike."""
    found = copy.deepcopy(record)
    for event in found["events"]:
        keys = FREE.get(event["e"], ())
        order = list(range(len(event[keys[0]]))) if keys else []
        rng.shuffle(order)
        for key in keys:
            event[key] = [event[key][place] for place in order]
    return found


def texts(record: Record) -> Iterator[str]:
    """The positions of a game, one after each decision."""
    replay = Replay(record)
    while not replay.is_done:
        replay.step()
        yield replay.game.text
    replay.finish()


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.sampled_from(RECORDS), st.randoms(use_true_random=False))
def test_any_order_is_the_same_game(record: Record, rng: random.Random) -> None:
    other = mixed(record, rng)
    assert check_record(other) is None
    assert list(texts(other)) == list(texts(record))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["towers", "houses"])
def test_two_pieces_may_stand_in_descending_order(kind: str) -> None:
    """Placements by choice, and those that the rules force."""
    seen = {"chosen": 0, "forced": 0}
    for record in RECORDS:
        replay = Replay(record)
        while not replay.is_done:
            index, before = replay.index, len(replay.game.log)
            replay.step()
            for number in range(before, len(replay.game.log)):
                event = record["events"][number]
                if event["e"] == kind and len(event["put"]) == 2:
                    seen["chosen" if number == index else "forced"] += 1
    assert seen["chosen"]
    assert seen["forced"] or kind == "towers"
    for record in RECORDS:
        other = copy.deepcopy(record)
        for event in other["events"]:
            if event["e"] == kind:
                event["put"].reverse()
        assert check_record(other) is None


def test_an_order_that_means_something_is_kept() -> None:
    """Drawn cards come in the order of the deck."""
    record = copy.deepcopy(RECORDS[0])
    drawn = next(e for e in record["events"] if len(set(e.get("drew", ()))) == 2)
    drawn["drew"].reverse()
    assert "must be" in str(check_record(record))


@pytest.mark.parametrize(
    "put",
    [None, 3, [], [[0]], [[0, "white", 1]], [["0", "white"]], [[True, "white"]], [[0, "pink"]],
     [0, 1], [[0, "white"]] * 2, [[0, None]], {"0": "white"}, "white", [[]], [""], [{}]],
)  # fmt: skip
def test_what_is_no_placement_is_refused_in_one_line(put: object) -> None:
    for event in (nth for kind in ("towers", "houses") for nth in CHOSEN_AND_FORCED[kind]):
        record = copy.deepcopy(RECORDS[0])
        record["events"][event]["put"] = put
        fault = check_record(record)
        assert fault is not None
        assert fault.startswith("event ")
        assert "\n" not in fault


def chosen_and_forced(record: Record) -> dict[str, list[int]]:
    """The first event of each kind that a seat chose, and the first that followed by the rules."""
    events: dict[tuple[str, bool], int] = {}
    replay = Replay(record)
    while not replay.is_done:
        index = replay.index
        done = len(replay.game.log)
        replay.step()
        for number in range(done, len(replay.game.log)):
            kind = record["events"][number]["e"]
            events.setdefault((kind, number == index), number)
    kinds = {kind for kind, _ in events}
    return {kind: [n for (k, _), n in events.items() if k == kind] for kind in sorted(kinds)}


CHOSEN_AND_FORCED = chosen_and_forced(RECORDS[0])
NO_FIELDS = (None, True, -1, 10**30, 0.5, "", "x", [], [[]], [""], [{}], [None], {}, {"x": 1})


@pytest.mark.slow
@pytest.mark.parametrize("kind", CHOSEN_AND_FORCED)
def test_no_field_of_an_event_is_trusted(kind: str) -> None:
    for number in CHOSEN_AND_FORCED[kind]:
        event = RECORDS[0]["events"][number]
        keyed = {key: dict.fromkeys(event[key]) for key in ("cards", "out") if event.get(key)}
        others = [(key, value) for key in event for value in NO_FIELDS if value != event[key]]
        for key, value in [*others, *keyed.items(), ("another", 1)]:
            record = copy.deepcopy(RECORDS[0])
            record["events"][number][key] = value
            fault = check_record(record)
            assert fault is not None, (number, key, value)
            assert "event " in fault
            assert "\n" not in fault
