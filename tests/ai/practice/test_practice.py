"""Puzzles, when they come again, and the command."""

from __future__ import annotations

import io
import json
import os
import random
import re
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from masons.ai.practice import puzzles
from masons.ai.practice.glicko import Rating
from masons.ai.practice.progress import (
    DAYS,
    Card,
    PracticeProgress,
    keep_answer,
    progress_from,
    read_progress,
)
from masons.ai.practice.puzzles import (
    Candidate,
    Mistake,
    Puzzle,
    bundled,
    compared,
    own_puzzles,
    puzzle_of,
    puzzles_from,
    why_best,
)
from masons.ai.review import review_work
from masons.ai.review.timeline import timeline_of
from masons.ai.search.limits import Limits
from masons.ai.session import analyze
from masons.cli.console import show
from masons.cli.main import run
from masons.cli.terminal import puzzle_page
from masons.cli.terminal.text_page import Frame
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import parse_move
from masons.engine.game.record import parse_record
from masons.engine.state.packed_move import PLAY
from tests.support.named_play import GAMES

TODAY = date(2026, 3, 1)
MARGIN = 0.04
THEMES = {"close", "deny", "build", "keep", "merge", "pieces", "cards", "swap", "end"}


def some_puzzles(step: int) -> list[Puzzle]:
    """Return every `step`th puzzle of the program, ordered so that these are of all kinds."""
    puzzles = bundled(load_board("classic"))
    return sorted(puzzles, key=lambda each: (each.kind, each.view.players, each.id))[::step]


def test_the_puzzles_of_the_program() -> None:
    """The best move is ahead of all others by a margin that exceeds its error."""
    puzzles = bundled(load_board("classic"))
    assert len({puzzle.id for puzzle in puzzles}) == len({each.position for each in puzzles})
    assert {puzzle.kind for puzzle in puzzles} >= {"wall", "score", "final"}
    for puzzle in puzzles:
        assert puzzle.rating is not None
        assert set(puzzle.themes) <= THEMES
        assert puzzle.themes
        assert puzzle.played == ""
        legal = puzzle.table.legal_moves(puzzle.view.state)
        assert all(parse_move(answer.move) in legal for answer in puzzle.candidates)
        best, *others = puzzle.candidates
        assert (best.loss, best.is_right, len(others) > 0) == (0, True, True)
        for answer in others:
            assert answer.loss == pytest.approx(best.win - answer.win, abs=2e-4)
            assert answer.loss >= max(MARGIN, answer.loss_interval)
            assert not answer.is_right
    mean = sum(puzzle.rating or 0 for puzzle in puzzles) / len(puzzles)
    assert mean == pytest.approx(1500, abs=1)


@pytest.mark.slow
def test_the_engine_as_it_is_finds_the_best_moves_again() -> None:
    """A search and a rollout with another seed, among all moves: see also the command's --check."""
    puzzles = random.Random(1).sample(some_puzzles(1), 8)
    for number, puzzle in enumerate(puzzles):
        limits = Limits(sims=20_000, rollouts=20_000)
        found = analyze(puzzle.table, puzzle.view, limits=limits, seed=100 + number, top=0)
        assert str(found.best) == puzzle.candidates[0].move, puzzle.id


def test_glicko_2_is_that_of_its_paper() -> None:
    """The example in section 4 of Glickman's paper."""
    others = [(Rating(1400, 30), 1.0), (Rating(1550, 100), 0.0), (Rating(1700, 300), 0.0)]
    after = Rating(1500, 200).after(others)
    assert after.rating == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=1e-5)


def test_only_the_first_try_at_a_puzzle_counts_for_the_rating() -> None:
    progress = PracticeProgress()
    progress.answered("a", TODAY, is_solved=True, rating=1500)
    first = progress.rating
    assert first.rating > 1600
    progress.answered("a", TODAY, is_solved=False, rating=1500)
    progress.answered("own", TODAY, is_solved=False)
    assert progress.rating == first
    progress.answered("b", TODAY, is_solved=False, rating=1500)
    assert progress.rating.rating < first.rating


def test_streaks_of_puzzles_and_of_days() -> None:
    progress = PracticeProgress()
    for day, is_solved in ((0, True), (0, True), (1, True), (2, False), (2, True), (5, True)):
        progress.answered("a", TODAY + timedelta(days=day), is_solved=is_solved)
    assert (progress.streak, progress.longest) == (2, 3)
    rows = [5, 6, 7]
    assert [progress.days_in_a_row(TODAY + timedelta(days=day)) for day in rows] == [1, 1, 0]
    assert progress.days_in_a_row(TODAY + timedelta(days=2)) == 3
    assert [(each.attempts, each.solved) for each in progress.days] == [
        (2, 2),
        (1, 1),
        (2, 1),
        (1, 1),
    ]


def test_own_mistakes_come_again_after_growing_intervals(tmp_path: Path) -> None:
    """The file has the whole puzzle, for the game may be gone by then."""
    file, today = tmp_path / "progress.json", TODAY
    own = replace(some_puzzles(1)[0], id="0f", played="wall:1", rating=None, themes=())
    keep_answer(file, own.id, today, is_solved=False, mistake=own.to_data())
    for days in (1, 3, 7, 21):
        assert read_progress(file).due(["0f"], today) == ["0f"]
        keep_answer(file, own.id, today, is_solved=True, mistake=own.to_data())
        assert read_progress(file).due(["0f"], today + timedelta(days=days - 1)) == []
        today += timedelta(days=days)
    stored = read_progress(file).mistakes["0f"]
    others = ({}, {**stored, "position": "x"}, {**stored, "candidates": [[1]]})
    assert own_puzzles([*others, stored], own.table) == [own]


def test_new_puzzles_near_the_rating_come_first() -> None:
    progress = PracticeProgress()
    assert progress.order({"a": 1000, "b": 1450, "c": 1700}, TODAY) == ["b", "c", "a"]
    assert progress.order({"a": None, "b": None}, TODAY) == ["a", "b"]


def test_progress_of_the_first_version_is_read() -> None:
    card = {"box": 1, "due": "2026-01-02", "attempts": 2, "found": 1}
    data = {"format": "masons-practice-progress", "version": 1, "cards": {"ruler-1": card}}
    progress = progress_from(json.dumps(data))
    assert progress.cards == {"ruler-1": Card(1, "2026-01-02", 2, 1)}
    assert (progress.rating, progress.streak, progress.days, progress.mistakes) == (
        Rating(),
        0,
        [],
        {},
    )


def test_a_puzzle_of_a_game_offers_the_best_move_and_its_equals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The move played has the loss of the review, and new games measure only the others.

    The decision is left out if these games do not confirm the best move.
    """
    timeline = timeline_of(parse_record(Path(GAMES).read_text(encoding="utf-8").splitlines()[0]))
    index = next(i for i, step in enumerate(timeline.steps) if step.phase == "wall")
    played, best, equal, new = timeline.table.legal_moves(timeline.observe(index).state)[:4]
    searched = SimpleNamespace(moves=[SimpleNamespace(move=new)])
    monkeypatch.setattr(puzzles, "analyze", lambda *_, **__: searched)
    mistake = Mistake(played, best, 0.296, 0.015, (equal,))
    for losses, is_made in (((0.01, 0.0, 0.03), True), ((0.1, 0.0, 0.03), False)):
        loss_of = dict(zip((best, equal, new), losses, strict=True))

        def measured(*args: Any, losses: dict[Any, float] = loss_of) -> tuple[Candidate, ...]:
            rows = sorted(losses[move] for move in args[2])
            return tuple(
                Candidate(str(move), 0.5 - loss, 0.05, loss, 0.05)
                for loss in rows
                for move in args[2]
                if losses[move] == loss
            )

        monkeypatch.setattr(puzzles, "measured", measured)
        puzzle = puzzle_of(timeline, index, mistake, 0)
        assert (puzzle is not None) == is_made
        if puzzle is not None:
            right = {each.move for each in puzzle.candidates if each.is_right}
            assert right == {str(best), str(equal), str(new)}
            assert puzzle.candidates[0].move == str(best)
            wrong = puzzle.answer(puzzle.played)
            assert wrong is not None
            assert (wrong.move, wrong.loss, wrong.loss_interval) == (str(played), 0.296, 0.015)
            assert puzzle.candidates[0].win - wrong.win == pytest.approx(0.296)
            dear = puzzle_of(timeline, index, replace(mistake, loss=0.6), 0)  # more than it wins
            assert dear is not None
            wins = {each.move: each.win for each in dear.candidates}
            assert (wins[str(best)], wins[str(played)]) == (0.6, 0.0)
            other = timeline.table.legal_moves(timeline.observe(index).state)[4]
            losses_now = {best: 0.02, other: 0.0}
            monkeypatch.setattr(puzzles, "measured", partial(measured, losses=losses_now))
            late = dear.answer(str(other))  # new games alone find it better, and win less often
            for each in (*dear.candidates, late):
                assert each is not None
                assert each.win == pytest.approx(max(0.6 - each.loss, 0), abs=0.0001)


def test_a_mistake_whose_interval_was_not_kept_is_measured_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    timeline = timeline_of(parse_record(Path(GAMES).read_text(encoding="utf-8").splitlines()[0]))
    index = next(i for i, step in enumerate(timeline.steps) if step.phase == "wall")
    played, best = timeline.table.legal_moves(timeline.observe(index).state)[:2]
    monkeypatch.setattr(puzzles, "_GAMES", 400)
    monkeypatch.setattr(puzzles, "_SIMS", 100)
    monkeypatch.setattr(Candidate, "is_right", True)
    puzzle = puzzle_of(timeline, index, Mistake(played, best, 0.3, 0.0), 0)
    assert puzzle is not None
    assert str(played) in {each.move for each in puzzle.candidates if each.loss_interval}


@pytest.mark.parametrize(
    ("loss", "interval", "title", "is_right"),
    [
        (0.058, 0.046, "You win 5.8 ± 4.6 % less often than with the best move.", False),
        (0.015, 0.004, "Good: you win only 1.5 ± 0.4 % less often than with the best.", True),
        (0.030, 0.041, "Can't be told apart from the best: the difference is 3.0 ± 4.1 %.", True),
    ],
)
def test_the_verdict_is_the_loss_of_the_table(
    loss: float, interval: float, title: str, is_right: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = some_puzzles(1)[0]
    best, second, *_ = first.candidates
    chosen = replace(second, win=best.win - loss, loss=loss, loss_interval=interval)
    puzzle = replace(first, candidates=(best, chosen))
    monkeypatch.setattr(puzzle_page, "why_best", lambda *_: [])
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(puzzle_page.answer(puzzle, chosen))
    text = console.export_text()
    assert text.startswith(title)
    assert f" {100 * loss:.1f} ± {100 * interval:.1f} " in text.partition("\n")[2]
    assert chosen.is_right is is_right


def test_the_best_move_is_compared_with_one_that_scores_more_at_once() -> None:
    """The points of a play follow from the rules, and those given up from the games."""
    given = []
    for puzzle in [each for each in some_puzzles(1) if each.kind == "score"][::9]:
        best, second, *_ = puzzle.candidates
        values = puzzle.table.card_points(puzzle.view.state, puzzle.view.position.city)
        points = {
            move: sum(values[card] for card in move.cards) if move.kind == PLAY else 0
            for move in puzzle.table.legal_moves(puzzle.view.state)
        }
        more = max(points.values()) - points[puzzle.move_of(best)]
        split = compared(puzzle, puzzle.move_of(best))
        assert split is not None
        said = why_best(puzzle, best)
        assert said[0].startswith("Compared with: play ")
        assert said[1].startswith(f"It scores {more} more in this turn, but") == bool(
            split.given_up
        )
        if split.given_up:
            given.append(more)
            assert points[split.other] == max(points.values())
            assert split.given_up == -split.reasons[0].points == more
            assert sum(each.points for each in split.reasons if each.points > 0) > more
        else:
            assert str(split.other) == second.move
    assert len(given) > 5


def test_a_move_that_is_clearly_worse_is_not_about_as_good() -> None:
    """Few games show no difference. The loss was measured by many."""
    puzzle = next(each for each in some_puzzles(1) if each.id == "game-497-1")
    best, second, *_ = puzzle.candidates
    split = compared(puzzle, puzzle.move_of(best))
    assert split is not None
    assert (split.win, split.win_interval) == (second.loss, second.loss_interval)
    assert why_best(puzzle, best)[1].startswith("No single reason: ")


@pytest.mark.parametrize("width", [60, 80])
def test_every_puzzle_and_answer_has_the_same_form(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Figures stand beside their errors; only the first row of a text begins at the margin."""
    monkeypatch.setenv("COLUMNS", str(width))
    for puzzle in some_puzzles(20):
        show(puzzle_page.answer(puzzle, puzzle.candidates[-1]))
        title, *rows = capsys.readouterr().out.splitlines()
        head = next(number for number, row in enumerate(rows) if "win %" in row)
        assert title.startswith("You win ")
        assert all(row.startswith("  ") for row in rows[:head])
        figures = [row for row in rows[head + 1 :] if not row.startswith("      ")]
        assert len(figures) == len(puzzle.candidates)
        assert all(re.match(r" ?\d+\.\d ± \d", row) for row in figures)
        moves = [puzzle.move_of(each) for each in puzzle.candidates]
        page = puzzle_page.puzzle_page(puzzle, moves, Frame(width, 24))
        show(puzzle_page.question(puzzle, puzzle.candidates, "1"))
        menu = capsys.readouterr().out.splitlines()[-len(moves) :]
        notes = "\n".join(row.plain for row in page).rpartition("\na")[2].splitlines()
        assert all(re.match(r"[b-j] |  ", row) for row in notes[1:])
        assert all(re.match(r"  [a-j]  |     ", row) for row in menu)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "masons-practice", "version": 1, "puzzles": [1]}']
)
def test_what_holds_no_puzzles_is_refused(text: str) -> None:
    with pytest.raises(MasonsError):
        puzzles_from(text, load_board("classic"))


def test_what_was_found_comes_later_and_what_was_missed_soon() -> None:
    progress, today = PracticeProgress(), TODAY
    for days in DAYS[1:]:
        card = progress.answered("a", today, is_solved=True)
        assert card.due == (today + timedelta(days=days)).isoformat()
        today += timedelta(days=days)
    assert progress.answered("a", today, is_solved=True).box == len(DAYS) - 1
    assert progress.answered("a", today, is_solved=False).due == today.isoformat()
    assert (card.attempts, card.solved) == (7, 6)


def test_the_order() -> None:
    progress = PracticeProgress()
    progress.answered("missed", TODAY, is_solved=False)
    progress.answered("found", TODAY, is_solved=True)
    ids = dict.fromkeys(["new", "found", "missed"])
    assert progress.order(ids, TODAY) == ["missed", "new"]
    assert progress.order(ids, TODAY + timedelta(days=1)) == ["missed", "found", "new"]
    assert progress_from(progress.format()) == progress


@pytest.mark.parametrize(
    "text",
    [
        "\n", "[]", '{"format": "x", "cards": {}}',
        '{"format": "masons-practice-progress", "cards": {}}',
        '{"format": "masons-practice-progress", "version": 3, "cards": {}}',
        '{"format": "masons-practice-progress", "version": 1, "version": 1, "cards": {}}',
        *(
            json.dumps({"format": "masons-practice-progress", "version": 1, "cards": {"a": card}})
            for change in (
                {"box": 9}, {"box": 1.5}, {"box": "1"}, {"box": True}, {"due": "soon"},
                {"due": "20260101"}, {"due": 1}, {"attempts": "x"}, {"attempts": -1},
                {"attempts": 10**30}, {"found": None}, {"found": 9}, {"more": 1},
            )
            if (card := {"box": 1, "due": "2026-01-01", "attempts": 2, "found": 1, **change})
        ),
    ],
)  # fmt: skip
def test_damaged_progress_is_refused(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(MasonsError):
        progress_from(text)
    file = tmp_path / "progress.json"
    file.write_text(text)
    assert run(["practice", "--progress", str(file)]) == 1
    err = capsys.readouterr().err
    assert "not a file of practice progress" in err
    assert file.read_text() == text


@pytest.fixture
def practice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Run the command with some answers, and progress in `progress.json`; return its exit code."""

    def call(answers: Sequence[str], *arguments: str) -> int:
        typed = iter(answers)

        def read(_: str) -> str:
            try:
                return next(typed)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", read)
        return run(["practice", *arguments, "--progress", str(tmp_path / "progress.json")])

    return call


def test_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], practice: Callable[..., int]
) -> None:
    file = tmp_path / "progress.json"
    ids = {puzzle.id for puzzle in bundled(load_board("classic"))}
    assert practice(["?", "a", "b"], "--count", "2") == 0
    out, err = capsys.readouterr()
    assert "Position 1 of 2" in out
    assert "not one of the moves" in err
    cards = json.loads(file.read_text())["cards"]
    assert len(cards) == 2
    assert set(cards) <= ids
    # What was missed is asked first.
    assert practice([], "--count", "1") == 0
    assert json.loads(file.read_text())["cards"] == cards


def test_answers_given_at_once_are_all_kept(tmp_path: Path) -> None:
    file = tmp_path / "progress.json"
    with ThreadPoolExecutor(4) as pool:
        answers = [
            pool.submit(keep_answer, file, "a", TODAY, is_solved=number % 2 == 0)
            for number in range(20)
        ]
    assert all(answer.exception() is None for answer in answers)
    card = read_progress(file).cards["a"]
    assert (card.attempts, card.solved) == (20, 10)


PIPE = pytest.param(None, marks=pytest.mark.skipif(sys.platform == "win32", reason="pipes"))


@pytest.mark.parametrize("size", [PIPE, 0, (1 << 24) + 1])
def test_only_a_file_of_progress_is_practiced_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], practice: Callable[..., int],
    size: int | None,
) -> None:  # fmt: skip
    """No pipe, which nobody may ever write to, and nothing without end; an empty file will do."""
    file = tmp_path / "progress.json"
    if size is None:
        os.mkfifo(file)
    else:
        file.touch()
        os.truncate(file, size)
    assert practice(["a"], "--count", "1") == (0 if size == 0 else 1)
    if size is None:
        error = f"error: {file} is not a regular file: name one that is\n"
        assert capsys.readouterr().err.endswith(error)  # kernels may be compiled before it
    elif size:
        assert "it is longer than 16777216 bytes; name another" in capsys.readouterr().err
        assert file.stat().st_size == size


@pytest.mark.slow
def test_mistakes_of_a_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    practice: Callable[..., int],
) -> None:  # fmt: skip
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    few = partial(review_work.ReviewSettings, rollouts=100)
    monkeypatch.setattr(review_work, "ReviewSettings", few)
    words = (GAMES, "--sims", "50", "--seat", "1", "--count", "2")
    assert practice(["f", "e"], *words) == 0
    out = capsys.readouterr().out
    assert "(played)" in out
    assert "seat 1" in out
    assert practice([], GAMES, "--seat", "nobody") == 1
    assert "no seat 'nobody'" in capsys.readouterr().err
