/* The best moves of a search, drawn over the board. Each move has its rank or the label from a review. A wall is a
   stroke along its line. A tower or house is an arrow that begins at a picture of the piece. Cards to be played are
   marked in the hand. Better moves are thicker. */

import { showRanks } from "./cards.js";
import { legend, makeSvg } from "./dom.js";
import { meanOf } from "./places.js";

/** @typedef {{ from: Point, to: Point, piece?: string }} Arrow */
/** @typedef {Arrow | { line: number } | { at: Point }} Drawn */

/** How many moves of each kind are drawn.
    @typedef {{ wall: number, merge: number, place: number, cards: number }} Most */
const MOST = { wall: 6, merge: 3, place: 3, cards: 3 };
/** The most moves drawn beside a list that shows the others on the board as they are pointed at. */
export const FEW = { wall: 3, merge: 3, place: 1, cards: 3 };
const WIDTH = [16, 12, 9, 7, 6, 5]; // of arrows, by rank
const FAR = 104; // distance from the picture of a piece to its place
const FAN = 0.72; // angle between arrows to the same place, in radians
const EDGE = 34;
const WRONG = "✗"; // the label of a wrong answer

/** @type {(from: Point, to: Point, part: number) => Point} */
const towards = ([x, y], [to, down], part) => [x + (to - x) * part, y + (down - y) * part];

/** Return the shapes that draw a move: a list of {from, to, piece} or {line}, empty if the move is not drawn.
    @type {(board: Board, position: Position | null, choice: DrawnMove, rank: number, most: Most) => Drawn[]} */
function shapesOf(board, position, choice, rank, most) {
  const [kind, what = ""] = choice.move.split(":");
  if (kind === "wall") return rank < most.wall ? [{ line: Number(what) }] : [];
  if (kind === "towers" || kind === "houses") return rank < most.place ? placings(board, kind, what, rank) : [];
  if (!position) return [];
  if (kind === "merge" && what !== "none") {
    return rank < most.merge ? [{ from: middle(board, position.scored), to: middle(board, cityOf(position, Number(what))) }] : [];
  }
  const city = kind === "final" && /^\d/.test(what) ? cityOf(position, parseInt(what, 10)) : [];
  return city.length && rank < most.cards ? [{ at: middle(board, city) }] : [];
}

/** @type {(position: Position, root: number) => number[]} */
const cityOf = (position, root) => position.cities.find((city) => city.includes(root)) || [];

/** @type {(board: Board, kind: string, what: string, rank: number) => Arrow[]} */
function placings(board, kind, what, rank) {
  const puts = what.split(",").map((one) => one.split("="));
  const letter = kind === "towers" ? "k" : "s";
  const places = puts.map(([place]) => board.places.center(letter + place));
  const centre = meanOf(places);
  return puts.map(([, color], i) => {
    const [x, y] = places[i];
    const away = places.length > 1 ? Math.atan2(y - centre[1], x - centre[0]) : -Math.PI / 2;
    const turn = away + FAN * ([0, 1, -1][rank] ?? 0);
    return { from: inside(board, [x + FAR * Math.cos(turn), y + FAR * Math.sin(turn)]), to: [x, y], piece: kind.replace(/s$/, "-") + color };
  });
}

/** @type {(board: Board, point: Point) => Point} */
function inside(board, [x, y]) {
  const { width, height } = board.svg.viewBox.baseVal;
  return [Math.min(Math.max(x, EDGE), width - EDGE), Math.min(Math.max(y, EDGE), height - EDGE)];
}

/** @type {(board: Board, city: number[]) => Point} */
const middle = (board, city) => (city.length ? meanOf(city.map((space) => board.places.center("s" + space))) : [0, 0]);

/** @type {(at: Point, rank: number, text: string) => SVGElement[]} */
function disc([x, y], rank, text) {
  return [makeSvg("circle", { cx: x, cy: y, r: rank ? 13 : 15, class: `head rank${rank}` }),
    makeSvg("text", { x, y: y + 6, "font-size": 17, fill: "#fff", "text-anchor": "middle" }, text)];
}

/** @type {(shape: Arrow, rank: number, label: string) => SVGElement[]} */
function arrow({ from, to, piece }, rank, label) {
  const width = WIDTH[rank];
  const long = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const head = Math.min(2.1 * width + 8, long / 2);
  const neck = towards(to, from, head / long);
  const [nx, ny] = [((to[1] - from[1]) / long) * (width + 3), ((from[0] - to[0]) / long) * (width + 3)];
  const tip = `${to[0]},${to[1]} ${neck[0] + nx},${neck[1] + ny} ${neck[0] - nx},${neck[1] - ny}`;
  const [x1, y1] = from;
  const [x2, y2] = neck;
  /** @type {SVGElement[]} */
  const parts = [
    makeSvg("line", { x1, y1, x2, y2, "stroke-width": width + 5, class: "casing" }),
    makeSvg("polygon", { points: tip, class: `tip rank${rank}` }),
    makeSvg("line", { x1, y1, x2, y2, "stroke-width": width, class: `shaft rank${rank}` }),
  ];
  if (piece) parts.push(makeSvg("circle", { cx: x1, cy: y1, r: 24, class: "tail" }), symbol(piece, from));
  return [...parts, ...disc(piece ? towards(from, to, 0.56) : towards(from, to, 0.1), rank, label)];
}

/** Return the picture of a piece. Towers have their size on the board; houses are equally large.
    @type {(piece: string, at: Point) => SVGElement} */
function symbol(piece, [x, y]) {
  const scale = piece.startsWith("tower") ? 1.15 : 0.3;
  return makeSvg("use", { href: "#" + piece, transform: `translate(${x} ${y}) scale(${scale})` });
}

/** @type {(board: Board, line: number, rank: number, label: string) => SVGElement[]} */
function stroke(board, line, rank, label) {
  const [x1, y1, x2, y2] = board.places.ends("l" + line);
  const [from, to] = [towards([x1, y1], [x2, y2], 0.14), towards([x1, y1], [x2, y2], 0.86)];
  const at = { x1: from[0], y1: from[1], x2: to[0], y2: to[1] };
  return [
    makeSvg("line", { ...at, "stroke-width": WIDTH[rank] + 5, class: "casing" }),
    makeSvg("line", { ...at, "stroke-width": WIDTH[rank], class: `shaft rank${rank}` }),
    ...disc(towards(from, to, 0.5), rank, label),
  ];
}

/** @type {(choice: DrawnMove, rank: number) => string} */
const labelOf = (choice, rank) => choice.label || String(rank + 1);

/** Return the drawing of a move, empty if it is not drawn.
    @type {(board: Board, position: Position | null, choice: DrawnMove, rank: number, most: Most) => SVGElement} */
function drawing(board, position, choice, rank, most) {
  const [label, size] = [labelOf(choice, rank), Math.min(rank, WIDTH.length - 1)];
  const group = makeSvg("g", { class: label === WRONG ? "wrong" : "" });
  group.append(...shapesOf(board, position, choice, rank, most).flatMap((shape) => ("line" in shape ? stroke(board, shape.line, size, label)
    : "at" in shape ? disc(shape.at, size, label) : arrow(shape, size, label))));
  return group;
}

let drawn = "";

/** Draw the best moves, `most` of each kind, unless the same moves are drawn already.
    @type {(board: Board, position: Position | null, choices: DrawnMove[], most?: Most) => void} */
export function drawArrows(board, position, choices, most = MOST) {
  const key = choices.map(({ move, label = "" }) => move + label).join(" ");
  if (key === drawn) return;
  const layer = board.find("marks");
  const groups = choices.map((choice, rank) => drawing(board, position, choice, rank, most)).filter((group) => group.childNodes.length);
  layer.replaceChildren(...groups.reverse()); // the best move lies on top
  board.labels.cover(choices.map(({ move }) => move.replace(/^wall:/, "l")));
  legend("ranks", choices.length > 1 && !choices[0].label);
  const isWrong = choices.some(({ label }) => label === WRONG);
  legend("judged", choices.length && choices[0].label && !isWrong);
  legend("star", isWrong);
  legend("wrong", isWrong);
  legend("follows", choices.some(({ label }) => Number(label)));
  rankCards(choices);
  drawn = key;
}

/** @type {(board: Board) => void} */
export function clearArrows(board) {
  if (!drawn) return;
  board.find("marks").replaceChildren();
  board.labels.cover([]);
  for (const key of ["ranks", "judged", "star", "wrong", "follows"]) legend(key, false);
  rankCards([]);
  drawn = "";
}

/** Mark the cards in the hand with the ranks of the moves that play them.
    @type {(choices: DrawnMove[]) => void} */
function rankCards(choices) {
  /** @type {Map<string, string[]>} */
  const ranks = new Map();
  choices.slice(0, MOST.cards).forEach(({ move }, rank) => {
    const cards = move.split(/[:/]/).slice(1).flatMap((part) => part.split("+"));
    for (const card of new Set(cards)) ranks.set(card, [...(ranks.get(card) || []), labelOf(choices[rank], rank)]);
  });
  showRanks(ranks);
}

const ALL = { wall: Infinity, merge: Infinity, place: Infinity, cards: Infinity };

/** Draws the move of a list that the pointer or the focus is at over the marks of the best ones. */
export class Pointing {
  /** @type {string | null} */
  move = null;
  /** @type {Position | null} */
  position = null;
  /** @type {DrawnMove[]} */
  choices = [];

  /** @param {Board} board
      @param {HTMLElement} list */
  constructor(board, list) {
    this.board = board;
    const at = (/** @type {Event} */ { target }) => /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-move]"))?.dataset.move ?? null;
    for (const type of ["pointerover", "focusin"]) list.addEventListener(type, (event) => this.point(at(event)));
    for (const type of ["pointerleave", "focusout"]) list.addEventListener(type, () => this.point(null));
  }

  /** Take the moves that the list has now.
      @type {(position: Position | null, choices: DrawnMove[]) => void} */
  offer(position, choices) {
    Object.assign(this, { position, choices });
    this.point(choices.length ? this.move : null);
  }

  /** @type {(move: string | null) => void} */
  point(move) {
    this.move = move;
    this.board.find("marks").querySelector(".pointed")?.remove();
    const rank = this.choices.findIndex((one) => one.move === move);
    if (rank < 0) return;
    const group = drawing(this.board, this.position, this.choices[rank], rank, ALL);
    group.classList.add("pointed");
    if (group.childNodes.length) this.board.find("marks").append(group);
  }
}
