"""One page's study: messages in, messages out. One search at a time runs beside it."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Coroutine
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from masons.ai.search.stop import Stop
from masons.engine.errors import MasonsError
from masons.engine.game.record import format_record
from masons.engine.game.table import Table
from masons.gui.pages import client_messages as said
from masons.gui.pages.background import in_thread
from masons.gui.pages.error_messages import error_message
from masons.gui.study.live_review import own_puzzles, review_game, review_work
from masons.gui.study.live_search import (
    believed,
    compare,
    rank_moves,
    win_probabilities,
)
from masons.gui.study.practice_session import PracticeSession
from masons.gui.study.study_line import StudyLine
from masons.gui.study.study_page import StudyPage
from masons.gui.study.watched_file import WatchedFile
from masons.pictures.position_drawing import draw_position
from masons.protocol.messages.error_codes import Refused

if TYPE_CHECKING:
    from masons.ai.review.review_work import Work
    from masons.engine.board.geometry import Board
    from masons.engine.game.observation import Observation

_PNG_WIDTH: Final = 1600
_MOST_KEPT: Final = 1 << 20  # letters that a page is told to keep
_WATCH_SECONDS: Final = 1.0


class StudySession:
    """What one page studies."""

    def __init__(
        self, board: Board, send: Callable[[dict[str, Any]], None], file: str = ""
    ) -> None:
        """`file`: what can be watched."""
        self._file = file
        self._watching: WatchedFile | None = None
        self._board = board
        self._send = send
        self._table = Table(board)
        self._page = StudyPage(self._table)
        self._review: Work | None = None
        self._lock = Lock()  # of the review
        self._practice: PracticeSession | None = None
        self._line: StudyLine | None = None
        self._at = 0
        self._stop = Stop()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def is_open(self) -> bool:
        """Whether something is studied."""
        return self._line is not None or self._practice is not None

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
        elif isinstance(message, said.SaveLine):
            text = format_record(self._there.saved())
            self._send({"type": "record", "file": "masons.jsonl", "text": text})
        elif isinstance(message, said.Practice):
            self._puzzle(message)
        elif isinstance(message, said.Watch):
            self._watch(message.on)
        elif isinstance(message, said.Answer):
            if self._practice is None:
                raise Refused("state", "there is no puzzle to answer")
            self._send(self._practice.answer(message.move))
        elif isinstance(message, said.Close):
            self._close()
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
        self._line, self._practice, self._review = line, None, None
        self._at = min(message.step or 0, len(line.steps) - 1)
        kept = {"file": message.file} if message.file else {"text": message.text}
        is_short = len(message.text) <= _MOST_KEPT
        self._show(lines=True, source={**kept, "game": message.game} if is_short else None)

    def _step(self, message: said.Step) -> None:
        line = self._there
        self.stop()
        if message.back:
            self._at = line.leave()
        else:
            self._at = min(message.to, len(line.steps) - 1)
        self._show(lines=message.back)

    def _close(self) -> None:
        """Put away the puzzles, or what is studied where there are none."""
        self.leave()
        if self._practice is not None and self._line is not None:
            self._practice = None
            self._show(lines=True)
        else:
            self._line = self._practice = None

    # --- what is shown

    def _show(self, *, lines: bool, source: dict[str, Any] | None = None) -> None:
        """`lines`: with the steps; `source`: with what would open it again."""
        line = self._there
        steps = line.steps
        if lines:
            self._send(
                {
                    "type": "study",
                    "names": line.names,
                    "games": line.games,
                    "branch": line.branch_at,
                    "line": line.moves,
                    "source": source,
                    "steps": [[list(one) for one in step.says] for step in steps],
                }
            )
        step = steps[self._at]
        self._send(self._page.message(step.position, line.names, step=self._at, played=step.played))

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

    def leave(self) -> None:
        """The page goes away, or does not look any more."""
        self._watching = None
        self.stop()

    def stop(self) -> None:
        """End the search that runs."""
        self._stop.set()

    def _search(self, message: object) -> None:
        line, at = self._there, self._at
        self.stop()
        stop = self._stop = Stop()
        table = Table(self._board)
        tell = self._teller(stop, at)
        if isinstance(message, said.Review):
            if self._review is None:
                if line.record is None:
                    raise Refused("state", "a position alone is not reviewed: open a record")
                self._review = review_work(line.record, self._board)
            work: Callable[[], Any] = partial(review_game, self._review, self._lock, stop, tell)
        elif isinstance(message, said.Evaluate):
            views = partial(_view_or_none, line, table)
            work = partial(win_probabilities, views, table, len(line.steps), stop, tell)
        else:
            view = line.view(at, table)
            if isinstance(message, said.Go):
                work = partial(rank_moves, table, view, line.names, stop, tell)
            elif isinstance(message, said.Compare):
                pair = (message.first, message.second)
                work = partial(compare, table, view, line.names, pair, stop)
            else:
                work = partial(believed, table, view)
        self._begin(self._run(work, stop, at))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- a file that grows

    def _watch(self, on: bool) -> None:
        """Show its newest game, now and whenever there is another. Raises Refused."""
        if on and not self._file:
            raise Refused("state", "start the program with the file to be watched")
        self._watching = WatchedFile(self._file) if on else None
        if self._watching is not None:
            self._begin(self._look(self._watching))

    async def _look(self, file: WatchedFile) -> None:
        while file is self._watching:
            try:
                if (text := file.newest()) is not None:
                    self._open(said.Study(text))
                    self._send({"type": "watched"})
            except Exception as error:
                self._send(error_message(error))
                self._watching = None
            await asyncio.sleep(_WATCH_SECONDS)

    # --- puzzles

    def _puzzle(self, message: said.Practice) -> None:
        """The next puzzle; the first one where others are wished. Raises MasonsError, OSError."""
        self.stop()
        if self._practice is None or message.begin:
            own = None
            if message.own:
                if self._review is None or self._review.done < self._review.total:
                    raise Refused("state", "the game must be reviewed first")
                own = own_puzzles(self._review)
            self._practice = PracticeSession(self._board, own)
        self._begin(self._ask(self._practice))

    async def _ask(self, practice: PracticeSession) -> None:
        try:
            puzzle = await in_thread(practice.take)
            if practice is self._practice:
                self._send(practice.question(puzzle))
        except Exception as error:
            self._send(error_message(error))

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
        except Exception as error:
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
