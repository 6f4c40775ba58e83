"""The pages of reviews, for one game and for several games.

A page is one self-contained file. It needs no network, follows the reader's light or dark setting,
and shows every decision even if scripts are off. All text from a record is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import quote

from masons.ai.review.trends import trends
from masons.ai.rollout.evidence import NORMAL
from masons.engine.board.geometry import Board
from masons.engine.plain_text import count, percent, signed_percent, spread
from masons.gui.pictures import review_tables as tables
from masons.gui.pictures.game_page import board_style, web_file, whole_page
from masons.gui.pictures.mistake_pictures import BEST, PLAYED, SEAT_COLORS, Album, graph_svg
from masons.gui.pictures.review_tables import Report

_MINUS: Final = "\u2212"
_PICTURED: Final = ("error", "blunder")
_PARTS: Final = (
    "turn order", "deal", "dice", "cards", "luck in all", "own play", "others&#8217; play",
)  # fmt: skip


def review_page(board: Board, report: Report) -> str:
    """Return the page of a report that `masons.ai.review.review_data` made."""
    album = Album(board)
    names = [
        f'<span class="seat">{_dot(SEAT_COLORS[seat])}{escape(name)}</span>'
        for seat, name in enumerate(report["names"])
    ]
    body = "".join(
        (
            *_header(report, names),
            *_players(report, names),
            *_critical(album, report, names),
            '<section><h2>Win probability over the game</h2><div class="wide">',
            graph_svg(report),
            '</div><p class="note">One view of the whole game, with all hands open. Dots: the ',
            "mistakes of a seat, on its line; they lead to the decision. Bars: what the dice and ",
            "cards gave, and to whom.</p>",
            "</section>",
            *_accounts(report, names),
            *_strokes(album, report, names),
            *_decisions(album, report, names),
        )
    )
    title = f"Masons: {', '.join(report['names'])}"
    return whole_page(
        title, web_file("review.css") + board_style(), f"<main>{body}</main>", web_file("review.js")
    )


def _dot(color: str) -> str:
    circle = f'<circle cx="1" cy="1" r="1" fill="{color}"/>'
    return f'<svg class="dot" viewBox="0 0 2 2" aria-hidden="true">{circle}</svg>'


def _by_player(titles: Sequence[str], names: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """Return a table with a column for each player, which fits narrow screens."""
    rows = [(name, *row) for name, row in zip(names, cells, strict=True)]
    columns = list(zip(titles, *rows, strict=True))
    return _table(columns[0], columns[1:])


def _header(report: Report, names: Sequence[str]) -> Iterator[str]:
    """Yield the result and, for each seat, how much of its result was luck."""
    scores = zip(names, report["scores"], strict=True)
    yield f"<header><h1>{tables.outcome(report, names)}</h1><p>"
    yield " · ".join(f"{name} <b>{score}</b>" for name, score in scores)
    yield f" · board {escape(report['board'])}</p>"
    yield from (f"<p>{note}</p>" for note in tables.forfeit_notes(report, names))
    yield '</header><section aria-label="luck and play in short"><ul class="short">'
    for name, words in zip(names, tables.verdict_on_result(report, _signed), strict=True):
        yield f"<li>{name}: {escape(words.partition(': ')[2])}</li>"
    yield "</ul></section>"


def _players(report: Report, names: Sequence[str]) -> Iterator[str]:
    titles = ("player", "decisions", "loss %", "loss, points", "agrees")
    cells = [(*row, f"<b>{rating}</b>") for *row, rating in tables.player_cells(report)]
    yield "<section><h2>Performance</h2>"
    yield _by_player((*titles, *tables.MARKS, "Elo-like", "rank"), names, cells)
    yield "<h3>Loss a decision, %: by kind and by part of the game</h3>"
    parts = ("player", *tables.KINDS, *tables.PHASES)
    yield _by_player(parts, names, tables.part_cells(report))
    yield from (f"<p>{escape(note)}</p>" for note in tables.rank_notes(report))
    yield f'<p class="note">{tables.players_note(report)}</p></section>'


def _accounts(report: Report, names: Sequence[str]) -> Iterator[str]:
    cells = [(*row, f"<b>{result}</b>") for *row, result in tables.account_cells(report, _signed)]
    yield "<section><h2>Luck and play</h2>"
    yield _by_player(("share of the victory, %", "even", *_PARTS, "result"), names, cells)
    yield '<p class="note">Even + luck + own play + others&#8217; play = result. Luck is what the '
    yield "order of turns, the deal, the dice and the cards changed, seen with all hands open; "
    yield "play is what decisions changed. A roll or a draw is set against the mean of all "
    yield "that could have come, by one evaluator, so luck is 0 on average.</p></section>"


def _strokes(album: Album, report: Report, names: Sequence[str]) -> Iterator[str]:
    if not report["strokes"]:
        return
    yield "<section><h2>Luckiest and unluckiest rolls and draws</h2>"
    yield '<div class="strokes">'
    for stroke in report["strokes"]:
        picture = album.picture({"position": stroke["position"], "title": stroke["words"]})
        gains = zip(names, map(_signed, stroke["gains"]), strict=True)
        yield f"<figure>{picture}<figcaption>{escape(stroke['words'])}<br/>"
        yield f'<span class="note">{" · ".join(f"{name} {gain} %" for name, gain in gains)}</span>'
        yield "</figcaption></figure>"
    yield '</div><p class="note">Win probability against the mean of all that could have come; '
    yield "the board as it was just after.</p></section>"


def _critical(album: Album, report: Report, names: Sequence[str]) -> Iterator[str]:
    """Yield the decisions that cost most, with the costliest first."""
    by_number = {decision["number"]: decision for decision in report["decisions"]}
    yield '<section id="critical"><h2>Critical moments</h2>'
    if not report["critical"]:
        yield "<p>No decision was surely a mistake.</p>"
    for number in report["critical"]:
        yield from _decision(album, by_number[number], names)
    yield "</section>"


def _decisions(album: Album, report: Report, names: Sequence[str]) -> Iterator[str]:
    """Yield all other decisions in the order of the game."""
    yield '<section id="decisions"><h2>Other decisions</h2>'
    yield '<div class="filter" hidden="hidden">'
    yield '<label>show <select id="mark"><option value="5">blunders</option>'
    yield '<option value="4" selected="selected">errors and blunders</option>'
    yield '<option value="3">all mistakes</option><option value="0">every decision</option>'
    yield '</select></label> <label>of <select id="seat"><option value="">everybody</option>'
    for seat, name in enumerate(report["names"]):
        yield f'<option value="{seat}">{escape(name)}</option>'
    yield '</select></label> <span id="shown" role="status"></span></div>'
    for decision in report["decisions"]:
        if decision["number"] not in report["critical"]:
            yield from _decision(album, decision, names)
    yield "</section>"


def _decision(album: Album, decision: Report, names: Sequence[str]) -> Iterator[str]:
    mark, is_best = decision["mark"], decision["best"] == decision["played"]
    loss = "" if is_best else f"{_signed(-decision['loss'])} % "
    best = f"{percent(decision['win_best'])} {spread(NORMAL * decision['win_error'])} %"
    figures = f"wins {best if is_best else percent(decision['win_played']) + ' %'}"
    if not is_best:
        figures += (
            f", best {best} "
            f"(difference {_signed(decision['difference'])} {spread(NORMAL * decision['error'])}, "
            f"{decision['points']:+.1f} ± {NORMAL * decision['points_error']:.1f} points)"
        )
    yield (
        f'<article id="d{decision["number"]}" class="decision {mark}" tabindex="-1" '
        f'data-mark="{tables.MARKS.index(mark)}" data-seat="{decision["seat"]}">'
    )
    if mark in _PICTURED:
        yield f"<figure>{album.picture(decision)}{_caption(decision['phase'])}</figure>"
    yield f'<div><h3><span class="mark">{mark}</span> {loss}'
    yield f"<small>decision {decision['number']}, turn {decision['turn']}</small></h3>"
    yield f"<p>{names[decision['seat']]}: {escape(decision['played_words'])}</p>"
    if not is_best:
        yield f'<p class="better">best: {escape(decision["best_words"])}</p>'
    if decision["reasons"]:
        items = "".join(f"<li>{escape(reason)}</li>" for reason in decision["reasons"])
        yield f"<ul>{items}</ul>"
        yield f'<p class="note">{escape(tables.known_words(decision))}</p>'
    figures += f"; {count(decision['choices'], 'move')}"
    yield f'<p class="note">{"<br/>".join(filter(None, (figures, decision["worth"])))}</p>'
    yield "</div></article>"


def _caption(phase: str) -> str:
    """Return a caption that explains the colors of a picture."""
    if phase == "wall":
        words = " ".join(
            f"{_dot(color)}{what}" for color, what in ((BEST, "best"), (PLAYED, "played"))
        )
    elif phase in ("merge", "score"):
        words = "outlined: the city just completed"
    else:
        words = "set off: this turn&#8217;s wall" if phase in ("towers", "houses") else ""
    return f'<figcaption class="note">{words}</figcaption>' if words else ""


# --- several games


def page_name(overview: str, number: int) -> str:
    """Return the file name of a game's page, such as `review-1.html` for `review.html`."""
    path = Path(overview)
    return str(path.with_name(f"{path.stem}-{number}{path.suffix}"))


def overview_page(reports: Sequence[tuple[int, Report]], overview: str) -> str:
    """Return the page of several reviews, with links to the games' pages (see `page_name`)."""
    summaries = trends(reports)
    players = [
        (
            escape(name), str(player["games"]), percent(player["share"]),
            *_figures(player, player["luck"]), player["costs_most"] or _MINUS,
            escape(tables.trend_words(player["slope"])).replace("-", _MINUS),
        )
        for name, player in summaries.items()
    ]  # fmt: skip
    games = [
        (
            f'<a href="{quote(Path(page_name(overview, number)).name)}">{number}</a>',
            escape(name), percent(account["share"]), *_figures(player, account["luck"]),
        )
        for number, report in reports
        for name, player, account in zip(
            report["names"], report["players"], report["accounts"], strict=True
        )
    ]  # fmt: skip
    figures = ("result %", "luck %", "loss %", "points", "Elo-like")
    body = "".join(
        (
            f"<header><h1>{count(len(reports), 'game')}</h1>",
            f"<p>{escape(', '.join(summaries))}</p></header>",
            "<section><h2>Players</h2>",
            _table(("player", "games", *figures, "costs most", "trend a game"), players),
            *(f"<p>{escape(note)}</p>" for note in tables.elo_notes(summaries)),
            f'<p class="note">{escape(tables.trend_note())}</p></section>',
            "<section><h2>Games</h2>",
            _table(("game", "player", *figures), games),
            "</section>",
        )
    )
    title = f"Masons: {count(len(reports), 'game')} of {', '.join(summaries)}"
    return whole_page(title, web_file("review.css") + board_style(), f"<main>{body}</main>", "")


def _figures(player: Report, luck: float) -> tuple[str, ...]:
    loss, points = tables.loss_words(player), tables.points_words(player)
    return _signed(luck), loss, points, tables.elo_words(player["elo"])


# --- parts of both pages


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of HTML cells. The first cell of each row is the row's heading."""
    body = "".join(_row(row) for row in rows)
    head = _row(titles, "th")
    return f'<div class="wide"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>'


def _row(cells: Sequence[str], tag: str = "td") -> str:
    head = f'<th scope="{"col" if tag == "th" else "row"}">{cells[0]}</th>'
    return f"<tr>{head}{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells[1:])}</tr>"


def _signed(share: float) -> str:
    """Return a change in percent with its sign, using a real minus sign.

    A change that rounds to 0 has no sign.
    """
    text = signed_percent(share)
    return "0.0" if text == "+0.0" else text.replace("-", _MINUS)
