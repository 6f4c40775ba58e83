"""The expected line after a move: pieces, cities, answers and cards, with their frequencies.

All shares are shares of the games of a rollout.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

from masons.ai.explain.closed_cities import MERGED, ClosedCity, NotedCities
from masons.ai.rollout.noted_games import MIN_SHARE, NotedChoice, NotedGames
from masons.engine.board.components import CARD_NAMES, CARDS, HOUSE_COLORS, TOWER_COLORS
from masons.engine.formats.move_text import Move
from masons.engine.plain_text import does, listed
from masons.engine.state.packed_move import ABSTAIN, HOUSES, PLAY, SWAP, TOWERS, WALL

_MOST: Final = 0.5  # a card is listed as scored or kept if it is so in this share of the games
_LEAST_GAMES: Final = 20  # fewer games say nothing about shares
_SAME_CITY: Final = 0.9  # a city is named if it is at least this share of the completed cities

Item = TypeVar("Item", bound=object)


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
    """A card in hand, with the shares of games in which it is scored and kept to the end.

    A card that is discarded is neither scored nor kept. `turns` is the mean number of turns after
    which the card is scored.
    """

    card: str
    played: float
    kept: float  # games in which the seat never chooses cards again do not count
    turns: float


@dataclass(frozen=True)
class ExpectedLine:
    """The expected line after a move.

    All shares are shares of the games. A field is None if nothing in particular is expected.
    """

    move: Move
    games: int
    seat: int  # the seat that decides
    piece: tuple[Piece, float] | None  # the seat's likeliest tower or house in this turn
    completes: float  # share of games in which this turn completes a city
    city: ClosedCity | None  # that city, if most of these games complete the same city
    next_seat: int  # whose turn is next: the seat itself, if it decides in another seat's turn
    answer: tuple[str, float] | None  # the next seat's likeliest wall
    answer_city: float  # share of games in which the next seat completes a city
    answered_city: ClosedCity | None  # that city, if most of these games complete the same city
    back: tuple[str, float] | None  # the seat's own likeliest next wall, if it is not the answer
    merges: tuple[float, float]  # shares of games in which these two cities are merged with others
    cards: tuple[ExpectedCard, ...]
    ends: float  # share of games that end in this turn

    @property
    def is_known(self) -> bool:
        """True if there are enough games to say what is expected."""
        return self.games >= _LEAST_GAMES

    @property
    def has_city(self) -> bool:
        """True if the move is a wall, towers or houses, and this turn often completes a city."""
        return self.completes >= MIN_SHARE and self.move.kind in (WALL, TOWERS, HOUSES)

    @property
    def has_answered_city(self) -> bool:
        """True if the next seat often completes a city."""
        return self.answer_city >= MIN_SHARE

    @property
    def completed(self) -> tuple[str, float]:
        """The predicate for this turn, such as `completes a city`, and its share."""
        return _named_share(self.city, self.completes, self.merges[0])

    @property
    def answer_completed(self) -> tuple[str, float]:
        """The predicate for the next seat, such as `completes a city`, and its share."""
        return _named_share(self.answered_city, self.answer_city, self.merges[1])

    @property
    def played_cards(self) -> list[ExpectedCard]:
        """The cards that are scored for a city in most games."""
        return [card for card in self.cards if card.played >= _MOST]

    @property
    def kept_cards(self) -> list[ExpectedCard]:
        """The cards that are mostly kept to the end."""
        return [card for card in self.cards if card.kept >= _MOST]

    def to_data(self) -> dict[str, Any]:
        """Return this line as a dict that can be written as JSON."""

        def likely(step: tuple[object, float] | None) -> dict[str, Any] | None:
            return None if step is None else {"what": str(step[0]), "share": round(step[1], 4)}

        return {
            "games": self.games,
            "pieces": likely(self.piece),
            "ends": round(self.ends, 4),
            "completes": round(self.completes, 4),
            "city": self.city.city.name if self.city else "a city",
            "next_seat": self.next_seat,
            "answer": likely(self.answer),
            "answer_completes": round(self.answer_city, 4),
            "answer_city": self.answered_city.city.name if self.answered_city else "a city",
            "own_next": likely(self.back),
            "cards": [
                {
                    "card": card.card,
                    "played": round(card.played, 4),
                    "kept": round(card.kept, 4),
                    "turns": round(card.turns, 2),
                }
                for card in self.cards
            ],
        }

    def words(self, you: str, following: str) -> list[str]:
        """Return the expected line in sentences.

        `you` is the name of the seat that decides, and `following` is the name of the next seat.
        There are none if there are too few games.
        """
        if not self.is_known:
            return []
        sentences = []
        if self.has_city:
            completes, share = self.completed
            sentences.append(f"{does(you, f'{completes} in this turn')} ({_percent(share)}).")
        if self.ends >= MIN_SHARE:
            sentences.append(f"The game ends in this turn ({_percent(self.ends)}).")
        if self.piece:
            sentences.append(f"{you}: most often a {self.piece[0]} ({_percent(self.piece[1])}).")
        if self.answer:
            line, share = self.answer
            sentences.append(f"{following}: likeliest wall on line {line} ({_percent(share)}).")
        if self.has_answered_city:
            completes, share = self.answer_completed
            sentences.append(f"{does(following, completes)} ({_percent(share)}).")
        if self.back:
            sentences.append(f"{you} then: wall on line {self.back[0]} ({_percent(self.back[1])}).")
        play = [
            f"{CARD_NAMES[card.card]} ({_percent(card.played)}, {_when(card.turns)})"
            for card in self.played_cards
        ]
        keep = [CARD_NAMES[card.card] for card in self.kept_cards]
        words = [f"scored when a city is completed: {listed(play)}"] if play else []
        words += [f"mostly kept to the end: {listed(keep)}"] if keep else []
        return [*sentences, f"cards: {'; '.join(words)}."] if words else sentences


def _named_share(city: ClosedCity | None, share: float, merged: float) -> tuple[str, float]:
    if city is not None:
        return city.completes, city.share
    return f"completes a city{MERGED if 2 * merged > share else ''}", share


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _when(turns: float) -> str:
    whole = round(turns)
    return "now" if whole == 0 else f"in {whole} turn{'s' if whole > 1 else ''}"


def expected_line(cities: NotedCities, number: int, hand: tuple[int, ...]) -> ExpectedLine:
    """Return the expected line after move `number` of the games of `cities`.

    `hand` lists the kinds of cards that the seat still holds after the move.
    """
    games = cities.games
    active = next(games.choices(0, number)).active
    own_turn = (games.seat - active) % games.players or games.players  # its next wall
    pieces, answers, walls = Counter[Piece](), Counter[str](), Counter[str]()
    played, after, kept = Counter[int](), Counter[int](), Counter[int]()
    for world in range(games.worlds):
        choices = list(games.choices(world, number))
        pieces.update(_pieces(games, choices))
        answers.update(_walls(choices, games.turn + 1))
        walls.update(_walls(choices, games.turn + own_turn))
        uses = _first_uses(games, choices[1:], hand)
        for card, choice in uses.items():
            if choice.move is not None and choice.move.kind == PLAY:
                played[card] += 1
                after[card] += choice.turn - games.turn
        if any(_chooses_cards(games, choice) for choice in choices[1:]):
            kept.update(set(hand).difference(uses))
    answer = _likeliest(answers, games.worlds)
    if own_turn == 1:
        walls.clear()  # the answer is its own wall
    elif answer is not None:  # in a line of play, nobody builds twice on one line
        del walls[answer[0]]
    closed = cities.closed(number)
    shares = [cities.share_completed(number, turns) for turns in (0, 1)]
    kinds = sorted(set(hand), key=lambda kind: (-played[kind], kind))
    return ExpectedLine(
        move=games.moves[number],
        games=games.worlds,
        seat=games.seat,
        piece=_likeliest(pieces, games.worlds),
        completes=shares[0],
        city=_city(closed, 0, shares[0]),
        next_seat=(active + 1) % games.players,
        answer=answer,
        answer_city=shares[1],
        answered_city=_city(closed, 1, shares[1]),
        back=_likeliest(walls, games.worlds),
        merges=(cities.share_merged(number, 0), cities.share_merged(number, 1)),
        cards=tuple(
            ExpectedCard(
                CARDS[kind],
                played[kind] / games.worlds,
                kept[kind] / games.worlds,
                after[kind] / max(played[kind], 1),
            )
            for kind in kinds
        ),
        ends=float((games.turns_left(number) == 0).mean()),
    )


def _city(closed: tuple[ClosedCity, ...], after: int, share: float) -> ClosedCity | None:
    """Return the city that is most often completed `after` turns later, or None.

    `share` is the share of games in which any city is completed in that turn. The result is None
    unless the same city is completed in most of these games.
    """
    first = next((each for each in closed if each.after == after), None)
    return first if first and first.share >= _SAME_CITY * share else None


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


def _chooses_cards(games: NotedGames, choice: NotedChoice) -> bool:
    """Return whether the seat that decides plays or discards cards in a choice."""
    if choice.move is None or choice.seat != games.seat:
        return False
    return choice.move.kind in (PLAY, ABSTAIN, SWAP)


def _first_uses(
    games: NotedGames, choices: list[NotedChoice], hand: tuple[int, ...]
) -> dict[int, NotedChoice]:
    """Map each kind of card in the hand to the choice in which the seat first gives it away.

    The final scoring does not count.
    """
    uses = dict[int, NotedChoice]()
    for choice in choices:
        if choice.move is not None and _chooses_cards(games, choice):
            for card in set(choice.move.cards).intersection(hand):
                uses.setdefault(card, choice)
    return uses
