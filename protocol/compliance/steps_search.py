"""Steps of the compliance test about searches: limits, ids, stopping, what is busy, seeds."""

from __future__ import annotations

import time
from typing import Final

from masons.protocol.compliance.compliance_step import Step, Trial
from masons.protocol.compliance.sample_games import Stage, opening, samples
from masons.protocol.compliance.steps_games import SEED, legal_answer, placed, plain
from masons.protocol.compliance.tested_engine import NotOffered, TestedEngine, Unmet
from masons.protocol.messages.replies import shown

STOP_MS: Final = 50
MOVE_MS: Final = 200
CLOCK_MS: Final = 2000
_RANKS: Final = 3


def keeps_id(trial: Trial) -> str:
    """The id comes back, and none where there was none."""
    sample = samples()["wall"]
    engine = placed(trial, sample)
    for words, wanted in (("id a-7 sims 1", "a-7"), ("sims 1", ""), ("sims 1 id 12", "12")):
        _, name = engine.go(words)
        if name != wanted:
            raise Unmet(f"go {words}: bestmove with id {name!r}")
    return ""


def keeps_to_moves(trial: Trial) -> str:
    """Only some moves, or all but some."""
    sample = samples()["wall"]
    engine = placed(trial, sample)
    *others, last = sample.moves
    for words, allowed in (
        (f"moves {last} sims 1", {last}),
        (f"sims 1 avoid {' '.join(others)}", {last}),
        (f"moves {others[0]} {last} avoid {last} sims 1", {others[0]}),
        (f"moves {others[0]} {others[1]} sims 20", set(others[:2])),
    ):
        move, _ = engine.go(words)
        if move not in allowed:
            raise Unmet(f"{shown(move)} for go {shown(words)}")
    _keeps_reversed_cards(trial)
    engine = placed(trial, sample)
    engine.refuses("go id m moves wall:200 sims 1", "illegal", "syntax", name="m")
    engine.refuses("go id m avoid fly:1 sims 1", "illegal", "syntax", name="m")
    return ""


def _keeps_reversed_cards(trial: Trial) -> None:
    """Cards may be named in any order."""
    sample = samples()["score"]
    engine = placed(trial, sample)
    pair = next(move for move in sample.moves if "+" in move and len(set(_cards(move))) == 2)
    move, _ = engine.go(f"moves play:{'+'.join(reversed(_cards(pair)))} sims 1")
    if plain(move) != pair:
        raise Unmet(f"{shown(move)} where only {pair} was allowed, its cards in another order")


def _cards(move: str) -> list[str]:
    return move.partition(":")[2].split("+")


def ranks(trial: Trial) -> str:
    """What infos say."""
    sample = samples()["score"]
    engine = placed(trial, sample)
    best, _ = engine.go(f"sims 100 multipv {_RANKS}")
    last = {info.multipv: info for info in engine.infos if not info.string}
    if not last:
        return "no infos"
    for rank, info in last.items():
        if not 1 <= rank <= _RANKS or info.move not in sample.moves:
            raise Unmet(f"info of rank {rank} with move {shown(info.move)}")
        for name, seats in (("win", info.win), ("score", info.score)):
            if seats and len(seats) != sample.players:
                raise Unmet(f"{name} of {len(seats)} seats: there are {sample.players}")
    if 1 not in last:
        raise Unmet(f"infos of rank {min(last)} and no rank 1")
    if last[1].move != best:
        raise Unmet(f"bestmove {best}, but rank 1 is {last[1].move}")
    if len({info.move for info in last.values()}) != len(last):
        raise Unmet("two ranks have the same move")
    return f"{len(last)} ranks"


def movetime(trial: Trial) -> str:
    """A limit of time."""
    sample = samples()["wall"]
    engine = placed(trial, sample)
    began = time.monotonic()
    move, _ = engine.go(f"movetime {MOVE_MS}", MOVE_MS / 1000 + trial.timeouts.grace)
    if move not in sample.moves:
        raise Unmet(f"{shown(move)} is not legal")
    return f"{(time.monotonic() - began) * 1000:.0f} ms for {MOVE_MS}"


def clock(trial: Trial) -> str:
    """A clock."""
    sample = samples()["wall"]
    engine = placed(trial, sample)
    clocks = ",".join([str(CLOCK_MS)] * sample.players)
    increments = ",".join(["0"] * sample.players)
    began = time.monotonic()
    legal_answer(engine, sample, f"clock {clocks} inc {increments}")
    took = (time.monotonic() - began) * 1000
    if took > CLOCK_MS:
        raise Unmet(f"{took:.0f} ms with {CLOCK_MS} on the clock")
    return f"{took:.0f} ms with {CLOCK_MS} on the clock"


def wrong_state(trial: Trial) -> str:
    """Nothing to search."""
    sample = samples()["wall"]
    engine = trial.ready()
    engine.refuses("go id x sims 1", "state", name="x")
    engine.accepts(sample.opening)
    engine.refuses("go id y sims 1", "state", name="y")
    other = (sample.seat + 1) % sample.players
    stage = Stage(sample.players, SEED)
    engine.accepts(opening(sample.players, other), f"position {stage.observe(other)}")
    if stage.game.seat == other:
        stage.advance()
    engine.accepts(f"position {stage.observe(other)}")
    if stage.game.seat != other:
        engine.refuses("go id z sims 1", "state", name="z")
    while not stage.game.is_over:
        stage.advance()
    engine.accepts(f"position {stage.observe(other)}")
    engine.refuses("go id over sims 1", "state", name="over")
    return ""


def bad_go(trial: Trial) -> str:
    """Words that are wrong."""
    sample = samples()["wall"]
    engine = placed(trial, sample)
    for words in ("sims", "sims many", "fish", "movetime -5", "clock", "multipv x", "seed"):
        engine.refuses(f"go id q {words}", "syntax", name="q")
    return legal_answer(engine, sample)


# --- stopping


def _searching(trial: Trial, name: str) -> TestedEngine:
    """An engine that searches."""
    engine = placed(trial, samples()["wall"])
    engine.infos.clear()
    engine.send(f"go id {name} infinite")
    _still_searches(engine)
    return engine


def _still_searches(engine: TestedEngine) -> None:
    """The engine answers `isready` at once, and nothing else."""
    if said := engine.sync():
        raise Unmet(f"{shown(said[0])} during go infinite")


def _stopped(engine: TestedEngine, line: str, wanted: str) -> str:
    began = time.monotonic()
    engine.send(line)
    move, name = engine.bestmove(engine.timeouts.grace)
    took = (time.monotonic() - began) * 1000
    if name != wanted or move not in samples()["wall"].moves:
        raise Unmet(f"bestmove {shown(move)} id {shown(name)}")
    engine.accepts()
    return f"{took:.0f} ms ({STOP_MS} allowed)"


def stop(trial: Trial) -> str:
    """An endless search ends when it is asked to."""
    return _stopped(_searching(trial, "s1"), "stop", "s1")


def stop_by_id(trial: Trial) -> str:
    """The same, by its id."""
    return _stopped(_searching(trial, "s2"), "stop s2", "s2")


def stale_stop(trial: Trial) -> str:
    """A stop for another search, and one for none."""
    engine = _searching(trial, "new")
    engine.send("stop old")
    _still_searches(engine)
    _stopped(engine, "stop new", "new")
    engine.accepts("stop")
    engine.accepts("stop new")
    return ""


def busy(trial: Trial) -> str:
    """What must wait for the end of a search."""
    sample = samples()["wall"]
    engine = _searching(trial, "b")
    engine.refuses("go id c sims 1", "busy", name="c")
    for line in (f"position {sample.text}", sample.opening, "event move 0 wall:1"):
        engine.refuses(line, "busy")
    engine.refuses("setoption name NoSuchOption value 1", "busy", "unknown")
    _still_searches(engine)
    return _stopped(engine, "stop", "b")


def ready_at_once(trial: Trial) -> str:
    """`isready` does not wait for the end of a search."""
    engine = _searching(trial, "r")
    for _ in range(20):
        _still_searches(engine)
    return _stopped(engine, "stop", "r")


def stop_bench(trial: Trial) -> str:
    """A measurement that is ended."""
    engine = trial.ready()
    engine.send("bench")
    engine.send("stop")
    said = engine.line()
    if said.startswith("error unknown"):
        raise NotOffered(said)
    if not said.startswith(("error state", "response bench signature ")):
        raise Unmet(shown(said))
    engine.accepts()
    return ""


# --- the same again


def seeds(trial: Trial) -> str:
    """With a seed and `sims`, the answer depends on nothing else."""
    sample = samples()["wall"]
    words = [f"seed {seed} sims 50" for seed in (1, 2, 3)]
    engine = placed(trial, sample)
    first = [engine.go(word)[0] for word in words]
    again = [engine.go(word)[0] for word in reversed(words)][::-1]
    new = trial.ready()
    new.accepts(sample.opening, f"position {sample.text}")
    later = [new.go(word)[0] for word in words]
    if not first == again == later:
        raise Unmet(f"{first}, then {again}, in another process {later}")
    return ""


STEPS: Final[tuple[Step, ...]] = (
    Step("id", "go with an id and without", "bestmove with the same", keeps_id),
    Step("moves and avoid", "go with either and both", "kept; an error for others", keeps_to_moves),
    Step("infos", f"go sims 100 multipv {_RANKS}", "sound infos, rank 1 is bestmove", ranks),
    Step("movetime", f"go movetime {MOVE_MS}", "bestmove in time", movetime),
    Step("clock", f"go clock {CLOCK_MS},... inc 0,...", "bestmove before it runs out", clock),
    Step("nothing to search", "go without a decision", "error state with the id", wrong_state),
    Step("bad go", "go with wrong words", "error syntax with the id", bad_go),
    Step("stop", "go infinite, stop", "bestmove then, not before", stop),
    Step("stop by id", "go id s2 infinite, stop s2", "bestmove then, not before", stop_by_id),
    Step("stale stop", "stop for another search, and for none", "nothing", stale_stop),
    Step("busy", "go, newgame, position, event during a search", "error busy", busy),
    Step("isready in a search", "go infinite, isready", "readyok at once", ready_at_once),
    Step("bench", "bench, stop", "error state, or the answer", stop_bench),
    Step("seeds", "go seed sims, again, in another process", "the same bestmove", seeds),
)
