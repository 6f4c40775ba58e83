/* The size of the board, by buttons, keys or two fingers. The rest of the page keeps its size. */

import { byId } from "./dom.js";

const LARGEST = 4;
const CLOSE = 2; // how much larger a part of the board is shown
let zoom = 1;

/** @type {(wanted: number, x?: number, y?: number) => void} */
function set(wanted, x, y) {
  const scroller = byId("scroller");
  const box = scroller.getBoundingClientRect();
  const [px, py] = [x === undefined ? box.width / 2 : x - box.x, y === undefined ? box.height / 2 : y - box.y];
  const before = zoom;
  zoom = Math.min(Math.max(wanted, 1), LARGEST);
  const factor = zoom / before;
  const [left, top] = [(scroller.scrollLeft + px) * factor - px, (scroller.scrollTop + py) * factor - py];
  const { style } = byId("holder");
  style.width = style.height = zoom === 1 ? "" : `${100 * zoom}%`;
  scroller.tabIndex = zoom > 1 ? 0 : -1; // so that the arrow keys can scroll it
  scroller.classList.toggle("zoomed", zoom > 1);
  scroller.scrollTo(left, top);
}

export const larger = () => set(zoom * 1.4);
export const smaller = () => set(zoom / 1.4);
export const whole = () => set(1);

/** Show a part of the board larger if it is small enough, else the whole board.
    @type {(svg: SVGSVGElement, part: import("./smallboard.js").Box | null) => void} */
export function showPart(svg, part) {
  set(part ? CLOSE : 1);
  const matrix = svg.getScreenCTM();
  if (!part || !matrix) return;
  const [x, y, width, height] = part;
  const box = byId("scroller").getBoundingClientRect();
  if (width * matrix.a > box.width || height * matrix.d > box.height) {
    set(1);
    return;
  }
  const middle = new DOMPoint(x + width / 2, y + height / 2).matrixTransform(matrix);
  byId("scroller").scrollBy(middle.x - box.x - box.width / 2, middle.y - box.y - box.height / 2);
}

export function startZoom() {
  byId("zoom-in").addEventListener("click", larger);
  byId("zoom-out").addEventListener("click", smaller);
  byId("zoom-fit").addEventListener("click", whole);
  /** @type {Map<number, { x: number, y: number }>} */
  const fingers = new Map();
  let apart = 0;
  const scroller = byId("scroller");
  // The wheel zooms with Ctrl. Else it scrolls the enlarged board or the page.
  scroller.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    set(zoom * Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
  }, { passive: false });
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
  for (const name of /** @type {const} */ (["pointerup", "pointercancel"])) {
    scroller.addEventListener(name, (event) => { fingers.delete(event.pointerId); });
  }
}
