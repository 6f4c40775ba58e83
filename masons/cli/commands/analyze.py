"""The command `analyze`, which ranks the moves of a position with a search and rollouts."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from masons.ai.search.limits import MAX_ROLLOUTS, MAX_SIMS, Limits
from masons.ai.search.search_options import (
    MAX_MEMORY_MB,
    MAX_ROLLOUT_PLAYER,
    MAX_THREADS,
    TOP_LEVEL,
    SearchOptions,
)
from masons.cli import options
from masons.cli.process import INTERRUPTED, say
from masons.cli.sources import find_position
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move, format_move, parse_move

if TYPE_CHECKING:
    from rich.console import Console

    from masons.ai.rollout.rollout import Rollout
    from masons.ai.search.executors import Workers
    from masons.ai.search.results import Analysis
    from masons.ai.session import Session
    from masons.cli.search_query import SearchQuery

Progress = Callable[["Analysis"], None]


class _Search(NamedTuple):
    """The method and the limits of a search."""

    options: SearchOptions
    limits: Limits

    @classmethod
    def of(
        cls, seconds: float | None, sims: int | None, rollouts: int | None, rollout_player: int,
        policy: str | None, level: int | None, memory: int, threads: int | None,
    ) -> _Search:  # fmt: skip
        """Return what the options say. Raises UsageError if they contradict each other."""
        if threads is None:  # one thread per core, but a single thread if iterations are counted
            is_counted = sims is not None or (level or TOP_LEVEL) < TOP_LEVEL
            # A tree search needs a MiB for each thread.
            threads = 1 if is_counted else min(os.cpu_count() or 1, MAX_THREADS, memory)
        how = options.search_options(
            policy, level, memory_mb=memory, threads=threads, rollout_player=rollout_player
        )
        return cls(how, options.search_limits(how, sims, seconds, rollouts))


class _KeptGames(NamedTuple):
    """The file of `--resume`, and whether to repair it."""

    file: str | None
    repair: bool

    @classmethod
    def of(cls, resume: str | None, repair: bool) -> _KeptGames:
        """Return what the options say. Raises UsageError if they contradict each other."""
        if repair and resume is None:
            raise click.UsageError("--repair needs --resume FILE: the rollout to continue")
        return cls(resume, repair)


class _Output(NamedTuple):
    """The form of the output."""

    top: int
    as_json: bool
    timing: bool
    live: bool
    verbose: bool

    @classmethod
    def of(cls, as_json: bool, timing: bool, live: bool, **others: Any) -> _Output:
        """Return what the options say. Raises UsageError if they contradict each other."""
        if as_json and live:
            raise click.UsageError("--json and --live cannot go together: choose one")
        if timing and not as_json:
            raise click.UsageError("--timing adds to the JSON object: give --json, too")
        return cls(as_json=as_json, timing=timing, live=live, **others)


class _Reasons(NamedTuple):
    """The differences to break down."""

    why: bool
    compare: tuple[str, str] | None


_search = options.group(
    "search",
    _Search.of,
    click.option(
        "--time", "seconds", type=options.duration, metavar="TIME",
        help="Time for search and rollouts together: 2s, 500ms, 1m.  [default: 2s, or the "
        "iterations of --level]",
    ),
    click.option(
        "--sims", type=options.whole(1, MAX_SIMS), metavar="N",
        help="Number of search iterations. Without --rollouts no games are played out; with "
        "--time, the first limit reached counts.",
    ),
    click.option(
        "--rollouts", type=options.whole(1, MAX_ROLLOUTS), metavar="N",
        help="Number of games to play out, over all contenders; with --time, the first limit "
        "reached counts.",
    ),
    click.option(
        "--rollout-player", type=options.whole(0, MAX_ROLLOUT_PLAYER), default=0, metavar="N",
        help="Play those games with a search of N iterations per decision: slower, and stronger "
        "from about 120 on.  [default: the quick policy]",
    ),
    options.tree,
    click.option(
        "--memory", type=options.whole(1, MAX_MEMORY_MB), default=256, show_default=True,
        metavar="MB", help="Memory limit of the search in MiB, for all threads together.",
    ),
    click.option(
        "--threads", type=options.whole(1, MAX_THREADS), metavar="N",
        help="Number of threads that search, each with its own tree, and play games.  [default: "
        "one per core; 1 with --sims]",
    ),
)  # fmt: skip
_kept_games = options.group(
    "kept",
    _KeptGames.of,
    click.option(
        "--resume", type=options.file_name, metavar="FILE",
        help="Keep the games of the rollout in FILE, and continue with those already there. "
        "Its contenders stay those of the first run.",
    ),
    options.repair,
)  # fmt: skip
_output = options.group(
    "output",
    _Output.of,
    click.option(
        "--top", type=options.whole(1, MAX_SIMS), default=5, show_default=True, metavar="K",
        help="Number of moves to show.",
    ),
    options.json,
    click.option("--timing", is_flag=True, help="Add the seconds to the JSON object."),
    click.option("--live", is_flag=True, help="Show the table while the search runs."),
    click.option(
        "--verbose", is_flag=True, help="Also show the visits and the games of each move."
    ),
)  # fmt: skip
_reasons = options.group(
    "reasons",
    _Reasons,
    click.option("--why", is_flag=True, help="Break each difference down into its parts."),
    click.option(
        "--compare", type=(str, str), metavar="A B", default=None,
        help="Compare two moves part by part, written as in the table (wall:12 wall:40).",
    ),
)  # fmt: skip


@click.command("analyze")
@options.position
@click.option(
    "--seat", type=options.whole(0, 3), metavar="S", help="Fail unless seat S is the one to decide."
)
@_search
@_kept_games
@options.cluster
@options.seed
@_output
@click.option("--open", "is_open", is_flag=True, help="Give the hidden cards to the search.")
@_reasons
@options.board
def analyze(
    position: str, seat: int | None, search: _Search, kept: _KeptGames, place: options.Place,
    seed: int, output: _Output, is_open: bool, reasons: _Reasons, board_file: str | None,
) -> None:  # fmt: skip
    """Rank the moves of a position.

    A search selects the contenders. From the position after each contender, the game is played to
    the end thousands of times, with the same dice and the same random deals of the hidden cards for
    all contenders. The analysis uses only what the deciding seat can see: its own hand and the
    cards that lie face up. For a decision in a record (FILE@N), it also uses everybody's earlier
    choices to estimate the other hands.

    Win % is the mean of what these games and the search say (with --rollout-player, of the games
    alone), with its 95% interval. More games make the interval narrower. Moves marked = cannot be
    told apart from the best move. No games were played for moves that have a dash in place of
    figures. The best move is compared with the second-best move and, for a decision in a record,
    with the move that was played. If --threads and either --sims or --rollouts are given, the
    output is reproducible: it depends only on the arguments.
    """
    placed = find_position(position, board_file)
    from masons.cli.search_query import query_of

    query = query_of(placed, search.options, seed, seat, is_open=is_open)
    from masons.ai.explain.explanation import explained

    for_games = {
        "--backend dask": place.scheduler, "--resume": kept.file, "--compare": reasons.compare,
        "--why": reasons.why, "--rollout-player": search.options.rollout_player,
    }  # fmt: skip
    _check_games(query, search.limits, [option for option, value in for_games.items() if value])
    pair = compared_moves(query, reasons.compare)
    with nullcontext() if place.scheduler is None else place.workers() as executor:
        analysis, session = _analyzed(
            query, search.limits, executor, kept, output, pair=pair, played=placed.played
        )
    rollout = session.rollout
    explanation = explained(analysis, rollout, played=placed.played, pair=pair)
    if output.as_json:
        from masons.cli.reports.analysis_json import analysis_figures

        figures = analysis_figures(query, analysis, output.top, explanation, timing=output.timing)
        click.echo(json.dumps(figures))
    else:
        from masons.cli.console import show
        from masons.cli.reports.analysis_report import report

        has_parts = reasons.why or pair is not None
        known = session.estimates(output.top) if analysis.stopped else analysis
        show(report(query, known, output.top, explanation, why=has_parts, verbose=output.verbose))
    if (reasons.why or pair) and (explanation is None or not explanation.differences):
        reason = "too few games were played"
        if len(query.table.legal_moves(query.table.state_of(query.view))) == 1:
            reason = "there is only one move"
        elif rollout and analysis.moves[0].games and not rollout.noted_after(analysis.best):
            reason = "reasons come from games of this run, and it played none: give more --rollouts"
        say(f"{'--compare' if pair else '--why'} shows nothing: {reason}")
    say(f"{'stopped: ' if analysis.stopped else ''}{analysis.seconds:.2f} s")
    if analysis.stopped:
        raise click.exceptions.Exit(INTERRUPTED)


def _check_games(query: SearchQuery, limits: Limits, options: Sequence[str]) -> None:
    """Check that games are played out if some of the options need them.

    Raises UsageError, or MasonsError if a number of games is the limit of another search.
    """
    from masons.ai.rollout.plan import plan_of

    how = query.options
    if not options or plan_of(limits, query.table.view(query.searched), how).games:
        return
    if query.by_tree:
        cause = "--policy plays none"
    elif how.level != TOP_LEVEL:
        cause = f"--level {how.level} plays none"
    elif limits.sims is not None:
        cause = "--sims without --rollouts plays none"
    else:
        cause = "--time is too short for them"
    raise click.UsageError(f"{options[0]} needs games to be played out, but {cause}")


def _analyzed(
    query: SearchQuery,
    limits: Limits,
    executor: Workers | None,
    kept: _KeptGames,
    output: _Output,
    *,
    pair: tuple[Move, Move] | None,
    played: Move | None,
) -> tuple[Analysis, Session]:
    """Search, and return the analysis and its session.

    If there is a file in `kept`, the rollout continues from the games in this file and saves new
    games there.
    """
    from masons.ai.rollout.rollout_file import RolloutFile
    from masons.ai.session import Session
    from masons.cli.console import messages

    file, rollout, top = None, None, output.top
    also = pair or ([] if played is None else [played])
    with ExitStack() as stack:
        if (name := kept.file) is not None:
            file = stack.enter_context(closing(RolloutFile(name, query.table, query.seed)))
            rollout, damaged = file.read(
                query.table.view(query.searched), query.options, repair=kept.repair,
                executor=executor,
            )  # fmt: skip
            if damaged:
                say(f"{name}: a line is damaged: the file as it was is kept as {damaged}")
            if rollout is not None:
                _check_measured(pair, rollout, name)
                say(f"{name}: continuing after {rollout.games:,} games")
        session = Session(query.table, seed=query.seed, options=query.options, executor=executor)
        show_progress = stack.enter_context(_watching(query, messages(), top if output.live else 0))

        def progress(analysis: Analysis) -> None:
            if file is not None:
                file.save_now_and_then(session.rollout)
            if show_progress is not None:
                show_progress(analysis)

        analysis = session.analyze(
            query.searched, limits=limits, progress=progress, interval=0.25, top=top, also=also,
            rollout=rollout,
        )  # fmt: skip
        if file is not None:
            file.save(session.rollout)
    return analysis, session


def _check_measured(moves: Sequence[Move] | None, rollout: Rollout, file: str) -> None:
    """Check that a rollout read from a file measures the moves. Raises MasonsError."""
    assert rollout.screening is not None
    measured = [rollout.moves[number] for number in rollout.screening.measured_ids]
    for move in moves or ():
        if move not in measured:
            raise MasonsError(
                f"--compare: {file} has no games after {format_move(move)}, and continuing it adds "
                "none: name another file"
            )


def compared_moves(query: SearchQuery, texts: tuple[str, str] | None) -> tuple[Move, Move] | None:
    """Return the two moves that `--compare` names, or None without this option.

    Raises MasonsError if the moves are equal or not legal.
    """
    if texts is None:
        return None
    state = query.table.state_of(query.view)
    first, second = (parse_move(text, query.table.board) for text in texts)
    for move in (first, second):
        if not query.table.is_legal(state, move):
            raise MasonsError(f"--compare: {query.table.refusal(state, move)}")
    if first == second:
        raise MasonsError("--compare: give two different moves")
    return first, second


@contextmanager
def _watching(query: SearchQuery, console: Console, top: int) -> Iterator[Progress | None]:
    """Show the progress of a search until it ends, if `console` is a terminal.

    The progress is a table of the best `top` moves, or a single line if `top` is 0.
    """
    if not console.is_terminal:
        yield None
    elif top:
        from rich.live import Live

        from masons.cli.reports.analysis_report import live_report

        with Live(console=console, transient=True, auto_refresh=False) as screen:
            yield lambda analysis: screen.update(
                live_report(query, analysis, top, console.height), refresh=True
            )
    else:
        with console.status("searching") as status:
            yield lambda analysis: status.update(
                f"searching: {analysis.iterations:,} iterations, {analysis.rollouts:,} games, "
                f"best {analysis.best}"
            )
