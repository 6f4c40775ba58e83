"""The page of a review.

| file | what it holds |
| --- | --- |
| `review_page.py` | the page |
| `review_tables.py` | the cells of its tables, which the terminal shows too |
| `win_graph.py` | win probability over the game |
| `mistake_pictures.py` | pictures of decisions that went wrong |
| `review_style.py` | how the page looks |
"""
