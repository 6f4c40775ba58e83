"""Rollouts: games played to the end after each contender, with the same hidden cards and dice.

A *world* is one deal of the hidden cards and one stream of dice and draws. All contenders of a
decision are played in the same worlds. Analyses, hints, reviews and practice take the figures of
moves from rollouts.

| file | content |
| --- | --- |
| `plan.py` | the division of a decision's time, the contenders, and the number of finalists |
| `rollout.py` | the screening and measuring of the contenders |
| `chunks.py` | chunks of games, their sizes, and their results in order |
| `games.py` | games played in parts, by threads or by another backend |
| `game_kernel.py` | the kernel that plays games to their end |
| `evidence.py` | means, intervals of differences, and the figures of each move |
| `noted_games.py` | games stored move by move, and the expected continuation |
| `rollout_file.py` | a rollout stored in a file, to be continued |
"""
