"""`play --fair` and `verify`: what is shown, kept and revealed."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from masons.engine.errors import MasonsError, RecordError
from masons.engine.fair import fair_game
from masons.engine.fair.fair_check import check_fair
from masons.engine.fair.fair_game import Fair, keep_secret
from masons.engine.game.record import read_record
from masons.match.playing.game_setup import GameSetup, setup_of
from masons.match.playing.journal import read_journal
from masons.match.playing.kept_games import begun
from masons.match.playing.played_game import PlayedGame
from tests.cli.conftest import BOARD, GAMES, again, close, play_on
from tests.support.commands import called, told
from tests.support.fair_records import fair_record

FAIR = Fair(bytes(range(32)), ("Ann's words", "Bob's words"))
SECRET = FAIR.secret.hex()


@pytest.fixture(autouse=True)
def secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where secrets are kept."""
    monkeypatch.setattr(fair_game, "user_data_path", lambda *_, **__: tmp_path / "data")
    return tmp_path / "data" / "secrets"


def setup(**more: Any) -> GameSetup:
    fields = {"seed": None, "level": 1, "first": FAIR.first, "fair": FAIR.terms, **more}
    return GameSetup(2, (0, 1), ("Ann", "Bob"), **fields)


def test_a_game_goes_on_with_the_same_luck_and_reveals_its_secret_in_the_end(
    tmp_path: Path, secrets: Path
) -> None:
    path, chance = tmp_path / "game.jsonl", random.Random(1)
    played = begun(BOARD, setup(), str(path), fair=FAIR)
    for _ in range(4):
        play_on(played, chance, 8)
        assert SECRET not in path.read_text()
        assert SECRET not in json.dumps(played.record())
        assert check_fair(played.record()) is not None
        assert len(list(secrets.iterdir())) == 1
        position = played.game.text
        close(played)
        played = again(str(path))
        assert played.game.text == position
    play_on(played, chance)
    record = read_record(path)
    assert record["fair"]["secret"] == SECRET
    assert check_fair(record) is None
    assert list(secrets.iterdir()) == []


def test_a_copy_cannot_be_gone_on_with_once_the_secret_is_revealed(tmp_path: Path) -> None:
    played = begun(BOARD, setup(), str(tmp_path / "game.jsonl"), fair=FAIR)
    play_on(played, random.Random(2), 5)
    assert played.keeper is not None
    played.keeper.save(str(tmp_path / "copy.jsonl"))
    play_on(played, random.Random(2))
    code, _, err = called("play", "--resume", str(tmp_path / "copy.jsonl"))
    assert (code, err.count("\n")) == (1, 1)
    assert "the secret of this fair game is not in" in err


@pytest.mark.parametrize(
    "change",
    [{"fair": None}, {"seed": 7}, {"fair": {}}, {"fair": {**FAIR.public(), "nonces": ["a"]}},
     {"fair": {**FAIR.public(), "version": 2}}, {"hands": []}],
)  # fmt: skip
def test_terms_that_are_wrong_are_refused(change: dict[str, Any]) -> None:
    header = json.loads(json.dumps(PlayedGame(BOARD, setup(), fair=FAIR).header()))
    assert setup_of(header) == setup()
    with pytest.raises(RecordError):
        setup_of({**header, **change})
    keep_secret(FAIR)
    with pytest.raises(MasonsError, match="was drawn"):
        PlayedGame(BOARD, setup(first=1 - (FAIR.first or 0)))


@pytest.mark.slow
def test_the_command_commits_asks_plays_and_verifies(tmp_path: Path, secrets: Path) -> None:
    path = str(tmp_path / "game.jsonl")
    typed = "\n".join(["x" * 201, "Ann's words", "", "", "1", "quit", "y", ""])
    words = ("play", "--humans", "--fair", "--names", "Ann,Bob", "--record", path)
    out = told(*words, text=typed)
    commitment = re.findall(r"[0-9a-f]{64}", out)[0]
    assert out.index(commitment) < out.index("Ann's words (Enter: none)")
    assert "! nonce is" in out
    header, _, _ = read_journal(path)
    assert header["fair"]["commitment"] == commitment
    assert header["fair"]["nonces"] == ["Ann's words", ""]
    (file,) = secrets.iterdir()
    assert file.read_text().strip() not in Path(path).read_text() + out

    _, out, _ = called("play", "--resume", path, text="\nresign\ny\n" * 3)
    assert f"A fair game: {header['names'][header['first']]} begins, as it was drawn." in out
    assert f"  {commitment}\n" in out
    assert read_record(path)["fair"]["commitment"] == commitment
    # A long path is broken where the line ends.
    assert "".join(out.split()).endswith(f"masons-engineverify{path}")
    assert list(secrets.iterdir()) == []
    verified = told("verify", path, "--commitment", commitment, "--nonce", "Ann's words")
    assert commitment in verified


def test_an_input_that_ends_before_the_nonces_leaves_nothing(tmp_path: Path, secrets: Path) -> None:
    path = tmp_path / "game.jsonl"
    assert called("play", "--fair", "--record", str(path))[0] == 1
    assert not path.exists()
    assert not secrets.exists()


# ---- verify


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.jsonl"
    lines = [json.dumps(fair_record(players)) for players in (2, 3)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_verify_says_a_line_a_game(games: Path) -> None:
    first, second, last = told("verify", str(games)).splitlines()
    assert re.fullmatch(
        r"game 1: right: who begins, the deal, \d+ rolls, \d+ draws and \d+ reshuffles?; "
        r"commitment [0-9a-f]{64}; nonces 'left', 'ri ght'",
        first,
    )
    assert second.startswith("game 2: right: ")
    assert second.endswith("nonces 'left', 'ri ght', none")
    assert last == "2 checked, all right"


def test_verify_says_what_is_wrong(games: Path) -> None:
    record = fair_record(2)
    roll = next(event for event in record["events"] if event["e"] == "roll")
    roll["houses"] = ["?", "?"]
    plain = {key: value for key, value in fair_record(3).items() if key != "fair"}
    sealed = fair_record(3)
    sealed["fair"]["secret"] = None
    bad = [json.dumps(each) for each in (record, plain, sealed)]
    games.write_text("\n".join([games.read_text().splitlines()[0], *bad, "nonsense"]) + "\n")
    code, out, _ = called("verify", str(games))
    lines = out.splitlines()
    assert code == 1
    assert lines[0].startswith("game 1: right: ")
    assert lines[1].startswith("game 2: wrong: roll 1 (event 2, after decision 1) is ")
    assert lines[2] == "game 3: not played with --fair: there is nothing to verify"
    assert lines[3].startswith("game 4: not verified: the secret is not revealed")
    assert lines[4].startswith("game 5: wrong: not JSON")
    assert lines[5] == "5 checked, 1 right, 2 wrong, 1 not played with --fair, 1 not verified"
    assert called("verify", str(games), "--game", "1")[0] == 0


def test_verify_accuses_nobody_of_ordinary_games() -> None:
    code, out, _ = called("verify", GAMES)
    assert code == 1
    assert "game 3: not played with --fair: there is nothing to verify\n3 checked, none was" in out
    assert "right" not in out


def test_verify_compares_with_what_somebody_noted(games: Path) -> None:
    command = ("verify", str(games), "--game", "2")
    for words, said in (
        (["--commitment", "0" * 64], "not the one you noted"),
        (["--nonce", "left", "--nonce", "mine"], "the nonce 'mine' is not among"),
    ):
        code, out, _ = called(*command, *words)
        assert (code, said in out) == (1, True)
    noted = fair_record(3)["fair"]["commitment"].upper()
    told(*command, "--commitment", noted, "--nonce", "left")
