"""A game at a terminal: `turn_loop.py` runs it; boards, pages and answers in the other files."""
