"""Why a move is better than another, in sentences: templates over what was measured.

Nothing is said that the games do not show: a part gets a sentence where its points or its win
probability differ by more than their interval. The weightiest comes first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from masons.ai.explain.split_difference import Difference, Side
from masons.engine.board.components import CARDS
from masons.engine.plain_words import does, listed, multiset, owner, verb
from masons.engine.state.packed_move import PLAY

_MOST: Final = 4  # sentences
_SHARE: Final = 0.08  # a difference of shares of games that deserves a word
_POINTS: Final = 0.3


def why_words(found: Difference, names: Sequence[str]) -> list[str]:
    """Sentences for the first move against the other; names of all seats."""
    ordered = sorted(found.parts[:-1], key=lambda part: (-abs(part.win), -abs(part.points)))
    sentences = list(_cards(found))
    # First what speaks for the move that is better.
    for part in sorted(ordered, key=lambda part: part.points < 0):
        if abs(part.points) > max(part.points_interval, _POINTS):
            told = list(_SENTENCES[part.name](found, part.points, names))
            sentences += told if part.points > 0 else [f"But {_lower(one)}" for one in told]
    if not sentences:
        sentences += _chances(found.here, found.there, found, names)
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
    return f"{_number(here)} points instead of {_number(there)}"


def _share(here: float, there: float) -> str:
    return f"in {100 * here:.0f} % of the games instead of {100 * there:.0f} %"


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
    yield f"{does(name, 'scores')} {_instead(found.here.now, found.there.now)} in this turn."


def _cities(found: Difference, _: float, names: Sequence[str]) -> Iterator[str]:
    name = names[found.seat]
    here, there = found.here, found.there
    line = (
        f"{does(name, 'scores')} {_instead(here.cities, there.cities)} in the cities of the next "
        f"{found.turns} turns"
    )
    if abs(here.own_city - there.own_city) >= _SHARE:
        line += f": {verb(name, 'completes')} one {_share(here.own_city, there.own_city)}"
    yield line + "."


def _hand(found: Difference, points: float, names: Sequence[str]) -> Iterator[str]:
    more = "more" if points > 0 else "less"
    yield (
        f"{owner(names[found.seat])} hand brings {_number(abs(points))} points {more} later, "
        "as the board then is."
    )


def _others(found: Difference, _: float, names: Sequence[str]) -> Iterator[str]:
    here, there = found.here, found.there
    changed = [
        (seat, a, b)
        for seat, (a, b) in enumerate(zip(here.others, there.others, strict=True))
        if seat != found.seat and abs(a - b) >= _POINTS
    ]
    for seat, a, b in sorted(changed, key=lambda one: -abs(one[1] - one[2]))[:2]:
        less = "less" if a < b else "more"
        line = f"{does(names[seat], 'gains')} {_number(abs(a - b))} points {less}"
        now = here.others_now[seat], there.others_now[seat]
        if abs(now[0] - now[1]) >= _POINTS:
            line += f" ({_instead(*now)} in this turn)"
        elif abs(here.answer - there.answer) >= _SHARE:
            who = names[(found.seat + 1) % len(names)]
            line += (
                f": {does(who, 'completes')} a city next turn {_share(here.answer, there.answer)}"
            )
        elif abs(here.other_city - there.other_city) >= _SHARE:
            line += f"; the others complete a city {_share(here.other_city, there.other_city)}"
        yield line + "."


def _tempo(found: Difference, points: float, names: Sequence[str]) -> Iterator[str]:
    here, there = found.here, found.there
    good = "for" if points > 0 else "against"
    line = "The game goes on longer" if here.left > there.left else "The game ends sooner"
    if abs(here.ended - there.ended) >= _SHARE:
        line += f" (it is over after {found.turns} more turns {_share(here.ended, there.ended)})"
    else:
        line += (
            f" ({100 * here.left:.1f} % of its pieces are left after {found.turns} more turns "
            f"instead of {100 * there.left:.1f} %)"
        )
    who = names[found.seat]
    yield f"{line}, which counts {_number(abs(points))} points {good} {who}."


def _chances(here: Side, there: Side, found: Difference, names: Sequence[str]) -> Iterator[str]:
    """Who completes cities, where no points differ."""
    name, following = names[found.seat], names[(found.seat + 1) % len(names)]
    if abs(here.answer - there.answer) >= _SHARE:
        share = _share(here.answer, there.answer)
        yield f"{does(following, 'completes')} a city next turn {share}."
    if abs(here.own_city - there.own_city) >= _SHARE:
        yield f"{does(name, 'completes')} a city soon {_share(here.own_city, there.own_city)}."


_SENTENCES: Final = {
    "now": _now,
    "cities": _cities,
    "hand": _hand,
    "others": _others,
    "tempo": _tempo,
}
