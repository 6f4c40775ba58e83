/* The list of the moves of an analysis, beside the board: one row for each turn, with its wall and pieces, the city
   that it completed and the points of its seat. All else is in the titles. Each decision that shows something is a button
   that goes to its position, which is the one that the panel ranks or reviews. */

import { allIn, beforeFrame, button, byId, citySign, dot, findIn, icon, make } from "./dom.js";
import { sum } from "./eventpictures.js";
import { eventsWords } from "./gamewords.js";
import { SIGNS, shownMark, signOf } from "./marks.js";
import { signed, t } from "./words.js";

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

/** What the list shows of an event; other events are only in the title.
    @type {{ [K in GameEvent["event"]]?: (event: EventOf<K>) => Child[] }} */
const SHOWN = {
  wall: () => [icon("wall-piece")],
  towers: ({ put }) => put.map(([, color]) => icon(`tower-${color}`)),
  houses: ({ put }) => put.map(([, color]) => icon(`house-${color}`)),
};
/** @type {(event: GameEvent) => Child[]} */
const shown = (event) => /** @type {Record<string, (event: any) => Child[]>} */ (SHOWN)[event.event]?.(event) ?? [];

const SCORES = 2; // the seats whose points have room, of which that of the turn comes first

/** Return the columns of a turn's marks, of its cities as one sign, and of the points of seats, one figure each.
    @type {(events: GameEvent[], seat: number, names: string[]) => HTMLElement} */
function totals(events, seat, names) {
  const cities = events.flatMap((event) => (event.event === "city" ? [event.spaces.length] : []));
  const seats = [...new Set([seat, ...events.flatMap((event) => event.seat ?? [])])];
  const scores = seats.map((one) => [one, sum(events.flatMap((event) => (event.seat === one && "points" in event ? event.points : [])))]).filter(([, points]) => points).slice(0, SCORES);
  const title = cities.map((count) => t("did.city", { count })).join(", ");
  return make("span", { className: "sum" }, cities.length ? citySign(cities.join("+"), { title }) : null,
    make("span", { className: "scores" }, ...scores.map(([one, points]) => make("span", { className: `points seat${one}`, textContent: signed(points, 0), title: `${names[one]}: ${t("cards.points", { count: points })}` }))), make("span", { className: "signs" }));
}

export class Steps {
  element = make("ol", { className: "steps", "aria-label": t("study.moves") });
  heads = make("p", { className: "heads", "aria-hidden": "true" }, ...[t("steps.placed"), t("steps.scored")].map((textContent) => make("span", { textContent })));
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
    this.parts = [];
    const rows = turnsOf(steps).map((each, number) => {
      const { seat } = each;
      const events = each.steps.flatMap((step) => steps[step]);
      const [move] = events.flatMap((event) => (event.event === "wall" ? [`wall:${event.line}`] : []));
      const turn = make("span", { className: `turn seat${seat}`, "data-move": move }, ...this.partsOf(each, steps, names, main), totals(events, seat, names));
      turn.addEventListener("click", ({ target }) => {
        const one = /** @type {Element} */ (target);
        if (!one.closest(".part")) this.go(Number(one.getAttribute("data-step") ?? each.steps[0] - 1));
      });
      return make("li", {}, make("small", { textContent: String(number + 1) }), dot(seat), turn);
    });
    this.element.replaceChildren(...rows);
  }

  /** Return the buttons of a turn. A step that shows nothing, such as a swap, shares the button before it.
      @type {(turn: Turn, steps: GameEvent[][], names: string[], main: number) => HTMLButtonElement[]} */
  partsOf(turn, steps, names, main) {
    /** @type {number[][]} */
    const groups = [];
    for (const step of turn.steps) {
      if (!groups.length || steps[step].flatMap(shown).length) groups.push([step]);
      else groups[groups.length - 1].push(step);
    }
    return groups.map((group) => {
      const part = this.part(group.flatMap((step) => steps[step]), group[0], names, group[0] > main);
      for (const step of group) this.parts[step] = part;
      return part;
    });
  }

  /** Return the button of a step and of those that share it.
      @type {(events: GameEvent[], step: number, names: string[], isBranch: boolean) => HTMLButtonElement} */
  part(events, step, names, isBranch) {
    const told = eventsWords(events).map((said, i) => (events[i].seat === null ? said : `${names[Number(events[i].seat)]}: ${said}`));
    const words = told.join("; ");
    const part = button("", () => this.go(step - 1), { className: isBranch ? "part branch" : "part", title: words, "aria-label": words });
    part.append(...events.flatMap(shown).filter((each) => each !== null && each !== undefined));
    return part;
  }

  /** Mark the decision of the step that is shown, at the end the last one, and scroll to it.
      @type {(at: number) => void} */
  show(at) {
    this.element.querySelector("[aria-current]")?.removeAttribute("aria-current");
    this.element.querySelector(".now")?.classList.remove("now");
    const part = this.parts[at + 1] ?? this.parts[at];
    if (!part) return;
    part.setAttribute("aria-current", "step");
    part.closest(".turn")?.classList.add("now");
    const row = /** @type {HTMLElement} */ (part.closest("li"));
    const panel = byId("log-panel");
    beforeFrame(() => { // whole rows, at the end of the list too
      const { height } = row.getBoundingClientRect();
      this.element.style.paddingBottom = "0";
      const end = panel.scrollHeight - panel.clientHeight;
      this.element.style.paddingBottom = `${end > 0 ? Math.ceil(end / height) * height - end : 0}px`;
      const before = Math.floor(panel.clientHeight / height / 2);
      panel.scrollTop = height * Math.max([...this.element.children].indexOf(row) - before, 0);
    });
  }

  /** Show the mark of the decision on the board in its row, if there is a verdict on it.
      @type {(verdict: import("./verdicts.js").Verdict | null) => void} */
  mark(verdict) {
    findIn(".here", this.element)?.remove();
    if (!verdict) return;
    const mark = shownMark(verdict);
    findIn(".now .signs", this.element)?.append(make("b", { className: `here ${mark} seat${verdict.seat}`, textContent: signOf(mark), title: t(`marks.${mark}`) }));
  }

  /** Show the marks of verdicts, which are by the step before the decision, at the moves of the main line. A sign has a ring in the
      color of the seat.
      @type {(verdicts: Map<number, import("./verdicts.js").Verdict> | null, main: number) => void} */
  sign(verdicts, main) {
    for (const [step, { mark, seat }] of [...verdicts ?? []].sort(([a], [b]) => a - b)) {
      const part = this.parts[step + 1];
      if (!part || step >= main || !SIGNS[mark]) continue;
      const signs = part.closest(".turn")?.querySelector(".signs");
      signs?.querySelector(`[data-step="${step}"]`)?.remove();
      signs?.append(make("b", { className: `mark ${mark} seat${seat}`, textContent: SIGNS[mark], title: part.title + ": " + t(`marks.${mark}`), "data-step": step }));
    }
    for (const turn of allIn(".turn", this.element)) { // a row has room for two marks
      const marks = ["blunder", "error", "inaccuracy"].flatMap((name) => allIn(`.mark.${name}`, turn));
      marks.forEach((mark, rank) => { mark.hidden = rank > 1; });
    }
  }
}
