/* The badges of moves on the board. Each stands on its place, or, if it would cover a piece or another badge there, in the
   nearest free spot, at the end of a thin line. */

import { allIn } from "./dom.js";
import { makeSvg } from "./pieces.js";
import { frameOf } from "./smallboard.js";

/** @typedef {{ at: Point, size: number }} Taken */

const HALF = 13; // half of the height of a badge with one row
const ROW = 18;
const SOUTH = 30; // the height of the strip below the land, where the legend lies
const BAND = 8; // half the width of the band of a wall
const EMBLEM = 22; // half the height of a region's emblem
const PIECE = { tower: 21, house: 21 }; // half the sizes of pieces
const FARTHER = [0, 24, 32, 40, 50, 62, 76, 90, 106, 124]; // distances to try
const CLOSE = 35; // up to this distance, a badge needs no line to its place
const WAYS = 12; // directions to try, from the upper right on

/** Return the places on the board of the buttons that lie over it.
    @type {(svg: Board["svg"]) => Taken[]} */
function controlsOn(svg) {
  const toBoard = /** @type {DOMMatrix} */ (svg.getScreenCTM()).inverse();
  return allIn(".zoom button").map((one) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    const at = new DOMPoint(x + width / 2, y + height / 2).matrixTransform(toBoard);
    return { at: [at.x, at.y], size: (toBoard.a * width) / 2 };
  });
}

export class Badges {
  /** The lowest place of a badge. @type {number} */
  south;
  /** @type {Taken[]} */
  taken; // the pieces, the emblems, the numbers of lines that are named, and the badges

  /** `ids` are the places of the pieces that the moves put.
      @param {Board} board
      @param {string[]} ids */
  constructor({ svg, places, labels, values, emblemSpots }, ids) {
    this.south = frameOf({ svg })[3] - SOUTH;
    const towers = [...values].flatMap(([id, value]) => (id[0] === "t" && value ? ["k" + id.slice(1)] : []));
    this.taken = [...Object.values(labels.stocks).flat().map(([, , x, y, size]) => ({ at: /** @type {Point} */ ([x, y]), size: 0.62 * size })),
      ...emblemSpots.map((at) => ({ at, size: EMBLEM })), ...controlsOn(svg),
      ...[...labels.named].filter((id) => id[0] === "l").map((id) => ({ at: places.center(id), size: HALF })),
      ...[...towers, ...ids].map((id) => ({ at: places.spot(id), size: id[0] === "k" ? PIECE.tower : PIECE.house }))];
  }

  /** Keep badges off the band of a wall.
      @type {(ends: [x1: number, y1: number, x2: number, y2: number]) => void} */
  avoid([x1, y1, x2, y2]) {
    for (const part of [0.2, 0.4, 0.5, 0.6, 0.8]) this.taken.push({ at: [x1 + part * (x2 - x1), y1 + part * (y2 - y1)], size: BAND });
  }

  /** Return a badge for a place: its rows of text on their ground, and the line to the place if it stands beside it and `isLed`.
      @type {(at: Point, rows: string[], isLed?: boolean) => SVGElement[]} */
  put(at, rows, isLed = true) {
    const spot = this.freeSpot(at, HALF + (ROW * (rows.length - 1)) / 2);
    const [x, y] = spot;
    const width = Math.max(2 * HALF, ...rows.map((text) => 10 + 9 * text.length));
    const height = 8 + ROW * rows.length;
    const line = !isLed || Math.hypot(at[0] - x, at[1] - y) < CLOSE ? [] : ["lead casing", "lead"].map((name) => makeSvg("line", { x1: at[0], y1: at[1], x2: x, y2: y, class: name }));
    return [...line, makeSvg("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: HALF, class: "head" }),
      ...rows.map((text, row) => makeSvg("text", { x, y: y - height / 2 + 19 + ROW * row, "font-size": 17, fill: "#fff", "text-anchor": "middle" }, text))];
  }

  /** Return the spot nearest to a place that is free, or the place itself if none is.
      @type {(at: Point, half: number) => Point} */
  freeSpot(at, half) {
    const isFree = (/** @type {Point} */ [x, y]) => y + half < this.south && this.taken.every(({ at: [px, py], size }) => Math.hypot(px - x, py - y) >= size + half - 1);
    const spots = FARTHER.flatMap((far) => Array.from({ length: far ? WAYS : 1 }, (_, way) => {
      const angle = (2 * Math.PI * way) / WAYS - Math.PI / 4;
      return /** @type {Point} */ (far ? [at[0] + far * Math.cos(angle), at[1] + far * Math.sin(angle)] : at);
    }));
    const spot = spots.find(isFree) ?? at;
    this.taken.push({ at: spot, size: half });
    return spot;
  }
}
