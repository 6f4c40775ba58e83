"""Why a move is better than another, in sentences: templates over what was measured.

Nothing is said that the games do not show: a part gets a sentence where its points or its win
probability differ by more than their interval. The weightiest comes first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from masons.ai.explain.split_difference import Difference
from masons.ai.search.known_error import NORMAL
from masons.engine.board.components import CARDS
from masons.engine.formats.move_text import Move
from masons.engine.plain_words import does, listed, multiset, owner, verb
from masons.engine.state.packed_move import PLAY, WALL

_MOST: Final = 4  # sentences
_SHARE: Final = 0.08  # a difference of shares of games that deserves a word
_POINTS: Final = 0.3
_ALL: Final = 0.995  # of the games
_NONE: Final = 0.05  # points that are none


def why_words(found: Difference, names: Sequence[str]) -> list[str]:
    """Sentences for the first move against the other; names of all seats."""
    ordered = sorted(found.parts[:-1], key=lambda part: (-abs(part.win), -abs(part.points)))
    sentences = list(_cards(found))
    # First what speaks for the move that is better.
    for part in sorted(ordered, key=lambda part: part.points < 0):
        if abs(part.points) > max(part.points_interval, _POINTS):
            of_part = list(_SENTENCES[part.name](found, part.points, names))
            for sentence in of_part:
                if part.points > 0:
                    sentences.append(sentence)
                else:
                    against = "But" if sentences else "Against it:"
                    sentences.append(f"{against} {_lower(sentence)}")
    if not sentences:
        sentences += _chances(found, names)
        if held := _held(found, is_more=True) or _held(found, is_more=False):
            sentences.append(f"{owner(names[found.seat])} {held}.")
    return sentences[:_MOST] or [_nothing(found)]


def _nothing(found: Difference) -> str:
    return (
        f"Nothing that can be measured in {found.deals} games tells them apart: cards now and "
        "later, cities, what the others gain and the end of the game are equal within their error."
    )


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:] if sentence.startswith("The ") else sentence


def _number(value: float) -> str:
    return f"{value:.1f}"


def _instead(here: float, there: float) -> str:
    amount = _number(here) if here >= _NONE else "no"
    return f"{amount} points instead of {_number(there) if there >= _NONE else 'none'}"


def _completing(name: str, city: str, here: float, there: float, other: Move) -> str:
    """`completes the red city in 38 % of the games (4 % after wall:12)`, behind a name."""
    after = f"{100 * there:.0f} %"
    if there <= 1 - _ALL or there >= _ALL:
        after = "always" if there >= _ALL else "never"
    compared = f" ({after} after {other})"
    if here <= 1 - _ALL and there >= _ALL:
        return f"{verb(name, 'does not complete')} {city}, which {other} does"
    if here >= _ALL and there <= 1 - _ALL:
        return f"{verb(name, 'completes')} {city}, which {other} does not"
    if here <= 1 - _ALL:
        return f"never {verb(name, 'completes')} {city}{compared}"
    often = "" if here >= _ALL else f" in {100 * here:.0f} % of the games"
    return f"{verb(name, 'completes')} {city}{often}{compared}"


def _closed_more(
    found: Difference, seats: Sequence[int], turns: Sequence[int]
) -> tuple[int, str, float, float] | None:
    """The city that these seats complete in these turns more often, or less, after the first move.

    The seat, the city's name, and in which shares of the games; the one that differs most, and by
    more than chance. None where there is none.
    """
    shares: dict[tuple[int, int], list[float]] = {}
    names: dict[int, str] = {}
    for number, side in enumerate((found.here, found.there)):
        for city in side.cities_closed:
            if city.seat in seats and city.after in turns:
                shares.setdefault((city.seat, city.space), [0.0, 0.0])[number] += city.share
                names.setdefault(city.space, city.name)
    best = None
    for (seat, space), (here, there) in shares.items():
        apart = abs(here - there)
        chance = NORMAL * math.sqrt((here * (1 - here) + there * (1 - there)) / found.deals)
        if apart >= max(_SHARE, chance) and (best is None or apart > abs(best[2] - best[3])):
            best = seat, names[space], here, there
    return best


def _cards(found: Difference) -> Iterator[str]:
    """The cards that one of the moves keeps and the other gives away."""
    if min(found.move.kind, found.other.kind) < PLAY:
        return
    spent, other = (Counter(move.cards) for move in (found.move, found.other))
    kept, given = other - spent, spent - other
    words = []
    if kept:
        words.append(f"keeps {multiset(Counter({CARDS[k]: n for k, n in kept.items()}))}")
    if given:
        words.append(f"gives {multiset(Counter({CARDS[k]: n for k, n in given.items()}))} up")
    if words:
        yield f"It {listed(words)}."


def _now(found: Difference, _: float, names: Sequence[str]) -> Iterator[str]:
    name = names[found.seat]
    line = f"{does(name, 'scores')} {_instead(found.here.now, found.there.now)} in this turn"
    is_wall = found.move.kind == WALL or found.other.kind == WALL
    if is_wall and (city := _closed_more(found, [found.seat], [0])):
        line += f": {_completing(name, *city[1:], found.other)}"
    yield line + "."


def _cities(found: Difference, points: float, names: Sequence[str]) -> Iterator[str]:
    name = names[found.seat]
    here, there = found.here, found.there
    line = (
        f"{does(name, 'scores')} {_instead(here.cities, there.cities)} in the cities of the next "
        f"{found.turns} turns"
    )
    city = _closed_more(found, [found.seat], [1, 2])
    if city is None and abs(here.own_city - there.own_city) >= _SHARE:
        city = found.seat, "a city", here.own_city, there.own_city
    if city and (city[2] > city[3]) == (points > 0):
        line += f": {_completing(name, *city[1:], found.other)}"
    yield line + "."


def _hand(found: Difference, points: float, names: Sequence[str]) -> Iterator[str]:
    more = "more" if points > 0 else "less"
    card = _held(found, points > 0)
    why = f": {card}" if card else ", as the board then is"
    yield f"{owner(names[found.seat])} hand brings {_number(abs(points))} points {more} later{why}."


def _held(found: Difference, is_more: bool) -> str:
    """The land card that is better, or worse, on the board of a few turns later."""
    for card in found.cards:
        if card.differs and abs(card.more) >= _POINTS and (card.more > 0) == is_more:
            numbers = f"{_number(card.points)} instead of {_number(card.points_other)}"
            return f"{card.card} counts {numbers} after {found.turns} more turns"
    return ""


def _others(found: Difference, _: float, names: Sequence[str]) -> Iterator[str]:
    here, there = found.here, found.there
    changed = [
        (seat, a, b)
        for seat, (a, b) in enumerate(zip(here.others, there.others, strict=True))
        if seat != found.seat and abs(a - b) >= _POINTS
    ]
    changed.sort(key=lambda one: -abs(one[1] - one[2]))
    cause = _city_of_others(found, names)
    for seat, a, b in changed[:2]:
        line = f"{does(names[seat], 'gains')} {_number(abs(a - b))} points "
        line += "less" if a < b else "more"
        now = here.others_now[seat], there.others_now[seat]
        if abs(now[0] - now[1]) >= _POINTS:
            joined = ", " if (now[0] < now[1]) == (a < b) else ", though "
            line += f"{joined}{_instead(*now)} in this turn"
        elif cause and cause[1] == (a < b):
            who = "" if cause[0] == seat else f"{names[cause[0]]} "
            line += f": {who}{cause[2]}"
            cause = None  # said once
        yield line + "."


def _city_of_others(found: Difference, names: Sequence[str]) -> tuple[int, bool, str] | None:
    """What the others complete more or less often: the seat, whether less, and in words."""
    here, there = found.here, found.there
    rivals = [seat for seat in range(len(names)) if seat != found.seat]
    following = (found.seat + 1) % len(names)
    if city := _closed_more(found, rivals, [1, 2]):
        seat, what, often, before = city
    elif abs(here.answer - there.answer) >= _SHARE:
        seat, what, often, before = following, "a city", here.answer, there.answer
    elif abs(here.other_city - there.other_city) >= _SHARE and len(rivals) == 1:
        seat, what, often, before = following, "a city", here.other_city, there.other_city
    else:
        return None
    return seat, often < before, _completing(names[seat], what, often, before, found.other)


def _tempo(found: Difference, points: float, names: Sequence[str]) -> Iterator[str]:
    here, there = found.here, found.there
    good = "for" if points > 0 else "against"
    line = "The game goes on longer" if here.left > there.left else "The game ends sooner"
    if abs(here.ended - there.ended) >= _SHARE:
        over, before = (f"{100 * side.ended:.0f} %" for side in (here, there))
        line += f" (over after {found.turns} more turns in {over} of the games instead of {before})"
    else:
        line += (
            f" ({100 * here.left:.1f} % of its pieces are left after {found.turns} more turns "
            f"instead of {100 * there.left:.1f} %)"
        )
    who = names[found.seat]
    yield f"{line}, which counts {_number(abs(points))} points {good} {who}."


def _chances(found: Difference, names: Sequence[str]) -> Iterator[str]:
    """Who completes cities, where no points differ."""
    here, there = found.here, found.there
    name, following = names[found.seat], names[(found.seat + 1) % len(names)]
    if city := _closed_more(found, range(len(names)), [1, 2]):
        who = names[city[0]]
        yield f"{who} {_completing(who, *city[1:], found.other)}."
        return
    for who, often, before in (
        (following, here.answer, there.answer),
        (name, here.own_city, there.own_city),
    ):
        if abs(often - before) >= _SHARE:
            yield f"{who} {_completing(who, 'a city', often, before, found.other)}."


_SENTENCES: Final = {
    "now": _now,
    "cities": _cities,
    "hand": _hand,
    "others": _others,
    "tempo": _tempo,
}
