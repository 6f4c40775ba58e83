"""The questions of `setup`: in which order, with which defaults, and how an answer is checked.

The answers are the fields of a position text. Each answer is tried at once in a whole position:
what was not asked yet stands there as it might be, and if no way of filling it in makes a sound
position, the engine's own complaint about the first way is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Final

from masons.engine.board import components as box
from masons.engine.board.geometry import Board, load_board
from masons.engine.errors import MasonsError, PositionError
from masons.engine.formats.position_text import MAGIC, parse_position, parse_settled
from masons.engine.state.enclosed_areas import enclosed_areas
from masons.engine.state.position import Position
from masons.engine.state.position_counts import check_cards, check_pieces, turns_begun

Answers = Mapping[str, str]

PHASES: Final = ("wall", "roll", "towers", "houses", "merge", "score", "draw", "swap", "final")
_PLACING: Final = ("roll", "towers", "houses")
_WITH_SEAT: Final = ("score", "draw", "swap", "final")
_WITH_CITY: Final = ("merge", "score")
_MAY_END: Final = ("roll", "towers", "houses", "merge", "score", "draw")
# Answers that are no field of a position text.
_NOT_FIELDS: Final = ("own", "hand", "others")
_NONE: Final = "-"
_SEPARATORS: Final = re.compile(r"[\s,+]+")


def _always(_: Answers) -> bool:
    return True


def _phase_in(*phases: str) -> Callable[[Answers], bool]:
    return lambda answers: answers["phase"] in phases


@dataclass(frozen=True)
class Step:
    """A question. `default` "" means that an answer must be given; "-" means nothing."""

    key: str
    prompt: str
    help: str
    default: Callable[[Answers], str]
    asked: Callable[[Answers], bool] = _always
    words: tuple[str, ...] = ()  # for completion


def _fixed(text: str) -> Callable[[Answers], str]:
    return lambda _: text


_CARD_HELP: Final = (
    "cards joined by blanks, commas or +, the same card twice if you have both; - for none. "
    f"The cards: {' '.join(box.CARDS)}"
)
_HOUSE_HELP: Final = (
    "colour, colon, spaces; groups separated by ;, and *2 for two of them: "
    f"red:23,89*2;blue:76. Colours: {' '.join(box.HOUSE_COLORS)}. - for none"
)
_NUMBERS_HELP: Final = "masons-engine board classic --svg FILE draws the board with all numbers"

STEPS: Final = (
    Step("board", "board", "the name of a built-in board, or a board's file", _fixed("classic"),
         words=("classic",)),
    Step("players", "number of players", "2, 3 or 4", _fixed("2")),
    Step("options", "is rolling before the wall allowed (early_roll or -)",
         "early_roll, where you play with that option; - where not", _fixed(_NONE),
         words=("early_roll",)),
    Step("phase", "what is due",
         f"one of {', '.join(PHASES)}: what is to be decided (roll, draw: luck is awaited)",
         _fixed("wall"), words=PHASES),
    Step("active", "whose turn is it (seats count from 0)", "the seat whose turn it is",
         _fixed("0")),
    Step("seat", "which seat decides (or draws)", "the seat that decides now",
         lambda answers: answers["active"], _phase_in(*_WITH_SEAT)),
    Step("line", "this turn's wall", f"the number of its line; {_NUMBERS_HELP}", _fixed(""),
         _phase_in(*_PLACING)),
    Step("walls", "walls on the board", "numbers of lines, joined by commas, this turn's too; "
         f"- for none. {_NUMBERS_HELP}", lambda answers: answers.get("line", _NONE)),
    Step("towers", "towers", "colour, colon, tower spaces; groups separated by ;: "
         f"white:12,46;black:20. Colours: {' '.join(box.TOWER_COLORS)}. {_NUMBERS_HELP}",
         _fixed(_NONE)),
    Step("houses", "houses", _HOUSE_HELP, _fixed(_NONE)),
    Step("palaces", "palaces", f"{_HOUSE_HELP}; any space of the city", _fixed(_NONE)),
    Step("roll", "the dice", "tower die/house die/house die: white/red/?; - for a tower die that "
         "is not rolled", _fixed(""), _phase_in("towers", "houses")),
    Step("city", "a space of the city just completed",
         "the lowest space of the city that is scored or may merge (- where a swap draws)",
         lambda answers: _only_city(answers), _phase_in(*_WITH_CITY, "draw")),
    Step("due", "cards still to draw", "how many", _fixed("1"), _phase_in("draw")),
    Step("queue", "seats that may still swap", "seats in their order, the deciding one first",
         lambda answers: answers["seat"], _phase_in("swap")),
    Step("end", "what has ended the game", f"{', '.join(box.ENDS)}; - where it goes on",
         lambda answers: "walls" if answers["phase"] == "final" else _NONE,
         _phase_in(*_MAY_END, "final"), words=box.ENDS),
    Step("scores", "scores", "points of each seat, joined by commas: 12,9",
         lambda answers: ",".join("0" * int(answers["players"]))),
    Step("own", "your seat", "the seat whose hand you know", lambda answers: _decider(answers)),
    Step("hand", "your hand", _CARD_HELP, _fixed(""), words=box.CARDS),
    Step("others", "hand sizes of the others", "how many cards each other seat holds, in the order "
         "of seats, joined by commas",
         lambda answers: ",".join("6" * (int(answers["players"]) - 1))),
    Step("discard", "cards face up (discarded)", _CARD_HELP, _fixed(_NONE), words=box.CARDS),
    Step("rolled", "was the early roll made in this turn (1 or 0)", "1 after an early roll",
         _fixed("0"), lambda a: a["phase"] == "wall" and a["options"] == "early_roll"),
    Step("turn", "turns begun before this one", "0 in the first turn; walls and houses tell it",
         lambda a: _turns(a)),
)  # fmt: skip


def _decider(answers: Answers) -> str:
    return answers.get("seat", answers["active"])


def _walls(answers: Answers) -> set[int]:
    text = answers.get("walls", answers.get("line", _NONE))
    return set() if text == _NONE else {int(word) for word in text.split(",")}


def _turns(answers: Answers) -> str:
    """As many as walls and houses tell."""
    return str(turns_begun(*position_of(answers)))


def _cities(answers: Answers) -> list[int]:
    """The lowest spaces of the areas that the walls cut off."""
    board = load_board(answers["board"])
    known = {line for line in _walls(answers) if line < len(board.line_towers)}
    return [min(area) for area in enclosed_areas(board, known)]


def _only_city(answers: Answers) -> str:
    cities = _cities(answers)
    return str(cities[0]) if len(cities) == 1 else ""


def tidy(step: Step, text: str) -> str:
    """An answer as the position text has it: no blanks, cards joined by +."""
    words = [word for word in _SEPARATORS.split(text.strip()) if word]
    if step.key in ("hand", "discard"):
        return "+".join(words)
    if step.key in ("walls", "scores", "others", "queue"):
        return ",".join(words)
    return re.sub(r"\s+", "", text)


def check(step: Step, answers: Answers) -> None:
    """Try an answer, the last of `answers`. Raises MasonsError, in one line, where it is wrong."""
    text = answers[step.key]
    if not text:
        raise PositionError(f"an answer is needed: {step.help}")
    if step.key == "board":
        load_board(text)
    if step.key == "players" and text not in ("2", "3", "4"):
        raise PositionError("players must be 2, 3 or 4")
    if step.key == "phase" and text not in PHASES:
        raise PositionError(f"phase must be one of {', '.join(PHASES)}")
    if step.key in ("active", "seat", "own") and text not in map(str, range(_players(answers))):
        raise PositionError(f"seats are 0 to {_players(answers) - 1}")
    if step.key == "line":
        _check_numbers(answers["board"], text)
    if step.key == "walls":
        _check_numbers(answers["board"], *(() if text == _NONE else text.split(",")))
    if step.key == "others":
        _check_sizes(answers)
    if [s.key for s in STEPS].index(step.key) > _FIRST_TRIED:
        _try(answers)


_FIRST_TRIED: Final = [step.key for step in STEPS].index("line")


def _players(answers: Answers) -> int:
    return int(answers["players"])


def _check_numbers(board: str, *words: str) -> None:
    lines = len(load_board(board).line_towers)
    for word in words:
        if not (word.isascii() and word.isdigit() and len(word) < 4 and int(word) < lines):
            raise PositionError(f"{word[:40]!r} is no line: they are 0 to {lines - 1}")


def _check_sizes(answers: Answers) -> None:
    words = answers["others"].split(",")
    good = all(word.isascii() and word.isdigit() and len(word) < 3 for word in words)
    if not good or len(words) != _players(answers) - 1:
        raise PositionError(f"others must be {_players(answers) - 1} numbers, joined by commas")


def _try(answers: Answers) -> None:
    """Raises the complaint about the first way of filling in, where none is sound."""
    first: MasonsError | None = None
    for filled in _ways(answers):
        try:
            position_of(filled)
        except MasonsError as error:
            first = first or error
        else:
            return
    if first is not None:
        raise first


def _ways(answers: Answers) -> Iterator[dict[str, str]]:
    """The answers with what was not asked yet, as it might be."""
    filled = {"towers": _some_towers(answers), **answers}
    open_steps = [s for s in STEPS if s.key not in filled and s.asked(answers)]
    choices: list[list[tuple[str, str]]] = []
    for step in open_steps:
        if step.key == "roll":
            choices.append([("roll", "white/red/blue"), ("roll", "-/red/blue")])
        elif step.key == "city":
            nothing = [("city", _NONE)] if answers["phase"] == "draw" else []
            cities = [("city", str(city)) for city in _cities(answers)]
            choices.append([*cities, *nothing] or [("city", _NONE)])
        elif step.key == "queue":
            choices.append([("queue", _decider(answers))])
        elif step.key == "end":
            goes_on = [] if answers["phase"] == "final" else [_NONE]
            choices.append([("end", end) for end in (*goes_on, *box.ENDS)])
        elif step.key == "due":
            choices.append([("due", "1")])
    for extra in product(*choices):
        yield {**filled, **dict(extra)}


def _some_towers(answers: Answers) -> str:
    """Towers of all colours in turn at the ends of the walls, as far as they must stand there."""
    board = load_board(answers["board"])
    walls = _walls(answers)
    if answers["phase"] in ("roll", "towers") and "line" in answers:
        walls = walls - {int(answers["line"])}
    return _tower_groups(board, walls)


def _tower_groups(board: Board, walls: set[int]) -> str:
    ends = sorted({end for line in walls for end in board.line_towers[line]})
    groups = []
    for color, name in enumerate(box.TOWER_COLORS):
        own = ends[color :: len(box.TOWER_COLORS)]
        if own:
            groups.append(f"{name}:{','.join(map(str, own))}")
    return ";".join(groups) or _NONE


def position_text(answers: Answers) -> str:
    """The position that the answers make, as they were given: nothing is checked."""
    fields = {key: text for key, text in answers.items() if key not in _NOT_FIELDS}
    fields["board"] = load_board(answers["board"]).name
    fields["hands"] = _hands(answers)
    words = [f"{key}={text}" for key, text in fields.items() if text != _NONE or key == "hands"]
    return " ".join([MAGIC, *words])


def position_of(answers: Answers) -> tuple[Board, Position]:
    """The board and the position that the answers make. Raises MasonsError where it is unsound.

    What was not asked yet is not counted.
    """
    board, text = load_board(answers["board"]), position_text(answers)
    if "turn" in answers:
        return parse_position(text, board)
    _, position = parse_settled(text, board)
    if "palaces" in answers:
        cities = check_pieces(board, position)
        if "discard" in answers:
            check_cards(board, position, cities)
    return board, position


def _hands(answers: Answers) -> str:
    players = _players(answers)
    own = int(answers.get("own", _decider(answers)))
    sizes = answers.get("others", ",".join("6" * (players - 1))).split(",")
    hands = [f"?{size}" for size in sizes]
    hands.insert(own, answers.get("hand", f"?{box.HAND}"))
    return "/".join(hands)
