"""Records of games that did not end, and of games in which somebody else chose for a seat."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest

from masons.engine.errors import RecordError
from masons.engine.formats.record_endings import FORFEITS, STOPPED, Forfeit, Stopped
from masons.engine.game.game import Game
from masons.engine.game.record import Replay, check_record, game_record, parse_record, replay_to
from tests.support.playing import pick, play
from tests.support.thinned import thinned

Record = dict[str, Any]


def recorded(seed: int, players: int) -> Record:
    game = Game(players, seed=seed, early_roll=seed % 2 == 1)
    return game_record(play(game, random.Random(seed)))


WHOLE = [recorded(4, 4), recorded(5, 3)]


def cut(record: Record, events: int, **more: Any) -> Record:
    found = copy.deepcopy({**record, "result": None, **more})
    del found["events"][events:]
    return found


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
        for events in thinned(every, 3 if record is WHOLE[0] else 11):
            assert check_record(cut(record, events)) is None, events


@pytest.mark.slow
def test_a_cut_record_stands_where_the_game_stood() -> None:
    record = WHOLE[1]
    game = Game(3, seed=5, early_roll=True)
    chance = random.Random(5)
    for number in range(1, 60):
        short = cut(record, len(game.log))
        assert replay_to(short, number).text == game.text
        with pytest.raises(RecordError, match=f"no decision {number + 1}"):
            replay_to(short, number + 1)
        game.apply(pick(game, chance))


@pytest.mark.slow
@pytest.mark.parametrize("stopped", [Stopped("adjourned"), Stopped("resigned", 1)])
def test_the_record_of_a_stopped_game_comes_out_of_its_replay(stopped: Stopped) -> None:
    game, chance = Game(3, seed=8), random.Random(8)
    for _ in range(70):
        record = game_record(game, stopped=stopped)
        replay = Replay(parse_record(json.dumps(record)))
        replay.check()
        assert (replay.stopped, replay.winners) == (stopped, ())
        assert game_record(replay.game, stopped=stopped)["events"] == record["events"]
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


@pytest.mark.slow
@pytest.mark.parametrize("why", FORFEITS)
def test_who_forfeited_does_not_win(why: str) -> None:
    record = WHOLE[0]
    winner = record["result"]["winners"][0]
    for has_end in (True, False):
        given = record if has_end else cut(record, 200)
        replay = Replay({**given, "forfeits": [{"seat": winner, "event": 99, "why": why}]})
        stand_ins, told = [], []
        while not replay.is_done:
            told += replay.new_forfeits()
            stand_ins += [replay.index] if replay.by_stand_in else []
            replay.step()
        replay.finish()
        decisions = choices(given)
        assert told == [Forfeit(winner, 99, why)]
        assert stand_ins == [
            number for number, event in enumerate(given["events"])
            if number >= 99 and event.get("p") == winner and event["e"] in
            ("early-roll", "wall", "merge", "play", "abstain", "swap", "final", "towers", "houses")
            and number in decisions
        ]  # fmt: skip
        assert winner not in replay.winners
        assert bool(replay.winners) == has_end


def choices(record: Record) -> set[int]:
    """The events of a record that are decisions."""
    replay, found = Replay(record), set()
    while not replay.is_done:
        found.add(replay.index)
        replay.step()
    return found


def test_where_all_forfeit_nobody_wins() -> None:
    forfeits = [{"seat": seat, "event": 0, "why": "crash"} for seat in range(4)]
    replay = Replay({**WHOLE[0], "forfeits": forfeits})
    replay.check()
    assert replay.winners == ()
