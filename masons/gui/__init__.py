"""The board in a browser, and pictures of positions and games.

| file | contents |
| --- | --- |
| `web_server.py` | the socket and its address, and the server that runs until Ctrl-C |
| `web_app.py` | the application that serves the page's files and its web socket |
| `guard.py` | access control by tokens, hosts, origins and headers |
| `page_files.py` | the page's files as they are sent: scripts and styles are joined |
| `page_fonts.py` | its fonts, with the characters that it needs |
| `made_files.py` | files that take a while to make, kept in the cache folder |
| `messages.py` | the messages that a page may send, and who hears each of them |
| `sent_messages.py` | the messages that a page is sent, for the tests and types |
| `study_messages.py` | those of studies, puzzles and lessons |
| `message_parts.py` | their parts: events, positions, moves |
| `position_messages.py` | the parts of `position` messages, and those messages of a study |
| `card_reference.py` | the card reference: what each guild card counts in a position |
| `explanation_messages.py` | reasons and expected continuations, as data for a page |
| `opening_messages.py` | the `openings` message, which lists the best first walls |
| `background.py` | long work in threads beside the event loop, and error messages |
| `open_games.py` | the open games and their pages; every message is dispatched here |
| `new_game.py` | the setup of a new game that a page asks for |
| `hosted_game.py` | one game, and the pages that show it |
| `attendance.py` | who is at the table of a game, the running clock and the rematch |
| `invitation.py` | the `invite` message, with a link and its QR code |
| `seating.py` | what each page may see in a game, which messages it may send, its `position` |
| `seat_engines.py` | engines that play seats in separate processes |
| `saved_games.py` | the games in the user's games folder |
| `study_session.py` | the study of one page: a line of positions, puzzles or a lesson |
| `study_line.py` | the line of positions in a study, and a variation from it |
| `kept_rankings.py` | the rankings of moves that a page has seen, which go on when it comes back |
| `live_searches.py` | hints, searches and reviews that report while they run |
| `coach.py` | the coach, which rates the decisions made on a page |
| `reviewed_games.py` | the reviewed games, from which profiles, puzzles and exports are made |
| `kept_reviews.py` | the file in which reviews of finished games are kept |
| `margin_results.py` | the result of each seat in points, divided into luck and play |
| `after_game.py` | the `after` message: a look back at one finished game |
| `profile.py` | the `profile` message: a player's rating and costliest decisions |
| `practice_session.py` | the puzzles of one page |
| `lesson_session.py` | the lessons of one page |
| `pictures/` | positions, games and reviews as SVG, PNG and HTML |
| `static/` | the page, with its HTML, styles and scripts |
| `types/` | the types of the scripts; those of the messages are made from the classes |
"""

if __name__ != "masons.gui":
    raise ImportError(f"import this package as masons.gui, not as {__name__}")
