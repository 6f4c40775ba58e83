"""A record played through, every event held against the rules."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, TypeVar

from tests.support.reference import moves
from tests.support.reference.board import Board
from tests.support.reference.cards import card_values
from tests.support.reference.fields import RecordFault, check_event, need
from tests.support.reference.material import ALL_CARDS
from tests.support.reference.moves import Move, Put
from tests.support.reference.position import City, Position, holes

Event = dict[str, Any]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Decision:
    """A decision of rules, section 8, about to be taken.

    `moves` and `count` list and count what is legal; they look at the game as it stands, so
    call them before the replay goes on.
    """

    kind: str
    """`wall`, `towers`, `houses`, `merge`, `score`, `swap` or `final`."""
    player: int
    replay: Replay
    moves: Callable[[], set[Move]]
    count: Callable[[], int]


Steps = Generator[Decision, None, Result]
"""Part of a game: yields its decisions and returns what came of it."""


class Replay:
    """One game. `run` goes through its events and yields each decision before it is taken.

    The record's header and result have been checked for shape. Raises `RecordFault` at the first
    event that is not as the rules and the record format have it.
    """

    def __init__(self, record: dict[str, Any], board: Board, counters: dict[str, int]) -> None:
        self.record = record
        self.counters = counters
        self.players: int = record["players"]
        self.early_roll = "early_roll" in record["options"]
        self.events: list[Any] = record["events"]
        self.at = 0
        """The number of the next event."""
        self.where = ""
        """The event last taken, for fault messages."""

        self.position = Position(board)
        self.scores = [0] * self.players
        self.hands = [list(hand) for hand in record["hands"]]
        self.deck = list(record["deck"])
        self.discards: list[str] = []
        self.ran_out: list[str] = []
        """The supplies that ran out by placing, in that order (rules, section 7)."""

    # ---- events

    def see(self, what: str, times: int = 1) -> None:
        """Count something that tests should meet."""
        self.counters[what] = self.counters.get(what, 0) + times

    def next_is(self, kind: str) -> bool:
        """Whether the next event is of this kind."""
        if self.at >= len(self.events):
            return False
        event = self.events[self.at]
        return type(event) is dict and event.get("e") == kind

    def take(self, *kinds: str, player: int | None = None) -> Event:
        """The next event, which must be of one of these kinds and by this player."""
        wanted = " or ".join(kinds)
        self.where = f"event {self.at}"
        need(self.at < len(self.events), f"{self.where}: missing, should be {wanted}")
        event: Event = self.events[self.at]
        check_event(event, self.where)
        self.where += f" ({event['e']})"
        need(event["e"] in kinds, f"{self.where}: should be {wanted}")
        if player is not None:
            self.expect(event, "p", player)
        self.at += 1
        return event

    def expect(self, event: Event, field: str, value: Any) -> None:
        """A field of the event must have this value."""
        need(
            event[field] == value,
            f"{self.where}: {field!r} is {event[field]!r}, should be {value!r}",
        )

    def decide(
        self, kind: str, player: int, choices: Callable[[], set[Move]], count: int | None = None
    ) -> Decision:
        """A decision among the choices."""
        return Decision(
            kind, player, self, choices, lambda: len(choices()) if count is None else count
        )

    def clockwise(self, first: int) -> list[int]:
        """All players, clockwise."""
        return [(first + i) % self.players for i in range(self.players)]

    # ---- the game (rules, sections 3 and 7)

    def run(self) -> Steps[None]:
        """The whole game, first event to result."""
        player: int = self.record["first"]
        while True:
            if not moves.legal_lines(self.position):
                end, city = "no-line", None
                break
            city = yield from self.turn(player)
            self.check_conservation()
            if self.ran_out:
                end = self.ran_out[0]
                break
            player = (player + 1) % self.players
        if city is None:
            yield from self.final(player)
        need(self.at == len(self.events), f"event {self.at}: the game is over before it")
        self.see(f"end-{end}")
        self.see("two-supplies-out", len(self.ran_out) > 1)
        self.see("returned-after-end", any(self.supply(name) > 0 for name in self.ran_out))
        self.check_conservation()
        self.check_result(end)

    def supply(self, name: str) -> int:
        """How many pieces of a kind, of all colours, are in supply."""
        if name == "walls":
            return self.position.walls_left()
        left = {
            "towers": self.position.towers_left,
            "houses": self.position.houses_left,
            "palaces": self.position.palaces_left,
        }
        return sum(left[name]().values())

    def placed(self, name: str) -> None:
        """Pieces of a kind were placed: did they run out?"""
        if self.supply(name) == 0:
            self.ran_out.append(name)

    def turn(self, player: int) -> Steps[City | None]:
        """A turn (rules, section 3); returns the city that it completed, if any."""
        line = yield from self.wall(player)
        city = self.position.place_wall(line)
        self.placed("walls")
        yield from self.roll(player, line)
        if city is None:
            return None
        city = yield from self.city(player, city)
        yield from self.scoring(player, city)
        if not self.ran_out:
            yield from self.swaps(player)
        return city

    def wall(self, player: int) -> Steps[int]:
        """Step 1, and the early roll; returns the line."""
        legal = partial(moves.wall_moves, self.position)
        yield self.decide("wall", player, partial(legal, self.early_roll))
        if self.early_roll and self.next_is("early-roll"):
            event = self.take("early-roll", player=player)
            cost = min(1, self.scores[player])
            self.expect(event, "points", -cost)
            self.scores[player] -= cost
            self.see("early-roll")
            self.see("early-roll-at-0", cost == 0)
            yield self.decide("wall", player, partial(legal, False))
        line: int = self.take("wall", player=player)["line"]
        need(line in moves.legal_lines(self.position), f"{self.where}: line {line} is not legal")
        return line

    def roll(self, player: int, line: int) -> Steps[None]:
        """Steps 2 to 4: the dice, the towers and the houses."""
        ends = self.position.board.line_towers[line]
        empty = [tower for tower in ends if tower not in self.position.towers]
        event = self.take("roll")
        need(
            (event["tower"] is None) == (not empty),
            f"{self.where}: the tower die is rolled where an end of the wall is empty, only",
        )
        self.see_shortages(event, line, len(empty))

        if empty:
            choices = partial(moves.tower_moves, self.position, line, event["tower"])
            put = yield from self.put("towers", player, choices)
            self.position.towers.update(put)
            self.placed("towers")

        choices = partial(moves.house_moves, self.position, line, event["houses"])
        put = yield from self.put("houses", player, choices)
        self.position.houses.extend(put)
        self.placed("houses")

    def put(self, kind: str, player: int, choices: Callable[[], set[Move]]) -> Steps[Put]:
        """Towers or houses placed: a decision where there is more than one outcome."""
        legal = choices()
        if len(legal) > 1:
            yield self.decide(kind, player, choices, len(legal))
        put = tuple((place, color) for place, color in self.take(kind, player=player)["put"])
        need((kind, put) in legal, f"{self.where}: 'put' is not a legal outcome of the roll")
        return put

    def see_shortages(self, event: Event, line: int, empty: int) -> None:
        """Count what a roll asks for that is not there."""
        towers, houses = self.position.towers_left(), self.position.houses_left()
        due = len(self.position.board.line_spaces[line])
        dice = [die for die in event["houses"] if die != "?"]
        self.see("tower-color-out", event["tower"] is not None and towers[event["tower"]] == 0)
        self.see("house-color-out", any(houses[die] == 0 for die in dice))
        self.see(
            "house-color-short", due == 2 and any(houses[d] == 1 < dice.count(d) for d in dice)
        )
        self.see("one-tower-left", sum(towers.values()) < empty)
        self.see("one-house-left", sum(houses.values()) < due)

    # ---- a completed city (rules, section 4)

    def city(self, player: int, city: City) -> Steps[City]:
        """Clear the inside, merge or not, build palaces; returns the just-completed city."""
        event = self.take("city", player=player)
        self.expect(event, "spaces", sorted(city))
        walls, towers = self.position.clear_inside(city)
        self.expect(event, "walls_back", walls)
        self.expect(event, "towers_back", towers)
        inner = holes(self.position.board, city, self.position.cities)
        self.see("cities")
        self.see("city-with-hole", bool(inner))

        if others := self.position.mergeable(city):
            choices = partial(moves.merge_moves, self.position, city)
            yield self.decide("merge", player, choices)
            event = self.take("merge", player=player)
            names = {min(other): other for other in others}
            need(
                event["with"] is None or event["with"] in names,
                f"{self.where}: 'with' is {event['with']!r}, should be null or one of {[*names]}",
            )
            walls, towers = [], []
            if event["with"] is not None:
                other = names[event["with"]]
                city, walls, towers = self.position.merge(city, other)
                self.see("merge-with-hole", other in inner)
            self.see("merges" if walls else "merge-declined")
            self.expect(event, "walls_back", walls)
            self.expect(event, "towers_back", towers)

        if built := self.position.build_palaces(city):
            self.expect(self.take("palaces"), "built", built)
            self.placed("palaces")
        return city

    # ---- cards (rules, section 5)

    def scoring(self, player: int, city: City) -> Steps[None]:
        """Everybody plays or abstains."""
        values = card_values(self.position, city)
        for scorer in self.clockwise(player):
            hand = self.hands[scorer]
            yield self.decide("score", scorer, partial(moves.score_moves, hand))
            early = self.early_reshuffle()
            event = self.take("play", "abstain", player=scorer)
            if event["e"] == "play":
                self.play(scorer, event, values)
                self.draw(scorer, 1, event["drew"], early)
            else:
                self.discard(scorer, [event["card"]])
                self.draw(scorer, 2, event["drew"], early)

    def play(self, player: int, event: Event, values: dict[str, int]) -> None:
        """One or two cards played from hand, scored and discarded."""
        cards = event["cards"]
        need(1 <= len(cards) <= 2, f"{self.where}: should play 1 or 2 cards")
        self.discard(player, cards)
        self.expect(event, "points", [values[card] for card in cards])
        self.scores[player] += sum(values[card] for card in cards)

    def discard(self, player: int, cards: list[str]) -> None:
        """Cards go from the hand to the discard pile."""
        for card in cards:
            need(card in self.hands[player], f"{self.where}: {card!r} is not in hand")
            self.hands[player].remove(card)
            self.discards.append(card)

    def early_reshuffle(self) -> Event | None:
        """The reshuffle that stands before an event that draws, if there is one."""
        return self.take("reshuffle") if self.next_is("reshuffle") else None

    def reshuffle(self, event: Event | None, when: str) -> None:
        """The discard pile becomes the deck."""
        if event is None:
            raise RecordFault(f"{self.where}: no reshuffle stands before it")
        need(
            sorted(event["deck"]) == sorted(self.discards),
            f"{self.where}: the reshuffled deck is not the discard pile",
        )
        self.deck, self.discards = list(event["deck"]), []
        self.see(f"reshuffle-{when}")

    def draw(self, player: int, due: int, shown: list[str], early: Event | None) -> None:
        """Draw cards; the deck is renewed the moment its last card is drawn (section 5).

        `shown` is what the event says was drawn, `early` the reshuffle that stands before it.
        """
        drawn: list[str] = []
        late = False
        while len(drawn) < due:
            if not self.deck:
                if not self.discards:
                    self.see("draw-short")
                    break
                self.reshuffle(early, "put-off")
                early = None
            drawn.append(self.deck.pop(0))
            if not self.deck and self.discards:
                late = len(drawn) == due
                if not late:
                    self.reshuffle(early, "mid-draw")
                    early = None
        need(early is None, f"{self.where}: no reshuffle was due before it")
        need(shown == drawn, f"{self.where}: drew {shown}, should be {drawn}")
        self.hands[player].extend(drawn)
        if late:
            self.reshuffle(self.take("reshuffle"), "after-draw")

    def swaps(self, player: int) -> Steps[None]:
        """Everybody in last place may swap; last place is determined once."""
        lowest = min(self.scores)
        last = [p for p in self.clockwise(player) if self.scores[p] == lowest]
        self.see("swap-tie", len(last) > 1)
        for swapper in last:
            hand = self.hands[swapper]
            yield self.decide(
                "swap", swapper, partial(moves.swap_moves, hand), moves.swap_count(hand)
            )
            early = self.early_reshuffle()
            event = self.take("swap", player=swapper)
            self.discard(swapper, event["out"])
            self.draw(swapper, len(event["out"]), event["in"], early)

    # ---- the end (rules, section 7)

    def final(self, player: int) -> Steps[None]:
        """The final scoring, where the last turn completed no city."""
        cities: list[City | None] = [*self.position.cities] or [None]
        values_of = [
            (min(city) if city else None, card_values(self.position, city)) for city in cities
        ]
        self.see("final-no-city", cities == [None])
        for scorer in self.clockwise(player):
            hand = self.hands[scorer]
            yield self.decide("final", scorer, partial(moves.final_moves, self.position, hand))
            event = self.take("final", player=scorer)
            if event["cards"]:
                self.final_play(scorer, event, values_of)
            else:
                self.expect(event, "city", None)
                self.expect(event, "points", [])

    def final_play(
        self, player: int, event: Event, values_of: list[tuple[int | None, dict[str, int]]]
    ) -> None:
        """Cards played with any one of the cities.

        The moves of rules, section 8, are named by the lowest of the cities that give the cards
        the same total; the record format lets a record name the one that was chosen.
        """
        values = dict(values_of)
        need(event["city"] in values, f"{self.where}: 'city' should be one of {[*values]}")
        self.play(player, event, values[event["city"]])
        same = [
            name
            for name, points in values_of
            if sum(points[card] for card in event["cards"]) == sum(event["points"])
        ]
        self.see("final-city-not-lowest", event["city"] != same[0])

    def check_conservation(self) -> None:
        """No card and no piece is ever lost or made (rules, section 1)."""
        assert sorted(chain(*self.hands, self.deck, self.discards)) == ALL_CARDS
        position = self.position
        assert position.walls_left() >= 0
        for left in (position.towers_left(), position.houses_left(), position.palaces_left()):
            assert min(left.values()) >= 0

    def check_result(self, end: str) -> None:
        """Most points win; then most cards in hand; then the victory is shared."""
        self.where = "result"
        result = self.record["result"]
        sizes = [len(hand) for hand in self.hands]
        best = max(zip(self.scores, sizes, strict=True))
        winners = [p for p in range(self.players) if (self.scores[p], sizes[p]) == best]
        self.see("win-by-cards", len(winners) < self.scores.count(best[0]))
        self.see("win-shared", len(winners) > 1)
        self.expect(result, "scores", self.scores)
        self.expect(result, "hand_sizes", sizes)
        self.expect(result, "winners", winners)
        self.expect(result, "end", end)
