"""Observations of a seat, stored as bytes (see `env_layout`).

An observation shows the hand of its seat, but only the sizes of the other hands and of the deck.
The steps of an unfinished decision are visible only to the seat that decides. To the other seats,
the decision seems to have just begun.
"""

from __future__ import annotations

from typing import Final

from masons.engine.board import packed_board
from masons.engine.board.components import HOUSE_COLORS, KINDS, MAX_PLAYERS, TOWER_COLORS
from masons.engine.kernels.bits import U, popcount
from masons.engine.kernels.jit import Word, Words, bytes_of, halves_of, inlined, inner, offset
from masons.engine.rules.legal_moves import counts_of
from masons.engine.rules.scoring import put_values, score_cards, values_of
from masons.engine.rules.turns import clockwise, score_of
from masons.engine.state import layout
from masons.env.stepping import env_layout as env
from masons.env.stepping.actions import chosen_points, is_root

_GAME_WORDS = U(env.GAME_BYTES // 8)
_SEATS = U(env.SEATS_WORD)
_KINDS = U(env.KINDS_WORD)
_SPACES = U(env.SPACES_WORD)
_KIND_COUNT = U(KINDS)
_MOST: Final = U(255)
_PAIR = U(3)
_BYTE = U(255)

# Bytes in the section of the game. Of features for each color, this is the first.
_GAME: Final = env.bytes_by_name(env.GAME_FEATURES)
_PLAYERS = _GAME["players"]
_FIRST_STEP = _GAME["first-step"]
_WALLS_LEFT = _GAME["walls-left"]
_TOWERS_LEFT = _GAME[f"{TOWER_COLORS[0]}-towers-left"]
_CITIES = _GAME["cities"]
_HOUSES_LEFT = _GAME[f"{HOUSE_COLORS[0]}-houses-left"]
_DECK = _GAME["deck"]
_DISCARDS = _GAME["discards"]
_TURN = _GAME["turn"]
_PALACES_LEFT = _GAME[f"{HOUSE_COLORS[0]}-palaces-left"]
_ENDS = _GAME["ends"]
_ROLLED_EARLY = _GAME["rolled-early"]
_CLOSES = _GAME["closes"]
_DIE = _GAME[f"die-{TOWER_COLORS[0]}"]
_DIE_1 = _GAME[f"die-1-{HOUSE_COLORS[0]}"]
_DIE_2 = _GAME[f"die-2-{HOUSE_COLORS[0]}"]
_CHOSEN = _GAME["chosen"]
_FIRST_PLACE = _GAME["first-place-0"]
_FIRST_NOTHING = _GAME["first-place-nothing"]


@inner
def _write_due(row: Words, out: Words, stage: Word) -> None:
    """Write the phase, `stage` (the number of choices made), the dice and the first piece."""
    b, o = bytes_of(row), bytes_of(out)
    phase = U(b[layout.PHASE])
    if phase == layout.PHASE_WALL:
        o[U(0)] = U(1)
        o[_ROLLED_EARLY] = b[layout.ROLLED]
    elif layout.PHASE_TOWERS <= phase <= layout.PHASE_HOUSES:
        o[phase - layout.PHASE_TOWERS + U(1)] = U(1)
        if b[layout.DIE] != layout.NONE and phase == layout.PHASE_TOWERS:
            o[_DIE + U(b[layout.DIE])] = U(1)
        o[_DIE_1 + U(b[layout.DICE])] = U(1)
        o[_DIE_2 + U(b[layout.DICE + U(1)])] = U(1)
        o[_CLOSES] = b[layout.CLOSES]
        if stage:
            first = U(b[env.FIRST])
            o[_FIRST_NOTHING if first == layout.NO_COLOR else _FIRST_PLACE + first] = U(1)
    elif layout.PHASE_MERGE <= phase <= layout.PHASE_SCORE:
        o[phase - layout.PHASE_MERGE + U(3)] = U(1)
    elif layout.PHASE_SWAP <= phase <= layout.PHASE_FINAL:
        o[phase - layout.PHASE_SWAP + U(5)] = U(1)
    if phase != layout.PHASE_OVER:
        o[_FIRST_STEP + min(stage, U(2))] = U(1)
        o[_CHOSEN] = stage


@inner
def _write_game(row: Words, out: Words, stage: Word) -> None:
    b, o = bytes_of(row), bytes_of(out)
    for i in range(_GAME_WORDS):
        out[i] = U(0)
    _write_due(row, out, stage)
    o[_PLAYERS] = b[layout.PLAYERS]
    o[_WALLS_LEFT] = b[layout.WALL_LEFT]
    for i in range(U(3)):
        o[_TOWERS_LEFT + i] = (row[layout.TOWER_SUPPLY] >> (U(8) * i)) & _BYTE
    for i in range(U(5)):
        o[_HOUSES_LEFT + i] = (row[layout.HOUSE_SUPPLY] >> (U(8) * i)) & _BYTE
        o[_PALACES_LEFT + i] = (row[layout.PALACE_SUPPLY] >> (U(8) * i)) & _BYTE
    o[_CITIES] = row[layout.CITIES]
    o[_DECK] = popcount(row[layout.DECK])
    o[_DISCARDS] = popcount(row[layout.DISCARD])
    o[_TURN] = min(row[layout.TURN], _MOST)
    o[_ENDS] = U(b[layout.END] != U(0))


@inner
def _write_seats(row: Words, out: Words, seat: Word) -> None:
    """Write the features of all seats clockwise, beginning with `seat`."""
    b = bytes_of(row)
    players, active, queue = U(b[layout.PLAYERS]), U(b[layout.ACTIVE]), U(b[layout.QUEUE])
    decides = layout.NONE if b[layout.PHASE] == layout.PHASE_OVER else U(b[layout.SEAT])
    for i in range(U(MAX_PLAYERS)):
        word = U(0)
        if i < players:
            word = U(1) | (min(score_of(row, seat), _MOST) << U(8))
            word |= popcount(row[layout.HANDS + seat]) << U(16)
            word |= U(seat == active) << U(24)
            word |= ((queue >> seat) & U(1)) << U(32)
            word |= (U(seat == decides) << U(40)) | (seat << U(48))
            seat = clockwise(row, seat)
        out[_SEATS + i] = word


@inner
def _value_kinds(row: Words, board: Words, out: Words) -> None:
    """Fill VALUES with the points that a card of each kind would score.

    In the final scoring, these are the points in the city where the kind scores most. Otherwise
    they are the points without a city.
    """
    b = bytes_of(row)
    if b[layout.PHASE] != layout.PHASE_FINAL or row[layout.CITIES] == U(0):
        score_cards(row, board, layout.NONE)
        return
    for i in range(_KIND_COUNT):
        out[_KINDS + i] = U(0)
    for space in range(board[packed_board.SPACE_COUNT]):
        if is_root(row, space):
            score_cards(row, board, space)
            for i in range(_KIND_COUNT):
                out[_KINDS + i] = max(out[_KINDS + i], U(b[layout.VALUES_BYTE + i]))
    for i in range(_KIND_COUNT):
        b[layout.VALUES_BYTE + i] = out[_KINDS + i]


@inner
def _write_kinds(row: Words, board: Words, out: Words, seat: Word, stage: Word) -> None:
    b = bytes_of(row)
    hand, pile = counts_of(row[layout.HANDS + seat]), counts_of(row[layout.DISCARD])
    chosen = row[env.CHOSEN] if stage else U(0)
    kept = values_of(row)
    if b[layout.PHASE] != layout.PHASE_SCORE:
        _value_kinds(row, board, out)
    for i in range(_KIND_COUNT):
        shift = U(2) * i
        held, up = (hand >> shift) & _PAIR, (pile >> shift) & _PAIR
        word = held | (up << U(8)) | ((U(2) - held - up) << U(16))
        word |= U(b[layout.VALUES_BYTE + i]) << U(24)
        out[_KINDS + i] = word | (((chosen >> shift) & _PAIR) << U(32))
    put_values(row, kept)


@inner
def _write_spaces(row: Words, board: Words, out: Words) -> None:
    halves = halves_of(row)
    for space in range(board[packed_board.SPACE_COUNT]):
        word = U(halves[layout.SPACES_HALF + space])
        inside, root = word >> U(31), (word >> U(30)) & U(1)
        # In a city, only the lowest space holds pieces. The other spaces have the number of the
        # lowest space in these bits, which are therefore masked out.
        pieces = word & layout.PIECES & (inside - U(1))
        # Spread the 4-bit counts of houses to bytes.
        few = pieces & layout.HOUSE_BITS
        few = (few & U(0xFF)) | ((few & U(0xFF00)) << U(8)) | ((few & U(0xF0000)) << U(16))
        few = (few | (few << U(4))) & U(0x0F0F0F0F0F)
        out[U(2) * space] = few | ((inside | root) << U(40)) | (root << U(48))
        # Spread the 2-bit counts of palaces to bytes.
        few = pieces >> U(20)
        few = (few & U(0xF)) | ((few & U(0xF0)) << U(12)) | ((few & U(0x300)) << U(24))
        out[U(2) * space + U(1)] = (few | (few << U(6))) & U(0x0303030303)


@inner
def _both(word: Word, shift: Word) -> Word:
    """Return bits `shift` and `shift` + 1 of a word as bits 0 and 32."""
    two = (word >> shift) & _PAIR
    return (two | (two << U(31))) & U(0x100000001)


@inner
def _write_lines(row: Words, board: Words, out: Words) -> None:
    pairs = (board[packed_board.LINE_COUNT] + U(1)) >> U(1)
    for w in range(U(4)):
        if pairs <= U(32) * w:
            return
        walls, free, closing = row[layout.WALLS + w], row[layout.OPEN + w], row[layout.CLOSING + w]
        for i in range(min(pairs - U(32) * w, U(32))):
            word = _both(walls, U(2) * i) | (_both(free, U(2) * i) << U(8))
            out[U(32) * w + i] = word | (_both(closing, U(2) * i) << U(16))


@inner
def _write_towers(row: Words, board: Words, out: Words) -> None:
    for w in range(U(2)):
        if board[packed_board.TOWER_COUNT] <= U(64) * w:
            return
        white, gray = row[layout.TOWERS + w], row[layout.TOWERS + U(2) + w]
        black, city = row[layout.TOWERS + U(4) + w], row[layout.CITY_TOWERS + w]
        for i in range(min(board[packed_board.TOWER_COUNT] - U(64) * w, U(64))):
            word = ((white >> i) & U(1)) | (((gray >> i) & U(1)) << U(8))
            word |= (((black >> i) & U(1)) << U(16)) | (((city >> i) & U(1)) << U(24))
            out[U(64) * w + i] = word


# Bytes in the records of spaces, lines and tower spaces.
_OF_SPACE: Final = env.bytes_by_name(env.SPACE_FEATURES)
_OF_TOWER: Final = env.bytes_by_name(env.TOWER_FEATURES)
_JUST_COMPLETED = _OF_SPACE["just-completed"]
_SPACE_DUE = _OF_SPACE["due-here"]
_BESIDE = _OF_SPACE["beside-wall"]
_POINTS = _OF_SPACE["points"]
_THIS_TURN = env.bytes_by_name(env.LINE_FEATURES)["this-turn"]
_TOWER_DUE = _OF_TOWER["due-here"]
_END = _OF_TOWER["beside-wall"]
_SPACE = U(env.SPACE_BYTES)
_LINE = U(env.LINE_BYTES)
_TOWER = U(env.TOWER_BYTES)


@inner
def _mark_turn(
    row: Words, board: Words, spaces: Words, lines: Words, towers: Words, stage: Word
) -> None:
    """Mark the city just completed, or this turn's wall, its neighbors and the current place."""
    b, table = bytes_of(row), bytes_of(board)
    at_spaces, at_towers = bytes_of(spaces), bytes_of(towers)
    phase = U(b[layout.PHASE])
    if layout.PHASE_MERGE <= phase <= layout.PHASE_SCORE:
        at_spaces[_SPACE * U(b[layout.CITY]) + _JUST_COMPLETED] = U(1)
    line = U(b[layout.LINE])
    if not layout.PHASE_TOWERS <= phase <= layout.PHASE_HOUSES:
        return
    bytes_of(lines)[_LINE * line + _THIS_TURN] = U(1)
    for i in range(U(2)):
        due = U(stage == i)
        tower = U(table[packed_board.LINE_PLACES + U(8) * line + i])
        at_towers[_TOWER * tower + _END] = U(1)
        at_towers[_TOWER * tower + _TOWER_DUE] = due * U(phase == layout.PHASE_TOWERS)
        space = U(table[packed_board.LINE_SPACES + U(2) * line + i])
        if space != layout.NONE:
            at_spaces[_SPACE * space + _BESIDE] = U(1)
            at_spaces[_SPACE * space + _SPACE_DUE] = due * U(phase == layout.PHASE_HOUSES)


@inner
def _mark_points(row: Words, board: Words, spaces: Words) -> None:
    """Write the points that the chosen cards would score in each city, for the final scoring."""
    kept = values_of(row)
    for space in range(board[packed_board.SPACE_COUNT]):
        if is_root(row, space):
            points = min(chosen_points(row, board, space), _MOST)
            bytes_of(spaces)[_SPACE * space + _POINTS] = points
    put_values(row, kept)


@inlined
def write_observation(row: Words, board: Words, out: Words, seat: Word) -> None:
    """Write the observation of a seat to `out`, and overwrite every byte."""
    b = bytes_of(row)
    stage = U(b[env.STAGE]) if seat == U(b[layout.SEAT]) else U(0)
    spaces = offset(out, _SPACES)
    lines = offset(spaces, U(2) * board[packed_board.SPACE_COUNT])
    towers = offset(lines, (board[packed_board.LINE_COUNT] + U(1)) >> U(1))
    _write_game(row, out, stage)
    _write_seats(row, out, seat)
    _write_kinds(row, board, out, seat, stage)
    _write_spaces(row, board, spaces)
    _write_lines(row, board, lines)
    _write_towers(row, board, towers)
    _mark_turn(row, board, spaces, lines, towers, stage)
    if b[layout.PHASE] == layout.PHASE_FINAL and stage == U(2):
        _mark_points(row, board, spaces)


@inlined
def write_mask(legal: Words, out: Words, words: Word) -> None:
    """Write a set of actions to `words` words of `out`, with one byte for each action."""
    eights = bytes_of(legal)
    for i in range(words):
        bits = (U(eights[i]) * U(0x0101010101010101)) & U(0x8040201008040201)
        out[i] = ((bits + U(0x7F7F7F7F7F7F7F7F)) >> U(7)) & U(0x0101010101010101)
