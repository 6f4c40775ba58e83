"""Games through messages: who may see and do what, nothing hidden in any message, nothing lost."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from masons.cli import process as warm
from masons.cli.main import run
from masons.engine.board.components import CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.fair import fair_game
from masons.engine.game.record import check_record, parse_record, read_record
from masons.engine.storage.held_file import HeldFile
from masons.gui import hosted_game, open_games
from masons.gui.guard import Guard, Pass
from masons.gui.open_games import OpenGames
from masons.gui.seating import Seating
from masons.gui.web_app import answer
from masons.match.playing.kept_games import read_journal, resumed
from tests.support.gui_pages import (
    BOARD,
    ENGINE,
    PERSON,
    Page,
    choose,
    in_open_games,
    play,
    played_of,
    spoiled,
)
from tests.support.paths import EXAMPLES
from tests.support.thinned import thinned

# MASONS_GAMES=full: whole games, where others are cut.
WHOLE = os.environ.get("MASONS_GAMES") == "full"
FUZZ = int(os.environ.get("MASONS_FUZZ", "10000"))


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    warm.prepare()


def only_file(folder: Path) -> Path:
    (path,) = folder.glob("*.jsonl")
    return path


@pytest.mark.slow
async def test_a_game_against_the_engine_is_played_to_its_end(folder: Path, page: Page) -> None:
    assert page.last("nogame")
    assert page.last("games") == {"type": "games", "games": []}
    page.say("newgame", seats=[PERSON, ENGINE], seed=5)
    page.say("record")
    assert page.errors.pop()["code"] == "state"
    await play([page], random.Random(1))
    assert len(page.position["result"]["words"]) == 4
    page.say("record")
    record = parse_record(page.last("record")["text"])
    check_record(record)
    assert read_record(str(only_file(folder)), 1) == record


async def test_every_decision_is_on_the_disk_before_a_page_hears_of_it(
    folder: Path, page: Page, games: OpenGames
) -> None:
    page.say("newgame", seats=[PERSON, PERSON], seed=5)
    chance = random.Random(2)
    for made in range(1, 12):
        if page.position["curtain"] is not None:
            page.say("sit", seat=page.position["curtain"])
        move = choose(page.position, chance)
        page.do("move", move=move)
        _, entries, _ = read_journal(str(only_file(folder)))
        assert len(entries) == made
        assert entries[-1]["move"].startswith(move.split(":")[0])
    before = page.position
    games.close()  # as a kill would leave it: nothing else is written
    page.say("games")
    page.say("resume", file=page.last("games")["games"][0]["file"])
    assert not page.errors
    page.say("sit", seat=page.position["curtain"])
    same = ("walls", "towers", "stocks", "scores", "phase", "decider", "turn", "face_up")
    assert {k: page.position[k] for k in same} == {k: before[k] for k in same}


def not_seen(played: Any) -> Counter[str]:
    """The cards that lie face down and in no hand."""
    position = played.game.position
    gone = [*position.discard, *(kind for hand in position.hands for kind in hand)]
    return Counter(dict.fromkeys(CARDS, 2)) - Counter(CARDS[kind] for kind in gone)


def all_texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        keys = [key for key in value if key not in ("means", "cities")]
        return [*keys, *(text for key in keys for text in all_texts(value[key]))]
    if isinstance(value, list):
        return [text for each in value for text in all_texts(each)]
    return [value] if isinstance(value, str) else []


def check_knows_only(message: dict[str, Any], viewer: int | None, played: Any) -> None:
    """A position names no card but those that lie face up or in the viewer's hand.

    What was drawn by somebody else, and named, would be one more: each name is looked at where it
    stands, but for what was played or discarded before everybody's eyes.
    """
    position = played.game.position
    public = {CARDS[kind] for kind in position.discard}
    public |= {card for event in played.game.log.events() for card in shown_cards(event)}
    held = set() if viewer is None else {CARDS[kind] for kind in position.hands[viewer]}
    if viewer is not None:  # what it drew itself once
        for event in played.game.log.events():
            if event.get("p") == viewer:
                held |= {*event.get("drew", ()), *event.get("in", ())}
    cities = message["moves"] and message["moves"].get("cities")
    texts = all_texts({k: v for k, v in message.items() if not (k == "moves" and cities)})
    named = {card for card in CARDS for text in texts if card in words_of(text)}
    assert named <= public | held, (viewer, named - public - held)


def words_of(text: str) -> set[str]:
    return set(text.replace(",", " ").replace(";", " ").replace("+", " ").replace(":", " ").split())


def shown_cards(event: dict[str, Any]) -> list[str]:
    if event["e"] in ("play", "final"):
        return list(event["cards"])
    if event["e"] == "abstain":
        return [event["card"]]
    return list(event["out"]) if event["e"] == "swap" else []


def test_any_engine_can_have_a_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of several kinds; the file says who sat where, but runs no command by itself."""
    command = f"{sys.executable} {EXAMPLES / 'plain_random.py'}"

    async def work(games: OpenGames, _: Guard) -> None:
        page = Page(games)
        assert page.last("id")["engines"] == ["rival"]
        rival = {"kind": "engine", "engine": "rival", "seconds": 0.1}
        timed = {"kind": "engine", "level": 10, "seconds": 0.05}
        page.say("newgame", seats=[PERSON, rival, timed], seed=5)
        chance = random.Random(1)
        seats: set[int] = set()
        while seats != {0, 1, 2}:
            await play([page], chance, 20)
            header, entries, _ = read_journal(str(only_file(tmp_path)))
            seats = {entry["p"] for entry in entries}
        assert header["engines"] == ["", "mei:rival:ms=100", "default:level=10,ms=50"]

    in_open_games(work, tmp_path, monkeypatch, {"rival": command})
    assert run(["play", "--resume", str(only_file(tmp_path))]) == 1
    assert "gui" in capsys.readouterr().err

    async def without(games: OpenGames, _: Guard) -> None:
        page = Page(games)
        page.say("resume", file=only_file(tmp_path).name)
        for _ in range(200):
            if page.errors:
                break
            await play([page], random.Random(1), 1)
        assert "--engine NAME=COMMAND" in page.errors[0]["text"]

    in_open_games(without, tmp_path, monkeypatch)


@pytest.mark.slow
def test_a_game_goes_from_the_browser_to_the_terminal_and_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def begin(games: OpenGames, _: Guard) -> None:
        page = Page(games)
        page.say("newgame", seats=[PERSON, ENGINE], seed=5)
        await play([page], random.Random(1), 12)

    in_open_games(begin, tmp_path, monkeypatch)
    name = str(only_file(tmp_path))
    played = resumed(HeldFile(name, "old"), BOARD)
    assert played.engine_name(1) == "default:level=1"
    while played.due != "person":
        played.engine_moves()
    played.make(played.game.legal_moves()[0])
    position = played.game.position
    assert played.keeper is not None
    played.keeper.close()

    async def go_on(games: OpenGames, _: Guard) -> None:
        page = Page(games)
        page.say("resume", file=Path(name).name)
        assert page.position["walls"] == sorted(position.walls)
        await play([page], random.Random(2))

    in_open_games(go_on, tmp_path, monkeypatch)
    check_record(read_record(name, 1))


@pytest.mark.slow
def test_a_fair_game_can_be_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_game, "user_data_path", lambda *_, **__: tmp_path / "data")

    async def work(games: OpenGames, _: Guard) -> None:
        page = Page(games)
        page.say("commit", players=2)
        commitment = page.last("commitment")["commitment"]
        page.say("newgame", seats=[PERSON, ENGINE], nonces=["my words", ""])
        assert page.position["fair"]["commitment"] == commitment
        assert "secret" not in page.position["fair"]
        secret = next((tmp_path / "data").rglob("*.secret")).read_text().strip()
        await play([page], random.Random(1), 25)
        games.close()
        page.say("resume", file=only_file(tmp_path).name)
        await play([page], random.Random(2))
        assert secret not in page.words()
        page.say("record")
        assert secret in page.last("record")["text"]
        page.say("newgame", seats=[PERSON, ENGINE], nonces=["again", ""])
        assert page.errors.pop()["code"] == "state"

    in_open_games(work, tmp_path, monkeypatch)
    assert run(["verify", str(only_file(tmp_path))]) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("people", "away"), thinned([(2, (1,)), (3, ()), (4, (2, 3))], 2))
async def test_no_message_holds_what_its_seat_cannot_see(
    people: int,
    away: tuple[int, ...],
    monkeypatch: pytest.MonkeyPatch,
    guard: Guard,
    games: OpenGames,
) -> None:
    host = Page(games)
    host.say("newgame", seats=[PERSON] * people, seed=people)
    guests = []
    for seat in away:
        host.say("invite", seat=seat)
        path = host.last("invite")["path"]
        assert guard.pass_of(path.strip("/")) is not None
        guests.append(Page(games, seat, host.position["file"]))
    pages, chance, checked = [host, *guests], random.Random(people), 0
    original = Page._hear

    def hear(page: Page, message: dict[str, Any]) -> None:
        nonlocal checked
        original(page, message)
        if message["type"] == "position":
            game = page.client.game
            assert game is not None
            played = game.played
            viewer = Seating(played, guard, game.file).viewer(page.client)
            assert message["seat"] == viewer
            check_knows_only(message, viewer, played)
            checked += 1

    monkeypatch.setattr(Page, "_hear", hear)
    for page in pages:
        page.client.send = page._hear
    await play(pages, chance, 10**6 if WHOLE else 70)
    assert checked > 20 * len(pages)


async def test_the_check_finds_a_leak(games: OpenGames) -> None:
    host = Page(games)
    host.say("newgame", seats=[PERSON, PERSON], seed=3)
    played = played_of(host)
    host.say("invite", seat=1)
    other = Page(games, 1, host.position["file"])
    with pytest.raises(AssertionError):
        check_knows_only({**other.position}, 0, played)


async def test_a_curtain_falls_between_people_at_one_screen(page: Page) -> None:
    page.say("newgame", seats=[PERSON, PERSON], seed=9, first=1)
    assert (page.position["curtain"], page.position["hand"]) == (1, None)
    page.do("move", move="wall:57")
    assert page.errors.pop()["code"] == "state"
    page.say("sit", seat=0)
    assert page.errors.pop()["code"] == "illegal"
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
    host.say("newgame", seats=[PERSON, PERSON], seed=9)
    host.say("invite", seat=1)
    guest = Page(games, 1, host.position["file"])
    assert host.position["seats"] == [0]
    assert guest.position["seats"] == [1]
    assert host.position["hand"]
    assert guest.position["hand"]
    assert host.position["decides"]
    assert not guest.position["decides"]
    guest.do("move", move="wall:57")
    assert guest.errors.pop()["code"] == "state"
    for name, fields in (
        ("newgame", {"seats": [PERSON, PERSON]}),
        ("leave", {}),
        ("resume", {"file": only_file(folder).name}),
        ("invite", {"seat": 0}),
    ):
        guest.say(name, **fields)
        assert guest.errors.pop()["code"] == "illegal", name
    guest.say("games")
    assert guest.last("games")["games"] == []
    host.say("invite", seat=1, back=True)
    assert guard.invited(host.position["file"]) == frozenset()
    assert host.position["curtain"] == 0


async def test_undo_reveals_nothing(page: Page) -> None:
    for practice in (False, True):
        page.say("newgame", seats=[PERSON, ENGINE], seed=9, practice=practice)
        start = page.position
        assert "nothing to take back" in start["undo"]
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


async def test_a_message_about_an_old_position_changes_nothing(page: Page) -> None:
    """A double click makes one move."""

    page.say("newgame", seats=[PERSON, ENGINE], seed=9)
    at = page.position["at"]
    page.say("move", move="wall:57", at=at)
    page.say("move", move="wall:60", at=at)
    assert "gone on" in page.errors.pop()["text"]
    assert page.position["walls"] == [57]


@pytest.mark.slow
async def test_dice_and_cards_of_a_table_are_typed_in(folder: Path, games: OpenGames) -> None:
    page, chance = Page(games), random.Random(4)
    deck = [card for card in CARDS for _ in range(2)]
    chance.shuffle(deck)
    hands = [deck[:6], deck[6:12]]
    page.say("newgame", seats=[PERSON, PERSON], dice="own", hands=hands)
    rolls = cards = 0
    while page.position["result"] is None:
        at = page.position
        if at["curtain"] is not None:
            page.say("sit", seat=at["curtain"])
        elif at["rolls"] is not None:
            tower = chance.choice(TOWER_DIE) if at["rolls"] else None
            page.do("roll", tower=tower, houses=[chance.choice(HOUSE_DIE) for _ in range(2)])
            rolls += 1
        elif at["draws"]:
            left = not_seen(played_of(page))
            page.do("card", card=chance.choice(sorted(left.elements())))
            cards += 1
        else:
            page.do("move", move=choose(at, chance))
        assert not page.errors, page.errors
    assert rolls > 10
    assert cards > 3
    check_record(read_record(str(only_file(folder)), 1))


async def test_a_hint_comes_and_says_what_the_terminal_says(page: Page) -> None:
    page.say("newgame", seats=[PERSON, ENGINE], seed=9)
    page.say("go", sims=200)
    for _ in range(2000):
        if any(message["type"] == "bestmove" for message in page.sent):
            break
        await asyncio.sleep(0.01)
    hint = page.last("bestmove")
    assert hint["at"] == page.position["at"]
    assert hint["iterations"] == 200
    assert hint["move"] == hint["choices"][0]["move"]
    assert hint["words"][0].startswith("hint")
    assert played_of(page).hint(200).best == page_move(hint)
    page.do("move", move=hint["move"])
    assert not page.errors


def page_move(hint: dict[str, Any]) -> Any:
    from masons.engine.formats.move_text import parse_move

    return parse_move(hint["move"])


async def test_the_last_person_who_resigns_ends_the_game(folder: Path, page: Page) -> None:
    page.say("newgame", seats=[PERSON, ENGINE], seed=9)
    page.do("resign")
    assert page.position["result"] == {"winners": [], "words": ["You give up."]}
    record = read_record(str(only_file(folder)), 1)
    assert record["stopped"] == {"why": "resigned", "seat": 0}


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"seats": [ENGINE, ENGINE]}, "at least one person"),
        ({"seats": [PERSON, ENGINE], "first": 2}, "the seats are 0 to 1"),
        ({"seats": [PERSON, ENGINE], "dice": "own"}, "own with the hands"),
        ({"seats": [PERSON, ENGINE], "hands": [["cities"], ["cities"]]}, "own with the hands"),
        (
            {"seats": [PERSON, ENGINE], "dice": "own", "hands": [["cities"] * 6, ["cities"] * 6]},
            "cities",
        ),
        ({"seats": [PERSON, {"kind": "engine", "engine": "rival"}]}, "there is no 'rival'"),
        ({"seats": [{"kind": "person", "name": "a" * 21}, ENGINE]}, "1 to 20 letters"),
        ({"seats": [{"kind": "person", "name": "a\u202eb"}, ENGINE]}, "1 to 20 letters"),
        ({"seats": [{**PERSON, "name": "A"}, {**PERSON, "name": "A"}]}, "different names"),
        ({"seats": [PERSON, ENGINE], "nonces": ["a", ""]}, "first commit"),
        ({"seats": [PERSON, ENGINE], "nonces": ["a", ""], "seed": 1}, "no seed"),
    ],
)
async def test_a_game_that_cannot_be_is_refused(
    fields: dict[str, Any], what: str, folder: Path, page: Page
) -> None:
    page.say("newgame", **fields)
    (error,) = page.errors
    assert what in error["text"]
    assert "\n" not in error["text"]
    assert not list(folder.glob("*"))


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
async def test_a_pipe_among_the_games_is_passed_over(folder: Path, games: OpenGames) -> None:
    """Opening one, all pages would wait for somebody to write to it."""
    os.mkfifo(folder / "game.jsonl")
    page = Page(games)

    assert page.last("games")["games"] == []
    page.say("resume", file="game.jsonl")
    assert [error["code"] for error in page.errors] == ["illegal"]


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
    first.say("games")
    assert {each["file"] for each in first.last("games")["games"] if each["open"]} == {mine, other}
    first.say("resume", file=other)
    assert (first.position["walls"], first.position["file"]) == ([57], other)
    second.say("newgame", seats=[PERSON, ENGINE], seed=3)
    first.say("games")
    listed = {each["file"]: each["open"] for each in first.last("games")["games"]}
    assert listed == {mine: False, other: True, second.position["file"]: True}
    first.say("resume", file=mine)
    assert first.position["walls"] == [60]
    assert not [*first.errors, *second.errors]


def test_a_seat_of_another_device_comes_back_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seats: dict[str, Pass] = {}

    async def begin(games: OpenGames, guard: Guard) -> None:
        host = Page(games)
        host.say("newgame", seats=[PERSON, PERSON], seed=9)
        host.say("invite", seat=1)
        host.do("move", move="wall:57")
        seats.update(guard.seats)

    async def go_on(games: OpenGames, guard: Guard) -> None:
        guard.seats = {**seats, "x" * 24: Pass(0, "gone.jsonl")}
        games.forget_seats()
        assert guard.seats == seats
        (each,) = seats.values()
        guest = Page(games, each.seat, each.file)  # comes before the host does
        assert guest.position["walls"] == [57]
        assert guest.position["seats"] == [1]
        host = Page(games)
        host.say("resume", file=each.file)
        assert host.position["seats"] == [0]
        host.say("leave")
        games.part(guest.client)
        games.forget_seats()
        guest = Page(games, each.seat, each.file)
        assert guest.position["walls"] == [57]

    in_open_games(begin, tmp_path, monkeypatch)
    in_open_games(go_on, tmp_path, monkeypatch)


class Broken:
    """A search that fails so often, and then does what it should."""

    def __init__(self, times: int, error: Exception, right: Any) -> None:
        self.left, self.error, self.right = times, error, right

    def __call__(self, *arguments: Any) -> Any:
        self.left -= 1
        if self.left < 0:
            return self.right(*arguments)

        def work() -> None:
            raise self.error

        return work


async def until(true: Any) -> None:
    for _ in range(2000):
        if true():
            return
        await asyncio.sleep(0.005)
    raise AssertionError(true)


@pytest.mark.parametrize(
    "error", [RuntimeError("a\nb"), MemoryError(), OSError(28, "No space left", "x.jsonl")]
)
async def test_a_fault_of_an_engine_is_said_and_can_be_tried_again(
    error: Exception, folder: Path, monkeypatch: pytest.MonkeyPatch, page: Page, games: OpenGames
) -> None:
    page.say("newgame", seats=[PERSON, ENGINE], seed=9)
    played = played_of(page)
    page.say("retry")
    assert page.errors.pop()["code"] == "state"
    monkeypatch.setattr(played, "engine_search", Broken(3, error, played.engine_search))
    chance = random.Random(1)
    while not page.position["fault"]:
        await (
            asyncio.sleep(0.005) if page.position["due"] == "engine" else play([page], chance, 1)
        )
        page.errors[:] = []
    assert len(page.position["fault"].splitlines()) == 1
    page.say("invite", seat=0)  # after which the engine is asked again
    await until(lambda: page.position["fault"])
    guest = Page(games, 0, page.position["file"])
    assert guest.position["fault"]
    assert ".jsonl" not in guest.position["fault"]
    assert (".jsonl" in page.position["fault"]) == isinstance(error, OSError)
    assert (page.position["due"], page.position["decides"]) == ("engine", False)
    moves = played.game.decisions
    late = Page(games)  # who comes later hears of it, too
    late.say("resume", file=page.position["file"])
    assert late.position["fault"] == page.position["fault"]
    late.say("retry")
    assert not page.position["fault"]
    await until(lambda: page.position["fault"])
    _, entries, _ = read_journal(str(only_file(folder)))
    assert len(entries) == moves
    page.say("retry")
    await until(lambda: played.game.decisions > moves)
    assert not page.position["fault"]


async def test_a_fault_of_a_hint_is_said(monkeypatch: pytest.MonkeyPatch, page: Page) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    page.say("newgame", seats=[PERSON, ENGINE], seed=9)
    monkeypatch.setattr(hosted_game, "hint_search", broken)
    page.say("go")
    await until(lambda: page.errors)
    assert page.errors[0]["code"] == "internal"
    assert "ZeroDivisionError" in page.errors[0]["text"]
    page.do("move", move="wall:57")
    assert page.position["walls"] == [57]


@pytest.mark.slow
def test_nothing_that_a_seat_is_told_depends_on_what_it_cannot_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two games that differ in the other hand alone: every message is the same.

    Positions, refusals of what is illegal, of cards that others hold, and hints.
    """
    chance = random.Random(7)
    deck = [card for card in CARDS for _ in range(2)]
    chance.shuffle(deck)
    told = []
    for others in (deck[6:12], deck[12:18]):
        texts: list[str] = []

        async def work(
            games: OpenGames, _: Guard, others: list[str] = others, texts: list[str] = texts
        ) -> None:
            host = Page(games)
            hands = [deck[:6], others]
            host.say("newgame", seats=[PERSON, PERSON], dice="own", hands=hands)
            host.say("invite", seat=0)
            page = Page(games, 0, host.position["file"])
            del page.sent[:]
            fuzz, played = random.Random(11), played_of(host)
            while True:
                end = played.game.phase in ("score", "final")
                for card in CARDS[::4]:
                    if end and card in deck[:6]:
                        continue  # that would be a move
                    for text in (f"play:{card}", f"abstain:{card}", f"swap:{card}", card):
                        page.do("move", move=text)
                    page.do("card", card=card)
                    page.say("sit", seat=1)
                page.say("go", sims=60)
                if page.position["decides"]:
                    await until(lambda: page.sent[-1]["type"] == "bestmove")
                if end:
                    break
                if played.due == "roll":
                    tower = "white" if host.position["rolls"] or page.position["rolls"] else None
                    page.do("roll", tower=tower, houses=["red", fuzz.choice(["blue", "?"])])
                    host.do("roll", tower=tower, houses=["red", "red"])
                elif page.position["decides"]:
                    page.do("move", move=choose(page.position, fuzz))
                else:
                    host.do("move", move=choose(host.position, fuzz))
            assert {each["type"] for each in page.sent} == {"position", "error", "bestmove"}
            texts += [json.dumps(each, sort_keys=True) for each in page.sent]

        folder = tmp_path / str(len(told))
        folder.mkdir()
        in_open_games(work, folder, monkeypatch)
        told.append(texts)
    assert told[0] == told[1]


HOSTILE = "<img src=x onerror=alert(1)>"


async def test_a_file_that_is_no_game_is_refused_in_a_line(folder: Path, games: OpenGames) -> None:
    head = {"format": "masons-play", "version": 1, "names": [HOSTILE, "\x1b[2J"]}
    (folder / "a.jsonl").write_text(json.dumps(head) + "\n")
    (folder / "b.jsonl").write_text("nonsense\n")
    (folder / "c.jsonl").write_bytes(b"\xff\xfe" * 100)
    page = Page(games)
    games = page.last("games")["games"]
    assert [game["file"] for game in games] == ["a.jsonl"]
    assert games[0]["names"] == [HOSTILE, "\\x1b[2J"]
    for name in ("a.jsonl", "b.jsonl", "../a.jsonl", "/etc/passwd", ""):
        page.say("resume", file=name)
        assert page.errors.pop()["code"] == "illegal", name


@pytest.mark.slow
async def test_no_message_breaks_the_server(folder: Path, games: OpenGames) -> None:
    """MASONS_FUZZ messages (10,000): each is done or answered by one error."""

    chance = random.Random(6)
    host = Page(games)
    host.say("newgame", seats=[PERSON, PERSON, ENGINE])
    host.say("invite", seat=1)
    pages = [host, Page(games, 1, host.position["file"])]
    good = [
        json.dumps({"type": "newgame", "seats": [PERSON, ENGINE], "seed": 4}),
        json.dumps({"type": "move", "move": "wall:57", "at": 1}),
        json.dumps({"type": "move", "move": "play:cities", "at": 1}),
        json.dumps({"type": "roll", "tower": "white", "houses": ["red", "?"], "at": 1}),
        json.dumps({"type": "card", "card": "cities", "at": 1}),
        *(json.dumps({"type": name, "at": 1}) for name in ("undo", "resign")),
        *(json.dumps({"type": name}) for name in ("games", "leave", "stop", "record")),
        json.dumps({"type": "sit", "seat": 0}),
        json.dumps({"type": "invite", "seat": 1}),
        json.dumps({"type": "resume", "file": "a.jsonl"}),
        json.dumps({"type": "go", "sims": 1}),
    ]
    for number in range(FUZZ):
        page = chance.choice(pages)
        text = spoiled(chance, good)
        told = len(page.errors)
        answer(games, page.client, text)
        assert len(page.errors) - told <= 1
        if number % 50 == 0:
            await asyncio.sleep(0)
            for path in list(folder.glob("*.jsonl"))[5:]:
                path.unlink()
        for each in pages:
            assert all("\n" not in error["text"] for error in each.errors)
            assert all(error["code"] != "internal" for error in each.errors)
            del each.sent[:-5], each.errors[:]
    page = Page(games)
    page.say("newgame", seats=[PERSON, ENGINE], seed=4)
    assert not page.errors
    assert page.position["decides"]
