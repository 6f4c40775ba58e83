"""What the README shows is what happens."""

import doctest
import re
import shlex

import pytest

from masons.cli.main import run
from tests.support.paths import ROOT

README = ROOT / "README.md"


@pytest.mark.slow
def test_the_python_example_runs():
    results = doctest.testfile(str(README), module_relative=False)
    assert results.attempted >= 6
    assert results.failed == 0


@pytest.mark.slow
def test_the_analysis_is_what_the_command_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(ROOT)
    text = README.read_text(encoding="utf-8")
    commands = re.findall(r"^    masons-engine (analyze .*)$", text, re.M)
    outputs = re.findall(r"^```text\n(.*?)^```$", text, re.M | re.S)
    for command, shown in zip(commands, outputs, strict=True):
        assert run(shlex.split(command)) == 0
        assert capsys.readouterr().out == shown
    (told,) = outputs
    assert "which was played" in told


def test_the_picture_is_what_the_program_draws(tmp_path):
    picture = tmp_path / "contested.svg"
    position = str(ROOT / "examples" / "contested.txt")
    options = ["--overlay", "analysis", "--rollouts", "6000"]
    assert run(["show", position, *options, "--svg", str(picture)]) == 0
    assert picture.read_bytes() == (ROOT / "docs" / "contested.svg").read_bytes()
