"""Games that go on from a point of a record, and copies of games."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from typing import Any

import pytest

import masons
from masons.engine.game.replay import Replay, check_record
from tests.support.paths import EXAMPLES
from tests.support.playing import pick, play

RECORD = masons.read_record(EXAMPLES / "games.jsonl", 3)
LATE = 120  # a decision after a reshuffle
COPIES: list[Callable[[masons.Game], masons.Game]] = [
    masons.Game.copy,
    copy.copy,
    copy.deepcopy,
    lambda game: pickle.loads(pickle.dumps(game)),
]


def record_of(game: masons.Game) -> dict[str, Any]:
    """Return the record after a game has been played to its end."""
    return masons.game_record(play(game, random.Random(1)))


def decisions_of(record: dict[str, Any]) -> int:
    replay = Replay(record)
    replay.check()
    return replay.game.decisions


def shown_events(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return events without the order of reshuffled decks, which nobody sees."""
    return [{**event, "deck": sorted(event.get("deck", ()))} for event in events]


@pytest.mark.parametrize("decision", [1, 8, LATE])
def test_every_other_move_can_be_played_on(decision: int) -> None:
    start = masons.replay_to(RECORD, decision, seed=4)
    assert start.seed is None
    assert shown_events(start.events) == shown_events(RECORD["events"])[: len(start.events)]
    for move in list(start.legal_moves())[::40]:
        game = start.copy()
        game.apply(move)
        assert game.phase not in ("roll", "draw")
        record = record_of(game)
        assert check_record(record) is None
        assert record["hands"] == RECORD["hands"]


def test_new_chance_follows_from_the_seed_and_not_from_the_record() -> None:
    games = [masons.replay_to(RECORD, 8, seed=seed) for seed in (4, 4, 5, None, None)]
    drawn = sum(len(event.get("drew", ())) for event in games[0].events)
    first, same, *others = map(record_of, games)
    assert first == same
    ends = [str(record["events"]) for record in (first, *others)]
    assert len(set(ends)) == 4
    assert len({str(record["deck"][drawn:]) for record in (RECORD, first, *others)}) == 5


def test_undo_works_back_through_the_record() -> None:
    game = masons.replay_to(RECORD, LATE, seed=4)
    wanted, moves = record_of(game.copy()), game.moves
    chance = random.Random(2)
    for count in (1, 7, 60, game.decisions):
        game.undo(count)
        other = game.copy()
        for _ in range(min(count, 9)):  # a variation of the record's part
            other.apply(pick(other, chance))
        assert check_record(record_of(other)) is None
        for move in moves[game.decisions :]:
            game.apply(move)
        assert record_of(game.copy()) == wanted


def test_a_game_that_was_stopped_between_decisions_goes_on() -> None:
    """A record may end after a wall, before the roll that follows."""
    wall = [n for n, event in enumerate(RECORD["events"]) if event["e"] == "wall"][9]
    short = {**RECORD, "result": None, "events": RECORD["events"][: wall + 1]}
    game = masons.replay_to(short, decisions_of(short) + 1, seed=1)
    assert game.phase not in ("roll", "draw")
    assert shown_events(game.events)[: wall + 1] == shown_events(short["events"])
    assert check_record(record_of(game)) is None


def test_the_end_of_a_game_can_be_taken_back_and_played_otherwise() -> None:
    end = masons.replay_to(RECORD, decisions_of(RECORD) + 1)
    assert masons.game_record(end)["result"] == RECORD["result"]
    end.undo(30)
    assert check_record(record_of(end)) is None


def test_a_seed_is_a_whole_number() -> None:
    with pytest.raises(masons.MasonsError, match="seed is 'x': it must be a whole number or None"):
        masons.replay_to(RECORD, 8, seed="x")  # type: ignore[arg-type]


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize(
    "made",
    [lambda: masons.Game(3, seed=5), lambda: masons.replay_to(RECORD, LATE, seed=4)],
    ids=["new", "replayed"],
)
def test_a_copy_is_independent_and_has_the_same_chance(
    made: Callable[[], masons.Game], copied: Callable[[masons.Game], masons.Game]
) -> None:
    game, chance = made(), random.Random(3)
    for _ in range(20):
        game.apply(pick(game, chance))
    before = game.text, game.events, game.observe(game.seat).history
    other = copied(game)
    wanted = record_of(copied(other))
    other.undo(15)
    other.apply(pick(other, chance))
    record_of(other)
    after = game.text, game.events, game.observe(game.seat).history
    assert str(after) == str(before)
    moves = game.moves
    game.undo(15)  # the copy has used the same moments
    for move in moves[-15:]:
        game.apply(move)
    assert record_of(game) == wanted


def test_a_copy_of_a_game_with_chance_from_outside_waits_for_itself() -> None:
    game = masons.Game(seed=None, chance=masons.Outside(), hands=[["cities"] * 2 + ["city-red"] * 2
                       + ["city-rose"] * 2, ["land-red"] * 2 + ["land-blue"] * 2
                       + ["land-shore"] * 2])  # fmt: skip
    game.apply("wall:57")
    other = game.copy()
    other.give_roll("white", "red", "red")
    assert game.phase == "roll" != other.phase
