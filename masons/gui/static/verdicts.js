/* The review of a game in the analysis: its report, the marks of the moves, and the verdict on the decision shown. */

import { button, make, paragraphs, setText, table } from "./dom.js";
import { moveWords } from "./gamewords.js";
import { measuredGraph } from "./graph.js";
import { SIGNS, bestWords, lossOf, markLegend, starred, verdictWords } from "./marks.js";
import { shareWords, whyWords } from "./reasons.js";
import { halfWidth, signed, t } from "./words.js";

const NORMAL = 1.96; // standard errors on each side of a 95 % interval
const COSTLY = 5; // the most decisions that the report lists

/** @typedef {Pick<Decision, "number" | "seat" | "mark" | "played" | "played_facts" | "best" | "best_facts" | "why" | "loss" | "interval" | "points" | "points_interval" | "equal" | "is_coached">} Verdict */

/** Return the move played in words.
    @type {(verdict: Verdict) => string} */
const playedWords = ({ played, played_facts: facts }) => moveWords(played, facts);

/** Return the best move in words.
    @type {(verdict: Verdict) => string} */
const bestMoveWords = ({ best, best_facts: facts }) => moveWords(best, facts);

/** Return the verdicts of a look back by step, in the form of a review's.
    @type {(moments: Moment[]) => Map<number, Verdict>} */
export function verdictsOf(moments) {
  const mistakes = moments.flatMap((one) => (one.mark === "luck" ? [] : [one]));
  return new Map(mistakes.map((one) => [one.number - 1, { ...one, played: one.move, played_facts: one.facts }]));
}

/** Say how the result of a seat divides into luck and play.
    @type {(result: ShareResult, names: string[]) => string} */
function resultWords({ seat, share, luck, play, interval }, names) {
  const [gain, chance, skill] = [share, luck, play].map((part) => signed(100 * part));
  return t("study.result", { name: names[seat], gain, luck: chance, play: skill, error: halfWidth(100 * interval) });
}

/** Return the elements of a review's report. `act` has the functions `go`, which goes to a step, and `practice`.
    @type {(review: ReviewMessage, names: string[], act: { go: (step: number) => void, practice: () => void }) => HTMLElement[]} */
function reportOf(review, names, act) {
  const rows = review.players.map(({ seat, marks, mean_loss: loss, error }) =>
    [names[seat], ...["inaccuracy", "error", "blunder"].map((mark) => String(marks[mark])), `${shareWords(loss, NORMAL * error)} %`]);
  const costly = review.critical.slice(0, COSTLY).flatMap((number) => review.decisions.filter((one) => one.number === number));
  const entry = (/** @type {Decision} */ one) => make("li", {},
    button(`${one.number}. ${names[one.seat]} ${SIGNS[one.mark] || ""}`, () => act.go(one.number - 1), { className: "link" }),
    make("span", { className: "num", textContent: `−${shareWords(one.loss, one.interval)} %` }),
    " " + t("study.better", { played: playedWords(one), best: bestMoveWords(one) }));
  return [make("h2", { textContent: t("study.review") }), table(["", "?!", "?", "??", t("study.lossAMove")], rows),
    ...paragraphs(review.results.map((one) => resultWords(one, names))),
    ...(costly.length ? [make("h2", { textContent: t("study.cost") }), make("ul", { className: "ranked" }, ...costly.map(entry))] : []),
    ...(review.mistakes ? [make("div", { className: "buttons" }, button(t("study.practice"), act.practice))] : []),
    markLegend()];
}

/** Return the elements of the verdict on a decision.
    @type {(verdict: Verdict, names: string[]) => HTMLElement[]} */
export function verdictParts(verdict, names) {
  const isBest = verdict.played === verdict.best;
  const { isClear, measured } = lossOf(verdict);
  return [make("h2", { textContent: t("study.verdict") }),
    make("p", {}, make("b", { textContent: verdictWords(verdict, playedWords(verdict)) })),
    ...paragraphs([...(isBest ? [] : [measured]), ...(isBest || !isClear ? [] : [starred(bestWords(verdict, bestMoveWords(verdict)))]),
      ...(verdict.is_coached ? [t("after.coached")] : []), ...whyWords(verdict.why, names, true)])];
}

/** Prefix the items of the list of moves with the marks of their verdicts; `main` is the last step of the main line.
    @type {(items: Element[], verdicts: Map<number, Verdict>, main: number) => void} */
export function signMoves(items, verdicts, main) {
  for (const [step, item] of items.entries()) {
    const verdict = step <= main ? verdicts.get(step - 1) : null;
    const sign = verdict && SIGNS[verdict.mark];
    if (sign) item.firstElementChild?.prepend(make("b", { className: "mark", textContent: `${sign} ` }));
  }
}

/** The review of the game in the analysis. */
export class Review {
  element = make("div", { className: "why report" });
  /** @type {Map<number, Verdict> | null} */
  verdicts = null; // by step
  /** @type {GraphMessage["wins"][] | null} */
  graph = null; // the win probabilities that the review measured
  /** @type {number | null} */
  percent = null; // what a running review has done; null if none is running

  /** Show that a review is running; `stop` ends it.
      @type {(stop: () => void) => void} */
  begin(stop) {
    this.percent ??= 0;
    this.element.replaceChildren(make("p", { textContent: t("study.reviewing") }), button(t("study.stopReview"), stop));
  }

  /** Offer to go on with a review that was stopped.
      @type {(goOn: () => void) => void} */
  pause(goOn) {
    if (this.percent === null) return;
    this.element.replaceChildren(make("p", { textContent: t("study.reviewStopped", { percent: this.percent }) }), button(t("study.reviewOn"), goOn));
    this.percent = null;
  }

  /** Show how far the review has got.
      @type {(message: ProgressMessage) => void} */
  progress({ done, total }) {
    if (this.percent === null) return; // it was stopped meanwhile
    this.percent = Math.round((100 * done) / total);
    setText(/** @type {Element} */ (this.element.firstElementChild), t("study.reviewingShare", { percent: this.percent }));
  }

  /** Show the report. `act` is that of `reportOf`.
      @type {(message: ReviewMessage, names: string[], act: { go: (step: number) => void, practice: () => void }) => void} */
  hear(message, names, act) {
    this.percent = null;
    this.verdicts = new Map(message.decisions.map((one) => [one.number - 1, one]));
    this.graph = measuredGraph(message);
    this.element.replaceChildren(...reportOf(message, names, act));
  }

  /** Forget the review, as another game is analyzed or, without `isGame`, a position.
      @type {(isGame: boolean) => void} */
  forget(isGame) {
    this.verdicts = this.graph = this.percent = null;
    this.element.replaceChildren(make("p", { className: "evidence", textContent: isGame ? t("study.begin") : t("study.beginPosition") }));
  }
}
