/* The board: one SVG, whose elements are shown and hidden but never redrawn. Elements that can be chosen are live. */

import { byId, calm, legend, narrow } from "./dom.js";
import { makeSvg, showStock, switchElement } from "./pieces.js";
import { t } from "./words.js";

const REACH = 44; // the greatest distance from a finger to the chosen line, in CSS pixels
const TYPING = 1200; // the most ms between two digits of a number
const RIM = 0.26; // how far a rim lies inside its space, as a part of the way to the middle
const FAST = 300; // positions that follow each other within this time, in ms, are shown without animation

/** Return the middle of a click target from its attributes, as the board may be hidden. */
function centerOf(target) {
  const number = (name) => Number(target.getAttribute(name));
  if (target.tagName === "circle") return [number("cx"), number("cy")];
  if (target.tagName === "line") return [(number("x1") + number("x2")) / 2, (number("y1") + number("y2")) / 2];
  const points = [...target.points];
  return ["x", "y"].map((axis) => {
    const values = points.map((point) => point[axis]);
    return (Math.min(...values) + Math.max(...values)) / 2;
  });
}

export class BoardView {
  constructor(pick, refuse) {
    this.pick = pick; // called with the live item that was chosen
    this.refuse = refuse; // called with the id of a target that cannot be chosen
    this.live = new Map(); // element id -> {kind, number, label} of what can be chosen
    this.typedAt = -TYPING; // the time of the last digit typed
    this.near = null; // the line under the pointer
    this.lit = new Map(); // element id -> item that the element shows; lines keep their items while they are hidden
    this.values = new Map();
    this.stocks = new Map();
    this.tell = () => {}; // called with the line under the pointer or the focus, or with null
  }

  /** Put the board of a `board` message in place. */
  set(message) {
    const parsed = new DOMParser().parseFromString(message.svg, "image/svg+xml");
    this.svg = document.importNode(parsed.documentElement, true);
    this.svg.setAttribute("aria-label", t("page.board"));
    this.elements = new Map([...this.svg.querySelectorAll("[id]")].map((element) => [element.id, element]));
    this.lines = message.lines;
    this.name = message.board;
    this.values.clear();
    this.stocks.clear();
    this.live.clear();
    this.lit.clear();
    byId("holder").replaceChildren(this.svg);
    this.centers = new Map();
    this.land = null; // the land in small pictures, drawn when it is needed
    this.middles = new Map();
    this.regions = message.regions;
    this.emblems = [...this.svg.querySelectorAll(".regions use")];
    const layer = (id, before) => {
      const group = makeSvg("g", { id, "pointer-events": "none" });
      before.before(group);
      return group;
    };
    this.recentLayer = layer("recent", this.svg.querySelector(".masonry"));
    this.auraLayer = layer("auras", this.svg.querySelector(".glows"));
    this.besides = [];
    this.rimLayer = layer("rims", this.recentLayer); // below the pieces, so that none is hidden and none changes its color
    this.rims = new Map(); // number of a city or a space to choose -> its group in that layer
    this.labelLayer = layer("labels", this.find("targets"));
    this.ghostLayer = layer("ghosts", this.find("targets"));
    this.ghostLayer.before(this.find("targets")); // the light of a chosen place must not change the color of its piece
    this.named = new Set();
    this.offered = [];
    this.covered = new Set();
    for (const target of this.svg.querySelectorAll(".target")) this.centers.set(target.id, centerOf(target));
    this.svg.addEventListener("click", (event) => this.clicked(event));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    for (const [kind, on] of [["pointerover", true], ["pointerout", false], ["focusin", true], ["focusout", false]]) {
      this.svg.addEventListener(kind, (event) => this.glow(event, kind.startsWith("focus") ? "focus" : "near", on));
    }
  }

  find(id) {
    return this.elements.get(id);
  }

  switch(id, value, fresh) {
    if ((this.values.get(id) || "") === value) return;
    switchElement(this.find(id), value, fresh && !this.values.get(id));
    this.values.set(id, value);
  }

  /** Show the pieces of a position. */
  update(position) {
    const now = performance.now();
    const fresh = now - this.updated > FAST && !calm(); // whether new pieces are animated
    this.updated = now;
    const wanted = new Map();
    for (const line of position.walls) wanted.set("w" + line, line === position.fresh ? "2" : "1");
    for (const [place, name] of Object.entries(position.towers)) wanted.set("t" + place, name);
    for (const city of position.cities) for (const space of city) wanted.set("c" + space, "1");
    for (const space of position.scored) wanted.set("c" + space, "2");
    for (const id of [...this.values.keys()]) {
      if ("wtc".includes(id[0]) && !wanted.has(id)) this.switch(id, "", false);
    }
    for (const [id, value] of wanted) this.switch(id, value, fresh);
    for (const space of new Set([...this.stocks.keys(), ...Object.keys(position.stocks)])) {
      this.stock(space, position.stocks[space] || [], fresh);
    }
    this.moveEmblems(position);
    legend("fresh", position.walls.includes(position.fresh));
    legend("done", position.cities.length > 0);
    legend("scored", position.scored.length > 0);
    this.walls = new Set(position.walls);
    this.cities = position.cities.map((city) => new Set(city));
  }

  /** Put each region's emblem on the free space nearest to the place where it is drawn. */
  moveEmblems({ cities, stocks }) {
    const taken = new Set([...cities.flat(), ...Object.keys(stocks).map(Number)]);
    for (const [index, emblem] of this.emblems.entries()) {
      const [x, y] = ["x", "y"].map((axis) => Number(emblem.getAttribute(axis)));
      const free = [...this.regions.keys()].filter((space) => this.regions[space] === index + 1 && !taken.has(space)).map((space) => this.middle(space));
      const far = (at) => 2 * Math.abs(at[0] - x) + Math.abs(at[1] - y);
      const to = free.reduce((best, at) => (far(at) < far(best) ? at : best), free[0] || [x, y]);
      emblem.setAttribute("transform", `translate(${to[0] - x} ${to[1] - y})`);
    }
  }

  /** Return the center of gravity of a space. */
  middle(space) {
    const id = "s" + space;
    if (!this.middles.has(id)) {
      const points = [...this.find(id).points];
      this.middles.set(id, ["x", "y"].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length));
    }
    return this.middles.get(id);
  }

  /** Show the pieces of a space if they have changed. */
  stock(space, shapes, fresh) {
    const now = JSON.stringify(shapes);
    if ((this.stocks.get(space) || "[]") === now) return;
    showStock(this.find("p" + space), shapes, fresh);
    this.stocks.set(space, now);
  }

  /** Let some items {id, kind, number, label, look, tag} be chosen, and nothing else. With `tag`, the board shows the number. */
  offer(items) {
    const lines = items.every((item) => item.kind === "line");
    const focused = document.activeElement && this.live.has(document.activeElement.id);
    if (this.near !== null) this.touch(this.near, "near", false);
    this.tell(null);
    const shown = items.some((item) => item.id[0] === "l");
    this.live = new Map(items.map((item) => [item.id, item]));
    for (const id of this.lit.keys()) {
      if (!this.live.has(id) && (shown || id[0] !== "l")) this.quiet(id);
    }
    this.drawRims(items);
    this.drawAuras(items);
    for (const item of items) this.light(item, this.lit.get(item.id));
    this.spot([]);
    this.ghosts([]);
    this.offered = items.filter((item) => item.tag).map((item) => item.id);
    this.label();
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
    if (focused && items.length && !this.live.has(document.activeElement.id)) this.focusFirst();
  }

  /** Let the lines on which a wall completes a city shine. */
  drawAuras(items) {
    this.auraLayer.replaceChildren(...items.filter((item) => item.look === "city").map(({ id }) => {
      const [x1, y1, x2, y2] = this.ends(id);
      const group = makeSvg("g");
      group.append(makeSvg("line", { x1, y1, x2, y2 }), makeSvg("line", { x1, y1, x2, y2 }));
      return group;
    }));
  }

  /** Give the light of a line a class or take it away. A line that is near, in focus or picked shows its wall. */
  touch(line, name, on) {
    const light = this.find("g" + line);
    light.classList.toggle(name, on);
    this.find("w" + line).classList.toggle("ghost", ["near", "focus", "picked"].some((one) => light.classList.contains(one)));
    if (name !== "near") return;
    this.near = on ? line : null;
    for (const beside of this.besides) beside.classList.remove("beside");
    const ends = this.lines[line].slice(0, 2);
    this.besides = on ? [...this.live.values()].filter((item) => item.kind === "line" && item.number !== line
      && this.lines[item.number].slice(0, 2).some((end) => ends.includes(end))).map((item) => this.find("g" + item.number)) : [];
    for (const beside of this.besides) beside.classList.add("beside");
  }

  /** Draw a rim around each city and each space that can be chosen. */
  drawRims(items) {
    const areas = new Map();
    for (const { id, kind, number } of items) {
      if (id[0] === "s" && kind !== "setup") areas.set(number, [...(areas.get(number) || []), Number(id.slice(1))]);
    }
    this.rims = new Map([...areas].map(([number, spaces]) => [number, this.rim(number, spaces)]));
    this.rimLayer.replaceChildren(...this.rims.values());
  }

  /** Return the ground of some spaces, with a line inside each of their outer sides. */
  rim(number, spaces) {
    const group = makeSvg("g", { class: "rim", id: "r" + number });
    for (const space of spaces) {
      const [x, y] = this.middle(space);
      const inner = ([at, down]) => [at + RIM * (x - at), down + RIM * (y - down)];
      group.append(makeSvg("polygon", { points: this.find("s" + space).getAttribute("points") }));
      for (const line of this.sides(space)) {
        if (this.lines[line].slice(2).every((one) => spaces.includes(one))) continue;
        const [left, top, right, bottom] = this.ends("l" + line);
        const [[x1, y1], [x2, y2]] = [inner([left, top]), inner([right, bottom])];
        group.append(makeSvg("line", { x1, y1, x2, y2 }));
      }
    }
    return group;
  }

  /** Return the lines around a space. */
  sides(space) {
    return [...this.lines.keys()].filter((line) => this.lines[line].slice(2).includes(space));
  }

  /** Return the rim that an element with an id belongs to, if any. */
  rimOf(id) {
    return id[0] === "s" ? this.rims.get(this.live.get(id)?.number) : undefined;
  }

  /** Make an item live; `before` is the item that its element showed until now, if any. */
  light(item, before) {
    const element = this.find(item.id);
    if (!before) {
      element.classList.add("live");
      element.setAttribute("role", "button");
      element.setAttribute("tabindex", "-1");
    }
    this.lit.set(item.id, item);
    if (!before || before.label !== item.label) element.setAttribute("aria-label", item.label);
    if (item.kind === "line") this.switch("g" + item.number, item.look || "legal");
    if (before) this.mark(item.id, false);
  }

  /** Let nothing be chosen until items are offered again. */
  lock() {
    this.svg.classList.add("locked");
  }

  quiet(id) {
    const element = this.find(id);
    this.lit.delete(id);
    element.classList.remove("live", "chosen");
    for (const name of ["role", "aria-label", "tabindex"]) element.removeAttribute(name);
    if (id[0] === "l") {
      this.switch("g" + id.slice(1), "");
      for (const name of ["near", "focus", "picked"]) this.touch(Number(id.slice(1)), name, false);
    }
  }

  mark(id, on) {
    (this.rimOf(id) || this.find(id)).classList.toggle("chosen", on);
    if (on) legend("picked", true);
    if (id[0] === "l") this.touch(Number(id.slice(1)), "picked", on);
  }

  glow(event, name, on) {
    const item = this.live.get(event.target.id);
    const isShown = on && (name === "near" || event.target.matches(":focus-visible"));
    if (name === "focus") legend("focus", item && isShown);
    if (item) this.rimOf(item.id)?.classList.toggle("near", on);
    if (!item || item.kind !== "line") return;
    this.touch(item.number, name, isShown);
    this.label(isShown ? item.id : null);
    this.tell(on ? item : null);
  }

  clicked(event) {
    if (this.svg.classList.contains("locked")) return;
    const item = event.pointerType === "touch" ? this.nearest(event) : this.live.get(event.target.id);
    if (item) this.pick(item);
    else this.refuse(event.target.classList.contains("target") ? event.target.id : "");
  }

  /** Return the live item nearest to a finger, or null if all are too far away. */
  nearest(event) {
    const matrix = this.svg.getScreenCTM().inverse();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    const reach = REACH * matrix.a;
    let best = null;
    let least = reach;
    for (const item of this.live.values()) {
      const far = item.kind === "line" ? this.farFromLine(item.id, at) : this.farFromCenter(item.id, at);
      if (far < least) [best, least] = [item, far];
    }
    return best;
  }

  farFromCenter(id, at) {
    const [x, y] = this.centers.get(id);
    return Math.hypot(x - at.x, y - at.y);
  }

  /** Return the ends of a line as [x1, y1, x2, y2]. */
  ends(id) {
    const element = this.find(id);
    return ["x1", "y1", "x2", "y2"].map((name) => Number(element.getAttribute(name)));
  }

  farFromLine(id, at) {
    const [x1, y1, x2, y2] = this.ends(id);
    const along = ((at.x - x1) * (x2 - x1) + (at.y - y1) * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2);
    const part = Math.min(Math.max(along, 0.15), 0.85);
    return Math.hypot(x1 + part * (x2 - x1) - at.x, y1 + part * (y2 - y1) - at.y);
  }

  key(event) {
    if (/^\d$/.test(event.key) && this.live.has(event.target.id)) {
      event.preventDefault();
      event.stopPropagation(); // elsewhere on the page, 0 resets the size of the board
      this.type(event.key);
      return;
    }
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const item = this.live.get(event.target.id);
    if (!item || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.typedAt = -TYPING;
      if (!this.svg.classList.contains("locked")) this.pick(item);
    } else if (step) {
      event.preventDefault();
      const to = this.towards(event.target.id, step);
      if (to) this.focus(to);
    }
  }

  /** Move the focus to the place whose number is being typed. */
  type(digit) {
    const now = performance.now();
    this.typed = now - this.typedAt < TYPING ? this.typed + digit : digit;
    this.typedAt = now;
    const to = [...this.live.keys()].find((id) => id.slice(1) === this.typed);
    if (to) this.focus(to);
  }

  focus(id) {
    for (const other of this.live.keys()) this.find(other).setAttribute("tabindex", other === id ? "0" : "-1");
    this.find(id).focus();
  }

  focusFirst() {
    const first = [...this.live.keys()].find((id) => this.find(id).getAttribute("tabindex") === "0");
    if (first) this.find(first).focus();
  }

  /** Return the id of the nearest live item in a direction, not too far to the side, or null. */
  towards(id, [dx, dy]) {
    const [x, y] = this.centers.get(id);
    let best = null;
    let least = Infinity;
    for (const other of this.live.keys()) {
      const [ox, oy] = this.centers.get(other);
      const ahead = (ox - x) * dx + (oy - y) * dy;
      const aside = Math.abs((ox - x) * dy + (oy - y) * dx);
      if (other === id || ahead < 3 || aside > 2 * ahead) continue;
      const cost = ahead + 2 * aside;
      if (cost < least) [best, least] = [other, cost];
    }
    return best;
  }

  /** Show letters on lines. */
  letters(marks) {
    const layer = this.find("marks");
    layer.replaceChildren();
    legend("letters", Object.keys(marks).length > 0);
    for (const [line, text] of Object.entries(marks)) {
      const [x, y] = this.centers.get("l" + line);
      layer.append(makeSvg("circle", { cx: x, cy: y, r: 12 }),
        makeSvg("text", { x, y: y + 5.2, "font-size": 15, fill: "#fff", "text-anchor": "middle" }, text));
    }
  }

  /** Show the numbers of some places, besides those of the places to choose; `ids` look like l82, k30 or s53. */
  tags(ids) {
    this.named = new Set(ids);
    this.label();
  }

  /** Show no numbers on lines that bear the mark of a move; `ids` look like l82. */
  cover(ids) {
    this.covered = new Set(ids);
    this.label();
  }

  /** Show the numbers of places to choose and of places named, and of `near`, the line under the pointer or the focus. */
  label(near = null) {
    const ids = new Set([...[...this.named, ...this.offered].filter((id) => !this.covered.has(id)), ...(near ? [near] : [])]);
    const key = [...ids].join(" ");
    if (this.labelLayer.dataset.key === key) return;
    this.labelLayer.dataset.key = key;
    this.labelLayer.replaceChildren();
    const size = narrow() ? 27 : 16;
    for (const id of ids) {
      const [x, y] = this.labelPlace(id, size);
      const width = 0.62 * size + 0.56 * size * (id.length - 1);
      if (id[0] === "l") this.labelLayer.append(makeSvg("rect", { x: x - width / 2, y: y - 0.62 * size, width, height: 1.25 * size, rx: 6, class: "plate" }));
      this.labelLayer.append(makeSvg("text", { x, y: y + 0.37 * size, "text-anchor": "middle", "font-size": size, class: id === near ? "tag near" : "tag" }, id.slice(1)));
    }
  }

  /** Return the place of a number. Those of spaces are in the far corner, away from the lines' numbers, or on a side if
      a piece stands in that corner. */
  labelPlace(id, size) {
    const [x, y] = this.centers.get(id);
    if (id[0] !== "s") return [x, id[0] === "k" ? y + 36 : y];
    const space = Number(id.slice(1));
    const [, middle] = this.middle(space);
    const corner = [x, middle > y ? y - 16 : y + 16];
    const hides = ([, , px, py, width]) => Math.hypot(px - corner[0], py - corner[1]) < (width + size) / 2;
    if (!JSON.parse(this.stocks.get(String(space)) || "[]").some(hides)) return corner;
    const isFree = (line) => !this.cities.some((city) => this.lines[line].slice(2).some((one) => one !== space && city.has(one)));
    const sides = this.sides(space);
    return this.centers.get("l" + (sides.find(isFree) ?? sides[0]));
  }

  /** Show places more clearly while a button that chooses them has the pointer or the focus. */
  spot(ids) {
    for (const element of this.svg.querySelectorAll(".spot")) element.classList.remove("spot");
    for (const id of ids) (this.rimOf(id) || this.find(id[0] === "l" ? "g" + id.slice(1) : id)).classList.add("spot");
  }

  /** Show pieces that are chosen but not placed yet; `pieces` has `[symbol, id]`, such as `["house-red", "s53"]`. */
  ghosts(pieces) {
    this.ghostLayer.replaceChildren(...pieces.map((piece) => this.pieceOn(...piece)));
  }

  pieceOn(symbol, id, scale = 0.34) {
    const [x, y] = id[0] === "k" ? this.centers.get(id) : this.middle(id.slice(1));
    return makeSvg("use", { href: "#" + symbol, transform: `translate(${x} ${y}) scale(${id[0] === "k" ? scale / 0.36 : scale})` });
  }

  /** Return a small picture of a wall's line with pieces beside it or at its ends; `pieces` is as for `ghosts`. */
  around(line, pieces) {
    const [x1, y1, x2, y2] = this.ends("l" + line);
    const areas = pieces.filter(([, id]) => id[0] === "s").map(([, id]) => [...this.find(id).points].map(({ x, y }) => [x, y]));
    const points = [...areas.flat(), [x1, y1], [x2, y2]];
    const [[left, right], [top, bottom]] = [0, 1].map((axis) => [Math.min(...points.map((at) => at[axis])), Math.max(...points.map((at) => at[axis]))]);
    const edge = areas.length ? 4 : 42;
    const svg = makeSvg("svg", { viewBox: `${left - edge} ${top - edge} ${right - left + 2 * edge} ${bottom - top + 2 * edge}`, class: "around", "aria-hidden": "true" });
    svg.append(...areas.map((area) => makeSvg("polygon", { points: area.join(" ") })), makeSvg("line", { x1, y1, x2, y2 }),
      ...pieces.map(([symbol, id]) => this.pieceOn(symbol, id, 0.5)));
    return svg;
  }

  /** Mark the pieces on some places as placed since the last decision of this page; those of `latest` draw the eye. */
  markRecent(ids, latest = []) {
    const key = ids.join(" ");
    if (this.recentLayer.dataset.key === key) return;
    this.recentLayer.dataset.key = key;
    this.recentLayer.replaceChildren(...ids.map((id) => {
      const look = latest.includes(id) ? { class: "latest" } : {};
      if (id[0] === "l") {
        const [x1, y1, x2, y2] = this.ends(id);
        return makeSvg("line", { x1, y1, x2, y2, ...look });
      }
      const [cx, cy] = id[0] === "k" ? this.centers.get(id) : this.middle(id.slice(1));
      return makeSvg("circle", { cx, cy, r: id[0] === "k" ? 25 : 27, ...look });
    }));
    legend("recent", ids.length > 0);
  }

  /** Return why no wall can be built on a line. */
  why(id) {
    const line = Number(id.slice(1));
    if (this.walls.has(line)) return t("refuse.stands", { line });
    const [, , space, other] = this.lines[line];
    const inside = this.cities.some((city) => city.has(space) && city.has(other));
    return inside ? t("refuse.inside", { line }) : t("refuse.line", { line });
  }

  /** Return the lower middle of an element, relative to the board's section. */
  place(id) {
    const box = this.find(id).getBoundingClientRect();
    const view = document.querySelector(".view").getBoundingClientRect();
    return [box.x + box.width / 2 - view.x, box.y + box.height - view.y];
  }
}

// --- zooming with buttons, keys or two fingers; the rest of the page keeps its size

const LARGEST = 4;
let zoom = 1;

function set(wanted, x, y) {
  const scroller = byId("scroller");
  const box = scroller.getBoundingClientRect();
  const [px, py] = [x === undefined ? box.width / 2 : x - box.x, y === undefined ? box.height / 2 : y - box.y];
  const before = zoom;
  zoom = Math.min(Math.max(wanted, 1), LARGEST);
  const factor = zoom / before;
  const [left, top] = [(scroller.scrollLeft + px) * factor - px, (scroller.scrollTop + py) * factor - py];
  for (const side of ["width", "height"]) byId("holder").style[side] = zoom === 1 ? "" : `${100 * zoom}%`;
  scroller.tabIndex = zoom > 1 ? 0 : -1; // so that the arrow keys can scroll it
  scroller.classList.toggle("zoomed", zoom > 1);
  scroller.scrollTo(left, top);
}

export const larger = () => set(zoom * 1.4);
export const smaller = () => set(zoom / 1.4);
export const whole = () => set(1);

export function startZoom() {
  byId("zoom-in").addEventListener("click", larger);
  byId("zoom-out").addEventListener("click", smaller);
  byId("zoom-fit").addEventListener("click", whole);
  const fingers = new Map();
  let apart = 0;
  const scroller = byId("scroller");
  // The wheel zooms with Ctrl. Else it scrolls the enlarged board or the page.
  scroller.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    set(zoom * Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
  }, { passive: false });
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return [Math.hypot(a.x - b.x, a.y - b.y), (a.x + b.x) / 2, (a.y + b.y) / 2];
  };
  scroller.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch") fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size === 2) [apart] = spread();
  });
  scroller.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size !== 2) return;
    const [now, x, y] = spread();
    if (apart > 0) set((zoom * now) / apart, x, y);
    apart = now;
  });
  for (const name of ["pointerup", "pointercancel"]) {
    scroller.addEventListener(name, (event) => { fingers.delete(event.pointerId); });
  }
}
