"""Datasets: the contents of a shard, resuming, refusals."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from masons.cli.main import run
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from masons.engine.game.game import Game
from masons.engine.kernels.rng import mix
from masons.engine.storage.held_file import HeldFile
from masons.env import datasets
from masons.env.datasets import CARD, Columns, DatasetCard, Shard, read_dataset, read_shard
from masons.env.encoding import Encoding
from tests.support.commands import run_python, start, wait_for
from tests.support.playing import BOARDS, board_of

RANDOM = ("--player", "random")


def make(folder: Path, *words: str) -> int:
    return run(["dataset", "--out", str(folder), "--games", "5", "--shard-games", "2", *words])


def read(folder: Path) -> list[Columns]:
    return list(read_dataset(folder))


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name[0] != "."}


def shard_of(*seats: str, seed: int = 1, first: int = 0, count: int = 1) -> bytes:
    fingerprint = Encoding(load_board("classic")).fingerprint
    card = DatasetCard("classic", fingerprint, seats, seed, first + count, count, "npz")
    return datasets.make_shard(Shard(card, first))


def unpacked(content: bytes, folder: Path, form: str = "npz") -> tuple[Columns, dict[str, Any]]:
    path = folder / f"shard.{form}"
    path.write_bytes(content)
    return read_shard(path)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """A dataset of one game by chance."""
    assert make(tmp_path, "--games", "1", *RANDOM) == 0
    return tmp_path


def test_a_shard_holds_the_games_step_by_step(tmp_path: Path) -> None:
    """Its actions, played again in `masons.Game`, give the same games and views."""
    columns, about = unpacked(
        shard_of("greedy", "random", "busy", seed=3, first=4, count=2), tmp_path
    )
    encoding = Encoding(load_board("classic"))
    assert about == {"encoding": encoding.fingerprint, "first": 4, "games": 2}
    for number in (4, 5):
        game = Game(3, seed=mix(3, number), first=number % 3)
        rows = np.flatnonzero(columns["game"] == number)
        decisions = columns["decision"][rows]
        while not game.is_over:
            steps = rows[decisions == game.decisions]
            assert (columns["player"][steps] == game.seat).all()
            views = encoding.layout.features(columns["observation"][steps])
            assert (views.seats[:, 0, 6] == game.seat).all()
            if game.phase == "wall":
                mask = columns["mask"][steps[0]][:21]
                assert mask.tobytes() == game.state[4:8].tobytes()[:21]
            chosen = columns["action"][steps].tolist()
            (move,) = (
                move
                for move in game.legal_moves()
                if encoding.actions.actions_of(game.table, game.state, move) == chosen
            )
            game.apply(move)
        result = game.result
        assert result is not None
        assert len(set(decisions.tolist())) == game.decisions
        assert (columns["score"][rows, :3] == result.scores).all()
        assert int(columns["result"][rows[0]].argmax()) in result.winners
    assert np.isnan(columns["value"]).all()
    assert np.isnan(columns["wins"]).all()
    assert not columns["visits"].any()


@pytest.mark.parametrize("form", ["npz", pytest.param("parquet", marks=pytest.mark.slow)])
def test_both_forms_hold_the_same(form: str, tmp_path: Path) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    columns, about = unpacked(shard_of("random", "random"), tmp_path)
    again, other = unpacked(datasets.pack_shard(columns, about, form), tmp_path, form)
    assert other == about
    for name, data in columns.items():
        assert again[name].dtype == data.dtype
        assert np.array_equal(again[name], data, equal_nan=name in ("value", "wins"))


@pytest.mark.slow
def test_the_message_about_a_damaged_shard_is_printable(tmp_path: Path) -> None:
    """Parquet's own message quotes the byte that it doesn't know."""
    pytest.importorskip("pyarrow")
    columns, about = unpacked(shard_of("random", "random"), tmp_path)
    content = bytearray(datasets.pack_shard(columns, about, "parquet"))
    content[-8 - int.from_bytes(content[-8:-4], "little")] = 0x1E  # the first byte of the footer
    with pytest.raises(MasonsError, match="is not a shard of a dataset") as caught:
        unpacked(bytes(content), tmp_path, "parquet")
    assert str(caught.value).isprintable()


@pytest.mark.slow
@pytest.mark.parametrize("search", ["default:sims=40", "ismcts:sims=40"])
def test_a_search_gives_values_and_targets(search: str, tmp_path: Path) -> None:
    columns, _ = unpacked(shard_of(search, "greedy"), tmp_path)
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
    assert make(whole) == 0
    assert "steps of 5 games" in capsys.readouterr().err
    assert make(other) == 0
    assert files(whole) == files(other), "the same games, byte by byte"
    (other / "shard-000001.npz").unlink()
    (other / "shard-000002.npz").write_bytes((whole / "shard-000002.npz").read_bytes()[:-9])
    assert make(other, "--resume") == 0
    assert files(whole) == files(other)
    games = np.concatenate([columns["game"] for columns in read(whole)])
    assert sorted(set(games.tolist())) == [0, 1, 2, 3, 4]
    assert (np.diff(games) >= 0).all()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "holds a dataset: give --resume to go on with it"),
        (["--resume", "--seed", "1"], "is another dataset: with seed 0, not 1"),
        (["--resume", "--games", "6"], "is another dataset: with games 1, not 6"),
        (["--resume", "--player", "greedy"], "is another dataset: with seats"),
    ],
)
def test_another_dataset_is_not_gone_on_with(
    words: list[str], message: str, dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files(dataset)
    player = () if "--player" in words else RANDOM
    capsys.readouterr()
    assert make(dataset, "--games", "1", *player, *words) == 1
    assert message in capsys.readouterr().err
    assert files(dataset) == before


def test_a_dataset_of_a_board_of_the_same_name_is_not_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message shortens both boards, to the same text."""
    text = (BOARDS / "rhombus-2.json").read_text(encoding="utf-8")
    (tmp_path / "board.json").write_text(text)
    (tmp_path / "other.json").write_text(text.replace("false", "true", 1))
    words = [*RANDOM, "--games", "1", "--board"]
    assert make(tmp_path / "new", *words, str(tmp_path / "board.json")) == 0
    assert make(tmp_path / "new", "--resume", *words, str(tmp_path / "other.json")) == 1
    assert "is another dataset: with another board" in capsys.readouterr().err


def test_refused_folders_and_players(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert make(tmp_path) == 1
    assert "holds other files: give an empty folder or a new one" in capsys.readouterr().err
    assert make(tmp_path / "new", "--player", "nobody") == 2
    assert "'--player': there is no player 'nobody'" in capsys.readouterr().err
    assert make(tmp_path / "new", *["--player", "greedy"] * 3) == 2
    with pytest.raises(MasonsError, match="is not a dataset"):
        read(tmp_path)


def test_data_of_another_encoding_are_refused(dataset: Path) -> None:
    message = r"has the encoding '[0-9a-f]{16}', but this version's for the board"
    with pytest.raises(MasonsError, match=message):
        list(read_dataset(dataset, Encoding(board_of("hexagon-24"))))
    card = json.loads((dataset / CARD).read_text())
    (dataset / CARD).write_text(json.dumps({**card, "encoding": "0" * 16}))
    with pytest.raises(MasonsError, match="belongs to another dataset"):
        read(dataset)
    (dataset / CARD).write_text(json.dumps({**card, "format": 1}))
    with pytest.raises(MasonsError, match="has the format 1, but this version's is 2: make"):
        read(dataset)


@pytest.mark.parametrize(
    "change",
    [{"games": "1"}, {"games": 10**18}, {"shard_games": 0.0}, {"seats": [[]]}, {"board": None},
     {"seed": 1.5}, {"form": []}, {"more": 1}, {"format": "x"}, {"encoding": 3}, [], "[" * 10**5],
)  # fmt: skip
def test_no_field_of_a_card_is_trusted(
    change: Any, dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = dataset / CARD
    card = json.loads(path.read_text())
    new = {**card, **change} if isinstance(change, dict) else change
    path.write_text(new if isinstance(new, str) else json.dumps(new))
    with pytest.raises(MasonsError, match=re.escape(str(path))):
        read(dataset)
    capsys.readouterr()
    assert make(dataset, "--games", "1", *RANDOM, "--resume") == 1
    assert str(path) in capsys.readouterr().err


def damaged_shards(whole: bytes) -> Iterator[bytes]:
    """Yield shards with wrong columns, and zip files damaged where their reader looks."""
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


def test_damaged_shards_are_refused_and_made_anew(dataset: Path) -> None:
    path = dataset / "shard-000000.npz"
    whole = path.read_bytes()
    for data in (b"PK nothing", *damaged_shards(whole)):
        path.write_bytes(data)
        with pytest.raises(MasonsError, match=re.escape(str(path))):
            read(dataset)
        assert make(dataset, "--games", "1", *RANDOM, "--resume") == 0
        assert path.read_bytes() == whole


def test_arguments_of_another_type_are_refused(dataset: Path) -> None:
    with pytest.raises(MasonsError, match="folder is 5: it must be the name of a folder"):
        next(read_dataset(5))  # type: ignore[arg-type]
    with pytest.raises(MasonsError, match=r"encoding is 'x': it must be an Encoding, like env\."):
        next(read_dataset(dataset, "x"))  # type: ignore[arg-type]


def test_a_missing_shard_is_not_passed_over(tmp_path: Path) -> None:
    assert make(tmp_path, *RANDOM) == 0
    missing = tmp_path / "shard-000001.npz"
    missing.unlink()
    message = re.escape(f"{missing} is missing: make it by") + ".* --resume"
    with pytest.raises(MasonsError, match=message):
        next(read_dataset(tmp_path))
    shards = read_dataset(tmp_path, partial=True)
    assert [set(columns["game"].tolist()) for columns in shards] == [{0, 1}, {4}]
    assert make(tmp_path, *RANDOM, "--resume") == 0
    assert len(read(tmp_path)) == 3


@pytest.mark.slow
def test_kills_before_a_file_has_its_name_leave_nothing_behind(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    words = ["--games", "2", "--shard-games", "1", "--player", "greedy", "--seed", "0"]
    code = (
        "import os, pathlib, sys; from masons.cli.main import run; rename = pathlib.Path.replace; "
        "left = [None] * int(sys.argv[1]); pathlib.Path.replace = "
        "lambda *paths: (left.pop(), rename(*paths)) if left else os._exit(9); run(sys.argv[2:])"
    )
    for renamed in (0, 1, 1, 1):  # killed while it writes the card, a shard, another, the README
        arguments = ("dataset", "--out", str(killed), *words, "--resume")
        run_python("-c", code, str(renamed), *arguments, code=9)
        assert len([path for path in killed.iterdir() if path.name.startswith(".")]) <= 2
    assert make(killed, *words, "--resume") == 0
    assert make(whole, *words) == 0
    assert files(killed) == files(whole)


def test_a_dataset_that_another_process_makes_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--games", "1", "--player", "random"]
    assert make(tmp_path, *words) == 0
    held = HeldFile(str(tmp_path / "dataset.json"), "old")
    capsys.readouterr()
    assert make(tmp_path, *words, "--resume") == 1
    assert "dataset.json is being written by" in capsys.readouterr().err
    held.close()
    assert make(tmp_path, *words, "--resume") == 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_dataset_that_was_killed_is_gone_on_with(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    words = ["--games", "12", "--shard-games", "1", "--player", "greedy"]
    process = start("dataset", "--out", str(killed), *words)
    wait_for(lambda: len(list(killed.glob("shard-*"))) >= 2)
    process.kill()
    process.communicate()
    assert 2 <= len(list(killed.glob("shard-*"))) < 12
    assert make(killed, *words, "--resume") == 0
    assert make(whole, *words) == 0
    assert files(killed) == files(whole)
