/* A decision of which the server has said nothing yet. If the connection breaks, it is sent again, but only if the
   server has not got it: then the game has gone on. */

import { toast } from "./dom.js";
import { t } from "./words.js";

const DECISIONS = new Set(["move", "roll", "card", "undo", "resign"]);

/** @typedef {{ type: keyof Requests, fields: object, told: number, seat: number | null, isLost: boolean }} Decided */
/** @type {Decided | null} */
let waiting = null;

/** @type {(position: GamePosition) => number} */
const told = ({ news }) => news.first + news.events.length;

/** Note a message that is sent while a position is shown, and return whether it is a decision.
    @type {(type: keyof Requests, fields: object | undefined, position: GamePosition | null) => boolean} */
export function noteSent(type, fields, position) {
  if (!fields || !DECISIONS.has(type) || !position) return false;
  waiting = { type, fields, told: told(position), seat: position.decider, isLost: false };
  return true;
}

/** Note that the connection is lost. */
export function noteLost() {
  if (waiting) waiting.isLost = true;
}

/** Forget the decision, as the server has answered it. */
export function noteAnswer() {
  if (waiting && !waiting.isLost) waiting = null;
}

/** Return the message to be sent again for a new position, or null.
    @type {(position: GamePosition) => Saying | null} */
export function toResend(position) {
  if (!waiting) return null;
  const { type, fields, isLost, seat } = waiting;
  const isSame = told(position) === waiting.told && position.decider === seat && !position.result;
  if (isLost && isSame && !position.decides && position.rolls === null && !position.draws) return null; // the curtain hides the hand
  waiting = null;
  if (!isLost || !isSame) return null;
  toast(t("connection.again"));
  return /** @type {Saying} */ (/** @type {unknown} */ ([type, { ...fields, at: position.at }]));
}
