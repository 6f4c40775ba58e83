"""Games between players: matches of engines and their statistics, games that people play.

| folder or file | what it holds |
| --- | --- |
| `running/` | the games of a match: planned, played in this process or many, kept in a file |
| `statistics/` | means, ratings and tests over blocks of games |
| `playing/` | a game with people in its seats, for a terminal or a browser |
| `match_summary.py` | all that the tables of a match show |
| `ladder.py` | the ladder: its players, and the scores that the default one must reach |
"""

if __name__ != "masons.match":
    raise ImportError(f"import this package as masons.match, not as {__name__}")
