"""A game move by move, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from masons.cli.console import output
from masons.engine.formats.record_endings import stopped_words
from masons.engine.plain_text import count, listed, plain_name, victory
from masons.match.playing.game_words import EFFECTS, END_WORDS, event_words

if TYPE_CHECKING:
    from masons.engine.game.record import Replay


def shown_names(replay: Replay) -> list[str]:
    """The seats' names, fit to be printed."""
    return [plain_name(name) for name in replay.record["names"]]


class Story:
    """Prints a game as it is played again."""

    def __init__(self, number: int, replay: Replay) -> None:
        self._number = number
        self._replay = replay
        self._game = replay.game
        self._console = output()
        self._names = shown_names(replay)
        self._turn = -1
        self._forfeited: set[int] = set()

    def print(self) -> None:
        """The whole game. Raises RecordError where the record leaves the rules."""
        self._title()
        while not self._replay.is_done:
            self._forfeits()
            self._begin_turn()
            logged = len(self._game.log)
            decision, active = self._game.decisions + 1, self._game.active
            self._replay.step()
            self._events(self._game.log.events(logged), decision, active)
        self._replay.finish()
        self._forfeits()
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
        stand_in = ", stand-in" if seat in self._forfeited else ""
        return f"seat {seat} ({self._names[seat]}{stand_in})"

    def _forfeits(self) -> None:
        """Say for whom somebody else chooses from here on."""
        for forfeit in self._replay.new_forfeits():
            self._say("")
            self._say(forfeit.words(self._names), "bold")
            self._forfeited.add(forfeit.seat)

    def _title(self) -> None:
        record = self._replay.record
        options = f", {', '.join(record['options'])}" if record["options"] else ""
        seed = "" if record.get("seed") is None else f", seed {record['seed']}"
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
            is_alone = not numbered and not effect
            numbered = numbered or is_alone
            other = not effect and event["p"] != active
            who = f"{self._who(event['p'])}: " if other else ""
            mark = f"{decision:>5}" if is_alone else " " * 5
            self._say(who + words, _style(event), f"{mark}  ")

    def _end(self) -> None:
        self._say("")
        *how, who = ending_words(self._replay)
        for words in how:
            self._say(words)
        self._say(who, "bold")
        self._say("")


def ending_words(replay: Replay) -> list[str]:
    """How a game ended or was stopped, with the scores; who forfeited; and who won."""
    names = shown_names(replay)
    position = replay.game.position
    scores = ", ".join(
        f"{name} {score} ({count(size, 'card')})"
        for name, score, size in zip(names, position.scores, position.hand_sizes, strict=True)
    )
    if not replay.game.is_over:
        return [f"Scores so far: {scores}.", *_forfeited(replay), _stop(replay)]
    winners = [f"seat {seat} ({names[seat]})" for seat in replay.winners]
    return [
        f"The game ends: {END_WORDS[position.end]}. Scores: {scores}.",
        *_forfeited(replay),
        f"{victory(winners)}." if winners else "Nobody wins: every seat has forfeited.",
    ]


def unusual(replay: Replay) -> list[str]:
    """How a game was stopped and who forfeited, in a sentence each; mostly nothing."""
    return [*([] if replay.game.is_over else [_stop(replay)]), *_forfeited(replay)]


def _stop(replay: Replay) -> str:
    return stopped_words(replay.stopped, shown_names(replay))


def _forfeited(replay: Replay) -> list[str]:
    names = shown_names(replay)
    return [
        f"Seat {forfeit.seat} ({names[forfeit.seat]}) had forfeited ({forfeit.why}): "
        "it is ranked last."
        for forfeit in replay.forfeits
    ]


def _style(event: dict[str, Any]) -> str:
    """Colors that set the kinds of event apart."""
    kind = event["e"]
    if kind in ("city", "palaces"):
        return "yellow"
    if kind in ("play", "final") and sum(event["points"]):
        return "green"
    return "not dim" if kind not in ("roll", "reshuffle") else "dim"
