"""A game at a terminal: `turn_loop.py` runs it, the other files draw pages and read input."""
