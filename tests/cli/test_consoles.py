"""Consoles and locales that know few letters: everything is said all the same."""

from __future__ import annotations

import os
import subprocess
from itertools import product
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from masons.cli.console import add_row, figures_table, hanging, indented, show
from tests.cli.conftest import MIDGAME
from tests.support.commands import PROGRAM, SECONDS
from tests.support.paths import DATA
from tests.support.thinned import thinned

RECORDS = str(DATA / "sample_records.jsonl")
# A console of Windows, one of its oldest, and systems that say nothing of their letters.
ENVIRONMENTS = {
    "cp1252": {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
    "cp437": {"PYTHONIOENCODING": "cp437", "PYTHONUTF8": "0"},
    "C": {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C", "LANG": "C"},
}
COMMANDS = {
    "help": ["--help"],
    "analyze": ["analyze", MIDGAME, "--sims", "200"],
    "tree": ["analyze", MIDGAME, "--sims", "200", "--policy", "busy"],
    "show": ["show", MIDGAME],
    "replay": ["replay", RECORDS],
    "belief": ["belief", MIDGAME],
    "check": ["board", "classic", "--check"],
    "rows": ["board", "classic", "--rows"],
}


def run(environment: str, *args: str, text: str = "") -> tuple[int, str, str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "PYTHONIO"))}
    done = subprocess.run(
        [*PROGRAM, *args],
        input=text.encode(), capture_output=True, timeout=SECONDS,
        env={**clean, **ENVIRONMENTS[environment]},
    )  # fmt: skip
    name = (
        "utf-8" if environment == "C" else environment
    )  # click takes ASCII for a system that says nothing, and writes UTF-8
    return done.returncode, done.stdout.decode(name), done.stderr.decode(name)


@pytest.mark.slow
@pytest.mark.parametrize(("command", "environment"), thinned(product(COMMANDS, ENVIRONMENTS), 7))
def test_commands_print_what_a_console_can_show(environment: str, command: str) -> None:
    code, out, err = run(environment, *COMMANDS[command])
    assert code == 0, err
    assert out
    assert "Traceback" not in err


@pytest.mark.slow
@pytest.mark.parametrize("environment", thinned(ENVIRONMENTS))
def test_a_game_and_its_page_with_names_of_other_letters(environment: str, tmp_path: Path) -> None:
    name = tmp_path / ("games.jsonl" if environment == "C" else "games \u00fc\u0142.jsonl")
    names = "Zoe,Lukasz" if environment == "C" else "Zo\u00eb,\u0141ukasz"
    code, out, err = run(
        environment, "play", "--names", names, "--level", "1", "--seed", "3",
        "--record", str(name), text="57\nhelp\nmoves\n",
    )  # fmt: skip
    assert (code, "Traceback" in err) == (0, False), err
    assert "turn 1" in out
    assert len(name.read_text(encoding="utf-8").splitlines()) == 2
    code, out, err = run(environment, "play", "--resume", str(name), text="board\n")
    assert (code, "Traceback" in err) == (0, False), err
    page = tmp_path / "page.html"
    code, _, err = run(environment, "show", f"{RECORDS}#1", "--html", str(page))
    assert (code, err) == (0, "")
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.slow
@pytest.mark.parametrize("environment", thinned(ENVIRONMENTS, 2))
def test_faults_are_said_in_a_line(environment: str) -> None:
    code, _, err = run(environment, "analyze", "no such \u0142 file")
    assert code == 1
    assert err.startswith("error: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("width", [14, 16, 21, 30, 32, 41, 43])
def test_a_number_stays_with_its_percent_sign(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    sentence = "The wall on line 57 wins in 39.5 ± 1.2 % instead of 64 % of the games."
    for texts in (indented(Text(sentence), 2), hanging(Text(f"a {sentence}"), 2)):
        show(texts)
        rows = capsys.readouterr().out.splitlines()
        assert " ".join(" ".join(rows).split()).removeprefix("a ") == sentence
        assert all(row.startswith("  ") for row in rows[1:])
        assert not any(row.lstrip().startswith("%") or row.endswith("±") for row in rows)
        assert max(map(len, rows)) <= width


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_a_table_of_figures_is_folded_and_never_cut(width: int) -> None:
    table = figures_table("engine", *"abcd")
    add_row(table, "default:sims=1", *(["100.0 [-115.8, 100.0]"] * 4))
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(table)
    rows = [line.rstrip() for line in capture.get().splitlines()]
    assert "\u2026" not in capture.get()
    assert max(map(len, rows)) <= width
    words = {"engine", *"abcd", "default:sims=1", "100.0", "[-115.8,", "100.0]"}
    assert {word for row in rows for word in row.split()} <= words  # no word is broken
    assert "".join(capture.get().split()).count("]") == 4
    if width >= 80:
        assert len(rows) == (2 if width >= 110 else 3)
        assert capture.get().count("[-115.8, 100.0]") == 4
