"""What is marked on the board at a decision: what is new, and the numbers of the moves' places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from masons.cli.terminal.drawing.text_board import Look
from masons.match.playing.scored_view import line_groups, line_moves

if TYPE_CHECKING:
    from masons.match.playing.played_game import PlayedGame


def marks(
    played: PlayedGame, owner: int | None, *, decides: bool = True, all_ids: bool = False
) -> Look:
    """The marks for a seat (None: for everybody); `all_ids` numbers all lines for a wall.

    Places are numbered where the seat `decides`.
    """
    changes = played.latest() if owner is None else played.changes(owner)
    line = played.game.position.line
    walls = {event["line"] for event in changes if event["e"] == "wall"}
    lines, towers, spaces = _places(played, all_ids) if decides else ((), (), ())
    return Look(
        fresh_lines=frozenset(walls if line is None else {*walls, line}),
        fresh_towers=frozenset(
            place for e in changes if e["e"] == "towers" for place, _ in e["put"]
        ),
        fresh_spaces=frozenset(
            place for e in changes if e["e"] == "houses" for place, _ in e["put"]
        ),
        line_ids=frozenset(lines),
        tower_ids=frozenset(towers),
        space_ids=frozenset(spaces),
    )


def _places(
    played: PlayedGame, all_ids: bool
) -> tuple[frozenset[int], frozenset[int], frozenset[int]]:
    """The lines, tower spaces and spaces between which the decision that is due chooses."""
    game, none = played.game, frozenset[int]()
    if played.due != "person":
        return none, none, none
    if game.phase == "wall":
        return line_ids(played, all_ids=all_ids), none, none
    if game.phase in ("towers", "houses"):
        put = frozenset(place for move in game.legal_moves() for place, _ in move.put)
        return (none, put, none) if game.phase == "towers" else (none, none, put)
    if game.phase in ("merge", "final"):
        return none, none, frozenset(min(city) for city in game.position.cities)
    return none, none, none


def line_ids(played: PlayedGame, *, all_ids: bool) -> frozenset[int]:
    """The lines that are numbered: all that may be walled, or those that promise most."""
    game = played.game
    if all_ids:
        return frozenset(line_moves(game.legal_moves()))
    groups = line_groups(played.scored_view(game.seat), game.observe(game.seat))
    return frozenset(
        line for group in groups[:2] if group.title != "elsewhere" for line in group.lines
    )
