"""`rewards.py`: the rewards of finished games and of moves, and the value that ranks moves."""
