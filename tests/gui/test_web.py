"""The server over the network: who is let in, what every answer carries, how it ends."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.browser import Gui, gui

pytest.importorskip("websockets", reason="websockets is not installed")
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

pytestmark = pytest.mark.slow
GARBAGE = int(os.environ.get("MASONS_FUZZ", "200"))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gui]:
    with gui(tmp_path_factory.mktemp("gui")) as found:
        yield found


def parts(address: str) -> tuple[str, int, str]:
    """Host, port and token of an address."""
    host, token = address.removeprefix("http://").rstrip("/").split("/")
    return host, int(host.rpartition(":")[2]), token


def get(address: str, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    host, port, _ = parts(address)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.putrequest("GET", path, skip_host=True)
    for key, value in {"Host": host, **headers}.items():
        connection.putheader(key, value)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    connection.close()
    return found


def test_the_page_and_its_files_are_behind_the_token(running: Gui) -> None:
    token = parts(running.address)[2]
    status, headers, body = get(running.address, f"/{token}/")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"<script" in body
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    for name in ("main.js", "page.css"):
        assert get(running.address, f"/{token}/{name}")[0] == 200
    for name in (
        "nothing.js",
        "..%2Fserver%2Froom.py",
        "../server/hosted_game.py",
        "%00",
        "socket",
    ):
        assert get(running.address, f"/{token}/{name}")[0] in (403, 404), name
    wrong = token[:-1] + ("a" if token[-1] != "a" else "b")
    for path in (f"/{wrong}/", f"/{wrong}/main.js", "/", "/main.js", "//", f"/{token}x/"):
        status, headers, body = get(running.address, path)
        assert status == 403, path
        assert token.encode() not in body
        assert "default-src 'none'" in headers["content-security-policy"]


def test_another_host_is_refused(running: Gui) -> None:
    host, port, token = parts(running.address)
    for name in (f"evil.example:{port}", "127.0.0.1", f"{host}.evil.example", "x\x7f"):
        assert get(running.address, f"/{token}/", Host=name)[0] == 421, name
    assert get(running.address, f"/{token}/", Host=f"localhost:{port}")[0] == 200


@pytest.mark.parametrize(
    ("origin", "token", "good"),
    [
        ("own", "own", True),
        ("http://evil.example", "own", False),
        ("null", "own", False),
        (None, "own", False),
        ("own", "wrong", False),
    ],
)
def test_a_socket_wants_the_token_and_an_own_page(
    origin: str | None, token: str, good: bool, running: Gui
) -> None:
    host, _, right = parts(running.address)
    uri = f"ws://{host}/{right if token == 'own' else 'x' * len(right)}/socket"
    page = f"http://{host}" if origin == "own" else origin
    if good:
        with connect(uri, origin=page) as line:  # type: ignore[arg-type]
            assert json.loads(line.recv(timeout=60))["type"] == "info"
        return
    with pytest.raises(InvalidStatus) as refused, connect(uri, origin=page):  # type: ignore[arg-type]
        pass
    assert refused.value.response.status_code == 403


def test_no_bytes_end_the_server(running: Gui) -> None:
    """Oversized, binary and nonsensical messages: an error each, or the line is closed."""
    host, _, token = parts(running.address)
    chance = random.Random(1)
    for number in range(3):
        with connect(f"ws://{host}/{token}/socket", origin=f"http://{host}") as line:  # type: ignore[arg-type]
            while json.loads(line.recv(timeout=60))["type"] != "games":
                pass
            if number == 0:
                line.send("x" * (1 << 23))
                with pytest.raises(ConnectionClosed):
                    line.recv(timeout=60)
                continue
            for _ in range(GARBAGE):
                size = chance.choice((0, 1, 9, 300))
                data = chance.randbytes(size)
                line.send(data if number == 1 else data.decode("latin-1"))
                answer = json.loads(line.recv(timeout=60))
                assert answer["type"] == "error"
                assert answer["code"] in ("syntax", "unknown")
    assert get(running.address, f"/{token}/")[0] == 200


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_ends_it(tmp_path: Path) -> None:
    with gui(tmp_path) as running:
        host, _, token = parts(running.address)
        with connect(f"ws://{host}/{token}/socket", origin=f"http://{host}") as line:  # type: ignore[arg-type]
            while json.loads(line.recv(timeout=60))["type"] != "games":
                pass
            running.process.send_signal(signal.SIGINT)
            _, said = running.process.communicate(timeout=30)
        assert running.process.returncode == 130
        assert said == "interrupted\n"


def test_a_port_that_is_taken_is_said_in_a_line(running: Gui) -> None:
    port = str(parts(running.address)[1])
    done = subprocess.run(
        [sys.executable, "-m", "masons.cli", "gui", "--no-open", "--port", port],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("error: cannot listen on 127.0.0.1, port")
    assert done.stderr.count("\n") == 1
    assert not done.stdout
