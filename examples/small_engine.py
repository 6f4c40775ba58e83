#!/usr/bin/env python3
"""A small engine: `masons` reads the positions and knows the rules. Write your own `choose`.

masons-engine match "python examples/small_engine.py" greedy --games 20
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import masons

MAX_LINE = 1 << 20  # bytes
OTHER_SPACE = re.compile(r"[^\S \t]")  # white space that does not separate words
CHANGES = ("setoption", "newgame", "position", "event", "gameover", "go")  # not during a search
LISTS = ("moves", "avoid")
GO = ("id", "movetime", "sims", "infinite", "clock", "inc", "multipv", "seed", *LISTS)


def choose(
    view: masons.Observation,  # noqa: ARG001
    moves: Sequence[masons.Move],
    rng: random.Random,
) -> masons.Move:
    """Return one of the moves. `view.position` is the position as the seat sees it."""
    return rng.choice(moves)


class Refused(Exception):  # noqa: N818
    """A command that is answered by `error CODE TEXT`."""


class Player:
    """The engine: its game, the position, and an answer that waits for `stop`."""

    def __init__(self) -> None:
        self.game: tuple[int, int, bool] | None = None  # players, seat, early_roll
        self.board: masons.Board | None = None
        self.view: masons.Observation | None = None
        self.own_seat = 0
        self.answer, self.ident = "", ""

    def newgame(self, rest: str) -> None:
        """Begin a game: players N seat S board B [options early_roll]."""
        words = rest.split()
        options = words[6:]
        if words[:6:2] != ["players", "seat", "board"] or len(words) not in (6, 8):
            raise Refused("syntax", "write newgame players N seat S board B [options early_roll]")
        if words[1] not in ("2", "3", "4") or words[3] not in map(str, range(int(words[1]))):
            raise Refused("illegal", "there are 2 to 4 players; seats count from 0")
        if options not in ([], ["options", "early_roll"]):
            raise Refused("illegal", "the only option is early_roll")
        path = Path(words[5])
        if path.exists() and not path.is_file():
            raise Refused("illegal", f"{path} is not a file")
        self.board = masons.load_board(words[5])
        self.game, self.view = (int(words[1]), int(words[3]), bool(options)), None

    def position(self, rest: str) -> None:
        """Take a position, with all hands hidden but the engine's own."""
        board, position = masons.parse_position(rest, self.board)
        players, seat, early_roll = self.game or (
            position.players, position.seat, position.early_roll
        )  # fmt: skip
        if (position.players, position.early_roll) != (players, early_roll):
            raise Refused("illegal", "newgame said something else")
        if isinstance(position.hands[seat], int):
            raise Refused("illegal", f"the hand of seat {seat} must be known")
        text = masons.format_position(position.observed_by(seat), board)
        self.view, self.own_seat = masons.Observation.from_text(text, board=board), seat

    def outdated(self, _: str) -> None:
        """Forget the position after an event: each `go` has a `position` before it."""
        self.view = None

    def gameover(self, _: str) -> None:
        """Forget the game."""
        self.game = self.board = self.view = None

    def go(self, rest: str) -> None:
        """Choose a move. The answer is written at once or, after `go infinite`, at `stop`."""
        fields = parse_go(rest.split())
        view = self.view
        if view is None or view.seat != self.own_seat or not view.legal_moves():
            raise Refused("state", "there is no decision of this seat")
        board = view.board
        assert board is not None
        table, moves = masons.Table(board), view.legal_moves()
        named, avoid = ([*map(masons.parse_move, fields.get(word, []))] for word in LISTS)
        if not all(table.is_legal(view.state, move) for move in named + avoid):
            raise Refused("illegal", "moves and avoid must name legal moves")
        if named or avoid:  # a move can have several names
            listed = partial(table.listed_as, view.state)
            avoided = set(map(listed, avoid))
            moves = [move for move in map(listed, named or moves) if move not in avoided]
        if not moves:
            raise Refused("illegal", "no move is left")
        seed = fields["seed"][0] if "seed" in fields else None
        ends = {"movetime", "sims", "clock"} & set(fields)
        self.ident = fields["id"][0] if "id" in fields else ""
        self.answer = f"bestmove {choose(view, moves, random.Random(seed))}{with_id(self.ident)}"
        if "infinite" not in fields or ends:
            self.stop("")

    def stop(self, rest: str) -> None:
        """Write the answer that waits, if it is the one that is meant."""
        if self.answer and rest in ("", self.ident):
            say(self.answer)
            self.answer = ""


def parse_go(words: list[str]) -> dict[str, list[str]]:
    """Return the values of each word of `go`."""
    fields: dict[str, list[str]] = {}
    while words:
        word, words = words[0], words[1:]
        if word not in GO or word in fields:
            raise Refused("syntax", f"{word} is not a word of go, or occurs twice")
        end = next((at for at, other in enumerate(words) if other in GO), len(words))
        end = end if word in LISTS else int(word != "infinite")
        fields[word], words = words[:end], words[end:]
        if word != "infinite" and not fields[word]:
            raise Refused("syntax", f"{word} needs a value")
        is_number = word not in (*LISTS, "id", "infinite")
        if is_number and not all(part.isdecimal() for part in fields[word][0].split(",")):
            raise Refused("syntax", f"{word} needs numbers")
    return fields


def with_id(ident: str) -> str:
    """Return the words that name a search."""
    return f" id {ident}" if ident else ""


def say(line: str) -> None:
    """Write a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def read_lines() -> Iterator[str]:
    """Yield the lines, or a null byte for one that is wrong (see `main`)."""
    stream = sys.stdin.buffer
    is_first = True
    while raw := stream.readline(MAX_LINE + 2):
        is_long = len(raw.rstrip(b"\r\n")) > MAX_LINE
        while len(raw) > MAX_LINE and not raw.endswith(b"\n"):
            raw = stream.readline(MAX_LINE + 2)
            is_long = True
        raw, is_first = raw.removeprefix(b"\xef\xbb\xbf" if is_first else b""), False
        try:
            line = "\0" if is_long else raw.decode().strip(" \t\r\n")
        except UnicodeDecodeError:
            line = "\0"
        if line and not line.startswith("#"):
            yield "\0" if OTHER_SPACE.search(line) else line


def main() -> None:
    """Carry out commands until `quit` or the end of input."""
    player = Player()
    does = {
        "newgame": player.newgame, "position": player.position, "go": player.go,
        "event": player.outdated, "gameover": player.gameover, "stop": player.stop,
    }  # fmt: skip
    for line in read_lines():
        word, *more = line.split(None, 1)
        rest = more[0] if more else ""
        words = rest.split()
        ident = words[words.index("id") + 1] if word == "go" and "id" in words[:-1] else ""
        try:
            if word == "quit":
                return
            if player.answer and word in CHANGES:
                raise Refused("busy", "a search is running")
            if word == "mei":
                say("id name Small Engine\nid version 1\nid author You\nprotocol 1\nmeiok")
            elif word == "isready":
                masons.Table(masons.load_board("classic"))  # loads the rules
                say("readyok")
            elif word in does:
                does[word](rest)
            elif word == "\0":
                raise Refused("syntax", "too long, not UTF-8, or wrong white space")
            else:
                raise Refused("unknown", f"no {word}")
        except (Refused, masons.MasonsError) as error:
            code, text = error.args if isinstance(error, Refused) else ("illegal", str(error))
            say(f"error {code}{with_id(ident)} {' '.join(text.split())}")


if __name__ == "__main__":
    main()
