"""Measure whether what the program says about a position comes true.

    python -m benchmarks.ruler.truth truth.jsonl
    python -m benchmarks.ruler.truth truth.jsonl --player default:sims=20k,rollouts=1900 --games 20
    python -m benchmarks.ruler.truth old.jsonl new.jsonl --games-file games.jsonl

The program's figures for decisions of whole games are compared with the final results of these very
games. Each decision is analyzed from the view of the seat that decides. The result is this seat's
share of the victory. The figures are those of

- `search`: the search's first move, after `--sims` simulations;
- `rollout`: the mean of the games (`--rollouts` in all) that began with the best move;
- `printed`: the best move as `analyze` prints it;
- `mixed`: half `search`, half `rollout`;
- `played`: `printed`, but of the move that was played, where it has games. The result followed this
  move, and the games did not select it.

Decisions are picked by rules that look only at the past: the first wall (or, one time in three, the
first scoring) after a random point of each third of the game, and the first placing (of towers or
of houses) and the first swap after a random point of the whole game. The clock is the share of the
towers or walls that are out of the supply. If it were the share of the game's decisions, it would
tell when the game is going to end, and the true win probabilities would not be without bias.

The games are those of the command `masons-engine selfplay` with the same `--players`, `--games`,
`--seed` and `--player` (once for all seats). With `--games-file`, they are the games of a file. To
compare two revisions, use one file of games and a file of results for each revision, the older
first. The second is continued, and paired differences between the two are printed.

Each game is one line of the file of results. The same command continues the file.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple
from zlib import crc32

import numpy as np

from benchmarks.measuring import about, append_line, lines_with, new_file, parser_of, revision
from benchmarks.ruler.coverage import KINDS
from benchmarks.ruler.truth_tables import Decisions, difference_tables, figures_of, sets_of, tables
from masons.ai.models.features import game_left_of
from masons.ai.players.named_players import make_player
from masons.ai.review.timeline import DECISION, Timeline, timeline_of
from masons.ai.rollout.evidence import Measure
from masons.ai.search.executors import Processes, Threads, completed
from masons.ai.search.limits import Limits
from masons.ai.search.results import MoveStats
from masons.ai.session import Session
from masons.engine.board.geometry import board_text, load_board
from masons.engine.errors import MasonsError
from masons.engine.files import write_atomic
from masons.engine.game.record import parse_record, read_lines
from masons.engine.kernels.rng import mix
from masons.engine.state.layout import TURN
from masons.engine.state.position import scores_in
from masons.match.running.match_runner import SeededGame, play_seeded

_PICKS: Final = 0x7E57  # gives the picking of decisions a seed that no player has
_ANALYSES: Final = 0xA11A  # likewise for the analyses
_SCORINGS: Final = 1 / 3  # share of the picks of a third that are scorings
Line = dict[str, Any]


class Job(NamedTuple):
    """A game to play or read, and the limits of the analyses of its decisions."""

    source: str  # the players, or the name of the file
    players: int | None  # None: as the record says
    number: int  # seed, or number of the record in its file
    record: str  # line with the record; empty if the game is to be played
    limits: Limits

    @property
    def key(self) -> tuple[Any, ...]:
        """Names the game in the file of results."""
        return self.source, self.players, self.number


def picked_steps(timeline: Timeline, seed: int) -> list[int]:
    """Return the indices of the steps of the decisions to be analyzed, in ascending order.

    Whether a decision is picked depends on the seed and on what has happened before it.
    """
    rng = np.random.default_rng(mix(seed, _PICKS))
    wanted = [
        ("score" if rng.random() < _SCORINGS else "wall", (third + rng.random()) / 3)
        for third in range(3)
    ]
    wanted += [(("towers", "houses")[rng.integers(2)], rng.random()), ("swap", rng.random())]
    picked = set()
    for phase, start in wanted:
        for index, step in enumerate(timeline.steps):
            is_wanted = step.cause == DECISION and step.phase == phase and step.choices > 1
            if is_wanted and not step.stand_in and clock(timeline, index) >= start:
                picked.add(index)
                break
    return sorted(picked)


def clock(timeline: Timeline, index: int) -> float:
    """Return the share of the game that is over before a step, from 0 to 1."""
    return 1 - game_left_of(timeline.before(index))


def figures(stats: MoveStats, seat: int) -> list[float]:
    """Return the win probability of a seat, its points, and the mean points of the others."""
    return [float(stats.wins[seat]), *own_and_others(stats.scores, seat)]


def own_and_others(scores: Iterable[float], seat: int) -> tuple[float, float]:
    """Return a seat's score and the mean score of the other seats."""
    listed = list(scores)
    own_score = float(listed.pop(seat))
    return own_score, sum(listed) / len(listed)


def decision_of(timeline: Timeline, index: int, limits: Limits, seed: int) -> Line | None:
    """Return the figures and the result of a decision, or None if no game was measured."""
    step, view = timeline.steps[index], timeline.observe(index)
    session = Session(timeline.table, seed=mix(seed, step.number, _ANALYSES))
    analysis, searched = session.analyze(view, limits=limits, top=0), session.searched(top=0)
    best, rollout, seat = analysis.moves[0], session.rollout, step.seat
    if best.win is None or rollout is None:
        return None
    played = next((stats.win for stats in analysis.moves if stats.move == step.move), None)
    number, sums, players = rollout.moves.index(best.move), rollout.sums, timeline.players
    last = Measure.MARGIN * players + 1
    points = [float(sums.means(Measure.SCORE * players + each)[number]) for each in range(players)]
    before = timeline.before(index)
    return {
        "number": step.number,
        "kind": next(kind for kind, phases in KINDS.items() if step.phase in phases),
        "left": game_left_of(before),
        "now": own_and_others(scores_in(before, players), seat),
        "third": min(int(3 * clock(timeline, index)), 2),
        "result": [timeline.shares[seat], *own_and_others(timeline.scores, seat)],
        "search": figures(searched.moves[0], seat),
        "rollout": [float(sums.means(seat)[number]), *own_and_others(points, seat)],
        "printed": figures(best, seat),
        "interval": best.interval,
        "played": played,
        "turns": float(sums.means(last)[number]) - int(timeline.steps[-1].state[int(TURN)]),
    }


def line_of(job: Job) -> Line:
    """Return the line of a game; it has no decisions if the game did not end by the rules.

    Raises MasonsError, which names the game, if its record violates the rules.
    """
    try:
        return _line_of(job)
    except MasonsError as error:
        raise MasonsError(f"{job.source}, game {job.number}: {error}") from None


def _line_of(job: Job) -> Line:
    line = job.record
    if not line:
        names = (job.source,) * (job.players or 0)
        board = board_text(load_board("classic"))
        line = play_seeded(SeededGame(board, names, job.number, job.number % len(names)))
    record = parse_record(line)
    timeline = timeline_of(record)
    seed = mix(crc32(json.dumps(record["hands"]).encode()), timeline.players)
    steps = picked_steps(timeline, seed) if timeline.has_end and not timeline.forfeits else []
    made = (decision_of(timeline, index, job.limits, seed) for index in steps)
    return {
        "settings": settings(job.limits), "game": [*job.key], "players": timeline.players,
        "moves": crc32(json.dumps([record["hands"], record["events"]]).encode()),
        "decisions": [decision for decision in made if decision is not None],
    }  # fmt: skip


def settings(limits: Limits) -> list[int | None]:
    """Return the settings that all lines of one table share."""
    return [limits.sims, limits.rollouts]


def jobs_of(options: argparse.Namespace) -> Iterator[Job]:
    """Yield the games, in turn of each number of players.

    Raises MasonsError or OSError if there is no such player or file.
    """
    limits = Limits(sims=options.sims, rollouts=options.rollouts)
    if options.games_file is None:
        make_player(options.player, 0)  # raises if there is no such player
        for seed in range(options.seed, options.seed + options.games):
            for players in options.players:
                yield Job(options.player, players, seed, "", limits)
        return
    with options.games_file.open("rb") as stream:
        records = read_lines(stream, name=str(options.games_file))
        for number, record in enumerate(islice(records, options.games), 1):
            yield Job(options.games_file.name, None, number, record, limits)


def measure(path: Path, jobs: Iterable[Job], limits: Limits, processes: int) -> None:
    """Append the lines of the games that are missing in a file."""
    done = {tuple(line["game"]) for line in lines_with(path, settings(limits))}
    missing = [job for job in jobs if job.key not in done]
    made_by = revision()
    with (
        Processes(processes) if processes > 1 else Threads() as workers,
        closing(completed(workers, line_of, missing)) as results,
    ):
        for number, (_, line) in enumerate(results, 1):
            append_line(path, {"revision": made_by, **line})
            print(f"\r{number} of {len(missing)} games", end="", file=sys.stderr, flush=True)
    if missing:
        print(file=sys.stderr)


def main() -> None:
    """Analyze the games that are missing in the file, and print the tables."""
    parser = parser_of(__doc__, games=400, sims=2000, rollouts=1200, processes=os.cpu_count() or 1)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="file of results")
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4], choices=(2, 3, 4))
    parser.add_argument("--player", default="default:sims=1000", metavar="P", help="in all seats")
    parser.add_argument("--seed", type=int, default=0, help="of the first game")
    parser.add_argument("--games-file", type=Path, metavar="GAMES", help="games to judge by")
    parser.add_argument("--json", type=new_file, metavar="FILE", help="write all figures")
    parser.add_argument("--print-only", action="store_true", help="measure nothing")
    options = parser.parse_args()
    if len(options.files) > 2:
        parser.error("give one file of results, or an older one and a newer one")
    limits = Limits(sims=options.sims, rollouts=options.rollouts)
    try:
        if not options.print_only:
            measure(options.files[-1], jobs_of(options), limits, options.processes)
    except (MasonsError, OSError) as error:
        sys.exit(f"Error: {error}")
    newer = lines_with(options.files[-1], settings(limits))
    older = lines_with(options.files[0], settings(limits)) if len(options.files) > 1 else []
    made = [*tables(newer), *difference_tables(older, newer)]
    print("\n\n".join(f"{title}\n\n{table}" for title, table in made))
    if options.json:
        every = {name: figures_of(Decisions.of(lines)) for name, lines in sets_of(newer).items()}
        write_atomic(options.json, json.dumps({**about(), "sets": every}, indent=1) + "\n")


if __name__ == "__main__":
    main()
