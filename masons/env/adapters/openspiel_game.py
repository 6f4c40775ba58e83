"""Masons for OpenSpiel: the game `python_masons`, with explicit chance nodes.

    import pyspiel, masons.env.adapters.openspiel_game
    game = pyspiel.load_game("python_masons(players=3)")

Importing this module registers the game. Players have the same actions as in `masons.env`. When
chance deals or draws a card, the action is the number of the card's kind. When chance rolls the
three dice, the action is 36 * tower die + 6 * first house die + second house die.

An information state is everything that a player has seen. Resampling an information state replaces
the cards that are hidden from the player and replays the history with the new cards, which fit
everything that the player has seen. An observation has the same bytes as in `masons.env`. The
public part of an observation and the player's private part are also available separately as text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.engine.board import components
from masons.engine.board.components import CARDS, HAND, HOUSE_DIE, KINDS, TOWER_DIE
from masons.engine.board.geometry import Board, load_board
from masons.engine.errors import MasonsError
from masons.engine.extras import install_command
from masons.engine.formats.position_text import format_position
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.rules.transitions import give_card, give_roll
from masons.engine.rules.turns import winners_of
from masons.engine.state import layout
from masons.engine.state.derive import deal_hands, empty_state
from masons.engine.state.position import byte_in, kinds, phase_of, scores_in, unpack_state
from masons.env.batch_env import win_rewards
from masons.env.encoding import Encoding
from masons.env.stepping import env_layout
from masons.env.stepping.batch_kernels import LEAVE, observe_row, step_row

try:
    import pyspiel
except ImportError:
    raise MasonsError(f"this needs OpenSpiel: {install_command('openspiel')}") from None

NAME: Final = "python_masons"
_ROLLS: Final = 108
_PAIRS: Final = 36
_LONGEST: Final = 20_000
_MOST_CHANCE: Final = 20_000

_GAME_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="Python Masons",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=components.MAX_PLAYERS,
    min_num_players=components.MIN_PLAYERS,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=True,
    parameter_specification={"players": components.MIN_PLAYERS, "board": "classic"},
)


class Tools:
    """The objects that all games on a board share. A copy is the object itself."""

    def __init__(self, board: Board) -> None:
        self.encoding = Encoding(board)
        self.table = Table(board)

    def __deepcopy__(self, memo: object) -> Tools:
        return self

    def __reduce__(self) -> Any:
        return Tools, (self.encoding.board,)


class _Slot(NamedTuple):
    """A card in a hand. `number` is the index in the history at which it was dealt or drawn."""

    number: int
    seat: int
    kind: int
    deck: int  # number of reshuffles before the card was received


class SingleGame:
    """A game whose dice and cards the caller supplies, with a record of what each seat has seen.

    Copies are cheap: only the row (see `env_layout`) is copied. Everything else is immutable and
    shared.
    """

    def __init__(self, tools: Tools, players: int) -> None:
        self.tools, self.players = tools, players
        self._row: NDArray[np.uint64] = np.zeros(env_layout.ROW_WORDS, dtype=np.uint64)
        self._row[: layout.STATE_WORDS] = empty_state(tools.table.packed, players)
        marks = [int(env_layout.FIRST), int(env_layout.SECOND)]
        self._row.view(np.uint8)[marks] = int(layout.NO_CARD)
        self._dealt: tuple[int, ...] = ()
        self._moved = 0  # number of actions made so far, including those of chance
        self._deck = 0  # number of reshuffles
        self._steps = 0  # number of actions made so far in the current decision
        self._slots: tuple[_Slot, ...] = ()  # the cards in all hands
        # Everything that each seat has seen, as a text for each seat and one for a spectator.
        self._seen = (*(f"seat={seat}" for seat in range(players)), "seat=none")
        # Indices of actions in the history: `ends` for the actions that completed a decision, and
        # `idle` for the actions that only said that no further card follows.
        self.ends: frozenset[int] = frozenset()
        self.idle: frozenset[int] = frozenset()

    def __deepcopy__(self, memo: object) -> SingleGame:
        other = SingleGame.__new__(SingleGame)
        other.__dict__.update(self.__dict__)
        other._row = self._row.copy()
        return other

    @property
    def _state(self) -> layout.State:
        return self._row[: layout.STATE_WORDS]

    @property
    def is_dealt(self) -> bool:
        """True once all hands are dealt."""
        return len(self._dealt) == HAND * self.players

    @property
    def waits(self) -> str:
        """The chance event that is due ("deal", "roll" or "draw"), or "" if none is due."""
        if not self.is_dealt:
            return "deal"
        phase = phase_of(self._state)
        return phase if phase in ("roll", "draw") else ""

    @property
    def is_over(self) -> bool:
        """True once the game has ended."""
        return phase_of(self._state) == "over"

    @property
    def seat(self) -> int:
        """The seat that decides or receives a card."""
        return byte_in(self._state, layout.SEAT) if self.is_dealt else len(self._dealt) // HAND

    @property
    def rolls_tower(self) -> bool:
        """True if the tower die is rolled for this turn's wall."""
        first, second = self.tools.encoding.board.line_towers[byte_in(self._state, layout.LINE)]
        labels = self._row.view(np.uint8)[int(layout.LABELS_BYTE) :]
        return bool(labels[first] == layout.NONE or labels[second] == layout.NONE)

    def deck_counts(self) -> list[int]:
        """Return the number of cards of each kind in the deck."""
        left = Counter(kinds(int(self._state[int(layout.DECK)])))
        if not self.is_dealt:
            left.subtract(self._dealt)
        return [left[kind] for kind in range(KINDS)]

    def legal_actions(self) -> list[int]:
        """Return the legal actions in ascending order, or no actions if chance is due."""
        if self.waits or self.is_over:
            return []
        begin = int(env_layout.LEGAL)
        legal = self._row[begin : begin + env_layout.LEGAL_WORDS].view(np.uint8)
        return list(np.flatnonzero(np.unpackbits(legal, bitorder="little")).tolist())

    def returns(self) -> list[float]:
        """Return each seat's reward at the end (see `win_rewards`); before the end, all are 0."""
        if not self.is_over:
            return [0.0] * self.players
        position = unpack_state(self._state)
        return win_rewards(self.players, winners_of(position.scores, position.hand_sizes))

    def text(self) -> str:
        """Return the complete position as text."""
        if not self.is_dealt:
            return " ".join(["deal", *(CARDS[kind] for kind in self._dealt)])
        position = format_position(unpack_state(self._state), self.tools.encoding.board)
        return f"{position} steps={byte_in(self._row, env_layout.STAGE)}:{self._chosen}"

    def view_text(self, seat: int | None) -> str:
        """Return the position as text, as a seat or a spectator (None) sees it."""
        if not self.is_dealt:
            return self.seen_text(seat)
        seen = unpack_state(self._state).observed_by(seat)
        text = format_position(seen, self.tools.encoding.board)
        return f"{text} step {self._steps_of(seat)}"

    def secret_text(self, seat: int) -> str:
        """Return a seat's private information: its hand and the steps of its current decision."""
        dealt = list(self._dealt[HAND * seat : HAND * (seat + 1)])
        held = kinds(int(self._state[int(layout.HANDS) + seat])) if self.is_dealt else dealt
        return f"hand={'+'.join(CARDS[kind] for kind in held) or '-'} step {self._steps_of(seat)}"

    def _steps_of(self, seat: int | None) -> str:
        """Return the steps of the current decision as text, or "-" if the seat is not to move."""
        if seat != self.seat or self.waits or self.is_over:
            return "-"
        stage, first = byte_in(self._row, env_layout.STAGE), byte_in(self._row, env_layout.FIRST)
        return f"{stage}:{first}:{self._chosen}"

    @property
    def _chosen(self) -> int:
        """The cards chosen so far in this decision, as a 2-bit count for each of the 30 kinds."""
        return int(self._row[int(env_layout.CHOSEN)])

    def seen_text(self, seat: int | None) -> str:
        """Return everything that a seat or a spectator (None) has seen, in order."""
        return self._seen[self.players if seat is None else seat]

    def seen_by(self, seat: int) -> NDArray[np.uint8]:
        """Return the observation of a seat as uint8[observation size], or zeros before the deal."""
        out = np.zeros(self.tools.encoding.layout.words, dtype=np.uint64)
        if self.is_dealt:
            observe_row(self._row, self.tools.table.packed, seat, out)
        return out.view(np.uint8)

    def act(self, action: int) -> None:
        """Make a legal action for the seat to move."""
        seat, before = self.seat, self._state.copy()
        name, is_later = self.tools.encoding.actions.name(action), self.is_mid_decision
        number, phase, is_hidden = self._moved, phase_of(before), self._is_secret
        self._go_on(action)
        hand = int(layout.HANDS) + seat
        gone = Counter(kinds(int(before[hand])))
        gone.subtract(kinds(int(self._state[hand])))
        cards = list(gone.elements())
        left = list(self._slots)
        for kind in cards:  # of equal cards, remove the one received first
            left.remove(next(slot for slot in left if (slot.seat, slot.kind) == (seat, kind)))
        self._slots = tuple(left)
        is_end = not np.array_equal(before, self._state)
        if is_end:
            self.ends |= {number}
        self._steps = self._steps + 1 if self.is_mid_decision else 0
        if is_hidden and is_later and name == "nothing":
            self.idle |= {number}
        public = f" {seat}:{name}"
        if is_hidden and is_end:  # the cards were named one by one, but are shown together
            names = "+".join(CARDS[kind] for kind in cards) or "nothing"
            scores = "/".join(map(str, scores_in(self._state, self.players)))
            city = f"={name}" if name.startswith("city:") else ""
            public = f" {seat}:{phase}={names}={scores}{city}"
        elif is_hidden:
            public = ""
        self._see(seat, f" {seat}:{name}", public)
        self._note_shuffle(before)

    @property
    def is_mid_decision(self) -> bool:
        """True if some steps of the current decision have already been made."""
        return self.is_dealt and byte_in(self._row, env_layout.BEGUN) != 0

    @property
    def _is_secret(self) -> bool:
        """True if the others see the current decision only when it is complete."""
        return phase_of(self._state) in ("score", "swap", "final")

    def secret_steps(self, seat: int) -> int:
        """Return the number of steps made in the current decision that `seat` has not seen."""
        return self._steps if self._is_secret and seat != self.seat else 0

    def roll(self, die: int, die_1: int, die_2: int) -> None:
        """Roll the dice. The tower die is ignored if it is not due."""
        tower = die if self.rolls_tower else int(layout.NONE)
        name = TOWER_DIE[die] if self.rolls_tower else "-"
        roll = f" roll:{name},{HOUSE_DIE[die_1]},{HOUSE_DIE[die_2]}"
        give_roll(self._row, self.tools.table.packed, tower, die_1, die_2)
        self._see(self.seat, roll, roll)
        self._go_on(None)

    def take_card(self, kind: int) -> None:
        """Deal or draw a card for the seat that is due to receive one."""
        seat = self.seat
        self._see(seat, f" {seat}:gets:{CARDS[kind]}", f" {seat}:gets:?")
        self._slots = (*self._slots, _Slot(self._moved, seat, kind, self._deck))
        if self.is_dealt:
            before = self._state.copy()
            give_card(self._row, kind)
            self._note_shuffle(before)
            self._go_on(None)
            return
        self._dealt = (*self._dealt, kind)
        self._moved += 1
        if len(self._dealt) == HAND * self.players:
            hands = [self._dealt[HAND * s : HAND * (s + 1)] for s in range(self.players)]
            deal_hands(self._state, hands)
            step_row(self._row, self.tools.table.packed, LEAVE)

    def _go_on(self, action: int | None) -> None:
        step_row(self._row, self.tools.table.packed, LEAVE if action is None else U(action))
        self._moved += 1

    def _see(self, seat: int, private: str, public: str) -> None:
        """Add `private` to what a seat has seen, and `public` to what all others have seen."""
        self._seen = tuple(
            seen + (private if number == seat else public) for number, seen in enumerate(self._seen)
        )

    def _note_shuffle(self, before: layout.State) -> None:
        """Count a reshuffle if the discard pile was not empty before and is empty now."""
        if before[int(layout.DISCARD)] and not self._state[int(layout.DISCARD)]:
            self._deck += 1

    def other_cards(self, seat: int, draw: Callable[[], float]) -> dict[int, int]:
        """Return new random cards for the other hands, which `seat` does not see.

        A reshuffle begins a new deck. Cards that the other hands received from the same deck are
        exchanged with each other and, if the deck is the current one, with the cards left in it. So
        the new cards fit everything that was shown. The result maps the index of a deal or draw in
        the history to the new kind. `draw` is a function that returns random numbers from 0 to 1.
        """
        changed = {}
        for deck in range(self._deck + 1):
            hidden = [slot for slot in self._slots if slot.seat != seat and slot.deck == deck]
            cards = [slot.kind for slot in hidden]
            if deck == self._deck:
                cards += [kind for kind, n in enumerate(self.deck_counts()) for _ in range(n)]
            for place, slot in enumerate(hidden):
                other = place + min(int(draw() * (len(cards) - place)), len(cards) - place - 1)
                cards[place], cards[other] = cards[other], cards[place]
                changed[slot.number] = cards[place]
        return changed


@lru_cache(maxsize=8)
def _tools_of(board: str) -> Tools:
    return Tools(load_board(board))


class MasonsGame(pyspiel.Game):  # type: ignore[misc]
    """The game. Its parameters are `players` (2, 3 or 4) and `board` (a name or a file)."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        parameters = params or {}
        self.seats = int(parameters.get("players", components.MIN_PLAYERS))
        if not components.MIN_PLAYERS <= self.seats <= components.MAX_PLAYERS:
            raise MasonsError(f"players is {self.seats}: it must be 2, 3 or 4")
        self.tools = _tools_of(str(parameters.get("board", "classic")))
        info = pyspiel.GameInfo(
            num_distinct_actions=self.tools.encoding.actions.count,
            max_chance_outcomes=_ROLLS,
            num_players=self.seats,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=_LONGEST,
        )
        super().__init__(_GAME_TYPE, info, parameters)

    def new_initial_state(self) -> MasonsState:
        """Return the state before the deal."""
        return MasonsState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return an upper limit for the number of chance nodes in a game."""
        return _MOST_CHANCE

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Any = None
    ) -> MasonsObserver | None:
        """Return an observer of states for a player, or None for an unsupported kind of observer.

        Two kinds are not supported: observers that see all hands, and observers that recall only
        private information.
        """
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        sees_all = kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS
        if sees_all or (kind.perfect_recall and not kind.public_info):
            return None
        return MasonsObserver(kind, params, self.tools)


class MasonsState(pyspiel.State):  # type: ignore[misc]
    """A state of the game. `inside` is the game itself, with all hidden cards."""

    def __init__(self, game: MasonsGame) -> None:
        super().__init__(game)
        self.inside = SingleGame(game.tools, game.seats)

    def current_player(self) -> int:
        """Return the seat to move, or CHANCE or TERMINAL."""
        inside = self.inside
        if inside.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if inside.waits else inside.seat

    def _legal_actions(self, player: int) -> list[int]:  # noqa: ARG002 - OpenSpiel's own
        return self.inside.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of chance with their probabilities."""
        inside = self.inside
        if inside.waits == "roll":
            count = _ROLLS if inside.rolls_tower else _PAIRS
            return [(number, 1 / count) for number in range(count)]
        deck = inside.deck_counts()
        total = sum(deck)
        return [(kind, count / total) for kind, count in enumerate(deck) if count]

    def _apply_action(self, action: int) -> None:
        inside = self.inside
        if inside.waits == "roll":
            inside.roll(action // _PAIRS, action % _PAIRS // 6, action % 6)
        elif inside.waits:
            inside.take_card(action)
        else:
            inside.act(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return self.inside.tools.encoding.actions.name(action)
        if self.inside.waits == "roll" or action >= KINDS:
            die = TOWER_DIE[action // _PAIRS] if self.inside.rolls_tower else "-"
            return f"roll:{die},{HOUSE_DIE[action % _PAIRS // 6]},{HOUSE_DIE[action % 6]}"
        return f"card:{CARDS[action]}"

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.inside.is_over

    def returns(self) -> list[float]:
        """Return each seat's reward at the end (see `win_rewards`); before the end, all are 0."""
        return self.inside.returns()

    def __str__(self) -> str:
        return self.inside.text()

    def resample_from_infostate(
        self, player_id: int, sampler: Callable[[], float] | None = None
    ) -> MasonsState:
        """Return a state that the player cannot distinguish from this one.

        Cards in the history that the player has not seen may differ. If another seat has named
        cards that it has not shown yet, its decision begins anew. Everything else is the same.
        `sampler` is a function that returns random numbers from 0 to 1.
        """
        draw = sampler or np.random.default_rng().random
        changed = self.inside.other_cards(player_id, draw)
        state, history = self.get_game().new_initial_state(), self.history()
        seen = len(history) - self.inside.secret_steps(player_id)
        for number, action in enumerate(history[:seen]):
            # A seat says that no further card follows only if its hand has cards that could follow.
            # With the new cards this action may have to be left out here, or added below.
            if number in self.inside.idle and not state.inside.is_mid_decision:
                continue
            state.apply_action(changed.get(number, action))
            if number in self.inside.ends and state.inside.is_mid_decision:
                state.apply_action(self.inside.tools.encoding.actions.nothing)
        return state  # type: ignore[no-any-return]


class MasonsObserver:
    """An observer, which describes a state as a player sees it: by a tensor or by a text.

    `tensor` is the current observation as float32[observation size], and `dict` maps names to the
    parts of the tensor. For an observer with perfect recall, or one that sees only public or only
    private information, `tensor` is None and `dict` is empty. A tensor for perfect recall would
    have to fit the longest game and would be mostly empty.
    """

    def __init__(self, iig_obs_type: Any, params: Any, tools: Tools) -> None:
        if params:
            raise MasonsError(f"an observer of Masons has no parameters, {params} were given")
        self._recalls = bool(iig_obs_type.perfect_recall)
        self._is_public = bool(iig_obs_type.public_info)
        self._is_private = iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self.tensor, self.dict = None, {}
        if self._is_public and self._is_private and not self._recalls:
            layout = tools.encoding.layout
            self.tensor = np.zeros(layout.size, np.float32)
            self.dict = layout.records(self.tensor)

    def set_from(self, state: MasonsState, player: int) -> None:
        """Fill the tensor with the player's observation."""
        if self.tensor is not None:
            self.tensor[:] = state.inside.seen_by(player)

    def string_from(self, state: MasonsState, player: int) -> str:
        """Return a state as text: its private part, its public part or all that a player sees."""
        if not self._is_public:
            return state.inside.secret_text(player) if self._is_private else ""
        seat = player if self._is_private else None
        return state.inside.seen_text(seat) if self._recalls else state.inside.view_text(seat)


pyspiel.register_game(_GAME_TYPE, MasonsGame)
