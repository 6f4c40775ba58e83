"""The server behind the page.

| file | what it holds |
| --- | --- |
| `web_server.py` | the socket, the address, running until Ctrl-C |
| `web_app.py` | pages, files and the web socket |
| `guard.py` | tokens, hosts, origins, headers |
| `connection.py` | one page: messages in, messages out |
| `room.py` | the game and those who sit at it |
| `seating.py` | who may see and do what |
| `seat_page.py` | the game as one page may see it |
| `seat_engines.py` | the engines in seats, hints |
| `game_wish.py` | a new game as a page wishes it |
| `saved_games.py` | the games in the user's folder |
"""
