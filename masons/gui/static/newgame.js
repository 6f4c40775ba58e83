/* The form for a new game with all options, and the dialogs before a fair game and a game with real dice. */

import { button, check, choice, field, make, toast } from "./dom.js";
import { isDefault, wantNext } from "./coach.js";
import { close, open } from "./dialogs.js";
import { cardName, playerName } from "./gamewords.js";
import { t } from "./words.js";

const HAND = 6;

/** @type {(level: number) => string} */
export const levelWords = (level) => (level === 1 ? t("seat.easy", { level }) : level === 10 ? t("seat.strongest", { level }) : String(level));
/** @type {(request: NewGame, seat: number) => string} */
const nameOf = (request, seat) => request.seats[seat].name || playerName(seat);
/** @type {(given: Given<HTMLInputElement>) => HTMLInputElement} */
const number = (given) => make("input", { type: "number", inputMode: "numeric", ...given });

class SeatForm {
  isLevelChosen = false;

  /** @param {number} seat
      @param {string[]} engines */
  constructor(seat, engines) {
    /** @type {Options} */
    const kinds = [["person", t("seat.aPerson")], ["engine", t("seat.theEngine")], ...engines.map((name) => /** @type {Options[number]} */ (["mei:" + name, name]))];
    this.kind = choice(kinds, { value: seat === 0 ? "person" : "engine", change: () => this.sort() });
    this.name = make("input", { maxLength: 20, placeholder: t("seat.name"), autocomplete: "off" });
    this.level = choice(Array.from({ length: 10 }, (_, i) => [String(i + 1), levelWords(i + 1)]), { value: "1", change: () => { this.isLevelChosen = true; } });
    this.seconds = number({ min: 0.05, max: 600, step: "any", placeholder: t("seat.usual") });
    this.levelField = field(t("seat.level"), this.level);
    this.secondsField = field(t("seat.seconds"), this.seconds);
    this.element = make("fieldset", {}, make("legend", { textContent: playerName(seat) }),
      make("div", { className: "fields" }, field(t("seat.who"), this.kind), field(t("seat.name"), this.name), this.levelField, this.secondsField));
    this.sort();
  }

  sort() {
    this.levelField.hidden = this.kind.value !== "engine";
    this.secondsField.hidden = this.kind.value === "person";
  }

  /** Set the level, unless the user has chosen one.
      @type {(level: number) => void} */
  offer(level) {
    if (!this.isLevelChosen) this.level.value = String(level);
  }

  get request() {
    const kind = this.kind.value;
    /** @type {SeatWish} */
    const request = { kind: kind === "person" ? "person" : "engine", name: this.name.value.trim() };
    if (kind === "engine") request.level = Number(this.level.value);
    if (kind.startsWith("mei:")) request.engine = kind.slice(4);
    if (kind !== "person" && this.seconds.value) request.seconds = Number(this.seconds.value);
    return request;
  }
}

/** Return the form for a new game with all options, whose function `offer` sets the level to offer; `say` sends a message.
    @type {(id: IdMessage, say: Say) => GameForm} */
export function gameForm(id, say) {
  const seats = [0, 1, 2, 3].map((seat) => new SeatForm(seat, id.engines));
  const players = choice([2, 3, 4].map((count) => [String(count), t("new.seatCount", { count })]), { change: () => sort() });
  const count = () => Number(players.value);
  const sort = () => seats.forEach((seat, i) => { seat.element.hidden = i >= count(); });
  sort();
  const [coach, fair, practice, early, ownDice] = [t("coach.switch"), t("new.fair"), t("new.practice"), t("new.earlyRoll"), t("new.ownDice")]
    .map((words) => check(words));
  const boxOf = (/** @type {HTMLLabelElement} */ label) => /** @type {HTMLInputElement} */ (label.control);
  const isChecked = (/** @type {HTMLLabelElement} */ label) => boxOf(label).checked;
  const seed = number({ min: 0, max: 999999999999, step: 1, placeholder: t("new.random") });
  const first = choice([0, 1, 2, 3].map((seat) => [String(seat), playerName(seat)]));
  let isCoachChosen = false;
  coach.addEventListener("change", () => { isCoachChosen = true; });
  const coached = () => isDefault(seats.slice(0, count()).map((seat) => seat.request));
  const begin = () => {
    /** @type {NewGame} */
    const request = {
      seats: seats.slice(0, count()).map((seat) => seat.request), first: Number(first.value),
      practice: isChecked(practice), early_roll: isChecked(early),
    };
    if (isCoachChosen) wantNext(isChecked(coach));
    if (seed.value && !isChecked(ownDice)) request.seed = Number(seed.value);
    if (!request.seats.some((seat) => seat.kind === "person")) toast(t("new.noPerson"), true);
    else if (isChecked(fair) && (isChecked(ownDice) || isChecked(practice) || seed.value)) toast(t("new.notFair"), true);
    else if (isChecked(fair)) {
      fairRequest = request;
      say("commit", { players: count() });
    } else if (isChecked(ownDice)) dealHands(request, id.cards, say);
    else say("newgame", request);
  };
  const follow = () => { if (!isCoachChosen) boxOf(coach).checked = coached(); };
  const form = make("form", { onsubmit: (event) => { event.preventDefault(); begin(); }, onchange: follow },
    make("div", { className: "fields" }, field(t("setup.players"), players), field(t("new.first"), first), field(t("new.seed"), seed)),
    make("div", { className: "seat-forms" }, ...seats.map((seat) => seat.element)),
    coach, fair, practice, early, ownDice,
    make("div", { className: "buttons" }, make("button", { className: "main", textContent: t("new.begin"), id: "begin" })));
  return Object.assign(form, {
    offer: (/** @type {number} */ level) => {
      seats.forEach((seat) => seat.offer(level));
      follow();
    },
  });
}

/** @type {NewGame | null} */
let fairRequest = null; // the fair game that waits for the program's commitment

/** Ask each person for words that change the dice, after the program has committed to its secret.
    @type {(commitment: string, say: Say) => void} */
export function showCommitment(commitment, say) {
  const request = fairRequest;
  if (!request) return;
  const nonces = request.seats.map((seat, i) => (seat.kind === "person"
    ? make("input", { maxLength: 200, autocomplete: "off", "aria-label": t("fair.wordsOf", { name: playerName(i) }) }) : null));
  open(t("fair.title"), [
    make("p", { textContent: t("fair.secret") }),
    make("code", { className: "hash", textContent: commitment }),
    make("div", { className: "stack" }, ...nonces.map((input, i) => (input ? field(t("fair.anyWords", { name: nameOf(request, i) }), input) : null))),
    make("p", { textContent: t("fair.record") }),
    make("div", { className: "buttons" },
      button(t("new.begin"), () => { close(); say("newgame", { ...request, nonces: nonces.map((input) => (input ? input.value : "")) }); }, { className: "main" }),
      button(t("dialog.cancel"), () => close())),
  ]);
}

/** Ask for the hands dealt at the table, one seat at a time, so that nobody sees another hand.
    @type {(request: NewGame, cards: string[], say: Say) => void} */
function dealHands(request, cards, say) {
  /** @type {string[][]} */
  const hands = [];
  const next = () => {
    const seat = hands.length;
    if (seat === request.seats.length) {
      close();
      say("newgame", { ...request, dice: "own", hands });
      return;
    }
    const selects = Array.from({ length: HAND }, (_, i) => choice(cards.map((card) => [card, cardName(card)]),
      { value: cards[(seat * HAND + i) % cards.length], "aria-label": t("deal.card", { number: i + 1 }) }));
    open(t("deal.title", { count: HAND, name: nameOf(request, seat) }), [
      make("p", { textContent: t("deal.how") }),
      make("div", { className: "stack" }, ...selects),
      make("div", { className: "buttons" },
        button(t("puzzle.next"), () => { hands.push(selects.map((select) => select.value)); next(); }, { className: "main" }),
        button(t("dialog.cancel"), () => close())),
    ], { kind: "curtain" });
  };
  next();
}
