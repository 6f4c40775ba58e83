"""What a Python user sees: the page of the API, and what is printed and saved."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import masons
from masons.cli.main import run
from masons.engine.board.components import CARD_NAMES
from masons.engine.errors import MasonsError, MoveError
from tests.support.doc_tools import doc_tool
from tests.support.paths import ROOT

MIDGAME = next(
    line
    for line in (ROOT / "examples/midgame.txt").read_text(encoding="utf-8").splitlines()
    if line.startswith("masons1")
)


def test_the_page_is_that_of_the_code() -> None:
    """If it is not, `python docs/tools/api_page.py` writes it anew."""
    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    assert page == doc_tool("api_page").page()
    assert ":::" not in page


def test_the_page_has_everything_that_is_public_with_an_example() -> None:
    names = doc_tool("api_page").names()
    assert {f"masons.{name}" for name in masons.__all__} - {"masons.__version__"} <= set(names)
    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    for name in names:
        section = page.partition(f"### {name}\n")[2].partition("\n### ")[0].partition("\n## ")[0]
        last = name.rpartition(".")[2]
        assert f"```text\n{last}" in section
        is_used_elsewhere = name.startswith("masons.protocol.") and last != "Engine"
        assert is_used_elsewhere or "\n>>> " in section, name


def test_all_exported_names_are_there() -> None:
    assert all(hasattr(masons, name) for name in masons.__all__)


def test_a_game_prints_its_board_and_no_hand() -> None:
    game = masons.Game.from_position(MIDGAME, seed=1)
    lines = str(game).splitlines()
    assert lines[0] == "Turn 20: seat 1, wall; scores 18, 12"
    drawn = (ROOT / "tests/support/drawings/midgame-large.txt").read_text(encoding="utf-8")
    # Two of the walls are marked as new there.
    boards = [re.sub("[━╲\u2571]", "#", text) for text in ("\n".join(lines[1:-1]), drawn)]
    assert boards[0] in boards[1]
    assert "capitals: palaces" in lines[-1]
    names = [[CARD_NAMES[card] for card in game.hand(seat)] for seat in (0, 1)]
    assert not any(name in str(game) for name in names[0])
    view = str(game.observe(1))
    assert view.splitlines()[:-1] == lines
    assert view.splitlines()[-1] == f"seat 1 holds {', '.join(names[1])}"


def test_what_a_shell_shows_is_one_short_line() -> None:
    game = masons.Game(players=3, seed=1)
    analysis = masons.analyze(game, sims=30)
    drawing = masons.draw_position(game.board, game.position)
    for value in (game, game.board, game.observe(0), analysis, drawing):
        assert "\n" not in repr(value)
        assert len(repr(value)) < 120
        assert repr(value).startswith(f"<{type(value).__name__}: ")
    assert repr(game) == "<Game: 3 players on 'classic', Turn 1: seat 0, wall; scores 0, 0, 0>"
    assert repr(game.board) == "<Board: 'classic', 104 spaces, 170 lines, 67 tower spaces>"


def test_an_analysis_prints_the_table_of_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    game = masons.Game.from_position(MIDGAME, seed=1)
    analysis = masons.analyze(game, limits=masons.Limits(rollouts=400), seed=3)
    assert run(["analyze", MIDGAME, "--rollouts", "400", "--seed", "3", "--top", "4"]) == 0
    figures = re.compile(r"^ *(=?\d+)  +(\S+ ± \S+|–)  +(\S+ ± \S+|–)?  +(\S+\.\S+)?", re.M)
    command = capsys.readouterr().out
    lines = str(analysis).splitlines()
    assert lines[0].split() == ["#", "win", "%", "loss", "seat0", "seat1", "games", "move"]
    assert len(lines) == 12
    assert re.fullmatch(r"and \d+ other moves", lines[-1])
    assert figures.findall(str(analysis))[:4] == figures.findall(command)
    assert figures.findall(command)[0][1] == analysis.moves[0].win_text
    moves = [line.split()[-1] for line in lines[1:5]]
    assert moves == re.findall(r"^ +(wall:\d+)$", command, re.M)[:4]
    assert len({len(line.rpartition("  ")[0]) for line in lines[:-1]}) == 1


def test_the_figures_of_a_move_are_found_by_its_text() -> None:
    game = masons.Game.from_position(MIDGAME, seed=1)
    only = [str(move) for move in game.legal_moves()[:3]]
    analysis = masons.analyze(game, sims=30, only=only)
    assert [str(analysis.of(text).move) for text in only] == only
    assert analysis.of(masons.parse_move(only[1])) is analysis.of(only[1])
    for wrong, message in (
        (str(game.legal_moves()[9]), "is not one of the moves searched"),
        ("wall:x", "'x' is not a wall line"),
        (None, "None is not a move: give its text or a Move"),
    ):
        with pytest.raises(MasonsError, match=message):
            analysis.of(wrong)  # type: ignore[arg-type]


def call_messages() -> list[tuple[Callable[[], object], str]]:
    """Return calls with a wrong argument, and how their messages begin."""
    game = masons.Game(seed=1)
    player: Any = masons.make_player("busy", 1)
    record = masons.read_record(ROOT / "examples/games.jsonl")
    Limits, Options = masons.Limits, masons.SearchOptions  # noqa: N806
    wrong: Any = "a"
    five: Any = 5
    seen: Any = game.view(0)
    data: Any = record
    a_game = "it must be a Game, a view from game.observe(seat) or Observation.from_text, the text"
    dealt: Any = [["foo"] * 6] * 2
    stopped = masons.Stopped("resigned", 0)
    begun = masons.Game.from_position(MIDGAME, seed=1)
    return [
        (lambda: Limits(movetime_ms=wrong), "movetime_ms is 'a': it must be milliseconds, above 0"),
        (lambda: Limits(movetime_ms=-5), "movetime_ms is -5: it must be milliseconds, above 0"),
        (lambda: Options(memory_mb=0), "memory_mb is 0: it must be from 1 to 16384 MiB"),
        (lambda: Options(rollout_player=-1), "rollout_player is -1: it must be from 0 to 2000"),
        (lambda: masons.make_player("default:memory=0", 1), "memory is 0: it must be from 1 to 16"),
        (lambda: masons.analyze(seen, sims=9), f"game is Position(play...ue=(), end=''): {a_game}"),
        (lambda: masons.analyze(data, sims=9), "game is {'board': 'classic', "),
        (
            lambda: masons.check_record(five),
            "record is 5: it must be a dict, like parse_record gives",
        ),
        (lambda: masons.check_record(record, five), "board is 5: it must be a Board"),
        (
            lambda: masons.check_fair(five),
            "record is 5: it must be a dict, like parse_record gives",
        ),
        (lambda: masons.check_fair(record, five), "board is 5: it must be a Board"),
        (
            lambda: masons.Game(hands=dealt),
            "hands: 'foo' is not a card: write a name",
        ),
        (lambda: masons.game_record(begun), "a game that began from a position has no record"),
        (
            lambda: masons.game_record(begun, stopped=stopped),
            "a game that began from a position has no record",
        ),
        (
            lambda: player.choose(game.table, game.observe(0), ["wall:999"]),
            "'999' is not a wall line: write its number, from 0 to 169",
        ),
        (
            lambda: masons.analyze(game, sims=9, only=["wall:200"]),
            "'200' is not a wall line: write its number, from 0 to 169",
        ),
    ]


def test_a_message_names_what_the_caller_wrote_in_one_short_line() -> None:
    for call, begins in call_messages():
        with pytest.raises(MasonsError) as caught:
            call()
        message = str(caught.value)
        assert message.startswith(begins), message
        assert "\n" not in message
        assert len(message) < 300
        assert not isinstance(caught.value, MoveError) or "legal" in message or "wall" in message


class Last:
    """A player without a base class."""

    name = "last"
    takes_limit = False

    def __init__(self) -> None:
        self.seats: set[int] = set()

    def choose(
        self,
        table: masons.Table,
        view: masons.Observation,
        moves: Sequence[masons.Move],
        limits: masons.Limits | None = None,  # noqa: ARG002
    ) -> masons.Move:
        assert view.hidden[view.seat] == 0
        assert [*table.legal_moves(view.state)] == [*moves]
        self.seats.add(view.seat)
        return moves[-1]


def test_a_game_between_a_class_of_ones_own_and_a_named_player() -> None:
    """Each player sees its own seat only; equal seeds give equal games."""
    games = [masons.Game(players=3, seed=4) for _ in range(2)]
    for game in games:
        last = Last()
        players = [masons.make_player("busy", 1), last, masons.make_player("greedy", 2)]
        assert masons.play_game(game, players) == game.result
        assert last.seats == {1}
    assert games[0].events == games[1].events
    assert masons.play_game(games[0], players) == games[0].result  # it is over already


def test_a_game_that_cannot_be_played() -> None:
    game, busy = masons.Game(seed=1), masons.make_player("busy", 1)

    class Wrong(Last):
        def choose(self, *_: Any) -> Any:
            return "wall:x"

    real = masons.Game(hands=[game.hand(0), game.hand(1)], chance=masons.Outside())
    for wrong, players, message in (
        (
            game,
            [busy],
            "players is .*: it must be 2 players, each with a name and the method choose",
        ),
        (game, [Wrong(), busy], "the player of seat 0: 'x' is not a wall line"),
        (game, ["busy", "busy"], "players is .*each with a name and the method choose"),
        (game, np.zeros((2, 2)), "players is .*each with a name"),  # an array has a `choose`
        (game, [Last, busy], "players is .*each with a name"),  # a class instead of a player
        (game, 5, "players is 5: it must be 2 players"),
        (real, [busy, busy], "the dice are due: a game with a seed makes its own"),
        (None, [busy, busy], "game is None: it must be a Game"),
    ):
        with pytest.raises(MasonsError, match=f"^{message}"):
            masons.play_game(wrong, players)  # type: ignore[arg-type]


def test_a_move_in_words_is_one_of_the_board() -> None:
    board = masons.load_board("classic")
    words = "wall on line 57 (towers 20-27, between spaces 35 and 36)"
    assert masons.move_words(board, "wall:57") == words
    assert masons.move_words(board, masons.parse_move("wall:57")) == words
    assert masons.move_words(board, "play:cities", [3]) == "play Completed cities for 3 points"
    for move, points, message in (
        ("wall:200", (), "'200' is not a wall line: write its number, from 0 to 169"),
        (masons.Move(5), (), "the number 5 is not a packed move"),
        (None, (), "None is not a packed move"),
        ("play:cities", (1, 2), r"points is \(1, 2\): it must be 1 number, one for each card"),
        ("play:cities", 5, "points is 5: it must be the points of each card of the move"),
    ):
        with pytest.raises(MasonsError, match=f"^{message}"):
            masons.move_words(board, move, points)  # type: ignore[arg-type]


def test_without_games_no_move_is_equal_to_the_first() -> None:
    game = masons.Game.from_position(MIDGAME, seed=1)
    searched = masons.analyze(game, sims=100, seed=1)
    assert not any(stats.is_equal for stats in searched.moves)
    assert searched.equal == searched.moves[:1]
    measured = masons.analyze(game, rollouts=400, seed=1)
    assert measured.moves[0].is_equal
    assert measured.equal == tuple(stats for stats in measured.moves if stats.is_equal)


@pytest.mark.parametrize("name", ["a.svg", "a.SVG", "a.png"])
def test_a_drawing_is_saved_by_the_ending_of_its_file(name: str, tmp_path: Path) -> None:
    game = masons.Game(seed=1)
    drawing = masons.draw_position(game.board, game.position)
    drawing.save(tmp_path / name)
    begins = b"\x89PNG" if name.endswith("png") else b"<svg"
    assert (tmp_path / name).read_bytes().startswith(begins)
    for wrong in ("a.jpg", "svg", ""):
        with pytest.raises(MasonsError, match=r"it must end in \.svg or \.png"):
            drawing.save(wrong)


def test_pictures_of_what_is_none() -> None:
    game = masons.Game(seed=1)
    with pytest.raises(MasonsError, match="svg is 5: it must be the text of an SVG"):
        masons.Drawing(5)  # type: ignore[arg-type]
    for wrong in (game, game.observe(0), game.text):
        with pytest.raises(MasonsError, match=r"is not a Position: give one like game\.position"):
            masons.draw_position(game.board, wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", ["random", "busy", "greedy", "heuristic", "policy", "default:sims=9"]
)
def test_a_player_chooses_from_moves_in_text(name: str) -> None:
    game, player = masons.Game(seed=1), masons.make_player(name, seed=1)
    chosen = player.choose(game.table, game.observe(0), ["wall:5"])  # type: ignore[list-item]
    assert isinstance(chosen, masons.Move)
    with pytest.raises(MasonsError, match="None is not a move"):
        player.choose(game.table, game.observe(0), [None])  # type: ignore[list-item]
