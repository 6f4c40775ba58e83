"""Practice: decisions as puzzles, and when each comes again.

| file or folder | what it holds |
| --- | --- |
| `puzzles.py` | puzzles, from a file or from the mistakes of a reviewed game; answers in words |
| `progress.py` | when a puzzle comes again, and the file that keeps it |
| `data/` | fifty positions with verified values |
"""
