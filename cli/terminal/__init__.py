"""Games at a terminal. `turn_loop.py` runs a game; the other files draw pages and read input."""
