/* Guild cards: their names, pictures and current points. */

import { HOUSES, TOWERS, allIn, byId, citySign, icon, make } from "./dom.js";
import { sign } from "./emblems.js";
import { cardName } from "./gamewords.js";
import { t } from "./words.js";

/** Whether cards can be picked, those picked, how many may be, and the points for the chosen city.
    @typedef {{ picks: boolean, picked: Set<number>, most: number, points: Record<string, number> | null, toggle: (index: number) => void }} HandState */

/** @type {(card: string) => boolean} */
export const isLand = (card) => card.startsWith("land") || card === "cities";

/** Return pictures of the things that a card counts.
    @type {(card: string) => Element[]} */
export function pictures(card) {
  const [where, what, color] = card.split("-");
  if (card === "cities") return [icon("palace-yellow"), icon("palace-blue")];
  if (what === "region") return [icon(`emblem-${color}`), icon("house")];
  if (what === "size") return [citySign(color + (color === "7" ? "+" : ""))];
  if (what === "colors") return ["red", "yellow", "blue"].map((name) => icon("house-" + name));
  if (what === "palaces") return ["red", "yellow", "blue"].map((name) => icon("palace-" + name));
  if (what === "walls") return [icon("wall-piece")];
  if (what === "shore") return [icon("shore-gray")];
  if (what === "towers") return color ? [icon("tower-" + color)] : TOWERS.map((name) => icon("tower-" + name));
  return where === "city" ? [icon("palace-" + what), icon("house-" + what)] : [icon("house-" + what)];
}

/** Return the pictures of a card with what each thing brings, which the card's meaning says first.
    @type {(card: string) => Child[]} */
function valued(card) {
  const shown = pictures(card);
  const [, what] = card.split("-");
  const values = t(`means.${card}`).match(/\d+/g) ?? [];
  const worth = (/** @type {string} */ text) => make("i", { textContent: text });
  if (what === "size") return [...shown, worth(`= ${values[0]}`)];
  if (what === "colors") return [worth(`${values[0]}–${values[3]}`), ...shown];
  if (card.startsWith("city") && HOUSES.includes(what)) return shown.flatMap((one, i) => [worth(values[i]), one]);
  return [worth(`${values[0]}×`), ...shown];
}

/** Return a card as a toggle button.
    @type {(entry: HeldCard, index: number, state: HandState & { fresh: boolean }) => HTMLButtonElement} */
function cardButton(entry, index, state) {
  const { card, points } = entry;
  const means = t(`means.${card}`);
  const shown = state.points ? state.points[card] : points;
  return make(
    "button",
    {
      type: "button", "data-card": card, className: "guild" + (isLand(card) ? " land" : "") + (state.fresh ? " new" : "") + (shown ? " pays" : ""),
      "aria-pressed": state.picks ? String(state.picked.has(index)) : null, disabled: !state.picks, title: means,
      "aria-label": t("hand.card", { card: cardName(card), means, count: shown }), onclick: () => toggle(index),
    },
    sign(isLand(card) ? "tree" : "castle"),
    make("span", { className: "pic" }, ...valued(card)),
    make("b", { className: "seal", textContent: (state.picks && shown ? "+" : "") + shown, title: t("hand.pointsNow") }),
    make("span", { className: "name", textContent: cardName(card) }),
  );
}

/** @type {Map<string, string[]>} */
let ranks = new Map();

const cardsOfHand = () => /** @type {HTMLButtonElement[]} */ (allIn(".guild", byId("hand")));

/** Mark the cards of the hand with ranks or labels; `found` maps each card to a list of these.
    @type {(found: Map<string, string[]>) => void} */
export function showRanks(found) {
  ranks = found;
  for (const one of cardsOfHand()) {
    one.querySelector(".rank")?.remove();
    const labels = ranks.get(one.dataset.card ?? "") || [];
    const words = labels.join(" ");
    delete one.dataset.rank;
    if (words) one.dataset.rank = labels[0];
    if (words) one.append(make("span", { className: "rank", textContent: words, title: t("hand.rank") }));
  }
}

/** Show beside the points of cards what they would score for the city of a line; `cards` has [card, points].
    @type {(cards: BestCard[]) => void} */
export function showWorth(cards) {
  for (const one of cardsOfHand()) {
    const found = cards.find(([card]) => card === one.dataset.card);
    const points = one.querySelector(".seal");
    one.classList.toggle("worth", Boolean(found));
    if (found) points?.setAttribute("data-worth", String(found[1]));
    else points?.removeAttribute("data-worth");
  }
}

let key = ""; // identifies what is shown
/** @type {(index: number) => void} */
let toggle = () => {};

/** Show no hand. */
export function hideHand() {
  if (key) byId("hand").replaceChildren();
  key = "";
}

/** Show the hand. `state` has the picked cards, whether cards can be picked, and the points for the chosen city.
    @type {(hand: HeldCard[] | null, before: HeldCard[] | null, state: HandState) => void} */
export function showHand(hand, before, state) {
  const place = byId("hand");
  const focus = cardsOfHand().findIndex((card) => card === document.activeElement);
  if (!hand) {
    hideHand();
    return;
  }
  const now = JSON.stringify([hand.map(({ card, points }) => [card, points]), state.picks, state.points]);
  toggle = state.toggle;
  place.classList.toggle("full", state.picked.size >= state.most);
  place.classList.toggle("large", hand.length > 6);
  if (now === key) {
    const cards = cardsOfHand();
    if (state.picks) cards.forEach((card, index) => card.setAttribute("aria-pressed", String(state.picked.has(index))));
    for (const card of cards) card.disabled = !state.picks;
    return;
  }
  key = now;
  const left = before ? before.map((entry) => entry.card) : null;
  const cards = hand.map((entry, index) => {
    const at = left ? left.indexOf(entry.card) : 0;
    if (at >= 0 && left) left.splice(at, 1);
    return cardButton(entry, index, { ...state, fresh: at < 0 });
  });
  const words = state.picks ? t("hand.choose") : t("page.hand");
  place.replaceChildren(make("h2", { textContent: words }), ...cards);
  showRanks(ranks);
  if (focus >= 0 && cards[focus]) cards[focus].focus({ preventScroll: true });
}

/** Return what two cards of the hand score at most; in the final scoring, for a city of the choices.
    @type {(position: Position, city?: number) => number} */
export function mostOfTwo({ moves, hand }, city = 0) {
  const cities = moves?.cities;
  const [best = 0, second = 0] = (hand ?? []).map(({ card, points }) => (cities ? cities[city].points[card] : points)).sort((a, b) => b - a);
  return best + second;
}

/** Return the city for which two cards of the hand score most, by its place in the list of cities.
    @type {(position: Position) => number} */
export function cityOfMost(position) {
  const totals = (position.moves?.cities ?? []).map((_, city) => mostOfTwo(position, city));
  return Math.max(totals.indexOf(Math.max(...totals)), 0);
}
