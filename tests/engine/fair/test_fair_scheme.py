"""The scheme: its numbers are uniform, and another program that follows the page gets the same."""

from __future__ import annotations

import hmac
from hashlib import sha256

import pytest

from masons.engine.board.components import CARDS
from masons.engine.fair.fair_game import Draws, commitment_of, game_key, new_secret

SECRET = bytes(range(32))
NONCES = ("left", "Zoë's №1", "")


def test_commitment_and_key_are_those_of_the_page() -> None:
    said = b"masons-fair 1 secret " + SECRET.hex().encode()
    assert commitment_of(SECRET) == sha256(said).hexdigest()
    said = b"masons-fair 1 nonces"
    for nonce in NONCES:
        said += b" " + sha256(nonce.encode()).hexdigest().encode()
    assert game_key(SECRET, NONCES) == hmac.digest(SECRET, said, "sha256")


def test_each_part_of_the_key_counts() -> None:
    keys = {
        game_key(SECRET, NONCES),
        game_key(bytes(32), NONCES),
        game_key(SECRET, NONCES[::-1]),
        game_key(SECRET, NONCES[:2]),
        game_key(SECRET, ("left", "Zoë's №1 ", "")),
        game_key(SECRET, ("", "leftZoë's №1", "")),
    }
    assert len(keys) == 6


@pytest.mark.parametrize("n", range(1, 61))
def test_every_number_below_n_comes_from_as_many_bytes(n: int) -> None:
    draws = Draws(b"", "roll", 1)
    draws._bytes = iter(range(256))
    found = [draws.below(n) for _ in range(256 // n * n)]
    with pytest.raises(StopIteration):
        draws.below(n)  # what is left of the bytes is too high
    assert [found.count(number) for number in range(n)] == [256 // n] * n


def test_a_stream_goes_on_over_its_blocks_and_no_two_purposes_share_one() -> None:
    key = game_key(SECRET, NONCES)
    draws = Draws(key, "deal")
    blocks = [hmac.digest(key, f"masons-fair 1 deal 0 {i}".encode(), "sha256") for i in range(3)]
    assert bytes(draws.below(256) for _ in range(96)) == b"".join(blocks)
    names = [("first", 0), ("deal", 0), ("roll", 1), ("roll", 11), ("reshuffle", 1), ("roll", 2)]
    starts = {tuple(Draws(key, *name).below(256) for _ in range(8)) for name in names}
    assert len(starts) == len(names)


def test_a_shuffle_takes_the_places_that_are_drawn_and_not_the_order_given() -> None:
    draws = Draws(b"", "deal")
    draws._bytes = iter([2, 0, 255, 4, 0])  # 255 would make the first of three likelier
    assert draws.shuffled(["d", "b", "a", "c"]) == ["c", "a", "d", "b"]
    cards = list(CARDS) * 2
    key = game_key(SECRET, NONCES)
    order = Draws(key, "deal").shuffled(cards)
    assert order == Draws(key, "deal").shuffled(cards[::-1])
    assert sorted(order) == sorted(cards)
    assert order != Draws(key, "reshuffle", 1).shuffled(cards)


def test_dice_come_up_about_equally_often() -> None:
    key = game_key(SECRET, NONCES)
    rolls = [Draws(key, "roll", number).roll() for number in range(1, 3001)]
    for die, faces in ((0, 3), (1, 6), (2, 6)):
        counts = [sum(roll[die] == face for roll in rolls) for face in range(faces)]
        expected = len(rolls) / faces
        # Chi square: beyond 20 with at most 5 degrees of freedom one time in 800.
        assert sum((count - expected) ** 2 / expected for count in counts) < 20


def test_secrets_differ() -> None:
    assert len({new_secret() for _ in range(100)}) == 100
    assert {len(new_secret())} == {32}
