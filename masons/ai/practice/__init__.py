"""Practice: decisions as puzzles, which are repeated at growing intervals.

| file or folder | content |
| --- | --- |
| `puzzles.py` | puzzles from a file or from the mistakes of a reviewed game; answers in words |
| `progress.py` | the schedule of repetitions, and the file that stores it |
| `data/` | fifty positions with verified values |
"""
