/* A game: its positions, the dice and cards of a real table, hints and undo. */

import { lookBack } from "./after.js";
import { clearMoves } from "./drawnmoves.js";
import { refreshSheet } from "./cardsheet.js";
import * as dialogs from "./dialogs.js";
import { beforeFrame, button, byId, make, mode, toast } from "./dom.js";
import { rematchButton, sayPresence, sayReady, showClock, welcome } from "./friend.js";
import { hintParts } from "./hint.js";
import { placedBy, sinceBuilding } from "./latest.js";
import { showDice, showNews, showSeats, showTask } from "./panels.js";
import { atGame } from "./place.js";
import { toResend } from "./resend.js";
import { sound } from "./sound.js";
import { clearStage, showEvents } from "./stage.js";
import { playOffered } from "./start.js";
import { showStory } from "./story.js";
import { t } from "./words.js";

const CARDS = new Set(["score", "swap", "final"]); // phases in which cards are chosen
const MOST = 16; // from this number of waiting positions on, they are shown without pauses

export class Game {
  look = "playing";
  /** @type {IdMessage} */
  id;
  /** @type {GamePosition | null} */
  position = null;
  /** @type {GameEvent[]} */
  events = []; // all events of the game
  /** @type {GamePosition[]} */
  waiting = []; // positions to be shown
  timer = 0; // not 0 while the events of a position are shown
  isSkipping = false; // true until the page decides again, after what others do was skipped
  isAsking = false; // true until the hint comes

  /** `show` shows a position on the board and in the panels. `coach` is the page's coach.
      @param {Board} board
      @param {Say} say
      @param {Choices} choices
      @param {Coach} coach
      @param {(position: GamePosition) => void} show */
  constructor(board, say, choices, coach, show) {
    this.board = board;
    this.say = say;
    this.choices = choices;
    this.coach = coach;
    this.show = show;
    byId("dialog").addEventListener("close", () => sayReady(this.position, say));
  }

  leave() {
    this.position = null;
    this.forget();
    this.clearHint();
    byId("after").hidden = true;
    for (const id of /** @type {const} */ (["after", "news", "story", "advice"])) byId(id).replaceChildren();
    showClock(null);
    this.board.markRecent(new Map());
    this.coach.hide();
  }

  // --- positions

  /** Show a position, after a pause if it comes soon after the last one, as between engines.
      @type {(position: GamePosition) => void} */
  hear(position) {
    const again = toResend(position);
    if (again) this.say(.../** @type {[any, any]} */ (again));
    this.waiting.push(position);
    if (!this.timer) this.shift();
  }

  /** Forget the waiting positions. */
  forget() {
    this.waiting = [];
    window.clearTimeout(this.timer);
    this.timer = 0;
    this.isSkipping = false;
    clearStage(true);
  }

  /** True while positions wait or a pause lasts. */
  get isBusy() {
    return Boolean(this.timer || this.waiting.length);
  }

  shift() {
    this.timer = 0;
    if (this.coach.replaying) return; // positions wait until the replay ends
    const next = this.waiting.shift();
    if (!next) return;
    const told = this.events.slice(0, next.news.first);
    const isNew = this.position?.game === next.game && next.news.first > 0 && next.curtain === null;
    this.update(next);
    const isShown = isNew && !this.isSkipping && this.waiting.length < MOST;
    if (next.decides) this.isSkipping = false;
    const ms = isShown ? showEvents(next, next.news.events, told) : 0;
    if (ms) this.timer = window.setTimeout(() => this.shift(), ms);
    else this.shift();
  }

  /** Skip what others do until this page decides again. */
  skip() {
    clearStage();
    this.isSkipping = !this.position?.decides;
    window.clearTimeout(this.timer);
    if (this.timer) this.shift();
  }

  /** @type {(position: GamePosition) => void} */
  update(position) {
    const before = this.position;
    this.position = position;
    atGame(position.file);
    this.show(position);
    this.showLatest(position);
    const usesCards = position.decides && CARDS.has(position.phase);
    if (before && before.at !== position.at && (before.decides || position.decides) && !usesCards) {
      beforeFrame(() => byId("scroller").scrollIntoView({ block: "nearest" })); // on a phone, the board may be above the screen
    }
    showDice(position);
    showClock(position.clock);
    refreshSheet(this.say);
    this.table();
    this.coach.show(position);
    if (!position.result) byId("after").hidden = true;
    else if (!before || !before.result) lookBack(this.say);
    if (!before || before.at !== position.at) this.clearHint();
    this.showButtons(position);
    const { curtain } = position;
    if (curtain === null) dialogs.close("curtain");
    else dialogs.curtain(position.names[curtain], () => this.say("sit", { seat: curtain }), this.id.host ? () => this.say("leave") : null);
    if (!this.id.host) welcome(position, dialogs.rules);
    sayReady(position, this.say);
    if (position.decides && before && !before.decides) sound("turn");
    document.title = position.decides ? t("title.decision") : t("title.game");
  }

  /** Show the buttons of the bar that can be used now.
      @type {(position: GamePosition) => void} */
  showButtons({ decides, hints, undo }) {
    byId("do-hint").hidden = !decides || !hints;
    byId("do-undo").hidden = !decides;
    byId("do-undo").disabled = Boolean(undo);
    byId("do-undo").title = undo ? t(`undo.${undo}`) : t("page.undoTitle");
  }

  /** Show who is at the table, how the clock stands, and who wants a rematch.
      @type {(message: PresenceMessage) => void} */
  showPresence({ present, rematch, clock }) {
    if (!this.position) return;
    const before = this.position.present;
    for (const position of [this.position, ...this.waiting]) Object.assign(position, { present, rematch, clock });
    sayPresence(before, this.position);
    showSeats(this.position);
    showTask(this.position);
    showClock(clock);
    if (this.position.result) this.table();
  }

  /** Mark what others did since this page's seat last built, on the board and in the log.
      @type {(position: GamePosition) => void} */
  showLatest(position) {
    const { first, events } = position.news;
    this.events.splice(first, Infinity, ...events);
    const from = position.seat === null || position.result ? this.events.length : sinceBuilding(this.events, position.seat);
    this.board.markRecent(placedBy(this.events.slice(from), position.seat), placedBy(events, position.seat));
    showNews(position, from);
    showStory(this.events, position, this.board);
  }

  /** Show the position again after the board showed something else or a move was not made. */
  restore() {
    if (!this.position) return;
    this.show(this.position);
    this.table();
    if (!this.timer) this.shift();
  }

  /** Ask for dice and cards of a real table, or offer what can be done after the game or an engine's failure. */
  table() {
    const { position, say, id } = this;
    if (!position) return;
    const { at, decider } = position;
    const name = position.names[decider ?? -1];
    const ask = (/** @type {(Node | null)[]} */ ...parts) => byId("choices").replaceChildren(...parts.filter(Boolean));
    const leave = (/** @type {string} */ text) => (id.host ? button(text, () => say("leave")) : null);
    if (position.fault) ask(button(t("game.retry"), () => say("retry"), { className: "main" }), leave(t("game.leave")));
    else if (position.rolls !== null) ask(...dialogs.rollChoices(position.rolls, name, (roll) => say("roll", { ...roll, at })));
    else if (position.result) {
      const rematch = rematchButton(position, say);
      const analyze = id.host ? button(t("game.analyze"), () => say("study"), { className: rematch ? "" : "main" }) : null;
      const isDuel = id.host && position.names.length === 2 && position.people.length === 1;
      ask(rematch, analyze, isDuel ? button(t("rematch.again"), () => playOffered(say)) : null, leave(t("page.home")), button(t("game.save"), () => say("record")));
    } else if (position.draws) ask(...dialogs.cardChoices(id.cards, name, (card) => say("card", { card, at })));
  }

  // --- decisions

  /** Return why nothing can be chosen, or "" if the page decides. */
  idle() {
    if (this.position?.decides) return "";
    return this.position?.curtain === null ? t("error.turn") : t("refuse.curtain");
  }

  /** @type {(move: string) => void} */
  move(move) {
    this.skip();
    if (this.position) this.say("move", { move, at: this.position.at, ...this.coach.sends(this.position) });
  }

  undo() {
    if (!this.position?.decides) return;
    const { undo, at } = this.position;
    if (undo) toast(t(`undo.${undo}`), true);
    else {
      this.coach.undone();
      this.say("undo", { at });
    }
  }

  resign() {
    if (!this.position) return;
    const { names, seat, at } = this.position;
    dialogs.ask(t("resign.ask", { name: names[seat ?? -1] }), t("resign.yes"), () => this.say("resign", { at }));
  }

  // --- hints

  hint() {
    if (this.coach.replaying || !this.position?.decides) return;
    if (!this.position.hints) {
      toast(t("error.noHints"), true);
      return;
    }
    this.isAsking = true;
    this.advise(make("p", { textContent: t("hint.thinking") }), button(t("study.stop"), () => this.say("stop")));
    this.say("go");
  }

  /** @type {(hint: BestMoveMessage) => void} */
  showHint(hint) {
    const { position } = this;
    if (!position || hint.at !== position.at) return;
    this.isAsking = false;
    const act = (/** @type {string} */ words, /** @type {string} */ move) => dialogs.ask(t("hint.ask", { move: words }), t("hint.make"), () => this.say("move", { move, at: position.at }));
    this.advise(...hintParts(hint, position, this.board, act), button(t("hint.hide"), () => this.clearHint()));
  }

  /** @type {(...parts: Node[]) => void} */
  advise(...parts) {
    byId("advice").hidden = false;
    mode("advised", true);
    byId("advice").replaceChildren(...parts);
  }

  clearHint() {
    this.isAsking = false;
    byId("advice").hidden = true;
    mode("advised", false);
    clearMoves(this.board);
  }
}
