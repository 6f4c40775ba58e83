/* Seats, tasks, events, moves and results in the page's language. */

import { language, t } from "./words.js";

const lists = new Intl.ListFormat(language === "en" ? "en-GB" : language); // British English has no comma before "and"
/** @type {(items: string[]) => string} */
export const listed = (items) => lists.format(items);

/** Return the name of a seat that has none of its own.
    @type {(seat: number) => string} */
export const playerName = (seat) => t("name.Player", { number: seat + 1 });

/** Translate the default names of seats: You, Other, Player 3, Person 0, seat 0, Engine (level 5), Engine 2 (level 5).
    Those of other players of ours begin with a capital.
    @type {(message: Answer) => void} */
export function translateNames(message) {
  /** @type {object[]} */
  const parts = [message, ...("position" in message && message.position ? [message.position] : []), ...(message.type === "games" ? message.games : [])];
  for (const part of parts) {
    if ("names" in part && Array.isArray(part.names)) part.names = part.names.map(nameWords);
  }
}

const BOTS = /^(random|busy|greedy|heuristic|policy|ismcts|default)( \d+)?$/; // the players that programs name in their records

/** @type {(name: string) => string} */
function nameWords(name) {
  const engine = /^Engine(?: ([0-4]))?(?: \((?:level (\d+)|(.+))\))?$/.exec(name);
  if (engine) return engineWords(...engine.slice(1));
  if (/^Person [0-3]$/.test(name)) return t(`name.Person.${name.at(-1)}`);
  if (/^default:level=\d+$/.test(name)) return t("name.onlyLevel", { level: name.slice(14) });
  const namesake = /^(.+) \(seat ([0-3])\)$/.exec(name); // of several with one name
  if (namesake) return `${nameWords(namesake[1])} ${Number(namesake[2]) + 1}`;
  if (BOTS.test(name)) return name[0].toUpperCase() + name.slice(1);
  const usual = /^(You|Other|Player|seat)(?: ([0-4]))?$/.exec(name);
  if (!usual || ["You", "Other"].includes(usual[1]) !== (usual[2] === undefined)) return name;
  return usual[1] === "seat" ? playerName(Number(usual[2])) : t(`name.${usual[1]}`, { number: usual[2] });
}

/** Return the name of an engine with its level, or with the name of its program.
    @type {(number?: string, level?: string, program?: string) => string} */
function engineWords(number, level, program) {
  const name = number === undefined ? t("name.anEngine") : t("name.Engine", { number });
  if (level) return t("name.level", { name, level });
  return program ? `${name} (${program})` : name;
}

/** Return names without the level or the program in parentheses at their ends, for where there is little room, unless
    some would then be the same.
    @type {(names: string[]) => string[]} */
export function shortNames(names) {
  const short = names.map((name) => name.replace(/(.) \(.+\)$/, "$1"));
  return new Set(short).size < names.length ? names : short;
}

/** Return whether a translated name says that the person at this page has the seat.
    @type {(name: string) => boolean} */
export const isYou = (name) => name === t("name.You");

/** @type {(words: string) => string} */
export const capital = (words) => words[0].toUpperCase() + words.slice(1);

/** Return the current decision and the seat that makes it, in words.
    @type {(position: Position) => string} */
export function taskWords({ phase, names, decider }) {
  if (phase === "over" || decider === null) return capital(t("setup.phase.over"));
  return isYou(names[decider]) ? t(`task.you.${phase}`) : t(`task.${phase}`, { name: names[decider] });
}

/** Return lines that say how a game ended.
    @type {(position: Position, result: GameResult) => string[]} */
export function resultLines({ names, scores, cards }, result) {
  const winners = result.winners;
  const stopped = result.resigned === undefined ? "forfeit" : "resigned";
  const seat = result[stopped];
  const won = !winners.length ? "" : winners.length > 1 ? t("result.shared", { names: listed(winners.map((seat) => names[seat])) })
    : isYou(names[winners[0]]) ? t("result.you.won") : t("result.won", { name: names[winners[0]] });
  const seats = names.map((name, seat) => t("result.seat", { name, points: t("cards.points", { count: scores[seat] }), cards: cardCount(cards[seat]) }));
  if (seat === undefined) return [t(`result.${result.end}`), won, ...seats];
  const name = names[seat];
  return [isYou(name) ? t(`result.you.${stopped}`) : t(`result.${stopped}`, { name }), ...(won ? [won, ...seats] : [])];
}

/** Return the numbers of pieces left, by kind, in words.
    @type {(left: Left) => string} */
export const supplyWords = ({ walls, towers, houses, palaces }) => listed([t("count.wall", { count: walls }), t("event.towers", { count: towers }),
  t("count.house", { count: houses }), t("count.palace", { count: palaces })]);

/** Return the name of a card.
    @type {(card: string) => string} */
export const cardName = (card) => t(`card.${card}`);

/** @type {(count: number) => string} */
const cardCount = (count) => t("event.cards", { count });
/** Return the names of cards, each kind once.
    @type {(cards: string[]) => string} */
export const cardNames = (cards) => listed([...new Set(cards)].map((card) => {
  const count = cards.filter((one) => one === card).length;
  return count > 1 ? `${cardName(card)} ×${count}` : cardName(card);
}));
/** @type {(some: string[] | number | undefined) => string} */
const nothingOr = (some = []) => (typeof some === "number" ? cardCount(some) : cardNames(some) || t("supply.nothing"));

/** @type {(put: [place: string | number, color: string][], kind: string) => string} */
const putWords = (put, kind) => listed(put.map(([place, color]) => t(`event.put.${kind}`, { piece: t(`tool.${kind}-${color}`), place })));

/** Return cards with their points in words; `points` is empty if they are unknown.
    @type {(cards: string[], points: number[]) => string} */
function cardsWords(cards, points) {
  if (!points.length) return cardNames(cards);
  const count = points.reduce((sum, each) => sum + each, 0);
  const valued = cards.length === 1 ? cardName(cards[0]) : listed(cards.map((card, i) => `${cardName(card)} (${points[i]})`));
  return t("event.cardsFor", { cards: valued, count });
}

/** @type {(event: Pick<EventOf<"merge">, "walls_back" | "towers_back">) => string} */
function back({ walls_back: walls = [], towers_back: towers = [] }) {
  const parts = [walls.length ? t("count.wall", { count: walls.length }) : "", towers.length ? t("event.towers", { count: towers.length }) : ""].filter(Boolean);
  return parts.length ? t("event.back", { pieces: listed(parts) }) : "";
}

/** @type {(face: string) => string} */
const dieWords = (face) => (face === "?" ? face : t(`color.${face}`));

/** @type {(roll: Pick<EventOf<"roll">, "tower" | "houses">) => string} */
const rollWords = ({ tower, houses }) => t("event.roll", { dice: (tower ? t(`tool.tower-${tower}`) + ", " : "") + listed(houses.map(dieWords)) });

/** @type {{ [K in GameEvent["event"]]: (event: EventOf<K>) => string }} */
const EVENTS = {
  wall: ({ line }) => t("event.wall", { line: String(line) }),
  "early-roll": ({ points }) => t("event.earlyRoll", { points: t("cards.points", { count: points }) }),
  roll: (event) => rollWords(event),
  towers: ({ put }) => putWords(put, "tower"),
  houses: ({ put }) => putWords(put, "house"),
  city: (event) => t("event.city", { count: event.spaces.length, spaces: listed(event.spaces.map(String)) }) + back(event),
  merge: (event) => (event.with === null ? t("event.noMerge") : t("event.merge", { space: event.with }) + back(event)),
  palaces: ({ built }) => t("event.palaces", { palaces: listed(Object.entries(built).map(([color, count]) => t(`count.palace-${color}`, { count }))) }),
  play: ({ cards, points, drew }) => t("event.drawing", { did: t("event.play", { cards: cardsWords(cards, points) }), cards: nothingOr(drew) }),
  abstain: ({ card, drew }) => t("event.drawing", { did: t("event.abstain", { card: cardName(card) }), cards: nothingOr(drew) }),
  swap: ({ out, in: drew }) => (out.length ? t("event.drawing", { did: swapWords(out), cards: nothingOr(drew) }) : t("event.noSwap")),
  reshuffle: ({ deck }) => t("event.reshuffle", { cards: cardCount(deck) }),
  final: ({ cards, points, city }) => finalWords(cards, points, city),
};

/** @type {(cards: string[]) => string} */
const swapWords = (cards) => t("event.swap", { count: cards.length, cards: cardNames(cards) });

/** @type {(cards: string[], points: number[], city: number | null) => string} */
function finalWords(cards, points, city) {
  if (!cards.length) return t("event.playNothing");
  const played = t("event.play", { cards: cardsWords(cards, points) });
  return city === null ? played : t("event.inCity", { played, space: city });
}

/** Return an event in words, without its seat.
    @type {(event: GameEvent) => string} */
export const eventWords = (event) => /** @type {Record<string, (event: any) => string>} */ (EVENTS)[event.event](event);

/** Return the words of events in order. Pieces say which rolled color has run out, so that another was placed instead.
    @type {(events: GameEvent[]) => string[]} */
export function eventsWords(events) {
  /** @type {EventOf<"roll"> | null} */
  let roll = null;
  return events.map((event) => {
    if (event.event === "roll") roll = event;
    const [kind, color] = roll && (event.event === "towers" || event.event === "houses") ? missing(event, roll) : ["", ""];
    return eventWords(event) + (color ? t("event.ranOut", { piece: t(`tool.${kind}-${color}`) }) : "");
  });
}

/** Return the kind of pieces and the rolled color that none of them has, or "" if each die that counts has its piece. Where
    only one house is placed, of either die, this is known only of equal dice.
    @type {(event: EventOf<"towers" | "houses">, roll: EventOf<"roll">) => [kind: string, color: string]} */
function missing({ event, put }, { tower, houses }) {
  const colors = put.map(([, color]) => color);
  if (event === "towers") return ["tower", tower && colors.length && !colors.includes(tower) ? tower : ""];
  const left = [...colors];
  const unplaced = houses.filter((face) => {
    const at = face === "?" ? 0 : left.indexOf(face);
    if (at >= 0 && face !== "?") left.splice(at, 1);
    return at < 0;
  });
  const isUsed = colors.length > 1 || houses[0] === houses[1]; // of two different dice, one is not used for a single house
  return ["house", isUsed && unplaced.length > 2 - Math.min(colors.length, 2) ? unplaced[0] : ""];
}

/** @type {(what: string) => [place: string, color: string][]} */
const putOf = (what) => what.split(",").map((each) => {
  const [place, color] = each.split("=");
  return [place, color];
});

/** @type {Record<string, (what: string, facts: MoveFacts) => string>} */
const MOVES = {
  wall: (line, { spaces }) => wallWords(line, spaces),
  "early-roll": () => t("wall.earlyRoll"),
  towers: (what) => putWords(putOf(what), "tower"),
  houses: (what) => putWords(putOf(what), "house"),
  merge: (space) => (space === "none" ? t("move.noMerge") : t("move.merge", { space })),
  play: (what, { points }) => t("move.play", { cards: cardsWords(cardsOf(what), points) }),
  abstain: (card) => t("move.abstain", { card: cardName(card) }),
  swap: (what) => swapMove(cardsOf(what)),
  toss: (what) => swapMove(cardsOf(what)),
  final: (what, { points }) => finalMove(cardsOf(what), points, /^\d/.test(what) ? parseInt(what, 10) : null),
};

/** @type {(cards: string[]) => string} */
const swapMove = (cards) => (cards.length ? t("move.swap", { count: cards.length, cards: cardNames(cards) }) : t("move.noSwap"));

/** @type {(cards: string[], points: number[], space: number | null) => string} */
function finalMove(cards, points, space) {
  if (!cards.length) return t("move.playNothing");
  const played = cardsWords(cards, points);
  return space === null ? t("move.play", { cards: played }) : t("move.playInCity", { cards: played, space });
}

/** Return the words for a wall, with the city of so many spaces that it completes, if it does.
    @type {(wall: string, spaces: number) => string} */
export const completing = (wall, spaces) => (spaces ? t("wall.completes", { wall, count: spaces }) : wall);

/** @type {(line: string, spaces: number) => string} */
const wallWords = (line, spaces) => completing(t("event.wall", { line }), spaces);

/** Return the cards that a move plays or discards, from what follows the kind of the move.
    @type {(what: string) => string[]} */
export const cardsOf = (what) => what.replace(/^.*\//, "").split("+").filter((card) => card && !["none", "pass"].includes(card));

/** Return a move in words. `facts` has the points of its cards and the number of spaces that its city would have.
    @type {(move: string, facts?: Facts) => string} */
export function moveWords(move, facts = {}) {
  const [kind, what = ""] = move.split(/:(.*)/s);
  return MOVES[kind](what, { points: [], spaces: 0, ...facts });
}

/** Return a city's name, from its colors or its lowest space. Null stands for one of several cities.
    @type {(city: ShownCity | null | undefined) => string} */
export function cityWords(city) {
  if (!city) return t("city.some");
  const { space, colors } = city;
  if (!colors.length) return t("city.at", { space });
  if (colors.length > 3) return t("city.many", { number: colors.length });
  return t("city.named", { space, colors: listed(colors.map((color) => t(`city.color.${color}`))) });
}

/** @type {(piece: LikelyPiece) => string} */
export const pieceWords = ({ kind, color, place }) => putWords([[place, color]], kind);

/** Return a roll, a draw or the deal in words; `fell` has the dice or the cards.
    @type {(luck: LuckMoment, names: string[]) => string} */
export function chanceWords({ cause, who, fell }, names) {
  if (cause === "deal") return t("chance.deal");
  const [tower, ...houses] = fell;
  const text = cause === "dice" ? rollWords({ tower: tower === "-" ? null : tower, houses }) : t("chance.draw", { cards: cardNames(fell) });
  return `${names[who ?? -1]}: ${text}`;
}
