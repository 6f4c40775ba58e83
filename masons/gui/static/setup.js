/* Setting up a position by hand: choose a piece, then click its place. The server checks the result. */

import { showHand } from "./cards.js";
import { HOUSES, TOWERS, button, byId, check, choice, field, icon, make } from "./dom.js";
import { t } from "./words.js";

const TOOLS = ["wall-piece", ...TOWERS.map((name) => "tower-" + name), ...HOUSES.map((name) => "house-" + name),
  ...HOUSES.map((name) => "palace-" + name), "erase"];
const MARKS = ["line", "city"];
const ENDS = ["", "walls", "towers", "houses", "palaces", "no-line"];
const FACES = [...HOUSES, "?"];
/* The fields of each phase, which docs/position.md specifies. */
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

/** Return the fields of a position's text. */
function fieldsOf(text) {
  return Object.fromEntries(text.split(/\s+/).slice(1).map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]));
}

/** Return [place, color, number] entries as a text such as `red:23,89*2;blue:76`. */
function groupsText(entries) {
  const byColor = new Map();
  for (const [place, color, number] of entries) {
    if (!byColor.has(color)) byColor.set(color, []);
    byColor.get(color).push(number > 1 ? `${place}*${number}` : String(place));
  }
  return [...byColor].map(([color, places]) => `${color}:${places.join(",")}`).join(";");
}

const ascending = (entries) => entries.sort(([a], [b]) => a - b);
const toolWords = (tool) => t(`tool.${tool}`);
const colorWords = (name) => (/^\w+$/.test(name) ? t(`color.${name}`) : name);

export class Setup {
  look = "studying";
  isStudy = true;
  wanted = false; // true if the next analyzed position is to be changed by hand

  constructor(board, say) {
    Object.assign(this, { board, say });
  }

  /** Begin to change a position. */
  begin(position) {
    const fields = { ...fieldsOf(position.text), turn: "" }; // without a turn, the server counts the turns
    this.position = position;
    this.wanted = false;
    this.fields = fields;
    this.walls = new Set(position.walls);
    this.towers = new Map(Object.entries(position.towers).map(([place, name]) => [Number(place), name.split("-")[1]]));
    // space -> Map from symbols such as house-red to numbers
    this.stocks = new Map();
    for (const [space, shapes] of Object.entries(position.stocks)) {
      for (const [name, number] of shapes) this.add(Number(space), name, number);
    }
    this.tool = "wall-piece";
    showHand(null);
    this.panel();
    this.draw();
  }

  add(space, name, number) {
    if (!this.stocks.has(space)) this.stocks.set(space, new Map());
    const stock = this.stocks.get(space);
    stock.set(name, (stock.get(name) || 0) + number);
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
      button(t("setup.done"), () => this.done(), { className: "main" }), button(t("setup.cancel"), () => this.cancel()));
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

  input(name, label, usual = "") {
    const change = ({ target }) => { this.fields[name] = target.value.trim(); this.draw(); };
    return field(label, make("input", { value: this.fields[name] || usual, autocomplete: "off", spellcheck: false, onchange: change }));
  }

  check(words, name, value) {
    return check(words, { checked: this.fields[name] === value, onchange: ({ target }) => { this.fields[name] = target.checked ? value : ""; } });
  }

  select(label, names, words, value, change) {
    return field(label, choice(names.map((name) => [name, words(name)]), { value, change }));
  }

  phaseField() {
    return this.select(t("setup.phase"), Object.keys(PHASES), (phase) => t(`setup.phase.${phase}`), this.fields.phase, (phase) => {
      this.fields.phase = phase;
      if (MARKS.includes(this.tool)) this.tool = "wall-piece";
      this.panel();
      this.draw();
      byId("choices").querySelector("select").focus();
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
    return [[t("dice.tower"), [...TOWERS, "-"]], [t("dice.house"), FACES], [t("dice.otherHouse"), FACES]].map(([label, names], i) =>
      this.select(label, names, colorWords, faces[i], (value) => { faces[i] = value; keep(); }));
  }

  zeros() {
    return Array(Number(this.fields.players) || 2).fill("0").join(",");
  }

  // --- the board

  offer() {
    const kinds = { erase: ".target", "wall-piece": ".target.line", line: ".target.line", city: ".target.space" };
    const kind = kinds[this.tool] || (this.tool.startsWith("tower") ? ".target.tower" : ".target.space");
    const items = [...this.board.svg.querySelectorAll(kind)].map((element) => ({
      id: element.id, kind: "setup", number: Number(element.id.slice(1)), label: t("setup.on", { tool: toolWords(this.tool), place: element.id.slice(1) }),
    }));
    this.board.offer(items);
    this.board.svg.classList.add("drafting");
  }

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
    const stocks = {};
    for (const [space, shapes] of this.stocks) {
      const [x, y] = this.board.centers.get("s" + space);
      stocks[space] = [...shapes].map(([name, number], i) => [name, number, x + 20 * ((i % 3) - (Math.min(shapes.size, 3) - 1) / 2), y + 18 * Math.floor(i / 3), 18]);
    }
    const towers = Object.fromEntries([...this.towers].map(([place, color]) => [place, "tower-" + color]));
    const number = (name) => (this.needed.includes(name) && /^\d+$/.test(this.fields[name] || "") ? Number(this.fields[name]) : null);
    const scored = number("city") !== null && this.board.find("c" + number("city")) ? [number("city")] : [];
    this.board.update({ walls: [...this.walls], fresh: number("line"), towers, cities: [], scored, stocks });
  }

  text() {
    const entries = (kind) => ascending([...this.stocks].flatMap(([space, shapes]) => [...shapes].filter(([name]) => name.startsWith(kind))
      .map(([name, number]) => [space, name.split("-")[1], number])));
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
    this.say("step", { to: this.position.step });
  }
}
