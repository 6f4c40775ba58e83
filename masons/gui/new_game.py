"""The setup of a new game, and the dice and cards of a fair one, from the wishes of a page."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING

from masons.ai.search.search_options import TABLE_LEVEL
from masons.engine.board.geometry import builtin_boards
from masons.engine.errors import MasonsError
from masons.gui import messages as said
from masons.gui.background import Declined
from masons.gui.seat_engines import engine_spec
from masons.match.playing.game_clock import ClockTerms
from masons.match.playing.game_setup import GameSetup
from masons.match.playing.kept_games import seat_names
from masons.protocol.messages.error_codes import Refused

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.engine.fair.fair_game import Fair, FairOffer


def game_setup(message: said.NewGame, board: Board, engines: Mapping[str, str]) -> GameSetup:
    """Return the setup that a page asks for. Raises Refused if the setup is impossible."""
    seats, hands, fair = message.seats, message.hands, bool(message.nonces)
    clock = message.clock
    people = tuple(seat for seat, wish in enumerate(seats) if wish.kind == "person")
    unknown = [wish.engine for wish in seats if wish.engine and wish.engine not in engines]
    is_seeded = message.seed is not None
    for is_wrong, text in (
        (not people, "seats: at least one person must sit in a game"),
        (unknown, f"seats.engine: there is no {(*unknown, '')[0][:40]!r}"),
        (message.first >= len(seats), f"first: the seats are 0 to {len(seats) - 1}"),
        (
            (message.dice == "own") != (hands is not None),
            "dice: engine, or own with the hands that were dealt",
        ),
        (hands is not None and is_seeded, "seed: own dice have no seed"),
        (
            clock and (len(seats) != 2 or len(people) != 2 or message.practice or hands),
            "clock: only for two people, without own dice or practice",
        ),
        (
            fair and (is_seeded or hands is not None or message.practice),
            "nonces: no seed, own dice or practice in a fair game",
        ),
    ):
        if is_wrong:
            raise Refused("illegal", f"newgame.{text}")
    seed = message.seed
    if seed is None and hands is None and not fair:
        seed = random.SystemRandom().getrandbits(48)
    specs = tuple(
        "" if wish.kind == "person" else engine_spec(wish.engine, wish.level, wish.seconds)
        for wish in seats
    )
    wishes = [wish.name.strip() for wish in seats]
    try:
        programs = {
            seat: wish.engine or f"level {wish.level or TABLE_LEVEL}"
            for seat, wish in enumerate(seats)
            if wish.kind != "person"
        }
        names = seat_names(wishes, len(seats), programs, may_be_empty=True)
    except MasonsError as error:
        raise Declined("illegal", f"newgame.seats.name: {error}", "names") from None
    return GameSetup(
        players=len(seats),
        people=people,
        names=names,
        seed=seed,
        level=TABLE_LEVEL,
        first=message.first,
        early_roll=message.early_roll,
        practice=message.practice,
        board=board.name,
        board_sha256="" if board.name in builtin_boards() else board.sha256,
        hands=hands,
        engines=specs if any(specs) else (),
        clock=None if clock is None else ClockTerms(clock.seconds, clock.increment),
        hints=message.hints,
    )


def fair_of(message: said.NewGame, offer: FairOffer | None) -> Fair | None:
    """Return the dice and cards of a fair game, or None if `message` has no nonces.

    The dice and cards result from the program's secret and the nonces of people. The seats of
    engines give no nonces, as the program, which knows the secret, would choose them. Raises
    MasonsError.
    """
    if not message.nonces:
        return None
    seats = len(message.seats)
    if offer is None or not len(message.nonces) == len(offer.missing) == seats:
        raise Refused("illegal", "newgame.nonces: first commit, for as many seats")
    for seat, (wish, nonce) in enumerate(zip(message.seats, message.nonces, strict=True)):
        if wish.kind == "person":
            offer.give(seat, nonce)
    return offer.close()
