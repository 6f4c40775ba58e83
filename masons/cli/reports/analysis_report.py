"""The report of an analysis: the position, the ranked moves, and reasons for the best move.

`advice` is the short report that a hint in a game shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from masons.ai.explain.explanation import points_text
from masons.ai.rollout.evidence import margins_of
from masons.ai.rollout.figures import full_rows
from masons.ai.rollout.game_kernel import HORIZON
from masons.ai.search.results import is_open
from masons.ai.search.search_options import TOP_LEVEL
from masons.cli.console import figures_table, label_grid
from masons.engine.plain_text import count, percent, signed, spread
from masons.engine.state.packed_move import PLAY
from masons.words.moves import card_name, spaces_words
from masons.words.positions import TASKS, roll_words, supply_words, task_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from masons.ai.explain.explanation import Difference, Explanation
    from masons.ai.search.results import Analysis, MoveStats
    from masons.cli.search_query import SearchQuery
    from masons.engine.board.geometry import Board
    from masons.engine.state.position import Position
    from masons.words.scored_view import ScoredView

_PARTS: Final = {
    "now": "own cards in this turn",
    "cities": "own cards in later cities",
    "final": "own cards in the final scoring",
}


def add_explained(grid: Table, explanation: Explanation, names: Sequence[str]) -> None:
    """Add rows with the expected course after the best move and the reasons for this move."""
    for number, line in enumerate(explanation.expected(names)):
        grid.add_row("next" if number == 0 else "", line)
    for split in explanation.differences:
        head = (
            f"{signed(100 * split.win)} {spread(split.win_interval)} % and "
            f"{points_text(split.points, split.points_interval)} points against {split.other}"
        )
        if split.other == explanation.played:
            head += ", which was played"
        elif split.other == explanation.middle:
            head += ", a middling move"
        if split.move != explanation.line.move:
            head = f"{split.move}: {head}"
        grid.add_row("why", Text(head, style="bold"))
        for sentence in split.words(names):
            grid.add_row("", sentence)


def split_table(split: Difference) -> RenderableType:
    """Return a table that splits a difference into parts, which add up to the whole difference."""
    title = f"{split.move} against {split.other}, points for seat {split.seat}"
    table = figures_table("", "points", wraps_names=True)
    for reason, share in zip(split.reasons, split.shown, strict=True):
        others = f"what seat {reason.seat} scores"
        table.add_row(_PARTS.get(reason.part, others), points_text(share, reason.interval))
    whole = points_text(split.points, split.points_interval)
    table.add_row(Text("together", style="bold"), Text(whole, style="bold"))
    return Group(Text(title, style="cyan"), table)


# Measured by `python -m benchmarks.ruler.policy_bias` (benchmarks/README.md).
_POLICY_BIAS: Final = (
    "If searches of 300 iterations finished the games instead, loss would typically change by "
    "about {loss}."
)
_LOSS_BIAS: Final = {"wall": 3}
_OTHER_LOSS_BIAS: Final = 1
_EARLY: Final = "dropped early, with fewer games, so less certain:"
_LEAST_MOVE: Final = 8  # columns for the notation in the narrowest table
_MOVE_WIDTH: Final = 16  # moves are described in words if there are this many columns


def _hand(query: SearchQuery) -> str:
    """Return the deciding seat's cards. In a scoring, add their points and put the best first."""
    view, hand = query.view, query.hand(query.view.seat)
    if view.phase not in ("merge", "score"):
        return ", ".join(card_name(kind) for kind in hand)
    points = query.card_points(view.city)
    ordered = sorted(hand, key=lambda kind: (-points[kind], kind))
    return ", ".join(f"{card_name(kind)} {points[kind]}" for kind in ordered)


def header(query: SearchQuery) -> RenderableType:
    """Return rows that describe the position as the deciding seat sees it."""
    view, options = query.view, query.options
    turn = f"seat {view.seat} {TASKS[view.phase]}"
    grid = _position_grid(query.table.board, view, turn, hand=_hand(query))
    if options.level is not None and options.level < TOP_LEVEL:
        ranked = "moves are ranked as this level sees them"
        grid.add_row("level", f"{options.level} of {TOP_LEVEL}: {ranked}")
    if query.is_open:
        grid.add_row("open", Text("the search sees the hidden cards", style="yellow"))
    return grid


def _position_grid(
    board: Board, position: Position, turn: str, hand: str | None = None, *, hands: bool = False
) -> Table:
    """Return rows that describe a position.

    `hand` is the deciding seat's hand in words. With `hands`, all known hands are shown.
    """
    grid = label_grid()
    grid.add_row("board", f"{board.name}, {count(position.players, 'player')}")
    grid.add_row("turn", f"{position.turn + 1}: {turn}")
    grid.add_row("scores", ", ".join(f"seat {s}: {n}" for s, n in enumerate(position.scores)))
    if hand is not None:
        grid.add_row("hand", hand)
    sizes = [
        f"seat {seat}: {count(size, 'card')}"
        for seat, size in enumerate(position.hand_sizes)
        if hand is None or seat != position.seat
    ]
    deck = f"deck: {position.deck_size}, face up: {len(position.discard)}"
    grid.add_row("cards", ", ".join((*sizes, deck)))
    for seat, cards in enumerate(position.hands if hands else ()):
        names = [] if isinstance(cards, int) else [card_name(kind) for kind in cards]
        shown = "hidden" if isinstance(cards, int) else ", ".join(names)
        grid.add_row(f"seat {seat}", shown or "no cards")
    grid.add_row("supply", supply_words(position))
    if position.roll is not None:
        grid.add_row("roll", f"{roll_words(position.roll)}, for the wall on line {position.line}")
    if position.city is not None:
        area = next(city for city in position.cities if min(city) == position.city)
        grid.add_row("city", f"just completed: {spaces_words(sorted(area))}")
    return grid


def position_words(board: Board, position: Position, *, hands: bool) -> RenderableType:
    """Return a position in words. With `hands`, include the known hands."""
    seats = [f"seat {seat}" for seat in range(position.players)]
    grid = _position_grid(board, position, task_words(position, seats), hands=hands)
    if position.cities:
        areas = "; ".join(spaces_words(sorted(city)) for city in position.cities)
        grid.add_row("cities", areas)
    return grid


def _scores(scores: Sequence[float], seat: int) -> Text:
    """Return the expected scores, with the deciding seat's score in bold."""
    text = Text()
    for number, score in enumerate(scores):
        text.append("" if number == 0 else "  ")
        text.append(f"{score:5.1f}", style="bold" if number == seat else "")
    return text


class Ranking:
    """A table of the best moves. On a narrow console, it is simpler.

    The wide table has the expected scores, and describes each move in words above its notation. It
    is shown if there is enough room for its last column. A notation that is wider than its column
    has a line of its own, which is not wrapped, so that it can be copied.
    """

    def __init__(
        self, query: SearchQuery, analysis: Analysis, top: int, *, verbose: bool = False
    ) -> None:
        lost = "points\nlost" if analysis.is_decided else "\nloss"
        seats = "  ".join(f"seat{seat}" for seat in range(query.view.players))
        more = ["\nvisits", "\ngames"] if verbose else []
        self._wide_titles = ["\n#", "\nwin %", lost, f"points\n{seats}", *more]
        self._lost = lost.replace("\n", " ").strip()  # in the simple table
        self._query, self._analysis, self._top, self._is_verbose = query, analysis, top, verbose

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rows = list(_rows(self._analysis, self._top))
        cells = [self._cells(stats, *figures) for _, stats, *figures in rows]
        columns = zip(self._wide_titles, zip(*cells, strict=True), strict=True)
        widths = [_width(title, column) for title, column in columns]
        titles, gap, place = [*self._wide_titles, "\nmove"], 2, len(widths)
        room = options.max_width - sum(widths) - gap * len(widths)
        is_wide = room >= _MOVE_WIDTH
        if not is_wide:
            titles, gap, place = ["#", "move", "win %", self._lost], 1, 1
            cells, widths = [row[:3] for row in cells], widths[:3]
            spare = options.max_width - sum(widths) - 3 * gap
            room = max(spare, _LEAST_MOVE)
            widths[-1] = max(widths[-1] - max(room - spare, 0), 1)
        widths.insert(place, room)
        table = _figures(titles, widths, gap, place)
        for (is_first_early, stats, *_, style), row in zip(rows, cells, strict=True):
            if is_first_early:
                early = Text(_EARLY, style="dim")
                table.add_row(*(early if at == place else "" for at in range(len(titles))))
            notation = Text(str(stats.move), style="dim" if is_wide else style)
            words = [Text(self._query.words(stats.move), style=style)] if is_wide else []
            is_long = len(notation) > room
            move = Group(*words, *([] if is_long else [notation]))
            table.add_row(*row[:place], move, *row[place:])
            if is_long:
                yield table
                notation.no_wrap, notation.overflow = True, "ignore"
                yield notation
                table = _figures(titles, widths, gap, place, has_titles=False)
        yield table

    def _cells(self, stats: MoveStats, rank: str, win: str, loss: str, style: str) -> list[Text]:
        """Return the cells of a row of the wide table, without the move."""
        counts = [f"{stats.visits:,}", f"{stats.games:,}"] if self._is_verbose else []
        scores = _scores(stats.scores, self._analysis.seat)
        return [Text(rank), Text(win, style=style), Text(loss), scores, *map(Text, counts)]


def _width(title: str, cells: Sequence[Text]) -> int:
    """Return the width of a column."""
    return max(len(line) for line in (*title.split("\n"), *(cell.plain for cell in cells)))


def _figures(
    titles: Sequence[str], widths: Sequence[int], gap: int, place: int, *, has_titles: bool = True
) -> Table:
    """Return a table without rows, in which the column with the number `place` is for moves."""
    table = Table(box=None, header_style="cyan", pad_edge=False, padding=(0, gap, 0, 0))
    table.show_header = has_titles
    for number, (title, width) in enumerate(zip(titles, widths, strict=True)):
        table.add_column(title, justify="left" if number == place else "right", width=width)
    return table


def _rows(analysis: Analysis, top: int) -> Iterator[tuple[bool, MoveStats, str, str, str, str]]:
    """Yield (flag, figures, rank, win probability, loss, style) for each of the best moves.

    The flag is true for the first move that was dropped early.
    """
    full = full_rows(analysis)
    for rank, stats in enumerate(analysis.moves[:top], 1):
        loss = analysis.loss_text(stats)
        style = "bold" if rank == 1 else ""
        is_first_early = rank == full + 1 and stats.games > 0
        yield is_first_early, stats, analysis.rank_text(rank), stats.win_text, loss, style


def equal_words(analysis: Analysis) -> str:
    """Return a note about equal moves and decided games, or "" if there are neither.

    The note says whether the game is practically decided, and how many moves can't be told apart.
    """
    best, equal, said = analysis.moves[0], analysis.equal, ""
    if analysis.is_decided:
        won = "won" if (best.win or 0.0) > 0.5 else "lost"
        said = f"the game is practically {won}, so points rank the moves. "
    if len(equal) > 1:
        said += f"{len(equal)} moves can't be told apart by these games (= marks those in the list)"
    return said.rstrip()


def _points(best: MoveStats, second: MoveStats | None, seat: int) -> str:
    """Return text with the expected score and margin after `best` and the margin after `second`."""

    def margin(stats: MoveStats) -> str:
        return signed(float(margins_of(np.array(stats.scores), seat)))

    other = "seat" if len(best.scores) == 2 else "seats' mean"
    points = f"{best.scores[seat]:.1f} expected at the end, {margin(best)} over the other {other}"
    if second is not None and second.scores:
        points += f"; {margin(second)} after {second.move}"
    return points


def reasons(
    query: SearchQuery,
    analysis: Analysis,
    explanation: Explanation | None,
    *,
    verbose: bool = False,
) -> RenderableType:
    """Return rows about the best move, and reasons why it is better than other moves."""
    best, seat = analysis.moves[0], analysis.seat
    second = analysis.moves[1] if len(analysis.moves) > 1 else None
    grid = label_grid()
    words = Text(query.words(best.move), style="bold green")
    grid.add_row(Text("best", style="bold green"), words.append(f"  [{best.move}]", style="green"))
    if best.win is not None:
        inside = "" if best.interval is None else f" with {best.games:,} games"
        grid.add_row("wins", f"{best.win_text} %{inside}")
    if best.scores:
        grid.add_row("points", _points(best, second, seat))
    if note := equal_words(analysis):
        grid.add_row("equal", note)
    names = [f"seat {number}" for number in range(query.view.players)]
    if explanation is not None:
        add_explained(grid, explanation, names)
    grid.add_row("", "")
    if analysis.wins:
        overall = [
            f"seat {number}: {percent(win)} %, {score:.1f} points"
            for number, (win, score) in enumerate(zip(analysis.wins, analysis.scores, strict=True))
        ]
        grid.add_row("overall", "; ".join(overall))
    grid.add_row("search", _search(query, analysis, verbose=verbose))
    grid.add_row("rollout", _rollout(analysis, query.options.rollout_player))
    return grid


def _search(query: SearchQuery, analysis: Analysis, *, verbose: bool) -> str:
    options = query.options
    threads = f", {options.threads} threads" if options.threads > 1 else ""
    visits = f", {analysis.moves[0].visits:,} of them for the best move" if verbose else ""
    return (
        f"{count(analysis.iterations, 'iteration')}{visits}, {options.words}, "
        f"{_hands(query)}seed {query.seed}{threads}"
    )


def _hands(query: SearchQuery) -> str:
    """Return a description of how the search predicted hidden hands."""
    if query.predicts_hands:
        return "hands predicted from earlier choices, "
    return "" if query.is_open or query.by_tree else "hands predicted from what cards score, "


def _rollout(analysis: Analysis, player_sims: int) -> str:
    """Return a sentence about the number of games and the accuracy of the figures.

    `player_sims` is the number of iterations of the search that played the games, or 0 if the
    policy played them.
    """
    games = analysis.measuring_games
    if not games and analysis.moves[0].win is None:
        played = count(analysis.rollouts, "game")
        return f"{played}, which only selected the moves to measure; none was measured"
    if not games and analysis.rollouts:
        played = count(analysis.rollouts, "game")
        return (
            f"stopped before any game was played to the end: win % is the net's mean after "
            f"{HORIZON} turns of {played}, which only select the moves to measure; no "
            "intervals"
        )
    if not games:
        return "none: figures are the search's own estimates, without intervals"
    player = f"searches of {count(player_sims, 'iteration')}" if player_sims else "the quick policy"
    # In most of the decisions measured, the game was open. The policy changes little in others.
    has_bias = not player_sims and is_open(analysis.moves[0].win or 0.0)
    loss = _LOSS_BIAS.get(analysis.phase, _OTHER_LOSS_BIAS)
    mean = "± is chance alone (95 %)."
    if not player_sims and analysis.iterations:
        mean = (
            "win % and points are means of these games and of the search. ± (95 %) is chance and, "
            "for win %, the usual error of such a mean."
        )
    bias = _POLICY_BIAS.format(loss=loss) if has_bias else ""
    chose = analysis.rollouts - games
    beside = f", besides {count(chose, 'game')} to choose the moves" if chose > 0 else ""
    return f"{count(games, 'game')} played to the end by {player}{beside}; {mean} {bias}".strip()


def report(
    query: SearchQuery,
    analysis: Analysis,
    top: int,
    explanation: Explanation | None = None,
    *,
    why: bool = False,
    verbose: bool = False,
) -> RenderableType:
    """Return the whole report. With `why`, add a table that splits each difference into parts."""
    parts = [
        header(query),
        "",
        Ranking(query, analysis, top, verbose=verbose),
        "",
        reasons(query, analysis, explanation, verbose=verbose),
    ]
    if why and explanation is not None:
        for split in explanation.differences:
            parts += ["", split_table(split)]
    return Group(*parts)


def live_report(query: SearchQuery, analysis: Analysis, top: int, rows: int) -> RenderableType:
    """Return a report of a running search that fits into `rows` rows."""
    top = max(1, min(top, (rows - 13) // 3))
    return Group(
        header(query),
        "",
        Ranking(query, analysis, top),
        "",
        Text(
            f"{count(analysis.iterations, 'iteration')}, {count(analysis.rollouts, 'game')}, "
            f"{analysis.seconds:.1f} s; Ctrl-C stops"
        ),
    )


def advice(
    scored_view: ScoredView,
    analysis: Analysis,
    explanation: Explanation | None = None,
    names: Sequence[str] = (),
) -> list[str]:
    """Return lines that describe the best move.

    The lines compare the best move with the second-best move. If an explanation and the names of
    the seats are given, the lines also give reasons and the expected course of the game.
    """
    best = analysis.moves[0]
    written = "" if best.move.kind >= PLAY else f"  [{best.move}]"  # `words` names the cards
    lines = [f"hint: {scored_view.words(best.move)}{written}"]
    wins = f"with it, you win {best.win_text} % of the games"
    if len(analysis.moves) > 1 and analysis.moves[1].win is not None:
        second = analysis.moves[1]
        wins += f"; with the second ({scored_view.words(second.move)}), {second.win_text} %"
    if len(analysis.equal) > 1:
        wins += f"; {len(analysis.equal)} moves can't be told apart"
    lines.append(wins)
    if best.scores:
        others = [score for seat, score in enumerate(best.scores) if seat != analysis.seat]
        mean = "" if len(others) == 1 else " on average"
        lines.append(
            f"points expected at the end: {best.scores[analysis.seat]:.0f}, "
            f"the {'other' if len(others) == 1 else 'others'} {sum(others) / len(others):.0f}{mean}"
        )
    if explanation is not None and names:
        lines += [f"why: {sentence}" for sentence in explanation.why(names)]
        lines += [f"next: {sentence}" for sentence in explanation.expected(names)]
    return lines
