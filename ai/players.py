"""Named players: what decides for a seat, from that seat's view alone.

| name     | how it plays                                                                        |
| -------- | ----------------------------------------------------------------------------------- |
| `random` | every decision uniformly among its moves                                            |
| `busy`   | the busy play of the rules (8); in the final scoring uniformly among the moves      |
| `greedy` | takes the most points now, and closes a city when that pays its own cards most      |
| `heuristic` | heuristics, fitted to games against itself (see `heuristic_moves`)                        |
| `ismcts-plain` | the first search: information-set MCTS with uniform playouts; `sims=`, `ms=`  |
| `default` | the strongest: sequential halving over a tree of walls and a net (see `halving_search`); |
|          | `sims=` or `ms=`, `threads=`, `level=` (see `levels`)                               |
| `ismcts` | information-set MCTS; options `sims=` or `ms=`, `policy=`, `exploration=`,          |
|          | `memory=` (MiB), `threads=`, `reuse=` (yes or no: keep the tree between decisions)  |

Each is a random player of its own seed, so a game of named players is repeatable.

Who runs a game may set a limit for each decision. It holds for the searching players whose name
says nothing of it; one with `sims=` or `ms=` keeps to that. A level searches no more than its own
iterations in any case.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

import numpy as np

from masons.ai.beliefs.determinization import determinized
from masons.ai.choose_search import MAX_SIMS, AnySession, SearchOptions, new_session
from masons.ai.evaluation.immediate_reward import immediate_rewards
from masons.ai.models.model_data import heuristic_weights
from masons.ai.policies.heuristic_play import heuristic_move
from masons.ai.search.search_options import Limit
from masons.engine.board.components import FIRST_LAND
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move, swap_move, wall_move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.rng import new_rng
from masons.engine.state import layout as at
from masons.engine.state.packed_move import ABSTAIN, PLAY, WALL
from masons.engine.state.position import card_values, kinds, members

PLAYERS: Final = ("random", "busy", "greedy", "heuristic", "ismcts-plain", "ismcts", "default")
DEFAULT_SIMS: Final = 1000
MAX_MS: Final = 10**9

# Busy play: probability of a uniform line, then of taking each group.
_UNIFORM_LINE: Final = 0.1
_GROUP: Final = 0.8
# Greedy swaps away the land cards that would score so little now.
_POOR: Final = 1


class Player(Protocol):
    """What decides for a seat."""

    name: str

    @property
    def takes_limit(self) -> bool:
        """Whether a limit changes anything: it searches, and its name gives no limit of its own."""

    def choose(
        self, table: Table, view: Observation, moves: Sequence[Move], limit: Limit | None = None
    ) -> Move:
        """One of `moves`, the legal moves of a position of which `view` is what the seat sees.

        `limit`: how long it may search, where it `takes_limit`.
        """


class RandomPlayer:
    """Uniform play."""

    takes_limit = False

    def __init__(self, seed: int) -> None:
        self.name = "random"
        self._random = random.Random(seed)

    def choose(
        self,
        table: Table,  # noqa: ARG002
        view: Observation,  # noqa: ARG002
        moves: Sequence[Move],
        limit: Limit | None = None,  # noqa: ARG002
    ) -> Move:
        """A uniform move; in a swap a uniform number of each kind."""
        return self._random.choice(moves)


class BusyPlayer:
    """Busy play."""

    takes_limit = False

    def __init__(self, seed: int) -> None:
        self.name = "busy"
        self._random = random.Random(seed)

    def choose(
        self,
        table: Table,  # noqa: ARG002
        view: Observation,
        moves: Sequence[Move],
        limit: Limit | None = None,  # noqa: ARG002
    ) -> Move:
        """A move by the rules of busy play."""
        if view.phase == "wall":
            groups = line_groups(view.state)
            line = busy_line(groups, self._random)
            return self._random.choice(moves) if line is None else wall_move(line)
        if view.phase == "score":
            return self._score(moves)
        return self._random.choice(moves)

    def _score(self, moves: Sequence[Move]) -> Move:
        singles = [m for m in moves if m.kind == PLAY and len(m.cards) == 1]
        pairs = [m for m in moves if m.kind == PLAY and len(m.cards) == 2]
        abstentions = [m for m in moves if m.kind == ABSTAIN]
        group = self._random.choice([singles, abstentions, pairs])
        return self._random.choice(group or singles)


def line_groups(state: at.State) -> list[list[int]]:
    """The open lines that complete a city, lie between two towers, and beside a tower."""
    return [members(state, int(base), 4) for base in (at.CLOSING, at.DOUBLE, at.TOUCHED)]


def busy_line(groups: Sequence[Sequence[int]], rng: random.Random) -> int | None:
    """A line by busy play; None: any move."""
    if rng.random() < _UNIFORM_LINE:
        return None
    for group in groups:
        if group and rng.random() < _GROUP:
            return rng.choice(group)
    return None


class GreedyPlayer:
    """The most points now."""

    takes_limit = False

    def __init__(self, seed: int) -> None:
        self.name = "greedy"
        self._random = random.Random(seed)
        self._workspace = np.zeros(at.STATE_WORDS, dtype=np.uint64)

    def choose(
        self,
        table: Table,
        view: Observation,
        moves: Sequence[Move],
        limit: Limit | None = None,  # noqa: ARG002
    ) -> Move:
        """The move that brings most points at once; building, one that does not feed others."""
        state = view.state
        if view.phase == "swap":
            return self._swap(view)
        rewards = np.zeros(len(moves), dtype=np.uint64)
        packed = np.array([int(move) for move in moves], dtype=np.uint64)
        immediate_rewards(state, table.packed, packed, self._workspace, rewards)
        most = int(rewards.max())
        if most == 0 and view.phase == "wall":
            return self._build(state, moves)
        if most == 0 and view.phase == "score":
            moves = [move for move in moves if move.kind == ABSTAIN]
            return self._random.choice(moves)
        best = [
            move for move, reward in zip(moves, rewards.tolist(), strict=True) if reward == most
        ]
        return self._random.choice(best)

    def _build(self, state: at.State, moves: Sequence[Move]) -> Move:
        """Busy play without completing a city that brings nothing."""
        closing, *others = line_groups(state)
        groups = [[line for line in group if line not in closing] for group in others]
        line = busy_line(groups, self._random)
        if line is not None:
            return wall_move(line)
        quiet = [move for move in moves if move.kind == WALL and move.place not in closing]
        return self._random.choice(quiet or moves)

    def _swap(self, view: Observation) -> Move:
        """Away with land cards that would score almost nothing."""
        worth = card_values(view.state)
        hand = kinds(int(view.state[int(at.HANDS) + view.seat]))
        poor = [kind for kind in hand if kind >= FIRST_LAND and worth[kind] <= _POOR]
        return swap_move(poor)


class HeuristicPlayer:
    """Heuristics, without a search: what it cannot see is dealt anyhow, once a decision."""

    takes_limit = False

    def __init__(self, seed: int) -> None:
        self.name = "heuristic"
        self._rng = new_rng(seed)
        self._workspace = np.zeros(at.STATE_WORDS, dtype=np.uint64)
        self._weights = heuristic_weights()
        self._greedy = GreedyPlayer(seed)

    def choose(
        self, table: Table, view: Observation, moves: Sequence[Move], limit: Limit | None = None
    ) -> Move:
        """What `heuristic_play.heuristic_move` says; in the final scoring the most points, else any."""
        state = determinized(view, self._rng)
        packed = heuristic_move(state, table.packed, self._rng, self._weights, self._workspace)
        if packed:
            return Move(packed)
        return self._greedy.choose(table, view, moves, limit)


class SearchPlayer:
    """A search, by the method of its options."""

    def __init__(self, seed: int, name: str, own: Limit | None, options: SearchOptions) -> None:
        self.name = name
        self._seed = seed
        self._own = own
        self._options = options
        self._session: AnySession | None = None

    @property
    def takes_limit(self) -> bool:
        """Whether its name gives no limit."""
        return self._own is None

    def choose(
        self, table: Table, view: Observation, moves: Sequence[Move], limit: Limit | None = None
    ) -> Move:
        """The move with the most visits, within its own limit, else the one given."""
        if len(moves) == 1:
            return moves[0]
        if self._session is None or self._session.table is not table:
            self._session = new_session(table, seed=self._seed, options=self._options)
        within = self._own or limit or Limit(sims=self._options.most or DEFAULT_SIMS)
        if not self._session.search(view, sims=within.sims, seconds=within.seconds):
            # Ctrl-C means the game, not this search.
            raise KeyboardInterrupt
        return self._session.best


_YES_NO: Final = {"yes": True, "no": False}
# The options of `ismcts`: the field of SearchOptions, if it is one, and how it is read.
_ISMCTS: Final[dict[str, tuple[str, Callable[[str], Any]]]] = {
    "sims": ("", int),
    "ms": ("", int),
    "policy": ("policy", str),
    "exploration": ("exploration", float),
    "memory": ("memory_mb", int),
    "threads": ("threads", int),
    "reuse": ("reuse", _YES_NO.__getitem__),
    "level": ("level", int),
}


def _value(name: str, text: str, kind: Callable[[str], Any]) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise MasonsError(f"option {name}={text}: {text!r} is not a number") from None
    except KeyError:
        raise MasonsError(f"option {name}={text}: it must be yes or no") from None


# A player that searches: the options that may be given, and those that are.
SEARCHERS: Final[dict[str, tuple[tuple[str, ...], dict[str, Any]]]] = {
    "default": (("sims", "ms", "threads", "level"), {"method": "halving"}),
    "ismcts": (tuple(name for name in _ISMCTS if name != "level"), {}),
    "ismcts-plain": (("sims", "ms"), {"policy": "uniform"}),
}


def _searcher(name: str, spec: str, options: dict[str, str], seed: int) -> SearchPlayer:
    known, given = SEARCHERS[name]
    for option in options:
        if option not in known:
            raise MasonsError(f"{name} has no option {option!r}: it has {', '.join(known)}")
    values = {name: _value(name, text, _ISMCTS[name][1]) for name, text in options.items()}
    sims, ms = values.pop("sims", None), values.pop("ms", None)
    for name, value, most in (("sims", sims, MAX_SIMS), ("ms", ms, MAX_MS)):
        if value is not None and not 1 <= value <= most:
            raise MasonsError(f"{spec}: {name} must be from 1 to {most}")
    search = SearchOptions(
        **given, **{_ISMCTS[name][0]: value for name, value in values.items()}
    )  # fmt: skip
    own = None if sims is ms is None else Limit(sims, None if ms is None else ms / 1000)
    return SearchPlayer(seed, spec, own, search)


# Names of players before they had their present ones.
_OLD_NAMES: Final = {"thumb": "heuristic"}


def make_player(spec: str, seed: int) -> Player:
    """The player that a text like `greedy` or `ismcts:sims=2000,policy=greedy` names.

    Raises MasonsError for an unknown name or option.
    """
    name, _, text = spec.partition(":")
    name = _OLD_NAMES.get(name, name)
    options: dict[str, str] = {}
    for part in text.split(",") if text else ():
        key, equals, value = part.partition("=")
        if not equals or not value or key in options:
            raise MasonsError(f"{spec!r}: options are written name:key=value,key=value")
        options[key] = value
    if name in SEARCHERS:
        return _searcher(name, spec, options, seed)
    simple: dict[str, Callable[[int], Player]] = {
        "random": RandomPlayer,
        "busy": BusyPlayer,
        "greedy": GreedyPlayer,
        "heuristic": HeuristicPlayer,
    }
    if name not in simple:
        raise MasonsError(f"no player {name!r}: one of {', '.join(PLAYERS)}")
    if options:
        raise MasonsError(f"{name} has no options")
    return simple[name](seed)
