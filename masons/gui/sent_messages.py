"""The messages that a page is sent, as classes. `messages.md` says what their fields mean.

The server sends plain dictionaries. The tests compare each of them with these classes, from which
`docs/tools/page_types.py` makes the types of the page's scripts. A field with the value UNSET may
be missing.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType, ValidationError, convert

from masons.gui.message_parts import (
    ClockState,
    GamePosition,
    Pieces,
    Ranking,
    RatedMove,
    Sent,
    StudyPosition,
)
from masons.gui.study_messages import (
    BeliefMessage,
    ComparedMessage,
    Decision,
    GraphMessage,
    LessonMessage,
    LessonsMessage,
    MarginResult,
    MarksMessage,
    OpeningsMessage,
    PictureMessage,
    ProgressMessage,
    PuzzleMessage,
    RankingMessage,
    ReviewMessage,
    SolvedMessage,
    Standing,
    StudyMessage,
    WatchedMessage,
)


class BoardMessage(Sent, frozen=True, kw_only=True, tag="board"):
    """The board."""

    board: str
    svg: str
    regions: tuple[int, ...]
    lines: tuple[tuple[int, int, int, int | None], ...]


class IdMessage(Sent, frozen=True, kw_only=True, tag="id"):
    """The abilities of the page, and the choices that it offers."""

    host: bool
    local: bool
    watch: bool
    cards: tuple[str, ...]
    texts: dict[str, str]
    engines: tuple[str, ...]


class CommitmentMessage(Sent, frozen=True, kw_only=True, tag="commitment"):
    """The hash of the secret of a fair game."""

    commitment: str


class ListedGame(Sent, frozen=True, kw_only=True):
    """A game of the list."""

    file: str
    names: tuple[str, ...]
    over: bool
    changed: str
    open: bool


class GamesMessage(Sent, frozen=True, kw_only=True, tag="games"):
    """The list of games, and the level to be offered."""

    games: tuple[ListedGame, ...]
    level: int


class PreviewMessage(Pieces, frozen=True, kw_only=True, tag="preview"):
    """The board of a game of the list."""

    file: str
    names: tuple[str, ...]
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    turn: int


class SheetCard(Sent, frozen=True, kw_only=True):
    """The pieces that a card counts, and its points."""

    card: str
    points: int
    counts: tuple[tuple[str, int], ...]
    played: int


class CardsMessage(Sent, frozen=True, kw_only=True, tag="cards"):
    """The card reference."""

    city: int | None
    cities: tuple[int, ...]
    cards: tuple[SheetCard, ...]


class NoGameMessage(Sent, frozen=True, kw_only=True, tag="nogame"):
    """The page shows no game."""

    at: int


class BestMoveMessage(Ranking, frozen=True, kw_only=True, tag="bestmove"):
    """The result of a search."""

    move: str
    stopped: bool | UnsetType = UNSET


class InviteMessage(Sent, frozen=True, kw_only=True, tag="invite"):
    """The address of a seat."""

    seat: int
    path: str
    link: str
    qr: str


class PresenceMessage(Sent, frozen=True, kw_only=True, tag="presence"):
    """Who is at the table, how the clock stands, and who wants a rematch."""

    present: tuple[int, ...]
    rematch: tuple[int, ...] | None
    clock: ClockState | None


class NetworkMessage(Sent, frozen=True, kw_only=True, tag="network"):
    """Other devices reach the server."""

    local: bool


class PongMessage(Sent, frozen=True, kw_only=True, tag="pong"):
    """The connection works."""


class RecordMessage(Sent, frozen=True, kw_only=True, tag="record"):
    """The record of a game."""

    file: str
    text: str


class CoachMessage(RatedMove, frozen=True, kw_only=True, tag="coach"):
    """The coach's verdict on a move."""

    at: int
    asks: bool
    line: tuple[tuple[str, float], ...]
    text: str


class LuckMoment(Sent, frozen=True, kw_only=True, tag_field="kind", tag="luck"):
    """A roll, a draw or the deal that mattered."""

    turn: int
    seat: int
    loss: float
    cause: Literal["dice", "cards", "deal"] | None
    who: int | None
    fell: tuple[str, ...]
    picture: str


class MistakeMoment(
    Decision, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="mistake"
):
    """A decision that mattered: a mistake, or one that may have been one or that cost points."""

    picture: str
    is_gift: Literal[True] | UnsetType = UNSET


class AfterMessage(Sent, frozen=True, kw_only=True, tag="after"):
    """The look back at a game."""

    file: str
    results: tuple[MarginResult, ...]
    moments: tuple[LuckMoment | MistakeMoment, ...]
    mistakes: int


class AfterProgress(Sent, frozen=True, kw_only=True, tag="after"):
    """The progress of the look back."""

    done: int
    total: int


class RatingMessage(Sent, frozen=True, kw_only=True, tag="rating"):
    """The progress of reviews for a profile."""

    game: int
    games: int
    done: int
    total: int


class KindLoss(Sent, frozen=True, kw_only=True):
    """The loss by a kind of decision."""

    kind: str
    decisions: int
    points: float
    interval: float
    game: float


class LevelResult(Sent, frozen=True, kw_only=True):
    """The finished games with a number of seats against a level."""

    seats: int
    level: int | None
    games: int
    won: float


class PuzzleProfile(Sent, frozen=True, kw_only=True):
    """The results of the player in puzzles."""

    standing: Standing
    days: tuple[tuple[str, float], ...]  # the rating at the end of each day with puzzles
    themes: tuple[tuple[str, int, int], ...]  # (theme, puzzles tried, tries that succeeded per 100)
    due: int  # puzzles that come again today


class ProfileMessage(Sent, frozen=True, kw_only=True, tag="profile"):
    """The profile of a player."""

    player: str
    players: tuple[str, ...]
    games: int
    missing: int
    recent: int
    rated: int
    rating: tuple[int, int, int] | None
    more: int
    seats: int
    ends: tuple[int, int]
    level: int
    levels: tuple[int, ...]
    curve: tuple[tuple[str, int, int, int], ...]
    kinds: tuple[KindLoss, ...]
    thirds: tuple[KindLoss, ...]
    results: tuple[LevelResult, ...]
    luck: tuple[float, float] | None  # points a game, and half the width of the 95 % interval
    offered: int  # the level that Play offers
    mistakes: int
    puzzles: PuzzleProfile | None


class ExportMessage(Sent, frozen=True, kw_only=True, tag="export"):
    """The finished games and their reviews."""

    file: str
    text: str


class DeletedMessage(Sent, frozen=True, kw_only=True, tag="deleted"):
    """All games were deleted but those in use."""

    held: int


class ErrorMessage(Sent, frozen=True, kw_only=True, tag="error"):
    """An error."""

    code: str
    text: str
    key: str | UnsetType | None = UNSET
    params: dict[str, str] | UnsetType = UNSET


SENT: Final[tuple[type[Struct], ...]] = (
    BoardMessage, IdMessage, CommitmentMessage, GamesMessage, PreviewMessage, CardsMessage,
    NoGameMessage, GamePosition, StudyPosition, RankingMessage, GraphMessage, MarksMessage,
    ProgressMessage, BestMoveMessage, InviteMessage, PresenceMessage, NetworkMessage, PongMessage,
    RecordMessage, StudyMessage, ReviewMessage, CoachMessage, AfterMessage, AfterProgress,
    RatingMessage, ProfileMessage, ExportMessage, DeletedMessage, PuzzleMessage, SolvedMessage,
    LessonsMessage, LessonMessage, ComparedMessage, BeliefMessage, OpeningsMessage, PictureMessage,
    WatchedMessage, ErrorMessage,
)  # fmt: skip


def check_sent(message: dict[str, Any]) -> None:
    """Raise ValidationError if no class describes a message, as decoded from JSON."""
    faults = []
    for kind in SENT:
        if kind.__struct_config__.tag != message["type"]:
            continue
        try:
            convert(message, kind)
        except ValidationError as error:
            faults.append(f"{kind.__name__}: {error}")
        else:
            return
    raise ValidationError("; ".join(faults) or f"there is no message {message['type']}")
