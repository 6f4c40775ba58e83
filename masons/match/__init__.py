"""Matches between engines, the statistics of matches, and games that people play.

| folder or file | what it holds |
| --- | --- |
| `running/` | planning, playing and saving the games of a match |
| `statistics/` | means, ratings and tests over blocks of games |
| `playing/` | games with people, in a terminal or a browser |
| `match_summary.py` | all figures in the tables of a match |
"""

if __name__ != "masons.match":
    raise ImportError(f"import this package as masons.match, not as {__name__}")
