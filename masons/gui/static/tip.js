/* Tips that say what completing a city would score, beside the line under the pointer, a resting finger or the focus. */

import { showWorth } from "./cards.js";
import { byId } from "./dom.js";
import { cardName } from "./gamewords.js";
import { t } from "./words.js";

const PRESS = 450; // ms after which a resting finger shows a tip
const FAR = 10; // pixels that a resting finger may move

/** Say what the best cards of the hand would score, given as [card, points].
    @type {(cards: BestCard[]) => string} */
export function bestCardsWords(cards) {
  const count = cards.reduce((sum, [, points]) => sum + points, 0);
  const names = cards.map(([card, points]) => t("closing.card", { card: cardName(card), points })).join(", ");
  return count ? t("closing.points", { count, cards: names }) : t("closing.nothing");
}

/** Say what the cards of the hand would score for the city that a wall on a line completes.
    @type {(position: Pick<Position, "moves">, line: string | number) => string} */
export function closingWords(position, line) {
  const cards = position.moves?.closing?.[line];
  return cards ? `${bestCardsWords(cards)} ${t("closing.others")}` : "";
}

/** Show the words of a line and what cards would score, or hide both if `item` is null.
    @type {(board: Board, item: Item | null, words?: (line: number) => string, cards?: (line: number) => BestCard[]) => void} */
function show(board, item, words = () => "", cards = () => []) {
  showWorth(item ? cards(item.number) : []);
  const tip = byId("tip");
  const text = item ? words(item.number) : "";
  tip.hidden = !text;
  if (!item || !text) return;
  tip.textContent = text;
  const [x, y] = board.place(item.id);
  const room = (tip.parentElement?.clientWidth ?? 0) - tip.offsetWidth - 4;
  tip.style.left = `${Math.max(4, Math.min(x - tip.offsetWidth / 2, room))}px`;
  tip.style.top = `${y + 14}px`;
}

/** Show tips from now on; `words` returns the words of a line, and `cards` the best cards for its city.
    @type {(board: Board, words: (line: number) => string, cards: (line: number) => BestCard[]) => void} */
export function startTips(board, words, cards) {
  board.tell = (item) => show(board, item, words, cards);
  const holder = byId("holder");
  let timer = 0;
  /** @type {Point | null} */
  let from = null;
  let isShown = false;
  holder.addEventListener("pointerdown", (event) => {
    isShown = false;
    if (event.pointerType !== "touch") return;
    from = [event.clientX, event.clientY];
    timer = window.setTimeout(() => {
      const item = board.nearest(event);
      isShown = Boolean(item && item.kind === "line" && words(item.number));
      if (isShown) show(board, item, words, cards);
    }, PRESS);
  });
  const stop = () => window.clearTimeout(timer);
  holder.addEventListener("pointermove", (event) => {
    if (from && Math.hypot(event.clientX - from[0], event.clientY - from[1]) > FAR) stop();
  });
  for (const kind of /** @type {const} */ (["pointerup", "pointercancel"])) holder.addEventListener(kind, stop);
  // A long press only shows the tip and chooses nothing.
  holder.addEventListener("click", (event) => { if (isShown) event.stopPropagation(); }, true);
  holder.addEventListener("contextmenu", (event) => { if (isShown) event.preventDefault(); });
  document.addEventListener("pointerdown", (event) => { if (!holder.contains(/** @type {Node} */ (event.target))) show(board, null); });
}
