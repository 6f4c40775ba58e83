"""Compiling what a command is going to need, with a line that says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from masons.cli.params import POLICIES
from masons.engine.cache import cache_folder, has_kernel, is_refused

if TYPE_CHECKING:
    from masons.engine.snapshot import Position


class Part(NamedTuple):
    """Kernels that are compiled together."""

    title: str
    kernels: tuple[str, ...]  # module.function, as the cache names them
    compile: Callable[[], None]


def _opening(**fields: Any) -> Position:
    """The start of a game of two, made without any kernel."""
    from masons.engine.snapshot import Position

    return Position(
        players=2, scores=(0, 0), hands=(tuple(range(6)), tuple(range(6, 12))), **fields
    )


def _values() -> None:
    from masons.engine.board import load_board
    from masons.engine.rules import refresh_values
    from masons.engine.start import empty_state
    from masons.engine.topology import pack_board

    table = pack_board(load_board("classic"))
    refresh_values(empty_state(table, 2), table)


def _rules() -> None:
    """Kernels of a game: a swap draws a card, a wall lets the dice roll, a view has its ledger."""
    from masons.engine.game import Game

    swapping = Game.from_position(_opening(phase="swap", queue=(0,)), seed=0)
    swapping.apply(swapping.legal_moves()[-1])
    game = Game(players=2, seed=0)
    game.apply(game.legal_moves()[0])
    game.seen(0)


def _games() -> None:
    from masons.cli.bench import random_games, random_playouts

    for policy in POLICIES:
        random_games(policy, 2)(1)
    random_playouts("uniform")(1)


def _search() -> None:
    from masons.ai.search import SearchOptions, analyse
    from masons.engine.board import load_board
    from masons.engine.table import Table

    table = Table(load_board("classic"))
    analyse(table, _opening().seen_by(0), sims=1, options=SearchOptions(memory_mb=1))


def _reuse() -> None:
    from masons.ai.search import SearchOptions, Session
    from masons.engine.board import load_board
    from masons.engine.table import Table

    session = Session(Table(load_board("classic")), options=SearchOptions(memory_mb=1))
    for _ in range(2):
        session.search(_opening().seen_by(0), sims=1)


def _halving() -> None:
    from masons.ai.search import SearchOptions, analyse
    from masons.engine.game import Game

    # In a game it is known who chose what.
    game = Game(players=2, seed=0)
    analyse(game.table, game.seen(0), sims=1, options=SearchOptions(method="halving"))


def _guesses() -> None:
    from masons.ai.guesses import guesses
    from masons.engine.game import Game

    game = Game(players=2, seed=0)
    guesses(game.table, game.seen(0), deals=1)


def _thumb() -> None:
    from masons.ai.players import make_player
    from masons.engine.game import Game

    game = Game(players=2, seed=0)
    make_player("thumb", 0).choose(game.table, game.seen(0), game.legal_moves())


def _worth() -> None:
    from masons.ai.worth import worth_of
    from masons.engine.board import load_board
    from masons.engine.start import empty_state
    from masons.engine.table import Table

    table = Table(load_board("classic"))
    worth_of(table, empty_state(table.packed, 2), seed=0, count=1, dealt=False)


def _players() -> None:
    from masons.ai.players import make_player
    from masons.engine.game import Game

    game = Game(players=2, seed=0)
    make_player("greedy", 0).choose(game.table, game.seen(0), game.legal_moves())


def _perft() -> None:
    from masons.engine.board import load_board
    from masons.engine.perft import perft
    from masons.engine.table import Table

    perft(Table(load_board("classic")), _opening(), 1)


PARTS: Final[dict[str, Part]] = {
    "values": Part("card values", ("rules.refresh_values",), _values),
    "rules": Part(
        "rules",
        (
            "moves.list_moves",
            "rules.apply_move",
            "rules.give_roll",
            "rules.give_card",
            "rng.draw_below",
            "ledger.keep_ledger",
        ),
        _rules,
    ),
    "games": Part(
        "random games",
        (*(f"play.{policy}_play" for policy in POLICIES), "determinize.deal_hidden"),
        _games,
    ),
    "search": Part("search", ("iterate.run_search",), _search),
    "reuse": Part("search in a session", ("regrow.keep_below",), _reuse),
    "halving": Part("search", ("rollouts.try_moves", "hands.weigh_cards"), _halving),
    "guesses": Part("guesses", ("hands.weigh_cards", "determinize.deal_hidden"), _guesses),
    "thumb": Part("rules of thumb", ("thumb_play.thumb_move", "determinize.deal_hidden"), _thumb),
    "players": Part("named players", ("gain.move_gains",), _players),
    "worth": Part("worth of a position", ("worth.play_on",), _worth),
    "perft": Part("perft", ("perft.count_paths", "perft.settle_state"), _perft),
}


def parts_for(specs: Iterable[str]) -> list[str]:
    """What games between some named players need."""
    parts = ["rules"]
    names = {spec.partition(":")[0] for spec in specs}
    if "greedy" in names:
        parts += ["values", "players"]
    if names & {"ismcts", "ismcts-plain"}:
        parts += ["search", "reuse"]
    if "thumb" in names:
        parts += ["values", "players", "thumb"]
    if "default" in names:
        parts += ["halving"]
    return parts


def missing(names: tuple[str, ...]) -> list[str]:
    """Those of some parts that are not in the cache."""
    return [name for name in names if not all(map(has_kernel, PARTS[name].kernels))]


def prepare(*names: str) -> None:
    """Compile the parts that are not in the cache, and say so on stderr; else do nothing."""
    todo = missing(names)
    if todo:
        click.echo(f"compiling the kernels: {_how_often()}", err=True)
        compile_parts(todo)


def _how_often() -> str:
    if is_refused():
        return "they are not kept, as asked"
    if cache_folder() is None:
        return "they cannot be kept, for no folder can be written (see masons-engine --version)"
    return "first use only, takes some ten seconds"


def compile_parts(names: Sequence[str], *, shown: bool = True) -> None:
    """Compile parts, or load them from the cache, with a moving bar on a terminal."""
    from masons.cli.console import messages, working

    with working(messages(), shown=shown) as say:
        for number, name in enumerate(names, 1):
            say(f"compiling {PARTS[name].title} ({number} of {len(names)})")
            PARTS[name].compile()
