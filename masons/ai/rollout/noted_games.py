"""Games of a rollout, stored move by move, with the cities that were completed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.rollout import game_kernel
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.kernels.jit import WordArray
from masons.engine.state.packed_move import (
    HOUSES,
    KIND_SHIFT,
    MERGE,
    NO_CARD,
    NONE,
    PLAY,
    SWAP,
    TOWERS,
    WALL,
)

MIN_SHARE: Final = 0.1  # a move of the expected line occurs in at least this share of the games
_TURN_KINDS: Final = (TOWERS, HOUSES, MERGE, PLAY)  # kinds of moves in a turn, in order


class GameNotes(NamedTuple):
    """The notes of games (see `game_kernel`), and the number of notes of each game."""

    notes: WordArray  # uint64[..., most notes of a game, NOTE_WORDS]
    counts: WordArray  # uint64[...]

    @classmethod
    def joined(cls, parts: Sequence[GameNotes]) -> GameNotes:
        """Join the notes of games, [games, notes, NOTE_WORDS], padded to the same length."""
        most = max(part.notes.shape[1] for part in parts)
        padded = [
            np.pad(part.notes, ((0, 0), (0, most - part.notes.shape[1]), (0, 0))) for part in parts
        ]
        return cls(np.concatenate(padded), np.concatenate([part.counts for part in parts]))

    def after(self, among: Sequence[int], contenders: Sequence[int]) -> GameNotes:
        """Return the notes of games after some contenders.

        The arrays have the shapes [games, ...]; each world has a game for each contender of
        `among`, in this order, and in the result for each of `contenders`.
        """
        if tuple(among) == tuple(contenders):
            return self
        games = np.arange(len(self.counts)).reshape(-1, len(among))
        chosen = games[:, [among.index(each) for each in contenders]].ravel()
        return GameNotes(self.notes[chosen], self.counts[chosen])


class NotedChoice(NamedTuple):
    """A choice in a game; `move` is None for a seat's final scoring and at the end of the game."""

    move: Move | None
    turn: int
    seat: int  # the seat that chose
    active: int  # the seat whose turn it was
    scores: tuple[int, ...]  # before the choice


class NotedCity(NamedTuple):
    """A city that is completed in a game."""

    world: int
    turn: int
    active: int  # the seat whose wall completes the city
    pieces: int  # its houses and palaces, packed as in the state's word for a space
    spaces: int  # the set of its spaces, those of merged cities included
    is_merged: bool  # merged with another city in the same turn


@dataclass(frozen=True)
class NotedGames:
    """Games played after each of several moves by `seat` in turn `turn`.

    Every move is played with the same hidden cards and dice.
    """

    moves: tuple[Move, ...]
    seat: int
    turn: int
    players: int
    hand: tuple[int, ...]  # the kinds of the seat's cards
    notes: GameNotes  # of the games [worlds, moves]

    @classmethod
    def of(cls, view: Observation, moves: Sequence[Move], parts: Sequence[GameNotes]) -> NotedGames:
        """Join the games of several parts.

        The notes of a part have the shape [games, notes, NOTE_WORDS]; each world has a game for
        each move, in the order of `moves`.
        """
        notes, counts = GameNotes.joined(parts)
        shape = -1, len(moves), *notes.shape[1:]
        by_world = GameNotes(notes.reshape(shape), counts.reshape(-1, len(moves)))
        hand = view.position.hands[view.seat]
        assert not isinstance(hand, int)  # the seat that decides sees its hand
        return cls(tuple(moves), view.seat, view.position.turn, view.players, hand, by_world)

    @property
    def worlds(self) -> int:
        """The number of games of each move."""
        return len(self.notes.counts)

    def notes_of(self, number: int) -> NDArray[Any]:
        """Return the notes of one move's games as an array of game_kernel.NOTE, [worlds, notes].

        A note that records no choice has the move 0.
        """
        return self.notes.notes[:, number].view(game_kernel.NOTE)[..., 0]

    def turns_left(self, number: int) -> NDArray[np.int64]:
        """Return how many turns follow that of the decision in each game, as int64[worlds]."""
        last = self.notes.counts[:, number].astype(np.int64) - 1  # the end of the game
        turns = self.notes_of(number)["turn"][np.arange(self.worlds), last]
        return turns.astype(np.int64) - self.turn

    def scores(self, number: int) -> NDArray[np.int64]:
        """Return the final scores of each game, as int64[worlds, players]."""
        return self._scores(number, self.notes.counts[:, number].astype(np.int64) - 1)

    def later_points(self, number: int) -> NDArray[np.int64]:
        """Return what each seat scores after the decision's turn, as int64[worlds, players]."""
        notes = self.notes_of(number)
        # The first note of the next turn, or that of the final scoring, has the scores before it.
        is_after = (notes["turn"] > self.turn) | (notes["move"] == 0)
        return self.scores(number) - self._scores(number, is_after.argmax(axis=1))

    def _scores(self, number: int, notes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the scores in one note of each game."""
        scores = self.notes_of(number)["scores"][np.arange(self.worlds), notes]
        return scores[:, : self.players].astype(np.int64)

    def swaps(self, number: int, seat: int) -> NDArray[np.bool_]:
        """Return in which games a seat may swap cards in the decision's turn, as bool[worlds]."""
        notes = self.notes_of(number)[:, 1:]  # without the decision
        is_swap = notes["move"] >> np.uint64(KIND_SHIFT) == SWAP
        is_swap &= (notes["turn"] == self.turn) & (notes["seat"] == seat)
        return np.asarray(is_swap.any(axis=1))

    def card_points(self, number: int, kind: int, *, is_now: bool) -> NDArray[np.int64]:
        """Return what a card brings the seat that decides in cities, as int64[worlds].

        If `is_now` is true, those of the decision's turn count, else those of later turns.
        """
        notes = self.notes_of(number)
        packed = notes["move"]
        is_play = (packed >> np.uint64(KIND_SHIFT) == PLAY) & (notes["seat"] == self.seat)
        is_play &= (notes["turn"] == self.turn) == is_now
        points = np.zeros(len(notes), dtype=np.int64)
        for place in range(2):
            is_card = is_play & (packed >> np.uint64(5 * place) & np.uint64(NO_CARD) == kind)
            points += (notes["values"][..., place] * is_card).sum(axis=1, dtype=np.int64)
        return points

    def scored(self, number: int) -> Iterator[NotedCity]:
        """Yield the cities that are completed after a move."""
        notes = self.notes_of(number)
        is_first = notes["is_scored"] > 0
        is_first[:, 1:] &= ~is_first[:, :-1] | (notes["turn"][:, :-1] != notes["turn"][:, 1:])
        merges = self._merges(notes)
        cities = notes[is_first]
        columns = (cities[name].tolist() for name in ("turn", "active", "pieces", "spaces"))
        for world, turn, active, pieces, (low, high) in zip(
            np.nonzero(is_first)[0].tolist(), *columns, strict=True
        ):
            is_merged = (world, turn) in merges
            yield NotedCity(world, turn, active, pieces, low | high << 64, is_merged)

    @staticmethod
    def _merges(notes: NDArray[Any]) -> set[tuple[int, int]]:
        """Return the worlds and turns in which a city was merged with another."""
        packed = notes["move"]
        is_merge = packed >> np.uint64(KIND_SHIFT) == MERGE
        is_merge &= packed & np.uint64(255) != NONE
        worlds, turns = np.nonzero(is_merge)[0].tolist(), notes["turn"][is_merge].tolist()
        return {*zip(worlds, turns, strict=True)}

    def choices(self, world: int, number: int) -> Iterator[NotedChoice]:
        """Yield the choices of one game, from the contender's move to the end."""
        notes = self.notes_of(number)[world, : int(self.notes.counts[world, number])]
        columns = (notes[name].tolist() for name in ("move", "turn", "seat", "active", "scores"))
        for move, turn, seat, active, scores in zip(*columns, strict=True):
            yield NotedChoice(
                Move(move) if move else None, turn, seat, active, tuple(scores[: self.players])
            )


def expected_moves(games: NotedGames, number: int) -> list[tuple[Move, float]]:
    """Return the likeliest moves after move `number`, each with its share of the games.

    The moves are the seat's towers, houses, merge and cards in this turn, then the next wall of
    each other seat and of the seat itself, and the seat's first scoring after this turn. Each move
    is selected independently of the others. Dice and draws are left out.
    """
    notes = games.notes_of(number)[:, 1:]  # without the move
    packed, turns, seats = notes["move"], notes["turn"], notes["seat"]
    kinds = packed >> np.uint64(KIND_SHIFT)
    is_seat, is_now = seats == games.seat, turns == games.turn
    line = [_likeliest(packed, (kinds == kind) & is_seat & is_now) for kind in _TURN_KINDS]
    is_play = (kinds == PLAY) & is_seat & ~is_now
    scoring, (scoring_turn, _) = _likeliest(packed, is_play), _likeliest(turns, is_play)
    walls = set[int]()
    for turn in range(games.turn + 1, games.turn + games.players + 1):
        wall = _likeliest(packed, (kinds == WALL) & (turns == turn), without=walls)
        line.append(wall)
        walls.add(wall[0])
        is_last = turn == games.turn + games.players
        if turn == scoring_turn or (is_last and scoring_turn > turn):
            line.append(scoring)
    return [(Move(move), share) for move, share in line if move and share >= MIN_SHARE]


def _likeliest(
    values: NDArray[Any], is_counted: NDArray[np.bool_], without: set[int] | None = None
) -> tuple[int, float]:
    """Return the most frequent value and its share of the games, or (0, 0.0) if there is none.

    Each game contributes its first value that `is_counted` marks; values in `without` are excluded.
    """
    some = is_counted.any(axis=1)
    first = values[some, is_counted[some].argmax(axis=1)]
    # Not `np.unique`, which imports `numpy.ma` in the middle of a search.
    counts = Counter(value for value in first.tolist() if value not in (without or ()))
    if not counts:
        return 0, 0.0
    best = min(counts, key=lambda value: (-counts[value], value))
    return best, counts[best] / len(values)
