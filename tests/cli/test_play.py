"""Games at a terminal: the session by script, the file it is kept in, and a real terminal."""

from __future__ import annotations

import json
import random
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text

from masons.cli.terminal.text_page import Frame
from masons.cli.terminal.turn_loop import TurnLoop
from masons.cli.terminal.typed_moves import read_move, read_roll
from masons.engine.board.components import CARD_NAMES, CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.errors import MasonsError, MoveError, RecordError
from masons.engine.formats.move_text import parse_move, wall_move
from masons.engine.game.chance import Seeded
from masons.engine.game.game import Game
from masons.engine.game.record import read_record
from masons.engine.game.replay import check_record
from masons.match.playing.game_setup import GameSetup, setup_of
from masons.match.playing.journal import read_journal
from masons.match.playing.kept_games import begun
from masons.match.playing.played_game import PlayedGame
from masons.words.moves import card_name
from masons.words.scored_view import Item, ScoredView
from tests.cli.conftest import BOARD, HEXAGON, again, close, play_on
from tests.support.commands import SECONDS, called, spawn, told
from tests.support.playing import pick
from tests.support.thinned import thinned

pexpect = pytest.importorskip("pexpect")
PROMPT = r", (?:wall|towers|houses|merge|score|swap|final):"


def setup(players: int = 2, people: tuple[int, ...] = (0,), **more: Any) -> GameSetup:
    names = ("Ann", "Bob", "Cid", "Dan")[:players]
    return GameSetup(players, people, names, **{"seed": 7, "level": 1, **more})


def to_phase(played: PlayedGame, phase: str, chance: random.Random) -> None:
    """On to a person's decision of a kind."""
    while not (played.due == "person" and played.game.phase == phase):
        play_on(played, chance, 1)


class Script:
    """Lines in and out, no live terminal: answers stand in a list; then the input ends."""

    live = False

    def __init__(self, answers: Sequence[str | type[BaseException]], width: int = 100) -> None:
        self.answers = list(answers)
        self.pages: list[str] = [""]
        self.width = width
        self.deep = 0  # times that what has scrolled away was wiped, too

    def frame(self) -> Frame:
        return Frame(self.width, 40, color=False)

    def show(self, lines: Sequence[Text | str], *, wraps: bool = True) -> None:
        del wraps
        for line in lines:
            text = line.plain if isinstance(line, Text) else line
            self.pages[-1] += text + "\n"

    def wipe(self, *, scrolled: bool = False) -> None:
        self.deep += scrolled
        self.pages.append("")

    def ask(self, prompt: str, words: Sequence[str] = (), redraw: object = None) -> str:
        assert redraw is None
        assert all(isinstance(word, str) for word in words)
        self.pages[-1] += prompt
        if not self.answers:
            raise EOFError
        answer = self.answers.pop(0)
        if not isinstance(answer, str):
            raise answer
        self.pages[-1] += answer + "\n"
        return answer

    @property
    def all(self) -> str:
        return "".join(self.pages)


def turn_loop(played: PlayedGame, *answers: str | type[BaseException]) -> Script:
    script = Script(answers)
    TurnLoop(played, script).run()
    return script


# ---- what was typed


@pytest.mark.parametrize(
    ("text", "phase", "move"),
    [
        *((text, "wall", "wall:57") for text in ("57", "wall:57", "Wall 57")),
        ("roll", "wall", "early-roll"),
        *((text, "score", "play:cities") for text in ("play cities", "cities", "Completed cities")),
        *((text, "score", "play:city-red+cities")
          for text in (
              "a c", "play c a", "play city-r, cities", "play red in the city completed cities",
              "Red in the city completed cities")),
        *((text, "score", "abstain:land-red")
          for text in ("abstain b", "abstain land-red", "abstain Red land houses")),
        ("none", "swap", "swap:none"),
        ("swap a b", "swap", "swap:city-red+land-red"),
        ("pass", "final", "final:pass"),
        ("final 17 a", "final", "final:17/city-red"),
        ("17 cities", "final", "final:17/cities"),
        *((text, "merge", "merge:none") for text in ("merge none", "none")),
        ("towers 12=white 13=gray", "towers", "towers:12=white,13=gray"),
        ("houses:40=red,41=blue", "houses", "houses:40=red,41=blue"),
    ],
)  # fmt: skip
def test_a_move_may_be_typed_in_many_ways(text: str, phase: str, move: str) -> None:
    hand = sorted(CARDS.index(name) for name in ("city-red", "land-red", "cities"))
    assert read_move(text, phase, hand, ()) == parse_move(move)


@pytest.mark.parametrize("phase", ["wall", "towers", "houses", "merge", "score", "swap", "final"])
def test_nonsense_is_refused_with_one_line(phase: str) -> None:
    chance = random.Random(1)
    texts = ["", "999", "play", "abstain", "z", "wall", "final 17", "²", "\x00", "a" * 5000, ":::"]
    signs = "abz 0159:+,/=?-\u00e9\U0001f600"
    texts += ["".join(chance.choices(signs, k=chance.randrange(12))) for _ in range(300)]
    for text in texts:
        said = ""
        try:
            read_move(text, phase, range(6), ())
        except MoveError as error:
            said = str(error)
        assert "\n" not in said
        assert len(said) < 300


@pytest.mark.parametrize(
    ("phase", "text", "said"),
    [
        ("wall", "foo", "'foo' is not a move: type a line's number, or help"),
        ("wall", "999", "'999' is not a wall line: write its number, from 0 to 169"),
        ("wall", "wall:999", "'999' is not a wall line: write its number, from 0 to 169"),
        ("towers", "foo", "'foo' is not a move: type 1 to 2, or help"),
        ("towers", "1.5", "'1.5' is not a move: type 1 to 2, or help"),
        ("towers", "3", "there is no move 3: they are 1 to 2"),
        ("towers", "12=red", "'12=red' needs a color: one of white, gray, black"),
        ("houses", "nan", "'nan' is not a move: type 1 to 2, or help"),
        ("merge", "foo", "'foo' is not a move: type 1 to 2, or help"),
    ],
)
def test_what_is_no_move_is_told_what_is(phase: str, text: str, said: str) -> None:
    game = Game(seed=1)
    view = ScoredView(game.table, game.position)
    items = [Item(str(key), wall_move(key), view) for key in (1, 2)]
    with pytest.raises(MoveError) as caught:
        read_move(text, phase, (), items, BOARD)
    assert str(caught.value) == said


def test_letters_and_numbers_of_the_menu_mean_what_stands_there() -> None:
    played = PlayedGame(BOARD, setup(people=(0, 1)))
    chance = random.Random(5)
    for phase in ("towers", "houses", "score"):
        to_phase(played, phase, chance)
        items = played.items()
        hand = played.view(played.game.seat).hands[played.game.seat]
        assert not isinstance(hand, int)
        assert sorted(item.move for item in items) == sorted(played.game.legal_moves())
        for number, item in enumerate(items, 1):
            assert read_move(str(number), phase, hand, items) == item.move
            assert read_move(item.words, phase, hand, items) == item.move
    points = [sum(played.scored_view(played.game.seat).move_points(item.move)) for item in items]
    plays = [p for p, item in zip(points, items, strict=True) if str(item.move).startswith("play")]
    assert plays == sorted(plays, reverse=True)


def test_only_the_moves_that_are_shown_are_put_into_words(monkeypatch: pytest.MonkeyPatch) -> None:
    told_moves: list[Any] = []
    words = ScoredView.words
    monkeypatch.setattr(
        ScoredView, "words", lambda view, move: told_moves.append(move) or words(view, move)
    )
    played = PlayedGame(BOARD, setup())
    script = turn_loop(played, "wall:57", "1")
    assert played.game.decisions == 2
    assert "tower on" in script.all
    assert len(told_moves) < 20


def test_a_roll_is_read() -> None:
    assert read_roll("white red ?", True) == ("white", "red", "?")
    assert read_roll("White/Red/?", True) == ("white", "red", "?")
    assert read_roll("- red ?", False) == (None, "red", "?")
    assert read_roll("red ?", False) == (None, "red", "?")
    assert read_roll("W s ?", True) == ("white", "rose", "?")
    assert read_roll("g b", False) == (None, "green", "blue")
    with pytest.raises(MoveError, match="'pink' is not on this die: it shows red, rose, yellow"):
        read_roll("white pink red", True)
    for text in ("", "red", "white red ? ?"):
        with pytest.raises(MoveError):
            read_roll(text, True)


# ---- the session


def test_undo_goes_back_to_where_nothing_was_revealed() -> None:
    played = PlayedGame(BOARD, setup())
    with pytest.raises(MoveError, match="nothing to take back"):
        played.undo()
    chance = random.Random(2)
    to_phase(played, "towers", chance)
    with pytest.raises(MoveError, match="dice or cards were revealed"):
        played.undo()
    before = played.game.text
    played.make(played.game.legal_moves()[0])
    while played.game.phase != "houses":
        play_on(played, chance, 1)
        to_phase(played, "towers", chance)
        before = played.game.text
        played.make(played.game.legal_moves()[0])
    assert played.undo() == 1
    assert played.game.text == before
    to_phase(played, "wall", chance)
    with pytest.raises(MoveError, match="practice"):
        played.undo()


def test_practice_takes_back_anything_and_the_same_luck_comes_again() -> None:
    played = PlayedGame(BOARD, setup(practice=True))
    chance = random.Random(4)
    to_phase(played, "score", chance)
    while played.due != "person" or played.game.phase != "wall":
        play_on(played, chance, 1)
    before, move = played.game.text, played.game.legal_moves()[0]
    played.make(move)
    after = played.game.text
    played.undo()
    assert played.game.text == before
    played.make(move)
    assert played.game.text == after
    while any(seat == played.game.seat for seat in played._seats):
        played.undo()
    assert played.game.decisions <= 1


CARD_ID = re.compile(rf"(?<![\w:+/-])({'|'.join(card for card in CARDS if '-' in card)})(?![\w-])")


def test_a_game_is_told_in_names_of_cards() -> None:
    """Ids of cards stand only in moves that can be typed, such as play:city-red."""
    played, chance, phases = PlayedGame(BOARD, setup(seed=9)), random.Random(9), set()
    while not played.is_over:
        if played.due == "person" and played.game.phase not in phases:
            hint = ["hint"] if played.game.phase in ("score", "swap") else []
            page = turn_loop(played, "board", "cards", "moves", *hint).all
            assert not CARD_ID.search(page), page
            assert not re.search(r"(?:discard|play|swap \d cards?:) cities", page)
            phases.add(played.game.phase)
        play_on(played, chance, 1)
    assert {"wall", "score", "swap"} <= phases
    log = "\n".join(played.news(None))
    assert any(name in log for name in CARD_NAMES.values())
    assert not CARD_ID.search(log)


@pytest.mark.slow
def test_nothing_hidden_is_told() -> None:
    """Of what others hold or draw nothing can be found on any page."""
    for seed in range(2):
        played = PlayedGame(BOARD, setup(3, seed=seed))
        chance = random.Random(seed)
        while not played.is_over:
            if played.due == "person":
                page = turn_loop(played, "board", "cards", "log", "moves").all
                drawn_cards = re.findall(r"^(?:Bob|Cid): .*draw (.*)$", page, re.MULTILINE)
                assert all(re.fullmatch(r"\d+ cards?|nothing", what) for what in drawn_cards)
                draws = [e for e in played.game.events if e.get("drew") and e["p"] != 0]
                assert len(drawn_cards) >= len(draws)
                hand = played.view(0).hands[0]
                assert _hand_letters(page) == sorted(card_name(kind) for kind in hand)  # type: ignore[union-attr]
            play_on(played, chance, 12 if played.due == "person" else 1)


def _hand_letters(page: str) -> list[str]:
    """The cards of the hand on the last page."""
    last = page[page.rindex("hand, with points now") :].splitlines()
    matches = [re.search(r" ([a-z]+) ([A-Z][A-Za-z0-9 ]+) (\d+|-)$", line) for line in last]
    return sorted(match[2] for match in matches if match and match[2] in CARD_NAMES.values())


def test_the_same_seat_sees_the_same_page_whatever_others_hold() -> None:
    """Other hands dealt otherwise: not a letter on the page changes."""
    hands = [list(CARDS[:6]), list(CARDS[6:12]), list(CARDS[12:18])]
    pages = []
    for others in (hands[1:], hands[:0:-1]):
        played = PlayedGame(BOARD, setup(3, hands=(tuple(hands[0]), *map(tuple, others))))
        pages.append(turn_loop(played, "board", "cards", "log", "moves", "lines", "help").all)
    assert pages[0] == pages[1]


def test_several_people_do_not_see_one_anothers_hands() -> None:
    played = PlayedGame(BOARD, setup(2, (0, 1)))
    hands = [played.view(seat).hands[seat] for seat in (0, 1)]
    chance = random.Random(1)
    script = Script([])
    table = TurnLoop(played, script)
    while played.game.seat == 0:
        move = pick(played.game, chance)
        script.answers += ["", str(move)] if not played.game.decisions else [str(move)]
        table._step()
    script.answers += ["", "log"]
    with pytest.raises(EOFError):
        table._step()
    for seat, name in ((0, "Ann"), (1, "Bob")):
        cards, other = (
            {card_name(kind) for kind in hands[who]}
            for who in (seat, 1 - seat)  # type: ignore[union-attr]
        )
        pages = [page for page in script.pages if re.search(f"{name}{PROMPT}", page)]
        assert pages
        for page in pages:
            assert all(card in page for card in cards)
            assert not [card for card in other - cards if re.search(rf"\b{card}\b", page)]
    assert script.deep == 1
    between = [page for page in script.pages if "Pass the keyboard to Bob" in page]
    assert not any("hand, with points" in page for page in between)


@pytest.mark.slow
def test_commands_answer_and_nonsense_changes_nothing(tmp_path: Path) -> None:
    played = begun(BOARD, setup(), str(tmp_path / "a.jsonl"))
    before = played.game.text
    copy = tmp_path / "b c.jsonl"
    script = turn_loop(
        played, "help", "?", "moves", "lines", "cards", "log", "board", "undo", "save",
        f"save {copy}", f"save {copy}", "save /nowhere/x", "", "nonsense", "wall:9999", "play a",
        "\x00", "resign", "maybe", "n", "quit", "no",
    )  # fmt: skip
    assert played.game.text == before
    assert copy.read_text() == Path(played.keeper.name).read_text()  # type: ignore[union-attr]
    for word in (
        f"saved; this command continues from here:\nmasons-engine play --resume '{copy}'\n",
        "type the line's number (57); lines shows all numbers",  # few or none stand there
        "exists: choose",
        "No such file",
        "is not a wall line",
        "nothing to take back",
    ):
        assert word in script.all, word
    assert script.all.count("Traceback") == 0


def test_a_hint_is_a_legal_move_with_its_reasons() -> None:
    played = PlayedGame(BOARD, setup())
    to_phase(played, "score", random.Random(9))
    analysis = played.hint(sims=50)
    assert analysis.best in played.game.legal_moves()
    script = turn_loop(played, "hint")
    assert re.search(
        r"hint: (play|abstain).*\nwith it, you win [\d.]+ ± [\d.]+ % of the games;", script.all
    )
    assert "points expected at the end" in script.all


def test_resigning_ends_a_game_or_leaves_the_seat_to_the_engine() -> None:
    alone = PlayedGame(BOARD, setup())
    script = turn_loop(alone, "resign", "y")
    assert alone.due == "over"
    assert "Ann resigns." in script.all
    two = PlayedGame(BOARD, setup(2, (0, 1)))
    turn_loop(two, "", "resign", "y")
    assert two.due == "over"
    several = PlayedGame(BOARD, setup(3, (0, 1)))
    turn_loop(several, "", "resign", "y")
    assert several.people == {1}
    assert several.due in ("engine", "person")


def test_a_game_that_was_given_up_becomes_its_record(tmp_path: Path) -> None:
    name = str(tmp_path / "game.jsonl")
    played = begun(BOARD, setup(), name)
    play_on(played, random.Random(3), 30)
    script = turn_loop(played, "resign", "y")
    assert f"record: {name}" in script.all
    record = read_record(name)
    assert (record["result"], record["stopped"]) == (None, {"why": "resigned", "seat": 0})
    assert check_record(record) is None
    assert record["events"] == played.game.events


def test_a_game_that_was_left_can_be_made_a_record(tmp_path: Path) -> None:
    """Also where people bring the dice; the game itself can be gone on with."""
    hands = tuple(tuple(CARDS[6 * seat : 6 * seat + 6]) for seat in range(2))
    for number, more in enumerate(({}, {"seed": None, "hands": hands})):
        name, out = str(tmp_path / f"game{number}.jsonl"), str(tmp_path / f"{number}.jsonl")
        played = begun(BOARD, setup(2, (0, 1), **more), name)
        played.make("wall:57")
        kept = Path(name).read_bytes()
        told("play", "--resume", name, "--export", out)
        record = read_record(out)
        assert record["stopped"] == {"why": "adjourned", "seat": None}
        assert check_record(record) is None
        assert record["events"] == played.game.events
        assert Path(name).read_bytes() == kept
        said = f"error: {out} exists: choose another name\n"
        assert called("play", "--resume", name, "--export", out) == (1, "", said)
        assert "--export" in called("replay", name)[2]


def test_ctrl_c_asks_and_a_second_one_leaves() -> None:
    played = PlayedGame(BOARD, setup())
    script = turn_loop(played, KeyboardInterrupt, "n", KeyboardInterrupt, KeyboardInterrupt, "57")
    assert script.answers == ["57"]
    assert script.all.count("leave the game?") == 2
    assert turn_loop(played, KeyboardInterrupt, "y", "57").answers == ["57"]


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 20, 64, 100])
def test_every_width_will_do(width: int) -> None:
    played = PlayedGame(BOARD, setup(2, (0, 1)))
    chance = random.Random(width)
    for phase in ("wall", "score", "swap"):
        to_phase(played, phase, chance)
        script = Script(["", "board", "moves"], width)
        TurnLoop(played, script).run()
        assert script.answers == []


# ---- own dice


@pytest.mark.slow
def test_a_game_with_own_dice_and_cards(tmp_path: Path) -> None:
    name = str(tmp_path / "own.jsonl")
    table_chance = Seeded(5)
    order = table_chance.shuffle(sorted([*range(len(CARDS))] * 2))
    hands = tuple(tuple(CARDS[kind] for kind in order[at : at + 6]) for at in (0, 6))
    chance = random.Random(6)
    played = begun(BOARD, setup(2, (0, 1), seed=None, hands=hands), name)
    for _ in range(10**4):
        if played.is_over:
            break
        if played.due == "roll":
            roll = table_chance.roll(played.game.rolls_tower)
            text = " ".join([*([TOWER_DIE[roll[0]]] if roll[0] is not None else []),
                             HOUSE_DIE[roll[1]], HOUSE_DIE[roll[2]]])  # fmt: skip
            talk_once(played, "pink", "red", text)
        elif played.due == "card":
            talk_once(played, "", CARDS[played.game.position.unseen[0]], "no-card")
        else:
            play_on(played, chance, 1)
        if _ == 40:
            close(played)
            played = again(name)
    assert played.game.is_over
    assert check_record(read_record(name)) is None


def talk_once(played: PlayedGame, *answers: str) -> None:
    """Answer until the dice or card that is due has come."""
    script = Script(answers)
    table = TurnLoop(played, script)
    due, drawn = played.due, (len(played.game.log), played.game.position.due)
    while played.due == due and drawn == (len(played.game.log), played.game.position.due):
        table._step()


def test_hands_are_dealt_by_typing_them() -> None:
    from masons.cli.terminal.typed_moves import ask_hands

    first = "cities land-red land-blue city-red city-rose land-shore"
    script = Script(["", "cities", first.replace("cities", "city"), first, first, first, "x"])
    assert ask_hands(("Ann", "Bob"), script) == (tuple(first.split()),) * 2
    with pytest.raises(MasonsError, match="input ends"):
        ask_hands(("Ann", "Bob", "Cid"), Script([first, first, first]))
    second = first.replace("cities", "land-green")
    script = Script(["help", "?", first, "undo", second, first])
    assert ask_hands(("Ann", "Bob"), script) == (tuple(second.split()), tuple(first.split()))
    assert script.pages[0].count("the cards: city-size-1 (City of 1 space), ") == 2
    assert script.pages[0].startswith("You type in the dice and cards of your table")


def reopened(played: PlayedGame) -> PlayedGame:
    assert played.keeper is not None
    close(played)
    return again(played.keeper.name)


def dealt(tmp_path: Path, *people: int) -> PlayedGame:
    """A game whose first wall is placed, with dice and cards that are typed in."""
    hands = (("cities", "land-red", "land-blue", "city-red", "city-rose", "land-shore"),) * 2
    terms = setup(2, people, seed=None, hands=hands)
    played = begun(BOARD, terms, str(tmp_path / "own.jsonl"))
    played.make(played.game.legal_moves()[0])
    return played


def test_a_mistyped_roll_is_taken_back_by_whoever_sees_it(tmp_path: Path) -> None:
    played = dealt(tmp_path, 0, 1)
    said = turn_loop(played, "W r y").pages[0]
    assert "undo takes back the last roll or card typed in, whoever sees the mistake" in said
    while played.due == "person":  # the roll is placed, and the other seat sees the mistake
        play_on(played, random.Random(1), 1)
    assert (played.due, played.game.seat) == ("roll", 1)
    script = turn_loop(played, "undo", "", "undo", "W b ?")
    assert "is taken back" in script.all
    assert played.game.events[-1] == {"e": "roll", "tower": "white", "houses": ["blue", "?"]}
    assert (played.due, played.game.phase, played.game.seat) == ("person", "towers", 0)
    assert reopened(played).game.text == played.game.text


def test_a_mistyped_card_is_taken_back_and_what_came_before_it_stays(tmp_path: Path) -> None:
    played, dice, chance = dealt(tmp_path, 0), Seeded(3), random.Random(3)
    while not (played.due == "card" and played.game.position.due > 1):
        if played.due == "roll":
            tower, *faces = dice.roll(played.game.rolls_tower)
            first, second = (HOUSE_DIE[face] for face in faces)
            played.give_roll(None if tower is None else TOWER_DIE[tower], first, second)
        elif played.due == "card":
            played.give_card(CARDS[played.game.position.unseen[0]])
        else:
            play_on(played, chance, 1)
    before, card = played.game.text, CARDS[played.game.position.unseen[0]]
    turn_loop(played, card, "undo")
    assert played.game.text == before
    assert reopened(played).game.text == before


def test_own_dice_say_what_can_be_typed(tmp_path: Path) -> None:
    script = turn_loop(dealt(tmp_path, 0), "?", "undo", "undo")
    assert "W white, G gray, B black; r red, s rose, y yellow, g green, b blue, ?\n" in script.all
    assert "Ann's tower die and two house dice, such as W r ?: " in script.all
    assert script.all.count("undo takes back the last roll or card typed in") == 2
    assert "taken back\n" in script.all
    assert "! no roll or card has been typed in yet\n" in script.all


# ---- the file


@pytest.mark.slow
def test_a_game_goes_on_from_every_point_with_the_same_luck(tmp_path: Path) -> None:
    name = str(tmp_path / "game.jsonl")
    played = begun(BOARD, setup(2, (0, 1), practice=True), name)
    chance = random.Random(8)
    for _ in range(25):
        play_on(played, chance, 2)
        if chance.random() < 0.3:
            with suppress(MoveError):
                played.undo()
        text, events = played.game.text, played.game.events
        close(played)
        played = again(name)
        assert (played.game.text, played.game.events) == (text, events)
    play_on(played, chance)
    assert check_record(read_record(name)) is None


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    played = begun(BOARD, setup(2, (0, 1)), str(path))
    play_on(played, random.Random(1), 6)
    data = path.read_bytes()
    start = data.rindex(b"\n", 0, -1) + 1
    for cut in range(start, len(data) + 1):
        torn = tmp_path / f"torn-{cut}.jsonl"
        torn.write_bytes(data[:cut])
        resumed = again(str(torn))
        assert resumed.game.decisions == (6 if cut >= len(data) - 1 else 5)
        play_on(resumed, random.Random(2), 2)
        close(resumed)
        assert again(str(torn)).game.text == resumed.game.text


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "not an unfinished game"),
        ("{}\n", "not an unfinished game"),
        ('{"format": "masons-record"}\n', "finished game"),
        ('{"format": "masons-record", "stopped": {"why": "adjourned"}}\n', "that was adjourned"),
        ('{"format": "masons-record", "stopped": {"why": "cut"}}\n', "that was stopped"),
        ('{"format": "masons-play", "version": 1, "seed": NaN}\n', "the seed is NaN: it must be"),
        ('{"format": "masons-play", "version": 2}\n', "only version 1"),
        ("nonsense\n", "not an unfinished game: --resume needs a file written by play$"),
        ("\x00\n\x01\n", "not an unfinished game: --resume needs a file written by play$"),
        ('{"format": "masons-play", "version": 1}\nx\n{}\n', "line 2: not an entry of a game; "),
    ],
)
def test_files_that_are_no_games_are_refused(text: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(RecordError, match=fault):
        read_journal(str(path))


@pytest.mark.parametrize(
    "entry",
    [{}, {"p": 1, "move": "wall:57"}, {"p": 0, "move": "wall:9"}, {"undo": 1}, {"undo": "x"},
     {"roll": 5}, {"card": "cities"}, {"resign": 1}, {"p": 0, "move": 7}, {"roll": None},
     {"resign": False}, {"resign": [0]}, {"p": False, "move": "wall:8"}, {"roll": {"white": 1}}],
)  # fmt: skip
def test_entries_that_do_not_fit_are_named(entry: dict[str, Any]) -> None:
    played = PlayedGame(BOARD, setup())
    first = {"p": 0, "move": "wall:9"} if entry.get("move") == "wall:9" else None
    played_entries = [first, entry] if first else [entry]
    with pytest.raises(RecordError, match=rf"entry {len(played_entries)} of the game"):
        played.follow(played_entries)


@pytest.mark.parametrize(
    "change",
    [{"players": 5}, {"names": ["A"]}, {"people": []}, {"people": [9]}, {"level": 0}, {"seed": "x"},
     {"hands": []}, {"seed": None}, {"people": [0, 0]}, {"people": "0"}, {"people": [True]},
     {"names": "AB"}, {"names": ["A", "\ud800"]}, {"names": ["A", ["B"]]}, {"seed": "7"},
     {"seed": 7.0}, {"early_roll": "false"}, {"practice": 0}, {"first": "0"}, {"board": None},
     {"hands": [{}, {}], "seed": None}, {"engines": "ab"}, {"engines": {}}],
)  # fmt: skip
def test_terms_that_contradict_themselves_are_refused(change: dict[str, Any]) -> None:
    header = json.loads(json.dumps(PlayedGame(BOARD, setup()).header()))
    assert setup_of(header) == setup()
    with pytest.raises(RecordError, match="the setup of the game"):
        setup_of({**header, **change})


# ---- a real terminal


@pytest.fixture
def name(tmp_path: Path) -> Iterator[str]:
    return str(tmp_path / "game.jsonl")


def leave(child: Any) -> None:
    """End of input: the program says how to go on and is gone without a fault."""
    for _ in range(SECONDS):
        child.sendeof()  # lost where it comes between two questions
        if child.expect(["the game is saved", pexpect.TIMEOUT], timeout=1) == 0:
            break
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def answer_all(child: Any, name: str, chance: random.Random, most: int = 10**6) -> bool:
    """Play by chance at the terminal until the game ends; whether it did."""
    answered = waits = 0
    while most:
        event = child.expect([r"press Enter", PROMPT, r"record: ", pexpect.TIMEOUT], timeout=10)
        if event == 2:
            return True
        if event == 3:
            # What is sent between two questions can be lost: ask for the question again.
            waits, answered = waits + 1, -1
            assert waits < SECONDS // 10
            child.send("\r")
            continue
        if event == 0:
            child.send("\r")
            continue
        lines = Path(name).read_text().splitlines()
        if len(lines) == answered or (len(lines) == 1 and answered):
            continue  # the answered prompt, drawn once more
        header, entries, _ = read_journal(name)
        played = PlayedGame(BOARD, setup_of(header))
        played.follow(entries)
        if played.due == "person":
            answered, most = len(lines), most - 1
            child.send(f"{pick(played.game, chance)}\r")
    return False


@pytest.mark.slow
@pytest.mark.parametrize(("players", "seats"), thinned([(3, "2"), (2, "0"), (4, "13")]))
def test_a_full_game_at_a_terminal(players: int, seats: str, name: str) -> None:
    chance = random.Random(players)
    args = [word for seat in seats for word in ("--seat", seat)]
    child = spawn(
        "play", "--players", str(players), "--level", "1", "--seed", "4", "--record", name, *args
    )
    assert not answer_all(child, name, chance, 6)
    leave(child)
    child = spawn("play", "--resume", name)
    assert answer_all(child, name, chance)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert "all ok" in told("replay", "--check", name)


@pytest.mark.slow
def test_undo_save_kill_resume_and_ctrl_c_at_a_terminal(name: str, tmp_path: Path) -> None:
    child = spawn("play", "--practice", "--level", "1", "--seed", "3", "--record", name)
    child.expect(PROMPT)
    child.send("57\r")
    child.expect("towers:")
    child.send("undo\r")
    child.expect("wall:")
    child.send("57\r")
    child.expect("towers:")
    copy = tmp_path / "copy.jsonl"
    child.send(f"save {copy}\r")
    child.expect("saved")
    child.expect(PROMPT)
    child.kill(signal.SIGKILL)
    child.close()
    assert Path(name).read_text() == copy.read_text()
    moves = [json.loads(line) for line in Path(name).read_text().splitlines()[1:]]
    assert moves == [{"p": 0, "move": "wall:57"}, {"undo": 1}, {"p": 0, "move": "wall:57"}]
    child = spawn("play", "--resume", name)
    child.expect("towers:")
    child.sendintr()
    child.expect("y or n:")
    child.send("n\r")
    child.expect("towers:")
    child.setwinsize(10, 20)
    child.send("board\r")
    child.expect("walls: 57")
    child.sendintr()
    child.expect("leave")
    child.expect_exact("\x1b[?25h")  # the whole question is shown
    child.sendintr()
    child.expect("saved")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130  # by Ctrl-C
    assert "Traceback" not in child.before


# ---- without a terminal, and wrong usage


def test_plain_lines_do_without_a_terminal(name: str) -> None:
    out = told("play", "--record", name, "--seed", "3", "--ascii", text="57\nhelp\nlog\n")
    assert out.isascii()
    assert "Engine (" in out
    assert f"--resume {name}" in out.replace("\n", "")


@pytest.mark.skipif(sys.platform != "linux", reason="the variable that moves the data folder")
def test_games_are_kept_in_the_data_folder_by_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    told("play", "--seed", "3", text="57\n")
    (kept,) = tmp_path.rglob("*.jsonl")
    assert len(kept.read_text().splitlines()) == 2


def test_other_boards_are_played_with_their_file(name: str) -> None:
    told("play", "--board", HEXAGON, "--record", name, "--seed", "3", text="1\n")
    code, _, err = called("play", "--resume", name)
    assert (code, "--board" in err) == (1, True)
    told("play", "--resume", name, "--board", HEXAGON, text="board\n")
    kept = Path(name)
    kept.write_text(kept.read_text().replace("hexagon-24", "x" * 9000))
    code, _, err = called("play", "--resume", name)
    assert (code, "--board" in err, len(err) < 600) == (1, True, True)


def test_cards_of_ones_own_are_asked_for() -> None:
    code, _, err = called("play", "--dice", "own")
    assert (code, err) == (1, "error: the input ends before the hands are dealt\n")


def test_lines_numbers_all_that_may_be_walled() -> None:
    played = PlayedGame(BOARD, setup())
    chance = random.Random(3)
    to_phase(played, "score", chance)
    to_phase(played, "wall", chance)
    script = turn_loop(played, "lines")
    numbers = map(int, re.findall(r"\d+", "\n".join(
        line[:65] for line in script.pages[-1].splitlines()[:33])))  # fmt: skip
    assert sorted(numbers) == sorted(move.place for move in played.game.legal_moves())
    listed = Script(["lines"], width=20)
    TurnLoop(played, listed).run()
    assert "elsewhere: " in listed.all
