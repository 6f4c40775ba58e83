"""The open games and the pages that show them, with the routing of the pages' messages.

A page shows one game or none. Several games may be open, and each may be shown by several pages. A
game is named by its file, so that a page finds its game again after the program is restarted.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from masons.ai.search.search_options import TABLE_LEVEL
from masons.engine.board.geometry import builtin_boards
from masons.engine.errors import FileLostError, MasonsError
from masons.engine.fair.fair_game import Fair, FairOffer
from masons.engine.game.record import parse_record
from masons.gui import messages as said
from masons.gui.background import Declined, Tasks, declined_as, in_thread
from masons.gui.first_screen import games_message, id_message
from masons.gui.hosted_game import HostedGame
from masons.gui.live_searches import CoachedVerdicts
from masons.gui.opening_messages import openings_message
from masons.gui.pictures.page_board import board_message
from masons.gui.reviewed_games import ReviewedGames
from masons.gui.saved_games import SavedGames
from masons.gui.seat_engines import SeatEngines, engine_spec
from masons.gui.seating import NOTHING_TOLD, Client
from masons.gui.study_session import StudySession
from masons.match.playing.kept_games import seat_names
from masons.match.playing.played_game import GameSetup
from masons.protocol.messages.error_codes import Refused

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.gui.guard import Guard
    from masons.match.playing.played_game import PlayedGame

_WITHDRAWN: Final = "this address is no longer valid: ask whoever started the program for a new one"
_MOST_OPEN: Final = 12  # if more games are open, those that no page shows are closed
# The messages that make a page show something else.
_LEAVING: Final = (said.NewGame, said.Resume, said.Leave, said.OpenStudy, said.CloseStudy)


def _target(message: said.PageMessage | None) -> tuple[str, str]:
    """Return the file and the text that a message opens. Each is "" if there is none."""
    return getattr(message, "file", ""), getattr(message, "text", "")


class OpenGames:
    """The open games and the pages."""

    def __init__(self, board: Board, guard: Guard, commands: Mapping[str, str]) -> None:
        """Begin without open games.

        `commands` maps the names of engines that may play seats to their commands.
        """
        self._board = board
        self.guard = guard
        self._commands = commands
        self._numbers = count(1)  # unique numbers of positions and games
        self.saved = SavedGames(board)
        self._board_message = board_message(board)
        self._games: dict[str, HostedGame] = {}  # by file; the last one was entered most recently
        self._clients: set[Client] = set()
        guard.withdrawn = self._dismiss
        self._first: said.Resume | said.OpenStudy | None = None  # opens what new pages show first
        self._file = ""  # the file that can be watched
        self._coached = CoachedVerdicts()
        self._reviewed = ReviewedGames(board, self.saved, self._coached)
        self._tasks = Tasks()

    # --- what new pages of the host show first, until a page of the host has left it

    def open_first(self, file: str) -> None:
        """Let new pages begin by showing the game in a file."""
        self._first = said.Resume(self.saved.name_file(file))

    def watch_first(self, file: str) -> None:
        """Let pages watch a file that does not hold a game yet."""
        self._file = file

    def study_first(self, text: str, game: int, step: int | None, file: str = "") -> None:
        """Let new pages begin with a study of a text; `file` is the file of the text, if any."""
        self._first = said.OpenStudy(text, game, step)
        self._file = file

    def forget_seats(self) -> None:
        """Withdraw the tokens for seats of games that are over or whose files are gone."""
        for file in {pass_.file for pass_ in self.guard.seats.values()}:
            if not self.saved.is_unfinished(file):
                self.guard.withdraw(file)

    # --- pages

    def join(self, client: Client) -> None:
        """Add a page that was opened. If its game cannot be opened, tell the page."""
        self._clients.add(client)
        self._dismiss()
        if client not in self._clients:
            return  # the page's pass was withdrawn while the games were being prepared
        is_host = client.pass_.is_host
        if client.has_screen:
            self._list(client)
            return
        client.send(self._board_message)
        client.send(
            id_message(self.guard, self._commands, is_host=is_host, can_watch=bool(self._file))
        )
        if is_host:
            self._show_none(client)
            if self._first and not client.was_open:
                client.is_at_first = True
                self._attempt(client, partial(self.hear, client, self._first))
        elif not self._attempt(client, partial(self._enter, client, client.pass_.file)):
            self._show_none(client)

    def _dismiss(self) -> None:
        """Tell each page whose pass was withdrawn, and then close its socket."""
        for client in tuple(self._clients):
            if not self.guard.is_valid(client.pass_):
                client.fail(Declined("illegal", _WITHDRAWN, "withdrawn"))
                client.end()
                self.part(client)

    def part(self, client: Client) -> None:
        """Remove a page that was closed. Its game stays open, as the page may return."""
        client.stop_search()
        if client.study is not None:
            client.study.put_away()
        if client.game is not None:
            client.game.leave(client)
        self._clients.discard(client)
        self._tidy()

    def answer(self, client: Client, text: str | None) -> None:
        """Carry out a message. A failure is answered by one `error` message."""

        def hear() -> None:
            if text is None:
                raise Refused("syntax", "a message is text, one JSON object")
            self.hear(client, said.parse_message(text))

        self._attempt(client, hear)

    def _attempt(self, client: Client, work: Callable[[], None]) -> bool:
        """Do some work for a page; return whether it succeeded. If it fails, tell the page."""
        try:
            work()
        except Exception as error:
            client.fail(error)
            if isinstance(error, FileLostError) and client.game is not None:
                self._put_away(client.game)  # as another program has changed the game's file
            return False
        return True

    def hear(self, client: Client, message: said.PageMessage) -> None:
        """Carry out a page's message. Raises Refused, MasonsError, OSError or FileLostError."""
        if isinstance(message, said.HostMessage) and not client.pass_.is_host:
            raise Refused("illegal", "only the page of whoever started the program may do this")
        match message:
            case said.Shown():
                pass  # the games are ready already
            case said.NewGame():
                self._new_game(client, message)
            case said.Commit(players=players):  # this comes before the seats give their nonces
                client.offer = FairOffer(players)
                client.send({"type": "commitment", "commitment": client.offer.commitment})
            case said.Resume(file=file):
                self._enter(client, file)
            case said.Leave():
                self._leave(client)
            case said.ListGames():
                self._list(client)
            case said.AskPreviews(files=files):
                self._tasks.begin(self._send_previews(client, files))
            case said.AskOpenings(players=players, hand=hand):
                client.send(openings_message(self._board, players, hand))
            case said.StopSearch():
                if client.study is not None:
                    client.study.stop()
                client.stop_search()
            case said.AskProfile(player=player, review=review):
                self._reviewed.profile(client, player, reviews_first=review)
            case said.LookBack():
                self._look_back(client)
            case said.ExportGames():
                self._reviewed.export(client)
            case said.DeleteGames():
                self._delete_all(client)
            case said.NextPuzzle(player=player, file=file) if player or file:
                game = client.game
                seats = game.seating.seats(client) if game and game.file == file else ()
                self._study_of(client).practice(self._reviewed.puzzles(player, file, seats))
            case said.StudyMessage():
                self._study(client, message)
            case said.StartSearch() | said.AskCards() if (
                client.study is not None and client.is_studying
            ):
                client.study.hear(message)
            case _:
                self._game_of(client).hear(client, message)
        is_closing = isinstance(message, said.CloseStudy)
        if isinstance(message, _LEAVING) and not (is_closing and client.is_studying):
            was_first = client.is_at_first
            client.is_at_first = _target(message) == _target(self._first)
            if was_first and not client.is_at_first:
                self._first = None

    def close(self) -> None:
        """Release all files and engines."""
        for game in tuple(self._games.values()):
            self._put_away(game)

    def _show_none(self, client: Client) -> None:
        client.send({"type": "nogame", "at": next(self._numbers)})
        self._list(client)

    def _list(self, client: Client) -> None:
        if client.pass_.is_host:
            client.send({**games_message(self._games), "level": self._reviewed.level})
            self._reviewed.tell_fault(client)
        else:
            client.send({"type": "games", "games": [], "level": 1})

    async def _send_previews(self, client: Client, files: Sequence[str]) -> None:
        """Send the boards of games, leaving out games that cannot be replayed."""
        for file in files:
            with suppress(MasonsError, OSError):
                client.send(await in_thread(partial(self.saved.preview, file)))

    def _look_back(self, client: Client) -> None:
        """Send a page the look back at its game, for the page's seats.

        If the page has no seats, the look back is for all people.
        """
        game = self._game_of(client)
        record, people = parse_record(game.record()), frozenset(game.played.setup.people)
        seats = game.seating.seats(client) or people
        self._reviewed.look_back(client, game.file, record, people, seats)

    def _delete_all(self, client: Client) -> None:
        """Delete all games and reviews. Pages that showed a game then show none.

        Raises OSError.
        """
        for game in tuple(self._games.values()):
            self.guard.withdraw(game.file)
            self._put_away(game)
        held = self.saved.delete_all()
        self._reviewed.forget()
        client.send({"type": "deleted", "held": held})
        self._list(client)

    @staticmethod
    def _game_of(client: Client) -> HostedGame:
        if client.game is None:
            raise Refused("state", "there is no game: newgame begins one")
        return client.game

    # --- games

    def _new_game(self, client: Client, message: said.NewGame) -> None:
        setup = game_setup(message, self._board, self._commands)
        offer, client.offer = client.offer, None
        fair = fair_of(message, offer)
        engines = SeatEngines(self._commands)
        with nullcontext() if setup.hands is None else declined_as("hands"):
            file, played = self.saved.begin(setup, fair, engines.player_of)
        if (namesake := self._games.get(file)) is not None:  # the file of this game was removed
            self._put_away(namesake)
        self.guard.withdraw(file)
        self._show_in(client, self._hosted(file, played, engines))

    def _enter(self, client: Client, file: str) -> None:
        """Show a game on a page, and open the game if needed. Raises MasonsError or OSError."""
        game = self._games.get(file)
        if game is None:
            engines = SeatEngines(self._commands)
            played = self.saved.resume(file, engines.player_of)
            game = self._hosted(file, played, engines)
        self._show_in(client, game)

    def _hosted(self, file: str, played: PlayedGame, engines: SeatEngines) -> HostedGame:
        return HostedGame(file, played, engines, self.guard, self._numbers, self._coached)

    def _show_in(self, client: Client, game: HostedGame) -> None:
        if client.study is not None:
            client.study.stop()
        if client.game is not None:
            client.game.leave(client)
        self._games.pop(game.file, None)
        self._games[game.file] = game
        game.enter(client)
        self._tidy()

    def _leave(self, client: Client) -> None:
        """Show no game on a page, and end its study.

        If no other page shows the game and no seat is invited, its file is released for other
        programs.
        """
        if client.study is not None:
            client.study.put_away()
        if (game := client.game) is not None:
            game.leave(client)
            if not game.clients and not self.guard.invited(game.file):
                self._put_away(game)
        self._show_none(client)

    def _put_away(self, game: HostedGame) -> None:
        self._games.pop(game.file, None)
        game.close()

    def _tidy(self) -> None:
        """Close games that no page shows if they are over or too many games are open.

        Nothing is lost, as an unfinished game is opened again on request.
        """
        for game in [game for game in self._games.values() if not game.clients]:
            if game.played.is_over or len(self._games) > _MOST_OPEN:
                self._put_away(game)

    def _study_of(self, client: Client) -> StudySession:
        if client.study is None:
            client.study = StudySession(self._board, client.send, self._file, self._coached)
        return client.study

    def _study(self, client: Client, message: said.StudyMessage) -> None:
        """Pass a message to the page's study, which never gets the record of a running game."""
        if isinstance(message, said.OpenStudy) and message.file:
            message = replace(message, text=self.saved.record_text(message.file))
        elif isinstance(message, said.OpenStudy) and not message.text:
            message = replace(message, text=self._game_of(client).record())
        self._study_of(client).hear(message)
        if isinstance(message, said.CloseStudy) and not client.is_studying:
            if client.game is not None:
                client.told = NOTHING_TOLD
                client.game.show(client)
            else:
                self._show_none(client)


# --- a new game


def game_setup(message: said.NewGame, board: Board, engines: Mapping[str, str]) -> GameSetup:
    """Return the setup that a page asks for. Raises Refused if the setup is impossible."""
    seats, hands, fair = message.seats, message.hands, bool(message.nonces)
    people = tuple(seat for seat, wish in enumerate(seats) if wish.kind == "person")
    unknown = [wish.engine for wish in seats if wish.engine and wish.engine not in engines]
    is_seeded = message.seed is not None
    for is_wrong, text in (
        (not people, "seats: at least one person must sit in a game"),
        (unknown, f"seats.engine: there is no {(*unknown, '')[0][:40]!r}"),
        (message.first >= len(seats), f"first: the seats are 0 to {len(seats) - 1}"),
        (
            (message.dice == "own") != (hands is not None),
            "dice: engine, or own with the hands that were dealt",
        ),
        (hands is not None and is_seeded, "seed: own dice have no seed"),
        (
            fair and (is_seeded or hands is not None or message.practice),
            "nonces: no seed, own dice or practice in a fair game",
        ),
    ):
        if is_wrong:
            raise Refused("illegal", f"newgame.{text}")
    seed = message.seed
    if seed is None and hands is None and not fair:
        seed = random.SystemRandom().getrandbits(48)
    specs = tuple(
        "" if wish.kind == "person" else engine_spec(wish.engine, wish.level, wish.seconds)
        for wish in seats
    )
    wishes = [wish.name.strip() for wish in seats]
    try:
        names = seat_names(wishes, len(seats), people, may_be_empty=True)
    except MasonsError as error:
        raise Declined("illegal", f"newgame.seats.name: {error}", "names") from None
    return GameSetup(
        players=len(seats),
        people=people,
        names=names,
        seed=seed,
        level=TABLE_LEVEL,
        first=message.first,
        early_roll=message.early_roll,
        practice=message.practice,
        board=board.name,
        board_sha256="" if board.name in builtin_boards() else board.sha256,
        hands=hands,
        engines=specs if any(specs) else (),
    )


def fair_of(message: said.NewGame, offer: FairOffer | None) -> Fair | None:
    """Return the dice and cards of a fair game, or None if `message` has no nonces.

    The dice and cards result from the program's secret and the nonces of people. The seats of
    engines give no nonces, as the program, which knows the secret, would choose them. Raises
    MasonsError.
    """
    if not message.nonces:
        return None
    seats = len(message.seats)
    if offer is None or not len(message.nonces) == len(offer.missing) == seats:
        raise Refused("illegal", "newgame.nonces: first commit, for as many seats")
    for seat, (wish, nonce) in enumerate(zip(message.seats, message.nonces, strict=True)):
        if wish.kind == "person":
            offer.give(seat, nonce)
    return offer.close()
