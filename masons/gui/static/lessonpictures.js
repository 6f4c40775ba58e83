/* A small picture for each lesson, of pieces, dice, cards and signs. */

import { makeSvg } from "./pieces.js";

/** @typedef {[symbol: string, x: number, y: number, scale: number]} Placed */

/** @type {(x: number, y: number, scale?: number) => Placed[]} */
const triangle = (x, y, scale = 0.62) => [
  ["wall-60", x - 25 * scale, y, scale], ["wall-120", x + 25 * scale, y, scale], ["wall-0", x, y + 43 * scale, scale], ["tower-white", x, y - 43 * scale, scale], ["tower-gray", x - 50 * scale, y + 43 * scale, scale], ["tower-black", x + 50 * scale, y + 43 * scale, scale],
];

/** The symbols of each lesson in a field of 100 x 84 around 0, 0, and signs of SIGNS below them.
    @type {{ symbols: Placed[], signs?: [sign: keyof typeof SIGNS, x: number, y: number, scale: number][] }[]} */
const LESSONS = [
  { symbols: [["wall-120", -14, -2, 0.7], ["wall-0", 14, 26, 0.7]] },
  { symbols: [["tower-black", -24, 7, 0.95], ["house-blue", 24, 2, 0.34]], signs: [["die", -24, 2, 1], ["die", 24, 2, 1]] },
  { symbols: [["wall-0", 0, 20, 0.85], ["tower-white", -42, 20, 1], ["tower-black", 42, 20, 1], ["house-yellow", 0, -8, 0.4]] },
  { symbols: triangle(0, 2, 0.8) },
  { symbols: [["palace-rose", -14, 6, 0.42], ["palace-blue", 24, 14, 0.32]] },
  { symbols: [["house-yellow", -21, 8, 0.26], ["tower-white", 22, 12, 0.8]], signs: [["city", -21, 0, 1], ["land", 21, 2, 1]] },
  { symbols: [], signs: [["back", -30, 2, 0.9], ["back", 30, 2, 0.9], ["swap", 0, 2, 1]] },
  { symbols: [["tower-white", -28, 12, 0.9], ["tower-gray", 0, 12, 0.9], ["tower-black", 28, 12, 0.9]], signs: [["none", 0, 0, 1]] },
  { symbols: [...triangle(-12, 4, 0.66), ["house-green", -12, 12, 0.2]], signs: [["seal", 32, -16, 1]] },
  { symbols: [["house-green", -30, -12, 0.28], ["house-green", -30, 20, 0.28], ["palace-green", 24, 6, 0.36]], signs: [["arrow", -6, 4, 1]] },
  { symbols: [["emblem-2", -22, -8, 1], ["emblem-1", 22, 10, 1]], signs: [["below", 22, -24, 1]] },
  { symbols: [["wall-0", -10, 24, 0.8], ["tower-gray", -48, 24, 0.9]], signs: [["flag", 22, 20, 1]] },
];

/** Shapes by class and path. @type {Record<string, [look: string, d: string][]>} */
const SIGNS = {
  die: [["die-body", "M-20 -20Q-20 -26 -14 -26H14Q20 -26 20 -20V20Q20 26 14 26H-14Q-20 26 -20 20Z"]],
  city: [["city-card", "M-18 -26H18V28H-18Z"], ["city-head", "M-18 -26H18V-16H-18Z"]],
  land: [["land-card", "M-18 -26H18V28H-18Z"], ["land-head", "M-18 -26H18V-16H-18Z"]],
  back: [["card-back", "M-16 -28H16V28H-16Z"], ["card-rim", "M-11 -23H11V23H-11Z"]],
  swap: [["dark", "M-13 -9H4V-17L16 -6L4 5V-3H-13ZM13 9H-4V1L-16 12L-4 23V15H13Z"]],
  none: [["accent", "M-42 34L38 -34L42 -30L-38 38Z"]],
  seal: [["accent", "M-15 0A15 15 0 0 1 15 0A15 15 0 0 1 -15 0Z"], ["light", "M-9 -2.500H-2.500V-9H2.500V-2.500H9V2.500H2.500V9H-2.500V2.500H-9Z"]],
  arrow: [["dark", "M-12 -4H2V-12L14 0L2 12V4H-12Z"]],
  below: [["dark", "M-4 -12H4V0H12L0 12L-12 0H-4Z"]],
  flag: [["dark", "M-3 16V-46H2V16Z"], ["light", "M2 -45H32V-17H2Z"], ["dark", "M2 -45H12V-36H2ZM22 -45H32V-36H22ZM12 -36H22V-26H12ZM2 -26H12V-17H2ZM22 -26H32V-17H22Z"]],
};

/** Return the picture of a lesson, by its number from 1 on, in a list that is empty if it has none.
    @type {(number: number) => SVGElement[]} */
export function lessonPicture(number) {
  const lesson = LESSONS[number - 1];
  if (!lesson) return [];
  const svg = makeSvg("svg", { viewBox: "-50 -42 100 84", class: "lesson-picture", "aria-hidden": "true", focusable: "false" });
  const moved = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ scale) => `translate(${x} ${y}) scale(${scale})`;
  for (const [sign, x, y, scale] of lesson.signs ?? []) svg.append(...SIGNS[sign].map(([look, d]) => makeSvg("path", { d, class: look, transform: moved(x, y, scale) })));
  svg.append(...lesson.symbols.map(([symbol, x, y, scale]) => makeSvg("use", { href: "#" + symbol, transform: moved(x, y, scale) })));
  return [svg];
}
