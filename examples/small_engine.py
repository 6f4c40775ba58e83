#!/usr/bin/env python3
"""A small engine: `masons` reads the commands and knows the rules. Write your own `choose`.

masons-engine match "python examples/small_engine.py" greedy --games 20
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from masons.protocol.messages.error_codes import Refused
from masons.protocol.messages.line_streams import Output, read_lines

if TYPE_CHECKING:
    from masons import Move
    from masons.engine.game.observation import Observation

CHANGES = ("newgame", "position", "event", "gameover", "go")  # refused during a search


def choose(view: Observation, moves: Sequence[Move], rng: random.Random) -> Move:  # noqa: ARG001
    """Return one of the moves. `view.position` is the position as the seat sees it."""
    return rng.choice(moves)


def play(lines: Iterable[str | Refused], out: Output) -> None:
    """Load the rules, and execute commands until `quit`."""
    from masons.protocol.server.followed_game import FollowedGame, parse_new_game
    from masons.protocol.server.parsed_commands import Request, parse_go
    from masons.protocol.server.thinker import GoDecision, chosen_moves

    game, request, answer = FollowedGame(), Request(), ""  # `answer` waits for `stop`
    for line in lines:
        word, _, rest = str(line).partition(" ")
        try:
            if isinstance(line, Refused):
                raise line
            if answer and word in CHANGES:
                raise Refused(
                    "busy", "a search is running", parse_go(rest).id if word == "go" else None
                )
            if word == "quit":
                return
            if word == "isready":
                out.line("readyok")
            elif word == "newgame":
                game = FollowedGame(parse_new_game(rest))
            elif word == "position":
                game.place(rest)
            elif word == "event":
                game.take_event(rest)
            elif word == "query":
                out.line(f"response {game.ask(rest)}")
            elif word == "go":
                request = Request()
                request = parse_go(rest)
                game.check_decides()
                moves = chosen_moves(game.table, game.view, game.game.legal_moves(), request)
                move = choose(game.view, moves, random.Random(request.limits.seed))
                answer = GoDecision(game.table, game.view, moves, request).answer(move)
            elif word not in ("stop", "gameover"):
                raise Refused("unknown", f"no command {word}")
            is_stopped = word == "stop" and rest in ("", request.id)
            if answer and (is_stopped or not request.limits.infinite):
                out.line(answer)
                answer = ""
        except Refused as refused:
            if word == "go" and not answer:
                refused.id = refused.id or request.id
            out.refuse(refused)


def main() -> None:
    """Answer `mei` at once, and then play."""
    lines, out = read_lines(sys.stdin.buffer), Output(sys.stdout.buffer)
    for line in lines:
        if line == "mei":
            out.line("id name Small Engine\nid version 1\nid author You\nprotocol 1\nmeiok")
        elif line == "quit":
            return
        else:
            play(chain([line], lines), out)
            return


if __name__ == "__main__":
    main()
