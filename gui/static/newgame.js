/* The form of a new game, and the list of games to go on with. */

import { button, byId, make, paragraphs, several, table, toast } from "./dom.js";
import { close, open } from "./dialogs.js";
import { studyForm } from "./study.js";

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

/** The form and the list; `say` sends a message. */
export function showStart(id, games, say, setUp, watch) {
  const place = byId("start");
  place.hidden = false;
  if (!id.host) {
    place.replaceChildren(make("p", { textContent: "No game is going on. Whoever started the program can begin one." }));
    return;
  }
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
  const check = (input, words) => make("label", { className: "check" }, input, make("span", { textContent: words }));
  const begin = () => {
    const request = {
      seats: seats.slice(0, count()).map((seat) => seat.request), first: Number(first.value),
      practice: practice.checked, early_roll: early.checked,
    };
    if (seed.value && !ownDice.checked) request.seed = Number(seed.value);
    if (!request.seats.some((seat) => seat.kind === "person")) toast("One person at least must sit in a game.", true);
    else if (fair.checked && (ownDice.checked || practice.checked || seed.value)) toast("A fair game has no seed, no own dice and no practice.", true);
    else if (fair.checked) {
      fairRequest = request;
      say("commit", { players: count() });
    } else if (ownDice.checked) dealHands(request, id.cards, say);
    else say("newgame", request);
  };
  const form = make("form", { onsubmit: (event) => { event.preventDefault(); begin(); } },
    make("h2", { textContent: "New game" }), field("", players), ...seats.map((seat) => seat.element),
    make("details", {}, make("summary", { textContent: "More" }),
      check(fair, "Fair: dice and cards that can be verified"),
      check(practice, "Practice: undo takes back anything"), check(early, "The option early_roll of the rules"),
      check(ownDice, "Own dice and cards: a game on a real table, typed in"),
      make("div", { className: "fields" }, field("who begins", first), field("seed of dice and cards", seed))),
    make("div", { className: "buttons" }, make("button", { className: "main", textContent: "Begin", id: "begin" })));
  players.setAttribute("aria-label", "number of seats");
  const watching = id.watch ? [make("h2", { textContent: "Watch" }), button("Watch the file", watch)] : [];
  place.replaceChildren(form, ...gameList(games, say), ...ratings(games, say), ...watching, ...studyForm(say, setUp));
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

const LISTED = 12;

/** The games that go on, the open ones first, and those that are over. */
function gameList(games, say) {
  const list = (title, found, words, act) => (found.length ? [make("h2", { textContent: title }),
    make("ul", { className: "games" }, ...found.slice(0, LISTED).map((game) => make("li", {},
      make("button", { type: "button", onclick: () => act(game) }, game.names.join(", "), make("small", { textContent: words(game) })))))] : []);
  const going = games.filter((game) => !game.over).sort((a, b) => Number(b.open) - Number(a.open));
  return [
    ...list("Go on with a game", going, (game) => (game.open ? `open now, begun or played ${game.changed}` : `left ${game.changed}`),
      (game) => say("resume", { file: game.file })),
    ...list("Look at a game that is over", games.filter((game) => game.over), (game) => `ended ${game.changed}`,
      (game) => say("study", { file: game.file })),
  ];
}

/** The ratings of the players over the games that are over. */
function ratings(games, say) {
  if (!games.some((game) => game.over)) return [];
  const rate = button("Rate the games that are over", () => { showRating({ game: 0 }, say); say("rate"); });
  return [make("h2", { textContent: "Ratings over games" }), make("div", { id: "ratings" },
    make("p", { className: "evidence", textContent: "Reviews each game, about a quarter of a minute for two seats." }), rate)];
}

/** How far the reviews are, and in the end the table. */
export function showRating({ game, games, done, total, rows, words }, say) {
  const place = byId("ratings");
  if (!place) return;
  if (!rows) {
    const text = game ? `Reviewing game ${game} of ${games} … ${Math.round((100 * done) / total)} %` : "Reviewing …";
    if (place.querySelector("[role=status]")) place.firstElementChild.textContent = text;
    else place.replaceChildren(make("p", { role: "status", textContent: text }), button("Stop", () => { say("stop"); say("games"); }));
    return;
  }
  place.replaceChildren(table(["player", "games", "points lost", "Elo-like", "costs most"], rows), ...paragraphs(words));
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
