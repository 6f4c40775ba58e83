"""The replay of a game record, which checks the record.

The record's dice, cards and decisions are fed to a new game, and every event that this game logs
must equal the event in the record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from masons.engine.board.components import DECK, HAND, KINDS, MAX_PLAYERS, MIN_PLAYERS
from masons.engine.board.geometry import Board, builtin_boards, load_board, sound_board
from masons.engine.checks import check_type, is_utf8, shown, whole
from masons.engine.errors import MasonsError, RecordError
from masons.engine.formats.move_text import CARD_NUMBER, Move
from masons.engine.formats.record_endings import (
    Forfeit,
    chosen_by_another,
    forfeits_of,
    stopped_of,
)
from masons.engine.formats.record_events import (
    Event,
    as_json,
    card_ids,
    in_order,
    is_count,
    json_text,
    move_of,
    roll_of,
)
from masons.engine.game.chance import Chance, Continued, Scripted, Seeded
from masons.engine.game.game import Game, seed_given
from masons.engine.game.record import format_record, result_data
from masons.engine.plain_text import count, quoted
from masons.engine.rules.turns import winners_of
from masons.engine.state.position import Roll


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise RecordError(message)


def _check_field(record: dict[str, Any], name: str, is_right: bool, right: str) -> None:
    """Raise RecordError unless a field `is_right`; the message says what it is, and `right`."""
    if name not in record:
        raise RecordError(f"{name} is missing: it must be {right}")
    _require(is_right, f"{name} is {as_json(record[name])}: it must be {right}")


def _card_list(value: object, what: str) -> list[int]:
    _require(isinstance(value, list), f"{what} is {as_json(value)}: it must be a list of cards")
    assert isinstance(value, list)
    unknown = [name for name in value if not isinstance(name, str) or name not in CARD_NUMBER]
    if unknown:
        right = "a card has a name like city-red or cities"
        raise RecordError(f"{what} has a card {as_json(unknown[0])}: {right}")
    return [CARD_NUMBER[name] for name in value]


def board_given(record: object, board: Board | None) -> Board | None:
    """Return the board that goes with a record, after checking the types of both.

    Raises MasonsError for anything but a dict, and BoardError for anything but a board or None.
    """
    check_type("record", record, dict, "a dict, like parse_record gives")
    return None if board is None else sound_board(board)


def _board_of(record: dict[str, Any], board: Board | None) -> Board:
    name = record.get("board")
    _check_field(record, "board", isinstance(name, str), "a name")
    assert isinstance(name, str)
    if board is None or (board.name != name and name in builtin_boards()):
        _require(
            name in builtin_boards(), f"board {quoted(name)} is not built in: give its file too"
        )
        board = load_board(name)
    _require(board.name == name, f"the record is on board {quoted(name)}, not on {board.name!r}")
    if "board_sha256" in record or name not in builtin_boards():
        stated = "" if name in builtin_boards() else " given"
        same = record.get("board_sha256") == board.sha256
        _require(same, f"board_sha256 is not that of the board {name!r}{stated}")
    return board


def _check_head(record: dict[str, Any]) -> int:
    """Check the fields before the deal, and that there are events; return the number of players."""
    players, seed, names, events = map(record.get, ("players", "seed", "names", "events"))
    several = is_count(players, MAX_PLAYERS) and players >= MIN_PLAYERS  # type: ignore[operator]
    _check_field(record, "players", several, "2, 3 or 4")
    assert isinstance(players, int)
    options = record.get("options")
    _check_field(record, "options", options in ([], ["early_roll"]), '[] or ["early_roll"]')
    if seed is not None:
        _check_field(record, "seed", type(seed) is int, "a whole number or null")
    is_seat = is_count(record.get("first"), players - 1)
    _check_field(record, "first", is_seat, f"a seat from 0 to {players - 1}")
    are_names = (
        isinstance(names, list)
        and len(names) == players
        and all(isinstance(name, str) and is_utf8(name) for name in names)
    )
    _check_field(record, "names", are_names, f"a list of {players} names")
    are_events = isinstance(events, list) and all(isinstance(event, dict) for event in events)
    _check_field(record, "events", are_events, "a list of objects")
    return players


def _deal_of(record: dict[str, Any], players: int) -> tuple[list[list[int]], list[int]]:
    """Return the kinds of the cards in each hand, and in the deck."""
    hands = record.get("hands")
    are_hands = isinstance(hands, list) and len(hands) == players
    _check_field(record, "hands", are_hands, f"a list of {players} hands")
    assert isinstance(hands, list)
    dealt = [_card_list(hand, f"the hand of seat {seat}") for seat, hand in enumerate(hands)]
    for seat, cards in enumerate(dealt):
        right = f"the hand of seat {seat} has {count(len(cards), 'card')}: it must have {HAND}"
        _require(len(cards) == HAND, right)
    _check_field(record, "deck", isinstance(record.get("deck"), list), "a list of cards")
    deck = _card_list(record["deck"], "deck")
    _require(
        sorted([kind for hand in dealt for kind in hand] + deck) == sorted([*range(KINDS)] * 2),
        f"hands and deck must be the {DECK} cards, two of each kind",
    )
    return dealt, deck


class Replay:
    """A replay of a record; `game` is the game before the decision at event `index`.

    The replay of an unfinished game is done when the events of the record end. Raises RecordError
    if the record violates the rules.
    """

    def __init__(
        self,
        record: dict[str, Any],
        board: Board | None = None,
        *,
        chance: Chance | None = None,
    ) -> None:
        """Set up the replay before the first decision.

        `chance` replaces the record as the source of the deal, the decks and the dice, and must
        supply the same cards and dice.
        """
        board = board_given(record, board)
        self.record = record
        format_record(record)  # raises RecordError for other formats, and for what JSON lacks
        players = _check_head(record)
        self.events: list[Event] = list(record["events"])
        self.stopped = stopped_of(record, players)
        self.forfeits = forfeits_of(record, players, len(self.events))
        self.has_end = record["result"] is not None
        self._told: set[int] = set()
        dealt, deck = _deal_of(record, players)
        self.game = Game(
            players,
            board=_board_of(record, board),
            seed=record.get("seed"),
            first=record["first"],
            early_roll=bool(record["options"]),
            chance=chance or Scripted(self._decks(deck), self._rolls(), may_end=not self.has_end),
            hands=None if chance else [card_ids(hand) for hand in dealt],
        )

    def _decks(self, first: list[int]) -> Iterator[list[int]]:
        yield first
        for number, event in enumerate(self.events, 1):
            if event.get("e") == "reshuffle":
                yield _card_list(event.get("deck"), f"event {number}: deck")

    def _rolls(self) -> Iterator[Roll]:
        for number, event in enumerate(self.events, 1):
            if event.get("e") == "roll":
                try:
                    yield roll_of(event)
                except RecordError as error:
                    raise RecordError(f"event {number}: {error}") from None

    def played_on(self, chance: Seeded, *, keeps_deck: bool = False) -> Game:
        """Return a game that has come to the same point, but continues with dice from `chance`.

        The cards left in the deck are shuffled by `chance`, unless `keeps_deck` is true. The seed
        of the game is None, because no single seed gives all its dice.
        """
        game = self.game
        decks = [deck.in_order() for deck in game.log.decks]
        last = game.log.decks[-1]
        if not keeps_deck or last.order is None:
            drawn = len(last.drawn)
            decks[-1][drawn:] = chance.shuffle(decks[-1][drawn:])
        rolls = [roll_of(event) for event in game.events if event["e"] == "roll"]
        other = Game(
            game.players,
            board=game.board,
            first=game.first,
            early_roll=game.early_roll,
            chance=Continued(decks, rolls, chance),
            hands=[card_ids(hand) for hand in game.hands_dealt],
        )
        for move in game.moves:
            other.apply_legal(move)
        return other

    @property
    def index(self) -> int:
        """The index (from 0) of the event that is the next decision."""
        at = len(self.game.log)
        while at < len(self.events) and self.events[at].get("e") == "reshuffle":
            at += 1
        return at

    @property
    def is_done(self) -> bool:
        """True once no decision is left, because the game is over or the record ends."""
        return self.game.is_over or (not self.has_end and self.index >= len(self.events))

    @property
    def by_stand_in(self) -> bool:
        """True if a stand-in makes the next decision, because the seat has forfeited."""
        return chosen_by_another(self.forfeits, self.game.seat, self.index)

    def new_forfeits(self) -> list[Forfeit]:
        """Return the forfeits up to the next decision or the end, except any returned before."""
        new = [f for f in self.forfeits if f.event <= self.index and f.seat not in self._told]
        self._told.update(forfeit.seat for forfeit in new)
        return new

    @property
    def winners(self) -> tuple[int, ...]:
        """The winning seats, with forfeited seats ranked last; empty while the game goes on."""
        result = self.game.result
        if result is None:
            return ()
        forfeited = [forfeit.seat for forfeit in self.forfeits]
        return winners_of(result.scores, result.hand_sizes, forfeited)

    def next_move(self) -> Move:
        """Return the next decision of the record, which is a legal move.

        Raises RecordError if the next event of the record is not a legal decision.
        """
        at = self.index
        if at >= len(self.events):
            raise RecordError(f"event {at + 1} is missing: the record ends, but the game goes on")
        event = self.events[at]
        if self.game.phase in ("roll", "draw"):
            what = "a roll" if self.game.phase == "roll" else "a reshuffle"
            raise RecordError(f"event {at + 1}: {as_json(event)} stands where {what} is missing")
        move = move_of(event)
        if move is None:
            raise RecordError(f"event {at + 1}: {as_json(event)} is not a decision")
        if event.get("p") != self.game.seat or not self.game.is_legal(move):
            raise RecordError(
                f"event {at + 1}: {as_json(event)} is not legal: seat {self.game.seat} has a "
                f"{self.game.phase} decision"
            )
        return move

    def step(self) -> None:
        """Make the next decision, and check its event and the events that the game logs after it.

        Raises RecordError for the first wrong event.
        """
        done = len(self.game.log)
        try:
            self.game.apply_legal(self.next_move())
        except RecordError as error:
            text = str(error)
            raise (error if text.startswith("event ") else RecordError(
                f"after event {done + 1}: {text}")) from None  # fmt: skip
        for number, event in enumerate(self.game.log.events(done), done):
            if number >= len(self.events):
                if not self.has_end:
                    return  # the record was cut before the events that the rules force
                raise RecordError(f"event {number + 1} is missing: it must be {as_json(event)}")
            stated = self.events[number]
            if not _same(event, in_order(stated)):
                raise RecordError(f"event {number + 1}: {as_json(stated)} must be {as_json(event)}")

    def go_to(self, number: int) -> None:
        """Make all decisions before decision `number` (from 1).

        The number after that of the last decision stands for the end of the record. Raises
        RecordError for the first wrong event, or if there is no such decision.
        """
        if (whole(number) or 0) < 1:
            raise RecordError(f"decision is {shown(number)}: decisions count from 1")
        while self.game.decisions < number - 1 and not self.is_done:
            self.step()
        made = self.game.decisions
        if made < number - 1:
            raise RecordError(
                f"the game has {count(made, 'decision')}, no decision {shown(number)}: "
                f"{made + 1} names its end"
            )

    def check(self) -> None:
        """Replay the record to its end and check it.

        Raises RecordError for the first fault.
        """
        while not self.is_done:
            self.step()
        self.finish()

    def finish(self) -> None:
        """Check that no events follow the last decision and that the result is right.

        Raises RecordError if events follow or the result is wrong.
        """
        extra = self.events[len(self.game.log) :]
        too_many = f"event {len(self.game.log) + 1} is too many"
        result = self.game.result
        if result is None:
            possible = not extra or self._may_precede_a_draw(extra)
            _require(possible, f"{too_many}: nothing is shuffled here")
            return
        _require(not extra, f"{too_many}: the game is over")
        right, stated = result_data(result), self.record["result"]
        _require(_same(right, stated), f"result: {as_json(stated)} must be {as_json(right)}")

    def _may_precede_a_draw(self, events: Sequence[Event]) -> bool:
        """Return whether `events` can stand before the draw at which the record was cut.

        Only a single reshuffle can. Its deck is the discard pile plus some cards of the seat that
        decides.
        """
        if len(events) != 1 or self.game.phase not in ("score", "swap"):
            return False
        if set(events[0]) != {"e", "deck"}:
            return False
        position = self.game.position
        hand = position.hands[self.game.seat]
        deck = Counter(_card_list(events[0].get("deck"), f"event {len(self.events)}: deck"))
        discarded = deck - Counter(position.discard)
        assert not isinstance(hand, int)
        return Counter(position.discard) <= deck and bool(discarded) and discarded <= Counter(hand)


def _same(left: object, right: object) -> bool:
    """Return whether two values are equal as JSON, where 1, 1.0 and True differ from each other."""
    return json_text(left, sort_keys=True) == json_text(right, sort_keys=True)


def check_record(record: dict[str, Any], board: Board | None = None) -> str | None:
    """Return the first fault of a record as a message, or None if the record follows all rules.

    Raises MasonsError for an argument of a wrong type.
    """
    board = board_given(record, board)
    try:
        Replay(record, board).check()
    except MasonsError as error:
        return str(error)
    return None


def replay_to(
    record: dict[str, Any],
    decision: int,
    board: Board | None = None,
    *,
    seed: int | None = None,
) -> Game:
    """Return a record's game as it was before decision number `decision` (from 1), to be played on.

    If the record has n decisions, n + 1 stands for its end: the finished game with its `result`, or
    the decision at which the game was stopped; dice that the record lacks there are rolled. Raises
    RecordError if there is no such decision.

    The game has the record's events so far, and `undo` takes back its decisions. New dice and the
    order of the cards left in the deck do not come from the record: equal values of `seed` give the
    same, None stands for a random seed. The attribute `seed` of the game is None, because no single
    seed gives all its dice.
    """
    replay = Replay(record, board)
    replay.go_to(decision)
    return replay.played_on(Seeded(seed_given(seed, None) or 0))
