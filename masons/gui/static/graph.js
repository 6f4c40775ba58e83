/* The graph of a finished game: the win probability of each seat from the beginning to the end with all hands open, the
   luck, and a dot for each mistake. With two seats the share of one lies below that of the other; with more
   seats each has a line. The points arrive from left to right.

   A review measures what a decision loses without the hidden hands, which the graph knows. So each step of the graph is
   split into this loss, what the dice and cards gave, and the rest, which is how the decision suited the unseen hands. The
   band of luck has dice and cards alone, as they are known without a review, so that a review does not change it. */

import { button, byId, make, makeSvg, toast } from "./dom.js";
import { sum } from "./eventpictures.js";
import { shortNames } from "./gamewords.js";
import { SIGNS, clearLoss, signOf } from "./marks.js";
import { fixed, percent, round, signed, t } from "./words.js";

const MARKS = ["●", "▲", "■", "◆"]; // the shape of each seat, so that colors are not needed to tell seats apart
const [LEFT, SIDE, TOP, AXIS] = [42, 7, 7, 15]; // the margins, of which the left one has words, and the height of the numbers of the turns
const [BAND, BAND_SHARE] = [36, 0.25]; // the most height of the band of luck, and its share of a low graph
/** The radius of the dot of each mark. @type {Record<string, number>} */
const DOTS = { inaccuracy: 3, error: 3.5, blunder: 4.5 };
const MOST_DOT = 5; // how near to a mistake a click leads to it
const LOW = 85; // a graph as low as this has no room for the band
const MOST_LUCK = [0.12, 0.3]; // the change of the win probability that fills the band of luck: the largest one within these bounds
const LINE = 20; // the height of a line above the graph

/** Return a share or a change in percent, rounded as it is shown.
    @type {(share: number) => number} */
const tenths = (share) => round(100 * share);
/** @type {(part: number, digits?: number) => string} */
const share = (part, digits = tenths(part) ? 1 : 0) => percent(fixed(digits ? tenths(part) : 100 * part, digits));

/** Return the mark of a seat with its win probability and its name.
    @type {(seat: number, win: number, name: string, digits?: number) => HTMLElement} */
const keyOf = (seat, win, name, digits) => make("span", { className: `key seat${seat}`, title: name }, `${MARKS[seat]} `, make("span", { className: "figure", textContent: `${share(win, digits)} ` }), name);

/** Return shares rounded to percents that add up to 100: those with the largest remainders are rounded up.
    @type {(shares: number[], digits?: number) => number[]} */
function roundedShares(shares, digits = 1) {
  const parts = 10 ** (digits + 2);
  const [floors, rests] = [shares.map((one) => Math.floor(parts * one)), shares.map((one) => (parts * one) % 1)];
  const up = [...shares.keys()].sort((a, b) => rests[b] - rests[a]).slice(0, parts - sum(floors));
  return floors.map((one, seat) => (one + (up.includes(seat) ? 1 : 0)) / parts);
}

/** Show the win probability of each seat as a part of a bar, and below it in words.
    @type {(bar: HTMLElement, wins: number[], names: string[], digits?: number) => void} */
export function showWins(bar, wins, names, digits) {
  const parts = wins.map((win, seat) => {
    const part = make("i", { className: `seat${seat}` });
    part.style.flexGrow = String(win);
    return part;
  });
  const shown = wins.length ? roundedShares(wins, digits) : wins;
  const short = shortNames(names);
  const keys = shown.map((win, seat) => keyOf(seat, win, short[seat], digits));
  bar.replaceChildren(...(wins.length ? [make("div", {}, ...parts), ...keys] : []));
  bar.setAttribute("aria-label", shown.map((win, seat) => `${names[seat]} ${share(win, digits)}`).join(", "));
}

/** Return the width and the height inside a panel, less the borders of what is drawn there.
    @type {(panel: HTMLElement) => [width: number, height: number]} */
function sizeOf(panel) {
  const { paddingLeft, paddingTop, paddingBottom } = getComputedStyle(panel);
  return [panel.clientWidth - 2 * parseFloat(paddingLeft) - 2, panel.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom) - 2];
}

/** A step of the game as the graph shows it: its turn, the seat that decides, the mark of its decision if it is a
    mistake, and what the decision loses if a review has measured it.
    @typedef {{ turn: number, seat: number, mark: Mark | null, loss?: number }} GraphStep */

export class Graph {
  element = byId("graph");
  /** The known points by step.
      @type {GraphPoint[]} */
  points = [];
  at = 0;
  /** @type {string[]} */
  names = [];
  /** @type {string[]} */
  shortNames = [];
  /** The steps of the game; there are none if the analyzed line has no graph.
      @type {GraphStep[]} */
  steps = [];
  title = button(t("graph.view"), () => toast(t("graph.means")), { className: "link", title: t("graph.means") });
  head = make("p", { className: "head" });
  wins = make("p", { className: "wins", role: "status" });

  /** `go` goes to a step.
      @param {(step: number) => void} go */
  constructor(go) {
    this.go = go;
    this.element.replaceChildren(this.head); // an empty part of the panel has no size
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Begin the graph of a game, or show none if there are no steps.
      @type {(steps: GraphStep[], names: string[]) => void} */
  begin(steps, names) {
    this.steps = steps;
    this.names = names;
    this.shortNames = shortNames(names);
    this.points = [];
    this.element.hidden = !steps.length;
    this.draw();
  }

  /** Add the next points.
      @type {(points: GraphPoint[]) => void} */
  add(points) {
    for (const point of points) this.points[point.step] = point;
    this.draw();
  }

  /** Mark the step that the board shows.
      @type {(at: number) => void} */
  show(at) {
    this.at = at;
    this.draw();
  }

  /** Take the verdicts of a review.
      @type {(verdicts: Map<number, import("./verdicts.js").Verdict> | null) => void} */
  sign(verdicts) {
    for (const [step, verdict] of verdicts ?? []) {
      const { mark, seat } = verdict;
      if (this.steps[step]) Object.assign(this.steps[step], { mark: mark in SIGNS ? mark : null, seat, loss: clearLoss(verdict) });
    }
    this.draw();
  }

  /** Return the steps of the mistakes.
      @type {() => number[]} */
  mistakes() {
    return this.steps.flatMap(({ mark }, step) => (mark ? [step] : []));
  }

  /** Return the steps of the last mistake before a step and of the next one after it.
      @type {(step: number) => (number | undefined)[]} */
  mistakesBeside(step) {
    const mistakes = this.mistakes();
    return [mistakes.findLast((one) => one < step), mistakes.find((one) => one > step)];
  }

  /** True if each seat has a line of its own. */
  get hasLines() {
    return this.names.length > 2;
  }

  draw() {
    const [width, inside] = sizeOf(this.element);
    if (!this.steps.length || width <= 0) return;
    const height = Math.max(inside - LINE * (1 + Math.ceil(this.names.length / 2)), 60);
    const svg = makeSvg("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": t("graph.label") });
    const last = Math.max(this.steps.length - 1, 1);
    const x = (/** @type {number} */ step) => LEFT + ((width - LEFT - SIDE) * step) / last;
    const band = height < LOW ? 0 : Math.min(BAND, BAND_SHARE * height);
    const floor = height - band - AXIS;
    const y = (/** @type {number} */ share) => floor - (floor - TOP) * share;
    svg.append(...(this.hasLines ? this.lines(x, y) : this.areas(x, y)), ...(band ? this.luck(x, height - band / 2, band) : []),
      ...this.scale(x, y, height), ...this.dots(x, y));
    for (const name of ["here", "near"]) svg.append(makeSvg("line", { x1: x(this.at), x2: x(this.at), y1: 0, y2: height, class: name }));
    const pointer = /** @type {SVGElement} */ (svg.lastElementChild);
    const stepAt = (/** @type {PointerEvent} */ { clientX }) => {
      const at = new DOMPoint(clientX, 0).matrixTransform(/** @type {SVGSVGElement} */ (svg).getScreenCTM()?.inverse()).x;
      return Math.round(Math.min(Math.max((at - LEFT) / (width - LEFT - SIDE), 0), 1) * last);
    };
    svg.addEventListener("click", (event) => this.go(this.nearMistake(stepAt(/** @type {PointerEvent} */ (event)), last)));
    svg.addEventListener("pointermove", (event) => {
      const step = stepAt(event);
      for (const end of ["x1", "x2"]) pointer.setAttribute(end, String(x(step)));
      this.read(step);
    });
    svg.addEventListener("pointerleave", () => this.read(this.at));
    this.element.replaceChildren(this.head, this.wins, svg);
    this.read(this.at);
  }

  /** Return the step of a mistake beside a step, as a dot is wider than a step, or else the step.
      @type {(step: number, last: number) => number} */
  nearMistake(step, last) {
    const reach = Math.ceil((MOST_DOT * last) / this.element.clientWidth);
    const near = this.mistakes().filter((one) => Math.abs(one - step) <= reach);
    return near.sort((a, b) => Math.abs(a - step) - Math.abs(b - step))[0] ?? step;
  }

  /** Return the shares of two seats, one above the other.
      @type {(x: (step: number) => number, y: (share: number) => number) => SVGElement[]} */
  areas(x, y) {
    const edge = this.points.map(({ step, wins }) => `${x(step).toFixed(1)},${y(wins[0]).toFixed(1)}`);
    if (!edge.length) return [];
    const end = x(this.points.length - 1).toFixed(1);
    const area = (/** @type {number} */ seat) => makeSvg("polygon", { points: [...edge, `${end},${y(seat)}`, `${x(0)},${y(seat)}`].join(" "), class: `area seat${seat}` });
    const name = (/** @type {number} */ seat) => makeSvg("text", { x: LEFT + 6, y: seat ? y(1) + 15 : y(0) - 6, class: `name seat${seat}` }, this.shortNames[seat]);
    return [area(0), area(1), name(0), name(1), makeSvg("polyline", { points: edge.join(" "), class: "edge" })];
  }

  /** Return a line for each seat. That of the seat that decides at the step shown lies on top, and is thick.
      @type {(x: (step: number) => number, y: (share: number) => number) => SVGElement[]} */
  lines(x, y) {
    const own = this.steps[this.at]?.seat;
    const lines = this.names.map((_, seat) => makeSvg("polyline", { class: `seat${seat}` + (seat === own ? " own" : ""),
      points: this.points.map(({ step, wins }) => `${x(step).toFixed(1)},${y(wins[seat]).toFixed(1)}`).join(" ") }));
    return lines.sort((one, other) => Number(one.classList.contains("own")) - Number(other.classList.contains("own")));
  }

  /** Return bars for the luck of each step with dice and cards, in the color of the seat that gained most. With two seats,
      those of the first point up and those of the second down.
      @type {(x: (step: number) => number, middle: number, band: number) => SVGElement[]} */
  luck(x, middle, band) {
    const wide = Math.max(x(1) - x(0) - 0.5, 1.5);
    const most = Math.min(Math.max(MOST_LUCK[0], ...this.points.flatMap((point) => point.luck)), MOST_LUCK[1]);
    const bars = this.points.map(({ step, luck }) => {
      const gain = Math.max(...luck);
      const seat = luck.indexOf(gain);
      const high = (Math.min(gain / most, 1) * (band - 4)) / 2;
      return makeSvg("rect", { x: (x(step) - wide / 2).toFixed(1), width: wide.toFixed(1), height: high.toFixed(1), class: `seat${seat}`,
        y: (this.names.length === 2 && seat ? middle : middle - high).toFixed(1) });
    });
    return [makeSvg("line", { x1: x(0), x2: x(this.steps.length - 1), y1: middle, y2: middle, class: "zero" }), ...bars,
      makeSvg("text", { x: LEFT - 8, y: middle + 3.5, class: "luck", "text-anchor": "end" }, t("graph.luck"))];
  }

  /** Return the line of an even chance, and where every tenth turn begins.
      @type {(x: (step: number) => number, y: (share: number) => number, height: number) => SVGElement[]} */
  scale(x, y, height) {
    const turns = this.steps.flatMap(({ turn }, step) => (turn % 10 === 0 && this.steps[step - 1]?.turn !== turn ? [{ turn, step }] : []));
    return [
      ...[0, 0.5, 1].map((share) => makeSvg("line", { x1: x(0), x2: x(this.steps.length - 1), y1: y(share), y2: y(share), class: share === 0.5 ? "half" : "zero" })),
      ...[[0, 0], [0.5, 4], [1, 8]].map(([share, down]) => makeSvg("text", { x: LEFT - 4, y: y(share) + down, "text-anchor": "end" }, percent(String(100 * share)))),
      ...turns.flatMap(({ turn, step }) => [makeSvg("line", { x1: x(step), x2: x(step), y1: y(1), y2: height, class: "turn" }),
        makeSvg("text", { x: x(step), y: y(0) + AXIS - 3, "text-anchor": "middle" }, String(turn))]),
    ];
  }

  /** Return a dot for each mistake, in the color of its mark with a ring in that of its seat, on the seat's line.
      @type {(x: (step: number) => number, y: (share: number) => number) => SVGElement[]} */
  dots(x, y) {
    return this.mistakes().filter((step) => this.points[step]).map((step) => {
      const { mark, seat } = this.steps[step];
      const win = this.points[step].wins[this.names.length === 2 ? 0 : seat];
      return makeSvg("circle", { cx: x(step).toFixed(1), cy: y(win).toFixed(1), r: DOTS[/** @type {Mark} */ (mark)], class: `mistake ${mark} seat${seat}` });
    });
  }

  /** Say the win probability of each seat at a step, and its turn with the mark of a mistake. The turn's title says what
      changes from there on.
      @type {(step: number) => void} */
  read(step) {
    const { turn, mark } = this.steps[Math.min(step, this.steps.length - 1)];
    const changes = this.changes(step);
    this.head.replaceChildren(this.title, make("span", { title: changes.join(", ") }, t("task.turn", { turn }),
      mark && changes.length ? make("b", { className: `mark ${mark}`, textContent: changes[0] }) : ""));
    const keys = this.points[step] && roundedShares(this.points[step].wins).map((win, seat) => keyOf(seat, win, this.shortNames[seat]));
    this.wins.replaceChildren(...(keys ?? [t("study.thinking")]));
  }

  /** Return the parts of the change from a step to the next for the seat that decides. The numbers add up as they are shown.
      @type {(step: number) => string[]} */
  changes(step) {
    const { seat, mark, loss } = this.steps[step] ?? {};
    const [before, after] = [this.points[step], this.points[step + 1]];
    if (seat === undefined || !before || !after) return [];
    const [from, to] = [before, after].map(({ wins }) => tenths(roundedShares(wins)[seat]));
    const lost = tenths(loss ?? 0);
    const chance = tenths(after.luck[seat]);
    const unseen = loss === undefined ? 0 : to - from + lost - chance;
    return [...(mark ? [`${signOf(mark)} ${percent(signed(-lost))}`] : lost ? [t("graph.move", { change: signed(-lost) })] : []),
      ...(chance ? [t("graph.chance", { change: signed(chance) })] : []),
      ...(Math.abs(unseen) > 0.05 ? [t("graph.unseen", { change: signed(unseen) })] : [])];
  }
}
