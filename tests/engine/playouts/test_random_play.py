"""The random play of the kernels: its statistics (rules, 8), and that every choice is fair."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Hashable
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from masons.engine.board.components import CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.board.geometry import Board
from masons.engine.formats.move_text import placing_move, wall_move
from masons.engine.game.chance import Seeded
from masons.engine.game.game import Game
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Words, bytes_of, copy_words, offset
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.kernels.rng import new_rng, next_word
from masons.engine.playouts.counters import (
    COUNT_DECISIONS,
    COUNT_MERGES,
    COUNT_RESHUFFLES,
    COUNTER_WORDS,
)
from masons.engine.playouts.random_games import go_on_turn, play_games, play_out, play_turns
from masons.engine.playouts.random_moves import (
    ABSTAINS,
    BUSY,
    BUSY_BEST,
    POLICIES,
    UNIFORM,
    any_line,
    best_score,
    busy_line,
    random_score,
    random_swap,
)
from masons.engine.playouts.random_scoring import deal_hands as deal
from masons.engine.rules.transitions import apply_move
from masons.engine.rules.turns import score_of
from masons.engine.state import layout
from masons.engine.state.derive import empty_state
from masons.engine.state.packed_move import HOUSES, TOWERS
from masons.engine.state.position import (
    houses_in,
    kinds,
    members,
    space_words,
    unpack_state,
)
from tests.engine.state.test_state import differences
from tests.support.chi_square import assert_chi_square, assert_fair, even
from tests.support.playing import (
    around,
    chain,
    game_at,
    hand,
    neighbors,
    new_game,
    setting,
    step,
    steps,
)

Array = NDArray[np.uint64]

# What is sampled.
GAMES, PLAY_OUTS, TURNS_ON, LINES, SCORES_OF_HAND, BEST_SCORE, SWAPS = range(7)
# The figures of a game.
DECISIONS, TURNS_PLAYED, MERGES, RESHUFFLES, CITIES, ENDED, POINTS = range(7)
ROW = 10
_WORDS = U(layout.STATE_WORDS)


@kernel
def sample(
    what: int,
    start: Words,
    board: Words,
    rng: Words,
    policy: int,
    count: int,
    workspace: Words,
    out: Words,
) -> None:
    """`count` samples from the state `start`, each in a row of `out`; `workspace` is overwritten.

    Games: their figures; play-outs and turns: the state after them; choices: one word.
    """
    state, counters = workspace, offset(workspace, _WORDS)
    for i in range(count):
        copy_words(state, start, _WORDS)
        b = bytes_of(state)
        cards = state[layout.HANDS + U(b[layout.SEAT])]
        if what == GAMES:
            for j in range(U(COUNTER_WORDS)):
                counters[j] = U(0)
            deal(state, rng)
            play_out(state, board, rng, policy, counters)
            row = U(ROW) * i
            out[row + U(DECISIONS)] = counters[COUNT_DECISIONS]
            out[row + U(TURNS_PLAYED)] = state[layout.TURN] + U(1)
            out[row + U(MERGES)] = counters[COUNT_MERGES]
            out[row + U(RESHUFFLES)] = counters[COUNT_RESHUFFLES]
            out[row + U(CITIES)] = state[layout.CITIES] + counters[COUNT_MERGES]
            out[row + U(ENDED)] = U(b[layout.END])
            for seat in range(U(b[layout.PLAYERS])):
                out[row + U(POINTS) + seat] = score_of(state, seat)
        elif what <= TURNS_ON:
            if what == PLAY_OUTS:
                play_out(state, board, rng, policy, counters)
            else:
                go_on_turn(state, board, rng, counters)
            copy_words(offset(out, i * _WORDS), state, _WORDS)
        elif what == LINES:
            if policy == UNIFORM:
                out[i] = any_line(state, board, rng, next_word(rng))
            else:
                out[i] = busy_line(state, board, rng, next_word(rng))
        elif what == SWAPS:
            out[i] = random_swap(cards, next_word(rng), rng)
        else:
            if what == BEST_SCORE:
                first, second = best_score(state, cards)
            else:
                first, second = random_score(cards, next_word(rng), policy)
            out[i] = first | (second << U(8))


def sampled(what: int, table: Table, start: Array, policy: int, count: int, seed: int = 1) -> Array:
    """The rows of samples: uint64[count, columns]."""
    columns = {GAMES: ROW, PLAY_OUTS: layout.STATE_WORDS, TURNS_ON: layout.STATE_WORDS}.get(what, 1)
    workspace = np.zeros(layout.STATE_WORDS + COUNTER_WORDS, dtype=np.uint64)
    out = np.zeros(count * columns, dtype=np.uint64)
    sample(what, start, table.packed, new_rng(seed), int(policy), count, workspace, out)
    return out.reshape(count, columns)


# ---- statistics (rules, 8)

BUSY_FIGURES = {
    # Players: turns, decisions, cities, merges, reshuffles; from an independent program, a million
    # games each. The rules give the same rounded.
    2: (37.709, 129.48, 13.851, 5.133, 1.282),
    3: (37.711, 144.67, 13.850, 5.137, 2.111),
    4: (37.715, 159.94, 13.857, 5.143, 3.207),
}
UNIFORM_FIGURES = {
    2: (19.05, 50.15, 0.1586, 0.0017, 0.0),
    3: (19.05, 51.33, 0.1586, 0.0017, 0.0),
    4: (19.05, 52.53, 0.1586, 0.0017, 0.0001),
}
COMPARED = [TURNS_PLAYED, DECISIONS, CITIES, MERGES, RESHUFFLES]
MANY = 10_000


def assert_near(values: NDArray[np.float64], right: float, slack: float = 0.0) -> None:
    """A mean within 4.5 standard errors (of it and of `right`, from a million games)."""
    error = values.std() / math.sqrt(len(values)) * math.sqrt(1 + len(values) / 1e6)
    assert abs(values.mean() - right) <= 4.5 * error + slack, (values.mean(), right, error)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_statistics_of_busy_play(table: Table, players: int) -> None:
    games = sampled(GAMES, table, empty_state(table.packed, players), BUSY, MANY, seed=players)
    for column, right in zip(COMPARED, BUSY_FIGURES[players], strict=True):
        assert_near(games[:, column].astype(float), right, slack=0.001)
    points = games[:, POINTS : POINTS + players].astype(float)
    assert_near(points.mean(axis=1), 42.3, slack=0.1)
    assert abs(points.std() - 14.7) < 0.3
    ends = np.bincount(games[:, ENDED].astype(int), minlength=6)
    for end, share in (("walls", 0.911), ("palaces", 0.054), ("towers", 0.033), ("houses", 0.002)):
        error = 4.5 * math.sqrt(share * (1 - share) / MANY)
        assert abs(ends[layout.END_NAMES.index(end)] / MANY - share) <= error + 0.001, end
    assert ends.sum() == MANY


@pytest.mark.parametrize("players", [2, 3, 4])
def test_statistics_of_uniform_play(table: Table, players: int) -> None:
    games = sampled(GAMES, table, empty_state(table.packed, players), UNIFORM, MANY, seed=players)
    for column, right in zip(COMPARED, UNIFORM_FIGURES[players], strict=True):
        assert_near(games[:, column].astype(float), right, slack=0.01)
    assert (games[:, ENDED] == layout.END_NAMES.index("towers")).all()


def test_the_same_seed_gives_the_same_games(table: Table) -> None:
    start = empty_state(table.packed, 3)
    first, again, other = (sampled(GAMES, table, start, BUSY, 50, seed=seed) for seed in (5, 5, 6))
    assert (first == again).all()
    assert (first != other).any()


@pytest.mark.slow
def test_a_run_adds_up_its_games(table: Table) -> None:
    start = empty_state(table.packed, 3)
    games = sampled(GAMES, table, start, BUSY, 500, seed=4)
    counters = np.zeros(COUNTER_WORDS, dtype=np.uint64)
    play_games(start, table.packed, new_rng(4), int(BUSY), 500, start.copy(), counters)
    points = games[:, POINTS : POINTS + 3]
    ends = np.bincount(games[:, ENDED].astype(int), minlength=6)
    assert counters[:4].tolist() == games[:, [0, 1, 2, 3]].sum(axis=0).tolist()
    assert counters[5:7].tolist() == [points.sum(), (points**2).sum()]
    assert counters[8:14].tolist() == ends.tolist()


# ---- the states that random play leaves behind


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_play_from_any_phase_ends_in_a_right_state(table: Table, policy: str) -> None:
    """Every derived field at the end is what it is when worked out anew."""
    chance = random.Random(policy)
    for players in (2, 3, 4):
        game = new_game(players, players)
        for made, _ in enumerate(steps(game, chance), 1):
            if made % 12 == 0:
                number = POLICIES.index(policy)
                (end,) = sampled(PLAY_OUTS, table, game.state, number, 1, seed=made)
                # Uniform play does without the sets of lines.
                kept = set() if policy != "uniform" else {"TOUCHED", "DOUBLE", "CLOSING"}
                assert set(differences(table, end)) <= kept
                assert unpack_state(end).phase == "over"
                assert sum(unpack_state(end).hand_sizes) <= 60


def test_the_last_tower_names_the_end_before_the_last_house(table: Table) -> None:
    """Rules, 7: random play from a position with one tower and one house left."""
    walls, towers = chain(table.board, 29)
    houses = {0: (12, 12, 12, 0, 0), 1: (0, 0, 0, 12, 11)}
    position = setting(table.board, walls, towers=towers, houses=houses)
    start = game_at(position, table.board).state
    ends = [unpack_state(end) for end in sampled(PLAY_OUTS, table, start, UNIFORM, 50)]
    assert {(len(end.towers), end.end) for end in ends} == {(29, "houses"), (30, "towers")}


@kernel
def run_of_turns(state: Words, board: Words, rng: Words, policy: int, counters: Words) -> None:
    """Play turns up to a city or the end of the game (`state` modified in place)."""
    play_turns(state, board, rng, policy, counters)


def pieces_put(before: Array, after: Array) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The towers and the houses that are new: pairs of a place and a color, places ascending."""
    old, new = unpack_state(before), unpack_state(after)
    towers = sorted(set(new.towers.items()) - set(old.towers.items()))
    houses = []
    for space, counts in sorted(new.houses.items()):
        before_it = old.houses.get(space, (0,) * len(counts))
        for color, (more, less) in enumerate(zip(counts, before_it, strict=True)):
            houses += [(space, color)] * (more - less)
    return towers, houses


@pytest.mark.slow
@pytest.mark.parametrize("policy", [UNIFORM, BUSY])
def test_a_turn_of_a_run_is_what_its_moves_are(table: Table, policy: int) -> None:
    """The run keeps supplies in variables and looks into tables; moves come one at a time."""
    chance = random.Random(3)
    counters = np.zeros(COUNTER_WORDS, dtype=np.uint64)
    compared = 0
    for number in range(12):
        game = new_game(2 + number % 3, number)
        while not game.is_over:
            if game.phase == "wall":
                before = game.state.copy()
                before.view(np.uint8)[int(layout.WALL_LEFT)] = 1  # the run is over after one turn
                after = before.copy()
                run_of_turns(after, table.packed, new_rng(number, compared), int(policy), counters)
                small = after.view(np.uint8)
                if not small[int(layout.CLOSES)]:
                    line = int(small[int(layout.LINE)])
                    towers, houses = pieces_put(before, after)
                    moves = [wall_move(line), placing_move(HOUSES, houses)]
                    if towers:
                        moves.insert(1, placing_move(TOWERS, towers))
                    for move in moves:
                        apply_move(before, table.packed, move)
                    if policy == UNIFORM:  # it does without the sets of lines
                        sets = slice(int(layout.TOUCHED), int(layout.CITY_LINES))
                        before[sets] = after[sets]
                    assert (before == after).all(), game.text
                    compared += 1
            step(game, chance)
    assert compared > 200


# ---- every choice is fair


def values_of(samples: Array) -> Counter[Hashable]:
    return Counter(samples.ravel().tolist())


def midgame() -> Array:
    """A state with lines of all groups: closing, between towers, beside a tower."""
    game, chance = new_game(2, 0), random.Random(0)
    while game.phase != "wall" or not members(game.state, int(layout.CLOSING), 4):
        step(game, chance)
    return game.state


@pytest.mark.parametrize("few", [None, [0, 63, 64, 127, 128, 169]])
def test_uniform_lines(table: Table, few: list[int] | None) -> None:
    """Where few are left they are found by drawing again and again, in the end by counting."""
    state = midgame()
    if few:
        state[int(layout.OPEN) : int(layout.OPEN) + 4] = 0
        for line in few:
            state[int(layout.OPEN) + line // 64] |= np.uint64(1 << line % 64)
    lines = sampled(LINES, table, state, UNIFORM, 30_000)
    assert_fair(values_of(lines), even(members(state, int(layout.OPEN), 4)))


def test_busy_lines(table: Table) -> None:
    """Rules, 8: one in ten uniform, else each group that is not empty with 0.8."""
    state = midgame()
    open_ = members(state, int(layout.OPEN), 4)
    right: dict[Hashable, float] = dict.fromkeys(open_, 0.1 / len(open_))
    left = 0.9
    for group in (layout.CLOSING, layout.DOUBLE, layout.TOUCHED):
        lines = members(state, int(group), 4)
        assert lines
        for line in lines:
            right[line] += left * 0.8 / len(lines)
        left *= 0.2
    for line in open_:
        right[line] += left / len(open_)
    assert_fair(values_of(sampled(LINES, table, state, BUSY, 30_000)), right)


def with_hand(table: Table, *cards: str) -> Array:
    """A scoring state in which the seat to decide has this hand."""
    board = table.board
    other = next(name for name in CARDS if name not in cards)
    position = setting(
        board, around(board, 45), phase="score", city=45, hands=(hand(*cards), hand(other))
    )
    return game_at(position, board).state


HANDS_TO_PLAY = [
    ("cities",),
    ("cities", "cities"),
    ("cities", "land-red", "city-size-1"),
    ("cities", "cities", "city-size-1", "land-red", "land-red"),
    ("city-red", "city-rose", "city-rose", "city-blue", "land-walls", "land-walls", "cities"),
]


@pytest.mark.parametrize("policy", [UNIFORM, BUSY])
@pytest.mark.parametrize("cards", HANDS_TO_PLAY)
def test_scores(table: Table, cards: tuple[str, ...], policy: int) -> None:
    """All alike, or a third each: singles, abstains, pairs (singles where there are none)."""
    numbers = hand(*cards)
    kinds_held = sorted(set(numbers))
    singles = [card | int(layout.NO_CARD) << 8 for card in kinds_held]
    abstains = [card | int(ABSTAINS) << 8 for card in kinds_held]
    pairs = [first | second << 8 for first, second in sorted(set(combinations(numbers, 2)))]
    right = even([*singles, *abstains, *pairs])
    if policy == BUSY:
        right = dict.fromkeys(right, 0.0)
        for choices in (singles, abstains, pairs or singles):
            for choice in choices:
                right[choice] += 1 / 3 / len(choices)
    samples = sampled(SCORES_OF_HAND, table, with_hand(table, *cards), policy, 20_000)
    assert_fair(values_of(samples), right)


def test_busy_best_scores(table: Table) -> None:
    """The most points; a single where a second card adds nothing; else abstain."""
    chance = random.Random(5)
    game = new_game(3, 5)
    seen = set()
    for _ in steps(game, chance):
        if game.phase != "score":
            continue
        state = game.state
        (word,) = sampled(BEST_SCORE, table, state, BUSY_BEST, 1).ravel().tolist()
        start = int(layout.VALUES_BYTE)
        values = state.view(np.uint8)[start : start + len(CARDS)].tolist()
        cards = kinds(int(state[int(layout.HANDS) + game.seat]))
        first, second = word & 255, word >> 8
        points = sorted((values[card] for card in cards), reverse=True)
        if second == ABSTAINS:
            seen.add("abstain")
            assert points[0] == 0
        elif second == layout.NO_CARD:
            seen.add("single")
            assert values[first] == sum(points) > 0
        else:
            seen.add("pair")
            assert values[first] + values[second] == points[0] + points[1]
            assert first <= second
            assert points[1] > 0
    assert len(seen) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("cards", HANDS_TO_PLAY)
def test_swaps(table: Table, cards: tuple[str, ...]) -> None:
    """Of each kind none up to all, uniformly; the cards are from the hand."""
    state = with_hand(table, *cards)
    held = int(state[int(layout.HANDS)])
    words = sampled(SWAPS, table, state, UNIFORM, 20_000).ravel().tolist()
    assert all(word & ~held == 0 for word in words)
    counts = Counter(hand(*cards))
    parts = [[(kind,) * n for n in range(count + 1)] for kind, count in sorted(counts.items())]
    every = [sum(chosen, ()) for chosen in product(*parts)]
    assert_fair(Counter(map(kinds, words)), even(every))


def test_final_choices(table: Table, classic: Board) -> None:
    """Rules, 8: the city uniformly first, then pass, singles and pairs uniformly."""
    areas = [(45,), (5,), (99,)]
    walls = set().union(*(around(classic, *area) for area in areas))
    # What the cards score shows the city; the cards that are left show the cards.
    houses = {45: (1, 2, 12, 12, 0), 5: (3, 5, 0, 0, 0), 99: (8, 5, 0, 0, 0), 0: (0, 0, 0, 0, 12)}
    hands = (hand("city-red", "city-rose"), ())
    ended: Any = {"phase": "final", "active": 1, "seat": 0, "end": "houses", "hands": hands}
    state = game_at(setting(classic, walls, houses=houses, **ended), classic).state
    ends = sampled(PLAY_OUTS, table, state, UNIFORM, 20_000)
    samples = Counter(
        (kinds(int(end[int(layout.HANDS)])), int(end[int(layout.SCORES)]) & 0xFFFF) for end in ends
    )
    red, rose = hand("city-red")[0], hand("city-rose")[0]
    right: Counter[Hashable] = Counter({((red, rose), 0): 0.25})  # type: ignore[dict-item]
    for area in areas:
        reds, roses = houses[area[0]][:2]
        right[(rose,), reds] += 1 / 12  # type: ignore[assignment]
        right[(red,), roses] += 1 / 12  # type: ignore[assignment]
        right[(), reds + roses] += 1 / 12  # type: ignore[assignment]
    assert_fair(samples, right)


@pytest.mark.slow
def test_merges(table: Table, classic: Board) -> None:
    """Each neighboring city and none alike."""
    near = neighbors(classic, 45)
    walls = around(classic, 45).union(*(around(classic, space) for space in near))
    position = setting(classic, walls, phase="merge", city=45, end="walls")
    state = game_at(position, classic).state
    # The game ends with this scoring, so the cities stay as they are merged.
    ends = sampled(PLAY_OUTS, table, state, BUSY, 8_000)
    samples = Counter(tuple(map(tuple, map(sorted, unpack_state(end).cities))) for end in ends)
    assert len(samples) == 4
    assert_fair(samples, even(samples))


@pytest.mark.slow
@pytest.mark.parametrize("spaces", [1, 2])
@pytest.mark.parametrize("stock", ["full", "short"])
def test_rolls_towers_and_houses(table: Table, classic: Board, spaces: int, stock: str) -> None:
    """From a wall on: three fair dice, then each distinct outcome of towers and houses alike."""
    line = next(
        line
        for line, beside in enumerate(classic.line_spaces)
        if (None in beside) == (spaces == 1) and line > 100
    )
    houses = {0: (12, 11, 0, 0, 0), 1: (0, 0, 11, 12, 0)} if stock == "short" else {}
    game = game_at(setting(classic, [0], houses=houses), classic)
    game.apply(f"wall:{line}")
    states = sampled(TURNS_ON, table, game.state, UNIFORM, 40_000)
    samples = Counter(outcome(state, classic, line) for state in states)
    right: Counter[Hashable] = Counter()
    for roll in product(TOWER_DIE, HOUSE_DIE, HOUSE_DIE):
        rolled = game_at(game.position, classic)
        rolled.give_roll(*roll)
        for share, after in decided(rolled, 1 / (3 * 36)):
            right[outcome(after, classic, line)] += share  # type: ignore[assignment]
    assert_fair(samples, right)


def decided(game: Game, share: float) -> list[tuple[float, Array]]:
    """The states after towers and houses, with their probabilities."""
    if game.phase not in ("towers", "houses"):
        return [(share, game.state)]
    states = []
    for move in game.legal_moves():
        part = share / len(game.legal_moves())
        game.apply(move)
        states += decided(game, part)
        game.undo()
    return states


def outcome(state: Array, board: Board, line: int) -> Hashable:
    """The towers at the ends of a wall and the houses beside it."""
    words = space_words(state)
    towers = tuple(
        color
        for tower in board.line_towers[line]
        for color in range(3)
        if int(state[int(layout.TOWERS) + 2 * color + tower // 64]) >> (tower % 64) & 1
    )
    return towers, *(houses_in(words[s]) for s in board.line_spaces[line] if s is not None)


def test_draws(table: Table) -> None:
    """Each card of the deck alike: the last swapper draws one card."""
    board = table.board
    cards: Any = {
        "hands": (tuple(range(5)), tuple(range(10, 20))), "discard": tuple(range(20, 30))
    }  # fmt: skip
    ended: Any = {"end": "palaces", "palaces": {45: (3, 3, 3, 3, 3)}, "city": 45}
    drawing: Any = {"phase": "draw", "due": 1, "active": 1, "seat": 0}
    state = game_at(setting(board, around(board, 45), **drawing, **ended, **cards), board).state
    ends = sampled(PLAY_OUTS, table, state, BUSY, 20_000)
    new = Counter(int(end[int(layout.HANDS)]) & ~int(state[int(layout.HANDS)]) for end in ends)
    deck = int(state[int(layout.DECK)])
    assert deck.bit_count() == 60 - 25
    assert_fair(new, even([1 << card for card in range(60) if deck >> card & 1]))
    assert (ends[:, int(layout.DECK)] & ends[:, int(layout.DISCARD)] == 0).all()


def test_deals(table: Table) -> None:
    """Each card in each hand alike."""
    # A state that is over is dealt and left alone.
    start = empty_state(table.packed, 4)
    start.view(np.uint8)[int(layout.PHASE)] = int(layout.PHASE_OVER)
    workspace = np.zeros(layout.STATE_WORDS + COUNTER_WORDS, dtype=np.uint64)
    out = np.zeros(ROW, dtype=np.uint64)
    rng = new_rng(12)
    deals = 6000
    counts = np.zeros((4, 60))
    for _ in range(deals):
        sample(GAMES, start, table.packed, rng, 0, 1, workspace, out)
        hands = [int(word) for word in workspace[int(layout.HANDS) : int(layout.HANDS) + 4]]
        assert [word.bit_count() for word in hands] == [6] * 4
        assert sum(hands) + int(workspace[int(layout.DECK)]) == (1 << 60) - 1
        for seat, word in enumerate(hands):
            counts[seat] += [word >> card & 1 for card in range(60)]
    share = 6 / 60
    for seat in range(4):
        # Six different cards a hand: the counts vary less than free ones, by 59/60 of 1 - share.
        spread = deals * share * (1 - share) * 60 / 59
        assert_chi_square(float(((counts[seat] - deals * share) ** 2).sum() / spread), 60)


def test_seeded_chance_is_fair() -> None:
    chance = Seeded(3)
    cards = [4, 7, 9, 9]
    decks = Counter(tuple(chance.shuffle(cards)) for _ in range(6_000))
    assert_fair(decks, even(set(permutations(cards))))
    rolls = Counter(chance.roll(True) for _ in range(10_000))
    assert_fair(rolls, even(product(range(3), range(6), range(6))))
    for _ in range(5):
        mark = chance.mark()
        _, *dice = chance.roll(True)
        chance.back(mark)
        assert chance.roll(False) == (None, *dice)
