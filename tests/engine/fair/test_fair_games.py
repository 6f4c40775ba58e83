"""Fair games from Python: begun with nonces, played, undone, kept, revealed."""

from __future__ import annotations

import random
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from masons.engine.errors import MasonsError
from masons.engine.fair import fair_game
from masons.engine.fair.fair_check import check_fair
from masons.engine.fair.fair_game import (
    Fair,
    FairOffer,
    commitment_of,
    forget_secret,
    keep_secret,
    kept_fair,
)
from masons.engine.game.game import Game
from masons.engine.game.record import check_record, game_record
from tests.support.playing import pick, play

SECRET = bytes(range(32))


def test_an_offer_commits_before_it_takes_nonces() -> None:
    offer = FairOffer(3)
    commitment = offer.commitment
    offer.give(2, "c")
    offer.give(0, "a")
    assert offer.missing == (1,)
    with pytest.raises(MasonsError, match="seat 2 has given its nonce"):
        offer.give(2, "d")
    fair = offer.close()
    assert fair.nonces == ("a", "", "c")
    assert fair.terms.commitment == commitment == commitment_of(fair.secret)
    assert FairOffer(3).commitment != commitment


@pytest.mark.parametrize(
    ("seat", "nonce"),
    [(3, "a"), (-1, "a"), (None, "a"), (True, "a"), (0, 7), (0, "x" * 201), (0, "\ud800")],
)
def test_what_is_no_nonce_is_refused(seat: Any, nonce: Any) -> None:
    offer = FairOffer(3)
    with pytest.raises(MasonsError, match="it must be"):
        offer.give(seat, nonce)
    assert offer.missing == (0, 1, 2)


@pytest.mark.parametrize(
    ("secret", "nonces"),
    [
        ("x", ("a", "b")), (bytes(31), ("a", "b")), (bytes(32), ("a",)), (bytes(32), "ab"),
        (bytes(32), ("a",) * 5), (bytes(32), ("a", None)),
    ],
)  # fmt: skip
def test_what_is_no_luck_is_refused(secret: Any, nonces: Any) -> None:
    with pytest.raises(MasonsError):
        Fair(secret, nonces)


def test_nothing_that_is_shown_holds_the_secret() -> None:
    fair = Fair(SECRET, ("a", "b"))
    game = fair.new_game()
    shown = [repr(fair), str(fair.public()), str(vars(game)), repr(fair.terms)]
    shown.append(str(fair.sealed({"x": 1})))
    for text in shown:
        assert SECRET.hex() not in text
        assert repr(SECRET) not in text
    assert fair.sealed({})["fair"]["secret"] is None
    assert fair.revealed({})["fair"]["secret"] == SECRET.hex()


def test_the_same_secret_and_nonces_give_the_same_game() -> None:
    def played(*nonces: str) -> list[dict[str, Any]]:
        return play(Fair(SECRET, nonces).new_game(), random.Random(1)).events

    assert played("a", "b") == played("a", "b") != played("a", "c")


def test_who_begins_is_drawn_or_was_agreed() -> None:
    seats = {Fair(bytes([n]) * 32, ("", "", "")).first for n in range(20)}
    assert seats == {0, 1, 2}
    fair = Fair(SECRET, ("a", "b"))
    assert fair.new_game(first=1 - (fair.first or 0)).seat == fair.first
    agreed = Fair(SECRET, ("a", "b"), draws_first=False)
    assert agreed.first is None
    assert [agreed.new_game(first=seat).seat for seat in (0, 1)] == [0, 1]


@pytest.mark.parametrize("players", [2, 4])
def test_what_is_taken_back_comes_again(players: int) -> None:
    fair = Fair(SECRET, ("a", "b", "", "d")[:players])
    game, chance = fair.new_game(), random.Random(players)
    while not game.is_over:
        move = pick(game, chance)
        game.apply(move)
        if chance.random() < 0.3:
            count = min(chance.randrange(1, 4), game.decisions)
            moves, events = game.moves[-count:], game.events
            game.undo(count)
            for again in moves:
                game.apply(again)
            assert game.events == events
    record = fair.revealed(game_record(game))
    assert check_record(record) is check_fair(record) is None


def test_a_record_of_a_fair_game_is_like_any_other() -> None:
    fair = Fair(SECRET, ("a", "b"))
    game = fair.new_game()
    play(game, random.Random(3))
    record = game_record(game)
    assert record["seed"] is None
    assert check_record(fair.revealed(record)) is None
    own = Game(2, chance=fair.chance(), first=game.first)
    assert own.hands_dealt == game.hands_dealt


# ---- the secret of a game that goes on


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(fair_game, "user_data_path", lambda *_, **__: tmp_path)
    return tmp_path / "secrets"


def test_a_secret_is_kept_for_its_user_only_and_forgotten(folder: Path) -> None:
    fair = Fair(SECRET, ("a", "b"))
    first = fair.first or 0
    keep_secret(fair)
    (file,) = folder.iterdir()
    assert fair.terms.commitment in file.name
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert kept_fair(fair.terms, first) == fair
    with pytest.raises(MasonsError, match="was drawn"):
        kept_fair(fair.terms, 1 - first)
    forget_secret(fair.terms.commitment)
    forget_secret(fair.terms.commitment)
    assert list(folder.iterdir()) == []
    with pytest.raises(MasonsError, match="is not in"):
        kept_fair(fair.terms, first)


@pytest.mark.parametrize("content", ["", "zz", "00" * 32, "é"])
def test_a_secret_that_is_another_is_refused(folder: Path, content: str) -> None:
    fair = Fair(SECRET, ("a", "b"))
    keep_secret(fair)
    (file,) = folder.iterdir()
    file.write_text(content, encoding="utf-8")
    with pytest.raises(MasonsError, match="does not hold the secret"):
        kept_fair(fair.terms, 0)
