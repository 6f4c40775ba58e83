"""The expected line after a move: pieces, cities, answers and cards, with their frequencies.

All shares are shares of the games of a rollout. A city is identified by its lowest space. It is
named after the colors that its houses and palaces show in most games when it is scored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

from masons.ai.rollout.noted_games import MIN_SHARE, NotedChoice, NotedGames
from masons.engine.board.components import CARDS, HOUSE_COLORS, TOWER_COLORS
from masons.engine.formats.move_text import Move
from masons.engine.plain_text import does, listed
from masons.engine.state.packed_move import HOUSES, PLAY, TOWERS, WALL
from masons.engine.state.position import houses_in, palaces_in

_MIN_CITY_SHARE: Final = 0.05  # a listed city is completed in at least this share of the games
_COLOR_SHARE: Final = 0.6  # a color in a city's name occurs in this share of the city's games
_MAX_COLORS: Final = 3  # upper limit for the colors in a name
_NUMBERS: Final = {4: "four", 5: "five"}
# A card is listed as scored if it is scored in at least this share of the games, and as kept if it
# is scored in less than half of this share.
_PLAYED_SHARE: Final = 0.5
_SAME_CITY: Final = 0.7  # a city is named if it is at least this share of the completed cities

Item = TypeVar("Item", bound=object)


@dataclass(frozen=True)
class NamedCity:
    """A city, named after the colors that it shows in most games when it is scored.

    `space` is the lowest space of the city and identifies it.
    """

    space: int
    colors: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name with its article, such as `the red and rose city`."""
        if not self.colors:
            return f"the city at space {self.space}"
        if len(self.colors) > _MAX_COLORS:
            return f"the city of {_NUMBERS[len(self.colors)]} colors"
        return f"the {listed(self.colors)} city"


@dataclass(frozen=True)
class ClosedCity:
    """A city that a seat completes, and the share of the games in which this happens."""

    seat: int  # the seat whose wall completes the city
    after: int  # 0: in this turn, 1: in the next turn, 2: later
    city: NamedCity
    share: float  # share of the games

    def to_data(self) -> dict[str, Any]:
        """Return this city as a dict that can be written as JSON."""
        return {
            "seat": self.seat,
            "after": self.after,
            "space": self.city.space,
            "name": self.city.name,
            "share": round(self.share, 4),
        }


def closed_cities(games: NotedGames, number: int) -> tuple[ClosedCity, ...]:
    """Return the cities that are completed after move `number` of `games`, likeliest first."""
    often: Counter[tuple[int, int, int]] = Counter()
    pieces: dict[int, list[int]] = {}
    for _, turn, active, space, piece_bits in zip(
        *(part.tolist() for part in games.scored(number)), strict=True
    ):
        often[active, min(turn - games.turn, 2), space] += 1
        pieces.setdefault(space, []).append(piece_bits)
    return tuple(
        ClosedCity(seat, after, named_city(space, pieces[space]), count / games.worlds)
        for (seat, after, space), count in often.most_common()
        if count / games.worlds >= _MIN_CITY_SHARE
    )


def named_city(space: int, pieces: Sequence[int]) -> NamedCity:
    """Return the city whose lowest space is `space`, named after its pieces in all games.

    `pieces` has one number for each game: the houses and palaces of the city, packed as in the
    state's word for a space. If no color occurs in most games, the city has no colors.
    """
    games = Counter(
        color
        for bits in pieces
        for color, *counts in zip(HOUSE_COLORS, houses_in(bits), palaces_in(bits), strict=True)
        if any(counts)
    )
    most = _COLOR_SHARE * len(pieces)
    return NamedCity(space, tuple(color for color in HOUSE_COLORS if games[color] >= most))


class Piece(NamedTuple):
    """A tower or house that is placed; `place` is a tower space or a space."""

    kind: str  # tower or house
    color: str
    place: int

    def __str__(self) -> str:
        """Return the piece in words, such as `white tower on 24`."""
        return f"{self.color} {self.kind} on {self.place}"


@dataclass(frozen=True)
class ExpectedCard:
    """A card in hand, with the share of games in which it is scored.

    `turns` is the mean number of turns after which the card is scored.
    """

    card: str
    played: float
    turns: float


@dataclass(frozen=True)
class ExpectedLine:
    """The expected line after a move.

    All shares are shares of the games. A field is None if nothing in particular is expected.
    """

    move: Move
    piece: tuple[Piece, float] | None  # the seat's likeliest tower or house in this turn
    completes: float  # share of games in which this turn completes a city
    city: NamedCity | None  # that city, if most of these games complete the same city
    next_seat: int
    answer: tuple[str, float] | None  # the next seat's likeliest wall
    answer_city: float  # share of games in which the next seat completes a city
    answered_city: NamedCity | None  # that city, if most of these games complete the same city
    back: tuple[str, float] | None  # the seat's own likeliest next wall
    cards: tuple[ExpectedCard, ...]

    @property
    def has_city(self) -> bool:
        """True if the move is a wall, towers or houses, and this turn often completes a city."""
        return self.completes >= MIN_SHARE and self.move.kind in (WALL, TOWERS, HOUSES)

    @property
    def has_answered_city(self) -> bool:
        """True if the next seat often completes a city."""
        return self.answer_city >= MIN_SHARE

    @property
    def played_cards(self) -> list[ExpectedCard]:
        """The cards that are scored for a city in most games."""
        return [card for card in self.cards if card.played >= _PLAYED_SHARE]

    @property
    def kept_cards(self) -> list[ExpectedCard]:
        """The cards that are mostly kept to the end."""
        return [card for card in self.cards if card.played < _PLAYED_SHARE / 2]

    def to_data(self) -> dict[str, Any]:
        """Return this line as a dict that can be written as JSON."""

        def likely(step: tuple[object, float] | None) -> dict[str, Any] | None:
            return None if step is None else {"what": str(step[0]), "share": round(step[1], 4)}

        return {
            "pieces": likely(self.piece),
            "completes": round(self.completes, 4),
            "city": _name(self.city),
            "next_seat": self.next_seat,
            "answer": likely(self.answer),
            "answer_completes": round(self.answer_city, 4),
            "answer_city": _name(self.answered_city),
            "own_next": likely(self.back),
            "cards": [
                {"card": card.card, "played": round(card.played, 4), "turns": round(card.turns, 2)}
                for card in self.cards
            ],
        }

    def words(self, you: str, following: str) -> list[str]:
        """Return the expected line in sentences.

        `you` is the name of the seat that decides, and `following` is the name of the next seat.
        """
        sentences = []
        if self.has_city:
            completes = does(you, f"completes {_name(self.city)} in this turn")
            sentences.append(f"{completes} ({_percent(self.completes)}).")
        if self.piece:
            sentences.append(f"{you}: most often a {self.piece[0]} ({_percent(self.piece[1])}).")
        answered = _name(self.answered_city)
        if self.answer:
            city = f"; completes {answered}: {_percent(self.answer_city)}"
            sentences.append(
                f"{following}: likeliest wall on line {self.answer[0]} "
                f"({_percent(self.answer[1])}{city if self.has_answered_city else ''})."
            )
        elif self.has_answered_city:
            completes = does(following, f"completes {answered}")
            sentences.append(f"{completes} ({_percent(self.answer_city)}).")
        if self.back:
            sentences.append(f"{you} then: wall on line {self.back[0]} ({_percent(self.back[1])}).")
        play = [
            f"{card.card} ({_percent(card.played)}, {_when(card.turns)})"
            for card in self.played_cards
        ]
        keep = [card.card for card in self.kept_cards]
        words = [f"to be scored in a city: {listed(play)}"] if play else []
        words += [f"mostly kept to the end: {listed(keep)}"] if keep else []
        return [*sentences, f"cards: {'; '.join(words)}."] if words else sentences


def _name(city: NamedCity | None) -> str:
    return "a city" if city is None else city.name


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _when(turns: float) -> str:
    whole = round(turns)
    return "now" if whole == 0 else f"in {whole} turn{'s' if whole > 1 else ''}"


def expected_line(games: NotedGames, number: int, hand: tuple[int, ...]) -> ExpectedLine:
    """Return the expected line after move `number` of `games`.

    `hand` lists the kinds of cards that the seat still holds after the move.
    """
    pieces, answers, walls = Counter[Piece](), Counter[str](), Counter[str]()
    completed, played, after = Counter[int](), Counter[int](), Counter[int]()
    for world in range(games.worlds):
        choices = list(games.choices(world, number))
        turns = {choice.turn for choice in choices if choice.move and choice.move.kind == PLAY}
        completed.update(turn - games.turn for turn in turns if turn - games.turn < 2)
        pieces.update(_pieces(games, choices))
        answers.update(_walls(choices, games.turn + 1))
        walls.update(_walls(choices, games.turn + games.players))
        for card, turn in _first_scorings(games, choices, hand).items():
            played[card] += 1
            after[card] += turn - games.turn
    closed = closed_cities(games, number)
    shares = [completed[turns] / games.worlds for turns in (0, 1)]
    kinds = sorted(set(hand), key=lambda kind: (-played[kind], kind))
    return ExpectedLine(
        move=games.moves[number],
        piece=_likeliest(pieces, games.worlds),
        completes=shares[0],
        city=_city(closed, 0, shares[0]),
        next_seat=(games.seat + 1) % games.players,
        answer=_likeliest(answers, games.worlds),
        answer_city=shares[1],
        answered_city=_city(closed, 1, shares[1]),
        back=_likeliest(walls, games.worlds),
        cards=tuple(
            ExpectedCard(
                CARDS[kind], played[kind] / games.worlds, after[kind] / max(played[kind], 1)
            )
            for kind in kinds
        ),
    )


def _city(closed: tuple[ClosedCity, ...], after: int, share: float) -> NamedCity | None:
    """Return the city that is most often completed `after` turns later, or None.

    `share` is the share of games in which any city is completed in that turn. The result is None
    unless the same city is completed in most of these games.
    """
    first = next((each for each in closed if each.after == after), None)
    return first.city if first and first.share >= _SAME_CITY * share else None


def _likeliest(counts: Counter[Item], games: int) -> tuple[Item, float] | None:
    if not counts:
        return None
    what, count = counts.most_common(1)[0]
    return (what, count / games) if count >= MIN_SHARE * games else None


def _pieces(games: NotedGames, choices: list[NotedChoice]) -> list[Piece]:
    """Return the pieces that the seat places in this turn of one game."""
    pieces = []
    for choice in choices[1:]:
        if choice.turn != games.turn or choice.move is None:
            continue
        names = {TOWERS: TOWER_COLORS, HOUSES: HOUSE_COLORS}.get(choice.move.kind)
        if names:
            kind = "house" if choice.move.kind == HOUSES else "tower"
            pieces += [Piece(kind, names[color], place) for place, color in choice.move.put]
    return pieces


def _walls(choices: list[NotedChoice], turn: int) -> list[str]:
    return [
        f"{choice.move.place}"
        for choice in choices
        if choice.move is not None and choice.turn == turn and choice.move.kind == WALL
    ]


def _first_scorings(
    games: NotedGames, choices: list[NotedChoice], hand: tuple[int, ...]
) -> dict[int, int]:
    """Map each kind of card in the hand to the turn in which the seat first scores it.

    The final scoring does not count, and cards that are scored only then are left out.
    """
    turns = dict[int, int]()
    for choice in choices:
        if choice.move is None or choice.seat != games.seat or choice.move.kind != PLAY:
            continue
        for card in set(choice.move.cards).intersection(hand):
            turns.setdefault(card, choice.turn)
    return turns
