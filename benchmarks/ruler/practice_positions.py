"""Find the puzzles of `masons-engine practice` in games that the engine plays against itself.

    python -m benchmarks.ruler.practice_positions --candidates FILE [--minutes N]
    python -m benchmarks.ruler.practice_positions --write FILE
    python -m benchmarks.ruler.practice_positions --check [--count N] [--seed N]

`--candidates` names a file to which one line is added for each game. The same command continues
after it was stopped. A decision becomes a candidate if each of these steps prefers the same move by
a clear margin; each takes longer than the one before and has seeds of its own:

1. a few games after the best moves of a search, if the player of the game was not indifferent
   (first very few, which save much time),
2. games after the best of all legal moves, whatever a search says of them,
3. a rollout in which searches play all seats,
4. a search and a rollout as thorough as those that verify the puzzles.

In each of the last two, the second-best move must lose MARGIN or more, and more than the interval
of the difference; the puzzle has the figures of step 4. `--write` rates the candidates by how often
weaker players solve them, and writes the puzzles, with equally many of each kind and number of
players as far as there are enough. `--check` repeats step 4 with other seeds for the puzzles of the
program (`--count` of them, drawn with `--seed`).
"""

from __future__ import annotations

import gzip
import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.measuring import parser_of
from masons.ai.explain.explanation import difference
from masons.ai.players.named_players import make_player
from masons.ai.practice.glicko import MEAN, SCALE
from masons.ai.practice.puzzles import (
    ANSWERS,
    FORMAT,
    VERSION,
    Puzzle,
    bundled,
    kind_of,
)
from masons.ai.rollout.figures import with_evidence
from masons.ai.rollout.plan import Contenders, search_value
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.limits import Limits
from masons.ai.search.results import Analysis
from masons.ai.search.search_options import SearchOptions
from masons.ai.session import Session, analyze
from masons.engine.board.geometry import load_board
from masons.engine.formats.move_text import parse_move
from masons.engine.formats.position_text import format_position, parse_position
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.rng import mix
from masons.engine.state.packed_move import PLAY, WALL
from masons.engine.storage.line_file import LineFile
from masons.words.positions import supply_of
from masons.words.scored_view import ScoredView

SEED: Final = 20261128
PLAYER_SIMS: Final = 1000  # of the player of the games
MARGIN: Final = 0.04
CLEAR: Final = 0.045  # the margin of the first steps, whose figures are less certain
GLANCE: Final = 0.03  # the margin after very few games
AHEAD: Final = 0.015  # the margin in the search of the player of the game
OPEN: Final = (0.08, 0.96)  # the win probabilities of the best move
THOROUGH: Final = Limits(sims=20_000, rollouts=20_000)
OUT: Final = Path("masons/ai/practice/data/puzzles.json.gz")
# The number of puzzles of each kind, and the share of each number of players.
WANTED: Final = {"wall": 90, "pieces": 25, "score": 130, "swap": 25, "merge": 15, "final": 15}
PLAYERS: Final = {2: 0.76, 3: 0.17, 4: 0.07}
SPARE: Final = 1.1  # candidates for each puzzle wanted
# Players whose success rates the puzzles, and how often each tries.
SOLVERS: Final = {
    **{f"default:level={level}": 6 for level in range(1, 10)},
    "greedy": 1,
    "heuristic": 1,
    "policy": 2,
}
# At most this share of the puzzles of a kind has a best move that this player finds (except in the
# final scoring, where it finds nearly all).
_PLAIN: Final = "greedy"
_PLAIN_SHARE: Final = 0.25


def _margin(analysis: Analysis) -> tuple[str, float, float]:
    """Return the best move, the least loss of another measured move, and the interval of it."""
    best, *others = [row for row in analysis.moves if row.loss is not None]
    losses = [(row.loss or 0.0, row.loss_interval or 0.0) for row in others]
    return str(best.move), *min(losses, default=(0.0, 1.0))


def _holds(measured: tuple[str, float, float], best: str, least: float) -> bool:
    move, loss, interval = measured
    return move == best and loss >= max(least, interval)


def _of_all_moves(table: Table, view: Observation, searched: Analysis, seed: int) -> Analysis:
    """Return the figures of a rollout that screens every legal move, whatever the search says."""
    rows = searched.moves
    values = tuple(search_value(row, searched.seat) for row in rows)
    contenders = Contenders(tuple(row.move for row in rows), values, len(rows), 0, 4, 8)
    rollout = Rollout(table, view, contenders, searched=searched, seed=seed)
    rollout.run(4000)
    return with_evidence(rollout, 0)


def _candidate(
    table: Table, view: Observation, seed: int, *, allows_plain: bool
) -> dict[str, Any] | str:
    """Return the data of a candidate, or the name of the step that it failed.

    `allows_plain` allows a best move that the greedy player finds.
    """
    glance = Session(table, seed=seed).analyze(view, sims=400, rollouts=600, top=0)
    if _margin(glance)[1] < GLANCE:
        return "glance"
    session = Session(table, seed=mix(seed, 1))
    best, *few = _margin(session.analyze(view, sims=1000, rollouts=1500, top=0))
    if few[0] < max(CLEAR, few[1]):
        return "few games"
    moves = table.legal_moves(view.state)
    if not allows_plain and str(make_player(_PLAIN, seed).choose(table, view, moves)) == best:
        return "plain"
    searched = session.searched(0)
    if len(searched.moves) != len(moves):
        return "too many moves"
    if not _holds(_margin(_of_all_moves(table, view, searched, mix(seed, 2))), best, CLEAR):
        return "all moves"
    players = SearchOptions(rollout_player=16)
    other = Session(table, seed=mix(seed, 3), options=players)
    by_searches = _margin(other.analyze(view, sims=20_000, rollouts=2400, top=0))
    if not _holds(by_searches, best, MARGIN):
        return "searches as players"
    session = Session(table, seed=mix(seed, 4))
    thorough = session.analyze(view, limits=THOROUGH, top=0)
    by_policy = _margin(thorough)
    rows = [row for row in thorough.moves if row.loss is not None][:ANSWERS]
    if not _holds(by_policy, best, MARGIN) or not OPEN[0] <= (rows[0].win or 0.0) <= OPEN[1]:
        return "many games"
    assert session.rollout is not None
    split = difference(session.rollout, rows[0].move, rows[1].move)
    figures = [(row.win, row.interval, row.loss, row.loss_interval) for row in rows]
    return {
        "position": format_position(view.position, table.board),
        "answers": [
            [str(row.move), *(round(each or 0.0, 4) for each in numbers)]
            for row, numbers in zip(rows, figures, strict=True)
        ],
        "margins": [list(by_policy[1:]), list(by_searches[1:])],
        "part": split.clear[0].part if split and split.clear else "",
        "solved": _solved(table, view, best, mix(seed, 5)),
    }


def _solved(table: Table, view: Observation, best: str, seed: int) -> dict[str, int]:
    """Return how often each of SOLVERS finds the best move."""
    moves = table.legal_moves(view.state)
    return {
        spec: sum(
            str(make_player(spec, mix(seed, number)).choose(table, view, moves)) == best
            for number in range(tries)
        )
        for spec, tries in SOLVERS.items()
    }


def _decisions(table: Table, players: int, seed: int) -> Iterator[Observation]:
    """Play a game; yield the views of decisions in which the player was not indifferent."""
    game, session = Game(players=players, seed=seed), Session(table, seed=mix(seed, 1))
    while not game.is_over:
        moves = game.legal_moves()
        if len(moves) == 1:
            game.apply(moves[0])
            continue
        view = game.observe(game.seat)
        session.search(view, sims=PLAYER_SIMS)
        rows = session.analysis(0).moves
        if len(moves) > 2 and (rows[0].win or 0) - (rows[1].win or 0) >= AHEAD:
            yield table.view(view.position)  # without the actions before, which no puzzle shows
        game.apply(session.best)


def _wanted(kind: str, players: int) -> int:
    return round(WANTED[kind] * PLAYERS[players])


def find(path: Path, minutes: float) -> None:
    """Add games to the file until there are enough candidates or the time is over."""
    have: Counter[tuple[str, int]] = Counter()
    games = read(path)
    plain: Counter[str] = Counter()
    for line in games:
        have.update((each["kind"], line["players"]) for each in line["found"])
        plain.update(each["kind"] for each in line["found"] if each["solved"][_PLAIN])
    table, began = Table(load_board("classic")), time.monotonic()
    file = LineFile(str(path), append=True, force=False)
    for number in range(len(games), 10**6):
        if time.monotonic() - began >= 60 * minutes:
            break
        seed = mix(SEED, number)
        players = random.Random(number).choices([*PLAYERS], [*PLAYERS.values()])[0]
        candidates: list[dict[str, Any]] = []
        lost: Counter[str] = Counter()
        for index, view in enumerate(_decisions(table, players, seed)):
            kind = kind_of(view.phase)
            of_game = [each["kind"] for each in candidates]
            is_full = have[kind, players] >= SPARE * _wanted(kind, players)
            if is_full or kind in of_game or len(candidates) == 3:
                continue
            allows_plain = kind == "final" or plain[kind] < _PLAIN_SHARE * WANTED[kind]
            made = _candidate(table, view, mix(seed, 2, index), allows_plain=allows_plain)
            if isinstance(made, str):
                lost[made] += 1
            else:
                have[kind, players] += 1
                plain[kind] += made["solved"][_PLAIN]
                candidates.append({"id": f"game-{number}-{index}", "kind": kind, **made})
        line = {"game": number, "players": players, "found": candidates, "lost": lost}
        file.write(json.dumps(line))
        if all(have[kind, n] >= _wanted(kind, n) for kind in WANTED for n in PLAYERS):
            break
    file.close()


def read(path: Path) -> list[dict[str, Any]]:
    """Return the complete lines of a file of candidates."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


# --- themes and ratings

# The number of pieces left at which the end of the game is near, as on the page.
_NEAR: Final = {"walls": 5, "towers": 6, "houses": 6, "palaces": 4}


def themes_of(table: Table, candidate: dict[str, Any]) -> list[str]:
    """Return the themes of a candidate: what its best move does, and whether the end is near."""
    position = parse_position(candidate["position"], table.board)[1]
    scored, best = ScoredView(table, position), parse_move(candidate["answers"][0][0])
    themes = []
    match candidate["kind"]:
        case "wall":
            can_close = any(
                scored.closed_city(move.place)[0]
                for move in table.legal_moves(scored.state)
                if move.kind == WALL
            )
            if scored.closed_city(best.place)[0]:
                themes.append("close")
            elif candidate["part"] == "others":
                themes.append("deny")
            else:
                themes.append("keep" if can_close else "build")
        case "score":
            values = scored.card_points(position.city)
            worth = sum(values[card] > 0 for card in scored.hand(position.seat))
            themes.append(
                "keep" if len(best.cards) < min(worth, 2) or best.kind != PLAY else "cards"
            )
        case "pieces":
            themes += ["pieces", *(["deny"] if candidate["part"] == "others" else [])]
        case "merge" | "swap" as theme:
            themes.append(theme)
        case _:
            themes.append("cards")
    supply = supply_of(position)
    left = {
        "walls": supply.walls,
        **{kind: sum(getattr(supply, kind)) for kind in _NEAR if kind != "walls"},
    }
    if (
        position.end
        or position.phase == "final"
        or any(left[kind] <= _NEAR[kind] for kind in _NEAR)
    ):
        themes.append("end")
    return themes


def ratings_of(candidates: Sequence[dict[str, Any]]) -> list[int]:
    """Return the ratings of candidates, which have the mean MEAN.

    The chance that a solver finds the best move depends on the difference of two ratings, as in
    Glicko-2. The ratings of the solvers and of the puzzles are those that make the results of all
    tries most likely, given a normal distribution of the puzzles' ratings.
    """
    solved = np.array([[each["solved"][spec] for spec in SOLVERS] for each in candidates])
    tries = np.array([*SOLVERS.values()])
    skills, puzzles = np.zeros(len(tries)), np.zeros(len(candidates))
    for _ in range(200):
        chance = 1 / (1 + np.exp(puzzles[:, None] - skills))
        spread = tries * chance * (1 - chance)
        puzzles -= ((solved - tries * chance).sum(1) + puzzles / _PRIOR**2) / (
            spread.sum(1) + 1 / _PRIOR**2
        )
        skills += (solved - tries * chance).sum(0) / (spread.sum(0) + 1)
        skills -= puzzles.mean()
        puzzles -= puzzles.mean()
    return [round(MEAN + SCALE * each) for each in puzzles.tolist()]


_PRIOR: Final = 2.0  # standard deviation of the puzzles' ratings, in units of SCALE


# --- the puzzles of the program


def chosen(games: Sequence[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """Return the puzzles among the candidates: of each kind and number of players what is wanted.

    What is missing is filled with other candidates, so that there are `count` if possible.
    """
    candidates = [{**each, "players": line["players"]} for line in games for each in line["found"]]
    taken: Counter[tuple[str, int]] = Counter()
    first: list[dict[str, Any]] = []
    rest: list[dict[str, Any]] = []
    for each in candidates:
        cell = each["kind"], each["players"]
        taken[cell] += 1
        wanted = first if taken[cell] <= _wanted(*cell) else rest
        if wanted is first or each["kind"] != "final":
            wanted.append(each)
    return [*first, *rest][:count]


def _answers(candidate: dict[str, Any]) -> list[list[Any]]:
    """Return the moves with their figures. No loss exceeds the difference of what is shown.

    Win probabilities never fall below 0, and losses, which are estimated first, could.
    """
    best = candidate["answers"][0][1]
    return [
        [move, win, interval, min(loss, round(best - win, 4)), loss_interval]
        for move, win, interval, loss, loss_interval in candidate["answers"]
    ]


def write(path: Path) -> None:
    """Write the puzzles of the program from the candidates in a file."""
    table, candidates = Table(load_board("classic")), chosen(read(path), sum(WANTED.values()))
    puzzles = [
        {
            "id": each["id"], "rating": rating, "themes": themes_of(table, each),
            "position": each["position"], "candidates": _answers(each),
        }
        for each, rating in zip(candidates, ratings_of(candidates), strict=True)
    ]  # fmt: skip
    data = {"format": FORMAT, "version": VERSION, "puzzles": puzzles}
    text = json.dumps(data, separators=(",", ":"))
    OUT.write_bytes(gzip.compress(text.encode(), mtime=0))
    for name, values in (
        ("kind", [each["kind"] for each in candidates]),
        ("players", [each["players"] for each in candidates]),
        ("theme", [theme for each in puzzles for theme in each["themes"]]),
    ):
        print(name, dict(Counter(values).most_common()))
    margins = np.array([[run[0] for run in each["margins"]] for each in candidates])
    least, median = margins.min(), np.median(margins)
    print(f"{len(puzzles)} puzzles; margins: median {median:.3f}, least {least:.3f}")


def again(puzzle: Puzzle, seed: int, limits: Limits = THOROUGH) -> Analysis:
    """Return the analysis of a puzzle's position with another seed."""
    return analyze(puzzle.table, puzzle.view, limits=limits, seed=seed, top=0)


def check(count: int, seed: int) -> None:
    """Analyze some puzzles of the program again, and print how many keep their best move."""
    puzzles = random.Random(seed).sample(bundled(load_board("classic")), count)
    same = held = 0
    for puzzle in puzzles:
        move, loss, interval = _margin(again(puzzle, mix(seed, 6)))
        is_same = move == puzzle.candidates[0].move
        same += is_same
        held += is_same and loss > interval
        row = puzzle.id, puzzle.kind, "same" if is_same else "OTHER", f"{loss:.3f} ± {interval:.3f}"
        print(*row, flush=True)
    print(f"the same best move: {same} of {count}; ahead by more than the interval: {held}")


def main() -> None:
    """Find candidates, write the puzzles, or check them."""
    parser = parser_of(__doc__, minutes=60, count=30, seed=1)
    parser.add_argument("--candidates", type=Path, metavar="FILE", help="add candidates to a file")
    parser.add_argument(
        "--write", type=Path, metavar="FILE", help="write the puzzles from a file of candidates"
    )
    parser.add_argument("--check", action="store_true", help="analyze --count puzzles again")
    options = parser.parse_args()
    if options.candidates:
        find(options.candidates, options.minutes)
    if options.write:
        write(options.write)
    if options.check:
        check(options.count, options.seed)


if __name__ == "__main__":
    main()
