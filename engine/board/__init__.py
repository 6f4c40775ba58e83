"""Boards and the box: plain data, and one packed table for the kernels.

| file | what it holds |
| --- | --- |
| `components.py` | names and numbers of pieces, dice and cards |
| `geometry.py` | `Board`: spaces, lines, tower spaces; a description read and checked |
| `packed_board.py` | a board as the one table that kernels read |
| `board_svg.py` | a board, and the pieces on it, drawn as SVG |
| `boards/` | the built-in boards |
"""
