"""The command `learn`, which gives lessons in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from masons.cli import options
from masons.cli.process import prepare, say
from masons.engine.plain_text import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.engine.lessons.lesson import Lesson


@click.command("learn")
@click.argument("lesson", metavar="[LESSON]", required=False)
@click.option("--list", "is_list", is_flag=True, help="List the lessons and which ones are done.")
@click.option(
    "--progress", "progress_file", type=options.file_name, metavar="FILE",
    help="File for the list of finished lessons.  [default: a file in your data folder]",
)  # fmt: skip
def learn(lesson: str | None, is_list: bool, progress_file: str | None) -> None:
    """Learn the game in twelve short lessons.

    Each lesson shows positions, asks for moves and checks them. LESSON is the number of a lesson,
    or a file with a lesson of your own. Without LESSON, you continue with the next lesson. In a
    lesson, hint helps, show plays the answer, undo takes back a move, and q leaves. A lesson is
    done once you have found all answers yourself.
    """
    from masons.engine.lessons.lesson import bundled_lessons, read_lesson
    from masons.engine.lessons.progress import done_or_fault, progress_path

    path = Path(progress_file) if progress_file else progress_path()
    lessons = bundled_lessons()
    done, fault = done_or_fault(path)
    if fault:
        say(fault)
    if is_list:
        for number, each in enumerate(lessons, 1):
            click.echo(f"{number:>3}  {'done' if each.name in done else '    '}  {each.title}")
        return
    prepare()
    if lesson is not None and lesson.endswith(".toml"):
        _teach([read_lesson(Path(lesson))], 0, None)
        return
    _teach(lessons, _first(lessons, lesson, done), path)


def _first(lessons: Sequence[Lesson], wanted: str | None, done: Sequence[str]) -> int:
    """Return the index of the lesson to begin with. Raises UsageError."""
    if wanted is None:
        left = [n for n, lesson in enumerate(lessons) if lesson.name not in done]
        if not left:
            say("all lessons are done: starting over with the first")
        return left[0] if left else 0
    if not (wanted.isascii() and wanted.isdigit() and 1 <= int(wanted) <= len(lessons)):
        raise click.UsageError(
            f"{quoted(wanted, 30)} is no lesson: give a number from 1 to {len(lessons)}, or the "
            "name of a .toml file"
        )
    return int(wanted) - 1


def _teach(lessons: Sequence[Lesson], first: int, path: Path | None) -> None:
    """Run the lessons from index `first` on, and record finished lessons in the file."""
    from masons.cli.terminal.lesson_page import LessonPage
    from masons.cli.terminal.screen import Screen
    from masons.engine.lessons.lesson import LessonRun
    from masons.engine.lessons.progress import keep_done

    screen = Screen()
    for number in range(first, len(lessons)):
        lesson = lessons[number]
        title = f"{number + 1}. {lesson.title}" if path else lesson.title
        run = LessonRun(lesson)
        if not LessonPage(run, title, screen).go_through():
            say("masons-engine learn continues here")
            return
        if path is not None and run.counts:
            keep_done(path, lesson.name)
    if path is not None:
        screen.show(["That was the last lesson. Now play: masons-engine play --level 1"])
