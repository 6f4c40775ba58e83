"""Practice: decisions as puzzles, and when each comes again.

| file or folder | what it holds |
| --- | --- |
| `puzzles.py` | puzzles, from a file or from the mistakes of a reviewed game |
| `repetition.py` | what was missed comes again soon, what was found later |
| `data/` | fifty positions with verified values |
| `answer_words.py` | an answer in words |
| `progress_file.py` | where it is kept what was found and missed |
"""
