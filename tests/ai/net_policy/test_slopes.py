"""The slopes of the policy by the net, against differences of the net's value in plain numpy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from masons.ai.evaluation.rewards import POINT_VALUE
from masons.ai.models import features as f
from masons.ai.models.features import BOARD, BOARD_INPUTS, INPUTS, SEAT_INPUTS
from masons.ai.models.model_data import learned_net
from masons.ai.net_policy import policy_workspace as ws
from masons.ai.net_policy.card_slopes import ENDS_BY
from masons.ai.net_policy.net_gradient import board_slope, seat_slope
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.engine.board.components import FIRST_LAND, KINDS, LANDS, TOWERS
from masons.engine.board.geometry import load_board
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import FloatArray, Floats, Singles, Word, new_workspace
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.state import layout
from masons.engine.state.layout import State
from masons.engine.state.position import byte_in, kinds, phase_of, scores_in
from tests.support.plain_models import predict
from tests.support.policy_decisions import NET, policy_choice, policy_game

# In float64 so small a step loses a millionth of a slope, and hardly ever meets a kink.
STEP = 1e-6
# The kernels' hidden units have weights of 16 bits, which changes slopes and values a little.
CLOSE = 1e-4
CLOSE_VALUE = 2e-4
# What of a seat's inputs the points of land cards change.
CARD_INPUTS = (
    *range(int(f.BEST), int(f.BEST) + f.TOP), *range(int(f.LAND), int(f.LAND) + LANDS),
    int(f.FINAL_INPUTS), int(f.FINAL_INPUTS) + 1,
)  # fmt: skip
LINE_ENDS = load_board("classic").line_towers


@kernel
def list_slopes(players: Word, net: Singles, back: Singles, out: Floats) -> None:
    """Fill `out` (float64[INPUTS]) with the slopes of all inputs."""
    for seat in range(players):
        for number in range(U(SEAT_INPUTS)):
            at = U(SEAT_INPUTS) * seat + number
            out[at] = seat_slope(seat, number, net, back)
    for number in range(U(BOARD_INPUTS)):
        out[U(BOARD) + number] = board_slope(U(BOARD) + number, net, back)


def building(players: int) -> list[tuple[int, State, PolicyWorkspace]]:
    """Towers and houses due in some games: who decides, the state, the workspace after it.

    The choice of these looks at nothing but the slopes, so the workspace is as they left it.
    """
    decisions = []
    for seed in range(players + 1):
        for game, _ in policy_game(players, seed, explored=0.2):
            if game.phase not in ("towers", "houses"):
                continue
            if game.position.turn % 4 == seed % 4 or is_last(game.state):
                workspace = new_workspace(PolicyWorkspace)
                policy_choice(game, game.state, seed, workspace)
                decisions.append((game.seat, game.state, workspace))
    assert len(decisions) > 10
    return decisions


decided = cache(building)


def is_last(state: State) -> bool:
    """Return whether the game ends with this turn, as far as towers and walls say."""
    if phase_of(state) == "houses" or byte_in(state, layout.END):
        return byte_in(state, layout.END) > 0
    ends = np.asarray(LINE_ENDS[byte_in(state, layout.LINE)])
    bare = state.view(np.uint8)[int(layout.LABELS_BYTE) + ends] == int(layout.NONE)
    return supply(state) <= int(bare.sum())


def goes_on(players: int) -> list[tuple[int, State, PolicyWorkspace]]:
    """Return those of `decided` after which the game goes on."""
    return [decision for decision in decided(players) if not is_last(decision[1])]


def values(rows: FloatArray, seat: int, players: int) -> FloatArray:
    """Return the value of each row of inputs to a seat."""
    wins, scores = predict(NET.astype(np.float64), rows, players)
    others = (scores.sum(axis=1) - scores[:, seat]) / (players - 1)
    value: FloatArray = wins[:, seat] + POINT_VALUE * (scores[:, seat] - others)
    return value


def inputs_of(workspace: PolicyWorkspace) -> FloatArray:
    """Return the mean inputs: those in the workspace, and those of the cards that were dealt."""
    inputs = np.asarray(workspace.net)[:INPUTS].astype(np.float64)
    seats, points = inputs[:BOARD].reshape(f.MAX_SEATS, SEAT_INPUTS), points_of(workspace)
    seats[:, f.NUMBERS :] = 0
    for hands in hands_dealt(workspace, byte_in(np.asarray(workspace.after), layout.PLAYERS)):
        for seat, cards in zip(seats, hands, strict=False):
            for kind in kinds(cards):
                seat[int(f.HELD) + kind] += 1 / ws.SAMPLES
                seat[int(f.HELD_LEFT) + kind] += inputs[int(f.GAME_LEFT)] / ws.SAMPLES
                if kind >= FIRST_LAND:
                    land = kind - FIRST_LAND
                    seat[int(f.LAND) + land] += points[land] / f.CARD_SCALE / ws.SAMPLES
    return inputs


@pytest.mark.parametrize("players", [2, 3, 4])
def test_slopes_are_those_of_the_plain_net(players: int) -> None:
    seen = [*range(players * SEAT_INPUTS), *range(BOARD, INPUTS)]
    for seat, _, workspace in goes_on(players)[::5]:
        inputs, slopes = inputs_of(workspace), np.zeros(INPUTS)
        list_slopes(players, learned_net(), np.asarray(workspace.back), slopes)
        steps = np.eye(INPUTS)[seen] * STEP
        up, down = (values(inputs + sign * steps, seat, players) for sign in (1, -1))
        assert slopes[seen] == pytest.approx((up - down) / (2 * STEP), abs=CLOSE)
        assert np.abs(slopes).max() > 0.01


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_base_is_what_the_net_says(players: int) -> None:
    for seat, _, workspace in goes_on(players):
        (value,) = values(inputs_of(workspace)[None], seat, players)
        assert workspace.slopes[ws.BASE_VALUE] == pytest.approx(value, abs=CLOSE_VALUE)


def card_inputs(cards: Sequence[int], points: FloatArray, out: FloatArray) -> float:
    """Fill LAND and BEST of a seat; what its best pair scores. `points`: of each land card."""
    lands = [kind - FIRST_LAND for kind in cards if kind >= FIRST_LAND]
    for land in lands:
        out[int(f.LAND) + land] += points[land] / 8
    best = ([*sorted((points[land] for land in lands), reverse=True)] + [0.0] * f.TOP)[: f.TOP]
    out[int(f.BEST) : int(f.BEST) + f.TOP] = np.array(best) / 8
    return best[0] + best[1]


def with_points(
    state: State, workspace: PolicyWorkspace, players: int, points: FloatArray
) -> FloatArray:
    """Return the inputs if the land cards scored so much, all hands as they were dealt."""
    inputs = inputs_of(workspace)
    sums = np.zeros((players, SEAT_INPUTS))
    for hands in hands_dealt(workspace, players):
        then = finals(state, hands, points)
        for seat, cards in enumerate(hands):
            card_inputs(kinds(cards), points, row := np.zeros(SEAT_INPUTS))
            sums[seat] += row
        for seat in range(players):
            sums[seat, int(f.FINAL_INPUTS)] += then[seat] / 32
            margin = then[seat] - np.delete(then, seat).max()
            sums[seat, int(f.FINAL_INPUTS) + 1] += margin / 16
    seats = inputs[:BOARD].reshape(f.MAX_SEATS, SEAT_INPUTS)[:players]
    for number in CARD_INPUTS:
        seats[:, number] = sums[:, number] / ws.SAMPLES
    inputs[int(f.BOARD_VALUES) :][:LANDS] = points / 16
    return inputs


def points_of(workspace: PolicyWorkspace) -> FloatArray:
    """Return the points of each land card as the board stands."""
    every = np.asarray(workspace.after).view(np.uint8)
    return every[int(layout.VALUES_BYTE) + FIRST_LAND :][:LANDS].astype(np.float64)


def hands_dealt(workspace: PolicyWorkspace, players: int) -> list[list[int]]:
    """Return the hands of each sample, as sets of cards."""
    hands = np.asarray(workspace.hands).reshape(ws.SAMPLES, f.MAX_SEATS)
    return [list(map(int, row)) for row in hands[:, :players]]


def finals(state: State, hands: Sequence[int], points: FloatArray) -> FloatArray:
    """Return each seat's score with its two best land cards."""
    pairs = [card_inputs(kinds(cards), points, np.zeros(SEAT_INPUTS)) for cards in hands]
    return np.array(scores_in(state, len(hands))) + pairs


def has_one_rival(state: State, workspace: PolicyWorkspace, players: int) -> bool:
    """Return whether each seat has the same rival in all samples, as the slopes assume."""
    rivals = set()
    for hands in hands_dealt(workspace, players):
        for seat in range(players):
            others = finals(state, hands, points_of(workspace))
            others[seat] = -1
            rivals |= {(seat, other) for other in range(players) if others[other] == max(others)}
    return len(rivals) == players


def end_value(state: State, workspace: PolicyWorkspace, seat: int, points: FloatArray) -> float:
    """Return the value of the end of the game to a seat, the mean of the samples."""
    total, players = 0.0, byte_in(state, layout.PLAYERS)
    for hands in hands_dealt(workspace, players):
        then = finals(state, hands, points)
        margin = then[seat] - np.delete(then, seat).max()
        total += 1 / (1 + np.exp(-margin / ENDS_BY)) + POINT_VALUE * margin
    return float(total / ws.SAMPLES)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_point_of_a_card_is_worth_what_the_slope_says(players: int) -> None:
    """A little of a point more, since a whole one changes ranks and bends the net."""
    compared = 0
    for seat, state, workspace in goes_on(players):
        points = points_of(workspace)
        as_it_is = with_points(state, workspace, players, points)
        assert as_it_is == pytest.approx(inputs_of(workspace), abs=1e-6)
        if not has_one_rival(state, workspace, players):
            continue
        rows = [
            with_points(state, workspace, players, row) for row in points + STEP * np.eye(LANDS)
        ]
        value = values(np.array([as_it_is, *rows]), seat, players)
        slopes = np.asarray(workspace.slopes)[int(ws.LAND_SLOPE) :][:LANDS]
        assert slopes == pytest.approx((value[1:] - value[0]) / STEP, abs=CLOSE)
        compared += 1
    assert compared >= 5


@pytest.mark.parametrize("players", [2, 3, 4])
def test_towers_used_change_the_inputs_as_the_slopes_say(players: int) -> None:
    """By the slopes of the net: a step of a whole tower bends the net."""
    compared = 0
    for _, state, workspace in goes_on(players):
        towers = supply(state)
        inputs, slopes = inputs_of(workspace), np.zeros(INPUTS)
        list_slopes(players, learned_net(), np.asarray(workspace.back), slopes)
        for used in (1, 2):
            if towers <= used:
                continue
            later = fewer_towers(inputs, towers, used, players)
            change = slopes @ (later - inputs)
            assert workspace.slopes[int(ws.USED_SLOPE) + used] == pytest.approx(change, abs=CLOSE)
            compared += towers - used <= 8
        assert workspace.slopes[int(ws.USED_SLOPE)] == 0
    assert compared > 5


def supply(state: State) -> int:
    """Return the towers in supply, of all colors."""
    return sum(int(state[int(layout.TOWER_SUPPLY)]).to_bytes(8, "little"))


def fewer_towers(inputs: FloatArray, towers: int, used: int, players: int) -> FloatArray:
    """Return the inputs with fewer towers in supply, their colors apart."""
    later = inputs.copy()
    rest, left = towers - used, inputs[int(f.SUPPLY) + 2]
    later[int(f.SUPPLY)] = rest / TOWERS
    now = min(rest / TOWERS, inputs[int(f.SUPPLY) + 1])
    later[int(f.SUPPLY) + 2] = now
    later[int(f.LAST) : int(f.LAST) + 8] = [number == rest for number in range(1, 9)]
    for seat in range(players):
        held = slice(
            seat * SEAT_INPUTS + int(f.HELD_LEFT), seat * SEAT_INPUTS + int(f.HELD_LEFT) + KINDS
        )
        later[held] *= now / left
    return later


@pytest.mark.parametrize("players", [2, 3, 4])
def test_at_the_end_only_the_best_two_cards_count(players: int) -> None:
    """A point of a card then is a point of the margin, for each sample in which it counts."""
    ends = [decision for decision in decided(players) if is_last(decision[1])]
    assert ends
    for seat, state, workspace in ends:
        slopes, points = np.asarray(workspace.slopes), points_of(workspace)
        assert not slopes[int(ws.USED_SLOPE) : int(ws.BASE_VALUE)].any()
        value = end_value(state, workspace, seat, points)
        assert slopes[int(ws.BASE_VALUE)] == pytest.approx(value)
        if not has_one_rival(state, workspace, players):
            continue
        rows = points + STEP * np.eye(LANDS)
        changes = [(end_value(state, workspace, seat, row) - value) / STEP for row in rows]
        assert slopes[int(ws.LAND_SLOPE) :][:LANDS] == pytest.approx(changes, abs=CLOSE)
