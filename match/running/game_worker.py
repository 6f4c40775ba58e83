"""What is done for one game, wherever that is: a job comes in, a line of a record goes out.

Engine processes are kept from game to game of a match, those of each thread apart.
"""

from __future__ import annotations

import atexit
import sys
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from multiprocessing.util import Finalize
from typing import Any, Final

from masons.ai.players.named_players import make_player
from masons.ai.players.player_names import SEARCHERS, player_name
from masons.engine.board.board_text import board_of
from masons.engine.board.geometry import Board
from masons.engine.errors import MoveError
from masons.engine.game.game import Game
from masons.engine.game.record import format_record, game_record
from masons.engine.kernels.rng import mix
from masons.match.running.match_file import weighed_luck
from masons.match.running.referee import Played, play_game
from masons.match.running.seat_players import EngineMover, Mover, PlayerMover
from masons.match.setup.equal_luck import EqualLuck
from masons.match.setup.schedule import Entry, MatchGame
from masons.protocol.client.board_files import named_board, remove_board_files
from masons.protocol.client.client_limits import PATIENCE, Timeouts
from masons.protocol.client.engine_client import Engine

# From the first decision to a later one of the same seat, whose tree is gone on with.
_DECISIONS: Final = 8


# --- a game of named players with dice and cards from a seed


@dataclass(frozen=True)
class SeededGame:
    """A game of named players, by seat; `board` as `board_text` gives it, `seed` for all chance."""

    board: str
    seats: tuple[str, ...]
    seed: int
    first: int
    early_roll: bool = False


def play_seeded(job: SeededGame) -> str:
    """The record of a game, as a line. Raises MoveError where a player's move is not legal."""
    game = Game(
        len(job.seats),
        board=board_of(job.board),
        seed=job.seed,
        first=job.first,
        early_roll=job.early_roll,
    )
    players = [make_player(spec, mix(job.seed, seat)) for seat, spec in enumerate(job.seats)]
    try:
        play_game(game, [PlayerMover(player) for player in players])
    except MoveError as error:
        seat = game.seat
        raise MoveError(
            f"{job.seats[seat]}, seat {seat}, game with seed {job.seed}: {error}"
        ) from None
    return format_record(game_record(game, job.seats))


# --- a game of a match


def play_match_game(job: MatchGame) -> str:
    """The record of a game of a match, with what the referee noted under `match`, as a line."""
    settings = job.settings
    board = board_of(settings.board)
    game, luck = _dealt(job, board)
    entries = [settings.entries[engine] for engine in job.engines]
    movers = _movers(job, entries, board)
    seed = job.private_seed(settings.players)
    try:
        played = play_game(game, movers, luck=luck, time_control=settings.time_control, seed=seed)
    except MoveError as error:
        raise MoveError(f"game {job.number} of the match: {error}") from None
    except BaseException:
        close_engines()  # one may be in the middle of a search
        raise
    record = game_record(game, [entry.name for entry in entries], forfeits=played.stand_ins)
    notes = _notes(job, played)
    if job.weighs_luck:
        notes["luck"] = weighed_luck(record, board, settings.seed, job.number)
    if job.fair is not None:
        record = job.fair.revealed(record)
    return format_record({**record, "match": notes})


def _dealt(job: MatchGame, board: Board) -> tuple[Game, EqualLuck | None]:
    """A game that begins, and what serves it where its luck comes from outside."""
    settings, first = job.settings, job.block % job.settings.players
    if job.fair is not None:
        return job.fair.new_game(board=board, first=first, early_roll=settings.early_roll), None
    luck = EqualLuck(job.luck_seed)
    game = luck.new_game(settings.players, board=board, first=first, early_roll=settings.early_roll)
    return game, luck


def _notes(job: MatchGame, played: Played) -> dict[str, Any]:
    return {
        "block": job.block,
        "number": job.number,
        "engines": list(job.engines),
        "settings": job.settings.fingerprint(),
        "seed": job.settings.seed,
        "faults": [asdict(fault) for fault in played.faults],
        "forfeits": sorted(played.forfeits),
        "seconds": [round(seconds, 3) for seconds in played.seconds],
        "slowest": [round(seconds, 3) for seconds in played.slowest],
    }


def _movers(job: MatchGame, entries: list[Entry], board: Board) -> list[Mover]:
    """Who sits in each seat; an engine that sits in several has a process for each."""
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
    """Load what a named player needs, once, so that no decision's time pays for it."""
    game = Game(2, seed=0)
    player = make_player(f"{name}:sims=1" if name in SEARCHERS else name, 0)
    for _ in range(_DECISIONS):
        game.apply(player.choose(game.table, game.observe(game.seat), game.legal_moves()))


class _Kept(threading.local):
    """The engines of this thread, by what they are and their number in a game, and their match."""

    def __init__(self) -> None:
        self.match = ""
        self.engines: dict[tuple[Entry, int], Engine] = {}


_kept = _Kept()
_all_engines: list[Engine] = []  # of all threads


def _engine(job: MatchGame, entry: Entry, number: int) -> Engine:
    """The engine for its seat `number` in a game of a match."""
    match = f"{job.settings.fingerprint()} {job.silence}"
    if _kept.match != match:
        for old in _kept.engines.values():
            old.quit()
            _all_engines.remove(old)
        _kept.match, _kept.engines = match, {}
    key = entry, number
    if key not in _kept.engines:
        _close_in_the_end()
        engine = Engine(
            entry.command, name=entry.name, timeouts=timeouts_of(job.silence), tell=_tell
        )
        _kept.engines[key] = engine
        _all_engines.append(engine)
    return _kept.engines[key]


def timeouts_of(silence: float) -> Timeouts:
    """How long engines are waited for, if they may be silent for so many seconds."""
    return replace(
        PATIENCE,
        ready=max(PATIENCE.ready, silence),
        search=max(PATIENCE.search, silence),
        silence=silence,
    )


def _tell(line: str) -> None:
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)


@cache
def _close_in_the_end() -> None:
    atexit.register(close_engines)
    # A worker of a process pool does not run what atexit was given.
    Finalize(None, close_engines, exitpriority=10)


def close_engines() -> None:
    """End the engines of this process, politely; they are started again when they are needed."""
    for engine in _all_engines:
        engine.quit()
    remove_board_files()
