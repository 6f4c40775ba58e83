"""Named players under a limit that is set from outside for each decision."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from masons.ai.players.named_players import make_player
from masons.ai.players.player_names import PLAYERS, SEARCHERS
from masons.ai.search.limits import Limits
from masons.ai.session import Session
from masons.engine.game.game import Game


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int | None, float | None]]:
    """The limits of each search made."""
    made: list[tuple[int | None, float | None]] = []
    plain: Callable[..., bool] = Session.search

    def search(self: Session, *args: object, **words: object) -> bool:
        limits = words["limits"]
        assert isinstance(limits, Limits)
        made.append((limits.sims, limits.movetime_ms))
        return plain(self, *args, **words)

    monkeypatch.setattr(Session, "search", search)
    return made


@pytest.mark.parametrize(
    ("spec", "limit", "within"),
    [("ismcts", None, (1000, None)), ("ismcts", Limits(sims=30), (30, None)),
     ("ismcts:policy=greedy", Limits(40, 5000), (40, 5000)),
     ("ismcts", Limits(movetime_ms=10), (None, 10)),
     ("ismcts:sims=20", Limits(30), (20, None)), ("ismcts:ms=10", Limits(30), (None, 10)),
     ("ismcts:ms=9000,sims=20", Limits(30), (20, 9000))],
)  # fmt: skip
def test_whose_limit_holds(searches, spec, limit, within):
    game, player = Game(2, seed=1), make_player(spec, 1)
    assert player.takes_limit == (spec in ("ismcts", "ismcts:policy=greedy"))
    moves = game.legal_moves()
    assert player.choose(game.table, game.observe(0), moves, limit) in moves
    assert searches == [within]


@pytest.mark.parametrize("spec", ["random", "busy", "greedy"])
def test_other_players_ignore_it(spec):
    game = Game(2, seed=1)
    moves = game.legal_moves()
    player, twin = make_player(spec, 5), make_player(spec, 5)
    assert not player.takes_limit
    for _ in range(20):
        free = player.choose(game.table, game.observe(0), moves)
        assert free == twin.choose(game.table, game.observe(0), moves, Limits(sims=1))


def test_a_limit_may_change_between_decisions(searches):
    game, player = Game(2, seed=1), make_player("ismcts:policy=uniform", 1)
    for sims in (50, 10, 80):
        while len(moves := game.legal_moves()) == 1:
            game.apply(moves[0])
        game.apply(player.choose(game.table, game.observe(game.seat), moves, Limits(sims)))
    assert [sims for sims, _ in searches] == [50, 10, 80]


def test_every_named_player_can_be_asked(searches):
    for spec in PLAYERS:
        assert make_player(spec, 0).takes_limit == (spec in SEARCHERS)
    assert not searches
