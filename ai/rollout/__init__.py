"""Rollouts: games played to the end after the contenders of a decision, in the same worlds.

They are the one source of evidence for the figures of moves: analysis, hints, reviews, practice.

| file | content |
| --- | --- |
| `plan.py` | the division of a decision's time, and the choice of contenders |
| `rollout.py` | the choice of contenders to play, and the number of games |
| `games.py` | games played in parts, by threads or elsewhere |
| `game_kernel.py` | one game, played to its end |
| `evidence.py` | means, intervals of differences, and the figures of each move |
| `noted_games.py` | some of the games move by move, and the likeliest continuation |
| `rollout_file.py` | a rollout stored in a file, to be continued |
"""
