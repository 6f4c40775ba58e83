"""The ruler as data: decisions, candidates, and what came of the games played on after them."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.ruler.candidates import MOST
from benchmarks.ruler.continuations import TWELFTHS
from benchmarks.ruler.sampled_decisions import Decisions
from masons.engine.errors import MasonsError
from masons.engine.files import write_atomic
from masons.engine.formats.move_text import Move
from masons.engine.game.action_history import HISTORY_SIZE
from masons.engine.game.observation import Observation, view_of
from masons.engine.state import layout, packed_move

FILE: Final = Path(__file__).parent / "classic.npz"
MISSING: Final = 255  # instead of a share: this game was not played yet


@dataclass
class Ruler:
    """Decisions in rows, those of the same kind and number of players together."""

    kinds: NDArray[np.str_]  # [rows]: `wall`, `scoring`, `swap`
    players: NDArray[np.int64]  # [rows]
    decisions: Decisions
    moves: NDArray[np.uint64]  # [rows, MOST]: the candidates, packed
    counts: NDArray[np.int64]  # [rows]: how many candidates there are
    # By who played on, the evaluator (see `learned_seat`): uint8[rows, MOST, lucks] in twelfths
    # of a victory, and int8 of the same shape: the points more than the best other seat.
    shares: dict[str, NDArray[np.uint8]] = field(default_factory=dict)
    margins: dict[str, NDArray[np.int8]] = field(default_factory=dict)

    def view(self, row: int) -> Observation:
        """What the seat that decides sees."""
        seat = int(self.decisions.seats[row])
        return view_of(self.decisions.states[row], seat, self.decisions.histories[row])

    def candidates(self, row: int) -> list[Move]:
        """The candidates of a decision."""
        return [Move(move) for move in self.moves[row, : self.counts[row]].tolist()]

    def lucks(self, evaluator: str) -> int:
        """With how many lucks all candidates were played on by this evaluator."""
        found = self.shares.get(evaluator)
        if found is None:
            return 0
        is_there = np.arange(MOST) < self.counts[:, None]
        return int((found != MISSING)[is_there].all(axis=0).sum())

    def values(self, evaluator: str) -> NDArray[np.float64]:
        """[rows, MOST, lucks]: shares of a victory, nan where there is no candidate."""
        lucks = self.lucks(evaluator)
        if not lucks:
            have = ", ".join(sorted(self.shares)) or "nobody"
            raise MasonsError(
                f"no values by the evaluator {evaluator}: the ruler has those by {have}"
            )
        found = self.shares[evaluator][:, :, :lucks] / TWELFTHS
        found[np.arange(MOST) >= self.counts[:, None]] = np.nan
        return found


def fingerprint() -> str:
    """A hash of the layouts that the data depend on: with others they mean nothing."""
    numbers = [
        f"{module.__name__}.{name}={int(value)}"
        for module in (layout, packed_move)
        for name, value in sorted(vars(module).items())
        if name.isupper() and isinstance(value, int | np.integer)
    ]
    return hashlib.sha256("\n".join([*numbers, str(HISTORY_SIZE)]).encode()).hexdigest()[:16]


def save(ruler: Ruler, path: Path) -> None:
    """Write a ruler, whole or not at all."""
    arrays: dict[str, NDArray[np.generic]] = {
        "layout": np.array(fingerprint()),
        "kinds": ruler.kinds,
        "players": ruler.players,
        "states": ruler.decisions.states,
        "histories": ruler.decisions.histories,
        "moves": ruler.moves,
        "counts": ruler.counts,
    }
    for evaluator, shares in ruler.shares.items():
        arrays[f"shares-{evaluator}"] = shares
        arrays[f"margins-{evaluator}"] = ruler.margins[evaluator]
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    write_atomic(path, buffer.getvalue())


def load(path: Path) -> Ruler:
    """Read a ruler. Raises MasonsError for one of another layout, OSError where there is none."""
    with np.load(path, allow_pickle=False) as data:
        found = {name: data[name] for name in data.files}
    if str(found.get("layout")) != fingerprint():
        raise MasonsError(f"{path} was made for another layout of states: make it anew")
    evaluators = [name.partition("-")[2] for name in found if name.startswith("shares-")]
    return Ruler(
        found["kinds"],
        found["players"],
        Decisions(found["states"], found["histories"]),
        found["moves"],
        found["counts"],
        {evaluator: found[f"shares-{evaluator}"] for evaluator in evaluators},
        {evaluator: found[f"margins-{evaluator}"] for evaluator in evaluators},
    )
