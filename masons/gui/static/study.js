/* The analysis: steps and variations, the ranking of moves, win probabilities, reasons, hidden hands and pictures. */

import { drawArrows } from "./arrows.js";
import { beforeFrame, button, byId, download, evidence, make, makeSvg, paragraphs, ranked, table, toast } from "./dom.js";
import { atStep, atStudy, forgetStudy } from "./place.js";
import { cardName, eventWords, moveWords } from "./gamewords.js";
import { SIGNS, bestWords, lossOf, markLegend, signOf, starred, verdictWords } from "./marks.js";
import { explainedWords, shareWords, whyWords } from "./reasons.js";
import { revealIn } from "./tabs.js";
import { fixed, halfWidth, signed, t } from "./words.js";

const MARKS = ["●", "▲", "■", "◆"]; // the shape of each seat, so that colors are not needed to tell seats apart

const ENDS_REVIEW = ["step", "try", "go", "stop", "compare", "evaluate", "belief", "practice", "close"];
const NORMAL = 1.96; // standard errors on each side of a 95 % interval
const PACE = 700; // ms per step while the game plays by itself

const percent = (share) => `${fixed(100 * share)} %`;

/** Show a button as pressed or not, with a text. */
function press(one, on, text) {
  one.setAttribute("aria-pressed", String(on));
  one.textContent = text;
}

/** Return the win probability of each seat by step, at the start and the end of the game and before each reviewed
    decision. It is null for seats that the rollouts of a decision did not measure. */
function measuredGraph({ moments, measured }) {
  const graph = [];
  const [, start] = moments[0];
  const [end, last] = moments[moments.length - 1];
  graph[0] = start;
  graph[end] = last;
  for (const [step, wins] of measured) graph[step] = wins;
  return graph;
}

export class Study {
  look = "studying";
  isStudy = true;
  live = false; // true while the moves are being ranked
  steps = null;
  graph = [];
  picked = []; // moves to compare
  lookedBack = null; // verdicts of a look back, by step, for the game that is being opened
  awaited = null; // the part of the panel to show as soon as its content arrives, as a button asked for it
  reviewing = null; // the percentage that a running review has done; null if none is running

  constructor(board, say, setUp) {
    Object.assign(this, { board, setUp });
    this.say = (type, fields) => {
      if (ENDS_REVIEW.includes(type)) this.pauseReview();
      say(type, fields);
    };
    this.build();
  }

  /** Make the panel. */
  build() {
    const go = (to) => () => this.go(to());
    this.slider = make("input", { type: "range", min: 0, value: 0, "aria-label": t("study.step") });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    const controls = [["|◀", t("study.toBeginning"), () => 0], ["◀", t("study.back"), () => this.at - 1],
      ["▶", t("study.forward"), () => this.at + 1], ["▶|", t("study.toEnd"), () => this.steps.length - 1]];
    this.liveButton = button(t("start.analyze"), () => this.toggle(), { className: "main", "aria-pressed": "false" });
    this.backButton = button(t("study.leaveVariation"), () => this.say("step", { to: 0, back: true }));
    this.bar = make("div", { className: "winbar", role: "img", "aria-label": t("study.wins") });
    this.list = make("ol", { className: "ranked" });
    this.source = make("p", { className: "evidence" });
    this.words = make("div", { className: "why" });
    this.verdict = make("div", { className: "why" }); // the review's verdict on this decision
    this.plot = make("div", { className: "graph" });
    this.moves = make("ol", { className: "steps", "aria-label": t("study.moves") });
    byId("study").replaceChildren(
      make("div", { className: "stepper", role: "group", "aria-label": t("study.steps") },
        ...controls.map(([text, title, to]) => button(text, go(to), { title, "aria-label": title })), this.slider),
      make("div", { className: "buttons" }, this.liveButton, this.backButton,
        button(t("study.hold"), () => this.believe()), button(t("study.graph"), () => this.evaluate()),
        this.reviewButton = button(t("study.review"), () => this.review()),
        button(t("study.setUp"), () => this.change()),
        this.playButton = button(t("study.play"), () => this.play(!this.playing), { "aria-pressed": "false", title: t("study.playTitle") }),
        this.watchButton = button(t("start.watch"), () => this.watch(), { "aria-pressed": "false", hidden: true })),
      this.bar, this.list, this.source, this.words, this.verdict,
      make("div", { className: "buttons" },
        button(t("study.copy"), () => this.copied(this.position.text, t("study.copied"))), button(t("study.copyLink"), () => this.link()),
        this.saveButton = button(t("game.save"), () => this.say("save")),
        button("SVG", () => this.say("picture", { kind: "svg" })), button("PNG", () => this.say("picture", { kind: "png" })),
        button(t("page.close"), () => this.close())),
    );
    this.report = make("div", { className: "why report" });
    byId("log-panel").append(this.moves);
    byId("graph-panel").append(this.plot);
    byId("review-panel").append(this.report);
  }

  /** List the steps of a `study` message. */
  hear(message) {
    this.names = message.names;
    this.steps = message.steps;
    this.branch = message.branch;
    this.line = message.line;
    if (message.source) atStudy(message.source);
    for (const one of [this.reviewButton, this.saveButton]) one.hidden = !message.games;
    this.saveButton.textContent = message.branch === null ? t("game.save") : t("study.saveVariation");
    if (message.branch === null) {
      const lastStep = JSON.stringify(message.steps[message.steps.length - 1]);
      if (this.lastStep !== lastStep) this.forget(); // it is another game
      this.lastStep = lastStep;
    }
    this.verdicts ??= this.lookedBack; // those of a look back, until there is a review
    this.lookedBack = null;
    this.slider.max = String(Math.max(this.steps.length - 1, 0));
    if (!this.graph.length || this.graph.steps !== this.steps.length) this.graph = [];
    this.moves.replaceChildren(...this.steps.map((says, step) => {
      const text = step === 0 ? t("study.beginning") : says.map((event) => (event.seat === null ? "" : `${this.names[event.seat]}: `) + eventWords(event)).join("; ");
      const item = make("li", { className: this.branch !== null && step > this.branch ? "branch" : "" },
        button(`${step ? `${step}. ` : ""}${text}`, () => this.go(step), { className: "link" }));
      return item;
    }));
    this.backButton.hidden = this.branch === null;
    if (this.verdicts) this.sign();
  }

  /** Show the panel for `position`, which the board shows already. */
  show() {
    const { position } = this;
    byId("study").hidden = false;
    this.at = position.step;
    atStep({ branch: this.branch, moves: this.line, at: this.at });
    this.slider.value = String(this.at);
    this.slider.setAttribute("aria-valuetext", t("study.stepOf", { step: this.at, steps: this.steps.length - 1 }));
    for (const one of [this.bar, this.list, this.source, this.words]) one.replaceChildren();
    this.picked = [];
    const current = this.moves.querySelector("[aria-current]");
    if (current) current.removeAttribute("aria-current");
    const item = this.moves.children[this.at];
    if (item) {
      item.firstElementChild.setAttribute("aria-current", "step");
      const panel = byId("log-panel");
      beforeFrame(() => { panel.scrollTop = item.offsetTop - this.moves.offsetTop - panel.clientHeight / 2; });
    }
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
    if (this.steps) forgetStudy();
    this.steps = this.at = null;
    this.live = false;
    this.label();
  }

  idle = () => (this.position.decides ? "" : t("refuse.nothing"));

  move = (move) => this.say("try", { move });

  go(to) {
    if (!this.steps || to < 0 || to >= this.steps.length || to === this.at) return;
    this.say("step", { to });
  }

  /** Go to a step for the review's verdict on its decision. */
  goToVerdict(to) {
    this.awaited = this.verdict;
    if (to === this.at) this.arrived(this.verdict);
    else this.go(to);
  }

  /** Show a part of the panel that is awaited. */
  arrived(part) {
    if (part !== this.awaited) return;
    this.awaited = null;
    revealIn(part);
  }

  toggle() {
    this.live = !this.live;
    this.label();
    if (this.live) this.awaited = this.list;
    this.say(this.live ? "go" : "stop", this.live ? { infinite: true } : {});
  }

  label() {
    press(this.liveButton, this.live, this.live ? t("study.stop") : t("start.analyze"));
  }

  /** Change the position by hand. */
  change() {
    if (this.live) this.toggle();
    this.setUp();
  }

  /** Begin or stop to step through the game automatically. */
  play(on) {
    window.clearTimeout(this.timer);
    this.playing = on;
    press(this.playButton, on, on ? t("study.pause") : t("study.play"));
    if (on) this.timer = window.setTimeout(() => this.tick(), PACE);
  }

  tick() {
    if (!this.playing || !this.steps) return;
    if (this.at >= this.steps.length - 1) {
      this.play(false);
      return;
    }
    this.go(this.at + 1);
    this.timer = window.setTimeout(() => this.tick(), PACE);
  }

  /** Begin or stop to show each new game of the file that the program was started with. */
  watch(on = !this.watching) {
    this.showWatching(on);
    this.say("watch", { on });
    if (!on) this.play(false);
  }

  showWatching(on) {
    this.watching = on;
    press(this.watchButton, on, on ? t("study.stopWatching") : t("start.watch"));
  }

  /** Show a step of the page's finished game, with the verdicts of its look back. */
  lookBack(step, moments) {
    this.lookedBack = new Map(moments.filter(({ number }) => number).map((one) => [one.number - 1, { ...one, played: one.move, played_facts: one.facts }]));
    this.say("study", { step });
  }

  /** Ask for a review of the whole game. */
  review() {
    if (this.live) this.toggle();
    this.reviewing = this.reviewing ?? 0;
    this.report.replaceChildren(make("p", { textContent: t("study.reviewing") }), button(t("study.stopReview"), () => this.say("stop")));
    revealIn(this.report);
    this.awaited = this.report;
    this.say("review");
  }

  /** Offer to go on with the review, which the server stops for any other work. */
  pauseReview() {
    if (this.reviewing === null) return;
    this.report.replaceChildren(make("p", { textContent: t("study.reviewStopped", { percent: this.reviewing }) }),
      button(t("study.reviewOn"), () => this.review()));
    this.reviewing = null;
  }

  forget() {
    this.verdicts = this.reviewGraph = this.reviewing = null;
    this.graph = [];
    this.report.replaceChildren(make("p", { className: "evidence", textContent: this.reviewButton.hidden ? t("study.beginPosition") : t("study.begin") }));
  }

  reviewed(message) {
    this.reviewing = null;
    this.verdicts = new Map(message.decisions.map((one) => [one.number - 1, one]));
    this.reviewGraph = measuredGraph(message);
    this.plotReview();
    const rows = message.players.map(({ seat, marks, mean_loss: loss, error }) =>
      [this.names[seat], String(marks.inaccuracy), String(marks.error), String(marks.blunder), `${shareWords(loss, NORMAL * error)} %`]);
    const costly = message.critical.slice(0, 5).map((number) => this.verdicts.get(number - 1)).map((one) => make("li", {},
      button(`${one.number}. ${this.names[one.seat]} ${SIGNS[one.mark] || ""}`, () => this.goToVerdict(one.number - 1), { className: "link" }),
      make("span", { className: "num", textContent: `−${shareWords(one.loss, one.interval)} %` }), " " + t("study.better", { played: this.worded(one, "played"), best: this.worded(one, "best") })));
    this.report.replaceChildren(make("h2", { textContent: t("study.review") }), table(["", "?!", "?", "??", t("study.lossAMove")], rows),
      ...paragraphs(message.results.map((one) => this.resultWords(one))),
      ...(costly.length ? [make("h2", { textContent: t("study.cost") }), make("ul", { className: "ranked" }, ...costly)] : []),
      ...(message.mistakes ? [make("div", { className: "buttons" }, button(t("study.practice"), () => this.say("practice", { begin: true, mistakes: true })))] : []),
      markLegend());
    this.sign();
    this.draw();
    this.judge();
    this.arrived(this.report);
  }

  /** Show the marks of the review at the moves of the main line. */
  sign() {
    [...this.moves.children].forEach((item, step) => {
      const main = this.branch === null || step <= this.branch;
      const verdict = step > 0 && main ? this.verdicts.get(step - 1) : null;
      const sign = verdict ? SIGNS[verdict.mark] : "";
      if (sign) item.firstElementChild.prepend(make("b", { className: "mark", textContent: `${sign} ` }));
    });
  }

  /** Show the review's verdict on the decision shown. An analysis of the moves keeps its marks on the board. */
  judge() {
    const verdict = this.verdicts && (this.branch === null || this.at <= this.branch) ? this.verdicts.get(this.at) : null;
    this.verdict.replaceChildren();
    if (!verdict) return;
    const moves = [{ move: verdict.best, label: "★" }];
    if (verdict.played !== verdict.best) moves.push({ move: verdict.played, label: signOf(verdict.mark) });
    if (!this.list.children.length) drawArrows(this.board, this.position, moves);
    const isBest = verdict.played === verdict.best;
    const { isClear, measured } = lossOf(verdict);
    this.verdict.append(make("h2", { textContent: t("study.verdict") }),
      make("p", {}, make("b", { textContent: verdictWords(verdict, this.worded(verdict, "played")) })),
      ...paragraphs([...(isBest ? [] : [measured]), ...(isBest || !isClear ? [] : [starred(bestWords(verdict, this.worded(verdict, "best")))]),
        ...(verdict.is_coached ? [t("after.coached")] : []), ...whyWords(verdict.why, this.names, true)]));
    this.arrived(this.verdict);
  }

  /** Return the move `played` or `best` of a decision in words. */
  worded(decision, key) {
    return moveWords(decision[key], decision[`${key}_facts`]);
  }

  /** Say how the result of a seat divides into luck and play. */
  resultWords({ seat, share, luck, play, interval }) {
    const [gain, chance, skill] = [share, luck, play].map((part) => signed(100 * part));
    return t("study.result", { name: this.names[seat], gain, luck: chance, play: skill, error: halfWidth(100 * interval) });
  }

  /** Show an `info` message: the progress of a review, a point of the graph, or the state of a search. */
  info(message) {
    if (message.total !== undefined) {
      if (this.reviewing === null) return; // it was stopped meanwhile
      this.reviewing = Math.round((100 * message.done) / message.total);
      this.report.firstElementChild.textContent = t("study.reviewingShare", { percent: this.reviewing });
      return;
    }
    if (message.step !== undefined) {
      this.graph[message.step] = message.wins;
      this.draw();
      return;
    }
    if (message.at !== this.at) return;
    this.wins(message.wins);
    this.agree(message.wins);
    drawArrows(this.board, this.position, message.choices);
    const more = ({ move, facts }) => [button("⇄", () => this.compare(move), {
      className: "small", "aria-label": t("study.compare", { move: moveWords(move, facts) }),
      "aria-pressed": String(this.picked.includes(move)), title: t("study.compareTitle") })];
    this.list.replaceChildren(...ranked(message.choices, { act: (move) => this.say("try", { move }), title: t("study.try"), points: message.by_points, more }));
    this.source.textContent = evidence(message, true);
    this.arrived(this.list);
    if (!this.picked.length) this.words.replaceChildren(...paragraphs(explainedWords(message, this.names)));
  }

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

  compared(message) {
    const [first, second] = ["first", "second"].map((key) => this.worded(message, key));
    this.words.replaceChildren(make("h2", { textContent: t("study.against", { first, second }) }),
      ...paragraphs(whyWords(message.why, this.names, true)));
    this.arrived(this.words);
  }

  believe() {
    if (this.live) this.toggle();
    this.awaited = this.words;
    this.say("belief");
  }

  belief(message) {
    this.words.replaceChildren(make("h2", { textContent: message.guessed ? t("study.heldByChoices") : t("study.heldByUnseen") }),
      ...message.seats.map(({ seat, cards }) => make("p", {}, make("b", { textContent: this.names[seat] + ": " }),
        ...cards.map(([card, chance]) => make("span", { className: "chip" + (card.startsWith("city") ? "" : " land"), textContent: `${cardName(card)} ${Math.round(100 * chance)} %` })))));
    this.arrived(this.words);
  }

  wins(wins) {
    this.bar.replaceChildren(...wins.map((win, seat) => {
      const part = make("span", { className: `seat${seat}`, textContent: `${MARKS[seat]} ${percent(win)}`, title: this.names[seat] });
      part.style.flexGrow = String(Math.max(win, 0.001));
      return part;
    }));
    this.bar.setAttribute("aria-label", wins.map((win, seat) => `${this.names[seat]} ${percent(win)}`).join(", "));
  }

  /** Let the graph show what the analysis of this step, which plays more games, has found. */
  agree(wins) {
    if (!this.graph[this.at]) return;
    this.graph[this.at] = wins;
    this.draw();
  }

  /** Show the win probabilities that the review measured. */
  plotReview() {
    this.graph = Object.assign([], this.reviewGraph);
    this.graph.steps = this.steps.length;
  }

  /** Show the win probability at each step, from the review if there is one and otherwise from short searches. */
  evaluate() {
    this.awaited = this.plot;
    if (this.reviewGraph && this.branch === null) {
      this.plotReview();
      this.draw();
      return;
    }
    if (this.live) this.toggle();
    this.graph = [];
    this.graph.steps = this.steps.length;
    this.say("evaluate");
  }

  /** Draw the graph of win probabilities, with a line for each seat. */
  draw() {
    const points = this.graph.map((wins, step) => [step, wins]).filter(([, wins]) => wins);
    if (!points.length) {
      this.plot.replaceChildren();
      return;
    }
    const last = Math.max(this.steps.length - 1, 1);
    const svg = makeSvg("svg", { viewBox: "0 0 360 120", role: "img", "aria-label": t("study.graphLabel") });
    const x = (step) => 4 + (352 * step) / last;
    const y = (win) => 116 - 112 * win;
    svg.append(makeSvg("line", { x1: 4, x2: 356, y1: y(0.5), y2: y(0.5), class: "half" }));
    for (const [share, text] of [[0.91, "100 %"], [0.51, "50 %"], [0.01, "0 %"]]) svg.append(makeSvg("text", { x: 6, y: y(share) }, text));
    for (const seat of points[0][1].keys()) {
      const path = points.filter(([, wins]) => wins[seat] !== null)
        .map(([step, wins]) => `${x(step).toFixed(1)},${y(wins[seat]).toFixed(1)}`).join(" ");
      svg.append(makeSvg("polyline", { points: path, class: `seat${seat}` }));
    }
    svg.append(makeSvg("line", { x1: x(this.at), x2: x(this.at), y1: 0, y2: 120, class: "here" }));
    const stepAt = (event) => {
      const box = svg.getBoundingClientRect();
      const along = ((360 * (event.clientX - box.x)) / box.width - 4) / 352;
      return Math.round(Math.min(Math.max(along, 0), 1) * last);
    };
    const read = (step) => {
      const [at, known] = points.findLast(([point]) => point <= step) || points[0];
      const wins = known.map((win, seat) => win ?? points.findLast(([point, all]) => point <= at && all[seat] !== null)[1][seat]);
      const texts = wins.map((win, seat) => make("span", { className: `key seat${seat}`, textContent: `${MARKS[seat]} ${this.names[seat]} ${percent(win)}` }));
      readout.replaceChildren(make("span", { textContent: step === this.at ? t("study.graphShown", { step: at }) : t("study.graphStep", { step: at }) }), ...texts);
    };
    const readout = make("p");
    svg.addEventListener("click", (event) => this.go(stepAt(event)));
    svg.addEventListener("pointermove", (event) => read(stepAt(event)));
    svg.addEventListener("pointerleave", () => read(this.at));
    this.plot.replaceChildren(svg, readout, make("p", { className: "evidence", textContent: t("study.graphMeans") }));
    read(this.at);
    this.arrived(this.plot);
  }

  copied(text, said) {
    navigator.clipboard?.writeText(text).then(() => toast(said), () => toast(text));
  }

  link() {
    const here = new URL(window.location.href);
    here.hash = "study=" + encodeURIComponent(this.position.text);
    this.copied(here.href, t("study.linkCopied"));
  }

  picture = ({ data, kind }) => download(data, `masons.${kind}`);

  close() {
    this.say("stop");
    this.leave();
    this.end();
    this.say("close");
  }

  /** Step with the arrow keys, except on the board. Return whether the key was handled. */
  key(event) {
    if (event.target.closest("#board .live")) return false;
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.steps.length - 1 }[event.key];
    if (to === undefined) return false;
    event.preventDefault();
    this.go(to);
    return true;
  }
}

/** Return the form into which a position or records can be pasted, or a file chosen. */
export function studyForm(say) {
  const text = make("textarea", { rows: 3, placeholder: t("study.placeholder"), "aria-label": t("study.text") });
  const file = make("input", { type: "file", "aria-label": t("study.file") });
  file.addEventListener("change", () => readFile(file.files[0], say));
  return make("div", { className: "stack" },
    make("p", { textContent: t("start.analyzeHow") }), text,
    make("div", { className: "buttons" },
      button(t("start.analyze"), () => (text.value.trim() ? say("study", { text: text.value }) : toast(t("study.empty"), true)), { className: "main" }),
      file));
}

export async function readFile(file, say) {
  if (!file) return;
  if (file.size > 1000000) toast(t("study.tooBig"), true);
  else say("study", { text: await file.text() });
}

export function startDrops(say) {
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    readFile(event.dataTransfer.files[0], say);
  });
}
