/* Shapes that are drawn on the board, and a small picture of a part of it. */

import { icon, make } from "./dom.js";
import { makeSvg } from "./pieces.js";
import { pointsOf } from "./places.js";

/** @typedef {import("./places.js").Places} Places */

const RIM = 0.26; // how far a rim lies inside its space, as a part of the way to the middle

/** Return the ground of some spaces, with a line inside each of their outer sides.
    @type {(places: Places, number: number, spaces: number[]) => SVGElement} */
export function rim(places, number, spaces) {
  const group = makeSvg("g", { class: "rim", id: "r" + number });
  for (const space of spaces) {
    const [x, y] = places.middle(space);
    const inner = (/** @type {Point} */ [at, down]) => [at + RIM * (x - at), down + RIM * (y - down)];
    group.append(makeSvg("polygon", { points: pointsOf(places.find("s" + space)).join(" ") }));
    for (const line of places.sides(space)) {
      if (places.lines[line].slice(2).every((one) => one !== null && spaces.includes(one))) continue;
      const [left, top, right, bottom] = places.ends("l" + line);
      const [[x1, y1], [x2, y2]] = [inner([left, top]), inner([right, bottom])];
      group.append(makeSvg("line", { x1, y1, x2, y2 }));
    }
  }
  return group;
}

/** Return the light of a line on which a wall completes a city.
    @type {(places: Places, id: string) => SVGElement} */
export function aura(places, id) {
  const [x1, y1, x2, y2] = places.ends(id);
  const group = makeSvg("g");
  group.append(makeSvg("line", { x1, y1, x2, y2 }), makeSvg("line", { x1, y1, x2, y2 }));
  return group;
}

/** Return a piece on its place.
    @type {(places: Places, symbol: string, id: string, scale?: number) => SVGElement} */
export function pieceOn(places, symbol, id, scale = 0.34) {
  const [x, y] = places.spot(id);
  return makeSvg("use", { href: "#" + symbol, transform: `translate(${x} ${y}) scale(${id[0] === "k" ? scale / 0.36 : scale})` });
}

const SIZE = 182; // of a small picture, the same for all lines; towers reach above their places
const WIDE = 235; // with the land around

/** Return the number of a piece's place, in the corner of the picture that is nearest to it.
    @type {(places: Places, middle: Point, id: string) => SVGElement} */
function numberOf(places, [x, y], id) {
  const [at, down] = places.spot(id);
  const [side, end] = [at < x - 1 || (at < x + 1 && down < y) ? -1 : 1, id[0] === "s" && down < y - 1 || down < y - 9 ? -1 : 1];
  return makeSvg("text", { x: x + side * (SIZE / 2 - 5), y: y + end * (SIZE / 2 - 14) + 1, "text-anchor": side < 0 ? "start" : "end" }, id.slice(1));
}

/** Return pieces side by side, each above the number of its place.
    @type {(pieces: [symbol: string, id: string][]) => HTMLElement} */
export const inRow = (pieces) => make("span", { className: "in-row", "aria-hidden": "true" }, ...pieces.map(([symbol, id]) => make("span", {}, icon(symbol), id.slice(1))));

/** Return a small picture of a wall's line on its ground, with pieces beside it or at its ends; `pieces` has
    `[symbol, id]`, such as `["house-red", "s53"]`. They may bear the numbers of their places, or the land around may be
    shown, too.
    @type {(board: Board, line: number, pieces: [symbol: string, id: string][], look?: "numbered" | "wide") => SVGElement} */
export function around({ places, lines, regions }, line, pieces, look) {
  const [x1, y1, x2, y2] = places.ends("l" + line);
  const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
  const isNear = (/** @type {Point} */ [at, down]) => Math.hypot(at - x, down - y) < 1.2 * WIDE;
  const spaces = [...regions.keys()].filter((space) => lines[line].slice(2).includes(space) || (look === "wide" && isNear(places.middle(space))));
  const size = look === "wide" ? WIDE : SIZE;
  const svg = makeSvg("svg", { viewBox: `${x - size / 2} ${y - size / 2 - 8} ${size} ${size}`, class: `around ${look ?? ""}`, "aria-hidden": "true" });
  svg.append(...spaces.map((space) => makeSvg("polygon", { points: pointsOf(places.find("s" + space)).join(" "), class: `region-${regions[space]}` })), makeSvg("line", { x1, y1, x2, y2 }),
    ...pieces.map(([symbol, id]) => pieceOn(places, symbol, id, (id[0] === "s" ? 0.62 : 0.5) * (look === "wide" ? 0.85 : 1))), ...(look === "numbered" ? pieces.map(([, id]) => numberOf(places, [x, y], id)) : []));
  return svg;
}
