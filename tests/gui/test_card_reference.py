"""The card reference: its counts give the engine's points, and hold no hidden card."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

from masons.engine.board.components import CARDS
from masons.engine.game.game import Game
from masons.engine.state.packed_move import WALL
from masons.gui.card_reference import card_sheet
from masons.words.scored_view import ScoredView
from tests.support.gui_pages import ENGINE, PERSON, Page, played_of

SIZES = {"city-size-1": 6, "city-size-2": 7, "city-size-3": 8, "city-size-7": 9}


def points_of(card: str, counts: list[Any]) -> int:
    """Return what the rules give for the things counted."""
    numbers = [number for _, number in counts]
    if card in SIZES:
        size = int(card[-1])
        return SIZES[card] * (numbers[0] == size or (size == 7 and numbers[0] > 7))
    if card == "city-colors":
        return 0 if numbers[0] < 2 else 4 if numbers[0] < 4 else 7
    if len(counts) == 2:
        return 3 * numbers[0] + numbers[1]
    return sum(numbers) * (2 if "towers-" in card or card == "land-shore" else 1)


def test_counts_give_the_points_of_the_engine() -> None:
    chance, cities = random.Random(7), 0
    for seed in range(4):
        game = Game(players=2, seed=seed)
        while not game.is_over:
            moves, scored = game.legal_moves(), ScoredView(game.table, game.position)
            closing = [m for m in moves if m.kind == WALL and scored.closed_city(m.place)[0]]
            game.apply(chance.choice(closing or moves))
            if chance.random() < 0.2:
                roots = [min(city) for city in game.position.cities]
                for city in [*roots, None]:
                    sheet = card_sheet(ScoredView(game.table, game.position), city)
                    cities += city is not None
                    for entry in sheet["cards"]:
                        worth = points_of(entry["card"], entry["counts"])
                        assert worth == entry["points"], (entry, game.text)
    assert cities > 20


async def test_the_reference_knows_no_hidden_card(page: Page) -> None:
    """Hidden hands and the deck dealt anew leave it as it is."""
    page.say("newgame", seats=[PERSON, ENGINE], seed=3)
    page.say("cards")
    sheet = page.last("cards")
    assert [entry["card"] for entry in sheet["cards"]] == list(CARDS)
    game = played_of(page).game
    position = game.view(0)
    for seed in range(5):
        unseen = list(position.unseen)
        random.Random(seed).shuffle(unseen)
        hands = (position.hands[0], tuple(sorted(unseen[:6])))
        dealt = ScoredView(game.table, replace(position, hands=hands))
        assert json.loads(json.dumps(card_sheet(dealt, None))) == sheet
