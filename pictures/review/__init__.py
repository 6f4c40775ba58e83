"""The page of a review.

| file | what it holds |
| --- | --- |
| `review_page.py` | the page |
| `overview_page.py` | several games on one page, with links to their own |
| `html_parts.py` | what both pages have in common |
| `review_tables.py` | the cells of its tables, which the terminal shows too |
| `win_graph.py` | win probability over the game |
| `mistake_pictures.py` | pictures of decisions that went wrong |
| `review_style.py` | how the page looks |
"""
