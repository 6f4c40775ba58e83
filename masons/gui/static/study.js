/* The analysis: steps and variations, the ranking of moves, win probabilities, reasons, hidden hands. */

import { Pointing, drawMoves } from "./drawnmoves.js";
import { close, open } from "./dialogs.js";
import { button, byId, glyph, make, narrow } from "./dom.js";
import { Graph, showWins } from "./graph.js";
import { SIGNS, clearLoss, isOwnMistake, shownMark, signOf } from "./marks.js";
import { atStep, atStudy, forgetStudy } from "./place.js";
import { Ranking } from "./ranking.js";
import { Retry } from "./retry.js";
import { shareDialog, shared } from "./share.js";
import { Stepper } from "./stepper.js";
import { Steps, turnsOf } from "./steps.js";
import { offerTabs, revealIn } from "./tabs.js";
import { Review, chanceWords, mistakeButtons, reasonParts, verdictParts, verdictsOf, viewButton, viewWords } from "./verdicts.js";
import { t } from "./words.js";

const ENDS_REVIEW = ["step", "try", "go", "stop", "compare", "belief", "practice", "close", "picture"];

/** Show a button as pressed or not, with a text.
    @type {(one: HTMLButtonElement, on: boolean, text: string) => void} */
function press(one, on, text) {
  one.setAttribute("aria-pressed", String(on));
  one.replaceChildren(...(on ? [glyph("pause")] : []), text);
}

/** Return a button with a sign and its words as its title.
    @type {(name: Parameters<typeof glyph>[0], title: string, act: () => void) => HTMLButtonElement} */
function signed(name, title, act) {
  const one = button("", act, { title, "aria-label": title, className: name });
  one.append(glyph(name));
  return one;
}

export class Study {
  look = "studying analyzing";
  isStudy = true;
  live = false; // true while the moves are being ranked
  /** @type {StudiedPosition} */
  position;
  at = -1; // the step that is shown; -1 if none is
  /** The steps of the line; there are none if nothing is analyzed.
      @type {GameEvent[][]} */
  steps = [];
  /** @type {string[]} */
  names = [];
  /** @type {number | null} */
  branch = null; // the step at which the variation begins
  /** @type {string[]} */
  line = []; // the moves of the variation
  games = 0; // in the text that is analyzed; 0 for a position
  isOver = false; // true for a finished game
  lastStep = ""; // identifies the game
  /** @type {Map<number, import("./verdicts.js").Verdict> | null} */
  lookedBack = null; // verdicts of a look back, for the game that is being opened
  /** The mistakes to be tried again as soon as the analysis is opened, by step.
      @type {[number, import("./verdicts.js").Verdict][]} */
  tries = [];
  /** @type {import("./verdicts.js").Verdict | null} */
  copied = null; // the verdict on a decision of a running game, which is tried again on a copy
  /** @type {Element | null} */
  awaited = null; // the part of the panel to show as soon as its content arrives, as a button asked for it
  watching = false;

  // --- the panel
  liveButton = button(t("start.analyze"), () => this.toggle(), { className: "main", "aria-pressed": "false" });
  retryButton = button(t("retry.button"), () => this.judged && this.tryAgain([[this.at, this.judged]]), { className: "main again", hidden: true });
  backButton = button(t("study.leaveVariation"), () => this.say("step", { to: 0, back: true }));
  reviewButton = button(t("study.review"), () => this.askReview());
  watchButton = button(t("start.watch"), () => this.watch(), { "aria-pressed": "false", hidden: true });
  bar = make("div", { className: "winbar", role: "img", "aria-label": t("study.wins") });
  seen = viewButton(); // whose view the figures are
  verdict = make("div", { className: "why judged" }); // the review's verdict on this decision
  reasons = make("div", { className: "why judged" });
  mistakes = make("div", { className: "beside" }); // the buttons to the mistakes beside it
  moves = new Steps((step) => this.go(step));
  review = new Review();
  graph = new Graph((step) => this.go(step));
  stepper = new Stepper((step) => this.go(step));

  /** `setUp` lets the position be changed by hand, and `offer` lets a move be chosen anew.
      @param {Board} board
      @param {Say} say
      @param {() => void} setUp
      @param {() => void} offer */
  constructor(board, say, setUp, offer) {
    this.board = board;
    this.setUp = setUp;
    /** @type {Say} */
    this.say = (type, ...fields) => {
      if (ENDS_REVIEW.includes(type)) this.pauseReview();
      say(type, ...fields);
    };
    this.retry = new Retry(board, { say: this.say, go: (step) => this.goToMain(step), isCopy: () => this.copied !== null, others: (tried) => this.review.others(tried), leave: () => (this.copied ? this.close() : this.goToMain(this.at)),
      offer, cover: (on) => this.review.cover(on) });
    this.ranking = new Ranking(board, { attempt: (move) => this.say("try", { move }), compare: (first, second) => this.compare(first, second) });
    const { contrast, heading, verdict, list, summary, details } = this.ranking;
    byId("study").replaceChildren(this.retry.element, this.verdict, contrast, heading, list, verdict, this.seen, this.bar, this.reasons, summary, details);
    byId("tools").replaceChildren(this.mistakes, this.retryButton, this.liveButton, this.reviewButton, this.backButton, this.watchButton, signed("more", t("study.tools"), () => this.offerTools()),
      signed("close", t("page.close"), () => this.close()));
    this.pointing = new Pointing(board, byId("study"));
    this.walls = new Pointing(board, this.moves.element);
    byId("log-panel").append(this.moves.heads, this.moves.element);
    new ResizeObserver(() => this.moves.show(this.at)).observe(byId("log-panel")); // a hidden list can't be scrolled
    byId("review-panel").append(this.review.element, this.review.curtain);
  }

  /** List the steps of a `study` message.
      @type {(message: StudyMessage) => void} */
  hear(message) {
    Object.assign(this, { names: message.names, steps: message.steps, branch: message.branch, line: message.line, games: message.games, isOver: message.is_over });
    if (message.source) atStudy(message.source);
    if (message.branch === null) {
      const lastStep = JSON.stringify(message.steps.at(-1));
      if (this.lastStep !== lastStep || (message.source && !message.games)) this.begin(); // it is another game
      this.lastStep = lastStep;
    }
    this.review.lookBack(this.lookedBack, this.names, this.looking);
    this.lookedBack = null;
    if (this.copied && message.source) this.tries = [[0, this.copied]];
    if (this.tries.length) this.tryAgain(this.tries);
    this.tries = [];
    this.moves.list(this.steps, this.names, this.mainSteps);
    this.walls.offer(null, this.steps.flat().flatMap((each) => (each.event === "wall" ? [{ move: `wall:${each.line}`, label: String(each.line) }] : [])));
    this.sign();
    this.backButton.hidden = this.branch === null;
  }

  /** Take the mistakes of a review that is kept.
      @type {(message: MarksMessage) => void} */
  kept({ decisions, mistakes }) {
    const costliest = [...decisions].sort((one, other) => other.loss - one.loss);
    this.review.lookBack(new Map(costliest.map((one) => [one.number - 1, { ...one, is_gift: !mistakes.includes(one.number) }])), this.names, this.looking);
    this.sign();
    this.offerTabs();
    if (!this.retry.isOn) this.judge();
  }

  /** What a look back can do. */
  get looking() {
    return { go: (/** @type {number} */ step) => this.goToVerdict(step), retry: (/** @type {[number, import("./verdicts.js").Verdict][]} */ tries) => this.tryAgain(tries), review: () => this.askReview() };
  }

  /** Begin the analysis of another game or position. */
  begin() {
    this.review.forget();
    this.retry.end();
    const steps = this.isOver ? turnsOf(this.steps).flatMap(({ seat, steps }, number) => steps.map(() => ({ turn: number + 1, seat, mark: null }))) : [];
    this.graph.begin(steps.length ? [...steps, { ...steps[steps.length - 1] }] : [], this.names);
    if (steps.length) this.say("evaluate");
    this.live = !this.lookedBack && !this.watching && !this.copied;
    this.label();
  }

  /** Show the marks of the review in the list and in the graph. */
  sign() {
    this.moves.sign(this.review.verdicts, this.mainSteps);
    this.reviewButton.hidden = !this.games || this.review.verdicts !== null; // a look back offers the review, too
    this.graph.sign(this.review.verdicts);
  }

  /** The last step of the main line. */
  get mainSteps() {
    return this.branch ?? Infinity;
  }

  /** Show the panel for `position`, which the board shows already. */
  show() {
    const { position } = this;
    for (const name of ["study", "tools"]) byId(name).hidden = false;
    this.graph.element.hidden = !this.graph.steps.length;
    this.offerTabs();
    this.at = position.step ?? 0;
    byId("study").scrollTop = 0; // what is said of a decision begins at the top
    atStep({ branch: this.branch, moves: this.line, at: this.at });
    this.stepper.show(this.at, this.steps.length - 1);
    this.ranking.clear();
    this.wins([]);
    this.pointing.offer(null, []);
    this.moves.show(this.at);
    this.graph.show(Math.min(this.at, this.mainSteps));
    this.liveButton.disabled = !position.decides;
    this.judge();
    if (this.retry.shows(this.at, this.branch !== null, position)) return;
    if (narrow()) byId("scroller").scrollIntoView({ block: "nearest" });
    if (this.live && position.decides) this.rank();
  }

  leave() {
    this.stepper.play(false);
    this.pauseReview(); // the server has stopped it
    this.retry.end();
    this.ranking.clear(); // its numbers would stay on the board
    for (const name of ["study", "graph", "tools", "stepper"]) byId(name).hidden = true;
  }

  /** End the analysis. */
  end() {
    this.showWatching(false);
    if (this.steps.length) forgetStudy();
    Object.assign(this, { copied: null, steps: [], at: -1, live: false });
    this.label();
  }

  idle = () => (this.position.decides ? "" : t("refuse.nothing"));

  /** @type {(move: string) => void} */
  move = (move) => {
    if (!this.retry.attempt(move)) this.say("try", { move });
  };

  /** @type {(to: number) => void} */
  go(to) {
    if (to < 0 || to >= this.steps.length || to === this.at) return;
    this.say("step", { to });
  }

  /** Show a step of the main line, also if it is shown already.
      @type {(to: number) => void} */
  goToMain(to) {
    if (this.branch !== null) this.say("step", { to: 0, back: true });
    this.say("step", { to });
  }

  /** Go to a step for the review's verdict on its decision.
      @type {(to: number) => void} */
  goToVerdict(to) {
    this.awaited = this.verdict;
    if (this.live) this.toggle();
    this.goToMain(to);
  }

  /** Show a part of the panel that is awaited.
      @type {(part: Element) => void} */
  arrived(part) {
    if (part !== this.awaited) return;
    this.awaited = null;
    revealIn(part);
  }

  toggle() {
    this.live = !this.live;
    this.label();
    if (this.live) this.rank();
    else this.say("stop");
    if (!this.live && this.ranking.isEmpty) this.ranking.clear(); // it thinks no longer
  }

  /** Rank the moves until something else is asked. */
  rank() {
    if (this.ranking.isEmpty) this.ranking.think();
    this.say("go", { infinite: true });
  }

  label() {
    press(this.liveButton, this.live, this.live ? t("study.stopEngine") : t("start.analyze"));
  }

  /** Offer what is seldom needed. */
  offerTools() {
    const tool = (/** @type {string} */ words, /** @type {() => void} */ act) => button(words, () => { close(); act(); });
    open(t("study.tools"), [make("div", { className: "stack" }, tool(t("study.hold"), () => this.believe()), tool(t("study.setUp"), () => this.change()),
      tool(t("share.button"), () => this.share())), make("div", { className: "buttons" }, button(t("page.close"), () => close()))]);
  }

  /** Change the position by hand. */
  change() {
    if (this.live) this.toggle();
    this.setUp();
  }

  /** Begin or stop to show each new game of the file that the program was started with.
      @type {(on?: boolean) => void} */
  watch(on = !this.watching) {
    this.showWatching(on);
    this.say("watch", { on });
    if (!on) this.stepper.play(false);
  }

  /** @type {(on: boolean) => void} */
  showWatching(on) {
    this.watching = on;
    press(this.watchButton, on, on ? t("study.stopWatching") : t("start.watch"));
  }

  /** Show a step of the page's finished game, with the verdicts of its look back. With `tries`, let the mistakes of its
      seats be tried again.
      @type {(step: number, moments: Moment[], tries?: boolean) => void} */
  lookBack(step, moments, tries = false) {
    this.lookedBack = verdictsOf(moments);
    this.tries = tries ? [...this.lookedBack].filter(([, one]) => isOwnMistake(one)) : [];
    this.say("study", { step });
  }

  /** Let a decision of a running game be made anew on a copy of its position, as its seat saw it.
      @type {(text: string, verdict: import("./verdicts.js").Verdict) => void} */
  tryCopy(text, verdict) {
    this.copied = verdict;
    this.say("study", { text });
  }

  /** Offer the moves, the review if there is one, and the supply. */
  offerTabs() {
    offerTabs(this.steps.length < 2 ? ["box"] : ["log", ...(this.review.isEmpty ? [] : ["review"]), "box"], true);
  }

  /** Ask for a review of the whole game, whose verdicts take the place of the ranking. */
  askReview() {
    if (this.live) this.toggle();
    this.ranking.clear();
    this.wins([]);
    this.review.begin(() => this.say("stop"));
    this.offerTabs();
    revealIn(this.review.element);
    this.awaited = this.review.element;
    this.say("review");
  }

  /** Offer to go on with the review, which the server stops for any other work. */
  pauseReview() {
    this.review.pause(() => this.askReview());
  }

  /** @type {(message: ReviewMessage) => void} */
  reviewed(message) {
    this.review.hear(message, this.names,
      { go: (step) => this.goToVerdict(step), retry: (mistakes) => this.tryAgain(mistakes), practice: () => this.say("practice", { begin: true, mistakes: true }) });
    this.sign();
    this.judge();
    this.arrived(this.review.element);
  }

  /** The review's verdict on the decision shown. */
  get judged() {
    return this.at <= this.mainSteps ? this.review.verdicts?.get(this.at) : null;
  }

  /** Show the review's verdict on the decision shown. An analysis of the moves keeps its marks on the board. */
  judge() {
    const verdict = this.judged;
    this.reasons.replaceChildren(...(verdict ? reasonParts(verdict, this.names) : []));
    this.verdict.replaceChildren(...(verdict ? verdictParts(verdict, this.board, this.position) : []));
    this.retryButton.hidden = !verdict || !(verdict.mark in SIGNS);
    this.mistakes.replaceChildren(...mistakeButtons(this.graph.mistakesBeside(this.at), (step) => this.goToVerdict(step)));
    this.moves.mark(verdict ?? null);
    this.arrived(this.verdict);
    if (!verdict || !this.ranking.isEmpty) return;
    const played = { move: verdict.played, label: signOf(shownMark(verdict)) };
    drawMoves(this.board, this.position, [{ move: verdict.best, label: "★" }, ...(verdict.played === verdict.best ? [] : [played])], "label");
  }

  /** Let mistakes be tried again, one after another.
      @type {(mistakes: [number, import("./verdicts.js").Verdict][]) => void} */
  tryAgain(mistakes) {
    if (this.live) this.toggle();
    this.retry.begin(mistakes);
  }

  /** Show an `info` message: the progress of a review, or the state of a search.
      @type {(message: Answers["info" | "bestmove"]) => void} */
  info(message) {
    if ("total" in message) this.review.progress(message);
    else if (message.at === this.at && this.review.percent === null) this.ranked(message); // not the last one before a review
  }

  /** @type {(message: GraphMessage) => void} */
  plot({ points }) {
    this.graph.add(points);
  }

  /** Show the moves with their figures, unless they contradict a verdict that more games tell.
      @type {(message: RankingMessage | BestMoveMessage) => void} */
  ranked(message) {
    const verdict = this.judged;
    const good = verdict ? [verdict.best, ...verdict.equal, ...(clearLoss(verdict) ? [] : [verdict.played])] : [];
    if (verdict && message.games < verdict.games && !good.includes(message.choices[0]?.move)) return;
    if (message.wins?.length) this.wins(message.wins, message.choices[0]?.interval ?? 1);
    this.ranking.show(message, this.position, verdict);
    this.pointing.offer(this.position, message.choices);
  }

  /** @type {(first: string, second: string) => void} */
  compare(first, second) {
    if (this.live) this.toggle();
    this.awaited = this.ranking.words;
    this.say("compare", { first, second });
  }

  /** @type {(message: ComparedMessage) => void} */
  compared(message) {
    if (this.retry.hear(message)) return;
    this.ranking.compared(message, this.names);
    this.arrived(this.ranking.words);
  }

  believe() {
    if (this.live) this.toggle();
    this.awaited = this.ranking.words;
    this.say("belief");
  }

  /** @type {(message: BeliefMessage) => void} */
  belief(message) {
    this.ranking.belief(message, this.names);
    this.arrived(this.ranking.words);
  }

  /** Show the win probabilities of all seats, and say whose view they are. Where a graph shows others, only that of the
      seat to move is told, folded. Decimals below their `interval` say nothing.
      @type {(wins: number[], interval?: number) => void} */
  wins(wins, interval = 0) {
    const [seat, isAlone] = [this.position.seat ?? -1, this.graph.element.hidden];
    showWins(this.bar, isAlone ? wins : [], this.names, interval > 0.01 ? 0 : undefined);
    this.seen.textContent = isAlone && wins.length ? viewWords(this.names[seat]) : "";
    this.ranking.seen.textContent = isAlone || !wins.length ? "" : chanceWords(wins[seat], this.names[seat], interval);
  }

  /** Offer what can be given to others. */
  share() {
    const here = new URL(window.location.href);
    here.hash = "study=" + encodeURIComponent(this.position.text);
    shareDialog({ say: this.say, link: here.href, text: this.position.text, isGame: this.games > 0, isOver: this.isOver, isVariation: this.branch !== null });
  }

  /** @type {(message: PictureMessage) => void} */
  picture = (message) => shared(message);

  close() {
    this.say("stop");
    this.leave();
    this.end();
    this.say("close");
  }

  /** Step with the arrow keys, except on the board; up and down lead to the mistakes. Return whether the key was handled.
      @type {(event: KeyboardEvent) => boolean} */
  key(event) {
    if (/** @type {Element} */ (event.target).closest("#board .live")) return false;
    const [before, after] = this.graph.mistakesBeside(this.at);
    /** @type {Record<string, number | undefined>} */
    const steps = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.steps.length - 1,
      ArrowUp: before, ArrowDown: after };
    const to = steps[event.key];
    if (to === undefined) return false;
    event.preventDefault();
    this.go(to);
    return true;
  }
}
