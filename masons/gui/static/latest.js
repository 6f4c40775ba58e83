/* The pieces that others have placed since the viewer last built, from the events of the game. */

const EFFECTS = new Set(["roll", "city", "palaces", "reshuffle"]); // events that nobody decides
const BUILDS = new Set(["early-roll", "wall", "towers", "houses"]); // cards are also played in the turns of others

/** Return the index of the first decision of others after a seat last built, or else the number of events.
    @type {(events: GameEvent[], seat: number) => number} */
export function sinceBuilding(events, seat) {
  const decided = events.filter((event) => !EFFECTS.has(event.event));
  const first = decided[decided.findLastIndex((event) => event.seat === seat && BUILDS.has(event.event)) + 1];
  return first ? events.indexOf(first) : events.length;
}

/** @type {{ [K in GameEvent["event"]]?: (event: EventOf<K>) => string[] }} */
const PLACES = {
  wall: ({ line }) => ["l" + line],
  towers: ({ put }) => put.map(([place]) => "k" + place),
  houses: ({ put }) => put.map(([place]) => "s" + place),
};

/** Return the ids of the places where seats other than `seat` placed pieces, with the seat that placed them.
    @type {(events: GameEvent[], seat: number | null) => Map<string, number>} */
export const placedBy = (events, seat) => new Map(events.filter((event) => event.seat !== null && event.seat !== seat)
  .flatMap((event) => (/** @type {Record<string, (event: any) => string[]>} */ (PLACES)[event.event]?.(event) || []).map((id) => [id, /** @type {number} */ (event.seat)])));
