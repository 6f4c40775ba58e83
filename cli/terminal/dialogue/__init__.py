"""A person's side of a game.

| file | what it holds |
| --- | --- |
| `turn_loop.py` | pages out, answers in, until it is over |
| `game_display.py` | a game's pages at a terminal, and its questions |
| `terminal.py`, `line_prompt.py` | where pages are printed and answers typed |
| `typed_moves.py`, `typed_hands.py`, `typed_commands.py` | what a person types |
| `marks.py` | what is marked on the board |
| `help_page.py` | help |
"""
