"""Tokens, hosts, origins, and what a page may say."""

from __future__ import annotations

import pytest

from masons.gui.pages.client_messages import (
    MAX_BYTES,
    MESSAGES,
    Go,
    MakeMove,
    NewGame,
    parse_message,
)
from masons.gui.server.guard import Guard, safe_headers
from masons.protocol.messages.error_codes import Refused


def test_a_token_lets_in_who_it_was_made_for() -> None:
    guard = Guard("127.0.0.1", 8417)
    host = guard.pass_of(guard.host_token)
    assert host is not None
    assert host.is_host
    token = guard.invite(1)
    found = guard.pass_of(token)
    assert found is not None
    assert not found.is_host
    assert found.seat == 1
    assert guard.invited == {1}
    second = guard.invite(1)
    assert guard.pass_of(token) is None
    assert guard.pass_of(second) == found
    guard.withdraw()
    assert guard.pass_of(second) is None
    assert guard.invited == frozenset()
    assert guard.pass_of("") is None
    assert guard.pass_of("\xfc") is None
    assert len({Guard("127.0.0.1", 1).host_token for _ in range(50)}) == 50


@pytest.mark.parametrize(
    ("host", "header", "good"),
    [
        ("127.0.0.1", "127.0.0.1:8417", True),
        ("127.0.0.1", "localhost:8417", True),
        ("127.0.0.1", "[::1]:8417", True),
        ("127.0.0.1", "LOCALHOST:8417", True),
        ("127.0.0.1", "127.0.0.1:80", False),
        ("127.0.0.1", "127.0.0.1", False),
        ("127.0.0.1", "evil.example:8417", False),
        ("127.0.0.1", "192.168.0.7:8417", False),
        ("127.0.0.1", "localhost.evil.example:8417", False),
        ("127.0.0.1", "", False),
        ("127.0.0.1", "localhost:84170000000", False),
        ("127.0.0.1", "localhost:٨٤١٧", False),
        ("0.0.0.0", "192.168.0.7:8417", True),
        ("0.0.0.0", "evil.example:8417", False),
        ("::", "[2001:db8::1]:8417", True),
        ("my.house", "my.house:8417", True),
    ],
)
def test_only_the_servers_own_names_are_known(host: str, header: str, good: bool) -> None:
    assert Guard(host, 8417).knows_host(header) is good


@pytest.mark.parametrize(
    ("origin", "good"),
    [
        ("http://127.0.0.1:8417", True),
        ("https://127.0.0.1:8417", False),
        ("http://127.0.0.1:8418", False),
        ("http://evil.example", False),
        ("null", False),
        ("", False),
    ],
)
def test_only_own_pages_open_a_socket(origin: str, good: bool) -> None:
    headers = {"host": "127.0.0.1:8417", "origin": origin}
    assert Guard("127.0.0.1", 8417).knows_origin(headers) is good


def test_the_policy_lets_nothing_in_from_elsewhere() -> None:
    headers = safe_headers("127.0.0.1:8417")
    policy = headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert [word for word in policy.split() if "://" in word] == ["ws://127.0.0.1:8417;"]


def test_messages_are_read() -> None:
    assert parse_message('{"type":"move","move":"wall:57","at":3}') == MakeMove("wall:57", 3)
    assert parse_message('{"type": "go"}') == Go()
    text = '{"type":"newgame","seats":[{"kind":"person"},{"kind":"engine","level":3,"seconds":1}]}'
    wish = parse_message(text)
    assert isinstance(wish, NewGame)
    assert (wish.seats[1].level, wish.seats[1].seconds, wish.seed) == (3, 1.0, None)


@pytest.mark.parametrize(
    ("text", "code", "what"),
    [
        ("", "syntax", "one JSON object"),
        ("[1]", "syntax", "one JSON object"),
        ("{", "syntax", "one JSON object"),
        ('{"type":"go","type":"go"}', "syntax", "one JSON object"),
        ('{"type":"go","sims":NaN}', "syntax", "one JSON object"),
        ("[" * 100_000, "syntax", "one JSON object"),
        ('"' + "x" * MAX_BYTES + '"', "syntax", "bytes"),
        ("{}", "unknown", "type is None"),
        ('{"type":["move"]}', "unknown", "it is one of newgame"),
        ('{"type":"fly"}', "unknown", "'fly'"),
        ('{"type":"move","move":"wall:57"}', "syntax", "move needs the field at"),
        ('{"type":"move","move":"wall:57","at":true}', "syntax", "move.at is True"),
        ('{"type":"move","move":"wall:57","at":-1}', "syntax", "move.at is -1"),
        ('{"type":"move","move":57,"at":1}', "syntax", "move.move is 57"),
        ('{"type":"move","move":"\\ud800","at":1}', "syntax", "half characters"),
        ('{"type":"move","move":"wall:57","at":1,"me":1}', "syntax", "no field 'me'"),
        ('{"type":"newgame","seats":[]}', "syntax", "2 to 4 seats"),
        ('{"type":"newgame","seats":[1,2]}', "syntax", "seats is 1"),
        ('{"type":"newgame","seats":[{"kind":"dog"},{"kind":"dog"}]}', "syntax", "kind is 'dog'"),
        (
            '{"type":"newgame","seats":[{"kind":"person"},{"kind":"engine","level":11}]}',
            "syntax",
            "level is 11",
        ),
        (
            '{"type":"newgame","seats":[{"kind":"person"},{"kind":"engine","seconds":1e9}]}',
            "syntax",
            "seconds is",
        ),
    ],
)
def test_what_is_wrong_with_a_message_is_said_in_a_line(text: str, code: str, what: str) -> None:
    with pytest.raises(Refused) as refused:
        parse_message(text)
    assert refused.value.code == code
    assert what in refused.value.text
    assert "\n" not in refused.value.text
    assert len(refused.value.text) < 400


def test_every_message_is_documented() -> None:
    from tests.support.paths import ROOT

    page = (ROOT / "docs" / "gui.md").read_text(encoding="utf-8")
    for name in MESSAGES:
        assert f"| `{name}` |" in page, name
