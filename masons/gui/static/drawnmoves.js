/* The moves of a search on the board, each with its rank, what it loses, or the label from a review: walls as bands below
   the pieces, towers and houses half-transparent, a merger as a rim around both cities. Cards to be played are marked in the hand. */

import { showRanks } from "./cards.js";
import { Badges } from "./badges.js";
import { allIn, legend, makeSvg } from "./dom.js";
import { ALL_SIGNS } from "./marks.js";
import { meanOf } from "./places.js";
import { pieceOn, strokeOn, strokesAround } from "./shapes.js";

/** @typedef {{ wall: string } | { piece: string, id: string } | { around: number[], at: Point } | { at: Point }} Drawn */

/** How many moves of each kind are drawn, if they have no labels. The list shows the others on the board as they are
    pointed at.
    @type {Record<string, number>} */
const MOST = { wall: 3, merge: 3, towers: 1, houses: 1, final: 3 };
/** @type {Record<string, string>} */
const LETTERS = { wall: "l", towers: "k", houses: "s" }; // of the ids of places that moves use
const CARDS = 3; // the moves whose cards or pictures are marked
const BAND = 13; // the width of the band of a wall
const RANKS = 3; // that differ in their color
const ASIDE = 17; // how far pieces of two moves on one place stand from its middle
const WRONG = "✗"; // the label of a wrong answer
export const COMPARED = "⇄"; // that of a move that the best one is compared with; it is gray

/** Return the shapes that draw a move, none if it is not drawn.
    @type {(board: Board, position: Position | null, move: string) => Drawn[]} */
function shapesOf(board, position, move) {
  const [kind, what = ""] = move.split(":");
  if (kind === "wall") return [{ wall: what }];
  if (kind === "towers" || kind === "houses") {
    return what.split(",").map((one) => one.split("=")).map(([place, color]) => ({ piece: kind.replace(/s$/, "-") + color, id: LETTERS[kind] + place }));
  }
  if (!position) return [];
  if (kind === "merge" && what !== "none") {
    const cities = [position.scored, cityOf(position, Number(what))];
    return [{ around: cities.flat(), at: meanOf(cities.map((city) => middle(board, city))) }];
  }
  const city = kind === "final" && /^\d/.test(what) ? cityOf(position, parseInt(what, 10)) : [];
  return city.length ? [{ at: middle(board, city) }] : [];
}

/** Return the ids of the places on which a move puts pieces.
    @type {(board: Board, position: Position | null, move: string) => string[]} */
const placesOf = (board, position, move) => shapesOf(board, position, move).flatMap((shape) => ("piece" in shape ? [shape.id] : []));

/** @type {(position: Position, root: number) => number[]} */
const cityOf = (position, root) => position.cities.find((city) => city.includes(root)) || [];

/** @type {(board: Board, city: number[]) => Point} */
const middle = (board, city) => (city.length ? meanOf(city.map((space) => board.places.center("s" + space))) : [0, 0]);

/** Return the wall of a line as a band from tower to tower.
    @type {(board: Board, line: string) => SVGElement[]} */
function band(board, line) {
  return ["casing", "band ghost"].map((name) => strokeOn(board.places, "l" + line, { "stroke-width": name === "casing" ? BAND + 7 : BAND, class: name }));
}

/** Return a piece as a ghost. Of several moves that use the place, it stands at its own side.
    @type {(board: Board, shape: { piece: string, id: string }, aside: number) => SVGElement} */
function ghostPiece(board, { piece, id }, aside) {
  const ghost = pieceOn(board.places, piece, id, aside ? 0.26 : undefined);
  ghost.classList.add("ghost");
  ghost.setAttribute("transform", `translate(${aside} 0) ${ghost.getAttribute("transform")}`);
  return ghost;
}

/** What stands on the badge of a wall: its label, or also the number of its line. @typedef {"label" | "both"} Badge */
/** @type {(label: string, line: string, badge: Badge) => string[]} */
const rowsOf = (label, line, badge) => (badge === "both" ? [...new Set([label, line])] : label === COMPARED ? [] : [label]);

/** @type {(choice: DrawnMove, rank: number) => string} */
const labelOf = (choice, rank) => choice.label || String(rank + 1);

/** Return the class of a move that has a color of its own, not that of its rank: its mark.
    @type {(choice: DrawnMove) => string} */
function lookOf({ label }) {
  if (label === COMPARED) return "unsure";
  return label === WRONG ? "wrong" : Object.keys(ALL_SIGNS).find((mark) => ALL_SIGNS[mark] === label) ?? "";
}

/** Return the drawing of a move as a group above the pieces, empty if it is not drawn, and one below them; `slotOf` returns the number of the move among those that use a
    place, and how many these are. A badge has the number of a line if sentences name it.
    @type {(board: Board, position: Position | null, choice: DrawnMove, rank: number, badges: Badges, how?: { slotOf?: (id: string) => number[], badge?: Badge }) => SVGElement[]} */
function drawing(board, position, choice, rank, badges, { slotOf = () => [0, 1], badge = "both" } = {}) {
  const label = labelOf(choice, rank);
  const [group, below] = [0, 1].map(() => makeSvg("g", { class: `advice rank${Math.min(rank, RANKS - 1)} ${lookOf(choice)}` }));
  const shapes = shapesOf(board, position, choice.move);
  const spots = shapes.flatMap((shape) => ("piece" in shape ? [board.places.spot(shape.id)] : []));
  group.append(...shapes.flatMap((shape, i) => {
    if ("wall" in shape) {
      below.append(...band(board, shape.wall));
      badges.avoid(board.places.ends("l" + shape.wall));
      const rows = rowsOf(label, shape.wall, badge);
      return rows.length ? badges.put(board.places.center("l" + shape.wall), rows) : [];
    }
    if ("around" in shape) below.append(...["outline casing", "outline"].flatMap((name) => strokesAround(board.places, shape.around, name)));
    if ("at" in shape) return badges.put(shape.at, [label]);
    const [slot, slots] = slotOf(shape.id);
    const isTaken = slots < 2 && board.labels.stocks[Number(shape.id.slice(1))]?.length && shape.id[0] === "s"; // a house is there already
    const aside = isTaken ? ASIDE : ASIDE * (2 * slot - slots + 1);
    const [x, y] = meanOf(spots); // beside all pieces of the move
    const [cx, cy] = board.places.spot(shape.id);
    const ring = rank || slots > 1 ? [] : [makeSvg("circle", { cx: cx + aside, cy, r: isTaken ? 21 : 25, class: "ring" })];
    return [...ring, ghostPiece(board, shape, aside), ...(i ? [] : badges.put([x + aside, y], [label], false))];
  }));
  return [group, below];
}

/** @type {(board: Board) => SVGElement[]} */
const layersOf = (board) => [board.find("marks"), board.layers.bands];

/** Return the drawings of the best moves or of those with labels.
    @type {(board: Board, position: Position | null, choices: DrawnMove[], badge: Badge) => SVGElement[][]} */
function drawings(board, position, choices, badge) {
  const isDrawn = (/** @type {DrawnMove} */ { move, label = "" }, /** @type {number} */ rank) => (label ? label !== COMPARED || move.startsWith("wall:") : rank < (MOST[move.split(":")[0]] ?? 0));
  const shown = choices.filter(isDrawn);
  const idsOf = (/** @type {DrawnMove} */ { move }) => placesOf(board, position, move);
  const users = (/** @type {string} */ id) => shown.filter((one) => idsOf(one).includes(id));
  const badges = new Badges(board, shown.flatMap(idsOf));
  return shown.map((choice) => drawing(board, position, choice, choices.indexOf(choice), badges, { slotOf: (id) => [users(id).indexOf(choice), users(id).length], badge }));
}

let drawn = "";

/** Draw the best moves, unless the same moves are drawn already. Moves with labels also have the numbers of their lines if
    `badge` isn't given, as sentences name these.
    @type {(board: Board, position: Position | null, choices: DrawnMove[], badge?: Badge) => void} */
export function drawMoves(board, position, choices, badge = choices[0]?.label ? "both" : "label") {
  const key = [badge, ...choices.map(({ move, label = "" }) => move + label), ...board.labels.named].join(" ");
  if (key === drawn) return;
  const groups = drawings(board, position, choices, badge).filter((pair) => pair.some((group) => group.childNodes.length)).reverse(); // the best move lies on top
  layersOf(board).forEach((layer, i) => layer.replaceChildren(...groups.map((group) => group[i])));
  board.labels.cover(choices.map(({ move }) => LETTERS[move.split(":")[0]] ?? ""));
  legend("ranks", choices.length > 1 && !choices[0].label);
  const isWrong = choices.some(({ label }) => label === WRONG);
  const isStarred = choices[0]?.label === "★";
  const isBest = isStarred && choices.slice(1).every(({ label }) => label === COMPARED || label === WRONG);
  legend("judged", isStarred && !isBest);
  legend("star", isBest);
  legend("compared", choices.some(({ move, label }) => label === COMPARED && move.startsWith("wall:")));
  legend("wrong", isWrong);
  legend("follows", choices.some(({ label }) => Number(label)));
  rankCards(choices);
  drawn = key;
}

/** @type {(board: Board) => void} */
export function clearMoves(board) {
  if (!drawn) return;
  for (const layer of layersOf(board)) layer.replaceChildren();
  board.labels.cover([]);
  for (const key of ["ranks", "judged", "star", "compared", "wrong", "follows"]) legend(key, false);
  rankCards([]);
  drawn = "";
}

/** Mark the cards in the hand with the ranks of the moves that play them, and the pictures of moves with theirs.
    @type {(choices: DrawnMove[]) => void} */
function rankCards(choices) {
  /** @type {Map<string, string[]>} */
  const ranks = new Map();
  choices.slice(0, CARDS).forEach(({ move }, rank) => {
    const cards = move.split(/[:/]/).slice(1).flatMap((part) => part.split("+"));
    for (const card of new Set(cards)) ranks.set(card, [...(ranks.get(card) || []), labelOf(choices[rank], rank)]);
  });
  showRanks(ranks);
  for (const one of allIn("#choices [data-option]")) {
    const rank = choices.slice(0, CARDS).findIndex(({ move }) => move === one.dataset.option);
    if (rank < 0) delete one.dataset.rank;
    else one.dataset.rank = labelOf(choices[rank], rank);
  }
}

/** Draws the move of a list that the pointer or the focus is at instead of the best ones. */
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
    for (const layer of layersOf(this.board)) {
      layer.querySelector(".pointed")?.remove();
      layer.classList.remove("pointing");
    }
    const rank = this.choices.findIndex((one) => one.move === move);
    if (rank < 0) return;
    const badges = new Badges(this.board, placesOf(this.board, this.position, this.choices[rank].move));
    const groups = drawing(this.board, this.position, this.choices[rank], rank, badges);
    if (!groups[0].childNodes.length) return;
    layersOf(this.board).forEach((layer, i) => {
      groups[i].classList.add("pointed");
      layer.classList.add("pointing");
      layer.append(groups[i]);
    });
  }
}
