"""Games at a terminal: `turn_loop.py` runs a game, and the other files draw and read."""
