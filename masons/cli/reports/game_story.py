"""The story of a recorded game, told in words."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from masons.cli.console import output
from masons.engine.plain_text import count
from masons.words.events import EFFECTS, ending_words, event_words, shown_names
from masons.words.moves import cards_words

if TYPE_CHECKING:
    from rich.console import Console

    from masons.engine.game.replay import Replay


def tell(number: int, replay: Replay) -> None:
    """Replay a game and print it in words. Raises RecordError if the game breaks a rule."""
    game, record, say = replay.game, replay.record, partial(_print, output())
    names, forfeited, last_turn = shown_names(replay), set[int](), -1

    def who(seat: int) -> str:
        return f"seat {seat} ({names[seat]}{', stand-in' if seat in forfeited else ''})"

    def say_forfeits() -> None:
        """Print each seat for which a stand-in decides from now on."""
        for forfeit in replay.new_forfeits():
            say("")
            say(forfeit.words(names, replay.stopped), "bold")
            forfeited.add(forfeit.seat)

    options = f", {', '.join(record['options'])}" if record["options"] else ""
    seed = "" if record.get("seed") is None else f", seed {record['seed']}"
    players = count(game.players, "player")
    say(f"game {number}: {game.board.name}, {players}{options}{seed}", "bold")
    for seat, hand in enumerate(record["hands"]):
        say(f"{who(seat)} holds {cards_words(hand)}", mark="  ")
    while not replay.is_done:
        say_forfeits()
        if game.position.turn != last_turn:
            last_turn = game.position.turn
            say("")
            scores = " ".join(map(str, game.scores))
            say(f"turn {last_turn + 1}: {who(game.active)}, scores {scores}", "bold")
        logged, active = len(game.log), game.active
        mark = f"{game.decisions + 1:>5}"  # the number to print before the decision's event
        replay.step()
        for event in game.log.events(logged):
            is_effect = event["e"] in EFFECTS
            whose = "" if is_effect or event["p"] == active else f"{who(event['p'])}: "
            shown_mark = " " * 5 if is_effect else mark
            say(whose + event_words(game.board, event), _style(event), f"{shown_mark}  ")
            mark = mark if is_effect else " " * 5
    replay.finish()
    say_forfeits()
    say("")
    *how, winner = ending_words(replay)
    for words in how:
        say(words)
    say(winner, "bold")
    say("")


def _print(console: Console, text: str, style: str = "", mark: str = "") -> None:
    """Print a line, which may begin with a `mark`. Wrapped rows are indented like the text."""
    if not console.is_terminal:
        console.print(f"{mark}{text}", soft_wrap=True, markup=False)
        return
    line = Table.grid()
    if mark:
        line.add_column(no_wrap=True)
        line.add_column()
        line.add_row(Text(mark, style="dim"), Text(text, style=style))
    console.print(line if mark else Text(text, style=style))


def _style(event: dict[str, Any]) -> str:
    """Return the style in which an event is printed."""
    kind = event["e"]
    if kind in ("city", "palaces"):
        return "yellow"
    if kind in ("play", "final") and sum(event["points"]):
        return "green"
    return "not dim" if kind not in ("roll", "reshuffle") else "dim"
