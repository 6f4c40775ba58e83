"""The reviews of saved games, for profiles, puzzles, exports and a look back at one game."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from masons.ai.practice.puzzles import Mistake, Puzzle, puzzle_of
from masons.ai.review.timeline import DECISION, timeline_of
from masons.ai.search.threads import Stop
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import parse_move
from masons.engine.game.record import parse_record
from masons.gui.after_game import look_back
from masons.gui.background import Declined, Tasks, teller
from masons.gui.kept_reviews import KeptDecision, KeptReview, KeptReviews, OverGame
from masons.gui.live_searches import REVIEW, CoachedVerdicts, Tell
from masons.gui.practice_session import puzzle_profile
from masons.gui.profile import PlayedGames, players_of, profile_message
from masons.match.playing.games_folder import listed_games
from masons.match.playing.kept_games import people_in

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.gui.practice_session import LatePuzzle
    from masons.gui.saved_games import SavedGames
    from masons.gui.seating import Client

_MOST_PUZZLES: Final = 30
_EXPORT: Final = {"format": "masons-export", "version": 1}

Work = Callable[[Stop, Tell], dict[str, Any] | None]


class ReviewedGames:
    """The reviews of the saved games."""

    def __init__(self, board: Board, saved: SavedGames, coached: CoachedVerdicts) -> None:
        self._board = board
        self._saved = saved
        self._kept = KeptReviews(saved.reviews_path(), coached)
        # (file, end) of games that can't be reviewed, and of copies of games that have been
        self._settled: set[tuple[str, str]] = set()
        self._tasks = Tasks()

    @property
    def level(self) -> int:
        """The level to offer to whoever has played the most games."""
        reviews = list(self._kept.reviews.values())
        return PlayedGames(next(iter(players_of(reviews)), ""), reviews).level()

    def tell_fault(self, client: Client) -> None:
        """Tell a page of a fault in the file of reviews, unless a page has been told already."""
        if fault := self._kept.fault:
            self._kept.fault = ""
            client.send({"type": "error", "code": "internal", "text": fault})

    # --- what pages ask for

    def look_back(
        self, client: Client, file: str, record: dict[str, Any], people: frozenset[int],
        seats: frozenset[int],
    ) -> None:  # fmt: skip
        """Send what mattered to `seats` in a finished game. If needed, review the game first."""
        game = OverGame(file, self._saved.ended(file), record, people)

        def work(stop: Stop, tell: Tell) -> dict[str, Any] | None:
            review = self._kept.review_of(game, self._board, stop, tell, {"type": "after"})
            return None if review is None else look_back(review, seats, self._board)

        self._begin(client, work)

    def send_marks(self, client: Client, text: str) -> None:
        """Send the mistakes in a game to analyze, if its review is kept."""
        with suppress(MasonsError):
            game = OverGame("", "", parse_record(text), frozenset())
            if (review := self._kept.reviews.get(game.key)) is not None:
                mistakes = review.mistakes()
                client.send(
                    {
                        "type": "marks",
                        "decisions": [each.data() for each in (*mistakes, *review.others)],
                        "mistakes": [each.number for each in mistakes],
                    }
                )

    def profile(self, client: Client, player: str, *, reviews_first: bool) -> None:
        """Send a player's profile; with `reviews_first`, first review games without a review."""

        def work(stop: Stop, tell: Tell) -> dict[str, Any] | None:
            if reviews_first:
                self._review_missing(stop, tell)
            reviews = tuple(self._kept.reviews.values())
            profile = profile_message(reviews, player, len(self._missing()))
            return {**profile, "puzzles": puzzle_profile(self._board)}

        self._begin(client, work)

    def export(self, client: Client) -> None:
        """Send the finished games and their reviews as the text of a file."""

        def work(_stop: Stop, _tell: Tell) -> dict[str, Any]:
            reviews = msgspec.to_builtins(dict(self._kept.reviews))
            data = {**_EXPORT, "games": self._saved.finished(), "reviews": reviews}
            text = json.dumps(data, ensure_ascii=False)
            return {"type": "export", "file": "masons-games.json", "text": text}

        self._begin(client, work)

    def puzzles(self, player: str, file: str, seats: Collection[int]) -> list[LatePuzzle]:
        """Return mistakes as puzzles.

        Without `file`, these are the player's mistakes in the latest games. With `file`, they are
        the mistakes of `seats` in that game, or those of all people if `seats` is empty. Raises
        Refused if there are no mistakes.
        """
        reviews = tuple(self._kept.reviews.values())
        if file:
            mistakes = [
                (review, each)
                for review in reviews
                if review.file == file
                for each in review.mistakes(seats)
            ]
        else:
            mistakes = PlayedGames(player, reviews).mistakes()
        if not mistakes:
            raise Declined("state", "there are no mistakes to practice", "noMistakes")
        return [partial(self._puzzle, *mistake) for mistake in mistakes[:_MOST_PUZZLES]]

    def forget(self) -> None:
        """Delete all reviews. Raises OSError."""
        self._kept.forget()

    # --- work

    def _missing(self) -> list[dict[str, Any]]:
        """Return the list entries of games that still need a review.

        These games are finished, people played in them, and no review is kept or has failed. The
        review of a copy, or of a file whose date has changed, is found by the record.
        """
        reviews = self._kept.reviews
        known = {(each.file, each.ended) for each in reviews.values()} | self._settled
        missing = []
        for entry in listed_games():
            place = entry["file"], entry["changed"]
            if not entry["over"] or place in known or not people_in(entry["names"]):
                continue
            with suppress(MasonsError):  # the review will find the same fault
                if self._game(entry).key in reviews:
                    self._settled.add(place)
                    continue
            missing.append(entry)
        return missing

    def _game(self, entry: Mapping[str, Any]) -> OverGame:
        """Return the game of a list entry. Raises MasonsError."""
        record = parse_record(self._saved.record_text(entry["file"]))
        return OverGame(entry["file"], entry["changed"], record, people_in(entry["names"]))

    def _review_missing(self, stop: Stop, tell: Tell) -> None:
        missing = self._missing()
        for number, entry in enumerate(missing, 1):
            progress = {"type": "rating", "game": number, "games": len(missing)}
            try:
                self._kept.review_of(self._game(entry), self._board, stop, tell, progress)
            except MasonsError:
                self._settled.add((entry["file"], entry["changed"]))
            if stop.is_set:
                return

    def _puzzle(self, review: KeptReview, decision: KeptDecision) -> Puzzle | None:
        """Return a mistake as a puzzle, or None if its game is gone or was replaced."""
        try:
            record = parse_record(self._saved.record_text(review.file))
            timeline = timeline_of(record, self._board)
            index = next(
                index
                for index, step in enumerate(timeline.steps)
                if step.cause == DECISION and step.number == decision.number
            )
            mistake = Mistake(
                parse_move(decision.played), parse_move(decision.best), decision.loss,
                decision.interval, tuple(parse_move(move) for move in decision.equal),
            )  # fmt: skip
            return puzzle_of(timeline, index, mistake, REVIEW.seed)
        except (MasonsError, OSError, StopIteration):
            return None

    def _begin(self, client: Client, work: Work) -> None:
        """Do some work for a page in a thread, after stopping the page's earlier work."""
        client.stop_search()
        stop = Stop()
        client.stop_search = stop.set

        def done(result: dict[str, Any] | None) -> None:
            self.tell_fault(client)
            if result is not None and not stop.is_set:
                client.send(result)

        self._tasks.run(partial(work, stop, teller(stop, client.send)), done, client.fail)
