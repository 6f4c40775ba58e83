"""`bench --env`: the figures that it prints."""

from __future__ import annotations

import json

import pytest

from masons.cli.main import run
from masons.env import step_rate


def test_the_rate_of_steps(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"_STEPS": 20, "_WARM_STEPS": 2, "_SHORT_PASSES": 3}.items():
        monkeypatch.setattr(step_rate, name, value)
    for threads in ("1", "2"):
        assert run(["bench", "--env", "--envs", "40", "--threads", threads, "--json"]) == 0
        said = json.loads(capsys.readouterr().out)
        assert (said["envs"], said["threads"], said["players"]) == (40, int(threads), 2)
        least, most = said["spread"]["env_steps_per_s"]
        assert 0 < least <= said["env_steps_per_s"] <= most
        gains = [said[name] for name in said if name.startswith("threads_gain_")]
        assert (len(gains), min(gains, default=1) > 0) == (2 * (threads == "2"), True)
    assert run(["bench", "--env", "--envs", "8"]) == 0
    assert "env_steps_per_s" in capsys.readouterr().out
    assert run(["bench", "--env", "--envs", "0"]) == 2
