"""Explanations of a decision: the games of its rollout say so, and no more."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise, product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from masons.ai.explain.causes import (
    CardsOfThisTurn,
    HeldCard,
    KeptCards,
    KnownCauses,
    PlayedCards,
    PointsThisTurn,
    Reason,
    ScoredTurns,
    SwapChange,
)
from masons.ai.explain.closed_cities import (
    CityChange,
    ClosedCity,
    NamedCity,
    NotedCities,
    city_changes,
    named_city,
)
from masons.ai.explain.expected_line import expected_line
from masons.ai.explain.explanation import (
    EVEN,
    PARTS,
    Difference,
    Explanation,
    _kept,
    difference,
    explained,
)
from masons.ai.explain.game_end import end_change
from masons.ai.explain.held_cards import held_cards
from masons.ai.rollout import game_kernel
from masons.ai.rollout.evidence import Measure
from masons.ai.rollout.noted_games import MIN_SHARE, GameNotes, NotedGames, expected_moves
from masons.ai.rollout.plan import Contenders
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.limits import Limits
from masons.ai.search.results import Analysis
from masons.ai.session import Session
from masons.engine.board.components import CARDS
from masons.engine.formats.move_text import Move, parse_move, play_move
from masons.engine.game.game import Game
from masons.engine.game.record import read_record
from masons.engine.game.replay import replay_to
from masons.engine.state.packed_move import ABSTAIN, PLAY, SWAP
from tests.support.named_play import GAMES, at_decision, brought_to
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
                is_scoring = {split.move.kind, split.other.kind} <= {PLAY, ABSTAIN}
                assert (split.reasons[0].interval == 0) == is_scoring
                assert all(reason.interval > 0 for reason in split.reasons[1:])
                assert split.words([f"seat {seat}" for seat in range(4)])
            checked += 1
    assert checked >= 5


def test_the_best_move_is_compared_with_a_middling_one_where_the_second_gives_no_reason() -> None:
    middling = []
    for decision in (33, 47, 60, 100, 129):
        game = at_decision(decision)
        session = Session(game.table, seed=1)
        analysis = session.analyze(game, sims=300, rollouts=3000, top=0)
        told = explained(analysis, session.rollout)
        assert told is not None
        second, *further = told.differences
        assert second.other == analysis.moves[1].move
        middling += further
        if further:
            assert not second.has_reason
            assert [split.other for split in further] == [told.middle]
            assert further[0].has_reason
            assert "+" in further[0].words(NAMES)[0]
            assert analysis.of(told.middle).games
        else:
            assert told.middle is None
    assert middling


def a_difference(causes: KnownCauses | None = None, **reasons: float) -> Difference:
    """Return a difference with these reasons of seat 0, `others` those of the other seat."""
    parts = [
        Reason(part, int(is_other), reasons.get(part, 0.0), 0.5, -1.0 if is_other else 1.0)
        for part, is_other in ((part, part == "others") for part in PARTS)
    ]
    move, other = parse_move("wall:3"), parse_move("wall:5")
    points = sum(reasons.values())
    known = causes or KnownCauses()
    return Difference(move, other, 0, 900, 0.1, 0.02, points, 0.5, tuple(parts), (), (), known)


PLAYED = PlayedCards(("land-shore",), is_other=False)
WALLS = HeldCard("final", "land-walls", 11.0, 9.0, 0.5, 2.0)
TURNS = ScoredTurns(2.0, 2.0, 0.1, (6.0, 5.0))


@pytest.mark.parametrize(
    ("part", "points", "sentence"),
    [
        ("now", 2.0, "+2.0 ± 0.5 for you: more points in this turn (plays Shore towers)."),
        (
            "cities",
            -2.0,
            "-2.0 ± 0.5 for you: fewer points in later cities (on average, cities are scored in",
        ),
        (
            "others",
            1.8,
            "+1.8 ± 0.5 for you: Bob scores fewer points (on average, cities are scored in ",
        ),
    ],
)
def test_the_sign_says_whether_it_is_good_for_the_seat(
    part: str, points: float, sentence: str
) -> None:
    fewer = replace(TURNS, turns_other=2.5)
    (words,) = a_difference(KnownCauses((PLAYED,), scored_turns=fewer), **{part: points}).words(
        NAMES
    )
    assert words.replace("\u2212", "-").startswith(sentence)


def test_what_has_no_cause_stands_in_one_sentence() -> None:
    split = a_difference(final=1.0, others=-1.8)
    (sentence,) = split.words(NAMES)
    parts = "+1.0 ± 0.5 in the final scoring; -1.8 ± 0.5 by what Bob scores."
    assert sentence.replace("\u2212", "-") == f"No one cause stands out: {parts}"
    first, second = a_difference(KnownCauses((PLAYED,)), now=1.0, final=1.2).words(NAMES)
    assert "plays Shore towers" in first
    assert second == "No one cause stands out: +1.2 ± 0.5 in the final scoring."


def test_what_is_good_is_told_first_and_nothing_small() -> None:
    split = a_difference(now=1.0, cities=-3.0, final=2.0, others=-1.0)
    assert [reason.points for reason in split.clear] == [2.0, 1.0, -3.0, -1.0]
    (sentence,) = a_difference(now=0.4, others=-0.4).words(NAMES)
    assert sentence == "No single reason: no part of the score differs clearly."
    even = replace(a_difference(now=0.4, others=-0.4), win=EVEN / 2)
    assert even.words(NAMES) == ["About as good as wall:5."]
    apart = replace(even, points=0.6)
    assert apart.words(NAMES) == [sentence]
    split = a_difference(cities=9.0, final=1.0, others=-1.4)
    assert [reason.points for reason in split.clear] == [9.0, -1.4]
    # A part that makes up much of a small whole isn't small.
    split = a_difference(now=-9.0, cities=10.0, final=1.0)
    assert [reason.points for reason in split.clear] == [10.0, 1.0, -9.0]


def test_what_only_speaks_against_a_move_says_so() -> None:
    (sentence,) = a_difference(final=-1.0).words(NAMES)
    assert sentence.startswith("No single reason for it; against it: ")


def test_the_same_move_is_not_told_apart() -> None:
    """Two contenders that play the same games: all reasons are 0, with an interval."""
    game = at_decision(21)
    move = game.legal_moves()[0]
    split = difference(games_after(game, [move, move]), move, move)
    assert split is not None
    assert {reason.points for reason in split.reasons} == {0.0}
    assert split.words(NAMES) == [f"About as good as {move}."]


def test_words_name_the_city_and_the_card_that_differ() -> None:
    more, fewer = CityChange(False, RED_CITY, 0.8, 0.2), CityChange(False, RED_CITY, 0, 0.7)
    causes = KnownCauses(changes=(more, fewer), scored_turns=TURNS)
    own, others = a_difference(causes, cities=3.0, others=2.0).words(NAMES)
    shares = (
        "the red city at space 7 is completed in a later turn in 80 % instead of 20 % of the games"
    )
    assert own.endswith(f"({shares}).")
    assert "the red city at space 7 is completed in a later turn in 0 % instead of 70 %" in others
    merged = KnownCauses(changes=(replace(more, is_merged=True),), scored_turns=TURNS)
    (sentence,) = a_difference(merged, cities=3.0).words(NAMES)
    assert (
        "the red city at space 7 (merged with another) is completed in a later turn in" in sentence
    )
    # The city of this turn is no reason for later points, and a small change none for many. The
    # number of scored turns is the cause if it changes by far more.
    for other in (replace(more, is_now=True), replace(more, share=0.3)):
        causes = KnownCauses(changes=(other,), scored_turns=TURNS)
        assert not a_difference(causes, cities=3).told
    causes = KnownCauses(changes=(more,), scored_turns=replace(TURNS, turns=3.0))
    (sentence,) = a_difference(causes, cities=3.0).words(NAMES)
    assert "(on average, cities are scored in 3.0 later turns instead of 2.0)" in sentence
    now = KnownCauses(changes=(CityChange(True, None, 0.8, 0.2),))
    (sentence,) = a_difference(now, now=3.0).words(NAMES)
    assert "(you complete a city in this turn in 80 % instead of 20 % of the games)" in sentence
    (sentence,) = a_difference(KnownCauses(cards=(WALLS,)), final=2.0).words(NAMES)
    assert sentence.endswith("(Land walls: 11.0 points instead of 9.0).")
    # Uncertain, against the reason, in another part of the game, and far more than the whole.
    others_cards = (
        replace(WALLS, interval=2.5),
        replace(WALLS, points=7.0),
        replace(WALLS, part="cities"),
        replace(WALLS, points=17.0, total=8.0),
        replace(WALLS, total=0.5),  # what it brings now, it does not bring at another time
    )
    for card in others_cards:
        (sentence,) = a_difference(KnownCauses(cards=(card,)), final=2.0).words(NAMES)
        assert sentence.startswith("No one cause stands out: ")


def test_cards_scored_in_this_turn_are_a_cause_of_its_points() -> None:
    """A placing after which a city card scores more; it is then spent."""
    rose = HeldCard("now", "city-rose", 3.0, 1.0, 0.5, 1.0)
    split = a_difference(KnownCauses(cards=(rose,), now=2.0), now=2.0, cities=-1.5)
    now, later = split.words(NAMES)
    assert now.endswith("more points in this turn (Rose in the city: 3.0 points instead of 1.0).")
    assert later.endswith("(cards that are scored in this turn are no longer in hand).")
    played = KnownCauses((PLAYED,), cards=(rose,), now=2.0)
    assert a_difference(played, now=2.0).words(NAMES)[0].endswith("(plays Shore towers).")
    # A card that both moves play explains nothing.
    both = PlayedCards(("city-rose", "land-shore"), is_other=True)
    for moves, said in (
        ((PLAYED, both), "(Rose in the city: 0.0 points instead of 2.0)."),
        ((PLAYED, replace(both, city=7)), "the other move plays Rose in the city and Shore towers"),
    ):
        assert said in a_difference(KnownCauses(moves), now=-2.0).words(NAMES)[0]
    chance = KnownCauses(cards=(replace(rose, interval=2.5),), now=2.0)
    assert not a_difference(chance, now=2.0, cities=-1.5).told


def test_moves_that_are_about_equal_hardly_matter() -> None:
    """The limit is that of the rows with their intervals."""
    even = 0
    for decision in (25, 29, 48, 70, 100, 116):
        analysis, rollout = analyzed(decision)
        told = explained(analysis, rollout)
        if told is None or told.most_lost is None:
            continue
        even += 1
        assert not any(split.has_reason for split in told.differences)
        ends = [row.loss + row.loss_interval for row in analysis.moves[1:]]
        assert 0 < max(ends) == told.most_lost <= EVEN
        others = "every other move" if len(ends) > 1 else "the other move"
        limit = f"{others} wins at most {100 * max(ends):.1f} % less often"
        assert told.why(NAMES) == [f"It hardly matters: {limit}."]
    assert even


def test_cards_that_bring_more_than_the_whole_name_the_rest() -> None:
    causes = KnownCauses(cards=(replace(WALLS, points=13.0, total=4.0),))
    (sentence,) = a_difference(causes, final=2.0).words(NAMES)
    assert sentence.endswith(
        "(Land walls: 13.0 points instead of 9.0; all other cards: 2.0 fewer)."
    )


def test_scored_turns_are_a_cause_only_of_what_they_can_bring() -> None:
    """Half a turn more, at six points for the seat and five for the other."""
    causes = KnownCauses(scored_turns=replace(TURNS, turns=2.5))
    own, others = a_difference(causes, cities=4.0, others=-3.0).words(NAMES)
    assert own.endswith("(on average, cities are scored in 2.5 later turns instead of 2.0).")
    assert others.endswith("(for the same reason).")
    for points in ({"cities": 7.0}, {"cities": -4.0}, {"others": 3.0}, {"final": 3.0}):
        assert not a_difference(causes, **points).told
    for few in (replace(TURNS, turns=2.2), replace(TURNS, turns=2.5, interval=0.6)):
        assert not a_difference(KnownCauses(scored_turns=few), cities=1.2).told


def test_cards_of_a_city_in_this_turn_are_why_later_points_differ() -> None:
    """The other move completes a city now, and its cards are spent."""
    causes = KnownCauses(changes=(CityChange(True, None, 0.0, 1.0),), now=-8.0)
    split = a_difference(causes, now=-8.0, cities=9.0)
    later, _ = split.words(NAMES)
    assert later.endswith("(cards that the other move scores in this turn are still in hand).")
    (reason,) = (each for each in split.told if each.part == "cities")
    assert split.causes.of(reason) == [CardsOfThisTurn(True)]
    assert not replace(causes, now=-3.0).of(reason)
    assert not replace(causes, now=8.0).of(reason)
    assert not KnownCauses(now=-8.0).of(reason)


def test_who_may_swap_is_a_cause_of_what_that_seat_scores() -> None:
    causes = KnownCauses(swaps=(SwapChange(1, 1.0, 0.0), SwapChange(0, 0.1, 0.9)))
    own, others = a_difference(causes, cities=-3.0, others=-2.0).words(NAMES)
    assert own.endswith(
        "(you are in last place and may swap cards in 10 % instead of 90 % of the games)."
    )
    assert others.endswith(
        "(Bob is in last place and may swap cards in 100 % instead of 0 % of the games)."
    )
    assert not a_difference(causes, cities=3.0, others=2.0).told


def test_who_may_swap_follows_from_the_scores() -> None:
    """Last place is determined once everybody has scored, from the scores at that time."""
    game = next(
        each
        for each in (at_decision(number) for number in range(20, 150))
        if each.phase == "score" and len(each.legal_moves()) > 3
    )
    rollout = games_after(game, list(game.legal_moves()[:3]))
    noted = rollout.noted_after(*rollout.moves)
    assert noted is not None
    swapped = 0
    for number, world in product(range(3), range(noted.worlds)):
        in_turn = [c for c in noted.choices(world, number) if c.turn == game.position.turn]
        swaps = {c.seat for c in in_turn[1:] if c.move is not None and c.move.kind == SWAP}
        for seat in range(2):
            assert noted.swaps(number, seat)[world] == (seat in swaps)
        if swaps:
            scores = next(c for c in in_turn if c.seat in swaps and c.move.kind == SWAP).scores
            assert swaps == {seat for seat in range(2) if scores[seat] == min(scores)}
            swapped += 1
    assert swapped


def test_a_city_is_no_cause_if_fewer_turns_score() -> None:
    change = CityChange(False, RED_CITY, 0.8, 0.2)
    for turns, is_told in ((1.5, False), (2.4, True)):
        causes = KnownCauses(changes=(change,), scored_turns=replace(TURNS, turns=turns))
        assert bool(a_difference(causes, cities=3.0).told) == is_told


@pytest.mark.parametrize(
    ("move", "other", "kept"),
    [
        ("play:land-shore", "play:land-shore+land-red", KeptCards(("land-red",), (), 1)),
        ("abstain:land-red", "play:land-shore", KeptCards(("land-shore",), ("land-red",), 1)),
        ("play:land-shore", "play:land-shore", None),
        ("swap:none", "swap:land-red", KeptCards(("land-red",), (), 0)),
        ("wall:3", "wall:5", None),
    ],
)
def test_cards_that_only_one_move_keeps(move: str, other: str, kept: KeptCards | None) -> None:
    assert _kept(parse_move(move), parse_move(other)) == kept


def test_as_many_cards_are_kept_as_the_game_leaves_in_hand() -> None:
    moves, left = at_decision(21).legal_moves(), []
    for move in moves:
        game = at_decision(21).copy()
        seat = game.seat
        game.apply(move)
        left.append(len(game.hand(seat)))
    assert {move.kind for move in moves} == {PLAY, ABSTAIN}
    assert len(set(left)) == 3
    for move, cards in zip(moves[1:], left[1:], strict=True):
        kept = _kept(move, moves[0])
        assert (kept.more if kept else 0) == cards - left[0]


@pytest.mark.parametrize(
    ("total", "now", "words"),
    [
        (2.4, 15.3, "(15.3 more in this turn and 12.9 fewer later)"),
        (2.4, 2.0, "(2.0 more in this turn and 0.4 more later)"),
        (2.4, 2.4, "(2.4 more in this turn)"),
        (2.4, 1.0, "by what Bob scores."),
    ],
)
def test_points_of_this_turn_and_later_add_up(total: float, now: float, words: str) -> None:
    this_turn = (PointsThisTurn(1, now, total - now),)
    (sentence,) = a_difference(KnownCauses(this_turn=this_turn), others=-total).words(NAMES)
    assert words in sentence


def test_what_is_certain_has_no_interval() -> None:
    split = a_difference(KnownCauses((PLAYED,)), now=1.0)
    split = replace(split, reasons=(Reason("now", 0, 1.0, 0.0), *split.reasons[1:]))
    assert split.words(NAMES) == ["+1 for you: more points in this turn (plays Shore towers)."]


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
        wins = [analysis.of(each).win or 0.0 for each in (split.move, split.other)]
        assert split.win == pytest.approx(wins[0] - wins[1], abs=1e-9)
        assert split.win >= 0


# --- what is expected


def test_the_line_says_what_others_do_and_what_cards_are_for() -> None:
    line = told_of(21).line
    words = line.words("Ann", "Bob")
    assert words
    city = ClosedCity(line.next_seat, 1, RED_CITY, 0.5)
    answered = replace(line, answer=None, answer_city=0.6, answered_city=city)
    assert "You complete the red city at space 7 (50 %)." in answered.words("Ann", "You")
    assert all(str(line.move) not in sentence for sentence in words)
    data = line.to_data()
    assert data["games"] >= 96
    assert replace(line, games=19).words("Ann", "Bob") == []  # shares of few games say nothing
    assert 0 <= data["answer_completes"] <= 1
    assert all(0 <= card["played"] <= 1 for card in data["cards"])


def test_in_the_turn_of_another_seat_the_next_wall_may_be_its_own() -> None:
    """Seat 1 scores or swaps in the turn of seat 0, then places the next wall itself."""
    game = next(
        each
        for each in (at_decision(number) for number in range(20, 150))
        if each.phase in ("score", "swap") and each.seat != each.position.active
    )
    rollout = games_after(game, list(game.legal_moves()[:2]))
    noted = rollout.noted_after(*rollout.moves)
    assert noted is not None
    line = expected_line(NotedCities(noted), 0, ())
    assert line.next_seat == line.seat == game.seat
    assert line.back is None
    assert line.answer is not None
    walls = [
        next(each for each in noted.choices(world, 0) if each.turn == game.position.turn + 1)
        for world in range(noted.worlds)
    ]
    assert {each.seat for each in walls} == {game.seat}
    share = np.mean([str(each.move) == f"wall:{line.answer[0]}" for each in walls])
    assert line.answer[1] == pytest.approx(share)


def test_the_line_of_a_move_is_what_most_games_did() -> None:
    analysis, rollout = analyzed(21)
    games, number = rollout.noted_after(analysis.best), 0
    assert games is not None
    assert games.worlds >= 96
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
    cards = expected_line(NotedCities(games), 0, games.hand).cards
    assert {card.card: card.played for card in cards} == {CARDS[5]: 0.0, CARDS[7]: 0.5}
    # In the second game, the seat has no choice of cards, so it says nothing about keeping.
    assert {card.card: card.kept for card in cards} == {CARDS[5]: 0.5, CARDS[7]: 0.0}


# --- cities and cards


def test_cities_are_named_by_the_colors_that_they_mostly_have() -> None:
    red, rose, palace = 2, 1 << 4, 1 << 20  # of red
    for pieces, name in (
        ([red, red, red + rose], "the red city at space 7"),
        ([palace], "the red city at space 7"),
        ([rose + red, rose + palace, rose], "the red and rose city at space 7"),
        ([0], "the city at space 7"),
        ([red, rose, 1 << 8], "the city at space 7"),
        ([0x11111], "the city of five colors at space 7"),
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


def test_a_city_is_the_same_whatever_color_its_houses_have() -> None:
    """Two moves: seat 0 completes the same spaces with other houses, and one space more."""
    walls = parse_move("wall:3"), parse_move("wall:5")
    notes = np.zeros((8, 2, 2, game_kernel.NOTE_WORDS), dtype=np.uint64)
    table = notes.view(game_kernel.NOTE)[..., 0]
    table["is_scored"][..., 0], table["turn"][..., 0] = 1, 4
    table["pieces"][:, 0, 0], table["pieces"][:, 1, 0] = 2, 1 << 4  # red, rose
    table["spaces"][:, 0, 0], table["spaces"][:, 1, 0] = (0b0110, 0), (0b0111, 0)
    counts = np.full((8, 2), 2, dtype=np.uint64)
    games = NotedGames(walls, 0, 3, 2, (5, 7), GameNotes(notes, counts))
    cities = NotedCities(games)
    assert [[city.share for city in cities.closed(number)] for number in (0, 1)] == [[1.0], [1.0]]
    assert cities.closed(0)[0].city == cities.closed(1)[0].city
    assert city_changes(cities, 0, 1) == ()
    table["spaces"][:, 1, 0] = (0b11 << 20, 1)  # elsewhere
    cities = NotedCities(games)
    assert {(each.share, each.share_other) for each in city_changes(cities, 0, 1)} == {
        (1.0, 0.0),
        (0.0, 1.0),
    }


Spaces = frozenset[int]


def all_closed(games: NotedGames, number: int) -> list[dict[int, tuple[int, Spaces]]]:
    """Return for each world and turn the active seat, and the spaces of the city it completes."""
    return [
        {
            int(note["turn"]): (
                int(note["active"]),
                frozenset(i for i in range(128) if int(note["spaces"][i // 64]) >> i % 64 & 1),
            )
            for note in world
            if note["is_scored"]
        }
        for world in games.notes_of(number)
    ]


def share_of(games: NotedGames, number: int, change: CityChange, core: Spaces) -> float:
    """Return in which share of games a city with more than half of the spaces is completed."""
    same = [
        any(
            2 * len(core & city) > len(core | city)
            for turn, (_, city) in world.items()
            if (turn == games.turn) == change.is_now
        )
        for world in all_closed(games, number)
    ]
    return sum(same) / len(same)


def test_causes_say_what_the_notes_say() -> None:
    """Shares are counted with sets of spaces, and points as changes of the score."""
    cities = cards = 0
    for decision in (21, 38, 58, 100, 129):
        if not isinstance(told := explained(*analyzed(decision)), Explanation):
            continue
        for split in told.differences:
            games, numbers = analyzed(decision)[1].noted_after(split.move, split.other), (0, 1)
            assert games is not None
            for change in split.causes.changes:
                assert split.move.kind < PLAY
                if change.city is None:
                    continue
                cores = {
                    city
                    for number in range(len(games.moves))
                    for world in all_closed(games, number)
                    for _, city in world.values()
                    if min(city) == change.city.space
                }
                # A city that overlaps with two others counts for the one that it resembles most.
                counted = [[share_of(games, i, change, core) for i in numbers] for core in cores]
                assert any(
                    share >= change.share - 1e-9
                    and other >= change.share_other - 1e-9
                    and (share > other) == (change.share > change.share_other)
                    for share, other in counted
                )
                cities += 1
            for card in split.causes.cards:
                if card.part == "final":
                    continue
                is_now = card.part == "now"
                for number, points in zip(numbers, (card.points, card.points_other), strict=True):
                    least, most = points_alone(games, number, card.card, is_now=is_now)
                    assert least - 1e-9 <= points <= most + 1e-9
                    cards += points > 0
    assert cities
    assert cards


def points_alone(games: NotedGames, number: int, card: str, *, is_now: bool) -> tuple[float, float]:
    """Return the mean points of plays of a card alone, and of all plays that include it.

    Plays in the decision's turn and in later turns are counted apart.
    """
    least = most = 0
    for world in range(games.worlds):
        for choice, after in pairwise(games.choices(world, number)):
            if choice.move is None or choice.move.kind != PLAY or choice.seat != games.seat:
                continue
            cards = {CARDS[kind] for kind in choice.move.cards}
            if (choice.turn == games.turn) == is_now and card in cards:
                points = after.scores[games.seat] - choice.scores[games.seat]
                most += points
                least += points if len(choice.move.cards) == 1 else 0
    return least / games.worlds, most / games.worlds


Points = list[tuple[int, ...]]  # of each seat in each world


def course(games: NotedGames, number: int) -> tuple[list[int], Points, Points]:
    """Return the turns after the decision's turn, what is scored in them, and the final scores."""
    turns, later, scores = [], [], []
    for world in range(games.worlds):
        choices = [*games.choices(world, number)]
        after = next(each for each in choices if each.turn > games.turn or each.move is None)
        turns.append(choices[-1].turn - games.turn)
        scores.append(choices[-1].scores)
        later.append(tuple(np.subtract(choices[-1].scores, after.scores)))
    return turns, later, scores


@pytest.mark.parametrize(
    ("number", "decision", "moves", "words"),
    [
        (1, 156, ("merge:0", "merge:none"), "in this turn in 100 % instead of 0 %"),
        (1, 151, ("wall:107", "wall:6"), "after"),
        (2, 124, ("merge:none", "merge:60"), "after"),
        (1, 161, ("houses:59=green,60=red", "houses:59=red,60=green"), "after"),
        (2, 142, ("merge:46", "merge:none"), "after"),
    ],
)
def test_a_move_that_ends_the_game_says_so_and_why_that_is_good(
    number: int, decision: int, moves: tuple[str, str], words: str
) -> None:
    """Turns and points are counted in the courses of the games. Other games confirm the points."""
    game = at_decision(decision, number)
    pair = [parse_move(move) for move in moves]
    rollout = games_after(game, pair)
    split, reverse = difference(rollout, *pair), difference(rollout, *pair[::-1])
    assert split is not None
    assert reverse is not None
    assert reverse.end is None  # what is good after one move is bad after the other
    end = split.end
    assert end is not None
    names = ["Ann", "Bob", "Cy", "Dan"]
    said = split.words(names)[0]
    assert said.startswith(f"The game ends {words} ")
    noted = rollout.noted_after(*rollout.moves)
    assert noted is not None
    first, other = (course(noted, index) for index in (0, 1))
    for (turns, *_), now, mean in (
        (first, end.now, end.turns),
        (other, end.now_other, end.turns_other),
    ):
        assert mean == pytest.approx(np.mean(turns))
        assert now == turns.count(0) / noted.worlds
    for half in (slice(0, None, 2), slice(1, None, 2)):
        later, scores = (
            np.mean(np.subtract(first[figure][half], other[figure][half]), axis=0)
            for figure in (1, 2)
        )
        if end.is_sooner:
            assert end.seat != game.seat
            assert said.endswith(f"before {names[end.seat]} can score as much.")
            assert later[end.seat] < min(later[game.seat], 0)
            assert scores[end.seat] < 0
        else:
            assert said.endswith(f"which gives {names[game.seat]} time to score more.")
            assert later[game.seat] > max(np.mean(np.delete(later, game.seat)), 0)
            assert scores[game.seat] > 0


def test_the_rules_end_the_game_after_a_move_that_says_so() -> None:
    for move, is_over in (("merge:0", True), ("merge:none", False)):
        played = replay_to(read_record(GAMES, 1), 156)
        turn = played.position.turn
        played.apply(parse_move(move))
        while not played.is_over and played.position.turn == turn:
            played.apply(played.legal_moves()[-1])
        assert played.is_over == is_over


def test_who_wins_by_the_end_needs_no_more_points_than_another() -> None:
    """The end costs both seats five points, but the seat that decides is ahead."""
    noted: Any = SimpleNamespace(
        seat=0,
        players=2,
        turns_left=lambda number: np.full(100, number),
        scores=lambda number: np.full((100, 2), [40, 30]) + 5 * number,
        later_points=lambda number: np.full((100, 2), 5 * number),
    )
    end = end_change(noted, 0, 1, wins_more=True)
    assert end is not None
    assert (end.is_now, end.is_sooner, end.seat) == (True, True, 1)
    assert end_change(noted, 0, 1, wins_more=False) is None
    assert end_change(noted, 1, 0, wins_more=False) is None


def test_moves_that_end_the_game_equally_soon_say_nothing_of_it() -> None:
    assert not any(split.end for split in told_of(38).differences)


def test_few_games_give_no_reason() -> None:
    game = at_decision(38)
    session = Session(game.table, seed=1)
    told = []
    for games in (100, 4000):
        analysis = session.analyze(game, limits=Limits(sims=300, rollouts=games))
        explanation = explained(analysis, session.rollout)
        assert explanation is not None
        told.append(explanation.differences)
    assert not told[0]
    assert told[1]


def test_land_cards_bring_what_is_scored_at_the_end() -> None:
    game = brought_to("final", seed=3, spec="busy")
    moves = list(game.legal_moves())
    nothing = next(move for move in moves if not move.cards)
    rollout = games_after(game, [nothing])
    noted = rollout.noted_after(*rollout.moves)
    assert noted is not None
    assert not any(card.points for card in held_cards(rollout, noted, (0, 0), (0, 0)))
    game = at_decision(129)
    rollout = games_after(game, list(game.legal_moves()[:2]))
    noted = rollout.noted_after(*rollout.moves)
    assert noted is not None
    final = float(rollout.sums.means(Measure.FINAL * 2 + game.seat)[0])
    cards = [card for card in held_cards(rollout, noted, (0, 1), (0, 1)) if card.part == "final"]
    assert 0 < sum(card.points for card in cards) <= final
