/* The events of a game as pictures: of the pieces, the dice, the cards and the points. */

import { pictures } from "./cards.js";
import { HOUSES, TOWERS, citySign, icon, make } from "./dom.js";
import { crest } from "./emblems.js";
import { signed } from "./words.js";

/** Return the sum of points or of counts.
    @type {(points: number | number[]) => number} */
export const sum = (points) => [points].flat().reduce((total, each) => total + each, 0);

/** Return a die that shows a color, or a question mark for any color.
    @type {(name: string) => HTMLElement} */
export function face(name) {
  const kind = TOWERS.includes(name) ? "tower" : HOUSES.includes(name) ? "house" : "";
  return make("span", { className: "die" }, kind ? icon(`${kind}-${name}`) : name);
}

/** @type {(roll: Pick<EventOf<"roll">, "tower" | "houses">) => string[]} */
export const facesOf = ({ tower, houses }) => [...(tower ? [tower] : []), ...houses];

/** @type {(kind: string) => (event: EventOf<"towers" | "houses">) => Element[]} */
const puts = (kind) => ({ put }) => put.map(([, color]) => icon(`${kind}-${color}`));
/** @type {(name: string) => HTMLElement} */
export const miniCard = (name) => make("span", { className: "mini" + (name.startsWith("city-") ? "" : " land") }, ...pictures(name));
/** @type {(count: number) => HTMLElement[]} */
const backs = (count) => Array.from({ length: count }, () => make("span", { className: "mini card-back" }));
/** @type {(event: EventOf<"play" | "final">) => Element[]} */
const played = ({ cards, points }) => [...cards.map(miniCard), gained(points)];
/** @type {(points: number | number[]) => HTMLElement} */
const gained = (points) => make("b", { className: "gain", textContent: signed(sum(points), 0) || "0" });

/** @type {{ [K in GameEvent["event"]]?: (event: EventOf<K>) => Element[] }} */
const PICTURES = {
  wall: () => [icon("wall-piece")],
  "early-roll": ({ points }) => [gained(points)],
  roll: (event) => facesOf(event).map(face),
  towers: puts("tower"),
  houses: puts("house"),
  city: ({ spaces }) => [citySign(spaces.length)],
  merge: (event) => (event.with === null ? [] : [make("span", {}, citySign("+"), citySign(""))]),
  palaces: ({ built }) => Object.entries(built).flatMap(([color, count]) => Array.from({ length: count }, () => icon(`palace-${color}`))),
  play: played,
  final: played,
  abstain: ({ card: name }) => [miniCard(name)],
  swap: ({ out }) => backs(out.length),
};

/** Return the pictures of an event, none if it has none.
    @type {(event: GameEvent) => Element[]} */
export const picturesOf = (event) => /** @type {Record<string, (event: any) => Element[]>} */ (PICTURES)[event.event]?.(event) ?? [];

/** Return the points of an event with the crest of the seat that scores them, none if it scores none.
    @type {(event: GameEvent) => Element[]} */
export function gainOf(event) {
  const points = event.event === "play" || event.event === "final" ? sum(event.points) : 0;
  return points ? [crest(event.seat ?? 0), make("b", { className: "gain", textContent: `+${points}` })] : [];
}
