/* The marks of decisions, by the coach and by reviews: their signs, their words, what a move loses, and a legend.

   A decision has its `mark`, its measured `loss` of win probability with its `interval`, its loss of `points` with its
   `points_interval`, and in `equal` the other moves that can't be told apart from the best one. */

import { make } from "./dom.js";
import { fixed, percent, ranged, round, t } from "./words.js";

/** @type {Record<string, string>} */
export const SIGNS = { inaccuracy: "?!", error: "?", blunder: "??" };
/** @type {Record<string, string>} */
export const ALL_SIGNS = { best: "★", good: "✓", unsure: "≈", ...SIGNS };

/** @type {(mark: Mark) => string} */
export const signOf = (mark) => ALL_SIGNS[mark];

/** Return whether a moment is a mistake of those that look back, and certainly one.
    @type {(moment: { mark: string, is_gift?: boolean }) => boolean} */
export const isOwnMistake = ({ mark, is_gift: isGift }) => mark in SIGNS && !isGift;

const LEAST = 0.1; // the smallest loss that is told, in percent or points
const COSTLY = 2; // points; a move that certainly loses as many is not called good

/** Return the loss of win probability, or 0 if it does not exceed its interval.
    @type {(loss: Pick<Loss, "loss" | "interval">) => number} */
export const clearLoss = ({ loss, interval }) => (100 * loss > Math.max(100 * interval, LEAST) ? loss : 0);

/** Return what a move loses in win probability, which its mark is about, and in points. Losses that exceed their intervals
    are told in plain words, and all with figures; `signed` has these as changes.
    @type {(loss: Loss) => { isClear: boolean, words: string[], figures: string, signed: string, measured: string }} */
export function lossOf(lost) {
  const { loss, interval, points, points_interval: reach } = lost;
  const [losesWin, losesPoints] = [clearLoss({ loss, interval }) > 0, points > Math.max(reach, LEAST)];
  const share = percent(ranged(100 * loss, 100 * interval));
  const win = losesWin ? t("coach.win", { win: share }) : t("study.atMost", { share: fixed(Math.max(100 * (loss + interval), LEAST)) });
  const figures = losesPoints ? t("coach.points", { win, points: ranged(points, reach) }) : win;
  const signed = !losesWin ? figures : losesPoints ? t("study.lostBoth", { win: share, points: ranged(points, reach) }) : t("study.lostWin", { win: share });
  const count = round(points);
  const games = Math.round(100 * loss);
  const words = [...(losesPoints ? [losesWin ? t("coach.costsPoints", { count }) : t("coach.costsOnlyPoints", { count })] : []),
    ...(losesWin && games ? [t("coach.costsWin", { count: games })] : []), ...worthWords(lost)];
  return { isClear: losesWin || losesPoints, words, figures, signed, measured: t("coach.loss", { figures }) };
}

/** Say why the points and the win probability that a move loses don't seem to fit, in a list that is empty if they do.
    @type {(loss: Pick<Loss, "worth" | "points">) => string[]} */
export const worthWords = ({ worth, points }) => (worth ? [t(`worth.${worth.kind}`, { points, spread: worth.spread, count: worth.games })] : []);

/** Return whether a move certainly loses points, though it hardly changes who wins.
    @type {(decision: Loss & { mark: string }) => boolean} */
export const costsOnlyPoints = ({ mark, points, points_interval: reach }) => mark === "good" && points - reach >= COSTLY;

/** Return the mark that a decision is shown with: one that only costs points is not good.
    @type {<M extends string>(decision: Loss & { mark: M }) => M | "unsure"} */
export const shownMark = (decision) => (costsOnlyPoints(decision) ? "unsure" : decision.mark);

/** Return the verdict on a move, which says no more than the loss and its interval do.
    @type {(decision: Loss & Pick<Decision, "mark" | "equal">, move: string) => string} */
export function verdictWords(decision, move) {
  const { mark, equal } = decision;
  const { isClear } = lossOf(decision);
  const verdict = mark === "best" && equal.length ? "amongBest" : mark === "good" && !isClear ? "asGood"
    : costsOnlyPoints(decision) ? "dear" : mark === "unsure" && isClear ? "worse" : mark;
  return t(`coach.${verdict}`, { sign: signOf(shownMark(decision)), words: move });
}

/** Return the best move in words, which is one of several if some others can't be told apart from it.
    @type {(decision: Pick<Decision, "equal">, move: string) => string} */
export const bestWords = ({ equal }, move) => (equal.length ? t("coach.among", { words: move }) : t("coach.better", { words: move }));
/** @type {(words: string) => string} */
export const starred = (words) => `★ ${words}`;

/** Return a folded legend of all marks. */
export function markLegend() {
  return make("details", { className: "marks" }, make("summary", { textContent: t("marks.title") }),
    make("dl", {}, ...Object.entries(ALL_SIGNS).flatMap(([mark, sign]) => [make("dt", { textContent: sign }), make("dd", { textContent: t(`marks.${mark}`) })])),
    make("p", { className: "evidence", textContent: t("marks.how") }));
}
