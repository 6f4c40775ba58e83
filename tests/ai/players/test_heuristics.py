"""The heuristics against a slow version in plain Python."""

from __future__ import annotations

import random

from masons.ai.models.model_data import heuristic_weights
from masons.ai.players.named_players import make_player
from masons.ai.policies import heuristic_moves as of
from masons.engine.board.components import CARDS, FIRST_LAND
from masons.engine.formats.move_text import Move, parse_move
from masons.engine.game.game import Game
from masons.engine.state import layout
from masons.engine.state.position import byte_in, kinds
from tests.support.playing import new_game, steps


def plain_scoring(game: Game) -> Move:
    """Return the best of one card, two cards and abstaining (see `heuristic_moves`)."""
    state = game.state
    towers = 30 - len(game.position.towers)
    left = min(10 * byte_in(state, layout.WALL_LEFT), 11 * towers)
    stage = 0 if left > 220 else 1 if left > 110 else 2
    weights = heuristic_weights()[stage * of.PER_STAGE :]
    points = game.table.card_points(state, game.position.city)
    is_last = byte_in(state, layout.END) != 0
    another = 0.0 if is_last else weights[int(of.CARD)]

    def kept(kind: int) -> float:
        if is_last:
            return 0.0
        if kind < FIRST_LAND:
            return float(weights[int(of.CITY_KEPT)])
        return float(weights[int(of.LAND_BASE)] + weights[int(of.LAND_KEPT)] * points[kind])

    hand = kinds(int(state[int(layout.HANDS) + game.seat]))
    worst = min(hand, key=kept)
    nets = {kind: points[kind] - kept(kind) for kind in hand}
    best, *others = sorted(hand, key=lambda kind: -nets[kind])
    ways = [("play", [best], nets[best]), ("abstain", [worst], another - kept(worst))]
    if others:
        both = sorted([best, others[0]])
        ways.append(("play", both, nets[best] + nets[others[0]] - another))
    verb, cards, _ = max(ways, key=lambda way: way[2])
    return parse_move(f"{verb}:{'+'.join(CARDS[kind] for kind in cards)}")


def test_scorings_are_those_of_plain_python() -> None:
    player, seen = make_player("heuristic", 1), set()
    for seed in range(6):
        game = new_game(2 + seed % 3, seed)
        for _ in steps(game, random.Random(seed)):
            if game.phase == "score":
                move = player.choose(game.table, game.observe(game.seat), game.legal_moves())
                assert move == plain_scoring(game), game.text
                seen.add((str(move).partition(":")[0], len(move.cards)))
    assert seen == {("play", 1), ("play", 2), ("abstain", 1)}
