"""Positions and records that are analyzed: steps, variations, searches, nothing that breaks it."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from masons.ai.practice import puzzles
from masons.ai.practice.progress import progress_from
from masons.ai.practice.puzzles import bundled
from masons.ai.review.decision_loss import MARKED
from masons.ai.review.review_data import _moments
from masons.ai.session import Session
from masons.engine.board.components import CARDS
from masons.engine.formats.move_text import parse_move
from masons.engine.formats.position_text import format_position, parse_position
from masons.engine.game.record import parse_record
from masons.engine.game.replay import check_record, replay_to
from masons.gui import kept_rankings, live_searches, practice_session, study_session
from masons.gui.open_games import OpenGames
from masons.gui.pictures.animation import pictured
from masons.gui.study_line import StudyLine
from tests.support.gui_pages import (
    BOARD,
    ENGINE,
    PERSON,
    RECORD,
    RECORDS,
    Page,
    choose,
    cut,
    play,
)
from tests.support.paths import EXAMPLES

MIDGAME = next(
    line
    for line in (EXAMPLES / "midgame.txt").read_text(encoding="utf-8").splitlines()
    if line.startswith("masons1")
)


async def test_every_step_of_a_record_is_its_position(page: Page) -> None:
    record = parse_record(RECORDS.splitlines()[1])
    page.say("study", text=RECORDS, game=2)
    study = page.last("study")
    assert (study["games"], study["branch"]) == (3, None)
    last = len(study["steps"]) - 1
    for step in (0, 1, last // 2, last - 1):
        page.say("step", to=step)
        position = page.position
        game = replay_to(record, step + 1)
        assert (position["step"], position["text"]) == (step, game.text)
        assert len(position["hand"]) == len(game.view(game.seat).hands[game.seat])
        assert position["result"] is None
    page.say("step", to=10**6)
    assert page.position["phase"] == "over"
    assert page.position["scores"] == record["result"]["scores"]
    ended = {name: record["result"][name] for name in ("winners", "end")}
    assert page.position["result"] == ended


async def test_who_forfeited_does_not_win_an_analyzed_game(page: Page) -> None:
    record = parse_record(RECORD)
    (winner,) = record["result"]["winners"]
    forfeit = {"seat": winner, "event": 40, "why": "time"}
    page.say("study", text=json.dumps({**record, "forfeits": [forfeit]}), step=10**6)
    assert page.position["result"]["winners"] == [1 - winner]
    page.say("step", to=0)
    first = page.position["moves"]["walls"]
    page.say("try", move=f"wall:{list(first)[-1]}")  # before the forfeit
    assert page.position["result"] is None


async def test_a_variation_leaves_the_line_and_comes_back(page: Page) -> None:
    page.say("study", text=RECORDS)
    played = page.position["played"]
    page.say("try", move=played)
    assert (page.position["step"], page.last("study")["branch"]) == (1, None)
    page.say("step", to=0)
    other = next(line for line in page.position["moves"]["walls"] if f"wall:{line}" != played)
    page.say("try", move=f"wall:{other}")
    assert page.last("study")["branch"] == 0
    assert page.position["walls"] == [int(other)]
    page.say("try", move=page.position["moves"]["choices"][0]["move"])
    assert page.position["step"] == 2
    page.say("step", to=1)
    again = page.position
    page.say("try", move=again["moves"]["choices"][1]["move"])
    assert (page.position["step"], len(page.last("study")["steps"])) == (2, 3)
    page.say("step", to=0, back=True)
    assert page.last("study")["branch"] is None
    assert (page.position["step"], page.position["walls"]) == (0, [])


async def test_a_variation_has_a_record_of_its_own(page: Page) -> None:
    """It is what was shown; a move that cannot be takes nothing from it."""

    chance = random.Random(4)
    page.say("study", text=RECORDS, step=30)
    page.say("save")
    assert parse_record(page.last("record")["text"]) == parse_record(RECORD)
    shown = []
    while page.position["phase"] != "over" and len(shown) < 60:
        page.say("try", move=choose(page.position, chance))
        assert not page.errors, page.errors
        shown.append(page.position["text"])
    branch, line = page.last("study")["branch"], page.last("study")["line"]
    assert len(line) == len(shown) - (branch - 30)
    page.say("step", to=branch + 5)
    assert page.refused("try", move="wall:999")["code"] == "illegal"
    page.say("save")
    record = parse_record(page.last("record")["text"])
    assert check_record(record) is None
    assert record["names"] == parse_record(RECORD)["names"]
    for number in (branch + 2, branch + len(line)):
        assert replay_to(record, number).text == shown[number - 32]
    page.say("step", to=branch + 5)
    page.say("try", move=line[5])  # the same dice come again
    assert page.position["text"] == shown[branch + 5 - 30]
    page.say("study", text=MIDGAME)
    assert "has no record" in page.refused("save")["text"]


async def test_a_position_with_hidden_hands_can_be_played_on(page: Page) -> None:
    board, whole = parse_position(MIDGAME)
    position = whole.observed_by(whole.seat)
    page.say("study", text=format_position(position, board))
    assert page.position["decides"]
    hidden = [seat for seat in range(position.players) if seat != position.seat]
    assert all(page.position["hands"][seat] == [] for seat in hidden)
    for _ in range(6):
        page.say("try", move=choose(page.position, random.Random(1)))
        assert not page.errors, page.errors


@pytest.mark.slow
@pytest.mark.parametrize("leave", ["stop", "step", "part"])
async def test_an_analysis_grows_until_it_is_left(
    leave: str, monkeypatch: pytest.MonkeyPatch, page: Page
) -> None:
    """First by the search, then by ever more games; afterwards nothing runs and nothing is told."""
    monkeypatch.setattr(kept_rankings, "_INTERVAL", 0.02)

    page.say("study", text=RECORDS, step=0)
    page.say("go", infinite=True)
    first = await page.hears("info")
    assert first["choices"][0]["line"] is not None
    assert (first["choices"][0]["win"], first["wins"]) == (None, [])  # until games tell
    few = await page.hears("info", lambda each: each["choices"][0]["interval"] is not None)
    # A few games may agree by chance: the interval shrinks sooner or later, not at each report. It
    # does not shrink to nothing, because more games don't make the level more certain.
    least, interval = 4 * few["games"], few["choices"][0]["interval"]
    more = await page.hears(
        "info",
        lambda each: each["games"] >= least and (each["choices"][0]["interval"] or 1) < interval,
    )
    assert more["next"] or more["why"]
    assert page.client.study is not None
    tasks = list(page.client.study.tasks.running)
    if leave == "part":
        page.games.part(page.client)
    else:
        page.say(leave, **({"to": 1} if leave == "step" else {}))
    del page.sent[:]
    await asyncio.wait_for(asyncio.gather(*tasks), 30)
    assert not [message for message in page.sent if message["type"] in ("info", "bestmove")]


@pytest.mark.slow
@pytest.mark.parametrize("searches", [5, 1], ids=["its games", "its ranking alone"])
async def test_who_comes_back_to_a_decision_sees_its_last_ranking_and_none_of_fewer_games(
    searches: int, monkeypatch: pytest.MonkeyPatch, page: Page
) -> None:
    """Also by way of another game. The search goes on from its games if they are kept."""
    monkeypatch.setattr(kept_rankings, "_INTERVAL", 0.02)
    monkeypatch.setattr(kept_rankings, "_MOST_SEARCHES", searches)
    page.say("study", text=RECORDS, step=0)
    page.say("go", infinite=True)
    seen = await page.hears("info", lambda each: each["games"] > 2000)
    page.say("step", to=1)
    page.say("go", infinite=True)
    other = await page.hears("info")
    assert other["games"] < seen["games"]
    page.say("study", text=RECORDS, step=0)
    page.say("go", infinite=True)
    first = await page.hears("info")
    assert first["games"] >= seen["games"]
    assert first["seconds"] >= seen["seconds"]
    more = await page.hears("info", lambda each: each["games"] > first["games"])
    told = [each["games"] for each in page.sent if each["type"] == "info"]
    assert sorted(told) == told
    assert searches == 1 or more["seconds"] > first["seconds"]
    page.say("stop")


@pytest.mark.slow
async def test_the_end_of_a_search_says_why(monkeypatch: pytest.MonkeyPatch, page: Page) -> None:
    limits = live_searches.Limits(sims=300, rollouts=1200)
    monkeypatch.setattr(kept_rankings, "_ENDLESS", limits)
    monkeypatch.setattr(live_searches, "_COMPARE", limits)

    page.say("study", text=MIDGAME)
    page.say("go", infinite=True)
    result = await page.hears("bestmove")
    assert result["move"] == result["choices"][0]["move"]
    assert result["next"] or result["why"]
    assert (result["iterations"], result["games"] > 700) == (300, True)
    without = [each for each in result["choices"] if each["win"] is None]
    assert without  # moves without games have no figures, and stand last
    assert result["choices"][-len(without) :] == without
    assert {each[name] for each in without for name in ("interval", "loss")} == {None}
    first, second = (choice["move"] for choice in result["choices"][:2])
    page.say("compare", first=first, second=second)
    compared = await page.hears("compared")
    assert {compared["first"], compared["second"]} == {first, second}
    assert compared["why"]["move"] == compared["first"]
    assert compared["win_interval"] > 0


async def graph_of(page: Page, text: str) -> tuple[list[dict[str, Any]], list[Any]]:
    """Study a finished game, and return the points of its graph and its steps."""
    page.say("study", text=text)
    study = page.last("study")
    assert study["is_over"]
    last = len(study["steps"]) - 1
    page.say("evaluate")
    await page.hears("graph", lambda each: any(one["step"] == last for one in each["points"]))
    points = [point for each in page.sent if each["type"] == "graph" for point in each["points"]]
    return points, study["steps"]


@pytest.mark.parametrize("record", RECORDS.splitlines(), ids=("2", "3", "4"))
async def test_the_graph_is_one_view_from_the_beginning_to_the_end(record: str, page: Page) -> None:
    """It has no gap, and what changes from step to step is luck or a decision."""
    points, steps = await graph_of(page, record)
    assert [point["step"] for point in points] == list(range(len(steps)))
    players = json.loads(record)["players"]
    for point in points:
        assert sum(point["wins"]) == pytest.approx(1, abs=1e-3)
        assert sum(point["luck"]) == pytest.approx(0, abs=1e-3)
        assert all(0 <= win <= 1 and math.isfinite(win) for win in point["wins"])
    winners = json.loads(record)["result"]["winners"]
    assert points[-1]["wins"] == [float(seat in winners) for seat in range(players)]
    for point, events in zip(points, steps, strict=True):
        kinds = {event["event"] for event in events}
        if point["step"] and not kinds & {"roll", "play", "abstain", "swap"}:
            assert not any(point["luck"])


async def test_the_graph_agrees_with_the_review_page(
    monkeypatch: pytest.MonkeyPatch, page: Page
) -> None:
    """Both come from the same values; a search meanwhile does not disturb the graph."""
    quick = replace(live_searches.REVIEW, sims=60, playouts=2, rollouts=60)
    monkeypatch.setattr(live_searches, "REVIEW", quick)
    points, _ = await graph_of(page, RECORD)
    assert page.client.study is not None
    review = page.client.study._review
    assert review is not None
    last = {}
    for moment in _moments(review, lambda *_: ""):
        last[moment["number"]] = moment["wins"]
    assert [point["wins"] for point in points] == [pytest.approx(last[n], abs=1e-4) for n in last]


async def test_an_unfinished_game_has_no_graph(page: Page) -> None:
    """Whatever is hidden: other cards in the deck change nothing that the page is sent."""
    sent = []
    for turned in (False, True):
        data = json.loads(cut(RECORD, 40))
        deck = data["deck"][:30] + (data["deck"][:29:-1] if turned else data["deck"][30:])
        page.say("study", text=json.dumps({**data, "deck": deck}))
        assert not page.last("study")["is_over"]
        assert "finished" in page.refused("evaluate")["text"]
        sent.append([each for each in page.sent if each["type"] in ("graph", "position")])
        del page.sent[:]
    assert sent[0] == sent[1]


async def test_who_holds_the_only_known_hand_is_you(page: Page) -> None:
    board, whole = parse_position(MIDGAME)
    page.say("study", text=format_position(whole.observed_by(1), board))
    assert page.last("study")["names"] == ["Other", "You"]
    page.say("study", text=format_position(whole, board))
    assert page.last("study")["names"] == ["seat 0", "seat 1"]


@pytest.mark.slow
async def test_the_beliefs(page: Page) -> None:
    for text, step, guessed in ((RECORDS, 40, True), (MIDGAME, 0, False)):
        page.say("study", text=text, step=step)
        page.say("belief")
        result = await page.hears("belief")
        assert result["guessed"] is guessed
        chances = [chance for seat in result["seats"] for _, chance in seat["cards"]]
        assert chances
        assert all(0 <= chance <= 1 for chance in chances)


async def test_a_file_with_remarks_is_read(page: Page) -> None:
    page.say("study", text="\ufeff" + (EXAMPLES / "contested.txt").read_text(encoding="utf-8"))
    assert page.position["text"].startswith("masons1")


async def test_pictures(page: Page) -> None:
    page.say("study", text=MIDGAME)
    page.say("picture", kind="svg")
    assert base64.b64decode(page.last("picture")["data"]).startswith(b"<svg")
    assert page.refused("picture", kind="exe")["code"] == "syntax"


async def test_an_animated_picture_of_the_last_turns(
    monkeypatch: pytest.MonkeyPatch, page: Page
) -> None:
    """It has a picture of each step of these turns."""
    monkeypatch.setattr(study_session, "_GIF_WIDTH", 120)
    page.say("study", text=RECORD, step=9)
    page.say("picture", kind="gif", turns=1)
    data = base64.b64decode((await page.hears("picture"))["data"])
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(data))
    line = StudyLine(RECORD, BOARD).steps
    shown = [step for step in line[:10] if step.position.turn >= line[9].position.turn - 1]
    assert (image.format, image.n_frames, image.width) == ("GIF", len(shown), 120)


def test_an_animated_picture_of_a_game_has_each_turn() -> None:
    positions = [step.position for step in StudyLine(RECORD, BOARD).steps]
    shown = pictured(positions, 3, 0)
    assert [position.turn for position in shown[:-1]] == list(range(positions[-1].turn + 1))
    assert shown[-1] == positions[-1]


async def test_the_reviewed_game_as_a_page(monkeypatch: pytest.MonkeyPatch, page: Page) -> None:
    quick = replace(live_searches.REVIEW, sims=40, playouts=2, rollouts=40)
    monkeypatch.setattr(live_searches, "REVIEW", quick)
    page.say("study", text=cut(RECORD, 20))
    page.say("picture", kind="html")
    text = base64.b64decode((await page.hears("picture"))["data"]).decode()
    assert text.startswith("<!DOCTYPE html>")
    assert "Critical moments" in text
    page.say("study", text=MIDGAME)
    assert "record" in page.refused("picture", kind="html")["text"]


@pytest.mark.slow
async def test_a_review_and_its_mistakes_as_puzzles(
    monkeypatch: pytest.MonkeyPatch, page: Page
) -> None:
    quick = replace(live_searches.REVIEW, sims=100, playouts=2, rollouts=200)
    monkeypatch.setattr(live_searches, "REVIEW", quick)
    monkeypatch.setattr(puzzles, "_GAMES", 1200)

    page.say("study", text=MIDGAME)
    assert "record" in page.refused("review")["text"]
    page.say("study", text=cut(RECORD, 30))
    assert "reviewed first" in page.refused("practice", begin=True, mistakes=True)["text"]
    page.say("review")
    result = await page.hears("review")
    decisions = {each["number"]: each for each in result["decisions"]}
    page.say("step", to=min(decisions) - 1)
    assert page.position["played"] == decisions[min(decisions)]["played"]
    assert (len(result["players"]), result["results"]) == (2, [])  # the game is not over
    mistakes = [decisions[number] for number in result["mistakes"]]
    assert {each["number"] for each in mistakes} == {
        number for number, each in decisions.items() if each["mark"] in MARKED
    }
    assert sorted(mistakes, key=lambda each: -each["loss"]) == mistakes
    dear = [
        (-each["points"], number) for number, each in decisions.items()
        if each["mark"] == "good" and each["points"] - each["points_interval"] >= 4
    ]  # fmt: skip
    assert result["dear"] == [number for _, number in sorted(dear)]
    page.say("practice", begin=True, mistakes=True)
    puzzle = await page.hears("puzzle")
    if "position" in puzzle:
        assert puzzle["is_own"]
        text = puzzle["position"]["text"]
        asked = next(each for each in mistakes if each["position"] == text)
        page.say("answer", move=asked["played"])
        solved = page.last("solved")
        (played,) = (each for each in solved["choices"] if each["played"])
        # The figures are those of the review.
        assert (played["loss"], played["loss_interval"]) == (asked["loss"], asked["interval"])
        assert solved["choices"][0]["move"] == asked["best"]
        assert (solved["gain"], solved["rating"]) == (None, None)
    page.say("close")
    assert page.position["step"] == min(decisions) - 1


async def test_practice_asks_and_keeps_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: Page
) -> None:
    path = tmp_path / "kept" / "practice.json"
    monkeypatch.setattr(practice_session, "progress_path", lambda: path)

    page.say("practice", begin=True, theme="close")
    puzzle = await page.hears("puzzle")
    position = puzzle["position"]
    assert not puzzle["is_daily"]
    assert position["decides"]
    assert '"win"' not in json.dumps(puzzle)
    assert set(position["moves"]["walls"].values()) == {0}  # no hint at what completes a city
    assert "legal" in page.refused("answer", move="swap:none")["text"]
    (first,) = (each for each in bundled(BOARD) if each.position == position["text"])
    candidates = [each.move for each in first.candidates]
    legal = [str(move) for move in first.table.legal_moves(first.view.state)]
    unknown = next(move for move in legal if move not in candidates)
    page.say("answer", move=unknown)
    solved = page.last("solved")
    assert (solved["is_solved"], solved["is_whole"]) == (False, False)
    assert solved["gain"] < 0
    (yours,) = (each for each in solved["choices"] if each["yours"])
    assert (yours["move"], yours["win"], yours["loss"]) == (unknown, None, None)
    whole = await page.hears("solved")
    assert whole["is_whole"]
    assert whole["why"]["move"] == candidates[0]
    assert whole["why"]["against"] == unknown
    (card,) = progress_from(path.read_text()).cards.values()
    assert (card.attempts, card.solved) == (1, 0)
    assert page.refused("answer", move=unknown)["code"] == "state"
    page.say("practice")
    second = await page.hears("puzzle")
    assert second["number"] == 2
    assert second["standing"]["rating"] == solved["standing"]["rating"] < 1500
    (next_one,) = (each for each in bundled(BOARD) if each.position == second["position"]["text"])
    page.say("answer", move=next_one.candidates[0].move)
    assert page.last("solved")["is_solved"]
    assert page.last("solved")["standing"]["streak"] == 1
    await page.hears("solved")
    page.say("practice")
    await page.hears("puzzle")
    page.say("answer", move="")  # the answer is shown
    given = page.last("solved")
    assert (given["is_solved"], given["standing"]["streak"]) == (False, 0)
    assert given["standing"]["today"] == [1, 3]
    assert not any(each["yours"] for each in given["choices"])
    whole = await page.hears("solved")
    assert whole["why"]["against"] == given["choices"][1]["move"]
    page.say("close")
    assert page.last("nogame")


def test_the_move_that_a_solved_puzzle_names_is_among_its_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that scores more at once and was not measured. One search finds which it is."""
    monkeypatch.setattr(practice_session, "progress_path", lambda: tmp_path / "practice.json")
    searched: list[Any] = []
    search = Session.search
    monkeypatch.setattr(Session, "search", lambda *a, **b: searched.append(0) or search(*a, **b))
    session = practice_session.PracticeSession(BOARD)
    named, scored = 0, [each for each in bundled(BOARD) if each.kind == "score"][::7]
    for count, puzzle in enumerate(scored, 1):
        session._puzzle = puzzle
        best = puzzle.candidates[0].move
        first, explained = session.answer(best)
        whole = explained()
        assert len(searched) == count
        known = [each["move"] for each in first["choices"]]
        other = whole["why"].against
        (row,) = (each for each in whole["choices"] if each["move"] == other)
        named += other not in known
        moves = {each["move"]: each["loss"] for each in whole["choices"]}
        assert set(moves) == {*known, other}
        assert next(iter(moves)) == best
        assert sorted(moves.values()) == list(moves.values())
        if other not in known:
            best_row = whole["choices"][0]
            assert row["win"] == pytest.approx(max(best_row["win"] - row["loss"], 0))
            assert row["loss_interval"] > 0
    assert named > 3


def test_cards_of_a_puzzle_show_the_points_that_its_answer_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(practice_session, "progress_path", lambda: tmp_path / "practice.json")
    session = practice_session.PracticeSession(BOARD)
    scored = [each for each in bundled(BOARD) if each.kind == "score"][:5]
    for puzzle in scored:
        hand = session.question(puzzle)["position"]["hand"]
        points = {each["card"]: each["points"] for each in hand}
        session._puzzle = puzzle
        best, *_ = session.answer(puzzle.candidates[0].move)[0]["choices"]
        cards = [CARDS[kind] for kind in parse_move(best["move"]).cards]
        if best["move"].startswith("play:"):
            assert best["facts"].points == tuple(points[card] for card in cards)


@pytest.mark.slow
async def test_a_file_is_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, games: OpenGames
) -> None:
    """Each new whole game is opened, a torn one not."""
    monkeypatch.setattr(study_session, "_WATCH_SECONDS", 0.01)
    lines = RECORDS.splitlines()
    path = tmp_path / "match.jsonl"
    path.write_text("")

    games.watch_first(str(path))  # of a match whose first game goes on
    page = Page(games)
    assert page.last("id")["watch"]
    page.say("watch", on=True)
    await asyncio.sleep(0.05)
    assert not page.errors
    path.write_text(lines[0] + "\n")
    await page.hears("watched")
    first = len(page.last("study")["steps"])
    with path.open("a") as file:
        file.write(lines[1][:500])
        file.flush()
        await asyncio.sleep(0.05)
        assert len(page.last("study")["steps"]) == first
        file.write(lines[1][500:] + "\n")
    await page.hears("watched")
    assert len(page.last("study")["steps"]) == len(StudyLine(lines[1], BOARD).steps)
    path.unlink()
    del page.sent[:]
    await asyncio.sleep(0.1)
    assert page.errors.pop()["code"] == "internal"
    page.say("watch", on=False)


HOSTILE = [
    "hello",
    "masons1 nonsense",
    "masons1 board=/etc/passwd players=2",
    "{}",
    '{"format": "masons-record"}',
    RECORDS.replace('"classic"', '"../../x"'),
    RECORDS.replace('"players": 2', '"players": 9').replace('"players":2', '"players":9'),
    RECORDS.replace('"put": [[9, "gray"]]', '"put": [[]]'),
    "{" * 10_000,
    "\x00" * 100,
    *(RECORD.replace(*each, 1) for each in ((":", "-"), ("[", "9"), ("e", "\\"))),
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_what_cannot_be_analyzed_is_said_in_a_line(text: str, page: Page) -> None:
    page.say("study", text=text)
    (error,) = page.errors
    assert error["code"] in ("illegal", "state")
    assert "\n" not in error["text"]
    assert len(error["text"]) < 500


async def test_a_game_that_goes_on_is_not_analyzed(games: OpenGames) -> None:
    """It would show all hands; when it is over it is."""

    page = Page(games)
    page.say("newgame", seats=[PERSON, ENGINE], seed=3)
    assert page.refused("study")["code"] == "state"
    page.say("invite", seat=0)
    guest = Page(games, 0, page.position["file"])
    assert guest.refused("study", text=MIDGAME)["code"] == "illegal"
    page.say("invite", seat=0, back=True)
    await play([page], random.Random(3))
    page.say("study")
    assert page.position["study"]
    page.say("close")
    assert "study" not in page.position
    assert page.position["result"]
    assert json.dumps(page.position["news"]["first"]) == "0"
    page.say("study")
    del page.sent[:]
    page.say("leave")
    assert [each["type"] for each in page.sent] == ["nogame", "games"]
    assert not page.client.is_studying
