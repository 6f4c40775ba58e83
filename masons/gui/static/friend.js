/* A game of two people: its terms, the invitation, who is there, the clock and the rematch. */

import { close, isOpen, open } from "./dialogs.js";
import { button, byId, check, choice, dot, field, keep, kept, make, paragraphs, setting, toast } from "./dom.js";
import { listed } from "./gamewords.js";
import { t } from "./words.js";

const HERE = "masons-welcomed"; // the name under which a guest's tab keeps that it has told the terms
const LOT = "lot"; // a side that is chosen by lot
const LOW = 20; // seconds, from which on the clock warns
const TICK = 200; // ms
const RETURN = 2000; // ms after which a page that has gone will hardly come back by itself
/* The clocks to choose from: minutes of each person, and seconds for each wall. */
const CLOCKS = [[5, 5], [15, 10], [30, 20]];

/** @type {(clock: number[]) => string} */
const clockWords = ([minutes, seconds]) => t("friend.clockOf", { minutes, seconds });

// --- the terms

/** Ask for the terms of a game of two people, and begin it.
    @type {(say: Say) => void} */
export function befriend(say) {
  const sides = segments("side", [["0", t("friend.begins", { name: t("name.Person.0") }), dot(0)], ["1", t("name.Person.1"), dot(1)], [LOT, t("friend.lot")]], LOT);
  const places = segments("place", [["away", t("friend.away")], ["here", t("friend.here")]], "away", (place) => {
    sides.element.hidden = place === "here";
    ownName.hidden = place === "here";
    main.textContent = place === "here" ? t("new.begin") : t("friend.invite");
  });
  const names = ["own", "other"].map((who) => make("input", { maxLength: 20, autocomplete: "off", placeholder: t("friend.optional"), value: who === "own" ? setting("name") || "" : "" }));
  const clock = choice([["", t("friend.noClock")], ...CLOCKS.map((one, i) => /** @type {Options[number]} */ ([String(i), clockWords(one)]))], { id: "friend-clock", value: setting("clock") || "" });
  const hints = check(t("friend.hints"), { id: "friend-hints", checked: setting("hints") === "yes" });
  const hintsBox = /** @type {HTMLInputElement} */ (hints.control);
  const ownName = field(t("friend.name"), names[0]);
  const begin = () => {
    const isAway = places.chosen() === "away";
    const side = sides.chosen();
    const own = !isAway ? 0 : side === LOT ? Math.floor(2 * Math.random()) : Number(side);
    /** @type {SeatWish[]} */
    const seats = [0, 1].map((seat) => ({ kind: "person", name: names[seat === own ? 0 : 1].value.trim() }));
    setting("name", names[0].value.trim());
    setting("clock", clock.value);
    setting("hints", hintsBox.checked ? "yes" : "no");
    const [minutes, increment] = clock.value ? CLOCKS[Number(clock.value)] : [];
    close();
    say("newgame", { seats, hints: hintsBox.checked, ...(minutes ? { clock: { seconds: 60 * minutes, increment } } : {}) });
    if (isAway) say("invite", { seat: 1 - own });
  };
  const main = make("button", { className: "main", id: "friend-begin", textContent: t("friend.invite") });
  open(t("start.friend"), [make("form", { className: "friend stack", onsubmit: (event) => { event.preventDefault(); begin(); } }, places.element, sides.element,
    make("div", { className: "fields" }, ownName, field(t("friend.other"), names[1])),
    make("div", { className: "fields" }, field(t("friend.clock"), clock)), hints,
    make("div", { className: "buttons" }, main, button(t("dialog.cancel"), () => close())))]);
}

/** Return a row of options, of which one is chosen, and a function that returns the chosen one.
    @type {(name: string, options: [value: string, words: string, dot?: HTMLElement][], value: string, change?: (value: string) => void) => { element: HTMLElement, chosen: () => string }} */
function segments(name, options, value, change = () => {}) {
  let chosen = value;
  const element = make("div", { className: "segments", role: "radiogroup", "aria-label": t(`friend.${name}`) }, ...options.map(([one, words, ...more]) => make("label", {},
    make("input", { type: "radio", name, value: one, checked: one === value, onchange: () => { chosen = one; change(one); } }), make("span", {}, ...more, words))));
  return { element, chosen: () => chosen };
}

// --- the invitation

let invited = 0; // the seat whose invitation is shown

/** Show the link to a seat, and its QR code if other devices can reach it.
    @type {(message: InviteMessage, position: GamePosition, isLocal: boolean, say: Say) => void} */
export function invitation({ seat, link, qr }, { names, present }, isLocal, say) {
  invited = seat;
  const name = names[seat];
  const address = make("input", { readOnly: true, value: link, id: "address", "aria-label": t("address.label"), onfocus: () => address.select() });
  const copy = button(t("invite.copy"), async () => {
    address.select();
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      document.execCommand("copy"); // without https, pages of other devices have no clipboard
    }
    copy.textContent = t("invite.copied");
  }, { className: isLocal ? "" : "main" });
  const share = navigator.share ? button(t("invite.share"), () => navigator.share({ url: link }).catch(() => {})) : null;
  open(t("invite.title", { name }), [make("div", { className: "invitation" },
    isLocal ? make("div", { className: "local" }, make("p", { textContent: t("invite.local") }), button(t("invite.network"), () => askNetwork(say), { className: "main", id: "open-network" }))
      : make("img", { src: qr, className: "qr", alt: t("invite.qr") }),
    make("p", { textContent: isLocal ? t("invite.howHere") : t("invite.how") }),
    make("div", { className: "link" }, address, copy, share),
    present.includes(seat) ? null : make("p", { className: "waiting", role: "status" }, dot(seat), t("invite.waiting", { name })),
    make("div", { className: "buttons" }, button(t("menu.back"), () => close()), button(t("invite.cancel"), () => { close(); say("invite", { seat, back: true }); })))], { kind: "invite" });
}

/** Ask whether devices of the network may reach the page. If so, the link is shown again, as it is another one then.
    @type {(say: Say) => void} */
function askNetwork(say) {
  const again = () => say("invite", { seat: invited, again: true });
  open(t("network.title"), [...paragraphs([t("network.what"), t("network.open")]), make("div", { className: "buttons" },
    button(t("network.yes"), () => say("network"), { className: "main" }), button(t("dialog.no"), again))], { kind: "network" });
}

/** Show the invitation again, with the link for other devices.
    @type {(say: Say) => void} */
export function networkOpened(say) {
  if (isOpen("network")) say("invite", { seat: invited, again: true });
}

/** Tell a guest the terms of the game, once.
    @type {(position: GamePosition, rules: () => void) => void} */
export function welcome(position, rules) {
  const { names, seat, clock, hints } = position;
  if (kept(HERE) || seat === null || position.result) return;
  keep(HERE, true);
  const others = listed(names.filter((_, other) => other !== seat));
  open(t("welcome.title", { names: others }), [
    make("p", {}, dot(seat), seat === position.decider && position.turn === 1 ? t("welcome.begins", { name: names[seat] }) : t("welcome.seat", { name: names[seat] })),
    ...paragraphs([clock ? t("welcome.clock", { clock: clockWords([clock.seconds / 60, clock.increment]) }) : t("welcome.noClock"), hints ? t("welcome.hints") : t("welcome.noHints")]),
    make("div", { className: "buttons" }, button(t("welcome.play"), () => close(), { className: "main" }), button(t("rules.button"), rules)),
  ]);
}

/** @type {Map<number, number>} */
const leaving = new Map(); // the timers of those that have just gone, by seat

/** Say who has come or gone since `before`. Whoever only loads the page again has not gone.
    @type {(before: number[], position: GamePosition) => void} */
export function sayPresence(before, { names, seats, present }) {
  names.forEach((name, seat) => {
    const isHere = present.includes(seat);
    if (seats.includes(seat) || before.includes(seat) === isHere) return;
    if (isHere && isOpen("invite")) close();
    window.clearTimeout(leaving.get(seat));
    const isBack = leaving.delete(seat);
    if (isHere && !isBack) toast(t("presence.came", { name }));
    if (!isHere) leaving.set(seat, window.setTimeout(() => { leaving.delete(seat); toast(t("presence.left", { name }), true); }, RETURN));
  });
}

// --- the clock

/** Tell the server that the player sees the board, as long as the clock waits for this.
    @type {(position: GamePosition | null, say: Say) => void} */
export function sayReady(position, say) {
  if (position?.clock?.running === null && !position.result && position.seats.length && !byId("dialog").open) say("ready");
}

/** @type {ClockState | null} */
let clock = null;
let since = 0; // when `clock` came
window.setInterval(tick, TICK);

/** Show the clock of a position. Its time goes on here until the next one comes.
    @type {(next: ClockState | null) => void} */
export function showClock(next) {
  clock = next;
  since = performance.now();
  tick();
}

function tick() {
  if (!clock) return;
  const { running } = clock;
  clock.left.forEach((left, seat) => {
    const place = byId("seats").children[seat]?.querySelector("time");
    if (!place) return;
    const rest = Math.max(seat === running ? left - (performance.now() - since) / 1000 : left, 0);
    const seconds = Math.ceil(rest);
    place.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    place.classList.toggle("runs", seat === running);
    place.classList.toggle("low", rest < LOW);
  });
}

// --- the rematch

/** Return the button for a rematch, or null if there can be none.
    @type {(position: GamePosition, say: Say) => HTMLButtonElement | null} */
export function rematchButton({ rematch, seats, names, people }, say) {
  if (!rematch || !seats.length) return null;
  const others = people.filter((seat) => !seats.includes(seat));
  const isAsked = seats.every((seat) => rematch.includes(seat));
  const asking = others.find((seat) => rematch.includes(seat));
  const name = names[asking ?? others[0]];
  if (isAsked) return button(t("rematch.waiting", { name }), null, { disabled: true, id: "rematch" });
  return button(asking === undefined ? t("rematch.ask") : t("rematch.accept", { name }), () => say("rematch"), { className: "main", id: "rematch" });
}
