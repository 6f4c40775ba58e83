"""The setup of a game with people and engines in its seats, and its form in a journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from masons.ai.search.search_options import TOP_LEVEL
from masons.engine import checks
from masons.engine.board.components import MAX_PLAYERS, MIN_PLAYERS
from masons.engine.checks import shown
from masons.engine.errors import MasonsError, RecordError
from masons.engine.fair.fair_game import FairTerms, terms_of
from masons.match.playing.game_clock import ClockTerms, clock_terms


@dataclass(frozen=True)
class GameSetup:
    """The setup of a game."""

    players: int
    people: tuple[int, ...]  # the seats that people play; the engine plays the others
    names: tuple[str, ...]
    seed: int | None  # None if people type in dice and cards, or if the game is fair
    level: int
    first: int = 0
    early_roll: bool = False
    practice: bool = False
    board: str = "classic"
    board_sha256: str = ""
    hands: tuple[tuple[str, ...], ...] | None = None  # the hands, if people dealt the cards
    fair: FairTerms | None = None  # the terms of a fair game; its secret is in another file
    # For each seat, the name of its player, or "" for the player that `level` describes. An empty
    # tuple means that all are "".
    engines: tuple[str, ...] = ()
    clock: ClockTerms | None = None
    hints: bool = True  # False if nobody may ask for hints or have a coach


def setup_of(header: Mapping[str, Any]) -> GameSetup:
    """Parse a setup in the form that `PlayedGame.header` returns. Raises RecordError."""
    try:
        players = checks.check_whole("players", header["players"], MIN_PLAYERS, MAX_PLAYERS)
        setup = GameSetup(
            players=players,
            people=checks.check_wholes("people", header["people"], players - 1, "seats"),
            names=_texts("names", header["names"]),
            seed=None if header["seed"] is None else checks.check_any_whole("seed", header["seed"]),
            level=checks.check_whole("level", header["level"], 1, TOP_LEVEL),
            first=checks.check_whole("first", header["first"], 0, players - 1),
            early_roll=checks.check_flag("early_roll", header["early_roll"]),
            practice=checks.check_flag("practice", header["practice"]),
            board=checks.check_text("board", header["board"]),
            board_sha256=checks.check_text("board_sha256", header["board_sha256"]),
            hands=None if header["hands"] is None else _hands(header["hands"]),
            fair=None if header.get("fair") is None else terms_of(header["fair"]),
            engines=_texts("engines", header.get("engines", [])),
            clock=None if header.get("clock") is None else clock_terms(header["clock"]),
            hints=checks.check_flag("hints", header.get("hints", True)),
        )
    except KeyError as error:
        raise RecordError(f"the setup of the game lacks {error.args[0]}") from None
    except MasonsError as error:
        raise RecordError(f"the setup of the game: {error}") from None
    if (
        len(setup.names) != setup.players
        or not setup.people
        or len(set(setup.people)) != len(setup.people)
        or (setup.fair is not None and len(setup.fair.nonces) != setup.players)
        or sum(way is not None for way in (setup.seed, setup.hands, setup.fair)) != 1
        or len(setup.engines) not in (0, setup.players)
        or (setup.clock is not None and setup.players > MIN_PLAYERS)
    ):
        raise RecordError("the setup of the game contradicts itself")
    return setup


def _hands(value: object) -> tuple[tuple[str, ...], ...]:
    hands = checks.check_list("hands", value, list, "a list of hands")
    return tuple(_texts("a hand", hand) for hand in hands)


def _texts(name: str, value: object) -> tuple[str, ...]:
    texts = checks.check_list(name, value, str, "a list of texts")
    if not all(map(checks.is_utf8, texts)):
        raise MasonsError(f"{name} is {shown(value)}: UTF-8 cannot encode half a surrogate pair")
    return tuple(texts)
