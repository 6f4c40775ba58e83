/* The coach: it marks each decision, asks before a certain mistake, and plays out the better move. */

import { clearMoves, drawMoves } from "./drawnmoves.js";
import { close, open } from "./dialogs.js";
import { button, byId, calm, check, facts, findIn, keep, kept, make, paragraphs, setting } from "./dom.js";
import { moveWords } from "./gamewords.js";
import { SIGNS, bestWords, lossOf, markLegend, signOf, starred, verdictWords } from "./marks.js";
import { mainParts, mainReason } from "./reasons.js";
import { t } from "./words.js";

const PACE = 1300; // ms between two moves that are played out
const KEPT = "masons-coach"; // the name under which the tab keeps whether the coach is on in a game
const EASY = 4; // the highest level against which the coach is on by default
const REMEMBERED = 6; // the number of positions kept for marks that come late
const CAUSES = 2; // the sentences of a reason

/** @type {boolean | null} */
let wanted = null; // whether the coach is on in the next game; null if nobody chose

/** Return whether the coach is on by default; `seats` are those of a `newgame`.
    @type {(seats: SeatWish[]) => boolean} */
export const isDefault = (seats) => seats.filter(({ kind }) => kind === "person").length === 1
  && seats.every(({ kind, engine, level }) => kind === "person" || (!engine && Number(level) <= EASY));

/** @type {(on: boolean) => void} */
export function wantNext(on) {
  wanted = on;
}

/** @typedef {CoachMessage & { position: GamePosition }} Verdict */

export class Coach {
  place = byId("coach");
  /** @type {number | null} */
  game = null; // the number of the game
  file = "";
  may = false; // true if the coach may be on in this game
  on = false;
  isOver = false;
  replaying = false; // true while a better move is played out
  /** @type {Map<number, GamePosition>} */
  positions = new Map(); // of the moves that were sent, by number
  /** The last verdict.
      @type {Verdict | null} */
  mark = null;

  /** `lock` lets nothing be chosen, and `restore` shows the current position of the game again. `again` lets a decision
      be made anew, and is null if that is impossible; `isLast` says whether it was the page's last one.
      @param {Board} board
      @param {Say} say
      @param {{ lock: () => void, restore: () => void, again: (mark: Verdict, isLast: boolean) => (() => void) | null }} act */
  constructor(board, say, { lock, restore, again }) {
    this.again = again;
    this.board = board;
    this.say = say;
    this.lock = lock;
    this.restore = restore;
  }

  /** Forget the game. This is also needed for a new connection, as the server then has the coach off. */
  forget() {
    this.leave();
    this.game = null;
    this.on = this.may = false;
    this.positions = new Map();
    this.mark = null;
  }

  /** @type {(position: GamePosition) => void} */
  show(position) {
    this.leave();
    if (position.game !== this.game) {
      this.forget();
      this.game = position.game;
      this.file = position.file || "";
      this.may = position.coach !== null && !position.result;
      if (wanted !== null) this.keep(wanted);
      const { file, on } = kept(KEPT) || {};
      if (this.may) this.turn(wanted ?? (file === this.file ? on : position.coach));
      wanted = null;
    }
    this.isOver = Boolean(position.result);
    this.draw();
  }

  hide() {
    this.leave();
    this.place.hidden = true;
  }

  /** @type {(on: boolean) => void} */
  turn(on) {
    if (on === this.on) return;
    this.on = on;
    if (!on) this.mark = null;
    this.say("coach", { on });
  }

  /** @type {(on: boolean) => void} */
  keep(on) {
    keep(KEPT, { file: this.file, on });
  }

  /** Return the switches for the menu.
      @type {() => HTMLElement[]} */
  switches() {
    if (!this.may) return [];
    const turn = (/** @type {{ target: HTMLInputElement }} */ { target }) => { this.turn(target.checked); this.keep(target.checked); this.draw(); };
    return [
      check(t("coach.switch"), { checked: this.on, onchange: turn }),
      check(t("coach.askSwitch"), { checked: setting("coach-asks") === "yes", onchange: ({ target }) => setting("coach-asks", target.checked ? "yes" : "no") }),
    ];
  }

  /** Forget the last mark, as the move is taken back. */
  undone() {
    this.mark = null;
  }

  /** Note the position of a move that is being sent, and return further fields of its message.
      @type {(position: GamePosition) => { sure?: boolean }} */
  sends(position) {
    this.positions.set(position.at, position);
    for (const at of [...this.positions.keys()].slice(0, -REMEMBERED)) this.positions.delete(at);
    return this.on && setting("coach-asks") === "yes" ? { sure: false } : {};
  }

  /** @type {(message: CoachMessage) => void} */
  hear(message) {
    const position = this.positions.get(message.at);
    if (!this.on || !position) return;
    const mark = { ...message, position };
    if (message.asks) this.ask(mark);
    else {
      this.mark = mark;
      if (!this.replaying) this.draw();
    }
  }

  /** @type {(mark: Verdict) => void} */
  ask(message) {
    open(t("coach.sure"), [
      make("p", { textContent: verdictWords(message, this.played(message)) }),
      ...paragraphs([...lossOf(message).words, ...this.reason(message)]),
      make("div", { className: "buttons" },
        button(t("place.again"), () => { close(); this.restore(); }, { className: "main" }),
        button(t("coach.anyway"), () => { close(); this.say("move", { move: message.played, at: message.at }); })),
    ]);
    byId("dialog").oncancel = () => this.restore();
  }

  /** @type {(mark: Verdict) => string} */
  played({ played, played_facts: facts }) {
    return moveWords(played, facts);
  }

  /** @type {(mark: Verdict) => string} */
  better(mark) {
    return bestWords(mark, moveWords(mark.best, mark.best_facts));
  }

  /** Return the main reason against the move played, in a list that is empty if there is none.
      @type {(mark: Verdict) => string[]} */
  reason({ why, position }) {
    return mainReason(why, position.names);
  }

  /** @type {(move: string, share: number) => string} */
  then(move, share) {
    return t("coach.then", { words: moveWords(move), share: Math.round(100 * share) });
  }

  /** Show the last mark. */
  draw() {
    const { mark } = this;
    this.place.hidden = !this.on || this.isOver || !mark; // after the game, the look back is shown instead
    if (!mark) this.place.replaceChildren();
    if (!mark || this.place.hidden) return;
    const kind = mark.mark in SIGNS ? "bad" : mark.mark === "unsure" ? "" : "good";
    this.place.className = kind;
    const { isClear, words } = lossOf(mark);
    const hasBetter = mark.mark !== "best" && isClear;
    this.place.replaceChildren(
      make("p", { className: kind }, make("b", { textContent: verdictWords(mark, this.played(mark)) })),
      ...paragraphs(hasBetter ? [starred(this.better(mark))] : mark.mark === "unsure" ? [t("coach.nothingBetter")] : []),
      ...(hasBetter ? [button(t("lesson.show"), () => this.replay(), { "aria-controls": "board" }), " ", this.againButton(mark)] : []),
      ...facts(hasBetter ? [...words, ...mainParts(mark.why, mark.position.names).slice(0, CAUSES)] : []),
      markLegend());
  }

  /** Return a button that lets a mistake be tried again, if that is possible.
      @type {(mark: Verdict) => HTMLElement | string} */
  againButton(mark) {
    const again = mark.mark in SIGNS ? this.again(mark, [...this.positions.keys()].at(-1) === mark.at) : null;
    return again ? button(t("retry.button"), again) : "";
  }

  /** Play out the better move on the board, and then the moves that most often follow. */
  replay() {
    const { mark } = this;
    if (!mark) return;
    const { position } = mark;
    const moves = [{ move: mark.best, label: "★", words: this.better(mark) },
      { move: mark.played, label: signOf(mark.mark), words: t("coach.yours", { words: this.played(mark) }) },
      ...mark.line.map(([move, share], i) => ({ move, label: String(i + 2), words: this.then(move, share) }))];
    const list = make("ol", { className: "missed" });
    this.place.replaceChildren(make("h2", { textContent: t("coach.missed") }),
      button(t("coach.back"), () => { this.leave(); this.draw(); this.restore(); }, { className: "main" }), list,
      ...paragraphs(this.reason(mark)),
      make("p", { className: "evidence", textContent: lossOf(mark).measured }));
    findIn(":scope > button", this.place)?.focus({ preventScroll: true });
    this.replaying = true; // new positions wait until it ends
    this.lock();
    this.board.update(position);
    this.board.offer([]);
    clearMoves(this.board);
    this.board.markRecent(new Map());
    const step = (/** @type {number} */ shown) => {
      if (!this.replaying) return;
      drawMoves(this.board, position, moves.slice(0, shown));
      list.replaceChildren(...moves.slice(0, shown).map(({ label, words }) => make("li", {}, make("b", { textContent: `${label} ` }), words)));
      if (shown < moves.length) window.setTimeout(() => step(shown + 1), PACE);
    };
    step(calm() ? moves.length : 2);
  }

  leave() {
    if (!this.replaying) return;
    this.replaying = false;
    clearMoves(this.board);
  }
}
