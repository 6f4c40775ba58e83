"""The server behind the page.

| file | what it holds |
| --- | --- |
| `web_server.py` | the socket, the address, running until Ctrl-C |
| `web_app.py` | pages, files and the web socket |
| `guard.py` | tokens, hosts, origins, headers |
| `kept_tokens.py` | tokens that outlive the program |
| `connection.py` | connections and their limits; one page: messages in, messages out |
| `open_games.py` | the games that are open, and which page looks at which |
| `hosted_game.py` | one game and those who sit at it |
| `seating.py` | who may see and do what |
| `seat_page.py` | the game as one page may see it |
| `seat_engines.py` | the engines in seats, hints |
| `new_game_options.py` | a new game as a page asks for it |
| `saved_games.py` | the games in the user's folder |
"""
