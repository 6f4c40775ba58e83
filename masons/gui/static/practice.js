/* Puzzles: a move is to be chosen, and the answer says what it loses and why. */

import { clearArrows, drawArrows } from "./arrows.js";
import { button, byId, findIn, make, paragraphs, ranked } from "./dom.js";
import { moveWords } from "./gamewords.js";
import { betterReasons, shareWords } from "./reasons.js";
import { t } from "./words.js";

/** Return the verdict on an answer, with the same loss as in the list.
    @type {(message: SolvedMessage) => string} */
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
  /** @type {StudiedPosition | null} */
  position = null;

  /** @param {Board} board
      @param {Say} say */
  constructor(board, say) {
    this.board = board;
    this.say = say;
  }

  /** Show a puzzle, or say that none is left.
      @type {(message: PuzzleMessage) => void} */
  ask(message) {
    const place = byId("choices");
    if (!message.moves) {
      byId("task").replaceChildren(message.total ? t("puzzle.all", { found: this.found, count: message.total }) : t("puzzle.none"));
      place.replaceChildren(button(t("page.close"), () => this.say("close"), { className: "main" }));
      this.board.offer([]);
      this.found = 0;
      return;
    }
    byId("task").replaceChildren(make("span", { textContent: t("puzzle.ask") }),
      make("small", { textContent: `${t("puzzle.number", { number: message.number, total: message.total })} · ${t("puzzle.some")}` }));
    const walls = message.moves.filter(([move]) => move.startsWith("wall:")).map(([move, facts]) => ({
      id: "l" + move.slice(5), kind: /** @type {const} */ ("answer"), number: Number(move.slice(5)), label: moveWords(move, facts), move,
    }));
    this.board.offer(walls);
    /** @type {Record<string, string>} */
    const marks = {};
    message.moves.forEach(([move], i) => { if (move.startsWith("wall:")) marks[move.slice(5)] = "ABCDEFGHIJ"[i]; });
    clearArrows(this.board);
    this.board.labels.letters(marks);
    place.replaceChildren(...message.moves.map(([move, facts], i) => button(`${"ABCDEFGHIJ"[i]}  ${moveWords(move, facts)}`, () => this.answer(move), { className: "answer" })),
      button(t("puzzle.leave"), () => this.say("close")));
  }

  leave = () => this.board.labels.letters({});
  /** @type {(item: Item) => void} */
  pick = ({ move }) => { if (move) this.answer(move); };
  idle = () => t("refuse.letters");

  /** @type {(move: string) => void} */
  answer(move) {
    this.board.lock();
    this.say("answer", { move });
  }

  /** @type {(message: SolvedMessage) => void} */
  solved(message) {
    this.found += message.found ? 1 : 0;
    const more = (/** @type {PuzzleChoice} */ choice) => [choice.yours ? ` (${t("puzzle.yours")})` : "", choice.played ? ` (${t("puzzle.played")})` : ""];
    this.board.offer([]);
    this.board.labels.letters({});
    if (this.position) drawArrows(this.board, this.position, message.choices);
    byId("choices").replaceChildren(
      make("p", { className: message.found ? "good" : "bad" }, make("b", { textContent: (message.found ? "✓ " : "✗ ") + titleOf(message) })),
      ...paragraphs(betterReasons(message.why, this.position?.names || [])),
      make("ol", { className: "ranked" }, ...ranked(message.choices, { more })),
      button(t("puzzle.next"), () => this.say("practice"), { className: "main" }), button(t("puzzle.leave"), () => this.say("close")));
    findIn("button.main", byId("choices"))?.focus({ preventScroll: true });
  }
}
