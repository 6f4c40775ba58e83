"""The story of a recorded game, told in words."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from masons.cli.console import output
from masons.engine.formats.record_endings import stopped_words
from masons.engine.plain_text import count, listed, plain_name, victory
from masons.match.playing.game_words import EFFECTS, END_WORDS, event_words

if TYPE_CHECKING:
    from rich.console import Console

    from masons.engine.game.record import Replay


def shown_names(replay: Replay) -> list[str]:
    """Return the names of the seats, with control characters escaped."""
    return [plain_name(name) for name in replay.record["names"]]


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
            say(forfeit.words(names), "bold")
            forfeited.add(forfeit.seat)

    options = f", {', '.join(record['options'])}" if record["options"] else ""
    seed = "" if record.get("seed") is None else f", seed {record['seed']}"
    players = count(game.players, "player")
    say(f"game {number}: {game.board.name}, {players}{options}{seed}", "bold")
    for seat, hand in enumerate(record["hands"]):
        say(f"{who(seat)} holds {listed(hand)}", mark="  ")
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


def ending_words(replay: Replay) -> list[str]:
    """Return sentences about the end of a game, its scores and its forfeits.

    The last sentence names the winners, or says why the game stopped.
    """
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
    """Return sentences about an early stop and about forfeits, if there were any."""
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
    """Return the style in which an event is printed."""
    kind = event["e"]
    if kind in ("city", "palaces"):
        return "yellow"
    if kind in ("play", "final") and sum(event["points"]):
        return "green"
    return "not dim" if kind not in ("roll", "reshuffle") else "dim"
