"""The work of a review in pieces, so that the review can be interrupted and continued.

The pieces have a fixed order: first the values before and after each step of the game, then the
verdict on each decision among several moves. Each piece has its own seed, so its result does not
depend on the previous pieces. The review depends only on the settings, unless it
has a time limit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from masons.ai.review.decision_loss import LossVerdict, rate_decision
from masons.ai.review.luck import ChanceValues, StepValue
from masons.ai.review.timeline import DECISION, Timeline
from masons.ai.search.limits import REVIEW_DEFAULT, Limits
from masons.engine.checks import check_list, shown
from masons.engine.errors import READ_ERRORS, MasonsError
from masons.engine.kernels.rng import mix
from masons.engine.strict_json import strict_json

FORMAT: Final = "masons-review-work"
VERSION: Final = 6
# Streams of random numbers.
_VALUE, _VERDICT = range(2)


@dataclass(frozen=True, kw_only=True)
class ReviewSettings:
    """The settings of a review, in the order of the file."""

    sims: int | None  # simulations of the search that names contenders; None: the default
    seconds: float | None  # time for each decision, used instead of a number of rollouts
    rollouts: int = REVIEW_DEFAULT.rollouts or 0  # games of the rollout of each decision
    playouts: int  # continuations of each outcome of chance
    seed: int

    def key(self, record: Mapping[str, Any], release: str) -> str:
        """Return the hash that identifies a review.

        The hash is computed from the record, the settings and the release of the engine.
        """
        whole = json.dumps([VERSION, release, asdict(self), record], sort_keys=True)
        return hashlib.sha256(whole.encode()).hexdigest()


@dataclass
class Work:
    """A review in progress."""

    timeline: Timeline
    settings: ReviewSettings
    key: str
    values: list[StepValue] = field(default_factory=list)
    verdicts: dict[int, LossVerdict] = field(default_factory=dict)  # by the index of the step
    seat: int | None = None  # the seat whose decisions are rated; None: all

    def __post_init__(self) -> None:
        self.rated = [
            index
            for index, step in enumerate(self.timeline.steps)
            if step.cause == DECISION
            and step.choices > 1
            and not step.stand_in
            and self.seat in (None, step.seat)
        ]
        seed = mix(self.settings.seed, _VALUE)
        self._evaluator = ChanceValues(self.timeline, self.settings.playouts, seed)

    @property
    def total(self) -> int:
        """The number of pieces."""
        return len(self.timeline.steps) + len(self.rated)

    @property
    def done(self) -> int:
        """The number of pieces that are finished."""
        return len(self.values) + len(self.verdicts)

    def go_on(self, known: Callable[[int], LossVerdict | None] = lambda _: None) -> None:
        """Finish the next piece. Raises `Interrupted` or KeyboardInterrupt on Ctrl-C.

        `known` may have a verdict on the decision of a step, given by its index, already.
        """
        if len(self.values) < len(self.timeline.steps):
            self.values.append(self._evaluator.of_step(len(self.values)))
        else:
            index = self.rated[len(self.verdicts)]
            self.verdicts[index] = known(index) or self._verdict(index)

    def _verdict(self, index: int) -> LossVerdict:
        step = self.timeline.steps[index]
        assert step.move is not None
        seed = mix(self.settings.seed, _VERDICT, index)
        limits = Limits.of(self.settings.sims, self.settings.seconds)
        limits = replace(limits, seed=seed, rollouts=self.settings.rollouts)
        return rate_decision(
            self.timeline.table, self.timeline.observe(index), step.move, limits,
            self.timeline.names,
        )  # fmt: skip

    def format(self) -> str:
        """Return the finished pieces as text."""
        data = {
            "format": FORMAT,
            "version": VERSION,
            "key": self.key,
            "values": [value.to_data() for value in self.values],
            "verdicts": [verdict.to_data() for verdict in self.verdicts.values()],
        }
        return json.dumps(data) + "\n"

    def take_up(self, text: str) -> None:
        """Continue the work stored in a text that `format` has made.

        Raises MasonsError if the text belongs to another review.
        """
        try:
            data = strict_json(text)
            is_work, version, key = data["format"] == FORMAT, data["version"], data["key"]
        except READ_ERRORS:
            is_work = False
        if not is_work:
            raise MasonsError("it is not the unfinished work of a review")
        if version != VERSION:
            raise MasonsError(
                f"another release wrote it: its version is {shown(version)}, not {VERSION}"
            )
        if key != self.key:
            raise MasonsError("it belongs to another game, other settings or another release")
        try:
            pieces = [check_list(key, data[key], dict, "a list") for key in ("values", "verdicts")]
            values = [
                StepValue.from_data(item, self.timeline.players, self._evaluator.has_values(index))
                for index, item in enumerate(pieces[0])
            ]
            verdicts = dict(self._verdict_of(*item) for item in enumerate(pieces[1]))
        except READ_ERRORS:
            raise MasonsError("its content does not fit this game") from None
        self.values, self.verdicts = values, verdicts

    def _verdict_of(self, number: int, data: dict[str, Any]) -> tuple[int, LossVerdict]:
        """Return the index of a step and the verdict on its move, read from the `data` of a file.

        Raises one of READ_ERRORS.
        """
        index = self.rated[number]
        verdict = LossVerdict.from_data(data, self.timeline.players)
        played, best = verdict.moves
        state = self.timeline.observe(index).state
        if played != self.timeline.steps[index].move or not self.timeline.table.is_legal(
            state, best
        ):
            raise ValueError(number)
        return index, verdict
