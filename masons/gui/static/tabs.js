/* The tabs beside the board: the log of the game or the steps of an analysis, its review, and the supply. */

import { byId, button, reveal } from "./dom.js";
import { t } from "./words.js";

const NAMES = ["log", "review", "box"];
/** @type {(name: string) => HTMLElement} */
const panelOf = (name) => byId(`${name}-panel`);
/** @type {Map<string, HTMLButtonElement>} */
const buttons = new Map();

/** Show one of the tabs.
    @type {(wanted: string) => void} */
export function showTab(wanted) {
  for (const [name, one] of buttons) {
    one.setAttribute("aria-selected", String(name === wanted));
    one.tabIndex = name === wanted ? 0 : -1;
    panelOf(name).hidden = name !== wanted;
  }
}

let offered = "";
/** Offer some of the tabs, and show the first of them unless they are offered already. The first has the moves of an
    analysis or the log of a game.
    @type {(names: string[], hasMoves?: boolean) => void} */
export function offerTabs(names, hasMoves = false) {
  const key = [hasMoves, ...names].join();
  if (offered === key) return;
  offered = key;
  for (const [name, one] of buttons) one.hidden = !names.includes(name);
  const log = buttons.get("log");
  if (log) log.textContent = hasMoves ? t("tab.moves") : t("tab.log");
  showTab(names[0]);
}

/** Show an element, which may be in a tab, and scroll no further than is needed.
    @type {(element: Element) => void} */
export function revealIn(element) {
  const name = NAMES.find((each) => panelOf(each).contains(element));
  if (name) showTab(name);
  reveal(element);
}

/** @type {(event: KeyboardEvent) => void} */
function key(event) {
  const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
  if (!step) return;
  event.preventDefault();
  event.stopPropagation(); // elsewhere the arrows step through a game
  const shown = NAMES.filter((name) => !buttons.get(name)?.hidden);
  const to = shown[(shown.findIndex((name) => buttons.get(name) === event.target) + step + shown.length) % shown.length];
  showTab(to);
  buttons.get(to)?.focus();
}

export function startTabs() {
  for (const name of NAMES) {
    buttons.set(name, button(t(`tab.${name}`), () => showTab(name), { role: "tab", id: `${name}-tab`, "aria-controls": `${name}-panel` }));
    const panel = panelOf(name);
    panel.tabIndex = 0;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", `${name}-tab`);
  }
  byId("tabs").replaceChildren(...buttons.values());
  byId("tabs").addEventListener("keydown", key);
  offerTabs(["log", "box"]);
}
