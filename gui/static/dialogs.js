/* Questions over the page: the menu, the curtain, seats for other devices, dice and cards of a table. */

import { HOUSES, TOWERS, button, byId, make, setting } from "./dom.js";
import { confirms } from "./choices.js";
import { NEW } from "./place.js";

const dialog = () => byId("dialog");

/** Show a dialog; `kind`: a class; `firm`: it cannot be put away by Escape. */
export function open(title, parts, { kind = "", firm = false } = {}) {
  const box = dialog();
  box.className = kind;
  box.replaceChildren(make("h2", { id: "dialog-title", textContent: title }), ...parts);
  box.oncancel = firm ? (event) => event.preventDefault() : null;
  if (!box.open) box.showModal();
}

export function close(kind) {
  const box = dialog();
  if (box.open && (kind === undefined || box.className === kind)) box.close();
}

export const isOpen = (kind) => dialog().open && dialog().className === kind;

const row = (...parts) => make("div", { className: "buttons" }, ...parts.filter(Boolean));

export function ask(question, yes, act) {
  open(question, [row(
    button(yes, () => { close(); act(); }, { className: "main" }),
    button("No", () => close()),
  )]);
}

/** Nobody sees a hand until the one who is due says so. */
export function curtain(name, lift, leave) {
  const title = `Pass the screen to ${name}`;
  if (isOpen("curtain") && byId("dialog-title").textContent === title) return;
  open(title, [
    make("p", { textContent: "All hands are hidden. Nobody else should look now." }),
    row(button(`I am ${name}: show my cards`, () => { close(); lift(); }, { className: "main", autofocus: true }),
      leave ? button("Leave the game", () => { close(); leave(); }) : null),
  ], { kind: "curtain", firm: true });
}

/** The server is there, but lets this page in no more: another token, or the seat was taken back. */
export function addressGone(isHost) {
  open("This address is no longer valid", [make("p", { textContent: isHost ? "Open the one that masons-engine gui prints."
    : "Ask whoever started the program for another one." })], { kind: "curtain", firm: true });
}

export function menu(position, id, say, act) {
  const playing = position && !position.result && !position.study;
  const confirm = make("input", { type: "checkbox", id: "confirm", checked: confirms() });
  confirm.addEventListener("change", () => setting("confirm", confirm.checked ? "yes" : "no"));
  const then = (work) => () => { close(); work(); };
  const seats = position && id.host ? position.people.map((seat) => {
    const away = position.away.includes(seat);
    return button(`${position.names[seat]}: ${away ? "back to this screen" : "sit at another device …"}`,
      then(() => say("invite", { seat, back: away })));
  }) : [];
  open("Menu", [make("div", { className: "stack" },
    playing && position.decides ? button("Resign …", then(act.resign)) : null,
    position && position.result ? button("Save the record", then(() => say("record"))) : null,
    position && position.result && id.host ? button("Analyze this game", then(() => say("study"))) : null,
    ...(playing ? seats : []),
    id.host && position && !position.study ? button("New game, or another one …", then(() => say("leave"))) : null,
    id.host ? button("Another game in a new tab …", then(() => window.open(window.location.pathname + NEW, "_blank", "noopener"))) : null,
    ...act.switches,
    make("label", { className: "check" }, confirm, make("span", { textContent: "Ask once more before a wall stands" })),
    position && position.fair ? make("p", {}, "Fair game, SHA-256 of the secret: ", make("code", { className: "hash", textContent: position.fair.commitment })) : null,
    keysHelp(),
    button("Back to the board", () => close(), { className: "main" }),
  )]);
}

function keysHelp() {
  const keys = [["b", "to the board"], ["arrows, Enter", "choose on the board"], ["c", "to your choices"], ["h", "hint"],
    ["u", "undo"], ["g", "guild cards"], ["+ − 0", "size of the board"], ["m", "this menu"]];
  return make("details", {}, make("summary", { textContent: "Keys" }),
    make("ul", {}, ...keys.map(([key, what]) => make("li", { textContent: `${key}: ${what}` }))));
}

/** The address for another device. */
export function invitation(name, path, local) {
  const address = window.location.origin + path;
  const field = make("input", { readOnly: true, value: address, id: "address", "aria-label": "address" });
  open(`A seat for ${name}`, [
    make("p", { textContent: `Who opens this address sits in this seat, and sees its hand only. Here it is seen no more.` }),
    field,
    local ? make("p", { textContent: "Only this computer can be reached: another tab will do. For other devices start with --host 0.0.0.0." }) : null,
    row(
      button("Copy", () => { field.select(); navigator.clipboard?.writeText(address); }, { className: "main" }),
      button("Done", () => close()),
    ),
  ]);
}

const picker = (label, names) => {
  const select = make("select", {}, ...names.map((name) => make("option", { value: name, textContent: name })));
  return [make("label", {}, label, select), select];
};

/** How the dice fell at the table. */
export function rollChoices(withTower, name, give) {
  const faces = [...HOUSES, "?"];
  const [towerLabel, tower] = picker("tower die", TOWERS);
  const [firstLabel, first] = picker("house die", faces);
  const [secondLabel, second] = picker("house die", faces);
  return [
    make("p", { textContent: `${name}: how did the dice fall?` }),
    make("div", { className: "fields row" }, withTower ? towerLabel : null, firstLabel, secondLabel),
    button("Roll", () => give({ tower: withTower ? tower.value : null, houses: [first.value, second.value] }), { className: "main" }),
  ];
}

/** Which card was drawn at the table. */
export function cardChoices(cards, name, give) {
  const [label, card] = picker(`the card that ${name} drew`, cards);
  return [make("div", { className: "fields row" }, label), button("Draw", () => give(card.value), { className: "main" })];
}
