/* The strip that says what happened: the turns since the last turn of the page's seat, in words. */

import { byId, make } from "./dom.js";
import { eventWords } from "./gamewords.js";

/** Return the turns of a game as lists of events. Each begins with a wall, or with a roll before the wall.
    @type {(events: GameEvent[]) => GameEvent[][]} */
function turnsOf(events) {
  /** @type {GameEvent[][]} */
  const turns = [];
  for (const event of events) {
    const last = turns.at(-1);
    const isFirst = event.event === "early-roll" || (event.event === "wall" && last?.[0].event !== "early-roll");
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

/** Return the events of a turn in words. The roll is left out once its pieces are placed.
    @type {(turn: GameEvent[], names: string[]) => string} */
function turnWords(turn, names) {
  const [{ seat: builder }] = turn;
  const told = turn.filter((event, i) => event.event !== "roll" || i === turn.length - 1);
  return told.map((event) => (event.seat === null || event.seat === builder ? "" : `${names[event.seat]}: `) + eventWords(event)).join("; ");
}

/** Show what happened, from the events of the game.
    @type {(events: GameEvent[], position: Pick<Position, "seat" | "names">) => void} */
export function showStory(events, { seat, names }) {
  byId("story").replaceChildren(...latestTurns(events, seat).map((turn) => make("li", {},
    make("b", { textContent: `${names[turn[0].seat ?? -1] ?? ""} ` }), turnWords(turn, names))));
}
