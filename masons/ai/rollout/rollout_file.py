"""A rollout stored as text, so that it can be continued later.

The first line is the head, and one or two lines with saved states follow. Each line ends with a
checksum (CRC-32) of the text before it. Two states are kept, so that a file whose end is damaged
still contains the earlier state.
"""

from __future__ import annotations

import json
import time
import zlib
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from masons.ai.rollout.evidence import PairedSums
from masons.ai.rollout.finalists import Screening
from masons.ai.rollout.plan import Contenders
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.executors import Workers
from masons.ai.search.limits import MAX_ROLLOUTS, MAX_SIMS
from masons.ai.search.results import Analysis, MoveStats
from masons.ai.search.search_options import SearchOptions
from masons.engine.checks import check_whole, check_wholes, shown
from masons.engine.errors import READ_ERRORS, MasonsError
from masons.engine.formats.move_text import parse_move
from masons.engine.formats.position_text import format_position
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.storage.held_file import HeldFile
from masons.engine.strict_json import strict_json
from masons.version import __version__

FORMAT: Final = "masons-rollout"
VERSION: Final = 6
# The options that must be the same each time, by their key in the head.
_OPTIONS: Final = {"player": "--rollout-player", "seed": "--seed"}
_NUMBERS: Final = ("eligible", "also", "finalists", "measured")
_SUMS: Final = ("worlds", "sums", "squares", "products")
_EVERY_SECONDS: Final = 10.0
_MAX_BYTES: Final = 1 << 26
_MAX_VALUE: Final = 1e6  # upper limit for the measures of a game, such as a score
_ROUNDING: Final = 1 + 1e-6


class RolloutFile:
    """A file that stores the games of a rollout and is locked against other processes.

    `seed` is the seed of the search. Raises MasonsError if another process holds the file, and
    OSError if the file cannot be opened.
    """

    def __init__(self, name: str, table: Table, seed: int) -> None:
        self.name, self._table, self._seed = name, table, seed
        self._file = HeldFile(name, "any")
        self._saved, self._before = time.monotonic(), ""

    def read(
        self,
        view: Observation,
        options: SearchOptions,
        *,
        repair: bool,
        executor: Workers | None,
    ) -> tuple[Rollout | None, str | None]:
        """Return the rollout to continue, and the name under which a damaged file was saved.

        The rollout is None if the file is empty. The name is None unless the file was damaged.
        Raises MasonsError if the file belongs to another decision, board, player, seed or release,
        and for a file with a damaged end unless `repair` is true.
        """
        if not self._file.size:
            return None, None
        data = self._file.read(_MAX_BYTES)
        try:
            text = data.decode(errors="replace")
            rollout, is_whole = read_rollout(
                text, self._table, view, options, self._seed, repair=repair, executor=executor
            )
        except MasonsError as error:
            raise MasonsError(f"{self.name}: {error}") from None
        self._before = state_of(rollout) or ""
        return rollout, None if is_whole else self._file.set_aside("bad", data)

    def save_now_and_then(self, rollout: Rollout | None) -> None:
        """Save the games played so far, if the last save was at least ten seconds ago."""
        if time.monotonic() - self._saved >= _EVERY_SECONDS:
            self.save(rollout)

    def save(self, rollout: Rollout | None) -> None:
        """Save the games played so far, and keep the previously saved state.

        Raises OSError if the file cannot be written, and FileLostError if others have changed it.
        """
        self._saved = time.monotonic()
        if rollout is not None and (state := state_of(rollout)) is not None:
            text = head_of(rollout, self._table, self._seed) + self._before + state
            self._file.replace(text.encode())
            self._before = state

    def close(self) -> None:
        """Unlock and close the file."""
        self._file.close()


def head_of(rollout: Rollout, table: Table, seed: int) -> str:
    """Return the first line of the file, which names the decision and the moves of the search."""
    searched = rollout.searched
    data = {
        **_key(table, rollout.view, rollout.player_sims, seed),
        "rollout_seed": rollout.seed,
        "contenders": {
            **asdict(rollout.contenders), "moves": [str(move) for move in rollout.moves],
        },
        "iterations": searched.iterations,
        "searched": [[str(row.move), row.visits] for row in searched.moves],
        "searched_wins": searched.wins,
        "searched_scores": searched.scores,
    }  # fmt: skip
    return _line(data)


def state_of(rollout: Rollout) -> str | None:
    """Return the line with the games played so far, or None before any have been measured."""
    with rollout.lock:
        if rollout.screening is None or not rollout.sums.games.any():
            return None
        kept = list(rollout.screening.measured_ids)
        sums = {}
        for name in _SUMS:
            array = getattr(rollout.sums, name)
            sums[name] = array[..., kept, :][..., kept].tolist()
        return _line(
            {
                "screening": asdict(rollout.screening), "worlds": rollout.runner.worlds,
                "games": rollout.games, "sums": sums,
            }
        )  # fmt: skip


def read_rollout(
    text: str,
    table: Table,
    view: Observation,
    options: SearchOptions,
    seed: int,
    *,
    repair: bool = False,
    executor: Workers | None = None,
) -> tuple[Rollout, bool]:
    """Return the rollout stored in `text`, and whether the text was undamaged.

    Raises MasonsError if the text belongs to another view, board, player, seed or release. Also
    raises MasonsError if the last state is damaged, unless `repair` is true; the last undamaged
    state is then used.
    """
    lines = text.splitlines()
    head = _read(lines[0]) if lines else None
    if head is None or head.get("format") != FORMAT:
        raise MasonsError("it is not a rollout file")
    for name, value in _key(table, view, options.rollout_player, seed).items():
        if head.get(name) != value:
            option = f": give {_OPTIONS[name]} {shown(head.get(name))}" if name in _OPTIONS else ""
            raise MasonsError(f"it is the rollout of another {name}{option}")
    states = [_read(line) for line in lines[1:]]
    whole = [state for state in states if state is not None]
    if not whole:
        raise MasonsError("all of its games are damaged" if states else "it holds no games")
    if states[-1] is None and not repair:
        raise MasonsError("its last line is damaged (--repair uses the one before)")
    try:
        rollout = _rollout(head, table, view, options, executor)
        _take_up(rollout, whole[-1])
    except READ_ERRORS:
        raise MasonsError("it is not a rollout of this decision") from None
    return rollout, all(state is not None for state in states)


def _key(table: Table, view: Observation, player_sims: int, seed: int) -> dict[str, Any]:
    """Return the fields that must be equal in two rollouts for their games to be added up."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "release": __version__,
        "board": table.board.sha256,
        "position": format_position(view.position, table.board),
        "history": None if view.history is None else zlib.crc32(view.history.tobytes()),
        "player": player_sims,
        "seed": seed,
    }


def _line(data: dict[str, Any]) -> str:
    text = json.dumps(data)
    return f"{text} {zlib.crc32(text.encode())}\n"


def _read(line: str) -> dict[str, Any] | None:
    """Return the content of a line, or None if the line is damaged."""
    text, _, checksum = line.rpartition(" ")
    if checksum != str(zlib.crc32(text.encode())):
        return None
    try:
        data = strict_json(text)
    except READ_ERRORS:
        return None
    return data if isinstance(data, dict) else None


def _rollout(
    head: dict[str, Any],
    table: Table,
    view: Observation,
    options: SearchOptions,
    executor: Workers | None,
) -> Rollout:
    data = head["contenders"]
    moves = tuple(parse_move(move, table.board) for move in data["moves"])
    for move in moves:
        if not table.is_legal(view.state, move):
            raise ValueError(move)
    contenders = Contenders(
        moves, tuple(map(float, data["values"])), *(int(data[name]) for name in _NUMBERS)
    )
    rows = [
        MoveStats(parse_move(move, table.board), check_whole("visits", visits, 0, MAX_SIMS), None)
        for move, visits in head["searched"]
    ]
    iterations = check_whole("iterations", head["iterations"], 0, MAX_SIMS)
    wins = _figures(head["searched_wins"], view.players, 1.0)
    scores = _figures(head["searched_scores"], view.players, _MAX_VALUE)
    searched = Analysis(
        view.seat, view.phase, iterations=iterations, moves=tuple(rows), wins=wins, scores=scores
    )
    return Rollout(
        table, view, contenders, searched=searched, seed=int(head["rollout_seed"]),
        threads=options.threads, player_sims=options.rollout_player, executor=executor,
    )  # fmt: skip


def _figures(values: list[Any], players: int, most: float) -> tuple[float, ...]:
    """Return a figure for each seat, or none at all. Raises ValueError for any other content."""
    figures = tuple(map(float, values))
    if len(figures) not in (0, players) or not all(abs(each) <= most for each in figures):
        raise ValueError(values)
    return figures


def _take_up(rollout: Rollout, state: dict[str, Any]) -> None:
    """Fill a new rollout with a saved state.

    Raises one of READ_ERRORS for a state that no rollout has.
    """
    count, saved = len(rollout.moves), state["screening"]
    order = check_wholes("order", saved["order"], count - 1, "the numbers of all contenders")
    if sorted(order) != list(range(count)):
        raise ValueError(order)
    measured = check_whole("measured", saved["measured"], 1, count)
    finalists = check_whole("finalists", saved["finalists"], 1, measured)
    rollout.screening = Screening(order, finalists, measured)
    kept = np.array(rollout.screening.measured_ids)
    sums: PairedSums = rollout.sums
    for name in _SUMS:
        array = np.array(state["sums"][name], dtype=float)
        getattr(sums, name)[..., kept[:, None], kept] = array
    runner = rollout.runner
    runner.games = check_whole("games", state["games"], 1, MAX_ROLLOUTS)
    runner.worlds = check_whole("worlds", state["worlds"], 1, MAX_ROLLOUTS)
    is_played = sums.games[kept[:finalists]].any() and sums.games.sum() <= runner.games
    if not is_played or sums.games.max() > runner.worlds or not _are_possible(sums, rollout.view):
        raise ValueError(sums)


def _are_possible(sums: PairedSums, view: Observation) -> bool:
    """Return whether the sums are within the limits that their numbers of worlds set."""
    worlds, squares = sums.worlds, sums.squares
    wins = sums.sums[: view.players]
    with np.errstate(all="ignore"):
        limits = (
            (0.0, worlds, sums.games),
            (worlds, worlds.T, worlds),
            (worlds, np.floor(worlds), worlds),
            (0.0, wins, _ROUNDING * worlds),
            (0.0, squares, _MAX_VALUE**2 * worlds),
            # Cauchy-Schwarz inequalities: one contender's values, and the values of two contenders.
            (0.0, sums.sums**2, _ROUNDING * squares * worlds),
            (0.0, sums.products**2, _ROUNDING * squares * squares.transpose(0, 2, 1)),
        )
    return all(bool(((low <= array) & (array <= high)).all()) for low, array, high in limits)
