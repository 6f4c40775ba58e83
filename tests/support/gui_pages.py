"""Open games without a web server, with pages that keep what they are sent and play at random."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from msgspec import to_builtins

from masons.engine.board.components import CARDS
from masons.engine.board.geometry import Board, load_board
from masons.gui.guard import Guard, Pass
from masons.gui.messages import MESSAGES
from masons.gui.open_games import OpenGames
from masons.gui.seating import Client
from masons.gui.sent_messages import check_sent
from tests.support.paths import EXAMPLES

BOARD = load_board("classic")
# Three records, one a line, of which the first is also given with names as in a game of a page.
RECORDS = (EXAMPLES / "games.jsonl").read_text(encoding="utf-8")
RECORD = RECORDS.splitlines()[0]
GAME = json.dumps({**json.loads(RECORD), "names": ["You", "Engine 1"]})
PERSON, ENGINE = {"kind": "person"}, {"kind": "engine", "level": 1}


def cut(record: str, events: int) -> str:
    """Return a record that ends after so many events."""
    data = json.loads(record)
    return json.dumps({**data, "events": data["events"][:events], "result": None})


def resigned_after(events: int) -> str:
    """Return the record of a game that ended after so many events, as seat 1 gave up."""
    stopped = {"why": "resigned", "seat": 1}
    return json.dumps({**json.loads(cut(RECORD, events)), "stopped": stopped})


class Page:
    """A page. It keeps the messages that it was sent, the last position, and the errors."""

    def __init__(
        self, games: OpenGames, seat: int | None = None, file: str = "", *, was_open: bool = False
    ) -> None:
        """Open a page of the host, or the page for the seat `seat` of the game `file`."""
        self.games = games
        self.sent: list[dict[str, Any]] = []
        self.position: dict[str, Any] = {}
        self.errors: list[dict[str, Any]] = []
        passes = [each for each in games.guard.seats.values() if each == Pass(seat, file)]
        self.client = Client(
            passes[0] if seat is not None else Pass(), self._hear, was_open=was_open
        )
        games.join(self.client)

    def _hear(self, message: dict[str, Any]) -> None:
        # As it arrives through a web socket.
        message = json.loads(json.dumps(message, default=to_builtins))
        check_sent(message)
        self.sent.append(message)
        if message["type"] == "position":
            self.position = message
        if message["type"] == "error":
            self.errors.append(message)

    def say(self, type: str, **fields: Any) -> None:  # noqa: A002
        self.games.answer(self.client, json.dumps({"type": type, **fields}))

    def do(self, type: str, **fields: Any) -> None:  # noqa: A002
        """Send a message about the position that is shown."""
        self.say(type, at=self.position["at"], **fields)

    def last(self, kind: str) -> dict[str, Any]:
        return next(message for message in reversed(self.sent) if message["type"] == kind)

    def refused(self, type: str, **fields: Any) -> dict[str, Any]:  # noqa: A002
        """Send a message and return the one error that answers it."""
        self.say(type, **fields)
        (error,) = self.errors
        self.errors.clear()
        return error

    async def hears(
        self, kind: str, is_wanted: Callable[[dict[str, Any]], bool] = lambda _: True
    ) -> dict[str, Any]:
        """Return the next message of a kind, or the next one that is wanted."""
        del self.sent[:]
        wanted: list[dict[str, Any]] = []

        def is_told() -> bool:
            assert not self.errors, self.errors
            wanted[:] = [each for each in self.sent if each["type"] == kind and is_wanted(each)]
            return bool(wanted)

        await until(is_told)
        return wanted[0]


def choose(position: dict[str, Any], chance: random.Random) -> str:
    """Return a random move from the choices of a position, as the page's scripts would write it."""
    moves, phase, hand = position["moves"], position["phase"], position["hand"]
    names = [entry["card"] for entry in hand]
    if phase == "wall":
        closing = [line for line, spaces in moves["walls"].items() if spaces]
        return f"wall:{chance.choice(closing or list(moves['walls']))}"
    if phase == "score":
        count = chance.choice((0, 1, 2))
        if not count:
            return f"abstain:{chance.choice(names)}"
        return f"play:{'+'.join(chance.sample(names, min(count, len(names))))}"
    if phase == "swap":
        return f"swap:{'+'.join(chance.sample(names, chance.randrange(len(names)))) or 'none'}"
    if phase == "final":
        city = chance.choice(moves["cities"])["city"]
        return f"final:{'none' if city is None else city}/{chance.choice(names)}"
    return str(chance.choice(moves["choices"])["move"])


async def play(pages: list[Page], chance: random.Random, most: int = 10**6) -> None:
    """Let the pages decide until the game is over, for at most `most` rounds of this loop."""
    for _ in range(most):
        position = pages[0].position
        if position["result"] is not None:
            return
        for page in pages:
            if page.position["curtain"] is not None:
                page.say("sit", seat=page.position["curtain"])
        page = next((page for page in pages if page.position["decides"]), None)
        if page is None:
            await asyncio.sleep(0.005)
            continue
        page.do("move", move=choose(page.position, chance))
        assert not page.errors, page.errors


def played_of(page: Page) -> Any:
    game = page.games.game_of(page.client)
    assert game is not None
    return game.played


OPENED: list[OpenGames] = []  # the hook that runs a test closes these


def new_games(engines: Mapping[str, str] = MappingProxyType({}), board: Board = BOARD) -> OpenGames:
    OPENED.append(OpenGames(board, Guard("127.0.0.1", 8417), engines))
    return OPENED[-1]


def pages_with_other_hands() -> Iterator[tuple[Page, Page, list[str]]]:
    """Yield (host's page, page of seat 0, hand of seat 0) for each of two games.

    The games differ only in the hand of seat 1.
    """
    deck = [card for card in CARDS for _ in range(2)]
    random.Random(7).shuffle(deck)
    hand = deck[:6]
    for others in (deck[6:12], deck[12:18]):
        games = new_games()
        host = Page(games)
        host.say("newgame", seats=[PERSON, PERSON], dice="own", hands=[hand, others])
        host.say("invite", seat=0)
        yield host, Page(games, 0, host.position["file"]), hand
        games.close()


async def until(condition: Callable[[], object]) -> None:
    """Wait until a condition is true."""
    for _ in range(36_000):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise AssertionError(condition)


def spoiled(chance: random.Random, good: list[str]) -> str | None:
    """Return a message with a random change, which makes it wrong in most cases.

    `good` are messages that are right. None is a message that is not text.
    """
    kind = chance.randrange(6)
    if kind == 0:
        return None if chance.random() < 0.2 else "".join(map(chr, chance.choices(range(300), k=9)))
    text = chance.choice(good)
    if kind == 1:
        at = chance.randrange(len(text))
        return text[:at] + chance.choice(['"', "{", "]", "\\", "\ud800", "9" * 30]) + text[at + 1 :]
    fields = json.loads(text)
    values = [None, True, -1, 10**30, 1e300, "", "x" * 5000, [], {}, [[]], "wall:57", "\ud83d", 3]
    key = chance.choice(list(fields))
    if kind == 2:
        fields[key] = chance.choice(values)
    elif kind == 3:
        del fields[key]
    elif kind == 4:
        fields[chance.choice(["seats", "at", "file", "new"])] = chance.choice(values)
    else:
        fields["type"] = chance.choice(list(MESSAGES))
    return json.dumps(fields)
