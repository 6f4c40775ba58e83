"""Commands about positions and finished games.

| file | what it holds |
| --- | --- |
| `analyze.py` | the moves of a position, ranked by games played after them |
| `belief.py` | what the other seats may hold, and what those cards would score |
| `practice.py` | decisions of one's own games, or that come along, as puzzles |
| `replay.py` | games of a file of records, in words, checked, or as numbers of legal moves |
| `review.py` | a finished game decision by decision, with luck apart from skill |
| `show.py` | a position in words or as a picture, a whole game as a page to step through |
| `verify.py` | dice and cards of fair games, replayed against what was committed to |
"""
