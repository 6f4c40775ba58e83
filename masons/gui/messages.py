"""The messages that a page may send, as classes, and the parser that reads them from JSON.

A message is a JSON object whose `type` selects the class. `messages.md` is the specification. If a
field is missing, unknown or of the wrong type, the message is refused with a line that names the
field.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, ClassVar, Final, Literal

from msgspec import Meta, Struct, ValidationError, convert

from masons.ai.search.search_options import TOP_LEVEL
from masons.engine.board.components import HAND, MAX_PLAYERS, MIN_PLAYERS
from masons.engine.checks import shown
from masons.engine.plain_text import plain
from masons.engine.strict_json import strict_json
from masons.match.playing.game_clock import MAX_INCREMENT, MAX_SECONDS
from masons.protocol.messages.error_codes import Refused

MAX_BYTES: Final = 1 << 22
_MOST_PREVIEWS: Final = 50

Text = Annotated[str, Meta(max_length=4000)]
Number = Annotated[int, Meta(ge=0, le=10**18)]
Cards = Annotated[tuple[Text, ...], Meta(max_length=HAND)]
Hands = Annotated[tuple[Cards, ...], Meta(max_length=4)]


class PageMessage(Struct, frozen=True, forbid_unknown_fields=True):
    """A message from a page. Its tag is the `type` of the JSON object.

    `heard_by` names the object whose method `hear_TYPE` carries out the message: the open games,
    the page's game, the page's study, or the one of these two that the page shows.
    """

    heard_by: ClassVar[Literal["games", "game", "study", "game or study"]] = "games"


class HostMessage(PageMessage, frozen=True):
    """A message that only pages of the host may send."""


class StudyMessage(HostMessage, frozen=True):
    """A message for the study of a page."""

    heard_by = "study"


class GameMessage(PageMessage, frozen=True):
    """A message for the game that a page shows."""

    heard_by = "game"


class SeatWish(Struct, frozen=True, forbid_unknown_fields=True):
    """The wishes for a seat of a new game."""

    kind: Literal["person", "engine"]
    name: Text = ""
    level: Annotated[int, Meta(ge=1, le=TOP_LEVEL)] | None = None
    seconds: Annotated[float, Meta(ge=0.05, le=600)] | None = None
    engine: Text = ""  # the name of an engine that the program was started with


class ClockWish(Struct, frozen=True, forbid_unknown_fields=True):
    """The time of each of two people, in seconds, and what each wall adds to it."""

    seconds: Annotated[int, Meta(ge=1, le=MAX_SECONDS)]
    increment: Annotated[int, Meta(ge=0, le=MAX_INCREMENT)] = 0


class NewGame(HostMessage, frozen=True, tag="newgame"):
    """A request to begin a game."""

    seats: Annotated[tuple[SeatWish, ...], Meta(min_length=2, max_length=4)]
    seed: Number | None = None
    dice: Literal["engine", "own"] = "engine"
    hands: Hands | None = None
    first: Number = 0
    practice: bool = False
    early_roll: bool = False
    # For a fair game, after `commit`: the nonce of each seat, which is "" for the engine's seats.
    nonces: Cards = ()
    clock: ClockWish | None = None
    hints: bool = True  # False: nobody may ask for hints or have a coach


class Commit(HostMessage, frozen=True, tag="commit"):
    """A request that the program commit to a secret, for a fair game of `players` seats."""

    players: Number


class Resume(HostMessage, frozen=True, tag="resume"):
    """A request to continue a game from the list."""

    file: Text


class Leave(HostMessage, frozen=True, tag="leave"):
    """A request to leave the game. Its file stays."""


class ListGames(PageMessage, frozen=True, tag="games"):
    """A request for the list of games."""


class AskPreviews(HostMessage, frozen=True, tag="previews"):
    """A request for the boards and scores of some games in the list.

    The file "" stands for the puzzle of the day.
    """

    files: Annotated[tuple[Text, ...], Meta(max_length=_MOST_PREVIEWS)]


class AskOpenings(HostMessage, frozen=True, tag="openings"):
    """A request for the best first walls, for a given hand or, without one, on average."""

    players: Annotated[int, Meta(ge=MIN_PLAYERS, le=MAX_PLAYERS)]
    hand: Cards = ()


class Sit(GameMessage, frozen=True, tag="sit"):
    """A request to lift the curtain for a seat, or to let it fall if `seat` is None."""

    seat: Number | None


class Ready(GameMessage, frozen=True, tag="ready"):
    """A notice that the player has seen the board: no dialog is over it."""


class Invite(HostMessage, frozen=True, tag="invite"):
    """A request to give a seat to another device, or with `back` to take the seat back.

    With `again`, a seat that has an address keeps it, and the address is sent once more.
    """

    heard_by = "game"

    seat: Number
    back: bool = False
    again: bool = False


class OpenNetwork(HostMessage, frozen=True, tag="network"):
    """A request to let other devices of the local network reach the server."""


class Ping(PageMessage, frozen=True, tag="ping"):
    """A question whether the connection still works, which `pong` answers."""


class Rematch(GameMessage, frozen=True, tag="rematch"):
    """A wish to play the game that is over once more, with the seats turned."""


class MakeMove(GameMessage, frozen=True, tag="move"):
    """A decision of the seat that is due.

    `at` is the number of the position that the page shows. Unless `sure` is true, the coach asks
    first if the move is certainly a mistake.
    """

    move: Text
    at: Number
    sure: bool = True


class GiveRoll(GameMessage, frozen=True, tag="roll"):
    """A roll of the dice at a real table."""

    tower: Text | None
    houses: Cards
    at: Number


class GiveCard(GameMessage, frozen=True, tag="card"):
    """A card that was drawn at a real table."""

    card: Text
    at: Number


class Undo(GameMessage, frozen=True, tag="undo"):
    """A request to take back the last decision."""

    at: Number


class Resign(GameMessage, frozen=True, tag="resign"):
    """A request to resign the game for the seat that decides."""

    at: Number


class Retry(GameMessage, frozen=True, tag="retry"):
    """A request to ask an engine again after it failed to decide."""


class StartSearch(PageMessage, frozen=True, tag="go"):
    """A request for a hint, or with `infinite` for the best moves in the study."""

    heard_by = "game or study"

    sims: Number | None = None
    infinite: bool = False


class SetCoach(GameMessage, frozen=True, tag="coach"):
    """A request to switch the coach of the page on or off."""

    on: bool


class LookBack(PageMessage, frozen=True, tag="after"):
    """A request to look back at the game after its end."""


class StopSearch(PageMessage, frozen=True, tag="stop"):
    """A request to end the running search."""


class AskCards(PageMessage, frozen=True, tag="cards"):
    """A request for the card reference.

    City cards count one city. `city` is the lowest space of this city.
    """

    heard_by = "game or study"

    city: Number | None = None


class AskRecord(GameMessage, frozen=True, tag="record"):
    """A request for the record of the game after its end."""


class OpenStudy(HostMessage, frozen=True, tag="study"):
    """A request to study a position or records.

    `text` holds the position or records; `game` is the number of the record to study, from 1.
    Instead, `file` can name a finished game of the list. If both are empty, the page's finished
    game is studied. `step` is the step of the study to show first.
    """

    text: str = ""
    game: Number = 1
    step: Number | None = None
    file: Text = ""


class GoToStep(StudyMessage, frozen=True, tag="step"):
    """A request to go to a step of the study, or with `back` to leave the variation."""

    to: Number
    back: bool = False


class TryMove(StudyMessage, frozen=True, tag="try"):
    """A move to make in the study. A move other than the one played begins a variation."""

    move: Text


class Evaluate(StudyMessage, frozen=True, tag="evaluate"):
    """A request for the graph of the finished game in the study."""


class Compare(StudyMessage, frozen=True, tag="compare"):
    """A request for the reasons why one of two moves is better."""

    first: Text
    second: Text


class AskBelief(StudyMessage, frozen=True, tag="belief"):
    """A request for the cards that the other seats probably hold."""


class StartReview(StudyMessage, frozen=True, tag="review"):
    """A request for a review of the game in the study."""


class NextPuzzle(HostMessage, frozen=True, tag="practice"):
    """A request for the next puzzle, or with `begin` for the first puzzle of a new set.

    The set holds bundled puzzles, with `daily` the puzzle of the day first, and with `theme` only
    those with this theme. With `mistakes`, it holds the mistakes of the reviewed game; with
    `player`, this player's mistakes in the last games; with `file`, the mistakes of people in that
    game.
    """

    begin: bool = False
    daily: bool = False
    theme: Text = ""
    mistakes: bool = False
    player: Text = ""
    file: Text = ""


class AskProfile(HostMessage, frozen=True, tag="profile"):
    """A request for the profile of a player, or of the most frequent player if it is "".

    With `review`, games that have no review yet are reviewed first.
    """

    player: Text = ""
    review: bool = False


class ExportGames(HostMessage, frozen=True, tag="export"):
    """A request for the finished games and their reviews as one file."""


class DeleteGames(HostMessage, frozen=True, tag="forget"):
    """A request to delete all games of the folder and their reviews."""


class DeleteGame(HostMessage, frozen=True, tag="delete"):
    """A request to delete one game of the list. Its review stays, as ratings need it."""

    file: Text


class AnswerPuzzle(StudyMessage, frozen=True, tag="answer"):
    """An answer to a puzzle, or "" to be shown it."""

    move: Text


class ListLessons(StudyMessage, frozen=True, tag="lessons"):
    """A request to close the open lesson and to list all lessons in a language."""

    language: Text = "en"


class BeginLesson(StudyMessage, frozen=True, tag="lesson"):
    """A request to begin the lesson with the given number, from 1, in a language."""

    number: Number
    language: Text = "en"


class DoLesson(StudyMessage, frozen=True, tag="learn"):
    """An action in the lesson. The action `next` goes on from a step without a task."""

    act: Literal["move", "next", "show", "hint", "undo"]
    move: Text = ""


class WatchFile(StudyMessage, frozen=True, tag="watch"):
    """A request to start or stop showing each new game of the watched file."""

    on: bool


class AskPicture(StudyMessage, frozen=True, tag="picture"):
    """A request for a picture of the position in the study, or of the game up to it.

    `gif` is an animated picture of the last `turns`, or of the whole game if this is 0. `html` is
    the page of the reviewed game.
    """

    kind: Literal["svg", "png", "gif", "html"]
    turns: Number = 0


class SaveLine(StudyMessage, frozen=True, tag="save"):
    """A request for the record of the study, including the variation."""


class CloseStudy(HostMessage, frozen=True, tag="close"):
    """A request to close the study."""


def _kinds(base: type[PageMessage]) -> Iterator[tuple[str, type[PageMessage]]]:
    for kind in base.__subclasses__():
        if isinstance(tag := kind.__struct_config__.tag, str):
            yield tag, kind
        yield from _kinds(kind)


MESSAGES: Final = dict(_kinds(PageMessage))


def parse_message(text: str) -> PageMessage:
    """Parse a message. Raises Refused with a line that names the fault."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise Refused("syntax", f"a message has at most {MAX_BYTES} bytes")
    try:
        data = strict_json(text)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise Refused("syntax", "a message is one JSON object")
    name = data.get("type")
    kind = MESSAGES.get(name) if isinstance(name, str) else None
    if kind is None:
        raise Refused("unknown", f"type is {shown(name)}: it is one of {', '.join(MESSAGES)}")
    try:
        json.dumps(data, ensure_ascii=False).encode()
        return convert(data, kind)
    except UnicodeEncodeError:  # JSON can write half a surrogate pair, which UTF-8 cannot
        raise Refused("syntax", f"{name} holds half characters") from None
    except ValidationError as error:
        what, _, path = str(error).replace("`", "").partition(" - at $")
        line = " ".join(f"{name}{path}: {what[:1].lower()}{what[1:]}".split())
        raise Refused("syntax", plain(line[:300])) from None
