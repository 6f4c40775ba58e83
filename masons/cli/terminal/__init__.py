"""Games at a terminal.

| file | content |
| --- | --- |
| `turn_loop.py` | the loop that runs a game |
| `game_display.py` | the pages of a game |
| `text_page.py` | the page of a decision: the board, panels, news and a menu |
| `styled_board.py` | drawings of the board in the colors of a terminal |
| `puzzle_page.py` | the pages of `practice` |
| `lesson_page.py` | the pages of `learn` |
| `screen.py` | output of pages, and input of lines |
| `typed_moves.py` | parsers of typed moves, rolls and hands |
"""
