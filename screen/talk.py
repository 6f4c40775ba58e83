"""A game played at a terminal: pages out, answers in, until it is over or somebody leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from rich.text import Text

from masons.engine import components as box
from masons.engine.errors import MasonsError, MoveError
from masons.screen.advice import advice
from masons.screen.board import Look, all_lines
from masons.screen.entry import VERBS, card_named, read_move
from masons.screen.help import help_lines
from masons.screen.menu import line_groups, may_roll_early
from masons.screen.page import Scene, draw_page
from masons.screen.words import count, listed

if TYPE_CHECKING:
    from masons.screen.session import PlayedGame
    from masons.screen.terminal import Terminal

_ENDS: Final = {
    "walls": "the last wall is built",
    "towers": "the last tower is built",
    "houses": "the last house is built",
    "palaces": "the last palace is built",
    "no-line": "no line is left for a wall",
}
_SHOWN: Final = 6  # moves of the menu that stand on a page
_WIDE: Final = 12  # lines of a group that do


class Leave(Exception):  # noqa: N818
    """Somebody leaves the game, which stays as it is."""


class Talk:
    """Asks for what is due until the game is over."""

    def __init__(self, played: PlayedGame, terminal: Terminal) -> None:
        self._played = played
        self._terminal = terminal
        self._at_keys: int | None = None  # whose cards may stand on the screen
        self._all_ids = False
        self._commands: dict[str, Callable[[str], bool]] = {
            "help": self._help,
            "?": self._help,
            "hint": self._hint,
            "undo": self._undo,
            "save": self._save,
            "board": self._board,
            "lines": self._lines,
            "moves": self._moves,
            "cards": self._cards,
            "log": self._log,
            "resign": self._resign,
            "quit": self._quit,
            "exit": self._quit,
        }

    def run(self) -> bool:
        """Play; whether the game came to its end."""
        try:
            while self._played.due != "over":
                self._step()
        except (Leave, EOFError):
            self._goodbye()
            return False
        self._end()
        return True

    def _step(self) -> None:
        due = self._played.due
        try:
            if due == "engine":
                self._engine()
            elif due == "person":
                self._decide()
            else:
                self._luck()
        except KeyboardInterrupt:
            self._may_leave()

    def _may_leave(self) -> None:
        """After Ctrl-C: leave, unless somebody says no. A second one leaves at once."""
        try:
            self._say("")
            if self._yes("leave the game? y or n "):
                raise Leave
        except KeyboardInterrupt:
            raise Leave from None

    def _yes(self, question: str) -> bool:
        """Whether an answer says yes; asked again after nonsense."""
        while True:
            answer = self._terminal.ask(question).lower()
            if answer in ("y", "yes", "n", "no", ""):
                return answer.startswith("y")

    def _say(self, *lines: Text | str) -> None:
        self._terminal.show(lines)

    @property
    def _names(self) -> Sequence[str]:
        return self._played.terms.names

    # --- the engine and luck

    def _engine(self) -> None:
        self._say(f"{self._names[self._played.game.seat]} decides ...")
        self._played.engine_moves()

    def _luck(self) -> None:
        """Own dice and cards, typed in."""
        game = self._played.game
        name = self._names[game.seat]
        if self._played.due == "roll":
            self._page(None)
            with_tower = game.rolls_tower
            what = "tower and two house dice (white red ?)" if with_tower else "two house dice"
            answer = self._ask(f"{name}'s roll, {what}: ", box.HOUSE_DIE + box.TOWER_DIE)
            if answer is not None:
                roll = answer
                self._try(lambda: self._played.give_roll(*_dice(roll, with_tower)))
            return
        self._hand_over(game.seat)
        answer = self._ask(f"the card that {name} drew: ", box.CARDS)
        if answer is not None:
            self._try(lambda: self._played.give_card(card_named(answer, range(len(box.CARDS)))))

    def _try(self, work: Callable[[], object]) -> bool:
        """Do what was asked for; say in a line why it cannot be done."""
        try:
            work()
        except MasonsError as error:
            self._say(f"! {error}")
            return False
        except OSError as error:
            self._say(f"! {error.filename or 'file'}: {error.strerror}")
            return False
        return True

    def _ask(self, prompt: str, words: Sequence[str]) -> str | None:
        """An answer that is no command; None where it was one, or nothing."""
        answer = self._terminal.ask(prompt, [*self._commands, *words])
        word, _, rest = answer.partition(" ")
        command = self._commands.get(word.lower())
        if command is not None:
            command(rest.strip())
            return None
        return answer or None

    # --- a person's decision

    def _hand_over(self, seat: int) -> None:
        """Where several people play: nobody sees another's hand."""
        if self._at_keys == seat or len(self._played.terms.people) < 2:
            return
        if self._at_keys is not None:
            self._terminal.wipe()
        self._at_keys = None
        while True:
            try:
                self._terminal.ask(f"pass the keyboard to {self._names[seat]}, press Enter ")
                break
            except KeyboardInterrupt:
                self._may_leave()
        self._at_keys = seat

    def _decide(self) -> None:
        """Show the page, then ask until something happens to the game."""
        seat = self._played.game.seat
        self._hand_over(seat)
        self._terminal.wipe()
        self._page(seat)
        decided, over = self._played.game.decisions, self._played.resigned
        while (self._played.game.decisions, self._played.resigned) == (decided, over):
            if self._played.game.seat not in self._played.people:
                return
            prompt = f"{self._names[seat]}, {self._played.game.phase}: "
            answer = self._ask(prompt, self._completions())
            if answer is not None:
                self._try(lambda text=answer: self._make(text))  # type: ignore[misc]
            if self._played.due != "person":
                return

    def _make(self, text: str) -> None:
        game = self._played.game
        hand = game.view(game.seat).hands[game.seat]
        assert not isinstance(hand, int)
        self._played.make(read_move(text, game.phase, hand, self._played.items()))
        self._all_ids = False

    def _completions(self) -> list[str]:
        items = self._played.items()
        cards = self._hand_names()
        words = [str(item.move) for item in items]
        return [*words, *(f"{verb} {card}" for verb in VERBS[4:] for card in cards)]

    def _hand_names(self) -> list[str]:
        game = self._played.game
        hand = game.view(game.seat).hands[game.seat]
        return [] if isinstance(hand, int) else [box.CARDS[kind] for kind in hand]

    # --- pages

    def _page(self, seat: int | None) -> None:
        """The board and what stands beside it, for a seat or for everybody."""
        played = self._played
        game = played.game
        owner = seat if seat is not None else 0
        single = played.viewers[0] if len(played.terms.people) == 1 and played.viewers else None
        shown = seat if seat is not None else single
        position = game.view(owner)
        if shown is None:
            position = game.position.seen_by(-1)
        scene = Scene(
            board=game.board,
            position=position,
            names=self._names,
            seat=shown,
            worth=None if shown is None else played.worth(shown),
            news=played.news(seat if seat is not None else single),
            menu=self._menu() if seat is not None and played.due == "person" else (),
            look=self._look(seat),
        )
        self._terminal.show(draw_page(scene, self._terminal.frame()))

    def _look(self, seat: int | None) -> Look:
        """What changed since the last decision, and the places of the moves."""
        game = self._played.game
        changes = self._played.changes(seat)
        lines: frozenset[int] = frozenset()
        towers: frozenset[int] = frozenset()
        spaces: frozenset[int] = frozenset()
        if self._played.due == "person" and seat is not None:
            if game.phase == "wall":
                lines = self._line_ids()
            elif game.phase == "towers":
                towers = frozenset(place for m in game.legal_moves() for place, _ in m.put)
            elif game.phase == "houses":
                spaces = frozenset(place for m in game.legal_moves() for place, _ in m.put)
            elif game.phase in ("merge", "final"):
                spaces = frozenset(min(city) for city in game.position.cities)
        standing = game.position.line
        return Look(
            fresh_lines=frozenset(e["line"] for e in changes if e["e"] == "wall")
            | (frozenset() if standing is None else {standing}),
            fresh_towers=frozenset(
                place for e in changes if e["e"] == "towers" for place, _ in e["put"]
            ),
            fresh_spaces=frozenset(
                place for e in changes if e["e"] == "houses" for place, _ in e["put"]
            ),
            line_ids=lines,
            tower_ids=towers,
            space_ids=spaces,
        )

    def _line_ids(self) -> frozenset[int]:
        """The lines whose numbers stand on the board: all on request, else the telling ones."""
        game = self._played.game
        if self._all_ids:
            return all_lines(game.board, game.position.walls)
        groups = line_groups(self._played.worth(game.seat), game.seen(game.seat))
        return frozenset(
            line for group in groups[:2] if group.title != "elsewhere" for line in group.lines
        )

    def _menu(self) -> list[str]:
        """The moves that are known best; `moves` shows all."""
        game = self._played.game
        if game.phase == "wall":
            return self._wall_menu()
        items = self._played.items()
        lines = [f"{item.key:>3} {item.words}" for item in items[: self._room()]]
        left = len(game.legal_moves()) - len(lines)
        if left > 0:
            lines.append(f"    ... and {count(left, 'other')}: moves shows them")
        return lines

    def _room(self) -> int:
        """How many moves of the menu a page has room for."""
        return _SHOWN if self._terminal.frame().height >= 40 else 3

    def _wall_menu(self) -> list[str]:
        game = self._played.game
        groups = line_groups(self._played.worth(game.seat), game.seen(game.seat))
        lines = []
        for group in groups[:3] if self._room() > 3 else groups[:2]:
            if group.title == "elsewhere":
                continue
            named = [
                f"{line} ({note})" if note else str(line)
                for line, note in zip(
                    group.lines, group.notes or [""] * len(group.lines), strict=True
                )
            ]
            more = " ..." if len(named) > _WIDE else ""
            lines.append(f"{group.title}: {', '.join(named[:_WIDE])}{more}")
        early = ", early-roll" if may_roll_early(game.legal_moves()) else ""
        lines.append(f"type a line's number (lines shows all of them){early}, hint or help")
        return lines

    # --- commands: whether the page is to be shown again

    def _help(self, _: str) -> bool:
        self._say(*help_lines(self._played.game.phase))
        return False

    def _hint(self, _: str) -> bool:
        if self._played.due != "person":
            self._say("! there is nothing to decide now")
            return False
        seat = self._played.game.seat
        self._say("thinking ...")
        found = self._played.hint()
        self._say(*advice(self._played.worth(seat), found))
        return False

    def _undo(self, _: str) -> bool:
        if self._try(self._played.undo):
            self._say("taken back")
            return True
        return False

    def _save(self, name: str) -> bool:
        keeper = self._played.keeper
        if not name:
            self._say("! save needs the name of a file: save game.jsonl")
        elif keeper is None:
            self._say("! this game is not kept")
        elif self._try(lambda: keeper.save(name)):
            self._say(f"saved: play --resume {name} goes on from here")
        return False

    def _board(self, _: str) -> bool:
        self._page(self._viewer())
        return False

    def _viewer(self) -> int | None:
        return self._played.game.seat if self._played.due == "person" else None

    def _lines(self, _: str) -> bool:
        """All the numbers of lines, on the board or, where that is not drawn, in groups."""
        game = self._played.game
        if game.phase != "wall":
            self._say("! no wall is due")
            return False
        self._all_ids = True
        self._page(self._viewer())
        for group in line_groups(self._played.worth(game.seat), game.seen(game.seat)):
            self._say(f"{group.title}: {', '.join(map(str, group.lines))}")
        return False

    def _moves(self, _: str) -> bool:
        if self._played.due != "person":
            self._say("! there is nothing to decide now")
            return False
        items = self._played.items()
        self._say(*(f"{item.key:>4} {item.words}" for item in items))
        left = len(self._played.game.legal_moves()) - len(items)
        if left > 0:
            self._say(f"     and {count(left, 'more')}: type the cards")
        return False

    def _cards(self, _: str) -> bool:
        """What the cards of the hand mean, and what lies face up."""
        if self._played.viewers:
            seat = self._played.viewers[0]
            hand = self._played.view(seat).hands[seat]
            assert not isinstance(hand, int)
            for kind in dict.fromkeys(hand):
                name = box.CARDS[kind]
                self._say(f"{name}: {box.CARD_MEANINGS[name]}")
        position = self._played.game.position
        up = [box.CARDS[kind] for kind in position.discard]
        named = [f"{name} x2" if up.count(name) > 1 else name for name in dict.fromkeys(up)]
        self._say(f"face up: {', '.join(named) or 'nothing'}")
        self._say(f"face down: {count(position.deck_size, 'card')}")
        return False

    def _log(self, _: str) -> bool:
        self._say(*(self._played.news(None) or ["nothing has happened yet"]))
        return False

    def _resign(self, _: str) -> bool:
        if self._played.due != "person":
            self._say("! only who decides can resign")
            return False
        seat = self._played.game.seat
        if self._yes(f"{self._names[seat]} gives up: sure? y or n "):
            self._played.resign(seat)
        return False

    def _quit(self, _: str) -> bool:
        if self._yes("leave the game? it is kept. y or n "):
            raise Leave
        return False

    # --- the end

    def _goodbye(self) -> None:
        keeper = self._played.keeper
        self._say("", "you leave the game" if keeper is None else _how_to_resume(keeper.name))

    def _end(self) -> None:
        game, played = self._played.game, self._played
        self._at_keys = None
        self._page(None)
        if played.resigned is not None:
            self._say(f"{self._names[played.resigned]} gives up.")
            return
        result = game.result
        assert result is not None
        self._say(f"The game ends: {_ENDS[result.end]}.")
        for seat, name in enumerate(self._names):
            cards = count(result.hand_sizes[seat], "card")
            self._say(f"{result.scores[seat]:>4} points, {cards}: {name}")
        winners = listed([self._names[seat] for seat in result.winners])
        self._say(f"{winners} {'wins' if len(result.winners) == 1 else 'share the victory'}.")
        if played.keeper is not None:
            self._say(f"record: {played.keeper.name}")


def _how_to_resume(name: str) -> str:
    return f"the game is kept: masons-engine play --resume {name}"


def _dice(text: str, with_tower: bool) -> tuple[str | None, str, str]:
    """A roll as typed. Raises MoveError."""
    words = text.lower().replace("/", " ").replace(",", " ").split()
    needed = 3 if with_tower else 2
    if words[:1] == ["-"]:
        words = words[1:]
    if len(words) != needed:
        example = "white red ?" if with_tower else "red ?"
        raise MoveError(f"a roll has {needed} words here, like: {example}")
    if with_tower:
        return words[0], words[1], words[2]
    return None, words[0], words[1]
