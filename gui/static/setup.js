/* A position set up by hand: choose a piece, click where it stands. The server checks what comes of it. */

import { button, byId, icon, make } from "./dom.js";

const TOWERS = ["white", "gray", "black"];
const HOUSES = ["red", "rose", "yellow", "green", "blue"];
const TOOLS = ["wall-piece", ...TOWERS.map((name) => "tower-" + name), ...HOUSES.map((name) => "house-" + name),
  ...HOUSES.map((name) => "palace-" + name), "erase"];

/** The fields of a position's text. */
function fieldsOf(text) {
  return Object.fromEntries(text.split(/\s+/).slice(1).map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]));
}

/** `red:23,89*2;blue:76` as [[place, colour, number]]. */
function groupsOf(text) {
  return (text || "").split(";").filter(Boolean).flatMap((group) => {
    const [color, places] = group.split(":");
    return places.split(",").map((one) => [Number(one.split("*")[0]), color, Number(one.split("*")[1] || 1)]);
  });
}

function groupsText(entries) {
  const byColor = new Map();
  for (const [place, color, number] of entries) {
    if (!byColor.has(color)) byColor.set(color, []);
    byColor.get(color).push(number > 1 ? `${place}*${number}` : String(place));
  }
  return [...byColor].map(([color, places]) => `${color}:${places.join(",")}`).join(";");
}

export class Setup {
  constructor(board, say) {
    this.board = board;
    this.say = say;
    this.active = false;
    this.wanted = false; // whether the next position that is studied is to be changed
  }

  /** Begin with a position's text. */
  begin(text) {
    const fields = fieldsOf(text);
    this.active = true;
    this.wanted = false;
    this.fields = fields;
    this.walls = new Set((fields.walls || "").split(",").filter(Boolean).map(Number));
    this.towers = new Map(groupsOf(fields.towers).map(([place, color]) => [place, color]));
    this.stocks = new Map(); // space -> Map of house-red and so on
    for (const kind of ["house", "palace"]) {
      for (const [space, color, number] of groupsOf(fields[kind + "s"])) this.stock(space).set(`${kind}-${color}`, number);
    }
    this.tool = "wall-piece";
    byId("study").hidden = true;
    byId("hand").replaceChildren();
    this.panel();
    this.draw();
  }

  stock(space) {
    if (!this.stocks.has(space)) this.stocks.set(space, new Map());
    return this.stocks.get(space);
  }

  panel() {
    byId("task").replaceChildren(make("span", { textContent: "Set up: choose a piece, click where it stands." }),
      make("small", { textContent: "A wall has towers at both ends; the phase is that of a wall." }));
    const input = (name, label, value) => {
      const field = make("input", { value, autocomplete: "off" });
      field.addEventListener("change", () => { this.fields[name] = field.value.trim(); });
      return make("label", {}, label, field);
    };
    const tools = TOOLS.map((tool) => make("button", {
      type: "button", className: "swatch", "aria-pressed": String(tool === this.tool), "aria-label": tool.replace("-piece", ""), title: tool.replace("-piece", ""),
      onclick: () => { this.tool = tool; this.panel(); this.offer(); },
    }, tool === "erase" ? "✕" : icon(tool)));
    byId("choices").replaceChildren(
      make("div", { className: "row", role: "group", "aria-label": "piece" }, ...tools),
      make("div", { className: "fields row" }, input("players", "seats", this.fields.players), input("active", "whose turn", this.fields.active),
        input("scores", "points", this.fields.scores || this.zeros())),
      make("div", { className: "fields row" }, input("hands", "hands (?6 is hidden)", this.fields.hands)),
      make("div", { className: "fields row" }, input("discard", "cards face up", this.fields.discard || "")),
      button("Done", () => this.done(), { className: "main" }), button("Cancel", () => this.cancel()));
    this.offer();
  }

  zeros() {
    return Array(Number(this.fields.players)).fill("0").join(",");
  }

  offer() {
    const kind = this.tool === "erase" ? ".target" : this.tool === "wall-piece" ? ".target.line" : this.tool.startsWith("tower") ? ".target.tower" : ".target.space";
    const items = [...this.board.svg.querySelectorAll(kind)].map((element) => ({
      id: element.id, kind: "setup", number: Number(element.id.slice(1)), label: `${this.tool} on ${element.id.slice(1)}`,
    }));
    this.board.offer(items);
    this.board.svg.classList.add("drafting");
  }

  pick(item) {
    const at = item.number;
    const letter = item.id[0];
    if (letter === "l") {
      if (this.tool === "erase" || this.walls.has(at)) this.walls.delete(at);
      else this.walls.add(at);
    } else if (letter === "k") {
      const color = this.tool.split("-")[1];
      if (this.tool === "erase" || this.towers.get(at) === color) this.towers.delete(at);
      else this.towers.set(at, color);
    } else if (this.tool === "erase") this.stocks.delete(at);
    else this.stock(at).set(this.tool, (this.stock(at).get(this.tool) || 0) + 1);
    this.draw();
  }

  /** Show the draft; pieces stand in rows of three in their space. */
  draw() {
    const stocks = {};
    for (const [space, shapes] of this.stocks) {
      const [x, y] = this.board.centres.get("s" + space);
      stocks[space] = [...shapes].map(([name, number], i) => [name, number, x + 20 * ((i % 3) - (Math.min(shapes.size, 3) - 1) / 2), y + 18 * Math.floor(i / 3), 18]);
    }
    const towers = Object.fromEntries([...this.towers].map(([place, color]) => [place, "tower-" + color]));
    this.board.update({ walls: [...this.walls], fresh: null, towers, cities: [], scored: [], stocks });
  }

  text() {
    const entries = (kind) => [...this.stocks].flatMap(([space, shapes]) => [...shapes].filter(([name]) => name.startsWith(kind))
      .map(([name, number]) => [space, name.split("-")[1], number])).sort(([a], [b]) => a - b);
    const { players, active, hands } = this.fields;
    const fields = {
      board: this.board.name, players, active, phase: "wall", scores: this.fields.scores, hands, discard: this.fields.discard,
      walls: [...this.walls].sort((a, b) => a - b).join(","),
      towers: groupsText([...this.towers].sort(([a], [b]) => a - b).map(([place, color]) => [place, color, 1])),
      houses: groupsText(entries("house")), palaces: groupsText(entries("palace")),
    };
    return "masons1 " + Object.entries(fields).filter(([, value]) => value).map(([key, value]) => `${key}=${String(value).replace(/\s+/g, "")}`).join(" ");
  }

  /** The board is to be clicked for moves again. */
  end() {
    this.active = false;
    this.board.svg.classList.remove("drafting");
  }

  /** Study it, if it can be: else the server says what is wrong, and it stays. */
  done() {
    this.say("study", { text: this.text() });
  }

  cancel() {
    this.end();
    this.say("step", { to: 0 });
  }
}
