"""Records of fair games, and all the ways in which one of them can be changed a little."""

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
    """A game of busy play, the same every time."""
    return copy.deepcopy(_played(players, draws_first))


def other(value: Any, choices: Any) -> Any:
    """The choice after a value."""
    return choices[(choices.index(value) + 1) % len(choices)]


def tampered(record: Record, chance: random.Random) -> Iterator[tuple[str, Record]]:
    """What was changed, and the record: every die, some cards, who begins, every part of `fair`."""

    def copied() -> Record:
        return copy.deepcopy(record)

    for number, event in enumerate(record["events"]):
        if event["e"] == "roll":
            for die in (0, 1):
                changed = copied()
                houses = changed["events"][number]["houses"]
                houses[die] = other(houses[die], HOUSE_DIE)
                yield f"die {die} of event {number}", changed
            changed = copied()
            tower = event["tower"]
            changed["events"][number]["tower"] = (
                TOWER_DIE[0] if tower is None else other(tower, (*TOWER_DIE, None))
            )
            yield f"tower die of event {number}", changed
        for key in ("drew", "in"):
            for place, card in enumerate(event.get(key, ())):
                changed = copied()
                changed["events"][number][key][place] = other(card, CARDS)
                yield f"card {place} of event {number}", changed
        if event["e"] == "reshuffle":
            for changed in _other_decks(copied(), number, chance):
                yield f"reshuffle of event {number}", changed
    yield from _other_deals(record, chance)
    yield from _other_terms(record)


def _other_decks(record: Record, number: int, chance: random.Random) -> Iterator[Record]:
    deck = record["events"][number]["deck"]
    places = [at for at in range(len(deck) - 1) if deck[at] != deck[at + 1]]
    at = chance.choice(places)
    yield _with(record, number, [*deck[:at], deck[at + 1], deck[at], *deck[at + 2 :]])
    yield _with(record, number, [*deck[:at], other(deck[at], CARDS), *deck[at + 1 :]])
    yield _with(record, number, deck[:-1])


def _with(record: Record, number: int, deck: list[str]) -> Record:
    changed = copy.deepcopy(record)
    changed["events"][number]["deck"] = deck
    return changed


def _other_deals(record: Record, chance: random.Random) -> Iterator[tuple[str, Record]]:
    for seat in range(record["players"]):
        changed = copy.deepcopy(record)
        hand, deck = changed["hands"][seat], changed["deck"]
        place = next(at for at in range(len(deck)) if deck[at] != hand[0])
        hand[0], deck[place] = deck[place], hand[0]
        yield f"a card of hand {seat}", changed
        changed = copy.deepcopy(record)
        changed["hands"][seat][3] = other(changed["hands"][seat][3], CARDS)
        yield f"another card in hand {seat}", changed
    changed = copy.deepcopy(record)
    deck = changed["deck"]
    at = chance.choice([at for at in range(len(deck) - 1) if deck[at] != deck[at + 1]])
    deck[at], deck[at + 1] = deck[at + 1], deck[at]
    yield "two cards of the deck", changed


def _other_terms(record: Record) -> Iterator[tuple[str, Record]]:
    fair, players = record["fair"], record["players"]
    for seat, nonce in enumerate(fair["nonces"]):
        nonces = list(fair["nonces"])
        nonces[seat] = nonce + " "
        yield f"nonce {seat}", {**record, "fair": {**fair, "nonces": nonces}}
    swapped = {**fair, "nonces": fair["nonces"][::-1]}
    yield "the seats of the nonces", {**record, "fair": swapped}
    yield "one nonce too many", {**record, "fair": {**fair, "nonces": [*fair["nonces"], ""]}}
    secret = bytes(31) + b"\1"
    yield "the secret", {**record, "fair": {**fair, "secret": secret.hex()}}
    both = {**fair, "secret": secret.hex(), "commitment": commitment_of(secret)}
    yield "secret and commitment", {**record, "fair": both}
    yield "the commitment", {**record, "fair": {**fair, "commitment": commitment_of(secret)}}
    yield "the version", {**record, "fair": {**fair, "version": 2}}
    yield "who begins", {**record, "first": (record["first"] + 1) % players}
