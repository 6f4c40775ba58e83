"""Verification that the dice and cards of a fair game follow from its secret and nonces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from masons.engine.board.geometry import Board
from masons.engine.errors import MasonsError, RecordError
from masons.engine.fair.fair_game import KEY, Fair, FairTerms, commitment_of, fair_in
from masons.engine.formats.move_text import CARD_NUMBER
from masons.engine.formats.record_events import card_ids, in_order, roll_event, roll_of
from masons.engine.game.replay import Replay, board_given
from masons.engine.state.position import Roll

_GIVE: Final = "secret and nonces give"


@dataclass(frozen=True)
class Verified:
    """Facts about a verified fair game."""

    terms: FairTerms
    rolls: int
    draws: int  # number of cards drawn after the deal
    reshuffles: int


class UnverifiableError(RecordError):
    """Raised for a record that has no commitment, or whose secret is not revealed yet."""


def verify_fair(record: dict[str, Any], board: Board | None = None) -> Verified:
    """Replay a record with the dice and cards that follow from its secret, and check all rules.

    Raises RecordError for the first fault. Raises its subclass UnverifiableError if nothing can be
    verified, because the game is not a fair game or is unfinished.
    """
    Replay(record, board)  # raises RecordError if the head of the record is faulty
    if KEY not in record:
        raise UnverifiableError("not a fair game: the record has no commitment")
    terms, secret = fair_in(record)
    if secret is None:
        raise UnverifiableError("the secret is not revealed: the game was not over yet")
    if commitment_of(secret) != terms.commitment:
        raise RecordError(
            f"the secret is not the one committed to: its SHA-256 is {commitment_of(secret)}, "
            f"the commitment {terms.commitment}"
        )
    fair = Fair(secret, terms.nonces, terms.draws_first)
    if fair.first not in (None, record["first"]):
        raise RecordError(f"seat {record['first']} begins, but seat {fair.first} was drawn")
    chance = fair.chance()
    replay = Replay(record, board, chance=chance)
    _check_deal(replay)
    while not replay.is_done:
        decision = replay.game.decisions + 1
        try:
            replay.step()
        except RecordError as error:
            raise RecordError(_chance_fault(replay, decision) or str(error)) from None
    replay.finish()
    for event in replay.events[len(replay.game.log) :]:  # if the record ends during a draw
        order = card_ids(chance.shuffle([CARD_NUMBER[name] for name in event["deck"]]))
        if order != event["deck"]:
            raise RecordError(f"the last reshuffle {_differing(event['deck'], order)}")
    kinds = [event["e"] for event in replay.events]
    draws = sum(len(event.get("drew") or event.get("in") or ()) for event in replay.events)
    return Verified(terms, kinds.count("roll"), draws, kinds.count("reshuffle"))


def check_fair(record: dict[str, Any], board: Board | None = None) -> str | None:
    """Return the first fault of a fair game's record as a message, or None if there is no fault.

    Raises MasonsError for an argument of a wrong type.
    """
    board = board_given(record, board)
    try:
        verify_fair(record, board)
    except MasonsError as error:
        return str(error)
    return None


def _check_deal(replay: Replay) -> None:
    game, record = replay.game, replay.record
    for seat, kinds in enumerate(game.hands_dealt):
        if record["hands"][seat] != (dealt := card_ids(kinds)):
            raise RecordError(f"the deal: seat {seat} {_differing(record['hands'][seat], dealt)}")
    deck = card_ids(game.log.decks[0].in_order())
    if record["deck"] != deck:
        raise RecordError(f"the deal: the deck {_differing(record['deck'], deck)}")


def _differing(stated: Sequence[str], right: Sequence[str]) -> str:
    """Return a message about the first card that differs between two lists of equal length."""
    at = next(i for i, pair in enumerate(zip(stated, right, strict=True)) if len(set(pair)) > 1)
    return f"has {stated[at]} as card {at + 1}, but {_GIVE} {right[at]}"


def _chance_fault(replay: Replay, decision: int) -> str:
    """Return a message about the record's first event that differs from the replayed game.

    `decision` is the number of the decision that was being replayed. Returns "" if the event is not
    a roll or a reshuffle, or if it is malformed.
    """
    made = replay.game.events
    pairs = enumerate(zip(made, replay.events, strict=False))
    number = next((number for number, (right, stated) in pairs if right != in_order(stated)), None)
    if number is None:
        return ""
    right, stated = made[number], replay.events[number]
    try:
        if right["e"] == stated.get("e") == "roll":
            text = f"is {_dice(roll_of(stated))}, but {_GIVE} {_dice(roll_of(right))}"
        elif right["e"] == stated.get("e") == "reshuffle":
            text = _differing(stated["deck"], right["deck"])
        else:
            return ""
    except (RecordError, LookupError, TypeError, ValueError):
        return ""
    nth = sum(event["e"] == right["e"] for event in made[: number + 1])
    return f"{right['e']} {nth} (event {number + 1}, after decision {decision}) {text}"


def _dice(roll: Roll) -> str:
    """Return dice in words, such as `white red ?`, or `red ?` without the tower die."""
    event = roll_event(roll)
    return " ".join([*filter(None, [event["tower"]]), *event["houses"]])
