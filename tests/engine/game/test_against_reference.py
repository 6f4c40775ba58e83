"""The plain-Python reference of the rules against whole games of the engine.

`test_record` has wrong records, whose faults the reference must notice, too.

A sample of games runs by default. The full run is 1,000 busy games each with 2, 3 and 4 players,
300 with early rolls, 300 by ismcts and greedy, and games led to the rare corners of the rules:

    MASONS_GAMES=full pytest tests/engine/game/test_against_reference.py -n 2
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from examples import plain_random
from masons.ai.players.named_players import make_player
from masons.engine.formats.move_text import Move, wall_move
from masons.engine.game.game import Game
from masons.engine.game.record import format_record, game_record, parse_record
from masons.engine.game.replay import check_record
from masons.engine.state import layout
from masons.engine.state.packed_move import ABSTAIN, EARLY_ROLL, SWAP
from masons.engine.state.position import members
from tests.support.paths import DATA
from tests.support.playing import board_of, pick, ring_round
from tests.support.reference import RARE, fault_of, replay

FULL = os.environ.get("MASONS_GAMES") == "full"
Record = dict[str, Any]
Choose = Callable[[Game, random.Random], Move]

# --- ways of playing


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
        free = set(members(state, int(layout.OPEN), 4)) - set(
            members(state, int(layout.TOUCHED), 4)
        )
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


# --- the games of a run: name, players, board, early rolls, how many (sample, full), way of playing

BOARD = board_of("classic")
# The lines of a space, then those around everything that touches its corners.
HOLE = [*BOARD.space_lines[45], *sorted(ring_round(BOARD, 45)[1])]
EDGE = [line for line, spaces in enumerate(BOARD.line_spaces) if None in spaces]
ISMCTS = "ismcts:sims=60,policy=busy"
JOBS = [
    *((f"busy-{n}", n, "classic", False, 12, 1000, lambda _: pick) for n in (2, 3, 4)),
    *((f"early-{n}", n, "classic", True, 5, 100, lambda _: eager) for n in (2, 3, 4)),
    ("ismcts-greedy", 2, "classic", False, 4, 100, by_players(ISMCTS, "greedy")),
    ("greedy-ismcts-3", 3, "classic", False, 2, 100, by_players("greedy", ISMCTS, "greedy")),
    ("ismcts-greedy-4", 4, "classic", True, 2, 100, by_players(ISMCTS, "greedy", "greedy", ISMCTS)),
    ("hole", 2, "classic", False, 6, 60, lambda _: in_order(HOLE)),
    ("edge", 3, "classic", False, 2, 20, lambda _: in_order(EDGE)),
    ("abstaining", 4, "classic", False, 6, 60, lambda _: abstaining),
    ("scattered", 2, "classic", False, 6, 60, lambda _: scattered),
    ("hexagon", 2, "hexagon-24", False, 6, 100, lambda _: pick),
    ("triangle", 3, "triangle-36", True, 6, 100, lambda _: pick),
    ("parallelogram", 4, "parallelogram-48", False, 6, 100, lambda _: pick),
    ("ring", 2, "ring-128", False, 3, 50, lambda _: pick),
]  # fmt: skip
QUICK = ("hexagon", "triangle")


def new_game(players: int, board: str, early: bool, number: int) -> Game:
    first = number % players
    return Game(players, board=board_of(board), seed=number, first=first, early_roll=early)


@pytest.mark.parametrize(
    "job",
    [
        pytest.param(job, id=job[0], marks=[] if job[0] in QUICK else [pytest.mark.slow])
        for job in JOBS
    ],
)
def test_the_rulebook_agrees(job: Any) -> None:
    """On every event of the games; in the first one, on the moves and the position too."""
    _, players, board, early, sample, full, way = job
    description = board_of(board).to_dict()
    for number in range(full if FULL else sample):
        game, choose = new_game(players, board, early, number), way(number)
        rng = random.Random(number)
        told = []
        while not game.is_over:
            if number == 0:
                moves = game.legal_moves()
                few = sorted(map(str, moves)) if len(moves) < 1000 else []
                told.append((len(moves), few, game.text))
            game.apply(choose(game, rng))
        record = game_record(game)
        if number == 0:
            assert_same_decisions(record, description, told)
        else:
            assert fault_of(record, description) == ""
        assert record.get("board_sha256") == (None if board == "classic" else game.board.sha256)
        # And what is written is read back the same, and the engine's own check agrees.
        line = format_record(record)
        assert format_record(parse_record(line)) == line
        if number % 10 == 0:
            assert check_record(json.loads(line), board_of(board)) is None


def assert_same_decisions(
    record: Record, description: dict[str, Any], told: list[tuple[int, list[str], str]]
) -> None:
    """The reference sees the same moves (their number, their texts if few) and positions."""
    board = plain_random.Board.of_data(description)
    for decision, (count, moves, text) in zip(replay(record, description), told, strict=True):
        assert decision.count == count, text
        assert sorted(decision.moves) == moves or not moves, text
        position = plain_random.Position.parse(text, board)
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
    fields = (
        at.phase,
        at.seat,
        at.rolled,
        at.scores,
        at.walls,
        at.towers,
        sorted(at.discard),
    )
    return [*fields, hands, *pooled]


# --- right records

DESCRIPTION = BOARD.to_dict()
SAMPLES: list[Record] = [
    json.loads(line) for line in (DATA / "sample_records.jsonl").read_text().splitlines()
]


def test_samples_are_right_and_show_what_they_were_chosen_for() -> None:
    seen: Counter[str] = Counter()
    assert [fault_of(record, DESCRIPTION, seen) for record in SAMPLES] == [""] * len(SAMPLES)
    assert [what for what in RARE if not seen[what]] == []
    assert seen["games"] == len(SAMPLES)
    assert seen["cities"] == sum(event["e"] == "city" for r in SAMPLES for event in r["events"])
    assert fault_of(SAMPLES[0] | {"comment": "unknown keys are ignored"}, DESCRIPTION) == ""


def test_the_board_of_the_example_is_that_of_the_rules() -> None:
    drawn, board = plain_random.classic_board(), plain_random.Board.of_data(DESCRIPTION)
    assert drawn == board
