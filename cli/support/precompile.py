"""Compiling what a command is going to need, with a line that says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from masons.ai.players.player_names import player_name
from masons.cli.support.process import say
from masons.engine.kernels.library.native_library import CHANGED, is_outdated, native_library
from masons.engine.playouts.policies import POLICIES

if TYPE_CHECKING:
    from masons.ai.session import Session
    from masons.engine.state.position import Position


# What `_environments` calls.
ENV_KERNELS: Final = (
    "step_envs", "reset_envs", "show_envs", "pick_actions", "seal_rows",
    "first_unsound", "observe_as", "redeal_rows",
)  # fmt: skip
_POLICY_KERNELS: Final = tuple(policy.replace("-", "_") for policy in POLICIES)


class Part(NamedTuple):
    """Kernels that are compiled together."""

    title: str
    kernels: tuple[str, ...]  # module.function, as the cache names them
    compile: Callable[[], None]


# Space 0 was enclosed by the third wall, and both seats have played a card.
_FIRST_CITY: Final[dict[str, Any]] = {
    "turn": 2,
    "walls": frozenset({1, 2, 20}),
    "towers": {0: 0, 7: 0, 8: 1},
    "houses": {0: (1, 1, 1, 0, 0), 1: (1, 0, 0, 0, 0), 13: (1, 0, 0, 0, 0)},
    "discard": (12, 13),
}


def _opening(**fields: Any) -> Position:
    """The start of a game of two, made without any kernel."""
    from masons.engine.state.position import Position

    return Position(
        players=2, scores=(0, 0), hands=(tuple(range(6)), tuple(range(6, 12))), **fields
    )


def _values() -> None:
    from masons.engine.board.geometry import load_board
    from masons.engine.board.packed_board import pack_board
    from masons.engine.rules.transitions import refresh_values
    from masons.engine.state.derive import empty_state

    table = pack_board(load_board("classic"))
    refresh_values(empty_state(table, 2), table)


def _rules() -> None:
    """Kernels of a game: a swap draws, a wall lets the dice roll, a view has its action history."""
    from masons.engine.game.game import Game

    swapping = Game.from_position(_opening(phase="swap", queue=(0, 1), **_FIRST_CITY), seed=0)
    swapping.apply(swapping.legal_moves()[-1])
    game = Game(players=2, seed=0)
    game.apply(game.legal_moves()[0])
    game.observe(0)


def _games() -> None:
    from masons.cli.support.signature import random_games, random_playouts

    for policy in POLICIES:
        random_games(policy, 2)(1)
    random_playouts("uniform")(1)


def _search() -> None:
    _tree_session().search(_opening().observed_by(0), sims=1)


def _tree_session() -> Session:
    from masons.ai.search.search_options import SearchOptions
    from masons.ai.session import Session
    from masons.engine.board.geometry import load_board
    from masons.engine.game.table import Table

    table = Table(load_board("classic"))
    return Session(table, options=SearchOptions("ismcts", memory_mb=1))


def _reuse() -> None:
    session = _tree_session()
    for _ in range(2):
        session.search(_opening().observed_by(0), sims=1)


def _halving() -> None:
    from masons.ai.session import analyse
    from masons.engine.game.game import Game

    # In a game it is known who chose what.
    game = Game(players=2, seed=0)
    analyse(game.table, game.observe(0), sims=1)


def _rollout() -> None:
    from masons.ai.search.limits import Limits
    from masons.ai.session import analyse
    from masons.engine.game.game import Game

    game = Game(players=2, seed=0)
    analyse(game.table, game.observe(0), limits=Limits(sims=1, rollouts=4))


def _hand_estimates() -> None:
    from masons.ai.beliefs.sampled_hands import estimate_hands
    from masons.engine.game.game import Game

    game = Game(players=2, seed=0)
    estimate_hands(game.table, game.observe(0), deals=1)


def _heuristic() -> None:
    from masons.ai.players.named_players import make_player
    from masons.engine.game.game import Game

    game = Game(players=2, seed=0)
    make_player("heuristic", 0).choose(game.table, game.observe(0), game.legal_moves())


def _policy() -> None:
    from masons.ai.players.named_players import make_player
    from masons.engine.game.game import Game

    game = Game(players=2, seed=0)
    make_player("policy", 0).choose(game.table, game.observe(0), game.legal_moves())


def _chance_values() -> None:
    from masons.ai.review.luck import load_kernels
    from masons.engine.game.chance import Outside
    from masons.engine.game.game import Game

    game = Game.from_position(_opening(), chance=Outside())
    game.apply(game.legal_moves()[0])
    load_kernels(game.table, game.state)


def _players() -> None:
    from masons.ai.players.named_players import make_player
    from masons.engine.game.game import Game

    game = Game(players=2, seed=0)
    make_player("greedy", 0).choose(game.table, game.observe(0), game.legal_moves())


def _environments() -> None:
    from masons.env.batch_env import BatchEnv

    env = BatchEnv(1)
    env.reset()
    env.step(env.pick_actions())
    env.set_state(env.redeal(env.state(), 0))
    env.seen_by(0, 1)


def _perft() -> None:
    from masons.engine.board.geometry import load_board
    from masons.engine.game.perft import perft
    from masons.engine.game.table import Table

    perft(Table(load_board("classic")), _opening(), 1)


PARTS: Final[dict[str, Part]] = {
    "values": Part("card values", ("engine.rules.transitions.refresh_values",), _values),
    "rules": Part(
        "rules",
        (
            "engine.rules.legal_moves.list_moves",
            "engine.rules.transitions.apply_move",
            "engine.rules.transitions.give_roll",
            "engine.rules.transitions.give_card",
            "engine.kernels.rng.draw_below",
            "engine.game.action_history.update_history",
        ),
        _rules,
    ),
    "games": Part(
        "random games",
        (
            *map("engine.playouts.random_games.{}_play".format, _POLICY_KERNELS),
            "ai.beliefs.determinization.deal_hidden",
        ),
        _games,
    ),
    "search": Part("search", ("ai.ismcts.iteration.run_search",), _search),
    "reuse": Part("search in a session", ("ai.ismcts.tree_reuse.keep_below",), _reuse),
    "halving": Part(
        "search",
        ("ai.halving.simulation.simulate_moves", "ai.models.hand_model.weigh_cards"),
        _halving,
    ),
    "explain": Part("rollouts", ("ai.rollout.game_kernel.play_rollouts",), _rollout),
    "hand_estimates": Part(
        "hand estimates",
        ("ai.models.hand_model.weigh_cards", "ai.beliefs.determinization.deal_hidden"),
        _hand_estimates,
    ),
    "heuristic": Part(
        "heuristics",
        ("ai.policies.heuristic_play.heuristic_move", "ai.beliefs.determinization.deal_hidden"),
        _heuristic,
    ),
    "policy": Part(
        "the policy by the net",
        (
            "ai.net_policy.net_play.policy_move",
            "ai.beliefs.determinization.deal_hidden",
            "ai.models.hand_model.weigh_cards",
        ),
        _policy,
    ),
    "players": Part(
        "named players", ("ai.evaluation.immediate_reward.immediate_rewards",), _players
    ),
    "chance_values": Part(
        "values of rolls and draws",
        tuple(map("ai.review.open_values.{}_values".format, ("roll", "draw", "position"))),
        _chance_values,
    ),
    "environments": Part(
        "environments",
        tuple(map("env.stepping.batch_kernels.{}".format, ENV_KERNELS)),
        _environments,
    ),
    "perft": Part(
        "perft", ("engine.game.perft.count_paths", "engine.game.perft.settle_state"), _perft
    ),
}


def parts_for(specs: Iterable[str]) -> list[str]:
    """What games between some named players need."""
    parts = ["rules"]
    names = {player_name(spec) for spec in specs}
    if "greedy" in names:
        parts += ["values", "players"]
    if names & {"ismcts", "ismcts-plain"}:
        parts += ["search", "reuse"]
    if "heuristic" in names:
        parts += ["values", "players", "heuristic"]
    if "policy" in names:
        parts += ["values", "players", "policy"]
    if "default" in names:
        parts += ["halving"]
    return parts


def missing(names: tuple[str, ...]) -> list[str]:
    """Those of some parts that are not in the cache, where they have to be compiled at all."""
    if native_library() is not None:
        return []
    from masons.engine.kernels.kernel_cache import has_kernel

    return [name for name in names if not all(map(has_kernel, PARTS[name].kernels))]


def prepare(*names: str) -> None:
    """Compile the parts that are not in the cache, and say so on stderr; else do nothing."""
    todo = missing(names)
    if todo:
        say(f"compiling the kernels: {_how_often()}")
        compile_parts(todo)


def _how_often() -> str:
    from masons.engine.kernels.kernel_cache import cache_folder, is_refused

    if is_refused():
        return "they are not kept, as asked"
    if cache_folder() is None:
        return "they cannot be kept, for no folder can be written (see masons-engine --version)"
    first = "first use only, takes up to a minute"
    return f"{first} ({CHANGED})" if is_outdated() else first


def compile_parts(names: Sequence[str], *, shown: bool = True) -> None:
    """Compile parts, or load them from the cache, with a moving bar on a terminal."""
    from masons.cli.support.console import messages, working

    with working(messages(), shown=shown) as say:
        for number, name in enumerate(names, 1):
            say(f"compiling {PARTS[name].title} ({number} of {len(names)})")
            PARTS[name].compile()
