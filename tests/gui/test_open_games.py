"""Games through messages: who may see and do what, nothing hidden in any message, nothing lost."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import sys
from collections import Counter
from copy import deepcopy
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from masons.ai.openings.survey_file import bundled_survey
from masons.cli.main import run
from masons.engine.board.components import CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.fair import fair_game
from masons.engine.game.game import Game
from masons.engine.game.record import parse_record, read_record
from masons.engine.game.replay import check_record
from masons.engine.storage.held_file import HeldFile
from masons.gui import hosted_game, open_games
from masons.gui.guard import Guard, Pass
from masons.gui.open_games import OpenGames
from masons.gui.opening_messages import is_even, openings_message
from masons.gui.practice_session import daily_puzzle
from masons.match.playing.journal import read_journal
from masons.match.playing.kept_games import resumed
from masons.words.events import END_WORDS
from tests.support.gui_pages import (
    BOARD,
    ENGINE,
    PERSON,
    RECORD,
    RECORDS,
    Page,
    choose,
    new_games,
    pages_with_other_hands,
    play,
    played_of,
    spoiled,
    until,
)
from tests.support.paths import EXAMPLES
from tests.support.thinned import thinned

# MASONS_GAMES=full: whole games, where others are cut.
WHOLE = os.environ.get("MASONS_GAMES") == "full"
FUZZ = int(os.environ.get("MASONS_FUZZ", "1000"))
AGAINST_ENGINE = {"seats": [PERSON, ENGINE], "seed": 9}
TWO_PEOPLE = {"seats": [PERSON, PERSON], "seed": 9}


def only_file(folder: Path) -> str:
    (path,) = folder.glob("*.jsonl")
    return str(path)


def decisions_kept(folder: Path) -> list[Any]:
    return list(read_journal(only_file(folder))[1])


@pytest.mark.slow
async def test_a_game_against_the_engine_is_played_to_its_end(folder: Path, page: Page) -> None:
    """At the page, at the terminal, and at the page again."""
    assert page.last("nogame")
    assert page.last("games") == {"type": "games", "games": [], "level": 1}
    page.say("newgame", **AGAINST_ENGINE)
    assert page.refused("record")["code"] == "state"
    await play([page], random.Random(1), 12)
    page.say("leave")
    played = resumed(HeldFile(only_file(folder), "old"), BOARD)
    assert played.engine_name(1) == "default:level=1"
    while played.due != "person":
        played.engine_moves()
    played.make(played.game.legal_moves()[0])
    walls = sorted(played.game.position.walls)
    assert played.keeper is not None
    played.keeper.close()
    page.say("resume", file=Path(only_file(folder)).name)
    assert page.position["walls"] == walls
    await play([page], random.Random(2))
    assert page.position["result"]["end"] in END_WORDS
    page.say("record")
    record = parse_record(page.last("record")["text"])
    check_record(record)
    assert read_record(only_file(folder), 1) == record


async def test_every_decision_is_on_the_disk_before_a_page_hears_of_it(
    folder: Path, page: Page, games: OpenGames
) -> None:
    page.say("newgame", **TWO_PEOPLE)
    chance = random.Random(2)
    for made in range(1, 12):
        if page.position["curtain"] is not None:
            page.say("sit", seat=page.position["curtain"])
        move = choose(page.position, chance)
        page.do("move", move=move)
        kept = decisions_kept(folder)
        assert len(kept) == made
        assert kept[-1]["move"].startswith(move.split(":")[0])
    before = page.position
    games.close()  # as a kill would leave it: nothing else is written
    page.say("games")
    page.say("resume", file=page.last("games")["games"][0]["file"])
    assert not page.errors
    page.say("sit", seat=page.position["curtain"])
    same = ("walls", "towers", "stocks", "scores", "phase", "decider", "turn", "face_up")
    assert {k: page.position[k] for k in same} == {k: before[k] for k in same}


@pytest.mark.parametrize("kind", ["record", "game"])
async def test_a_file_is_shown_until_it_is_left(kind: str, folder: Path, games: OpenGames) -> None:
    """In every page that is opened; then none begins with it, but one that looks at it may stay."""
    shows, leave = "study", "close"
    if kind == "record":
        games.study_first(RECORDS, 1, None, "games.jsonl")
    else:
        Page(games).say("newgame", **TWO_PEOPLE)
        games.close()
        games, shows, leave = new_games(), "position", "leave"
        games.open_first(only_file(folder))
    pages = [Page(games), Page(games), Page(games, was_open=True)]
    source = pages[0].last(shows).get("source")
    assert pages[1].last(shows)
    pages[2].say("newgame", **TWO_PEOPLE)  # it was open before, somewhere else
    pages[2].say("leave")
    for page in pages:
        games.part(page.client)
    loaded = Page(games, was_open=True)
    if source:
        loaded.say("study", **source)
    else:
        loaded.say("resume", file=pages[0].position["file"])
    assert loaded.last(shows)
    assert Page(games).last(shows)
    loaded.say(leave)
    assert shows not in {each["type"] for each in Page(games).sent}


# --- what a seat may see


def all_texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        keys = [key for key in value if key not in ("means", "cities")]
        return [*keys, *(text for key in keys for text in all_texts(value[key]))]
    if isinstance(value, list):
        return [text for each in value for text in all_texts(each)]
    return [value] if isinstance(value, str) else []


def unknown_cards(message: dict[str, Any], viewer: int | None, played: Any) -> set[str]:
    """Return the cards that a position names though its viewer never saw them.

    It has seen what lies face up, what was played or discarded, its hand and what it drew.
    """
    position = played.game.position
    seen = {CARDS[kind] for kind in position.discard}
    if viewer is not None:
        seen |= {CARDS[kind] for kind in position.hands[viewer]}
    for event in played.game.log.events():
        shown = {"play": "cards", "final": "cards", "abstain": "card", "swap": "out"}
        cards = event.get(shown.get(event["e"], ""), ())
        seen |= {cards} if isinstance(cards, str) else set(cards)
        if event.get("p") == viewer:
            seen |= {*event.get("drew", ()), *event.get("in", ())}
    cities = message["moves"] and message["moves"].get("cities")
    texts = all_texts({k: v for k, v in message.items() if not (k == "moves" and cities)})
    words = {word for text in texts for word in re.split(r"[ ,;+:]+", text)}
    return words & set(CARDS) - seen


@pytest.mark.slow
@pytest.mark.parametrize(("people", "away"), thinned([(2, (1,)), (3, ()), (4, (2, 3))], 2))
async def test_no_message_holds_what_its_seat_cannot_see(
    people: int, away: tuple[int, ...], monkeypatch: pytest.MonkeyPatch, games: OpenGames
) -> None:
    host = Page(games)
    host.say("newgame", seats=[PERSON] * people, seed=people)
    for seat in away:
        host.say("invite", seat=seat)
    pages = [host, *(Page(games, seat, host.position["file"]) for seat in away)]
    game, original, checked = games.game_of(host.client), Page._hear, 0
    assert game is not None

    def hear(page: Page, message: dict[str, Any]) -> None:
        nonlocal checked
        original(page, message)
        if message["type"] == "position":
            viewer = game.seating.viewer(page.client)
            assert message["seat"] == viewer
            assert not unknown_cards(message, viewer, game.played)
            checked += 1

    monkeypatch.setattr(Page, "_hear", hear)
    for page in pages:
        page.client.send = page._hear
    await play(pages, random.Random(people), 10**6 if WHOLE else 70)
    assert checked > 20 * len(pages)
    if away:  # the check finds a leak
        assert unknown_cards(pages[-1].position, 0, game.played)


async def test_a_curtain_falls_between_people_at_one_screen(page: Page) -> None:
    page.say("newgame", **TWO_PEOPLE, first=1)
    assert (page.position["curtain"], page.position["hand"]) == (1, None)
    page.do("move", move="wall:57")
    assert page.errors.pop()["code"] == "state"
    assert page.refused("sit", seat=0)["code"] == "illegal"
    assert page.position["hand"] is None
    page.say("sit", seat=1)
    assert len(page.position["hand"]) == 6
    assert page.position["decides"]
    chance = random.Random(3)
    while page.position["seat"] == 1:
        page.do("move", move=choose(page.position, chance))
    assert (page.position["curtain"], page.position["hand"]) == (0, None)
    assert not page.errors


async def test_a_seat_of_another_device_is_its_own(
    folder: Path, guard: Guard, games: OpenGames
) -> None:
    host = Page(games)
    host.say("newgame", **TWO_PEOPLE)
    host.say("invite", seat=1)
    guest = Page(games, 1, host.position["file"])
    for page, seat in ((host, 0), (guest, 1)):
        assert page.position["seats"] == [seat]
        assert page.position["hand"]
        assert page.position["decides"] == (page is host)
    guest.do("move", move="wall:57")
    assert guest.errors.pop()["code"] == "state"
    for name, fields in (
        ("newgame", TWO_PEOPLE),
        ("leave", {}),
        ("resume", {"file": Path(only_file(folder)).name}),
        ("invite", {"seat": 0}),
        ("previews", {"files": []}),
        ("openings", {"players": 2}),
        ("lessons", {}),
        ("profile", {}),
        ("export", {}),
        ("forget", {}),
        ("practice", {"begin": True, "file": Path(only_file(folder)).name}),
    ):
        assert guest.refused(name, **fields)["code"] == "illegal", name
    guest.say("games")
    assert guest.last("games")["games"] == []
    host.say("invite", seat=1, back=True)
    assert guard.invited(host.position["file"]) == frozenset()
    assert host.position["curtain"] == 0


async def test_a_seat_of_another_device_comes_back_after_a_restart(
    games: OpenGames, guard: Guard
) -> None:
    host = Page(games)
    host.say("newgame", **TWO_PEOPLE)
    host.say("invite", seat=1)
    host.do("move", move="wall:57")
    games.close()
    seats, again = guard.seats, new_games()
    again.guard.seats = {**seats, "x" * 24: Pass(0, "gone.jsonl")}
    again.forget_seats()
    assert again.guard.seats == seats
    (pass_,) = seats.values()
    guest = Page(again, pass_.seat, pass_.file)  # comes before the host does
    assert guest.position["walls"] == [57]
    assert guest.position["seats"] == [1]
    host = Page(again)
    host.say("resume", file=pass_.file)
    assert host.position["seats"] == [0]
    host.say("leave")
    again.part(guest.client)
    again.forget_seats()
    assert Page(again, pass_.seat, pass_.file).position["walls"] == [57]


@pytest.mark.slow
async def test_nothing_that_a_seat_is_told_depends_on_what_it_cannot_see() -> None:
    """Two games that differ in the other hand alone: every message is the same.

    Positions, refusals of what is illegal, of cards that others hold, and hints.
    """
    told = []
    for host, page, hand in pages_with_other_hands():
        del page.sent[:]
        chance, played, is_end = random.Random(11), played_of(host), False
        while not is_end:
            is_end = played.game.phase in ("score", "final")
            for card in CARDS[::4]:
                if is_end and card in hand:
                    continue  # that would be a move
                for text in (f"play:{card}", f"abstain:{card}", f"swap:{card}", card):
                    page.do("move", move=text)
                page.do("card", card=card)
                page.say("sit", seat=1)
            page.say("go", sims=60)
            if page.position["decides"]:
                await until(lambda sent=page.sent: sent[-1]["type"] == "bestmove")
            if is_end:
                break
            if played.due == "roll":
                tower = "white" if host.position["rolls"] or page.position["rolls"] else None
                page.do("roll", tower=tower, houses=["red", chance.choice(["blue", "?"])])
                host.do("roll", tower=tower, houses=["red", "red"])
            else:
                decider = page if page.position["decides"] else host
                decider.do("move", move=choose(decider.position, chance))
        assert {each["type"] for each in page.sent} == {"position", "error", "bestmove"}
        told.append([json.dumps(each, sort_keys=True) for each in page.sent])
    assert told[0] == told[1]


# The messages that are answered by a thread, and the types of the answers.
SENT_LATER = {"previews": "preview", "export": "export", "profile": "profile"}


def dealt_from(value: Any) -> set[tuple[tuple[int, ...], ...]]:
    """Return the hands that a game of two would have if any number in a value were its seed."""
    numbers = {int(digits) for digits in re.findall(r"\d+", json.dumps(value))}
    return {
        tuple(Game(players=2, seed=number).position.hands) for number in numbers if number < 2**64
    }


async def test_nothing_that_leaves_a_running_game_tells_its_deal(
    folder: Path, games: OpenGames
) -> None:
    """Not the export either, though the game's file has the seed: a game dealt anew is the same."""
    (folder / "old.jsonl").write_text(RECORD + "\n")
    host = Page(games)
    host.say("newgame", seats=[PERSON, PERSON])
    host.say("invite", seat=1)
    file = host.position["file"]
    games.watch_first(str(folder / file))
    deal = tuple(played_of(host).game.position.hands)
    assert deal in dealt_from(read_journal(str(folder / file))[0])  # the check finds a leak
    for name, fields in (
        ("previews", {"files": [file]}),
        ("export", {}),
        ("profile", {}),
        ("games", {}),
        ("record", {}),
        ("after", {}),
        ("study", {"file": file}),
        ("study", {}),
        ("practice", {"begin": True, "file": file}),
        ("watch", {"on": True}),
        ("save", {}),
        ("picture", {"kind": "svg"}),
    ):
        host.say(name, **fields)
        if name in SENT_LATER:
            await until(lambda kind=SENT_LATER[name]: host.sent[-1]["type"] == kind)
    assert deal not in dealt_from(host.sent)
    assert str(played_of(host).game.seed) not in json.dumps(host.sent)
    assert list(json.loads(host.last("export")["text"])["games"]) == ["old.jsonl"]
    assert len(host.errors) == 7
    host.say("watch", on=False)
    host.do("resign")
    host.say("export")
    await until(lambda: file in json.loads(host.last("export")["text"])["games"])


# --- kinds of games


@pytest.mark.parametrize("practice", [False, True])
async def test_undo_reveals_nothing(practice: bool, page: Page) -> None:
    page.say("newgame", **AGAINST_ENGINE, practice=practice)
    assert page.position["undo"] == "none"
    page.do("move", move="wall:57")
    assert page.position["phase"] == "towers"
    page.do("undo")
    if practice:
        assert page.position["phase"] == "wall"
        assert page.position["walls"] == []
        assert page.position["news"] == {"first": 0, "events": []}
    else:
        assert "revealed" in page.errors.pop()["text"]
        assert page.position["walls"] == [57]


async def test_a_double_click_makes_one_move(page: Page) -> None:
    page.say("newgame", **AGAINST_ENGINE)
    at = page.position["at"]
    page.say("move", move="wall:57", at=at)
    assert "gone on" in page.refused("move", move="wall:60", at=at)["text"]
    assert page.position["walls"] == [57]


@pytest.mark.slow
async def test_dice_and_cards_of_a_table_are_typed_in(folder: Path, page: Page) -> None:
    chance = random.Random(4)
    deck = [card for card in CARDS for _ in range(2)]
    chance.shuffle(deck)
    page.say("newgame", seats=[PERSON, PERSON], dice="own", hands=[deck[:6], deck[6:12]])
    typed: Counter[str] = Counter()
    while page.position["result"] is None:
        at = page.position
        if at["curtain"] is not None:
            page.say("sit", seat=at["curtain"])
        elif at["rolls"] is not None:
            tower = chance.choice(TOWER_DIE) if at["rolls"] else None
            page.do("roll", tower=tower, houses=[chance.choice(HOUSE_DIE) for _ in range(2)])
            typed["roll"] += 1
        elif at["draws"]:
            position = played_of(page).game.position
            gone = [*position.discard, *(kind for hand in position.hands for kind in hand)]
            left = Counter(dict.fromkeys(CARDS, 2)) - Counter(CARDS[kind] for kind in gone)
            page.do("card", card=chance.choice(sorted(left.elements())))
            typed["card"] += 1
        else:
            page.do("move", move=choose(at, chance))
        assert not page.errors, page.errors
    assert typed["roll"] > 10
    assert typed["card"] > 3
    check_record(read_record(only_file(folder), 1))


@pytest.mark.slow
async def test_a_fair_game_can_be_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, games: OpenGames, page: Page
) -> None:
    monkeypatch.setattr(fair_game, "user_data_path", lambda *_, **__: tmp_path / "data")
    page.say("commit", players=2)
    commitment = page.last("commitment")["commitment"]
    page.say("newgame", seats=[PERSON, ENGINE], nonces=["my words", ""])
    assert page.position["fair"]["commitment"] == commitment
    assert "secret" not in page.position["fair"]
    secret = next((tmp_path / "data").rglob("*.secret")).read_text().strip()
    await play([page], random.Random(1), 25)
    games.close()
    page.say("resume", file=Path(only_file(tmp_path)).name)
    await play([page], random.Random(2))
    assert secret not in json.dumps(page.sent)
    page.say("record")
    assert secret in page.last("record")["text"]
    refused = page.refused("newgame", seats=[PERSON, ENGINE], nonces=["again", ""])
    assert refused["code"] == "illegal"
    assert run(["verify", only_file(tmp_path)]) == 0


async def test_any_engine_can_have_a_seat(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of several kinds; the file says who sat where, but runs no command by itself."""
    games = new_games({"rival": f"{sys.executable} {EXAMPLES / 'plain_random.py'}"})
    page = Page(games)
    assert page.last("id")["engines"] == ["rival"]
    rival = {"kind": "engine", "engine": "rival", "seconds": 0.1}
    timed = {"kind": "engine", "level": 10, "seconds": 0.05}
    page.say("newgame", seats=[PERSON, rival, timed], seed=5)
    while {entry["p"] for entry in decisions_kept(folder)} != {0, 1, 2}:
        await play([page], random.Random(1), 20)
    header = read_journal(only_file(folder))[0]
    assert header["engines"] == ["", "mei:rival:ms=100", "default:level=10,ms=50"]
    games.close()
    assert run(["play", "--resume", only_file(folder)]) == 1
    assert "gui" in capsys.readouterr().err
    page = Page(new_games())  # which knows no such engine
    page.say("resume", file=Path(only_file(folder)).name)
    for _ in range(200):
        if not page.errors:
            await play([page], random.Random(1), 1)
    assert "--engine NAME=COMMAND" in page.errors[0]["text"]


async def test_the_last_person_who_resigns_ends_the_game(folder: Path, page: Page) -> None:
    page.say("newgame", **AGAINST_ENGINE)
    page.do("resign")
    assert page.position["result"] == {"winners": [], "resigned": 0}
    assert read_record(only_file(folder), 1)["stopped"] == {"why": "resigned", "seat": 0}


async def test_two_games_are_open_at_once(
    monkeypatch: pytest.MonkeyPatch, games: OpenGames
) -> None:
    """Each page has its own; a second game replaces none, and one comes back to each."""
    monkeypatch.setattr(open_games, "_MOST_OPEN", 2)
    first, second = Page(games), Page(games)
    first.say("newgame", seats=[PERSON, ENGINE], seed=1)
    assert "file" not in second.sent[-1]
    before = first.position
    second.say("newgame", seats=[PERSON, PERSON, ENGINE], seed=2)
    second.say("sit", seat=0)
    second.do("move", move="wall:57")
    assert first.position == before
    first.do("move", move="wall:60")
    assert (first.position["walls"], second.position["walls"]) == ([60], [57])
    mine, other = first.position["file"], second.position["file"]

    def is_open() -> dict[str, bool]:
        first.say("games")
        return {each["file"]: each["open"] for each in first.last("games")["games"]}

    assert is_open() == {mine: True, other: True}
    first.say("resume", file=other)
    assert (first.position["walls"], first.position["file"]) == ([57], other)
    second.say("newgame", seats=[PERSON, ENGINE], seed=3)
    assert is_open() == {mine: False, other: True, second.position["file"]: True}
    first.say("resume", file=mine)
    assert first.position["walls"] == [60]
    assert not [*first.errors, *second.errors]


# --- what goes wrong

OWN_HANDS = {"seats": [PERSON, ENGINE], "dice": "own", "hands": [["cities"] * 6] * 2}


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"seats": [ENGINE, ENGINE]}, "at least one person"),
        ({"seats": [PERSON, ENGINE], "first": 2}, "the seats are 0 to 1"),
        ({"seats": [PERSON, ENGINE], "dice": "own"}, "own with the hands"),
        ({"seats": [PERSON, ENGINE], "hands": [["cities"], ["cities"]]}, "own with the hands"),
        (OWN_HANDS, "cities"),
        ({**OWN_HANDS, "seed": 1}, "own dice have no seed"),
        ({"seats": [PERSON, {"kind": "engine", "engine": "rival"}]}, "there is no 'rival'"),
        ({"seats": [{"kind": "person", "name": "a" * 21}, ENGINE]}, "1 to 20 letters"),
        ({"seats": [{"kind": "person", "name": "a\u202eb"}, ENGINE]}, "1 to 20 letters"),
        ({"seats": [{**PERSON, "name": "A"}, {**PERSON, "name": "A"}]}, "different names"),
        ({"seats": [PERSON, ENGINE], "nonces": ["a", ""]}, "first commit"),
        ({"seats": [PERSON, ENGINE], "nonces": ["a", ""], "seed": 1}, "no seed"),
    ],
)
async def test_a_game_that_cannot_be_is_refused(
    fields: dict[str, Any], text: str, folder: Path, page: Page
) -> None:
    page.say("newgame", **fields)
    (error,) = page.errors
    assert text in error["text"]
    assert "\n" not in error["text"]
    assert not list(folder.glob("*"))


HOSTILE = "<img src=x onerror=alert(1)>"


async def test_a_file_that_is_no_game_is_refused_in_a_line(folder: Path, games: OpenGames) -> None:
    """It hides no game. A pipe too: to open one, all pages would wait for a writer."""
    head = {"format": "masons-play", "version": 1, "names": [HOSTILE, "\x1b[2J"]}
    (folder / "a.jsonl").write_text(json.dumps(head) + "\n{}\n")
    (folder / "b.jsonl").write_text("nonsense\n")
    (folder / "c.jsonl").write_bytes(b"\xff\xfe" * 100)
    (folder / "folder.jsonl").mkdir()
    for number in range(60):
        (folder / f"none{number}.jsonl").write_text("{}\n")
    if sys.platform != "win32":
        (folder / "dangling.jsonl").symlink_to("nowhere")
        os.mkfifo(folder / "d.jsonl")
    page = Page(games)
    (game,) = page.last("games")["games"]
    assert game["file"] == "a.jsonl"
    assert game["names"] == [HOSTILE, "\\x1b[2J"]
    for name in ("a.jsonl", "b.jsonl", "d.jsonl", "../a.jsonl", "/etc/passwd", ""):
        assert page.refused("resume", file=name)["code"] == "illegal", name


async def test_empty_games_are_not_kept_and_one_game_is_deleted(folder: Path, page: Page) -> None:
    """Neither after leaving, nor after another game, nor in the list after a restart."""
    for _ in range(3):
        page.say("newgame", **AGAINST_ENGINE)
    only_file(folder)
    page.say("leave")
    assert page.last("games")["games"] == []
    assert list(folder.glob("*.jsonl")) == []
    page.say("newgame", **TWO_PEOPLE)
    page.games.close()
    assert Page(new_games()).last("games")["games"] == []
    page.say("newgame", **TWO_PEOPLE)
    page.say("sit", seat=0)
    page.do("move", move=choose(page.position, random.Random(1)))
    page.say("leave")
    (game,) = page.last("games")["games"]
    page.say("delete", file=game["file"])
    assert page.last("games")["games"] == []
    assert page.refused("delete", file=game["file"])["key"] == "noGame"
    assert page.refused("delete", file="../a.jsonl")["key"] == "noGame"


async def test_the_board_of_the_daily_puzzle_is_that_of_the_first_puzzle(page: Page) -> None:
    page.say("previews", files=[""])
    preview = await page.hears("preview")
    page.say("practice", begin=True, daily=True)
    puzzle = await page.hears("puzzle")
    assert preview["walls"] == puzzle["position"]["walls"]
    assert puzzle["is_daily"]
    assert puzzle["position"]["phase"] == "wall"


def test_the_daily_puzzle_is_the_same_for_all_and_another_the_next_day() -> None:
    days = [date(2026, 11, 28) + timedelta(days=number) for number in range(8)]
    ids = [daily_puzzle(BOARD, day).id for day in days]
    assert ids == [daily_puzzle(BOARD, day).id for day in days]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize(
    "error", [RuntimeError("a\nb"), MemoryError(), OSError(28, "No space left", "x.jsonl")]
)
async def test_a_fault_of_an_engine_is_said_and_can_be_tried_again(
    error: Exception, folder: Path, monkeypatch: pytest.MonkeyPatch, page: Page, games: OpenGames
) -> None:
    page.say("newgame", **AGAINST_ENGINE)
    played = played_of(page)
    assert page.refused("retry")["code"] == "state"
    right, faults = played.engine_search, [error] * 3

    def search() -> Any:
        def fail() -> None:
            raise faults.pop()

        return fail if faults else right()

    monkeypatch.setattr(played, "engine_search", search)
    while page.position["due"] != "engine":
        await play([page], random.Random(1), 1)
    await until(lambda: page.position["fault"])
    assert len(page.position["fault"].splitlines()) == 1
    page.say("invite", seat=0)  # after which the engine is asked again
    await until(lambda: page.position["fault"])
    guest = Page(games, 0, page.position["file"])
    assert guest.position["fault"]
    assert ".jsonl" not in guest.position["fault"]
    assert (".jsonl" in page.position["fault"]) == isinstance(error, OSError)
    assert (page.position["due"], page.position["decides"]) == ("engine", False)
    late = Page(games)  # who comes later hears of it, too
    late.say("resume", file=page.position["file"])
    assert late.position["fault"] == page.position["fault"]
    late.say("retry")
    assert not page.position["fault"]
    await until(lambda: page.position["fault"])
    made = played.game.decisions
    assert len(decisions_kept(folder)) == made
    page.say("retry")
    await until(lambda: played.game.decisions > made)
    assert not page.position["fault"]


async def test_a_hint_says_what_the_terminal_says(page: Page) -> None:
    page.say("newgame", **AGAINST_ENGINE)
    page.say("go", sims=200)
    await until(lambda sent=page.sent: sent[-1]["type"] == "bestmove")
    hint = page.last("bestmove")
    assert hint["at"] == page.position["at"]
    assert hint["iterations"] == 200
    assert hint["move"] == hint["choices"][0]["move"]
    assert len(hint["scores"]) == 2
    assert str(played_of(page).hint(200).best) == hint["move"]
    page.do("move", move=hint["move"])
    assert not page.errors


async def test_a_fault_of_a_hint_is_said(monkeypatch: pytest.MonkeyPatch, page: Page) -> None:
    page.say("newgame", **AGAINST_ENGINE)
    monkeypatch.setattr(hosted_game, "hint_search", lambda *_: 1 // 0)
    page.say("go")
    await until(lambda: page.errors)
    assert page.errors[0]["code"] == "internal"
    assert "ZeroDivisionError" in page.errors[0]["text"]
    page.do("move", move="wall:57")
    assert page.position["walls"] == [57]


async def test_previews_are_the_boards_of_the_games(folder: Path, page: Page) -> None:
    """A record that breaks a rule has none, and the others come all the same."""
    page.say("newgame", **TWO_PEOPLE)
    page.say("sit", seat=0)
    page.do("move", move="wall:57")
    unfinished = page.position["file"]
    page.say("leave")
    lines = RECORDS.splitlines()[:2]
    (folder / "good.jsonl").write_text(lines[0] + "\n")
    (folder / "bad.jsonl").write_text(lines[1].replace('"wall"', '"well"', 1) + "\n")
    page.say("previews", files=["bad.jsonl", "none.jsonl", unfinished, "good.jsonl"])
    await until(lambda: page.sent[-1].get("file") == "good.jsonl")
    result = json.loads(lines[0])["result"]
    first, final = (message for message in page.sent if message["type"] == "preview")
    assert (first["file"], first["walls"], first["winners"]) == (unfinished, [57], [])
    assert (final["scores"], final["winners"]) == (result["scores"], result["winners"])
    assert final["cities"]
    assert not page.errors


def test_openings_tell_only_what_the_games_carry() -> None:
    """Walls that win equally often are even, and one that wins 5 % more often is not."""
    for players, helped in ((2, [3]), (3, [1, 2, 3]), (4, [1, 3])):
        message = openings_message(BOARD, players, ())
        assert message["even"]
        assert [card["where"] for card in message["helped"]] == helped
        lines = [line for kind in message["kinds"] for line in kind["lines"]]
        assert sorted(lines) == sorted(wall["line"] for wall in message["walls"])
        assert [kind["kind"] for kind in message["kinds"] if kind["rare"]] == ["shore"] * (
            players == 3
        )
    survey = deepcopy(bundled_survey(2))
    sums, more = survey.sums, 0.05
    sums.products[0, 1:] += more * sums.wins[1:]
    sums.products[1:, 0] = sums.products[0, 1:]
    sums.products[0, 0] += more * (2 * sums.wins[0] + more * sums.worlds)
    sums.wins[0] += more * sums.worlds
    assert not is_even(survey)


SEARCHES = ("go", "evaluate", "review", "compare", "belief", "practice", "coach", "after")
SAID = [
    {"type": "newgame", "seats": [PERSON, ENGINE], "seed": 4},
    {"type": "move", "move": "wall:57", "at": 1},
    {"type": "move", "move": "play:cities", "at": 1, "sure": False},
    {"type": "roll", "tower": "white", "houses": ["red", "?"], "at": 1},
    {"type": "card", "card": "cities", "at": 1},
    *({"type": name, "at": 1} for name in ("undo", "resign")),
    *({"type": name} for name in ("games", "leave", "stop", "record", "save", "close")),
    {"type": "sit", "seat": 0},
    {"type": "invite", "seat": 1},
    {"type": "resume", "file": "a.jsonl"},
    {"type": "study", "text": (EXAMPLES / "contested.txt").read_text(encoding="utf-8")},
    {"type": "study", "text": RECORDS, "step": 2},
    *({"type": "step", "to": to, "back": to == 3} for to in (3, 7)),
    *({"type": "try", "move": f"wall:{line}"} for line in (57, 60, 99)),
    {"type": "answer", "move": "wall:57"},
    {"type": "picture", "kind": "svg"},
    {"type": "watch", "on": True},
    {"type": "commit", "players": 2},
    {"type": "lessons"},
    *({"type": "lesson", "number": number} for number in (4, 8)),
    *({"type": "learn", "act": act, "move": "wall:86"} for act in ("move", "next", "show", "undo")),
    *({"type": "cards", "city": city} for city in (None, 53)),
    {"type": "previews", "files": ["a.jsonl"]},
    {"type": "profile", "player": "You"},
    *({"type": name} for name in ("export", "forget")),
    {"type": "openings", "players": 3, "hand": ["cities"]},
]


@pytest.mark.slow
async def test_no_message_breaks_the_server(folder: Path, games: OpenGames) -> None:
    """MASONS_FUZZ messages (1,000): each is done or answered by one error."""
    chance = random.Random(6)
    host = Page(games)
    host.say("newgame", seats=[PERSON, PERSON, ENGINE])
    host.say("invite", seat=1)
    pages = [host, Page(games, 1, host.position["file"]), Page(games)]
    good = [json.dumps(message) for message in SAID]
    for number in range(FUZZ):
        page = chance.choice(pages)
        text = chance.choice(good) if chance.random() < 0.3 else spoiled(chance, good)
        if text is not None and any(f'"{name}"' in text for name in SEARCHES):
            continue
        games.answer(page.client, text)
        assert len(page.errors) <= 1
        if number % 50 == 0:
            await asyncio.sleep(0)
            for path in list(folder.glob("*.jsonl"))[5:]:
                path.unlink()
        for each in pages:
            assert all("\n" not in error["text"] for error in each.errors)
            assert all(error["code"] != "internal" for error in each.errors), each.errors
            del each.sent[:-5], each.errors[:]
    page = Page(games)
    page.say("newgame", seats=[PERSON, ENGINE], seed=4)
    assert not page.errors
    assert page.position["decides"]
