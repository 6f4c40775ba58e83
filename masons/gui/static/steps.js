/* The list of the moves of an analysis, beside the board: one turn after another, with its wall, dice, pieces and cards.
   With two players the turns stand in two columns. Each decision is a button that goes to the position after it. */

import { HOUSES, beforeFrame, button, byId, glyph, icon, make } from "./dom.js";
import { eventWords } from "./gamewords.js";
import { SIGNS } from "./marks.js";
import { t } from "./words.js";

/** A turn: the seat that builds, and the steps of its decisions.
    @typedef {{ seat: number, steps: number[], hasWall: boolean }} Turn */

/** Return the turns of a line of steps.
    @type {(steps: GameEvent[][]) => Turn[]} */
export function turnsOf(steps) {
  /** @type {Turn[]} */
  const turns = [];
  steps.forEach(([first], step) => {
    if (!first) return; // the beginning
    const isWall = first.event === "wall";
    const last = turns.at(-1);
    if (!last || first.event === "early-roll" || (isWall && last.hasWall)) turns.push({ seat: first.seat ?? 0, steps: [step], hasWall: isWall });
    else {
      last.steps.push(step);
      last.hasWall ||= isWall;
    }
  });
  return turns;
}

/** @type {(name: string) => HTMLElement} */
const die = (name) => make("i", { className: `chip-die ${HOUSES.includes(name) ? "" : "tall"} ${name === "?" ? "any" : name}` });
/** @type {(seat: number | null, text: string) => HTMLElement} */
const seats = (seat, text) => make("span", { className: `points seat${seat}`, textContent: text });
/** @type {(event: { seat: number | null, points: number[] }) => HTMLElement} */
const gained = ({ seat, points }) => seats(seat, String(points.reduce((sum, each) => sum + each, 0)));

/** What the list shows of an event; other events are only in the title.
    @type {{ [K in GameEvent["event"]]?: (event: EventOf<K>) => Child[] }} */
const SHOWN = {
  wall: ({ line }) => [make("b", { textContent: String(line) })],
  "early-roll": ({ seat, points }) => [gained({ seat, points: [points] })],
  roll: ({ tower, houses }) => [make("span", { className: "dice-fallen" }, ...[...(tower ? [tower] : []), ...houses].map(die))],
  towers: ({ put }) => put.map(([, color]) => icon(`tower-${color}`)),
  houses: ({ put }) => put.map(([, color]) => icon(`house-${color}`)),
  city: ({ spaces }) => [make("span", { className: "city", textContent: `▲${spaces.length}` })],
  merge: (event) => [make("span", { className: "city", textContent: event.with === null ? "·" : "+▲" })],
  play: (event) => [gained(event)],
  abstain: ({ seat }) => [seats(seat, "–")],
  swap: ({ seat, out }) => [seats(seat, out.length ? "⇄" : "·")],
  final: (event) => [event.cards.length ? gained(event) : seats(event.seat, "·")],
};
/** @type {(event: GameEvent) => Child[]} */
const shown = (event) => /** @type {Record<string, (event: any) => Child[]>} */ (SHOWN)[event.event]?.(event) ?? [];

export class Steps {
  element = make("ol", { className: "steps", "aria-label": t("study.moves") });
  /** The buttons by step.
      @type {HTMLButtonElement[]} */
  parts = [];

  /** `go` goes to a step.
      @param {(step: number) => void} go */
  constructor(go) {
    this.go = go;
  }

  /** List the events of all steps; `main` is the last step of the main line.
      @type {(steps: GameEvent[][], names: string[], main: number) => void} */
  list(steps, names, main) {
    this.parts = steps.map((events, step) => this.part(events, step, names, step > main));
    const turns = turnsOf(steps);
    const isPair = names.length === 2;
    /** @type {HTMLElement[]} */
    const rows = [];
    turns.forEach(({ seat, steps: own }, number) => {
      const turn = make("span", { className: `turn seat${seat}` }, ...own.map((step) => this.parts[step]));
      if (isPair && number && seat !== turns[0].seat && rows.length) rows.at(-1)?.append(turn);
      else rows.push(make("li", {}, make("small", { textContent: String(number + 1) }), ...(isPair ? [] : [make("i", { className: `dot seat${seat}` })]), turn));
    });
    const first = turns[0]?.seat ?? 0;
    const head = isPair && turns.length ? [first, 1 - first].map((seat) => make("span", { className: "turn" }, make("i", { className: `dot seat${seat}` }), names[seat])) : [];
    this.element.className = isPair ? "steps pairs" : "steps";
    this.element.replaceChildren(make("li", { className: "head" }, make("small", {}, this.parts[0]), ...head), ...rows);
  }

  /** Return the button of a step.
      @type {(events: GameEvent[], step: number, names: string[], isBranch: boolean) => HTMLButtonElement} */
  part(events, step, names, isBranch) {
    const told = (/** @type {GameEvent} */ event) => (event.seat === null ? "" : `${names[event.seat]}: `) + eventWords(event);
    const words = step ? events.map(told).join("; ") : t("study.beginning");
    const part = button("", () => this.go(step), { className: isBranch ? "part branch" : "part", title: words, "aria-label": words });
    part.append(...(step ? events.flatMap(shown).filter((each) => each !== null && each !== undefined) : [glyph("first")]));
    return part;
  }

  /** Mark the step that is shown, and scroll to it.
      @type {(at: number) => void} */
  show(at) {
    this.element.querySelector("[aria-current]")?.removeAttribute("aria-current");
    this.element.querySelector(".now")?.classList.remove("now");
    const part = this.parts[at];
    if (!part) return;
    part.setAttribute("aria-current", "step");
    part.closest(".turn")?.classList.add("now");
    const panel = byId("log-panel");
    beforeFrame(() => { panel.scrollTop = part.offsetTop - this.element.offsetTop - panel.clientHeight / 2; });
  }

  /** Show the marks of verdicts, which are by the step before the decision, at the moves of the main line.
      @type {(verdicts: Map<number, import("./verdicts.js").Verdict> | null, main: number) => void} */
  sign(verdicts, main) {
    for (const [step, { mark }] of verdicts ?? []) {
      const part = this.parts[step + 1];
      if (!part || step >= main || !SIGNS[mark]) continue;
      part.querySelector(".mark")?.remove();
      part.append(make("b", { className: `mark ${mark}`, textContent: SIGNS[mark] }));
    }
  }
}
