"""The messages that a page may send: JSON objects with a `type`, each read into a class of these.

`messages.md` is their specification. A field that is missing, unknown or of another type is refused
with a line that names it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, ValidationError, convert

from masons.ai.search.levels import TOP_LEVEL
from masons.engine.board.components import HAND, MAX_PLAYERS, MIN_PLAYERS
from masons.engine.checks import shown
from masons.engine.plain_text import plain
from masons.engine.strict_json import strict_json
from masons.protocol.messages.error_codes import Refused

MAX_BYTES: Final = 1 << 22
MAX_FINALS: Final = 50

Text = Annotated[str, Meta(max_length=4000)]
Number = Annotated[int, Meta(ge=0, le=10**18)]
Cards = Annotated[tuple[Text, ...], Meta(max_length=HAND)]
Hands = Annotated[tuple[Cards, ...], Meta(max_length=4)]


class PageMessage(Struct, frozen=True, forbid_unknown_fields=True):
    """A message; its tag is its type."""


class HostMessage(PageMessage, frozen=True):
    """A message that only pages of the host may send."""


class StudyMessage(HostMessage, frozen=True):
    """A message to the study of a page."""


class SeatWish(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat of a new game."""

    kind: Literal["person", "engine"]
    name: Text = ""
    level: Annotated[int, Meta(ge=1, le=TOP_LEVEL)] | None = None
    seconds: Annotated[float, Meta(ge=0.05, le=600)] | None = None
    engine: Text = ""  # the name of an engine that the program was started with


class NewGame(HostMessage, frozen=True, tag="newgame"):
    """Begin a game."""

    seats: Annotated[tuple[SeatWish, ...], Meta(min_length=2, max_length=4)]
    seed: Number | None = None
    dice: Literal["engine", "own"] = "engine"
    hands: Hands | None = None
    first: Number = 0
    practice: bool = False
    early_roll: bool = False
    # Of a fair game, after `commit`: the contribution of each seat to chance, "" for the engine's.
    nonces: Cards = ()


class Commit(HostMessage, frozen=True, tag="commit"):
    """Ask the program to commit to a secret, for a fair game of so many seats."""

    players: Number


class Resume(HostMessage, frozen=True, tag="resume"):
    """Continue a game of the list."""

    file: Text


class Leave(HostMessage, frozen=True, tag="leave"):
    """Put the game away; its file stays."""


class ListGames(PageMessage, frozen=True, tag="games"):
    """Ask for the list of games."""


class AskFinals(HostMessage, frozen=True, tag="finals"):
    """Ask for the final boards of games of the list that are over."""

    files: Annotated[tuple[Text, ...], Meta(max_length=MAX_FINALS)]


class AskOpenings(HostMessage, frozen=True, tag="openings"):
    """Ask for the first walls that win most, also by the cards of a hand."""

    players: Annotated[int, Meta(ge=MIN_PLAYERS, le=MAX_PLAYERS)]
    hand: Cards = ()


class Sit(PageMessage, frozen=True, tag="sit"):
    """Lift the curtain for a seat, or let it fall."""

    seat: Number | None


class Invite(HostMessage, frozen=True, tag="invite"):
    """Give a seat to another device, or take it back."""

    seat: Number
    back: bool = False


class MakeMove(PageMessage, frozen=True, tag="move"):
    """Make the decision due; `at` is the number of the position that the page shows.

    Unless it is `sure`, the coach asks before a mistake that is certain.
    """

    move: Text
    at: Number
    sure: bool = True


class GiveRoll(PageMessage, frozen=True, tag="roll"):
    """Say how the dice fell on the table."""

    tower: Text | None
    houses: Cards
    at: Number


class GiveCard(PageMessage, frozen=True, tag="card"):
    """Say which card was drawn at the table."""

    card: Text
    at: Number


class Undo(PageMessage, frozen=True, tag="undo"):
    """Take back the last decision."""

    at: Number


class Resign(PageMessage, frozen=True, tag="resign"):
    """Give up the seat that decides."""

    at: Number


class Retry(PageMessage, frozen=True, tag="retry"):
    """Ask an engine again that failed to decide."""


class StartSearch(PageMessage, frozen=True, tag="go"):
    """Ask for a hint, or (`infinite`) for the best moves of the position that is studied."""

    sims: Number | None = None
    infinite: bool = False


class SetCoach(PageMessage, frozen=True, tag="coach"):
    """Rate the decisions of the page, or stop doing so."""

    on: bool


class LookBack(PageMessage, frozen=True, tag="after"):
    """Ask what mattered in the game that is over."""


class StopSearch(PageMessage, frozen=True, tag="stop"):
    """End the search."""


class AskCards(PageMessage, frozen=True, tag="cards"):
    """Ask what every card counts and scores now; `city`: by the city with that lowest space."""

    city: Number | None = None


class AskRecord(PageMessage, frozen=True, tag="record"):
    """Ask for the record of a game that is over."""


class OpenStudy(StudyMessage, frozen=True, tag="study"):
    """Study a position or records; without a text, the record of the game that is over.

    `file`: that of a game of the list that is over.
    """

    text: str = ""
    game: Number = 1
    step: Number | None = None
    file: Text = ""


class GoToStep(StudyMessage, frozen=True, tag="step"):
    """Go to a step of the study; `back`: leave the variation."""

    to: Number
    back: bool = False


class TryMove(StudyMessage, frozen=True, tag="try"):
    """Make a move in the study; one that was not played begins a variation."""

    move: Text


class Evaluate(StudyMessage, frozen=True, tag="evaluate"):
    """Ask for the win probability at each step."""


class Compare(StudyMessage, frozen=True, tag="compare"):
    """Ask why one move is better than another."""

    first: Text
    second: Text


class AskBelief(StudyMessage, frozen=True, tag="belief"):
    """Ask which cards the others may hold."""


class StartReview(StudyMessage, frozen=True, tag="review"):
    """Ask for a review of the game that is studied."""


class NextPuzzle(StudyMessage, frozen=True, tag="practice"):
    """Ask for the next puzzle; `begin`: for the first one, `mistakes`: of the game reviewed.

    `player`: the mistakes of that name in the last games, or in the game of `file`.
    """

    begin: bool = False
    mistakes: bool = False
    player: Text = ""
    file: Text = ""


class AskProfile(HostMessage, frozen=True, tag="profile"):
    """Ask for the profile of a player (empty: who played most); `review`: new games first."""

    player: Text = ""
    review: bool = False


class ExportGames(HostMessage, frozen=True, tag="export"):
    """Ask for all games and their reviews as one file."""


class DeleteGames(HostMessage, frozen=True, tag="forget"):
    """Delete all games of the list, and their reviews."""


class AnswerPuzzle(StudyMessage, frozen=True, tag="answer"):
    """Answer a puzzle."""

    move: Text


class ListLessons(StudyMessage, frozen=True, tag="lessons"):
    """Ask for the lessons and put away the one that is open."""

    language: Text = "en"


class BeginLesson(StudyMessage, frozen=True, tag="lesson"):
    """Begin a lesson, by its number from 1."""

    number: Number
    language: Text = "en"


class DoLesson(StudyMessage, frozen=True, tag="learn"):
    """Do something in the lesson; `next`: go on from a step that is only read."""

    act: Literal["move", "next", "show", "hint", "undo"]
    move: Text = ""


class WatchFile(StudyMessage, frozen=True, tag="watch"):
    """Show each new game of the file that the program was started with, or stop doing so."""

    on: bool


class AskPicture(StudyMessage, frozen=True, tag="picture"):
    """Ask for a picture of the position that is studied."""

    kind: Literal["svg", "png"]


class SaveLine(StudyMessage, frozen=True, tag="save"):
    """Ask for the record of the study, with the variation that is shown."""


class CloseStudy(StudyMessage, frozen=True, tag="close"):
    """Put the study away."""


def _kinds(base: type[PageMessage]) -> Iterator[tuple[str, type[PageMessage]]]:
    for kind in base.__subclasses__():
        if isinstance(tag := kind.__struct_config__.tag, str):
            yield tag, kind
        yield from _kinds(kind)


MESSAGES: Final = dict(_kinds(PageMessage))


def parse_message(text: str) -> PageMessage:
    """Return the message of a text. Raises Refused with a line that says what is wrong with it."""
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
    except UnicodeEncodeError:  # JSON can write half characters, which no file can hold
        raise Refused("syntax", f"{name} holds half characters") from None
    except ValidationError as error:
        what, _, path = str(error).replace("`", "").partition(" - at $")
        line = " ".join(f"{name}{path}: {what[:1].lower()}{what[1:]}".split())
        raise Refused("syntax", plain(line[:300])) from None
