/* The panels beside the board: seats, the current decision, the log and the supply. */

import { isLand, pictures } from "./cards.js";
import { HOUSES, TOWERS, beforeFrame, byId, calm, coarse, findIn, icon, make, setText } from "./dom.js";
import { crest } from "./emblems.js";
import { face, facesOf, gainOf, picturesOf, sum } from "./eventpictures.js";
import { cardName, eventWords, eventsWords, isYou, resultLines, shortNames, supplyWords, taskWords } from "./gamewords.js";
import { t } from "./words.js";

/** Return whether the name of a seat says who has it.
    @type {(name: string, isPerson: boolean) => boolean} */
const isPlain = (name, isPerson) => (isPerson ? isYou(name) : name.startsWith(t("name.anEngine")));

/** Return the backs of cards. @type {(count: number) => HTMLElement} */
const backs = (count) => make("span", { className: "backs", "aria-hidden": "true" }, ...Array.from({ length: count }, () => make("i", { className: "card-back" })));

let seats = "";
/** Show the seats. The list is not touched if nothing in it has changed.
    @type {(position: Position) => void} */
export function showSeats(position) {
  const won = position.result ? position.result.winners : [];
  const { names, study, people, away, present, clock, decider, active, scores, cards } = position;
  const key = JSON.stringify([names, Boolean(study), people, away, present, Boolean(clock), position.seats, decider, active, scores, cards, won, Boolean(position.result)]);
  if (key === seats) return;
  seats = key;
  byId("seats").classList.toggle("many", names.length > 2);
  const shown = study ? shortNames(names) : names; // an analysis has narrow seats
  byId("seats").replaceChildren(...names.map((name, seat) => {
    const isOwn = position.seats.includes(seat);
    const isGone = people.includes(seat) && present && !present.includes(seat);
    const who = study || isPlain(name, people.includes(seat)) ? "" : !people.includes(seat) ? t("seats.engine") : isGone ? t("seats.gone") : isOwn ? position.seats.length === 1 ? t("seats.you") : t("seats.here")
      : away.includes(seat) ? t("seats.away") : t("seats.person");
    const isNext = (decider ?? active) === seat && !position.result && !study;
    const count = cards[seat];
    return make("li", { className: (decider === seat ? "on" : "") + (isGone ? " gone" : "") }, crest(seat),
      make("b", { title: name }, shown[seat] + (won.includes(seat) ? " ★" : "")), clock ? make("time", { title: t("friend.clock") }) : "",
      make("span", { className: "points", textContent: String(scores[seat]), "data-points": scores[seat], title: t("setup.scores") }),
      make("small", {}, ...(isGone ? [who] : [backs(count),
        [t("event.cards", { count }), who, isNext ? t("seats.active") : ""].filter(Boolean).join(" · ")])));
  }));
}

/* The pieces that end the game when they run out. `most` is the number that a turn places at most, and `near` the
   number left at which the end counts as near. A city can build several palaces, but rarely more than two. */
/** @typedef {keyof Left} Kind */
const ENDING = { walls: { most: 1, near: 5 }, towers: { most: 2, near: 6 }, houses: { most: 2, near: 6 }, palaces: { most: 2, near: 4 } };

/** @type {(position: Pick<Position, "supply">) => Left} */
function leftIn({ supply: { walls, towers, houses, palaces } }) {
  return { walls, towers: sum(towers), houses: sum(houses), palaces: sum(palaces) };
}

/** Return the symbols of the pieces of a kind that are left.
    @type {(supply: Position["supply"], kind: Kind) => string[]} */
function piecesLeft(supply, kind) {
  const counts = kind === "walls" ? [supply.walls] : supply[kind];
  const names = kind === "walls" ? ["wall-piece"] : (kind === "towers" ? TOWERS : HOUSES).map((color) => `${kind.slice(0, -1)}-${color}`);
  return names.flatMap((name, i) => Array(counts[i]).fill(name));
}

/** Return how the game will end, with the nearest end first: for each supply that will soon run out a text, what is left and
    then what follows, whether it can be with the next turn, and a picture for each piece that is left.
    @type {(position: Pick<Position, "supply" | "end">) => { text: string, isNext: boolean, pieces: string[] }[]} */
export function endings(position) {
  const left = leftIn(position);
  const turns = (/** @type {Kind} */ kind) => left[kind] / ENDING[kind].most;
  if (position.end) return [{ text: t(`ending.last.${position.end}`), isNext: true, pieces: [] }];
  const near = /** @type {Kind[]} */ (Object.keys(ENDING)).filter((kind) => left[kind] <= ENDING[kind].near).sort((a, b) => turns(a) - turns(b));
  return near.map((kind) => ({ text: t(`ending.${turns(kind) <= 1 ? "next" : "near"}.${kind}`, { count: left[kind] }), isNext: turns(kind) <= 1, pieces: piecesLeft(position.supply, kind) }));
}

/** Name the supplies that will soon run out.
    @type {(position: Position) => void} */
function showEnding(position) {
  const { end, result, phase } = position;
  const isOver = result || phase === "over";
  const line = (/** @type {{ text: string, isNext: boolean }} */ { text, isNext }) => {
    const [left, then] = text.split(": "); // without a touch screen, the title says the rest
    const rest = (/** @type {string} */ textContent) => make("span", { className: coarse() ? "" : "sr", textContent });
    return make("p", { className: isNext ? "next" : "", title: text }, ...(end ? [rest(`${left}: `), make("span", { textContent: then })] : [left, rest(`: ${then}`)]));
  };
  const texts = isOver ? [] : endings(position).map(line);
  const place = byId("ending");
  if (place.textContent !== texts.map((text) => text.textContent).join("")) place.replaceChildren(...texts); // screen readers would read the same text again
}

/** Return a kind of pieces in the list of the supply.
    @type {(name: string, words: string, number: number, first?: boolean) => HTMLLIElement} */
function supplyItem(name, words, number, first = false) {
  return make("li", { className: first ? "first" : "", title: words },
    icon(name), make("span", { className: "sr", textContent: words + ": " }), make("b", { textContent: String(number) }));
}

/** @type {(position: Position) => void} */
export function showSupply(position) {
  const { walls, towers, houses, palaces } = position.supply;
  const left = leftIn(position);
  showEnding(position);
  setText(byId("box"), t("page.box", { pieces: supplyWords(left) }));
  const list = byId("supply");
  if (!list.children.length) {
    list.replaceChildren(
      supplyItem("wall-piece", t("supply.walls"), walls, true),
      ...TOWERS.map((name, i) => supplyItem("tower-" + name, t(`supply.tower-${name}`), towers[i])),
      ...HOUSES.map((name, i) => supplyItem("house-" + name, t(`supply.house-${name}`), houses[i], i === 0)),
      ...HOUSES.map((name, i) => supplyItem("palace-" + name, t(`supply.palace-${name}`), palaces[i], i === 0)),
    );
  }
  [walls, ...towers, ...houses, ...palaces].forEach((number, i) => {
    setText(/** @type {Element} */ (list.children[i].lastElementChild), String(number));
    list.children[i].classList.toggle("none", !number);
  });
  showPiles(position);
}

/** Show the supply below the log, where it is always in view, or in its tab.
    @type {(isBelow: boolean) => void} */
export function placeSupply(isBelow) {
  if (isBelow) byId("table").append(byId("supply"));
  else byId("box").after(byId("supply"));
}

let piles = "";
/** Show how many cards the deck has, and the cards face up: first those for the city, then those for the land.
    @type {(position: Pick<Position, "deck" | "face_up">) => void} */
function showPiles({ deck, face_up: up }) {
  const key = JSON.stringify([deck, up]);
  if (key === piles) return;
  piles = key;
  const column = (/** @type {boolean} */ land) => {
    const cards = up.filter((card) => isLand(card) === land);
    return cards.length ? make("div", {}, make("h3", { className: land ? "land" : "", textContent: land ? t("supply.land") : t("supply.city") }),
      make("ul", {}, ...[...new Set(cards)].map((card) => pileItem(card, cards.filter((each) => each === card).length)))) : null;
  };
  const [summary, lists] = byId("piles").children;
  summary.replaceChildren(backs(3), make("span", { className: "chip", textContent: t("supply.deck", { count: deck }) }), ` ${t("supply.up", { count: up.length })}`);
  lists.replaceChildren(...[column(false), column(true)].filter((each) => each !== null));
}

/** @type {(card: string, count: number) => HTMLLIElement} */
const pileItem = (card, count) => make("li", { title: cardName(card) }, make("span", { className: "pic", "aria-hidden": "true" }, ...pictures(card)),
  make("span", { className: "name", textContent: cardName(card) }), make("b", { textContent: count > 1 ? `×${count}` : "" }));

/** The events of which the log may show nothing. @type {GameEvent["event"][]} */
const SILENT = ["roll", "abstain", "swap", "play", "final"];

/** Return what the log shows of an event besides its words: of a wall the number of its line, of cards the points, and
    nothing of a roll, as the pieces say enough, nor of cards that are drawn.
    @type {(event: GameEvent) => Child[]} */
function shownOf(event) {
  if (SILENT.includes(event.event)) return gainOf(event);
  return event.event === "wall" ? [make("span", { className: "wall", textContent: String(event.line) })] : picturesOf(event);
}

/** Return the entry of an event: its pictures, or the words if it has none and is told. Screen readers read the words. The
    first entry of a turn has the crest of its seat.
    @type {(event: GameEvent, words: string, isFirst: boolean) => HTMLElement} */
function entry(event, words, isFirst) {
  const said = make("span", { className: "sr", textContent: words });
  const shown = shownOf(event);
  const isTold = !shown.length && !SILENT.includes(event.event);
  if (isTold) said.className = "";
  return make("li", { className: shown.length ? "" : isTold ? "told" : "sr", "data-event": event.event },
    said, make("span", { className: "pics", "aria-hidden": "true" }, ...(isFirst ? [crest(event.seat ?? 0)] : []), ...shown));
}

/** Return whether the last line of the log has a wall.
    @type {(list: HTMLElement) => boolean} */
const hasWall = (list) => list.querySelector(":scope > :last-child [data-event=wall]") !== null;

/** Add an event to the log, in which each turn is a line. All words of a turn are its title.
    @type {(list: HTMLElement, event: GameEvent, words: string, names: string[]) => void} */
function addEntry(list, event, words, names) {
  const isFirst = event.event === "early-roll" || (event.event === "wall" && (!list.children.length || hasWall(list)));
  if (isFirst || !list.children.length) list.append(make("li", {}, make("ol")));
  const turn = /** @type {HTMLElement} */ (list.lastElementChild);
  if (event.event === "wall") turn.dataset.spots = "l" + event.line;
  const name = event.seat === null || ["city", "palaces", "roll", "reshuffle"].includes(event.event) ? "" : names[event.seat];
  const said = (name ? `${name}: ` : "") + words;
  turn.title += (turn.title && "\n") + said;
  const item = entry(event, said, isFirst);
  if (gainOf(event).length) gather(turn, item);
  turn.firstElementChild?.append(item);
}

/** Move the points of an entry into the turn's first entry with points, so that they stay together.
    @type {(turn: HTMLElement, item: HTMLElement) => void} */
function gather(turn, item) {
  const gain = item.lastElementChild;
  const gains = findIn(".gains", turn);
  if (!gain) return;
  if (gains) {
    gains.append(gain);
    item.className = "sr";
  } else item.append(make("span", { className: "gains", "aria-hidden": "true" }, gain));
}

/** The last roll of the log, if there is one.
    @type {GameEvent[]} */
let lastRoll = [];

/** Add the new events to the log, and mark those from the number `latest` on as the latest. The log is cleared first
    if the server sends all events.
    @type {(position: GamePosition, latest: number) => void} */
export function showNews(position, latest) {
  const list = byId("news");
  const { first, events } = position.news;
  if (first === 0) {
    list.replaceChildren();
    lastRoll = [];
  }
  const said = eventsWords([...lastRoll, ...events]).slice(lastRoll.length);
  lastRoll = [...lastRoll, ...events.filter(({ event }) => event === "roll")].slice(-1);
  events.forEach((event, number) => addEntry(list, event, said[number], position.names));
  list.querySelectorAll("li li").forEach((item, number) => {
    if (item.classList.contains("latest") === number >= latest) return;
    if (item.classList.toggle("latest")) item.prepend(make("span", { className: "sr", textContent: t("log.latest") + " " }));
    else item.firstElementChild?.remove();
  });
  if (first === 0) list.style.counterReset = `turn ${position.turn - list.children.length - (position.phase === "wall" && hasWall(list) ? 1 : 0)}`; // then the last line is that of the turn before
  for (const turn of list.children) turn.classList.toggle("latest", turn.querySelector(".latest") !== null);
  if (events.length) beforeFrame(() => scrollToEnd(list));
}

/** Scroll the log to its end, with a whole turn at its upper edge.
    @type {(list: HTMLElement) => void} */
function scrollToEnd(list) {
  const panel = byId("log-panel");
  list.style.paddingBottom = "0";
  const end = panel.scrollHeight - panel.clientHeight;
  const first = [.../** @type {HTMLCollectionOf<HTMLElement>} */ (list.children)].find((item) => item.offsetTop >= end);
  if (first && end > 0) list.style.paddingBottom = `${first.offsetTop - end}px`;
  panel.scrollTo(0, panel.scrollHeight);
}

/** Return dice that show a roll.
    @type {(roll: Pick<EventOf<"roll">, "tower" | "houses">) => HTMLElement[]} */
function diceOf(roll) {
  const dice = facesOf(roll).map(face);
  if (roll.tower) dice[0].classList.add("tower-die");
  return dice;
}

/** Show a roll, or no dice if it is null.
    @type {(roll: Pick<EventOf<"roll">, "tower" | "houses"> | null) => void} */
export function showRoll(roll) {
  byId("dice").replaceChildren(...(roll ? diceOf(roll) : []));
}

let rolled = "";
/** Show the last roll, with dice that tumble for a moment.
    @type {(position: GamePosition) => void} */
export function showDice(position) {
  const rolls = position.news.events.filter((event) => event.event === "roll");
  const last = rolls[rolls.length - 1];
  const place = byId("dice");
  if (position.news.first === 0) rolled = "";
  if (!["towers", "houses"].includes(position.phase) && (position.decides || !last)) place.replaceChildren(); // their pieces are placed
  else if (last) roll(position, last, place);
}

/** @type {(position: GamePosition, last: EventOf<"roll">, place: HTMLElement) => void} */
function roll(position, last, place) {
  const key = `${position.game}/${position.at}/${facesOf(last).join()}`;
  if (key === rolled) return;
  rolled = key;
  const dice = diceOf(last);
  place.replaceChildren(...(position.decides ? [make("small", { textContent: t("dice.rolled") })] : []), ...dice);
  place.title = eventWords(last);
  if (calm() || position.news.first === 0) return;
  for (const die of dice) die.classList.add("rolling");
  window.setTimeout(() => dice.forEach((die) => die.classList.remove("rolling")), 650);
}

/** The pictures of what is to be placed or scored. @type {Partial<Record<Position["phase"], string>>} */
const TASK_PICTURES = { wall: "wall-piece", towers: "tower-gray", houses: "house-red", merge: "palace-yellow", score: "palace-red", final: "palace-red" };

/** Return the picture of what is to be done, for cards that of their back.
    @type {(phase: Position["phase"]) => Element} */
export function taskPicture(phase) {
  const name = TASK_PICTURES[phase];
  return name ? icon(name) : make("i", { className: "mini card-back icon" });
}

/** @type {(position: Position) => void} */
export function showTask(position) {
  const task = byId("task");
  task.classList.toggle("mine", position.decides);
  byId("dice").dataset.phase = position.phase;
  if (position.result) {
    task.replaceChildren(...resultLines(position, position.result).map((text, i) => (i < 2 ? make("div", { textContent: text }) : make("small", { textContent: text }))));
    return;
  }
  if (position.fault) {
    task.replaceChildren(make("span", { className: "bad", textContent: t("task.fault", { name: position.names[position.decider ?? -1], fault: position.fault }) }),
      make("small", { textContent: t("task.kept") }));
    return;
  }
  const own = position.names[position.seat ?? -1];
  const name = position.decides && !isYou(own) ? `${own}: ` : "";
  const isAway = position.due === "person" && position.present && !position.present.includes(position.decider ?? -1);
  const text = position.decides ? name + t(`do.${position.phase}`) : isAway ? t("invite.waiting", { name: position.names[position.decider ?? -1] }) : taskWords(position) + (position.due === "engine" ? " …" : "");
  const pictured = position.decides && !position.study && TASK_PICTURES[position.phase];
  task.replaceChildren(make("small", { textContent: t("task.turn", { turn: position.turn }) }), pictured ? icon(pictured) : "", make("span", { textContent: text }));
}
