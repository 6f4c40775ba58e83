/* The card reference: the things that each card counts in the position shown, and its points. */

import { pictures } from "./cards.js";
import { close, isOpen, open } from "./dialogs.js";
import { button, icon, make } from "./dom.js";
import { cardName } from "./gamewords.js";
import { t } from "./words.js";

const KIND = "sheet";
/** The counted things that are no pieces. Each is shown by the piece named here, or by words alone.
    @type {Record<string, string | null>} */
const ICONS = { wall: "wall-piece", shore: "shore-gray", house: "house-rose", palace: null, space: null, color: null, city: null };

/** @type {number | null} */
let shownCity = null;

/** Ask for the reference again if it is open, as the position has changed.
    @type {(say: Say) => void} */
export function refreshSheet(say) {
  if (isOpen(KIND)) say("cards", { city: shownCity });
}

/** Show the reference; `hand` has the cards that the page shows, or is null.
    @type {(message: CardsMessage, hand: HeldCard[] | null, say: Say) => void} */
export function showSheet({ city, cities, cards }, hand, say) {
  shownCity = city;
  const held = new Map();
  for (const { card } of hand || []) held.set(card, (held.get(card) || 0) + 1);
  const choices = cities.map((root) => button(t("cards.city", { space: root }), () => say("cards", { city: root }), { "aria-pressed": String(root === city) }));
  const part = (/** @type {string} */ title, /** @type {SheetCard[]} */ some) => [make("h3", { textContent: title }), make("ul", { className: "sheet-cards" }, ...some.map((card) => entry(card, held)))];
  const focused = document.activeElement?.textContent;
  open(t("cards.title"), [
    make("div", { className: "head" }, make("p", { textContent: city === null ? t("cards.noCity") : t("cards.how") }),
      button(t("page.close"), () => close(KIND), { className: "main" })),
    cities.length > 1 ? make("div", { className: "row buttons", role: "group", "aria-label": t("cards.whichCity") }, ...choices) : null,
    ...(held.size ? part(t("cards.hand"), cards.filter(({ card }) => held.has(card))) : []),
    ...part(city === null ? t("cards.cityCards") : t("cards.thisCity", { space: city }), cards.filter(({ card }) => card.startsWith("city"))),
    ...part(t("cards.landCards"), cards.filter(({ card }) => !card.startsWith("city"))),
  ].filter(Boolean), { kind: KIND });
  choices.find((one) => one.textContent === focused)?.focus();
}

/** @type {(card: SheetCard, held: Map<string, number>) => HTMLLIElement} */
function entry({ card, points, counts, played }, held) {
  const isLand = !card.startsWith("city") || card === "cities";
  const notes = [held.has(card) ? t("cards.held", { count: held.get(card) }) : "", played ? t("cards.played", { count: played }) : ""];
  return make("li", { className: `${isLand ? "land" : ""} ${held.has(card) ? "held" : ""}` },
    make("span", { className: "pic", "aria-hidden": "true" }, ...pictures(card)),
    make("span", { className: "text" }, make("b", { textContent: cardName(card) }), make("span", { textContent: t(`means.${card}`) }),
      make("small", { textContent: notes.filter(Boolean).join(", ") })),
    make("span", { className: "worth" }, ...counts.filter(([, count]) => count).map(thing), make("b", { textContent: t("cards.points", { count: points }) })));
}

/** Return a number of things, with a picture or in words.
    @type {(count: [name: string, count: number]) => HTMLElement} */
function thing([name, count]) {
  const words = t(`count.${name}`, { count });
  const piece = name in ICONS ? ICONS[name] : name;
  if (!piece) return make("span", { textContent: words });
  return make("span", { className: "thing", title: words }, make("span", { className: "sr", textContent: words }),
    make("span", { "aria-hidden": "true" }, String(count), icon(piece)));
}
