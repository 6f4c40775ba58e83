"""Records of fair games verified: all chance in them must be what secret and nonces give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from masons.engine.board.components import HAND
from masons.engine.board.geometry import Board
from masons.engine.checks import check_type
from masons.engine.errors import MasonsError, RecordError
from masons.engine.fair.fair_game import KEY, Fair, FairTerms, commitment_of, fair_in
from masons.engine.formats.move_text import CARD_NUMBER
from masons.engine.formats.record_events import Event, card_names, roll_event, roll_of
from masons.engine.game.chance import ALL_KINDS
from masons.engine.game.record import Replay
from masons.engine.state.position import Roll

# A roll or a reshuffle stands at most so many events behind the decision that it follows.
_NEAR: Final = 2
_GIVE: Final = "secret and nonces give"


@dataclass(frozen=True)
class Verified:
    """The parts of a fair game that were verified."""

    terms: FairTerms
    rolls: int
    draws: int  # cards drawn after the deal
    reshuffles: int


class UnverifiableError(RecordError):
    """A record without a commitment, or without its secret yet."""


class _Fault(NamedTuple):
    """The first event whose chance is wrong."""

    event: int  # from 0
    what: str  # like `roll 3`
    text: str


def verify_fair(record: dict[str, Any], board: Board | None = None) -> Verified:
    """Replay a record against its secret and nonces; every rule is checked, too.

    Raises RecordError, which says what is wrong, and UnverifiableError of it where there is nothing
    to verify: no fair game, or one that goes on.
    """
    replay = Replay(check_type("record", record, dict, "a dict, like parse_record gives"), board)
    if KEY not in record:
        raise UnverifiableError("no fair game: the record holds no commitment")
    terms, secret = fair_in(record)
    if secret is None:
        raise UnverifiableError("the secret is not revealed: the game went on after this record")
    if commitment_of(secret) != terms.commitment:
        raise RecordError(
            f"the secret is not the one committed to: its SHA-256 is {commitment_of(secret)}, "
            f"the commitment {terms.commitment}"
        )
    fair = Fair(secret, terms.nonces, terms.draws_first)
    if fair.first not in (None, record["first"]):
        raise RecordError(f"seat {record['first']} begins, but seat {fair.first} was drawn")
    _check_deal(fair, record)
    _follow(replay, _first_fault(fair, replay.events))
    kinds = [event["e"] for event in replay.events]
    draws = sum(len(event.get("drew") or event.get("in") or ()) for event in replay.events)
    return Verified(terms, kinds.count("roll"), draws, kinds.count("reshuffle"))


def check_fair(record: dict[str, Any], board: Board | None = None) -> str | None:
    """Return the first fault of a fair game's record, or None where all of it is right."""
    try:
        verify_fair(record, board)
    except MasonsError as error:
        return str(error)
    return None


def _check_deal(fair: Fair, record: Mapping[str, Any]) -> None:
    order = card_names(fair.chance().shuffle(ALL_KINDS))
    for seat, hand in enumerate(record["hands"]):
        dealt = order[HAND * seat : HAND * (seat + 1)]
        if hand != dealt:
            raise RecordError(f"the deal: seat {seat} {_differing(hand, dealt)}")
    left = order[HAND * len(record["hands"]) :]
    if record["deck"] != left:
        raise RecordError(f"the deal: the deck {_differing(record['deck'], left)}")


def _differing(stated: Sequence[str], right: Sequence[str]) -> str:
    """Return the first card of two equally long lists that differs."""
    at = next(i for i, pair in enumerate(zip(stated, right, strict=True)) if len(set(pair)) > 1)
    return f"has {stated[at]} as card {at + 1}, but {_GIVE} {right[at]}"


def _first_fault(fair: Fair, events: Sequence[Event]) -> _Fault | None:
    """Return the first roll or reshuffle that is another than it must be.

    One that has not the form of a roll or a reshuffle is left to the replay.
    """
    chance = fair.chance()
    chance.shuffle(ALL_KINDS)
    rolls = reshuffles = 0
    for number, event in enumerate(events):
        if event.get("e") == "roll":
            rolls += 1
            try:
                stated = roll_of(event)
            except RecordError:
                return None
            right = chance.roll(stated[0] is not None)
            if stated != right:
                text = f"is {_dice(stated)}, but {_GIVE} {_dice(right)}"
                return _Fault(number, f"roll {rolls}", text)
        elif event.get("e") == "reshuffle":
            reshuffles += 1
            deck = event.get("deck")
            if not isinstance(deck, list) or not all(
                isinstance(name, str) and name in CARD_NUMBER for name in deck
            ):
                return None
            order = card_names(chance.shuffle([CARD_NUMBER[name] for name in deck]))
            if order != deck:
                return _Fault(number, f"reshuffle {reshuffles}", _differing(deck, order))
    return None


def _dice(roll: Roll) -> str:
    """`white red ?`, or `red ?` without the tower die."""
    event = roll_event(roll)
    return " ".join([*filter(None, [event["tower"]]), *event["houses"]])


def _follow(replay: Replay, fault: _Fault | None) -> None:
    """Play a record again, up to the fault if there is one. Raises RecordError for what is wrong.

    Of a fault against the rules and one of chance, the earlier is told.
    """
    game = replay.game
    while not replay.is_done:
        done, decision = len(game.log), game.decisions + 1
        try:
            replay.step()
        except RecordError:
            if fault is not None and fault.event <= done + _NEAR:
                raise _told(fault, decision) from None
            raise
        if fault is not None and fault.event < len(game.log):
            raise _told(fault, decision)
    if fault is not None:  # of a record cut in the middle of a draw
        raise _told(fault, game.decisions + 1)
    replay.finish()


def _told(fault: _Fault, decision: int) -> RecordError:
    where = f"event {fault.event + 1}, after decision {decision}"
    return RecordError(f"{fault.what} ({where}) {fault.text}")
