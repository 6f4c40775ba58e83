"""The example engine, which shares no code with the project: its moves are the project's."""

from __future__ import annotations

import ast
import random
import sys
from collections import Counter

import pytest

from masons.engine.board.components import CARDS
from masons.engine.formats.position_text import format_position
from masons.engine.game.game import Game
from masons.engine.state.packed_move import ABSTAIN
from masons.protocol.client.engine_client import Engine, Limits, Timeouts
from masons.protocol.messages.error_codes import ProtocolFault
from tests.support.paths import EXAMPLES
from tests.support.playing import BOARDS, board_of, pick
from tests.support.thinned import thinned

PLAYER = EXAMPLES / "plain_random.py"
COMMAND = [sys.executable, str(PLAYER)]
PATIENT = Timeouts(handshake=60, ready=60, reply=60, grace=60, search=60, quit=60)
MOST = 10_000  # moves that `query legal` lists


def test_it_uses_the_standard_library_only() -> None:
    names = {
        name
        for node in ast.walk(ast.parse(PLAYER.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else
                     [alias.name for alias in node.names])
    }  # fmt: skip
    assert {str(name).split(".")[0] for name in names} <= sys.stdlib_module_names


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "board", "early_roll", "seed"),
    thinned(
        [(3, "classic", True, 0), (2, "classic", False, 0), (4, "classic", False, 2),
         (2, "hexagon-24", True, 1), (3, "ring-128", False, 1), (4, "triangle-36", False, 1)],
        2,
    ),
)  # fmt: skip
def test_its_legal_moves_are_the_games(
    players: int, board: str, early_roll: bool, seed: int
) -> None:
    chance = random.Random(players)
    phases: Counter[str] = Counter()
    with Engine(COMMAND, timeouts=PATIENT) as engine:
        game = Game(players, board=board_of(board), seed=seed, early_roll=early_roll)
        path = "classic" if board == "classic" else BOARDS / f"{board}.json"
        seat = -1
        while not game.is_over:
            if seat != game.seat:
                seat = game.seat
                engine.new_game(players, seat, path, early_roll)
            engine.position(format_position(game.view(game.seat), game.board))
            legal = [str(move) for move in game.legal_moves()]
            if len(legal) <= MOST:
                answer = engine.query("legal").split()
                assert len(answer) == len(legal)
                assert set(answer) == set(legal), game.text
            else:
                with pytest.raises(ProtocolFault, match="too many"):
                    engine.query("legal")
            assert engine.go().move in legal
            phases[game.phase] += 1
            game.apply(pick(game, chance))
        engine.position(format_position(game.view(seat), game.board))
        assert engine.query("legal") == ""
        result = game.result
        assert result is not None
        assert engine.query("result") == (
            f"scores {','.join(map(str, result.scores))} "
            f"winners {','.join(map(str, result.winners))} end {result.end}"
        )
    assert phases["wall"] > 0
    if board == "classic":
        assert {"wall", "towers", "houses", "merge", "swap", "final"} <= set(phases)


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
