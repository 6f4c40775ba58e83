#!/usr/bin/env python3
"""The main loop of a GUI, in which you play one seat and engines play the others.

    python examples/gui_loop.py "masons-engine protocol"
    python examples/gui_loop.py --auto "python examples/plain_random.py"

This program runs the game, rolls the dice and draws the cards. It tells the engine of each seat
what the seat sees, and asks the engine for a move when the seat has to decide.
"""

from __future__ import annotations

import argparse
import random

import masons
from masons.engine.board.components import CARDS, HAND, HOUSE_DIE, TOWER_DIE
from masons.engine.formats.position_text import format_position
from masons.protocol.client.engine_client import Engine, Limits
from masons.protocol.messages.seat_events import Drew, Moved, Rolled, SeatEvent, format_event


def ask(game: masons.Game, luck: random.Random | None) -> masons.Move:
    """Return the move of your seat: random if `luck` is given, and otherwise typed."""
    moves = game.legal_moves()
    if luck is not None:
        return luck.choice(moves)
    while True:
        word = input(f"your {game.phase} (?): ").strip()
        for move in moves:
            if str(move) == word:
                return move
        print(" ".join(map(str, moves)))


def step(game: masons.Game, luck: random.Random, move: masons.Move | None) -> SeatEvent:
    """Make a move, or roll the dice or draw the card that is due. Return the event."""
    seat = game.seat
    if move is not None:
        game.apply(move)
        return Moved(seat, move)
    if game.phase == "draw":
        card = CARDS[luck.choice(game.position.unseen)]
        game.give_card(card)
        return Drew(seat, card)
    tower = luck.choice(TOWER_DIE) if game.rolls_tower else None
    rolled = Rolled(tower, luck.choice(HOUSE_DIE), luck.choice(HOUSE_DIE))
    game.give_roll(*rolled)
    return rolled


def play(command: str, players: int, you: int, seed: int | None, auto: bool, sims: int) -> None:
    """Play a whole game and print each event."""
    luck = random.Random(seed)
    deck = luck.sample(list(CARDS) * 2, HAND * players)
    hands = [deck[HAND * seat : HAND * (seat + 1)] for seat in range(players)]
    game = masons.Game(players, hands=hands, chance=masons.Outside())
    engines = {seat: Engine(command).start() for seat in range(players) if seat != you}
    try:
        for seat, engine in engines.items():
            print(f"seat {seat}: {engine.name} {engine.version}")
            engine.new_game(players, seat)
            engine.position(format_position(game.view(seat), game.board))
            engine.ready()
        while not game.is_over:
            move = None
            if game.legal_moves() and game.seat == you:
                move = ask(game, luck if auto else None)
            elif game.legal_moves():
                engine = engines[game.seat]
                engine.position(format_position(game.view(game.seat), game.board))
                limits = Limits(sims=sims, seed=luck.getrandbits(30))
                move = masons.parse_move(engine.go(limits).move)
            event = step(game, luck, move)
            print(format_event(event, you), " scores", *game.scores)
            for seat, engine in engines.items():
                engine.event(format_event(event, seat))
        result = game.result
        assert result is not None
        for engine in engines.values():
            engine.game_over(result.scores, result.winners, result.end)
            engine.quit()
        print("winners:", *result.winners, " end:", result.end)
    finally:
        for engine in engines.values():
            engine.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("command", help="the engine's command line")
    parser.add_argument("--players", type=int, choices=(2, 3, 4), default=2)
    parser.add_argument("--seat", type=int, choices=range(4), default=0, help="yours")
    parser.add_argument("--auto", action="store_true", help="moves by chance instead of yours")
    parser.add_argument("--sims", type=int, default=500, help="iterations for each engine move")
    parser.add_argument("--seed", type=int, help="of all luck")
    options = parser.parse_args()
    if options.seat >= options.players:
        parser.error(f"--seat {options.seat}: there are seats 0 to {options.players - 1}")
    try:
        play(
            options.command, options.players, options.seat, options.seed, options.auto, options.sims
        )
    except masons.MasonsError as error:
        raise SystemExit(f"error: {error}") from None
    except (EOFError, KeyboardInterrupt):
        raise SystemExit("\nthe game was broken off") from None
