/* The review of a game in the analysis: its report, the marks of the moves, and the verdict on the decision shown. */

import { button, dot, facts, headed, make, meter, paragraphs, setText, table, toast } from "./dom.js";
import { capital, isYou, moveWords, shortNames } from "./gamewords.js";
import { clearLoss, costsOnlyPoints, isOwnMistake, lossOf, markLegend, shownMark, signOf, SIGNS, starred, worthWords } from "./marks.js";
import { mainParts, shareWords, whyWords } from "./reasons.js";
import { sightOf } from "./shapes.js";
import { fixed, halfWidth, percent, round, signed, t } from "./words.js";

const SHOWN = 6; // the decisions that a list has unfolded
const CAUSES = 2; // the sentences of a reason above its figures
const NORMAL = 1.96; // standard errors on each side of a 95 % interval

/** `is_gift` marks the mistake of another seat than those that look back.
    @typedef {Omit<Decision, "turn"> & { turn?: number, is_gift?: boolean }} Verdict */

/** Return the move played in words.
    @type {(verdict: Verdict) => string} */
const playedWords = ({ played, played_facts: facts }) => moveWords(played, facts);

/** Return the best move in words.
    @type {(verdict: Verdict) => string} */
const bestMoveWords = ({ best, best_facts: facts }) => moveWords(best, facts);

/** Return the verdicts of a look back by step.
    @type {(moments: Moment[]) => Map<number, Verdict>} */
export const verdictsOf = (moments) => new Map(moments.flatMap((one) => (one.kind === "luck" ? [] : [[one.number - 1, one]])));

/** Say how the result of a seat divides into luck and play, in the same points as after the game.
    @type {(result: MarginResult, names: string[]) => string} */
function resultWords({ seat, margin, luck, play, digits, interval }, names) {
  const [points, chance, skill] = [margin, luck, play].map((part) => signed(part, digits));
  const said = { name: names[seat], points, luck: chance, play: skill, error: halfWidth(interval) };
  return names.length > 2 ? t("study.resultOfMany", said) : t("study.result", said);
}

/** What the panel can do: go to a step, let mistakes be tried again, practice all mistakes, review the whole game.
    @typedef {{ go: (step: number) => void, retry: (mistakes: [number, Verdict][]) => void, practice: () => void, review: () => void }} Act */

/** Return a button that lets mistakes be tried again, of which the costliest come first.
    @type {(mistakes: Verdict[], retry: Act["retry"]) => HTMLElement | null} */
const retryButton = (mistakes, retry) => (mistakes.length
  ? button(t("retry.these"), () => retry(mistakes.map((one) => [one.number - 1, one])), { className: "main" }) : null);

/** Return a list of mistakes, which lead to their decisions.
    @type {(mistakes: Verdict[], names: string[], go: Act["go"]) => HTMLElement} */
function costly(mistakes, names, go) {
  return make("ul", { className: "costly" }, ...mistakes.map((one) => make("li", {}, make("button", { type: "button", className: "link", onclick: () => go(one.number - 1) },
    make("span", { className: "num", textContent: `−${costsOnlyPoints(one) ? t("cards.points", { count: round(one.points) }) : percent(shareWords(Math.max(one.loss, 0), one.interval))}` }), dot(one.seat),
    `${t("task.turn", { turn: one.turn ?? 0 })} ${names[one.seat]} `, make("b", { className: `mark ${shownMark(one)}`, textContent: signOf(shownMark(one)) }),
    make("small", { textContent: t("study.better", { played: playedWords(one), best: bestMoveWords(one) }) })))));
}

/** Return the decisions with some numbers, in their order.
    @type {(review: ReviewMessage, numbers: number[]) => Verdict[]} */
const numbered = ({ decisions }, numbers) => numbers.flatMap((number) => decisions.filter((one) => one.number === number));

/** Say what is folded in a list of mistakes and then of moves that cost only points.
    @type {(mistakes: number, all: number) => string} */
function furtherWords(mistakes, all) {
  const left = Math.max(mistakes - SHOWN, 0);
  const dear = all - SHOWN - left;
  return [...(left ? [t("retry.others", { count: left })] : []), ...(dear ? [t("study.furtherDear", { count: dear })] : [])].join(" · ");
}

/** Return the elements of a review's report.
    @type {(review: ReviewMessage, names: string[], act: Omit<Act, "review">) => (HTMLElement | null)[]} */
function reportOf(review, names, act) {
  const rows = review.players.map(({ seat, marks, mean_loss: loss, error }) =>
    [names[seat], ...["inaccuracy", "error", "blunder"].map((mark) => String(marks[mark])), percent(shareWords(loss, NORMAL * error))]);
  const mistakes = numbered(review, review.mistakes);
  const listed = [...mistakes, ...numbered(review, review.dear)];
  return [...(listed.length ? [make("h2", { textContent: t("study.cost") })] : []),
    ...(mistakes.length ? [make("div", { className: "buttons" }, retryButton(mistakes.slice(0, SHOWN), act.retry), button(t("study.practice"), act.practice))] : []),
    ...(listed.length ? [costly(listed.slice(0, SHOWN), names, act.go)] : []),
    ...(listed.length > SHOWN ? [make("details", {}, make("summary", { textContent: furtherWords(mistakes.length, listed.length) }), costly(listed.slice(SHOWN), names, act.go))] : []),
    make("h2", { textContent: t("study.review") }), table(["", "?!", "?", "??", t("study.lossAMove")], rows),
    ...paragraphs(review.results.slice(0, names.length > 2 ? names.length : 1).map((one) => resultWords(one, names))), markLegend()];
}

/** Return a move in a verdict as a picture with its words.
    @type {(head: string, move: string, words: string, how: { board: Board, position: Pieces, mark?: string, title?: string, bar?: HTMLElement | string }) => HTMLElement} */
const figure = (head, move, words, { board, position, mark = "best", title = "", bar = "" }) => make("figure", { className: mark === "good" ? "" : mark }, make("b", { textContent: head, title }),
  make("span", { className: "sight", "aria-hidden": "true" }, ...sightOf(board, move, position)), bar, make("figcaption", { className: /^(wall|towers|houses):/.test(move) ? "sr" : "", textContent: capital(words) })); // the board has the numbers

/** Return whether the move played is the best one, or as good as can be told.
    @type {(verdict: Verdict) => boolean} */
const isBest = (verdict) => verdict.played === verdict.best || (verdict.loss <= 0 && !costsOnlyPoints(verdict));

/** Return the moves played and best side by side.
    @type {(verdict: Verdict, board: Board, position: Pieces) => HTMLElement} */
function comparison(verdict, board, position) {
  const { played, best, win } = verdict;
  const bar = (/** @type {number} */ loss) => (win === null || !clearLoss(verdict) ? "" : meter(win - loss, win));
  const how = { board, position };
  const mark = shownMark(verdict);
  const isOne = !verdict.equal.length;
  return make("div", { className: "compared" }, figure(isBest(verdict) ? t("study.playedBest") : `${signOf(mark)} ${t("study.played")}`, played, playedWords(verdict), { ...how, mark, bar: bar(verdict.loss) }),
    ...(isBest(verdict) ? [] : [figure(starred(isOne ? t("study.best") : t("study.amongBest")), best, bestMoveWords(verdict), { ...how, bar: bar(0), title: isOne ? "" : t("study.equalBest") })]));
}

/** Return the elements of the verdict on a decision: the verdict, and both moves on the board of `position`.
    @type {(verdict: Verdict, board: Board, position: Pieces & { names: string[] }) => HTMLElement[]} */
export function verdictParts(verdict, board, position) {
  const isDear = costsOnlyPoints(verdict);
  const mark = shownMark(verdict);
  const said = capital(isDear ? t("study.onlyPoints") : mark === "unsure" && !lossOf(verdict).isClear ? t("study.asGood") : t(`mark.${mark}`));
  const { signed: lost } = lossOf(verdict);
  const share = round(100 * verdict.loss);
  const difference = verdict.played === verdict.best ? "" : share > 0 && !clearLoss(verdict) ? `${t("study.lostWin", { win: percent(fixed(share)) })} (${lost})` : lost;
  const name = shortNames(position.names)[verdict.seat];
  const whose = isYou(name) ? "" : name + ": ";
  return [make("p", { className: `judgement ${mark}` }, make("b", { textContent: `${whose}${signOf(mark)} ${said}` }), make("small", { textContent: difference })), comparison(verdict, board, position),
  ...(mark in SIGNS ? worthWords(verdict) : []).map((textContent) => make("p", { className: "evidence", textContent }))]; // without a mark, the reasons have these words
}

/** Return why the best move is better: the main reason with its first causes, and all figures folded.
    @type {(verdict: Verdict, names: string[]) => HTMLElement[]} */
export function reasonParts(verdict, names) {
  const { mark, seat, win, win_interval: interval, why } = verdict;
  const said = [...(mark in SIGNS ? [] : lossOf(verdict).words), ...(verdict.is_coached ? [t("after.coached")] : [])];
  const isTold = mark in SIGNS || why?.reasons.length || why?.end; // a good move needs no word that nothing differs
  const parts = facts([...(isTold ? mainParts(why, names).slice(0, why?.end ? 1 : CAUSES) : []), ...said]);
  const chance = win === null ? [] : [make("p", { className: "evidence", textContent: chanceWords(win, names[seat], interval) })];
  return why?.reasons.length ? [...parts, make("details", {}, make("summary", { textContent: t("hint.figures") }), ...headed([t("study.why"), ...whyWords(why, names, true)]), ...chance)] : [...parts, ...chance];
}

/** Say whose view a win probability is.
    @type {(name: string) => string} */
export const viewWords = (name) => (isYou(name) ? t("study.youSee") : t("study.oneSees", { name }));

/** Return a button that says, in words to be set, whose view figures are, and when it is clicked, what this means.
    @type {() => HTMLButtonElement} */
export const viewButton = () => button("", () => toast(t("study.viewMeans")), { className: "seen link", title: t("study.viewMeans") });

/** Say the win probability of the best move in a player's view; below its `interval`, decimals say nothing.
    @type {(win: number, name: string, interval?: number | null) => string} */
export const chanceWords = (win, name, interval = null) => [t("study.chance", { win: percent(fixed(100 * win, 0)) }) + (interval ? ` ± ${halfWidth(100 * interval)}` : ""), viewWords(name)].join(" · ");

/** Return buttons that go to the mistakes before and after a step, none if there are none.
    @type {(beside: (number | undefined)[], go: Act["go"]) => HTMLButtonElement[]} */
export const mistakeButtons = (beside, go) => (beside.every((step) => step === undefined) ? [] : beside.map((step, i) => {
  const words = i ? t("study.nextMistake") : t("study.lastMistake");
  const one = button("", () => step !== undefined && go(step), { disabled: step === undefined });
  const arrow = make("span", { textContent: i ? " ▶" : "◀ ", "aria-hidden": "true" });
  one.append(...(i ? [words, arrow] : [arrow, words]));
  return one;
}));

/** The review of the game in the analysis. */
export class Review {
  element = make("div", { className: "why report" });
  curtain = make("p", { className: "evidence", hidden: true, textContent: t("retry.covered") });
  /** @type {Map<number, Verdict> | null} */
  verdicts = null; // by step
  isWhole = false; // true if the verdicts are those of a review of the whole game
  /** The mistakes to learn from, the costliest first.
      @type {Verdict[]} */
  mistakes = [];
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
      @type {(message: ReviewMessage, names: string[], act: Omit<Act, "review">) => void} */
  hear(message, names, act) {
    this.percent = null;
    this.verdicts = new Map(message.decisions.map((one) => [one.number - 1, one]));
    this.mistakes = numbered(message, message.mistakes);
    this.isWhole = true;
    this.element.replaceChildren(...reportOf(message, names, act).flatMap((part) => part ?? []));
  }

  /** Take the verdicts of a look back, unless there are those of a review, and offer its mistakes as exercises.
      @type {(verdicts: Map<number, Verdict> | null, names: string[], act: Pick<Act, "go" | "retry" | "review">) => void} */
  lookBack(verdicts, names, { go, retry, review }) {
    if (!verdicts?.size || this.isWhole) return;
    this.verdicts = verdicts;
    this.mistakes = [...verdicts.values()].filter(isOwnMistake);
    const shown = [...verdicts.values()].sort((one, other) => Number(isOwnMistake(other)) - Number(isOwnMistake(one))).slice(0, SHOWN);
    const own = shown.filter(isOwnMistake);
    this.element.replaceChildren(make("h2", { textContent: t("after.moments") }), make("div", { className: "buttons" }, retryButton(own, retry), button(t("retry.review"), review)),
      ...(own.length ? paragraphs([t("retry.moments")]) : []), costly(shown, names, go));
  }

  /** Return the mistakes that are not among those that were tried again, which stand by their steps.
      @type {(tried: [number, Verdict][]) => [number, Verdict][]} */
  others(tried) {
    const steps = tried.map(([step]) => step);
    return this.mistakes.flatMap((one) => (steps.includes(one.number - 1) ? [] : [[one.number - 1, one]]));
  }

  /** Hide the review while an exercise asks for what it tells.
      @type {(on: boolean) => void} */
  cover(on) {
    this.element.hidden = on;
    this.curtain.hidden = !on;
  }

  get isEmpty() {
    return !this.element.children.length;
  }

  /** Forget the review, as something else is analyzed. */
  forget() {
    this.verdicts = this.percent = null;
    this.mistakes = [];
    this.isWhole = false;
    this.element.replaceChildren();
  }
}
