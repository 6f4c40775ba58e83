"""The compliance test: it passes engines that keep to the protocol, and catches the others."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys

import pytest

from masons.cli.main import run
from masons.protocol.client.client_arguments import Timeouts
from masons.protocol.compliance.sessions import (
    FAIL,
    NOT_OFFERED,
    PASS,
    STEPS,
    Step,
    try_engine,
)
from tests.support.paths import EXAMPLES, SUPPORT
from tests.support.thinned import thinned

PLAIN = [sys.executable, str(EXAMPLES / "plain_random.py")]
WAYWARD = [sys.executable, str(SUPPORT / "wayward_engine.py")]
FAKE = [sys.executable, "-S", str(SUPPORT / "fake_engine.py")]
PATIENT = Timeouts(handshake=60, ready=60, reply=60, grace=60, search=60)
BRIEF = Timeouts(handshake=0.5, ready=0.5, reply=0.5, grace=0.5, search=0.5)
# What needs a game followed, a thinking engine, or a picture.
OPTIONAL = {"events", "bad events", "query view", "query svg", "eval", "belief", "perft", "bench"}
CONTROL = "decide: score"


def verdicts(command: list[str], names: set[str], timeouts: Timeouts = PATIENT) -> dict[str, str]:
    steps = [step for step in STEPS if step.name in names]
    assert len(steps) == len(names)
    return {outcome.name: outcome.verdict for outcome in try_engine(command, steps, timeouts)}


@pytest.mark.slow
def test_an_engine_in_plain_python_complies(capsys: pytest.CaptureFixture[str]) -> None:
    assert len({step.name for step in STEPS}) == len(STEPS)
    code = run(["compliance", "--json", "--", *PLAIN])
    outcomes = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [outcome["name"] for outcome in outcomes] == [step.name for step in STEPS]
    assert {outcome["name"]: outcome for outcome in outcomes if outcome["verdict"] == FAIL} == {}
    assert {
        outcome["name"] for outcome in outcomes if outcome["verdict"] == NOT_OFFERED
    } == OPTIONAL
    assert code == 0


@pytest.mark.slow
@pytest.mark.parametrize("player", thinned(["default", "greedy", "ismcts"]))
def test_our_engine_complies(player: str) -> None:
    command = [sys.executable, "-m", "masons.cli", "protocol", "--player", player]
    outcomes = verdicts(command, {step.name for step in STEPS} - {"bench"})
    assert set(outcomes.values()) == {PASS}, outcomes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "caught"),
    [
        ("error-without-id", {"nothing to search", "bad go"}),
        ("one-name", {"other names of moves", "query legal by name"}),
        ("no-id", {"id", "decide: wall", "a game of 2"}),
        ("no-end", {"after a game"}),
        *thinned([
            ("chatty", {"decide: wall"}), ("wrong-rank", {"infos"}),
            ("dies-of-bytes", {"bad bytes", "long lines"}), ("version", {"handshake"}),
            ("bad-option", {"handshake", "option defaults"}), ("bad-info", {"infos"}),
            ("one-code", {"unknown command", "nothing to search", "unknown query"}),
            ("silent", {"unknown command", "bad option", "bad positions", "bad games", "bad go"}),
            ("phases", {"query others"}), ("winners", {"query result"}),
            ("no-tabs", {"lenient reading"}), ("no-comments", {"lenient reading"}),
            ("any-stop", {"stale stop"}), ("impatient", {"stop", "busy", "isready in a search"}),
            ("all-moves", {"moves and avoid"}), ("no-seeds", {"seeds"}),
            ("any-seat", {"nothing to search"}), ("any-space", {"other white space"}),
            ("any-option", {"bad option"}), ("forgets", {"bad positions", "bad games"}),
            ("not-busy", {"busy"}), ("slow", {"clock"}), ("late", {"movetime"}),
            ("one-missing", {"query legal"}),
            ("illegal", {"decide: wall", "a game of 2", "query legal"}),
            ("crash", {"decide: swap"}), ("deaf", {"quit", "end in a search"}),
        ], 4),
    ],
)  # fmt: skip
def test_faults_are_caught_and_the_rest_goes_on(fault: str, caught: set[str]) -> None:
    # These two show as an answer that does not come; under two others no decision passes.
    hushed = fault in ("silent", "no-tabs")
    control = set() if hushed or fault in ("chatty", "bad-info", "no-id") else {CONTROL}
    outcomes = verdicts([*WAYWARD, fault], caught | control, BRIEF if hushed else PATIENT)
    assert {name for name, verdict in outcomes.items() if verdict == FAIL} == caught
    assert all(outcomes[name] == PASS for name in control)


@pytest.mark.parametrize(
    ("fault", "step", "words"),
    [
        ("any-stop-slowly", "stale stop", "'stop old' was answered by 'bestmove "),
        ("impatient-slowly", "stop", "'go id s1 infinite' was answered by 'bestmove "),
        ("twice", "decide: wall", "a second bestmove: 'bestmove "),
        ("no-move", "decide: wall", "'bestmove resign id d1': "),
        ("no-move", "a game of 2", "'bestmove resign': "),
        ("late-info", "infos", "an info about the search after its bestmove"),
        ("any-seat", "nothing to search", "'go id other sims 1' was answered by 'bestmove "),
        ("any-space", "other white space", r"'newgame\xa0players 2 seat 0"),
        ("bare-word", "infos", r"'info time 2 foo sims 1 move wall:0': foo is unknown, "),
        (
            "one-code", "unknown query",
            "'query weather' was answered by 'error internal something went wrong': "
            "the code must be unknown",
        ),
        (
            "error-without-id", "bad go",
            "'go id q sims' was answered by 'error syntax sims needs one value': the id is "
            "missing",
        ),
        ("no-id", "decide: wall", "'go id d1 sims 1' was answered by 'bestmove "),
        ("no-id", "a game of 2", "'bestmove wall:"),
        ("bad-win", "infos", "win 1.5,-0.5: not from 0 to 1"),
    ],
)  # fmt: skip
def test_a_fault_is_named(
    fault: str, step: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compliance", "--only", step, "--", *WAYWARD, fault]) == 1
    failed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("fail ")]
    assert [line for line in failed if line.startswith(f"fail         {step}: {words}")], failed


def test_a_late_answer_is_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    """Where no match would be lost by it."""
    assert run(["compliance", "--only", "stop by id", "--", *WAYWARD, "stops-late"]) == 0
    verdict, warning, counts = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"pass         stop by id: \d+ ms \(50 allowed\)", verdict)
    assert re.fullmatch(r"warning      stop by id: \d+ ms late", warning)
    assert counts == "1 pass, 0 fail, 0 not offered, 1 warning"


def test_a_failure_is_told_in_words_that_a_person_knows() -> None:
    step = Step("a step", "", "", ("at wall", "> isready", "< bestmove {legal} || readyok *"))
    (outcome,) = try_engine(PLAIN, [step], PATIENT)
    assert outcome.came == "'isready' was answered by 'readyok', not bestmove MOVE or readyok …"


@pytest.mark.slow
def test_an_engine_that_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(verdicts([*FAKE, "mute"], {"handshake", "ready", CONTROL}, BRIEF).values()) == {FAIL}
    assert run(["compliance", "--only", "ready", " ".join([*FAKE, "exit-at-once"])]) == 1
    out = capsys.readouterr().out
    assert "fail         ready: the process ended (exit code 1; it said: no such weights)" in out
    assert out.endswith("0 pass, 2 fail, 0 not offered\n")


def test_a_run_ends_with_its_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run(["compliance", "--limit", "300ms", "--only", "ready", " ".join([*FAKE, "mute"])]) == 1
    )
    first, second, counts = capsys.readouterr().out.splitlines()
    assert first.startswith("not run      ready: no answer to mei in time: ")
    assert first.endswith("when the time of the whole run was over")
    assert second == "not run      isready in a search"
    assert counts == "0 pass, 0 fail, 0 not offered, 2 not run"


@pytest.mark.slow
def test_ctrl_c_shows_what_was_found() -> None:
    command = [sys.executable, "-m", "masons.cli", "compliance", *WAYWARD, "deaf"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"pass         handshake")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.splitlines()[-1].endswith(b" fail, 0 not offered")
    assert err.startswith(b"interrupted after ")


@pytest.mark.slow
def test_an_engine_that_never_gets_ready_is_given_up() -> None:
    patience = Timeouts(handshake=60, ready=60, silence=0.2)
    came = {
        outcome.name: outcome.came
        for outcome in try_engine([*FAKE, "never-ready"], STEPS, patience)
    }
    assert came["ready"] == "no answer to isready in time: nothing for 0.2 s"
    assert came["decide: wall"] == "not tried: 3 processes in a row did not get ready"


@pytest.mark.parametrize(
    "arguments", [[], [""], ["'open"], ["--only", "no such step", "x"], ["nocommand", "--x"]]
)
def test_bad_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compliance", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1
