/* The game in words of the page's language: seats, tasks, events, moves, the result. */

import { language, t } from "./words.js";

const lists = new Intl.ListFormat(language === "en" ? "en-GB" : language); // without a comma before "and"
const listed = (items) => lists.format(items);

/** Put the names of seats that nobody named into the page's language: You, Person 0, Engine 1, seat 0. */
export function translateNames(message) {
  for (const part of [message, message.position, ...(Array.isArray(message.games) ? message.games : [])]) {
    if (Array.isArray(part?.names)) part.names = part.names.map(nameWords);
  }
}

function nameWords(name) {
  const usual = /^(You|Person|Engine|seat)(?: ([0-3]))?$/.exec(name);
  return usual && (usual[1] === "You") === (usual[2] === undefined) ? t(`name.${usual[1]}`, { number: usual[2] }) : name;
}

/** The decision that is due and who makes it. */
export function taskWords({ phase, names, decider, task }) {
  if (phase === "over") return t("task.over");
  if (decider === null) return task; // of a study: dice or a card are due
  return names[decider] === t("name.You") ? t(`task.you.${phase}`) : t(`task.${phase}`, { name: names[decider] });
}

/** How a game ended. */
export function resultLines({ result, names, scores, cards }) {
  const isYou = (seat) => names[seat] === t("name.You");
  if (result.resigned !== undefined) return [isYou(result.resigned) ? t("result.you.resigned") : t("result.resigned", { name: names[result.resigned] })];
  const winners = result.winners;
  const won = winners.length > 1 ? t("result.shared", { names: listed(winners.map((seat) => names[seat])) })
    : isYou(winners[0]) ? t("result.you.won") : t("result.won", { name: names[winners[0]] });
  const seats = names.map((name, seat) => t("result.seat", { name, points: t("cards.points", { count: scores[seat] }), cards: cardCount(cards[seat]) }));
  return [t(`result.${result.end}`), won, ...seats];
}

/** The pieces that are left, by kind. */
export const supplyWords = ({ walls, towers, houses, palaces }) => listed([t("count.wall", { count: walls }), t("event.towers", { count: towers }),
  t("count.house", { count: houses }), t("count.palace", { count: palaces })]);

const cardCount = (count) => t("event.cards", { count });
const nothingOr = (some) => (typeof some === "number" ? cardCount(some) : listed(some) || t("supply.nothing"));

/** A line of the board; `lines` are those of the `board` message. */
function lineWords(line, lines) {
  const [first, second, space, other] = lines[line];
  return other === null ? t("event.lineAtEdge", { line, first, second, space }) : t("event.line", { line, first, second, space, other });
}

const putWords = (put, kind) => listed(put.map(([place, color]) => t(`event.put.${kind}`, { piece: t(`tool.${kind}-${color}`), place })));

/** Cards with their points, if they are known. */
function cardsWords(cards, points) {
  if (!points) return listed(cards);
  const count = points.reduce((sum, each) => sum + each, 0);
  const valued = cards.length === 1 ? cards[0] : listed(cards.map((card, i) => `${card} (${points[i]})`));
  return t("event.cardsFor", { cards: valued, count });
}

function back({ walls_back: walls, towers_back: towers }) {
  const parts = [walls.length ? t("count.wall", { count: walls.length }) : "", towers.length ? t("event.towers", { count: towers.length }) : ""].filter(Boolean);
  return parts.length ? t("event.back", { pieces: listed(parts) }) : "";
}

const dieWords = (face) => (face === "?" ? face : t(`color.${face}`));

const EVENTS = {
  wall: ({ line }, lines) => t("event.wall", { line: lineWords(line, lines) }),
  "early-roll": ({ points }) => t("event.earlyRoll", { points: t("cards.points", { count: points }) }),
  roll: ({ tower, houses }) => t("event.roll", { dice: (tower ? `${t(`tool.tower-${tower}`)}, ` : "") + listed(houses.map(dieWords)) }),
  towers: ({ put }) => putWords(put, "tower"),
  houses: ({ put }) => putWords(put, "house"),
  city: (event) => t("event.city", { count: event.spaces.length, spaces: listed(event.spaces.map(String)) }) + back(event),
  merge: (event) => (event.with === null ? t("event.noMerge") : t("event.merge", { space: event.with }) + back(event)),
  palaces: ({ built }) => t("event.palaces", { palaces: listed(Object.entries(built).map(([color, count]) => t(`count.palace-${color}`, { count }))) }),
  play: ({ cards, points, drew }) => t("event.drawing", { did: t("event.play", { cards: cardsWords(cards, points) }), cards: nothingOr(drew) }),
  abstain: ({ card, drew }) => t("event.drawing", { did: t("event.abstain", { card }), cards: nothingOr(drew) }),
  swap: ({ out, in: drew }) => (out.length ? t("event.drawing", { did: swapWords(out), cards: nothingOr(drew) }) : t("event.noSwap")),
  reshuffle: ({ deck }) => t("event.reshuffle", { cards: cardCount(deck) }),
  final: ({ cards, points, city }) => finalWords(cards, points, city),
};

const swapWords = (cards) => t("event.swap", { count: cards.length, cards: listed(cards) });

function finalWords(cards, points, city) {
  if (!cards.length) return t("event.playNothing");
  const played = t("event.play", { cards: cardsWords(cards, points) });
  return city === null ? played : t("event.inCity", { played, space: city });
}

/** An event without its seat. */
export const eventWords = (event, lines) => EVENTS[event.event](event, lines);

/** A move, in English as the server says it; else by its text, with what `position` tells of its cards. */
export function moveWords(move, english, board, position = null) {
  if (language === "en") return english;
  const [kind, what = ""] = [move.slice(0, (move + ":").indexOf(":")), move.slice((move + ":").indexOf(":") + 1)];
  const put = () => what.split(",").map((each) => each.split("="));
  const cards = what.split("/").pop().split("+").filter((card) => card && card !== "none");
  const worth = cards.map((card) => position?.hand?.find((held) => held.card === card)?.points);
  const points = worth.includes(undefined) ? null : worth;
  if (kind === "wall") return t("event.wall", { line: lineWords(what, board.lines) });
  if (kind === "early-roll") return t("wall.earlyRoll");
  if (kind === "towers" || kind === "houses") return putWords(put(), kind === "towers" ? "tower" : "house");
  if (kind === "merge") return what === "none" ? t("event.noMerge") : t("event.merge", { space: what });
  if (kind === "play") return t("event.play", { cards: cardsWords(cards, points) });
  if (kind === "abstain") return t("event.abstaining", { did: t("event.abstain", { card: cards[0] }) });
  if (kind === "swap" || kind === "toss") return cards.length ? swapWords(cards) : t("event.noSwap");
  if (kind === "final") return what === "pass" ? t("event.playNothing") : finalWords(cards, null, /^\d/.test(what) ? parseInt(what, 10) : null);
  return english;
}
