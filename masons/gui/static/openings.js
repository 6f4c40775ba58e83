/* The opening explorer: the best first walls, the features that they share, and the cards that matter. */

import { clearMoves, drawMoves } from "./drawnmoves.js";
import { allIn, button, byId, check, choice, make, paragraphs } from "./dom.js";
import { cardName, listed } from "./gamewords.js";
import { fixed, percent, t } from "./words.js";

const ROMAN = ["", "I", "II", "III"];

const HAND = 6;
/** @type {(share: number) => string} */
const hundredths = (share) => fixed(100 * share);

/** Return the source of the values in words.
    @type {(message: OpeningsMessage) => string} */
function source({ games: count, simulations: sims }) {
  return sims ? t("openings.searched", { count }) : t("openings.played", { count });
}

/** Return advice on the first wall.
    @type {(message: OpeningsMessage, picked: number) => string} */
function adviceWords({ walls, even }, picked) {
  if (picked) return t("openings.withHand", { count: picked });
  if (even) return t("openings.even", { count: walls.length });
  return t("openings.equal", { count: walls.filter(({ equal }) => equal).length, walls: walls.length });
}

/** Return the kinds that are rarer or more frequent among these walls than on the board, in words.
    @type {(message: OpeningsMessage) => string} */
function commonWords({ kinds }) {
  const words = (/** @type {WallKind} */ { kind, lines, usual, rare }) => t(`openings.${rare ? "rare" : "frequent"}`,
    { kind: kindWords({ kind, lines }), usual: Math.round(usual) });
  return kinds.filter(({ rare, frequent }) => rare || frequent).map(words).join(" ");
}

/** Return a kind of walls in words.
    @type {(kind: Pick<WallKind, "kind" | "lines">) => string} */
const kindWords = ({ kind, lines }) => t(`openings.kind.${kind}`, { count: lines.length });

/** Return whether chance explains that some kinds win more often than others.
    @type {(message: OpeningsMessage) => boolean} */
const areAlike = ({ kinds }) => kinds.every((one) => kinds.every((other) => Math.abs(one.win - other.win) <= Math.hypot(one.win_error, other.win_error)));

/** Return sentences about the cards that make some walls better. With a hand, only its cards are named.
    @type {(message: OpeningsMessage) => string[]} */
function helpedWords({ helped, hand }) {
  const some = helped.filter(({ card }) => !hand.length || hand.includes(card));
  if (!some.length) return [hand.length ? t("openings.notThese") : t("openings.noCard")];
  return some.map(({ card, where, gain, gain_error: error }) => {
    const params = { card: cardName(card), region: ROMAN[Number(where)], gain: hundredths(gain), error: hundredths(error) };
    return where === "shore" ? t("openings.helpsShore", params) : t("openings.helps", params);
  });
}

/** Return what the figures of the walls are, in words.
    @type {(message: OpeningsMessage) => string} */
function howWords({ even, hand, players }) {
  const fair = 100 / players;
  if (even) return t("openings.howEven", { fair });
  return hand.length ? t("openings.howHand") : t("openings.how", { fair });
}

/** @type {(title: string, ...content: Child[]) => HTMLElement} */
const group = (title, ...content) => make("section", {}, make("h2", { textContent: title }), ...content);

/** Put the kinds of walls, each with its color on the board, in the place of the legend's entry for all of them, if they differ.
    @type {(kinds: WallKind[]) => void} */
function showKinds(kinds) {
  const list = byId("legend");
  for (const old of allIn("[data-kind]", list)) old.remove();
  list.prepend(...kinds.map(({ kind }) => make("li", { "data-kind": kind }, make("i"), t(`openings.where.${kind}`))));
}

export class Openings {
  look = "exploring";
  players = 2;
  /** @type {string[]} */
  hand = [];
  isOpen = false; // true while the list of cards is open

  /** @param {Board} board
      @param {Say} say
      @param {() => void} home */
  constructor(board, say, home) {
    this.board = board;
    this.say = say;
    this.home = home;
  }

  /** @type {(item: Item) => void} */
  pick = (item) => item.act?.();

  /** @type {(players?: number, hand?: string[]) => void} */
  ask(players = this.players, hand = this.hand) {
    this.say("openings", { players, hand });
  }

  /** Show an `openings` message on the board and beside it; `cards` has the names of all cards.
      @type {(message: OpeningsMessage, cards: string[]) => void} */
  show(message, cards) {
    const { players, hand, walls } = message;
    const focus = document.activeElement?.id;
    [this.players, this.hand] = [players, hand];
    const isRanked = !message.even;
    const picks = new Set(message.helped.flatMap(({ card, lines }) => (hand.includes(card) ? lines : [])));
    const sorted = [...walls].sort((a, b) => Number(picks.has(b.line)) - Number(picks.has(a.line)));
    clearMoves(this.board);
    if (isRanked) drawMoves(this.board, null, walls.map(({ line }) => ({ move: `wall:${line}`, label: "" })));
    this.board.offer(walls.map((wall) => ({
      id: "l" + wall.line, kind: "line", number: wall.line, look: !picks.size || picks.has(wall.line) ? "first" : "legal", act: () => this.analyze(wall.line, cards),
      label: wall.win === null ? t("openings.line", { line: wall.line }) : t("openings.wall", { line: wall.line, win: hundredths(wall.win) }),
    })));
    const isAlike = areAlike(message);
    for (const { kind, lines } of message.kinds) for (const line of lines) this.board.find("g" + line).setAttribute("data-kind", isAlike ? "" : kind);
    showKinds(isAlike ? [] : message.kinds);
    const common = commonWords(message);
    const seats = choice([2, 3, 4].map((count) => [count, t("openings.players", { count })]),
      { id: "openings-players", "aria-label": t("seats.title"), value: players, change: (count) => this.ask(Number(count)) });
    byId("openings").replaceChildren(
      make("div", { className: "head" }, button(t("lesson.home"), this.home, { className: "back" }), make("h1", { textContent: t("openings.title") }), seats),
      make("p", { className: "verdict", textContent: adviceWords(message, picks.size) }),
      make("p", { className: "evidence", textContent: t("openings.others", { count: message.others }) }),
      group(t("openings.yourCards"), ...paragraphs(helpedWords(message)), this.cards(cards, hand)),
      group(t("openings.all", { count: walls.length }), isAlike ? make("p", { textContent: t("openings.alike", { kinds: listed(message.kinds.map(kindWords)) }) })
        : make("ul", { className: "kinds" }, ...message.kinds.map((kind) => this.kind(kind))), common ? make("p", { textContent: common }) : null, make("p", { textContent: howWords(message) }), this.table(sorted, cards, isRanked),
        make("p", { className: "evidence", textContent: source(message) })),
    );
    if (focus) byId(focus)?.focus();
  }

  /** Return a list item with a kind of walls and their mean win probability.
      @type {(kind: WallKind) => HTMLLIElement} */
  kind(one) {
    return make("li", {}, make("span", {}, make("i", { className: "dot", "data-kind": one.kind }), kindWords(one)),
      make("small", { textContent: t("openings.mean", { win: hundredths(one.win), error: hundredths(one.win_error) }) }));
  }

  /** Return check boxes for the cards of the first seat.
      @type {(cards: string[], hand: string[]) => HTMLElement} */
  cards(cards, hand) {
    const box = (/** @type {string} */ card) => check(cardName(card), {
      id: "held-" + card, checked: hand.includes(card), disabled: !hand.includes(card) && hand.length === HAND,
      onchange: ({ target }) => this.ask(this.players, target.checked ? [...hand, card] : hand.filter((other) => other !== card)),
    });
    const details = make("details", { id: "openings-cards", open: this.isOpen || hand.length > 0 },
      make("summary", { textContent: t("openings.cards", { count: hand.length }) }), make("div", { className: "chips" }, ...cards.map(box)));
    details.addEventListener("toggle", () => { this.isOpen = details.open; });
    return details;
  }

  /** @type {(walls: FirstWall[], cards: string[], isRanked: boolean) => HTMLTableElement} */
  table(walls, cards, isRanked) {
    const hasWins = isRanked && walls[0].win !== null;
    const heads = [...(isRanked ? ["#"] : []), t("openings.head.wall"), t("openings.head.where"), ...(hasWins ? [t("openings.head.wins")] : []), ...(isRanked ? [t("openings.head.loss")] : [])];
    return make("table", { className: "ranked" }, make("thead", {}, make("tr", {}, ...heads.map((textContent) => make("th", { scope: "col", textContent })))),
      make("tbody", {}, ...walls.map((wall, rank) => this.row(wall, cards, isRanked ? rank : null, hasWins))));
  }

  /** Return the row of a wall, whose `rank` is null if the walls can't be ranked.
      @type {(wall: FirstWall, cards: string[], rank: number | null, hasWins: boolean) => HTMLTableRowElement} */
  row(wall, cards, rank, hasWins) {
    const where = [t("openings.region", { regions: wall.regions.map((region) => ROMAN[region]).join(", ") }),
      ...(wall.edge ? [t("openings.edge")] : []), ...(wall.shore ? [t("openings.shore")] : [])].join(", ");
    const within = wall.win === null ? ` ± ${hundredths(wall.loss_error)}` : ""; // with a hand, the loss is all that is known
    const loss = rank ? `${wall.equal ? "= " : ""}−${hundredths(wall.loss)}${within}` : t("openings.best");
    const wins = wall.win === null || wall.win_error === null ? "" : percent(`${hundredths(wall.win)} ± ${hundredths(wall.win_error)}`);
    const light = (/** @type {boolean} */ on) => () => this.board.find("g" + wall.line).classList.toggle("near", on);
    const cells = [where, ...(hasWins ? [wins] : []), ...(rank === null ? [] : [loss])];
    return make("tr", { onpointerenter: light(true), onpointerleave: light(false) }, rank === null ? null : make("td", { textContent: String(rank + 1) }),
      make("th", { scope: "row" }, button(t("openings.line", { line: wall.line }), () => this.analyze(wall.line, cards), { className: "link", title: t("openings.analyze") })),
      ...cells.map((textContent) => make("td", { textContent })));
  }

  /** Analyze the position after a first wall. Cards that were not chosen are dealt at random.
      @type {(line: number, cards: string[]) => void} */
  analyze(line, cards) {
    const rest = [...cards, ...cards].filter((card) => !this.hand.includes(card));
    const hand = [...this.hand];
    while (hand.length < HAND) hand.push(...rest.splice(Math.floor(Math.random() * rest.length), 1));
    const others = Array.from({ length: this.players - 1 }, () => "/?6").join("");
    this.say("study", { text: `masons1 board=${this.board.name} players=${this.players} active=0 phase=wall hands=${hand.join("+")}${others}` });
    this.say("try", { move: `wall:${line}` });
  }
}
