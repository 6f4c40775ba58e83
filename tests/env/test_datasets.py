"""Datasets: what a shard holds, resuming, what is refused."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from masons.cli.main import run
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import parse_move
from masons.engine.game.game import Game
from masons.engine.kernels.rng import mix
from masons.env.datasets import (
    CARD,
    DatasetCard,
    Shard,
    make_shard,
    pack_shard,
    read_dataset,
    read_shard,
)
from masons.env.encoding import Encoding
from tests.support.playing import board_of

FORMS = ["npz", pytest.param("parquet", marks=pytest.mark.slow)]


def made(folder: Path, *words: str) -> int:
    return run(["dataset", "--out", str(folder), "--games", "5", "--shard-games", "2", *words])


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def shard_of(*seats: str, seed: int = 1, first: int = 0, count: int = 1) -> bytes:
    fingerprint = Encoding(load_board("classic")).fingerprint
    card = DatasetCard("classic", fingerprint, seats, seed, first + count, count, "npz")
    return make_shard(Shard(card, first))


def test_a_shard_holds_the_games_step_by_step() -> None:
    """Its actions, played again in `masons.Game`, give the same games and what the seats saw."""
    columns, about = unpacked(shard_of("greedy", "random", "busy", seed=3, first=4, count=2))
    encoding = Encoding(load_board("classic"))
    assert about == {"encoding": encoding.fingerprint, "first": 4, "games": 2}
    names = [encoding.actions.names[action] for action in columns["action"].tolist()]
    for number in (4, 5):
        rows = np.flatnonzero(columns["game"] == number)
        game = Game(3, seed=mix(3, number), first=number % 3)
        done = iter(rows.tolist())
        while not game.is_over:
            row = next(done)
            assert columns["player"][row] == game.seat
            assert columns["decision"][row] == game.decisions
            seats = encoding.layout.features(columns["observation"][row]).seats
            assert seats[0, 6] == game.seat
            if game.phase == "wall":
                assert columns["mask"][row][:21].tobytes() == game.state[4:8].tobytes()[:21]
                game.apply(parse_move(names[row]))
                continue
            steps = [row]
            while (
                len(steps) < 20
                and row + 1 < len(names)
                and (
                    columns["decision"][row + 1] == game.decisions
                    and columns["game"][row + 1] == number
                )
            ):
                row = next(done)
                steps.append(row)
            chosen = columns["action"][steps].tolist()
            moves = [
                move
                for move in game.legal_moves()
                if encoding.actions.actions_of(game.table, game.state, move) == chosen
            ]
            assert len(moves) == 1
            game.apply(moves[0])
        assert next(done, None) is None
        result = game.result
        assert result is not None
        assert columns["score"][rows[0], :3].tolist() == list(result.scores)
        assert int(columns["result"][rows[0]].argmax()) in result.winners
    assert np.isnan(columns["value"]).all()
    assert np.isnan(columns["wins"]).all()
    assert not columns["visits"].any()


def unpacked(content: bytes, suffix: str = ".npz") -> tuple[dict[str, Any], dict[str, Any]]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"shard{suffix}")
        path.write_bytes(content)
        return read_shard(path)


@pytest.mark.parametrize("form", FORMS)
def test_both_forms_hold_the_same(form: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    columns, about = unpacked(shard_of("random", "random"))
    again, other = unpacked(pack_shard(columns, about, form), f".{form}")
    assert other == about
    for name, data in columns.items():
        assert again[name].dtype == data.dtype
        assert np.array_equal(again[name], data, equal_nan=name in ("value", "wins"))


@pytest.mark.slow
@pytest.mark.parametrize("search", ["default:sims=40", "ismcts:sims=40"])
def test_a_search_gives_values_and_targets(search: str) -> None:
    columns, _ = unpacked(shard_of(search, "greedy"))
    known = ~np.isnan(columns["value"])
    assert known[columns["player"] == 0].mean() > 0.9
    assert not known[columns["player"] == 1].any()
    assert ((columns["value"][known] >= 0) & (columns["value"][known] <= 1)).all()
    visits, wins = columns["visits"], columns["wins"]
    assert (visits.sum(axis=1) > 0).tolist() == known.tolist()
    assert np.array_equal(visits > 0, ~np.isnan(wins)), "what was searched has both"
    legal = np.unpackbits(columns["mask"], axis=1, bitorder="little")[:, : visits.shape[1]]
    assert legal[visits > 0].all()
    taken = np.arange(len(known)), columns["action"]
    assert (visits[taken][known] > 0).all()
    best = np.nanmax(wins[known], axis=1)
    assert np.mean(wins[taken][known] > best - 0.1) > 0.8, "it does what its search values most"
    follows = np.flatnonzero((np.diff(columns["decision"]) == 0) & known[:-1])
    assert len(follows)
    for row in follows.tolist():  # the second step of a decision: the visits of the first's action
        assert visits[row + 1].sum() <= visits[row, columns["action"][row]]
        assert np.nanmax(wins[row + 1]) <= wins[row, columns["action"][row]]


@pytest.mark.slow
def test_a_dataset_is_gone_on_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, other = tmp_path / "whole", tmp_path / "other"
    assert made(whole) == 0
    assert "steps of 5 games" in capsys.readouterr().err
    assert made(other) == 0
    assert files(whole) == files(other), "the same games, byte by byte"
    (other / "shard-000001.npz").unlink()
    (other / "shard-000002.npz").write_bytes((whole / "shard-000002.npz").read_bytes()[:-9])
    assert made(other, "--resume") == 0
    assert files(whole) == files(other)
    games = np.concatenate([columns["game"] for columns in read_dataset(whole)])
    assert sorted(set(games.tolist())) == [0, 1, 2, 3, 4]
    assert (np.diff(games) >= 0).all()


def test_another_dataset_is_not_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert made(tmp_path / "here", "--player", "random") == 0
    before = files(tmp_path / "here")
    for words, message in (
        ([], "holds a dataset: give --resume to go on with it"),
        (["--resume", "--seed", "1"], "is another dataset: with seed 0, not 1"),
        (["--resume", "--games", "6"], "is another dataset: with games 5, not 6"),
        (["--resume", "--player", "greedy"], "is another dataset: with seats"),
    ):
        capsys.readouterr()
        player = [] if "--player" in words else ["--player", "random"]
        assert made(tmp_path / "here", *player, *words) == 1
        assert message in capsys.readouterr().err
    assert files(tmp_path / "here") == before


def test_what_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert made(tmp_path) == 1
    assert "holds other files: give an empty folder or a new one" in capsys.readouterr().err
    assert made(tmp_path / "new", "--player", "nobody") == 2
    assert "'--player': there is no player 'nobody'" in capsys.readouterr().err
    assert made(tmp_path / "new", *["--player", "greedy"] * 3) == 2
    with pytest.raises(MasonsError, match="is not a dataset"):
        list(read_dataset(tmp_path))
    (tmp_path / CARD).write_text("[]")
    with pytest.raises(MasonsError, match="is not the card of a dataset"):
        list(read_dataset(tmp_path))


def test_data_of_another_encoding_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    assert made(folder, "--games", "1") == 0
    with pytest.raises(
        MasonsError, match=r"has the encoding '[0-9a-f]{16}', but this version's for the board"
    ):
        list(read_dataset(folder, Encoding(board_of("hexagon-24"))))
    card = json.loads((folder / CARD).read_text())
    for form, message in ((1, "has the format 1, but this version's is 2: make"), ("x", "not the")):
        (folder / CARD).write_text(json.dumps({**card, "format": form}))
        with pytest.raises(MasonsError, match=message):
            list(read_dataset(folder))
    (folder / CARD).write_text(json.dumps({**card, "encoding": "0" * 16}))
    with pytest.raises(MasonsError, match="belongs to another dataset"):
        list(read_dataset(folder))
    (folder / "shard-000000.npz").write_bytes(b"PK nothing")
    with pytest.raises(MasonsError, match=r"shard-000000.npz is not a shard of a"):
        list(read_dataset(folder))


@pytest.mark.parametrize(
    "change",
    [{"games": "1"}, {"games": 0}, {"games": 10**18}, {"shard_games": 0.0}, {"seats": [[]]},
     {"seats": "ab"}, {"board": None}, {"seed": 1.5}, {"form": "x"}, {"form": []}, {"more": 1},
     {"format": True}, {"version": {}}, {"encoding": 3}],
)  # fmt: skip
def test_no_field_of_a_card_is_trusted(
    change: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert made(tmp_path, "--games", "1", "--player", "random") == 0
    card = json.loads((tmp_path / CARD).read_text())
    for damaged in (json.dumps({**card, **change}), "[" * 10**5):
        (tmp_path / CARD).write_text(damaged)
        with pytest.raises(MasonsError, match=re.escape(str(tmp_path / CARD))):
            list(read_dataset(tmp_path))
        capsys.readouterr()
        assert made(tmp_path, "--games", "1", "--player", "random", "--resume") == 1
        assert str(tmp_path / CARD) in capsys.readouterr().err


def damaged_shards(whole: bytes) -> Iterator[bytes]:
    """Shards whose columns are none, and zip files in ways that their reader does not foresee."""
    with np.load(io.BytesIO(whole)) as file:
        columns = {name: file[name] for name in file.files}
    for name, other in (
        ("action", np.array(3)), ("action", columns["action"][:1]), ("mask", columns["action"]),
        ("value", columns["value"].astype(float)), ("observation", np.array(["x"])),
        ("score", columns["score"][:, :2]), ("visits", columns["visits"][:, :9]),
        ("about", np.array("[" * 10**5)), ("about", np.array("{}")),
    ):  # fmt: skip
        buffer = io.BytesIO()
        np.savez(buffer, **{**columns, name: other})
        yield buffer.getvalue()
    for at in (whole.rindex(b"PK\1\2") + 10, whole.rindex(b"PK\1\2") + 8):  # its way, its flags
        yield whole[:at] + b"\x63" + whole[at + 1 :]


def test_damaged_shards_are_refused_and_made_anew(tmp_path: Path) -> None:
    words = ["--games", "1", "--player", "random"]
    assert made(tmp_path, *words) == 0
    path = tmp_path / "shard-000000.npz"
    whole = path.read_bytes()
    for data in damaged_shards(whole):
        path.write_bytes(data)
        with pytest.raises(MasonsError, match=re.escape(str(path))):
            list(read_dataset(tmp_path))
        assert made(tmp_path, *words, "--resume") == 0
        assert path.read_bytes() == whole


def test_a_missing_shard_is_not_passed_over(tmp_path: Path) -> None:
    assert made(tmp_path, "--player", "random") == 0
    (tmp_path / "shard-000001.npz").unlink()
    said = re.escape(f"{tmp_path / 'shard-000001.npz'} is missing: make it by") + ".* --resume"
    with pytest.raises(MasonsError, match=said):
        next(read_dataset(tmp_path))
    read = [set(columns["game"].tolist()) for columns in read_dataset(tmp_path, partial=True)]
    assert read == [{0, 1}, {4}]
    assert made(tmp_path, "--player", "random", "--resume") == 0
    assert len(list(read_dataset(tmp_path))) == 3


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_dataset_that_was_killed_is_gone_on_with(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    words = ["--games", "12", "--shard-games", "1", "--player", "greedy"]
    process = subprocess.Popen(
        [sys.executable, "-m", "masons.cli", "dataset", "--out", str(killed), *words],
        env=os.environ, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while len(list(killed.glob("shard-*"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert 2 <= len(list(killed.glob("shard-*"))) < 12
    assert run(["dataset", "--out", str(killed), "--resume", *words]) == 0
    assert run(["dataset", "--out", str(whole), *words]) == 0
    assert {name: data for name, data in files(killed).items() if name[0] != "."} == files(whole)
