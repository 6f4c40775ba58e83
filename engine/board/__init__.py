"""Boards and the box: plain data, and one packed table for the kernels.

| file | what it holds |
| --- | --- |
| `components.py` | names and numbers of pieces, dice and cards |
| `board_description.py` | a description read: shapes, types and ranges |
| `board_rows.py` | a board typed as rows, a drawing of letters |
| `board_checks.py` | whether what a description says fits together |
| `geometry.py` | `Board`: spaces, lines, tower spaces; boards loaded by name or file |
| `board_text.py` | a board in one text, to be handed on |
| `packed_board.py` | a board as the one table that kernels read |
| `palette.py` | the colours of the board and of the pieces |
| `pieces_to_draw.py` | what there is to draw, as plain data |
| `board_svg.py` | a board, and the pieces on it, drawn as SVG |
| `boards/` | the built-in boards |
"""
