"""A game with people and engines in its seats.

A journal saves every move, every undo, and the dice and cards that people type in. The game can be
replayed from its journal, because all other dice and cards follow from the seed. Each of the
engine's seats sees only its own view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from masons.ai.explain.explanation import Explanation, explained
from masons.ai.players.named_players import make_player
from masons.ai.players.player import Player
from masons.ai.players.player_names import level_player
from masons.ai.search.limits import HINT_DEFAULT, TABLE_DEFAULT, Limits
from masons.ai.search.results import Analysis
from masons.ai.session import Session
from masons.engine import checks
from masons.engine.board.components import MIN_PLAYERS
from masons.engine.checks import shown
from masons.engine.errors import MasonsError, MoveError, RecordError
from masons.engine.fair.fair_game import forget_secret, kept_fair
from masons.engine.files import uninterrupted
from masons.engine.formats.move_text import Move
from masons.engine.formats.record_endings import Forfeit, Stopped
from masons.engine.game.chance import Chance, Outside
from masons.engine.game.game import Game
from masons.engine.game.record import game_record
from masons.engine.game.table import Table
from masons.engine.kernels.rng import mix
from masons.engine.plain_text import plain_name
from masons.engine.storage.held_file import not_kept
from masons.match.playing.game_clock import GameClock, seconds
from masons.match.playing.game_setup import GameSetup
from masons.protocol.messages.seat_events import Moved, SeatEvent, chance_steps
from masons.words.events import news_lines
from masons.words.scored_view import Item, ScoredView, menu_items

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.engine.fair.fair_game import Fair
    from masons.engine.state.position import Position
    from masons.match.playing.journal import Journal

# The events, and the keys of events, that reveal something hidden or random.
_CHANCE: Final = ("roll", "reshuffle")
_DRAWS: Final = ("drew", "in")
# The reasons why a decision cannot be taken back.
NO_UNDO: Final = {
    "none": "there is nothing to take back yet",
    "typed": "dice or cards were typed in since, which cannot be repeated",
    "revealed": "dice or cards were revealed since: only --practice takes that back",
    "decided": "others have decided since: only --practice takes that back",
}


class PlayedGame:
    """A game with people in some of its seats. Raises MasonsError for an impossible setup.

    `fair` holds the dice and cards of a new fair game. A resumed fair game reads its secret from
    disk instead.
    """

    def __init__(
        self,
        board: Board,
        setup: GameSetup,
        *,
        fair: Fair | None = None,
        player_of: Callable[[str, int], Player] = make_player,
    ) -> None:
        """Begin the game. `player_of(name, seed)` returns a player for the engine."""
        self.setup = setup
        self.keeper: Journal | None = None
        self._player_of = player_of
        self._fair = fair or (kept_fair(setup.fair, setup.first) if setup.fair else None)
        if self._fair is not None:
            chance: Chance | None = self._fair.chance()
        else:  # None if dice and cards follow from the seed
            chance = Outside() if setup.seed is None else None
        self.game = Game(
            setup.players,
            board=board,
            seed=setup.seed,
            first=setup.first,
            early_roll=setup.early_roll,
            chance=chance,
            hands=setup.hands,
        )
        self._begun = [self.game.observe(seat) for seat in range(setup.players)]
        self.people = set(setup.people)
        self.clock = None if setup.clock is None else GameClock(setup.clock, setup.players)
        self.stopped: Stopped | None = None  # why the game is over without a result
        self._forfeits: list[Forfeit] = []
        self._seats: list[int] = []  # the seat of each decision
        self._logged: list[int] = []  # the number of events before each decision
        # The rolls and cards that were typed in, each with the number of decisions before it.
        self._typed: list[tuple[int, Mapping[str, Any]]] = []
        self._engines: dict[int, Player] = {}
        self._engine_table: Table | None = None  # separate, because only one thread may use a table
        self._hint: Session | None = None

    # --- the state of the game

    @property
    def is_over(self) -> bool:
        """True if the game has ended, or was given up or lost on time."""
        return self.game.is_over or self.stopped is not None

    @property
    def due(self) -> str:
        """The next step of the game.

        This is "person" if a person must decide, "engine" if an engine must decide, "roll" if dice
        must be typed in, "card" if a card must be typed in, and "over" if the game is over.
        """
        if self.is_over:
            return "over"
        if self.game.phase in ("roll", "draw"):
            return "roll" if self.game.phase == "roll" else "card"
        return "person" if self.game.seat in self.people else "engine"

    @property
    def is_begun(self) -> bool:
        """True if a person has decided, or has typed in hands, dice or cards."""
        setup = self.setup
        typed = self._typed or setup.hands is not None or setup.fair is not None
        return bool(typed) or any(seat in setup.people for seat in self._seats)

    @property
    def viewers(self) -> tuple[int, ...]:
        """The seats whose cards may be shown.

        If only one person plays, the result is this person's seat. Otherwise it is the seat of the
        person who must decide, or nothing if no person must decide.
        """
        if len(self.people) == 1:
            return tuple(self.people)
        return (self.game.seat,) if self.due == "person" else ()

    @property
    def names(self) -> Sequence[str]:
        """The names of the seats, with control characters escaped."""
        return [plain_name(name) for name in self.setup.names]

    def view(self, seat: int) -> Position:
        """Return the position as a seat sees it."""
        return self.game.view(seat)

    def scored_view(self, seat: int) -> ScoredView:
        """Return the position as a seat sees it, with the points of the seat's cards."""
        return ScoredView(self.game.table, self.view(seat))

    def items(self) -> list[Item]:
        """Return the menu of moves for the decision that is due."""
        return menu_items(self.scored_view(self.game.seat), self.game.legal_moves())

    def news(self, seat: int | None) -> list[str]:
        """Return the news since a seat's last decision, without hidden cards.

        If `seat` is None or the seat has made no decision, return the news of the whole game.
        """
        return news_lines(self.game.board, self.changes(seat), self.names, self.viewers)

    def changes(self, seat: int | None) -> list[dict[str, Any]]:
        """Return the events that `news` describes, with the names of all drawn cards."""
        last = None if seat is None else self._last_of(seat)
        return self.game.log.events(0 if last is None else self._logged[last])

    def latest(self) -> list[dict[str, Any]]:
        """Return the events since the last decision of any seat."""
        return self.game.log.events(self._logged[-1] if self._logged else 0)

    def steps(self) -> list[SeatEvent]:
        """Return all decisions, rolls and draws so far, with the names of all drawn cards."""
        log, ends = self.game.log, [*self._logged[1:], len(self.game.log)]
        events = log.events()
        steps = list(chance_steps(events[: self._logged[0] if self._logged else None]))
        decided = zip(self._seats, self.game.moves, self._logged, ends, strict=False)
        for seat, move, begin, end in decided:
            steps += [Moved(seat, move), *chance_steps(events[begin:end])]
        return steps

    def _last_of(self, seat: int) -> int | None:
        """Return the number of a seat's last decision, or None if it has made none."""
        indices = [at for at, who in enumerate(self._seats) if who == seat]
        return indices[-1] if indices else None

    # --- decisions, dice and cards

    def make(self, move: Move | str, spent: float = 0.0) -> None:
        """Make the decision that is due, for which its seat needed `spent` seconds.

        Raises MoveError if the move is not legal.
        """
        seat, logged = self.game.seat, len(self.game.log)
        if self.is_over:
            raise MoveError("the game is over")
        chosen = self.game.legal_move(move)
        with uninterrupted():  # the file and the game must agree
            entry: dict[str, Any] = {"p": seat, "move": str(chosen)}
            if self.clock is not None:
                entry["spent"] = spent = seconds(spent)
            self._keep(entry)
            if self.clock is not None:
                self.clock.decide(seat, str(chosen), spent)
            self.game.apply_legal(chosen)
            self._seats.append(seat)
            self._logged.append(logged)
            self._finish()

    def engine_moves(self) -> Move:
        """Let the engine make the decision that is due, and return its move."""
        move = self.engine_search()()
        self.make(move)
        return move

    def engine_search(self) -> Callable[[], Move]:
        """Return a function that chooses the engine's move from the current view of its seat.

        The function may be called by any thread, but by only one at a time. Raises MasonsError if
        the seat's player does not exist.
        """
        seat = self.game.seat
        if self._engine_table is None:
            self._engine_table = Table(self.game.board)
        player = self._engines.get(seat)
        if player is None:
            # If the game has no seed, the player can have any seed.
            seat_seed = mix(self.setup.seed or 0, seat)
            player = self._engines[seat] = self._player_of(self.engine_name(seat), seat_seed)
        # A player with this method must be told the events so far before it decides.
        if follow := getattr(player, "follow", None):
            follow(seat, self._begun[seat], self.steps())
        return partial(
            player.choose, self._engine_table, self.game.observe(seat), self.game.legal_moves(),
            TABLE_DEFAULT,
        )  # fmt: skip

    def engine_name(self, seat: int) -> str:
        """Return the name of the player that decides in one of the engine's seats."""
        names = self.setup.engines
        return (names[seat] if names else "") or level_player(self.setup.level)

    def give_roll(self, tower: str | None, first: str, second: str) -> None:
        """Set the roll to the dice that people typed in. Raises MoveError."""
        with uninterrupted():
            self._give(entry := {"roll": [tower, first, second]})
            self._keep_surely(entry)

    def give_card(self, name: str) -> None:
        """Set the drawn card to the card that people typed in. Raises MoveError."""
        with uninterrupted():
            self._give(entry := {"card": name})
            self._keep_surely(entry)

    def _give(self, entry: Mapping[str, Any]) -> None:
        """Give a roll or card to the game. Raises MoveError if the game does not take it."""
        if "roll" in entry:
            self.game.give_roll(*entry["roll"])
        else:
            self.game.give_card(entry["card"])
        self._typed.append((len(self._seats), entry))

    def resign(self, seat: int) -> None:
        """Give up a person's seat.

        In a game of two seats, or if no other person plays, the game is over. Otherwise the engine
        takes the seat over.
        """
        self._keep({"resign": seat})
        if len(self.people) > 1 and self.setup.players > MIN_PLAYERS:
            self.people.discard(seat)
        else:
            self.stopped = Stopped("resigned", seat)
        self._finish()

    def run_out_of_time(self) -> None:
        """End the game, since the deciding seat has no time left."""
        seat = self.game.seat
        self._keep({"time": seat})
        self._forfeits.append(Forfeit(seat, len(self.game.log), "time"))
        self.stopped = Stopped("forfeit", seat)
        self._finish()

    def undo(self) -> int:
        """Take back the deciding seat's last decision and all decisions after it.

        Returns the number of decisions that were taken back. Raises MoveError if the seat has made
        no decision. Also raises MoveError if dice or cards have been revealed, or another seat has
        decided, since that decision; this does not apply to a practice game with a seed.
        """
        if reason := self.why_no_undo:
            raise MoveError(NO_UNDO[reason])
        last = self._last_of(self.game.seat)
        assert last is not None
        count = len(self._seats) - last
        with uninterrupted():
            self._keep({"undo": count})
            self._take_back(count)
        return count

    @property
    def why_no_undo(self) -> str:
        """The key in NO_UNDO of the reason why the deciding seat cannot undo, or "" if it can."""
        seat = self.game.seat
        last = self._last_of(seat)
        if last is None:
            return "none"
        others = any(who != seat for who in self._seats[last:])
        events = self.game.log.events(self._logged[last])
        revealed = bool(self._typed and self._typed[-1][0] > last) or any(
            event["e"] in _CHANCE or any(event.get(key) for key in _DRAWS) for event in events
        )
        if self.setup.practice and self.setup.seed is not None:
            return ""
        if self.setup.practice and revealed:
            return "typed"
        if revealed:
            return "revealed"
        if others:
            return "decided"
        return ""

    def _take_back(self, count: int) -> None:
        self.game.undo(count)
        del self._seats[-count:], self._logged[-count:]
        self._typed = [typed for typed in self._typed if typed[0] <= len(self._seats)]

    def take_back_typed(self) -> None:
        """Take back the last roll or card that was typed in, and all decisions after it.

        Raises MoveError if no roll or card was typed in.
        """
        if not self._typed:
            raise MoveError("no roll or card has been typed in yet")
        with uninterrupted():
            self._keep({"undo": "typed"})
            self._take_back_typed()

    def _take_back_typed(self) -> None:
        """Return to the decision before the last typed chance, and repeat what was not wrong."""
        decided, _ = self._typed.pop()
        repeated = [entry for number, entry in self._typed if number == decided]
        move, logged = self.game.moves[decided - 1], self._logged[decided - 1]
        seat = self._seats[decided - 1]
        self._take_back(len(self._seats) - decided + 1)
        self.game.apply_legal(move)
        self._seats.append(seat)
        self._logged.append(logged)
        for entry in repeated:
            self._give(entry)

    def hint(self, sims: int = 0) -> Analysis:
        """Return the engine's analysis of the decision that is due, from the deciding seat's view.

        The analysis has full strength and uses the seed 0. If `sims` is not 0, the analysis is
        limited to this number of simulations.
        """
        self._hint = Session(self.game.table)
        limits = Limits(sims=sims) if sims else HINT_DEFAULT
        return self._hint.analyze(self.game.observe(self.game.seat), limits=limits)

    def explain(self, analysis: Analysis) -> Explanation | None:
        """Return the explanation of `analysis`, the last result of `hint`; None before a hint."""
        if self._hint is None:
            return None
        return explained(analysis, self._hint.rollout)

    # --- the file

    def _keep(self, entry: Mapping[str, Any]) -> None:
        if self.keeper is not None:
            self.keeper.add(entry)

    def _keep_surely(self, entry: Mapping[str, Any]) -> None:
        """Save an entry for a roll or card that the game has already taken.

        If the entry cannot be saved, raise an error, because the game must not go on.
        """
        try:
            self._keep(entry)
        except OSError as error:
            raise not_kept(error) from None
        self._finish()

    def _finish(self) -> None:
        if self.is_over and self.keeper is not None:
            try:
                self.keeper.finish(self.record())
            except OSError as error:
                raise not_kept(error) from None
            if self.setup.fair is not None:
                forget_secret(self.setup.fair.commitment)

    def record(self) -> dict[str, Any]:
        """Return the record of the game, even if the game has not ended."""
        stopped = None if self.game.is_over else self.stopped or Stopped("adjourned")
        record = game_record(self.game, self.setup.names, stopped=stopped, forfeits=self._forfeits)
        if self._fair is None:
            return record
        return self._fair.revealed(record) if self.is_over else self._fair.sealed(record)

    def header(self) -> dict[str, Any]:
        """Return the setup as a dict that can be written as JSON.

        The dict contains the seed of the dice and cards, but not the secret of a fair game.
        """
        return {**asdict(self.setup), "seed": self.game.seed}

    def follow(self, entries: Sequence[Mapping[str, Any]]) -> None:
        """Replay the entries of a journal.

        Raises RecordError, which names the first entry that does not fit the game.
        """
        keeper, self.keeper = self.keeper, None
        try:
            for number, entry in enumerate(entries, 1):
                try:
                    self._follow(entry)
                except (MasonsError, KeyError, TypeError, ValueError) as error:
                    said = error if isinstance(error, MasonsError) else "it has the wrong form"
                    raise RecordError(f"entry {number} of the game: {said}") from None
        finally:
            self.keeper = keeper

    def keep_in(self, keeper: Journal) -> None:
        """Save entries to `keeper` from now on. If the game is over, finish its file at once."""
        self.keeper = keeper
        self._finish()

    def _follow(self, entry: Mapping[str, Any]) -> None:
        if "move" in entry:
            if type(entry["p"]) is not int or entry["p"] != self.game.seat:
                raise MoveError(f"seat {self.game.seat} decides here, not {shown(entry['p'])}")
            self.make(checks.check_text("move", entry["move"]), entry.get("spent", 0.0))
        elif "undo" in entry:
            count = entry["undo"]
            if count == "typed":
                if not self._typed:
                    raise MoveError("it takes back a roll or card, but none was typed in")
                self._take_back_typed()
                return
            if type(count) is not int or not 1 <= count <= len(self._seats):
                raise MoveError("it takes back more decisions than were made")
            self._take_back(count)
        elif "roll" in entry:
            checks.check_list("roll", entry["roll"], object, "a list of three dice")
            self._give(entry)
        elif "card" in entry:
            self._give(entry)
        elif "time" in entry:
            if self.clock is None or entry["time"] != self.game.seat:
                raise MoveError(f"{shown(entry['time'])} is no seat whose time runs")
            self.run_out_of_time()
        else:
            seat = checks.check_whole("resign", entry["resign"], 0, self.setup.players - 1)
            if seat not in self.people:
                raise MoveError("the seat that resigns is not a person's")
            self.resign(seat)
