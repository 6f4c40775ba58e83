"""What is expected next after a move: own pieces, the next seat's answer, when cards are played.

All from games played on by the policy, as shares of them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from masons.ai.explain.closed_cities import ClosedCity, closed_cities
from masons.ai.rollout.noted_games import Choice, NotedGames
from masons.engine.board.components import CARDS, HOUSE_COLORS, TOWER_COLORS
from masons.engine.formats.move_text import Move
from masons.engine.plain_words import does, listed
from masons.engine.state.packed_move import HOUSES, PLAY, TOWERS, WALL

_SURE: Final = 0.5  # a share of games that makes a card one to play, or to keep
_LEAST: Final = 0.1
_MOSTLY: Final = 0.7  # of the games with a city, those with the same one


@dataclass(frozen=True)
class ExpectedCard:
    """A card in hand: the share of games in which a city scores it, and after how many turns."""

    card: str
    played: float
    turns: float


@dataclass(frozen=True)
class ExpectedLine:
    """What is expected after a move; shares are of all games, None where there is nothing."""

    move: Move
    pieces: tuple[str, float] | None  # own towers or houses of this turn
    completes: float  # this turn completes a city
    city: str  # what that city is called
    next_seat: int
    answer: tuple[str, float] | None  # the next seat's likeliest wall
    answer_city: float  # the next seat completes a city
    answered_city: str  # what that one is called
    back: tuple[str, float] | None  # the seat's own next wall
    cards: tuple[ExpectedCard, ...]

    def to_data(self) -> dict[str, Any]:
        """Plain data, for JSON."""

        def likely(found: tuple[str, float] | None) -> dict[str, Any] | None:
            return None if found is None else {"what": found[0], "share": round(found[1], 4)}

        return {
            "pieces": likely(self.pieces),
            "completes": round(self.completes, 4),
            "city": self.city,
            "next_seat": self.next_seat,
            "answer": likely(self.answer),
            "answer_completes": round(self.answer_city, 4),
            "answer_city": self.answered_city,
            "own_next": likely(self.back),
            "cards": [
                {"card": one.card, "played": round(one.played, 4), "turns": round(one.turns, 2)}
                for one in self.cards
            ],
        }


def expected_line(games: NotedGames, number: int, hand: tuple[int, ...]) -> ExpectedLine:
    """What is expected after move `number` of games that were played to their ends."""
    pieces: Counter[str] = Counter()
    answers: Counter[str] = Counter()
    own: Counter[str] = Counter()
    completed: Counter[int] = Counter()
    played: Counter[int] = Counter()
    after: Counter[int] = Counter()
    for world in range(games.worlds):
        choices = list(games.choices(world, number))
        turns = {choice.turn for choice in choices if choice.move and choice.move.kind == PLAY}
        completed.update(turn - games.turn for turn in turns if turn - games.turn < 2)
        pieces.update(_pieces(games, choices))
        answers.update(_walls(choices, games.turn + 1))
        own.update(_walls(choices, games.turn + games.players))
        for card, turn in _first_scorings(games, choices, hand).items():
            played[card] += 1
            after[card] += turn - games.turn
    closed = closed_cities(games, number)
    kinds = sorted(set(hand), key=lambda kind: (-played[kind], kind))
    return ExpectedLine(
        move=games.moves[number],
        pieces=_likeliest(pieces, games.worlds),
        completes=completed[0] / games.worlds,
        city=_city(closed, 0, completed[0] / games.worlds),
        next_seat=(games.seat + 1) % games.players,
        answer=_likeliest(answers, games.worlds),
        answer_city=completed[1] / games.worlds,
        answered_city=_city(closed, 1, completed[1] / games.worlds),
        back=_likeliest(own, games.worlds),
        cards=tuple(
            ExpectedCard(
                CARDS[kind], played[kind] / games.worlds, after[kind] / max(played[kind], 1)
            )
            for kind in kinds
        ),
    )


def _city(closed: tuple[ClosedCity, ...], after: int, share: float) -> str:
    """The city that is completed after so many turns, where it is mostly the same one."""
    first = next((city for city in closed if city.after == after), None)
    return first.name if first and first.share >= _MOSTLY * share else "a city"


def _likeliest(found: Counter[str], games: int) -> tuple[str, float] | None:
    if not found:
        return None
    what, count = found.most_common(1)[0]
    return (what, count / games) if count >= _LEAST * games else None


def _pieces(games: NotedGames, choices: list[Choice]) -> list[str]:
    """The pieces that the seat puts down in this turn, each by itself."""
    found = []
    for choice in choices[1:]:
        if choice.turn != games.turn or choice.move is None:
            continue
        names = {TOWERS: TOWER_COLORS, HOUSES: HOUSE_COLORS}.get(choice.move.kind)
        if names:
            kind = "house" if choice.move.kind == HOUSES else "tower"
            found += [f"{names[color]} {kind} on {place}" for place, color in choice.move.put]
    return found


def _walls(choices: list[Choice], turn: int) -> list[str]:
    return [
        f"{choice.move.place}"
        for choice in choices
        if choice.move is not None and choice.turn == turn and choice.move.kind == WALL
    ]


def _first_scorings(
    games: NotedGames, choices: list[Choice], hand: tuple[int, ...]
) -> dict[int, int]:
    """Return the turn in which each card of the hand is first scored in a city."""
    turns = dict[int, int]()
    for choice in choices:
        if choice.move is None or choice.seat != games.seat or choice.move.kind != PLAY:
            continue
        for card in set(choice.move.cards).intersection(hand):
            turns.setdefault(card, choice.turn)
    return turns


def line_words(line: ExpectedLine, you: str, following: str) -> list[str]:
    """The same in sentences: names of the seat and of the one that follows."""
    sentences = []
    if line.completes >= _LEAST and line.move.kind in (WALL, TOWERS, HOUSES):
        sentences.append(
            f"{does(you, 'completes')} {line.city} in this turn ({_percent(line.completes)})."
        )
    if line.pieces:
        sentences.append(f"{you}: most often a {line.pieces[0]} ({_percent(line.pieces[1])}).")
    if line.answer:
        city = f"; completes {line.answered_city}: {_percent(line.answer_city)}"
        sentences.append(
            f"{following}: likeliest wall on line {line.answer[0]} "
            f"({_percent(line.answer[1])}{city if line.answer_city >= _LEAST else ''})."
        )
    elif line.answer_city >= _LEAST:
        sentences.append(
            f"{does(following, 'completes')} {line.answered_city} ({_percent(line.answer_city)})."
        )
    if line.back:
        sentences.append(f"{you} then: wall on line {line.back[0]} ({_percent(line.back[1])}).")
    return [*sentences, *_card_words(line)]


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _card_words(line: ExpectedLine) -> list[str]:
    play = [one for one in line.cards if one.played >= _SURE]
    keep = [one.card for one in line.cards if one.played < _SURE / 2]
    words = []
    if play:
        named = [f"{one.card} ({_percent(one.played)}, {_when(one.turns)})" for one in play]
        words.append(f"to be scored in a city: {listed(named)}")
    if keep:
        words.append(f"mostly kept to the end: {listed(keep)}")
    return [f"cards: {'; '.join(words)}."] if words else []


def _when(turns: float) -> str:
    whole = round(turns)
    return "now" if whole == 0 else f"in {whole} turn{'s' if whole > 1 else ''}"
