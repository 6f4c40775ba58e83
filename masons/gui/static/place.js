/* What the page shows. Its game or lesson is in the address, and its analysis is kept for the tab. So a page that is
   loaded again, or connects again after a restart of the program, shows the same again. */

import { keep, kept } from "./settings.js";
import { language } from "./words.js";

const GAME = "#game=";
const STUDY = "#study=";
const LESSON = "#lesson=";
const LESSONS = "#lessons";
const OPENINGS = "#openings";
const PROFILE = "#profile";
export const NEW = "#new"; // a tab that begins with the first screen, whatever the program was started with
/** The step shown, the step at which the variation begins, and its moves.
    @typedef {{ at: number, branch: number | null, moves: string[] }} Place */

const KEPT = "masons-study";
const STEP = "masons-step";
const PAUSE = 250; // ms without a step, after which the step is kept

/** @type {(name: string) => string} */
const decoded = (name) => {
  const { hash } = window.location;
  try {
    return hash.startsWith(name) ? decodeURIComponent(hash.slice(name.length)) : "";
  } catch {
    return "";
  }
};

/** @type {(hash: string) => void} */
function to(hash) {
  if (window.location.hash !== hash) window.history.replaceState(null, "", hash || window.location.pathname);
}

/** @type {(file: string | undefined) => void} */
export const atGame = (file) => { if (file) to(GAME + encodeURIComponent(file)); };

/** @type {(number: number) => void} */
export const atLesson = (number) => to(LESSON + number);
export const atLessons = () => to(LESSONS);
export const atOpenings = () => to(OPENINGS);
export const atProfile = () => to(PROFILE);

export function atStart() {
  if (window.location.hash !== NEW) to("");
  forgetStudy();
}

/** Keep a part of the analysis. If that fails, nothing of the analysis is kept.
    @type {(name: string, value: unknown) => void} */
function keepStudy(name, value) {
  if (!keep(name, value)) forgetStudy();
}

/** Keep the source of the analysis. As it may be long, it is kept only once.
    @type {(source: StudyMessage["source"]) => void} */
export const atStudy = (source) => keepStudy(KEPT, source);

/** @type {Place | null} */
let where = null;
let timer = 0;

/** Keep the step and the moves of a variation, once no other step has been shown for a moment.
    @type {(now: Place) => void} */
export function atStep(now) {
  where = now;
  window.clearTimeout(timer);
  timer = window.setTimeout(keepStep, PAUSE);
}

function keepStep() {
  if (where) keepStudy(STEP, where);
  where = null;
}

window.addEventListener("pagehide", keepStep);

export function forgetStudy() {
  where = null;
  try {
    for (const name of [KEPT, STEP]) window.sessionStorage.removeItem(name);
  } catch { /* this browser keeps nothing */ }
}

/** Return the messages that let the page show the same as before. There are none for the first screen.
    @type {() => Saying[]} */
export function wayBack() {
  /** @type {Saying[]} */
  const messages = [];
  const game = decoded(GAME);
  if (game) messages.push(["resume", { file: game }]);
  const lesson = Number(decoded(LESSON));
  if (lesson) return [["lesson", { number: lesson, language }]];
  if (window.location.hash === LESSONS) return [["lessons", { language }]];
  if (window.location.hash === PROFILE) return [["profile", {}]];
  if (window.location.hash === OPENINGS) return [["openings", { players: 2, hand: [] }]];
  const source = kept(KEPT);
  if (source) {
    const { at = 0, branch = null, moves = [] } = kept(STEP) || {};
    messages.push(["study", { ...source, step: branch === null ? at : branch }]);
    for (const move of moves) messages.push(["try", { move }]);
    if (branch !== null) messages.push(["step", { to: at }]);
  } else if (decoded(STUDY)) messages.push(["study", { text: decoded(STUDY) }]);
  return messages;
}

export const hasStudy = () => Boolean(kept(KEPT));
export const isReturning = () => Boolean(wayBack().length || window.location.hash === NEW);
