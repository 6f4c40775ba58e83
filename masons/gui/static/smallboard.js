/* Small pictures of a board, with the shapes of the large board and its pieces as symbols. */

import { makeSvg } from "./pieces.js";
import { pointsOf } from "./places.js";

const LAND = ".beyond, .deep, .sand, .spaces path:not(.texture)"; // the parts of the large board that a small one has, too
const ORNAMENTS = ".surroundings, .spaces .texture, .lines"; // of pictures that are not tiny

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

/** Return the pieces of a tiny picture as dots, those of a color as one shape.
    @type {(board: Board, pieces: Pick<Pieces, "towers" | "stocks">) => SVGElement[]} */
function dotsOf(board, { towers, stocks }) {
  /** @type {Record<string, string>} */
  const paths = {};
  const add = (/** @type {string} */ name, /** @type {Point} */ at) => {
    const color = name.split("-").at(-1) ?? "";
    paths[color] = (paths[color] ?? "") + `M${at.join(" ")}h.1`;
  };
  for (const [place, name] of Object.entries(towers)) add(name, board.places.center("k" + place));
  for (const [name, , x, y] of Object.values(stocks).flat()) add(name, [x, y]);
  return Object.entries(paths).map(([color, d]) => makeSvg("path", { d, class: `dots ${color}`, "stroke-linecap": "round" }));
}

/** Return a picture of the pieces of a `position` message, which screen readers skip. If it is `tiny`, its pieces
    are dots: browsers copy a symbol of many elements for each other piece.
    @type {(board: Board, pieces: Omit<Pieces, "fresh" | "scored">, tiny?: boolean) => SVGElement} */
export function smallBoard(board, pieces, tiny = false) {
  const svg = makeSvg("svg", { viewBox: board.svg.getAttribute("viewBox") ?? "", class: "small-board board", "aria-hidden": "true", focusable: "false" });
  const cities = pieces.cities.flat().map((space) => outline(board.find("c" + space))).join("");
  svg.append(tiny ? landOf(board) : groundOf(board), makeSvg("path", { d: cities, fill: "#f7e3a8", class: "city" }));
  if (tiny) {
    const walls = pieces.walls.map((line) => "M" + board.places.ends("l" + line).join(" ")).join("");
    for (const look of ["tiny casing", "tiny"]) svg.append(makeSvg("path", { d: walls, fill: "none", class: look, "stroke-linecap": "round" }));
    svg.append(...dotsOf(board, pieces));
    return svg;
  }
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
