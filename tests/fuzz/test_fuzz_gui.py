"""The board in a browser killed at any moment: nothing that a page was told is lost.

MASONS_FUZZ=20 pytest tests/fuzz/test_fuzz_gui.py
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
from pathlib import Path

import pytest

from masons.engine.game.record import read_record
from masons.engine.game.replay import check_record
from masons.match.playing.games_folder import FORMAT
from masons.match.playing.journal import read_journal
from tests.support.browser import gui
from tests.support.gui_pages import ENGINE, PERSON, choose

pytest.importorskip("websockets", reason="websockets is not installed")
from websockets.exceptions import ConnectionClosed

from tests.support.page_line import Line

CASES = int(os.environ.get("MASONS_FUZZ", "1"))
SAME = ("walls", "towers", "stocks", "scores", "hand", "phase", "turn", "face_up", "decider")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("compiled"),
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
]


@pytest.mark.parametrize("number", range(CASES))
def test_a_kill_loses_nothing(number: int, tmp_path: Path) -> None:
    chance = random.Random(number)
    with gui(tmp_path) as running:
        timer = threading.Timer(chance.uniform(0.2, 2.0), running.process.kill)
        line = Line(running.address)
        line.say("newgame", seats=[PERSON, ENGINE], seed=number)
        last = first = line.hear("position")
        timer.start()
        try:
            while last["result"] is None:
                if last["decides"]:
                    line.say("move", at=last["at"], move=choose(last, chance))
                last = line.hear("position")
            running.kill()
        except (ConnectionClosed, OSError):
            pass
        timer.cancel()
        running.process.communicate(timeout=60)
    (path,) = tmp_path.rglob("games/*.jsonl")
    if json.loads(path.read_text(encoding="utf-8").partition("\n")[0])["format"] != FORMAT:
        check_record(read_record(path))  # the game ended before the kill, or just before the news
        return
    assert last["result"] is None
    header, entries, _ = read_journal(str(path))
    told = last["at"] - first["at"]  # each position is one decision on
    assert header["seed"] == number
    assert told <= len(entries) <= told + 2
    with gui(tmp_path, str(path)) as again:
        position = Line(again.address).hear("position")
        if len(entries) == told:
            assert {k: position[k] for k in SAME} == {k: last[k] for k in SAME}
        assert len(position["news"]["events"]) >= told
