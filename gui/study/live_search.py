"""Searches of what is studied: they tell how they stand while they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from masons.ai.beliefs.card_counts import belief
from masons.ai.beliefs.sampled_hands import estimate_hands
from masons.ai.explain.explanation import explained
from masons.ai.search.limits import Limits
from masons.ai.session import Session, analyse
from masons.engine.board.components import CARDS
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import parse_move
from masons.gui.pages.decision_choices import ranked_moves
from masons.match.playing.scored_view import ScoredView

if TYPE_CHECKING:
    from masons.ai.search.results import Analysis
    from masons.ai.search.stop import Stop
    from masons.engine.game.observation import Observation
    from masons.engine.game.table import Table

LISTED: Final = 8
_INTERVAL: Final = 0.4
_ENDLESS: Final = Limits(infinite=True)
_GRAPH_SIMS: Final = 400
_COMPARE: Final = Limits(sims=1000, rollouts=8000)
_SHOWN: Final = 12  # cards of a belief

Tell = Callable[[dict[str, Any]], None]


def rank_moves(
    table: Table, view: Observation, names: Sequence[str], stop: Stop, tell: Tell
) -> dict[str, Any]:
    """Rank the moves until `stop`, and tell what is known now and then, with reasons."""
    scored = ScoredView(table, view.position)
    session = Session(table)

    def ranked(found: Analysis) -> dict[str, Any]:
        explanation = explained(found, session.rollout)
        words = [] if explanation is None else explanation.why(names) + explanation.expected(names)
        return {
            **ranked_moves(found, scored, listed=LISTED),
            "seconds": round(found.seconds, 1),
            "wins": [round(win, 4) for win in found.wins],
            "scores": [round(score, 1) for score in found.scores],
            "words": words,
        }

    def progress(found: Analysis) -> None:
        tell({"type": "info", **ranked(found)})

    found = session.analyse(
        view, limits=_ENDLESS, stop=stop, progress=progress, interval=_INTERVAL, top=LISTED
    )
    return {"type": "bestmove", "move": str(found.best), **ranked(found)}


def win_probabilities(
    views: Callable[[int], Observation | None], table: Table, steps: int, stop: Stop, tell: Tell
) -> None:
    """The win probability of each seat at each step, a point at a time; `views` by the step."""
    for step in range(steps):
        if stop.is_set:
            return
        view = views(step)
        if view is not None:
            found = analyse(table, view, sims=_GRAPH_SIMS, stop=stop, top=0)
            wins = [round(win, 4) for win in found.moves[0].wins or found.wins]
            tell({"type": "info", "step": step, "wins": wins})


def compare(
    table: Table, view: Observation, names: Sequence[str], moves: tuple[str, str], stop: Stop
) -> dict[str, Any]:
    """Why a move is better than another, or what tells them apart. Raises MasonsError."""
    first, second = parse_move(moves[0]), parse_move(moves[1])
    if first == second:
        raise MasonsError("compare needs two different moves")
    session = Session(table)
    found = session.analyse(view, limits=_COMPARE, also=[first, second], stop=stop, top=0)
    explanation = explained(found, session.rollout, pair=(first, second))
    difference = explanation.differences[0] if explanation and explanation.differences else None
    if difference is not None:
        first, second = difference.move, difference.other
    return {
        "type": "compared",
        "first": str(first),
        "second": str(second),
        "words": [] if difference is None else difference.words(names),
    }


def believed(table: Table, view: Observation) -> dict[str, Any]:
    """What the others may hold: by what was chosen where that is known, else by what is unseen."""
    guessed = None if view.history is None else estimate_hands(table, view)
    seats = []
    for seat in range(view.players):
        if seat == view.seat:
            continue
        if guessed is not None:
            chances = guessed[seat]
        else:
            chances = {one.kind: one.probability for one in belief(view, seat)}
        likely = sorted(chances.items(), key=lambda item: (-item[1], item[0]))[:_SHOWN]
        cards = [[CARDS[kind], round(chance, 3)] for kind, chance in likely]
        seats.append({"seat": seat, "cards": cards})
    return {"type": "belief", "guessed": guessed is not None, "seats": seats}
