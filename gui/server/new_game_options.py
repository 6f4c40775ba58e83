"""A new game as a page asks for it."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING

from masons.ai.search.levels import TABLE_LEVEL
from masons.engine.board.geometry import builtin_boards
from masons.engine.errors import MasonsError
from masons.engine.fair.fair_game import Fair, FairOffer
from masons.gui.server.seat_engines import engine_spec
from masons.match.playing.kept_games import seat_names
from masons.match.playing.played_game import GameSetup
from masons.protocol.messages.error_codes import Refused

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.gui.pages import client_messages as said


def game_setup(asked: said.NewGame, board: Board, engines: Mapping[str, str]) -> GameSetup:
    """The setup that a page asks for. Raises Refused for one that cannot be."""
    seats = asked.seats
    people = tuple(seat for seat, one in enumerate(seats) if one.kind == "person")
    if not people:
        raise Refused("illegal", "newgame.seats: one person at least must sit in a game")
    for one in seats:
        if one.engine and one.engine not in engines:
            raise Refused("illegal", f"newgame.seats.engine: {one.engine[:40]!r} is not there")
    if not 0 <= asked.first < len(seats):
        raise Refused("illegal", f"newgame.first: the seats are 0 to {len(seats) - 1}")
    if asked.dice not in ("engine", "own") or (asked.dice == "own") != (asked.hands is not None):
        raise Refused("illegal", "newgame.dice: engine, or own with the hands that were dealt")
    if asked.hands is not None and asked.seed is not None:
        raise Refused("illegal", "newgame.seed: own dice have no seed")
    fair = bool(asked.nonces)
    if fair and (asked.seed is not None or asked.hands is not None or asked.practice):
        raise Refused("illegal", "newgame.nonces: no seed, own dice or practice in a fair game")
    seed = asked.seed
    if seed is None and asked.hands is None and not fair:
        seed = random.SystemRandom().getrandbits(48)
    specs = tuple(
        "" if one.kind == "person" else engine_spec(one.engine, one.level, one.seconds)
        for one in seats
    )
    try:
        names = seat_names([one.name.strip() for one in seats], len(seats), people, own=True)
    except MasonsError as error:
        raise Refused("illegal", f"newgame.seats.name: {error}") from None
    return GameSetup(
        players=len(seats),
        people=people,
        names=names,
        seed=seed,
        level=TABLE_LEVEL,
        first=asked.first,
        early_roll=asked.early_roll,
        practice=asked.practice,
        board=board.name,
        board_sha256="" if board.name in builtin_boards() else board.sha256,
        hands=asked.hands,
        engines=specs if any(specs) else (),
    )


def fair_of(asked: said.NewGame, offer: FairOffer | None) -> Fair | None:
    """The chance of a fair game, with the people's nonces; None: of another game.

    The engine's seats add none: who made the secret could choose them. Raises MasonsError.
    """
    if not asked.nonces:
        return None
    if (
        offer is None
        or len(asked.nonces) != len(asked.seats)
        or len(offer.missing) != len(asked.seats)
    ):
        raise Refused("state", "newgame.nonces: first commit, for as many seats")
    for seat, (one, nonce) in enumerate(zip(asked.seats, asked.nonces, strict=True)):
        if one.kind == "person":
            offer.give(seat, nonce)
    return offer.close()
