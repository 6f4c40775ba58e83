/* Elements without markup: texts of others are set as text, never parsed. */

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

/** A new element with properties, attributes (aria-…, data-…, for) and children. */
export function make(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue;
    if (key.includes("-") || key === "for" || key === "role") element.setAttribute(key, value);
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element[key] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function button(text, act, given = {}) {
  return make("button", { type: "button", textContent: text, onclick: act, ...given });
}

export function makeSvg(tag, given = {}) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(given)) element.setAttribute(key, String(value));
  return element;
}

/** A small picture of a piece: house-red, palace-blue, tower-white, wall-piece. */
export function icon(name) {
  const view = name.startsWith("tower") || name.startsWith("shore") ? "-19 -19 38 38" : "-68 -70 136 136";
  const svg = makeSvg("svg", { viewBox: view, class: "icon", "aria-hidden": "true", focusable: "false" });
  if (name === "wall-piece") svg.setAttribute("viewBox", "-44 -22 88 44");
  svg.append(makeSvg("use", { href: "#" + name }));
  return svg;
}

/** Where the text is another one: to set the same again costs a layout. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** What asks for sizes or scrolls is done once all changes are, right before the frame is drawn: else each
    question makes the browser lay the page out anew. */
export const beforeFrame = (work) => window.requestAnimationFrame(work);

export const calm = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;
export const coarse = () => window.matchMedia("(pointer: coarse)").matches;

/** A setting of this browser's; where nothing can be kept there is none. */
export function setting(name, value) {
  try {
    if (value !== undefined) window.localStorage.setItem("masons-" + name, value);
    return window.localStorage.getItem("masons-" + name);
  } catch {
    return null;
  }
}

export function several(number, word) {
  return number === 1 ? `1 ${word}` : `${number} ${word}s`;
}

/** A loss in per cent with its minus; what is rounded to nothing has none. */
export function lossText(share) {
  const text = (100 * Math.max(share, 0)).toFixed(1);
  return text === "0.0" ? text : `−${text}`;
}

let timer = 0;
/** A line over the board that goes by itself. */
export function toast(text, bad = false) {
  const place = byId("toast");
  place.textContent = text;
  place.className = bad ? "on bad" : "on";
  window.clearTimeout(timer);
  timer = window.setTimeout(() => { place.className = ""; }, 2600 + 40 * text.length);
}
