"""Functions that play the games of a match and count the results.

Each game is a job for an executor. A job is plain data, and its result is a line with the record of
the game. Each thread uses the same engine processes for all games of a match.

With a sequential test, the match ends at the first block after which the test accepts a hypothesis.
The test looks at blocks in the order of their numbers, not in the order in which they finish. Games
of later blocks are saved but not counted.
"""

from __future__ import annotations

import atexit
import sys
import threading
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from multiprocessing.util import Finalize
from typing import Any, Final

from masons.ai.players.named_players import make_player
from masons.ai.players.player import play_game
from masons.ai.players.player_names import SEARCHERS, player_name
from masons.ai.search.executors import Workers, completed
from masons.engine.board.geometry import Board, board_of
from masons.engine.errors import MoveError
from masons.engine.game.game import Game
from masons.engine.game.record import format_record, game_record, parse_record
from masons.engine.kernels.rng import mix
from masons.match.running.duplicate_deals import DuplicateDeal
from masons.match.running.match_file import GameOutcome, outcome_of, weighed_luck
from masons.match.running.referee import EngineMover, Mover, PlayerMover, play_refereed
from masons.match.running.schedule import Entry, Fault, MatchGame, MatchSettings
from masons.match.statistics.engine_scores import pair_values
from masons.match.statistics.luck_adjusted import adjusted_values
from masons.match.statistics.sprt import SprtBounds, adjusted_sprt, sprt
from masons.protocol.client.client_arguments import PATIENCE, named_board, remove_board_files
from masons.protocol.client.engine_client import Engine

_DECISIONS: Final = 8  # number of practice decisions, which make the first real decisions fast


# --- a game between named players, with dice and cards from a seed


@dataclass(frozen=True)
class SeededGame:
    """A game between named players, as a job.

    `seats` has the player of each seat. `board` is text that `board_text` returned.
    """

    board: str
    seats: tuple[str, ...]
    seed: int
    first: int
    early_roll: bool = False


def play_seeded(job: SeededGame) -> str:
    """Play a game and return its record as a line. Raises MoveError for an illegal move."""
    game = Game(
        len(job.seats),
        board=board_of(job.board),
        seed=job.seed,
        first=job.first,
        early_roll=job.early_roll,
    )
    players = [make_player(spec, mix(job.seed, seat)) for seat, spec in enumerate(job.seats)]
    try:
        play_game(game, players)
    except MoveError as error:
        raise MoveError(f"{job.seats[game.seat]}, game with seed {job.seed}: {error}") from None
    return format_record(game_record(game, job.seats))


# --- a game of a match


def play_match_game(job: MatchGame) -> str:
    """Play a game of a match. Return its record as a line, with the referee's notes."""
    settings = job.settings
    board = board_of(settings.board)
    entries = [settings.entries[engine] for engine in job.engines]
    movers = _movers(job, entries, board)
    first, early_roll = job.block % settings.players, settings.early_roll
    deal = DuplicateDeal(job.luck_seed)
    game = deal.new_game(settings.players, board=board, first=first, early_roll=early_roll)
    seed = job.private_seed(settings.players)
    try:
        played = play_refereed(
            game, movers, deal=deal, time_control=settings.time_control, seed=seed
        )
    except MoveError as error:
        raise MoveError(f"game {job.number + 1} of the match: {error}") from None
    except BaseException:
        close_engines()  # an engine may be in the middle of a search
        raise
    record = game_record(game, [entry.name for entry in entries], forfeits=played.stand_ins)
    notes: dict[str, Any] = {
        "block": job.block,
        "number": job.number,
        "engines": list(job.engines),
        "settings": settings.fingerprint(),
        "limits": asdict(settings.time_control),
        "seed": settings.seed,
        "faults": [asdict(fault) for fault in played.faults],
        "forfeits": sorted(played.forfeits),
        "decisions": played.decisions,
        "seconds": [round(seconds, 3) for seconds in played.seconds],
        "slowest": [round(seconds, 3) for seconds in played.slowest],
    }
    if any(played.replaced):
        notes["replaced"] = played.replaced
    if any(played.late):
        notes["late"] = played.late
        notes["latest"] = [round(seconds, 3) for seconds in played.latest]
    if job.weighs_luck:
        notes["luck"] = weighed_luck(record, board, settings.seed, job.number)
    return format_record({**record, "match": notes})


def _movers(job: MatchGame, entries: list[Entry], board: Board) -> list[Mover]:
    """Return a mover for each seat. An engine with several seats has a process for each of them."""
    movers: list[Mover] = []
    sitting: Counter[Entry] = Counter()
    for seat, entry in enumerate(entries):
        if entry.player:
            _load(player_name(entry.player))
            movers.append(PlayerMover(make_player(entry.player, job.private_seed(seat))))
        else:
            movers.append(EngineMover(_engine(job, entry, sitting[entry]), named_board(board)))
        sitting[entry] += 1
    return movers


@cache
def _load(name: str) -> None:
    """Load a named player's kernels and models once, before any decision is timed."""
    game = Game(2, seed=0)
    player = make_player(f"{name}:sims=1" if name in SEARCHERS else name, 0)
    for _ in range(_DECISIONS):
        game.apply(player.choose(game.table, game.observe(game.seat), game.legal_moves()))


# The engines that this process runs. The key has the thread, the match, the entry, and the number
# of the copy within a game.
_engines: dict[tuple[int, str, Entry, int], Engine] = {}


def _engine(job: MatchGame, entry: Entry, number: int) -> Engine:
    """Return the process for copy `number` of an engine.

    If a new process has to be started, this thread's processes for other matches are ended.
    """
    thread, match = threading.get_ident(), f"{job.settings.fingerprint()} {job.silence}"
    key = thread, match, entry, number
    if key not in _engines:
        _close_at_exit()
        for old in tuple(_engines):
            if old[0] == thread and old[1] != match:
                _engines.pop(old).quit()
        timeouts = replace(
            PATIENCE, silence=job.silence, ready=max(PATIENCE.ready, job.silence),
            search=max(PATIENCE.search, job.silence),
        )  # fmt: skip
        _engines[key] = Engine(entry.command, name=entry.name, timeouts=timeouts, tell=_tell)
    return _engines[key]


def _tell(line: str) -> None:
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)


@cache
def _close_at_exit() -> None:
    atexit.register(close_engines)
    # Workers of a process pool do not run functions registered with atexit.
    Finalize(None, close_engines, exitpriority=10)


def close_engines() -> None:
    """Ask all engines that this process runs to quit. They are started again when needed."""
    for engine in tuple(_engines.values()):
        engine.quit()
    remove_board_files()


# --- a match


@cache
def _without_text(seat: int, kind: str) -> Fault:
    return Fault(seat, kind, 0, "")


def _shortened(faults: Sequence[Fault]) -> tuple[Fault, ...]:
    """Return faults without their texts, but keep the text of each seat's first fault."""
    firsts = {fault.seat: fault for fault in reversed(faults)}
    return tuple(
        fault if fault is firsts[fault.seat] else _without_text(fault.seat, fault.kind)
        for fault in faults
    )


class MatchProgress:
    """A match with a limited number of blocks, its games so far, and the verdict of its test.

    `before` holds the games that were played earlier. `test` is a sequential test that may end
    the match. If `weighs_luck` is true, this test uses luck-adjusted values. `records` is the
    number of records in the file to which the games are written, or None if there is no file.
    """

    def __init__(
        self, settings: MatchSettings, blocks: int, before: Iterable[GameOutcome] = (), *,
        test: SprtBounds | None = None, weighs_luck: bool = False, records: int | None = None,
    ) -> None:  # fmt: skip
        self.settings = settings
        self._records = records
        self.blocks = blocks
        self.weighs_luck = weighs_luck
        self._test = test
        self._played: dict[int, list[GameOutcome]] = {}  # the games of each block
        self._values: list[float] = []  # the values of all blocks that have been tested
        self.verdict = sprt((), test) if test else None
        for outcome in before:
            if outcome.block < blocks:
                self.add(outcome)

    def add(self, outcome: GameOutcome) -> None:
        """Add a game. Only the first fault of each seat keeps its text."""
        outcome = replace(outcome, faults=_shortened(outcome.faults))
        self._played.setdefault(outcome.block, []).append(outcome)
        while self._test and not self.is_decided() and self._is_full(len(self._values)):
            blocks = [self._played[len(self._values)]]
            if self.weighs_luck:
                self._values += adjusted_values(blocks, 0)
                self.verdict = adjusted_sprt(self._values, self._test)
            else:
                self._values += pair_values(blocks, 0, 1)
                self.verdict = sprt(self._values, self._test)

    def placed(self, outcome: GameOutcome) -> GameOutcome:
        """Return the outcome of a new game with its `record`, the number that people use."""
        if self._records is None:
            return replace(outcome, record=outcome.number + 1)
        self._records += 1
        return replace(outcome, record=self._records)

    def _is_full(self, block: int) -> bool:
        return len(self._played.get(block, ())) == self.settings.block_size

    def is_decided(self) -> bool:
        """Return whether the test has accepted a hypothesis."""
        return self.verdict is not None and self.verdict.accepted is not None

    @property
    def games(self) -> int:
        """The number of games played, including games that do not count."""
        return sum(map(len, self._played.values()))

    def missing(self) -> Iterator[MatchGame]:
        """Yield the games that have not been played yet, or none if the test has ended."""
        games = () if self.is_decided() else self.settings.games(self.blocks)
        played = {outcome.number for block in self._played.values() for outcome in block}
        return (game for game in games if game.number not in played)

    def counted(self) -> list[list[GameOutcome]]:
        """Return the full blocks that count. The blocks and the games in them are in order."""
        last = len(self._values) if self.is_decided() else max(self._played, default=-1) + 1
        return [
            sorted(self._played[block], key=lambda outcome: outcome.number)
            for block in range(last)
            if self._is_full(block)
        ]


def run_match(
    match: MatchProgress, workers: Workers, *, silence: float
) -> Generator[tuple[str, GameOutcome], None, None]:
    """Play the missing games of a match.

    Yields the line and the outcome of each new game, which the caller has to add to `match` before
    it asks for the next. `silence` has the same meaning as in `MatchGame`. Raises the exceptions of
    `completed` and of `play_match_game`.
    """
    games = (
        replace(game, silence=silence, weighs_luck=match.weighs_luck) for game in match.missing()
    )
    with closing(completed(workers, play_match_game, games)) as results:
        for _, line in results:
            outcome = match.placed(outcome_of(parse_record(line)))
            yield line, outcome
            if match.is_decided():
                return
