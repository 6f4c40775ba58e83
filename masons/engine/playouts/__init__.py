"""Random play inside kernels, of whole games or from any state to the end.

| file | content |
| --- | --- |
| `random_games.py` | the loop of turns, and whole games |
| `random_moves.py` | dice, and random lines, towers, houses, scorings and swaps |
| `random_scoring.py` | deals, draws, scorings and the final scoring |
| `policies.py` | names of the policies |
| `counters.py` | totals over games |
"""
