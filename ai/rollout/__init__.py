"""Rollouts: the contenders of a decision played to the end of the game, in the same worlds.

The one source of evidence for what is said of moves: analysis, hints, reviews, practice.

| file | what it holds |
| --- | --- |
| `rollout.py` | which contenders are played, and how often |
| `game_kernel.py` | one game to its end |
| `paired_sums.py` | means, and intervals of differences |
| `noted_games.py` | some of the games move by move |
"""
