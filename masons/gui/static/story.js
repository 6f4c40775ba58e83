/* The strip that says what happened: the turns since the last turn of the page's seat, each with a picture of its place, its
   dice and pieces, and in words. Beside pictures of choices, several turns or one that completes a city have a line each. */

import { byId, dot, findIn, make, wide } from "./dom.js";
import { gainOf, picturesOf, sum } from "./eventpictures.js";
import { cardNames, isYou, listed } from "./gamewords.js";
import { sight } from "./shapes.js";
import { t } from "./words.js";

/** Return the turns of a game as lists of events. Each begins with a wall, or with a roll before the wall.
    @type {(events: GameEvent[]) => GameEvent[][]} */
function turnsOf(events) {
  /** @type {GameEvent[][]} */
  const turns = [];
  for (const event of events) {
    const last = turns.at(-1);
    const isFirst = event.event === "early-roll" || (event.event === "wall" && last?.some((each) => each.event === "wall"));
    if (isFirst || !last) turns.push([event]);
    else last.push(event);
  }
  return turns;
}

/** Return the turns since the turn of a seat before the last one, or the last turn if the page has no seat.
    @type {(events: GameEvent[], seat: number | null) => GameEvent[][]} */
function latestTurns(events, seat) {
  const turns = turnsOf(events);
  const own = (/** @type {GameEvent[]} */ turn) => turn[0].seat === seat;
  const before = turns.slice(-1).some(own) ? turns.slice(0, -1) : turns;
  return turns.slice(seat === null ? -1 : before.findLastIndex(own) + 1);
}

/** What a seat did, as a part of a sentence; nothing for pieces, which are shown.
    @type {{ [K in GameEvent["event"]]?: (event: EventOf<K>) => string }} */
const DID = {
  wall: () => t("did.wall"),
  "early-roll": () => t("did.early-roll"),
  city: ({ spaces }) => t("did.city", { count: spaces.length }),
  merge: ({ with: other }) => (other === null ? "" : t("did.merge")),
  palaces: ({ built }) => t("did.palaces", { palaces: listed(Object.entries(built).map(([color, count]) => t(`count.palace-${color}`, { count }))) }),
  play: played,
  final: (event) => (event.cards.length ? played(event) : t("did.playNothing")),
  abstain: () => t("did.abstain"),
  swap: ({ out }) => (out.length ? t("did.swap", { count: out.length }) : ""),
};

/** @type {(event: Pick<EventOf<"play">, "cards" | "points">) => string} */
function played({ cards, points }) {
  return t("did.play", { count: sum(points), cards: cardNames(cards) });
}

/** @type {(event: GameEvent) => string} */
const didOf = (event) => /** @type {Record<string, (event: any) => string>} */ (DID)[event.event]?.(event) ?? "";

/** The events that are shown, by their captions; the rest is told, or shown by the picture of the place.
    @type {[caption: "rolled" | "placed" | "scored", events: GameEvent["event"][]][]} */
const PICTURED = [["rolled", ["roll"]], ["placed", ["towers", "houses", "palaces"]], ["scored", ["play", "final"]]];

/** The events that a line shows, besides points. @type {Set<GameEvent["event"]>} */
const IN_LINE = new Set(["early-roll", "towers", "houses", "city", "palaces"]);

/** Return what a seat rolled, placed and played in pictures.
    @type {(events: GameEvent[]) => HTMLElement[]} */
const shownOf = (events) => PICTURED.flatMap(([caption, kinds]) => {
  const pictures = events.filter(({ event }) => kinds.includes(event)).flatMap(picturesOf);
  return pictures.length ? [make("span", { className: "shown" }, make("small", { textContent: t(`story.${caption}`) }), ...pictures)] : [];
});

/** Return what a seat did in some events as the rest of a sentence that begins with its name, "" if nothing.
    @type {(events: GameEvent[], name: string) => string} */
function saidOf(events, name) {
  const did = listed(events.map(didOf).filter(Boolean));
  return did && (isYou(name) ? t("story.youDid", { did }) : t("story.did", { did }));
}

/** Return what a seat did in a turn as a sentence, with what it rolled, placed and played. Where pictures are shown,
    the words that they repeat are only read aloud, and so is all that others did besides.
    @type {(events: GameEvent[], seat: number, name: string, isBuilder: boolean) => Child[]} */
function sentence(events, seat, name, isBuilder) {
  const said = saidOf(events, name);
  const shown = shownOf(events);
  const seen = isBuilder ? saidOf(events.filter(({ event }) => !PICTURED.some(([, kinds]) => kinds.includes(event))), name) : "";
  const whole = make("span", { className: "whole", textContent: ` ${said}.` });
  if (!said) return [];
  if (!isBuilder) return [make("p", { className: shown.length ? "aside" : "whole" }, dot(seat), make("b", { textContent: name }), whole, make("span", { className: "brief", "aria-hidden": "true" }, ...shown))];
  return [make("p", {}, dot(seat), make("b", { textContent: name }), whole, make("span", { className: "brief", "aria-hidden": "true", textContent: seen && ` ${seen}.` })), shown.length ? make("div", { className: "pics", "aria-hidden": "true" }, ...shown) : null];
}

/** Return a picture of a turn, of the city that is being scored or of its wall, if there is room for it.
    @type {(turn: GameEvent[], board: Board, isScored: boolean, position: Pieces) => SVGElement[]} */
function scene(turn, board, isScored, position) {
  const wall = turn.find((event) => event.event === "wall");
  return !wide() || !(wall || isScored) ? [] : [sight(board, position, isScored ? null : wall?.line ?? null)];
}

/** Return the seats of a turn with what they did, first its builder.
    @type {(turn: GameEvent[], names: string[]) => [seat: number, events: GameEvent[]][]} */
function partsOf(turn, names) {
  const builder = turn[0].seat ?? 0;
  const seats = new Set([builder, ...names.keys()]);
  return [...seats].map((seat) => [seat, turn.filter((event) => (event.seat ?? builder) === seat)]);
}

/** Return a turn as sentences, of the builder and then of each other seat.
    @type {(turn: GameEvent[], names: string[]) => Child[]} */
const told = (turn, names) => partsOf(turn, names).flatMap(([seat, events], rank) => sentence(events, seat, names[seat], !rank));

/** Return a turn as a line of pictures: what its builder placed, and the points of all. The sentences are read aloud.
    @type {(turn: GameEvent[], names: string[]) => Child[]} */
function inLine(turn, names) {
  const parts = partsOf(turn, names);
  const said = parts.map(([seat, events]) => [names[seat], saidOf(events, names[seat])]).filter(([, did]) => did);
  const gains = turn.map(gainOf).filter(({ length }) => length);
  const [[builder]] = parts;
  return [make("p", { className: "whole", textContent: said.map((words) => `${words.join(" ")}.`).join(" ") }),
    make("p", { className: "line", "aria-hidden": "true" }, dot(builder), make("b", { textContent: names[builder] }),
      make("span", { className: "shown" }, ...turn.filter(({ event }) => IN_LINE.has(event)).flatMap(picturesOf)),
      gains.length ? make("span", { className: "gains" }, ...gains.map((gain) => make("span", {}, ...gain))) : null)];
}

/** Show what happened, from the events of the game. The turn of the page's seat is told once it completes a city.
    @type {(events: GameEvent[], position: Pick<GamePosition, "seat" | "names" | "decides"> & Pieces, board: Board) => void} */
export function showStory(events, position, board) {
  const { seat, names, decides } = position;
  const turns = latestTurns(events, seat);
  const isTold = (/** @type {GameEvent[]} */ turn) => !decides || turn[0].seat !== seat || turn.some(({ event }) => event === "city");
  const shown = turns.filter((turn, i) => isTold(turn) || (!i && turns.length === 1));
  const hasMuch = shown.length > 1 || shown.some((turn) => turn.some(({ event }) => event === "city"));
  const isBrief = hasMuch && wide() && findIn("#choices .option") !== null; // pictures of choices need the room
  const key = JSON.stringify([shown, names, position.scored, position.walls, wide(), isBrief]);
  const list = byId("story");
  if (list.dataset.key === key && list.children.length) return; // its pictures have many elements
  list.dataset.key = key;
  list.replaceChildren(...shown.map((turn) => {
    const isScored = turn === turns.at(-1) && position.scored.length > 0;
    if (isBrief) return make("li", {}, ...inLine(turn, names));
    return make("li", { className: isScored ? "scored" : "" }, ...scene(turn, board, isScored, position), make("div", {}, ...told(turn, names)));
  }));
}
