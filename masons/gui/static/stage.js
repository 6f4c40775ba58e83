/* What others do, one thing after another: on the board and, with pictures, in a line over its edge. Points fly to the
   score. The pace is a setting; a click on the board skips the rest. */

import { byId, calm, dot, make, setting } from "./dom.js";
import { picturesOf, sum } from "./eventpictures.js";
import { sound } from "./sound.js";

/** How long each event is shown, in ms.
    @type {Partial<Record<GameEvent["event"], number>>} */
const LENGTHS = { wall: 700, "early-roll": 700, roll: 1000, towers: 700, houses: 800, city: 1000, merge: 800, palaces: 800, play: 1800, abstain: 900, swap: 700, final: 1600 };
/** @type {Record<string, number>} */
export const PACES = { slow: 1.7, normal: 1, fast: 0.45, off: 0 };

export function pace() {
  const name = setting("pace") ?? "";
  return Object.hasOwn(PACES, name) ? name : "normal";
}

/** Return the pace as a factor. While a clock runs, nobody should have to wait.
    @type {(clock: ClockState | null) => number} */
const speed = (clock) => (calm() || document.hidden ? 0 : Math.min(PACES[pace()], clock ? PACES.fast : Infinity));

/** @type {number[]} */
let timers = [];
/** @typedef {{ seat: number | null, gain: number, isFlying: boolean }} Gain */
/** @type {Gain[]} */
let gains = []; // points that have not reached the score

/** Show nothing more of what is being shown. Points that fly already reach the score, unless `isOver`. */
export function clearStage(isOver = false) {
  timers.forEach(window.clearTimeout);
  timers = [];
  byId("stage").hidden = true;
  gains = gains.filter(({ isFlying }) => isFlying && !isOver);
  showScores();
}

/** Show the scores without the points that have not reached them. */
function showScores() {
  [...byId("seats").children].forEach((item, seat) => {
    const score = /** @type {HTMLElement} */ (item.querySelector(".points"));
    score.textContent = String(Number(score.dataset.points) - sum(gains.filter((one) => one.seat === seat).map(({ gain }) => gain)));
  });
}

/** Show the new events of a position, and return how many ms this takes. `before` has the events told earlier.
    @type {(position: Pick<GamePosition, "names" | "seat" | "clock">, events: GameEvent[], before: GameEvent[]) => number} */
export function showEvents({ names, seat, clock }, events, before) {
  clearStage();
  const factor = speed(clock);
  if (!factor) {
    sound(events.findLast(({ event }) => event in LENGTHS)?.event);
    return 0;
  }
  let who = before.findLast((event) => event.seat !== null)?.seat ?? null;
  let at = 0;
  for (const event of events) {
    who = event.seat ?? who;
    const [actor, isOwn] = [who, who === seat];
    const gain = { seat: who, gain: sum("points" in event ? event.points : 0), isFlying: false };
    if (gain.gain) gains.push(gain);
    const begin = () => {
      sound(event.event);
      if (!isOwn) show(names, actor ?? -1, event, factor);
      if (gain.gain) fly(gain, isOwn, factor);
    };
    if (at) timers.push(window.setTimeout(begin, at));
    else begin();
    if (!isOwn) at += factor * (LENGTHS[event.event] || 0);
  }
  showScores();
  if (at) timers.push(window.setTimeout(() => clearStage(), at + 300));
  return at;
}

/** @type {(seat: number | null) => HTMLElement} */
const pointsOf = (seat) => /** @type {HTMLElement} */ (byId("seats").children[seat ?? -1].querySelector(".points"));

/** @type {(names: string[], seat: number, event: GameEvent, factor: number) => void} */
function show(names, seat, event, factor) {
  const shown = picturesOf(event);
  if (!shown.length) return;
  for (const one of shown) if (one.classList.contains("die")) one.classList.add("rolling");
  const place = byId("stage");
  place.hidden = false;
  place.replaceChildren(make("span", {}, dot(seat), names[seat]), ...shown);
  window.setTimeout(() => place.querySelectorAll(".rolling").forEach((die) => die.classList.remove("rolling")), 600 * factor);
}

/** Let the points of an event fly to the score, which then counts them.
    @type {(one: Gain, isOwn: boolean, factor: number) => void} */
function fly(one, isOwn, factor) {
  const { seat, gain } = one;
  one.isFlying = true;
  const to = pointsOf(seat).getBoundingClientRect();
  const from = byId(isOwn ? "hand" : "stage").getBoundingClientRect();
  const sign = make("b", { className: `fly seat${seat}`, textContent: `+${gain}`, "aria-hidden": "true" });
  document.body.append(sign);
  const place = (/** @type {DOMRect} */ { left, top, width, height }, /** @type {number} */ scale) => `translate(${left + width / 2}px, ${top + height / 2}px) translate(-50%, -50%) scale(${scale})`;
  const flight = sign.animate([{ transform: place(from, 1) }, { transform: place(from, 1.6), offset: 0.4 }, { transform: place(to, 0.8) }], { duration: 1100 * factor, easing: "ease-in-out" });
  flight.onfinish = () => {
    sign.remove();
    if (!gains.includes(one)) return; // the game was left
    gains = gains.filter((each) => each !== one);
    showScores();
    pointsOf(seat).animate([{ transform: "scale(1.6)" }, { transform: "scale(1)" }], 300);
  };
}
