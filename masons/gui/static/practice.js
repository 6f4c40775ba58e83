/* Puzzles: the best move is to be found, by making it on the board or with the cards as in a game. */

import { clearMoves, drawMoves } from "./drawnmoves.js";
import { beforeFrame, button, byId, facts, findIn, icon, make, paragraphs, ranked, reveal, roomy } from "./dom.js";
import { moveWords } from "./gamewords.js";
import { endings, taskPicture } from "./panels.js";
import { endWords, puzzleParts, shareWords, whyWords } from "./reasons.js";
import { signed, t } from "./words.js";

/** Return the verdict on an answer, with the same loss as in the list, or "" for the one best move.
    @type {(message: SolvedMessage) => string} */
function titleOf({ is_solved: isSolved, choices }) {
  const yours = choices.findIndex((choice) => choice.yours);
  if (yours < 0) return "";
  const { loss, loss_interval: interval, is_equal: isEqual } = choices[yours];
  if (yours === 0) return choices.some((choice, rank) => rank && choice.is_equal) ? t("puzzle.among") : "";
  if (loss === null) return t("puzzle.worse");
  const verdict = isEqual && isSolved ? "equal" : isSolved ? "good" : "wrong";
  return t(`puzzle.${verdict}`, { loss: shareWords(loss, interval) });
}

const LISTED = 3; // as many moves at most, the solver's own, and the one that the words name
const SURE = 220; // half width of the interval from which on a rating is provisional; with twice as much, nothing of the solver is shown yet

/** Return what the solver has reached: the rating, the streak and the puzzles of today. `gain` is the change of the rating.
    @type {(standing: Standing, gain?: number | null) => HTMLElement} */
function standingParts({ rating, interval, streak, days, today: [solved, tried] }, gain = null) {
  const part = (/** @type {string} */ figure, /** @type {string} */ words, /** @type {Child} */ more = "", rest = "") => make("li", {}, make("b", { textContent: figure }), more, make("small", { textContent: `${words} ${rest}`.trim() }));
  return make("ul", { className: "standing" },
    part(String(rating), interval > SURE ? t("puzzle.provisional") : t("puzzle.yourRating"), gain === null ? "" : make("i", { className: gain < 0 ? "bad" : "good", textContent: signed(gain, 0) || "±0" }), `± ${interval}`),
    part(String(streak), t("puzzle.inARow"), "", days > 1 ? `· ${t("puzzle.days", { count: days })}` : ""), part(`${solved}/${tried}`, t("puzzle.today")));
}

/** Say by how many points the solver leads.
    @type {(position: StudyPosition) => string} */
function leadWords({ scores, seat }) {
  const own = seat ?? 0;
  const lead = scores[own] - Math.max(...scores.filter((_, other) => other !== own));
  return lead > 0 ? t("puzzle.ahead", { count: lead }) : lead ? t("puzzle.behind", { count: -lead }) : t("puzzle.level");
}

/** Return what is left of the pieces that will end the game soonest, in pictures.
    @type {(position: StudyPosition) => HTMLElement[]} */
const ending = (position) => endings(position).slice(0, 1).map(({ text, pieces }) => make("p", { className: "ends", title: text }, ...pieces.map(icon), make("span", { "aria-hidden": "true", textContent: text.split(": ")[0] }), make("span", { className: "sr", textContent: text })));

/** @type {(theme: string) => string} */
export const themeWords = (theme) => t(`theme.${theme}`);

export class Practice {
  look = "studying practicing";
  isStudy = true;
  number = 0; // of the puzzle
  solvedCount = 0;
  which = make("small"); // stands above the question, and then above the verdict
  isAnswered = false;
  /** @type {StudiedPosition | null} */
  position = null;

  /** @param {Board} board
      @param {Say} say
      @param {() => void} lock ends the choices */
  constructor(board, say, lock) {
    this.board = board;
    this.say = say;
    this.lock = lock;
  }

  /** Ask for the best move in the position, whose choices are shown already, or say that no puzzle is left.
      @type {(message: PuzzleMessage) => void} */
  ask({ number, total, standing, is_daily: isDaily, is_own: isOwn, tries, position }) {
    clearMoves(this.board);
    this.board.labels.nameWalls([]);
    this.number = number;
    this.isAnswered = !position;
    byId("advice").hidden = true;
    if (!position) {
      byId("task").replaceChildren(number ? t("puzzle.all", { solved: this.solvedCount, count: number }) : isOwn ? t("puzzle.none") : t("puzzle.noneDue"));
      byId("choices").replaceChildren(button(t("page.close"), () => this.say("close"), { className: "main" }));
      byId("steps").replaceChildren();
      this.board.offer([]);
      this.solvedCount = 0;
      return;
    }
    this.which.textContent = [isDaily ? t("puzzle.daily") : isOwn ? t("puzzle.own") : t("puzzle.number", { number, total }), ...(tries ? [t("puzzle.again")] : [])].join(" · ");
    byId("task").replaceChildren(taskPicture(position.phase), this.which, make("div", { textContent: t("puzzle.ask") }), ...ending(position), ...paragraphs([leadWords(position)]),
      ...(position.phase === "wall" ? [] : paragraphs([t(`do.${position.phase}`)]))); // the choices say how a wall is placed
    byId("steps").replaceChildren(...(standing.interval < 2 * SURE ? [standingParts(standing)] : []), button(t("puzzle.show"), () => { this.lock(); this.move(""); }), make("small", { textContent: t("puzzle.showCosts") }), this.leaving());
    beforeFrame(() => { // the last puzzle may have left the page elsewhere
      window.scrollTo(0, 0);
      byId("now").scrollTop = 0;
      reveal(byId("task"));
    });
  }

  leave() {
    this.board.labels.nameWalls([]);
    byId("advice").hidden = true;
    byId("steps").replaceChildren();
  }

  leaving = () => button(t("puzzle.leave"), () => this.say("close"), { className: "quiet" });

  idle = () => (this.isAnswered ? t("refuse.solved") : "");
  /** @type {(move: string) => void} */
  move = (move) => this.say("answer", { move });

  /** @type {(message: SolvedMessage) => void} */
  solved(message) {
    const { number, is_solved: isSolved, choices, why, is_whole: isWhole } = message;
    if (number !== this.number) return; // the reasons come after the next puzzle
    if (!this.isAnswered) this.solvedCount += isSolved ? 1 : 0;
    this.isAnswered = true;
    this.lock();
    this.board.offer([]);
    const [best] = choices;
    const yours = choices.find((choice) => choice.yours);
    const drawn = [{ move: best.move, label: "★" }, ...(yours && yours !== best ? [{ move: yours.move, label: isSolved ? "✓" : "✗" }] : [])];
    if (this.position) drawMoves(this.board, this.position, drawn);
    const names = this.position?.names ?? [];
    const isBest = isSolved || !yours; // the verdict comes first
    this.board.labels.nameWalls(why && isWhole && why.against !== yours?.move ? [why.against] : []);
    const score = why && { ...why, end: null }; // what the move scores is told before the end of the game
    const [headline, ...causes] = !isWhole ? [t("puzzle.thinking")] : puzzleParts(score, names, yours?.move);
    const title = titleOf(message);
    const [reason, ...further] = (isBest ? [title, headline, ...causes] : [headline, title, ...causes]).filter(Boolean);
    byId("task").replaceChildren(this.which, make("div", { className: isSolved ? "good" : "bad", textContent: isSolved ? `✓ ${t("puzzle.right")}` : yours ? `✗ ${t("puzzle.notBest")}` : t("puzzle.answer") }),
      make("div", { className: "best" }, make("b", { className: "badge", textContent: "★" }), t("hint.best", { move: moveWords(best.move, best.facts) })),
      make("div", { className: "reason", textContent: reason }));
    byId("choices").replaceChildren();
    byId("steps").replaceChildren(button(t("puzzle.next"), () => this.say("practice"), { className: "main" }),
      button(t("puzzle.analyze"), () => this.say("study", { text: this.position?.text ?? "" })), this.leaving(), standingParts(message.standing, message.gain),
      make("div", { className: "themes" }, ...(message.rating === null ? [] : [make("small", { textContent: t("puzzle.rated", { rating: String(message.rating) }) })]), ...message.themes.map((theme) => button(themeWords(theme), () => this.say("practice", { begin: true, theme }), { title: t("theme.more") }))),
      make("details", { open: findIn("details", byId("steps"))?.hasAttribute("open") ?? roomy() }, make("summary", { textContent: t("puzzle.figures") }),
        make("ol", { className: "ranked" }, ...ranked(choices.filter((choice, rank) => rank < LISTED || choice.yours || choice.played || choice.move === why?.against), { more: (choice) => [choice.yours ? ` (${t("puzzle.yours")})` : "", choice.played ? ` (${t("puzzle.played")})` : ""] }))),
      make("details", {}, make("summary", { textContent: t("hint.reasons") }), ...facts([...further, ...whyWords(score, names).slice(1), ...(why ? endWords(why, names) : []), this.again(message)])));
    findIn("button.main", byId("steps"))?.focus({ preventScroll: true });
    beforeFrame(() => reveal(byId("task")));
  }

  /** Say when the puzzle comes again.
      @type {(message: SolvedMessage) => string} */
  again = ({ days }) => (days ? t("puzzle.back", { count: days }) : t("puzzle.soon"));
}
