"""Games played on: what they say is fair, adds up, and is no more than was measured."""

from __future__ import annotations

import os
import random
from dataclasses import replace

import numpy as np
import pytest

from masons.ai.explain.closed_cities import city_name
from masons.ai.explain.expected_line import line_words
from masons.ai.explain.expected_moves import LEAST, expected_moves
from masons.ai.explain.explanation import explained, explanation, pairs_to_explain
from masons.ai.explain.held_cards import HeldCard, held_cards
from masons.ai.explain.paired_games import continuations, joined, led_by
from masons.ai.explain.played_on import TINY, TURNS, deals_after
from masons.ai.explain.split_difference import PARTS
from masons.ai.explain.why_words import why_words
from masons.ai.session import Session
from masons.engine.board.components import CARDS, FIRST_LAND
from masons.engine.formats.move_text import parse_move
from masons.engine.game.game import Game
from masons.engine.game.record import read_record, replay_to
from masons.engine.state.packed_move import ABSTAIN
from tests.support.paths import ROOT
from tests.support.thinned import thinned

GAMES = str(ROOT / "examples" / "games.jsonl")
NAMES = ["Ann", "Bob", "Cid", "Dan"]


def there(decision: int, number: int = 1) -> Game:
    return replay_to(read_record(GAMES, number), decision)


def test_the_same_move_twice_meets_the_same_luck() -> None:
    game = Game(2, seed=3)
    move = game.legal_moves()[5]
    found = continuations(game.table, game.observe(0), [move, move], deals=6, turns=0, seed=1)
    assert (found.scores[:, 0] == found.scores[:, 1]).all()
    assert (found.wins[:, 0] == found.wins[:, 1]).all()
    assert (found.ended == 1).all()
    assert np.allclose(found.wins.sum(axis=2), 1)
    assert len({tuple(row) for row in found.scores[:, 0].tolist()}) > 1


def test_more_deals_and_other_moves_change_no_game() -> None:
    game = Game(3, seed=4)
    view, moves = game.observe(0), game.legal_moves()[:3]
    few = continuations(game.table, view, moves[:1], deals=5, turns=2, seed=9)
    many = continuations(game.table, view, moves, deals=30, turns=2, seed=9)
    assert (few.wins[:, 0] == many.wins[:5, 0]).all()


def test_hidden_hands_do_not_matter() -> None:
    game = there(40)
    view = game.observe(game.seat)
    bare = continuations(game.table, view, game.legal_moves()[:2], deals=4, turns=3, seed=2)
    again = continuations(
        game.table, replace(view), game.legal_moves()[:2], deals=4, turns=3, seed=2
    )
    assert (bare.wins == again.wins).all()


def test_choices_are_those_of_a_game() -> None:
    game = there(21)
    move = game.legal_moves()[0]
    found = continuations(game.table, game.observe(game.seat), [move], deals=3, turns=0, seed=5)
    for deal in range(3):
        choices = list(found.choices(deal, 0))
        assert choices[0].move == move
        assert choices[0].seat == game.seat
        assert choices[-1].move is None
        assert choices[-1].scores == tuple(found.scores[deal, 0].astype(int).tolist())
        turns = [choice.turn for choice in choices]
        assert turns == sorted(turns)


def searched(game: Game, sims: int = 1500) -> tuple[object, object]:
    session = Session(game.table, seed=1)
    view = game.observe(game.seat)
    found = session.analyse(view, sims=sims)
    pairs = pairs_to_explain(found, [found.moves[-1].move])
    return found, explanation(game.table, view, found, pairs, games=session.games, seed=1)


@pytest.mark.slow
def test_the_parts_sum_up_to_what_the_analysis_says() -> None:
    """Over a hundred positions with MASONS_FUZZ in the environment, else a twelfth of them."""
    checked = 0
    for number in (1, 2, 3):
        record = read_record(GAMES, number)
        for decision in thinned(range(2, 150, 4), 12):
            try:
                game = replay_to(record, decision)
            except Exception:
                break
            if len(game.legal_moves()) < 2:
                continue
            found, told = searched(game)
            for one in told.differences:  # type: ignore[attr-defined]
                assert tuple(part.name for part in one.parts) == PARTS
                loss = found.of(one.other).loss  # type: ignore[attr-defined]
                assert one.win == pytest.approx(loss, abs=1e-9)
                assert sum(part.win for part in one.parts) == pytest.approx(one.win, abs=1e-9)
                points = sum(part.points for part in one.parts)
                assert points == pytest.approx(one.points, abs=1e-6)
                assert all(part.win_interval > 0 for part in one.parts)
                assert one.win_interval > 0
                assert why_words(one, NAMES)
            checked += 1
    assert checked >= (100 if "MASONS_FUZZ" in os.environ else 8)


def test_the_line_says_what_others_do_and_what_cards_are_for() -> None:
    _, told = searched(there(21))
    line = told.line  # type: ignore[attr-defined]
    words = line_words(line, "Ann", "Bob")
    assert words
    answered = replace(line, answer=None, answer_city=0.5, answered_city="the red city")
    assert "You complete the red city (50 %)." in line_words(answered, "Ann", "You")
    assert all(str(line.move) not in sentence for sentence in words)
    data = line.to_data()
    assert 0 <= data["answer_completes"] <= 1
    assert all(0 <= card["played"] <= 1 for card in data["cards"])


def test_nothing_is_said_that_was_not_measured() -> None:
    game = Game(2, seed=3)
    session = Session(game.table, seed=1)
    view = game.observe(game.seat)
    found = session.analyse(view, sims=1500)
    best, second = found.moves[0].move, found.moves[1].move
    games = continuations(game.table, view, [best, best], deals=20, turns=TURNS, seed=1)
    same = replace(games, moves=(best, second))
    told = explanation(game.table, view, found, [(best, second)], games=same)
    (sentence,) = why_words(told.differences[0], NAMES)
    assert sentence.startswith("Nothing that can be measured")


def test_a_tiny_search_plays_nothing_on() -> None:
    assert deals_after(TINY - 1) == 0
    assert deals_after(TINY) > 0
    game = Game(2, seed=3)
    session = Session(game.table)
    session.analyse(game.observe(0), sims=TINY - 1)
    assert session.games is None
    session.analyse(game.observe(0), sims=TINY)
    assert session.games is not None


def test_an_analysis_says_whether_it_explains() -> None:
    game = Game(2, seed=3)
    view, session = game.observe(0), Session(game.table)
    tiny = session.analyse(view, sims=TINY - 1)
    pair = tiny.moves[0].move, tiny.moves[-1].move
    assert explained(game.table, view, tiny) is None
    asked = explained(game.table, view, tiny, pair=pair)
    assert asked is not None
    assert [(one.move, one.other) for one in asked.differences] == [pair]

    found = session.analyse(view, sims=TINY)
    games, played = session.games, found.moves[-1].move
    assert explained(game.table, view, replace(found, stopped=True), games=games) is None
    unsure = (replace(found.moves[0], interval=None), *found.moves[1:])
    assert explained(game.table, view, replace(found, moves=unsure), games=games) is None
    told = explained(game.table, view, found, games=games, played=played)
    assert told is not None
    assert [one.other for one in told.differences] == [found.moves[1].move, played]
    assert told.played == played
    assert told.why(NAMES[:2])
    assert told.expected(NAMES[:2])


def test_the_line_of_a_move_is_what_most_games_did() -> None:
    game = there(21)
    session = Session(game.table, seed=1)
    found = session.analyse(game.observe(game.seat), sims=2000)
    games = session.games
    assert games is not None
    number = games.moves.index(found.best)
    steps = expected_moves(games, number)
    assert found.moves[0].line == tuple(str(move) for move, _ in steps)
    assert found.moves[0].line_shares == tuple(share for _, share in steps)
    for move, share in steps:
        made = [
            any(choice.move == move for choice in list(games.choices(deal, number))[1:])
            for deal in range(games.deals)
        ]
        assert LEAST <= share <= sum(made) / games.deals
    assert len({move for move, _ in steps}) == len(steps)
    assert session.analysis(top=0).moves[0].line == ()
    assert not any(stats.line for stats in found.moves if stats.move not in games.moves)


def test_cities_are_named_by_the_colours_that_they_mostly_have() -> None:
    red, rose, palace = 2, 1 << 4, 1 << 20  # of red
    assert city_name([red, red, red + rose], 7) == "the red city"
    assert city_name([palace], 7) == "the red city"
    assert city_name([rose + red, rose + palace, rose], 7) == "the red and rose city"
    assert city_name([0], 7) == "the city at space 7"
    assert city_name([red, rose, 1 << 8], 7) == "the city at space 7"
    assert city_name([0x11111], 7) == "the city of five colours"


def test_words_name_the_city_that_a_move_gives_away() -> None:
    """Wall 51 completes a city at once, and lets the other seat complete the next one."""
    game = there(58)
    view, session = game.observe(game.seat), Session(game.table)
    played = parse_move("wall:51")
    found = session.analyse(view, sims=16_000, also=[played])
    told = explained(game.table, view, found, games=session.games, played=played)
    assert told is not None
    one = told.differences[-1]
    cities = [city for city in one.there.cities_closed if city.after == 0]
    assert [(city.seat, city.share) for city in cities] == [(game.seat, 1.0)]
    words = " ".join(why_words(one, NAMES))
    assert f"does not complete {cities[0].name}, which wall:51 does" in words


def last_scoring() -> Game:
    """A game in which nothing but the last cards is left to be played."""
    game, chance = Game(2, seed=3), random.Random(3)
    while game.phase != "final":
        moves = game.legal_moves()
        game.apply(chance.choice([move for move in moves if move.kind == ABSTAIN] or moves))
    return game


def test_land_cards_score_what_the_board_says_where_the_games_are_left() -> None:
    game = last_scoring()
    moves = game.legal_moves()[:3]
    games = continuations(game.table, game.observe(game.seat), moves, deals=2, turns=1, seed=1)
    assert (games.land == games.land[0, 0]).all()  # nothing is built any more
    assert games.hand == game.position.hands[game.seat]
    lands = {kind for kind in games.hand if kind >= FIRST_LAND}
    assert lands
    for kind in lands:
        copy = last_scoring()
        move = next(move for move in copy.legal_moves() if move.cards == (kind,))
        before, seat = copy.position.scores[copy.seat], copy.seat
        copy.apply(move)
        assert copy.position.scores[seat] - before == games.land[0, 0, kind - FIRST_LAND]


def test_cards_that_a_move_gives_away_are_not_compared() -> None:
    game = last_scoring()
    nothing = next(move for move in game.legal_moves() if not move.cards)
    spent = next(move for move in game.legal_moves() if len(set(move.cards)) == 2)
    games = continuations(
        game.table, game.observe(game.seat), [nothing, spent], deals=2, turns=1, seed=1
    )
    lands = {CARDS[kind] for kind in games.hand if kind >= FIRST_LAND}
    given = {CARDS[kind] for kind in spent.cards}
    assert {one.card for one in held_cards(games, 0, 0)} == lands
    assert {one.card for one in held_cards(games, 0, 1)} == lands - given
    assert not any(one.more or one.differs for one in held_cards(games, 0, 1))


def test_words_name_the_card_that_is_better_later() -> None:
    _, told = searched(there(24))
    same = told.differences[0]  # type: ignore[attr-defined]
    parts = [replace(part, points=0.0) for part in same.parts]
    walls = HeldCard("land-walls", 11.0, 9.0, 0.5)
    kept = replace(same, parts=tuple(parts), cards=(walls,))
    told_of = "land-walls counts 11.0 instead of 9.0 after 4 more turns"
    assert any(told_of in sentence for sentence in why_words(kept, NAMES))
    unsure = replace(kept, cards=(replace(walls, interval=2.5),))
    assert not any("land-walls" in sentence for sentence in why_words(unsure, NAMES))
    hand = [
        replace(part, points=2.0 if part.name == "hand" else 0.0, points_interval=1.0)
        for part in parts
    ]
    (sentence,) = why_words(replace(kept, parts=tuple(hand)), NAMES)
    assert sentence.endswith(f"hand brings 2.0 points more later: {told_of}.")


def test_games_that_grow_are_those_played_at_once() -> None:
    """In which parts they are played makes no difference, nor does which move leads."""
    game = Game(2, seed=4)
    view, moves = game.observe(0), game.legal_moves()[:3]
    whole = continuations(game.table, view, moves, deals=11, turns=2, seed=9)
    part = continuations(game.table, view, moves, deals=4, turns=2, seed=9)
    more = continuations(game.table, view, moves, deals=7, turns=2, seed=9, first=4)
    both = joined(part, more)
    swapped = [moves[2], *moves[:2]]
    led = led_by(both, moves[2])
    assert (both.moves, led.moves) == (tuple(moves), tuple(swapped))
    for deal in range(11):
        for number, move in enumerate(moves):
            choices = list(whole.choices(deal, number))
            assert list(both.choices(deal, number)) == choices
            assert list(led.choices(deal, swapped.index(move))) == choices
    for name in ("wins", "scores", "has", "left", "ended", "last", "land"):
        there = getattr(whole, name)
        assert (getattr(both, name) == there).all()
        assert (getattr(led, name) == there[:, [2, 0, 1]]).all()
