/* Setting up a position by hand: choose a piece, then click its place. The server checks the result. */

import { hideHand } from "./cards.js";
import { HOUSES, TOWERS, button, byId, check, choice, field, icon, make } from "./dom.js";
import { t } from "./words.js";

/** Equal pieces at a place.
    @typedef {[place: number, color: string, number: number]} Group */

const TOOLS = ["wall-piece", ...TOWERS.map((name) => "tower-" + name), ...HOUSES.map((name) => "house-" + name),
  ...HOUSES.map((name) => "palace-" + name), "erase"];
const MARKS = ["line", "city"];
const ENDS = ["", "walls", "towers", "houses", "palaces", "no-line"];
const FACES = [...HOUSES, "?"];
/** The fields of each phase, which docs/position.md specifies.
    @type {Record<string, string[]>} */
const PHASES = {
  wall: [],
  roll: ["line", "end"],
  towers: ["line", "roll", "end"],
  houses: ["line", "roll", "end"],
  merge: ["city", "end"],
  score: ["seat", "city", "end"],
  draw: ["seat", "due", "city", "queue", "end"],
  swap: ["seat", "queue"],
  final: ["seat", "end"],
  over: ["end"],
};

/** Return the fields of a position's text.
    @type {(text: string) => Record<string, string>} */
function fieldsOf(text) {
  return Object.fromEntries(text.split(/\s+/).slice(1).map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]));
}

/** Return [place, color, number] entries as a text such as `red:23,89*2;blue:76`.
    @type {(entries: Group[]) => string} */
function groupsText(entries) {
  /** @type {Map<string, string[]>} */
  const byColor = new Map();
  for (const [place, color, number] of entries) {
    byColor.set(color, [...(byColor.get(color) || []), number > 1 ? `${place}*${number}` : String(place)]);
  }
  return [...byColor].map(([color, places]) => `${color}:${places.join(",")}`).join(";");
}

/** @type {(entries: Group[]) => Group[]} */
const ascending = (entries) => entries.sort(([a], [b]) => a - b);
/** @type {(tool: string) => string} */
const toolWords = (tool) => t(`tool.${tool}`);
/** @type {(name: string) => string} */
const colorWords = (name) => (/^\w+$/.test(name) ? t(`color.${name}`) : name);

export class Setup {
  look = "studying";
  isStudy = true;
  /** @type {StudiedPosition} */
  position;
  /** The fields of the position's text.
      @type {Record<string, string>} */
  fields = {};
  /** @type {Set<number>} */
  walls = new Set();
  /** @type {Map<number, string>} */
  towers = new Map(); // place -> color
  /** @type {Map<number, Map<string, number>>} */
  stocks = new Map(); // space -> symbols such as house-red -> numbers
  tool = "wall-piece";
  wanted = false; // true if the next analyzed position is to be changed by hand

  /** @param {Board} board
      @param {Say} say */
  constructor(board, say) {
    this.board = board;
    this.say = say;
  }

  /** Begin to change a position.
      @type {(position: StudiedPosition) => void} */
  begin(position) {
    this.position = position;
    this.wanted = false;
    this.fields = { ...fieldsOf(position.text), turn: "" }; // without a turn, the server counts the turns
    this.walls = new Set(position.walls);
    this.towers = new Map(Object.entries(position.towers).map(([place, name]) => [Number(place), name.split("-")[1]]));
    this.stocks = new Map();
    for (const [space, shapes] of Object.entries(position.stocks)) {
      for (const [name, number] of shapes) this.add(Number(space), name, number);
    }
    this.tool = "wall-piece";
    hideHand();
    this.panel();
    this.draw();
  }

  /** @type {(space: number, name: string, number: number) => void} */
  add(space, name, number) {
    const stock = this.stocks.get(space) || new Map();
    this.stocks.set(space, stock.set(name, (stock.get(name) || 0) + number));
  }

  get needed() {
    return PHASES[this.fields.phase];
  }

  panel() {
    byId("task").replaceChildren(make("span", { textContent: t("setup.how") }),
      make("small", { textContent: t("setup.checks") }));
    byId("choices").replaceChildren(
      make("div", { className: "row", role: "group", "aria-label": t("setup.piece") }, ...this.tools()),
      make("div", { className: "fields row" }, this.phaseField()),
      make("div", { className: "fields row" }, this.input("active", t("setup.active")), this.input("players", t("setup.players"))),
      make("div", { className: "fields row" }, ...this.phaseFields()),
      make("div", { className: "fields row" }, this.input("scores", t("setup.scores"), this.zeros()), this.input("turn", t("setup.turn"))),
      make("div", { className: "fields row" }, this.input("hands", t("setup.hands"))),
      make("div", { className: "fields row" }, this.input("discard", t("setup.discard"))),
      make("div", { className: "row" }, this.check(t("setup.earlyRoll"), "options", "early_roll"),
        this.fields.phase === "wall" ? this.check(t("setup.rolled"), "rolled", "1") : null),
      button(t("setup.done"), () => this.done(), { className: "main" }), button(t("dialog.cancel"), () => this.cancel()));
    this.offer();
  }

  tools() {
    const marks = MARKS.filter((name) => this.needed.includes(name));
    return [...TOOLS, ...marks].map((tool) => {
      const words = toolWords(tool);
      return make("button", {
        type: "button", className: "swatch", "aria-pressed": String(tool === this.tool), "aria-label": words, title: words,
        onclick: () => { this.tool = tool; this.panel(); },
      }, MARKS.includes(tool) ? words : (tool === "erase" ? "✕" : icon(tool)));
    });
  }

  // --- fields

  /** @type {(name: string, label: string, usual?: string) => HTMLLabelElement} */
  input(name, label, usual = "") {
    const change = (/** @type {{ target: HTMLInputElement }} */ { target }) => { this.fields[name] = target.value.trim(); this.draw(); };
    return field(label, make("input", { value: this.fields[name] || usual, autocomplete: "off", spellcheck: false, onchange: change }));
  }

  /** @type {(words: string, name: string, value: string) => HTMLLabelElement} */
  check(words, name, value) {
    return check(words, { checked: this.fields[name] === value, onchange: ({ target }) => { this.fields[name] = target.checked ? value : ""; } });
  }

  /** @type {(label: string, names: string[], words: (name: string) => string, value: string, change: (value: string) => void) => HTMLLabelElement} */
  select(label, names, words, value, change) {
    return field(label, choice(names.map((name) => [name, words(name)]), { value, change }));
  }

  phaseField() {
    return this.select(t("setup.phase"), Object.keys(PHASES), (phase) => t(`setup.phase.${phase}`), this.fields.phase, (phase) => {
      this.fields.phase = phase;
      if (MARKS.includes(this.tool)) this.tool = "wall-piece";
      this.panel();
      this.draw();
      byId("choices").querySelector("select")?.focus();
    });
  }

  /** Return inputs for the fields that only the current phase has. */
  phaseFields() {
    return this.needed.flatMap((name) => {
      if (name === "roll") return this.dice();
      if (name === "end") return [this.select(t("setup.end"), ENDS, (end) => t(`setup.end.${end || "no"}`), this.fields.end || "", (value) => { this.fields.end = value; })];
      return [this.input(name, t(`setup.${name}`))];
    });
  }

  dice() {
    const faces = (this.fields.roll || "").split("/");
    if (faces.length !== 3) faces.splice(0, faces.length, "white", "red", "red");
    const keep = () => { this.fields.roll = faces.join("/"); };
    keep();
    /** @type {[label: string, names: string[]][]} */
    const dice = [[t("dice.tower"), [...TOWERS, "-"]], [t("dice.house"), FACES], [t("dice.otherHouse"), FACES]];
    return dice.map(([label, names], i) =>
      this.select(label, names, colorWords, faces[i], (value) => { faces[i] = value; keep(); }));
  }

  zeros() {
    return Array(Number(this.fields.players) || 2).fill("0").join(",");
  }

  // --- the board

  offer() {
    /** @type {Record<string, string>} */
    const kinds = { erase: ".target", "wall-piece": ".target.line", line: ".target.line", city: ".target.space" };
    const kind = kinds[this.tool] || (this.tool.startsWith("tower") ? ".target.tower" : ".target.space");
    const items = [...this.board.svg.querySelectorAll(kind)].map((element) => ({
      id: element.id, kind: /** @type {const} */ ("setup"), number: Number(element.id.slice(1)), label: t("setup.on", { tool: toolWords(this.tool), place: element.id.slice(1) }),
    }));
    this.board.offer(items);
    this.board.svg.classList.add("drafting");
  }

  /** @type {(item: Item) => void} */
  pick(item) {
    const at = item.number;
    const letter = item.id[0];
    if (MARKS.includes(this.tool)) {
      this.fields[this.tool] = String(at);
      if (this.tool === "line") this.walls.add(at);
      this.panel();
    } else if (letter === "l") {
      if (this.tool === "erase" || this.walls.has(at)) this.walls.delete(at);
      else this.walls.add(at);
    } else if (letter === "k") {
      const color = this.tool.split("-")[1];
      if (this.tool === "erase" || this.towers.get(at) === color) this.towers.delete(at);
      else this.towers.set(at, color);
    } else if (this.tool === "erase") this.stocks.delete(at);
    else this.add(at, this.tool, 1);
    this.draw();
  }

  /** Show the draft, with the pieces of each space in rows of three. */
  draw() {
    /** @type {Record<string, Shape[]>} */
    const stocks = {};
    for (const [space, shapes] of this.stocks) {
      const [x, y] = this.board.places.center("s" + space);
      stocks[space] = [...shapes].map(([name, number], i) => [name, number, x + 20 * ((i % 3) - (Math.min(shapes.size, 3) - 1) / 2), y + 18 * Math.floor(i / 3), 18]);
    }
    const towers = Object.fromEntries([...this.towers].map(([place, color]) => [place, "tower-" + color]));
    const number = (/** @type {string} */ name) => (this.needed.includes(name) && /^\d+$/.test(this.fields[name] || "") ? Number(this.fields[name]) : null);
    const city = number("city");
    const scored = city !== null && this.board.places.has("c" + city) ? [city] : [];
    this.board.update({ walls: [...this.walls], fresh: number("line"), towers, cities: [], scored, stocks });
  }

  text() {
    const entries = (/** @type {string} */ kind) => ascending([...this.stocks].flatMap(([space, shapes]) => [...shapes].filter(([name]) => name.startsWith(kind))
      .map(([name, number]) => /** @type {Group} */ ([space, name.split("-")[1], number]))));
    const { fields } = this;
    const phaseFields = Object.fromEntries(this.needed.map((name) => [name, fields[name]]));
    const all = {
      board: this.board.name, players: fields.players, options: fields.options, turn: fields.turn, active: fields.active,
      phase: fields.phase, ...phaseFields, rolled: fields.phase === "wall" ? fields.rolled : "",
      scores: fields.scores, hands: fields.hands, discard: fields.discard,
      walls: [...this.walls].sort((a, b) => a - b).join(","),
      towers: groupsText(ascending([...this.towers].map(([place, color]) => [place, color, 1]))),
      houses: groupsText(entries("house")), palaces: groupsText(entries("palace")),
    };
    return "masons1 " + Object.entries(all).filter(([, value]) => value).map(([key, value]) => `${key}=${String(value).replace(/\s+/g, "")}`).join(" ");
  }

  /** Let clicks on the board be moves again. */
  leave() {
    this.board.svg.classList.remove("drafting");
  }

  /** Analyze the position. If it is impossible, the server says why, and the draft stays. */
  done() {
    this.say("study", { text: this.text() });
  }

  cancel() {
    this.say("step", { to: this.position.step ?? 0 });
  }
}
