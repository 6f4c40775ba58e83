/* The engine's ranking of the moves, in the analysis: the main reason for the best move, the first moves as a table, below
   them what there is room for, and folded all else: the figures, what was asked about the hidden hands, the other moves. */

import { drawMoves } from "./drawnmoves.js";
import { button, byId, evidence, facts, findIn, headed, make, paragraphs, ranked, roomy, toast, winReach } from "./dom.js";
import { moveWords } from "./gamewords.js";
import { beliefParts, comparisons, mainParts, nextWords, whyWords } from "./reasons.js";
import { sightOf } from "./shapes.js";
import { viewButton } from "./verdicts.js";
import { t } from "./words.js";

const SHOWN = 3; // the moves and the facts above the fold
/** @type {Point} */
const WIDE = [290, 170]; // the size of what a picture of a move shows

/** Return the best move and those that were not dropped early: a rank after few tests says little.
    @type {<C extends { is_early: boolean }>(choices: C[]) => C[]} */
const testedOf = (choices) => choices.filter((one, rank) => !rank || !one.is_early);

/** Return whether a move can't be told apart from the best one.
    @type {(choices: RankedChoice[], move: string) => boolean} */
const isEqualIn = (choices, move) => choices.some((choice) => choice.move === move && choice.is_equal);

/** Say how the best move of a ranking compares with that of the review, in a list that is empty if they are the same. A
    ranking of fewer games than the review is shown only if the review found its best move as good.
    @type {(message: RankingMessage | BestMoveMessage, reviewed: import("./verdicts.js").Verdict | null | undefined) => string[]} */
function contrastWords({ choices: [first, ...others], games }, reviewed) {
  if (!reviewed || !games || first.move === reviewed.best) return [];
  const said = { move: moveWords(first.move, first.facts), best: moveWords(reviewed.best, reviewed.best_facts), count: games };
  return [games < reviewed.games || isEqualIn(others, reviewed.best) ? t("study.bothBest", said) : t("study.nowBetter", said)];
}

export class Ranking {
  contrast = make("div", { className: "why" });
  heading = make("p", { className: "evidence" }); // of pictures, what their figures are
  verdict = make("div", { className: "why" });
  list = make("ol", { className: "ranked" });
  others = make("ol", { className: "ranked" });
  seen = viewButton();
  source = make("p", { className: "evidence" });
  summary = make("div", { className: "why" });
  words = make("div", { className: "why" });
  details = make("details", { className: "why", hidden: true }, make("summary", { textContent: t("study.details") }), this.words, this.others, this.seen, this.source);
  /** @type {string[]} */
  picked = []; // moves to compare
  /** @type {Map<string, Element[]>} */
  sights = new Map(); // the pictures of moves, which stay while the figures change
  /** @type {string[]} */
  named = []; // walls that the words name
  /** @type {string[]} */
  folded = []; // those that the folded words name

  /** `attempt` makes a move, and `compare` asks for a comparison of two.
      @param {Board} board
      @param {{ attempt: (move: string) => void, compare: (first: string, second: string) => void }} act */
  constructor(board, act) {
    this.board = board;
    this.act = act;
    this.details.addEventListener("toggle", () => this.tag());
  }

  get isEmpty() {
    return !this.list.children.length;
  }

  clear() {
    this.picked = [];
    this.sights.clear();
    this.named = this.folded = [];
    this.tag();
    this.details.hidden = true;
    for (const one of [this.contrast, this.heading, this.verdict, this.list, this.summary, this.others, this.seen, this.source, this.words]) one.replaceChildren();
  }

  /** Say that the engine thinks, until it ranks the moves. */
  think() {
    this.verdict.replaceChildren(make("p", { className: "evidence", textContent: t("study.thinking") }));
  }

  /** Show the moves with their figures. They stay while a second move is chosen. `reviewed` is the review's verdict.
      @type {(message: RankingMessage | BestMoveMessage, position: StudiedPosition, reviewed?: import("./verdicts.js").Verdict | null) => void} */
  show(message, position, reviewed) {
    if (this.picked.length) return;
    const { choices, by_points: points } = message;
    if (choices.length > 1 && choices.every(({ win }) => win === null)) return;
    this.contrast.replaceChildren(...contrastWords(message, reviewed).map((textContent) => make("p", { className: "evidence", textContent })));
    const tested = testedOf(choices);
    const shown = Math.min(tested.length, SHOWN);
    const isPictured = roomy() && !points && tested.slice(0, SHOWN).every(({ move }) => this.sight(move, position).length);
    const rows = ranked(choices, { act: this.act.attempt, title: t("study.try"), points, sight: (choice, rank) => (isPictured && rank < shown ? this.sight(choice.move, position) : []), more: ({ move, facts }) => [this.picker(move, moveWords(move, facts))] });
    this.list.replaceChildren(...rows.splice(0, shown + 1)); // with the heads
    this.list.classList.toggle("sights", isPictured);
    const reach = choices.length && byId("graph").hidden ? winReach(choices[0]) : ""; // the graph has the win probabilities
    this.heading.textContent = !isPictured ? "" : reach ? t("study.sightsWin", { reach }) : t("study.sights");
    this.others.replaceChildren(...rows);
    const main = message.why.find(({ reasons, against }) => reasons.length && !isEqualIn(choices, against)) ?? null;
    const [reason, ...causes] = mainParts(main, position.names);
    const other = main && !main.is_middling && main.against !== choices[1]?.move ? main.against : null; // a reason says nothing of the second move then
    if (message.games) this.verdict.replaceChildren(...paragraphs(reason ? [other ? `${t("why.second", { move: moveWords(other) })} – ${reason}` : reason] : []));
    else this.think();
    this.source.textContent = message.games ? evidence(message) : "";
    this.explain(message, position.names, causes, main?.is_middling ? main.against : other);
    drawMoves(this.board, position, tested); // after the numbers that it keeps clear of
  }

  /** @type {(move: string, position: StudiedPosition) => Element[]} */
  sight(move, position) {
    const known = this.sights.get(move) ?? sightOf(this.board, move, position, WIDE);
    this.sights.set(move, known);
    return known;
  }

  /** Show the numbers of the walls that the words in view name. */
  tag() {
    this.board.labels.nameWalls([...this.named, ...(this.details.open && !this.details.hidden ? this.folded : [])]);
  }

  /** @type {(move: string, words: string) => HTMLButtonElement} */
  picker(move, words) {
    return button("⇄", ({ currentTarget }) => {
      this.compare(move);
      /** @type {HTMLElement} */ (currentTarget).setAttribute("aria-pressed", String(this.picked.includes(move)));
    }, { className: "small", "aria-label": t("study.compare", { move: words }), "aria-pressed": "false", title: t("study.compareTitle") });
  }

  /** Give the `causes` of the main reason, all reasons, and the likely course of the game. Where no move differs, the only
      sentence that can be said takes the place of the causes. `other` is the move that the main reason names.
      @type {(message: RankingMessage | BestMoveMessage, names: string[], causes: string[], other: string | null) => void} */
  explain({ why, most_lost: mostLost, next, games, choices, is_open: isOpenGame }, names, causes, other) {
    this.details.hidden = !games;
    const isDrawn = (/** @type {string} */ move) => testedOf(choices).slice(0, SHOWN).some((choice) => choice.move === move);
    const hasRoom = roomy() && !findIn("#choices > .options:not(.spare)"); // beside the pictures of a choice
    const isPictured = this.list.classList.contains("sights");
    const told = why.filter(({ against }) => !(isPictured && isDrawn(against) && isEqualIn(choices, against))); // the list says ≈ of these
    const said = hasRoom && !this.verdict.children.length ? comparisons(told, names, mostLost) : [];
    const follows = nextWords(next, names);
    const isAlone = byId("graph").hidden; // the graph takes the room for more than the main reason
    const isUntold = !said.length && !this.verdict.children.length;
    const first = !hasRoom ? 0 : isAlone ? SHOWN : Number(isUntold);
    this.summary.replaceChildren(...said, ...(hasRoom && isAlone ? facts(causes.slice(0, SHOWN)) : []), ...headed([t("hint.follows"), ...follows.slice(0, first)], 1));
    const [following, compared] = [[next?.answer, next?.own].map((wall) => `wall:${wall?.line}`), why.map(({ against }) => against)].map((moves) => moves.filter((move) => !isDrawn(move)));
    this.named = [...(first && isAlone ? following : []), ...(said.length ? compared : []), ...(other && !isDrawn(other) ? [other] : [])];
    this.folded = [...following, ...compared];
    this.tag();
    this.words.replaceChildren(...(said.length ? [] : comparisons(why, names, mostLost)), ...headed([t("hint.follows"), ...follows.slice(first)], 1), ...(games && isOpenGame ? paragraphs([t("evidence.bias")]) : []));
  }

  /** Show something else than reasons below the moves.
      @type {(...parts: Node[]) => void} */
  tell(...parts) {
    this.details.hidden = false;
    this.details.open = true;
    this.words.replaceChildren(...parts);
  }

  /** @type {(move: string) => void} */
  compare(move) {
    this.picked = this.picked.includes(move) ? this.picked.filter((one) => one !== move) : [...this.picked, move].slice(-2);
    if (this.picked.length < 2) {
      toast(t("study.second"));
      return;
    }
    const [first, second] = this.picked;
    this.picked = [];
    this.tell(make("p", { textContent: t("study.comparing") }));
    this.act.compare(first, second);
  }

  /** @type {(message: ComparedMessage, names: string[]) => void} */
  compared({ first, first_facts: facts, second, second_facts: others, why }, names) {
    this.tell(make("h2", { textContent: t("study.against", { first: moveWords(first, facts), second: moveWords(second, others) }) }), ...paragraphs(whyWords(why, names, true)));
  }

  /** @type {(message: BeliefMessage, names: string[]) => void} */
  belief(message, names) {
    this.tell(...beliefParts(message, names));
  }
}
