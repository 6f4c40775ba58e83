"""The board and its panels as text.

| file | what it holds |
| --- | --- |
| `character_grid.py` | where towers, lines and spaces lie on a grid of characters |
| `drawn_pieces.py` | which pieces are drawn on which space |
| `colors.py` | colours, letters and strokes |
| `text_board.py` | the board |
| `text_panels.py` | what stands beside it |
| `position_list.py` | a position as a list |
| `text_page.py` | the whole page |
| `puzzle_page.py` | the page of a puzzle |
"""
