"""The timeline of a recorded game: the deal, every decision, and all events of chance.

The dice of one roll are a single step, and so are the cards of one draw. Forced events (a placement
with only one outcome, palaces, a reshuffle) belong to the step before them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from masons.engine.board.geometry import Board
from masons.engine.formats.move_text import Move
from masons.engine.formats.record_endings import Forfeit, Stopped
from masons.engine.formats.record_events import Event
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation
from masons.engine.game.replay import Replay
from masons.engine.game.table import Table
from masons.engine.plain_text import plain_name
from masons.engine.state import layout
from masons.engine.state.derive import empty_state

DEAL: Final = "deal"
DICE: Final = "dice"
CARDS: Final = "cards"
DECISION: Final = "decision"
_NAME: Final = 24  # longest name, in characters


@dataclass(frozen=True)
class Step:
    """One step of a game."""

    cause: str  # DEAL, DICE, CARDS or DECISION
    number: int  # number of the decision (from 1), or of the last decision before this step
    turn: int  # from 1
    seat: int  # the seat that decided, rolled or drew
    phase: str  # the phase of a decision, else ""
    move: Move | None  # the move of a decision, else None
    fell: tuple[str, ...]  # the dice rolled (tower or -, two houses), or the cards drawn
    choices: int  # number of legal moves of a decision
    state: layout.State  # uint64[STATE_WORDS] after the step
    observed: Observation | None  # the seat's view before a decision
    stand_in: bool = False  # a stand-in decided, because the seat had forfeited


@dataclass(frozen=True)
class Timeline:
    """A game as a sequence of steps, possibly cut short; `start` is the state before the deal."""

    table: Table
    start: layout.State
    names: tuple[str, ...]
    steps: tuple[Step, ...]  # the deal first
    winners: tuple[int, ...]  # empty if the game did not end
    scores: tuple[int, ...]
    has_end: bool
    stopped: Stopped | None
    forfeits: tuple[Forfeit, ...]

    @property
    def players(self) -> int:
        """The number of seats."""
        return len(self.names)

    @property
    def shares(self) -> tuple[float, ...]:
        """Each seat's share of the victory; all shares are equal if nobody won."""
        seats = range(self.players)
        winners = self.winners or seats
        return tuple(1 / len(winners) if seat in winners else 0.0 for seat in seats)

    def before(self, index: int) -> layout.State:
        """Return the state (uint64[STATE_WORDS]) before step `index`."""
        return self.steps[index - 1].state if index else self.start

    def observe(self, index: int) -> Observation:
        """Return the view of the seat that decides in step `index`, before the decision."""
        observed = self.steps[index].observed
        assert observed is not None
        return observed


def timeline_of(record: Mapping[str, Any], board: Board | None = None) -> Timeline:
    """Return the timeline of a record. Raises RecordError if the record violates the rules."""
    replay, stand_ins = _checked(dict(record), board)
    game = Game(
        int(record["players"]),
        board=replay.game.board,
        first=int(record["first"]),
        early_roll=bool(record["options"]),
        chance=Outside(),
        hands=record["hands"],
    )
    start = empty_state(
        game.table.packed, game.players, first=game.first, early_roll=game.early_roll
    )
    steps = tuple(_steps(game, replay, stand_ins))
    return Timeline(
        table=game.table,
        start=start,
        names=_names(record["names"]),
        steps=steps,
        winners=replay.winners,
        scores=game.scores,
        has_end=game.is_over,
        stopped=replay.stopped,
        forfeits=replay.forfeits,
    )


def _names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the seats, made printable, short and unique."""
    shown = [plain_name(name).strip() for name in names]
    short = [name[:_NAME] or f"seat {seat}" for seat, name in enumerate(shown)]
    return tuple(
        f"{name} ({seat})" if short.count(name) > 1 else name for seat, name in enumerate(short)
    )


def _checked(record: dict[str, Any], board: Board | None) -> tuple[Replay, list[bool]]:
    """Return the replay of a record, and a list that is True for decisions of a stand-in."""
    replay = Replay(record, board)
    stand_ins = []
    while not replay.is_done:
        stand_ins.append(replay.by_stand_in)
        replay.step()
    replay.finish()
    return replay, stand_ins


def _steps(game: Game, replay: Replay, stand_ins: Sequence[bool]) -> Iterator[Step]:
    """Replay the game with the dice and cards of its events, and yield its steps."""
    events = replay.events
    rolls = iter([event for event in events if event["e"] == "roll"])
    cards = iter([name for event in events for name in _drawn(event)])
    yield _step(game, DEAL, 0, game.first)
    for number, (move, stand_in) in enumerate(zip(replay.game.moves, stand_ins, strict=True), 1):
        seat, phase, choices = game.seat, game.phase, len(game.legal_moves())
        turn, observed = game.position.turn + 1, game.observe(seat)
        game.apply_legal(move)
        yield Step(
            DECISION, number, turn, seat, phase, move, (), choices, game.state, observed, stand_in
        )
        while game.phase in ("roll", "draw"):
            seat = game.seat
            if game.phase == "roll":
                event = next(rolls, None)
                if event is None:  # an unfinished game that was cut here
                    return
                tower, (first, second) = event["tower"], event["houses"]
                game.give_roll(tower, first, second)
                yield _step(game, DICE, number, seat, tower or "-", first, second)
                continue
            drawn = []
            while game.phase == "draw":
                drawn.append(next(cards))
                game.give_card(drawn[-1])
            yield _step(game, CARDS, number, seat, *drawn)


def _drawn(event: Event) -> Iterator[str]:
    yield from event.get("drew", ())
    yield from event.get("in", ())


def _step(game: Game, cause: str, number: int, seat: int, *fell: str) -> Step:
    turn = game.position.turn + 1
    return Step(cause, number, turn, seat, "", None, fell, 0, game.state, None)
