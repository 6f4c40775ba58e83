/* Small pictures of a board, with the shapes of the large board and its pieces as symbols. */

import { makeSvg } from "./pieces.js";
import { pointsOf } from "./places.js";

const LAND = ".beyond, .deep, .sand, .spaces path:not(.texture)"; // the parts of the large board that a small one has, too
const ORNAMENTS = ".surroundings, .spaces .texture, .lines";
const PART = [520, 247]; // of the board in a close picture
const SHORE = [0, 14]; // of what lies south of the frame, so that light on walls there is whole
const REACH = 60; // of a piece from its spot

/** @type {(polygon: Element) => string} */
const outline = (polygon) => `M${pointsOf(polygon).join("L")}Z`;

/** Return the ground of a board with its ornaments.
    @type {(board: Board) => Node} */
export function groundOf(board) {
  const ground = landOf(board);
  ground.append(...[...board.svg.querySelectorAll(ORNAMENTS)].map((part) => part.cloneNode(true)));
  return ground;
}

/** Return the ground of a board, which is made once for all pictures.
    @type {(board: Board) => Element} */
function landOf(board) {
  if (!board.land) {
    board.land = makeSvg("g", { "stroke-linecap": "round", "stroke-linejoin": "round" });
    board.land.append(...[...board.svg.querySelectorAll(LAND)].map((part) => part.cloneNode()));
    for (const part of board.land.querySelectorAll(".sand")) part.setAttribute("fill", "none");
  }
  return /** @type {Element} */ (board.land.cloneNode(true));
}

/** Return a picture of the pieces of a `position` message, which screen readers skip.
    @type {(board: Board, pieces: Omit<Pieces, "fresh" | "scored">, part?: Box) => SVGElement} */
export function smallBoard(board, { cities, walls, towers, stocks }, part = frameOf(board)) {
  const svg = makeSvg("svg", { viewBox: part.join(" "), class: "small-board board", "aria-hidden": "true", focusable: "false" });
  const isShown = (/** @type {Point} */ at) => at.every((each, axis) => each > part[axis] - REACH && each < part[axis] + part[axis + 2] + REACH);
  svg.append(groundOf(board), makeSvg("path", { d: cities.flat().map((space) => outline(board.find("c" + space))).join(""), fill: board.find("c0").getAttribute("fill") ?? "", class: "city" }),
    ...walls.map((line) => /** @type {Element} */ (board.find("w" + line).lastElementChild).cloneNode()));
  for (const [place, name] of Object.entries(towers)) {
    const [x, y] = board.places.center("k" + place);
    if (isShown([x, y])) svg.append(makeSvg("use", { href: "#" + name, x, y }));
  }
  for (const [name, , x, y, size] of Object.values(stocks).flat()) {
    if (isShown([x, y])) svg.append(makeSvg("use", { href: "#" + name, transform: `translate(${x} ${y}) scale(${size / 100})` }));
  }
  return svg;
}

/** The left and upper end of a part of the board, its width and its height. @typedef {number[]} Box */

/** Return the whole board, whose corner is at 0, 0.
    @type {(board: Pick<Board, "svg">) => Box} */
export const frameOf = (board) => (board.svg.getAttribute("viewBox") ?? "").split(" ").map(Number);

/** Return a picture of the part of the board where most pieces stand.
    @type {(board: Board, pieces: Omit<Pieces, "fresh" | "scored">) => SVGElement} */
export function closeUp(board, pieces) {
  const spots = [...Object.keys(pieces.towers).map((place) => board.places.center("k" + place)), ...Object.values(pieces.stocks).flat().map(([, , x, y]) => /** @type {Point} */ ([x, y]))];
  const counts = spots.map(([x, y]) => spots.filter(([other, another]) => Math.abs(other - x) < PART[0] / 2 && Math.abs(another - y) < PART[1] / 2).length);
  const [, , width, height] = frameOf(board);
  return smallBoard(board, pieces, partOf(board, spots[counts.indexOf(Math.max(...counts))] ?? [width / 2, height / 2], PART));
}

/** Return the part of the board of a size whose middle is as near as possible to a point.
    @type {(board: Board, middle: number[], size: number[]) => Box} */
export function partOf(board, middle, size) {
  const frame = frameOf(board);
  return [...middle.map((at, axis) => Math.max(Math.min(at - size[axis] / 2, frame[axis + 2] - size[axis] + SHORE[axis]), 0)), ...size];
}
