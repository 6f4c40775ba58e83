"""Thinkers, which decide for the engine's seat by a search or by asking a named player."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from masons.ai.players.named_players import make_player
from masons.ai.players.player_names import SEARCHERS
from masons.ai.policies.heuristic_play import likely_swaps
from masons.ai.search.decision import MOST_MOVES
from masons.ai.search.limits import EVAL_DEFAULT, Limits
from masons.ai.search.results import Analysis
from masons.ai.search.search_options import SearchOptions
from masons.ai.search.time_management import thinking_ms
from masons.ai.session import Session, analyze
from masons.engine.board.components import CARDS, HAND
from masons.engine.formats.move_text import Move, format_move
from masons.engine.formats.position_text import format_position
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.game.move_lists import Swaps
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.plain_text import fixed
from masons.protocol.messages.error_codes import Refused
from masons.protocol.server.followed_game import FollowedGame, belief_lines, listed_names
from masons.protocol.server.jobs import Halt, Overhead
from masons.protocol.server.parsed_commands import EngineSettings, Request, parse_go

SHORT_MS: Final = 50.0  # the longest search for which other commands can wait
INTERVAL: Final = 0.1  # the seconds between two reports
_LEAST_SE: Final = 0.0001  # the smallest standard error that four decimals can show
_LEAST_MS: Final = 0.2  # the length of the shortest search

Say = Callable[[str], None]


def search_options(settings: EngineSettings) -> SearchOptions:
    """Return the search options that the engine's settings describe."""
    method = str(settings["Method"])
    threads, memory = settings.number("Threads"), settings.number("Memory")
    if method == "halving":
        return SearchOptions(method, threads, memory, level=settings.number("Level"))
    policy, exploration = str(settings["Policy"]), float(settings["Exploration"])
    return SearchOptions(method, threads, memory, policy=policy, exploration=exploration)


@dataclass(frozen=True)
class GoDecision:
    """The decision that a `go` asks for.

    `view` is the position as the seat sees it, and `moves` are the moves to choose from.
    """

    table: Table
    view: Observation
    moves: Sequence[Move]
    request: Request

    def answer(self, move: Move, infos: Iterable[str] = ()) -> str:
        """Return the `info` lines and the `bestmove` line.

        The lines are written in one piece, so that a reader that is busy with the first line does
        not delay the rest.
        """
        ident = "" if self.request.id is None else f" id {self.request.id}"
        return "\n".join((*infos, f"bestmove {format_move(move)}{ident}"))


class PlayerThinker:
    """A thinker that asks a named player. The player needs hardly any time."""

    def __init__(self, spec: str, settings: EngineSettings) -> None:
        self._spec, self._seed = spec, settings.number("Seed")
        self._player, self._rng = make_player(spec, self._seed), random.Random(self._seed)

    def is_short(self, decision: GoDecision) -> bool:
        """Return whether the decision ends without waiting for `stop`."""
        return not decision.request.limits.infinite

    def answer(self, decision: GoDecision, say: Say, halt: Halt) -> str:
        """Return the lines with the player's move; wait for `halt` if the limits are infinite.

        The player chooses among all legal moves. If its choice is not in `decision.moves`, the
        answer is a random move of `decision.moves`.
        """
        player, rng, limits = self._player, self._rng, decision.request.limits
        if limits.seed is not None:
            player, rng = make_player(self._spec, limits.seed), random.Random(limits.seed)
        table, view = decision.table, decision.view
        move = player.choose(table, view, table.legal_moves(view.state))
        if move not in decision.moves:
            move = rng.choice(decision.moves)
        info = f"info time 0 multipv 1 move {format_move(move)} pv {format_move(move)}"
        if not limits.infinite:
            return decision.answer(move, [info])
        say(info)
        halt.wait()
        return decision.answer(move)


class SearchThinker:
    """A thinker that decides by a search."""

    def __init__(self, settings: EngineSettings, overhead: Overhead) -> None:
        self._settings = settings
        self._overhead = overhead
        self._options = search_options(settings)
        self._session: Session | None = None

    def is_short(self, decision: GoDecision) -> bool:
        """Return whether the search is so short that other commands can wait for it."""
        ms = self._time(decision.request, decision.view)
        return ms is not None and ms <= SHORT_MS

    def answer(self, decision: GoDecision, say: Say, halt: Halt) -> str:
        """Return the lines with the best move. During a search, call `say` with `info` lines."""
        request, view, moves = decision.request, decision.view, decision.moves
        limits = request.limits
        if len(moves) == 1 and limits.sims is None and not limits.infinite:
            return decision.answer(moves[0])
        restricted = request.moves is not None or bool(request.avoid)

        def progress(analysis: Analysis) -> None:
            for line in _report(analysis, request.multipv):
                say(line)

        within, due = self._within(request, view)
        analysis = self._session_for(decision.table, limits.seed).analyze(
            view, limits=within, progress=progress, interval=INTERVAL,
            only=searched_moves(decision) if restricted else None, stop=halt, top=request.multipv,
        )  # fmt: skip
        if limits.infinite:
            halt.wait()
        answer = decision.answer(analysis.best, _report(analysis, request.multipv))
        late = time.monotonic() - due
        if due and late > 0:  # `late` is negative if the search was stopped or ended early
            self._overhead.add_delay(1000 * late)
        return answer

    def _session_for(self, table: Table, seed: int | None) -> Session:
        """Return the game's session, or a new session if a seed is given.

        A search with a seed must be repeatable, so it must not depend on earlier searches.
        """
        if seed is not None:
            return Session(table, seed=seed, options=self._options)
        if self._session is None or self._session.table is not table:
            own_seed = self._settings.number("Seed")
            self._session = Session(table, seed=own_seed, options=self._options)
        return self._session

    def _time(self, request: Request, view: Observation) -> float | None:
        """Return the milliseconds until the answer is due, or None without a time limit."""
        limits = request.limits
        if not limits.has_any:
            return self._settings.number("MoveTime")
        return None if limits.infinite else thinking_ms(limits, view)

    def _within(self, request: Request, view: Observation) -> tuple[Limits, float]:
        """Return the limits of the search itself, and the time at which it should end.

        The limit is the time for the answer, minus the time that has passed since the `go` and
        minus the time that is held back. The end is in seconds of `time.monotonic`, or 0 without a
        time limit.
        """
        limits, ms = request.limits, self._time(request, view)
        if ms is None:
            return limits, 0.0
        now = time.monotonic()
        left = ms - 1000 * (now - request.received)
        held = self._overhead.reserved_ms(left, self._settings.number("MoveOverhead"))
        search_ms = max(left - held, _LEAST_MS)
        return Limits(limits.sims, search_ms), now + search_ms / 1000


def chosen_moves(
    table: Table, view: Observation, moves: Sequence[Move], request: Request
) -> Sequence[Move]:
    """Return the legal moves that remain after applying `moves` and `avoid` of a `go`.

    All have their listed names. Raises Refused if a given move is not legal or no move remains.
    """
    given = request.moves or ()
    listed = listed_names(table, view, moves, (*given, *request.avoid))
    avoided = set(listed[len(given) :])
    kept = moves if request.moves is None else list(dict.fromkeys(listed[: len(given)]))
    if isinstance(kept, Swaps):
        kept = kept.without(avoided)
    elif avoided:
        kept = [move for move in kept if move not in avoided]
    if not kept:
        raise Refused("illegal", "moves and avoid leave no move to search", request.id)
    return kept


def searched_moves(decision: GoDecision) -> list[Move]:
    """Return the moves to search for a `go` that restricts them.

    If these are all swaps of a large hand but some, only the likely swaps are searched.
    """
    moves = decision.moves
    if not isinstance(moves, Swaps) or len(moves) <= MOST_MOVES:
        return list(moves)
    likely = [move for move in likely_swaps(decision.table, decision.view) if move in moves]
    return likely or [moves[0]]


def _report(analysis: Analysis, multipv: int) -> Iterator[str]:
    """Yield an `info` line for each of the best `multipv` moves."""
    ms = max(int(1000 * analysis.seconds), 0)
    sps = int(analysis.iterations / max(analysis.seconds, 1e-6))
    head = f"info time {ms} sims {analysis.iterations} sps {sps}"
    for rank, stats in enumerate(analysis.moves[:multipv], 1):
        move = format_move(stats.move)
        words = [head, f"multipv {rank} move {move} visits {stats.visits}"]
        if stats.wins:
            words.append(_figures(stats.wins, stats.scores))
            if stats.error is not None:
                words.append(f"se {max(stats.error, _LEAST_SE):.4f}")
            if stats.interval is not None:
                loss = fixed(stats.loss or 0.0, 4)
                words.append(f"ci {stats.interval:.4f} loss {loss} games {stats.games}")
            if stats.loss_interval is not None:
                words.append(f"lossci {stats.loss_interval:.4f}")
        if stats.line_shares:
            words.append(f"expect {','.join(f'{share:.2f}' for share in stats.line_shares)}")
        yield " ".join((*words, "pv", move, *stats.line))


def evaluation(
    table: Table,
    view: Observation,
    settings: EngineSettings,
    halt: Halt,
    limits: Limits = EVAL_DEFAULT,
) -> str:
    """Return the `response eval` line for a position in which the seat has a decision."""
    options = search_options(settings) if settings.has("Method") else None
    analysis = analyze(
        table, view, limits=limits, seed=settings.number("Seed"), options=options, stop=halt, top=0
    )
    return f"response eval {_figures(analysis.wins, analysis.scores)}"


def _figures(wins: Sequence[float], scores: Sequence[float]) -> str:
    """Return the words that give every seat's win probability and score."""
    return (
        f"win {','.join(f'{win:.4f}' for win in wins)} "
        f"score {','.join(f'{score:.2f}' for score in scores)}"
    )


Thinker = PlayerThinker | SearchThinker


def make_thinker(player: str, settings: EngineSettings, overhead: Overhead) -> Thinker:
    """Return the thinker for a named player."""
    if player in SEARCHERS:
        return SearchThinker(settings, overhead)
    return PlayerThinker(player, settings)


def rehearse(player: str, settings: EngineSettings, overhead: Overhead) -> None:
    """Go through the usual commands of a game, so that later answers are fast.

    The delays of these decisions are not added to `overhead`, because later decisions are faster.
    Instead, `overhead` measures an initial delay at the end.
    """
    game = Game(2, hands=[CARDS[:HAND], CARDS[HAND : 2 * HAND]], chance=Outside())
    followed = FollowedGame()
    followed.place(format_position(game.view(game.seat), game.board))
    thinker = make_thinker(player, settings, Overhead())
    for words in ("sims 2", "sims 2 multipv 2 moves wall:0 wall:1", "movetime 1 seed 1"):
        request = parse_go(words)
        moves = chosen_moves(followed.table, followed.view, followed.legal(), request)
        decision = GoDecision(followed.table, followed.view, moves, request)
        thinker.answer(decision, lambda _: None, Halt())
    if player in SEARCHERS:  # other players don't evaluate positions
        evaluation(followed.table, followed.view, settings, Halt(), Limits(sims=2))
    followed.cards()
    list(belief_lines(followed.view, followed.game.own_seat, ""))
    for event in ("move 0 wall:0", "roll white/red/blue"):
        followed.take_event(event)
    overhead.measure_first_delay()
