"""The command `verify`, which checks the dice and cards of fair games."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

import click

from masons.cli import options
from masons.cli.process import BAD_DATA, prepare
from masons.cli.sources import records_in, whole_game
from masons.engine.board.geometry import Board, load_board
from masons.engine.errors import MasonsError
from masons.engine.plain_text import count, listed, plain, quoted

if TYPE_CHECKING:
    from masons.engine.fair.fair_check import Verified

_SHA256: Final = re.compile("[0-9a-fA-F]{64}")
# If all games have the same verdict, and it is one of these, the summary is a special sentence.
_RIGHT: Final = "right"
_ORDINARY: Final = "not played with --fair"


@click.command("verify")
@click.argument("file", type=options.file_name)
@options.only_game
@click.option(
    "--commitment", metavar="HEX",
    help="Commitment that you noted before the game; every game must match it.",
)  # fmt: skip
@click.option(
    "--nonce", "nonces", multiple=True, metavar="TEXT",
    help="Words that you added to the secret; every game must contain them.",
)  # fmt: skip
@options.board
def verify(
    file: str,
    number: int | None,
    commitment: str | None,
    nonces: tuple[str, ...],
    board_file: str | None,
) -> None:
    """Verify the dice and cards of fair games.

    FILE holds records of play --fair, FILE#K is game K in this file, and - is standard input. For
    each game, the secret must match the commitment. The seat that began, the deal, and every roll,
    draw and reshuffle must follow from the secret and the nonces. The exit code is 1 if a game is
    wrong or cannot be verified, for example because it was not played with --fair. docs/fair.md
    says what this proves and what it does not prove.
    """
    if commitment is not None and not _SHA256.fullmatch(commitment.strip()):
        raise click.UsageError(
            f"--commitment {quoted(commitment, 80)} is not a SHA-256: it has 64 digits, 0-9 and a-f"
        )
    file, number = whole_game(file, number)
    board = load_board(board_file) if board_file else None
    verdicts: Counter[str] = Counter()
    prepare()
    for game, line in records_in(file, number):
        verdict, said = _verified(line, board, commitment, nonces)
        verdicts[verdict] += 1
        click.echo(plain(f"game {game}: {verdict}: {said}"))
    click.echo(_summary(verdicts))
    if set(verdicts) != {_RIGHT}:
        raise click.exceptions.Exit(BAD_DATA)


def _summary(verdicts: Counter[str]) -> str:
    """Return a line with the number of games for each verdict."""
    words = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items())
    if set(verdicts) == {_RIGHT}:
        words = "all right"
    elif set(verdicts) == {_ORDINARY}:
        words = "none was played with --fair, so there is nothing to verify"
    return f"{verdicts.total()} checked, {words}"


def _verified(
    line: str,
    board: Board | None,
    commitment: str | None,
    nonces: tuple[str, ...],
) -> tuple[str, str]:
    """Verify a game, and return the verdict and the reason for it.

    The game must also agree with the commitment and the nonces that the user gave.
    """
    from masons.engine.fair.fair_check import UnverifiableError, verify_fair
    from masons.engine.fair.fair_game import KEY
    from masons.engine.game.record import parse_record

    try:
        record = parse_record(line)
        verified = verify_fair(record, board)
        terms = verified.terms
    except UnverifiableError as error:
        if KEY not in record:
            return _ORDINARY, "there is nothing to verify"
        return "not verified", str(error)
    except MasonsError as error:
        return "wrong", str(error)
    if commitment is not None and commitment.strip().lower() != terms.commitment:
        return "wrong", f"the commitment is {terms.commitment}, not the one you noted"
    for nonce in nonces:
        if nonce not in terms.nonces:
            return "wrong", f"the nonce {nonce!r} is not among those of the game"
    return _RIGHT, _words(verified)


def _words(verified: Verified) -> str:
    terms = verified.terms
    what = [
        *(["who begins"] if terms.draws_first else []),
        "the deal",
        count(verified.rolls, "roll"),
        count(verified.draws, "draw"),
        count(verified.reshuffles, "reshuffle"),
    ]
    nonces = ", ".join(repr(nonce) if nonce else "none" for nonce in terms.nonces)
    warning = "" if any(terms.nonces) else " (only the program decided: docs/fair.md)"
    return f"{listed(what)}; commitment {terms.commitment}; nonces {nonces}{warning}"
