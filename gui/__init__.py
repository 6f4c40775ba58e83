"""The board in a browser, and pictures of positions and games.

| file | contents |
| --- | --- |
| `web_server.py` | the socket and its address, and the server that runs until Ctrl-C |
| `web_app.py` | the application that serves the page's files and its web socket |
| `guard.py` | access control by tokens, hosts, origins and headers |
| `first_screen.py` | the messages of the first screen, sent before the engine is loaded |
| `messages.py` | the messages that a page may send |
| `position_messages.py` | the `position` messages of games and studies |
| `card_reference.py` | the things that each card counts in a position |
| `opening_messages.py` | the best first walls, and what the games say about them |
| `background.py` | long work beside the event loop, and error messages for pages |
| `open_games.py` | the open games, and the pages that show them |
| `hosted_game.py` | one game, and the pages that show it |
| `seating.py` | the rights of each page to see and to do things in a game |
| `seat_engines.py` | engines that play seats in separate processes |
| `saved_games.py` | the games in the user's folder |
| `study_session.py` | the study of one page |
| `study_line.py` | the positions of a text, and variations from them |
| `live_searches.py` | hints, searches and reviews that report while they run |
| `coach.py` | the coach, which rates the decisions made on a page |
| `reviewed_games.py` | looks back, profiles, puzzles and exports of reviewed games |
| `kept_reviews.py` | the file of reviews |
| `after_game.py`, `profile.py` | the messages for a look back and for a profile |
| `practice_session.py` | the puzzles of one page |
| `lesson_session.py` | the lessons of one page |
| `pictures/` | positions, games and reviews as SVG, PNG and HTML |
| `static/` | the page, with its HTML, styles and scripts |
"""

if __name__ != "masons.gui":
    raise ImportError(f"import this package as masons.gui, not as {__name__}")
