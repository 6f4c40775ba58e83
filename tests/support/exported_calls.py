"""Valid arguments for every exported callable, and values that are wrong for most arguments."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

import masons
from masons.ai.players.named_players import make_player
from masons.ai.search.threads import Stop
from masons.engine.board.components import CARDS
from masons.engine.game.action_history import new_history
from masons.engine.game.observation import Observation
from masons.env.batch_env import BatchEnv
from masons.protocol.client.engine_client import Engine
from tests.support.named_play import brought_to, play_named
from tests.support.paths import ROOT

Arguments = dict[str, Any]
_DOCUMENTED = re.compile(r"^::: (\S+)", re.MULTILINE)


def exported() -> dict[str, Any]:
    """Return all exported objects by name: those of `masons`, and those in `docs/api.md`."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    names = {f"masons.{name}" for name in masons.__all__} | set(_DOCUMENTED.findall(page))
    homes = {name: name.rpartition(".")[::2] for name in sorted(names)}
    return {name: getattr(import_module(home), last) for name, (home, last) in homes.items()}


def callables() -> Iterator[str]:
    """Yield the names of the exported functions and classes, and of the classes' public methods."""
    for name, value in exported().items():
        if callable(value):
            yield name
        if isinstance(value, type):
            for method, held in vars(value).items():
                if method[0] != "_" and isinstance(inspect.unwrap(_bare(held)), type(_bare)):
                    yield f"{name}.{method}"


def _bare(held: Any) -> Any:
    return held.__func__ if isinstance(held, classmethod | staticmethod) else held


# Callables without a row in ROWS: plain data, and what users do not call.
PLAIN = {
    *("masons.MasonsError", "masons.Move", "masons.Result", "masons.Position", "masons.Drawing"),
    *("masons.Board", "masons.Board.to_dict", "masons.Board.to_json"),
    *(f"masons.engine.errors.{kind}Error" for kind in ("Board", "Position", "Move", "Record")),
    *(f"masons.ai.search.results.{kind}" for kind in ("Analysis", "MoveStats")),
    *("masons.ai.session.SearchRequest", "masons.ai.beliefs.hand_estimates.Holding"),
    *("masons.ai.players.player.Player", "masons.ai.search.threads.Stop.ending"),
    *(f"masons.protocol.client.engine_client.{kind}"
      for kind in ("Timeouts", "Answer", "Info", "Evaluation", "Belief", "Option")),
    *(f"masons.protocol.messages.error_codes.{kind}"
      for kind in ("EngineError", "EngineCrash", "EngineStall", "ProtocolFault")),
    # Only games call these, with what the rules made, or callers with arguments known to be sound.
    *(f"masons.Outside.{name}" for name in ("shuffle", "roll", "mark", "back")),
    *(f"masons.engine.game.table.Table.{name}"
      for name in ("state_of_settled", "moves_of_sound", "add_sound_choice")),
    "masons.env.batch_env.BatchStep",
    # These have no argument that can be wrong.
    "masons.Fair.chance", "masons.Fair.public",
    *(f"masons.env.batch_env.BatchEnv.{name}" for name in ("pick_actions", "close", "beliefs")),
    "masons.ai.search.results.Analysis.unmeasured",
    "masons.Game.legal_moves", "masons.Outside", "masons.ai.search.threads.Stop",
    "masons.ai.search.threads.Stop.set", "masons.engine.game.observation.Observation.unpacked",
    *(f"masons.protocol.client.engine_client.Engine.{name}"
      for name in ("start", "quit", "close", "ready", "stop", "evaluate")),
}  # fmt: skip


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


def _waiting() -> masons.Game:
    """Return a game that waits for its dice, which the caller gives."""
    cards = masons.Game(seed=1).hands_dealt
    names = [[CARDS[kind] for kind in hand] for hand in cards]
    game = masons.Game(hands=names, chance=masons.Outside())
    game.apply("wall:0")
    return game


def _stopped() -> Stop:
    """Return a stop that is set, so that a search ends even if its limit is wrong."""
    stop = Stop()
    stop.set()
    return stop


def _search() -> Arguments:
    game = scoring()
    return {
        "view": game.observe(game.seat), "limits": None, "sims": 2, "seconds": None, "only": None,
        "stop": _stopped(), "progress": None, "interval": 0.5, "top": None,
    }  # fmt: skip


def _fair() -> masons.Fair:
    return masons.Fair(bytes(32), ("a", ""))


def _record() -> dict[str, Any]:
    return masons.game_record(finished())


def _engine() -> Engine:
    return Engine(["no-such-engine"])


def _envs(steps: int = 9) -> BatchEnv:
    """Return two environments after `steps` steps of their games."""
    env = BatchEnv(2, seed=1)
    env.reset()
    for _ in range(steps):
        env.step(env.pick_actions())
    return env


_TABLE = "masons.engine.game.table.Table"
_ENVS = "masons.env.batch_env.BatchEnv"
_ENGINE = "masons.protocol.client.engine_client.Engine"
_POSITIONS = "masons.engine.formats.position_text"

# For each callable, a function that returns the object whose method it is (None if it is not a
# method) and valid arguments.
ROWS: dict[str, Callable[[], tuple[Any, Arguments]]] = {
    _ENVS: lambda: (None, {
        "num_envs": 2, "players": 2, "board": "classic", "threads": 1, "seed": 1,
        "auto_reset": True, "reward": "win", "early_roll": False,
        "beliefs": False}),
    f"{_ENVS}.reset": lambda: (_envs(), {"seed": 1, "where": None}),
    f"{_ENVS}.step": lambda: (_envs(0), {"actions": [3, 4]}),
    f"{_ENVS}.are_legal": lambda: (_envs(), {"actions": [3, 4]}),
    f"{_ENVS}.refusal": lambda: (_envs(), {"number": 1, "action": 57}),
    f"{_ENVS}.seen_by": lambda: (_envs(), {"number": 1, "seat": 0}),
    f"{_ENVS}.observe": lambda: (_envs(), {"number": 1}),
    f"{_ENVS}.legal_mask": lambda: (_envs(), {"number": 1}),
    f"{_ENVS}.position": lambda: (_envs(), {"number": 1}),
    f"{_ENVS}.encode": lambda: (_envs(0), {"move": "wall:57", "number": 1}),
    f"{_ENVS}.decode": lambda: (_envs(), {"action": 57}),
    f"{_ENVS}.state": lambda: (_envs(), {"where": None}),
    f"{_ENVS}.set_state": lambda: (_envs(), {"states": _envs().state(), "where": None}),
    f"{_ENVS}.set_game": lambda: (_envs(), {"number": 1, "state": scoring().state}),
    f"{_ENVS}.redeal": lambda: (_envs(), {"states": _envs().state(), "seed": 1, "seat": None}),
    "masons.Game": lambda: (None, {
        "players": 2, "board": "classic", "seed": 1, "first": 0, "early_roll": False,
        "chance": None, "hands": None}),
    "masons.Game.from_position": lambda: (masons.Game, {
        "text": scoring().text, "board": None, "seed": 1, "chance": None}),
    "masons.Game.view": lambda: (masons.Game(seed=1), {"seat": 0}),
    "masons.Game.observe": lambda: (masons.Game(seed=1), {"seat": 0}),
    "masons.Game.is_legal": lambda: (masons.Game(seed=1), {"move": "wall:3"}),
    "masons.Game.apply": lambda: (masons.Game(seed=1), {"move": "wall:3"}),
    "masons.Game.give_roll": lambda: (_waiting(), {
        "tower": "white", "first": "red", "second": "?"}),
    "masons.Game.give_card": lambda: (_waiting(), {"name": "cities"}),
    "masons.Game.undo": lambda: (masons.Game(seed=1), {"count": 0}),
    "masons.Position.observed_by": lambda: (scoring().position, {"seat": 0}),
    "masons.Board.from_dict": lambda: (masons.Board, {"description": scoring().board.to_dict()}),
    "masons.Drawing.png": lambda: (
        masons.draw_position(scoring().board, scoring().position), {"width": 64}),
    "masons.parse_move": lambda: (None, {"text": "wall:3"}),
    "masons.format_move": lambda: (None, {"move": masons.parse_move("wall:3")}),
    "masons.load_board": lambda: (None, {"name_or_path": "classic"}),
    "masons.analyze": lambda: (None, {
        "table": scoring().table, "seed": 0, "options": None, **_search()}),
    "masons.Session": lambda: (None, {"table": scoring().table, "seed": 0, "options": None}),
    "masons.Session.analyze": lambda: (masons.Session(scoring().table), _search()),
    "masons.Session.analyse": lambda: (masons.Session(scoring().table), _search()),
    "masons.Session.search": lambda: (masons.Session(scoring().table), _search()),
    "masons.ai.search.results.Analysis.of": lambda: (analysis(), {"move": analysis().best}),
    "masons.Session.analysis": lambda: (_searched(), {"top": 1}),
    "masons.Limits": lambda: (None, {
        "sims": 2, "movetime_ms": 1, "infinite": False, "clock": (5, 5), "inc": (1, 1),
        "seed": 3}),
    "masons.Limits.of": lambda: (masons.Limits, {"sims": 1, "seconds": 1.0}),
    "masons.Limits.part": lambda: (masons.Limits(5), {"over": 1, "under": 2}),
    "masons.SearchOptions": lambda: (None, {
        "method": "ismcts", "threads": 1, "memory_mb": 8, "level": None, "policy": "busy",
        "exploration": 0.5}),
    "masons.game_record": lambda: (None, {"game": finished(), "names": ["a", "b"]}),
    "masons.format_record": lambda: (None, {"record": _record()}),
    "masons.parse_record": lambda: (None, {"line": masons.format_record(_record())}),
    "masons.read_record": lambda: (None, {"path": os.devnull, "number": 1}),
    "masons.check_record": lambda: (None, {"record": _record(), "board": None}),
    "masons.replay_to": lambda: (None, {"record": _record(), "decision": 3, "board": None}),
    "masons.draw_position": lambda: (None, {
        "board": scoring().board, "position": scoring().position, "hands": True, "labels": True,
        "title": "t", "names": ["a", "b"], "overlay": masons.overlay_of(analysis())}),
    "masons.overlay_of": lambda: (None, {
        "analysis": analysis(), "words": str, "listed": 3, "note": ""}),
    "masons.FairOffer": lambda: (None, {"players": 2}),
    "masons.FairOffer.give": lambda: (masons.FairOffer(), {"seat": 1, "nonce": "words"}),
    "masons.FairOffer.close": lambda: (masons.FairOffer(), {"draws_first": True}),
    "masons.Fair": lambda: (None, {
        "secret": bytes(32), "nonces": ("a", ""), "draws_first": True}),
    "masons.Fair.new_game": lambda: (_fair(), {
        "board": "classic", "first": 0, "early_roll": False}),
    "masons.Fair.revealed": lambda: (_fair(), {"record": _record()}),
    "masons.Fair.sealed": lambda: (_fair(), {"record": _record()}),
    "masons.check_fair": lambda: (None, {
        "record": _fair().revealed(_record()), "board": None}),
    "masons.engine.game.observation.Observation": lambda: (None, {
        "state": scoring().state, "hidden": (0, 6), "history": new_history()}),
    _TABLE: lambda: (None, {"board": scoring().board}),
    f"{_TABLE}.state_of": lambda: (scoring().table, {"position": scoring().position}),
    f"{_TABLE}.view": lambda: (scoring().table, {"observed": scoring().observe(0)}),
    f"{_TABLE}.card_points": lambda: (scoring().table, {"state": scoring().state, "city": None}),
    f"{_TABLE}.legal_moves": lambda: (scoring().table, {"state": scoring().state}),
    f"{_TABLE}.add_choice": lambda: (scoring().table, {
        "state": scoring().state, "move": scoring().legal_moves()[0], "history": new_history()}),
    f"{_TABLE}.is_legal": lambda: (scoring().table, {
        "state": scoring().state, "move": scoring().legal_moves()[0], "listed": None}),
    f"{_TABLE}.listed_as": lambda: (scoring().table, {
        "state": scoring().state, "move": scoring().legal_moves()[0]}),
    f"{_POSITIONS}.format_position": lambda: (None, {
        "position": scoring().position, "board": scoring().board}),
    f"{_POSITIONS}.parse_position": lambda: (None, {"text": scoring().text, "board": None}),
    "masons.ai.beliefs.hand_estimates.belief": lambda: (None, {
        "view": scoring().observe(0), "seat": 1}),
    "masons.ai.beliefs.hand_estimates.estimate_hands": lambda: (None, {
        "table": scoring().table, "view": scoring().observe(0), "deals": 3}),
    "masons.ai.players.named_players.make_player": lambda: (None, {
        "spec": "default:sims=5", "seed": 1}),
    "masons.ai.players.player.Player.choose": lambda: (make_player("greedy", 1), {
        "table": scoring().table, "view": scoring().observe(scoring().seat),
        "moves": scoring().legal_moves(), "limits": None}),
    _ENGINE: lambda: (None, {
        "command": ["no-such-engine"], "name": None, "timeouts": _engine().timeouts, "cwd": None,
        "env": None}),
    f"{_ENGINE}.set_option": lambda: (_engine(), {"name": "seed", "value": 3}),
    f"{_ENGINE}.new_game": lambda: (_engine(), {
        "players": 2, "seat": 0, "board": "classic", "early_roll": False}),
    f"{_ENGINE}.position": lambda: (_engine(), {"text": "masons1"}),
    f"{_ENGINE}.event": lambda: (_engine(), {"text": "move 0 wall:57"}),
    f"{_ENGINE}.game_over": lambda: (_engine(), {
        "scores": (1, 2), "winners": (1,), "end": "walls", "hands": None}),
    f"{_ENGINE}.go": lambda: (_engine(), {"limits": masons.Limits(5), "multipv": 2}),
    f"{_ENGINE}.begin": lambda: (_engine(), {"limits": masons.Limits(5), "moves": ["wall:3"]}),
    f"{_ENGINE}.wait": lambda: (_engine(), {"seconds": 1.0}),
    f"{_ENGINE}.query": lambda: (_engine(), {"what": "legal"}),
    f"{_ENGINE}.belief": lambda: (_engine(), {"seat": 1}),
}  # fmt: skip
# Callables that raise MasonsError even with valid arguments, as there is nothing for them to do.
REFUSED = {
    "masons.Game.give_card", "masons.read_record",
    *(name for name in ROWS if name.startswith(f"{_ENGINE}.")),
}  # fmt: skip


def _searched() -> masons.Session:
    session = masons.Session(scoring().table)
    session.search(scoring().observe(scoring().seat), sims=2)
    return session


class Unshowable:
    """A value whose `repr` raises an error."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


def wrong_values() -> list[Any]:
    """Return values of many types. For almost every argument, almost all of them are wrong."""
    game, other = scoring(), masons.Game(
        players=3, board=masons.load_board(ROOT / "tests/support/boards/ring-128.json"), seed=1
    )  # fmt: skip
    state, view = game.state, game.observe(1 - game.seat)
    position = game.position
    noise = np.random.default_rng(1).integers(0, 2**63, 128).astype(np.uint64)
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
        masons.Position(2), masons.Position("x"),  # type: ignore[arg-type]
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
        masons.Outside, analysis(), _record(), {"format": "masons-record", "version": 1},
        masons.overlay_of(analysis()), masons.Drawing("<svg/>"), print,
    ]  # fmt: skip
