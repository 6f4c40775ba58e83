"""The program `masons-engine`: its group of commands, and what becomes of errors.

Commands are loaded when they are needed, and load the compiler only when they run, so help and
version come at once. Exit codes: 0 done, 1 bad data, 2 bad usage, 130 interrupted, 128 and the
number of another signal that ended it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from difflib import get_close_matches
from shutil import get_terminal_size
from typing import Any, Final

import click

from masons.cli.commands.registry import ALIASES, COMMANDS, load_command
from masons.cli.support.exit_codes import BAD_DATA, BAD_USAGE, INTERRUPTED
from masons.cli.support.interrupt import Ended, endings
from masons.cli.support.streams import hush, open_streams, say
from masons.engine.errors import FileLostError, MasonsError
from masons.engine.plain_words import quoted

PROGRAM: Final = "masons-engine"
_HELP_WIDTH: Final = 100


def _refuse_cache(_ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from masons.engine.kernels.kernel_cache import refuse_cache

        refuse_cache()


# May stand before the command and after it.
NO_CACHE: Final = click.Option(
    ["--no-cache"],
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_refuse_cache,
    help="Compile in memory: read and write no compiled kernels.",
)


class LazyGroup(click.Group):
    """A group whose commands are modules of this package, each with a `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of the commands, in the order in which help shows them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of a name or of its other spelling; None for a name unknown."""
        name = ALIASES.get(cmd_name, cmd_name)
        if name not in COMMANDS:
            return None
        command = load_command(name)
        if NO_CACHE not in command.params:
            command.params.append(NO_CACHE)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names. Raises UsageError with a name that is near."""
        name = args[0]
        if not (name.startswith("-") or name in ALIASES or name in COMMANDS):
            near = get_close_matches(name, COMMANDS, 1)
            hint = f": did you mean {near[0]}?" if near else ""
            ctx.fail(f"No such command {quoted(name)}{hint}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. What click would answer itself, `guarded` answers."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            if error.ctx is None and (name := ctx.invoked_subcommand):  # as click leaves it
                error.ctx = click.Context(load_command(ALIASES.get(name, name)), ctx, name)
            raise
        except KeyboardInterrupt:
            raise click.Abort from None  # click adds a line to it
        except BrokenPipeError as error:
            if error.filename is None:
                raise
            raise click.ClickException(_of_files(error)) from None  # a pipe that was named


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from masons.cli.support.version_text import version_text

        click.echo(version_text())
        ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": _HELP_WIDTH},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show versions, CPU and cache folder, and exit.",
)
def group() -> None:
    """Masons Engine: rules, search and analysis for the board game Masons.

    A POSITION is a position text, FILE@N (the position before decision N of a record's first
    game), FILE#K@N (of its game K; both count from 1), a file that holds one position, or - for
    standard input.
    """


group.params.append(NO_CACHE)


def _usage_error(error: click.UsageError) -> None:
    """One line that says what is wrong and where to look."""
    path = error.ctx.command_path if error.ctx else PROGRAM
    _error(f"{error.format_message().rstrip('.')} (see {path} --help)")


def _error(message: object) -> None:
    say(f"error: {' '.join(str(message).split())}")


def _of_files(error: OSError) -> str:
    """What went wrong with a file, without the error's number."""
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename is not None else reason


def guarded(work: Callable[[], object]) -> int:
    """Run `work` and turn whatever goes wrong into a line on stderr and an exit code."""
    try:
        code = work()
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.UsageError as error:
        _usage_error(error)
        return BAD_USAGE
    except click.ClickException as error:
        _error(error.format_message())
    except (MasonsError, FileLostError) as error:
        _error(error)
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            _error(_of_files(error))
        hush()
    except MemoryError:
        _error("not enough memory")
    except (click.Abort, KeyboardInterrupt):
        # After the ^C of a terminal, on a line of its own.
        if sys.stderr.isatty():
            click.echo(err=True)
        say("interrupted")
        return INTERRUPTED
    except Ended as ended:
        say(f"ended by {ended.name}")
        hush()
        return int(ended.code or BAD_DATA)
    return BAD_DATA


def run(arguments: list[str] | None = None) -> int:
    """The whole program; its exit code."""
    if arguments is None:
        open_streams()
    words = sys.argv[1:] if arguments is None else arguments
    if words and words[0] in ("help", *group.context_settings["help_option_names"]):
        words = [*words[1:2], "--help"]
    with endings():
        return guarded(
            lambda: group.main(
                words or ["--help"],
                prog_name=PROGRAM,
                standalone_mode=False,
                terminal_width=min(get_terminal_size().columns, _HELP_WIDTH) - 2,
            )
        )
