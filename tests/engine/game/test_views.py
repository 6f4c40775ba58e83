"""Views with hidden hands: read from text and written again, with their legal moves."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

import masons
from masons.engine.errors import MasonsError, PositionError
from masons.engine.game.observation import Observation
from tests.support.named_play import brought_to
from tests.support.paths import EXAMPLES
from tests.support.playing import BOARDS, moves_by_chance


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_view_from_text_is_that_of_the_game(players: int) -> None:
    game, looked = masons.Game(players, seed=players), 0
    for _ in moves_by_chance(game, random.Random(players)):
        for seat in range(players):
            seen = game.observe(seat)
            view = masons.Observation.from_text(seen.text)
            assert (view.position, view.hidden) == (game.view(seat), seen.hidden)
            assert view.hand(seat) == game.hand(seat)
            assert view.hand((seat + 1) % players) is None or not game.hand((seat + 1) % players)
            if seat == game.seat:
                assert list(view.legal_moves()) == list(game.legal_moves()) == [*seen.legal_moves()]
                looked += 1
            elif seen.hidden[game.seat]:
                with pytest.raises(PositionError, match=f"the hand of seat {game.seat}, which dec"):
                    view.legal_moves()
    assert looked > 20


def test_a_view_with_hidden_hands_from_a_text_of_another_board() -> None:
    file = BOARDS / "rhombus-2.json"
    text = masons.Game(board=file, seed=1).observe(0).text
    with pytest.raises(PositionError, match="is not built in"):
        masons.Observation.from_text(text)
    view = masons.Observation.from_text(text, board=file)
    assert view.text == text
    assert view.board == masons.load_board(file)


def test_what_is_no_position_is_refused_and_says_what_reads_text() -> None:
    with pytest.raises(PositionError, match=r"text is read by masons\.Observation\.from_text"):
        masons.Position("nonsense")  # type: ignore[arg-type]
    with pytest.raises(PositionError, match="players is 5"):
        masons.Position(5)
    with pytest.raises(PositionError):
        masons.Observation.from_text("nonsense")
    text = masons.Game(seed=1).observe(0).text
    assert text.count("?6") == 1
    with pytest.raises(MasonsError, match=r"use masons\.Observation\.from_text\(text\)"):
        masons.Game.from_position(text)


def test_hidden_hands_can_be_dealt_at_random() -> None:
    """Everything that the seat sees stays as it is, and the rest is a deal like any other."""
    game = brought_to("score", players=3)
    seen = game.view(game.seat)
    deals = {seed: seen.dealt(seed) for seed in range(20)}
    for seed, deal in deals.items():
        assert deal.is_complete
        assert deal.observed_by(game.seat) == seen == game.view(game.seat)
        assert deal == seen.dealt(seed)
        later = masons.Game.from_position(deal, seed=seed)
        later.apply(later.legal_moves()[0])
    assert len({deal.hands for deal in deals.values()}) == len(deals)
    assert game.position.dealt(1) == game.position
    spectator = seen.observed_by(None)
    assert spectator.dealt(2).hand_sizes == seen.hand_sizes
    with pytest.raises(MasonsError, match="seed is 'x': it must be a whole number or None"):
        seen.dealt("x")  # type: ignore[arg-type]
    with pytest.raises(PositionError, match="hands hide more cards than the 60 unseen ones"):
        masons.Position(2, hands=(60, 1)).dealt(1)


def test_all_deals_are_equally_likely() -> None:
    """The hidden hand has each unseen card as often as its share of the unseen cards."""
    seen = masons.Game(seed=1).view(0)
    hands: list[Any] = [seen.dealt(seed).hands[1] for seed in range(2000)]
    counts = Counter(kind for hand in hands for kind in hand)
    unseen = Counter(seen.unseen)
    assert counts.keys() == unseen.keys()
    for kind, copies in unseen.items():
        expected = 2000 * 6 * copies / len(seen.unseen)
        assert abs(counts[kind] - expected) < 5 * expected**0.5


def test_the_comments_of_a_position_file_are_skipped() -> None:
    text = (EXAMPLES / "contested.txt").read_text(encoding="utf-8")
    assert text.startswith("# ")
    line = text.splitlines()[1]
    assert masons.Observation.from_text(text).text == masons.Observation.from_text(line).text
    commented = f"# turn=3 is unknown\n  # here\n{line.replace(' turn=17', '')}\n# end"
    assert masons.Game.from_position(commented).text == masons.Game.from_position(line).text
    assert masons.parse_position(text) == masons.parse_position(line)
    with pytest.raises(PositionError, match="a position begins with masons1, not with ''"):
        masons.Observation.from_text("# nothing")


def test_a_view_without_a_board_has_no_text_and_no_moves() -> None:
    state = masons.Game(seed=1).observe(0).state
    view = Observation(state, (0, 6))
    with pytest.raises(PositionError, match="has no board"):
        view.legal_moves()
    with pytest.raises(MasonsError, match="has no board"):
        assert view.text
    shown = (
        "<Observation: sees the hand of seat 0, hidden cards (0, 6); seat 0 has a wall decision>"
    )
    assert str(view) == repr(view) == shown
    other = repr(masons.Game(players=3, seed=1).observe(1))
    assert "sees the hand of seat 1, hidden cards (6, 0, 6); seat 0 has a wall decision" in other


def test_hands_are_names() -> None:
    game = masons.Game(seed=1)
    assert all(len(game.hand(seat)) == size for seat, size in enumerate(game.position.hand_sizes))
    assert masons.Game(seed=1, hands=[game.hand(0), game.hand(1)]).hand(1) == game.hand(1)
    with pytest.raises(MasonsError, match="seat is 4"):
        game.hand(4)
