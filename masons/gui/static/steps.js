/* The list of the moves of an analysis, beside the board. */

import { beforeFrame, button, byId, make } from "./dom.js";
import { eventWords } from "./gamewords.js";
import { signMoves } from "./verdicts.js";
import { t } from "./words.js";

export class Steps {
  element = make("ol", { className: "steps", "aria-label": t("study.moves") });

  /** `go` goes to a step.
      @param {(step: number) => void} go */
  constructor(go) {
    this.go = go;
  }

  /** List the events of all steps; `main` is the last step of the main line.
      @type {(steps: GameEvent[][], names: string[], main: number) => void} */
  list(steps, names, main) {
    const told = (/** @type {GameEvent} */ event) => (event.seat === null ? "" : `${names[event.seat]}: `) + eventWords(event);
    this.element.replaceChildren(...steps.map((events, step) => {
      const text = step === 0 ? t("study.beginning") : `${step}. ${events.map(told).join("; ")}`;
      return make("li", { className: step > main ? "branch" : "" }, button(text, () => this.go(step), { className: "link" }));
    }));
  }

  /** Mark the step that is shown, and scroll to it.
      @type {(at: number) => void} */
  show(at) {
    this.element.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const item = this.element.querySelectorAll("li")[at];
    if (!item) return;
    item.firstElementChild?.setAttribute("aria-current", "step");
    const panel = byId("log-panel");
    beforeFrame(() => { panel.scrollTop = item.offsetTop - this.element.offsetTop - panel.clientHeight / 2; });
  }

  /** Show the marks of verdicts at the moves of the main line.
      @type {(verdicts: Map<number, import("./verdicts.js").Verdict> | null, main: number) => void} */
  sign(verdicts, main) {
    if (verdicts) signMoves([...this.element.children], verdicts, main);
  }
}
