/* Puzzles: a move is to be chosen, and the answer says what it loses and why. */

import { clearArrows, drawArrows } from "./arrows.js";
import { button, byId, make, paragraphs, ranked } from "./dom.js";
import { moveWords } from "./gamewords.js";
import { betterReasons, shareWords } from "./reasons.js";
import { t } from "./words.js";

/** Return the verdict on an answer, with the same loss as in the list. */
function titleOf({ found, choices }) {
  const yours = choices.findIndex((choice) => choice.yours);
  const { loss, loss_interval: interval, is_equal: isEqual } = choices[yours];
  if (yours === 0) return choices.some((choice, rank) => rank && choice.is_equal) ? t("puzzle.among") : t("puzzle.best");
  const verdict = isEqual ? "equal" : found ? "good" : "wrong";
  return t(`puzzle.${verdict}`, { loss: shareWords(loss, interval) });
}

export class Practice {
  look = "studying";
  isStudy = true;
  found = 0; // the puzzles solved

  constructor(board, say) {
    Object.assign(this, { board, say });
  }

  /** Show a puzzle, or say that none is left. */
  ask(message) {
    const place = byId("choices");
    if (!message.moves) {
      byId("task").replaceChildren(message.total ? t("puzzle.all", { found: this.found, count: message.total }) : t("puzzle.none"));
      place.replaceChildren(button(t("page.close"), () => this.say("close"), { className: "main" }));
      this.board.offer([]);
      this.found = 0;
      return;
    }
    this.puzzle = message;
    byId("task").replaceChildren(make("span", { textContent: t("puzzle.ask") }),
      make("small", { textContent: `${t("puzzle.number", { number: message.number, total: message.total })} · ${t("puzzle.some")}` }));
    const walls = message.moves.filter(([move]) => move.startsWith("wall:")).map(([move, facts]) => ({
      id: "l" + move.slice(5), kind: "answer", number: Number(move.slice(5)), label: moveWords(move, facts), move,
    }));
    this.board.offer(walls);
    const marks = {};
    message.moves.forEach(([move], i) => { if (move.startsWith("wall:")) marks[move.slice(5)] = "ABCDEFGHIJ"[i]; });
    clearArrows(this.board);
    this.board.letters(marks);
    place.replaceChildren(...message.moves.map(([move, facts], i) => button(`${"ABCDEFGHIJ"[i]}  ${moveWords(move, facts)}`, () => this.answer(move), { className: "answer" })),
      button(t("puzzle.leave"), () => this.say("close")));
  }

  leave = () => this.board.letters({});
  pick = ({ move }) => this.answer(move);
  idle = () => t("refuse.letters");

  answer(move) {
    this.board.lock();
    this.say("answer", { move });
  }

  solved(message) {
    this.found += message.found ? 1 : 0;
    const more = (choice) => [choice.yours ? ` (${t("puzzle.yours")})` : "", choice.played ? ` (${t("puzzle.played")})` : ""];
    this.board.offer([]);
    this.board.letters({});
    if (this.puzzle) drawArrows(this.board, this.puzzle.position, message.choices);
    byId("choices").replaceChildren(
      make("p", { className: message.found ? "good" : "bad" }, make("b", { textContent: (message.found ? "✓ " : "✗ ") + titleOf(message) })),
      ...paragraphs(betterReasons(message.why, this.puzzle?.position.names || [])),
      make("ol", { className: "ranked" }, ...ranked(message.choices, { more })),
      button(t("puzzle.next"), () => this.say("practice"), { className: "main" }), button(t("puzzle.leave"), () => this.say("close")));
    byId("choices").querySelector("button.main").focus({ preventScroll: true });
  }
}
