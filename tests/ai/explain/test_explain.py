"""Explanations of a decision: the games of its rollout say so, and no more."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from masons.ai.explain.expected_line import ClosedCity, NamedCity, expected_line, named_city
from masons.ai.explain.explanation import (
    PARTS,
    Difference,
    Explanation,
    HeldCard,
    Reason,
    _held_cards,
    difference,
    explained,
)
from masons.ai.rollout import game_kernel
from masons.ai.rollout.noted_games import MIN_SHARE, GameNotes, NotedGames, expected_moves
from masons.ai.rollout.plan import Contenders
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.limits import Limits
from masons.ai.search.results import Analysis
from masons.ai.session import Session
from masons.engine.board.components import CARDS, FIRST_LAND
from masons.engine.formats.move_text import Move, parse_move, play_move
from masons.engine.game.game import Game
from tests.support.named_play import at_decision, brought_to
from tests.support.thinned import thinned

NAMES = ["you", "Bob"]
RED_CITY = NamedCity(7, ("red",))
LIMITS = Limits(sims=300, rollouts=500)


@cache
def analyzed(decision: int, number: int = 1) -> tuple[Analysis, Rollout]:
    game = at_decision(decision, number)
    session = Session(game.table, seed=1)
    analysis = session.analyze(game, limits=LIMITS)
    assert session.rollout is not None
    return analysis, session.rollout


def told_of(decision: int, number: int = 1) -> Explanation:
    told = explained(*analyzed(decision, number))
    assert told is not None
    return told


def games_after(game: Game, moves: list[Move]) -> Rollout:
    """Return a rollout of these moves alone."""
    contenders = Contenders(tuple(moves), (0.0,) * len(moves), len(moves), 0)
    rollout = Rollout(game.table, game.observe(game.seat), contenders, seed=1)
    rollout.run(200)
    return rollout


def test_reasons_sum_up_to_what_the_analysis_says() -> None:
    checked = 0
    for number in (1, 2, 3):
        for decision in thinned(range(2, 60, 4), 5):
            if len(at_decision(decision, number).legal_moves()) < 2:
                continue
            analysis, _ = analyzed(decision, number)
            for split in told_of(decision, number).differences:
                assert (split.move, split.other) == (analysis.best, analysis.moves[1].move)
                assert [reason.part for reason in split.reasons[:4]] == list(PARTS)
                other = analysis.of(split.other)
                assert split.win == pytest.approx(other.loss, abs=1e-9)
                assert split.points == pytest.approx(other.margin_loss, abs=1e-9)
                points = sum(reason.points for reason in split.reasons)
                assert points == pytest.approx(split.points, abs=1e-6)
                assert all(reason.interval > 0 for reason in split.reasons)
                assert split.words([f"seat {seat}" for seat in range(4)])
            checked += 1
    assert checked >= 5


def a_difference(**reasons: float) -> Difference:
    """Return a difference with these reasons of seat 0, `others` those of the other seat."""
    parts = [Reason(part, int(part == "others"), reasons.get(part, 0.0), 0.5) for part in PARTS]
    move, other = parse_move("wall:3"), parse_move("wall:5")
    points = sum(reasons.values())
    return Difference(move, other, 0, 900, 0.1, 0.02, points, 0.5, tuple(parts), (), (), 96, ())


@pytest.mark.parametrize(
    ("part", "points", "sentence"),
    [
        ("now", 2.0, "+2.0 ± 0.5 for you: more points in this turn."),
        ("cities", -2.0, "-2.0 ± 0.5 for you: fewer points in later cities."),
        ("final", 1.0, "+1.0 ± 0.5 for you: more points in the final scoring."),
        ("others", 1.8, "+1.8 ± 0.5 for you: Bob scores fewer points."),
        ("others", -1.8, "-1.8 ± 0.5 for you: Bob scores more points."),
    ],
)
def test_the_sign_says_whether_it_is_good_for_the_seat(
    part: str, points: float, sentence: str
) -> None:
    words = a_difference(**{part: points}).words(NAMES)
    assert [text.replace("\u2212", "-") for text in words] == [sentence]


def test_what_is_good_is_told_first_and_nothing_below_its_error() -> None:
    split = a_difference(now=1.0, cities=-3.0, final=2.0, others=-1.0)
    assert [reason.points for reason in split.told] == [2.0, 1.0, -3.0, -1.0]
    (sentence,) = a_difference(now=0.4, others=-0.4).words(NAMES)
    assert sentence.startswith("Can't be told apart: ")
    assert len(a_difference(now=0.6, others=-0.4).words(NAMES)) == 1


def test_the_same_move_is_not_told_apart() -> None:
    """Two contenders that play the same games: all reasons are 0, with an interval."""
    game = at_decision(21)
    move = game.legal_moves()[0]
    split = difference(games_after(game, [move, move]), move, move)
    assert split is not None
    assert {reason.points for reason in split.reasons} == {0.0}
    assert split.words(NAMES)[0].startswith("Can't be told apart")


def test_words_name_the_city_and_the_card_that_differ() -> None:
    def city(seat: int, after: int, share: float) -> ClosedCity:
        return ClosedCity(seat, after, RED_CITY, share)

    others = (city(0, 2, 0.2), city(1, 1, 0.7))
    split = replace(
        a_difference(cities=3.0, others=2.0), cities=(city(0, 2, 0.8),), other_cities=others
    )
    mine, theirs = split.words(NAMES)
    assert mine.endswith("(your wall completes the red city in 80 % instead of 20 % of the games).")
    assert "wall completes the red city in 0 % instead of 70 % of the games" in theirs
    unsure = replace(split, other_cities=(city(0, 2, 0.75),))
    assert "the red city" not in unsure.words(NAMES)[0]
    walls = HeldCard("land-walls", 11.0, 9.0, 0.5)
    split = replace(a_difference(final=2.0), cards=(walls,))
    (sentence,) = split.words(NAMES)
    assert sentence.endswith("(land-walls is worth 11.0 instead of 9.0).")
    for other in (replace(walls, interval=2.5), replace(walls, points=7.0)):
        assert "land-walls" not in replace(split, cards=(other,)).words(NAMES)[0]


def test_where_no_games_were_played_nothing_is_explained() -> None:
    game = at_decision(21)
    session = Session(game.table, seed=1)
    analysis = session.analyze(game, sims=500)
    assert explained(analysis, session.rollout) is None


def test_the_move_that_was_played_is_explained_too() -> None:
    game = at_decision(21)
    session = Session(game.table, seed=1)
    played = session.analyze(game, sims=300).moves[-1].move
    analysis = session.analyze(game, limits=LIMITS, also=[played])
    told = explained(analysis, session.rollout, played=played)
    assert told is not None
    assert told.played == played
    others = dict.fromkeys([analysis.moves[1].move, played])
    assert [split.other for split in told.differences] == [
        split for split in others if split != analysis.best
    ]
    assert told.why(NAMES)
    assert told.expected(NAMES)


def test_a_pair_is_compared_the_one_that_wins_more_first() -> None:
    session = Session(at_decision(21).table, seed=1)
    analysis = session.analyze(at_decision(21), limits=Limits(sims=300, rollouts=2600))
    rollout = session.rollout
    measured = [split.move for split in analysis.moves if split.games]
    for pair in ((measured[2], measured[1]), (measured[1], measured[2])):
        told = explained(analysis, rollout, pair=pair)
        assert told is not None
        (split,) = told.differences
        assert {split.move, split.other} == set(pair)
        gain = analysis.of(split.move).win - analysis.of(split.other).win  # type: ignore[operator]
        assert gain >= 0
        assert split.win == pytest.approx(gain, abs=1e-12)


# --- what is expected


def test_the_line_says_what_others_do_and_what_cards_are_for() -> None:
    line = told_of(21).line
    words = line.words("Ann", "Bob")
    assert words
    answered = replace(line, answer=None, answer_city=0.5, answered_city=RED_CITY)
    assert "You complete the red city (50 %)." in answered.words("Ann", "You")
    assert all(str(line.move) not in sentence for sentence in words)
    data = line.to_data()
    assert 0 <= data["answer_completes"] <= 1
    assert all(0 <= card["played"] <= 1 for card in data["cards"])


def test_the_line_of_a_move_is_what_most_games_did() -> None:
    analysis, rollout = analyzed(21)
    games = rollout.noted
    assert games is not None
    number = games.moves.index(analysis.best)
    steps = expected_moves(games, number)
    assert analysis.moves[0].line == tuple(str(move) for move, _ in steps)
    assert analysis.moves[0].line_shares == tuple(share for _, share in steps)
    for move, share in steps:
        made = [
            any(choice.move == move for choice in list(games.choices(world, number))[1:])
            for world in range(games.worlds)
        ]
        assert MIN_SHARE <= share <= sum(made) / games.worlds
    assert len({move for move, _ in steps}) == len(steps)
    assert not any(stats.line for stats in analysis.moves if not stats.games)


def test_a_card_is_expected_only_where_the_seat_scores_it_itself() -> None:
    """Two games of seat 0: seat 1 scores card 5 in both, and seat 0 scores card 7 in the first."""
    wall, notes = parse_move("wall:3"), np.zeros((2, 1, 3, game_kernel.NOTE_WORDS), dtype=np.uint64)
    notes[..., 0, int(game_kernel.MOVE)] = wall
    notes[..., 1, int(game_kernel.MOVE)], notes[..., 1, int(game_kernel.WHEN)] = (
        play_move([5]),
        1 << int(game_kernel.WHO),
    )
    notes[0, 0, 2, int(game_kernel.MOVE)] = play_move([7])
    counts = np.array([[3], [2]], dtype=np.uint64)
    games = NotedGames((wall,), 0, 0, 2, (5, 7), GameNotes(notes, counts))
    cards = expected_line(games, 0, games.hand).cards
    assert {card.card: card.played for card in cards} == {CARDS[5]: 0.0, CARDS[7]: 0.5}


# --- cities and cards


def test_cities_are_named_by_the_colors_that_they_mostly_have() -> None:
    red, rose, palace = 2, 1 << 4, 1 << 20  # of red
    for pieces, name in (
        ([red, red, red + rose], "the red city"),
        ([palace], "the red city"),
        ([rose + red, rose + palace, rose], "the red and rose city"),
        ([0], "the city at space 7"),
        ([red, rose, 1 << 8], "the city at space 7"),
        ([0x11111], "the city of five colors"),
    ):
        assert named_city(7, pieces).name == name


def test_a_wall_that_completes_a_city_says_so() -> None:
    """Wall 51 completes a city at once."""
    game = at_decision(58)
    wall = parse_move("wall:51")
    others = [move for move in game.legal_moves() if move != wall]
    split = difference(games_after(game, [others[0], wall]), others[0], wall)
    assert split is not None
    closed = [city for city in split.other_cities if city.after == 0]
    assert [(city.seat, city.share) for city in closed] == [(game.seat, 1.0)]


def test_cards_are_worth_what_the_board_says_where_nothing_is_built_any_more() -> None:
    game = brought_to("final", seed=3, spec="busy")
    moves = list(game.legal_moves())
    nothing = next(move for move in moves if not move.cards)
    spent = next(move for move in moves if len(set(move.cards)) == 2)
    rollout = games_after(game, [nothing, spent])
    noted = rollout.noted
    assert noted is not None
    assert noted.hand == game.position.hands[game.seat]
    lands = {kind for kind in noted.hand if kind >= FIRST_LAND}
    points = game.table.card_points(game.state, None)
    cards = {card.card: card for card in _held_cards(rollout, noted.hand, 0, 0)}
    assert cards.keys() == {CARDS[kind] for kind in lands}
    assert all(cards[CARDS[kind]].points == points[kind] for kind in lands)
    assert not any(card.more or abs(card.more) > card.interval for card in cards.values())
    spent_names = {CARDS[kind] for kind in spent.cards}
    left = {card.card for card in _held_cards(rollout, noted.hand, 0, 1)}
    assert left == {CARDS[kind] for kind in lands} - spent_names
