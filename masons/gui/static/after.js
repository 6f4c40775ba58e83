/* The look back at a game: the result, divided into luck and play, and the moments that mattered. */

import { button, byId, make, paragraphs, setText } from "./dom.js";
import { chanceWords, isYou, moveWords } from "./gamewords.js";
import { bestWords, costsOnlyPoints, isOwnMistake, lossOf, markLegend, shownMark, signOf, starred } from "./marks.js";
import { mainReason } from "./reasons.js";
import { signed, t } from "./words.js";

/** Return the result of a seat as a sentence whose numbers add up.
    @type {(result: MarginResult, position: GamePosition) => string} */
function resultWords({ seat, margin, luck, play, digits }, { names, result }) {
  const winners = result?.winners ?? [];
  const outcome = !winners.includes(seat) ? "lost" : winners.length > 1 ? "shared" : "won";
  const head = t(`after.${outcome}${isYou(names[seat]) ? "You" : ""}`, { name: names[seat] });
  const kind = names.length > 2 ? (margin < 0 ? "behind" : "ahead") : margin ? "by" : "level";
  return t(`after.${kind}`, { head, count: Math.abs(margin), luck: signed(luck, digits), play: signed(play, digits) });
}

/** @type {(moment: Moment, title: string) => Element} */
function picture(moment, title) {
  const svg = document.importNode(new DOMParser().parseFromString(moment.picture, "image/svg+xml").documentElement, true);
  for (const one of svg.querySelectorAll("title, .regions")) one.remove(); // too small to read
  svg.setAttribute("aria-label", title);
  return svg;
}

/** @type {(moment: Pick<Moment, "seat" | "loss">, names: string[]) => Params} */
const fall = ({ seat, loss }, names) => ({ name: names[seat], win: Math.abs(100 * loss) });

/** @type {(moment: LuckMoment, names: string[]) => string[]} */
const luckLines = (one, names) => [one.cause ? chanceWords(one, names) : "", effectWords(one, names)];

/** Say how much chance changed a seat's win probability.
    @type {(moment: Moment, names: string[]) => string} */
function effectWords(one, names) {
  const isOwn = isYou(names[one.seat]);
  const key = one.loss > 0 ? (isOwn ? "youUnlucky" : "unlucky") : isOwn ? "youLucky" : "lucky";
  return t(`after.${key}`, fall(one, names));
}

/** @type {(moment: MistakeMoment, names: string[]) => string[]} */
function mistakeLines(one, names) {
  const words = moveWords(one.played, one.played_facts);
  return [
    ...(one.is_gift ? [t("after.gift", { ...fall(one, names), words })] : [`${names[one.seat]}: ${words}`, ...lossOf(one).words]),
    ...mainReason(one.why, names),
    starred(bestWords(one, moveWords(one.best, one.best_facts))),
    one.is_coached ? t("after.coached") : "",
  ];
}

/** Return a moment as a list item; `look` shows a mistake in the analysis, or is null.
    @type {(moment: Moment, names: string[], look: ((mistake: MistakeMoment) => void) | null) => HTMLLIElement} */
function moment(one, names, look) {
  const luck = one.kind === "luck";
  const title = luck ? t("after.chance", { turn: one.turn }) : t("after.moment", { turn: one.turn, sign: signOf(shownMark(one)), mark: costsOnlyPoints(one) ? t("study.onlyPoints") : t(`mark.${one.mark}`) });
  const lines = (luck ? luckLines(one, names) : mistakeLines(one, names)).filter(Boolean);
  const svg = picture(one, title);
  const leads = look && !luck;
  if (leads) svg.addEventListener("click", () => look(one));
  return make("li", { className: leads ? "leads" : "" }, svg,
    make("div", {}, make("b", { className: !luck && isOwnMistake(one) ? "bad" : "", textContent: title }), ...paragraphs(lines),
      leads ? button(t("after.look"), () => look(one), { className: "link" }) : null));
}

/** Ask for the look back. The page shows its progress until it is ready.
    @type {(say: Say) => void} */
export function lookBack(say) {
  const place = byId("after");
  place.hidden = false;
  place.replaceChildren(make("h2", { textContent: t("after.title") }), make("p", { className: "evidence", textContent: t("after.begins") }));
  say("after");
}

/** Show the look back, or how far its review has got. `look` shows a step of the game and the verdicts in the analysis,
    or with `tries` lets the own mistakes be tried again there; it is null for pages that can't analyze.
    @type {(message: AfterMessage | AfterProgress, position: GamePosition, host: boolean, say: Say, look: ((step: number, moments: Moment[], tries?: boolean) => void) | null) => void} */
export function showAfter(message, position, host, say, look) {
  const place = byId("after");
  if (place.hidden) return;
  if ("total" in message) {
    setText(/** @type {Element} */ (place.lastElementChild), t("after.progress", { percent: Math.round((100 * message.done) / message.total) }));
    return;
  }
  const { results, moments } = message;
  const [own] = moments.flatMap((one) => (one.kind !== "luck" && isOwnMistake(one) ? [one] : []));
  place.replaceChildren(make("h2", { textContent: t("after.title") }),
    ...results.map((one) => make("p", { className: "verdict", textContent: resultWords(one, position) })),
    ...(results.length ? [make("p", { className: "evidence", textContent: t("after.means", { interval: Math.max(...results.map((one) => one.interval)) }) })] : []),
    ...(moments.length ? [make("h2", { textContent: t("after.moments") }),
      make("ol", { className: "moments" }, ...moments.map((one) => moment(one, position.names, look && (({ number }) => look(number - 1, moments))))), markLegend()]
      : [make("p", { textContent: t("after.nothing") })]),
    make("div", { className: "buttons" },
      own && look ? button(t("retry.these"), () => look(own.number - 1, moments, true), { className: "main" }) : null,
      message.mistakes && host ? button(t("study.practice"), () => say("practice", { begin: true, file: message.file })) : null));
}
