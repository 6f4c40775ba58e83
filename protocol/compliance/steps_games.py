"""Steps of the compliance test about games: positions, events, moves and queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from masons.engine.board.components import CARDS, MAX_PLAYERS, MIN_PLAYERS
from masons.engine.errors import MoveError
from masons.engine.formats.move_text import parse_move
from masons.engine.formats.position_text import parse_position
from masons.engine.game.perft import perft
from masons.engine.game.table import Table
from masons.engine.state.packed_move import DECISIONS
from masons.protocol.compliance.sample_games import Sample, Stage, opening, samples
from masons.protocol.compliance.trial import Check, TestedEngine, Trial, Unmet
from masons.protocol.messages.error_codes import ProtocolFault
from masons.protocol.messages.replies import parse_belief, parse_evaluation, shown
from masons.protocol.messages.seat_events import format_event, joined

T = TypeVar("T")

SEED: Final = 7
_STEPS_TRIED: Final = 120  # steps of a game after each of which `query view` is asked


def placed(trial: Trial, sample: Sample) -> TestedEngine:
    """An engine to which a position has been given."""
    engine = trial.shared()
    engine.accepts(sample.opening, f"position {sample.text}")
    return engine


def legal_answer(engine: TestedEngine, sample: Sample, words: str = "sims 1") -> str:
    """Search, and hold the move against the legal ones."""
    move = plain(engine.go(words)[0])
    if move not in sample.moves:
        raise Unmet(f"{shown(move)} is not legal in {sample.text}")
    return move


def plain(move: str) -> str:
    """A move with its cards in the order of the rules. Raises Unmet where it is none."""
    try:
        return str(parse_move(move))
    except MoveError as error:
        raise Unmet(str(error)) from None


# --- decisions


def decide(phase: str) -> Check:
    """A decision of one phase."""

    def run(trial: Trial) -> str:
        sample = samples()[phase]
        return legal_answer(placed(trial, sample), sample)

    return Check(f"decide: {phase}", f"a {phase} decision, go sims 1", "a legal bestmove", run)


def without_newgame(trial: Trial) -> str:
    """A position alone, as in analysis."""
    sample = samples()["score"]
    engine = trial.ready()
    engine.accepts(f"position {sample.text}")
    return legal_answer(engine, sample)


def other_hands_are_not_needed(trial: Trial) -> str:
    """A position that shows every hand."""
    sample = samples()["score"]
    engine = trial.shared()
    engine.accepts(sample.opening, f"position {sample.whole}")
    return legal_answer(engine, sample)


def early_roll(trial: Trial) -> str:
    """A game with the option."""
    stage = Stage(MIN_PLAYERS, SEED, early_roll=True)
    sample = stage.sample()
    engine = placed(trial, sample)
    move, _ = engine.go("sims 1 moves early-roll")
    if move != "early-roll":
        raise Unmet(f"{shown(move)}, though only early-roll was allowed")
    legal_answer(engine, sample)
    engine.accepts(opening(sample.players, sample.seat))
    engine.refuses(f"position {sample.text}", "illegal")
    return ""


def whole_game(players: int) -> Check:
    """A whole game with the engine at one seat."""

    def run(trial: Trial) -> str:
        seat = players - 1
        stage = Stage(players, SEED)
        engine = trial.shared()
        engine.accepts(opening(players, seat), f"position {stage.observe(seat)}")
        decisions = 0
        while not stage.game.is_over:
            move = None
            if stage.decides and stage.game.seat == seat:
                decisions += 1
                engine.send(f"position {stage.observe(seat)}")
                text, _ = engine.go("sims 1")
                move = parse_move(text)
                if not stage.game.is_legal(move):
                    raise Unmet(f"{shown(text)} is not legal in {stage.observe(seat)}")
            engine.send(f"event {format_event(stage.advance(move), seat)}")
        result = stage.game.result
        assert result is not None
        hands = "/".join("+".join(CARDS[kind] for kind in hand) or "-" for hand in hands_of(stage))
        engine.accepts(
            f"gameover scores {joined(result.scores)} winners {joined(result.winners)} "
            f"end {result.end} hands {hands}"
        )
        return f"{decisions} decisions"

    def guarded(trial: Trial) -> str:
        try:
            return run(trial)
        except MoveError as error:
            raise Unmet(str(error)) from None

    return Check(
        f"a game of {players}", "position at the start, every event, position and go, gameover",
        "legal moves, no error", guarded,
    )  # fmt: skip


def hands_of(stage: Stage) -> list[tuple[int, ...]]:
    """Every hand, by kinds of card."""
    return [hand for hand in stage.game.position.hands if not isinstance(hand, int)]


# --- events


def follows_events(trial: Trial) -> str:
    """Events alone, from the start; after each the view must be the true one."""
    players, seat = MAX_PLAYERS - 1, 1
    stage = Stage(players, SEED)
    engine = trial.shared()
    engine.accepts(opening(players, seat), f"position {stage.observe(seat)}")
    engine.ask("query view", "view")
    sent = 0
    while not stage.game.is_over:
        line = f"event {format_event(stage.advance(), seat)}"
        engine.send(line)
        sent += 1
        if sent <= _STEPS_TRIED or stage.game.is_over:
            view = engine.ask("query view", "view")
            if view != stage.observe(seat):
                raise Unmet(f"after {line}: {view}, not {stage.observe(seat)}")
    engine.accepts()
    return f"{sent} events"


def bad_events(trial: Trial) -> str:
    """Events that cannot be; the view must stay as it was."""
    stage = Stage(MIN_PLAYERS, SEED)
    engine = trial.shared()
    engine.accepts(opening(MIN_PLAYERS, 0), f"position {stage.observe(0)}")
    before = engine.ask("query view", "view")
    for bad in (
        "", "jump", "move", "move 0", "move 0 fly:3", "move 0 wall:170", "move 1 wall:3",
        "move 0 towers:0=white", "move 7 wall:3", "roll white/red/red", "roll white",
        "draw 0 cities", "draw 1 ?", "draw 0 no-such-card",
    ):  # fmt: skip
        engine.refuses(f"event {bad}", "illegal", "syntax")
        _same_view(engine, before, f"event {bad}")
    return ""


def _same_view(engine: TestedEngine, before: str, after: str) -> None:
    view = engine.ask("query view", "view")
    if view != before:
        raise Unmet(f"{shown(after)} changed the view from {before} to {view}")


# --- positions


def bad_positions(trial: Trial) -> str:
    """Positions that cannot be; the one before must stay."""
    sample = samples()["wall"]
    engine = placed(trial, sample)
    offers_view = engine.offers("query view")
    before = engine.ask("query view", "view") if offers_view else ""
    other = MIN_PLAYERS + (sample.players - MIN_PLAYERS + 1) % 3
    hidden = samples()["score"].text.split()
    for bad in (
        "", "masons1", "masons1 board=classic", "nonsense",
        sample.text.replace("masons1", "masons9"),
        sample.text.replace("phase=wall", "phase=nap"),
        sample.text + " phase=wall",
        sample.text + " flags=3",
        sample.text.replace("houses=", "houses=red:104;"),
        sample.text.replace("walls=", "walls=170,"),
        sample.text.replace(f"players={sample.players}", f"players={other}"),
        sample.text.replace("board=classic", "board=elsewhere"),
        " ".join("hands=" + "/".join(["?6"] * sample.players) if word.startswith("hands=") else word
                 for word in sample.text.split()),
        " ".join(hidden[:4]),
    ):  # fmt: skip
        engine.refuses(f"position {bad}", "illegal", "syntax")
        if offers_view:
            _same_view(engine, before, f"position {bad}")
    return legal_answer(engine, sample)


def bad_games(trial: Trial) -> str:
    """Games that cannot be."""
    sample = samples()["wall"]
    engine = placed(trial, sample)
    for bad in (
        "", "players 2", "players 1 seat 0 board classic", "players 5 seat 0 board classic",
        "players 2 seat 2 board classic", "players 2 seat -1 board classic",
        "players two seat 0 board classic", "players 2 seat 0 board no-such-board",
        "players 2 seat 0 board classic options fast",
    ):  # fmt: skip
        engine.refuses(f"newgame {bad}", "syntax", "illegal", "unknown")
    return legal_answer(engine, sample)


# --- queries


def legal_moves(trial: Trial) -> str:
    """The list of moves in each phase."""
    for phase in DECISIONS:
        sample = samples()[phase]
        answer = placed(trial, sample).ask("query legal", "legal")
        moves = [plain(move) for move in answer.split()]
        if sorted(moves) != sorted(sample.moves):
            wrong = sorted(set(moves) ^ set(sample.moves))[:3] or "moves twice"
            raise Unmet(f"{len(moves)} moves, not {len(sample.moves)}: {wrong} in {sample.text}")
    return ""


def queries(trial: Trial) -> str:
    """Who decides what, with which scores."""
    for phase in DECISIONS:
        sample = samples()[phase]
        engine = placed(trial, sample)
        for what, right in (
            ("phase", phase),
            ("tomove", str(sample.seat)),
            ("scores", joined(sample.scores)),
            ("result", "none"),
        ):
            answer = engine.ask(f"query {what}", what)
            if answer != right:
                raise Unmet(f"query {what}: {shown(answer)}, not {right}, in {sample.text}")
    return ""


def result(trial: Trial) -> str:
    """The end of a game."""
    stage = Stage(MIN_PLAYERS, SEED)
    while not stage.game.is_over:
        stage.advance()
    engine = trial.shared()
    engine.accepts(opening(MIN_PLAYERS, 0), f"position {stage.observe(0)}")
    answer = engine.ask("query result", "result")
    end = stage.game.result
    assert end is not None
    right = f"scores {joined(end.scores)} winners {joined(end.winners)} end {end.end}"
    if answer != right:
        raise Unmet(f"{shown(answer)}, not {right}")
    for what, word in (("tomove", "none"), ("phase", "over"), ("legal", "")):
        if (answer := engine.ask(f"query {what}", what)) != word:
            raise Unmet(f"query {what}: {shown(answer)} where the game is over")
    return ""


def view(trial: Trial) -> str:
    """The position comes back."""
    for sample in samples().values():
        answer = placed(trial, sample).ask("query view", "view")
        if answer != sample.text:
            raise Unmet(f"{answer}, not {sample.text}")
    return ""


def svg(trial: Trial) -> str:
    """A picture."""
    answer = placed(trial, samples()["score"]).ask("query svg", "svg")
    if not (answer.startswith("<svg") and answer.endswith("</svg>")):
        raise Unmet(f"{shown(answer)} is no picture")
    return ""


def unknown_query(trial: Trial) -> str:
    """A query that there is not."""
    placed(trial, samples()["wall"]).refuses("query weather", "unknown")
    return ""


def _parsed(engine: TestedEngine, word: str, parse: Callable[[Sequence[str]], T]) -> tuple[str, T]:
    """The first line of the answer to a command, and what all of it says."""
    first = f"response {word} {engine.ask(word, word)}"
    try:
        return first, parse([first, *engine.sync()])
    except ProtocolFault as error:
        raise Unmet(str(error)) from None


def evaluation(trial: Trial) -> str:
    """An evaluation."""
    sample = samples()["score"]
    engine = placed(trial, sample)
    first, evaluation = _parsed(engine, "eval", parse_evaluation)
    if not len(evaluation.win) == len(evaluation.score) == sample.players:
        raise Unmet(f"{shown(first)}: there are {sample.players} seats")
    position = parse_position(sample.text)[1]
    hand = position.hands[sample.seat]
    assert not isinstance(hand, int)
    held = {CARDS[kind]: hand.count(kind) for kind in hand}
    if {name: count for name, (count, _) in evaluation.cards.items()} != held:
        raise Unmet(f"cards {evaluation.cards} for the hand {held}")
    return ""


def belief(trial: Trial) -> str:
    """The cards that the others may hold."""
    sample = samples()["score"]
    engine = placed(trial, sample)
    _, beliefs = _parsed(engine, "belief", parse_belief)
    others = set(range(sample.players)) - {sample.seat}
    if set(beliefs) != others:
        raise Unmet(f"seats {sorted(beliefs)}, not {sorted(others)}")
    for seat, held in beliefs.items():
        total = sum(expected for expected, _ in held.kinds.values())
        if abs(total - held.cards) > 0.1 or not set(held.kinds) <= set(CARDS):
            raise Unmet(f"seat {seat} holds {held.cards} cards, but {total:.3f} are expected")
    return ""


def count_paths(trial: Trial) -> str:
    """Counts, where every hand is known."""
    sample = samples()["wall"]
    engine = trial.shared()
    engine.accepts(sample.opening, f"position {sample.whole}")
    board, position = parse_position(sample.whole)
    answer = engine.ask("perft 1", "perft")
    right = f"1 {perft(Table(board), position, 1)}"
    if answer != right:
        raise Unmet(f"{shown(answer)}, not {right}")
    engine.accepts(f"position {sample.text}")
    engine.refuses("perft 1", "state")
    return ""


GAME_STEPS: Final[tuple[Check, ...]] = (
    *(decide(phase) for phase in DECISIONS),
    Check("no newgame", "a position alone, go sims 1", "a legal bestmove", without_newgame),
    Check(
        "open hands", "a position that shows all hands, go sims 1", "a legal bestmove",
        other_hands_are_not_needed,
    ),
    Check("early roll", "newgame with early_roll, go moves early-roll", "early-roll", early_roll),
    *(whole_game(players) for players in range(MIN_PLAYERS, MAX_PLAYERS + 1)),
    Check(
        "events", "a whole game by events alone", "query view is right after each", follows_events
    ),
    Check("bad events", "events that cannot be", "an error each, the view stays", bad_events),
    Check(
        "bad positions", "positions that cannot be", "an error each, the old one stays",
        bad_positions,
    ),
    Check("bad games", "newgame with wrong words", "an error each, the old one stays", bad_games),
    Check("query legal", "in each phase", "the legal moves", legal_moves),
    Check("query others", "phase, tomove, scores, result", "the true ones", queries),
    Check("query result", "a game that is over", "scores, winners, end", result),
    Check("query view", "in each phase", "the position that was given", view),
    Check("query svg", "a position", "a picture on one line", svg),
    Check("unknown query", "query weather", "error unknown", unknown_query),
    Check("eval", "a position", "win and score for each seat, each card held", evaluation),
    Check("belief", "a position", "as many cards expected as are held", belief),
    Check("perft", "perft 1", "the count; error state where hands are hidden", count_paths),
)  # fmt: skip
