/* The form of a new game with everything that can be chosen, and what is asked before some games begin. */

import { button, make, several, toast } from "./dom.js";
import { isDefault, wantNext } from "./coach.js";
import { close, open } from "./dialogs.js";
import { t } from "./words.js";

const HAND = 6;

const field = (label, input) => make("label", {}, label, input);
const number = (given) => make("input", { type: "number", inputMode: "numeric", ...given });
const choice = (options, value) => {
  const select = make("select", {}, ...options.map(([name, words]) => make("option", { value: name, textContent: words })));
  select.value = value;
  return select;
};

class SeatForm {
  constructor(seat, engines) {
    const kinds = [["person", "a person"], ["engine", "the engine"], ...engines.map((name) => ["mei:" + name, name])];
    this.kind = choice(kinds, seat === 0 ? "person" : "engine");
    this.name = make("input", { maxLength: 20, placeholder: "name", autocomplete: "off" });
    this.level = choice(Array.from({ length: 10 }, (_, i) => [String(i + 1), `${i + 1}${i === 0 ? " (easy)" : i === 9 ? " (strongest)" : ""}`]), "5");
    this.seconds = number({ min: 0.05, max: 600, step: "any", placeholder: "usual" });
    this.levelField = field("level", this.level);
    this.secondsField = field("seconds a move", this.seconds);
    this.kind.addEventListener("change", () => this.sort());
    this.element = make("fieldset", {}, make("legend", { textContent: `Seat ${seat}` }),
      make("div", { className: "fields" }, field("who", this.kind), field("name", this.name), this.levelField, this.secondsField));
    this.sort();
  }

  sort() {
    this.levelField.hidden = this.kind.value !== "engine";
    this.secondsField.hidden = this.kind.value === "person";
  }

  get request() {
    const kind = this.kind.value;
    const request = { kind: kind === "person" ? "person" : "engine", name: this.name.value.trim() };
    if (kind === "engine") request.level = Number(this.level.value);
    if (kind.startsWith("mei:")) request.engine = kind.slice(4);
    if (kind !== "person" && this.seconds.value) request.seconds = Number(this.seconds.value);
    return request;
  }
}

/** The form of a game with everything that can be chosen; `say` sends a message. */
export function gameForm(id, say) {
  const seats = [0, 1, 2, 3].map((seat) => new SeatForm(seat, id.engines));
  const players = choice([["2", "2 seats"], ["3", "3 seats"], ["4", "4 seats"]], "2");
  const count = () => Number(players.value);
  const sort = () => seats.forEach((seat, i) => { seat.element.hidden = i >= count(); });
  players.addEventListener("change", sort);
  sort();
  const ownDice = make("input", { type: "checkbox" });
  const practice = make("input", { type: "checkbox" });
  const fair = make("input", { type: "checkbox" });
  const early = make("input", { type: "checkbox" });
  const seed = number({ min: 0, max: 999999999999, step: 1, placeholder: "random" });
  const first = choice([0, 1, 2, 3].map((seat) => [String(seat), `seat ${seat}`]), "0");
  const coach = make("input", { type: "checkbox", onchange: () => { coach.touched = true; } });
  const coached = () => isDefault(seats.slice(0, count()).map((seat) => seat.request));
  const check = (input, words) => make("label", { className: "check" }, input, make("span", { textContent: words }));
  const begin = () => {
    const request = {
      seats: seats.slice(0, count()).map((seat) => seat.request), first: Number(first.value),
      practice: practice.checked, early_roll: early.checked,
    };
    if (coach.touched) wantNext(coach.checked);
    if (seed.value && !ownDice.checked) request.seed = Number(seed.value);
    if (!request.seats.some((seat) => seat.kind === "person")) toast("One person at least must sit in a game.", true);
    else if (fair.checked && (ownDice.checked || practice.checked || seed.value)) toast("A fair game has no seed, no own dice and no practice.", true);
    else if (fair.checked) {
      fairRequest = request;
      say("commit", { players: count() });
    } else if (ownDice.checked) dealHands(request, id.cards, say);
    else say("newgame", request);
  };
  const follow = () => { if (!coach.touched) coach.checked = coached(); };
  follow();
  return make("form", { onsubmit: (event) => { event.preventDefault(); begin(); }, onchange: follow },
    make("div", { className: "fields" }, field("seats", players), field("who begins", first), field("seed of dice and cards", seed)),
    make("div", { className: "seat-forms" }, ...seats.map((seat) => seat.element)),
    check(coach, t("coach.switch")), check(fair, "Fair: dice and cards that can be verified"),
    check(practice, "Practice: undo takes back anything"), check(early, "The option early_roll of the rules"),
    check(ownDice, "Own dice and cards: a game on a real table, typed in"),
    make("div", { className: "buttons" }, make("button", { className: "main", textContent: "Begin", id: "begin" })));
}

let fairRequest = null; // the game for which the program was asked to commit

/** The program has committed to a secret: each person adds words to chance. */
export function showCommitment(commitment, say) {
  const request = fairRequest;
  if (!request) return;
  const nonces = request.seats.map((seat, i) => (seat.kind === "person"
    ? make("input", { maxLength: 200, autocomplete: "off", "aria-label": `words of seat ${i}` }) : null));
  open("A fair game", [
    make("p", { textContent: "Who begins, dice and cards come from a secret of the program and from your words. The secret is chosen now; note down its SHA-256:" }),
    make("code", { className: "hash", textContent: commitment }),
    make("div", { className: "stack" }, ...nonces.map((input, i) => (input ? field(`any words of ${request.seats[i].name || `seat ${i}`}`, input) : null))),
    make("p", { textContent: "In the end the record holds the secret, and masons-engine verify replays every roll and draw against it." }),
    make("div", { className: "buttons" },
      button("Begin", () => { close(); say("newgame", { ...request, nonces: nonces.map((input) => (input ? input.value : "")) }); }, { className: "main" }),
      button("No game", () => close())),
  ]);
}

/** The hands that were dealt at the table, one seat after the other, each hidden before the next. */
function dealHands(request, cards, say) {
  const hands = [];
  const next = () => {
    const seat = hands.length;
    if (seat === request.seats.length) {
      close();
      say("newgame", { ...request, dice: "own", hands });
      return;
    }
    const selects = Array.from({ length: HAND }, (_, i) => choice(cards.map((card) => [card, card]), cards[(seat * HAND + i) % cards.length]));
    selects.forEach((select, i) => select.setAttribute("aria-label", `card ${i + 1}`));
    const who = request.seats[seat].name || `seat ${seat}`;
    open(`The ${several(HAND, "card")} of ${who}`, [
      make("p", { textContent: "Type in what was dealt. The next seat does not see it." }),
      make("div", { className: "stack" }, ...selects),
      make("div", { className: "buttons" },
        button("Next", () => { hands.push(selects.map((select) => select.value)); next(); }, { className: "main" }),
        button("No game", () => close())),
    ], { kind: "curtain" });
  };
  next();
}
