/* The graph of win probabilities in the analysis. */

import { make, makeSvg } from "./dom.js";
import { fixed, t } from "./words.js";

const MARKS = ["●", "▲", "■", "◆"]; // the shape of each seat, so that colors are not needed to tell seats apart
const [LEFT, WIDTH, TOP, HEIGHT] = [4, 352, 4, 112];

/** @typedef {RankingMessage["wins"] | GraphMessage["wins"]} Wins */

/** @type {(share: number) => string} */
const percent = (share) => `${fixed(100 * share)} %`;

/** Return the mark and the win probability of a seat in words.
    @type {(seat: number, win: number) => string} */
export const winWords = (seat, win) => `${MARKS[seat]} ${percent(win)}`;

/** Show the win probability of each seat as a part of a bar.
    @type {(bar: HTMLElement, wins: number[], names: string[]) => void} */
export function showWins(bar, wins, names) {
  bar.replaceChildren(...wins.map((win, seat) => {
    const part = make("span", { className: `seat${seat}`, textContent: winWords(seat, win), title: names[seat] });
    part.style.flexGrow = String(Math.max(win, 0.001));
    return part;
  }));
  bar.setAttribute("aria-label", wins.map((win, seat) => `${names[seat]} ${percent(win)}`).join(", "));
}

/** Return the win probability of each seat by step, at the start and the end of the game and before each reviewed
    decision. It is null for seats that the rollouts of a decision did not measure.
    @type {(review: ReviewMessage) => GraphMessage["wins"][]} */
export function measuredGraph({ moments, measured }) {
  const graph = [];
  for (const [step, wins] of [moments[0], moments[moments.length - 1], ...measured]) graph[step] = wins;
  return graph;
}

export class Graph {
  element = make("div", { className: "graph" });
  /** The win probabilities by step; steps without any are empty.
      @type {GraphMessage["wins"][]} */
  wins = [];
  steps = 0; // the number of steps that the graph is of

  /** `go` goes to a step.
      @param {(step: number) => void} go */
  constructor(go) {
    this.go = go;
  }

  /** Begin a graph of so many steps.
      @type {(wins: GraphMessage["wins"][], steps: number) => void} */
  begin(wins, steps) {
    this.wins = [...wins];
    this.steps = steps;
  }

  /** The steps whose win probabilities are known. */
  get known() {
    return this.wins.flatMap((wins, step) => (wins ? [{ step, wins }] : []));
  }

  /** Draw a line for each seat, and mark the step `at`. Return whether there is anything to draw.
      @type {(at: number, steps: number, names: string[]) => boolean} */
  draw(at, steps, names) {
    const { known } = this;
    if (!known.length) {
      this.element.replaceChildren();
      return false;
    }
    const last = Math.max(steps - 1, 1);
    const readout = make("p");
    const read = (/** @type {number} */ step) => this.read(readout, step, at, names);
    const svg = this.picture(at, last);
    const stepAt = (/** @type {PointerEvent} */ event) => {
      const box = svg.getBoundingClientRect();
      const along = ((360 * (event.clientX - box.x)) / box.width - LEFT) / WIDTH;
      return Math.round(Math.min(Math.max(along, 0), 1) * last);
    };
    svg.addEventListener("click", (event) => this.go(stepAt(/** @type {PointerEvent} */ (event))));
    svg.addEventListener("pointermove", (event) => read(stepAt(event)));
    svg.addEventListener("pointerleave", () => read(at));
    this.element.replaceChildren(svg, readout, make("p", { className: "evidence", textContent: t("study.graphMeans") }));
    read(at);
    return true;
  }

  /** @type {(at: number, last: number) => SVGElement} */
  picture(at, last) {
    const { known } = this;
    const svg = makeSvg("svg", { viewBox: "0 0 360 120", role: "img", "aria-label": t("study.graphLabel") });
    const x = (/** @type {number} */ step) => LEFT + (WIDTH * step) / last;
    const y = (/** @type {number} */ win) => TOP + HEIGHT - HEIGHT * win;
    svg.append(makeSvg("line", { x1: x(0), x2: x(last), y1: y(0.5), y2: y(0.5), class: "half" }));
    for (const [share, text] of /** @type {const} */ ([[0.91, "100 %"], [0.51, "50 %"], [0.01, "0 %"]])) svg.append(makeSvg("text", { x: 6, y: y(share) }, text));
    for (const seat of known[0].wins.keys()) {
      const points = known.flatMap(({ step, wins }) => {
        const win = wins[seat];
        return win === null ? [] : [`${x(step).toFixed(1)},${y(win).toFixed(1)}`];
      });
      svg.append(makeSvg("polyline", { points: points.join(" "), class: `seat${seat}` }));
    }
    svg.append(makeSvg("line", { x1: x(at), x2: x(at), y1: 0, y2: 120, class: "here" }));
    return svg;
  }

  /** Say the win probabilities at the last known step up to `step`.
      @type {(readout: HTMLElement, step: number, shown: number, names: string[]) => void} */
  read(readout, step, shown, names) {
    const before = this.known.filter((one) => one.step <= step);
    const { step: at, wins } = before.at(-1) || this.known[0];
    const latest = (/** @type {number} */ seat) => before.findLast((one) => one.wins[seat] !== null)?.wins[seat] ?? 0;
    const texts = wins.map((win, seat) => make("span", { className: `key seat${seat}`, textContent: `${MARKS[seat]} ${names[seat]} ${percent(win ?? latest(seat))}` }));
    readout.replaceChildren(make("span", { textContent: step === shown ? t("study.graphShown", { step: at }) : t("study.graphStep", { step: at }) }), ...texts);
  }
}
