/* The current decision: the places that can be chosen, what has been picked so far, and the move that results. */

import { HOUSES, TOWERS, allIn, button, byId, citySign, clearError, coarse, findIn, icon, make, mode, narrow, reveal, setting, toast } from "./dom.js";
import { cityOfMost, mostOfTwo, showHand } from "./cards.js";
import { bestCardsWords, closingWords } from "./tip.js";
import { completing, moveWords } from "./gamewords.js";
import { around, inRow } from "./shapes.js";
import { t } from "./words.js";

/** Return whether a move has to be confirmed. Without a setting, this is so on touch screens and small ones, and for
    several pieces.
    @type {(pieces?: number) => boolean} */
export function confirms(pieces = 1) {
  const said = setting("confirm");
  return said === null ? coarse() || narrow() || pieces > 1 : said === "yes";
}

const PICTURED = 9; // up to this number, choices of pieces are shown as pictures
const FEW = 6; // above this number, the pictures are smaller
const UNFOLDED = 3; // an analysis shows no more choices, as it lists the best; the board offers all

/** @type {(position: Position) => string} */
const handOf = ({ hand }) => (hand ?? []).map(({ card }) => card).join();

export class Choices {
  /** @type {Position} */
  position;
  isEmpty = true; // until a position is shown
  /** @type {HeldCard[] | null} */
  before = null; // the hand that was shown before
  /** @type {Set<number>} */
  picked = new Set(); // the cards, by their places in the hand
  /** @type {Map<number, number>} */
  put = new Map(); // place -> color of the pieces chosen
  /** @type {"tower" | "house"} */
  kind = "tower"; // of the pieces
  /** @type {string[]} */
  names = []; // of the colors
  /** @type {number | null} */
  line = null; // the wall to confirm
  city = 0; // the city whose points count, by its place in the list

  /** @param {Board} board
      @param {(move: string) => void} send */
  constructor(board, send) {
    this.board = board;
    this.send = send; // called with the text of a move
    for (const [kind, on] of /** @type {const} */ ([["pointerover", true], ["pointerout", false], ["focusin", true], ["focusout", false]])) {
      for (const place of kind.startsWith("focus") ? ["choices"] : ["choices", "news"]) {
        byId(place).addEventListener(kind, ({ target }) => {
          const spots = on && /** @type {Element} */ (target).closest("[data-spots]")?.getAttribute("data-spots");
          this.board.spot(spots ? spots.split(" ") : []);
        });
      }
    }
  }

  /** Show the choices of a position.
      @type {(position: Position) => void} */
  show(position) {
    const hasSeat = !this.isEmpty && this.position.seat === position.seat;
    // Two exercises may stand at the same place of their games.
    if (!hasSeat || this.position.at !== position.at || handOf(this.position) !== handOf(position)) {
      clearError();
      this.picked = new Set();
      this.put = new Map();
      this.line = null;
      this.city = cityOfMost(position);
      this.before = hasSeat ? this.position.hand : null;
    }
    this.position = position;
    this.isEmpty = false;
    byId("popover").hidden = true;
    this.draw();
    this.before = position.hand;
  }

  /** Forget the position, as the page shows something else. */
  forget() {
    this.isEmpty = true;
    mode("picks", false);
  }

  /** Let nothing more be chosen until the server has answered. */
  lock() {
    this.board.lock();
    for (const one of allIn("#choices button, #hand .guild")) one.setAttribute("disabled", "");
    byId("popover").hidden = true;
    byId("task").classList.remove("mine");
  }

  /** The choices of the decision.
      @returns {Moves} */
  get moves() {
    return this.position.moves ?? {};
  }

  /** Let the board offer what can be chosen, and return the elements beside it.
      @type {() => Child[]} */
  parts() {
    switch (this.position.phase) {
      case "wall": return this.wall();
      case "towers": return this.putting("tower", TOWERS, "k");
      case "houses": return this.putting("house", HOUSES, "s");
      case "merge": return this.merge();
      case "score": return this.score();
      case "swap": return this.swap();
      case "final": return this.final();
      default: return [];
    }
  }

  draw() {
    const place = byId("choices");
    const at = [...place.querySelectorAll("button")].findIndex((one) => one === document.activeElement);
    const parts = this.position.moves ? this.parts() : [];
    if (!this.position.moves) this.board.offer([]);
    place.replaceChildren(...parts.filter(Boolean));
    const buttons = place.querySelectorAll("button");
    if (at >= 0 && buttons.length) buttons[Math.min(at, buttons.length - 1)].focus({ preventScroll: true });
    this.hand();
  }

  hand() {
    const { moves, phase, hand } = this.position;
    const picks = Boolean(moves) && ["score", "swap", "final"].includes(phase);
    mode("picks", picks);
    showHand(hand, this.before, {
      picks, picked: this.picked, most: this.most, points: moves?.cities?.[this.city].points ?? null, toggle: (i) => this.toggle(i),
    });
    this.before = hand;
  }

  /** @type {(index: number) => void} */
  toggle(index) {
    clearError();
    if (this.picked.has(index)) this.picked.delete(index);
    else if (this.picked.size < this.most) this.picked.add(index);
    else toast(t("hand.most", { count: this.most }), true);
    this.draw();
  }

  /** The number of cards that may be picked. */
  get most() {
    return this.position.phase === "swap" ? Infinity : 2;
  }

  /** @type {() => HeldCard[]} */
  cards() {
    const hand = this.position.hand ?? [];
    return [...this.picked].sort((a, b) => a - b).map((index) => hand[index]);
  }

  /** Handle a choice on the board.
      @type {(item: Item) => void} */
  picks(item) {
    if (item.kind === "line") this.pickLine(item.number);
    else if (item.kind === "place") this.popover(item);
    else if (item.kind === "city") this.pickCity(item);
  }

  // --- walls

  wall() {
    const { walls: completed = {}, early_roll: early } = this.moves;
    // In a lesson, finding the line that completes a city may be the task.
    const walls = this.position.lesson ? Object.fromEntries(Object.keys(completed).map((line) => [line, 0])) : completed;
    /** @type {Item[]} */
    const items = Object.entries(walls).map(([line, spaces]) => ({
      id: "l" + line, kind: "line", number: Number(line), look: spaces ? "city" : "legal",
      tag: Number(line) === this.line,
      label: this.lineWords(Number(line), spaces) + (spaces ? ". " + closingWords(this.position, line) : ""),
    }));
    this.board.offer(items);
    if (this.line !== null) {
      this.board.mark("l" + this.line, true);
      return [
        button(t("wall.build", { line: this.line }), () => this.send("wall:" + this.line), { className: "main" }),
        button(t("wall.another"), () => this.pickLine(null)),
      ];
    }
    const closing = Object.keys(walls).filter((line) => walls[Number(line)]);
    return [
      make("p", { className: "how" }, coarse() ? t("wall.tap") : t("wall.how"), " ", this.position.practice ? t("wall.noGold") : null,
        closing.length ? make("b", { textContent: t("wall.closing", { count: closing.length }), "data-spots": closing.map((line) => "l" + line).join(" ") }) : null),
      early ? button(t("wall.earlyRoll"), () => this.send("early-roll")) : null,
    ];
  }

  /** @type {(line: number, spaces: number) => string} */
  lineWords(line, spaces) {
    const [, , space, other] = this.board.lines[line];
    const wall = other === null ? t("wall.atEdge", { line, space }) : t("wall.between", { line, space, other });
    return completing(wall, spaces);
  }

  /** @type {(line: number | null) => void} */
  pickLine(line) {
    if (line !== null && !confirms()) {
      this.send("wall:" + line);
      return;
    }
    this.line = line;
    this.draw();
    const confirm = findIn("button.main", byId("choices"));
    if (line !== null && confirm) reveal(confirm);
  }

  // --- towers and houses

  /** The choices of pieces, or of mergers. */
  get options() {
    return this.moves.choices ?? [];
  }

  /** Return the moves that agree with the pieces put so far.
      @type {() => Option[]} */
  left() {
    return this.options.filter((choice) =>
      [...this.put].every(([at, color]) => choice.put.some(([p, c]) => p === at && c === color)));
  }

  /** Return the pieces put so far, and those that follow from them if a single move is left.
      @type {() => Map<number, number>} */
  shown() {
    const left = this.left();
    return left.length === 1 ? new Map(left[0].put) : this.put;
  }

  /** @type {(place: number, options?: Option[]) => number[]} */
  colors(place, options = this.options) {
    return [...new Set(options.flatMap(({ put }) => put.filter(([p]) => p === place).map(([, c]) => c)))].sort();
  }

  /** @type {(kind: "tower" | "house", names: string[], letter: string) => Child[]} */
  putting(kind, names, letter) {
    Object.assign(this, { kind, names });
    const words = (/** @type {number} */ place) => t(`place.${kind}`, { place });
    const { options } = this;
    const places = [...new Set(options.flatMap(({ put }) => put.map(([place]) => place)))].sort((a, b) => a - b);
    const tag = options.length > PICTURED || this.position.study; // pictures show the places
    this.board.offer(places.map((place) => ({
      id: letter + place, kind: /** @type {const} */ ("place"), number: place, label: t("place.choose", { place: words(place) }), tag,
    })));
    const shown = this.shown();
    for (const place of shown.keys()) this.board.mark(letter + place, true);
    if (options.length <= PICTURED) return this.pictured(options, letter);
    this.board.ghosts([...shown].map(([place, color]) => this.piece(place, color, letter)));
    const rows = places.map((place) => make("div", { className: "row", role: "group", "aria-label": words(place), "data-spots": letter + place },
      make("span", { textContent: words(place) }), ...this.swatches(place)));
    return [...rows, ...this.confirmation(this.left())];
  }

  /** Return the symbol of a piece and the id of its place.
      @type {(place: number, color: number, letter: string) => [symbol: string, id: string]} */
  piece(place, color, letter) {
    return [`${this.kind}-${this.names[color]}`, letter + place];
  }

  /** Return a grid of buttons with a picture for each choice, and one that confirms what was chosen.
      @type {(options: Option[], letter: string) => Child[]} */
  pictured(options, letter) {
    const left = this.left();
    const pieces = (/** @type {Option} */ { put }) => put.map(([place, color]) => this.piece(place, color, letter));
    const chosen = left.length === 1 ? left[0] : null;
    const isAnalysis = this.position.study && !this.position.practice && !this.position.lesson; // has no room for the land
    const preview = (/** @type {Option} */ one) => () => this.board.ghosts(pieces(one), one !== chosen);
    const rest = chosen ? preview(chosen) : () => this.board.ghosts([...this.put].map(([place, color]) => this.piece(place, color, letter)));
    rest();
    const grid = make("div", { className: options.length > FEW ? "options many" : options.length > 2 ? "options" : "options few" }, make("small", { textContent: t("dice.choose") }), ...options.map((one) => make("button", { type: "button", className: "option", "data-option": one.move, "aria-pressed": String(one === chosen), "aria-label": this.words(one), title: this.words(one),
        disabled: !left.includes(one) && !chosen, onclick: () => this.choose(one), onpointerenter: preview(one), onpointerleave: rest, onfocus: preview(one), onblur: rest },
      isAnalysis ? inRow(pieces(one)) : around(this.board, this.position.fresh ?? 0, pieces(one), true))));
    if (isAnalysis && options.length > UNFOLDED) grid.classList.add("spare");
    return [grid, ...this.confirmation(left)];
  }

  /** Choose all pieces of a decision in one step.
      @type {(option: Option) => void} */
  choose(option) {
    this.put = new Map(option.put);
    if (confirms()) this.draw();
    else this.send(option.move);
  }

  /** Return the button that places what was chosen, or chooses again as long as it leaves several moves.
      @type {(left: Option[]) => Child[]} */
  confirmation(left) {
    if (!this.put.size) return [];
    return [left.length === 1 ? button(t("place.these", { words: this.words(left[0]) }), () => this.send(left[0].move), { className: "main" })
      : button(t("place.again"), () => { this.put.clear(); this.draw(); })];
  }

  /** @type {(option: Option) => string} */
  words({ move }) {
    return moveWords(move);
  }

  /** @type {(place: number) => HTMLElement[]} */
  swatches(place) {
    const shown = this.shown();
    return this.colors(place).map((color) => {
      const words = t(`color.${this.names[color]}`);
      return make("button", {
        type: "button", className: "swatch", "aria-pressed": String(shown.get(place) === color), title: words,
        "aria-label": t("place.colorOn", { color: words, place }), onclick: () => this.puts(place, color),
      }, icon(`${this.kind}-${this.names[color]}`));
    });
  }

  /** @type {(place: number, color: number) => void} */
  puts(place, color) {
    byId("popover").hidden = true;
    this.put.set(place, color);
    // Remove pieces on other places that no longer agree with this one.
    for (const other of [...this.put.keys()]) {
      if (other !== place && !this.left().length) this.put.delete(other);
    }
    const left = this.left();
    if (left.length === 1 && !confirms(left[0].put.length)) this.send(left[0].move);
    else this.draw();
  }

  /** @type {(item: Item) => void} */
  popover(item) {
    const pop = byId("popover");
    const colors = this.colors(item.number);
    if (colors.length === 1) {
      this.puts(item.number, colors[0]);
      return;
    }
    pop.setAttribute("aria-label", item.label);
    pop.replaceChildren(...this.swatches(item.number));
    pop.hidden = false;
    const [x, y] = this.board.place(item.id);
    const room = (pop.parentElement?.clientWidth ?? 0) - pop.offsetWidth - 4;
    pop.style.left = `${Math.max(4, Math.min(x - pop.offsetWidth / 2, room))}px`;
    pop.style.top = `${y + 6}px`;
    findIn("button", pop)?.focus({ preventScroll: true });
  }

  // --- cities

  /** @type {(roots: number[]) => Item[]} */
  cityItems(roots) {
    /** @type {Item[]} */
    const items = [];
    this.position.cities.forEach((city) => {
      const root = Math.min(...city);
      if (!roots.includes(root)) return;
      for (const space of city) items.push({ id: "s" + space, kind: "city", number: root, label: this.cityWords(root), tag: space === root });
    });
    return items;
  }

  /** Return the city with a lowest space in words, with its size.
      @type {(space: number) => string} */
  cityWords(space) {
    return t("city.of", { space, count: this.spaces(space).length });
  }

  /** @type {(root: number | null) => number[]} */
  spaces(root) {
    return this.position.cities.find((city) => Math.min(...city) === root) || [];
  }

  /** Return the ids of a city's spaces on the board, as a button has them that lights the city.
      @type {(root: number | null) => string} */
  spots(root) {
    return this.spaces(root).map((space) => "s" + space).join(" ");
  }

  merge() {
    const { options } = this;
    const roots = options.map(({ move }) => Number(move.split(":")[1])).filter((root) => !Number.isNaN(root));
    this.board.offer(this.cityItems(roots));
    const here = this.position.scored.length;
    return options.map(({ move, cards }) => {
      const root = move === "merge:none" ? null : Number(move.slice("merge:".length));
      const words = root === null ? t("city.noMerge") : t("city.merge", { space: root, total: this.spaces(root).length + here });
      return make("button", { type: "button", className: "worded", onclick: () => this.send(move), "data-option": move, "data-spots": this.spots(root) },
        make("b", { textContent: words }), make("small", { textContent: bestCardsWords(cards) }));
    });
  }

  /** @type {(item: Item) => void} */
  pickCity(item) {
    if (this.position.phase === "merge") {
      this.send("merge:" + item.number);
      return;
    }
    this.city = (this.moves.cities ?? []).findIndex(({ city }) => city === item.number);
    this.draw();
  }

  // --- cards

  /** Return what says how many cards are picked, and the button that plays them.
      @type {(points: number, move: string) => Child[]} */
  playing(points, move) {
    const count = this.picked.size;
    const most = mostOfTwo(this.position, this.city);
    return [
      make("span", { className: "how", textContent: count > 1 ? t("hand.two") : count ? t("hand.one") : most ? t("hand.pickFor", { points: most }) : t("hand.pick") }),
      button(count ? t("hand.playFor", { count, points }) : t("start.play"), () => this.send(move), { className: "main", disabled: !count }),
    ];
  }

  /** @type {(cards: HeldCard[]) => string} */
  text(cards) {
    return cards.map(({ card }) => card).join("+");
  }

  score() {
    this.board.offer([]);
    const cards = this.cards();
    const names = this.text(cards);
    return [
      ...this.playing(cards.reduce((sum, { points }) => sum + points, 0), "play:" + names),
      button(t("hand.abstain"), () => this.send("abstain:" + names), { disabled: cards.length !== 1 }),
    ];
  }

  swap() {
    this.board.offer([]);
    const cards = this.cards();
    return [button(cards.length ? t("hand.swap", { count: cards.length }) : t("hand.keep"), () => this.send("swap:" + (this.text(cards) || "none")), { className: "main" })];
  }

  final() {
    const { cities = [] } = this.moves;
    const roots = cities.map(({ city }) => city).filter((root) => root !== null);
    this.board.offer(this.cityItems(roots));
    const { city, points } = cities[this.city];
    for (const item of this.board.live.values()) this.board.mark(item.id, item.number === city);
    const cards = this.cards();
    const row = roots.length < 2 ? null : make("div", { className: "row", role: "group", "aria-label": t("city.counts") },
      make("span", { textContent: t("city.counts") }),
      ...cities.map((one, index) => make("button", { type: "button", onclick: () => { this.city = index; this.draw(); },
        "aria-pressed": String(index === this.city), "aria-label": this.cityWords(one.city ?? 0), title: this.cityWords(one.city ?? 0), "data-spots": this.spots(one.city) },
      `${one.city} · `, citySign(this.spaces(one.city).length))));
    return [
      row, ...this.playing(cards.reduce((sum, { card }) => sum + points[card], 0), `final:${city ?? "none"}/${this.text(cards)}`),
      button(t("hand.playNothing"), () => this.send("final:pass")),
    ];
  }
}
