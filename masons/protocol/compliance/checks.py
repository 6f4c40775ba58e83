"""The parts of the compliance test that depend on what the engine answers.

A session calls these checks by their names. A check returns a note or None.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from masons.engine.board.components import CARDS
from masons.engine.plain_text import count
from masons.engine.state.packed_move import DECISIONS
from masons.protocol.compliance.sample_games import Stage
from masons.protocol.compliance.trial import TestedEngine, Trial, expect, move_in
from masons.protocol.messages.replies import (
    Option,
    parse_belief,
    parse_evaluation,
    parse_option,
    shown,
)
from masons.protocol.messages.seat_events import format_event, hand_names, result_words

T = TypeVar("T")

_SEED: Final = 7  # of the sample games
_STEPS_TRIED: Final = 120  # the number of events at a game's start that `query view` checks
_RANKS: Final = 3


# --- options


def _options(lines: Sequence[str]) -> list[Option]:
    """Check the answer to `mei` and return the options in it. Raises Unmet."""
    options: dict[str, Option] = {}
    for line in lines:
        if line.startswith("option"):
            option = parse_option(line)
            is_new = option.name.lower() not in options
            expect(is_new, f"two options are called {option.name}")
            options[option.name.lower()] = option
        else:
            expect(line.split()[0] in ("id", "protocol"), f"{shown(line)} in the answer to mei")
    for wanted in ("protocol 1", "id name", "id version", "id author"):
        is_said = any(f"{line} ".startswith(f"{wanted} ") for line in lines)
        expect(is_said, f"no line {wanted}")
    return list(options.values())


def _handshake(trial: Trial, _: str) -> str:
    lines = trial.engine.hello()
    options = _options(lines)
    name = next(line for line in lines if line.startswith("id name"))[8:]
    return f"{shown(name)}, {count(len(options), 'option')}"


def _ready(trial: Trial, _: str) -> str:
    engine = trial.engine
    return f"{time.monotonic() - engine.began:.1f} s after its start"


def _lenient_handshake(trial: Trial, _: str) -> None:
    _options(trial.engine.until("meiok", trial.engine.timeouts.handshake))


def _bad_options(trial: Trial, _: str) -> str:
    engine = trial.engine
    options = _options(engine.hello())
    engine.refuses("setoption name NoSuchOption value 1", "unknown")
    engine.refuses("setoption", "syntax", "unknown")
    words = {"spin": ["many", "1.5"], "check": ["perhaps"], "combo": ["no-such-choice"]}
    tried = 0
    for option in options:
        wrong = list(words.get(option.type, []))
        wrong += [] if option.high is None else [str(option.high + 1)]
        wrong += [] if option.low is None else [str(option.low - 1)]
        for value in wrong:
            engine.refuses(f"setoption name {option.name} value {value}")
        tried += len(wrong)
    return count(tried, "value")


def _option_defaults(trial: Trial, _: str) -> str:
    engine = trial.engine
    options = [option for option in _options(engine.hello()) if option.type != "button"]
    for option in options:
        for name in (option.name, option.name.swapcase()):
            value = f" value {option.default}" if option.default else ""
            engine.accepts(f"setoption name {name}{value}")
    return count(len(options), "option")


# --- games


def _play_game(trial: Trial, word: str) -> str:
    """Play a whole game with the engine in the last seat. Return the number of its decisions."""
    players, decisions = int(word), 0
    seat = players - 1
    engine, stage = trial.engine, Stage(players, _SEED)
    engine.accepts(_opening(players, seat), f"position {stage.observe(seat)}")
    while not stage.game.is_over:
        move = None
        if stage.game.phase in DECISIONS and stage.game.seat == seat:
            decisions += 1
            engine.send(f"position {stage.observe(seat)}")
            text = engine.go("sims 1")
            move = move_in(f"bestmove {text}", text)
            is_legal = stage.game.is_legal(move)
            expect(is_legal, f"{shown(text)} is not legal in {stage.observe(seat)}")
        engine.send(f"event {format_event(stage.advance(move), seat)}")
    assert stage.game.result is not None
    hands = "/".join("+".join(cards) or "-" for cards in hand_names(stage.game))
    engine.accepts(f"gameover {result_words(stage.game.result)} hands {hands}")
    return count(decisions, "decision")


def _opening(players: int, seat: int) -> str:
    return f"newgame players {players} seat {seat} board classic"


def _events(trial: Trial, _: str) -> str:
    players, seat, sent = 3, 1, 0
    engine, stage = trial.engine, Stage(players, _SEED)
    engine.accepts(_opening(players, seat), f"position {stage.observe(seat)}")
    engine.ask("query view", "view")
    while not stage.game.is_over:
        line = f"event {format_event(stage.advance(), seat)}"
        engine.send(line)
        sent += 1
        if sent <= _STEPS_TRIED or stage.game.is_over:
            view, right = engine.ask("query view", "view"), stage.observe(seat)
            expect(view == right, f"after {line}: {view}, not {right}")
    engine.accepts()
    return f"{sent} events"


# --- searches


def _parsed(engine: TestedEngine, word: str, parse: Callable[[Sequence[str]], T]) -> tuple[str, T]:
    """Send a command. Return the first line of the answer, and the parsed whole answer."""
    first = f"response {word} {engine.ask(word, word)}"
    return first, parse([first, *engine.sync()])


def _evaluation(trial: Trial, _: str) -> None:
    game = trial.sample.game
    first, evaluation = _parsed(trial.engine, "eval", parse_evaluation)
    sizes = {len(evaluation.win), len(evaluation.score)}
    expect(sizes == {game.players}, f"{shown(first)}: there are {game.players} seats")
    hand = game.position.hands[game.seat]
    assert not isinstance(hand, int)
    held = {CARDS[kind]: hand.count(kind) for kind in hand}
    counts = {name: count for name, (count, _) in evaluation.cards.items()}
    expect(counts == held, f"cards {evaluation.cards} for the hand {held}")


def _belief(trial: Trial, _: str) -> None:
    _, beliefs = _parsed(trial.engine, "belief", parse_belief)
    others = set(range(trial.sample.game.players)) - {trial.sample.game.seat}
    expect(set(beliefs) == others, f"seats {sorted(beliefs)}, not {sorted(others)}")
    for seat, held in beliefs.items():
        total = sum(expected for expected, _ in held.kinds.values())
        is_right = abs(total - held.cards) <= 0.1 and set(held.kinds) <= set(CARDS)
        expect(
            is_right, f"seat {seat} holds {count(held.cards, 'card')}, but {total:.3f} are expected"
        )


def _infos(trial: Trial, _: str) -> str:
    engine, game = trial.engine, trial.sample.game
    best = engine.go(f"sims 100 multipv {_RANKS}")
    expect(not engine.late_infos, "an info about the search after its bestmove")
    last = {info.multipv: info for info in engine.infos if not info.string}
    if not last:
        return "no infos"
    moves = {
        rank: move_in(f"an info with move {info.move}", info.move) for rank, info in last.items()
    }
    for rank, info in last.items():
        is_sound = 1 <= rank <= _RANKS and game.is_legal(moves[rank])
        expect(is_sound, f"info of rank {rank} with move {shown(info.move)}")
        for name, seats in (("win", info.win), ("score", info.score)):
            said = f"{name} of {len(seats)} seats: there are {game.players}"
            expect(len(seats) in (0, game.players), said)
        for name, shares in (("win", info.win), ("expect", info.expect)):
            said = ",".join(f"{share:g}" for share in shares)
            expect(all(0 <= share <= 1 for share in shares), f"{name} {said}: not from 0 to 1")
    expect(1 in last, f"infos of rank {min(last)} and no rank 1")
    expect(
        moves[1] == move_in(f"bestmove {best}", best),
        f"bestmove {best}, but rank 1 is {last[1].move}",
    )
    expect(len(set(moves.values())) == len(moves), "two ranks have the same move")
    return f"{len(last)} ranks"


def _seeds(trial: Trial, _: str) -> None:
    engine, sample = trial.engine, trial.sample
    words = [f"seed {seed} sims 50" for seed in (1, 2, 3)]
    first = [engine.go(word) for word in words]
    again = [engine.go(word) for word in reversed(words)][::-1]
    new = trial.new(is_ready=True)
    new.accepts(sample.value("opening"), f"position {sample.text}")
    later = [new.go(word) for word in words]
    expect(first == again == later, f"{first}, then {again}, in another process {later}")


CHECKS: Final[dict[str, Callable[[Trial, str], str | None]]] = {
    "handshake": _handshake,
    "ready": _ready,
    "lenient_handshake": _lenient_handshake,
    "bad_options": _bad_options,
    "option_defaults": _option_defaults,
    "game": _play_game,
    "events": _events,
    "evaluation": _evaluation,
    "belief": _belief,
    "infos": _infos,
    "seeds": _seeds,
}
