"""A slow reference for the rules, which replays a record and computes every event again.

It shares no code with the engine. Legal moves, cities and the points of city cards come from
`examples/plain_random.py`. This module adds the effects of a move, the points of all other cards,
and the course of a game. It reads only the choices and the chance of a record: the deal, the rolls,
the reshuffled decks and the decisions. The events that follow from these by the rules must be equal
to the events of the record.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

from examples import plain_random as rules

Event = dict[str, Any]

ALL_CARDS = sorted(2 * rules.CARDS)
END_NAMES = ("walls", "towers", "houses", "palaces")
RARE = (
    "end-walls", "end-towers", "end-houses", "end-palaces", "end-no-line",
    "two-supplies-out",
    "returned-after-end",  # a supply ran out, and pieces went back to it in the same turn
    "city-with-hole", "merges", "merge-declined", "merge-with-hole",
    "reshuffle-mid-draw",  # when more cards of the same draw were due
    "reshuffle-after-draw",
    "reshuffle-put-off",  # the discard pile was empty when the last card was drawn
    "draw-short",  # deck and discard pile both empty at the second card of an abstain
    "tower-color-out",  # the color rolled is not in supply
    "house-color-out",
    "house-color-short",  # a color was rolled twice, but only one house of this color was left
    "one-tower-left",  # one piece left where two are due
    "one-house-left",
    "swap-tie",  # more than one player in last place
    "early-roll", "early-roll-at-0",
    "final-no-city",
    "final-city-not-lowest",  # a city with a lower space has the same total and names the move
    "win-by-cards",  # cards in hand broke a tie of points
    "win-shared",
)  # fmt: skip
"""Events, counted besides games and cities, that tests should have met."""


class Fault(Exception):  # noqa: N818 - a finding, not an accident
    """Raised for a fault in a record."""


class Decision(NamedTuple):
    """A decision that is due."""

    at: rules.Position  # modified in place when the replay continues
    moves: list[str]  # the legal moves as text; empty for a swap with too many to list
    count: int  # the number of legal moves


def need(is_right: bool, fault: str) -> None:
    """Raise Fault with the text `fault` unless `is_right` is true."""
    if not is_right:
        raise Fault(fault)


def clear_inside(at: rules.Position, area: set[int]) -> dict[str, list[int]]:
    """Take back the walls inside an area, and the towers that no wall touches any more.

    Return both as the fields of an event.
    """
    sides = at.board.line_spaces
    walls = {line for line in at.walls if len(sides[line]) == 2 and set(sides[line]) <= area}
    at.walls -= walls
    kept = {end for line in at.walls for end in at.board.line_towers[line]}
    towers = sorted(at.towers.keys() - kept)
    for place in towers:
        del at.towers[place]
    at.cities = rules.find_cities(at.board, at.walls)
    return {"walls_back": sorted(walls), "towers_back": towers}


def build_palaces(at: rules.Position, city: set[int]) -> dict[str, int]:
    """Replace pairs of houses by palaces while the supply lasts; return the number by color."""
    built = {}
    houses: Counter[str] = sum((at.houses.pop(space, Counter()) for space in city), Counter())
    used: Counter[str] = sum(at.palaces.values(), Counter())
    root = min(city)
    for color in rules.HOUSE_COLORS:
        if number := min(houses[color] // 2, rules.PALACES_EACH - used[color]):
            built[color] = number
            at.palaces.setdefault(root, Counter())[color] += number
            houses[color] -= 2 * number
    at.houses[root] = houses
    return built


def card_points(at: rules.Position, data: dict[str, Any], city: set[int]) -> dict[str, int]:
    """Return the points of every card.

    City cards count the spaces of `city`, and score 0 if it is empty. `data` is the description of
    the board.
    """
    board = at.board
    owned = set().union(*at.cities)
    border = {line for line in at.walls if owned & set(board.line_spaces[line])}
    ends = {end for line in border for end in board.line_towers[line]}
    towers = [(place, color) for place, color in at.towers.items() if place not in ends]
    houses = [(data["spaces"][space]["region"], color) for space, counts in at.houses.items()
              for color in counts.elements() if space not in owned]  # fmt: skip
    colors = Counter(color for _, color in houses)
    return {card: rules.city_points(at, city, card) if city else 0 for card in rules.CARDS} | {
        **{f"land-{color}": colors[color] for color in rules.HOUSE_COLORS},
        **{f"land-region-{n}": sum(region == n for region, _ in houses) for n in (1, 2, 3)},
        "land-towers": len(towers),
        **{f"land-towers-{name}": 2 * sum(color == name for _, color in towers)
           for name in rules.TOWER_COLORS},
        "land-shore": 2 * sum(data["towers"][place]["shore"] for place, _ in towers),
        "land-walls": len(at.walls) - len(border),
        "cities": len(at.cities),
    }  # fmt: skip


class RulesReplay:
    """The replay of a record by `run`. `data` is the description of the board."""

    def __init__(self, record: Event, data: dict[str, Any]) -> None:
        self.record, self.data = record, data
        board = rules.Board.of_data(data)
        need(record["format"] == "masons-record" and record["version"] == 1, "format or version")
        need(record["board"] == board.name, "board: another one")
        need(record["options"] in ([], ["early_roll"]), "options: only early_roll is known")
        seats = record["players"]
        need(type(seats) is int and 2 <= seats <= 4, "players: 2 to 4")
        need(type(record["first"]) is int and 0 <= record["first"] < seats, "first: a seat")
        need(record["seed"] is None or type(record["seed"]) is int, "seed: a number or null")
        names = record["names"]
        need(len(names) == seats and all(type(n) is str for n in names), "names: one for each seat")
        need([len(hand) for hand in record["hands"]] == [6] * seats, "hands: 6 cards for each seat")
        self.hands: list[list[str]] = [list(hand) for hand in record["hands"]]
        self.deck = list(record["deck"])
        need(sorted(chain(*self.hands, self.deck)) == ALL_CARDS, "deck: two of each kind")
        self.at = rules.Position(board, seats)
        self.at.hands = self.hands  # type: ignore[assignment]
        self.at.early_roll = record["options"] == ["early_roll"]
        self.decks = [event["deck"] for event in record["events"] if event.get("e") == "reshuffle"]
        self.events: list[Event] = []  # those that follow from the rules, up to now
        self.ran_out: list[str] = []
        self.seen: Counter[str] = Counter(games=1)

    # ---- events

    def here(self) -> str:
        """Return the place of the next event in words."""
        return f"event {len(self.events)}"

    def next(self, *kinds: str) -> Event:
        """Return the record's next event that is not a reshuffle. Its kind must be in `kinds`."""
        left = self.record["events"][len(self.events) :]
        event: Event = next((e for e in left if e.get("e") != "reshuffle"), {})
        need(
            event.get("e") in kinds,
            f"{self.here()}: {event.get('e')}, must be {' or '.join(kinds)}",
        )
        return event

    def emit(self, kind: str, /, **fields: Any) -> None:
        """Add an event that follows from the rules. It must equal the record's next event."""
        event, events = {"e": kind, **fields}, self.record["events"]
        where = f"{self.here()} ({kind})"
        need(len(self.events) < len(events), f"{where}: missing")
        told, right = (json.dumps(e, sort_keys=True) for e in (events[len(self.events)], event))
        need(told == right, f"{where}: is {told}, must be {right}")
        self.events.append(event)

    def see(self, what: str, happened: bool = True) -> None:
        """Count a rare event."""
        self.seen[what] += happened

    def decide(self, phase: str, seat: int) -> Iterator[Decision]:
        """Let the position `at` wait for a decision, and yield this decision."""
        self.at.phase, self.at.seat = phase, seat
        count = rules.swap_count(self.hands[seat]) if phase == "swap" else 0
        if count > rules.MOST_MOVES:
            yield Decision(self.at, [], count)
        else:
            moves = rules.legal_moves(self.at)
            yield Decision(self.at, moves, len(moves))

    def check_move(self, move: str) -> None:
        """Raise Fault if a move is not legal."""
        is_legal = rules.in_order(move) in rules.legal_moves(self.at)
        need(is_legal, f"{self.here()}: {move} is not legal")

    # ---- a turn (rules, 3 and 4)

    def run(self) -> Iterator[Decision]:
        """Replay the record to its end, and yield each decision before it is made. Raises Fault."""
        seat: int = self.record["first"]
        while True:
            self.at.phase = "wall"
            if not rules.wall_moves(self.at):
                end, scored = "no-line", False
                break
            scored = yield from self.turn(seat)
            self.check_conservation()
            if self.ran_out:
                end = self.ran_out[0]
                break
            seat = (seat + 1) % self.at.players
        if not scored:
            yield from self.final(seat)
        need(self.events == self.record["events"], f"{self.here()}: the game is over before it")
        self.see(f"end-{end}")
        self.see("two-supplies-out", len(self.ran_out) > 1)
        self.see("returned-after-end", any(self.supplies()[name] > 0 for name in self.ran_out))
        self.check_result(end)

    def supplies(self) -> dict[str, int]:
        """Return the number of pieces of each kind that are left in the supply."""
        palaces = sum(sum(counts.values()) for counts in self.at.palaces.values())
        left = (
            rules.WALLS - len(self.at.walls),
            sum(self.at.tower_supply().values()),
            sum(self.at.house_supply().values()),
            rules.PALACES_EACH * len(rules.HOUSE_COLORS) - palaces,
        )
        return dict(zip(END_NAMES, left, strict=True))

    def placed(self, name: str) -> None:
        """Note the kind `name`, of which pieces were just placed, if its supply has run out."""
        if self.supplies()[name] == 0:
            self.ran_out.append(name)

    def turn(self, seat: int) -> Iterator[Decision]:
        """Play a turn; return whether it completed a city."""
        at = self.at
        yield from self.decide("wall", seat)
        if at.early_roll and self.next("wall", "early-roll")["e"] == "early-roll":
            cost = min(1, at.scores[seat])
            at.scores[seat] -= cost
            at.rolled = True
            self.emit("early-roll", p=seat, points=-cost)
            self.see("early-roll")
            self.see("early-roll-at-0", cost == 0)
            yield from self.decide("wall", seat)
        at.line = self.next("wall")["line"]
        self.check_move(f"wall:{at.line}")
        self.emit("wall", p=seat, line=at.line)
        at.rolled = False
        at.walls.add(at.line)
        self.placed("walls")
        self.roll()
        yield from self.put("towers", seat)
        yield from self.put("houses", seat)
        new = [city for city in rules.find_cities(at.board, at.walls) if city not in at.cities]
        if new:
            yield from self.city(seat, new[0])
            yield from self.scoring(seat)
            if not self.ran_out:
                yield from self.swaps(seat)
        return bool(new)

    def roll(self) -> None:
        """Roll the dice. The tower die is rolled if the wall has an end without a tower."""
        at, event = self.at, self.next("roll")
        empty = sum(end not in at.towers for end in at.board.line_towers[at.line])
        tower, dice = event["tower"], list(event["houses"])
        need((tower in rules.TOWER_COLORS) if empty else tower is None, f"{self.here()}: tower die")
        sound = len(dice) == 2 and set(dice) <= {*rules.HOUSE_COLORS, "?"}
        need(sound, f"{self.here()}: house dice")
        self.emit("roll", tower=tower, houses=dice)
        at.roll = [tower or "-", *dice]
        towers, houses = at.tower_supply(), at.house_supply()
        due = len(at.board.line_spaces[at.line])
        dice = [die for die in dice if die != "?"]
        self.see("tower-color-out", tower is not None and towers[tower] == 0)
        self.see("house-color-out", any(houses[die] == 0 for die in dice))
        self.see(
            "house-color-short", due == 2 and any(houses[d] == 1 < dice.count(d) for d in dice)
        )
        self.see("one-tower-left", sum(towers.values()) < empty)
        self.see("one-house-left", sum(houses.values()) < due)

    def put(self, kind: str, seat: int) -> Iterator[Decision]:
        """Place towers or houses. This is a decision if there is more than one way to do it."""
        at = self.at
        if kind == "towers" and all(end in at.towers for end in at.board.line_towers[at.line]):
            return
        for decision in self.decide(kind, seat):
            if decision.count > 1:
                yield decision
        put = self.next(kind)["put"]
        self.check_move(f"{kind}:" + ",".join(f"{place}={color}" for place, color in put))
        self.emit(kind, p=seat, put=put)
        for place, color in put:
            if kind == "towers":
                at.towers[place] = color
            else:
                at.houses.setdefault(place, Counter())[color] += 1
        self.placed(kind)

    def city(self, seat: int, city: set[int]) -> Iterator[Decision]:
        """Complete a city: clear its inside, let the seat merge it, and build palaces."""
        at = self.at
        at.city = min(city)
        self.emit("city", p=seat, spaces=sorted(city), **clear_inside(at, city))
        self.see("cities")
        inner = [other for other in at.cities if other != city and self.is_inside(other, city)]
        self.see("city-with-hole", bool(inner))
        if rules.merge_moves(at) != ["merge:none"]:
            yield from self.decide("merge", seat)
            root = self.next("merge")["with"]
            self.check_move(f"merge:{'none' if root is None else root}")
            back: dict[str, list[int]] = {"walls_back": [], "towers_back": []}
            if root is not None:
                other = next(area for area in at.cities if min(area) == root)
                self.see("merge-with-hole", other in inner)
                at.city = min(at.city, root)
                back = clear_inside(at, city | other)
                city = city | other
            self.see("merge-declined" if root is None else "merges")
            self.emit("merge", p=seat, **{"with": root}, **back)
        built = build_palaces(at, city)
        if built:
            self.emit("palaces", built=built)
            self.placed("palaces")

    def is_inside(self, hole: set[int], city: set[int]) -> bool:
        """Return whether a city fills a hole in another: all its outer lines border the other."""
        sides = [set(pair) for pair in self.at.board.line_spaces if set(pair) & hole]
        return all(len(pair) == 2 and pair <= hole | city for pair in sides)

    # ---- cards (rules, 5 and 7)

    def clockwise(self, seat: int) -> list[int]:
        """Return all seats in turn order, beginning with `seat`."""
        return [(seat + i) % self.at.players for i in range(self.at.players)]

    def discard(self, seat: int, cards: list[str]) -> None:
        """Move cards from a hand to the discard pile."""
        need(
            not Counter(cards) - Counter(self.hands[seat]), f"{self.here()}: a card is not in hand"
        )
        for card in cards:
            self.hands[seat].remove(card)
            self.at.discard.append(card)

    def reshuffle(self, when: str) -> Event:
        """Make the discard pile the new deck, in the record's order. Return the event."""
        deck = self.decks.pop(0) if self.decks else None
        is_pile = deck is not None and sorted(deck) == sorted(self.at.discard)
        need(is_pile, f"{self.here()}: the discard pile must be reshuffled ({when})")
        self.at.discard.clear()
        self.deck = list(deck)
        self.see(f"reshuffle-{when}")
        return {"e": "reshuffle", "deck": deck}

    def draw(self, seat: int, due: int, drew: str, event: Event) -> None:
        """Draw `due` cards, and emit `event` with them in the field that `drew` names.

        Reshuffles are emitted before or after it, as the record format requires.
        """
        drawn: list[str] = []
        before, after = [], []
        while len(drawn) < due:
            if not self.deck and not self.at.discard:
                self.see("draw-short")
                break
            if not self.deck:
                before.append(self.reshuffle("put-off"))
            drawn.append(self.deck.pop(0))
            if not self.deck and self.at.discard:
                if len(drawn) < due:
                    before.append(self.reshuffle("mid-draw"))
                else:
                    after.append(self.reshuffle("after-draw"))
        self.hands[seat] += drawn
        for made in (*before, event | {drew: drawn}, *after):
            fields = dict(made)
            self.emit(fields.pop("e"), **fields)

    def scoring(self, first: int) -> Iterator[Decision]:
        """Let each seat play cards or abstain, beginning with `first`."""
        city = next(area for area in self.at.cities if min(area) == self.at.city)
        values = card_points(self.at, self.data, city)
        for seat in self.clockwise(first):
            yield from self.decide("score", seat)
            event = self.next("play", "abstain")
            cards = event["cards"] if event["e"] == "play" else [event["card"]]
            self.check_move(f"{event['e']}:{'+'.join(cards)}")
            self.discard(seat, cards)
            if event["e"] == "play":
                points = [values[card] for card in cards]
                self.at.scores[seat] += sum(points)
                made = {"e": "play", "p": seat, "cards": cards, "points": points}
                self.draw(seat, 1, "drew", made)
            else:
                self.draw(seat, 2, "drew", {"e": "abstain", "p": seat, "card": cards[0]})

    def swaps(self, first: int) -> Iterator[Decision]:
        """Let each seat in last place swap. The seats in last place are determined before."""
        scores = self.at.scores
        last = [seat for seat in self.clockwise(first) if scores[seat] == min(scores)]
        self.see("swap-tie", len(last) > 1)
        for seat in last:
            yield from self.decide("swap", seat)
            out = self.next("swap")["out"]
            self.discard(seat, out)
            self.draw(seat, len(out), "in", {"e": "swap", "p": seat, "out": out})

    def final(self, first: int) -> Iterator[Decision]:
        """Yield the decisions of the final scoring, which follows if no city ended the game."""
        at = self.at
        cities = {min(city): city for city in at.cities}
        self.see("final-no-city", not cities)
        for seat in self.clockwise(first):
            yield from self.decide("final", seat)
            event = self.next("final")
            cards, root = event["cards"], event["city"]
            points: list[int] = []
            if cards:
                need(
                    root in (cities or {None: 0}),
                    f"{self.here()}: 'city' is no city's lowest space",
                )
                named = rules.in_order("+".join(cards))
                totals = {lowest: self.total(cards, city) for lowest, city in cities.items()}
                lowest = next((r for r in totals if totals[r] == totals[root]), "none")
                self.see("final-city-not-lowest", lowest not in (root, "none"))
                self.check_move(f"final:{lowest}/{named}")
                values = card_points(at, self.data, cities.get(root, set()))
                points = [values[card] for card in cards]
                at.scores[seat] += sum(points)
                self.discard(seat, cards)
            city = root if cards else None
            self.emit("final", p=seat, city=city, cards=cards, points=points)

    def total(self, cards: list[str], city: set[int]) -> int:
        """Return the sum of the points that cards score with a city."""
        values = card_points(self.at, self.data, city)
        return sum(values[card] for card in cards)

    # ---- the whole

    def check_conservation(self) -> None:
        """Check that no card and no piece was lost or added (rules, 1)."""
        assert sorted(chain(*self.hands, self.deck, self.at.discard)) == ALL_CARDS
        assert min(self.supplies().values()) >= 0
        assert min((*self.at.tower_supply().values(), *self.at.house_supply().values())) >= 0

    def check_result(self, end: str) -> None:
        """Check the result: most points win, then most cards in hand, then a victory is shared."""
        scores, sizes = self.at.scores, [len(hand) for hand in self.hands]
        ranks = list(zip(scores, sizes, strict=True))
        winners = [seat for seat, rank in enumerate(ranks) if rank == max(ranks)]
        self.see("win-by-cards", len(winners) < scores.count(max(scores)))
        self.see("win-shared", len(winners) > 1)
        right = {"scores": scores, "hand_sizes": sizes, "winners": winners, "end": end}
        result = self.record["result"]
        for key in right | result:
            told, must_be = result.get(key), right.get(key)
            is_same = json.dumps(told) == json.dumps(must_be)
            need(is_same, f"result: {key!r} is {told!r}, must be {must_be!r}")


def replay(
    record: Any, data: dict[str, Any], seen: Counter[str] | None = None
) -> Iterator[Decision]:
    """Yield each decision of a record before it is made. Raises Fault at the first fault.

    `data` is the description of the board. At the end, the numbers of `games`, of `cities` and of
    the events in RARE are added to `seen`.
    """
    try:
        game = RulesReplay(record, data)
        yield from game.run()
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise Fault(f"not the form of a record: {error!r}") from error
    if seen is not None:
        seen.update(game.seen)


def fault_of(record: Any, data: dict[str, Any], seen: Counter[str] | None = None) -> str:
    """Return the first fault of a record as text, or "" if the record has no fault."""
    try:
        for _ in replay(record, data, seen):
            pass
    except Fault as fault:
        return str(fault)
    return ""
