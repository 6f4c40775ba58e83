"""`setup`: a position of a game on a table, asked for step by step."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import click

from masons.cli.options.shared_options import FILE
from masons.cli.support.exit_codes import BAD_DATA, INTERRUPTED
from masons.cli.support.output_files import check_outputs
from masons.cli.support.streams import say
from masons.engine.errors import MasonsError
from masons.engine.plain_text import plain
from masons.engine.state.phases import DECISIONS

if TYPE_CHECKING:
    from masons.cli.commands.analysis.setup_steps import Step

BACK: Final = "back"
HELP: Final = ("?", "help")
_YES: Final = ("y", "yes")
Ask = Callable[[str, Sequence[str]], str]  # prompt, words for completion; EOFError at the end


@click.command("setup")
@click.option("--out", type=FILE, metavar="FILE", help="Write the position into FILE.")
@click.option(
    "--from", "begun", metavar="LINE",
    help="Go on with answers given before: the line that an unfinished setup prints.",
)  # fmt: skip
def command(out: str | None, begun: str | None) -> None:
    """Enter a position of a game on a table.

    Each answer is checked at once. Return alone takes the answer in brackets, back returns to the
    question before, ? explains. The position is printed as one line for the other commands, which
    may be analysed at once. Questions can be answered by piped lines too.
    """
    from masons.cli.support.precompile import prepare

    answers = _begun(begun)
    ask = _asker()
    prepare("rules", "values")
    try:
        _ask_all(ask, answers)
    except (EOFError, KeyboardInterrupt) as stopped:
        _unfinished(answers)
        code = INTERRUPTED if isinstance(stopped, KeyboardInterrupt) else BAD_DATA
        raise click.exceptions.Exit(code) from None
    _finish(ask, answers, out)


def _say(text: str) -> None:
    for line in text.split("\n"):
        say(line)


def _begun(line: str | None) -> dict[str, str]:
    """Answers given before. Raises MasonsError where one of them is wrong."""
    from masons.cli.commands.analysis.setup_steps import STEPS, check

    given: dict[str, str] = {}
    for word in (line or "").split():
        key, equals, text = word.partition("=")
        if not equals or key not in [step.key for step in STEPS] or key in given:
            raise MasonsError(f"--from: {word[:60]!r} is no answer of a setup")
        given[key] = text
    answers: dict[str, str] = {}
    for step in STEPS:
        if not step.asked(answers):
            continue
        if step.key not in given:
            break
        answers[step.key] = given[step.key]
        try:
            check(step, answers)
        except MasonsError as error:
            raise MasonsError(f"--from: {step.key}: {error}") from None
    if len(answers) < len(given):
        early = next(key for key in given if key not in answers)
        raise MasonsError(f"--from: {early} comes before its question is asked")
    return answers


def _ask_all(ask: Ask, answers: dict[str, str]) -> None:
    """Ask what is not answered yet; `answers` is filled step by step."""
    from masons.cli.commands.analysis.setup_steps import STEPS

    number = 0
    while number < len(STEPS):
        step = STEPS[number]
        if step.key in answers or not step.asked(answers) or _ask_one(ask, step, answers):
            number += 1
        else:
            number = _back(answers, number)


def _back(answers: dict[str, str], number: int) -> int:
    """Forget the last answer; the number of its step."""
    from masons.cli.commands.analysis.setup_steps import STEPS

    if not answers:
        _say("this is the first question")
        return number
    last = list(answers)[-1]
    del answers[last]
    return [step.key for step in STEPS].index(last)


def _ask_one(ask: Ask, step: Step, answers: dict[str, str]) -> bool:
    """Ask until an answer is right; False to go back."""
    from masons.cli.commands.analysis.setup_steps import check, tidy

    default = step.default(answers)
    prompt = f"{step.prompt} [{default}]: " if default else f"{step.prompt}: "
    while True:
        text = ask(prompt, (*step.words, BACK)).strip()
        if text.lower() == BACK:
            return False
        if text.lower() in HELP:
            _say(step.help)
            continue
        answers[step.key] = tidy(step, text) or default
        try:
            check(step, answers)
            return True
        except MasonsError as error:
            del answers[step.key]
            _say(f"{error} (? explains, back goes back)")


def _unfinished(answers: dict[str, str]) -> None:
    """What was entered, as a line to go on with."""
    if not answers:
        _say("")
        _say("nothing was entered")
        return
    line = " ".join(f"{key}={text}" for key, text in answers.items())
    _say(f"\nunfinished: go on with masons-engine setup --from {shlex.quote(line)}")


def _finish(ask: Ask, answers: dict[str, str], out: str | None) -> None:
    """Print the position, write it, and offer to analyse it."""
    from masons.cli.commands.analysis.setup_steps import position_of
    from masons.engine.board.geometry import builtin_boards
    from masons.engine.files import write_atomic
    from masons.engine.formats.position_text import format_position

    board, position = position_of(answers)
    text = format_position(position, board)
    click.echo(text)
    if out is not None:
        check_outputs({"--out": out}, [] if board.name in builtin_boards() else [answers["board"]])
        write_atomic(out, text + "\n")
        _say(f"{out} written")
    decides = position.phase in DECISIONS
    if not decides or isinstance(position.hands[position.seat], int):
        return
    try:
        wanted = ask("analyse it now? [no]: ", ("yes", "no")).strip().lower()
    except (EOFError, KeyboardInterrupt):
        return
    if wanted in _YES:
        from masons.cli.commands.analysis.analyze import command as analyze

        sys.stdout.flush()
        file = [] if board.name in builtin_boards() else ["--board", answers["board"]]
        analyze.main([text, *file], prog_name="masons-engine analyze", standalone_mode=False)


def _asker() -> Ask:
    """How to ask: with completion on a terminal, else by plain lines."""
    if sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty():
        return _terminal_asker()
    return _ask_plainly


def _terminal_asker() -> Ask:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.output import create_output

    # Questions go to stderr, so that the position alone goes to stdout.
    session: PromptSession[str] = PromptSession(output=create_output(stdout=sys.stderr))

    def ask(prompt: str, words: Sequence[str]) -> str:
        pattern = WordCompleter(list(words), WORD=True)
        return session.prompt(prompt, completer=pattern, complete_while_typing=False)

    return ask


def _ask_plainly(prompt: str, _: Sequence[str]) -> str:
    """A line of standard input; EOFError where there is none."""
    click.echo(plain(prompt), nl=False, err=True)
    if sys.stdin is None:
        raise EOFError
    try:
        line = sys.stdin.readline(1 << 17)
    except UnicodeDecodeError:
        line = "?"
    if not line:
        raise EOFError
    return line
