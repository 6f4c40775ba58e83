"""A fair game of `play`: the commitment shown, then a nonce from each person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from masons.engine.errors import MasonsError
from masons.engine.fair.fair_game import nonce_given
from masons.engine.plain_text import owner

if TYPE_CHECKING:
    from masons.cli.terminal.dialogue.terminal import Terminal
    from masons.engine.fair.fair_game import Fair
    from masons.match.playing.played_game import GameSetup


def check_nonces(nonces: Sequence[str], people: Sequence[int], *, fair: bool) -> None:
    """Refuse nonces that no person gives. Raises UsageError."""
    if nonces and not fair:
        raise click.UsageError("--nonce needs --fair")
    if len(nonces) > len(people):
        raise click.UsageError(f"--nonce stands there {len(nonces)} times: {len(people)} play")
    for nonce in nonces:
        try:
            nonce_given(nonce)
        except MasonsError as error:
            raise click.UsageError(f"--nonce: {error}") from None


def ask_nonces(setup: GameSetup, nonces: Sequence[str], terminal: Terminal) -> Fair:
    """Commit to a secret and show that; then the people's nonces, those that are not given yet.

    The engine's seats add none: who made the secret could choose them to its liking. Raises
    MasonsError where the input ends.
    """
    from masons.engine.fair.fair_game import FairOffer

    offer = FairOffer(setup.players)
    terminal.show(
        [
            "A fair game: who begins, dice and cards come from a secret and from your words.",
            "The secret is chosen now. Note down its SHA-256, then type any words:",
            f"  {offer.commitment}",
        ]
    )
    for place, seat in enumerate(setup.people):
        if place < len(nonces):
            offer.give(seat, nonces[place])
            continue
        while seat in offer.missing:
            try:
                offer.give(seat, terminal.ask(f"{owner(setup.names[seat])} words (Enter: none): "))
            except EOFError:
                raise MasonsError("the input ends before the nonces are given") from None
            except MasonsError as error:
                terminal.show([f"! {error}"])
    return offer.close()
