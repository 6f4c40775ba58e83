"""Wrong and half-right arguments to all that is exported: a MasonsError, or an answer.

Run in a process of its own, so that one that crashes is seen, with its call:
`MASONS_FUZZ=20000 pytest tests/fuzz/test_fuzz_calls.py`.
"""

from __future__ import annotations

import inspect
import os
import random
import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import masons
from masons.ai.players.named_players import make_player
from masons.ai.search.threads import Stop
from masons.engine.board.components import CARDS
from masons.engine.errors import MasonsError
from masons.engine.game.action_history import new_history
from masons.engine.game.observation import Observation
from masons.engine.state import layout
from masons.env.batch_env import BatchEnv
from masons.protocol.client.engine_client import Engine
from tests.support.commands import run_python
from tests.support.named_play import brought_to, play_named
from tests.support.paths import ROOT

CALLS = int(os.environ.get("MASONS_FUZZ", "0"))
SOME = 6  # values for each argument in the suite; on demand all
SEED = int(os.environ.get("MASONS_FUZZ_SEED", "1"))
Arguments = dict[str, Any]
Change = tuple[str, list[tuple[str, int]]]  # a callable, and arguments with numbers of wrong values
_DOCUMENTED = re.compile(r"^### (masons\.[\w.]+)$", re.MULTILINE)
_FUNCTIONS = ("words", "progress", "on_info", "tell", "wait")


# ---- what is called


@cache
def exported() -> dict[str, Any]:
    """Return all exported objects by name: those of `masons`, and those in `docs/api.md`."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    names = {f"masons.{name}" for name in masons.__all__} | set(_DOCUMENTED.findall(page))
    homes = {name: name.rpartition(".")[::2] for name in sorted(names)}
    return {name: getattr(import_module(home), last) for name, (home, last) in homes.items()}


def callables() -> dict[str, Any]:
    """Return the exported functions and classes, and the classes' public methods, by name."""
    found = {name: value for name, value in exported().items() if callable(value)}
    for name, value in exported().items():
        for method in vars(value) if isinstance(value, type) else ():
            held = getattr(value, method)
            if method[0] != "_" and (inspect.isfunction(held) or inspect.ismethod(held)):
                found[f"{name}.{method}"] = held
    return found


def parameters(function: Any) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a callable. For keywords that it hands on, yield those of theirs."""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            yield from parameters(HANDED_ON[parameter.name])
        elif parameter.name != "self":
            yield parameter


HANDED_ON = {"arguments": Engine.begin}
# Callables that are not called: plain data, and what users do not call.
PLAIN = {
    *("masons.MasonsError", "masons.Move", "masons.Result", "masons.Position"),
    "masons.Board",
    *(f"masons.{kind}Error" for kind in ("Board", "Position", "Move", "Record")),
    *("masons.Analysis", "masons.MoveStats", "masons.Holding"),
    *(f"masons.{kind}{call}" for kind in ("Stopped", "Forfeit") for call in ("", ".words")),
    "masons.Forfeit.ends",
    *("masons.Player", "masons.Stop.ending"),
    *(f"masons.protocol.client.engine_client.{kind}"
      for kind in ("Answer", "Info", "Evaluation", "Belief", "Option")),
    *(f"masons.protocol.messages.error_codes.{kind}"
      for kind in ("EngineError", "EngineCrash", "EngineStall", "ProtocolFault")),
    # Only games call these, with what the rules made, or callers with arguments known to be sound.
    "masons.Game.apply_legal",
    *(f"masons.Outside.{name}" for name in ("shuffle", "roll", "mark", "back")),
    *(f"masons.Table.{name}"
      for name in ("state_of_settled", "moves_of_sound", "add_sound_choice")),
    "masons.env.batch_env.BatchStep",
}  # fmt: skip
NAMES = sorted(
    name for name, value in callables().items() if name not in PLAIN and [*parameters(value)]
)


# ---- with which arguments


@cache
def scoring() -> masons.Game:
    """Return a game in which a scoring is due."""
    return brought_to("score")


@cache
def finished() -> masons.Game:
    return play_named(masons.Game(seed=2), ["busy"] * 2)


@cache
def analysis() -> Any:
    game = scoring()
    return masons.analyze(game.table, game.observe(game.seat), sims=40)


def waiting() -> masons.Game:
    """Return a game that waits for its dice, which the caller gives."""
    cards = masons.Game(seed=1).hands_dealt
    names = [[CARDS[kind] for kind in hand] for hand in cards]
    game = masons.Game(hands=names, chance=masons.Outside())
    game.apply("wall:0")
    return game


def stopped() -> Stop:
    """Return a stop that is set, so that a search ends even if its limit is wrong."""
    stop = Stop()
    stop.set()
    return stop


def searched() -> masons.Session:
    session = masons.Session(scoring().table)
    session.search(scoring().observe(scoring().seat), sims=2)
    return session


def searched_by_a_tree() -> masons.Session:
    session = masons.Session(scoring().table, options=masons.SearchOptions("ismcts"))
    session.search(scoring().observe(scoring().seat), sims=2)
    return session


def fair() -> masons.Fair:
    return masons.Fair(bytes(32), ("a", ""))


def record() -> dict[str, Any]:
    return masons.game_record(finished())


def envs(steps: int = 9) -> BatchEnv:
    """Return two environments after `steps` steps of their games."""
    env = BatchEnv(2, seed=1)
    env.reset()
    for _ in range(steps):
        env.step(env.pick_actions())
    return env


# For each class, a function that returns the object whose methods are called.
OWNERS: dict[str, Callable[[], Any]] = {
    "Analysis": analysis,
    "BatchEnv": envs,
    "Board": lambda: scoring().board,
    "Drawing": lambda: masons.draw_position(scoring().board, scoring().position),
    "Engine": lambda: Engine(["no-such-engine"]),
    "Fair": fair,
    "FairOffer": masons.FairOffer,
    "Game": lambda: masons.Game.from_position(scoring().text, seed=1),
    "Limits": lambda: masons.Limits(5),
    "Player": lambda: make_player("greedy", 1),
    "Observation": lambda: scoring().observe(scoring().seat),
    "Position": lambda: scoring().position,
    "Session": searched,
    "Table": lambda: scoring().table,
}


# Valid arguments by the names of their parameters. Functions are called, and parameters without a
# value here have their defaults.
VALUES: Arguments = {
    "action": 57, "actions": [3, 4], "analysis": analysis, "board": lambda: scoring().board,
    "city": None, "clock": (5, 5), "command": ["no-such-engine"], "count": 0, "deals": 3,
    "decision": 3, "description": lambda: scoring().board.to_dict(), "end": "walls",
    "game": finished, "hidden": (0, 6), "history": new_history, "inc": (1, 1),
    "line": lambda: masons.format_record(record()), "move": lambda: scoring().legal_moves()[0],
    "movetime_ms": 1, "moves": lambda: scoring().legal_moves(), "name": "cities",
    "name_or_path": "classic", "names": ["a", "b"], "nonce": "words", "nonces": ("a", ""),
    "num_envs": 2, "number": 1, "observed": lambda: scoring().observe(0), "over": 1,
    "overlay": lambda: masons.overlay_of(analysis()), "path": os.devnull, "players": 2,
    "rank": 1, "stats": lambda: analysis().moves[0],
    "position": lambda: scoring().position, "record": record, "scores": (1, 2), "seat": 0,
    "secret": bytes(32), "seed": 1, "sims": 2, "spec": "default:sims=5", "svg": "<svg/>",
    "state": lambda: scoring().state, "states": lambda: envs().state(), "stop": stopped,
    "table": lambda: scoring().table, "text": lambda: scoring().text, "title": "t", "under": 2,
    "view": lambda: scoring().observe(scoring().seat), "what": "legal", "width": 64,
    "winners": (1,),
}  # fmt: skip
# For some callables, other valid arguments, and perhaps another object.
_ENVS = "masons.env.batch_env.BatchEnv"
SPECIAL: dict[str, Arguments] = {
    f"{_ENVS}.step": {"self": lambda: envs(0)},
    f"{_ENVS}.encode": {"self": lambda: envs(0), "move": "wall:57"},
    "masons.belief": {"seat": lambda: 1 - scoring().seat},
    "masons.Table.closed_city": {"line": 57},
    "masons.analyze": {"game": scoring},
    "masons.Session.searched": {"self": searched_by_a_tree},
    "masons.Player.choose": {
        "self": lambda: make_player("default", 1), "limits": masons.Limits(2)},
    "masons.Game.give_roll": {"self": waiting, "tower": "white", "first": "red", "second": "?"},
    "masons.SearchOptions": {
        "method": "ismcts", "memory_mb": 8, "policy": "busy", "exploration": 0.5},
    "masons.check_fair": {"record": lambda: fair().revealed(record())},
    "masons.draw_position": {"hands": True, "labels": True},
    "masons.parse_move": {"text": "wall:3"},
    "masons.play_game": {
        "game": lambda: masons.Game(seed=1), "players": lambda: [make_player("busy", 1)] * 2},
}  # fmt: skip
# Callables that raise MasonsError even with valid arguments, as there is nothing for them to do.
REFUSED = {
    "masons.Drawing.save", "masons.Game.give_card", "masons.read_record",
    *(name for name in NAMES if ".Engine." in name),
}  # fmt: skip


def call_of(name: str) -> tuple[Callable[..., object], Arguments]:
    """Return a callable of NAMES, and valid arguments for it."""
    function, right, arguments = callables()[name], VALUES | SPECIAL.get(name, {}), Arguments()
    for parameter in parameters(function):
        value = right.get(parameter.name, parameter.default)
        assert value is not parameter.empty, f"{name} needs a value for {parameter.name}"
        is_function = parameter.name in right and callable(value)
        arguments[parameter.name] = value() if is_function else value
    if name not in exported():
        *_, kind, method = name.split(".")
        function = getattr(right.get("self", OWNERS.get(kind))(), method)
    return function, arguments


class Unshowable:
    """A value whose `repr` raises an error."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


def wrong_values() -> list[Any]:
    """Return values of many types. For almost every argument, almost all of them are wrong."""
    game, other = scoring().copy(), masons.Game(
        players=3, board=masons.load_board(ROOT / "tests/support/boards/ring-128.json"), seed=1
    )  # fmt: skip
    state, view = game.state, game.observe(1 - game.seat)
    position = game.position
    noise = np.random.default_rng(1).integers(0, 2**63, 128).astype(np.uint64)
    own = game.observe(game.seat)
    tampered = own.state.copy()
    tampered[int(layout.DECK)] = 7
    locked = game.state
    locked.setflags(write=False)
    return [
        None, True, False, 0, 1, -1, 2, 3, 255, 1000, 2**40, -1000, 2**63, 2**64, 10**400, 10**5000,
        0.5, 1.0, 1.5, float("nan"), float("inf"), -float("inf"), 1e308, 1j,
        np.int64(1), np.int8(-1), np.uint64(2**64 - 1), np.float32(0.5), np.float64("nan"),
        np.bool_(True), np.array(1), np.array([1, 2]), np.array([]), np.array("x"),
        "", "x", "wall:3", "wall:999", "classic", "masons1", "a\0b", "\ud800", "a" * 10_000, " ",
        "line\nline", "busy", "greedy", "default:sims=x", b"wall:3", bytearray(3),
        [], [1], ["x"], [None], [[1]], (), (1, 2), (0, 0, 0), (2**70,), {}, {"x": 1}, {1: 2},
        {1}, frozenset(), range(3), range(10**12), object(), Unshowable(), int, len, lambda: None,
        masons.Move(3), masons.Move(2**70), masons.Move(-1), game.legal_moves()[0],
        other.legal_moves()[-1], game, other, game.table, other.table, game.board, other.board,
        masons.Board("x", 1, (), (), (), (), (), (), ()), replace(game.board, line_towers=()),
        replace(game.board, name="other"), game.text, other.text, position, other.position,
        masons.Position(2),
        replace(position, seat=9), replace(position, walls=frozenset({223})),
        replace(position, hands=None), replace(position, towers={5: 9}),  # type: ignore[arg-type]
        replace(position, houses={0: (9,) * 5}), replace(position, city=300),
        state, state[:5], state[::-1], state.reshape(2, 64), state.astype(np.int64),
        state.view(np.uint8), noise, locked, np.full(128, 2**64 - 1, dtype=np.uint64),
        np.zeros(128, dtype=np.uint64), view, game.observe(game.seat), other.observe(0),
        replace(view), replace(game.observe(game.seat), hidden=(60, 60)), Observation(state, ()),
        Observation(noise, (0, 6)), Observation(other.state, (6,)), new_history(),
        np.full_like(new_history(), np.nan), new_history()[::2], np.zeros(3),
        masons.Limits(1), masons.Limits(clock=(5,)), masons.SearchOptions("ismcts"),
        masons.SearchOptions(level=1), masons.Session(game.table), Stop(), masons.Outside(),
        masons.Outside, analysis(), record(), {"format": "masons-record", "version": 1},
        masons.overlay_of(analysis()), masons.Drawing("<svg/>"), print,
        Observation(tampered, own.hidden), {**record(), "options": np.zeros(3)},
        {**record(), "events": [{"e": np.zeros(3)}]}, {**record(), "x": np.zeros(2)},
    ]  # fmt: skip


# ---- the calls


def one_each() -> Iterator[Change]:
    """Each argument of each callable, with some of the values; on demand with each of them."""
    count, chance = len(wrong_values()), random.Random(SEED)
    for name in NAMES:
        for argument in call_of(name)[1]:
            for number in range(count) if CALLS else chance.sample(range(count), SOME):
                yield name, [(argument, number)]


def at_random(count: int) -> Iterator[Change]:
    """Several arguments at once; a search keeps what stops it."""
    chance, size = random.Random(SEED), len(wrong_values())
    for _ in range(count):
        name = chance.choice(NAMES)
        arguments = [argument for argument in call_of(name)[1] if argument != "stop"]
        some = chance.sample(arguments, chance.randint(1, min(3, len(arguments))))
        yield name, [(argument, chance.randrange(size)) for argument in some]


def child(calls: Iterator[Change], log: Path) -> int:
    """Make all calls; the log has the one that is being made, and before it those that failed."""
    done = 0
    with log.open("w", encoding="utf-8") as out:
        for name, changes in calls:
            if done % 25 == 0:  # a call may have written to some
                wrong = wrong_values()
            if any(argument in _FUNCTIONS and callable(wrong[n]) for argument, n in changes):
                continue  # what a caller's own function raises is its own
            place = out.tell()
            out.write(f"CRASH {name} {changes}\n")
            out.flush()
            fault = ""
            try:
                function, right = call_of(name)
                function(**right | {argument: wrong[number] for argument, number in changes})
            except MasonsError as error:
                if "\n" in str(error) or len(str(error)) > 1000:
                    fault = f"long: {str(error)[:200]!r}"
            except Exception as error:
                fault = repr(error)[:200]
            out.seek(place)
            out.truncate()
            if fault:
                types = [type(wrong[number]).__name__ for _, number in changes]
                out.write(f"{name} {changes} {types} {fault}\n")
            done += 1
        out.flush()
    return done


def run_child(what: str, log: Path) -> str:
    """Return the faults that a separate process logged."""
    code = f"from tests.fuzz.test_fuzz_calls import *; child({what}, Path({str(log)!r}))"
    made = run_python("-X", "faulthandler", "-c", code, code=None, cwd=ROOT, timeout=None)
    faults = log.read_text(encoding="utf-8") if log.exists() else ""
    return faults if made.returncode == 0 else faults + made.stderr[-3000:]


def test_only_callables_are_left_out_or_have_arguments_of_their_own() -> None:
    assert sorted(PLAIN - set(callables())) == []
    assert sorted(set(SPECIAL) - set(NAMES)) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_arguments_of_each_callable_are_right(name: str) -> None:
    function, arguments = call_of(name)
    with pytest.raises(MasonsError) if name in REFUSED else nullcontext():
        function(**arguments)


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        ("masons.Session.searched", "top"),
        ("masons.Session.analysis", "top"),
        ("masons.Player.choose", "limits"),
        ("masons.Player.choose", "moves"),
        ("masons.env.batch_env.BatchEnv.refusal", "action"),
        ("masons.belief", "view"),
        ("masons.check_record", "record"),
        ("masons.draw_position", "names"),
    ],
)
def test_every_wrong_value_of_some_arguments(name: str, argument: str) -> None:
    function, right = call_of(name)
    for value in wrong_values():
        with suppress(MasonsError):
            function(**right | {argument: value})


@pytest.mark.slow
def test_one_wrong_argument(tmp_path: Path) -> None:
    assert run_child("one_each()", tmp_path / "calls") == ""


@pytest.mark.slow
def test_several_wrong_arguments(tmp_path: Path) -> None:
    assert run_child(f"at_random({CALLS or 300})", tmp_path / "calls") == "", (
        f"MASONS_FUZZ_SEED={SEED}"
    )
