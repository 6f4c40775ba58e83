"""Commands that read records, on games that did not end and on games with a forfeit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from masons.engine.game.record import read_record
from masons.engine.game.replay import Replay
from tests.cli.conftest import GAMES
from tests.support.commands import called, told

Record = dict[str, Any]


def cut(events: int, **more: Any) -> Record:
    record = read_record(GAMES)
    return {**record, "events": record["events"][:events], "result": None, **more}


def forfeited(record: Record, seat: int, event: int) -> Record:
    return {**record, "forfeits": [{"seat": seat, "event": event, "why": "crash"}]}


def written(path: Path, *records: Record) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


RESIGNED = cut(60, stopped={"why": "resigned", "seat": 1})
WINNER = read_record(GAMES)["result"]["winners"][0]
FORFEITED = forfeited(read_record(GAMES), WINNER, 50)
NAMES = read_record(GAMES)["names"]


def decisions(record: Record) -> int:
    replay = Replay(record)
    replay.check()
    return replay.game.decisions


def test_a_forfeit_that_only_the_notes_of_a_match_know_is_missed(tmp_path: Path) -> None:
    """As matches wrote it at first: the seat that forfeited was shown as the winner."""
    old = {**read_record(GAMES), "match": {"forfeits": [WINNER]}}
    path = written(tmp_path / "old.jsonl", old)
    for words in (["replay"], ["show", "--html", "-"], ["review"], ["replay", "--counts"]):
        code, out, err = called(words[0], path, *words[1:])
        assert (code, out) == (1, "")
        missing = f"forfeits is missing, but match says that seat {WINNER} forfeited"
        assert f"error: {path}, game 1: {missing}" in err
    records = [{**old, "forfeits": FORFEITED["forfeits"]}]
    for other in ({"forfeits": "0"}, {"forfeits": [9, "x", []]}, {"forfeits": []}, [0], 0):
        records.append({**read_record(GAMES), "match": other})
    assert "6 checked, all ok" in told("replay", "--check", written(tmp_path / "x", *records))


@pytest.mark.slow
def test_replay_says_how_a_game_was_stopped_and_who_chose(tmp_path: Path) -> None:
    seedless = {key: value for key, value in RESIGNED.items() if key != "seed"}
    path = written(tmp_path / "x.jsonl", RESIGNED, FORFEITED, cut(0), seedless)
    said = told("replay", path, "--check").splitlines()
    assert said[0] == f"game 1: ok The game did not end: seat 1 ({NAMES[1]}) resigns."
    assert f"Seat {WINNER} ({NAMES[WINNER]}) had forfeited (crash)" in said[1]
    assert said[2] == "game 3: ok The game did not end."
    assert said[4] == "4 checked, all ok"
    story = told("replay", path, "--game", "2")
    assert f"seat {WINNER} ({NAMES[WINNER]}, stand-in)" in story
    assert f"seat {WINNER} ({NAMES[WINNER]}) wins" not in story
    assert f"({NAMES[1 - WINNER]}) wins." in story
    short = told("replay", path, "--game", "1")
    assert "Scores so far: " in short
    assert short.rstrip().endswith("resigns.")
    assert " wins" not in short
    assert "seed" in short.partition("\n")[0]
    assert "seed" not in told("replay", path, "--game", "4").partition("\n")[0]
    counts = told("replay", path, "--game", "1", "--counts")
    assert len(counts.splitlines()) == decisions(RESIGNED)


@pytest.mark.slow
def test_positions_of_a_game_that_did_not_end(tmp_path: Path) -> None:
    """Every decision that was made, and the one that was not."""
    path = written(tmp_path / "x.jsonl", RESIGNED, FORFEITED)
    last = decisions(RESIGNED) + 1
    crashed = f"({NAMES[WINNER]}) forfeited: its engine crashed. From event 50 on a stand-in"
    for words in (["show"], ["analyze", "--sims", "40"], ["belief"]):
        for number in (1, last // 2, last):
            for game, said in (("", f"({NAMES[1]}) resigns"), ("#2", crashed)):
                code, out, err = called(*words, f"{path}{game}@{number}")
                assert (code, bool(out), said in err) == (0, True, True)
        code, _, err = called(*words, f"{path}@{last + 1}")
        assert (code, err.count("\n"), f"no decision {last + 1}" in err) == (1, 1, True)


def test_a_page_of_a_game_says_how_it_ended(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", RESIGNED, FORFEITED, cut(0))
    page = told("show", path, "--html", "-")
    assert "resigns." in page
    assert '"result":[]' in page
    page = told("show", f"{path}#2", "--html", "-")
    assert "had forfeited (crash)" in page
    assert "a stand-in chooses" in page
    assert f'"result":[{1 - WINNER}]' in page
    assert "The game did not end." in told("show", f"{path}#3", "--html", "-")


@pytest.mark.slow
def test_a_review_rates_what_a_seat_chose_itself(tmp_path: Path) -> None:
    first = [event.get("p") for event in RESIGNED["events"]].index(0, 30)
    records = [
        RESIGNED, forfeited(cut(60), 0, first), forfeited(read_record(GAMES), WINNER, 9), cut(0),
    ]  # fmt: skip
    path, page = written(tmp_path / "x.jsonl", *records), tmp_path / "page.html"
    few = ("--sims", "8", "--rollouts", "16", "--playouts", "20", "--seed", "1")
    for number, record in enumerate(records, 1):
        work = str(tmp_path / f"work-{number}")
        options = (*few, "--game", str(number), "--resume", work)
        text = told("review", path, *options, "--html", str(page))
        for said in (text, page.read_text()):
            assert ("did not end" in said) == (record["result"] is None)
            assert ("forfeited" in said) == ("forfeits" in record)
        report = json.loads(told("review", path, *options, "--json"))
        assert report["ended"] == (record["result"] is not None)
        assert report["forfeits"] == record.get("forfeits", [])
        assert report["stopped"] == record.get("stopped")
        if number == 3:
            assert (report["winners"], report["shares"][WINNER]) == ([1 - WINNER], 0)
        chosen = {decision["number"] for decision in report["decisions"]}
        replay = Replay(record)
        while not replay.is_done:
            many = len(replay.game.legal_moves()) > 1
            assert (replay.game.decisions + 1 in chosen) == (many and not replay.by_stand_in)
            replay.step()
        for account, share in zip(report["accounts"], report["shares"], strict=True):
            parts = ("order", "deal", "dice", "cards", "own", "others")
            total = 1 / 2 + sum(account[part] for part in parts)
            assert total == pytest.approx(share, abs=1e-4)
            assert account["share"] == share
