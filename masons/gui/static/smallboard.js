/* Small pictures of a board, with the shapes of the large board and its pieces as symbols. */

import { makeSvg } from "./pieces.js";
import { pointsOf } from "./places.js";

const LAND = ".beyond, .deep, .sand, .spaces path:not(.texture)"; // the parts of the large board that a small one has, too

/** @type {(polygon: Element) => string} */
const outline = (polygon) => `M${pointsOf(polygon).join("L")}Z`;

/** Return the ground of a board, which is made once for all pictures.
    @type {(board: Board) => Node} */
function landOf(board) {
  if (!board.land) {
    board.land = makeSvg("g", { "stroke-linecap": "round", "stroke-linejoin": "round" });
    board.land.append(...[...board.svg.querySelectorAll(LAND)].map((part) => part.cloneNode()));
    for (const part of board.land.querySelectorAll(".sand")) part.setAttribute("fill", "none");
  }
  return board.land.cloneNode(true);
}

/** Return a picture of the pieces of a `position` message. `box` is the part of the board to show, as a viewBox.
    Screen readers skip a picture without a label.
    @type {(board: Board, pieces: Omit<Pieces, "fresh" | "scored">, how?: { label?: string, box?: string }) => SVGElement} */
export function smallBoard(board, pieces, { label = "", box = board.svg.getAttribute("viewBox") ?? "" } = {}) {
  /** @type {SvgAttributes} */
  const name = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true", focusable: "false" };
  const svg = makeSvg("svg", { viewBox: box, class: "small-board board", ...name });
  svg.append(landOf(board));
  const cities = pieces.cities.flat().map((space) => outline(board.find("c" + space))).join("");
  svg.append(makeSvg("path", { d: cities, fill: "#f7e3a8", class: "city" }));
  svg.append(...pieces.walls.map((line) => /** @type {Element} */ (board.find("w" + line).lastElementChild).cloneNode()));
  for (const [place, name] of Object.entries(pieces.towers)) {
    const [x, y] = board.places.center("k" + place);
    svg.append(makeSvg("use", { href: "#" + name, x, y }));
  }
  for (const [name, , x, y, size] of Object.values(pieces.stocks).flat()) {
    svg.append(makeSvg("use", { href: "#" + name, transform: `translate(${x} ${y}) scale(${size / 100})` }));
  }
  return svg;
}
