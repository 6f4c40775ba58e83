"""A decision made before anybody asks for one: what the first one would load is there then."""

from __future__ import annotations

from typing import Final

from masons.ai.players.player_names import SEARCHERS
from masons.ai.search.limits import Limits
from masons.engine.board.components import CARDS, HAND
from masons.engine.formats.move_text import format_move
from masons.engine.formats.position_text import format_position
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.protocol.server.belief_lines import belief_lines
from masons.protocol.server.engine_options import Settings
from masons.protocol.server.followed_game import FollowedGame
from masons.protocol.server.go_request import parse_go
from masons.protocol.server.jobs import Halt
from masons.protocol.server.overhead import Overhead
from masons.protocol.server.thinker import (
    Asked,
    PlayerThinker,
    SearchThinker,
    Thinker,
    chosen_moves,
    evaluation,
)

_SEATS: Final = 2


def make_thinker(player: str, settings: Settings, overhead: Overhead) -> Thinker:
    """What decides for the seat of a named player."""
    if player in SEARCHERS:
        return SearchThinker(settings, overhead)
    return PlayerThinker(player, settings)


def rehearse(player: str, settings: Settings, overhead: Overhead) -> None:
    """Follow a game for some decisions, with all that may be asked on the way."""
    hands = [CARDS[HAND * seat : HAND * (seat + 1)] for seat in range(_SEATS)]
    game = Game(_SEATS, hands=hands, chance=Outside())
    followed = FollowedGame()
    followed.place(format_position(game.view(game.seat), game.board))
    thinker = make_thinker(player, settings, overhead)
    for words in ("sims 2", "sims 2 multipv 2 moves wall:0 wall:1", "movetime 1 seed 1"):
        request = parse_go(words)
        moves = chosen_moves(followed.table, followed.view, followed.legal(), request)
        asked = Asked(followed.table, followed.view, moves, request)
        format_move(thinker.choose(asked, lambda _: None, Halt()).move)
    if player in SEARCHERS:  # the others do not judge positions
        evaluation(followed.table, followed.view, settings, Halt(), Limits(sims=2))
    followed.cards()
    list(belief_lines(followed.view, followed.game.own, ""))
    for event in ("move 0 wall:0", "roll white/red/blue"):
        followed.take_event(event)
    overhead.look()
