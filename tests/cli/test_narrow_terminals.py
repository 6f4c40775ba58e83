"""Terminals of 80 columns and fewer, and output to a pager on such a terminal."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from masons.ai.practice.puzzles import bundled
from masons.cli.terminal import puzzle_page
from masons.cli.terminal.lesson_page import LessonPage
from masons.cli.terminal.text_page import Frame, pages_of
from masons.cli.terminal.turn_loop import TurnLoop
from masons.engine.lessons.lesson import LessonRun, bundled_lessons
from masons.match.playing.game_setup import GameSetup
from masons.match.playing.kept_games import begun
from masons.words.scored_view import ScoredView
from tests.cli.conftest import BOARD, close
from tests.cli.test_play_screen import Live, game, whole
from tests.support.commands import PROGRAM, told

LOW = Frame(80, 24, color=False)


def first_page(width: int, height: int = 24) -> str:
    """Return the page of a game's first decision."""
    live = Live(Frame(width, height, color=False), lambda _: "57")
    TurnLoop(game(2, (0,), 3), live)._step()
    return "\n".join(live.screens[-1])


def test_a_terminal_without_room_for_the_board_says_what_it_needs() -> None:
    page = first_page(60)
    assert "no board: it needs 61 columns (80 by 23 is better)" in page
    assert "walls: none" not in page
    assert "no board" not in first_page(64)


def test_the_narrow_panel_has_a_legend_while_there_is_room() -> None:
    assert "(cards in hand)," in first_page(100, 30)
    page = first_page(80)
    for words in ("▸ decides; points,", "(cards in hand),", "W white G gray", "s rose y yellow"):
        assert words in page
    assert whole(page.splitlines(), LOW)


def test_the_command_that_continues_a_game_can_be_copied(tmp_path: Path) -> None:
    name = str(tmp_path / ("a long name " * 8).strip())
    played = begun(BOARD, GameSetup(2, (0,), ("You", "Engine 1"), seed=7, level=1), name)
    answers = ["quit", "y"]
    live = Live(LOW, lambda _: answers.pop(0))
    TurnLoop(played, live).run()
    close(played)
    command = f"masons-engine play --resume {shlex.quote(name)}"
    assert live.screen[-1] == f"the game is saved: {command}"


def test_the_board_stays_in_view_with_the_answer_of_a_puzzle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    why = ["+1.0 ± 0.5 for seat 0: " + "more points in later cities " * 4] * 4
    monkeypatch.setattr(puzzle_page, "why_best", lambda *_: why)
    for puzzle in bundled(BOARD)[::10]:
        choices = puzzle.candidates
        notes = puzzle_page.answer_notes(puzzle, choices, choices[-1])
        moves = [puzzle.move_of(each) for each in choices]
        pages = puzzle_page.answer_pages(puzzle, moves, notes, LOW)
        assert all(whole([*(row.plain for row in page), ""], LOW) for page in pages)
        text = "".join("".join(row.plain for page in pages for row in page).split())
        view = ScoredView(puzzle.table, puzzle.view.position)
        said = ["".join(view.words(move).split()) for move in moves]
        assert all(f"%:{words}" in text for words in said)


def test_a_lesson_shows_all_its_choices_on_the_page_that_asks_for_one() -> None:
    seen = 0
    for lesson in bundled_lessons():
        live = Live(LOW, lambda prompt: "show" if prompt.startswith("your move") else "")
        LessonPage(LessonRun(lesson), lesson.title, live).go_through()  # type: ignore[arg-type]
        for *rows, prompt in live.screens:
            choices = re.findall(r"(?:^|  ) *(\d+) (?:\w+ (?:tower|house)|merge|none)",
                                 "\n".join(rows[18:]), re.M)  # fmt: skip
            assert len(rows) < LOW.height
            if not prompt.startswith("your move"):
                assert not choices, "\n".join(rows)
            elif choices:
                assert choices == [str(n) for n in range(1, len(choices) + 1)], "\n".join(rows)
                seen += len(choices) > 1
    assert seen >= 3


def test_a_note_is_not_split_over_two_pages() -> None:
    notes = ["a", "", "b\nc", "", "d\ne\nf\ng"]
    pages = [[row.plain for row in page] for page in pages_of(notes, 10, 3)]
    assert pages == [["a", ""], ["b", "c", ""], ["d", "e", "f"], ["g"]]


@pytest.mark.parametrize("width", [60, 80])
def test_output_to_a_pager_is_as_wide_as_its_terminal(width: int) -> None:
    pexpect = pytest.importorskip("pexpect")
    command = f"{shlex.join([*PROGRAM, 'openings', '--top', '3'])} | cat"
    env = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
    out, code = pexpect.run(
        f"/bin/sh -c {shlex.quote(command)}", env=env, withexitstatus=True, encoding="utf-8",
        dimensions=(24, width),
    )  # fmt: skip
    assert code == 0, out
    assert "wall:144" in out
    assert max(map(len, out.splitlines())) <= width


def test_the_first_of_equal_walls_is_marked_as_in_other_tables() -> None:
    rows = [line.split()[:2] for line in told("openings", "--top", "2").splitlines()[2:4]]
    assert rows == [["=1", "wall:144"], ["=2", "wall:50"]]
    (row,) = [line for line in told("openings", "--top", "1").splitlines() if "wall:144" in line]
    assert row.split()[0] == "1"
