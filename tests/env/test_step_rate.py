"""`bench --env`: the figures that it prints."""

from __future__ import annotations

import json

import pytest

from masons.cli.main import run
from masons.env import step_rate


def test_the_rate_of_steps(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_rate, "_STEPS", 20)
    for threads in ("1", "2"):
        assert run(["bench", "--env", "--envs", "8", "--threads", threads, "--json"]) == 0
        said = json.loads(capsys.readouterr().out)
        assert (said["envs"], said["threads"], said["players"]) == (8, int(threads), 2)
        least, most = said["spread"]["env_steps_per_s"]
        assert 0 < least <= said["env_steps_per_s"] <= most
    assert run(["bench", "--env", "--envs", "8"]) == 0
    assert "env_steps_per_s" in capsys.readouterr().out
    assert run(["bench", "--env", "--envs", "0"]) == 2
