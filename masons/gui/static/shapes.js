/* Shapes that are drawn on the board, and a small picture of a part of it. */

import { icon, make } from "./dom.js";
import { miniCard } from "./eventpictures.js";
import { cardsOf, moveWords } from "./gamewords.js";
import { makeSvg } from "./pieces.js";
import { pointsOf } from "./places.js";
import { groundOf, partOf, smallBoard } from "./smallboard.js";

/** @typedef {import("./places.js").Places} Places */

const RIM = 0.24; // how far a rim lies inside its space, as a part of the way to the middle

/** Return a stroke along a line.
    @type {(places: Places, id: string, look?: Record<string, string | number>) => SVGElement} */
export function strokeOn(places, id, look = {}) {
  const [x1, y1, x2, y2] = places.ends(id);
  return makeSvg("line", { x1, y1, x2, y2, ...look });
}

/** Return a stroke along each outer side of some spaces, a part of the way `inside` to the middle.
    @type {(places: Places, spaces: number[], look: string, inside?: number) => SVGElement[]} */
export const strokesAround = (places, spaces, look, inside = 0) => spaces.flatMap((space) => {
  const [x, y] = places.middle(space);
  const outer = places.sides(space).filter((line) => !places.lines[line].slice(2).every((one) => one !== null && spaces.includes(one)));
  return outer.map((line) => {
    const [x1, y1, x2, y2] = places.ends("l" + line).map((at, i) => at + inside * ((i % 2 ? y : x) - at));
    return makeSvg("line", { x1, y1, x2, y2, class: look });
  });
});

/** Return the ground of some spaces, with a line inside each of their outer sides.
    @type {(places: Places, number: number, spaces: number[]) => SVGElement} */
export function rim(places, number, spaces) {
  const group = makeSvg("g", { class: "rim", id: "r" + number });
  group.append(...spaces.map((space) => makeSvg("polygon", { points: pointsOf(places.find("s" + space)).join(" ") })),
    ...strokesAround(places, spaces, "casing", RIM), ...strokesAround(places, spaces, "", RIM));
  return group;
}

/** Return the light around the city that is scored.
    @type {(places: Places, spaces: number[]) => SVGElement[]} */
export const halo = (places, spaces) => ["casing", ""].flatMap((look) => strokesAround(places, spaces, look));

/** Return the light of a line on which a wall completes a city.
    @type {(places: Places, id: string) => SVGElement} */
export function aura(places, id) {
  const group = makeSvg("g");
  group.append(strokeOn(places, id), strokeOn(places, id));
  return group;
}

/** Return a piece on its place.
    @type {(places: Places, symbol: string, id: string, scale?: number) => SVGElement} */
export function pieceOn(places, symbol, id, scale = 0.34) {
  const [x, y] = places.spot(id);
  return makeSvg("use", { href: "#" + symbol, transform: `translate(${x} ${y}) scale(${id[0] === "k" ? scale / 0.36 : scale})` });
}

const AROUND = 34; // of the land that a picture shows around a city
const CLOSE = 175; // the size of a small picture, the same for all lines; towers reach above their places
/** @type {Point} */
const WIDE = [230, 230]; // of one that also shows the land around

/** Return a small picture of the board as it stands around a wall, or around the city that is scored. `lit` are shapes that
    are lit below the walls; `size` is that of what is shown around a wall.
    @type {(board: Board, pieces: Pieces, line: number | null, lit?: SVGElement[], size?: Point) => SVGElement} */
export function sight(board, pieces, line, lit = [], size = WIDE) {
  const { places } = board;
  const city = line === null ? pieces.scored : [];
  const corners = line === null ? city.flatMap((space) => pointsOf(places.find("s" + space))) : [places.center("l" + line)];
  const [beside, above] = line === null ? [AROUND, AROUND] : size.map((one) => one / 2);
  const [[left, right], [top, bottom]] = [0, 1].map((axis) => [Math.min, Math.max].map((end) => end(...corners.map((corner) => corner[axis]))));
  const [x, y] = [(left + right) / 2, (top + bottom) / 2 - 8];
  const part = partOf(board, [x, y], [right - left + 2 * beside, bottom - top + 2 * above]);
  const svg = smallBoard(board, pieces, part);
  if (line !== null) svg.setAttribute("preserveAspectRatio", `x${sideOf(x, part[0], beside)}Y${sideOf(y, part[1], above)} slice`); // the city must be whole
  svg.setAttribute("class", "around board");
  svg.querySelector(".city")?.after(...city.map((space) => makeSvg("polygon", { points: pointsOf(places.find("s" + space)).join(" "), class: "light" })), ...lit);
  return svg;
}

/** Return which side of a picture to keep where it is cut, given a point, the picture's beginning and half its size.
    @type {(at: number, begin: number, half: number) => string} */
const sideOf = (at, begin, half) => (at < begin + 0.7 * half ? "Min" : at > begin + 1.3 * half ? "Max" : "Mid");

/** Return a light below a piece.
    @type {(places: Places, id: string) => SVGElement} */
function light(places, id) {
  const [cx, cy] = places.spot(id);
  return makeSvg("circle", { cx, cy: cy - (id[0] === "k" ? 6 : 0), r: 28, class: "light" });
}

/** Return pieces side by side.
    @type {(pieces: [symbol: string, id: string][]) => HTMLElement} */
export const inRow = (pieces) => make("span", { className: "in-row", "aria-hidden": "true" }, ...pieces.map(([symbol]) => icon(symbol)));

/** Return a small picture of the board around a wall's line, with the wall, the towers at its ends and pieces beside it or at
    its ends, which may be lit; `pieces` has `[symbol, id]`, such as `["house-red", "s53"]`.
    @type {(board: Board, line: number, pieces: [symbol: string, id: string][], areLit?: boolean) => SVGElement} */
export function around(board, line, pieces, areLit = false) {
  const { places, values } = board;
  const [x, y] = places.center("l" + line);
  const svg = makeSvg("svg", { viewBox: partOf(board, [x, y - 6], [CLOSE, CLOSE]).join(" "), preserveAspectRatio: "xMidYMid slice", class: "around board", "aria-hidden": "true" });
  /** @type {[symbol: string, id: string][]} */
  const towers = board.lines[line].slice(0, 2).map((place) => [values.get("t" + place) ?? "", "k" + place]);
  svg.append(groundOf(board), ...(areLit ? pieces.map(([, id]) => light(places, id)) : []), /** @type {Element} */ (places.find("w" + line).lastElementChild).cloneNode(),
    ...[...towers.filter(([symbol, id]) => symbol && !pieces.some(([, place]) => place === id)), ...pieces].sort(([, one], [, other]) => places.spot(one)[1] - places.spot(other)[1]).map(([symbol, id]) => pieceOn(places, symbol, id, 0.42)));
  return svg;
}

/** Return a small picture of the board with the wall or the pieces that a move places, which are lit, or pictures of its
    cards, in a list that is empty for other moves.
    @type {(board: Board, move: string, position: Pieces, size?: Point) => Element[]} */
export function sightOf(board, move, position, size = WIDE) {
  const [, use, cards = ""] = /^(play|final|abstain|swap|toss):(.+)$/.exec(move) ?? [];
  const shown = cardsOf(cards).map(miniCard);
  if (shown.length) return [make("span", { className: "sight", title: moveWords(move), "aria-hidden": "true" }, use === "play" || use === "final" ? "" : "⇄", ...shown)];
  const [, kind, what = ""] = /^(wall|tower|house)s?:(\d.*)$/.exec(move) ?? [];
  const { places } = board;
  if (kind === "wall") return [sight(board, { ...position, walls: [...position.walls, Number(what)] }, Number(what), [strokeOn(places, "l" + what, { class: "light" })], size)];
  if (!kind || position.fresh === null) return [];
  const pieces = what.split(",").map((each) => each.split("=")).map(([place, color]) => [`${kind}-${color}`, (kind === "tower" ? "k" : "s") + place]);
  const svg = sight(board, position, position.fresh, pieces.map(([, id]) => light(places, id)), size);
  svg.append(...pieces.map(([symbol, id]) => pieceOn(places, symbol, id)));
  return [svg];
}
