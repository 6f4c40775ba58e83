"""Why a move was worse than another, in plain words from what was counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from masons.ai.review.decision_loss import Verdict
from masons.ai.review.move_facts import Facts
from masons.engine.plain_words import does, listed, multiset

# Differences that deserve a word: points, lines, colours.
_POINTS: Final = 0.5
_LINES: Final = 0.5
_SIZES: Final = 0.5
_PIECES: Final = 0.5
_SHORT: Final = 6  # pieces of a supply
_SUPPLIES: Final = ("wall", "tower", "house", "palace")


def reasons(
    seat: int, names: Sequence[str], verdict: Verdict, played: Facts, best: Facts
) -> list[str]:
    """Sentences, the weightiest first; the last is about the points expected at the end."""
    return [
        *_cards(played, best),
        *_cities(seat, names, played, best),
        *_colors(seat, names, played, best),
        *_openings(played, best),
        *_tempo(played, best),
        *_ends(played, best),
        *_expected(seat, names, verdict),
    ]


def _some(number: float) -> str:
    """A whole number plain, else one decimal."""
    return f"{number:.0f}" if abs(number - round(number)) < 0.05 else f"{number:.1f}"


def _count(number: float, one: str) -> str:
    text = _some(number)
    return f"{text} {one}" if text == "1" else f"{text} {one}s"


def _cards(played: Facts, best: Facts) -> Iterator[str]:
    """Points now, and the cards that are kept instead."""
    if played.points is not None and best.points is not None:
        if played.points != best.points:
            yield (
                f"Scores {_count(played.points, 'point')} now; "
                f"the best move scores {_some(best.points)}."
            )
        else:
            yield f"Both moves score {_count(played.points, 'point')} now."
    if played.kept is None or best.kept is None:
        return
    gone = Counter(best.kept) - Counter(played.kept)
    held = Counter(played.kept) - Counter(best.kept)
    if gone:
        yield f"Gives up {multiset(gone)}, which the best move keeps."
    if held:
        yield f"Holds back {multiset(held)}, which the best move spends."


def _colors(seat: int, names: Sequence[str], played: Facts, best: Facts) -> Iterator[str]:
    """The colours built, where the own cards ask for them."""
    for facts, other, which in ((best, played, "The best move"), (played, best, "The move played")):
        helped = [card for card in facts.helped if card not in other.helped]
        if helped:
            yield f"{which} builds what {does(names[seat], 'holds')} {listed(helped)} for."


def _cities(seat: int, names: Sequence[str], played: Facts, best: Facts) -> Iterator[str]:
    """The city that one of the moves completes, or both."""
    if played.city_size is None and best.city_size is None:
        return
    if best.city_size is None:
        yield f"Completes {_city(played)}: {_pays(seat, names, played)}. The best move does not."
    elif played.city_size is None:
        yield (
            f"Does not complete a city. The best move completes {_city(best)}: "
            f"{_pays(seat, names, best)}."
        )
    else:
        yield from _two_cities(seat, names, played, best)


def _city(facts: Facts) -> str:
    merged = ", merged," if facts.merged else ""
    colors = facts.city_colors or 0
    about = "" if colors == round(colors) else "about "
    size = _count(facts.city_size or 0, "space")
    return f"a city of {size}{merged} and {about}{_count(round(colors), 'colour')}"


def _pays(seat: int, names: Sequence[str], facts: Facts) -> str:
    fed = [
        f"{name} about {_some(points)}"
        for name, points in zip(_others(seat, names), facts.fed, strict=True)
    ]
    return f"it can pay {names[seat]} {_count(facts.own_points or 0, 'point')}, {listed(fed)}"


def _others(seat: int, names: Sequence[str]) -> list[str]:
    return [name for number, name in enumerate(names) if number != seat]


def _two_cities(seat: int, names: Sequence[str], played: Facts, best: Facts) -> Iterator[str]:
    larger = abs((played.city_size or 0) - (best.city_size or 0)) >= _SIZES
    brighter = abs((played.city_colors or 0) - (best.city_colors or 0)) >= _SIZES
    if larger or brighter:
        yield f"Completes {_city(played)}; the best move makes it {_city(best)}."
    own = (played.own_points or 0) - (best.own_points or 0)
    if abs(own) >= _POINTS:
        yield (
            f"The city can pay {names[seat]} {_count(played.own_points or 0, 'point')}; "
            f"after the best move {_some(best.own_points or 0)}."
        )
    for name, now, then in zip(_others(seat, names), played.fed, best.fed, strict=True):
        if now - then >= _POINTS:
            yield (
                f"Feeds the cards of {name}: about {_count(now, 'point')} in this city; "
                f"the best move holds that to {_some(then)}."
            )
        elif then - now >= _POINTS:
            yield f"Holds {name} to about {_some(now)} in this city, and still it is worse."


def _openings(played: Facts, best: Facts) -> Iterator[str]:
    """Cities that the next player can complete."""
    if played.openings is None:
        return
    if best.openings is None:
        if played.openings >= _LINES:
            yield f"Leaves the next player {_lines(played)}."
        return
    if played.openings - best.openings >= _LINES:
        yield f"Leaves the next player {_lines(played)}; the best move leaves {_few(best)}."
    elif best.openings - played.openings >= _LINES:
        yield f"Leaves {_few(played)} that complete a city; the best move leaves {_few(best)}."


def _lines(facts: Facts) -> str:
    which = "completes" if _some(facts.openings or 0) == "1" else "complete"
    size = f" of up to {_count(facts.opening_size, 'space')}" if facts.opening_size else ""
    return f"{_count(facts.openings or 0, 'line')} that {which} a city{size}"


def _few(facts: Facts) -> str:
    return _count(facts.openings, "line") if facts.openings else "none"


def _tempo(played: Facts, best: Facts) -> Iterator[str]:
    """Supplies that run short: the game ends with the last piece of one."""
    for what, now, then in zip(_SUPPLIES, played.left, best.left, strict=False):
        if min(now, then) <= _SHORT and abs(now - then) >= _PIECES and not played.ends:
            pace = "sooner" if now < then else "later"
            yield (
                f"Leaves {_count(now, what)} in the supply, the best move {_some(then)}: "
                f"the game ends {pace}."
            )


def _ends(played: Facts, best: Facts) -> Iterator[str]:
    if played.ends and not best.ends:
        yield "Ends the game with this turn; the best move lets it go on."
    elif best.ends and not played.ends:
        yield "Lets the game go on; the best move ends it with this turn."


def _expected(seat: int, names: Sequence[str], verdict: Verdict) -> Iterator[str]:
    """Points at the end: what the move costs its own seat, and what it lets others have."""
    if not verdict.scores_played or not verdict.scores_best:
        return
    changes = [a - b for a, b in zip(verdict.scores_played, verdict.scores_best, strict=True)]
    parts = []
    if abs(changes[seat]) >= _POINTS:
        word = "fewer" if changes[seat] < 0 else "more"
        parts.append(f"{_some(abs(changes[seat]))} {word} points for {names[seat]}")
    for other, change in enumerate(changes):
        if other != seat and abs(change) >= _POINTS:
            word = "more" if change > 0 else "fewer"
            parts.append(f"{_some(abs(change))} {word} for {names[other]}")
    if parts:
        yield f"Expected by the end, against the best move: {listed(parts)}."
