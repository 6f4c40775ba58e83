"""Fair games: the scheme, games from it, secrets kept, records verified by engine and example."""

from __future__ import annotations

import fileinput
import hmac
import json
import random
import runpy
import stat
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from masons.engine.board.components import CARDS
from masons.engine.errors import MasonsError, RecordError
from masons.engine.fair import fair_game
from masons.engine.fair.fair_check import UnverifiableError, check_fair, verify_fair
from masons.engine.fair.fair_game import (
    Draws,
    Fair,
    FairOffer,
    commitment_of,
    forget_secret,
    game_key,
    keep_secret,
    kept_fair,
)
from masons.engine.formats.record_endings import Stopped
from masons.engine.game.game import Game
from masons.engine.game.record import game_record, read_record
from masons.engine.game.replay import Replay, check_record
from tests.support.fair_records import Record, fair_record, tampered
from tests.support.paths import EXAMPLES
from tests.support.playing import pick, play
from tests.support.thinned import thinned

Example = Callable[..., str | None]

SECRET = bytes(range(32))


def test_a_stream_goes_on_over_its_blocks() -> None:
    """Games seldom need a third block; `verify_fair.py` shows the rest of the scheme in games."""
    key = bytes(32)
    blocks = [hmac.digest(key, f"masons-fair 1 deal 0 {i}".encode(), "sha256") for i in range(3)]
    draws = Draws(key, "deal")
    assert bytes(draws.below(256) for _ in range(96)) == b"".join(blocks)


# ---- games


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
    secrets = {FairOffer(3).close().secret for _ in range(100)} | {fair.secret}
    assert len(secrets) == 101
    assert {len(secret) for secret in secrets} == {32}


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
    for shown in (fair, fair.public(), vars(game), fair.terms, fair.sealed({"x": 1})):
        assert SECRET.hex() not in repr(shown)
        assert repr(SECRET) not in repr(shown)
    assert fair.sealed({})["fair"]["secret"] is None
    assert fair.revealed({})["fair"]["secret"] == SECRET.hex()


def test_the_same_secret_and_nonces_give_the_same_game() -> None:
    """Whose record is like any other."""

    def played(*nonces: str) -> Record:
        return game_record(play(Fair(SECRET, nonces).new_game(), random.Random(1)))

    record = played("a", "b")
    assert record == played("a", "b")
    assert record["events"] != played("a", "c")["events"]
    assert record["seed"] is None
    fair = Fair(SECRET, ("a", "b"))
    assert check_record(fair.revealed(record)) is None
    again = Game(2, chance=fair.chance(), first=record["first"])
    assert [[CARDS[kind] for kind in dealt] for dealt in again.hands_dealt] == record["hands"]


def test_who_begins_is_drawn_or_was_agreed() -> None:
    seats = {Fair(bytes([n]) * 32, ("", "", "")).first for n in range(20)}
    assert seats == {0, 1, 2}
    fair = Fair(SECRET, ("a", "b"))
    assert fair.new_game(first=1 - (fair.first or 0)).seat == fair.first
    agreed = Fair(SECRET, ("a", "b"), draws_first=False)
    assert agreed.first is None
    assert [agreed.new_game(first=seat).seat for seat in (0, 1)] == [0, 1]


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


# ---- records verified

CHANCE = ("roll", "reshuffle")
SCRIPT = EXAMPLES / "verify_fair.py"


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Example:
    """The example, which knows nothing of the engine, run in this process: the fault it finds."""
    path = tmp_path / "games.jsonl"
    monkeypatch.setattr("sys.argv", [str(SCRIPT), str(path)])

    def fault(*records: Record) -> str | None:
        text = "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
        path.write_text(text, encoding="utf-8")
        try:
            runpy.run_path(str(SCRIPT), run_name="__main__")
        except SystemExit as left:
            return str(left.code)
        finally:
            fileinput.close()
        return None

    return fault


@pytest.mark.parametrize("draws_first", [True, False])
def test_right_games_are_right(
    example: Example, draws_first: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [fair_record(players, draws_first=draws_first) for players in (2, 3, 4)]
    assert example(*records) is None
    assert capsys.readouterr().out.count(": right, commitment ") == 3
    for record in records:
        verified = verify_fair(record)
        kinds = [event["e"] for event in record["events"]]
        assert (verified.rolls, verified.reshuffles) == tuple(map(kinds.count, CHANCE))
        assert verified.draws > 20
        assert verified.reshuffles > 0


def test_the_games_of_the_page_have_the_secret_and_the_nonces_of_its_vectors() -> None:
    first, second = (read_record(EXAMPLES / "fair.jsonl", number) for number in (1, 2))
    assert check_fair(first) is check_fair(second) is None
    assert first["fair"]["secret"] == second["fair"]["secret"] == bytes(range(32)).hex()
    assert first["fair"]["nonces"] == ["left", "right"]
    assert second["fair"]["nonces"] == ["", "Zoë's №1", ""]


@pytest.mark.slow
@pytest.mark.parametrize(("players", "draws_first"), [(2, True), (3, False), (4, True)])
def test_whatever_is_changed_is_found_by_both(
    example: Example, players: int, draws_first: bool
) -> None:
    record = fair_record(players, draws_first=draws_first)
    cases = list(tampered(record, random.Random(players)))
    assert len(cases) > 150
    dice = [case for case in cases if "die" in case[0]]
    others = [case for case in cases if "die" not in case[0]]
    for what, changed in [*thinned(dice, 12), *thinned(others, 6), *others[-20:]]:
        fault = check_fair(changed)
        assert fault is not None, what
        assert fault.isprintable(), what
        assert len(fault) < 400, what
        if what == "who begins" and not draws_first:
            continue  # against the rules only, as it was agreed
        assert example(changed) is not None, what


def test_a_fault_names_the_decision(example: Example) -> None:
    record = fair_record(2)
    rolls = [number for number, event in enumerate(record["events"]) if event["e"] == "roll"]
    event = record["events"][number := rolls[4]]
    right = event["houses"][1]
    event["houses"][1] = "red" if right != "red" else "blue"
    fault = check_fair(record)
    assert fault is not None
    replay = Replay(fair_record(2))
    while len(replay.game.log) <= number:
        replay.step()
    assert fault.startswith(f"roll 5 (event {number + 1}, after decision {replay.game.decisions})")
    assert fault.endswith(right)
    assert "roll 5" in str(example(record))


def test_a_reshuffle_of_other_cards_that_is_a_right_shuffle_of_those_is_found(
    example: Example,
) -> None:
    record = fair_record(2)
    fair = Fair(bytes.fromhex(record["fair"]["secret"]), tuple(record["fair"]["nonces"]))
    event = next(event for event in record["events"] if event["e"] == "reshuffle")
    deck = sorted(event["deck"])
    gone, more = next(pair for pair in pairwise(deck) if deck.count(pair[0]) == 1)
    event["deck"] = [more if name == gone else name for name in event["deck"]]
    draws = Draws(game_key(fair.secret, fair.nonces), "reshuffle", 1)
    assert draws.shuffled(event["deck"]) == event["deck"]
    assert "reshuffle 1 (event" in str(check_fair(record))
    assert example(record) is not None


def test_a_game_that_was_given_up_is_verified_as_far_as_it_came(example: Example) -> None:
    fair = Fair(bytes(32), ("a", "b"))
    game, chance = fair.new_game(), random.Random(2)
    while not game.is_over:
        record = game_record(game, stopped=Stopped("resigned", game.seat))
        assert check_fair(fair.revealed(record)) is None
        if game.decisions % 16 == 3:
            assert example(fair.revealed(record)) is None
        for _ in range(5):
            if not game.is_over:
                game.apply(pick(game, chance))


def test_what_cannot_be_verified_says_so(example: Example) -> None:
    record = fair_record(2)
    sealed = {**record, "fair": {**record["fair"], "secret": None}}
    del record["fair"]
    for unverified in (sealed, record):
        with pytest.raises(UnverifiableError):
            verify_fair(unverified)
        assert str(example(unverified)).endswith("nothing to verify")


FAIR = fair_record(2)["fair"]


@pytest.mark.parametrize(
    "fair",
    [
        None, 7, [], {}, {**FAIR, "version": True}, {**FAIR, "commitment": 3},
        {**FAIR, "commitment": FAIR["commitment"].upper()}, {**FAIR, "nonces": "ab"},
        {**FAIR, "nonces": ["a", 1]}, {**FAIR, "nonces": ["a", "\ud800"]},
        {**FAIR, "draws_first": 1}, {**FAIR, "secret": "00"}, {**FAIR, "secret": []},
    ],
)  # fmt: skip
def test_bad_terms_are_refused_in_a_line(fair: Any) -> None:
    record = {**fair_record(2), "fair": fair}
    with pytest.raises(RecordError, match=r"^fair") as raised:
        verify_fair(record)
    assert str(raised.value).isprintable()
