"""Games between players: matches of engines and their statistics, games that people play.

| folder or file | what it holds |
| --- | --- |
| `setup/` | who plays whom, with which luck, in how much time |
| `running/` | games played, in this process or many, and kept in a file |
| `statistics/` | means, ratings and tests over blocks of games |
| `playing/` | a game with people in its seats, for a terminal or a browser |
| `match_summary.py` | all that the tables of a match show |
| `standings.py` | the table of the named players, and the floors of the default one |
"""

if __name__ != "masons.match":
    raise ImportError(f"import this package as masons.match, not as {__name__}")
