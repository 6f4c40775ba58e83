"""The board in a browser, and pictures of positions and games.

| file | contents |
| --- | --- |
| `web_server.py` | the socket, the address, running until Ctrl-C |
| `web_app.py` | the page's files, and its web socket: messages in, messages out |
| `guard.py` | tokens, hosts, origins, headers |
| `messages.py` | the messages that a page may send |
| `position_messages.py` | the `position` messages of games and studies |
| `card_reference.py` | the things that each card counts in a position |
| `background.py` | long work beside the event loop; errors as a page is told them |
| `open_games.py` | the games that are open, and the pages that look at them |
| `hosted_game.py` | one game and the people who sit at it |
| `seating.py` | who may see and do what |
| `seat_engines.py` | engines of their own processes in seats |
| `saved_games.py` | the games in the user's folder |
| `study_session.py` | the study of one page |
| `study_line.py` | the positions of a text, and variations from them |
| `live_searches.py` | hints, searches and reviews, which report while they run |
| `coach.py` | the coach, which rates the decisions of a page |
| `reviewed_games.py` | what pages ask of reviewed games: look backs, profiles, puzzles, export |
| `kept_reviews.py` | the file of reviews |
| `after_game.py`, `profile.py` | the messages of a look back, and of a profile |
| `practice_session.py` | the puzzles of one page |
| `lesson_session.py` | the lessons of one page |
| `pictures/` | positions, games and reviews as SVG, PNG and HTML |
| `static/` | the page: HTML, styles, scripts |
"""

if __name__ != "masons.gui":
    raise ImportError(f"import this package as masons.gui, not as {__name__}")
