"""A match: its games are given out, and what comes back is counted until all are played.

With a sequential test the match ends at the first block after which the test has accepted one of
its hypotheses, blocks being taken in their order. Which blocks count does therefore not hang on
which were finished first; what was played beyond that block is kept but not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache

from masons.engine.game.record import parse_record
from masons.match.running.backends import Backend
from masons.match.running.fair_games import FairGames
from masons.match.running.game_worker import play_match_game
from masons.match.running.match_file import Outcome, outcome_of
from masons.match.setup.schedule import Settings, block_size, games_of
from masons.match.setup.time_control import Fault
from masons.match.statistics.engine_scores import pair_values
from masons.match.statistics.luck_adjusted import Weighed, adjusted_values
from masons.match.statistics.sprt import Verdict, adjusted_sprt, sprt
from masons.protocol.client.client_limits import PATIENCE


@dataclass(frozen=True)
class Sprt:
    """A sequential test of the first engine against the second."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05


@cache
def _fault(seat: int, kind: str) -> Fault:
    return Fault(seat, kind, 0, "")


class Progress:
    """The games played so far, and where the test stands."""

    def __init__(self, settings: Settings, test: Sprt | None, *, weighs_luck: bool = False) -> None:
        self.weighs_luck = weighs_luck
        self._size = block_size(settings)
        self._test = test
        self._blocks: dict[int, list[Outcome]] = {}
        self._values: list[float] = []  # of the blocks tested, which are the first ones
        self.verdict = sprt((), test.elo0, test.elo1, test.alpha, test.beta) if test else None

    def add(self, outcome: Outcome) -> None:
        """Count a game. Of its faults only their kinds are kept."""
        faults = tuple(_fault(fault.seat, fault.kind) for fault in outcome.faults)
        self._blocks.setdefault(outcome.result.block, []).append(replace(outcome, faults=faults))
        while self._test and not self.is_decided() and self._is_full(len(self._values)):
            self.verdict = self._tested(self._test)

    def _is_full(self, block: int) -> bool:
        return len(self._blocks.get(block, ())) == self._size

    def _tested(self, test: Sprt) -> Verdict:
        outcomes = self._blocks[len(self._values)]
        if self.weighs_luck:
            self._values += adjusted_values([weighed(outcomes)], 0)
            return adjusted_sprt(self._values, test.elo0, test.elo1, test.alpha, test.beta)
        self._values += pair_values([[outcome.result for outcome in outcomes]], 0, 1)
        return sprt(self._values, test.elo0, test.elo1, test.alpha, test.beta)

    def is_decided(self) -> bool:
        """Whether the test has come to an end."""
        return self.verdict is not None and self.verdict.accepted is not None

    @property
    def games(self) -> int:
        """The games counted or not, of whatever block."""
        return sum(map(len, self._blocks.values()))

    def counted(self) -> list[list[Outcome]]:
        """The full blocks that count, in order; each in order of its games' numbers."""
        last = len(self._values) if self.is_decided() else max(self._blocks, default=-1) + 1
        return [
            sorted(self._blocks[block], key=lambda outcome: outcome.result.number)
            for block in range(last)
            if self._is_full(block)
        ]


def weighed(outcomes: Iterable[Outcome]) -> list[Weighed]:
    """Games with their luck, which must be known."""
    return [Weighed(own.result, own.gained) for own in outcomes if own.gained is not None]


def run_match(
    settings: Settings,
    blocks: int,
    backend: Backend,
    progress: Progress,
    *,
    before: Iterable[Outcome] = (),
    silence: float = PATIENCE.silence,
    fair: FairGames | None = None,
    keep: Callable[[str, Outcome], None] = lambda _line, _outcome: None,
) -> None:
    """Play what is missing of a match's first blocks (`progress` modified in place).

    `before` are the games played already; `silence` is that of `MatchGame`; `fair` holds the
    secrets of what is missing, in a fair match; `keep` is called with the line and the outcome of
    each game that is played now. Raises what `Backend.run` and the games raise.
    """
    played = set()
    for outcome in before:
        if outcome.result.block < blocks:
            progress.add(outcome)
            played.add(outcome.result.number)
    if progress.is_decided():
        return
    games = games_of(settings, blocks, silence, weighs_luck=progress.weighs_luck)
    missing = (game for game in games if game.number not in played)
    if fair is not None:
        missing = map(fair.dealt, missing)  # type: ignore[assignment]
    with closing(backend.run(play_match_game, missing)) as results:
        for _, line in results:
            outcome = outcome_of(parse_record(line))
            keep(line, outcome)
            progress.add(outcome)
            if progress.is_decided():
                return
