"""`verify`: dice and cards of fair games, replayed against what was committed to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import click

from masons.cli.options import COUNT, FILE, board_option, takes
from masons.cli.process import BAD_DATA, prepare
from masons.cli.sources import whole_game
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError, RecordError
from masons.engine.plain_text import count, listed, plain

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.engine.fair.fair_check import Verified
    from masons.match.running.fair_games import Announced

# Verdicts that a whole file may share.
_RIGHT: Final = "right"
_ORDINARY: Final = "not played with --fair"


@dataclass(frozen=True)
class VerifyOptions:
    """The options of `verify`, named like them."""

    file: str
    number: int | None
    commitment: str | None
    nonces: tuple[str, ...]
    board_file: str | None


@click.command("verify")
@click.argument("file", type=FILE)
@click.option("--game", "number", type=COUNT, metavar="K", help="Only game K (from 1).")
@click.option(
    "--commitment", metavar="HEX",
    help="Commitment that you noted before the game or match; every game must match it.",
)  # fmt: skip
@click.option(
    "--nonce", "nonces", multiple=True, metavar="TEXT",
    help="Words that you added to the secret; every game must contain them.",
)  # fmt: skip
@board_option
@takes(VerifyOptions)
def verify(options: VerifyOptions) -> None:
    """Verify the dice and cards of fair games.

    FILE holds records of play --fair or match --fair, FILE#K is its game K, and - standard
    input. For each game, the secret must match the commitment; and the seat that began, the
    deal, and every roll, draw and reshuffle must follow from the secret and the nonces by the
    rules of the game. The exit code is 1 if a game is wrong or cannot be verified, because it
    was not played with --fair, for example. docs/fair.md says what this proves and what it does
    not.
    """
    from masons.match.running.fair_games import Announced

    file, number = whole_game(options.file, options.number)
    options = replace(options, file=file, number=number)
    board = load_board(options.board_file) if options.board_file else None
    announced = Announced()
    verdicts: Counter[str] = Counter()
    prepare()
    for game_options, line in _games(options, announced):
        verdict, said = _verified(line, board, options, announced)
        verdicts[verdict] += 1
        click.echo(plain(f"game {game_options}: {verdict}: {said}"))
    if not verdicts:
        which = "no games" if options.number is None else f"no game {options.number}"
        raise RecordError(f"{_name(options.file)} holds {which}")
    _say_of_match(announced, options)
    click.echo(_summary(verdicts))
    if set(verdicts) != {_RIGHT}:
        raise click.exceptions.Exit(BAD_DATA)


def _summary(verdicts: Counter[str]) -> str:
    """How many games have which verdict, in a line."""
    words = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items())
    if set(verdicts) == {_RIGHT}:
        words = "all right"
    elif set(verdicts) == {_ORDINARY}:
        words = "none was played with --fair, so there is nothing to verify"
    return f"{verdicts.total()} checked, {words}"


def _name(file: str) -> str:
    return "standard input" if file == "-" else file


def _games(options: VerifyOptions, announced: Announced) -> Iterator[tuple[int, str]]:
    """The records asked for with their numbers; notes between them are read into `announced`."""
    from masons.engine.formats.record_endings import is_note
    from masons.engine.game.record import read_lines

    game_count = 0
    with click.open_file(options.file, "rb") as stream:
        for line in read_lines(stream, name=_name(options.file), notes=True):
            if is_note(line):
                announced.read(line)
                continue
            game_count += 1
            if options.number in (None, game_count):
                yield game_count, line
            if game_count == options.number:
                return


def _verified(
    line: str, board: Board | None, options: VerifyOptions, announced: Announced
) -> tuple[str, str]:
    """The verdict on a game, and what was found."""
    from masons.engine.fair.fair_check import UnverifiableError, verify_fair
    from masons.engine.fair.fair_game import KEY
    from masons.engine.game.record import parse_record

    try:
        record = parse_record(line)
        verified = verify_fair(record, board)
        known = {verified.terms.commitment}
        if announced:
            known.add(announced.digest_for(record))
        _compare(verified, known, options)
    except UnverifiableError as error:
        if KEY not in record:
            return _ORDINARY, "there is nothing to verify"
        return "not verified", str(error)
    except MasonsError as error:
        return "wrong", str(error)
    return _RIGHT, _words(verified)


def _compare(verified: Verified, known: set[str], options: VerifyOptions) -> None:
    """Raise RecordError where a game is not what somebody noted before it."""
    noted = options.commitment
    if noted is not None and noted.strip().lower() not in known:
        raise RecordError(f"the commitment is {verified.terms.commitment}, not the one you noted")
    for nonce in options.nonces:
        if nonce not in verified.terms.nonces:
            raise RecordError(f"the nonce {nonce!r} is not among those of the game")


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


def _say_of_match(announced: Announced, options: VerifyOptions) -> None:
    """Return a match file's commitments, and its games that were never finished."""
    for games, digest in announced.digests:
        click.echo(f"committed to {count(games, 'game')} before: SHA-256 of the list {digest}")
    unopened = announced.unopened if options.number is None else ()
    if unopened:
        shown = listed([*unopened[:10], *(["others"] if len(unopened) > 10 else [])])
        which = f"{'game' if len(unopened) == 1 else 'games'} {shown} of the match, from 0"
        click.echo(
            f"{count(len(unopened), 'commitment')} not opened: not played to the end ({which})"
        )
