"""One game whose chance is brought from outside, with all that each seat has seen: for OpenSpiel.

Copying one is cheap: what grows is a chain of immutable links.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.engine.board.components import CARDS, HAND, HOUSE_DIE, KINDS, TOWER_DIE
from masons.engine.board.geometry import Board
from masons.engine.formats.position_text import format_position
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import field_of
from masons.engine.rules.transitions import give_card, give_roll
from masons.engine.rules.turns import winners_of
from masons.engine.state import layout as at
from masons.engine.state.derive import deal_hands, empty_state
from masons.engine.state.position import byte_in, kinds, phase_of, scores_in, unpack_state
from masons.env.encoding import Encoding
from masons.env.stepping import env_layout
from masons.env.stepping.batch_kernels import LEAVE, Batch, observe_as, step_row

_WAITING: Final = ("roll", "draw")
_CARD_PHASES: Final = ("score", "swap", "final")


class Tools:
    """The parts that all games on a board share. A copy is the same object."""

    def __init__(self, board: Board) -> None:
        self.encoding = Encoding(board)
        self.table = Table(board)
        self.name = board.name

    def __deepcopy__(self, memo: object) -> Tools:
        return self

    def __reduce__(self) -> Any:
        return Tools, (self.encoding.board,)


class _Link(NamedTuple):
    """The last item, and a link to those before."""

    before: Any
    item: Any


def _chain(link: _Link | None) -> list[Any]:
    items = []
    while link is not None:
        items.append(link.item)
        link = link.before
    return items[::-1]


def kinds_chosen(counts: int) -> list[int]:
    """The kinds of thirty 2-bit counts."""
    return [kind for kind in range(KINDS) for _ in range(counts >> (2 * kind) & 3)]


class _Slot(NamedTuple):
    """A card that somebody got: at which place of the history, who, which, out of which deck."""

    number: int
    seat: int
    kind: int
    deck: int


class SingleGame:
    """A game before its deal, or later."""

    def __init__(self, tools: Tools, players: int) -> None:
        self.tools, self.players = tools, players
        self._row: NDArray[np.uint64] = np.zeros(env_layout.ROW_WORDS, dtype=np.uint64)
        self._row[: at.STATE_WORDS] = empty_state(tools.table.packed, players)
        small = self._row.view(np.uint8)
        small[[int(env_layout.FIRST), int(env_layout.SECOND)]] = int(at.NO_CARD)
        self._dealt: tuple[int, ...] = ()
        self._moved = 0  # actions of players and chance
        self._deck = 0  # how often the deck was shuffled anew
        # Cards in hands, each with where it came from; what each seat, and who has none, has seen.
        self._slots: tuple[_Slot, ...] = ()
        self._seen: tuple[_Link | None, ...] = (None,) * (players + 1)
        # Places of the history: see `is_end` and `is_idle`.
        self._ends: tuple[int, ...] = ()
        self._idle: tuple[int, ...] = ()

    def __deepcopy__(self, memo: object) -> SingleGame:
        other = SingleGame.__new__(SingleGame)
        other.__dict__.update(self.__dict__)
        other._row = self._row.copy()
        return other

    # --- what there is to know

    @property
    def _state(self) -> at.State:
        return self._row[: at.STATE_WORDS]

    @property
    def is_dealt(self) -> bool:
        """True once everybody has a hand."""
        return len(self._dealt) == HAND * self.players

    @property
    def waits(self) -> str:
        """The chance that is due: "deal", "roll" or "draw"; empty if none is."""
        if not self.is_dealt:
            return "deal"
        phase = phase_of(self._state)
        return phase if phase in _WAITING else ""

    @property
    def is_over(self) -> bool:
        """True once the game has ended."""
        return phase_of(self._state) == "over"

    @property
    def seat(self) -> int:
        """The seat that decides, or gets a card."""
        return byte_in(self._state, at.SEAT) if self.is_dealt else len(self._dealt) // HAND

    @property
    def rolls_tower(self) -> bool:
        """True if the tower die is rolled for this turn's wall."""
        first, second = self.tools.encoding.board.line_towers[byte_in(self._state, at.LINE)]
        labels = self._row.view(np.uint8)[int(at.LABELS_BYTE) :]
        return bool(labels[first] == at.NONE or labels[second] == at.NONE)

    def deck_counts(self) -> list[int]:
        """How many of each kind the deck holds."""
        left = kinds(int(self._state[int(at.DECK)]))
        counts = [left.count(kind) for kind in range(KINDS)]
        for kind in self._dealt if not self.is_dealt else ():
            counts[kind] -= 1
        return counts

    def legal_actions(self) -> list[int]:
        """The legal actions, ascending; none where chance is due."""
        if self.waits or self.is_over:
            return []
        begin = int(env_layout.LEGAL)
        legal = self._row[begin : begin + env_layout.LEGAL_WORDS].view(np.uint8)
        return [int(action) for action in np.flatnonzero(np.unpackbits(legal, bitorder="little"))]

    def returns(self) -> list[float]:
        """1 for the winner, the others share -1; 0 before the end."""
        if not self.is_over:
            return [0.0] * self.players
        position = unpack_state(self._state)
        winners = winners_of(position.scores, position.hand_sizes)
        won = [self.players * (seat in winners) / len(winners) for seat in range(self.players)]
        return [(share - 1) / (self.players - 1) for share in won]

    def text(self) -> str:
        """The whole position."""
        if not self.is_dealt:
            return " ".join(["deal", *(CARDS[kind] for kind in self._dealt)])
        chosen = self._row.view(np.uint8)[int(env_layout.STAGE)]
        position = format_position(unpack_state(self._state), self.tools.encoding.board)
        return f"{position} steps={chosen}:{int(self._row[int(env_layout.CHOSEN)])}"

    def view_text(self, seat: int | None) -> str:
        """The position as a seat sees it, or as everybody does (None)."""
        if not self.is_dealt:
            return self.seen_text(seat)
        seen = unpack_state(self._state).observed_by(seat)
        text = format_position(seen, self.tools.encoding.board)
        return f"{text} step {self._own_steps(seat)}"

    def secret_text(self, seat: int) -> str:
        """Return what only a seat sees: its hand, and the steps that it has made of a decision."""
        dealt = list(self._dealt[HAND * seat : HAND * (seat + 1)])
        held = kinds(int(self._state[int(at.HANDS) + seat])) if self.is_dealt else dealt
        return f"hand={'+'.join(CARDS[kind] for kind in held) or '-'} step {self._own_steps(seat)}"

    def _own_steps(self, seat: int | None) -> str:
        """Return the steps that the seat to move has made of its decision."""
        if seat != self.seat or self.waits or self.is_over:
            return "-"
        small = self._row.view(np.uint8)
        first = int(small[int(env_layout.FIRST)])
        return f"{small[int(env_layout.STAGE)]}:{first}:{int(self._row[int(env_layout.CHOSEN)])}"

    def seen_text(self, seat: int | None) -> str:
        """All that a seat, or everybody (None), has seen, in order."""
        name, place = ("none", self.players) if seat is None else (str(seat), seat)
        return " ".join([f"seat={name}", *_chain(self._seen[place])])

    def seen_by(self, seat: int) -> NDArray[np.uint8]:
        """uint8[observation size]: what a seat sees; 0 everywhere before the deal is done."""
        out = np.zeros(self.tools.encoding.layout.words, dtype=np.uint64)
        if self.is_dealt:
            observe_as(self._batch(), 0, seat, out)
        return out.view(np.uint8)

    def _batch(self) -> Batch:
        nothing, none = field_of(np.zeros(0, np.uint64)), field_of(np.zeros(0, np.float32))
        none_64 = field_of(np.zeros(0))
        return Batch(
            rows=field_of(self._row), board=field_of(self.tools.table.packed), starts=nothing,
            observation=nothing, mask=nothing, player=nothing, reward=none, done=nothing,
            observation_words=U(0), mask_words=U(0), reward_rule=U(0), auto_reset=U(0),
            history=none_64, work=nothing, hands=none_64, beliefs_word=U(0),
        )  # fmt: skip

    # --- moving on

    def act(self, action: int) -> None:
        """Make a legal action of the seat to move."""
        seat, before = self.seat, self._state.copy()
        name, is_later = self.tools.encoding.actions.name(action), self.is_mid_decision
        number, phase = self._moved, phase_of(before)
        self._go_on(action)
        hand = int(at.HANDS) + seat
        gone = Counter(kinds(int(before[hand])))
        gone.subtract(kinds(int(self._state[hand])))
        cards = list(gone.elements())
        self._lay_down(seat, cards)
        is_end = not np.array_equal(before, self._state)
        if is_end:
            self._ends = (*self._ends, number)
        if phase in _CARD_PHASES and is_later and name == "nothing":
            self._idle = (*self._idle, number)
        for other in range(self.players + 1):
            if other == seat or phase not in _CARD_PHASES:
                self._see(other, f"{seat}:{name}")
            elif is_end:  # cards named one by one are shown together
                city = f"={name}" if name.startswith("city:") else ""
                self._see(other, f"{seat}:{self._shown(before, cards)}{city}")
        self._note_shuffle(before)

    def is_end(self, number: int) -> bool:
        """Return whether the action at this place of the history completed a decision."""
        return number in self._ends

    def is_idle(self, number: int) -> bool:
        """Return whether that action only said that no further card is named."""
        return number in self._idle

    @property
    def is_mid_decision(self) -> bool:
        """True if some steps of the decision that is due are made."""
        return self.is_dealt and bool(self._row.view(np.uint8)[int(env_layout.BEGUN)])

    def _shown(self, before: at.State, cards: list[int]) -> str:
        """Return what everybody sees of a choice of cards: which, and each seat's points."""
        names = "+".join(CARDS[kind] for kind in cards) or "nothing"
        gained = scores_in(self._state, self.players)
        return f"{phase_of(before)}={names}={'/'.join(map(str, gained))}"

    def roll(self, die: int, die_1: int, die_2: int) -> None:
        """Let the dice fall; the tower die counts where it is rolled."""
        shown = f"{TOWER_DIE[die] if self.rolls_tower else '-'},{HOUSE_DIE[die_1]}"
        give_roll(
            self._row, self.tools.table.packed, die if self.rolls_tower else int(at.NONE),
            die_1, die_2,
        )  # fmt: skip
        for seat in range(self.players + 1):
            self._see(seat, f"roll:{shown},{HOUSE_DIE[die_2]}")
        self._go_on(None)

    def take_card(self, kind: int) -> None:
        """Deal or draw a card for the seat that is due."""
        seat = self.seat
        for other in range(self.players + 1):
            self._see(other, f"{seat}:gets:{CARDS[kind] if other == seat else '?'}")
        self._slots = (*self._slots, _Slot(self._moved, seat, kind, self._deck))
        if self.is_dealt:
            before = self._state.copy()
            give_card(self._row, kind)
            self._note_shuffle(before)
            self._go_on(None)
        else:
            self._dealt = (*self._dealt, kind)
            self._moved += 1
            self._begin()

    def _begin(self) -> None:
        """Give everybody the hand that was dealt, once it is complete."""
        if self.is_dealt:
            hands = [self._dealt[HAND * s : HAND * (s + 1)] for s in range(self.players)]
            deal_hands(self._state, hands)
            step_row(self._row, self.tools.table.packed, LEAVE)

    def _go_on(self, action: int | None) -> None:
        step_row(self._row, self.tools.table.packed, LEAVE if action is None else U(action))
        self._moved += 1

    def _see(self, seat: int, item: str) -> None:
        seen = list(self._seen)
        seen[seat] = _Link(seen[seat], item)
        self._seen = tuple(seen)

    def _lay_down(self, seat: int, cards: list[int]) -> None:
        """Cards leave a hand: of several of a kind the one that came first."""
        left = list(self._slots)
        for kind in cards:
            left.remove(next(slot for slot in left if (slot.seat, slot.kind) == (seat, kind)))
        self._slots = tuple(left)

    def _note_shuffle(self, before: at.State) -> None:
        """The discard pile became the deck: no card face up any more, and more in the deck."""
        was, now = int(before[int(at.DISCARD)]), int(self._state[int(at.DISCARD)])
        if was and not now:
            self._deck += 1

    # --- other worlds

    def other_cards(self, seat: int, draw: Callable[[], float]) -> dict[int, int]:
        """Another card for places of the history where a seat saw none; `draw` gives 0 to 1.

        Cards that others hold out of one deck change places with each other, and with those that
        are still in that deck. So whatever was shown stays possible.
        """
        changed = {}
        # What was named already in a decision of another seat stays, to be gone on with.
        movable, named = [], Counter(kinds_chosen(int(self._row[int(env_layout.CHOSEN)])))
        for slot in self._slots:
            if self.is_mid_decision and slot.seat == self.seat and named[slot.kind]:
                named[slot.kind] -= 1
            else:
                movable.append(slot)
        for deck in range(self._deck + 1):
            hidden = [slot for slot in movable if slot.seat != seat and slot.deck == deck]
            cards = [slot.kind for slot in hidden]
            if deck == self._deck:
                cards += [kind for kind, n in enumerate(self.deck_counts()) for _ in range(n)]
            for place, slot in enumerate(hidden):
                other = place + min(int(draw() * (len(cards) - place)), len(cards) - place - 1)
                cards[place], cards[other] = cards[other], cards[place]
                changed[slot.number] = cards[place]
        return changed
