"""Pictures: positions and games as SVG, PNG and HTML pages, and the board of the page.

| file | contents |
| --- | --- |
| `position_drawing.py` | the picture of a position, as SVG and PNG |
| `side_panels.py` | the panels beside its board: seats, dice, cards, supply, best moves |
| `overlay.py` | the best moves of an analysis, as drawn over a board |
| `position_facts.py` | pieces left in the box; the decision due, in words |
| `page_board.py` | the board of a page: an element for each piece, switched on and off |
| `game_page.py` | a game as a page to step through; the frame of all pages |
| `review_page.py` | the pages of a review and of several reviews |
| `mistake_pictures.py` | the pictures on these pages |
| `review_tables.py` | the tables of a review, for its page and for the terminal |
| `web/` | scripts and styles of the pages |
"""
