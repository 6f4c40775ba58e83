"""What is known to cost something is not left to the noise of a small search."""

from __future__ import annotations

import pytest

from masons.ai.halving.halving_search import HalvingSearch, final_gains
from masons.ai.players.named_players import make_player
from masons.ai.search.limits import Limits
from masons.ai.session import Session, analyse
from masons.engine.formats.move_text import Move, parse_move
from masons.engine.game.game import Game
from masons.engine.state.packed_move import EARLY_ROLL


def early_rolls(games: int, limits: Limits) -> tuple[int, int]:
    """How often the default player rolls early, and how often it could have."""
    early = could = 0
    for seed in range(games):
        game, quick = Game(seed=seed, early_roll=True), make_player("greedy", seed)
        session = Session(game.table, seed=seed)
        while not game.is_over:
            if game.phase == "wall":
                session.search(game.observe(game.seat), limits=limits)
                could += parse_move("early-roll") in game.legal_moves()
                early += session.best.kind == EARLY_ROLL
                game.apply(session.best)
            else:
                game.apply(quick.choose(game.table, game.observe(game.seat), game.legal_moves()))
    return early, could


def test_no_early_roll_without_evidence() -> None:
    early, could = early_rolls(2, Limits(sims=150))
    assert could > 40
    assert early == 0


@pytest.mark.slow
def test_nor_in_a_millisecond() -> None:
    early, could = early_rolls(3, Limits(movetime_ms=1))
    assert could > 60
    assert early <= could // 50


def test_an_early_roll_that_is_better_beyond_doubt_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not a ban: the evidence decides."""
    game = Game(seed=1, early_roll=True)
    moves = [parse_move("early-roll"), parse_move("wall:3")]
    search = HalvingSearch(game.table, game.observe(0), moves, seed=1)
    search.run(400)
    sums = search._sums()
    values = search._values(sums)
    for first, second, best in ((0.9, 0.1, moves[0]), (0.12, 0.1, moves[1]), (0.1, 0.9, moves[1])):
        shifted = values * 0 + (first, second)
        monkeypatch.setattr(search, "_values", lambda _, values=shifted: values)
        same = sums.copy()
        same[:, 0] = 200
        monkeypatch.setattr(search, "_sums", lambda sums=same: sums)
        assert search.best == best


def last_scoring(seed: int) -> Game:
    game, player = Game(seed=seed), make_player("busy", seed)
    while game.phase != "final":
        if game.is_over:
            return last_scoring(seed + 1000)
        game.apply(player.choose(game.table, game.observe(game.seat), game.legal_moves()))
    return game


def points_of(game: Game, move: Move) -> tuple[int, int]:
    gains = final_gains(game.table, game.observe(game.seat), [move])
    assert gains is not None
    return gains[0]


@pytest.mark.slow
@pytest.mark.parametrize("sims", [1, 10, 60])
def test_the_final_scoring_takes_what_gives_most(sims: int) -> None:
    for seed in range(10):
        game = last_scoring(seed)
        most = max(points_of(game, move) for move in game.legal_moves())
        found = analyse(game.table, game.observe(game.seat), sims=sims, seed=seed)
        assert points_of(game, found.best) == most
        assert found.moves[0].move == found.best
