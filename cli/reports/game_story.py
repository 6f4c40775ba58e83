"""A game move by move, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from masons.cli.support.console import output
from masons.cli.terminal.moves_in_words import END_WORDS, event_words
from masons.cli.terminal.news import EFFECTS
from masons.engine.formats.plain_words import count, listed, victory
from masons.engine.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.engine.game.game import Result
    from masons.engine.game.record import Replay


class Story:
    """Prints a game as it is played again."""

    def __init__(self, number: int, replay: Replay) -> None:
        self._number = number
        self._replay = replay
        self._game = replay.game
        self._console = output()
        record = replay.record
        self._names = [plain(name) for name in record["names"]]
        self._turn = -1

    def print(self) -> None:
        """The whole game. Raises RecordError where the record leaves the rules."""
        self._title()
        while not self._game.is_over:
            self._begin_turn()
            logged = len(self._game.log)
            decision, active = self._game.decisions + 1, self._game.active
            self._replay.step()
            self._events(self._game.log.events(logged), decision, active)
        self._replay.finish()
        self._end()

    def _say(self, text: str, style: str = "", mark: str = "") -> None:
        """A line; one with a `mark` stands indented behind it, also where a terminal wraps it."""
        if not self._console.is_terminal:
            self._console.print(f"{mark}{text}", soft_wrap=True, markup=False)
            return
        if not mark:
            self._console.print(Text(text, style=style))
            return
        line = Table.grid()
        line.add_column(no_wrap=True)
        line.add_column()
        line.add_row(Text(mark, style="dim"), Text(text, style=style))
        self._console.print(line)

    def _who(self, seat: int) -> str:
        return f"seat {seat} ({self._names[seat]})"

    def _title(self) -> None:
        record = self._replay.record
        options = f", {', '.join(record['options'])}" if record["options"] else ""
        seed = "" if record["seed"] is None else f", seed {record['seed']}"
        self._say(
            f"game {self._number}: {self._game.board.name}, {count(self._game.players, 'player')}"
            f"{options}{seed}",
            "bold",
        )
        for seat, hand in enumerate(record["hands"]):
            self._say(f"{self._who(seat)} holds {listed(hand)}", mark="  ")

    def _begin_turn(self) -> None:
        turn = self._game.position.turn
        if turn == self._turn:
            return
        self._turn = turn
        scores = " ".join(map(str, self._game.scores))
        self._say("")
        self._say(f"turn {turn + 1}: {self._who(self._game.active)}, scores {scores}", "bold")

    def _events(self, events: list[dict[str, Any]], decision: int, active: int) -> None:
        """The events of one decision; the number stands before the one that is the decision."""
        numbered = False
        for event in events:
            words = event_words(self._game.board, event)
            effect = event["e"] in EFFECTS
            own = not numbered and not effect
            numbered = numbered or own
            other = not effect and event["p"] != active
            who = f"{self._who(event['p'])}: " if other else ""
            mark = f"{decision:>5}" if own else " " * 5
            self._say(who + words, _style(event), f"{mark}  ")

    def _end(self) -> None:
        result = self._game.result
        assert result is not None
        self._say("")
        how, who = ending_words(result, self._names)
        self._say(how)
        self._say(who, "bold")
        self._say("")


def ending_words(result: Result, names: Sequence[str]) -> tuple[str, str]:
    """How a game ended, with the scores; and who won."""
    winners = [f"seat {seat} ({names[seat]})" for seat in result.winners]
    scores = ", ".join(
        f"{name} {score} ({count(size, 'card')})"
        for name, score, size in zip(names, result.scores, result.hand_sizes, strict=True)
    )
    return f"The game ends: {END_WORDS[result.end]}. Scores: {scores}.", f"{victory(winners)}."


def _style(event: dict[str, Any]) -> str:
    """Colours that set the kinds of event apart."""
    kind = event["e"]
    if kind in ("city", "palaces"):
        return "yellow"
    if kind in ("play", "final") and sum(event["points"]):
        return "green"
    return "not dim" if kind not in ("roll", "reshuffle") else "dim"
