"""Records of fair games, and copies of a record that each have one small change."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

from masons.engine.board.components import CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.fair.fair_game import Fair, commitment_of
from masons.engine.game.record import game_record
from tests.support.playing import play

Record = dict[str, Any]


@cache
def _played(players: int, draws_first: bool) -> Record:
    fair = Fair(bytes([players]) * 32, ("left", "ri ght", "", "Zoë")[:players], draws_first)
    game = fair.new_game(first=1, early_roll=players == 3)
    return fair.revealed(game_record(play(game, random.Random(players))))


def fair_record(players: int, *, draws_first: bool = True) -> Record:
    """Return the record of a fair game, which is the same every time."""
    return copy.deepcopy(_played(players, draws_first))


def other(value: Any, choices: Any) -> Any:
    """Return the element of `choices` that follows `value`, the first following the last."""
    return choices[(choices.index(value) + 1) % len(choices)]


def _with(record: Record, value: Any, *path: str | int) -> Record:
    """Return a copy of a record with `value` at the place to which the keys `path` lead."""
    changed = place = copy.deepcopy(record)
    for key in path[:-1]:
        place = place[key]  # type: ignore[index]
    place[path[-1]] = value  # type: ignore[index]
    return changed


def tampered(record: Record, chance: random.Random) -> Iterator[tuple[str, Record]]:
    """Yield (name of a change, copy of the record with this change).

    The changes are to dice, cards, the seat that begins, and parts of `fair`.
    """
    for number, event in enumerate(record["events"]):
        at = ("events", number)
        if event["e"] == "roll":
            for die, face in enumerate(event["houses"]):
                what = f"die {die} of event {number}"
                yield what, _with(record, other(face, HOUSE_DIE), *at, "houses", die)
            tower = other(event["tower"], (None, *TOWER_DIE))
            yield f"tower die of event {number}", _with(record, tower, *at, "tower")
        for key in ("drew", "in"):
            for place, card in enumerate(event.get(key, ())):
                what = f"card {place} of event {number}"
                yield what, _with(record, other(card, CARDS), *at, key, place)
        if event["e"] == "reshuffle":
            for deck in (*_other_decks(event["deck"], chance), event["deck"][:-1]):
                yield f"reshuffle of event {number}", _with(record, deck, *at, "deck")
    deck = record["deck"]
    yield "two cards of the deck", _with(record, next(_other_decks(deck, chance)), "deck")
    for seat, hand in enumerate(record["hands"]):
        place = next(at for at in range(len(deck)) if deck[at] != hand[0])
        changed = _with(record, deck[place], "hands", seat, 0)
        changed["deck"][place] = hand[0]
        yield f"a card of hand {seat}", changed
        yield f"another card in hand {seat}", _with(record, other(hand[3], CARDS), "hands", seat, 3)
    fair = record["fair"]
    nonces, secret = fair["nonces"], bytes(31) + b"\1"
    for seat, nonce in enumerate(nonces):
        yield f"nonce {seat}", _with(record, nonce + " ", "fair", "nonces", seat)
    for what, fields in (
        ("the seats of the nonces", {"nonces": nonces[::-1]}),
        ("one nonce too many", {"nonces": [*nonces, ""]}),
        ("the secret", {"secret": secret.hex()}),
        ("secret and commitment", {"secret": secret.hex(), "commitment": commitment_of(secret)}),
        ("the commitment", {"commitment": commitment_of(secret)}),
        ("the version", {"version": 2}),
    ):
        yield what, _with(record, {**fair, **fields}, "fair")
    yield "who begins", _with(record, (record["first"] + 1) % record["players"], "first")


def _other_decks(deck: list[str], chance: random.Random) -> Iterator[list[str]]:
    """Yield the deck with two neighbors swapped, and the deck with one card replaced."""
    at = chance.choice([at for at in range(len(deck) - 1) if deck[at] != deck[at + 1]])
    yield [*deck[:at], deck[at + 1], deck[at], *deck[at + 2 :]]
    yield [*deck[:at], other(deck[at], CARDS), *deck[at + 1 :]]
