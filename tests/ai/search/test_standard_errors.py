"""Standard errors: unknown ones are not reported as 0."""

from __future__ import annotations

import json
import math

import pytest

import masons
from masons.ai.search.results import standard_error
from masons.ai.search.search_options import METHODS
from masons.cli.main import run
from masons.engine.plain_text import spread
from tests.support.paths import ROOT

MIDGAME = str(ROOT / "examples" / "midgame.txt")


def test_a_few_results_that_are_alike_are_not_certain() -> None:
    assert standard_error(1, 0.5, 0.25) is None
    few, more, many = (standard_error(n, 1.0, 1.0) for n in (2, 10, 10**6))
    assert few is not None
    assert more is not None
    assert many is not None
    assert 0.1 < few <= 0.5 / math.sqrt(2)
    assert 0.02 < more < 0.05
    assert 0 < many < 1e-6


def test_many_results_have_the_error_that_they_always_had() -> None:
    # 1,000 results of variance 0.09
    assert standard_error(1000, 0.5, 0.34) == pytest.approx(0.3 / math.sqrt(1000), rel=1e-3)


def test_in_words() -> None:
    assert [spread(error) for error in (None, 1e-9, 0.0004, 0.0005, 0.0123)] == [
        "± ?", "± <0.1", "± <0.1", "± 0.1", "± 1.2",
    ]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_nobody_knows_how_far_a_search_alone_is_off(method: str) -> None:
    game = masons.Game(seed=1)
    options = masons.SearchOptions(method)
    analysis = masons.analyze(game.table, game.observe(0), sims=3000, options=options)
    assert analysis.rollouts == 0
    assert len(analysis.moves) > 2
    for stats in analysis.moves:
        assert stats.win is not None
        assert stats.games == 0
        assert not stats.is_equal
        for name in ("interval", "loss", "loss_interval", "margin_interval"):
            assert getattr(stats, name) is None


def test_analyze_says_what_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    run(["analyze", MIDGAME, "--sims", "300"])
    printed = capsys.readouterr().out
    assert "±" not in printed
    assert "of unknown accuracy" in printed
    run(["analyze", MIDGAME, "--sims", "300", "--json"])
    printed_data = json.loads(capsys.readouterr().out)
    assert printed_data["rollouts"] == 0
    assert printed_data["moves"][0]["win"] is not None
    assert printed_data["moves"][0]["interval"] is None
