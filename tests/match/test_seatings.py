"""Blocks: who sits where, and that it is fair."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masons.engine.errors import MasonsError
from masons.match.running.schedule import (
    Entry,
    MatchSettings,
    TimeControl,
    distinct,
    lineups_of,
)

NAMES = st.lists(st.sampled_from("ABCDEF"), min_size=1, max_size=7)
PLAYERS = st.integers(2, 4)


@pytest.mark.parametrize(
    ("names", "players", "lineups", "games"),
    [
        ("AB", 2, 1, 2), ("ABB", 3, 1, 3), ("ABC", 3, 1, 6), ("ABBB", 4, 1, 4), ("AABB", 4, 1, 6),
        ("ABCC", 4, 1, 12), ("ABCD", 4, 1, 24), ("AB", 3, 1, 6), ("AB", 4, 1, 14),
        ("ABC", 4, 1, 36), ("AABB", 3, 1, 6), ("A", 3, 1, 1), ("AA", 2, 1, 1), ("AAB", 2, 1, 2),
        ("ABC", 2, 3, 2), ("ABCD", 3, 4, 6), ("ABCDE", 4, 5, 24),
    ],
)  # fmt: skip
def test_how_many_lineups_and_games(names: str, players: int, lineups: int, games: int) -> None:
    assert [len(lineup) for lineup in lineups_of(names, players)] == [games] * lineups


def test_the_lineups_themselves() -> None:
    assert lineups_of(["x", "y"], 2) == [[(0, 1), (1, 0)]]
    assert lineups_of(["x", "y", "y"], 3) == [[(0, 1, 1), (1, 0, 1), (1, 1, 0)]]
    assert lineups_of(["z", "y", "x"], 2) == [
        [(0, 1), (1, 0)],
        [(0, 2), (2, 0)],
        [(1, 2), (2, 1)],
    ]


@given(NAMES, PLAYERS)
def test_every_engine_sits_equally_often_in_every_seat_of_a_block(
    names: list[str], players: int
) -> None:
    for lineup in lineups_of(names, players):
        seats = [Counter(seat) for seat in zip(*lineup, strict=True)]
        assert all(seat == seats[0] for seat in seats)


@given(NAMES, PLAYERS)
def test_a_round_treats_engines_alike(names: list[str], players: int) -> None:
    """Each plays as often as the others, or as its share of the names where those fill a game."""
    plays = Counter(
        sitting for lineup in lineups_of(names, players) for game in lineup for sitting in game
    )
    engines = distinct(names)
    assert set(plays) == set(range(len(engines)))
    weights = Counter(names) if len(names) == players else Counter(engines)
    assert len({plays[i] / weights[name] for i, name in enumerate(engines)}) == 1


@given(NAMES, PLAYERS)
def test_lineups_are_ordered_equally_long_and_without_repeats(
    names: list[str], players: int
) -> None:
    lineups = lineups_of(names, players)
    seatings = [seating for lineup in lineups for seating in lineup]
    assert len({len(lineup) for lineup in lineups}) == 1
    assert len(set(seatings)) == len(seatings)
    assert all(lineup == sorted(lineup) for lineup in lineups)
    assert lineups == sorted(lineups)
    assert {len(seating) for seating in seatings} == {players}


@pytest.mark.parametrize(("names", "players"), [([], 2), (["a", "b"], 1), (["a", "b"], 5)])
def test_what_makes_no_match(names: list[str], players: int) -> None:
    with pytest.raises(MasonsError):
        lineups_of(names, players)


def test_the_settings_of_older_files_are_recognized() -> None:
    entries = (Entry("a", "greedy"), Entry("b", "busy"))
    settings = MatchSettings(entries, ("a", "b"), 2, TimeControl(), 1)
    assert settings.fingerprint() == "e95519f324f87a61"
