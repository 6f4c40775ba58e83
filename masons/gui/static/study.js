/* The analysis: steps and variations, the ranking of moves, win probabilities, reasons, hidden hands and pictures. */

import { drawArrows } from "./arrows.js";
import { button, byId, download, evidence, make, paragraphs, ranked, toast } from "./dom.js";
import { cardName, moveWords } from "./gamewords.js";
import { Graph, showWins } from "./graph.js";
import { signOf } from "./marks.js";
import { atStep, atStudy, forgetStudy } from "./place.js";
import { explainedWords, whyWords } from "./reasons.js";
import { Steps } from "./steps.js";
import { revealIn } from "./tabs.js";
import { Review, verdictParts, verdictsOf } from "./verdicts.js";
import { t } from "./words.js";

const ENDS_REVIEW = ["step", "try", "go", "stop", "compare", "evaluate", "belief", "practice", "close"];
const PACE = 700; // ms per step while the game plays by itself

/** Show a button as pressed or not, with a text.
    @type {(one: HTMLButtonElement, on: boolean, text: string) => void} */
function press(one, on, text) {
  one.setAttribute("aria-pressed", String(on));
  one.textContent = text;
}

export class Study {
  look = "studying";
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
  lastStep = ""; // identifies the game
  /** @type {string[]} */
  picked = []; // moves to compare
  /** @type {Map<number, import("./verdicts.js").Verdict> | null} */
  lookedBack = null; // verdicts of a look back, for the game that is being opened
  /** @type {Element | null} */
  awaited = null; // the part of the panel to show as soon as its content arrives, as a button asked for it
  playing = false;
  watching = false;
  timer = 0;

  // --- the panel
  slider = make("input", { type: "range", min: 0, value: 0, "aria-label": t("study.step") });
  liveButton = button(t("start.analyze"), () => this.toggle(), { className: "main", "aria-pressed": "false" });
  backButton = button(t("study.leaveVariation"), () => this.say("step", { to: 0, back: true }));
  reviewButton = button(t("study.review"), () => this.askReview());
  playButton = button(t("study.play"), () => this.play(!this.playing), { "aria-pressed": "false", title: t("study.playTitle") });
  watchButton = button(t("start.watch"), () => this.watch(), { "aria-pressed": "false", hidden: true });
  saveButton = button(t("game.save"), () => this.say("save"));
  bar = make("div", { className: "winbar", role: "img", "aria-label": t("study.wins") });
  list = make("ol", { className: "ranked" });
  source = make("p", { className: "evidence" });
  words = make("div", { className: "why" });
  verdict = make("div", { className: "why" }); // the review's verdict on this decision
  moves = new Steps((step) => this.go(step));
  review = new Review();
  graph = new Graph((step) => this.go(step));

  /** `setUp` lets the position be changed by hand.
      @param {Board} board
      @param {Say} say
      @param {() => void} setUp */
  constructor(board, say, setUp) {
    this.board = board;
    this.setUp = setUp;
    /** @type {Say} */
    this.say = (type, ...fields) => {
      if (ENDS_REVIEW.includes(type)) this.pauseReview();
      say(type, ...fields);
    };
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    byId("study").replaceChildren(this.stepper(), this.buttons(), this.bar, this.list, this.source, this.words, this.verdict, this.exits());
    byId("log-panel").append(this.moves.element);
    byId("graph-panel").append(this.graph.element);
    byId("review-panel").append(this.review.element);
  }

  /** Return the buttons and the slider that go through the steps. */
  stepper() {
    const step = (/** @type {string} */ text, /** @type {string} */ title, /** @type {() => number} */ to) =>
      button(text, () => this.go(to()), { title, "aria-label": title });
    return make("div", { className: "stepper", role: "group", "aria-label": t("study.steps") },
      step("|◀", t("study.toBeginning"), () => 0), step("◀", t("study.back"), () => this.at - 1),
      step("▶", t("study.forward"), () => this.at + 1), step("▶|", t("study.toEnd"), () => this.steps.length - 1), this.slider);
  }

  /** Return the buttons for what can be asked. */
  buttons() {
    return make("div", { className: "buttons" }, this.liveButton, this.backButton,
      button(t("study.hold"), () => this.believe()), button(t("study.graph"), () => this.evaluate()), this.reviewButton,
      button(t("study.setUp"), () => this.change()), this.playButton, this.watchButton);
  }

  /** Return the buttons that save the position or the game, or leave. */
  exits() {
    return make("div", { className: "buttons" },
      button(t("study.copy"), () => this.copied(this.position.text, t("study.copied"))), button(t("study.copyLink"), () => this.link()),
      this.saveButton,
      button("SVG", () => this.say("picture", { kind: "svg" })), button("PNG", () => this.say("picture", { kind: "png" })),
      button(t("page.close"), () => this.close()));
  }

  /** List the steps of a `study` message.
      @type {(message: StudyMessage) => void} */
  hear(message) {
    this.names = message.names;
    this.steps = message.steps;
    this.branch = message.branch;
    this.line = message.line;
    if (message.source) atStudy(message.source);
    for (const one of [this.reviewButton, this.saveButton]) one.hidden = !message.games;
    this.saveButton.textContent = message.branch === null ? t("game.save") : t("study.saveVariation");
    if (message.branch === null) {
      const lastStep = JSON.stringify(message.steps.at(-1));
      if (this.lastStep !== lastStep) { // it is another game
        this.review.forget(message.games > 0);
        this.graph.begin([], 0);
      }
      this.lastStep = lastStep;
    }
    this.review.verdicts ??= this.lookedBack; // those of a look back, until there is a review
    this.lookedBack = null;
    this.slider.max = String(Math.max(this.steps.length - 1, 0));
    if (this.graph.steps !== this.steps.length) this.graph.begin([], 0);
    this.moves.list(this.steps, this.names, this.mainSteps);
    this.moves.sign(this.review.verdicts, this.mainSteps);
    this.backButton.hidden = this.branch === null;
  }

  /** The last step of the main line. */
  get mainSteps() {
    return this.branch ?? Infinity;
  }

  /** Show the panel for `position`, which the board shows already. */
  show() {
    const { position } = this;
    byId("study").hidden = false;
    this.at = position.step ?? 0;
    atStep({ branch: this.branch, moves: this.line, at: this.at });
    this.slider.value = String(this.at);
    this.slider.setAttribute("aria-valuetext", t("study.stepOf", { step: this.at, steps: this.steps.length - 1 }));
    for (const one of [this.bar, this.list, this.source, this.words]) one.replaceChildren();
    this.picked = [];
    this.moves.show(this.at);
    this.liveButton.disabled = !position.decides;
    this.judge();
    this.draw();
    if (this.live && position.decides) this.say("go", { infinite: true });
  }

  leave() {
    this.play(false);
    this.pauseReview(); // the server has stopped it
    byId("study").hidden = true;
  }

  /** End the analysis. */
  end() {
    this.showWatching(false);
    if (this.steps.length) forgetStudy();
    this.steps = [];
    this.at = -1;
    this.live = false;
    this.label();
  }

  idle = () => (this.position.decides ? "" : t("refuse.nothing"));

  /** @type {(move: string) => void} */
  move = (move) => this.say("try", { move });

  /** @type {(to: number) => void} */
  go(to) {
    if (to < 0 || to >= this.steps.length || to === this.at) return;
    this.say("step", { to });
  }

  /** Go to a step for the review's verdict on its decision.
      @type {(to: number) => void} */
  goToVerdict(to) {
    this.awaited = this.verdict;
    if (to === this.at) this.arrived(this.verdict);
    else this.go(to);
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
    if (this.live) this.awaited = this.list;
    if (this.live) this.say("go", { infinite: true });
    else this.say("stop");
  }

  label() {
    press(this.liveButton, this.live, this.live ? t("study.stop") : t("start.analyze"));
  }

  /** Change the position by hand. */
  change() {
    if (this.live) this.toggle();
    this.setUp();
  }

  /** Begin or stop to step through the game automatically.
      @type {(on: boolean) => void} */
  play(on) {
    window.clearTimeout(this.timer);
    this.playing = on;
    press(this.playButton, on, on ? t("study.pause") : t("study.play"));
    if (on) this.timer = window.setTimeout(() => this.tick(), PACE);
  }

  tick() {
    if (!this.playing || !this.steps.length) return;
    if (this.at >= this.steps.length - 1) {
      this.play(false);
      return;
    }
    this.go(this.at + 1);
    this.timer = window.setTimeout(() => this.tick(), PACE);
  }

  /** Begin or stop to show each new game of the file that the program was started with.
      @type {(on?: boolean) => void} */
  watch(on = !this.watching) {
    this.showWatching(on);
    this.say("watch", { on });
    if (!on) this.play(false);
  }

  /** @type {(on: boolean) => void} */
  showWatching(on) {
    this.watching = on;
    press(this.watchButton, on, on ? t("study.stopWatching") : t("start.watch"));
  }

  /** Show a step of the page's finished game, with the verdicts of its look back.
      @type {(step: number, moments: Moment[]) => void} */
  lookBack(step, moments) {
    this.lookedBack = verdictsOf(moments);
    this.say("study", { step });
  }

  /** Ask for a review of the whole game. */
  askReview() {
    if (this.live) this.toggle();
    this.review.begin(() => this.say("stop"));
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
      { go: (step) => this.goToVerdict(step), practice: () => this.say("practice", { begin: true, mistakes: true }) });
    this.plotReview();
    this.moves.sign(this.review.verdicts, this.mainSteps);
    this.draw();
    this.judge();
    this.arrived(this.review.element);
  }

  /** Show the review's verdict on the decision shown. An analysis of the moves keeps its marks on the board. */
  judge() {
    const verdict = this.at <= this.mainSteps ? this.review.verdicts?.get(this.at) : null;
    this.verdict.replaceChildren();
    if (!verdict) return;
    const moves = [{ move: verdict.best, label: "★" }];
    if (verdict.played !== verdict.best) moves.push({ move: verdict.played, label: signOf(verdict.mark) });
    if (!this.list.children.length) drawArrows(this.board, this.position, moves);
    this.verdict.append(...verdictParts(verdict, this.names));
    this.arrived(this.verdict);
  }

  /** Show an `info` message: the progress of a review, a point of the graph, or the state of a search.
      @type {(message: Answers["info" | "bestmove"]) => void} */
  info(message) {
    if ("total" in message) this.review.progress(message);
    else if ("step" in message) {
      this.graph.wins[message.step] = message.wins;
      this.draw();
    } else if (message.at === this.at) this.ranking(message);
  }

  /** Show the moves with their figures.
      @type {(message: RankingMessage | BestMoveMessage) => void} */
  ranking(message) {
    this.wins(message.wins ?? []);
    drawArrows(this.board, this.position, message.choices);
    const more = (/** @type {RankedChoice} */ { move, facts }) => [button("⇄", () => this.compare(move), {
      className: "small", "aria-label": t("study.compare", { move: moveWords(move, facts) }),
      "aria-pressed": String(this.picked.includes(move)), title: t("study.compareTitle") })];
    this.list.replaceChildren(...ranked(message.choices, { act: (move) => this.say("try", { move }), title: t("study.try"), points: message.by_points, more }));
    this.source.textContent = evidence(message, true);
    this.arrived(this.list);
    if (!this.picked.length) this.words.replaceChildren(...paragraphs(explainedWords(message, this.names)));
  }

  /** @type {(move: string) => void} */
  compare(move) {
    this.picked = this.picked.includes(move) ? this.picked.filter((one) => one !== move) : [...this.picked, move].slice(-2);
    if (this.picked.length === 2) {
      if (this.live) this.toggle();
      this.words.replaceChildren(make("p", { textContent: t("study.comparing") }));
      this.awaited = this.words;
      this.say("compare", { first: this.picked[0], second: this.picked[1] });
      this.picked = [];
    } else toast(t("study.second"));
  }

  /** @type {(message: ComparedMessage) => void} */
  compared(message) {
    const [first, second] = [moveWords(message.first, message.first_facts), moveWords(message.second, message.second_facts)];
    this.words.replaceChildren(make("h2", { textContent: t("study.against", { first, second }) }),
      ...paragraphs(whyWords(message.why, this.names, true)));
    this.arrived(this.words);
  }

  believe() {
    if (this.live) this.toggle();
    this.awaited = this.words;
    this.say("belief");
  }

  /** @type {(message: BeliefMessage) => void} */
  belief(message) {
    this.words.replaceChildren(make("h2", { textContent: message.guessed ? t("study.heldByChoices") : t("study.heldByUnseen") }),
      ...message.seats.map(({ seat, cards }) => make("p", {}, make("b", { textContent: this.names[seat] + ": " }),
        ...cards.map(([card, chance]) => make("span", { className: "chip" + (card.startsWith("city") ? "" : " land"), textContent: `${cardName(card)} ${Math.round(100 * chance)} %` })))));
    this.arrived(this.words);
  }

  /** Show the win probabilities of this step, in the graph too, as this analysis plays more games.
      @type {(wins: number[]) => void} */
  wins(wins) {
    showWins(this.bar, wins, this.names);
    if (!this.graph.wins[this.at]) return;
    this.graph.wins[this.at] = wins;
    this.draw();
  }

  /** Show the win probability at each step, from the review if there is one and otherwise from short searches. */
  evaluate() {
    this.awaited = this.graph.element;
    if (this.review.graph && this.branch === null) {
      this.plotReview();
      this.draw();
      return;
    }
    if (this.live) this.toggle();
    this.graph.begin([], this.steps.length);
    this.say("evaluate");
  }

  /** Let the graph have the win probabilities that the review measured. */
  plotReview() {
    if (this.review.graph) this.graph.begin(this.review.graph, this.steps.length);
  }

  /** Draw the graph of win probabilities. */
  draw() {
    if (this.graph.draw(this.at, this.steps.length, this.names)) this.arrived(this.graph.element);
  }

  /** @type {(text: string, said: string) => void} */
  copied(text, said) {
    navigator.clipboard?.writeText(text).then(() => toast(said), () => toast(text));
  }

  link() {
    const here = new URL(window.location.href);
    here.hash = "study=" + encodeURIComponent(this.position.text);
    this.copied(here.href, t("study.linkCopied"));
  }

  /** @type {(message: PictureMessage) => void} */
  picture = ({ data, kind }) => download(data, `masons.${kind}`);

  close() {
    this.say("stop");
    this.leave();
    this.end();
    this.say("close");
  }

  /** Step with the arrow keys, except on the board. Return whether the key was handled.
      @type {(event: KeyboardEvent) => boolean} */
  key(event) {
    if (/** @type {Element} */ (event.target).closest("#board .live")) return false;
    /** @type {Record<string, number>} */
    const steps = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.steps.length - 1 };
    const to = steps[event.key];
    if (to === undefined) return false;
    event.preventDefault();
    this.go(to);
    return true;
  }
}
