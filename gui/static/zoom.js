/* Zooming the board with buttons, keys or two fingers. The rest of the page keeps its size. */

import { byId } from "./dom.js";

const MOST = 4;
let zoom = 1;

function set(wanted, x, y) {
  const scroller = byId("scroller");
  const box = scroller.getBoundingClientRect();
  const [px, py] = [x === undefined ? box.width / 2 : x - box.x, y === undefined ? box.height / 2 : y - box.y];
  const before = zoom;
  zoom = Math.min(Math.max(wanted, 1), MOST);
  const factor = zoom / before;
  const [left, top] = [(scroller.scrollLeft + px) * factor - px, (scroller.scrollTop + py) * factor - py];
  byId("holder").style.width = zoom === 1 ? "" : `${100 * zoom}%`;
  scroller.scrollTo(left, top);
}

export const larger = () => set(zoom * 1.4);
export const smaller = () => set(zoom / 1.4);
export const whole = () => set(1);

export function startZoom() {
  byId("zoom-in").addEventListener("click", larger);
  byId("zoom-out").addEventListener("click", smaller);
  byId("zoom-fit").addEventListener("click", whole);
  const fingers = new Map();
  let apart = 0;
  const scroller = byId("scroller");
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return [Math.hypot(a.x - b.x, a.y - b.y), (a.x + b.x) / 2, (a.y + b.y) / 2];
  };
  scroller.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch") fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size === 2) [apart] = spread();
  });
  scroller.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size !== 2) return;
    const [now, x, y] = spread();
    if (apart > 0) set((zoom * now) / apart, x, y);
    apart = now;
  });
  for (const name of ["pointerup", "pointercancel"]) {
    scroller.addEventListener(name, (event) => { fingers.delete(event.pointerId); });
  }
}
