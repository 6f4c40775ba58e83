"""The plain-Python reference of the rules: right and wrong records, and whole games of the engine.

A sample of games runs by default. The full run is 1,000 busy games each with 2, 3 and 4 players,
300 with early rolls, 300 by ismcts and greedy, and games led to the rare corners of the rules:

    MASONS_GAMES=full pytest tests/engine/game/test_against_reference.py -n 2 -s
"""

from __future__ import annotations

import copy
import json
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from examples import plain_random
from masons.ai.players.named_players import make_player
from masons.engine.board.geometry import Board
from masons.engine.formats.move_text import Move, wall_move
from masons.engine.game.game import Game
from masons.engine.game.record import check_record, format_record, game_record, parse_record
from masons.engine.state import layout as at
from masons.engine.state.packed_move import ABSTAIN, EARLY_ROLL, SWAP
from masons.engine.state.position import members
from tests.support.paths import DATA
from tests.support.playing import board_of, pick
from tests.support.reference import RARE, Fault, RulesReplay, fault_of, replay

FULL = os.environ.get("MASONS_GAMES") == "full"
Choose = Callable[[Game, random.Random], Move]

# --- ways of playing


def ring_round(board: Board, space: int) -> list[int]:
    """The lines of a space, then those round everything that touches its corners."""
    corners = set(board.space_towers[space])
    near = {s for s, towers in enumerate(board.space_towers) if corners & set(towers)}
    ring = [
        line
        for line, spaces in enumerate(board.line_spaces)
        if sum(other in near for other in spaces) == 1
    ]
    return [*board.space_lines[space], *ring]


def in_order(lines: Sequence[int]) -> Choose:
    """Walls on the first of these lines that is open; the rest busy."""

    def choose(game: Game, rng: random.Random) -> Move:
        if game.phase == "wall":
            legal = set(game.legal_moves())
            planned = [wall_move(line) for line in lines if wall_move(line) in legal]
            if planned:
                return planned[0]
        return pick(game, rng)

    return choose


def abstaining(game: Game, rng: random.Random) -> Move:
    """Busy, but always abstains and never swaps: the cards run out."""
    moves = game.legal_moves()
    if game.phase == "score":
        return rng.choice([move for move in moves if move.kind == ABSTAIN])
    if game.phase == "swap":
        return next(move for move in moves if move.kind == SWAP and not move.cards)
    return pick(game, rng)


def scattered(game: Game, rng: random.Random) -> Move:
    """Walls far from each other: towers run out, without a city."""
    if game.phase == "wall":
        state = game.state
        free = set(members(state, int(at.OPEN), 4)) - set(members(state, int(at.TOUCHED), 4))
        if free:
            return wall_move(rng.choice(sorted(free)))
    return pick(game, rng)


def eager(game: Game, rng: random.Random) -> Move:
    """Rolls early whenever that is allowed."""
    early = [move for move in game.legal_moves()[-1:] if move.kind == EARLY_ROLL]
    return early[0] if early and rng.random() < 0.5 else pick(game, rng)


def by_players(*specs: str) -> Callable[[int], Choose]:
    """Named players, one a seat, who see only their view."""

    def with_seed(seed: int) -> Choose:
        players = [make_player(spec, 10 * seed + seat) for seat, spec in enumerate(specs)]

        def choose(game: Game, _: random.Random) -> Move:
            seat = game.seat
            return players[seat].choose(game.table, game.observe(seat), game.legal_moves())

        return choose

    return with_seed


# --- the games of a run: name, players, board, options, how many (sample, full), way of playing

BOARD = board_of("classic")
EDGE = [line for line, spaces in enumerate(BOARD.line_spaces) if None in spaces]
ISMCTS = "ismcts:sims=60,policy=busy"
JOBS = [
    *((f"busy-{n}", n, "classic", False, 20, 1000, lambda _: pick) for n in (2, 3, 4)),
    *((f"early-{n}", n, "classic", True, 5, 100, lambda _: eager) for n in (2, 3, 4)),
    ("ismcts-greedy", 2, "classic", False, 4, 100, by_players(ISMCTS, "greedy")),
    ("greedy-ismcts-3", 3, "classic", False, 2, 100, by_players("greedy", ISMCTS, "greedy")),
    ("ismcts-greedy-4", 4, "classic", True, 2, 100, by_players(ISMCTS, "greedy", "greedy", ISMCTS)),
    ("hole", 2, "classic", False, 6, 60, lambda _: in_order(ring_round(BOARD, 45))),
    ("edge", 3, "classic", False, 2, 20, lambda _: in_order(EDGE)),
    ("abstaining", 4, "classic", False, 6, 60, lambda _: abstaining),
    ("scattered", 2, "classic", False, 6, 60, lambda _: scattered),
    ("hexagon", 2, "hexagon-24", False, 10, 100, lambda _: pick),
    ("triangle", 3, "triangle-36", True, 10, 100, lambda _: pick),
    ("parallelogram", 4, "parallelogram-48", False, 10, 100, lambda _: pick),
    ("ring", 2, "ring-128", False, 5, 50, lambda _: pick),
]  # fmt: skip
CHUNK = 100
SLOW = [pytest.mark.slow]


def chunks() -> Iterator[Any]:
    for name, players, board, early, sample, full, way in JOBS:
        count = full if FULL else sample
        for start in range(0, count, CHUNK):
            games = range(start, min(start + CHUNK, count))
            yield pytest.param(players, board, early, games, way, id=f"{name}-{start}")


COUNTERS: Counter[str] = Counter()


def new_game(players: int, board: str, early: bool, number: int) -> Game:
    first = number % players
    return Game(players, board=board_of(board), seed=number, first=first, early_roll=early)


@pytest.mark.slow
@pytest.mark.parametrize(("players", "board", "early", "games", "way"), list(chunks()))
def test_the_rulebook_agrees(
    players: int, board: str, early: bool, games: range, way: Any, record_property: Any
) -> None:
    description = board_of(board).to_dict()
    counters: Counter[str] = Counter()
    for number in games:
        game = new_game(players, board, early, number)
        choose, rng = way(number), random.Random(number)
        while not game.is_over:
            game.apply(choose(game, rng))
        record = game_record(game)
        assert fault_of(record, description, counters) == ""
        assert record.get("board_sha256") == (None if board == "classic" else game.board.sha256)
        # And what is written is read back the same, and the engine's own check agrees.
        line = format_record(record)
        assert format_record(parse_record(line)) == line
        if number % 10 == 0:
            assert check_record(json.loads(line), board_of(board)) is None
    COUNTERS.update(counters)
    record_property("counters", json.dumps(counters))


@pytest.mark.parametrize(
    "job",
    [
        pytest.param(job, id=job[0], marks=[] if job[0] in ("hexagon", "triangle") else SLOW)
        for job in JOBS
    ],
)
def test_moves_and_positions_are_the_same(job: Any) -> None:
    """At each decision of a game."""
    _, players, board, early, _, _, way = job
    game, choose, rng = new_game(players, board, early, 77), way(77), random.Random(77)
    told = []
    while not game.is_over:
        moves = game.legal_moves()
        told.append((len(moves), sorted(map(str, moves)) if len(moves) < 1000 else [], game.text))
        game.apply(choose(game, rng))
    description = board_of(board).to_dict()
    plain_board = plain_random.Board.of_data(description)
    decisions = replay(game_record(game), description)
    for decision, (count, moves, text) in zip(decisions, told, strict=True):
        assert decision.count == count, text
        assert sorted(decision.moves) == moves or not moves, text
        position = plain_random.Position.parse(text, plain_board)
        position.cities = decision.at.cities  # that of this turn's wall is not completed yet
        assert pieces(decision.at) == pieces(position), text


def pieces(at: plain_random.Position) -> list[object]:
    """The content of a position, the pieces of a city together."""
    root = {space: min(city) for city in at.cities for space in city}
    pooled = [
        Counter(
            (root.get(space, space), color) for space in where for color in where[space].elements()
        )
        for where in (at.houses, at.palaces)
    ]
    hands = [sorted(hand) for hand in at.hands]
    fields = at.phase, at.seat, at.rolled, at.scores, at.walls, at.towers, sorted(at.discard)
    return [*fields, hands, *pooled]


# What even the sample must have met; the full run must meet everything that can be named.
SAMPLE = {
    "end-walls", "end-towers", "end-no-line", "city-with-hole", "merges", "merge-declined",
    "reshuffle-mid-draw", "reshuffle-after-draw", "reshuffle-put-off", "draw-short",
    "tower-color-out", "swap-tie", "early-roll", "early-roll-at-0",
}  # fmt: skip


def test_the_rare_rules_were_met() -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:
        pytest.skip("the counters are spread over processes: see the properties in the report")
    if not COUNTERS:
        pytest.skip("no game was played in this run")
    print("\n" + "\n".join(f"{COUNTERS[name]:7} {name}" for name in ("games", "cities", *RARE)))
    assert not [name for name in (RARE if FULL else SAMPLE) if not COUNTERS[name]]


# --- right records

Record = dict[str, Any]

DESCRIPTION = BOARD.to_dict()
SAMPLES: list[Record] = [
    json.loads(line) for line in (DATA / "sample_records.jsonl").read_text().splitlines()
]
HOLE, HOUSES, FOUR, RING, TOWERS, WALLS = range(6)  # by what is in them


def nth(record: Record, kind: str, number: int = 0) -> int:
    """Where the event of this kind and number stands; negative numbers count from the end."""
    return [at for at, event in enumerate(record["events"]) if event["e"] == kind][number]


def test_samples_are_right_and_show_what_they_were_chosen_for() -> None:
    seen: Counter[str] = Counter()
    assert [fault_of(record, DESCRIPTION, seen) for record in SAMPLES] == [""] * len(SAMPLES)
    only_by_hand = {"reshuffle-put-off", "draw-short", "early-roll", "early-roll-at-0"}
    assert {what for what in RARE if not seen[what]} == {*only_by_hand, "win-shared"}
    assert seen["games"] == len(SAMPLES)
    assert seen["cities"] == sum(event["e"] == "city" for r in SAMPLES for event in r["events"])
    assert fault_of(SAMPLES[TOWERS] | {"comment": "unknown keys are ignored"}, DESCRIPTION) == ""


def test_the_board_of_the_example_is_that_of_the_rules() -> None:
    drawn, board = plain_random.classic_board(), plain_random.Board.of_data(DESCRIPTION)
    assert drawn == board


def early_rolled() -> Record:
    """The game ended by walls, with an early roll at 0 points and one that costs a point."""
    record = copy.deepcopy(SAMPLES[WALLS])
    record["options"] = ["early_roll"]
    last = nth(record, "wall", -1)
    player = record["events"][last]["p"]
    record["events"].insert(last, {"e": "early-roll", "p": player, "points": -1})
    record["events"].insert(0, {"e": "early-roll", "p": record["first"], "points": 0})
    record["result"]["scores"][player] -= 1
    return record


def test_early_rolls() -> None:
    seen: Counter[str] = Counter()
    assert fault_of(early_rolled(), DESCRIPTION, seen) == ""
    assert (seen["early-roll"], seen["early-roll-at-0"]) == (2, 1)
    assert "must be wall" in fault_of(early_rolled() | {"options": []}, DESCRIPTION)
    record = early_rolled()
    record["events"].insert(1, {"e": "early-roll", "p": record["first"], "points": 0})
    assert fault_of(record, DESCRIPTION) == "event 1: early-roll, must be wall"


def test_decision_counts() -> None:
    counts = [decision.count for decision in replay(SAMPLES[TOWERS], DESCRIPTION)]
    # An empty board: each line; 2 ends for the black tower and 3 colors for the other; a blue
    # house on either side and 5 colors on the other, of which blue on both is one outcome.
    assert counts[:3] == [170, 5, 9]
    assert [decision.count for decision in replay(early_rolled(), DESCRIPTION)][:2] == [171, 170]


# --- wrong records: the faults of `test_record` are noticed, too


@pytest.mark.parametrize(
    ("which", "fields", "message"),
    [
        (HOLE, {"first": 1}, "event 0 (wall): is"),
        (TOWERS, {"format": "record"}, "format"),
        (TOWERS, {"board": "other"}, "board"),
        (TOWERS, {"players": 3}, "names"),
        (TOWERS, {"options": ["fast"]}, "options"),
        (TOWERS, {"seed": "7"}, "seed"),
        (TOWERS, {"deck": []}, "two of each kind"),
        (TOWERS, {"hands": [[], []]}, "6 cards for each seat"),
    ],
)
def test_a_wrong_head_is_reported(which: int, fields: Record, message: str) -> None:
    assert message in fault_of(SAMPLES[which] | fields, DESCRIPTION)


@pytest.mark.parametrize(
    ("which", "kind", "number", "fields", "message"),
    [
        (HOLE, "play", 0, {"points": [3]}, 'event 67 (play): is {"cards"'),
        (HOLE, "wall", -1, {"line": 72}, "wall:72 is not legal"),
        (HOLE, "abstain", 0, {"card": "land-shore"}, "abstain:land-shore is not legal"),
        (HOLE, "swap", 0, {"out": ["land-shore"]}, "a card is not in hand"),
        (HOLE, "merge", 0, {"with": 20}, "merge:20 is not legal"),
        (RING, "roll", 9, {"tower": "black"}, "tower die"),
        (RING, "towers", 0, {"put": [[30, "gray"]]}, "towers:30=gray is not legal"),
        (RING, "houses", 0, {"put": [[53, "red"]]}, "houses:53=red is not legal"),
        (RING, "final", 0, {"city": None}, "'city' is no city's lowest space"),
        (WALLS, "final", 0, {"city": 96}, "(final): is"),
        (WALLS, "reshuffle", 0, {"deck": []}, "the discard pile must be reshuffled"),
    ],
)
def test_a_wrong_event_is_reported(
    which: int, kind: str, number: int, fields: Record, message: str
) -> None:
    record = copy.deepcopy(SAMPLES[which])
    record["events"][nth(record, kind, number)].update(fields)
    assert message in fault_of(record, DESCRIPTION)


@pytest.mark.slow
@pytest.mark.parametrize("which", [HOLE, TOWERS])
def test_no_event_can_be_left_out_doubled_or_moved(which: int) -> None:
    for number in range(len(SAMPLES[which]["events"])):
        shorter, doubled, moved = (list(SAMPLES[which]["events"]) for _ in range(3))
        del shorter[number]
        doubled.insert(number, doubled[number])
        moved.insert(number - 1, moved.pop(number))
        for events in (shorter, doubled, moved):
            assert fault_of(SAMPLES[which] | {"events": events}, DESCRIPTION), number


@pytest.mark.slow
def test_no_field_can_be_anything_else() -> None:
    chance = random.Random(1)
    value: Any
    for record in SAMPLES:
        for number in chance.sample(range(len(record["events"])), 5):
            told = record["events"][number]
            field = chance.choice(list(told))
            for value in (None, True, -1, 999, 1.0, "x", [], [[]], [None], {}, {"x": 1}):
                if value != told[field] or type(value) is not type(told[field]):
                    events = list(record["events"])
                    events[number] = told | {field: value}
                    fault = fault_of(record | {"events": events}, DESCRIPTION)
                    assert fault, (number, field, value)
    for value in (None, 1, "x", [], {}, [{}]):
        assert fault_of(value, DESCRIPTION)
        for key in ("players", "names", "first", "hands", "deck", "events", "result"):
            record = SAMPLES[TOWERS] | {key: value}
            assert fault_of(record, DESCRIPTION) or value == SAMPLES[TOWERS][key]


# ---- drawing (rules, 5; where reshuffles stand: the record format)


@pytest.mark.parametrize(
    ("deck", "discards", "due", "shuffled", "events", "seen"),
    [
        (["cities"], ["a", "b"], 2, [["b", "a"]], ["reshuffle", "x"], "reshuffle-mid-draw"),
        (["cities"], ["a"], 1, [["a"]], ["x", "reshuffle"], "reshuffle-after-draw"),
        (["cities"], [], 1, [], ["x"], ""),
        ([], ["a", "b"], 1, [["b", "a"]], ["reshuffle", "x"], "reshuffle-put-off"),
        ([], ["a"], 2, [["a"]], ["reshuffle", "x"], "draw-short"),
        ([], [], 0, [], ["x"], ""),
        ([], ["a"], 1, [], None, ""),
        ([], ["a"], 1, [["b"]], None, ""),
    ],
)
def test_draws(
    deck: list[str], discards: list[str], due: int, shuffled: list[list[str]],
    events: list[str] | None, seen: str,
) -> None:  # fmt: skip
    game = RulesReplay(copy.deepcopy(SAMPLES[TOWERS]), DESCRIPTION)
    game.deck, game.at.discard, game.hands[0] = [*deck], [*discards], []
    game.decks = [*shuffled]
    order = [*deck, *(card for pile in shuffled for card in pile)]
    drew = {"e": "x", "in": order[:due]}
    told = {"reshuffle": {"e": "reshuffle", "deck": shuffled[0] if shuffled else []}, "x": drew}
    game.record["events"] = [told[kind] for kind in events or ()]
    if events is None:
        with pytest.raises(Fault, match="the discard pile must be reshuffled"):
            game.draw(0, due, "in", {"e": "x"})
        return
    game.draw(0, due, "in", {"e": "x"})
    assert game.events == game.record["events"]
    assert game.hands[0] == order[:due]
    assert not seen or game.seen[seen] == 1
