"""The interface of all players, games between them, and the check of the arguments of `choose`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

from masons.ai.search.decision import decision_view
from masons.ai.search.limits import Limits
from masons.engine.checks import check_list, check_type, refuse, shown
from masons.engine.errors import MasonsError, MoveError
from masons.engine.formats.move_text import Move, move_given
from masons.engine.game.game import Game, Result
from masons.engine.game.move_lists import Swaps
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.state.packed_move import NO_DECISION


class Player(Protocol):
    """A player that decides for a seat: a `typing.Protocol`, so a class needs no base.

    A class of your own needs the attribute `name` (a text) and the method `choose`. `takes_limit`
    is for those who give limits: False says that `limits` are ignored.
    """

    name: str

    @property
    def takes_limit(self) -> bool:
        """True if limits have an effect: the player searches, and its name contains no limit."""

    def choose(
        self, table: Table, view: Observation, moves: Sequence[Move], limits: Limits | None = None
    ) -> Move:
        """Return one of `moves`, the legal moves; `view` is the view of the seat that decides.

        `moves` are all legal moves: a player may make one that a shorter list leaves out. `limits`
        limit the search if `takes_limit` is true. A named player raises MasonsError if `view`
        belongs to another seat, if `moves` is empty, and if a move is illegal.
        """


def play_game(game: Game, players: Sequence[Player]) -> Result:
    """Play a game to its end with a player for each seat, and return the result.

    `game` is modified in place. Each player gets only the view of its seat. Raises MasonsError if
    the dice and cards come from outside, and MoveError if a player's move is not legal.
    """
    check_type("game", game, Game, "a Game")
    seats = check_list("players", players, object, f"{game.players} players, one for each seat")
    is_player = [
        not isinstance(player, type)
        and callable(getattr(player, "choose", None))
        and isinstance(getattr(player, "name", None), str)
        for player in seats
    ]
    if len(is_player) != game.players or not all(is_player):
        what = f"{game.players} players, each with a name and the method choose"
        refuse("players", players, what)
    while (result := game.result) is None:
        if game.phase in NO_DECISION:
            raise MasonsError(f"{NO_DECISION[game.phase]}: a game with a seed makes its own")
        seat, choose = game.seat, cast("Player", seats[game.seat]).choose
        move = choose(game.table, game.observe(seat), game.legal_moves())
        try:
            game.apply(move)
        except MoveError as error:
            raise MoveError(f"the player of seat {seat}: {error}") from None
    return result


def check_limits(limits: object) -> None:
    """Raise MasonsError unless a value is Limits or None."""
    if limits is not None:
        check_type("limits", limits, Limits, "Limits or None")


def choice_given(
    table: Table, view: Observation, moves: Sequence[Move], limits: Limits | None
) -> tuple[Observation, Sequence[Move]]:
    """Return a player's view and moves after checking the arguments of `choose`.

    Raises MasonsError if one of them is wrong.
    """
    check_limits(limits)
    view = decision_view(table, view)
    if isinstance(moves, str | bytes) or not isinstance(moves, Sequence) or not len(moves):
        raise MoveError(f"moves is {shown(moves)}: give at least one legal move")
    listed = table.moves_of_sound(view.state)
    if type(moves) is type(listed) and moves == listed:
        return view, listed
    known = listed if isinstance(listed, Swaps) else frozenset(listed)
    # `Swaps` can stand for millions of moves. The last of them swaps the whole hand, so the others
    # need no check.
    is_swaps = isinstance(moves, Swaps)
    chosen: list[Move] = []
    for given in moves[-1:] if is_swaps else moves:  # the first illegal one of a huge range ends it
        move = move_given(given, table.board)
        if not table.is_legal(view.state, move, known):
            raise MoveError(table.refusal(view.state, move))
        chosen.append(move)
    return view, moves if is_swaps else chosen
