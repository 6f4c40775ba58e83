/* Dialogs and forms: the menu, the curtain, seats for other devices, and the dice and cards of a real table. */

import { HOUSES, TOWERS, button, byId, check, choice, field, make, setting } from "./dom.js";
import { confirms } from "./choices.js";
import { cardName } from "./gamewords.js";
import { NEW } from "./place.js";
import { showLook } from "./settings.js";
import { PACES, pace } from "./stage.js";
import { LANGUAGES, language, t } from "./words.js";

/** @type {() => HTMLDialogElement} */
const dialog = () => byId("dialog");

/** Show a dialog. `kind` is its class; a `firm` dialog cannot be closed with Escape.
    @type {(title: string, parts: Child[], how?: { kind?: string, firm?: boolean }) => void} */
export function open(title, parts, { kind = "", firm = false } = {}) {
  const box = dialog();
  box.className = kind;
  box.replaceChildren(make("h2", { id: "dialog-title", textContent: title }), ...parts.filter((part) => part !== null && part !== undefined));
  box.oncancel = firm ? (event) => event.preventDefault() : null;
  if (!box.open) box.showModal();
}

/** @type {(kind?: string) => void} */
export function close(kind) {
  const box = dialog();
  if (box.open && (kind === undefined || box.className === kind)) box.close();
}

/** @type {(kind: string) => boolean} */
export const isOpen = (kind) => dialog().open && dialog().className === kind;

/** @type {(...parts: (Node | null)[]) => HTMLDivElement} */
const row = (...parts) => make("div", { className: "buttons" }, ...parts.filter(Boolean));

/** @type {(question: string, yes: string, act: () => void) => void} */
export function ask(question, yes, act) {
  open(question, [row(
    button(yes, () => { close(); act(); }, { className: "main" }),
    button(t("dialog.no"), () => close()),
  )]);
}

/** Hide all hands until the person who is due lifts the curtain.
    @type {(name: string, lift: () => void, leave: (() => void) | null) => void} */
export function curtain(name, lift, leave) {
  const title = t("curtain.title", { name });
  if (isOpen("curtain") && byId("dialog-title").textContent === title) return;
  open(title, [
    make("p", { textContent: t("curtain.how") }),
    row(button(t("curtain.lift", { name }), () => { close(); lift(); }, { className: "main", autofocus: true }),
      leave ? button(t("game.leave"), () => { close(); leave(); }) : null),
  ], { kind: "curtain", firm: true });
}

/** Say that the server no longer accepts this address, as its token is old or the seat was taken back.
    @type {(isHost: boolean) => void} */
export function addressGone(isHost) {
  open(t("address.gone"), [make("p", { textContent: isHost ? t("address.ofHost") : t("address.ofGuest") })], { kind: "curtain", firm: true });
}

/** Open the menu; `position` is the position of a game, or null.
    @type {(position: GamePosition | null, id: IdMessage, say: Say, act: { switches: Node[], resign: () => void, home: () => void }) => void} */
export function menu(position, id, say, act) {
  const playing = position && !position.result;
  const then = (/** @type {() => void} */ work) => () => { close(); work(); };
  const seats = position && id.host ? position.people.flatMap((seat) => {
    const away = position.away.includes(seat);
    const name = position.names[seat];
    return [away ? button(t("menu.seatLink", { name }), () => say("invite", { seat, again: true })) : null,
      button(t(`menu.${away ? "seatBack" : "seatAway"}`, { name }), then(() => say("invite", { seat, back: away })))];
  }) : [];
  open(t("page.menu"), [make("div", { className: "stack" },
    playing && position.decides ? button(t("menu.resign"), then(act.resign)) : null,
    position && position.result ? button(t("game.save"), then(() => say("record"))) : null,
    position && position.result && id.host ? button(t("game.analyze"), then(() => say("study"))) : null,
    ...(playing ? seats : []),
    id.host && position ? button(t("menu.otherGame"), then(() => say("leave"))) : null,
    id.host && !position && document.body.className !== "starting" ? button(t("page.home"), then(act.home)) : null,
    id.host ? button(t("menu.newTab"), then(() => window.open(window.location.pathname + NEW, "_blank", "noopener"))) : null,
    button(t("rules.button"), then(rules)),
    ...act.switches,
    check(t("menu.confirm"), { id: "confirm", checked: confirms(), onchange: ({ target }) => setting("confirm", target.checked ? "yes" : "no") }),
    check(t("menu.letters"), { id: "letters", checked: setting("letters") === "yes", onchange: ({ target }) => { setting("letters", target.checked ? "yes" : "no"); showLook(); } }),
    position && position.fair ? make("p", {}, t("menu.fair"), make("code", { className: "hash", textContent: position.fair.commitment })) : null,
    paceChoice(),
    themeChoice(),
    languageChoice(),
    button(t("keys.title"), then(keys)),
    button(t("menu.back"), () => close(), { className: "main" }),
  )]);
}

/** Show the rules on one screen. */
export function rules() {
  const parts = ["turn", "dice", "city", "merge", "palaces", "scoring", "swap", "end", "final", "victory"];
  open(t("rules.title"), [
    make("div", { className: "head" }, make("p", { textContent: t("rules.how") }), button(t("page.close"), () => close(), { className: "main" })),
    make("dl", {}, ...parts.flatMap((part) => [make("dt", { textContent: t(`rules.head.${part}`) }), make("dd", { textContent: t(`rules.${part}`) })])),
  ], { kind: "sheet rules" });
}

/** Return a choice of the page's language. Choosing a language loads the page again. */
function languageChoice() {
  const change = (/** @type {string} */ value) => { setting("language", value); window.location.reload(); };
  /** @type {Options} */
  const names = Object.entries(LANGUAGES).map(([value, words]) => [value, words, { lang: value }]);
  return field(t("menu.language"), choice(names, { id: "language", value: language, change }));
}

/** Return a choice between the system's theme, light and dark. */
function themeChoice() {
  const change = (/** @type {string} */ value) => { setting("theme", value); showLook(); };
  return field(t("menu.theme"), choice(["system", "light", "dark"].map((name) => [name, t(`menu.theme.${name}`)]), { id: "theme", value: setting("theme") || "system", change }));
}

/** Return a choice of the pace at which the turns of others are shown. */
function paceChoice() {
  return field(t("menu.pace"), choice(Object.keys(PACES).map((name) => [name, t(`menu.pace.${name}`)]), { id: "pace", value: pace(), change: (value) => setting("pace", value) }));
}

/** Show the keys. */
export function keys() {
  const names = ["board", "choose", "choices", "hint", "undo", "cards", "rules", "sound", "size", "menu", "steps", "mistakes"].map((name) => t(`keys.${name}`).split(/: (.*)/s));
  open(t("keys.title"), [make("dl", {}, ...names.flatMap(([key, words]) => [make("dt", {}, make("kbd", { textContent: key })), make("dd", { textContent: words })])),
    row(button(t("page.close"), () => close(), { className: "main" }))], { kind: "rules keys" });
}

/** @type {(names: string[]) => HTMLSelectElement} */
const faces = (names) => choice(names.map((face) => [face, face === "?" ? face : t(`color.${face}`)]));

/** Return a form for a roll of real dice.
    @type {(withTower: boolean, name: string, give: (roll: Omit<GiveRoll, "at">) => void) => Node[]} */
export function rollChoices(withTower, name, give) {
  const tower = faces(TOWERS);
  const [first, second] = [0, 1].map(() => faces([...HOUSES, "?"]));
  return [
    make("p", { textContent: t("dice.ask", { name }) }),
    make("div", { className: "fields row" }, withTower ? field(t("dice.tower"), tower) : null,
      field(t("dice.house"), first), field(t("dice.house"), second)),
    button(t("dice.roll"), () => give({ tower: withTower ? tower.value : null, houses: [first.value, second.value] }), { className: "main" }),
  ];
}

/** Return a form for a card that was drawn at a real table.
    @type {(cards: string[], name: string, give: (card: string) => void) => Node[]} */
export function cardChoices(cards, name, give) {
  const card = choice(cards.map((each) => [each, cardName(each)]));
  return [make("div", { className: "fields row" }, field(t("draw.card", { name }), card)), button(t("draw.draw"), () => give(card.value), { className: "main" })];
}
