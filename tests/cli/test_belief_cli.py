"""`belief`: the figures are those of the hypergeometric distribution, from one seat's view."""

from __future__ import annotations

import json
from math import comb
from typing import Any

import pytest

from masons.ai.beliefs.hand_estimates import estimate_hands
from masons.engine.board.components import CARDS
from masons.engine.formats.position_text import format_position, parse_position
from masons.engine.game.record import read_record
from masons.engine.game.replay import replay_to
from tests.cli.conftest import GAMES, MIDGAME
from tests.support.commands import called, told

SCORING = (
    "masons1 board=classic players=2 turn=4 active=0 phase=score city=89 scores=0,0 "
    "hands=city-size-7+city-green+city-green+land-towers+land-shore+cities/"
    "city-size-2+city-rose+land-rose+land-blue+land-walls+land-walls "
    "walls=36,126,138,140,141 towers=white:12,46,58;gray:51;black:20,47,50 "
    "houses=red:23,89;yellow:68,89;green:22,90;blue:76,81,88,89"
)


def figures(*arguments: str) -> dict[str, Any]:
    return dict(json.loads(told("belief", *arguments, "--json")))


def test_expected_copies_and_probabilities() -> None:
    shown = figures(SCORING)
    assert shown["seat"] == 0
    (other,) = shown["seats"]
    assert (other["seat"], other["cards"], other["hidden"]) == (1, 6, True)
    held = {card["card"]: card for card in other["holds"]}
    # 54 cards are unseen: both copies of land-red, one of cities, none of city-green.
    assert held["land-red"]["expected"] == round(6 * 2 / 54, 6)
    assert held["land-red"]["probability"] == round(1 - comb(52, 6) / comb(54, 6), 6)
    assert held["cities"]["probability"] == round(6 / 54, 6)
    assert "city-green" not in held
    assert sum(card["expected"] for card in other["holds"]) == pytest.approx(6, abs=1e-4)


def test_points_now_and_at_the_end() -> None:
    scoring = figures(SCORING)["seats"][0]["holds"]
    held = {card["card"]: card for card in scoring}
    # The city has one space, a red house, a yellow one and a blue one.
    assert (held["city-size-1"]["now"], held["city-size-1"]["last"]) == (6, 6)
    assert (held["city-red"]["now"], held["city-blue"]["now"]) == (1, 1)
    assert (held["cities"]["now"], held["land-red"]["now"]) == (1, 1)
    wall = SCORING.replace("phase=score city=89", "phase=wall").replace("turn=4", "turn=5")
    wall += " discard=land-green+land-yellow"
    held = {c["card"]: c for c in figures(wall)["seats"][0]["holds"]}
    assert (held["city-size-1"]["now"], held["city-size-1"]["last"]) == (0, 6)
    assert [c["card"] for c in scoring] != []
    assert [c["now"] for c in scoring] == sorted((c["now"] for c in scoring), reverse=True)


def test_what_others_hold_does_not_matter() -> None:
    board, position = parse_position(SCORING)
    hidden = format_position(position.observed_by(0), board)
    assert "/?6" in hidden
    assert called("belief", SCORING) == called("belief", hidden)
    assert "Land walls" in called("belief", SCORING)[1]


def test_from_another_seat() -> None:
    shown = figures(SCORING, "--seat", "1")
    (other,) = shown["seats"]
    assert (shown["seat"], other["seat"], other["cards"]) == (1, 0, 6)
    assert "land-walls" not in {card["card"] for card in other["holds"]}
    code, out, _ = called("belief", MIDGAME)
    assert code == 0
    assert "the other hands, as seat 1 can estimate them" in out


@pytest.mark.slow
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_of_a_record_hands_are_predicted_from_earlier_choices(seat: int | None) -> None:
    game = replay_to(read_record(GAMES), 58)
    viewer = game.seat if seat is None else seat
    option = () if seat is None else ("--seat", str(seat))
    (other,) = figures(f"{GAMES}@58", *option)["seats"]
    estimates = estimate_hands(game.table, game.observe(viewer))[other["seat"]]
    assert other["seat"] == 1 - viewer
    shown = {CARDS.index(card["card"]): card["guess"] for card in other["holds"]}
    assert {kind: guess for kind, guess in shown.items() if guess} == estimates
    assert "predicted" in called("belief", f"{GAMES}@58", *option)[1]
    lone = figures(game.text, *option)["seats"][0]["holds"]
    assert {card["guess"] for card in lone} == {None}
    assert "predicted" not in called("belief", game.text, *option)[1]
