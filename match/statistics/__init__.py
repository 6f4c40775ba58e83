"""What the games of a match say.

| file | what it holds |
| --- | --- |
| `game_results.py` | a game's places, and full blocks |
| `engine_scores.py` | means for each engine and each pair |
| `estimate.py`, `student_t.py` | a mean with its interval |
| `elo.py`, `plackett_luce.py`, `ratings.py` | ratings |
| `sprt.py` | the sequential test |
| `luck_table.py` | the dice and cards that engines got |
| `luck_adjusted.py` | results with the luck of dice and cards taken off |
| `variance_reduction.py` | what equal luck and swapped seats save |
"""
