/* A hint: the best move as a picture and in plain words, with its figures and the likely course of the game folded away. */

import { COMPARED, drawMoves } from "./drawnmoves.js";
import { allIn, button, citySign, evidence, facts, headed, make, paragraphs, ranked } from "./dom.js";
import { sum } from "./eventpictures.js";
import { cardsOf, moveWords } from "./gamewords.js";
import { bestReason, hintReasons, nextWords, secondWords } from "./reasons.js";
import { sightOf } from "./shapes.js";
import { t } from "./words.js";

/** @type {Point} */
const AROUND = [330, 200]; // the width and height of what the picture shows of the board

/** The words for what is done with cards. @type {Record<string, string>} */
const USES = { play: "play", final: "play", swap: "swap", toss: "swap", abstain: "abstain" };

/** Return what to do with the walls, pieces or cards that a picture shows, or the whole move in words.
    @type {(best: RankedChoice) => string} */
function titleOf({ move, facts: { points } }) {
  const [kind, what] = move.split(/:(.*)/s);
  const cards = USES[kind] ? cardsOf(what) : [];
  if (kind === "wall") return t("hint.wall");
  if (kind === "towers" || kind === "houses") return t(`hint.${kind}`, { count: what.split(",").length });
  if (kind === "merge") return what === "none" ? t("city.noMerge") : t("hint.merge");
  if (cards.length) return t(`hint.${USES[kind]}`, { count: cards.length, points: sum(points) });
  return t("hint.best", { move: moveWords(move) });
}

/** Return words that are shown, and others that name all places by their numbers, which are read aloud.
    @type {(shown: string, whole: string) => Child[]} */
const both = (shown, whole) => (shown === whole ? [whole] : [make("span", { textContent: shown, "aria-hidden": "true" }), make("span", { className: "sr", textContent: whole })]);

/** Return the picture of a move, unless the hand or the pictures of the choices show it.
    @type {(board: Board, move: string, position: GamePosition) => Element[]} */
const seen = (board, move, position) => (isOffered(move) || !/^(wall|towers|houses):/.test(move) ? [] : sightOf(board, move, position, AROUND));

/** Return whether a move is among those that are offered as pictures or as words.
    @type {(move: string) => boolean} */
const isOffered = (move) => allIn("#choices [data-option]").some((one) => one.dataset.option === move);

/** Return what shows another move than the best one, in words without numbers, or "" if nothing does.
    @type {(move: string) => string} */
function lookOf(move) {
  if (move.startsWith("wall:")) return t("hint.grayLine");
  if (!isOffered(move) || move === "merge:none") return "";
  if (!move.startsWith("merge:")) return t("hint.comparedPicture", { sign: COMPARED });
  return allIn("#choices [data-option]").length > 2 ? "" : t("hint.merging"); // with the only other city
}

/** Return the elements of a hint, and draw it on the board. `act` is called with the words and the text of a chosen move.
    @type {(hint: BestMoveMessage, position: GamePosition, board: Board, act: (words: string, move: string) => void) => HTMLElement[]} */
export function hintParts(hint, position, board, act) {
  const [best] = hint.choices;
  const whole = t("hint.best", { move: moveWords(best.move, best.facts) });
  const reasons = make("details", {}, make("summary", { textContent: t("hint.reasons") }), ...reasonsPanel(hint, position, act));
  const said = make("p");
  const [[words = "", other = ""] = []] = bestReason(hint, position.names, position.decider);
  const look = other && lookOf(other);
  const draw = () => { // unfolded, the words and the board have the numbers of all places
    const isListed = reasons.open && hint.choices.some(({ move }) => move === other);
    const compared = look && !isListed ? [{ move: other, label: COMPARED }] : [];
    const [[shown = ""] = []] = look && !reasons.open ? bestReason(hint, position.names, position.decider, () => look) : [[words]];
    said.replaceChildren(...both(shown, words).flatMap((part) => part ?? []));
    drawMoves(board, position, [...(reasons.open ? hint.choices : [{ move: best.move, label: "★" }]), ...compared], reasons.open ? "both" : "label");
  };
  reasons.addEventListener("toggle", draw);
  draw();
  return [make("div", { className: "aim" }, ...seen(board, best.move, position),
    make("div", {}, make("p", { className: "verdict", title: whole }, make("b", { className: "badge", textContent: "★", "aria-hidden": "true" }), ...both(titleOf(best), whole), best.facts.spaces ? citySign(best.facts.spaces, { "aria-hidden": "true" }) : null), ...shareOf(hint))),
  ...(words ? [said] : []), reasons];
}

/** Return how often the best move wins, and that none wins more often if the second can be told apart from it.
    @type {(hint: BestMoveMessage) => HTMLElement[]} */
function shareOf({ choices: [{ win }, second] }) {
  if (win === null) return [];
  const count = Math.round(100 * win);
  const bar = make("i");
  bar.style.width = `${count}%`;
  return [...headed([second && !second.is_equal && second.win !== null ? t("hint.shareBest", { count }) : t("hint.share", { count })]),
    make("div", { className: "chance", "aria-hidden": "true" }, bar)];
}

/** Return what is behind a hint. `act` is called with the words and the text of a chosen move.
    @type {(hint: BestMoveMessage, position: GamePosition, act: (words: string, move: string) => void) => HTMLElement[]} */
function reasonsPanel(hint, position, act) {
  const figures = ranked(hint.choices, { points: hint.by_points });
  const move = (/** @type {RankedChoice} */ choice) => {
    const words = moveWords(choice.move, choice.facts);
    return button(words, () => act(words, choice.move), { className: "link" });
  };
  return [
    ...facts([...plainWords(hint, position), ...hintReasons(hint.why, position.names)]),
    make("ol", { className: "ranked" }, ...hint.choices.map((choice, rank) => make("li", {}, move(choice), " ",
      make("span", { className: "loss", textContent: rank ? comparedWords(choice, hint.by_points) : t("move.best") })))),
    folded("follows", facts(nextWords(hint.next, position.names))),
    folded("figures", [...paragraphs(secondWords(hint.why, position.names)), make("ol", { className: "ranked" }, ...figures),
      make("p", { className: "evidence", textContent: evidence(hint) })]),
  ].filter(Boolean);
}

/** Return sentences that say how good the best move is.
    @type {(hint: BestMoveMessage, position: GamePosition) => string[]} */
function plainWords({ choices, scores }, { decider }) {
  const equal = choices.filter(({ is_equal: isEqual }, rank) => !rank || isEqual).length;
  const sentences = [];
  if (scores.length) {
    const others = scores.filter((_, seat) => seat !== decider);
    const points = { count: Math.round(scores[decider ?? -1]), others: Math.round(others.reduce((sum, score) => sum + score, 0) / others.length) };
    sentences.push(others.length > 1 ? t("hint.pointsMean", points) : t("hint.points", points));
  }
  if (equal > 1) sentences.push(t("hint.equal", { count: equal }));
  return sentences;
}

/** Return how a move compares with the best move.
    @type {(choice: RankedChoice, points: boolean) => string} */
function comparedWords({ loss, is_equal: isEqual }, points) {
  if (loss === null) return t("move.unknown");
  if (isEqual) return t("move.equal");
  return points ? t("move.pointsWorse", { count: loss }) : t("move.worse", { loss: 100 * loss });
}

/** @type {(name: string, content: Node[]) => HTMLElement | null} */
function folded(name, content) {
  return content.length ? make("details", {}, make("summary", { textContent: t(`hint.${name}`) }), ...content) : null;
}
