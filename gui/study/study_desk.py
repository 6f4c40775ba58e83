"""One page's study: messages in, messages out. One search at a time runs beside it."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from masons.ai.search.stop import Stop
from masons.engine.errors import MasonsError
from masons.engine.formats.position_text import format_position
from masons.engine.game.table import Table
from masons.gui.pages import client_messages as said
from masons.gui.pages.background import in_thread
from masons.gui.pages.board_elements import Pieces
from masons.gui.pages.decision_choices import choices_of, figures, hand_cards
from masons.gui.pages.error_messages import error_message
from masons.gui.study.live_search import (
    believed,
    compare,
    rank_moves,
    win_probabilities,
)
from masons.gui.study.study_line import StudyLine
from masons.match.playing.scored_view import ScoredView
from masons.pictures.position_drawing import draw_position
from masons.pictures.what_is_due import task_words
from masons.protocol.messages.error_codes import Refused

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.engine.game.observation import Observation

_PNG_WIDTH: Final = 1600


class StudyDesk:
    """What one page studies."""

    def __init__(self, board: Board, send: Callable[[dict[str, Any]], None]) -> None:
        self._board = board
        self._send = send
        self._table = Table(board)
        self._pieces = Pieces(board)
        self._line: StudyLine | None = None
        self._at = 0
        self._stop = Stop()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def is_open(self) -> bool:
        """Whether something is studied."""
        return self._line is not None

    def hear(self, message: object) -> None:
        """Do what a page says. Raises MasonsError."""
        if isinstance(message, said.Study):
            self._open(message)
        elif isinstance(message, said.Step):
            self._step(message)
        elif isinstance(message, said.Try):
            self.stop()
            self._at = self._there.play(self._at, message.move)
            self._show(lines=True)
        elif isinstance(message, said.Picture):
            self._picture(message.kind)
        elif isinstance(message, said.Close):
            self.stop()
            self._line = None
        else:
            self._search(message)

    @property
    def _there(self) -> StudyLine:
        if self._line is None:
            raise Refused("state", "nothing is studied: study opens a position or a record")
        return self._line

    def _open(self, message: said.Study) -> None:
        self.stop()
        line = StudyLine(message.text, self._board, message.game)
        self._line = line
        self._at = min(message.step or 0, len(line.steps) - 1)
        self._show(lines=True)

    def _step(self, message: said.Step) -> None:
        line = self._there
        self.stop()
        if message.back:
            self._at = line.leave()
        else:
            self._at = min(message.to, len(line.steps) - 1)
        self._show(lines=message.back)

    # --- what is shown

    def _show(self, *, lines: bool) -> None:
        line = self._there
        steps = line.steps
        if lines:
            self._send(
                {
                    "type": "study",
                    "names": line.names,
                    "games": line.games,
                    "branch": line.branch_at,
                    "steps": [[list(one) for one in step.says] for step in steps],
                }
            )
        step = steps[self._at]
        position = step.position
        due = position.phase not in ("roll", "draw", "over")
        hidden = due and isinstance(position.hands[position.seat], int)
        scored = ScoredView(self._table, position)
        moves = self._table.legal_moves(self._table.state_of(position)) if due else []
        self._send(
            {
                "type": "position",
                "study": True,
                "step": self._at,
                "text": format_position(position, self._board),
                "played": step.played,
                "names": line.names,
                "task": task_words(position, line.names),
                "turn": position.turn + 1,
                "phase": position.phase,
                "active": position.active,
                "decider": position.seat if due else None,
                "seat": position.seat if due else None,
                "decides": due and not hidden,
                **figures(position),
                **self._pieces.of(position),
                "hand": hand_cards(scored, position.seat) if due else None,
                "hands": [hand_cards(scored, seat) for seat in range(position.players)],
                "moves": choices_of(scored, moves) if due and not hidden else None,
            }
        )

    def _picture(self, kind: str) -> None:
        """The position as a picture. Raises Refused for other kinds, MasonsError without extras."""
        if kind not in ("svg", "png"):
            raise Refused("illegal", f"picture.kind is {kind[:20]!r}: it is svg or png")
        line = self._there
        drawing = draw_position(self._board, line.steps[self._at].position, names=line.names)
        if kind == "svg":
            data, name = drawing.svg.encode(), "image/svg+xml"
        else:
            data, name = drawing.png(_PNG_WIDTH), "image/png"
        text = base64.b64encode(data).decode()
        self._send({"type": "picture", "kind": kind, "data": f"data:{name};base64,{text}"})

    # --- searches

    def stop(self) -> None:
        """End the search that runs."""
        self._stop.set()

    def _search(self, message: object) -> None:
        line, at = self._there, self._at
        self.stop()
        stop = self._stop = Stop()
        table = Table(self._board)
        tell = self._teller(stop, at)
        if isinstance(message, said.Evaluate):
            views = partial(_view_or_none, line, table)
            work: Callable[[], Any] = partial(
                win_probabilities, views, table, len(line.steps), stop, tell
            )
        else:
            view = line.view(at, table)
            if isinstance(message, said.Go):
                work = partial(rank_moves, table, view, line.names, stop, tell)
            elif isinstance(message, said.Compare):
                pair = (message.first, message.second)
                work = partial(compare, table, view, line.names, pair, stop)
            else:
                work = partial(believed, table, view)
        task = asyncio.get_running_loop().create_task(self._run(work, stop, at))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _teller(self, stop: Stop, at: int) -> Callable[[dict[str, Any]], None]:
        """What a search tells from its thread; nothing any more once it was stopped."""
        loop = asyncio.get_running_loop()

        def tell(message: dict[str, Any]) -> None:
            if not stop.is_set:
                loop.call_soon_threadsafe(self._send, {"at": at, **message})

        return tell

    async def _run(self, work: Callable[[], Any], stop: Stop, at: int) -> None:
        try:
            found = await in_thread(work)
        except MasonsError as error:
            self._send(error_message(error))
            return
        if found is not None and not stop.is_set:
            self._send({"at": at, **found})


def _view_or_none(line: StudyLine, table: Table, step: int) -> Observation | None:
    """The view at a step; None where nothing is decided there, or a hand is hidden."""
    try:
        return line.view(step, table)
    except MasonsError:
        return None
