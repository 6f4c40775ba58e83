"""A game at a terminal.

| file | what it holds |
| --- | --- |
| `turn_loop.py` | the course of a game, and commands in place of moves |
| `game_display.py` | a game's pages, and questions of yes or no |
| `typed_moves.py` | moves, rolls and hands that people type |
| `screen.py` | the terminal: output, and the line that is typed |
| `text_page.py` | the whole page, and that of a puzzle |
| `text_board.py` | the board as text |
| `text_panels.py` | what stands beside the board |
| `colors.py` | colors and strokes |
"""
