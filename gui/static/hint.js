/* A hint in a game: the best move and how good it is, in plain words. Its figures and what may follow are folded away. */

import { button, evidence, make, paragraphs, ranked } from "./dom.js";
import { moveWords } from "./gamewords.js";
import { nextWords, secondWords, whyWords } from "./reasons.js";
import { t } from "./words.js";

/** Return the elements of a hint; `act` gets the words and the move that is chosen from the list. */
export function hintPanel(hint, position, act) {
  const [best] = hint.choices;
  const figures = ranked(hint.choices, { points: hint.by_points });
  const move = (choice) => {
    const words = moveWords(choice.move, choice.facts);
    return button(words, () => act(words, choice.move), { className: "link" });
  };
  return [
    make("p", {}, make("b", { textContent: t("hint.best", { move: moveWords(best.move, best.facts) }) })),
    ...paragraphs(plainWords(hint, position)),
    make("ol", { className: "ranked" }, ...hint.choices.map((choice, rank) => make("li", {}, move(choice), " ",
      make("span", { className: "loss", textContent: rank ? comparedWords(choice, hint.by_points) : t("move.best") })))),
    folded("follows", paragraphs(nextWords(hint.next, position.names))),
    folded("figures", [...paragraphs(secondWords(hint.why, position.names)), make("ol", { className: "ranked" }, ...figures),
      make("p", { className: "evidence", textContent: evidence(hint) })]),
  ].filter(Boolean);
}

/** How good the best move is: about one number a sentence. */
function plainWords({ choices, equal, scores, why }, { decider, names }) {
  const [{ win }] = choices;
  const sentences = [];
  if (win !== null) sentences.push(t("hint.wins", { count: Math.round(100 * win) }));
  if (scores.length) {
    const others = Math.max(...scores.filter((_, seat) => seat !== decider));
    sentences.push(t("hint.points", { mine: Math.round(scores[decider]), others: Math.round(others) }));
  }
  if (equal > 1) sentences.push(t("hint.equal", { count: equal }));
  return [...sentences, ...why.filter(({ reasons }) => reasons.length).flatMap((each) => whyWords(each, names))];
}

/** A move against the best. */
function comparedWords({ loss, is_equal: isEqual }, points) {
  if (loss === null) return t("move.unknown");
  if (isEqual) return t("move.equal");
  return points ? t("move.pointsWorse", { loss }) : t("move.worse", { loss: 100 * loss });
}

function folded(name, content) {
  return content.length ? make("details", {}, make("summary", { textContent: t(`hint.${name}`) }), ...content) : null;
}
