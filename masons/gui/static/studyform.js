/* What begins an analysis: a form for the text of a position or records, a chosen file, a file dropped on the page. */

import { button, make, toast } from "./dom.js";
import { t } from "./words.js";

const MOST_BYTES = 1000000;

/** Return the form into which a position or records can be pasted, or a file chosen.
    @type {(say: Say) => HTMLElement} */
export function studyForm(say) {
  const text = make("textarea", { rows: 3, placeholder: t("study.placeholder"), "aria-label": t("study.text") });
  const file = make("input", { type: "file", "aria-label": t("study.file") });
  file.addEventListener("change", () => readFile(file.files?.[0], say));
  return make("div", { className: "stack" },
    make("p", { textContent: t("start.analyzeHow") }), text,
    make("div", { className: "buttons" },
      button(t("start.analyze"), () => (text.value.trim() ? say("study", { text: text.value }) : toast(t("study.empty"), true)), { className: "main" }),
      file));
}

/** @type {(file: File | undefined, say: Say) => Promise<void>} */
async function readFile(file, say) {
  if (!file) return;
  if (file.size > MOST_BYTES) toast(t("study.tooBig"), true);
  else say("study", { text: await file.text() });
}

/** Analyze the files that are dropped on the page.
    @type {(say: Say) => void} */
export function startDrops(say) {
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    readFile(event.dataTransfer?.files[0], say);
  });
}
