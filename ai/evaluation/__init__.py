"""`rewards.py`: the value of a finished game, and the immediate reward of a move."""
