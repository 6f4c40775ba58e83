"""Checks of the arguments that callers pass to environments; the messages say what is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import Any, Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from masons.engine.board.components import MAX_PLAYERS, MIN_PLAYERS
from masons.engine.board.geometry import Board
from masons.engine.checks import check_any_whole, check_whole, refuse, shown, whole
from masons.engine.errors import MasonsError
from masons.engine.kernels.jit import WordArray
from masons.engine.kernels.rng import mix
from masons.engine.plain_text import count as counted
from masons.env.stepping.env_layout import ROW_WORDS

MIXED: Final = "mixed"
MOST_ENVS: Final = 1 << 20
MOST_THREADS: Final = 256
_HUGE: Final = (1 << 63) - 1
REWARDS: Final = ("win", "points")


class GameOptions(TypedDict, total=False):
    """The arguments that wrappers pass on to `BatchEnv`."""

    players: int | str
    board: str | Path | Board
    threads: int
    reward: str
    early_roll: bool


def check_options(kind: type, options: Mapping[str, object]) -> None:
    """Raise TypeError if `options` has an argument that is not one of GameOptions.

    `kind` is the class to which the caller gave it.
    """
    known = list(GameOptions.__annotations__)
    for name in options:
        if name not in known:
            first = [argument for argument in signature(kind).parameters if argument != "options"]
            raise TypeError(
                f"{kind.__name__} has no argument {name!r}: it has {', '.join([*first, *known])}"
            )


def players_given(players: object, count: int) -> list[int]:
    """Return the number of players in each of `count` environments.

    Raises MasonsError if `players` is not 2, 3, 4 or "mixed".
    """
    if isinstance(players, str) and players == MIXED:
        several = MAX_PLAYERS - MIN_PLAYERS + 1
        return [MIN_PLAYERS + number % several for number in range(count)]
    number = whole(players)
    if number is None or not MIN_PLAYERS <= number <= MAX_PLAYERS:
        refuse("players", players, f"2, 3, 4 or {MIXED!r}")
    return [number] * count


def reward_given(reward: object) -> int:
    """Return the index of a reward rule in REWARDS. Raises MasonsError for an unknown rule."""
    if not isinstance(reward, str) or reward not in REWARDS:
        refuse("reward", reward, " or ".join(map(repr, REWARDS)))
    return REWARDS.index(reward)


def _array_of(value: Any) -> NDArray[Any]:
    """Return a value as an array. If it is too long or cannot be converted, return array(None)."""
    is_list = not isinstance(value, np.ndarray) and hasattr(value, "__len__")
    try:
        return np.array(None) if is_list and len(value) > MOST_ENVS else np.asarray(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return np.array(None)


def _with_huge(actions: Any, array: NDArray[Any]) -> NDArray[Any]:
    """Return `array`, or whole numbers among `actions` that int64 cannot hold as a huge number.

    The huge number is the greatest int64, which names no action.
    """
    numbers = [whole(action) for action in actions]
    if None in numbers:
        return array
    return np.array(
        [_HUGE if number is None or abs(number) > _HUGE else number for number in numbers],
        dtype=np.int64,
    )


def actions_given(actions: Any, count: int) -> WordArray:
    """Return actions as uint64[count], the type that kernels take.

    -1 becomes the greatest uint64, and a number of more than 64 bits becomes one that names no
    action. Raises MasonsError for anything but a 1-D array of `count` whole numbers.
    """
    array = actions if isinstance(actions, np.ndarray) else _array_of(actions)
    if array.dtype.kind not in "iu" and array.ndim == 1:
        array = _with_huge(actions, array)
    if array.dtype.kind not in "iu":
        kind = shown(actions) if array.dtype == object else f"an array of {array.dtype}"
        raise MasonsError(f"actions is {kind}: it must be an array of {count} whole numbers")
    if array.shape != (count,):
        raise MasonsError(
            f"actions has the shape {array.shape}: it must be ({count},), one for each environment"
        )
    return np.ascontiguousarray(array, dtype=np.int64).view(np.uint64)


def where_given(where: object, count: int) -> NDArray[np.int64]:
    """Return the numbers of the environments that `where` lists, or marks as bool[count].

    If `where` is None, returns the numbers of all environments. Raises MasonsError if `where` is
    invalid.
    """
    if where is None:
        return np.arange(count)
    array = np.atleast_1d(_array_of(where))
    if array.dtype == np.bool_ and array.shape == (count,):
        return np.flatnonzero(array)
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if (
        array.dtype.kind not in "iu"
        or array.ndim != 1
        or not 0 <= int(array.min()) <= int(array.max()) < count
    ):
        flags = counted(count, "bool")
        right = f"a list of environments, from 0 to {count - 1}, or an array of {flags}"
        refuse("where", where, right)
    if np.unique(array).size != array.size:
        refuse("where", where, "a list that names each environment once")
    return array.astype(np.int64)


def has_several(seed: object) -> bool:
    """Return whether `seed` is a list, tuple or array of seeds."""
    return isinstance(seed, list | tuple) or (isinstance(seed, np.ndarray) and seed.ndim > 0)


def seeds_given(seed: Any, count: int) -> list[int | None]:
    """Return a seed, or None, for each of `count` environments.

    `seed` is either one number for all environments, or a list that has a seed or None for each
    environment. Raises MasonsError for anything else.
    """
    if not has_several(seed):
        return [check_any_whole("seed", seed)] * count
    seeds = [whole(value) for value in seed]
    if len(seeds) != count or seeds.count(None) != sum(value is None for value in seed):
        refuse("seed", seed, f"a whole number, or a list of {count}, one for each environment")
    return seeds


def one_seed(seed: Any) -> int:
    """Return a single seed unchanged, or combine a list of seeds into one seed."""
    return mix(*(whole(value) or 0 for value in seed)) if has_several(seed) else int(seed)


def rows_given(states: object, count: int | None) -> WordArray:
    """Return `states` if it is an array of states with ROW_WORDS words each.

    There must be `count` states, or any number if `count` is None. Raises MasonsError if the array
    has a wrong dtype or shape.
    """
    if not isinstance(states, np.ndarray) or states.dtype != np.uint64:
        dtype = f"of {states.dtype}" if isinstance(states, np.ndarray) else None
        kind = dtype or f"a {type(states).__name__}"
        raise MasonsError(f"states is {kind}: it must be what state() gives, an array of uint64")
    if states.shape[1:] != (ROW_WORDS,) or count not in (None, len(states)):
        wanted = "n" if count is None else str(count)
        raise MasonsError(
            f"states has the shape {states.shape}: it must be ({wanted}, {ROW_WORDS}), a row for "
            "each environment"
        )
    return np.ascontiguousarray(states)


def number_given(number: object, count: int) -> int:
    """Return `number` as an int. Raises MasonsError if there is no environment with this number."""
    return check_whole("number", number, 0, count - 1, f"an environment from 0 to {count - 1}")
