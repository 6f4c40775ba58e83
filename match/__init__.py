"""Matches of engines with their statistics, and games that people play.

| folder or file | what it holds |
| --- | --- |
| `running/` | the games of a match: plan, play in one process or many, save to a file |
| `statistics/` | means, ratings and tests over blocks of games |
| `playing/` | a game with people, for a terminal or a browser |
| `match_summary.py` | all figures in the tables of a match |
| `ladder.py` | the match of all named players, and the scores that the default one must reach |
"""

if __name__ != "masons.match":
    raise ImportError(f"import this package as masons.match, not as {__name__}")
