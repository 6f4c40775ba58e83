"""The program `masons-engine`: its list of commands, its version and its handling of errors.

A command is imported when it is needed, and imports the compiler only when it runs. `--help` and
`--version` therefore answer quickly. `process.py` lists the exit codes.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from shutil import get_terminal_size
from typing import Any, Final

import click

from masons.cli import process
from masons.engine.errors import FileLostError, MasonsError
from masons.engine.plain_text import plain, quoted

PROGRAM: Final = "masons-engine"
_HELP_WIDTH: Final = 100
# The commands, in the order of the help.
COMMANDS: Final = (
    "learn", "play", "gui", "analyze", "belief", "show", "selfplay", "match", "dataset", "replay",
    "verify", "review", "practice", "openings", "perft", "bench", "board", "protocol", "compliance",
    "warmup",
)  # fmt: skip
# The commands that are not in a file of the same name in `commands/`.
_FILES: Final = {
    "dataset": "selfplay",
    **dict.fromkeys(("perft", "protocol", "compliance", "warmup"), "tools"),
}
ALIASES: Final = {"analyse": "analyze", "practise": "practice"}  # the help does not list these


def load_command(name: str) -> click.Command:
    """Return the command with a given name or alias."""
    name = ALIASES.get(name, name)
    module = import_module(f"masons.cli.commands.{_FILES.get(name, name)}")
    command: click.Command = getattr(module, name)
    if NO_CACHE not in command.params:
        command.params.append(NO_CACHE)
    return command


def _refuse_cache(_ctx: click.Context, _: click.Parameter, is_given: bool) -> None:
    if is_given:
        from masons.engine.kernels.kernel_cache import refuse_cache

        refuse_cache()


# This option is accepted before and after the command.
NO_CACHE: Final = click.Option(
    ["--no-cache"],
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_refuse_cache,
    help="Compile kernels in memory; neither read nor write the cache folder.",
)


class LazyGroup(click.Group):
    """A group that imports its commands when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command with a given name or alias, or None if there is none."""
        is_known = cmd_name in ALIASES or cmd_name in COMMANDS
        return load_command(cmd_name) if is_known else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first word names.

        Raises UsageError, which suggests a similar name if there is one.
        """
        name = args[0]
        if not (name.startswith("-") or name in ALIASES or name in COMMANDS):
            near = get_close_matches(name, COMMANDS, 1)
            hint = f": did you mean {near[0]}?" if near else ""
            ctx.fail(f"No such command {quoted(name)}{hint}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and convert exceptions so that `guarded` can handle them."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            if error.ctx is None and (name := ctx.invoked_subcommand):  # click has not set `ctx`
                error.ctx = click.Context(load_command(name), ctx, ALIASES.get(name, name))
            raise
        except KeyboardInterrupt:
            raise click.Abort from None  # otherwise click would print an empty line
        except BrokenPipeError as error:
            if error.filename is None:
                raise
            raise click.ClickException(_file_fault(error)) from None  # from a named pipe


def cpu_name() -> str:
    """Return the name that the system reports for the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    except (OSError, UnicodeDecodeError):
        pass
    return platform.processor() or platform.machine()


def version_text() -> str:
    """Return the lines of `--version`, without loading the compiler."""
    from masons.engine.kernels.c_module import clock_name, describe_kernels, native_module
    from masons.engine.kernels.kernel_cache import describe_cache, installed
    from masons.version import __version__

    missing = "" if native_module() is not None else ": the C module is missing"
    rows = {
        PROGRAM: __version__,
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        **{name: installed(name) for name in ("numba", "llvmlite", "numpy")},
        "CPU": plain(cpu_name()),
        "clock": f"{clock_name()}{missing}",
        "kernels": plain(describe_kernels()),
        "cache": plain(describe_cache()),
    }
    return "\n".join(f"{name:13} {value}" for name, value in rows.items())


def _show_version(ctx: click.Context, _: click.Parameter, is_given: bool) -> None:
    if is_given:
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
    help="Print the versions, the CPU and the cache folder, and exit.",
)
def group() -> None:
    """Masons Engine: rules, search and analysis for the board game Masons.

    A POSITION is a position text, a file that holds a position text, - for standard input, or a
    point in a file of records: FILE@N is the position before decision N of the first game, and
    FILE#K@N is the position before decision N of game K. Both numbers count from 1.
    """


group.params.append(NO_CACHE)


def _print_error(message: object) -> None:
    process.say(f"error: {' '.join(str(message).split())}")


def _file_fault(error: OSError) -> str:
    """Return the message of a file error, without the number of the error."""
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename is not None else reason


def guarded(work: Callable[[], object]) -> int:
    """Run `work` and return the exit code. Print an error as one line on standard error."""
    try:
        code = work()
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else PROGRAM
        _print_error(f"{error.format_message().rstrip('.')} (see {path} --help)")
        return process.BAD_USAGE
    except click.ClickException as error:
        _print_error(error.format_message())
    except (MasonsError, FileLostError) as error:
        _print_error(error)
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            _print_error(_file_fault(error))
        process.hush()
    except MemoryError:
        _print_error("not enough memory")
    except (click.Abort, KeyboardInterrupt):
        if sys.stderr.isatty():
            click.echo(err=True)  # end the line on which the terminal printed ^C
        process.say("interrupted")
        return process.INTERRUPTED
    except process.Ended as ended:
        process.say(f"ended by {ended.name}")
        process.hush()
        return int(ended.code or process.BAD_DATA)
    return process.BAD_DATA


def run(arguments: list[str] | None = None) -> int:
    """Run the program and return its exit code.

    `arguments` are the words of the command line. By default, they are the arguments of this
    process.
    """
    if arguments is None:
        process.open_streams()
    words = sys.argv[1:] if arguments is None else arguments
    if words and words[0] in ("help", *group.context_settings["help_option_names"]):
        words = [*words[1:2], "--help"]
    with process.endings():
        return guarded(
            lambda: group.main(
                words or ["--help"],
                prog_name=PROGRAM,
                standalone_mode=False,
                terminal_width=min(get_terminal_size().columns, _HELP_WIDTH) - 2,
            )
        )
