"""A game of two people through messages: terms, presence, clock, rematch, links and the network."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import segno

from masons.cli.main import run
from masons.engine.errors import MasonsError
from masons.engine.game.record import read_record
from masons.engine.game.replay import check_record
from masons.gui.guard import Guard
from masons.gui.open_games import OpenGames
from masons.match.playing.journal import read_journal
from tests.support.gui_pages import ENGINE, PERSON, Page, new_games, play, played_of, until

TWO = {"seats": [{**PERSON, "name": "Ann"}, {**PERSON, "name": "Bo"}], "seed": 9}
CLOCK = {"seconds": 600, "increment": 5}


def two_pages(games: OpenGames, **terms: Any) -> tuple[Page, Page]:
    """Return the page of the host, in seat 0, and that of a guest, in seat 1."""
    host = Page(games)
    host.say("newgame", **TWO, **terms)
    host.say("invite", seat=1)
    return host, Page(games, 1, host.position["file"])


async def test_the_link_and_its_code_are_those_of_the_seat(games: OpenGames) -> None:
    host = Page(games)
    host.say("newgame", **TWO)
    host.say("invite", seat=1)
    sent = host.last("invite")
    (token,) = games.guard.seats
    assert sent["link"] == f"http://127.0.0.1:8417/{token}/"
    code = segno.make_qr(sent["link"], error="m")
    assert sent["qr"] == code.svg_data_uri(border=4, light="#fff", omitsize=True)
    host.say("invite", seat=1, again=True)
    assert host.last("invite") == sent
    assert list(games.guard.seats) == [token]


async def test_pages_are_told_who_is_there(games: OpenGames) -> None:
    host = Page(games)
    host.say("newgame", **TWO, clock=CLOCK)
    assert host.position["present"] == [0, 1]  # one screen
    host.say("invite", seat=1)
    assert host.position["present"] == [0]
    assert host.position["clock"] == {**CLOCK, "left": [600, 600], "running": None}
    guest = Page(games, 1, host.position["file"])
    assert guest.position["present"] == [0, 1]
    assert host.last("presence")["present"] == [0, 1]
    games.part(guest.client)
    assert host.last("presence")["present"] == [0]


async def test_the_clock_waits_until_both_have_seen_the_board(games: OpenGames) -> None:
    host, guest = two_pages(games, clock=CLOCK)
    host.say("ready")
    assert guest.last("presence")["clock"]["running"] is None
    guest.say("ready")
    for page in (host, guest):
        assert page.last("presence")["clock"]["running"] == 0
    del host.sent[:]
    guest.say("ready")
    assert not host.sent
    host, guest = two_pages(games, clock=CLOCK)
    host.do("move", move="wall:57")
    assert guest.position["clock"]["running"] is not None


async def test_hints_and_coach_are_off_for_both(games: OpenGames) -> None:
    for page in two_pages(games, hints=False):
        assert page.position["hints"] is False
        assert page.position["coach"] is None
        for name, fields in (("go", {}), ("coach", {"on": True})):
            assert page.refused(name, **fields)["key"] == "noHints"
        page.say("coach", on=False)
        assert not page.errors
    host, _ = two_pages(games)
    host.say("go", sims=20)
    await host.hears("bestmove")


async def test_who_runs_out_of_time_loses(folder: Path, games: OpenGames, capsys: Any) -> None:
    host, guest = two_pages(games, clock={"seconds": 1})
    host.do("move", move="wall:57")
    await until(lambda: guest.position["result"])
    assert host.position["result"] == {"winners": [1], "forfeit": 0}
    (file,) = folder.glob("*.jsonl")
    record = read_record(str(file))
    check_record(record)
    assert record["stopped"] == {"why": "forfeit", "seat": 0}
    assert record["forfeits"] == [{"seat": 0, "event": len(record["events"]), "why": "time"}]
    assert run(["replay", str(file)]) == 0
    told = capsys.readouterr().out
    assert "it ran out of time" in told
    assert "stand-in" not in told
    assert not [*host.errors, *guest.errors]


async def test_the_clock_is_kept(folder: Path, games: OpenGames) -> None:
    """Each decision's time is in the file; after a restart the clock waits for both pages."""
    host, guest = two_pages(games, clock=CLOCK)
    await play([host, guest], random.Random(1), 12)
    left = played_of(host).clock.left
    file = host.position["file"]
    kept = read_journal(str(folder / file))[1]
    for seat in (0, 1):
        own = [entry for entry in kept if entry["p"] == seat]
        walls = sum(entry["move"].startswith("wall:") for entry in own)
        spent = sum(entry["spent"] for entry in own)
        assert abs(left[seat] - (600 + 5 * walls - spent)) < 1e-6
    games.close()
    host.say("resume", file=file)
    assert played_of(host).clock.left == left
    assert host.position["clock"]["running"] is None
    Page(games, 1, file)
    assert host.last("presence")["clock"]["running"] is not None


async def test_a_clock_is_for_two_people(page: Page) -> None:
    for fields in (
        {"seats": [PERSON, ENGINE]},
        {"seats": [PERSON] * 3},
        {"seats": [PERSON] * 2, "practice": True},
        {"seats": [PERSON] * 2, "dice": "own", "hands": [["cities"] * 6] * 2},
    ):
        error = page.refused("newgame", **fields, clock=CLOCK)
        assert "clock" in error["text"]
    assert page.refused("newgame", **TWO, clock={"seconds": 0})["code"] == "syntax"


async def test_a_rematch_turns_the_seats(folder: Path, games: OpenGames) -> None:
    """It begins once both want it; the addresses stay, and hands stay hidden."""
    host, guest = two_pages(games, clock=CLOCK, hints=False)
    assert host.refused("rematch")["code"] == "state"
    token = next(iter(games.guard.seats))
    host.do("move", move="wall:57")
    host.do("resign")
    assert host.position["result"] == {"winners": [1], "resigned": 0}
    first = host.position["file"]
    guest.say("rematch")
    assert host.last("presence")["rematch"] == [1]
    assert guest.position["result"]
    del host.sent[:], guest.sent[:]
    host.say("rematch")
    assert host.position["file"] != first
    assert guest.position["names"] == ["Bo", "Ann"]
    assert (host.position["seats"], guest.position["seats"]) == ([1], [0])
    assert guest.position["decides"]
    assert played_of(guest).clock.left == [600, 600]
    assert guest.position["hints"] is False
    pass_ = games.guard.pass_of(token)
    assert pass_ is not None
    assert (pass_.seat, pass_.file) == (0, host.position["file"])
    cards = {entry["card"] for entry in guest.position["hand"]}
    others = {entry["card"] for entry in host.position["hand"]} - cards
    said = json.dumps([message for message in guest.sent if message["type"] != "id"])
    assert not [card for card in others if re.search(rf'"{card}"(?!:)', said)]
    again = Page(games, 0, host.position["file"])  # the guest loads the page again
    assert again.position["hand"] == guest.position["hand"]
    await play([host, guest], random.Random(3), 6)
    assert not [*host.errors, *guest.errors]
    assert len(list(folder.glob("*.jsonl"))) == 2


async def test_names_that_nobody_typed_stay_with_their_colors(page: Page) -> None:
    page.say("newgame", seats=[PERSON, {**PERSON, "name": "Bo"}])
    page.say("sit", seat=0)
    page.do("resign")
    page.say("rematch")
    assert page.position["names"] == ["Bo", "Person 1"]
    page.say("newgame", seats=[PERSON, ENGINE])
    page.do("resign")
    assert page.position["rematch"] is None


# --- the local network


async def test_only_the_host_opens_the_network(games: OpenGames) -> None:
    host, guest = two_pages(games)
    assert guest.refused("network")["code"] == "illegal"
    assert "no server runs" in host.refused("network")["params"]["reason"]
    assert games.guard.is_local
    asked = []

    def opens() -> str:
        asked.append(True)
        return "192.0.2.7"

    games.open_network = opens
    host.say("network")
    host.say("network")
    assert asked == [True]
    assert host.last("network") == {"type": "network", "local": False}
    host.say("invite", seat=1, again=True)
    assert host.last("invite")["link"].startswith("http://192.0.2.7:8417/")
    assert not host.errors
    assert Page(games).last("id")["local"] is False


def test_an_open_network_knows_the_same_hosts_as_the_option() -> None:
    guard = Guard("127.0.0.1", 8417)
    guard.admit_network("192.168.0.7")
    good = ["192.168.0.7:8417", "127.0.0.1:8417", "localhost:8417"]
    bad = ["evil.example:8417", "192.168.0.7", "192.168.0.7.evil.example:8417", "192.168.0.7:80"]
    assert [name for name in (*good, *bad) if guard.knows_host(name)] == good
    assert guard.origin == "http://192.168.0.7:8417"


async def test_a_failure_leaves_the_network_closed() -> None:
    games = new_games()

    def fails() -> str:
        raise MasonsError("this computer is in no network")

    games.open_network = fails
    page = Page(games)
    error = page.refused("network")
    assert (error["key"], error["params"]["reason"]) == (
        "network", "this computer is in no network",
    )  # fmt: skip
    assert games.guard.is_local


async def test_a_ping_is_answered(page: Page) -> None:
    page.say("ping")
    assert page.sent[-1] == {"type": "pong"}
