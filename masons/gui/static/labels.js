/* The numbers and letters on the board: those of places to choose and of places that a text names. */

import { legend, narrow } from "./dom.js";
import { makeSvg } from "./pieces.js";

const ASIDE = 4; // how far a space's number is from the middle

export class Labels {
  /** @type {Set<string>} */
  named = new Set(); // ids of places that are named, besides those to choose
  /** @type {string[]} */
  offered = []; // ids of places to choose that show their numbers
  /** @type {Set<string>} */
  covered = new Set(); // the kinds of places that bear the marks of moves, by the letters of their ids
  /** @type {Record<string, Shape[]>} */
  stocks = {}; // the pieces in spaces
  /** @type {Set<number>[]} */
  cities = [];

  /** @param {SVGElement} layer
      @param {import("./places.js").Places} places */
  constructor(layer, places) {
    this.layer = layer;
    this.places = places;
  }

  /** Show the numbers of some places, besides those of the places to choose; `ids` look like l82, k30 or s53.
      @type {(ids: Iterable<string>) => void} */
  tags(ids) {
    this.named = new Set(ids);
    this.draw();
  }

  /** Show the numbers of the walls among moves that a text names.
      @type {(moves: string[]) => void} */
  nameWalls(moves) {
    const walls = moves.filter((move) => /^wall:\d/.test(move));
    this.tags(walls.map((move) => move.replace("wall:", "l")));
    legend("named", walls.length);
  }

  /** Show no numbers of places to choose on the kinds of places that bear the marks of moves, as they could be taken for ranks.
      @type {(letters: string[]) => void} */
  cover(letters) {
    this.covered = new Set(letters);
    this.draw();
  }

  /** Show the numbers of the places of some items, if they have a tag.
      @type {(items: Item[]) => void} */
  offer(items) {
    this.offered = items.filter((item) => item.tag).map((item) => item.id);
    this.draw();
  }

  /** Draw the numbers, with that of `near`, the line under the pointer or the focus.
      @type {(near?: string | null) => void} */
  draw(near = null) {
    const ids = new Set([...this.named, ...this.offered.filter(([letter]) => !this.covered.has(letter)), ...(near ? [near] : [])]);
    const key = [...ids].join(" ");
    if (this.layer.dataset.key === key) return;
    this.layer.dataset.key = key;
    this.layer.replaceChildren();
    const size = narrow() ? 27 : 16;
    for (const id of ids) {
      const [x, y] = this.place(id, size);
      const width = 0.62 * size + 0.56 * size * (id.length - 1);
      if (id[0] === "l") this.layer.append(makeSvg("rect", { x: x - width / 2, y: y - 0.62 * size, width, height: 1.25 * size, rx: 6, class: "plate" }));
      this.layer.append(makeSvg("text", { x, y: y + 0.37 * size, "text-anchor": "middle", "font-size": size, class: id === near ? "tag near" : "tag" }, id.slice(1)));
    }
  }

  /** Return the place of a number. Those of places to choose are in their middle. Those of tower spaces are above the
      tower. Other spaces have theirs near their middle, towards the corner opposite the horizontal side, or on a side
      if a piece stands there.
      @type {(id: string, size: number) => Point} */
  place(id, size) {
    const [x, y] = this.places.center(id);
    if (this.offered.includes(id)) return [x, y];
    if (id[0] !== "s") return [x, id[0] === "k" ? y - 41 - size / 2 : y];
    const space = Number(id.slice(1));
    const [, middle] = this.places.middle(space);
    /** @type {Point} */
    const inside = [x, middle > y ? y - ASIDE : y + ASIDE];
    const hides = (/** @type {Shape} */ [, , px, py, width]) => Math.hypot(px - inside[0], py - inside[1]) < (width + size) / 2;
    if (!(this.stocks[space] || []).some(hides)) return inside;
    const { lines } = this.places;
    const isFree = (/** @type {number} */ line) => !this.cities.some((city) => lines[line].slice(2).some((one) => one !== null && one !== space && city.has(one)));
    const sides = this.places.sides(space);
    return this.places.center("l" + (sides.find(isFree) ?? sides[0]));
  }
}
