"""Two browsers play with each other: the link, a game with a clock, the rematch, a lost line."""

from __future__ import annotations

import http.client
import json
import random
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import segno

from masons.engine.game.record import read_record
from masons.engine.game.replay import check_record
from tests.support.browser import PHONE, WIDE, Gui, gui, step, wait_for

pytestmark = pytest.mark.slow
STATE_LOST = "document.querySelector('#state.lost') !== null"


@pytest.fixture
def running(tmp_path: Path) -> Any:
    with gui(tmp_path) as server:
        yield server


def invite(host: Any, *, side: str = "Orange", clock: str = "", name: str = "") -> str:
    """Fill in the terms, and return the link to the other seat."""
    host.click("#do-friend")
    host.get_by_text(side).click()
    host.get_by_label("your name").fill(name)
    host.select_option("#friend-clock", clock)
    host.click("#friend-begin")
    host.wait_for_selector("dialog.invite #address")
    return str(host.input_value("#address"))


def accept(guest: Any) -> None:
    guest.get_by_role("button", name="Let's play").click()


def play_to_the_end(pages: list[Any], chance: random.Random) -> None:
    while not any(page.locator("#rematch").count() for page in pages):
        for page in pages:
            step(page, chance)


def hand(page: Any) -> set[str]:
    cards: list[str] = page.eval_on_selector_all(
        "#hand .guild", "(all) => all.map((one) => one.dataset.card)"
    )
    return set(cards)


def listen_to(page: Any) -> list[str]:
    """Return a list to which all messages to a page are added from its next load on."""
    heard: list[str] = []
    page.on("websocket", lambda line: line.on("framereceived", lambda text: heard.append(text)))
    return heard


def test_two_friends_play_a_game_with_a_clock_and_a_rematch(
    tmp_path: Path, running: Gui, open_page: Callable[..., Any]
) -> None:
    """Each sees only its own hand, in every message; the guest may not ask for hints."""
    host = open_page(running.address)
    link = invite(host, clock="2", name="Ann")
    assert "Waiting for Turquoise" in host.inner_text("dialog.invite")
    assert "not connected" in host.inner_text("#seats")
    guest = open_page(link, **PHONE)
    guest.wait_for_selector("dialog[open]")
    told = guest.inner_text("dialog")
    for text in ("A game with Ann", "You play as Turquoise", "30 min + 20 s per wall", "No hints"):
        assert text in told
    assert not host.locator("#seats time.runs").count()  # until the guest sees the board
    heard = listen_to(guest)
    accept(guest)
    guest.wait_for_selector("#seats time.runs")
    guest.reload()
    guest.wait_for_selector("#hand .guild")
    wait_for(host, "!document.querySelector('dialog[open]')")
    assert "not connected" not in host.inner_text("#seats")
    assert re.fullmatch(r"30:00|2\d:\d\d", host.inner_text("#seats time.runs"))
    for page in (host, guest):
        assert not page.is_visible("#do-hint")
    hidden = hand(host) - hand(guest)
    play_to_the_end([host, guest], random.Random(5))
    wait_for(guest, "document.querySelector('#rematch') !== null")
    before = heard[: next(i for i, text in enumerate(heard) if '"play"' in text)]
    assert len(before) > 1
    for card in hidden:
        named = re.compile(rf'"{card}"(?!:)')
        assert not [text for text in before if named.search(text) and '"type":"id"' not in text]
    (file,) = (tmp_path / "masons-engine" / "games").glob("*.jsonl")
    check_record(read_record(str(file)))
    host.click("#rematch")
    host.wait_for_selector("#rematch:disabled")
    wait_for(guest, "document.querySelector('#rematch')?.textContent.includes('Ann wants')")
    guest.click("#rematch")
    for page, own in ((host, "Ann"), (guest, "Orange")):
        page.wait_for_selector("#hand .guild")
        wait_for(page, "document.querySelectorAll('#news li').length === 0")
        seat = page.locator(f"#seats li:has-text('{own}')")
        assert "you" in seat.text_content()
    assert guest.locator("#seats li").first.inner_text().startswith("Orange")
    assert host.locator("#seats li").last.inner_text().startswith("Ann")
    for _ in range(30):
        for page in (host, guest):
            step(page, random.Random(1))
    assert guest.url == link


def test_the_link_can_be_copied_and_its_code_is_drawn(
    browser: Any, running: Gui, open_page: Callable[..., Any]
) -> None:
    host = open_page(running.address, **WIDE, permissions=["clipboard-read", "clipboard-write"])
    link = invite(host)
    host.get_by_role("button", name="Copy the link").click()
    host.get_by_role("button", name="Copied").wait_for()
    assert host.evaluate("navigator.clipboard.readText()") == link
    assert not host.locator("img.qr").count()  # of no use, as only this computer reaches the link
    host.get_by_role("button", name="Withdraw the link").click()
    host.wait_for_selector("dialog.curtain")
    assert browser.new_page().goto(link).status == 403


def reach(address: str, **headers: str) -> int:
    """Return the status of a page."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=30)
    connection.request("GET", parts.path, headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_the_network_is_opened_after_a_question(
    running: Gui, open_page: Callable[..., Any]
) -> None:
    """Not before; then the link is that of the network, and foreign hosts are refused."""
    host = open_page(running.address)
    local = urlsplit(invite(host))
    host.click("#open-network")
    host.get_by_role("button", name="No", exact=True).click()
    host.click("#open-network")
    assert "unencrypted" in host.inner_text("dialog.network")
    assert urlsplit(host.evaluate("location.href")).port == local.port
    host.get_by_role("button", name="Let them in").click()
    host.wait_for_selector("img.qr, #toast.on.bad")
    if not host.locator("img.qr").count():
        assert "no network" in host.inner_text("#toast")
        pytest.skip("this machine is in no network")
    link = host.input_value("#address")
    parts = urlsplit(link)
    assert (parts.port, parts.path) == (local.port, local.path)
    assert not str(parts.hostname).startswith("127.")
    code = segno.make_qr(link, error="m").svg_data_uri(border=4, light="#fff", omitsize=True)
    assert host.get_attribute("img.qr", "src") == code
    assert reach(link) == 200
    assert reach(link, Host=f"evil.example:{parts.port}") == 421
    assert reach(link.replace(parts.path, "/" + "x" * 24 + "/")) == 403
    assert reach(running.address) == 200
    guest = open_page(link)
    accept(guest)
    guest.wait_for_selector("#hand .guild")
    wait_for(host, "!document.querySelector('dialog[open]')")
    with socket.socket() as other:  # only this address, not every one
        other.settimeout(5)
        assert other.connect_ex(("127.0.0.2", int(parts.port or 0))) != 0


@pytest.mark.parametrize("arrives", [False, True])
def test_what_was_sent_on_a_lost_line_is_made_once(
    arrives: bool, running: Gui, open_page: Callable[..., Any]
) -> None:
    """It is sent again, and the page says so, but only if the server did not get it."""
    host = open_page(running.address)
    guest = open_page(invite(host), **PHONE)
    accept(guest)
    breaks = {"is": False}

    def through(line: Any) -> None:
        server = line.connect_to_server()

        def up(text: str) -> None:
            is_cut = breaks["is"] and '"move"' in text
            if arrives or not is_cut:
                server.send(text)
            if is_cut:
                line.close()

        line.on_message(up)
        server.on_message(lambda text: None if breaks["is"] else line.send(text))

    host.route_web_socket(re.compile("socket"), through)
    host.reload()
    host.wait_for_selector("#task.mine")
    breaks["is"] = True
    build(host)
    wait_for(host, STATE_LOST)
    breaks["is"] = False
    for page in (host, guest):
        wait_for(page, "document.querySelectorAll('#news li').length > 1")
        assert page.locator("#news li li:has-text('wall on line')").count() == 1
    toast = "document.querySelector('#toast').textContent.includes('sent again')"
    assert host.evaluate(toast) is not arrives
    assert not host.evaluate(STATE_LOST)


def build(page: Any) -> None:
    """Choose a wall by keys."""
    page.keyboard.press("b")
    page.keyboard.type("57")
    page.keyboard.press("Enter")


def test_a_line_that_is_silent_counts_as_lost(running: Gui, open_page: Callable[..., Any]) -> None:
    """As when a phone leaves its network: no browser notices that by itself."""
    host = open_page(running.address)
    guest = open_page(invite(host))
    accept(guest)
    silent = {"is": False}

    def through(line: Any) -> None:
        server = line.connect_to_server()
        line.on_message(lambda text: None if silent["is"] else server.send(text))
        server.on_message(lambda text: None if silent["is"] else line.send(text))

    host.route_web_socket(re.compile("socket"), through)
    host.clock.install()
    host.reload()
    host.wait_for_selector("#task.mine")
    silent["is"] = True
    build(host)
    host.clock.run_for(9000)
    wait_for(host, STATE_LOST)
    silent["is"] = False
    for _ in range(20):
        host.clock.run_for(1000)
    wait_for(guest, "document.querySelectorAll('#news li').length > 1")


def test_a_guest_that_leaves_is_missed(running: Gui, open_page: Callable[..., Any]) -> None:
    host = open_page(running.address)
    guest = open_page(invite(host, side="Turquoise"))
    accept(guest)
    wait_for(host, "document.querySelector('#task').textContent.includes('places a wall')")
    guest.close()
    wait_for(host, "document.querySelector('#toast').textContent.includes('no longer connected')")
    assert "not connected" in host.inner_text("#seats")
    assert "Waiting for Orange" in host.inner_text("#task")
    host.click("#do-menu")
    host.get_by_role("button", name="Orange: show the link again").click()
    host.wait_for_selector("dialog.invite #address")


def test_the_page_can_be_installed(running: Gui, open_page: Callable[..., Any]) -> None:
    page = open_page(running.address)
    line = page.context.new_cdp_session(page)
    manifest = line.send("Page.getAppManifest")
    assert manifest["errors"] == []
    data = json.loads(manifest["data"])
    assert {"name", "start_url", "display", "icons"} <= data.keys()
    assert {icon["sizes"] for icon in data["icons"]} == {"any", "192x192", "512x512"}
    for icon in data["icons"]:
        answer = page.request.get(running.address + icon["src"])
        assert (answer.status, answer.headers["content-type"]) == (200, icon["type"])
    errors = line.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [each["errorId"] for each in errors if each["errorId"] != "in-incognito"] == []
