"""Pictures: positions and games as SVG, PNG and HTML pages.

| file | what it holds |
| --- | --- |
| `position_drawing.py` | a whole picture of a position |
| `side_panels.py` | seats, dice, cards and supply beside the board |
| `overlay.py` | what a search thinks, drawn over the board |
| `sheet.py` | texts and boxes as SVG |
| `supply.py`, `what_is_due.py` | what is left in the box, what is due, in words |
| `png.py` | SVG to PNG |
| `game_page.py`, `game_steps.py` | a game as a page to step through |
| `page_shell.py` | what all pages have in common, and what a browser lets them do |
| `review/` | the page of a review |
| `web/` | the script and the style of the pages |
"""

if __name__ != "masons.pictures":
    raise ImportError(f"import this package as masons.pictures, not as {__name__}")
