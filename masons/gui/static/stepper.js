/* The buttons and the slider that go through the steps of an analysis, and its playing by itself. */

import { button, byId, glyph, make } from "./dom.js";
import { t } from "./words.js";

const PACE = 700; // ms per step while the game plays by itself

export class Stepper {
  element = byId("stepper");
  at = -1;
  last = 0; // the last step
  isPlaying = false;
  timer = 0;
  slider = make("input", { type: "range", min: 0, value: 0, "aria-label": t("study.step") });
  playButton = button("", () => this.play(!this.isPlaying), { title: t("study.playTitle") });

  /** `go` goes to a step.
      @param {(step: number) => void} go */
  constructor(go) {
    this.go = go;
    this.slider.addEventListener("input", () => go(Number(this.slider.value)));
    const step = (/** @type {"first" | "back" | "forward" | "last"} */ name, /** @type {string} */ title, /** @type {() => number} */ to) => {
      const one = button("", () => go(to()), { title, "aria-label": title });
      one.append(glyph(name));
      return one;
    };
    this.play(false);
    this.element.replaceChildren(step("first", t("study.toBeginning"), () => 0), step("back", t("study.back"), () => this.at - 1), this.playButton,
      step("forward", t("study.forward"), () => this.at + 1), step("last", t("study.toEnd"), () => this.last), this.slider);
  }

  /** Show which step of a line is shown.
      @type {(at: number, last: number) => void} */
  show(at, last) {
    Object.assign(this, { at, last });
    this.element.hidden = !last;
    this.slider.max = String(last);
    this.slider.value = String(at);
    this.slider.setAttribute("aria-valuetext", t("study.stepOf", { step: at, steps: last }));
  }

  /** Begin or stop to step through the game automatically.
      @type {(on: boolean) => void} */
  play(on) {
    window.clearTimeout(this.timer);
    this.isPlaying = on;
    this.playButton.setAttribute("aria-pressed", String(on));
    this.playButton.setAttribute("aria-label", on ? t("study.pause") : t("study.play"));
    this.playButton.replaceChildren(glyph(on ? "pause" : "play"));
    if (on) this.timer = window.setTimeout(() => this.tick(), PACE);
  }

  tick() {
    this.play(this.isPlaying && this.at < this.last);
    if (this.isPlaying) this.go(this.at + 1);
  }
}
