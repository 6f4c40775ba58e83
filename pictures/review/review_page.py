"""A review as one page: graph, tables, the list of decisions, and pictures of the mistakes.

Everything stands in the one file: it needs no network, follows the reader's light or dark setting,
and without its script still shows every decision. Whatever comes from the record is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from masons.engine.board.geometry import Board
from masons.engine.plain_words import percent, spread
from masons.pictures.review.mistake_pictures import BEST, PLAYED, Album
from masons.pictures.review.review_style import SCRIPT, STYLE
from masons.pictures.review.review_tables import (
    MARKS,
    Report,
    account_cells,
    effort,
    forfeit_notes,
    outcome,
    player_cells,
    stroke_cells,
)
from masons.pictures.review.win_graph import SEAT_COLORS, graph_svg

_PICTURED: Final = ("error", "blunder")
_PARTS: Final = (
    "turn order", "deal", "dice", "cards", "luck in all", "own play", "others&#8217; play",
)  # fmt: skip

MINUS: Final = "\u2212"


def page(board: Board, report: Report) -> str:
    """The page of a review (`masons.ai.review.review_data`)."""
    title = f"Masons: {', '.join(report['names'])}"
    return "".join(
        (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>',
            '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
            f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main>",
            *_header(report),
            *_graph(report),
            *_players(report),
            *_accounts(report),
            *_strokes(report),
            *_decisions(board, report),
            f"</main><script>{SCRIPT}</script></body></html>\n",
        )
    )


def _signed(share: float) -> str:
    """A change with its sign, a real minus sign; next to nothing is 0."""
    text = f"{100 * share:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text.replace("-", MINUS)


def _seat(report: Report, seat: int) -> str:
    """A name with the colour of its line in the graph."""
    color = SEAT_COLORS[seat]
    name = escape(report["names"][seat])
    return f'<span class="seat"><i class="dot" style="background:{color}"></i>{name}</span>'


def _row(cells: Sequence[str], tag: str = "td") -> str:
    head = f'<th scope="{"col" if tag == "th" else "row"}">{cells[0]}</th>'
    return f"<tr>{head}{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells[1:])}</tr>"


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    body = "".join(_row(row) for row in rows)
    head = _row(titles, "th")
    return f'<div class="wide"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>'


def _header(report: Report) -> Iterator[str]:
    names = [_seat(report, seat) for seat in range(len(report["names"]))]
    yield f"<header><h1>{outcome(report, names)}</h1><p>"
    yield " · ".join(
        f"{_seat(report, seat)} <b>{score}</b>" for seat, score in enumerate(report["scores"])
    )
    yield f" · board {escape(report['board'])}</p>"
    yield from (f"<p>{note}</p>" for note in forfeit_notes(report, names))
    yield "</header>"


def _graph(report: Report) -> Iterator[str]:
    yield '<section><h2>Win probability over the game</h2><div class="wide">'
    yield graph_svg(report)
    yield '</div><p class="note">All hands open, played on by the policy busy-best '
    yield "from each moment. "
    yield "Dots: errors and blunders of a seat, on its line; they lead to the decision.</p>"
    yield "</section>"


def _players(report: Report) -> Iterator[str]:
    rows = [
        (_seat(report, seat), *cells, f"<b>{rating}</b>")
        for seat, (*cells, rating) in enumerate(player_cells(report, _signed))
    ]
    titles = ("player", "decisions", "lost %", "mean %", "best", "unsure", "good")
    yield "<section><h2>Players</h2>"
    yield _table((*titles, "inacc.", "errors", "blunders", "luck %", "play"), rows)
    yield f'<p class="note">{_players_note(report)}</p></section>'


def _players_note(report: Report) -> str:
    limits = ", ".join(f"{name} from {100 * loss:.0f} %" for name, loss in report["limits"].items())
    return (
        "Lost: win probability given away against the best move, by what the seat could know; "
        f"{effort(report)} of search a decision; {limits}. A loss below twice its standard error "
        "is unsure and counts as 0. Decisions with one move only are left out."
    )


def _accounts(report: Report) -> Iterator[str]:
    rows = [
        (_seat(report, seat), *cells, f"<b>{result}</b>")
        for seat, (*cells, result) in enumerate(account_cells(report, _signed))
    ]
    yield "<section><h2>Luck and play</h2>"
    yield _table(("share of the victory, %", "even", *_PARTS, "result"), rows)
    yield '<p class="note">Even + luck + own play + others&#8217; play = result. Luck is what the '
    yield "order of turns, the deal, the dice and the cards changed, seen with all hands open; "
    yield "play is the gain on what the policy busy-best would have made of the position. Each "
    yield f"moment was played on {report['settings']['playouts']:,} times.</p></section>"


def _strokes(report: Report) -> Iterator[str]:
    if not report["strokes"]:
        return
    rows = [(escape(words), *cells) for words, cells in stroke_cells(report, _signed)]
    seats = [_seat(report, seat) for seat in range(len(report["names"]))]
    yield "<section><h2>Greatest strokes of luck</h2>"
    yield f"{_table(('stroke', *seats), rows)}</section>"


def _decisions(board: Board, report: Report) -> Iterator[str]:
    yield '<section id="decisions"><h2>Decisions</h2><div class="filter" hidden="hidden">'
    yield '<label>show <select id="mark"><option value="5">blunders</option>'
    yield '<option value="4" selected="selected">errors and blunders</option>'
    yield '<option value="3">all mistakes</option><option value="0">every decision</option>'
    yield '</select></label> <label>of <select id="seat"><option value="">everybody</option>'
    for seat, name in enumerate(report["names"]):
        yield f'<option value="{seat}">{escape(name)}</option>'
    yield '</select></label> <span id="shown" role="status"></span></div>'
    pictured = [d for d in report["decisions"] if d["mark"] in _PICTURED]
    album = Album(board, pictured)
    yield album.shared()
    for decision in report["decisions"]:
        yield from _decision(album, report, decision)
    yield "</section>"


def _decision(album: Album, report: Report, decision: Report) -> Iterator[str]:
    mark = decision["mark"]
    yield (
        f'<article id="d{decision["number"]}" class="decision {mark}" '
        f'data-mark="{MARKS.index(mark)}" data-seat="{decision["seat"]}">'
    )
    if mark in _PICTURED:
        yield f"<figure>{album.picture(decision['number'])}{_caption(decision['phase'])}</figure>"
    yield f'<div><h3><span class="mark">{mark}</span> {_loss(decision)}'
    yield f"<small>decision {decision['number']}, turn {decision['turn']}</small></h3>"
    yield f"<p>{_seat(report, decision['seat'])}: {escape(decision['played_words'])}</p>"
    if decision["best"] != decision["played"]:
        yield f'<p class="better">best: {escape(decision["best_words"])}</p>'
    if decision["reasons"]:
        items = "".join(f"<li>{escape(reason)}</li>" for reason in decision["reasons"])
        yield f"<ul>{items}</ul>"
    yield f'<p class="note">{_measured(decision)}</p></div></article>'


def _caption(phase: str) -> str:
    """What the colours of a picture mean."""
    if phase == "wall":
        words = " ".join(
            f'<i class="dot" style="background:{color}"></i>{what}'
            for color, what in ((BEST, "best"), (PLAYED, "played"))
        )
    elif phase in ("merge", "score"):
        words = "outlined: the city just completed"
    else:
        words = "set off: this turn&#8217;s wall" if phase in ("towers", "houses") else ""
    return f'<figcaption class="note">{words}</figcaption>' if words else ""


def _loss(decision: Report) -> str:
    return f"{MINUS}{percent(decision['loss'])} % " if decision["loss"] else ""


def _measured(decision: Report) -> str:
    """The figures behind the verdict."""
    played = f"wins {percent(decision['win_played'])} %"
    if decision["best"] == decision["played"]:
        return f"{played}; {decision['choices']:,} moves"
    return (
        f"{played}, best {percent(decision['win_best'])} % "
        f"(difference {_signed(decision['difference'])} {spread(decision['error'])}); "
        f"{decision['choices']:,} moves"
    )
