"""Rollouts: the contenders of a decision played to the end of the game, in the same worlds.

The one source of evidence for the figures of moves: analysis, hints, reviews, practice.

| file | what it holds |
| --- | --- |
| `plan.py` | how the time of a decision is shared out, which moves are contenders |
| `rollout.py` | which contenders are played, and how often |
| `games.py` | games played in parts, by threads or elsewhere |
| `game_kernel.py` | one game to its end |
| `evidence.py` | means, and intervals of differences; the figures of each move |
| `noted_games.py` | some of the games move by move; the likeliest continuation |
| `rollout_file.py` | a rollout kept in a file, to go on with it |
"""
