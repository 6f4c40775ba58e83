"""Tokens, hosts, origins, and what a page may say."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from masons.gui import guard as guard_file
from masons.gui.guard import Guard, Pass, kept_guard, safe_headers
from masons.gui.hosted_game import HostedGame
from masons.gui.messages import (
    MAX_BYTES,
    MESSAGES,
    HostMessage,
    MakeMove,
    NewGame,
    StartSearch,
    parse_message,
)
from masons.gui.open_games import OpenGames
from masons.gui.study_session import StudySession
from masons.protocol.messages.error_codes import Refused
from tests.support.paths import PACKAGE


def test_a_token_lets_in_who_it_was_made_for() -> None:
    guard = Guard("127.0.0.1", 8417)
    host = guard.pass_of(guard.host_token)
    assert host is not None
    assert host.is_host
    token = guard.invite("a.jsonl", 1)
    other = guard.invite("b.jsonl", 1)
    assert guard.pass_of(token) == Pass(1, "a.jsonl")
    assert not Pass(1, "a.jsonl").is_host
    assert guard.invited("a.jsonl") == {1}
    second = guard.invite("a.jsonl", 1)
    assert guard.pass_of(token) is None
    assert guard.pass_of(second) == Pass(1, "a.jsonl")
    guard.withdraw("a.jsonl")
    assert guard.pass_of(second) is None
    assert guard.invited("a.jsonl") == frozenset()
    assert guard.pass_of(other) == Pass(1, "b.jsonl")
    assert guard.pass_of("") is None
    assert guard.pass_of("\xfc") is None
    assert len({Guard("127.0.0.1", 1).host_token for _ in range(50)}) == 50


def test_tokens_outlive_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For the user alone to read; what is damaged or open to others is as good as none."""
    monkeypatch.setattr(guard_file, "user_data_path", lambda *_, **__: tmp_path / "data")
    guard = kept_guard("127.0.0.1", 8417)
    token = guard.invite("a.jsonl", 1)
    again = kept_guard("127.0.0.1", 8417)
    assert again.host_token == guard.host_token
    assert again.pass_of(token) == Pass(1, "a.jsonl")
    assert kept_guard("127.0.0.1", 8418).host_token != guard.host_token
    again.withdraw("a.jsonl", 1)
    assert kept_guard("127.0.0.1", 8417).pass_of(token) is None
    path = guard_file.tokens_path(8417)
    assert sys.platform == "win32" or path.stat().st_mode & 0o777 == 0o600
    assert sys.platform == "win32" or path.parent.stat().st_mode & 0o777 == 0o700
    good = path.read_text()
    seat = {"token": guard.host_token, "seat": 9, "file": "x"}
    for spoiled in ("", "[]", good[:30], '{"host": "x", "seats": []}', "\x00", "[" * 10_000,
                    json.dumps({"host": guard.host_token, "seats": [seat]})):  # fmt: skip
        path.write_text(spoiled)
        assert kept_guard("127.0.0.1", 8417).host_token != guard.host_token
    path.write_text(good)
    assert kept_guard("127.0.0.1", 8417).host_token == guard.host_token
    if sys.platform != "win32":
        path.chmod(0o644)
        assert kept_guard("127.0.0.1", 8417).host_token != guard.host_token
        assert path.stat().st_mode & 0o777 == 0o600
    assert kept_guard("127.0.0.1", 8417, anew=True).host_token != guard.host_token


@pytest.mark.parametrize(
    ("host", "good", "bad"),
    [
        (
            "127.0.0.1",
            ["127.0.0.1:8417", "localhost:8417", "[::1]:8417", "LOCALHOST:8417"],
            ["127.0.0.1:80", "127.0.0.1", "evil.example:8417", "192.168.0.7:8417", "",
             "localhost.evil.example:8417", "localhost:84170000000", "localhost:٨٤١٧",
             "[::1%x; script-src *]:8417", "[::1%1]:8417", "127.0.0.1:8417 *", "[[::1]]:8417"],
        ),
        ("0.0.0.0", ["192.168.0.7:8417"], ["evil.example:8417"]),
        ("::", ["[2001:db8::1]:8417"], ["[fe80::1%x; script-src *]:8417"]),
        ("my.house", ["my.house:8417"], []),
    ],
)  # fmt: skip
def test_only_the_servers_own_names_are_known(host: str, good: list[str], bad: list[str]) -> None:
    guard = Guard(host, 8417)
    assert [name for name in (*good, *bad) if guard.knows_host(name)] == good


def test_only_own_pages_open_a_socket() -> None:
    origins = [
        "http://127.0.0.1:8417", "https://127.0.0.1:8417", "http://127.0.0.1:8418",
        "http://evil.example", "null", "",
    ]  # fmt: skip
    guard, host = Guard("127.0.0.1", 8417), "127.0.0.1:8417"
    known = [each for each in origins if guard.knows_origin({"host": host, "origin": each})]
    assert known == origins[:1]


def test_the_policy_lets_nothing_in_from_elsewhere() -> None:
    headers = safe_headers("127.0.0.1:8417")
    policy = headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert [word for word in policy.split() if "://" in word] == ["ws://127.0.0.1:8417;"]


def test_messages_are_read() -> None:
    assert parse_message('{"type":"move","move":"wall:57","at":3}') == MakeMove("wall:57", 3)
    assert parse_message('{"type": "go"}') == StartSearch()
    wish = parse_message(
        f'{SEATS}[{{"kind":"person"}},{{"kind":"engine","level":3,"seconds":1}}]}}'
    )
    assert isinstance(wish, NewGame)
    assert (wish.seats[1].level, wish.seats[1].seconds, wish.seed) == (3, 1.0, None)


SEATS = '{"type":"newgame","seats":'
TO_57 = '{"type":"move","move":"wall:57"'


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "one JSON object"),
        ("[1]", "one JSON object"),
        ("{", "one JSON object"),
        ('{"type":"go","type":"go"}', "one JSON object"),
        ('{"type":"go","sims":NaN}', "one JSON object"),
        ("[" * 100_000, "one JSON object"),
        ('"' + "x" * MAX_BYTES + '"', "bytes"),
        ("{}", "unknown: type is None"),
        ('{"type":["move"]}', "it is one of "),
        ('{"type":"fly"}', "unknown: type is 'fly'"),
        (TO_57 + "}", "move: object missing required field at"),
        (TO_57 + ',"at":true}', "move.at: expected int, got bool"),
        (TO_57 + ',"at":-1}', "move.at: expected int >= 0"),
        (TO_57 + ',"at":1,"me":1}', "move: object contains unknown field me"),
        ('{"type":"move","move":57,"at":1}', "move.move: expected str, got int"),
        ('{"type":"move","move":"\\ud800","at":1}', "half characters"),
        (SEATS + "[]}", "newgame.seats: expected array of length >= 2"),
        (SEATS + "[1,2]}", "newgame.seats[0]: expected object, got int"),
        (SEATS + '[{"kind":"dog"},{}]}', "newgame.seats[0].kind: invalid enum value 'dog'"),
        (SEATS + '[{"kind":"engine","level":11},1]}', "newgame.seats[0].level: expected int <= 10"),
        (SEATS + '[{"kind":"engine","seconds":1e9},1]}', "seats[0].seconds: expected float <= 600"),
    ],
)
def test_what_is_wrong_with_a_message_is_said_in_a_line(text: str, what: str) -> None:
    with pytest.raises(Refused) as refused:
        parse_message(text)
    is_unknown = "it is one of" in refused.value.text
    assert refused.value.code == ("unknown" if is_unknown else "syntax")
    assert what.removeprefix("unknown: ") in refused.value.text
    assert "\n" not in refused.value.text
    assert len(refused.value.text) < 400


HEARERS: dict[str, list[type]] = {
    "games": [OpenGames],
    "game": [HostedGame],
    "study": [StudySession],
    "game or study": [HostedGame, StudySession],
}


def test_each_message_has_a_method_and_guests_may_send_few() -> None:
    needed = {
        (hearer, f"hear_{name}")
        for name, kind in MESSAGES.items()
        for hearer in HEARERS[kind.heard_by]
    }
    methods = {
        (hearer, name)
        for (hearer,) in (HEARERS["games"], HEARERS["game"], HEARERS["study"])
        for name in vars(hearer)
        if name.startswith("hear_")
    }
    assert methods == needed
    assert {name for name, kind in MESSAGES.items() if not issubclass(kind, HostMessage)} == {
        "sit", "move", "roll", "card", "undo", "resign", "retry", "coach", "record", "games", "go",
        "after", "stop", "cards", "ping", "rematch", "ready",
    }  # fmt: skip


def test_the_page_the_server_and_the_docs_know_the_same_messages() -> None:
    tables = (
        (PACKAGE / "gui/messages.md").read_text(encoding="utf-8").partition("## From the page")[2]
    )
    documented = [
        {
            name
            for cell in re.findall(r"^\| (`.*?) \|", table, re.M)
            for name in cell[1:-1].split("`, `")
        }
        for table in re.split("## From the server|A `position` of a game", tables)[:2]
    ]
    assert documented[0] == set(MESSAGES)
    scripts = {
        path.name: path.read_text(encoding="utf-8")
        for path in (PACKAGE / "gui/static").glob("*.js")
    }
    text = "".join(scripts.values())
    assert set(re.findall(r'say\("(\w+)"', text)) <= set(MESSAGES)
    assert [name for name in MESSAGES if f'"{name}"' not in text] == []
    table = scripts["main.js"].partition("const hears = {")[2].partition("\n};")[0]
    assert set(re.findall(r"^  (\w+):", table, re.M)) == documented[1]
