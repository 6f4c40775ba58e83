"""The study of one page, which carries out messages and runs one search at a time."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from masons.ai.search.threads import Stop
from masons.engine.game.record import FORMAT, format_record
from masons.engine.game.table import Table
from masons.engine.storage.line_file import json_object
from masons.gui import live_searches as searches
from masons.gui import messages as said
from masons.gui.background import Tasks, declined_as, error_message, teller
from masons.gui.card_reference import card_sheet
from masons.gui.kept_rankings import KeptRankings
from masons.gui.lesson_session import LessonSession, lesson_list
from masons.gui.pictures.animation import animated_gif, pictured
from masons.gui.pictures.position_drawing import draw_position
from masons.gui.position_messages import page_event, study_position
from masons.gui.practice_session import LatePuzzle, PracticeSession, mistake_puzzles
from masons.gui.study_line import StudyLine
from masons.protocol.messages.error_codes import Refused
from masons.words.scored_view import ScoredView

if TYPE_CHECKING:
    from masons.ai.practice.puzzles import Puzzle
    from masons.ai.review.review_work import Work
    from masons.engine.board.geometry import Board
    from masons.engine.game.observation import Observation
    from masons.engine.state.position import Position

_PNG_WIDTH: Final = 1600
_GIF_WIDTH: Final = 720
_GIF_MS: Final = 900  # for which each picture is shown
_MOST_KEPT: Final = 1 << 20  # the most characters of a text that a page is told to keep
_WATCH_SECONDS: Final = 1.0
_TAIL: Final = 1 << 20  # the bytes read at the end of a watched file


class StudySession:
    """The study of one page.

    It shows a line of positions, puzzles or a lesson.
    """

    def __init__(
        self,
        board: Board,
        send: Callable[[dict[str, Any]], None],
        file: str,
        coached: searches.CoachedVerdicts,
    ) -> None:
        """Begin with nothing to study. `file` is the file that can be watched, or "".

        Reviews adopt the verdicts of `coached`.
        """
        self._coached = coached
        self._file = file
        self._watched: WatchedFile | None = None
        self._board = board
        self._send = send
        self._table = Table(board)
        self._rankings = KeptRankings(board)  # also of what was studied before
        self._review: Work | None = None
        self._review_lock = Lock()
        self._practice: PracticeSession | None = None
        self._lesson: LessonSession | None = None
        self._line: StudyLine | None = None
        self._at = 0
        self._stop = Stop()
        self._graph_stop = Stop()
        self.tasks = Tasks()

    @property
    def is_open(self) -> bool:
        """True if the page studies something."""
        return any((self._line, self._practice, self._lesson))

    @property
    def _open_line(self) -> StudyLine:
        if self._line is None:
            raise Refused("state", "nothing is studied: study opens a position or a record")
        return self._line

    @property
    def _viewed(self) -> Position:
        """The position that the page shows."""
        if self._lesson is not None:
            return self._lesson.view
        if self._practice is not None and self._practice.view is not None:
            return self._practice.view
        return self._open_line.steps[self._at].position

    # --- opening and closing

    def open(self, message: said.OpenStudy) -> None:
        """Study the text of a message. Raises MasonsError."""
        self.stop()
        with declined_as("unreadable"):
            line = StudyLine(message.text, self._board, message.game)
        self._clear()
        self._line = line
        self._at = min(message.step or 0, len(line.steps) - 1)
        kept = {"file": message.file} if message.file else {"text": message.text}
        is_short = len(message.text) <= _MOST_KEPT
        self._show(lines=True, source={**kept, "game": message.game} if is_short else None)

    def close(self) -> None:
        """Close the puzzles and show the line again, or close what else is studied."""
        if self._practice is None or self._line is None:
            self.put_away()
            return
        self.stop()
        self._watched = self._practice = None
        self._show(lines=True)

    def _clear(self) -> None:
        """Close everything that is studied. A watched file stays watched."""
        self.stop()
        self._graph_stop.set()
        self._graph_stop = Stop()
        self._line = self._practice = self._review = self._lesson = None

    def put_away(self) -> None:
        """Stop all work, and close everything that is studied."""
        self._watched = None
        self._clear()
        self._rankings.forget_games()

    def stop(self) -> None:
        """End the running search."""
        self._stop.set()

    # --- the line. Each method that hears a message may raise MasonsError or OSError.

    def hear_step(self, message: said.GoToStep) -> None:
        """Go to a step, or leave the variation."""
        line = self._open_line
        self.stop()
        self._at = line.end_variation() if message.back else min(message.to, len(line.steps) - 1)
        self._show(lines=message.back)

    def hear_try(self, message: said.TryMove) -> None:
        """Make a move."""
        self.stop()
        self._at = self._open_line.play(self._at, message.move)
        self._show(lines=True)

    def hear_save(self, _message: said.SaveLine) -> None:
        """Send the record of the study."""
        text = format_record(self._open_line.saved())
        self._send({"type": "record", "file": "masons.jsonl", "text": text})

    def hear_cards(self, message: said.AskCards) -> None:
        """Send the card reference for the position that the page shows."""
        self._send(card_sheet(ScoredView(self._table, self._viewed), message.city))

    def _show(self, *, lines: bool, source: dict[str, Any] | None = None) -> None:
        """Send the current step.

        With `lines`, also send the events of all steps, and `source`, with which the page can open
        the same study again.
        """
        line = self._open_line
        steps = line.steps
        if lines:
            self._send(
                {
                    "type": "study",
                    "names": line.names,
                    "games": line.games,
                    "is_over": line.is_over,
                    "branch": line.branch_at,
                    "line": line.moves,
                    "source": source,
                    "steps": [
                        [page_event(event, range(len(line.names))) for event in step.events]
                        for step in steps
                    ],
                }
            )
        step = steps[self._at]
        self._send(
            study_position(
                self._table, step.position, line.names, line.forfeited,
                step=self._at, played=step.played,
            )
        )  # fmt: skip

    def hear_picture(self, message: said.AskPicture) -> None:
        """Send a picture of the position or of the game, or the page of the reviewed game.

        A picture in pixels needs the extra `png`.
        """
        line, at, kind = self._open_line, self._at, message.kind
        if kind == "html":
            review = self._review_of_line()
            work = partial(searches.review_html, review, self._coached, self._review_lock)
            self._search(lambda _, stop, tell: _file(kind, work(stop, tell)))
        elif kind == "gif":
            positions = pictured([step.position for step in line.steps], at, message.turns)
            self._search(lambda _, stop, tell: _file(kind, self._animated(positions, stop, tell)))
        else:
            drawing = draw_position(self._board, line.steps[at].position, names=line.names)
            with declined_as("png"):
                data = drawing.svg.encode() if kind == "svg" else drawing.png(_PNG_WIDTH)
            self._send(_file(kind, data) or {})

    def _animated(
        self, positions: Sequence[Position], stop: Stop, tell: searches.Tell
    ) -> bytes | None:
        """Return an animated picture of some positions, or None if it was stopped."""
        names = self._open_line.names

        def pictures() -> Iterator[bytes]:
            for done, position in enumerate(positions):
                tell({"type": "info", "done": done, "total": len(positions)})
                yield draw_position(self._board, position, names=names).png(_GIF_WIDTH)
                if stop.is_set:
                    return

        with declined_as("png"):
            return None if stop.is_set else animated_gif(pictures(), _GIF_MS)

    # --- searches

    def _review_of_line(self) -> Work:
        """Return the review of the record in the study, which may have been begun."""
        if self._review is None:
            if self._open_line.record is None:
                raise Refused("state", "a position cannot be reviewed: open a record")
            self._review = searches.review_work(self._open_line.record, self._board)
        return self._review

    def hear_review(self, _message: said.StartReview) -> None:
        """Review the record in the study."""
        self.stop()
        review = self._review_of_line()
        self._search(
            lambda _, stop, tell: searches.review_game(
                review, self._coached, self._review_lock, stop, tell
            )
        )

    def hear_evaluate(self, _message: said.Evaluate) -> None:
        """Send the graph of the finished game in the study, which a search does not disturb."""
        if not self._open_line.is_over:  # it would tell of hands that a player may not know yet
            raise Refused("state", "only a finished game has a graph")
        review, stop = self._review_of_line(), self._graph_stop
        work = partial(searches.draw_graph, review, self._review_lock, stop)
        self.tasks.run(partial(work, teller(stop, self._send)), lambda _: None, self._fail)

    def hear_go(self, _message: said.StartSearch) -> None:
        """Rank the moves until the search is stopped."""
        ranking = self._rankings.of(self._decision())
        self._search(lambda _, stop, tell: ranking.rank(stop, tell))

    def hear_compare(self, message: said.Compare) -> None:
        """Send the reasons why one of two moves is better."""
        view, pair = self._decision(), (message.first, message.second)
        self._search(lambda table, stop, _: searches.compare(table, view, pair, stop))

    def hear_belief(self, _message: said.AskBelief) -> None:
        """Send the cards that the other seats probably hold."""
        view = self._decision()
        self._search(lambda table, *_: searches.believed(table, view))

    def _decision(self) -> Observation:
        """Stop the running search, and return the deciding seat's view at the current step."""
        line = self._open_line
        self.stop()
        return line.view(self._at, self._table)

    def _search(self, work: Callable[[Table, Stop, searches.Tell], dict[str, Any] | None]) -> None:
        """Do work in a thread, after stopping the running search, and send its result."""
        self.stop()
        at, stop = self._at, Stop()
        self._stop = stop
        tell = teller(stop, lambda message: self._send({"at": at, **message}))

        def done(result: dict[str, Any] | None) -> None:
            if result is not None and not stop.is_set:
                self._send({"at": at, **result})

        self.tasks.run(partial(work, Table(self._board), stop, tell), done, self._fail)

    def _fail(self, error: Exception) -> None:
        self._send(error_message(error))

    # --- a watched file

    def hear_watch(self, message: said.WatchFile) -> None:
        """Start or stop showing the newest game of the file."""
        if message.on and not self._file:
            raise Refused("state", "start the program with the file to be watched")
        self._watched = WatchedFile(self._file) if message.on else None
        if self._watched is not None:
            self.tasks.begin(self._look(self._watched))

    async def _look(self, file: WatchedFile) -> None:
        while file is self._watched:
            try:
                if (text := file.newest()) is not None:
                    self.open(said.OpenStudy(text))
                    self._send({"type": "watched"})
            except Exception as error:
                self._fail(error)
                self._watched = None
            await asyncio.sleep(_WATCH_SECONDS)

    # --- puzzles and lessons

    def next_puzzle(self, message: said.NextPuzzle) -> None:
        """Show the next puzzle, or the first puzzle of a new set.

        Raises MasonsError or OSError.
        """
        if self._practice is not None and not message.begin:
            self.stop()
            self._ask(self._practice)
        elif not message.mistakes:
            self.practice(None, daily=message.daily, theme=message.theme)
        elif self._review is None or self._review.done < self._review.total:
            raise Refused("state", "the game must be reviewed first")
        else:
            self.practice(mistake_puzzles(self._review))

    def practice(
        self, puzzles: Sequence[LatePuzzle] | None, *, daily: bool = False, theme: str = ""
    ) -> None:
        """Show the first of the given puzzles, or of the bundled puzzles if `puzzles` is None.

        Raises MasonsError or OSError.
        """
        self.stop()
        practice = PracticeSession(self._board, puzzles, daily=daily, theme=theme)
        self._practice, self._lesson = practice, None
        self._ask(practice)

    def hear_answer(self, message: said.AnswerPuzzle) -> None:
        """Send the verdict on an answer, and then the reasons."""
        if (practice := self._practice) is None:
            raise Refused("state", "there is no puzzle to answer")
        answer, explained = practice.answer(message.move)
        self._send(answer)

        def done(whole: dict[str, Any]) -> None:
            if practice is self._practice:
                self._send(whole)

        self.tasks.run(explained, done, self._fail)

    def _ask(self, practice: PracticeSession) -> None:
        """Show the next puzzle unless the page has left these puzzles meanwhile."""

        def done(puzzle: Puzzle | None) -> None:
            if practice is self._practice:
                self._send(practice.question(puzzle))

        self.tasks.run(practice.take, done, self._fail)

    def hear_lessons(self, message: said.ListLessons) -> None:
        """Send the list of lessons, after closing what is studied."""
        self._clear()
        self._send(lesson_list(message.language))

    def hear_lesson(self, message: said.BeginLesson) -> None:
        """Begin a lesson."""
        self._clear()
        self._lesson = LessonSession(self._board, message.number, message.language, self._send)

    def hear_learn(self, message: said.DoLesson) -> None:
        """Carry out an action in the lesson."""
        if self._lesson is None:
            raise Refused("state", "no lesson is open: lesson begins one")
        self._lesson.hear(message)


def _file(kind: str, data: bytes | None) -> dict[str, Any] | None:
    """Return the message that sends a file, if there is one."""
    if data is None:
        return None
    return {"type": "picture", "kind": kind, "data": base64.b64encode(data).decode()}


class WatchedFile:
    """A file to which another program adds games, such as the file of a match."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._size = -1
        self._last = b""

    def newest(self) -> str | None:
        """Return the last complete record if it is new, or None. Raises OSError."""
        with Path(self.path).open("rb") as stream:
            size = stream.seek(0, 2)
            if size == self._size:
                return None
            self._size = size
            stream.seek(max(size - _TAIL, 0))
            lines = stream.read().split(b"\n")[:-1]  # the last line may be incomplete
        for line in reversed(lines):
            data = json_object(line)
            if data is not None and data.get("format") == FORMAT:
                if line == self._last:
                    return None
                self._last = line
                return line.decode("utf-8")
        return None
