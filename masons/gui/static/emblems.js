/* The signs of the table: those of the two kinds of cards, and the crests of the players. */

import { makeSvg } from "./pieces.js";

/** The shapes of each sign, in a square of 32, as a class and a path. @type {Record<string, [string, string][]>} */
const SIGNS = {
  castle: [["stone", "M4 28V10h4v3h3V6h4v3h2V6h4v7h3v-3h4v18z"], ["dark", "M13 28v-6a3 3 0 0 1 6 0v6z"]],
  tree: [["wood", "M14 20h4v9h-4z"], ["leaf", "M16 3a7 7 0 0 1 7 6 6 6 0 0 1 1 12H8a6 6 0 0 1 1-12 7 7 0 0 1 7-6z"]],
};
const SHIELD = "M4 3h24v13q0 10-12 14Q4 26 4 16z";
const SHINE = "M16 3h12v13q0 10-12 14z";
/* Tools of masons, one for each seat: a hammer, a trowel, compasses, a set square. */
const TOOLS = ["M9 9h12l3 4h-7v12h-3V13H9z", "M16 5h2v6l6 2-8 13-8-13 6-2V5z", "M15 6h2v3l6 15-2 1-3.500-8h-3L11 25l-2-1 6-15zM15.400 14h1.200l-.6-1.800z", "M9 7h4v13h11v4H9zM15 9l8 8h-8z"];

/** @type {(name: string, shapes: [string, string][]) => SVGElement} */
function drawn(name, shapes) {
  const svg = makeSvg("svg", { viewBox: "0 0 32 32", class: name, "aria-hidden": "true", focusable: "false" });
  svg.append(...shapes.map(([className, d]) => makeSvg("path", { class: className, d })));
  return svg;
}

/** Return the sign of the cards for the city or for the land.
    @type {(name: "castle" | "tree") => SVGElement} */
export const sign = (name) => drawn(`sign ${name}`, SIGNS[name]);

/** Return the crest of a seat, in its color.
    @type {(seat: number) => SVGElement} */
export const crest = (seat) => drawn(`crest seat${seat}`, [["field", SHIELD], ["shine", SHINE], ["tool", TOOLS[seat]]]);
