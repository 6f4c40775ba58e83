"""`show`: positions in words and pictures, overlays, pages; and what must not be in them."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import struct
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import resvg_py
from font_source_sans_pro import font_directory

import masons
from masons.engine.board.board_picture import HOUSE_PAINT, TOWER_PAINT
from masons.engine.board.components import CARD_NAMES, HOUSE_COLORS, TOWER_COLORS
from masons.engine.board.geometry import load_board
from masons.engine.extras import install_command
from masons.engine.formats.position_text import format_position, parse_position
from masons.engine.game.game import Game
from masons.engine.game.record import format_record, read_record
from masons.engine.game.replay import Replay, replay_to
from masons.engine.plain_text import plain
from masons.gui.pictures.overlay import Overlay
from masons.gui.pictures.position_drawing import draw_position
from masons.gui.pictures.side_panels import fitted, width_of, wrapped
from masons.words.moves import card_name
from tests.cli.conftest import GAMES, HEXAGON, MIDGAME, POSITION, redealt
from tests.support.commands import SECONDS, called, told
from tests.support.paths import DOCS

SVG = "{http://www.w3.org/2000/svg}"
FOUR = f"{GAMES}#3@40"  # a game of four


def svg_of(*arguments: str) -> ElementTree.Element:
    out = told("show", *arguments, "--svg", "-")
    assert len(out.splitlines()) == 1
    return ElementTree.fromstring(out)


def group(root: ElementTree.Element, name: str) -> ElementTree.Element:
    (named,) = [element for element in root.iter(f"{SVG}g") if element.get("class") == name]
    return named


def texts(element: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in element.iter(f"{SVG}text")]


def of_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in root.iter() if element.get("class") == name]


# --- words


def test_words() -> None:
    out = told("show", MIDGAME)
    assert "board   classic, 2 players" in out
    assert "turn    20: seat 1 places a wall" in out
    assert "cards   seat 0: 3 cards, seat 1: 7 cards, deck: 21, face up: 29" in out
    assert "City of 3 spaces" not in out
    with_hands = told("show", MIDGAME, "--hands")
    assert "seat 0  City colors, Rose in the city, Black land towers" in with_hands


@pytest.mark.slow
def test_words_of_every_phase() -> None:
    """Also where nobody decides, and where hands are hidden."""
    seen = set()
    replay = Replay(read_record(GAMES, 2))
    while True:
        game = replay.game
        if game.phase not in seen:
            seen.add(game.phase)
            for text in (game.text, masons_text(game)):
                code, out, err = called("show", text, "--hands")
                assert (code, err) == (0, "")
                assert f"turn    {game.position.turn + 1}: " in out
                assert ("hidden" in out) == ("?" in text.split("hands=")[1].split()[0])
        if game.is_over:
            break
        replay.step()
    assert seen >= {"wall", "towers", "houses", "merge", "score", "swap", "final", "over"}


@pytest.mark.parametrize(("width", "begin"), [(40, "walls: 3 4"), (60, "walls: 3 4"), (61, "~~~")])
def test_a_board_that_is_too_wide_is_told_in_words(
    width: int, begin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, _ = called("show", MIDGAME)
    assert (code, out[: len(begin)]) == (0, begin)
    assert max(map(len, out.splitlines())) <= width


def masons_text(game: Game) -> str:
    """Return the position as the seat that decides sees it."""
    return format_position(game.view(game.seat), game.board)


def test_a_file_of_json_that_is_no_record_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": 1}')
    said = f"error: '{path}' holds neither a position nor a game record\n"
    assert called("show", str(path)) == (1, "", said)


def test_the_docs_say_how_big_a_page_is(tmp_path: Path) -> None:
    said = re.search(r"one file of (\d+) to (\d+) KB", (DOCS / "pictures.md").read_text())
    assert said is not None
    for number, hands in ((1, ["--hands"]), (2, []), (3, ["--hands"])):
        told("show", f"{GAMES}#{number}", "--html", str(tmp_path / "a.html"), *hands)
        kilobytes = (tmp_path / "a.html").stat().st_size / 1000
        assert int(said[1]) <= kilobytes <= int(said[2])


# --- pictures


def test_a_picture_has_the_pieces() -> None:
    root = svg_of(MIDGAME)
    _, position = parse_position(POSITION)
    assert len(group(root, "walls")) == len(position.walls)
    drawn = Counter(use.get("href") for use in group(root, "towers"))
    for color, count in Counter(position.towers.values()).items():
        name = TOWER_COLORS[color]
        assert drawn[f"#tower-{name}"] + drawn[f"#shore-{name}"] == count
    symbols = (use.attrib["href"] for use in group(root, "pieces").iter(f"{SVG}use"))
    pieces = Counter(symbols)
    for kind, stocks in (("house", position.houses), ("palace", position.palaces)):
        for color, name in enumerate(HOUSE_COLORS):
            assert pieces[f"#{kind}-{name}"] == sum(counts[color] for counts in stocks.values())
    supply = texts(group(root, "supply"))
    numbers = " ".join(text for text in supply if text.isdecimal())
    assert numbers == "16 3 5 7 7 8 5 4 7 3 2 1 3 2"
    assert texts(group(root, "table")) == ["deck 21   ·   face up 29"]
    seats = texts(group(root, "seats"))
    assert [text for text in seats if text.isdecimal()] == ["18", "12"]
    assert "seat 1 places a wall" in (root.findtext(f"{SVG}title") or "")
    assert not of_class(root, "card")
    assert len(of_class(root, "back")) == 10


def test_hands_are_drawn_only_where_the_position_shows_them() -> None:
    game = replay_to(read_record(GAMES, 3), 40)
    _, view = parse_position(masons_text(game))
    for text, hands in ((game.text, game.position.hands), (masons_text(game), view.hands)):
        root = svg_of(text, "--hands")
        known = [hand for hand in hands if not isinstance(hand, int)]
        wanted = sorted(
            card_name(kind) + (f" x{count}" if count > 1 else "")
            for hand in known
            for kind, count in Counter(hand).items()
        )
        drawn = [
            text
            for text in texts(group(root, "seats"))
            if text.split(" x")[0] in CARD_NAMES.values()
        ]
        assert sorted(drawn) == wanted
        assert len(of_class(root, "card")) == len(wanted)
        assert len(of_class(root, "back")) == sum(game.position.hand_sizes)


def test_labels_and_title() -> None:
    title = 'a <b> & "c" é'
    root = svg_of(MIDGAME, "--labels", "--title", title)
    board = load_board("classic")
    ids = len(board.line_towers) + len(board.space_region) + len(board.tower_xy)
    assert len(texts(group(root, "ids"))) == ids
    assert title in texts(root)


@pytest.mark.parametrize("letters", [False, True])
def test_letters_are_on_the_pieces_where_they_are_asked_for(letters: bool) -> None:
    root = svg_of(MIDGAME, *["--letters"] * letters)
    written = of_class(root, "b-letter")
    assert {text.text for text in written} == set("WGBRSY")
    assert {text.get("display") for text in written} == {None if letters else "none"}


def test_everything_lies_inside_the_picture() -> None:
    """Panels do not overlap, and the picture is as high as its contents: boards, hands, overlay."""
    for name, players in (("classic", 4), (HEXAGON, 4), (HEXAGON, 2)):
        game = Game(players, board=name, seed=1)
        choices = Overlay(choices=(), weights={})
        for overlay in (None, choices):
            drawn = draw_position(game.board, game.position, hands=True, overlay=overlay)
            root = ElementTree.fromstring(drawn.svg)
            width, height = float(root.attrib["width"]), float(root.attrib["height"])
            bottom = 0.0
            for panel in ("seats", "table", "opinion", "supply"):
                panels = [g for g in root if g.get("class") == panel]
                if not panels:
                    assert panel == "opinion"
                    assert overlay is None
                    continue
                frame = panels[0][0].attrib
                assert float(frame["y"]) >= bottom
                bottom = float(frame["y"]) + float(frame["height"])
                for box in panels[0].iter(f"{SVG}rect"):
                    right = float(box.attrib["x"]) + float(box.attrib["width"])
                    assert right <= float(frame["x"]) + float(frame["width"])
                    assert float(box.attrib["y"]) + float(box.attrib["height"]) <= bottom
                for text in panels[0].iter(f"{SVG}text"):
                    assert float(text.attrib["y"]) < bottom
            assert bottom < height
            assert float(frame["x"]) + float(frame["width"]) < width


def test_texts_are_made_to_fit() -> None:
    long = "a player with quite a long name and more"
    for space_left in (40.0, 120.0, 400.0, 4000.0):
        text, size = fitted(long, 19, space_left)
        assert width_of(text, size) <= space_left + 1e-6
        lines = wrapped(long, 14, space_left, 2)
        assert len(lines) <= 2
        assert all(width_of(line, 14) <= space_left for line in lines)
    assert fitted(long, 19, 4000.0) == (long, 19)
    assert " ".join(wrapped(long, 14, 200.0, 9)) == long


# Machado, Oliveira and Fernandes 2009: what people without red, green and blue receptors see.
VISIONS = {
    "full": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
               (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
               (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602),
               (0.004733, 0.691367, 0.303900)),
}  # fmt: skip


def lab_of(color: str, matrix: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    """A color as seen through a matrix, in CIELAB (D65)."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [((c + 0.055) / 1.055) ** 2.4 if c > 0.04045 else c / 12.92 for c in parts]
    seen = [
        min(max(sum(m * c for m, c in zip(row, linear, strict=True)), 0.0), 1.0) for row in matrix
    ]
    to_xyz = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    xyz = [sum(m * c for m, c in zip(row, seen, strict=True)) for row in to_xyz]
    f = [
        (v / white) ** (1 / 3) if v / white > 0.008856 else 7.787 * v / white + 16 / 116
        for v, white in zip(xyz, (0.9505, 1.0, 1.089), strict=True)
    ]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


@pytest.mark.parametrize("kind", VISIONS)
def test_color_blind_people_can_tell_the_pieces_apart(kind: str) -> None:
    """By color, and in grayscale by lightness alone."""
    for paints, least in ((HOUSE_PAINT, 8), (TOWER_PAINT, 25)):
        seen = {name: lab_of(fill, VISIONS[kind]) for name, (fill, _) in paints.items()}
        for color, other in combinations(seen, 2):
            pairs = zip(seen[color], seen[other], strict=True)
            distance = sum((a - b) ** 2 for a, b in pairs) ** 0.5
            assert distance > 18, (color, other, distance)  # 2.3 is just noticeable
            gap = abs(seen[color][0] - seen[other][0])
            assert gap >= least, (color, other, gap)


def test_notebooks_get_a_picture_without_hands() -> None:
    game = replay_to(read_record(GAMES), 58)
    other = Game.from_position(redealt(game.text, 1))
    shown, again = game._repr_svg_(), other._repr_svg_()
    assert shown == again
    assert "scores 18, 12" in shown
    assert len(group(ElementTree.fromstring(shown), "walls")) == 17
    assert ElementTree.fromstring(game.board._repr_svg_()).tag == f"{SVG}svg"
    seen = masons.draw_position(game.board, game.view(1), hands=True)
    assert seen._repr_svg_() == seen.svg


# --- overlays


def overlaid(text: str, *options: str) -> str:
    words = ("--overlay", "analysis", "--sims", "300", "--svg", "-")
    return told("show", text, *words, *options)


def test_the_overlay_is_the_analysis() -> None:
    root = ElementTree.fromstring(overlaid(POSITION, "--seed", "3"))
    words = ("--sims", "300", "--seed", "3", "--json", "--top", "200")
    moves = json.loads(told("analyze", POSITION, *words))["moves"]
    glow = group(root, "highlights")
    assert len(glow) == 1  # of a search alone nobody knows what the others lose
    assert sorted(texts(group(root, "marks"))) == list("123456")
    board = load_board("classic")
    best = board.line_towers[int(moves[0]["move"].partition(":")[2])]
    width = max(float(line.attrib["stroke-width"]) for line in glow)
    widest = [line for line in glow if float(line.attrib["stroke-width"]) == width]
    corners = [(use.attrib["x"], use.attrib["y"]) for use in group(root, "towers")]
    ends = [{(line.attrib[f"x{i}"], line.attrib[f"y{i}"]) for i in (1, 2)} for line in widest]
    assert {corners[tower] for tower in best} in ends
    panel = texts(group(root, "opinion"))
    assert f"{100 * moves[0]['win']:.1f}" in panel
    assert "loses less than 0.5 %" in panel
    assert "300 iterations, evaluated by a net, seed 3" in panel


def test_walls_that_were_measured_glow() -> None:
    """Walls whose loss was measured and is below 5 % glow, and no others do."""
    limits = ("--rollouts", "3000", "--sims", "300", "--seed", "3")
    root = ElementTree.fromstring(
        told("show", POSITION, "--overlay", "analysis", *limits, "--svg", "-")
    )
    moves = json.loads(
        told("analyze", POSITION, *limits, "--threads", "1", "--json", "--top", "200")
    )["moves"]
    losses = [move["loss"] for move in moves if move["loss"] is not None]
    assert len(losses) < len(moves)  # most walls have no loss, so they don't glow
    assert len(group(root, "highlights")) == sum(loss < 0.05 for loss in losses) > 1
    assert any("games" in text for text in texts(group(root, "opinion")))


@pytest.mark.parametrize("decision", [4, 31, 33, 35, 58])
def test_hidden_cards_change_no_overlay(decision: int) -> None:
    """Walls, houses, scoring, swap: the same bytes however the unseen cards are dealt."""
    text = replay_to(read_record(GAMES), decision).text
    first, second = redealt(text, 0), redealt(text, 1)
    assert first != second
    assert overlaid(first) == overlaid(second)


# --- PNG


@pytest.mark.slow
def test_png(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    told("show", FOUR, "--hands", "--png", str(file), "--width", "700")
    data = file.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert data[12:16] == b"IHDR"
    width, height = struct.unpack(">II", data[16:24])
    assert width == 700
    assert 300 < height < 1000
    assert data[-8:-4] == b"IEND"
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


@pytest.mark.slow
def test_png_needs_no_font_of_the_system() -> None:
    """The letters are those of the font that comes with the extra, here and on a bare machine."""
    game = Game(seed=1)
    drawn = draw_position(game.board, game.position, title="Title")
    files = sorted(map(str, Path(font_directory).glob("SourceSansPro-[BR]*[dr].ttf")))
    bare = resvg_py.svg_to_bytes(
        svg_string=drawn.svg, width=600, font_files=files, skip_system_fonts=True,
        sans_serif_family="Source Sans Pro",
    )  # fmt: skip
    assert drawn.png(600) == bare
    assert drawn.png(600) != draw_position(game.board, game.position, title="Other").png(600)


def test_png_without_its_extra_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    said = f"error: PNG needs the extra png: {install_command('png')}\n"
    assert called("show", MIDGAME, "--png", str(tmp_path / "a.png")) == (1, "", said)
    assert list(tmp_path.iterdir()) == []


# --- pages


class Page(HTMLParser):
    """The elements and texts of a page, which must be well nested."""

    VOID = ("meta", "input", "link", "br", "img")

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: Counter[str] = Counter()
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, key, value or "") for key, value in attrs]
        self.ids += [value or "" for key, value in attrs if key == "id"]
        if tag not in self.VOID:
            self._open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts[self._open[-1]][-1] += data

    @property
    def data(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.texts["script"][0])
        return value


def page_of(*arguments: str) -> str:
    return told("show", *arguments, "--html", "-")


@pytest.mark.slow
def test_a_page_is_sound_and_asks_for_nothing(tmp_path: Path) -> None:
    file = tmp_path / "game.html"
    assert told("show", f"{GAMES}#2@10", "--html", str(file)) == ""
    text = file.read_text("utf-8")
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert page.tags["script"] == 2
    assert page.data["start"] == 9
    for _, key, value in page.attributes:
        assert key not in ("src", "style", "action", "srcset")
        assert not key.startswith("on")
        if key == "href":
            assert value.startswith("#")
    policy = next(value for tag, key, value in page.attributes if "default-src" in value)
    assert policy.startswith("default-src 'none';")
    for tag, rule in (("script", "script-src"), ("style", "style-src")):
        digest = hashlib.sha256(page.texts[tag][-1].encode()).digest()
        assert f"{rule} 'sha256-{base64.b64encode(digest).decode()}'" in policy
    outside = re.sub(r'"http://www.w3.org/2000/svg"', "", text)
    assert "http" not in outside.replace("http-equiv", "")
    assert text.count("<button") == text.count('<button type="button"') == 5
    for control in ("first", "back", "play", "next", "last", "slider"):
        assert re.search(rf'id="{control}"[^>]*aria-label=', text)
    assert len(text) < 250_000


@pytest.mark.slow
def test_names_out_of_a_file_stay_text(tmp_path: Path) -> None:
    record = read_record(GAMES, 2)
    names = [
        "</script><script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "\u2028\x00&amp;",
    ]
    record["names"] = names
    file = tmp_path / "evil.jsonl"
    file.write_text(format_record(record) + "\n", encoding="utf-8")
    page = Page(page_of(str(file)))
    assert page.tags["script"] == 2
    assert page.tags["img"] == 0
    assert page.data["names"] == [plain(name) for name in names]
    assert page.texts["h1"][0].startswith(f"Masons: {names[0]}, {names[1]}")
    titled = Page(page_of(str(file), "--title", "</title><b>\udcff"))
    assert titled.texts["h1"] == ["</title><b>"]
    assert titled.tags["b"] == 14  # the supply's numbers


def test_seats_of_one_name_are_told_apart() -> None:
    data = Page(page_of(f"{GAMES}#3")).data
    assert data["names"] == ["greedy (seat 0)", "busy (seat 1)", "greedy (seat 2)", "busy (seat 3)"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 3])
def test_every_step_shows_what_the_record_says(number: int) -> None:
    page = Page(page_of(f"{GAMES}#{number}", "--hands"))
    steps = page.data["steps"]
    replay = Replay(read_record(GAMES, number))
    shown: dict[str, Any] = {}
    for k, step in enumerate(steps):
        shown = {key: value for key, value in (shown | step["set"]).items() if value}
        assert set(step["set"]) <= set(page.ids)
        position = replay.game.position
        board = replay.game.board

        def places(kind: str) -> dict[int, Any]:
            return {int(key[1:]): value for key, value in shown.items() if key[0] == kind}  # noqa: B023

        assert places("w").keys() == position.walls
        assert [line for line, value in places("w").items() if value == 2] == (
            [] if position.line is None else [position.line]
        )
        towers = {
            tower: f"{'shore' if board.tower_shore[tower] else 'tower'}-{TOWER_COLORS[color]}"
            for tower, color in position.towers.items()
        }
        assert places("t") == towers
        counted = [city for city in position.cities if position.city in city]
        assert places("c") == {
            space: 2 if city in counted else 1 for city in position.cities for space in city
        }
        lowest = {space: min(city) for city in position.cities for space in city}
        stocks: Counter[tuple[int, str]] = Counter()
        for kind, where in (("house", position.houses), ("palace", position.palaces)):
            for space, counts in where.items():
                for color, count in enumerate(counts):
                    stocks[lowest.get(space, space), f"{kind}-{HOUSE_COLORS[color]}"] += count
        drawn: Counter[tuple[int, str]] = Counter()
        for space, shapes in places("p").items():
            for name, count, *_ in shapes:
                drawn[space, name] += count
        assert drawn == stocks
        assert step["scores"] == list(position.scores)
        assert step["cards"] == list(position.hand_sizes)
        assert step["hands"] == [list(hand) for hand in position.hands]
        if k < len(steps) - 1:
            assert step["seat"] == position.seat
            logged = len(replay.game.log)
            replay.step()
            events = replay.game.log.events(logged)
            assert [who for who, _ in steps[k + 1]["say"]][: len(events)] == [
                event.get("p", -1) for event in events
            ]
    assert replay.game.is_over
    assert "The game ends" in steps[-1]["say"][-2][1]


def test_without_hands_no_drawn_card_is_named() -> None:
    """Nor any hand: only cards that were played or thrown away, face up."""
    data = Page(page_of(GAMES)).data
    assert not any("hands" in step for step in data["steps"])
    said = [words for step in data["steps"] for _, words in step["say"]]
    drawn = [words.partition("; draw ")[2] for words in said if "; draw " in words]
    assert drawn
    assert all(re.fullmatch(r"\d+ cards?|nothing", words) for words in drawn)


@pytest.mark.slow
def test_the_script_adds_the_steps_up(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node to run the page's script in")
    page = Page(page_of(GAMES))
    (tmp_path / "replay.js").write_text(page.texts["script"][1], encoding="utf-8")
    (tmp_path / "data.json").write_text(page.texts["script"][0], encoding="utf-8")
    code = (
        "const r = require('./replay.js'), d = require('./data.json');"
        "console.log(JSON.stringify([r.shownAt(d.steps), [-5, 0, 7, 1e9, NaN, 2.7].map("
        "(n) => r.clamp(n, 10))]))"
    )
    done = subprocess.run(
        [node, "-e", code], capture_output=True, text=True, cwd=tmp_path, timeout=SECONDS
    )
    assert done.returncode == 0, done.stderr
    shown, clamped = json.loads(done.stdout)
    wanted: list[dict[str, Any]] = []
    for step in page.data["steps"]:
        wanted.append((wanted[-1] if wanted else {}) | step["set"])
    assert shown == wanted
    assert clamped == [0, 0, 7, 9, 0, 2]


# --- what goes wrong


def test_a_game_from_standard_input_and_one_that_breaks_a_rule(tmp_path: Path) -> None:
    line = Path(GAMES).read_text().splitlines()[1]
    page = told("show", "-", "--html", "-", text=line)
    assert Page(page).data["names"][1] == "busy"
    record = json.loads(line)
    record["result"]["scores"][0] += 1
    code, out, err = called("show", "-", "--html", str(tmp_path / "x"), text=json.dumps(record))
    assert (code, out, err.count("\n"), "result: " in err) == (1, "", 1, True)
    assert list(tmp_path.iterdir()) == []
