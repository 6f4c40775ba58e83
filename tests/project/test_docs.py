"""Docs and README are true: examples, commands, options, links, pictures, the site itself.

A console block runs where the comment before it says `run`, in order, in one folder a page:

    <!-- run -->                    as it stands
    <!-- run: --sims 20 -->         each command with these words behind it, to be quick
    <!-- run, typing: hint | y -->  each command gets these lines as input
    <!-- not run: why -->           not at all

What stands below a command is compared; three dots stand for anything.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import click
import pytest

import masons
from masons.ai.search.limits import TABLE_DEFAULT
from masons.ai.search.search_options import TABLE_LEVEL, TOP_LEVEL
from masons.cli.commands.play import play
from masons.cli.main import COMMANDS, PROGRAM, group, run
from masons.engine.board.components import CARD_NAMES
from tests.support.commands import run_python
from tests.support.paths import PACKAGE, ROOT

PAGES = sorted((ROOT / "docs").glob("*.md"))
LINKING = [*PAGES, *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))]
LINKING += [ROOT / "examples/README.md", ROOT / "benchmarks/README.md", PACKAGE / "gui/messages.md"]
# What is said of today's program; the list of changes names what was, too.
COMMANDING = [page for page in LINKING if page.name != "CHANGELOG.md"]
LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


# ---- Python


README = ROOT / "README.md"
WITH_PYTHON = [page for page in (README, *PAGES) if "\n>>> " in page.read_text(encoding="utf-8")]


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_PYTHON, ids=named)
def test_the_python_examples_run(page: Path) -> None:
    results = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert results.attempted > 0
    assert results.failed == 0


# ---- Files


FOLDERS = "engine|ai|env|protocol|match|gui|cli|masons|benchmarks|tests|docs|examples"
FILE = re.compile(rf"(?<![\w/.-])(?:{FOLDERS})/[\w/.-]*[\w/]")
TO_BE_MADE = {"tests/perft/NAME.perft", "gui/PORT.html", "gui/PORT.json"}


@pytest.mark.parametrize("page", [*LINKING, ROOT / "pyproject.toml", ROOT / "setup.py"], ids=named)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    places = (ROOT, PACKAGE)
    gone = {
        name for name in FILE.findall(text) if not any((place / name).exists() for place in places)
    }
    assert gone <= TO_BE_MADE


# ---- commands in a console


class Shown(NamedTuple):
    """A command of a page."""

    words: list[str]
    extra: list[str]
    typing: list[str]
    output: str


BLOCK = re.compile(r"(?:^<!-- (?P<mark>.*) -->\n)?^```console\n(?P<text>(?:.*\n)*?)```$", re.M)
MARK = re.compile(r"run(?:: (?P<extra>.*)|, typing: (?P<typing>.*))?")


def shown(text: str) -> Iterator[Shown]:
    """The commands of a page that are to run."""
    for block in BLOCK.finditer(text):
        mark = block["mark"] or ""
        if mark.startswith("not run: "):
            continue
        how = MARK.fullmatch(mark)
        assert how, f"no <!-- run --> or <!-- not run: why --> before {block['text']}"
        typing = [line.strip() for line in how["typing"].split("|")] if how["typing"] else []
        for command in block["text"].replace("\\\n", "").removeprefix("$ ").split("\n$ "):
            line, _, output = command.partition("\n")
            yield Shown(shlex.split(line), shlex.split(how["extra"] or ""), typing, output)


def printed(command: Shown, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the output of a command, which must succeed."""
    program, *words = command.words
    if program == PROGRAM and not command.typing:
        code = run([*words, *command.extra])
        out, err = capsys.readouterr()
        assert code == 0, err
        return out
    assert program in (PROGRAM, "python"), f"{program}: neither {PROGRAM} nor python"
    before = ["-m", "masons.cli"] if program == PROGRAM else []
    typing = "".join(f"{line}\n" for line in command.typing)
    shown = run_python(*before, *words, *command.extra, text=typing, PYTHONIOENCODING="utf-8")
    return shown.stdout


CONSOLES = [page for page in PAGES if "```console" in page.read_text(encoding="utf-8")]


@pytest.mark.slow
@pytest.mark.parametrize("page", CONSOLES, ids=named)
def test_the_commands_of_a_page_run(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "100")
    # The `python` of an engine that a command starts is this one.
    folders = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    monkeypatch.setenv("PATH", folders)
    checker = doctest.OutputChecker()
    commands = list(shown(page.read_text(encoding="utf-8")))
    assert commands
    for command in commands:
        got = printed(command, capsys)
        if command.output.strip():
            assert checker.check_output(command.output, got, LOOSE), (command.words, got)


@pytest.mark.slow
def test_the_analysis_in_the_readme_is_what_the_command_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    text = README.read_text(encoding="utf-8")
    commands = re.findall(r"^    masons-engine (analyze .*)$", text, re.M)
    outputs = re.findall(r"^```text\n(.*?)^```$", text, re.M | re.S)
    assert outputs
    for command, output in zip(commands, outputs, strict=True):
        assert run(shlex.split(command)) == 0
        assert capsys.readouterr().out == output


@pytest.mark.parametrize(
    ("name", "words"),
    [("midgame", ""), ("contested", "--overlay analysis --rollouts 12000")],
)
def test_pictures_are_those_of_the_program(name: str, words: str, tmp_path: Path) -> None:
    picture, position = tmp_path / "picture.svg", str(ROOT / f"examples/{name}.txt")
    assert run(["show", position, *words.split(), "--svg", str(picture)]) == 0
    assert picture.read_bytes() == (ROOT / f"docs/{name}.svg").read_bytes()


def test_drawings_are_those_of_the_program() -> None:
    page = (ROOT / "docs/play.md").read_text(encoding="utf-8")
    drawings = re.findall(r"^<!-- drawing: (.*) -->\n```text\n((?:.*\n)*?)```$", page, re.M)
    assert drawings
    for file, text in drawings:
        assert text == (ROOT / file).read_text(encoding="utf-8")


# ---- what pages name


OURS = ("masons", "benchmarks", "tests")


def joined(page: Path) -> str:
    """The text of a page, each command in one line."""
    return page.read_text(encoding="utf-8").replace("\\\n", "")


def typed(program: str) -> re.Pattern[str]:
    """A command: in backquotes, behind a prompt, on a line of its own. The group is its words."""
    return re.compile(rf"(?:`|\$ |^(?: {{4}})?)(?:[A-Z_]+=\S+ )*(?:{program}) ([^`\n]*)", re.M)


def options_of(name: str) -> set[str]:
    command = group.get_command(click.Context(group), name)
    assert command is not None
    options = command.get_params(click.Context(command))
    return {text for option in options if isinstance(option, click.Option) for text in option.opts}


def options_in(words: list[str]) -> list[str]:
    return [word.partition("=")[0] for word in words if word.startswith("--")]


@pytest.mark.parametrize("page", COMMANDING, ids=named)
def test_commands_and_options_that_a_page_names_exist(page: Path) -> None:
    text = joined(page)
    for line in typed(PROGRAM).findall(text):
        name, *words = line.split() or [""]
        if re.match("[a-z]", name):
            assert name in COMMANDS, f"no command {name}"
            assert set(options_in(words)) <= {*options_of(name), "--help", "--"}, line
    for line in typed("python -m").findall(text):
        module, *words = line.split()
        spec = find_spec(module)
        assert spec is not None, f"no module {module}"
        if module.partition(".")[0] in OURS:
            assert spec.origin is not None
            source = Path(spec.origin).read_text(encoding="utf-8")
            for option in options_in(words):
                keyword = f" {option.removeprefix('--')}="  # of benchmarks.measuring.parser_of
                assert f'"{option}"' in source or keyword in source, line


def test_the_tutorial_and_the_rules_are_complete() -> None:
    tutorial = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
    for name in set(COMMANDS) - {"perft", "bench"}:
        assert f"{PROGRAM} {name}" in tutorial, f"the tutorial has no {name}"
    rules = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
    rows = [f"| {name} | `{card}` | " for card, name in CARD_NAMES.items()]
    assert [row for row in rows if row not in rules] == []


def test_the_levels_are_those_of_the_program() -> None:
    page = (ROOT / "docs/play.md").read_text(encoding="utf-8")
    section = page.partition("## Levels\n")[2].partition("\n## ")[0]
    assert f"from 1 to {TOP_LEVEL}; without it the level is {TABLE_LEVEL}" in section
    assert f"{TABLE_DEFAULT.sims:,} iterations" in section
    level = next(param for param in play.params if param.name == "level")
    assert f"[default: {TABLE_LEVEL}]" in str(level.to_info_dict()["help"])


# ---- links


def anchors(page: Path) -> set[str]:
    """The anchors of a page: its headings in small letters, with - for blanks."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {
        re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("page", LINKING, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for link in re.findall(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)", text):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), f"{link}: no such file"
        assert target.is_relative_to(ROOT)
        assert not anchor or anchor in anchors(target), f"{link}: no such heading"


def test_the_keys_of_every_event_are_listed() -> None:
    page = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
    table = page.partition("| event `e` |")[2].partition("\n\n")[0]
    listed = {
        name: {"e", *re.findall("`([a-z_]+)`", keys)}
        for names, keys in re.findall(r"^\| (.*?) \| (.*) \|$", table, re.M)
        for name in re.findall("`([a-z-]+)`", names)
    }
    seen: dict[str, set[str]] = {}
    for number in (1, 2, 3):
        for event in masons.read_record(ROOT / "examples/games.jsonl", number)["events"]:
            seen.setdefault(event["e"], set()).update(event)
    assert set(listed) - set(seen) == {"early-roll"}
    assert {name: listed[name] for name in seen} == seen


# ---- the site


SITE = ("mkdocs", "mkdocs_click", "material")
MISSING = [name for name in SITE if find_spec(name) is None]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built: a warning would have ended it."""
    if MISSING:
        pytest.skip(f"{' and '.join(MISSING)} not installed (pip install '.[docs]')")
    folder = tmp_path_factory.mktemp("site")
    # Not --quiet: warnings that are not printed are not counted either.
    command = ["-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    run_python(*command, cwd=ROOT, NO_MKDOCS_2_WARNING="1")
    return folder


@pytest.mark.slow
def test_the_site_has_every_page(site: Path) -> None:
    for page in PAGES:
        assert (site / page.with_suffix(".html").name).is_file(), page.name
    for name in ("CHANGELOG.html", "benchmarks/index.html", "benchmarks/cost.svg"):
        assert (site / name).is_file()
    assert not (site / "tools").exists()


@pytest.mark.slow
def test_the_site_has_every_command_and_every_public_name(site: Path) -> None:
    commands = (site / "cli.html").read_text(encoding="utf-8")
    for name in COMMANDS:
        for option in options_of(name):
            assert option in commands
        assert f'id="{name}"' in commands
    api = (site / "api.html").read_text(encoding="utf-8")
    for name in masons.__all__:
        assert name == "__version__" or f'id="masons{name.lower()}"' in api, name
    # Comments behind fields are their descriptions.
    assert "win probability of the seat that decides, from 0 to 1" in api


@pytest.mark.slow
def test_the_site_asks_no_other_server_for_anything(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r"""(?:src|href)=["']?//""", text)
        assert not re.findall(r"""<(?:script|img|link rel="stylesheet")[^>]*https?://""", text)
