"""Masons for OpenSpiel: the game `python_masons`, with explicit chance.

    import pyspiel, masons.env.adapters.openspiel_game
    game = pyspiel.load_game("python_masons(players=3)")

Importing this registers it. A player's actions are those of `masons.env`; chance deals and draws
kinds of card, and rolls the three dice at once: 36 times the tower die and 6 times a house die and
the other one. An information state is all that a player has seen; resampling one deals the cards
that are hidden from that player anew, in the whole history, so that every deal and draw agrees with
what was seen. An observation is that of `masons.env`, byte for byte; what is public and what is a
player's secret can be had apart, as text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import numpy as np

from masons.engine.board.components import (
    CARDS,
    HOUSE_DIE,
    KINDS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    TOWER_DIE,
)
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from masons.env.adapters.single_game import SingleGame, Tools

try:
    import pyspiel
except ImportError:
    raise MasonsError("this needs OpenSpiel: pip install 'masons-engine[openspiel]'") from None

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
    max_num_players=MAX_PLAYERS,
    min_num_players=MIN_PLAYERS,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=True,
    parameter_specification={"players": MIN_PLAYERS, "board": "classic"},
)


@lru_cache(maxsize=8)
def _tools(board: str) -> Tools:
    return Tools(load_board(board))


class MasonsGame(pyspiel.Game):  # type: ignore[misc]
    """The game; parameters `players` (2, 3 or 4) and `board` (a name or a file)."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        parameters = params or {}
        self.seats = int(parameters.get("players", MIN_PLAYERS))
        if not MIN_PLAYERS <= self.seats <= MAX_PLAYERS:
            raise MasonsError(f"players is {self.seats}: it must be 2, 3 or 4")
        self.tools = _tools(str(parameters.get("board", "classic")))
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
        """The state before the deal."""
        return MasonsState(self)

    def max_chance_nodes_in_history(self) -> int:
        """More than any game has."""
        return _MOST_CHANCE

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Any = None
    ) -> MasonsObserver | None:
        """Return an observer of states for a player; None for an unsupported kind.

        That is: one that sees all hands, and one that recalls nothing but a player's secrets.
        """
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        sees_all = kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS
        if sees_all or (kind.perfect_recall and not kind.public_info):
            return None
        return MasonsObserver(kind, params, self.tools)


class MasonsState(pyspiel.State):  # type: ignore[misc]
    """A state: a game, of which `inside` knows everything."""

    def __init__(self, game: MasonsGame) -> None:
        super().__init__(game)
        self.inside = SingleGame(game.tools, game.seats)

    def current_player(self) -> int:
        """The seat to move, chance, or terminal."""
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
        """1 for the winner, the others share -1."""
        return self.inside.returns()

    def __str__(self) -> str:
        return self.inside.text()

    def resample_from_infostate(
        self, player_id: int, sampler: Callable[[], float] | None = None
    ) -> MasonsState:
        """A state that the player may as well be in: what it cannot see is dealt anew.

        Its history is that of such a game: every card dealt or drawn that the player has not seen
        is another one perhaps, and all else is as it was. `sampler` gives numbers from 0 to 1.
        """
        draw = sampler or np.random.default_rng().random
        changed = self.inside.other_cards(player_id, draw)
        state = self.get_game().new_initial_state()
        for number, action in enumerate(self.history()):
            # With other cards in hand there may be one that could have been named, too, or none.
            if self.inside.is_idle(number) and not state.inside.is_mid_decision:
                continue
            state.apply_action(changed.get(number, action))
            if self.inside.is_end(number) and state.inside.is_mid_decision:
                state.apply_action(self.inside.tools.encoding.actions.nothing)
        return state  # type: ignore[no-any-return]


class MasonsObserver:
    """Reads states for a player: the bytes of an observation, or all that was seen as text.

    `tensor`: what a player sees now, float32[observation size], and `dict`, its parts by name, as
    rows of records; None and empty for other observers. One of all that was ever seen would be as
    long as the longest game, and most of it empty.
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
        """Fill the tensor with what the player sees."""
        if self.tensor is not None:
            self.tensor[:] = state.inside.seen_by(player)

    def string_from(self, state: MasonsState, player: int) -> str:
        """Return what the player, everybody, or only the player sees or has seen, as text."""
        if not self._is_public:
            return state.inside.secret_text(player) if self._is_private else ""
        seat = player if self._is_private else None
        return state.inside.seen_text(seat) if self._recalls else state.inside.view_text(seat)


pyspiel.register_game(_GAME_TYPE, MasonsGame)
