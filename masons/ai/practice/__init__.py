"""Practice: decisions as puzzles, which are repeated at growing intervals.

| file or folder | content |
| --- | --- |
| `puzzles.py` | puzzles from a file or from the mistakes of a reviewed game; answers in words |
| `progress.py` | the schedule of repetitions, the rating, and the file that stores them |
| `glicko.py` | the ratings of puzzles and of those who solve them |
| `data/` | the puzzles of the program, in which one move is best by a clear margin |
"""
