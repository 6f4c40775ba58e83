"""The compliance test's steps about positions, events, moves and queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeVar

from masons.engine.board.components import CARDS, MAX_PLAYERS, MIN_PLAYERS
from masons.engine.formats.move_text import parse_move
from masons.engine.formats.position_text import parse_position
from masons.engine.game.perft import perft
from masons.engine.game.table import Table
from masons.engine.state.packed_move import DECISIONS
from masons.protocol.compliance.sample_games import Sample, Stage, opening, samples
from masons.protocol.compliance.trial import Steps, TestedEngine, Trial, Unmet, expect
from masons.protocol.messages.replies import parse_belief, parse_evaluation, shown
from masons.protocol.messages.seat_events import format_event, hand_names, joined, result_words

T = TypeVar("T")

SEED: Final = 7
GAME_STEPS: Final = Steps()
_STEPS_TRIED: Final = 120  # the number of events at a game's start that `query view` checks


def placed(trial: Trial, phase: str = "wall") -> tuple[TestedEngine, Sample]:
    """Send the sample position of a phase to the shared process. Return the process and sample."""
    engine, sample = trial.shared(), samples()[phase]
    engine.accepts(sample.opening, f"position {sample.text}")
    return engine, sample


def check_legal_answer(engine: TestedEngine, sample: Sample, words: str = "sims 1") -> None:
    """Search, and check that the returned move is legal."""
    move = plain(engine.go(words)[0])
    expect(move in sample.moves, f"{shown(move)} is not legal in {sample.text}")


def plain(move: str) -> str:
    """Return a move's text with its cards in the rulebook's order. Raises MoveError."""
    return str(parse_move(move))


# --- decisions


def _decide(trial: Trial, phase: str) -> None:
    check_legal_answer(*placed(trial, phase))


for _phase in DECISIONS:
    GAME_STEPS.add(f"decide: {_phase}", f"a {_phase} decision, go sims 1", "a legal bestmove")(
        partial(_decide, phase=_phase)
    )


@GAME_STEPS.add("no newgame", "a position alone, go sims 1", "a legal bestmove")
def _without_newgame(trial: Trial) -> None:
    engine, sample = trial.ready(), samples()["score"]
    engine.accepts(f"position {sample.text}")
    check_legal_answer(engine, sample)


@GAME_STEPS.add("open hands", "a position that shows all hands, go sims 1", "a legal bestmove")
def _open_hands(trial: Trial) -> None:
    engine, sample = trial.shared(), samples()["score"]
    engine.accepts(sample.opening, f"position {sample.whole}")
    check_legal_answer(engine, sample)


@GAME_STEPS.add("early roll", "newgame with early_roll, go moves early-roll", "early-roll")
def _early_roll(trial: Trial) -> None:
    engine, sample = trial.shared(), Stage(MIN_PLAYERS, SEED, early_roll=True).sample()
    engine.accepts(sample.opening, f"position {sample.text}")
    move, _ = engine.go("sims 1 moves early-roll")
    expect(move == "early-roll", f"{shown(move)}, though only early-roll was allowed")
    check_legal_answer(engine, sample)
    engine.accepts(opening(sample.players, sample.seat))
    engine.refuses(f"position {sample.text}", "illegal")


def _play_game(trial: Trial, players: int) -> str:
    """Play a whole game with the engine in the last seat. Return the number of its decisions."""
    seat, decisions = players - 1, 0
    engine, stage = trial.shared(), Stage(players, SEED)
    engine.accepts(opening(players, seat), f"position {stage.observe(seat)}")
    while not stage.game.is_over:
        move = None
        if stage.is_decision and stage.game.seat == seat:
            decisions += 1
            engine.send(f"position {stage.observe(seat)}")
            text, _ = engine.go("sims 1")
            move = parse_move(text)
            is_legal = stage.game.is_legal(move)
            expect(is_legal, f"{shown(text)} is not legal in {stage.observe(seat)}")
        engine.send(f"event {format_event(stage.advance(move), seat)}")
    assert stage.game.result is not None
    hands = "/".join("+".join(cards) or "-" for cards in hand_names(stage.game))
    engine.accepts(f"gameover {result_words(stage.game.result)} hands {hands}")
    return f"{decisions} decisions"


for _players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
    GAME_STEPS.add(
        f"a game of {_players}", "position at the start, every event, position and go, gameover",
        "legal moves, no error",
    )(partial(_play_game, players=_players))  # fmt: skip


# --- events


@GAME_STEPS.add("events", "a whole game by events alone", "the right query view after each")
def _events(trial: Trial) -> str:
    players, seat, sent = MAX_PLAYERS - 1, 1, 0
    engine, stage = trial.shared(), Stage(players, SEED)
    engine.accepts(opening(players, seat), f"position {stage.observe(seat)}")
    engine.ask("query view", "view")
    while not stage.game.is_over:
        line = f"event {format_event(stage.advance(), seat)}"
        engine.send(line)
        sent += 1
        if sent <= _STEPS_TRIED or stage.game.is_over:
            view, right = engine.ask("query view", "view"), stage.observe(seat)
            expect(view == right, f"after {line}: {view}, not {right}")
    engine.accepts()
    return f"{sent} events"


@GAME_STEPS.add("bad events", "impossible events", "an error for each, the same view")
def _bad_events(trial: Trial) -> None:
    engine, stage = trial.shared(), Stage(MIN_PLAYERS, SEED)
    engine.accepts(opening(MIN_PLAYERS, 0), f"position {stage.observe(0)}")
    before = engine.ask("query view", "view")
    for bad in (
        "", "jump", "move", "move 0", "move 0 fly:3", "move 0 wall:170", "move 1 wall:3",
        "move 0 towers:0=white", "move 7 wall:3", "roll white/red/red", "roll white",
        "draw 0 cities", "draw 1 ?", "draw 0 no-such-card",
    ):  # fmt: skip
        engine.refuses(f"event {bad}", "illegal", "syntax")
        _check_same_view(engine, before, f"event {bad}")


def _check_same_view(engine: TestedEngine, before: str, after: str) -> None:
    view = engine.ask("query view", "view")
    expect(view == before, f"{shown(after)} changed the view from {before} to {view}")


# --- positions


@GAME_STEPS.add("bad positions", "impossible positions", "an error for each, the old one stays")
def _bad_positions(trial: Trial) -> None:
    engine, sample = placed(trial)
    offers_view = engine.offers("query view")
    before = engine.ask("query view", "view") if offers_view else ""
    other = MIN_PLAYERS + (sample.players - MIN_PLAYERS + 1) % 3
    all_hidden = "hands=" + "/".join(["?6"] * sample.players)
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
        " ".join(all_hidden if word.startswith("hands=") else word for word in sample.text.split()),
        " ".join(samples()["score"].text.split()[:4]),
    ):  # fmt: skip
        engine.refuses(f"position {bad}", "illegal", "syntax")
        if offers_view:
            _check_same_view(engine, before, f"position {bad}")
    check_legal_answer(engine, sample)


@GAME_STEPS.add("bad games", "newgame with wrong words", "an error for each, the old game stays")
def _bad_games(trial: Trial) -> None:
    engine, sample = placed(trial)
    for bad in (
        "", "players 2", "players 1 seat 0 board classic", "players 5 seat 0 board classic",
        "players 2 seat 2 board classic", "players 2 seat -1 board classic",
        "players two seat 0 board classic", "players 2 seat 0 board no-such-board",
        "players 2 seat 0 board classic options fast",
    ):  # fmt: skip
        engine.refuses(f"newgame {bad}", "syntax", "illegal", "unknown")
    check_legal_answer(engine, sample)


# --- queries


@GAME_STEPS.add("query legal", "in each phase", "the legal moves")
def _query_legal(trial: Trial) -> None:
    for phase in DECISIONS:
        engine, sample = placed(trial, phase)
        moves = [plain(move) for move in engine.ask("query legal", "legal").split()]
        if sorted(moves) != sorted(sample.moves):
            wrong = sorted(set(moves) ^ set(sample.moves))[:3] or "moves twice"
            raise Unmet(f"{len(moves)} moves, not {len(sample.moves)}: {wrong} in {sample.text}")


@GAME_STEPS.add("query others", "phase, tomove, scores, result", "the right answers")
def _query_others(trial: Trial) -> None:
    for phase in DECISIONS:
        engine, sample = placed(trial, phase)
        for what, right in (
            ("phase", phase),
            ("tomove", str(sample.seat)),
            ("scores", joined(sample.scores)),
            ("result", "none"),
        ):
            answer = engine.ask(f"query {what}", what)
            said = f"query {what}: {shown(answer)}, not {right}, in {sample.text}"
            expect(answer == right, said)


@GAME_STEPS.add("query result", "a game that is over", "scores, winners, end")
def _query_result(trial: Trial) -> None:
    engine, stage = trial.shared(), Stage(MIN_PLAYERS, SEED)
    stage.finish()
    engine.accepts(opening(MIN_PLAYERS, 0), f"position {stage.observe(0)}")
    assert stage.game.result is not None
    answer, right = engine.ask("query result", "result"), result_words(stage.game.result)
    expect(answer == right, f"{shown(answer)}, not {right}")
    for what, word in (("tomove", "none"), ("phase", "over"), ("legal", "")):
        answer = engine.ask(f"query {what}", what)
        expect(answer == word, f"query {what}: {shown(answer)} after the end of the game")


@GAME_STEPS.add("query view", "in each phase", "the position that was given")
def _query_view(trial: Trial) -> None:
    for phase in DECISIONS:
        engine, sample = placed(trial, phase)
        answer = engine.ask("query view", "view")
        expect(answer == sample.text, f"{answer}, not {sample.text}")


@GAME_STEPS.add("query svg", "a position", "a picture on one line")
def _query_svg(trial: Trial) -> None:
    answer = placed(trial, "score")[0].ask("query svg", "svg")
    is_svg = answer.startswith("<svg") and answer.endswith("</svg>")
    expect(is_svg, f"{shown(answer)} is not a picture")


@GAME_STEPS.add("unknown query", "query weather", "error unknown")
def _unknown_query(trial: Trial) -> None:
    placed(trial)[0].refuses("query weather", "unknown")


def _parsed(engine: TestedEngine, word: str, parse: Callable[[Sequence[str]], T]) -> tuple[str, T]:
    """Send a command. Return the first line of the answer, and the parsed whole answer."""
    first = f"response {word} {engine.ask(word, word)}"
    return first, parse([first, *engine.sync()])


@GAME_STEPS.add("eval", "a position", "win and score of each seat, each card in hand")
def _evaluation(trial: Trial) -> None:
    engine, sample = placed(trial, "score")
    first, evaluation = _parsed(engine, "eval", parse_evaluation)
    sizes = {len(evaluation.win), len(evaluation.score)}
    expect(sizes == {sample.players}, f"{shown(first)}: there are {sample.players} seats")
    hand = parse_position(sample.text)[1].hands[sample.seat]
    assert not isinstance(hand, int)
    held = {CARDS[kind]: hand.count(kind) for kind in hand}
    counts = {name: count for name, (count, _) in evaluation.cards.items()}
    expect(counts == held, f"cards {evaluation.cards} for the hand {held}")


@GAME_STEPS.add("belief", "a position", "expected numbers that add up to the hand")
def _belief(trial: Trial) -> None:
    engine, sample = placed(trial, "score")
    _, beliefs = _parsed(engine, "belief", parse_belief)
    others = set(range(sample.players)) - {sample.seat}
    expect(set(beliefs) == others, f"seats {sorted(beliefs)}, not {sorted(others)}")
    for seat, held in beliefs.items():
        total = sum(expected for expected, _ in held.kinds.values())
        is_right = abs(total - held.cards) <= 0.1 and set(held.kinds) <= set(CARDS)
        expect(is_right, f"seat {seat} holds {held.cards} cards, but {total:.3f} are expected")


@GAME_STEPS.add("perft", "perft 1", "the count; error state if hands are hidden")
def _perft(trial: Trial) -> None:
    engine, sample = trial.shared(), samples()["wall"]
    engine.accepts(sample.opening, f"position {sample.whole}")
    board, position = parse_position(sample.whole)
    answer, right = engine.ask("perft 1", "perft"), f"1 {perft(Table(board), position, 1)}"
    expect(answer == right, f"{shown(answer)}, not {right}")
    engine.accepts(f"position {sample.text}")
    engine.refuses("perft 1", "state")
