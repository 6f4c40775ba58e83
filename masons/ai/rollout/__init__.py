"""Rollouts: games played to the end after each contender, with the same hidden cards and dice.

A *world* is one deal of the hidden cards and one stream of dice and draws. All contenders of a
decision are played in the same worlds. Analyses, hints, reviews and practice take the figures of
moves from rollouts.

| file | content |
| --- | --- |
| `plan.py` | the division of a decision's time, the contenders, and the number of finalists |
| `rollout.py` | the screening and measuring of the contenders |
| `games.py` | the player of games, and chunks of games, which an executor plays |
| `game_kernel.py` | the kernel that plays games to their end |
| `evidence.py` | sums over paired games, their means, and intervals of differences |
| `figures.py` | the figures of each move |
| `noted_games.py` | games stored move by move, and the expected continuation |
| `rollout_file.py` | a rollout stored in a file, to be continued |
"""
