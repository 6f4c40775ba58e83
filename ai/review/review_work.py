"""The work of a review, piece by piece, so that it can be left and taken up again.

The pieces stand in a fixed order: the value before the deal and after each step of the game, then
the verdict on each decision with a choice. Each has a seed of its own, so it comes out the same
whatever was done before it; with iterations for a limit, the whole depends on the settings alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from masons.ai.evaluation.position_value import PositionValue, value_of_position
from masons.ai.review.decision_loss import Verdict, rate_decision
from masons.ai.review.timeline import DECISION, Timeline
from masons.ai.search.limits import Limits
from masons.engine.errors import MasonsError
from masons.engine.kernels.rng import mix
from masons.engine.strict_json import strict_json

FORMAT: Final = "masons-review-work"
VERSION: Final = 2
# Streams of random numbers.
_VALUE, _VERDICT, FACTS = range(3)


@dataclass(frozen=True)
class Settings:
    """How a game is reviewed."""

    sims: int | None  # iterations for each decision
    seconds: float | None  # or seconds
    playouts: int  # games for each value
    seed: int

    def key(self, record: Mapping[str, Any], release: str) -> str:
        """What identifies this review: record, settings and release of the engine."""
        whole = json.dumps([VERSION, release, asdict(self), record], sort_keys=True)
        return hashlib.sha256(whole.encode()).hexdigest()


@dataclass
class Work:
    """What is done of a review."""

    timeline: Timeline
    settings: Settings
    key: str
    values: list[PositionValue] = field(default_factory=list)
    verdicts: dict[int, Verdict] = field(default_factory=dict)  # by the number of the step

    def __post_init__(self) -> None:
        self.rated = [
            index
            for index, step in enumerate(self.timeline.steps)
            if step.cause == DECISION and step.choices > 1 and not step.stand_in
        ]

    @property
    def total(self) -> int:
        """The number of pieces."""
        return 1 + len(self.timeline.steps) + len(self.rated)

    @property
    def done(self) -> int:
        """How many of them are done."""
        return len(self.values) + len(self.verdicts)

    def go_on(self) -> None:
        """Do the next piece. Raises `Interrupted` or KeyboardInterrupt on Ctrl-C."""
        if len(self.values) <= len(self.timeline.steps):
            self.values.append(self._value(len(self.values)))
        else:
            index = self.rated[len(self.verdicts)]
            self.verdicts[index] = self._verdict(index)

    def _value(self, number: int) -> PositionValue:
        state = (
            self.timeline.before(number) if number == 0 else self.timeline.steps[number - 1].state
        )
        seed = mix(self.settings.seed, _VALUE, number)
        return value_of_position(
            self.timeline.table, state, seed=seed, count=self.settings.playouts, dealt=number > 0
        )

    def _verdict(self, index: int) -> Verdict:
        step = self.timeline.steps[index]
        assert step.move is not None
        seed = mix(self.settings.seed, _VERDICT, index)
        limits = replace(Limits.of(self.settings.sims, self.settings.seconds), seed=seed)
        return rate_decision(self.timeline.table, self.timeline.observe(index), step.move, limits)

    def format(self) -> str:
        """What is done, as text."""
        data = {
            "format": FORMAT,
            "version": VERSION,
            "key": self.key,
            "worths": [asdict(value) for value in self.values],
            "verdicts": [verdict.to_data() for verdict in self.verdicts.values()],
        }
        return json.dumps(data) + "\n"

    def take_up(self, text: str) -> None:
        """Go on from what `format` wrote. Raises MasonsError for the work of another review."""
        try:
            data = strict_json(text)
            ours = data["format"] == FORMAT
            key = data["key"]
            values = [_value_from(item, self.timeline.players) for item in data["worths"]]
            verdicts = [Verdict.from_data(item) for item in data["verdicts"]]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise MasonsError("it holds no work of a review") from None
        if not ours or len(values) > len(self.timeline.steps) + 1:
            raise MasonsError("it holds no work of a review")
        if key != self.key:
            raise MasonsError("it is of another game, other settings or another release")
        if len(verdicts) > len(self.rated):
            raise MasonsError("it holds more decisions than the game")
        self.values = values
        self.verdicts = dict(zip(self.rated, verdicts, strict=False))


def _value_from(data: Mapping[str, Any], players: int) -> PositionValue:
    """A value from plain data. Raises ValueError or TypeError where it is none."""
    value = PositionValue(**{name: tuple(map(float, values)) for name, values in data.items()})
    if any(len(values) != players for values in (value.wins, value.errors, value.scores)):
        raise ValueError(players)
    return value
