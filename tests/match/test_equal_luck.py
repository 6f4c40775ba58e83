"""Duplicate deals: fair, repeatable, and as independent of the play as they can be."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from masons.engine.board.components import DECK, HOUSE_DIE, TOWER_DIE
from masons.engine.board.geometry import Board
from masons.engine.game.game import Game
from masons.engine.game.record import game_record
from masons.engine.game.replay import check_record
from masons.match.running.duplicate_deals import (
    DealtDeck,
    DuplicateDeal,
    dealt_hands,
    derived_seed,
    dice_of,
    shuffled,
    words,
)
from tests.support.playing import board_of, pick

# Chi-square at 0.1% for as many degrees of freedom (scipy 1.17, `chi2.ppf(0.999, n)`).
LIMITS = {39: 72.055, 59: 98.324, 107: 157.952}


def chi_square(counts: Sequence[int], cells: int) -> float:
    expected = sum(counts) / cells
    return sum((n - expected) ** 2 for n in counts) / expected + (cells - len(counts)) * expected


def played(seed: int, players: int, chance: random.Random, board: Board) -> Game:
    """A game of a duplicate deal, its decisions by chance."""
    luck = DuplicateDeal(seed)
    game = luck.new_game(players, board=board, early_roll=True)
    while not game.is_over:
        game.apply(pick(game, chance))
        luck.settle(game)
    return game


def rolls(game: Game) -> dict[int, list[tuple[str | None, str, str]]]:
    """The dice that each seat rolled, turn by turn."""
    by_seat: dict[int, list[tuple[str | None, str, str]]] = {s: [] for s in range(game.players)}
    seat = 0
    for event in game.events:
        if event["e"] == "wall":
            seat = event["p"]
        elif event["e"] == "roll":
            by_seat[seat].append((event["tower"], *event["houses"]))
    return by_seat


def test_the_words_are_pinned() -> None:
    """A seed means the same luck for ever: computed apart with `sha256sum`."""
    # printf 'masons-luck 1 dice 7 1 4 0' | sha256sum
    assert f"{next(words('dice', 7, 1, 4)):016x}" == "c5ffde3d672746a7"
    assert len({derived_seed("player", 1, n) for n in range(1000)}) == 1000


def test_dice_are_uniform() -> None:
    sides = len(TOWER_DIE) * len(HOUSE_DIE) ** 2
    counts = Counter(
        dice_of(seed, seat, n) for seed in range(40) for seat in range(4) for n in range(100)
    )
    assert chi_square(list(counts.values()), sides) < LIMITS[107]


def test_the_deal_is_uniform() -> None:
    counts = Counter(card for seed in range(2000) for card in dealt_hands(seed, 3)[2])
    assert chi_square(list(counts.values()), DECK) < LIMITS[59]
    assert sorted(shuffled(range(DECK), "x", 1)) == list(range(DECK))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_luck_stays_comparable_after_games_diverge(classic: Board, players: int) -> None:
    """Other decisions: the same hands, the same dice in every turn that both games have."""
    games = [played(11, players, random.Random(n), classic) for n in range(4)]
    assert len({game.hands_dealt for game in games}) == 1
    for other in games[1:]:
        for seat in range(players):
            pairs = list(zip(rolls(games[0])[seat], rolls(other)[seat], strict=False))
            assert pairs
            for left, right in pairs:
                assert left[1:] == right[1:]
                assert left[0] == right[0] or None in (left[0], right[0])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["classic", "hexagon-24"])
def test_records_pass(name: str) -> None:
    """Records of duplicate deals replay, also through reshuffles."""
    board = board_of(name)
    reshuffles = 0
    for seed in range(12):
        game = played(seed, 2 + seed % 3, random.Random(seed), board)
        assert check_record(game_record(game), board) is None
        reshuffles += len(game.log.decks) - 1
    assert reshuffles


@pytest.mark.slow
@pytest.mark.parametrize("reshuffles", [0, 2])
def test_draws_are_uniform_whatever_was_drawn_before(reshuffles: int) -> None:
    """Also where who draws next depends on the cards that came, and for single copies of a kind."""
    cards = [card for card in range(DECK) if card % 3]
    kinds: Counter[int] = Counter()
    for seed in range(4000):
        deck = DealtDeck(seed, reshuffles, cards)
        card = 0
        for _ in range(9):
            card = deck.draw(card % 3)
        kinds[deck.draw(1)] += 1
    assert set(kinds) == set(cards)
    assert chi_square(list(kinds.values()), len(cards)) < LIMITS[39]


def test_a_seat_draws_the_same_unless_others_took_it() -> None:
    """Other seats' draws change at most as many of a seat's cards as they took."""
    deck = DealtDeck(3, 1, range(10, 20))
    assert sorted(deck.draw(n % 4) for n in range(10)) == list(range(10, 20))
    for seed in range(50):
        alone, crowded = DealtDeck(seed, 0, range(DECK)), DealtDeck(seed, 0, range(DECK))
        taken = {crowded.draw(1) for _ in range(8)}
        mine = [alone.draw(0) for _ in range(10)]
        theirs = [crowded.draw(0) for _ in range(10)]
        kept = [card for card in mine if card not in taken]
        assert theirs[: len(kept)] == kept
