"""Games played on while a search goes on, or after it was stopped: more and more of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from masons.ai.explain.paired_games import Continuations, continuations, joined, led_by
from masons.ai.explain.played_on import LEAST, TURNS, deals_after, moves_to_play_on
from masons.ai.search.results import Analysis
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table


class GrowingGames:
    """Games after the best moves of a decision and those of `also`.

    `games` are those so far; where a move is best that was not played on yet, they begin anew.
    `stopped` says whether the search was ended: then it is left to `finish` to play on.
    """

    def __init__(
        self,
        table: Table,
        view: Observation,
        also: Sequence[Move],
        seed: int,
        stopped: Callable[[], bool],
    ) -> None:
        self.games: Continuations | None = None
        self._table, self._view, self._also, self._seed = table, view, also, seed
        self._stopped = stopped

    def finish(self, found: Analysis, seconds: float) -> None:
        """Play on for so long where there are hardly any games after the best move yet."""
        games = self.games
        is_known = games is not None and found.moves[0].move in games.moves
        seconds = 0.0 if is_known and games and games.deals >= LEAST else seconds
        self._play_on(found, seconds, bool)

    def grow(self, found: Analysis, seconds: float) -> None:
        """Play on for so long, up to as many games as a search of that length has."""
        self._play_on(found, seconds, self._stopped)

    def _play_on(self, found: Analysis, seconds: float, stopped: Callable[[], bool]) -> None:
        end = time.monotonic() + seconds
        best, games = found.moves[0].move, self.games
        moves = moves_to_play_on(found, self._also)
        if games is not None and best in games.moves:
            self.games = games = led_by(games, best)
            moves = list(games.moves)
        else:
            games = None
        done = games.deals if games else 0
        deals = deals_after(found.iterations) - done
        if seconds <= 0 or deals <= 0 or len(moves) == 1:
            return
        more = continuations(
            self._table, self._view, moves, deals=deals, turns=TURNS, seed=self._seed, first=done,
            ended=lambda: stopped() or time.monotonic() >= end,
        )  # fmt: skip
        self.games = joined(games, more) if games else more
