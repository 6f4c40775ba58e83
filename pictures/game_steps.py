"""A game as data for a page that steps through it: what each step says and changes on the board.

Step 0 is the start, step k what there is after decision k. What a board shows is a set of switches,
each with a value; a step names only those that it changes, and every switch is empty at first:

| switch | element | value |
| --- | --- | --- |
| `w57` | the wall on line 57 | 1 where it stands, 2 where it is this turn's |
| `t12` | the tower on tower space 12 | colours `T0` to `T2`; on the shore `S0` to `S2` |
| `c40` | space 40 | 1 in a city, 2 in the city that is being scored |
| `p40` | the pieces in space 40 | `F7`: fragment 7 |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from masons.engine.board.components import CARDS, TOWER_COLORS
from masons.engine.state.position import picture_of
from masons.pictures.supply import supply_of
from masons.pictures.what_is_due import task_words

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.engine.formats.record_events import Event
    from masons.engine.game.record import Replay
    from masons.engine.state.position import Position

Value = int | str
Stock = tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]  # houses, palaces


@dataclass
class Fragments:
    """The distinct contents of spaces in a game: each is drawn once."""

    known: dict[tuple[int, Stock], str] = field(default_factory=dict)

    def name(self, space: int, stock: Stock) -> str:
        """The name of what stands in a space."""
        return self.known.setdefault((space, stock), f"F{len(self.known)}")


def switches(board: Board, position: Position, fragments: Fragments) -> dict[str, Value]:
    """The switches of a position that are not empty."""
    picture = picture_of(position)
    found: dict[str, Value] = {}
    for line in picture.walls:
        found[f"w{line}"] = 2 if line in picture.fresh else 1
    for tower, color in picture.towers.items():
        kind = "S" if board.tower_shore[tower] else "T"
        found[f"t{tower}"] = f"{kind}{TOWER_COLORS.index(color)}"
    for space in (space for city in picture.cities for space in city):
        found[f"c{space}"] = 2 if space in picture.focus else 1
    for space in sorted({*picture.houses, *picture.palaces}):
        stock = tuple(
            tuple(sorted(where.get(space, {}).items()))
            for where in (picture.houses, picture.palaces)
        )
        if any(stock):
            found[f"p{space}"] = fragments.name(space, (stock[0], stock[1]))
    return found


def changes(before: dict[str, Value], after: dict[str, Value]) -> dict[str, Value]:
    """What turns some switches into others; an empty one is 0."""
    gone: dict[str, Value] = dict.fromkeys((key for key in before if key not in after), 0)
    return gone | {key: value for key, value in after.items() if before.get(key) != value}


def game_steps(
    replay: Replay,
    names: Sequence[str],
    event_words: Callable[[Event], str],
    fragments: Fragments,
    *,
    hands: bool,
) -> Iterator[dict[str, Any]]:
    """The steps of a record that stands at its beginning; `hands` adds the hands.

    `names` are those of the seats, `event_words` says an event in words. Raises RecordError where
    the record leaves the rules.
    """
    game = replay.game
    shown: dict[str, Value] = {}
    logged = 0
    while True:
        position = game.position
        wanted = switches(game.board, position, fragments)
        events = game.log.events(logged)
        logged += len(events)
        say = [[event.get("p", -1), event_words(event)] for event in events]
        yield {
            **_figures(position, names, hands=hands),
            "say": say + [[-1, forfeit.words(names)] for forfeit in replay.new_forfeits()],
            "set": changes(shown, wanted),
        }
        shown = wanted
        if replay.is_done:
            replay.finish()
            return
        replay.step()


def _figures(position: Position, names: Sequence[str], *, hands: bool) -> dict[str, Any]:
    """What stands beside the board."""
    left = supply_of(position)
    figures: dict[str, Any] = {
        "turn": position.turn + 1,
        "active": position.active,
        "seat": -1 if position.phase == "over" else position.seat,
        "due": task_words(position, names),
        "scores": list(position.scores),
        "cards": list(position.hand_sizes),
        "piles": [position.deck_size, len(position.discard)],
        "supply": [left.walls, *left.towers, *left.houses, *left.palaces],
    }
    if hands:
        figures["hands"] = [
            [] if isinstance(hand, int) else [CARDS[kind] for kind in hand]
            for hand in position.hands
        ]
    return figures
