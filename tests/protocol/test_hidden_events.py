"""A seat is told nothing that depends on what it cannot see."""

from __future__ import annotations

import random
from dataclasses import replace

from masons.engine.board.components import CARDS
from masons.engine.formats.position_text import format_position
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.state.packed_move import PLAY
from masons.engine.state.position import Cards, Position
from masons.protocol.messages.seat_events import Drew, Moved, Rolled, SeatEvent, format_event
from tests.support.playing import new_game
from tests.support.playing import step as make_step


def redealt(
    position: Position, viewer: int, shown: tuple[int, Cards], chance: random.Random
) -> Position:
    """Return another position that looks the same to the viewer, also after the next step.

    What the viewer cannot see is dealt anew, except the cards that are `shown` next: those in a
    seat's hand, or the one that the viewer draws from the deck.
    """
    pool = list(position.observed_by(viewer).unseen)
    keeps, kept = shown
    if keeps != viewer or position.phase == "draw":
        for kind in kept:
            pool.remove(kind)
    chance.shuffle(pool)
    hands = list(position.hands)
    for seat, hand in enumerate(hands):
        if seat != viewer:
            assert not isinstance(hand, int)
            fixed = list(kept) if seat == keeps else []
            rest = len(hand) - len(fixed)
            hands[seat] = tuple(sorted([*fixed, *pool[:rest]]))
            del pool[:rest]
    return replace(position, hands=tuple(hands))


def repeated(step: SeatEvent, game: Game, viewer: int, chance: random.Random) -> SeatEvent:
    """Repeat a step in a game that looks the same; a card that is not seen is any card."""
    if isinstance(step, Moved):
        game.apply(step.move)
        return step
    if isinstance(step, Rolled):
        game.give_roll(*step)
        return step
    seen = step.seat == viewer
    card = step.card if seen else CARDS[chance.choice(game.position.unseen)]
    assert card is not None
    game.give_card(card)
    return Drew(step.seat, card)


def test_events_are_the_same_whatever_is_hidden() -> None:
    """Byte-identical position and event lines when all that a seat cannot see is redealt."""
    chance = random.Random(1)
    compared = changed = drawn = 0
    for number in range(1000):
        if compared >= 400:
            break
        game = new_game(2 + number % 3, number, early_roll=number % 2 == 1)
        while not game.is_over:
            if chance.random() < 0.3:
                make_step(game, chance)
                continue
            viewer = chance.randrange(game.players)
            before, board = game.position, game.board
            text, acting = format_position(game.view(viewer), board), game.seat
            step = make_step(game, chance)
            cards: Cards = ()
            if isinstance(step, Moved) and step.move.kind >= PLAY:
                cards = step.move.cards
            elif isinstance(step, Drew) and step.seat == viewer and step.card is not None:
                cards = (CARDS.index(step.card),)
            other = redealt(before, viewer, (acting, cards), chance)
            twin = Game.from_position(other, board=board, chance=Outside())
            assert format_position(twin.view(viewer), board) == text
            again = repeated(step, twin, viewer, chance)
            assert format_event(again, viewer) == format_event(step, viewer)
            compared += 1
            changed += other != before
            drawn += again != step
    assert compared >= 400
    assert changed > 360
    assert drawn > 2
