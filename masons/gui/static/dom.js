/* Helpers that make elements. Foreign texts are always set as text and never parsed as markup. */

import { makeSvg } from "./pieces.js";
import { moveWords } from "./gamewords.js";
import { keep, kept, setting } from "./settings.js";
import { fixed, halfWidth, signed, t } from "./words.js";

export { keep, kept, makeSvg, setting };

/** @type {<K extends string>(id: K) => K extends keyof Ids ? Ids[K] : HTMLElement} */
export const byId = (id) => /** @type {any} */ (document.getElementById(id));

/** Return the first element that matches a selector, inside another one or on the page.
    @type {(selector: string, place?: ParentNode) => HTMLElement | null} */
export const findIn = (selector, place = document) => place.querySelector(selector);

/** Return the elements that match a selector.
    @type {(selector: string, place?: ParentNode) => HTMLElement[]} */
export const allIn = (selector, place = document) => [.../** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll(selector))];

/** Return a new element with properties, attributes (aria-…, data-…, for, role), listeners (on…) and children.
    @type {<T extends keyof HTMLElementTagNameMap>(tag: T, given?: Given<HTMLElementTagNameMap[T]>, ...children: Child[]) => HTMLElementTagNameMap[T]} */
export function make(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue;
    if (key.includes("-") || key === "for" || key === "role") element.setAttribute(key, String(value));
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    else Object.assign(element, { [key]: value });
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** @type {(text: string, act: ((event: MouseEvent) => void) | null, given?: Given<HTMLButtonElement>) => HTMLButtonElement} */
export function button(text, act, given = {}) {
  return make("button", { type: "button", textContent: text, onclick: act, ...given });
}

/** Return a label that has words before its input.
    @type {(words: string, input: HTMLElement) => HTMLLabelElement} */
export const field = (words, input) => make("label", {}, words, input);

/** Return a label with a check box, which is its `control`, and words behind the box.
    @type {(words: string, given?: Given<HTMLInputElement>) => HTMLLabelElement} */
export const check = (words, given = {}) => make("label", { className: "check" },
  make("input", { type: "checkbox", ...given }), make("span", { textContent: words }));

/** Return a select of options `[value, words]`; `change` is called with the chosen value.
    @type {(options: Options, given?: Omit<Given<HTMLSelectElement>, "value"> & { value?: string | number, change?: (value: string) => void }) => HTMLSelectElement} */
export function choice(options, { value, change = () => {}, ...given } = {}) {
  const select = make("select", { onchange: () => change(select.value), ...given },
    ...options.map(([one, words, more]) => make("option", { value: one, textContent: words, ...more })));
  if (value !== undefined) select.value = String(value);
  return select;
}

/** Let the browser save a file.
    @type {(content: BlobPart, type: string, name: string) => void} */
export function download(content, type, name) {
  const href = URL.createObjectURL(new Blob([content], { type }));
  make("a", { href, download: name }).click();
  window.setTimeout(() => URL.revokeObjectURL(href)); // the browser has begun to save it
}

/** Return the dot of a seat, in its color.
    @type {(seat: number) => HTMLElement} */
export const dot = (seat) => make("i", { className: `dot seat${seat}`, "aria-hidden": "true" });

export const TOWERS = ["white", "gray", "black"];
export const HOUSES = ["red", "rose", "yellow", "green", "blue"];

/** Return a paragraph for each text.
    @type {(texts: string[]) => HTMLParagraphElement[]} */
export const paragraphs = (texts) => texts.map((text) => make("p", { textContent: text }));

/** Return a list of facts, without one if there are none.
    @type {(texts: string[]) => HTMLElement[]} */
export const facts = (texts) => (texts.length ? [make("ul", { className: "facts" }, ...texts.map((textContent) => make("li", { textContent })))] : []);

/** Return a headline, and the other texts as a list of facts below it, of which there must be `least`.
    @type {(texts: string[], least?: number) => HTMLElement[]} */
export const headed = ([first, ...others], least = 0) => (first && others.length >= least ? [make("p", { className: "headline", textContent: first }), ...facts(others)] : []);

/** Return a table from the heads of its columns and its rows of texts. The first text of a row is its head.
    @type {(heads: string[], rows: string[][]) => HTMLTableElement} */
export function table(heads, rows) {
  const head = (/** @type {string} */ scope, /** @type {string} */ text) => make("th", { scope, textContent: text });
  return make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((text) => head("col", text)))),
    make("tbody", {}, ...rows.map(([first, ...cells]) => make("tr", {}, head("row", first), ...cells.map((text) => make("td", { textContent: text }))))));
}

/** Return a small picture of a piece, such as house-red, palace-blue, tower-white or wall-piece.
    @type {(name: string) => SVGElement} */
export function icon(name) {
  const view = /^(tower|shore|emblem)/.test(name) ? "-22 -28 48 48" : name.startsWith("house") ? "-58 -56 128 116" : "-76 -96 166 160";
  const svg = makeSvg("svg", { viewBox: view, class: "icon", "data-symbol": name, "aria-hidden": "true", focusable: "false" });
  if (name === "wall-piece") svg.setAttribute("viewBox", "-25 -13 50 26");
  svg.append(makeSvg("use", { href: "#" + name }));
  return svg;
}

const GLYPHS = { city: "M2.5 14V4.5h2.6v2h1.6v-4h2.6v4h1.6v-2h2.6V14z", first: "M3 3v10M13 3 6 8l7 5z", back: "M11 3 4 8l7 5z", play: "M3 2.5 8 8 3 13.5zM9 2.5 14 8 9 13.5z", pause: "M5 3v10M11 3v10", forward: "M5 3l7 5-7 5z", last: "M13 3v10M3 3l7 5-7 5z", more: "M2.5 7.5h1v1h-1zM7.5 7.5h1v1h-1zM12.5 7.5h1v1h-1z", close: "M3.5 3.5l9 9M12.5 3.5l-9 9" };

/** Return a sign.
    @type {(name: keyof typeof GLYPHS) => SVGElement} */
export function glyph(name) {
  const svg = makeSvg("svg", { viewBox: "0 0 16 16", class: "glyph", "aria-hidden": "true" });
  svg.append(makeSvg("path", { d: GLYPHS[name] }));
  return svg;
}

/** Return the sign of a completed city, with the number of its spaces.
    @type {(size: string | number, given?: Given<HTMLSpanElement>) => HTMLElement} */
export const citySign = (size, given = {}) => make("span", { className: "city", ...given }, glyph("city"), String(size));

/** Set the text of an element if it differs, as setting the same text costs a layout.
    @type {(element: Element, text: string) => void} */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Do work that reads sizes or scrolls right before the next frame, after all changes. Otherwise each such read
    would make the browser lay out the page again.
    @type {(work: () => void) => number} */
export const beforeFrame = (work) => window.requestAnimationFrame(work);

/** Scroll no further than is needed to show an element.
    @type {(element: Element) => void} */
export const reveal = (element) => element.scrollIntoView({ block: "nearest" });

export const calm = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;
export const narrow = () => window.matchMedia("(max-width: 60rem)").matches;
/** True for a wide window, in which nothing scrolls on the way of a turn. */
export const wide = () => window.matchMedia("(min-width: 70rem) and (min-height: 32rem)").matches;
/** True if the window has room for what else is folded. */
export const roomy = () => window.matchMedia("(min-width: 70rem) and (min-height: 40rem)").matches;
export const coarse = () => window.matchMedia("(pointer: coarse)").matches;

/** @type {(interval: number) => string} */
const reach = (interval) => `± ${halfWidth(interval)}`;
/** @type {(interval: number | null) => HTMLElement | string} */
const within = (interval) => (interval === null ? "" : make("small", { textContent: ` ${reach(interval)}` }));
/** @type {(choice: Figures) => string} */
export const winReach = ({ interval }) => (interval === null ? "" : reach(100 * interval));

/** @type {(loss: number, points: boolean, isPictured: boolean) => string} */
const lossText = (loss, points, isPictured) => (isPictured ? "−" : "") + fixed(Math.max((points ? 1 : 100) * loss, 0));

/** Return a move's win probability and its loss against the best move; ≈ means that it can't be told apart from the best.
    What only looks better than the best move, whose win probability is `most`, has no figure, and what was tested less
    has a ~ and no loss, as its rank says little. With `points`, losses are in points, and only the best move has a win probability, as that does not rank the
    others. The half width of the interval is left out where it is that of the `first` move, which stands in the heading.
    Beside the picture of a move no heading says that it is a loss, so it has a minus.
    @type {(choice: Figures, best: boolean, points: boolean, first: Figures, isPictured: boolean) => Child[]} */
function moveFigures(choice, best, points, first, isPictured) {
  const { win, loss, loss_interval: lossInterval, is_equal: isEqual, is_early: isEarly } = choice;
  if (win === null && loss === null) return [make("span", { className: "loss untried", textContent: t("move.unknown") })];
  const unit = points ? 1 : 100;
  const isVague = isEarly && !best;
  const isSame = isVague || winReach(choice) === winReach(first); // then it is only read aloud
  const wider = make("small", { className: isSame ? "sr" : "", textContent: winReach(choice) && ` ${winReach(choice)}` });
  const number = make("span", { className: "num" }, ...(win === null ? ["–"] : win > (first.win ?? 1) ? ["~"] : [(isVague ? "~" : "") + fixed(100 * win), wider]));
  if (best || loss === null) return [number, make("span", { className: best ? "loss is-best" : "loss", textContent: best ? t("move.best") : "" })];
  const shown = points ? make("span", { className: "num" }) : number;
  if (isVague) return [shown, make("span", { className: "loss", textContent: "–" })];
  const wide = lossInterval === null ? null : unit * lossInterval;
  const figures = signed(unit * loss).replace("+", "") + (wide === null ? "" : ` ${reach(wide)}`);
  const text = lossText(loss, points, isPictured);
  return [shown, isEqual || loss < 0
    ? make("span", { className: "loss equal", title: `${figures}: ${t("move.equal")}`, textContent: `≈ ${text}` })
    : make("span", { className: "loss" }, text, within(wide))];
}

/** Return a bar that shows a move's win probability as a share of that of the best move.
    @type {(win: number, best: number | null) => HTMLElement} */
export function meter(win, best) {
  const bar = make("i");
  bar.style.width = `${100 * Math.min(Math.max(win / (best || 1), 0), 1)}%`;
  return make("span", { className: "meter", "aria-hidden": "true" }, bar);
}

/** Return a move as pictures of its pieces with their places, a wall with the size of its city, or in words if it has none.
    @type {(choice: Pick<Figures, "move" | "facts">, words: string) => Child[]} */
export function pictured({ move, facts }, words) {
  const [, kind, what = ""] = /^(wall|tower|house)s?:(.*)$/.exec(move) ?? [];
  if (!kind) return [words];
  const put = (/** @type {string} */ name, /** @type {string} */ place) => make("span", { className: "put", title: words, "aria-hidden": "true" }, icon(name), place);
  const city = facts.spaces ? citySign(facts.spaces, { "aria-hidden": "true" }) : null;
  const shown = kind === "wall" ? [put("wall-piece", what), city] : what.split(",").map((each) => put(`${kind}-${each.split("=")[1]}`, each.split("=")[0]));
  return [make("span", { className: "sr", textContent: words }), ...shown];
}

/** Return list items for moves with their figures, under a row of headings. Until any game is played, the figures are blank. With `act`, each move is a button that calls `act` with the
    move. `sight` returns a picture of a move, and `more` further elements for a choice.
    @type {<C extends Figures>(choices: C[], how: { act?: ((move: string) => void) | null, title?: string, points?: boolean, sight?: (choice: C, rank: number) => Child[], more?: (choice: C) => Child[] }) => HTMLLIElement[]} */
export function ranked(choices, { act = null, title, points = false, sight = () => [], more = () => [] }) {
  const words = (/** @type {Figures} */ { move, facts }) => moveWords(move, facts);
  const sights = choices.map(sight);
  const moveButton = (/** @type {typeof choices[0]} */ choice, /** @type {Child[]} */ seen) => {
    const one = button("", () => act?.(choice.move), { className: "link", title });
    const shown = pictured(choice, words(choice)).map((part) => (seen.length && typeof part === "string" ? make("span", { className: "sr", textContent: part }) : part));
    one.append(...[...seen, ...shown].filter((part) => part !== null && part !== undefined));
    return one;
  };
  const isThinking = choices.every(({ win }) => win === null);
  const blank = () => ["num", "loss"].map((className) => make("span", { className: `${className} blank`, "aria-hidden": "true" }));
  const isVague = (/** @type {number} */ rank) => rank > 0 && choices[rank].is_early;
  const head = ["", t("move.move"), t("move.win"), points ? t("move.lossPoints") : t("move.loss")].map((textContent) => make("span", { textContent }));
  if (choices.length) head[2].append(make("small", { textContent: ` ${winReach(choices[0])}` }));
  return [make("li", { className: "head", "aria-hidden": "true" }, ...head), ...choices.map((choice, rank) => make("li", { className: (choice.yours ? "yours" : "") + (isVague(rank) ? " tested-less" : ""), value: rank + 1, "data-move": choice.move, title: isVague(rank) ? t("move.testedLess") : "" },
      isVague(rank) && !isVague(rank - 1) ? make("small", { className: "sr", textContent: t("move.testedLess") }) : null, make("b", { className: "rank", textContent: String(rank + 1) }),
      make("span", {}, ...(act ? [moveButton(choice, sights[rank])] : [...pictured(choice, words(choice)), ...more(choice)])),
      ...(isThinking ? blank() : moveFigures(choice, !rank, points, choices[0], sights[rank].length > 0)),
      sights[rank].length && choice.win !== null ? meter(choice.win, choices[0].win) : null, ...(act ? more(choice) : [])))];
}

/** Return the effort of a search in words, and what ranks the moves if it is not the win probability.
    @type {(effort: Pick<Ranking, "iterations" | "games" | "seconds" | "by_points">) => string} */
export function evidence({ iterations, games, seconds, by_points: byPoints }) {
  const count = games ? t("evidence.games", { count: games }) : t("evidence.iterations", { count: iterations });
  const effort = count + (seconds === undefined ? "" : ` · ${fixed(seconds)}\u00a0s`);
  return byPoints ? `${effort}. ${t("evidence.byPoints")}` : effort;
}

/** Let the style sheet know that something is so on the whole page. A class costs less than :has() at each change.
    @type {(name: "picks" | "advised" | "retrying" | "cardless", on: boolean) => void} */
export const mode = (name, on) => { document.documentElement.classList.toggle(name, on); };

/** Show or hide the entry of the legend for a color or sign on the board.
    @type {(key: string, on: unknown) => void} */
export function legend(key, on) {
  const item = findIn(`#legend .${key}`);
  if (item && item.hidden === Boolean(on)) item.hidden = !on;
}

let timer = 0;
let since = 0; // when the line was shown
const FRESH = 400; // ms during which a line belongs to the screen that follows
/** Show a line of text over the board for a few seconds.
    @type {(text: string, bad?: boolean) => void} */
export function toast(text, bad = false) {
  const place = byId("toast");
  place.textContent = text;
  place.className = bad ? "on bad" : "on";
  since = Date.now();
  window.clearTimeout(timer);
  timer = window.setTimeout(clearToast, 2600 + 40 * text.length);
}

function clearToast() {
  window.clearTimeout(timer);
  byId("toast").className = byId("toast").textContent = "";
}

/** Hide an error of the previous screen. */
export function clearError() {
  if (byId("toast").classList.contains("bad") && Date.now() - since > FRESH) clearToast();
}
