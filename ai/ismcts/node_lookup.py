"""Finding in a tree the node of a later view, by playing from the old view what may have happened.

What a seat sees later follows from its own moves, the dice, its own draws, and what the other seats
did in the open: the branches of its tree. So the nodes of the later view are those where the tree's
own branches, played out from the old view, show the seat just that view. Nothing but the two views
is looked at; what is hidden is dealt anyhow, and dealt again as the others' open cards demand.

All that the tree knows at such a node comes from deals in which everything that the seat has seen
since did happen, so it stays true of them. Deals that made the other seats' moves likelier, the way
they play in the tree, count for more than in a fresh search, where all deals count alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.ismcts import tree
from masons.ai.ismcts.tree_report import Arena, get, grown, roll_of, slots, widened
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation, view_of
from masons.engine.game.table import Table
from masons.engine.rules.transitions import apply_move, give_card, give_roll
from masons.engine.state import layout as at
from masons.engine.state.packed_move import ABSTAIN, EXCHANGE, FINAL, HOUSES, PLAY, TOWERS, WALL
from masons.engine.state.position import byte_in, kind_sets, phase_of, scores_in

# Steps tried before the search for the node is given up: it must not take as long as a search.
MAX_STEPS: Final = 1000
_HANDS, _DECK = int(at.HANDS), int(at.DECK)
_CARDS_PLAYED: Final = (PLAY, ABSTAIN, EXCHANGE, FINAL)


@dataclass(frozen=True)
class _Place:
    """A state somewhere in the tree: the half that links to its node."""

    state: at.State
    link: int


def _within(cards: int, others: int) -> bool:
    """Whether some cards, by their kinds, are among others."""
    return not any(
        few & ~many for few, many in zip(kind_sets(cards), kind_sets(others), strict=True)
    )


def _items(state: at.State, base: int, words: int) -> int:
    """The set in so many words, as one number."""
    return int.from_bytes(state[int(base) :][:words].tobytes(), "little")


def fingerprint(view: Observation) -> tuple[object, ...]:
    """Everything that tells two views of a game apart, and nothing that does not."""
    state, small = view.state, view.state.view(np.uint8)
    phase = view.phase
    found: list[object] = [phase, view.hidden]
    found += [byte_in(state, byte) for byte in (at.PLAYERS, at.ACTIVE, at.SEAT, at.END, at.OPTIONS)]
    found += [kind_sets(hand) for hand in state[_HANDS:][: view.players].tolist()]
    found.append(kind_sets(int(state[int(at.DISCARD)])))
    board = ((at.WALLS, 4), (at.TOWERS, 6), (at.SCORES, 2), (at.SPACES, 64))
    found += [state[int(first) :][:count].tobytes() for first, count in board]
    if phase == "wall":
        found.append(byte_in(state, at.ROLLED))
    elif phase in ("towers", "houses"):
        dice = small[int(at.DICE) :][:2].tolist()
        found += [byte_in(state, at.LINE), byte_in(state, at.DIE), sorted(dice)]
    elif phase in ("merge", "score"):
        found.append(byte_in(state, at.CITY))
    elif phase == "swap":
        # Cards are due only in the middle of a swap, of which there is no view.
        found += [byte_in(state, at.QUEUE), byte_in(state, at.DUE)]
    return tuple(found)


class _Goal:
    """What is to be reached, and what may still lead to it."""

    def __init__(self, view: Observation) -> None:
        self.seat = view.seat
        self._state = view.state
        self._phase = view.phase
        self._print = fingerprint(view)
        self._players = view.players
        self._turn = int(view.state[int(at.TURN)])
        self._scores = scores_in(view.state, view.players)
        self._open = _items(view.state, at.OPEN, 4)
        self._discard = int(view.state[int(at.DISCARD)])
        self._hand = int(view.state[_HANDS + view.seat])
        self._towers = [_items(view.state, int(at.TOWERS) + 2 * color, 2) for color in range(3)]
        self._spaces = view.state.view(np.uint32)[int(at.SPACES_HALF) :]

    def is_reached(self, state: at.State) -> bool:
        """Whether a state shows the seat the goal."""
        return (
            phase_of(state) == self._phase
            and byte_in(state, at.SEAT) == self.seat
            and int(state[int(at.TURN)]) == self._turn
            and scores_in(state, self._players) == self._scores
            and fingerprint(view_of(state, self.seat)) == self._print
        )

    def may_follow(self, state: at.State) -> bool:
        """Whether the goal may follow from a state, as far as turns, lines, cards, points tell."""
        if int(state[int(at.TURN)]) > self._turn or not self._may_have_shown(state):
            return False
        if self._open & ~_items(state, at.OPEN, 4):
            return False
        scores = scores_in(state, self._players)
        early = byte_in(state, at.OPTIONS) & int(at.EARLY_ROLL_OPTION)
        return bool(early) or all(
            now <= then for now, then in zip(scores, self._scores, strict=True)
        )

    def _may_have_shown(self, state: at.State) -> bool:
        """Whether what lies face up, and what the seat has held since, may be in the goal."""
        up, hand = int(state[int(at.DISCARD)]), int(state[_HANDS + self.seat])
        if up.bit_count() > self._discard.bit_count():
            return True  # the cards were shuffled since
        return _within(up, self._discard) and _within(up | hand, self._discard | self._hand)

    def is_open(self, line: int) -> bool:
        """Whether a line is still open."""
        return bool(self._open >> line & 1)

    def allows(self, state: at.State, move: Move) -> bool:
        """Whether a move may lead to the goal, as far as the places named tell."""
        if move.kind == TOWERS:
            white, gray, black = self._towers
            return all(
                (self._towers[color] | ~(white | gray | black)) >> place & 1
                for place, color in move.put
            )
        if move.kind == HOUSES:
            now = state.view(np.uint32)[int(at.SPACES_HALF) :]
            return all(self._allows_house(now, *put) for put in move.put)
        return True

    def _allows_house(self, now: NDArray[np.uint32], space: int, color: int) -> bool:
        then = int(self._spaces[space])
        if then & int(at.IS_CITY | at.IN_CITY):
            return True
        return (int(now[space]) >> 4 * color & 15) < (then >> 4 * color & 15)

    def allows_roll(self, state: at.State, die: int, low: int, high: int) -> bool:
        """Whether a roll may lead to the goal: the one on the table, if that is of this turn."""
        if self._phase not in ("towers", "houses") or int(state[int(at.TURN)]) != self._turn:
            return True
        dice = self._state.view(np.uint8)[int(at.DICE) :][:2].tolist()
        return die == byte_in(self._state, at.DIE) and [low, high] == sorted(dice)


class _Walk:
    """The places of a tree that may lead to a goal."""

    def __init__(self, arena: Arena, table: Table, goal: _Goal) -> None:
        self._halves = arena.view(np.uint32)
        self._table = table
        self._goal = goal
        self._steps = 0

    def reached(self, start: at.State) -> Iterator[int]:
        """The nodes that show the goal."""
        todo = [(start, tree.FIRST_NODE)]
        while todo and self._steps < MAX_STEPS:
            state, node = todo.pop()
            if self._goal.is_reached(state):
                yield node
                continue
            for narrow, link in grown(self._halves, node):
                # Most lines of a wall decision are ruled out at a glance: they are still open.
                if narrow >> 28 == WALL and self._goal.is_open(narrow & 255):
                    continue
                move = widened(narrow)
                if self._goal.allows(state, move):
                    todo += self._decisions(_Place(self._after(state, move), link))

    def _after(self, state: at.State, move: Move) -> at.State:
        """What a move leads to."""
        after = state.copy()
        if byte_in(state, at.SEAT) != self._goal.seat and move.kind in _CARDS_PLAYED:
            _give(after, byte_in(state, at.SEAT), move.cards, self._goal.seat)
        apply_move(after, self._table.packed, np.uint64(move))
        self._steps += 1
        return after

    def _decisions(self, place: _Place) -> Iterator[tuple[at.State, int]]:
        """The decisions that follow, whatever chance does, with their nodes."""
        todo = [place]
        while todo:
            place = todo.pop()
            state, node = place.state, int(self._halves[place.link])
            if node <= int(tree.SEEN_ONCE):
                continue
            self._settle(state)
            phase = phase_of(state)
            if phase == "over" or not self._goal.may_follow(state):
                continue
            if phase == "roll":
                todo += self._rolls(state, node)
            elif phase == "draw":
                todo += self._draws(state, node)
            else:
                yield state, node

    def _settle(self, state: at.State) -> None:
        """Forced placings, and what the other seats draw: any cards, for nobody sees them."""
        while True:
            phase = phase_of(state)
            if phase in ("towers", "houses"):
                moves = self._table.legal_moves(state)
                if len(moves) != 1:
                    return
                apply_move(state, self._table.packed, np.uint64(moves[0]))
            elif phase == "draw" and byte_in(state, at.SEAT) != self._goal.seat:
                give_card(state, (_lowest(int(state[_DECK])).bit_length() - 1) // 2)
            else:
                return

    def _following(self, node: int) -> Iterator[tuple[int, int]]:
        """A chance node's slots that a node follows, with the halves that hold it."""
        first = 2 * (node + int(tree.HEADER_WORDS))
        for slot, child in enumerate(slots(self._halves, node).tolist()):
            if child > int(tree.SEEN_ONCE):
                yield slot, first + slot

    def _rolls(self, state: at.State, node: int) -> Iterator[_Place]:
        for slot, link in self._following(node):
            color, low, high = roll_of(slot)
            die = int(at.NONE) if color is None else color
            if self._goal.allows_roll(state, die, low, high):
                after = state.copy()
                give_roll(after, self._table.packed, die, low, high)
                self._steps += 1
                yield _Place(after, link)

    def _draws(self, state: at.State, node: int) -> Iterator[_Place]:
        for kind, link in self._following(node):
            after = state.copy()
            _give(after, None, [kind], self._goal.seat)
            give_card(after, kind)
            self._steps += 1
            yield _Place(after, link)


def _give(state: at.State, seat: int | None, cards: Sequence[int], observer: int) -> None:
    """Let a seat's hidden hand (None: the deck) hold some kinds, in exchange for other cards.

    Only cards that the observer does not see change places (`state` is modified in place).
    """
    to = _DECK if seat is None else _HANDS + seat
    players = byte_in(state, at.PLAYERS)
    others = [_HANDS + s for s in range(players) if s not in (observer, seat)]
    sources = [word for word in (_DECK, *others) if word != to]
    kept = 0
    for kind in cards:
        wanted = 3 << 2 * kind
        if not int(state[to]) & wanted & ~kept:
            source = next((w for w in sources if int(state[w]) & wanted), None)
            spare = int(state[to]) & ~kept
            if source is None or not spare:
                return
            _exchange(state, source, _lowest(int(state[source]) & wanted), to, _lowest(spare))
        kept |= _lowest(int(state[to]) & wanted & ~kept)


def _lowest(cards: int) -> int:
    return cards & -cards


def _exchange(state: at.State, one: int, card: int, other: int, spare: int) -> None:
    """Let two words of cards change a card each."""
    state[one] = np.uint64((int(state[one]) ^ card) | spare)
    state[other] = np.uint64((int(state[other]) ^ spare) | card)


def _dealt(view: Observation) -> at.State:
    """A state that shows a view: each hidden hand the lowest cards of the deck."""
    state = view.state.copy()
    deck = int(state[_DECK])
    for seat, size in enumerate(view.hidden):
        hand = 0
        for _ in range(size):
            hand |= _lowest(deck)
            deck &= deck - 1
        state[_HANDS + seat] |= np.uint64(hand)
    state[_DECK] = np.uint64(deck)
    return state


def find_node(arena: Arena, table: Table, old: Observation, new: Observation) -> int:
    """The node visited most of those that show `new`, in a tree over `old`; 0 where none is found.

    `arena` (uint64[words]) is not modified.
    """
    if old.seat != new.seat or old.players != new.players:
        return 0
    halves = arena.view(np.uint32)
    reached = _Walk(arena, table, _Goal(new)).reached(_dealt(old))
    return max(reached, key=lambda node: get(halves, node, tree.VISITS), default=0)
