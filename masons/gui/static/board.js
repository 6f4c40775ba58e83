/* The board: one SVG, whose elements are shown and hidden but never redrawn. Elements that can be chosen are live. */

import { byId, calm, legend } from "./dom.js";
import { Labels } from "./labels.js";
import { makeSvg, showStock, switchElement } from "./pieces.js";
import { Places } from "./places.js";
import { aura, halo, pieceOn, rim, strokeOn } from "./shapes.js";
import { t } from "./words.js";

const REACH = 44; // the greatest distance from a finger to the chosen line, in CSS pixels
const TYPING = 1200; // the most ms between two digits of a number
const TOUCHES = /** @type {const} */ (["near", "focus", "picked"]); // why a line shows a wall that does not stand
const FAST = 300; // positions that follow each other within this time, in ms, are shown without animation
/** @type {Record<string, Point>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class BoardView {
  /** @type {Map<string, Item>} */
  live = new Map(); // element id -> what can be chosen
  /** @type {Map<string, Item>} */
  lit = new Map(); // element id -> item that the element shows; lines keep their items while they are hidden
  /** @type {Map<string, string>} */
  values = new Map(); // element id -> value
  /** @type {Map<string, string>} */
  stocks = new Map(); // space -> its pieces, as JSON
  typed = "";
  typedAt = -TYPING; // the time of the last digit typed
  updated = -FAST; // the time of the last position
  /** @type {number | null} */
  near = null; // the line under the pointer
  /** @type {Set<number>} */
  ghostWalls = new Set(); // lines that show a wall which does not stand
  /** @type {SVGElement[]} */
  besides = []; // the lights of the lines that touch it
  /** @type {Map<number, SVGElement>} */
  rims = new Map(); // number of a city or a space to choose -> its group
  /** @type {SVGElement | null} */
  land = null; // the land in small pictures, drawn when it is needed
  /** @type {Set<number>} */
  walls = new Set();
  /** @type {Set<number>[]} */
  cities = [];
  /** Called with the line under the pointer or the focus, or with null.
      @type {(item: Item | null) => void} */
  tell = () => {};

  // --- set by `set`
  /** @type {SVGSVGElement} */
  svg;
  /** @type {Places} */
  places;
  /** @type {Labels} */
  labels;
  /** @type {BoardMessage["lines"]} */
  lines;
  /** @type {number[]} */
  regions;
  /** @type {string} */
  name;
  /** @type {Element[]} */
  emblems;
  /** @type {Point[]} */
  emblemSpots = []; // where they stand
  /** @type {{ spots: SVGElement, bands: SVGElement, recent: SVGElement, auras: SVGElement, rims: SVGElement, ghosts: SVGElement, scored: SVGElement }} */
  layers;

  /** `pick` is called with the live item that was chosen, and `refuse` with the id of a target that cannot be chosen.
      @param {(item: Item) => void} pick
      @param {(id: string) => void} refuse */
  constructor(pick, refuse) {
    this.pick = pick;
    this.refuse = refuse;
  }

  /** Put the board of a `board` message in place.
      @type {(message: BoardMessage) => void} */
  set(message) {
    const parsed = new DOMParser().parseFromString(message.svg, "image/svg+xml");
    this.svg = /** @type {SVGSVGElement} */ (/** @type {Element} */ (document.importNode(parsed.documentElement, true)));
    this.svg.setAttribute("aria-label", t("page.board"));
    this.lines = message.lines;
    this.name = message.board;
    this.regions = message.regions;
    for (const each of [this.values, this.stocks, this.live, this.lit, this.rims, this.ghostWalls]) each.clear();
    this.besides = [];
    this.land = null;
    this.places = new Places(this.svg, message.lines);
    this.emblems = [...this.svg.querySelectorAll(".regions use")];
    byId("holder").replaceChildren(this.svg);
    this.addLayers();
    this.listen();
  }

  /** Add the layers of what is drawn besides the pieces. */
  addLayers() {
    const layer = (/** @type {string} */ id, /** @type {Element | null} */ before) => {
      const group = makeSvg("g", { id, "pointer-events": "none" });
      before?.before(group);
      return group;
    };
    const recent = layer("recent", this.svg.querySelector(".glows")); // the lights of the lines lie above the rings
    const auras = layer("auras", this.svg.querySelector(".glows"));
    const bands = layer("bands", this.svg.querySelector(".masonry ~ *"));
    bands.setAttribute("class", "marks");
    const rims = layer("rims", recent); // below the pieces, so that none is hidden and none changes its color
    const scored = layer("scored", this.svg.querySelector(".cities"));
    const targets = this.find("targets");
    this.labels = new Labels(layer("labels", targets), this.places);
    const ghosts = layer("ghosts", targets);
    this.labels.layer.before(targets, ghosts); // the light of a chosen place must not change the color of its piece
    const spots = layer("spots", this.svg.querySelector(".masonry"));
    this.layers = { spots, bands, recent, auras, rims, ghosts, scored };
  }

  listen() {
    this.svg.addEventListener("click", (event) => this.clicked(/** @type {PointerEvent} */ (event)));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    for (const [kind, on] of /** @type {const} */ ([["pointerover", true], ["pointerout", false], ["focusin", true], ["focusout", false]])) {
      this.svg.addEventListener(kind, (event) => this.glow(/** @type {Element} */ (event.target), kind.startsWith("focus") ? "focus" : "near", on));
    }
  }

  /** @type {(id: string) => SVGElement} */
  find(id) {
    return this.places.find(id);
  }

  /** @type {(id: string, value: string, fresh?: boolean) => void} */
  switch(id, value, fresh = false) {
    if ((this.values.get(id) || "") === value) return;
    switchElement(this.find(id), value, fresh && !this.values.get(id));
    this.values.set(id, value);
  }

  // --- pieces

  /** Show the pieces of a position.
      @type {(position: Pieces) => void} */
  update(position) {
    const now = performance.now();
    const fresh = now - this.updated > FAST && !calm(); // whether new pieces are animated
    this.updated = now;
    /** @type {Map<string, string>} */
    const wanted = new Map();
    for (const line of position.walls) wanted.set("w" + line, line === position.fresh ? "2" : "1");
    for (const [place, name] of Object.entries(position.towers)) wanted.set("t" + place, name);
    for (const city of position.cities) for (const space of city) wanted.set("c" + space, "1");
    for (const space of position.scored) wanted.set("c" + space, "2");
    for (const id of [...this.values.keys()]) {
      if ("wtc".includes(id[0]) && !wanted.has(id)) this.switch(id, "");
    }
    for (const [id, value] of wanted) this.switch(id, value, fresh);
    for (const space of new Set([...this.stocks.keys(), ...Object.keys(position.stocks)])) {
      this.stock(space, position.stocks[space] || [], fresh);
    }
    this.layers.scored.replaceChildren(...halo(this.places, position.scored));
    this.moveEmblems(position);
    legend("fresh", position.walls.some((line) => line === position.fresh));
    legend("done", position.cities.flat().length > position.scored.length);
    legend("scored", position.scored.length > 0);
    this.walls = new Set(position.walls);
    this.cities = position.cities.map((city) => new Set(city));
    this.labels.cities = this.cities;
    this.labels.stocks = position.stocks;
  }

  /** Put each region's emblem on the free space nearest to the place where it is drawn.
      @type {(pieces: Pick<Pieces, "cities" | "stocks">) => void} */
  moveEmblems({ cities, stocks }) {
    const taken = new Set([...cities.flat(), ...Object.keys(stocks).map(Number)]);
    this.emblemSpots = [];
    for (const [index, emblem] of this.emblems.entries()) {
      const [x, y] = ["x", "y"].map((axis) => Number(emblem.getAttribute(axis)));
      const free = [...this.regions.keys()].filter((space) => this.regions[space] === index + 1 && !taken.has(space)).map((space) => this.places.middle(space));
      const far = (/** @type {Point} */ at) => 2 * Math.abs(at[0] - x) + Math.abs(at[1] - y);
      const to = free.reduce((best, at) => (far(at) < far(best) ? at : best), free[0] || [x, y]);
      this.emblemSpots.push(to);
      const transform = `translate(${to[0] - x} ${to[1] - y})`;
      if (emblem.getAttribute("transform") !== transform) emblem.setAttribute("transform", transform); // else it would be painted anew
    }
  }

  /** Show the pieces of a space if they have changed.
      @type {(space: string, shapes: Shape[], fresh: boolean) => void} */
  stock(space, shapes, fresh) {
    const now = JSON.stringify(shapes);
    if ((this.stocks.get(space) || "[]") === now) return;
    showStock(this.find("p" + space), shapes, fresh);
    this.stocks.set(space, now);
  }

  /** Show pieces that are chosen but not placed yet, or only `offered`; `pieces` has `[symbol, id]`, such as
      `["house-red", "s53"]`.
      @type {(pieces: [symbol: string, id: string][], isOffered?: boolean) => void} */
  ghosts(pieces, isOffered = false) {
    this.layers.ghosts.replaceChildren(...pieces.map(([symbol, id]) => pieceOn(this.places, symbol, id)));
    this.layers.ghosts.setAttribute("class", isOffered ? "offered-pieces" : "");
  }

  /** Mark the pieces on some places as placed since the last decision of this page, in the color of the seat that
      placed them; those of `latest` draw the eye.
      @type {(placed: Map<string, number>, latest?: Map<string, number>) => void} */
  markRecent(placed, latest = new Map()) {
    const layer = this.layers.recent;
    const key = [...placed.keys()].join(" ");
    if (layer.dataset.key === key) return;
    layer.dataset.key = key;
    layer.replaceChildren(...[...placed].map(([id, seat]) => {
      const look = { class: `seat${seat}` + (latest.has(id) ? " latest" : "") };
      if (id[0] === "l") {
        return strokeOn(this.places, id, look);
      }
      const [cx, cy] = this.places.spot(id);
      return makeSvg("circle", { cx, cy, r: id[0] === "k" ? 25 : 27, ...look });
    }));
    legend("recent", placed.size > 0);
  }

  // --- what can be chosen

  /** Let some items be chosen, and nothing else. The board shows the numbers of items with a `tag`.
      @type {(items: Item[]) => void} */
  offer(items) {
    const lines = items.every((item) => item.kind === "line");
    const hadFocus = this.live.has(document.activeElement?.id ?? "");
    if (this.near !== null) this.touch(this.near, "near", false);
    this.tell(null);
    const shown = items.some((item) => item.id[0] === "l");
    this.live = new Map(items.map((item) => [item.id, item]));
    for (const line of this.ghostWalls) if (!this.live.has("l" + line)) this.untouch(line);
    for (const id of this.lit.keys()) {
      if (!this.live.has(id) && (shown || id[0] !== "l")) this.quiet(id);
    }
    this.drawRims(items);
    this.layers.auras.replaceChildren(...items.filter((item) => item.look === "city").map((item) => aura(this.places, item.id)));
    for (const item of items) this.light(item, this.lit.get(item.id));
    this.spot([]);
    this.ghosts([]);
    this.labels.offer(items);
    legend("picked", false);
    legend("legal", items.some((item) => item.look === "legal"));
    legend("first", items.some((item) => item.look === "first"));
    legend("closing", items.some((item) => item.look === "city"));
    legend("place", items.some((item) => item.kind !== "setup" && "ks".includes(item.id[0])));
    this.svg.classList.toggle("some-lines", shown);
    this.svg.classList.toggle("lines", lines && shown);
    this.svg.classList.remove("locked");
    if (items.length && !items.some((item) => this.find(item.id).getAttribute("tabindex") === "0")) {
      this.find(items[0].id).setAttribute("tabindex", "0");
    }
    if (hadFocus && items.length && !this.live.has(document.activeElement?.id ?? "")) this.focusFirst();
  }

  /** Give the light of a line a class or take it away. A line that is near, in focus or picked shows its wall.
      @type {(line: number, name: "near" | "focus" | "picked", on: boolean) => void} */
  touch(line, name, on) {
    const light = this.find("g" + line);
    light.classList.toggle(name, on);
    const isGhost = TOUCHES.some((one) => light.classList.contains(one));
    this.find("w" + line).classList.toggle("ghost", isGhost);
    if (isGhost) this.ghostWalls.add(line);
    else this.ghostWalls.delete(line);
    if (name !== "near") return;
    this.near = on ? line : null;
    for (const beside of this.besides) beside.classList.remove("beside");
    const ends = this.lines[line].slice(0, 2);
    this.besides = on ? [...this.live.values()].filter((item) => item.kind === "line" && item.number !== line
      && this.lines[item.number].slice(0, 2).some((end) => ends.includes(end))).map((item) => this.find("g" + item.number)) : [];
    for (const beside of this.besides) beside.classList.add("beside");
  }

  /** @type {(line: number) => void} */
  untouch(line) {
    for (const name of TOUCHES) this.touch(line, name, false);
  }

  /** Draw a rim around each city and each space that can be chosen.
      @type {(items: Item[]) => void} */
  drawRims(items) {
    /** @type {Map<number, number[]>} */
    const areas = new Map();
    for (const { id, kind, number } of items) {
      if (id[0] === "s" && kind !== "setup") areas.set(number, [...(areas.get(number) || []), Number(id.slice(1))]);
    }
    this.rims = new Map([...areas].map(([number, spaces]) => [number, rim(this.places, number, spaces)]));
    this.layers.rims.replaceChildren(...this.rims.values());
  }

  /** Return the rim that an element with an id belongs to, if any.
      @type {(id: string) => SVGElement | undefined} */
  rimOf(id) {
    const item = this.live.get(id);
    return item && id[0] === "s" ? this.rims.get(item.number) : undefined;
  }

  /** Make an item live; `before` is the item that its element showed until now, if any.
      @type {(item: Item, before: Item | undefined) => void} */
  light(item, before) {
    const element = this.find(item.id);
    if (!before) {
      element.classList.add("live");
      element.setAttribute("role", "button");
      element.setAttribute("tabindex", "-1");
    }
    this.lit.set(item.id, item);
    if (!before || before.label !== item.label) element.setAttribute("aria-label", item.label);
    if (item.id[0] === "l") this.switch("g" + item.id.slice(1), item.kind === "line" ? item.look || "legal" : "");
    if (before) this.mark(item.id, false);
  }

  /** Let nothing be chosen until items are offered again. */
  lock() {
    this.svg.classList.add("locked");
  }

  /** @type {(id: string) => void} */
  quiet(id) {
    const element = this.find(id);
    this.lit.delete(id);
    element.classList.remove("live", "chosen");
    for (const name of ["role", "aria-label", "tabindex"]) element.removeAttribute(name);
    if (id[0] === "l") {
      this.switch("g" + id.slice(1), "");
      this.untouch(Number(id.slice(1)));
    }
  }

  /** @type {(id: string, on: boolean) => void} */
  mark(id, on) {
    (this.rimOf(id) || this.find(id)).classList.toggle("chosen", on);
    if (on) legend("picked", true);
    if (id[0] === "l") this.touch(Number(id.slice(1)), "picked", on);
  }

  /** Show places more clearly while a button that chooses them has the pointer or the focus.
      @type {(ids: string[]) => void} */
  spot(ids) {
    for (const element of this.svg.querySelectorAll(".spot")) element.classList.remove("spot");
    const isLine = (/** @type {string} */ id) => id[0] === "l";
    for (const id of ids.filter((one) => !isLine(one))) (this.rimOf(id) || this.find(id)).classList.add("spot");
    this.layers.spots.replaceChildren(...ids.filter(isLine).map((id) => strokeOn(this.places, id)));
  }

  // --- the pointer and the keys

  /** @type {(target: Element, name: "near" | "focus", on: boolean) => void} */
  glow(target, name, on) {
    const item = this.live.get(target.id);
    const isShown = on && (name === "near" || target.matches(":focus-visible"));
    if (name === "focus") legend("focus", item && isShown);
    if (item) this.rimOf(item.id)?.classList.toggle("near", on);
    if (!item || item.kind !== "line") return;
    this.touch(item.number, name, isShown);
    this.labels.draw(isShown ? item.id : null);
    this.tell(on ? item : null);
  }

  /** @type {(event: PointerEvent) => void} */
  clicked(event) {
    if (this.svg.classList.contains("locked")) return;
    const target = /** @type {Element} */ (event.target);
    const item = event.pointerType === "touch" ? this.nearest(event) : this.live.get(target.id);
    if (item) this.pick(item);
    else this.refuse(target.classList.contains("target") ? target.id : "");
  }

  /** Return the live item nearest to a finger, or null if all are too far away.
      @type {(event: PointerEvent) => Item | null} */
  nearest(event) {
    const matrix = /** @type {DOMMatrix} */ (this.svg.getScreenCTM()).inverse();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    let best = null;
    let least = REACH * matrix.a;
    for (const item of this.live.values()) {
      const far = this.places.far(item, at);
      if (far < least) [best, least] = [item, far];
    }
    return best;
  }

  /** @type {(event: KeyboardEvent) => void} */
  key(event) {
    const { id } = /** @type {Element} */ (event.target);
    const item = this.live.get(id);
    if (/^\d$/.test(event.key) && item) {
      event.preventDefault();
      event.stopPropagation(); // elsewhere on the page, 0 resets the size of the board
      this.type(event.key);
      return;
    }
    if (!item || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = ARROWS[event.key];
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.typedAt = -TYPING;
      if (!this.svg.classList.contains("locked")) this.pick(item);
    } else if (step) {
      event.preventDefault();
      const to = this.places.towards(id, step, this.live.keys());
      if (to) this.focus(to);
    }
  }

  /** Move the focus to the place whose number is being typed.
      @type {(digit: string) => void} */
  type(digit) {
    const now = performance.now();
    this.typed = now - this.typedAt < TYPING ? this.typed + digit : digit;
    this.typedAt = now;
    const to = [...this.live.keys()].find((id) => id.slice(1) === this.typed);
    if (to) this.focus(to);
  }

  /** @type {(id: string) => void} */
  focus(id) {
    for (const other of this.live.keys()) this.find(other).setAttribute("tabindex", other === id ? "0" : "-1");
    this.find(id).focus();
  }

  focusFirst() {
    const first = [...this.live.keys()].find((id) => this.find(id).getAttribute("tabindex") === "0");
    if (first) this.find(first).focus();
  }

  /** Return why no wall can be built on a line.
      @type {(id: string) => string} */
  why(id) {
    const line = Number(id.slice(1));
    if (this.walls.has(line)) return t("refuse.stands", { line });
    const [, , space, other] = this.lines[line];
    const inside = this.cities.some((city) => city.has(space) && other !== null && city.has(other));
    return inside ? t("refuse.inside", { line }) : t("refuse.line", { line });
  }

  /** Return the lower middle of an element, relative to the board's section.
      @type {(id: string) => Point} */
  place(id) {
    const box = this.find(id).getBoundingClientRect();
    const view = /** @type {Element} */ (document.querySelector(".view")).getBoundingClientRect();
    return [box.x + box.width / 2 - view.x, box.y + box.height - view.y];
  }
}
