/* Small pictures of a board, with the shapes of the large board and its pieces as symbols. */

import { makeSvg } from "./pieces.js";

const MORTAR = { stroke: "#4d3a2c", "stroke-width": 13 };
const STONES = { stroke: "#b4845c", "stroke-width": 8 };

const outline = (polygon) => `M${[...polygon.points].map(({ x, y }) => `${x},${y}`).join("L")}Z`;

/** Return the land of a board as a path for each color, which is made once for all pictures. */
function landOf(board) {
  if (board.land) return board.land;
  const colors = new Map();
  for (const polygon of board.svg.querySelectorAll(".spaces polygon")) {
    const color = polygon.getAttribute("fill");
    colors.set(color, (colors.get(color) || "") + outline(polygon));
  }
  board.land = [...colors];
  return board.land;
}

/** Return a picture of the pieces of a `position` message. `box` is the part of the board to show, as a viewBox.
    Screen readers skip a picture without a label. */
export function smallBoard(board, pieces, { label = "", box = board.svg.getAttribute("viewBox") } = {}) {
  const name = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true", focusable: "false" };
  const svg = makeSvg("svg", { viewBox: box, class: "small-board", ...name });
  for (const [fill, d] of landOf(board)) svg.append(makeSvg("path", { d, fill, stroke: fill, "stroke-width": 1.5 }));
  const cities = pieces.cities.flat().map((space) => outline(board.find("c" + space))).join("");
  svg.append(makeSvg("path", { d: cities, fill: "#f6cf6b", stroke: "#f6cf6b" }));
  const walls = pieces.walls.map((line) => board.ends("l" + line)).map(([x, y, to, down]) => `M${x},${y}L${to},${down}`).join("");
  for (const look of [MORTAR, STONES]) svg.append(makeSvg("path", { d: walls, fill: "none", ...look }));
  for (const [place, name] of Object.entries(pieces.towers)) {
    const [x, y] = board.centers.get("k" + place);
    svg.append(makeSvg("use", { href: "#" + name, x, y }));
  }
  for (const [name, , x, y, size] of Object.values(pieces.stocks).flat()) {
    svg.append(makeSvg("use", { href: "#" + name, transform: `translate(${x} ${y}) scale(${size / 100})` }));
  }
  return svg;
}
