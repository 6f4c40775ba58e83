"""What stands beside a board, and what can be chosen: a position's parts of a message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from masons.engine.board.components import CARD_MEANINGS, CARDS
from masons.engine.state.packed_move import HOUSES, TOWERS
from masons.match.playing.scored_view import MOST, line_moves, may_roll_early
from masons.pictures.overlay import LISTED, overlay_of
from masons.pictures.supply import supply_of

if TYPE_CHECKING:
    from masons.ai.search.results import Analysis
    from masons.engine.formats.move_text import Move
    from masons.engine.state.position import Position
    from masons.match.playing.scored_view import ScoredView


def figures(position: Position) -> dict[str, Any]:
    """Points, numbers of cards, cards face up, what is left in the box."""
    left = supply_of(position)
    return {
        "scores": list(position.scores),
        "cards": list(position.hand_sizes),
        "deck": position.deck_size,
        "face_up": [CARDS[kind] for kind in position.discard],
        "supply": {
            "walls": left.walls,
            "towers": list(left.towers),
            "houses": list(left.houses),
            "palaces": list(left.palaces),
        },
    }


def hand_cards(scored: ScoredView, seat: int) -> list[dict[str, Any]]:
    """The cards of a seat, each with what it scores as things stand; none where they are hidden."""
    hand = scored.view.hands[seat]
    if isinstance(hand, int):
        return []
    points = scored.card_points(scored.view.city)
    return [
        {"card": CARDS[kind], "points": points[kind], "means": CARD_MEANINGS[CARDS[kind]]}
        for kind in hand
    ]


def choices_of(scored: ScoredView, moves: Sequence[Move]) -> dict[str, Any]:
    """The choices of the decision that is due, as a page offers them."""
    phase = scored.view.phase
    if phase == "wall":
        return {
            "walls": {str(line): _completes(scored, line) for line in line_moves(moves)},
            "early_roll": may_roll_early(moves),
        }
    if phase in ("score", "swap"):
        return {}
    if phase == "final":
        return {"cities": _cities(scored)}
    return {
        "choices": [
            {"move": str(move), "words": scored.words(move), "put": [list(p) for p in _put(move)]}
            for move in moves[:MOST]
        ]
    }


def ranked_moves(found: Analysis, scored: ScoredView, listed: int = LISTED) -> dict[str, Any]:
    """The best moves of an analysis with their figures, and what these come from."""
    overlay = overlay_of(found, scored.words, listed=listed)
    return {
        "choices": [asdict(choice) for choice in overlay.choices],
        "by_points": overlay.by_points,
        "iterations": found.iterations,
        "games": found.rollouts,
    }


def _put(move: Move) -> Sequence[tuple[int, int]]:
    return move.put if move.kind in (TOWERS, HOUSES) else ()


def _completes(scored: ScoredView, line: int) -> int:
    """Spaces of the city that a wall completes, 0 for none."""
    if line not in scored.closing_lines:
        return 0
    return max(map(len, scored.closed_by(line)), default=0)


def _cities(scored: ScoredView) -> list[dict[str, Any]]:
    """The cities of the final scoring with what every card scores by them; null: there is none."""
    roots: list[int | None] = sorted(min(city) for city in scored.view.cities) or [None]  # type: ignore[assignment]
    return [
        {"city": root, "points": dict(zip(CARDS, scored.card_points(root), strict=True))}
        for root in roots
    ]
