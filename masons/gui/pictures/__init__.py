"""Pictures of positions and games as SVG, PNG and HTML pages, and the board of the page.

| file | contents |
| --- | --- |
| `position_drawing.py` | the picture of a position as SVG and PNG |
| `side_panels.py` | the panels beside a board, with seats, dice, cards, supply and best moves |
| `overlay.py` | the best moves of an analysis, as a picture shows them |
| `page_board.py` | the board of a page, an SVG whose elements are shown and hidden |
| `game_page.py` | a page that steps through a game, and the frame of all pages |
| `review_page.py` | the pages of one review and of several reviews |
| `mistake_pictures.py` | the pictures on the pages of reviews |
| `review_tables.py` | the tables of a review, for its page and for the terminal |
| `web/` | the scripts and styles of the pages |
"""
