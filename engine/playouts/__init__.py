"""Random play inside kernels: whole games, or on from any state.

| file | what it holds |
| --- | --- |
| `policies.py` | the names of the policies |
| `random_moves.py` | a random choice at each decision, by policy |
| `random_rolls.py` | the dice of random play |
| `random_deals.py` | hands and draws at random |
| `random_scoring.py` | a scoring, its swaps and the final scoring, played at random |
| `random_games.py` | turns and whole games |
| `counters.py` | what a run of games adds up |
"""
