"""Fair matches: commitments stand in the file first; games verified, resumed, tampered with."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from masons.engine.errors import RecordError
from masons.engine.fair.fair_check import check_fair
from masons.engine.fair.fair_game import commitment_of
from masons.engine.formats.record_endings import is_note
from masons.engine.game.record import check_record
from masons.match.running.fair_games import Announced, FairGames
from masons.match.running.schedule import Entry, MatchSettings, TimeControl
from tests.support.commands import called, spawn, told

MATCH = ("greedy", "busy", "--fair", "--nonce", "greedy=mine", "--nonce", "busy=yours")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of a match, which is not there yet."""
    return tmp_path / "fair.jsonl"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a match of four games."""
    path = tmp_path_factory.mktemp("match") / "fair.jsonl"
    told("match", *MATCH, "--games", "4", "--out", str(path))
    return path.read_bytes()


def lines_of(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.decode().splitlines()]


@pytest.mark.slow
def test_all_is_committed_to_before_the_first_game(played: bytes) -> None:
    commitments, nonces, *records = lines_of(played)
    assert set(commitments) == {"format", "version", "commitments"}
    assert list(commitments["commitments"]) == ["0", "1", "2", "3"]
    assert nonces["nonces"] == {"greedy": "mine", "busy": "yours"}
    assert len(records) == 4
    for record in records:
        fair = record["fair"]
        assert commitments["commitments"][str(record["match"]["number"])] == fair["commitment"]
        assert fair["nonces"] == [nonces["nonces"][name] for name in record["names"]]
        assert check_record(record) is check_fair(record) is None
        before = played[: played.index(json.dumps(fair["secret"]).encode())]
        assert fair["secret"].encode() not in before
    assert len({record["fair"]["secret"] for record in records}) == 4
    assert {record["first"] for record in records} == {0, 1}


def test_verify_tells_the_list_that_was_committed_to(played: bytes, path: Path) -> None:
    path.write_bytes(played)
    hashed = lines_of(played)[0]["commitments"]
    text = "".join(f"{number} {hashed[str(number)]}\n" for number in range(4))
    digest = sha256(text.encode()).hexdigest()
    code, out, _ = called("verify", str(path), "--commitment", digest, "--nonce", "mine")
    assert code == 0
    assert out.splitlines()[-2:] == [
        f"committed to 4 games before: SHA-256 of the list {digest}", "4 checked, all right"
    ]  # fmt: skip
    assert called("verify", str(path), "--commitment", digest[::-1])[0] == 1
    assert called("replay", str(path), "--check")[1].endswith("4 checked, all ok\n")


def test_what_is_not_as_it_was_committed_to_is_wrong(played: bytes, path: Path) -> None:

    def said(lines: list[dict[str, Any]]) -> str:
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        code, out, _ = called("verify", str(path))
        assert code == 1
        return out

    lines = lines_of(played)
    lines[0]["commitments"]["1"] = "0" * 64
    assert "wrong: its commitment is not in the file before it" in said(lines)
    lines = lines_of(played)
    lines[1]["nonces"]["busy"] = "other"
    assert said(lines).count("wrong: its nonces are not those in the file before it") == 4
    lines = lines_of(played)
    assert "is not in the file before it" in said([lines[2], lines[0], lines[2]])
    lines[3]["match"]["number"] = [1]
    assert said(lines).count("wrong: its commitment is not in the file") == 1


@pytest.mark.parametrize("kept", [0, 1, 2, 4])
def test_a_match_that_was_killed_goes_on_with_other_secrets(
    kept: int, played: bytes, path: Path
) -> None:
    lines = played.splitlines(keepends=True)
    torn = lines[kept][: len(lines[kept]) // 2]
    path.write_bytes(b"".join(lines[:kept]) + torn)
    code, _, err = called("match", *MATCH, "--games", "4", "--out", str(path), "--resume")
    assert code == 0, err
    assert f"removed {len(torn)} bytes" in err
    missing = 4 - max(0, kept - 2)
    assert re.search(
        rf"committed to the dice and cards of {missing} games: SHA-256 of the list \w{{64}}", err
    )
    code, out, _ = called("verify", str(path))
    assert code == 0, out
    assert "4 checked, all right" in out
    opened = f"{missing} commitments not opened: not played to the end" in out
    assert opened == (kept > 0)
    code, out, err = called("match", *MATCH, "--games", "4", "--out", str(path), "--resume")
    assert code == 0
    assert "committed" not in err
    assert b"".join(lines[:kept]) in path.read_bytes()


def test_a_damaged_note_is_left_out_by_repair(played: bytes, path: Path) -> None:
    first, *rest = played.splitlines(keepends=True)
    path.write_bytes(first.replace(b'"0": "', b'"0": "x') + b"".join(rest))
    assert called("verify", str(path))[0] == 1
    words = ("match", *MATCH, "--games", "4", "--out", str(path), "--resume", "--repair")
    code, _, err = called(*words)
    assert code == 0, err
    assert "1 line was left out, 5 kept" in err


@pytest.mark.slow
def test_games_in_other_processes_are_as_fair(path: Path) -> None:
    words = ("--games", "4", "--concurrency", "2", "--out", str(path), "--luck", "--sims", "8")
    assert called("match", *MATCH, *words)[0] == 0
    assert called("verify", str(path))[1].endswith("4 checked, all right\n")


@pytest.mark.slow
def test_at_a_terminal_nonces_are_asked_for_after_the_commitment(path: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    words = ["greedy", "busy", "--fair", "--games", "2", "--nonce", "busy=", "--out", str(path)]
    child = spawn("match", *words)
    child.expect("SHA-256 of the list")
    child.expect("nonce of greedy .Enter: none.")
    (commitments,) = lines_of(path.read_bytes())
    assert list(commitments["commitments"]) == ["0", "1"]
    child.sendline("x" * 201)
    child.expect("up to 200 characters")
    child.sendline("some words")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert lines_of(path.read_bytes())[1]["nonces"] == {"greedy": "some words", "busy": ""}


def test_a_match_without_nonces_says_what_that_means(path: Path) -> None:
    code, _, err = called("match", "greedy", "busy", "--fair", "--games", "2", "--out", str(path))
    assert code == 0
    assert "no engine gave a nonce" in err
    assert called("verify", str(path))[1].count("only the program decided") == 2


def settings(**more: Any) -> MatchSettings:
    entries = (Entry("a", "greedy"), Entry("b", "busy"))
    return MatchSettings(entries, ("a", "b"), 2, TimeControl(), 1, **more)


def test_a_fair_match_is_another_one_and_an_old_one_stays_what_it_was() -> None:
    assert settings(fair=True).fingerprint() != settings().fingerprint()
    assert settings().fingerprint() == "e95519f324f87a61"


def test_long_matches_commit_in_several_lines() -> None:
    fair = FairGames(range(2500))
    notes = [*fair.commitment_notes(), fair.nonces_note({"a": "x"})]
    assert len(notes) == 4
    assert all(is_note(note) for note in notes)
    announced = Announced()
    for note in notes:
        announced.read(note)
    (run_of,) = announced.digests
    assert run_of[0] == 2500
    assert len(announced.unopened) == 2500
    game = settings(fair=True).game(0)
    dealt = fair.dealt(game)
    assert dealt is not None
    assert dealt.nonces == ("x", "")
    assert commitment_of(dealt.secret) == fair.commitments[0]
    assert dealt.secret.hex() not in repr(replace(game, fair=dealt)) + "".join(notes)


@pytest.mark.parametrize(
    "line",
    [
        '{"format": "masons-fair"}', '{"format": "masons-fair", "version": 2}',
        '{"format": "masons-fair", "version": 1}', '{"format": "masons-fair", torn',
        '{"format": "masons-fair", "version": 1, "commitments": {}}',
        '{"format": "masons-fair", "version": 1, "commitments": {"x": "00"}}',
        '{"format": "masons-fair", "version": 1, "commitments": {"1": "00"}}',
        '{"format": "masons-fair", "version": 1, "commitments": {"1": []}}',
        '{"format": "masons-fair", "version": 1, "commitments": []}',
        '{"format": "masons-fair", "version": 1, "nonces": 7}',
    ],
)  # fmt: skip
def test_bad_notes_are_refused_in_a_line(line: str) -> None:
    with pytest.raises(RecordError) as raised:
        Announced().read(line)
    assert str(raised.value).isprintable()
