/* Exercises from a game's mistakes: the position before a mistake, with the cities and cards that matter lit, to find a
   better move. What is found is compared with the best move by new games. */

import { clearMoves, drawMoves } from "./drawnmoves.js";
import { allIn, button, byId, findIn, make, mode, paragraphs } from "./dom.js";
import { moveWords } from "./gamewords.js";
import { bestWords, lossOf, signOf, starred } from "./marks.js";
import { mainParts, mainReason, shareWords } from "./reasons.js";
import { t } from "./words.js";

/** @typedef {import("./verdicts.js").Verdict} Verdict */

export class Retry {
  element = make("div", { className: "why retry", "aria-live": "polite" });
  /** The mistakes by the step of their positions.
      @type {[step: number, verdict: Verdict][]} */
  mistakes = [];
  number = 0; // of the mistake that is asked about
  isOn = false;
  tried = ""; // the move that is being compared
  /** @type {StudiedPosition} */
  position;

  /** `go` shows a step of the game, `leave` ends the exercises at the step shown, `isCopy` says that they are of a game that
      goes on, `others` returns the mistakes that are left, `offer` lets a move be chosen anew, and
      `cover` hides the review, which tells the answers.
      @param {Board} board
      @param {{ say: Say, go: (step: number) => void, isCopy: () => boolean, others: (tried: [number, Verdict][]) => [number, Verdict][], leave: () => void, offer: () => void, cover: (on: boolean) => void }} act */
  constructor(board, act) {
    this.board = board;
    this.act = act;
  }

  /** Ask about some mistakes, one after another.
      @type {(mistakes: Iterable<[number, Verdict]>) => void} */
  begin(mistakes) {
    this.mistakes = [...mistakes];
    this.isOn = true;
    this.ask(0);
  }

  /** @type {(number: number) => void} */
  ask(number) {
    this.number = number;
    this.act.go(this.mistakes[number][0]);
  }

  end() {
    this.isOn = false;
    mode("retrying", false);
    this.element.replaceChildren();
    this.tried = "";
    this.act.cover(false);
  }

  /** Show the exercise if the position of a step is the one that is asked about, and else end the exercises. Return
      whether it is shown.
      @type {(step: number, isVariation: boolean, position: StudiedPosition) => boolean} */
  shows(step, isVariation, position) {
    if (!this.isOn) return false;
    const [wanted, verdict] = this.mistakes[this.number];
    if (step !== wanted || isVariation) {
      this.end();
      return false;
    }
    this.position = position;
    this.tried = "";
    this.element.classList.remove("done");
    clearMoves(this.board);
    this.act.cover(true);
    this.light(verdict);
    this.draw([]);
    const { names } = position;
    this.say([make("h2", { textContent: this.mistakes.length > 1 ? t("retry.number", { number: this.number + 1, count: this.mistakes.length }) : t("retry.title") }),
      make("p", {}, make("b", { textContent: t("retry.ask", { sign: signOf(verdict.mark), words: moveWords(verdict.played, verdict.played_facts) }) })),
      ...paragraphs([...mainParts(verdict.why, names), lossOf(verdict).measured].slice(0, 1))], [this.showing(), this.leaving()]); // the causes would tell the answer
    return true;
  }

  /** Light the cities and the cards that the reasons name.
      @type {(verdict: Verdict) => void} */
  light({ why }) {
    const causes = (why?.reasons ?? []).flatMap((reason) => reason.causes);
    const cities = causes.flatMap(({ city }) => (city ? [city.space] : []));
    const spaces = cities.slice(0, 2).flatMap((space) => this.position.cities.find((one) => one.includes(space)) ?? [space]);
    this.board.spot([...new Set(spaces)].map((space) => "s" + space));
    const cards = causes.flatMap((cause) => cause.cards ?? []).slice(0, 3);
    for (const card of allIn(".guild", byId("hand"))) card.classList.toggle("lit", cards.includes(card.dataset.card ?? ""));
  }

  leaving = () => button(this.act.isCopy() ? t("coach.back") : t("retry.leave"), () => { this.end(); this.act.leave(); });

  /** Show something with buttons, and below these what may be long.
      @type {(parts: Child[], buttons: Node[], below?: Node[]) => void} */
  say(parts, buttons, below = []) {
    mode("retrying", true);
    this.element.replaceChildren(...parts.filter((part) => part !== null && part !== undefined), make("div", { className: "buttons" }, ...buttons), ...below);
    findIn("button", this.element)?.focus({ preventScroll: true });
  }

  /** Judge a move, or have it compared with the best one. Return whether an exercise is asked.
      @type {(move: string) => boolean} */
  attempt(move) {
    if (!this.isOn) return false;
    const [, verdict] = this.mistakes[this.number];
    if (move === verdict.best || verdict.equal.includes(move)) this.judge(true, move === verdict.best ? t("retry.best") : t("retry.equal"), mainReason(verdict.why, this.position.names));
    else if (move === verdict.played) this.judge(false, t("retry.same"), [lossOf(verdict).measured]);
    else {
      this.tried = move;
      this.say(paragraphs([t("study.comparing")]), [this.leaving()]);
      this.act.say("compare", { first: move, second: verdict.best });
    }
    return true;
  }

  /** Take a comparison that was asked for. Return whether it was.
      @type {(message: ComparedMessage) => boolean} */
  hear({ first, first_facts: firstFacts, second, second_facts: secondFacts, why, win, win_interval: interval }) {
    if (!this.tried || ![first, second].includes(this.tried)) return false;
    const isFound = first === this.tried || !why?.is_clear || (win ?? 0) <= (interval ?? 0); // a loss that is not certain refutes nothing
    const words = moveWords(this.tried, this.tried === first ? firstFacts : secondFacts);
    const tried = { move: this.tried, label: "✗" };
    this.judge(isFound, isFound ? t("retry.equal") : t("retry.worse", { words }), isFound ? [] : [t("puzzle.wrong", { loss: shareWords(win ?? 0, interval) }), ...mainReason(why, this.position.names)], isFound ? [] : [tried]);
    return true;
  }

  /** Say whether a move is as good as the best one. If not, another one can be tried; `wrong` are the moves that are drawn
      then, beside the one that was played.
      @type {(isFound: boolean, words: string, reasons?: string[], wrong?: DrawnMove[]) => void} */
  judge(isFound, words, reasons = [], wrong = []) {
    this.tried = "";
    if (!isFound) this.act.offer();
    this.say([make("p", { className: isFound ? "good" : "bad" }, make("b", { textContent: `${isFound ? "✓" : "✗"} ${words}` })),
      ...paragraphs(isFound ? [] : [...reasons, t("retry.another")])], isFound ? this.further() : [this.showing(), this.leaving()], isFound ? paragraphs(reasons) : []);
    if (isFound) this.uncover();
    else this.draw(wrong);
  }

  showing = () => button(t("lesson.show"), () => this.solve());

  /** Show the best move. */
  solve() {
    const [, verdict] = this.mistakes[this.number];
    this.uncover();
    this.say(paragraphs([starred(bestWords(verdict, moveWords(verdict.best, verdict.best_facts)))]), this.further(),
      paragraphs([lossOf(verdict).measured, ...mainReason(verdict.why, this.position.names)]));
  }

  /** Draw moves beside the one that was played.
      @type {(moves: DrawnMove[]) => void} */
  draw(moves) {
    const [, { played, mark }] = this.mistakes[this.number];
    drawMoves(this.board, this.position, [...moves, { move: played, label: signOf(mark) }]);
  }

  /** Draw the best move, too, and uncover the review. */
  uncover() {
    const [, { best }] = this.mistakes[this.number];
    this.act.cover(false);
    this.element.classList.add("done");
    this.draw([{ move: best, label: "★" }]);
  }

  /** Offer the next mistake or, after the last one, all others of the game.
      @type {() => Node[]} */
  further() {
    const isLast = this.number + 1 === this.mistakes.length;
    const others = isLast ? this.act.others(this.mistakes) : [];
    const next = (/** @type {string} */ words) => button(words, () => { this.mistakes.push(...others); this.ask(this.number + 1); }, { className: "main" });
    return [...(isLast && !others.length ? [] : [next(isLast ? t("retry.others", { count: others.length }) : t("puzzle.next"))]), this.leaving()];
  }
}
