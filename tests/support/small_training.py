"""The training command in miniature: `python -m tests.support.small_training`."""

from __future__ import annotations

from collections.abc import Callable

from masons.ai.training import train, train_calibration, train_heuristic, training_games


def make_small(set_to: Callable[[object, str, object], None]) -> None:
    """Set what makes training take long to little."""
    set_to(train, "GENERATIONS", 2)
    set_to(train, "ROUNDS", 2)
    set_to(train, "MORE_ROUNDS", 1)
    set_to(train, "EPOCHS", 2)
    set_to(train, "SHARD_GAMES", 4)
    set_to(train, "VERDICT_GAMES", 1)
    set_to(training_games, "GAMES", 2)
    set_to(training_games, "HELD_OUT", 2)
    set_to(training_games, "SIMULATIONS", (20,))
    set_to(train_calibration, "SIMS", 150)
    set_to(train_heuristic, "GAMES", 30)
    set_to(train_heuristic, "CANDIDATES", 8)


if __name__ == "__main__":
    make_small(setattr)
    train.main()
