"""The example engine, which shares no code with the project: its moves are the project's."""

from __future__ import annotations

import ast
import random
import sys

import pytest

from masons.engine.board.components import CARDS
from masons.engine.formats.position_text import format_position
from masons.engine.game.game import Game
from masons.engine.state.packed_move import ABSTAIN
from masons.protocol.client.engine_client import Engine, Limits, Timeouts
from masons.protocol.messages.error_codes import ProtocolFault
from tests.support.paths import EXAMPLES
from tests.support.playing import pick

PLAYER = EXAMPLES / "plain_random.py"
COMMAND = [sys.executable, str(PLAYER)]
PATIENT = Timeouts(handshake=60, ready=60, reply=60, grace=60, search=60, quit=60)


def test_it_uses_the_standard_library_only() -> None:
    names = {
        name
        for node in ast.walk(ast.parse(PLAYER.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else
                     [alias.name for alias in node.names])
    }  # fmt: skip
    assert {str(name).split(".")[0] for name in names} <= sys.stdlib_module_names


def large_hand() -> tuple[str, list[str]]:
    """A swap of a seat that has abstained until its hand has fourteen kinds; and its cards."""
    for seed in range(50):
        game, chance = Game(2, seed=seed), random.Random(seed)
        while not game.is_over:
            hand = game.position.hands[0]
            assert not isinstance(hand, int)
            cards = [CARDS[kind] for kind in sorted(set(hand))]
            large = len(cards) >= 14 and "cities" not in cards
            if game.phase == "swap" and game.seat == 0 and large:
                return format_position(game.view(0), game.board), cards
            abstains = [move for move in game.legal_moves() if move.kind == ABSTAIN]
            game.apply(
                chance.choice(abstains) if abstains and game.seat == 0 else pick(game, chance)
            )
    raise AssertionError("no hand grew so large")


@pytest.mark.slow
def test_swaps_too_many_to_list_are_swapped_all_the_same() -> None:
    """A hand of fourteen kinds has 16,384 parts."""
    position, cards = large_hand()
    with Engine(COMMAND, timeouts=PATIENT) as engine:
        engine.new_game(2, 0)
        engine.position(position)
        with pytest.raises(ProtocolFault, match="too many"):
            engine.query("legal")
        for seed in range(20):
            word, _, names = engine.go(Limits(seed=seed)).move.partition(":")
            assert word == "swap"
            assert names == "none" or set(names.split("+")) <= set(cards)
        some = [f"swap:{cards[3]}+{cards[1]}", "swap:none"]
        assert engine.go(moves=some, avoid=some[1:]).move == f"swap:{cards[1]}+{cards[3]}"
        for bad in ("swap:cities", "wall:3"):
            with pytest.raises(ProtocolFault, match="legal moves"):
                engine.go(avoid=[bad])
