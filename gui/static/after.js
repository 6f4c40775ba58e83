/* After a game: the result as luck and play, and the moments that mattered. */

import { signOf } from "./coach.js";
import { button, byId, make } from "./dom.js";
import { moveWords } from "./gamewords.js";
import { t } from "./words.js";

const signed = (number) => (number > 0 ? `+${number}` : String(number).replace("-", "−"));

/** The result of a seat in a sentence whose numbers add up. */
function resultWords({ seat, margin, luck, play }, { names, result }) {
  const outcome = !result.winners.includes(seat) ? "lost" : result.winners.length > 1 ? "shared" : "won";
  const head = t(`after.${outcome}${names[seat] === t("name.You") ? "You" : ""}`, { name: names[seat] });
  const kind = names.length > 2 ? (margin < 0 ? "behind" : "ahead") : margin ? "by" : "level";
  return t(`after.${kind}`, { head, count: Math.abs(margin), luck: signed(luck), play: signed(play) });
}

function picture(moment, title) {
  const svg = document.importNode(new DOMParser().parseFromString(moment.picture, "image/svg+xml").documentElement, true);
  for (const one of svg.querySelectorAll("title, .regions")) one.remove(); // too small to be read
  svg.setAttribute("aria-label", title);
  return svg;
}

const fall = ({ seat, loss }, names) => ({ name: names[seat], win: Math.abs(100 * loss) });

function moment(one, names, board) {
  const luck = one.mark === "luck";
  const title = luck ? t("after.chance", { turn: one.turn }) : t("after.moment", { turn: one.turn, sign: signOf(one.mark), mark: t(`mark.${one.mark}`) });
  const who = names.length > 1 ? `${names[one.seat]}: ` : "";
  const played = luck ? "" : moveWords(one.move, one.words, board);
  const lines = luck
    ? [one.words, one.loss > 0 ? t("after.unlucky", fall(one, names)) : t("after.lucky", fall(one, names))]
    : [one.is_gift ? t("after.gift", { ...fall(one, names), words: played }) : who + played, `★ ${t("coach.better", { words: moveWords(one.best, one.best_words, board) })}`, one.reason || (one.is_gift ? "" : t("after.cost", { win: 100 * one.loss }))].filter(Boolean);
  return make("li", {}, picture(one, title),
    make("div", {}, make("b", { className: luck || one.is_gift ? "" : "bad", textContent: title }), ...lines.map((text) => make("p", { textContent: text }))));
}

/** Ask for the look back, and show how far it is. */
export function lookBack(say) {
  const place = byId("after");
  place.hidden = false;
  place.replaceChildren(make("h2", { textContent: t("after.title") }), make("p", { className: "evidence", textContent: t("after.begins") }));
  say("after");
}

/** What is told of the game that is over. */
export function showAfter(message, position, board, host, say) {
  const place = byId("after");
  if (place.hidden) return;
  if (message.total !== undefined) {
    place.lastElementChild.textContent = t("after.progress", { percent: Math.round((100 * message.done) / message.total) });
    return;
  }
  const { results, moments } = message;
  place.replaceChildren(make("h2", { textContent: t("after.title") }),
    ...results.map((one) => make("p", { className: "verdict", textContent: resultWords(one, position) })),
    ...(results.length ? [make("p", { className: "evidence", textContent: t("after.means", { interval: Math.max(...results.map((one) => one.interval)) }) })] : []),
    ...(moments.length ? [make("h2", { textContent: t("after.moments") }),
      make("ol", { className: "moments" }, ...moments.map((one) => moment(one, position.names, board)))]
      : [make("p", { textContent: t("after.nothing") })]),
    message.mistakes && host ? button(t("after.practice"), () => say("practice", { begin: true, file: message.file }), { className: "main" }) : "");
}
