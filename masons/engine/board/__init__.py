"""The board and the pieces in the box: data, drawings, and the packed table that kernels read.

| file | content |
| --- | --- |
| `components.py` | names and numbers of the pieces, the dice and the cards |
| `geometry.py` | `Board`: spaces, lines and tower spaces; boards from files, and those built in |
| `board_description.py` | a board's data; reading, checking and writing it as JSON |
| `board_rows.py` | boards typed as rows of characters |
| `packed_board.py` | the table that kernels read |
| `board_picture.py` | the pieces to draw, and their colors |
| `symbols.svg`, `symbols.py` | what pieces, regions and land look like, everywhere |
| `piece_layout.py` | where the pieces of a space or a city stand, and how large they are |
| `board_svg.py` | pictures as SVG |
"""
