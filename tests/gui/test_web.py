"""The server over the network: who is let in, what every answer carries, how it ends."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
import zlib
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import brotli
import pytest

from masons.engine.board.geometry import load_board
from masons.gui.page_files import page_files
from masons.gui.pictures.page_board import board_message
from tests.support.browser import SECONDS, Gui, gui
from tests.support.paths import EXAMPLES

pytest.importorskip("websockets", reason="websockets is not installed")
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.support.page_line import Line

pytestmark = pytest.mark.slow
GARBAGE = int(os.environ.get("MASONS_FUZZ", "200"))


def parts(address: str) -> tuple[str, int, str]:
    """Host, port and token of an address."""
    host, token = address.removeprefix("http://").rstrip("/").split("/")
    return host, int(host.rpartition(":")[2]), token


def get(address: str, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    host, port, _ = parts(address)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    connection.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
    for key, value in {"Host": host, **headers}.items():
        connection.putheader(key, value)
    connection.endheaders()
    answer = connection.getresponse()
    result = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    connection.close()
    return result


def test_the_page_and_its_files_are_behind_the_token(running: Gui) -> None:
    token = parts(running.address)[2]
    status, headers, body = get(running.address, f"/{token}/")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"<script" in body
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    version = page_files().version
    for name in ("main.js", "style.css", "words-de.js"):
        status, headers, _ = get(running.address, f"/{token}/{version}/{name}")
        assert status == 200
        assert headers["cache-control"] == "private, max-age=31536000, immutable"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert get(running.address, f"/{token}/{'0' * 16}/{name}")[0] == 404
    for name in (
        "nothing.js",
        f"{version}/nothing.js",
        f"{version}/index.html",
        "main.js",
        "..%2Fserver%2Froom.py",
        "../server/hosted_game.py",
        "%00",
        "socket",
    ):
        assert get(running.address, f"/{token}/{name}")[0] in (403, 404), name
    wrong = token[:-1] + ("a" if token[-1] != "a" else "b")
    for path in (
        f"/{wrong}/", f"/{wrong}/{version}/main.js", f"/{wrong}/main.js", "/", "/main.js", "//",
        f"/{token}x/",
    ):  # fmt: skip
        status, headers, body = get(running.address, path)
        assert status == 403, path
        assert token.encode() not in body
        assert "default-src 'none'" in headers["content-security-policy"]


def test_all_that_the_first_screen_loads_is_small(running: Gui) -> None:
    """Below 150 KB with the board, and in few files.

    The icons are loaded only when the page is installed.
    """
    token = parts(running.address)[2]
    page = get(running.address, f"/{token}/", **{"Accept-Encoding": "br"})[2]
    named = re.findall(r'(?:href|src)="([\w/.-]+)"', brotli.decompress(page).decode())
    names = [name for name in named if not name.endswith(".png")]
    assert len(names) <= 8
    loaded = len(page)
    for name in (*names, f"{page_files().version}/words-en.js"):
        answer = get(running.address, f"/{token}/{name}", **{"Accept-Encoding": "gzip, br"})
        assert answer[0] == 200, name
        loaded += len(answer[2])
    message = json.dumps(board_message(load_board("classic"))).encode()
    loaded += len(zlib.compress(message))  # as a web socket sends it
    assert loaded < 150_000


def test_another_host_is_refused(running: Gui) -> None:
    host, port, token = parts(running.address)
    for name in (f"evil.example:{port}", "127.0.0.1", f"{host}.evil.example", "x\x7f",
                 f"[::1%x; script-src *]:{port}"):  # fmt: skip
        status, headers, _ = get(running.address, f"/{token}/", Host=name)
        assert status == 421, name
        assert "*" not in headers["content-security-policy"]
    assert get(running.address, f"/{token}/", Host=f"localhost:{port}")[0] == 200


@pytest.mark.parametrize(
    ("origin", "token"),
    [("http://evil.example", ""), ("null", ""), (None, ""), ("http://{host}", "x" * 24)],
)
def test_a_socket_wants_the_token_and_a_page_of_the_server(
    origin: str | None, token: str, running: Gui
) -> None:
    host, _, right = parts(running.address)
    page = origin and origin.format(host=host)
    uri = f"ws://{host}/{token or right}/socket"
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(uri, origin=page, open_timeout=SECONDS),  # type: ignore[arg-type]
    ):
        pass
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("back", [True, False], ids=["taken back", "given to another"])
def test_a_withdrawn_guest_is_told_and_sees_nothing_more(back: bool, running: Gui) -> None:
    """Its open socket, too, has no seat from then on; its address is no longer valid."""
    with Line(running.address) as host:
        host.say("newgame", seats=[{"kind": "person"}] * 2, seed=9)
        host.hear("position")
        host.say("invite", seat=0)
        address = running.address.rsplit("/", 2)[0] + host.hear("invite")["path"]
        with Line(address) as guest:
            assert guest.hear("position")["hand"]
            host.say("invite", seat=0, back=back)
            shown = host.hear("position")
            with suppress(ConnectionClosed):
                guest.say("move", move="wall:57", at=shown["at"])
            heard = guest.rest()
        assert [each["type"] for each in heard] == ["error"]
        assert "address is no longer valid" in heard[0]["text"]
        assert guest.socket.protocol.close_code == 1008
        host.say("sit", seat=None)
        assert host.hear("position")["walls"] == []
        assert get(address, f"/{parts(address)[2]}/")[0] == 403


ENDED = "ended by SIGTERM"
HALF = b"GET / HTTP/1.1\r\nHost: x\r\n"


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_half_requests_leave_room_for_whole_ones(tmp_path: Path) -> None:
    """More than there may be files open: the oldest go, one line says so; a late one ends, too."""
    with gui(tmp_path, files=256) as running:
        _, port, token = parts(running.address)
        with Line(running.address) as page, ExitStack() as opened:
            page.hear("games")
            for number in range(400):
                half = opened.enter_context(socket.create_connection(("127.0.0.1", port)))
                half.sendall(HALF[: number % len(HALF)])
            assert get(running.address, f"/{token}/")[0] == 200
            with Line(running.address) as other:
                other.hear("games")
            page.say("newgame", seats=[{"kind": "person"}, {"kind": "person"}])
            page.hear("position")
            half.settimeout(60)
            with suppress(ConnectionError, BrokenPipeError):
                while True:  # it is not the pause that ends it
                    half.sendall(b"x")
                    time.sleep(0.1)
        said, end = running.end().splitlines()
    assert "sent no whole request" in said
    assert end == ENDED


def test_pages_that_vanish_leave_no_line(tmp_path: Path) -> None:
    """Where much is on its way to them: some just go, others say goodbye and do not read."""
    with gui(tmp_path) as running:
        for number in range(2):
            line = Line(running.address)
            line.hear("games")
            line.say("study", text=(EXAMPLES / "contested.txt").read_text(encoding="utf-8"))
            line.hear("position")
            for _ in range(90):
                line.say("picture", kind="svg")
            line.vanish(goodbye=number % 2 == 0)
        with Line(running.address) as line:
            line.hear("games")
            for _ in range(100):  # meanwhile each of the others has as many turns
                line.say("stop")
                assert not beyond(line.socket)
            for _ in range(9):  # of which the server reads some at once
                line.socket.protocol.send_text(b'{"type": "\xff"}')
            line.socket.socket.sendall(b"".join(line.socket.protocol.data_to_send()))
            assert line.rest() == []
            assert line.socket.protocol.close_code == 1007
        assert running.end().splitlines() == [ENDED]


def test_no_bytes_end_the_server(running: Gui) -> None:
    """MASONS_FUZZ messages (200), binary and nonsensical: an error each; a long one ends it all."""
    chance = random.Random(1)
    with Line(running.address) as line:
        line.hear("games")
        line.socket.send("x" * (1 << 23))
        assert line.rest() == []
    for is_text in (False, True):
        with Line(running.address) as line:
            line.hear("games")
            for _ in range(GARBAGE):
                data = chance.randbytes(chance.choice((0, 1, 9, 300)))
                line.socket.send(data.decode("latin-1") if is_text else data)
                answer = json.loads(line.socket.recv(timeout=SECONDS))
                assert answer["type"] == "error"
                assert answer["code"] in ("syntax", "unknown")
                assert "\n" not in answer["text"]
    assert get(running.address, f"/{parts(running.address)[2]}/")[0] == 200


def test_many_messages_at_once_are_all_answered(running: Gui) -> None:
    with Line(running.address) as line:
        line.hear("games")
        for _ in range(4000):
            line.socket.protocol.send_text(b"{}")
        line.socket.socket.sendall(b"".join(line.socket.protocol.data_to_send()))
        for _ in range(4000):
            assert json.loads(line.socket.recv(timeout=SECONDS))["type"] == "error"


def beyond(line: Any) -> list[dict[str, Any]]:
    """Return the messages up to the answer to one of an unknown type."""
    line.send('{"type": "beyond"}')
    heard: list[dict[str, Any]] = []
    while not (heard and "'beyond'" in heard[-1].get("text", "").replace('"', "'")):
        heard.append(json.loads(line.recv(timeout=SECONDS)))
    return heard[:-1]


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_no_argument_of_the_browser_holds_the_token(tmp_path: Path, browser: Any) -> None:
    """Other accounts can read it. The page that it is given instead leads to the address."""
    script = tmp_path / "browser"
    script.write_text('#!/bin/sh\necho "$@" > "$0.arguments"\n')
    script.chmod(0o700)
    with gui(tmp_path / "data", browser=str(script)) as running, Line(running.address) as line:
        line.hear("games")
        uri = script.with_suffix(".arguments").read_text().strip()
        assert parts(running.address)[2] not in uri
        opener = Path(uri.removeprefix("file://"))
        assert opener.stat().st_mode & 0o777 == 0o600
        page = browser.new_page()
        page.goto(uri)
        page.wait_for_selector("#do-play")
        assert page.url == running.address
        page.close()
    assert not opener.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_ends_it(tmp_path: Path) -> None:
    with gui(tmp_path) as running, Line(running.address) as line:
        line.hear("games")
        running.process.send_signal(signal.SIGINT)
        _, said = running.process.communicate(timeout=SECONDS)
        assert running.process.returncode == 130
        assert said == "interrupted\n"


def test_a_port_that_is_taken_is_said_in_a_line(running: Gui) -> None:
    port = str(parts(running.address)[1])
    done = subprocess.run(
        [sys.executable, "-m", "masons.cli", "gui", "--no-open", "--port", port],
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("error: cannot listen on 127.0.0.1, port")
    assert done.stderr.count("\n") == 1
    assert not done.stdout
