"""What can be typed, in a page that fits a small terminal."""

from __future__ import annotations

from typing import Final

_PHASES: Final = {
    "wall": "a wall: type the line's number (57); lines shows all numbers",
    "towers": "towers: type the number of a move of the menu",
    "houses": "houses: type the number of a move of the menu",
    "merge": "a merge: type the number of a move of the menu",
    "score": "cards: a number of the menu, or play a c, play cities, abstain b",
    "swap": "a swap: none, or the cards that go: swap a c, swap cities",
    "final": "last cards: a number of the menu, or final 17 a c, or pass",
}
_COMMANDS: Final = (
    ("hint", "what the engine would do, and why"),
    ("moves", "all the moves"),
    ("lines", "the numbers of all lines, for a wall"),
    ("board", "the page again"),
    ("cards", "what your cards mean, and what lies face up"),
    ("log", "the whole game so far"),
    ("undo", "take back what showed nothing new (more with --practice)"),
    ("save FILE", "keep the game so far in another file"),
    ("resign", "give up"),
    ("quit", "leave; the game is kept and can be resumed"),
)


def help_lines(phase: str) -> list[str]:
    """How to answer what is due, then the commands."""
    lines = [_PHASES[phase]] if phase in _PHASES else []
    lines.append("moves can also be written: wall:57, play:cities+land-red; Tab completes them")
    return [*lines, *(f"{name:<10} {what}" for name, what in _COMMANDS)]
